"""Which annotations cannot all be carried through to a value."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from shardlog.shardy.account import How
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import in_words, spec
from shardlog.shardy.whatif import Changes, changed

__all__ = ["Conflicts", "conflicts"]

Pairs = frozenset[tuple[int, str]]


@dataclass(frozen=True)
class Conflict:
    """Annotations of which one loses axes that it gives alone."""

    names: tuple[str, ...]
    lost: Pairs
    together: Pairs


@dataclass(frozen=True)
class Conflicts:
    """What annotations give a value alone, and the smallest sets that cannot all be had.

    `alone` are those nearest to it that reach it, `tried` how many were tried.
    """

    name: str
    sharding: Any
    tried: int
    alone: dict[str, Pairs]
    found: tuple[Conflict, ...]

    def to_text(self) -> str:
        """Return the answer as text."""
        lines = [f"{self.name}  {spec(self.sharding)}"]
        lines.append(f"  of {self.tried} annotations nearest to it, {len(self.alone)} reach it:")
        lines += [f"    {name} gives {_words(pairs)} alone" for name, pairs in self.alone.items()]
        for one in self.found:
            together = _words(one.together) if one.together else "no axis"
            lines.append(f"  conflict: {' and '.join(one.names)}")
            lines.append(f"      together they give {together}; lost is {_words(one.lost)}")
        if not self.found:
            lines.append("  no conflict: what each gives alone they give together")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""

        def pairs(found: Pairs) -> list[dict[str, Any]]:
            return [{"dim": dim, "axis": axis} for dim, axis in sorted(found)]

        return {
            "instruction": self.name,
            "sharding": None if self.sharding is None else str(self.sharding),
            "tried": self.tried,
            "alone": {name: pairs(found) for name, found in self.alone.items()},
            "conflicts": [
                {
                    "annotations": list(one.names),
                    "lost": pairs(one.lost),
                    "together": pairs(one.together),
                }
                for one in self.found
            ],
        }


def _words(pairs: Iterable[tuple[int, str]]) -> str:
    return in_words(sorted(pairs))  # type: ignore[arg-type]


def conflicts(asked: Asked, name: str, most: int = 12) -> Conflicts:
    """Return the smallest sets of annotations that cannot all be carried through to a value.

    The `most` nearest are tried, each alone, then those that lose something in the program as it is
    with one and with two of the others; every trial propagates the program. Raises InputError.
    """
    entity = asked.names.find(name)
    shown = asked.names.of(entity)
    every = _annotations(asked, entity)
    near = every[:most]

    def given(kept: Iterable[str]) -> Pairs:
        left = set(kept)
        program = changed(asked, Changes(drop=[one for one in every if one not in left]))
        other = Asked(program, asked.rules)
        return _pairs(other, other.names.find(shown))

    alone = {one: given([one]) for one in near}
    reaching = {one: pairs for one, pairs in alone.items() if pairs}
    all_of_them = _pairs(asked, entity)
    losing = [one for one, pairs in reaching.items() if pairs - all_of_them]
    found: list[Conflict] = []
    for size in (2, 3):
        for names in combinations(reaching, size):
            if not set(names) & set(losing):
                continue
            if any(set(one.names) <= set(names) for one in found):
                continue
            wanted = frozenset().union(*(reaching[one] for one in names))
            together = given(names)
            if wanted - together:
                found.append(Conflict(names, wanted - together, together))
        if found:
            break
    return Conflicts(shown, asked.final(entity), len(near), reaching, tuple(found))


def _pairs(asked: Asked, entity: int) -> Pairs:
    return frozenset((dim, str(axis)) for dim, axis in asked.account.axes(entity))


def _annotations(asked: Asked, entity: int) -> list[str]:
    """The values that are annotated with axes, those nearest to an entity first."""
    graph = asked.found.graph
    annotated = {
        one
        for one in range(len(graph.ops), asked.history.count)
        if any(gain.how is How.ANNOTATED for gain in asked.account.gains(one))
        and (
            asked.value_in_original(one) is not None or asked.history.value(one).op in graph.results
        )
    }
    seen = {entity}
    order: list[int] = [entity] if entity in annotated else []
    todo = deque([entity])
    while todo:
        at = todo.popleft()
        for op, _ in asked.links.at.get(at, ()):
            for other in asked.history.slots[op]:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
                    if other in annotated:
                        order.append(other)
    order += [one for one in sorted(annotated) if one not in seen]
    return [asked.names.of(one) for one in order]
