"""The bodies of manual computations, which are called between two conversions."""

from __future__ import annotations

from shardlog.converters.shardy import marks
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, HloModule, Instruction

__all__ = ["calls_body", "holder", "manual_axes_around"]


def manual_axes_around(module: HloModule) -> dict[Computation, tuple[str, ...]]:
    """Return for each computation the manual axes around it, the innermost first.

    Raises InputError for a computation that is called under different ones.
    """
    around: dict[Computation, tuple[str, ...]] = {module.entry: ()}
    waiting = [module.entry]
    while waiting:
        computation = waiting.pop()
        for instruction in computation.instructions:
            axes = around[computation]
            if instruction.opcode == "call":
                axes = _axes_here(instruction) + axes
            for callee in instruction.called:
                if callee not in around:
                    around[callee] = axes
                    waiting.append(callee)
                elif around[callee] != axes:
                    raise instruction.located(
                        InputError(f"{callee.name} is called under different manual axes")
                    )
    return around


def _axes_here(call: Instruction) -> tuple[str, ...]:
    """The axes of the manual computation whose body is called; none for another call."""
    if not calls_body(call):
        return ()
    if call.frontend_attribute("xla.sdy.manual_axes") is not None:
        return marks.manual_axes(call).names
    around = [x.operands[0] if x.opcode == "get-tuple-element" else x for x in call.operands]
    around += [x for user in call.users for x in (user, *user.users)]
    targets = {x.custom_call_target: x for x in around if x.opcode == "custom-call"}
    for target in (marks.FULL_TO_LOCAL, marks.LOCAL_TO_FULL):
        if target in targets:
            return marks.manual_axes(targets[target]).names
    if not targets.keys() & {marks.FULL_TO_SHARD, marks.SHARD_TO_FULL}:
        raise call.located(InputError("a manual computation without its manual axes"))
    return ()


def holder(conversion: Instruction, name: str) -> Instruction:
    """The instruction that has a mark of a conversion: itself, or, from older XLAs, the call."""
    if conversion.frontend_attribute(name) is not None:
        return conversion
    if conversion.custom_call_target == marks.FULL_TO_LOCAL:
        near = [x for user in conversion.users for x in (user, *user.users)]
    else:
        near = [x for operand in conversion.operands for x in (operand, *operand.operands)]
    return next((x for x in near if calls_body(x)), conversion)


def calls_body(instruction: Instruction) -> bool:
    """Whether an instruction calls the body of a manual computation."""
    if instruction.opcode != "call" or not instruction.called:
        return False
    return instruction.called[0].name.startswith(marks.BODY)
