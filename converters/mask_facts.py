"""Facts about what may change at the entry's boundary: options and propagation masks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shardlog.converters.fact_sink import FactSink
from shardlog.converters.pass_graph import PassGraph
from shardlog.ir.module import Instruction

__all__ = ["mask_facts"]


def mask_facts(
    graph: PassGraph, sink: FactSink, root: Instruction, barriers: Collection[Instruction]
) -> None:
    """Hand over the relations about options and masks; `barriers` are those that vanish."""
    options = graph.options
    parameters, output = options.masks(graph.module)
    sink.constant("option", "spmd", options.is_spmd)
    sink.constant("option", "cse_only", options.cse_prevention_only)
    sink.constant("option", "propagate_metadata", options.propagate_metadata)
    sink.constant("option", "any_parameter", any(parameters))
    sink.constant("option", "any_output", any(output))
    while root in barriers:
        root = graph.resolved(root.operands[0])
    _of_output(sink, root, output)
    _of_parameters(sink, graph.module.entry.parameters, parameters)


def _of_output(sink: FactSink, root: Instruction, mask: Sequence[bool]) -> None:
    held: list[tuple[int, tuple[int, ...]]] = []
    freed: list[tuple[int, tuple[int, ...] | str]] = []
    if any(mask):
        shape = root.shape
        if not shape.is_tuple:
            freed.append((root.index, "whole"))
        else:
            if shape.required_leaves == len(mask):
                held.append((root.index, _where(mask, False)))
            if len(shape.elements) == len(mask):
                freed.append((root.index, _where(mask, True)))
    sink.table("held_output", held, 2, functional=True)
    sink.table("freed_output", freed, 2, functional=True)


def _of_parameters(sink: FactSink, parameters: Sequence[Instruction], mask: Sequence[bool]) -> None:
    held: list[tuple[int, tuple[int, ...]]] = []
    freed: list[tuple[int, tuple[int, ...] | str]] = []
    closed: list[int] = []
    if any(mask) and len(mask) == len(parameters):
        for parameter, is_open in zip(parameters, mask, strict=True):
            if is_open:
                freed.append((parameter.index, "whole"))
            else:
                closed.append(parameter.index)
    elif any(mask) and len(parameters) == 1 and len(parameters[0].shape.elements) == len(mask):
        only = parameters[0].index
        held.append((only, _where(mask, False)))
        freed.append((only, _where(mask, True)))
    sink.members("mask_closed", closed)
    sink.table("held_parameter", held, 2, functional=True)
    sink.table("freed_parameter", freed, 2, functional=True)


def _where(mask: Sequence[bool], value: bool) -> tuple[int, ...]:
    return tuple(i for i, entry in enumerate(mask) if entry == value)
