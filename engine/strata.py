"""The dependency graph of a rule set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx

from shardlog.engine.syntax import Match, Rule


def dependency_graph(by_relation: Mapping[str, Sequence[Rule]]) -> nx.DiGraph[str]:
    """Edges from a head to each relation of its bodies; `negative` on negation and aggregates.

    A channel's edge to its lattice is not among them: each accepted join makes the next instant.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for relation, rules in by_relation.items():
        graph.add_node(relation)
        for rule in rules:
            for literal in rule.body:
                if isinstance(literal, Match):
                    negative = literal.negated or rule.aggregate is not None
                    old = graph.get_edge_data(relation, literal.relation, {"negative": False})
                    graph.add_edge(relation, literal.relation, negative=negative or old["negative"])
    return graph


def strata(graph: nx.DiGraph[str]) -> list[set[str]]:
    """The strongly connected components, dependencies first."""
    condensed = nx.condensation(graph)
    order = reversed(list(nx.topological_sort(condensed)))
    return [set(condensed.nodes[node]["members"]) for node in order]


def ancestors(graph: nx.DiGraph[str], relation: str) -> set[str]:
    """All relations that read one, directly or through others."""
    found: set[str] = nx.ancestors(graph, relation)
    return found
