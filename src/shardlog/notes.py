"""What a module says about the partitioner that it was made for."""

from __future__ import annotations

import re

from shardlog.ir.module import HloModule, Instruction

__all__ = ["SWITCH", "is_partitioned", "partitioner_notes", "shardy_mark"]

SWITCH = "jax_use_shardy_partitioner=False"
"""The JAX setting under which XLA propagates with GSPMD instead of Shardy."""

_SHARDY = "xla.sdy."
_MARK = re.compile(r"xla\.sdy\.\w+")
# SpmdPartitioner names what it makes after what it takes: "main.5" becomes "main.5_spmd".
_PARTITIONED = re.compile(r"_spmd(\.(clone|\d+))*$")


def partitioner_notes(module: HloModule) -> list[str]:
    """Return what a reader must know before trusting GSPMD's answer on this module.

    Empty for a module that XLA would hand to GSPMD's propagation as it stands.
    """
    notes = []
    mark = shardy_mark(module)
    if mark is not None:
        notes.append(
            f"made for Shardy ({mark}): XLA runs Shardy on this module, not GSPMD. What follows is "
            "GSPMD's answer; --partitioner auto gives Shardy's. To have XLA run GSPMD, lower the "
            f"program with {SWITCH}."
        )
    if is_partitioned(module):
        notes.append(
            f"already partitioned (entry computation {module.entry.name}): its shapes are those of "
            "one device, and its shardings describe shapes that are gone. Take the dump "
            "before_sharding-propagation of the same compilation."
        )
    elif module.attributes.get("is_scheduled") == "true":
        notes.append(
            "already scheduled: a module from the end of the compilation, where propagation no "
            "longer runs. Take the dump before_sharding-propagation of the same compilation."
        )
    if module.origin == "stablehlo":
        notes.append(
            "made from StableHLO as it stands: XLA inlines calls and simplifies before it "
            "propagates. The dump before_sharding-propagation holds the graph that it propagates."
        )
    return notes


def shardy_mark(module: HloModule) -> str | None:
    """Return what in the module is Shardy's, as a short phrase, or None if nothing is.

    JAX lowers for Shardy with meshes in the module's frontend attributes, shardings in those of
    instructions, and manual regions as `xla.sdy.*` custom-calls and computations.
    """
    if module.source and _SHARDY not in module.source:
        return None
    found = _MARK.search(module.attributes.get("frontend_attributes", ""))
    if found:
        return f"{found[0]} in its header"
    for computation in module.computations:
        if computation.name.startswith(_SHARDY):
            return f"computation {computation.name}"
        for instruction in computation.instructions:
            mark = _instruction_mark(instruction)
            if mark is not None:
                return f"{mark} at {instruction.name}"
    return None


def is_partitioned(module: HloModule) -> bool:
    """Tell whether the SPMD partitioner has already run on the module, by its entry's name.

    Follows SpmdPartitioningVisitor, which calls what it makes "..._spmd".
    """
    return bool(_PARTITIONED.search(module.entry.name))


def _instruction_mark(instruction: Instruction) -> str | None:
    if instruction.opcode == "custom-call":
        target = instruction.custom_call_target
        if target is not None and target.startswith(_SHARDY):
            return f"custom-call {target}"
    attributes = instruction.attribute("frontend_attributes")
    found = _MARK.search(attributes) if attributes else None
    return found[0] if found else None
