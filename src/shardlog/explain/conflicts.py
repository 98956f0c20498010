"""The smallest sets of annotations that cannot all be carried through to an instruction."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardlog.explain.conflict import conflicting_dims
from shardlog.explain.rerun import Progress, Reruns
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import counted
from shardlog.explain.whatif import find_instruction
from shardlog.ir.axes import paired_digits, split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import leaf_at, split_name
from shardlog.markup import Displayed, listed, paragraph

__all__ = ["Conflict", "Conflicts", "conflicts"]


@dataclass(frozen=True)
class Conflict:
    """Annotations of which some lose, what each gives alone, and what all of them give together.

    `alike` are, for each, other annotations that give the same. `winner` is the one that is
    carried through, None if that is none of them alone. `where` are the dimensions in conflict.
    """

    annotations: tuple[str, ...]
    alone: tuple[str, ...]
    alike: tuple[tuple[str, ...], ...]
    together: str
    winner: str | None
    where: tuple[str, ...]


@dataclass(frozen=True)
class Conflicts(Displayed):
    """The conflicts of the annotations near an instruction, and those that reach it at all."""

    name: str
    sharding: str
    asked: int
    reaching: tuple[tuple[str, str], ...]
    found: tuple[Conflict, ...]

    def to_text(self) -> str:
        """Return the answer as text."""
        lines = [f"{self.name}  {self.sharding}"]
        near = f"{counted(self.asked, 'annotation')} nearest to it"
        if not self.reaching:
            lines.append(
                f"  none of {near} reaches it" if self.asked else "  no annotation is near"
            )
            return "\n".join([*lines, "  `shardlog whynot` tells where tiles stop on the way"])
        reach = "reaches" if len(self.reaching) == 1 else "reach"
        lines.append(f"  of {near}, {len(self.reaching)} {reach} it:")
        lines += [f"    {name} gives {sharding} alone" for name, sharding in self.reaching]
        if not self.found:
            lines.append("  all that reach it are carried through together")
        for conflict in self.found:
            lines.append(f"  conflict: {' and '.join(conflict.annotations)}")
            for name, alone, alike in zip(
                conflict.annotations, conflict.alone, conflict.alike, strict=True
            ):
                more = f" (and so do {', '.join(alike[:4])})" if alike else ""
                lines.append(f"      {name} gives {alone}{more}")
            wins = f", so {conflict.winner} wins" if conflict.winner else ""
            where = f": {'; '.join(conflict.where)}" if conflict.where else ""
            lines.append(f"      together they give {conflict.together}{wins}{where}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "instruction": self.name,
            "sharding": self.sharding,
            "asked": self.asked,
            "reaching": [{"annotation": n, "alone": s} for n, s in self.reaching],
            "conflicts": [
                {
                    "annotations": list(one.annotations),
                    "alone": list(one.alone),
                    "alike": [list(names) for names in one.alike],
                    "together": one.together,
                    "winner": one.winner,
                    "where": list(one.where),
                }
                for one in self.found
            ],
        }

    def _repr_html_(self) -> str:
        first, *lines = self.to_text().splitlines()
        return paragraph(first) + listed(line.strip() for line in lines)

    def __str__(self) -> str:
        return self.to_text()


def conflicts(
    module: HloModule,
    name: str,
    options: Mapping[str, Any],
    most: int = 12,
    progress: Progress | None = None,
) -> Conflicts:
    """Return the smallest sets of annotations that an instruction cannot have all.

    The `most` annotations nearest to it are tried: each alone, then those that are lost in the
    module as it is with one and with two of the others. Annotations that give the same stand for
    one another. That takes 4 * `most` runs at most; `progress` is told of each. `options` are those
    of `propagate`; the module stays as it is. Raises InputError.
    """
    search = _Search(module, name, options, 4 * most, progress)
    near = search.nearest(most)
    final = search.result(None)
    alone = {one: search.result((one,)) for one in near}
    reaching = {one: s for one, s in alone.items() if split_dims(s)}
    classes: dict[Any, list[str]] = {}
    for one, sharding in reaching.items():
        assert sharding is not None
        classes.setdefault(sharding.essence, []).append(one)
    heads = [members[0] for members in classes.values()]
    lost = [head for head in heads if not _carried(reaching[head], final)]
    found: list[Conflict] = []
    tried: set[frozenset[str]] = set()
    for size, head in itertools.product((1, 2), lost):
        for others in itertools.combinations([one for one in heads if one != head], size):
            chosen = [one for one in heads if one == head or one in others]
            if frozenset(chosen) in tried or not search.runs.left:
                continue
            if any(set(one.annotations) <= set(chosen) for one in found):
                continue
            tried.add(frozenset(chosen))
            together = search.result(chosen)
            parts = [reaching[one] for one in chosen]
            if all(_carried(part, together) for part in parts):
                continue
            alike = [members[1:] for members in classes.values() if members[0] in chosen]
            found.append(_conflict(chosen, parts, together, alike))
    return Conflicts(
        name,
        _text(final),
        len(near),
        tuple((one, _text(sharding)) for one, sharding in reaching.items()),
        tuple(found),
    )


def _conflict(
    chosen: Sequence[str],
    parts: Sequence[HloSharding | None],
    together: HloSharding | None,
    alike: Sequence[Sequence[str]],
) -> Conflict:
    winners = [one for one, part in zip(chosen, parts, strict=True) if _carried(part, together)]
    where: list[str] = []
    for one, other in itertools.combinations(parts, 2):
        if one is not None and other is not None:
            where += conflicting_dims(one, other) or conflicting_dims(other, one)
    return Conflict(
        tuple(chosen),
        tuple(map(_text, parts)),
        tuple(tuple(names) for names in alike),
        _text(together),
        winners[0] if len(winners) == 1 else None,
        tuple(dict.fromkeys(where)),
    )


def _carried(part: HloSharding | None, together: HloSharding | None) -> bool:
    """Whether a sharding splits all that another does, dimension by dimension."""
    if part is None:
        return True
    if together is None or together.is_tuple:
        return False
    return all(mine <= theirs for mine, theirs in paired_digits(part, together))


class _Search:
    """Runs of a module with only some of its annotations."""

    def __init__(
        self,
        module: HloModule,
        name: str,
        options: Mapping[str, Any],
        most: int,
        progress: Progress | None,
    ) -> None:
        wanted, self.path = split_name(name)
        instruction, _ = find_instruction(module, wanted)
        self.name, self.file = instruction.name, module.file
        if self.path is not None:
            leaf_at(instruction, self.path)
        elif instruction.shape.is_tuple:
            raise InputError(
                f"{self.name} is a tuple",
                expected=f"an array or an element such as {self.name}{{0}}",
                file=self.file,
            )
        # what is unknown says nothing by itself, and makes up shard groups
        self.annotated = [
            x.name
            for x in module.instructions
            if x.sharding is not None and not x.sharding.is_unknown
        ]
        self.runs = Reruns(module, options, most + 1, progress)
        self.run = self.runs.without(())
        self.number = self._number(self.run)

    def _number(self, run: Run) -> int:
        return next(n for n in range(len(run.entities)) if run.name(n) == self.name)

    def nearest(self, most: int) -> list[str]:
        """The annotated instructions nearest to the one in question."""
        names = set(self.annotated)
        seen, todo, found = {self.number}, deque([self.number]), list[str]()
        while todo and len(found) < most:
            at = todo.popleft()
            if self.run.name(at) in names:
                found.append(self.run.name(at))
            for one in self.run.neighbours(at):
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        return found

    def result(self, kept: Sequence[str] | None) -> HloSharding | None:
        """The sharding of the instruction with some of the annotations, None for all."""
        run = self.run
        if kept is not None:
            run = self.runs.without([name for name in self.annotated if name not in kept])
        number = self._number(run)
        leaf = None if self.path is None else leaf_at(run.entities[number], self.path)
        return run.final(Place(number, leaf))


def _text(sharding: HloSharding | None) -> str:
    return "no sharding" if sharding is None else str(sharding)
