"""The rule files: one folder per rule set, read as data, never executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

GSPMD_FILES = (
    "schedule",
    "opcodes",
    "graph",
    "dims",
    "tiers",
    "seed",
    "manual",
    "unspecified",
    "forward",
    "dot",
    "gather_scatter",
    "tuples",
    "calls",
    "custom_calls",
    "described",
    "batched",
    "backward",
    "groups",
    "epilogue",
    "meanings",
)
"""The files of the rule set `gspmd` in the order in which their rules go within a visit."""


def gspmd() -> tuple[Path, ...]:
    """The paths of the rule files of XLA's GSPMD propagation, in order."""
    from pathlib import Path

    folder = Path(__file__).parent / "gspmd"
    return tuple(folder / f"{name}.dl" for name in GSPMD_FILES)


SHARDY_FILES = (
    "schedule",
    "opcodes",
    "op_rules",
    "more_op_rules",
    "custom_calls",
    "described",
    "levels",
    "step",
    "final",
)
"""The files of the rule set `shardy`."""


def shardy() -> tuple[Path, ...]:
    """The paths of the rule files of Shardy's propagation, in order."""
    from pathlib import Path

    folder = Path(__file__).parent / "shardy"
    return tuple(folder / f"{name}.dl" for name in SHARDY_FILES)
