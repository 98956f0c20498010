"""Which instructions have effects besides their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shardlog.ir.module import Computation, HloModule, Instruction

_ALWAYS = frozenset(
    (
        "all-gather-done",
        "all-gather-start",
        "all-reduce-done",
        "all-reduce-start",
        "collective-broadcast",
        "collective-permute-done",
        "collective-permute-start",
        "infeed",
        "outfeed",
        "recv",
        "recv-done",
        "rng",
        "rng-get-and-update-state",
        "send",
        "send-done",
    )
)
_ASYNC = frozenset(("async-done", "async-start", "async-update"))
_COLLECTIVES = frozenset(
    ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")
)


def may_have_effects(by_opcode: Mapping[str, Sequence[Instruction]]) -> bool:
    """Whether any instruction could have a side effect, going by opcodes and custom-calls' word."""
    return any(by_opcode.get(opcode) for opcode in _SUSPECTS if opcode != "custom-call") or any(
        _has_effect(call, False) for call in by_opcode.get("custom-call", ())
    )


def effectful(module: HloModule) -> list[int]:
    """Indices of instructions with side effects, of their own or of what they call.

    Follows HloInstruction::HasSideEffect. jaxlib 0.10.2 leaves out what runs asynchronously.
    """
    is_spmd = module.num_partitions != 1
    found: list[int] = []
    known: dict[Computation, bool] = {}
    # callees first, as calls do not recurse
    pending = list(module.computations)
    while pending:
        computation = pending.pop()
        if computation in known:
            continue
        missing = {
            called
            for instruction in computation.instructions
            for called in instruction.called
            if called not in known
        }
        if missing:
            pending.append(computation)
            pending.extend(missing)
            continue
        mine = [
            instruction.index
            for instruction in computation.instructions
            if instruction.opcode in _SUSPECTS or instruction.called
            if _has_effect(instruction, is_spmd)
            or (instruction.opcode not in _ASYNC and any(map(known.get, instruction.called)))
        ]
        known[computation] = bool(mine)
        found += mine
    return found


_SUSPECTS = _ALWAYS | _COLLECTIVES | {"custom-call"}


def _has_effect(instruction: Instruction, is_spmd: bool) -> bool:
    opcode = instruction.opcode
    if opcode in _ALWAYS:
        return True
    if opcode == "custom-call":
        return instruction.has_side_effect
    if opcode not in _COLLECTIVES:
        return False
    if opcode != "collective-permute" and instruction.attribute("constrain_layout") == "true":
        return True
    return not is_spmd and instruction.channel_id is not None
