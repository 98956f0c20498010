"""The Python interface: read a module, propagate its shardings, ask for the answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shardlog import converters, propagation
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.notes import partitioner_notes
from shardlog.why import Reason, Record, explain

__all__ = [
    "Result",
    "Summary",
    "find_instruction",
    "format_of",
    "load",
    "output",
    "propagate",
    "render",
    "report",
]

Format = Literal["text", "pb"]


@dataclass(frozen=True)
class Summary:
    """How many instructions had a sharding before and after, and which visits did it.

    `replaced` counts those that came with a sharding and left with another. `steps` counts accepted
    joins by (tier, direction); tier is None outside the four tiers; empty without provenance.
    """

    instructions: int
    computations: int
    sharded_before: int
    sharded_after: int
    replaced: int
    steps: dict[tuple[int | None, str], int]


class Result:
    """A module after propagation, with the record of how each sharding came about."""

    def __init__(
        self,
        outcome: propagation.Outcome,
        given: dict[str, HloSharding | None],
        notes: Sequence[str],
    ) -> None:
        self._outcome = outcome
        self._given = given
        self.notes = tuple(notes)

    @property
    def module(self) -> HloModule:
        """The module with its shardings and the pass's own graph edits in place."""
        return self._outcome.module

    @property
    def records(self) -> Sequence[Record]:
        """Every accepted join, in order; empty if provenance was not asked for."""
        return self._outcome.records

    @property
    def seconds(self) -> dict[str, float]:
        """The time that each phase took: facts, planning, saturation."""
        return dict(self._outcome.phases)

    def sharding(self, name: str) -> HloSharding | None:
        """Return the sharding of an instruction, or None if it has none.

        Raises InputError if there is no such instruction.
        """
        return find_instruction(self.module, name).sharding

    def given(self, instruction: Instruction) -> HloSharding | None:
        """Return the sharding that an instruction came with, or None if it had none."""
        return self._given.get(instruction.name)

    def why(self, name: str, *, depth: int | None = None) -> Reason:
        """Return the proof of an instruction's sharding, back to the annotations.

        `depth` limits its steps. Raises InputError if there is no such instruction.
        """
        instruction = find_instruction(self.module, name)
        return explain(instruction.name, self.records, self._given, self._outcome.says, depth=depth)

    def summary(self) -> Summary:
        """Return the counts of this run."""
        after = self.module.instructions
        given = self._given
        return Summary(
            instructions=len(after),
            computations=len(self.module.computations),
            sharded_before=sum(sharding is not None for sharding in given.values()),
            sharded_after=sum(instruction.sharding is not None for instruction in after),
            replaced=sum(
                given.get(instruction.name) is not None
                and given[instruction.name] is not instruction.sharding
                for instruction in after
            ),
            steps=dict(Counter((record.tier, record.direction) for record in self.records)),
        )


def load(source: str | Path | bytes) -> HloModule:
    """Read an HLO module: text, HloModuleProto, HloProto or HloSnapshot, plain or gzipped.

    `source` is a path or the bytes themselves; the content tells the format. Raises InputError.
    """
    if isinstance(source, bytes):
        return converters.load(source)
    try:
        return converters.load(Path(source))
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(source)) from error


def propagate(
    module: HloModule | str | Path | bytes,
    *,
    rules: Sequence[str | Path] = (),
    is_spmd: bool = True,
    propagate_metadata: bool = False,
    params: Sequence[bool] | None = None,
    output: Sequence[bool] | None = None,
    provenance: bool = True,
) -> Result:
    """Propagate the shardings of a module as XLA's GSPMD pass `sharding-propagation` does.

    `rules` are files whose rules and facts join the shipped ones. `params` and `output` replace the
    module's masks `allow_spmd_sharding_propagation_to_parameters` and `..._to_output`: one value
    for all, or one for each parameter or result leaf. Without `provenance` there is no `why`.
    The given module is changed in place. Raises InputError for a bad module or rule file.
    Follows ShardingPropagation::RunImpl.
    """
    if not isinstance(module, HloModule):
        module = load(module)
    notes = partitioner_notes(module)
    given = {instruction.name: instruction.sharding for instruction in module.instructions}
    outcome = propagation.propagate(
        module,
        is_spmd=is_spmd,
        propagate_metadata=propagate_metadata,
        rules=[Path(path) for path in rules],
        provenance=provenance,
        params=params,
        output=output,
    )
    return Result(outcome, given, notes)


def find_instruction(module: HloModule, name: str) -> Instruction:
    """Return the instruction of a name, written with or without its `%`.

    Raises InputError, with names that look alike, if the module has none.
    """
    found = module.find(name)
    if found is None:
        wanted = name.removeprefix("%")
        raise InputError(
            f"no instruction is called {wanted!r}{_alike(module, wanted)}", file=module.file
        )
    return found


def format_of(module: HloModule) -> Format:
    """Return the form that a module was read from."""
    return "text" if module.source else "pb"


def render(module: HloModule, form: Format) -> bytes:
    """Return a module as HLO text or as the bytes of a proto."""
    return module.to_text().encode() if form == "text" else module.to_proto_bytes()


def output(result: Result, form: str | None = None) -> bytes:
    """Return a propagated module as "text", "pb" or "json"; None means the form of its source."""
    if form == "json":
        return (json.dumps(report(result), indent=1) + "\n").encode()
    return render(result.module, "pb" if (form or format_of(result.module)) == "pb" else "text")


def report(result: Result) -> dict[str, Any]:
    """Return the result ready for JSON: every instruction before and after, counts and notes."""
    counts = result.summary()
    rules = {record.instruction: record.rule for record in result.records}
    return {
        "module": result.module.name,
        "notes": list(result.notes),
        "warnings": list(result.module.warnings),
        "instructions": [
            {
                "computation": instruction.computation.name,
                "name": instruction.name,
                "opcode": instruction.opcode,
                "shape": str(instruction.shape),
                "before": _text(before := result.given(instruction)),
                "after": _text(instruction.sharding),
                "changed": before is not instruction.sharding,
                "rule": rules.get(instruction.name),
            }
            for instruction in result.module.instructions
        ],
        "sharded_before": counts.sharded_before,
        "sharded_after": counts.sharded_after,
        "steps": [
            {"tier": tier, "direction": direction, "count": count}
            for (tier, direction), count in counts.steps.items()
        ],
        "seconds": result.seconds,
    }


def _text(sharding: HloSharding | None) -> str | None:
    return None if sharding is None else str(sharding)


def _alike(module: HloModule, wanted: str) -> str:
    stem = wanted.rpartition(".")[0] or wanted
    alike = [i.name for i in module.instructions if i.name == stem or i.name.startswith(stem)]
    return f"; there is {', '.join(alike[:5])}" if alike else ""
