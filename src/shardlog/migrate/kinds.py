"""The kinds of reasons for which the two partitioners give different answers."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["TITLES", "Kind", "kind_of_op"]


class Kind(StrEnum):
    """Why answers differ."""

    GSPMD_HAS_NO_RULE = "gspmd_has_no_rule"
    SHARDY_HAS_NO_RULE = "shardy_has_no_rule"
    FACTOR = "factor"
    RESHAPE = "reshape"
    GATHER_SCATTER = "gather_scatter"
    CONFLICT = "conflict"
    CLOSED = "closed_dimension"
    REPLICATED = "replicated_axes"
    PRIORITY = "priority"
    PARTS = "parts_of_axes"
    UNEVEN = "uneven"
    EDGE = "data_flow_edge"
    GROUP = "sharding_group"
    ANNOTATION = "annotation"
    OTHER = "other"


TITLES = {
    Kind.GSPMD_HAS_NO_RULE: "ops that GSPMD does not pass and Shardy does",
    Kind.SHARDY_HAS_NO_RULE: "ops that Shardy has no sharding rule for",
    Kind.FACTOR: "dimensions that one of them does not connect",
    Kind.RESHAPE: "reshapes",
    Kind.GATHER_SCATTER: "gather, scatter and dynamic slices",
    Kind.CONFLICT: "conflicts that are resolved otherwise",
    Kind.CLOSED: "closed dimensions",
    Kind.REPLICATED: "axes that must not be used",
    Kind.PRIORITY: "priorities, which GSPMD does not know",
    Kind.PARTS: "tiles that are parts of axes, or no axes of the mesh",
    Kind.UNEVEN: "dimensions that do not divide evenly",
    Kind.EDGE: "loops, branches, calls and manual regions",
    Kind.GROUP: "sharding groups",
    Kind.ANNOTATION: "annotations that they read differently",
    Kind.OTHER: "other reasons",
}
"""What a kind is called above its groups."""

OPS = {
    "stablehlo.reshape": Kind.RESHAPE,
    "stablehlo.gather": Kind.GATHER_SCATTER,
    "stablehlo.scatter": Kind.GATHER_SCATTER,
    "stablehlo.dynamic_slice": Kind.GATHER_SCATTER,
    "stablehlo.dynamic_update_slice": Kind.GATHER_SCATTER,
    "sdy.data_flow_edge": Kind.EDGE,
}


def kind_of_op(op: str) -> Kind | None:
    """The kind that a difference at an operation has by what it is, None for most."""
    return OPS.get(op)
