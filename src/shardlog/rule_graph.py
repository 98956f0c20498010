"""Which relation reads which: the dependency graph of a rule set, its strata and its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx

from shardlog.engine import Program
from shardlog.engine.check import nearest
from shardlog.ir.errors import InputError
from shardlog.rule_index import program_of

__all__ = ["RuleGraph", "rule_graph"]

_FILLS = {"channel": "lightblue", "lattice": "gold", "derived": "white", "given": "lightgrey"}


@dataclass(frozen=True)
class RuleGraph:
    """Relations by kind, edges (reader, read, through negation or an aggregate), and strata.

    The kinds are channel, lattice (or a view of one), derived and given. What a relation negates or
    aggregates is in a stratum before its own. Proposals to a lattice are no edges: each accepted
    one makes a new instant.
    """

    kinds: dict[str, str]
    edges: list[tuple[str, str, bool]]
    strata: list[set[str]]

    def to_dict(self) -> dict[str, Any]:
        """A form for JSON."""
        return {
            "relations": self.kinds,
            "edges": [
                {"from": a, "reads": b, "negative": negative} for a, b, negative in self.edges
            ],
            "strata": [sorted(stratum) for stratum in self.strata],
        }

    def to_dot(self) -> str:
        """A form for Graphviz: an arrow goes from what is read; dashed ones are negative."""
        lines = ["digraph rules {", "  rankdir=LR", "  node [shape=box, style=filled]"]
        for name, kind in self.kinds.items():
            lines.append(f'  "{name}" [fillcolor={_FILLS[kind]}]')
        for reader, read, negative in self.edges:
            style = " [style=dashed, color=red]" if negative else ""
            lines.append(f'  "{read}" -> "{reader}"{style}')
        return "\n".join([*lines, "}"])


def rule_graph(
    files: Sequence[Path] = (),
    *,
    to: Iterable[str] = (),
    of: Iterable[str] = (),
    partitioner: str = "gspmd",
) -> RuleGraph:
    """The graph of the shipped rules of a partitioner and the user's files.

    `to` keeps those relations alone and what they read, directly or through others; `of` those and
    what reads them. Raises RuleError, OSError, and InputError for an unknown relation.
    """
    program = program_of(files, partitioner)
    graph = program.graph
    kept: set[str] = set()
    for names, closure in ((to, nx.descendants), (of, nx.ancestors)):
        for name in names:
            if name not in graph:
                hint = nearest(name, graph.nodes)
                raise InputError(f"no rule has or reads a relation {name!r}" + _tail(hint))
            kept |= {name} | closure(graph, name)
    if not kept:
        kept = set(graph.nodes)
    strata = [stratum & kept for stratum in _strata(program) if stratum & kept]
    order = [name for stratum in strata for name in sorted(stratum)]
    edges = [
        (reader, read, bool(graph.edges[reader, read]["negative"]))
        for reader in order
        for read in sorted(graph.successors(reader))
        if read in kept
    ]
    return RuleGraph({name: _kind(program, name) for name in order}, edges, strata)


def _strata(program: Program) -> list[set[str]]:
    """The relations by the number of negations and aggregates that they rest on, one on another."""
    found: list[set[str]] = []
    number: dict[str, int] = {}
    for component in program.components:
        level = max(
            (
                number[read] + bool(edge["negative"])
                for _, read, edge in program.graph.edges(component, data=True)
                if read not in component
            ),
            default=0,
        )
        number |= dict.fromkeys(component, level)
        found += [set() for _ in range(level + 1 - len(found))]
        found[level] |= component
    return found


def _kind(program: Program, name: str) -> str:
    declared = program.declared
    if name in declared.channels:
        return "channel"
    if name in declared.lattices or name in declared.views:
        return "lattice"
    return "derived" if program.by_relation.get(name) else "given"


def _tail(hint: str | None) -> str:
    return f"; {hint}" if hint else ""
