"""Execution threads: which computations of a module run beside its main one."""

from __future__ import annotations

from shardlog.ir.module import MAIN_THREAD, Computation, HloModule, Instruction
from shardlog.ir.opcodes import ASYNC_FORMS

ASYNC = frozenset(ASYNC_FORMS.values())
"""XLA's opcodes for the parts of an async op."""


def form(instruction: Instruction) -> str:
    """XLA's opcode: that of an async op where the text names what it wraps."""
    return ASYNC_FORMS.get(instruction.opcode, instruction.opcode)


def async_thread(instruction: Instruction) -> str | None:
    """The execution thread of an async op, which is that of the op's start; None for others.

    Follows HloInstruction::async_execution_thread.
    """
    while form(instruction) in ("async-update", "async-done") and instruction.operands:
        instruction = instruction.operands[0]
    if form(instruction) != "async-start":
        return None
    return (instruction.attribute("async_execution_thread") or MAIN_THREAD).strip('"')


def threads(module: HloModule) -> dict[Computation, str]:
    """The execution thread of each computation: its own, or that of the async op that runs it.

    Follows HloAsyncStartInstruction::set_async_execution_thread.
    """
    found = {computation: computation.thread for computation in module.computations}
    for instruction in module.instructions:
        if form(instruction) != "async-start":
            continue
        thread = async_thread(instruction)
        pending = list(instruction.called)
        reached: set[Computation] = set()
        while pending and thread is not None:
            computation = pending.pop()
            if computation not in reached:
                reached.add(computation)
                found[computation] = thread
                pending += [x for each in computation.instructions for x in each.called]
    return found
