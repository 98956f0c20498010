"""Everything that owes its sharding to an annotation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardlog.explain.run import Run
from shardlog.explain.sizes import counted
from shardlog.explain.whatif import Changes, WhatIf, changed_copy, compare_runs
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.markup import Displayed, paragraph
from shardlog.propagation import propagate

__all__ = ["Impact", "impact", "rests_on"]


@dataclass(frozen=True)
class Impact(Displayed):
    """What an annotation does: what would differ without it, and what rests on it all the same.

    `resting` are instructions whose proofs may lead to it although they would be sharded alike
    without it, since something else would give the same.
    """

    name: str
    sharding: str
    owed: WhatIf
    resting: tuple[str, ...]

    def to_text(self, limit: int | None = 20) -> str:
        """Return the answer as text, with at most `limit` groups."""
        lines = [f"{self.name} is annotated {self.sharding}; without it"]
        lines += [self.owed.to_text(limit)]
        if self.resting:
            lines += [f"{self._read}:", f"  {self._resting}"]
        return "\n".join(lines)

    @property
    def _read(self) -> str:
        read = counted(len(self.resting), "other")
        return f"{read} came about by rules that read it, and would be the same without it"

    @property
    def _resting(self) -> str:
        more = f" and {len(self.resting) - 8} more" if len(self.resting) > 8 else ""
        return f"{', '.join(self.resting[:8])}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "annotation": self.name,
            "sharding": self.sharding,
            "without": self.owed.to_dict(),
            "resting": list(self.resting),
        }

    def _repr_html_(self) -> str:
        said = paragraph(self.name, f"is annotated {self.sharding}; without it")
        resting = paragraph(f"{self._read}:", self._resting) if self.resting else ""
        return said + self.owed._repr_html_() + resting

    def __str__(self) -> str:
        return self.to_text()


def impact(module: HloModule, name: str, options: Mapping[str, Any]) -> Impact:
    """Return what an annotation does to a module, which stays as it is.

    `options` are those of `propagate`. Raises InputError if nothing of that name is annotated.
    """
    without = changed_copy(module, Changes(drop=(name,)))
    with_it = Run(propagate(changed_copy(module, Changes()), **options))
    after = Run(propagate(without, **options))
    owed = compare_runs(with_it, after)
    number = next((n for n in range(len(with_it.entities)) if with_it.name(n) == name), None)
    if number is None:
        raise InputError(f"no instruction is called {name!r}", file=module.file)
    differing = {one.partition("{")[0] for group in owed.groups for one in group.names}
    resting = tuple(
        with_it.name(n)
        for n in rests_on(with_it, number)
        if n != number and with_it.name(n) not in differing
    )
    given = with_it.outcome.given[number]
    return Impact(name, str(given), owed, resting)


def rests_on(run: Run, source: int) -> list[int]:
    """The instructions whose shardings rest on that of another, as the records tell."""
    resting: dict[int, None] = {source: None}
    for record in run.records:
        if record.entity in resting:
            continue
        if any(contributor in resting for contributor in record.contributors):
            resting[record.entity] = None
    return list(resting)
