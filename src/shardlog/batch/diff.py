"""What differs between two batches: modules, instructions, findings."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shardlog.batch.extras import need
from shardlog.batch.store import result_file
from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BatchDiff",
    "FindingChange",
    "InstructionChange",
    "ModuleChange",
    "diff_batches",
]

FACTS = (
    "partitions", "instructions", "sharded_after", "changed", "iterations", "bytes",
    "bytes_on_device", "findings",
)  # fmt: skip
"""The columns of modules that are compared."""


@dataclass(frozen=True)
class InstructionChange:
    """An instruction whose sharding differs, or that one batch does not have.

    `verdict` is "changed", "added" or "removed".
    """

    computation: str
    name: str
    opcode: str
    verdict: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class FindingChange:
    """A finding that is "new", "gone", "grown" or "shrunk", with its bytes on a device."""

    kind: str
    instruction: str
    severity: str
    verdict: str
    old: int | None
    new: int | None
    what: str


@dataclass(frozen=True)
class ModuleChange:
    """What differs of a module.

    `verdict` is "added", "removed", "failed" (it did not before), "recovered", "still failing"
    (otherwise than before) or "changed". `content` tells whether the file itself is another, and
    `facts` has those that differ, old and new.
    """

    module: str
    verdict: str
    content: bool = False
    error: str | None = None
    facts: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    instructions: tuple[InstructionChange, ...] = ()
    findings: tuple[FindingChange, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether the module fails now, or has a finding that is new or costs more."""
        return self.verdict == "failed" or any(
            change.verdict in ("new", "grown") for change in self.findings
        )


@dataclass(frozen=True)
class BatchDiff:
    """What differs between two batches, by the names of modules; `same` are those alike.

    `about` has what differs of version and settings, old and new.
    """

    same: tuple[str, ...]
    changes: tuple[ModuleChange, ...]
    about: dict[str, tuple[Any, Any]]
    pending: tuple[int, int]

    @property
    def is_worse(self) -> bool:
        """Whether any module is worse."""
        return any(change.is_worse for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference ready for JSON."""
        return {
            "same": len(self.same),
            "changed": len(self.changes),
            "worse": self.is_worse,
            "about": {name: list(pair) for name, pair in self.about.items()},
            "pending": list(self.pending),
            "modules": [{**asdict(one), "worse": one.is_worse} for one in self.changes],
        }


def diff_batches(old: Path, new: Path) -> BatchDiff:
    """Compare the tables of two batches, module by module.

    Raises InputError for a folder that holds no finished batch, MissingExtra without pyarrow.
    """
    need("pyarrow", "comparisons of batches")
    facts = [_modules(folder) for folder in (old, new)]
    about, pending = _about(old, new)
    names = sorted({*facts[0], *facts[1]})
    both = [name for name in names if name in facts[0] and name in facts[1]]
    differing = {
        name
        for name in both
        if facts[0][name]["status"] == facts[1][name]["status"] == "ok"
        and facts[0][name]["result"] != facts[1][name]["result"]
    }
    instructions = _differences(
        _instructions(old, differing), _instructions(new, differing), _compare_instructions
    )
    findings = _differences(_findings(old, differing), _findings(new, differing), _compare_findings)
    changes: list[ModuleChange] = []
    same: list[str] = []
    for name in names:
        change = _change(
            name,
            facts[0].get(name),
            facts[1].get(name),
            instructions.get(name, ()),
            findings.get(name, ()),
        )
        if change is None:
            same.append(name)
        else:
            changes.append(change)
    return BatchDiff(tuple(same), tuple(changes), about, pending)


def _change(
    name: str,
    old: dict[str, Any] | None,
    new: dict[str, Any] | None,
    instructions: tuple[InstructionChange, ...],
    findings: tuple[FindingChange, ...],
) -> ModuleChange | None:
    """What differs of one module, None if nothing does."""
    if old is None:
        assert new is not None
        return ModuleChange(name, "added", error=new["error"])
    if new is None:
        return ModuleChange(name, "removed")
    content = old["sha256"] != new["sha256"]
    was, now = old["status"] == "ok", new["status"] == "ok"
    if not now:
        if not was and (old["status"], old["error"]) == (new["status"], new["error"]):
            return ModuleChange(name, "still failing", content, new["error"]) if content else None
        error = f"{new['status']}: {new['error']}"
        return ModuleChange(name, "failed" if was else "still failing", content, error)
    if not was:
        return ModuleChange(name, "recovered", content)
    differ = {fact: (old[fact], new[fact]) for fact in FACTS if old[fact] != new[fact]}
    if content or differ or instructions or findings:
        return ModuleChange(name, "changed", content, None, differ, instructions, findings)
    return None


_Rows = dict[str, Any]


def _modules(folder: Path) -> dict[str, _Rows]:
    columns = ["module", "status", "error", "sha256", "result", *FACTS]
    return {
        row["module"]: row for _, rows in _by_module(folder, "modules", columns) for row in rows
    }


def _instructions(folder: Path, wanted: Collection[str]) -> Iterator[tuple[str, list[_Rows]]]:
    columns = ["module", "computation", "name", "opcode", "after"]
    return _by_module(folder, "instructions", columns, wanted)


def _findings(folder: Path, wanted: Collection[str]) -> Iterator[tuple[str, list[_Rows]]]:
    columns = ["module", "kind", "instruction", "severity", "bytes", "what"]
    return _by_module(folder, "findings", columns, wanted)


def _by_module(
    folder: Path, table: str, columns: list[str], wanted: Collection[str] | None = None
) -> Iterator[tuple[str, list[_Rows]]]:
    """The rows of each module, in the order of their names, which is that of the table."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = result_file(folder, f"{table}.parquet")
    if file is None:
        raise InputError(f"has no table {table}", file=str(folder))
    among = None if wanted is None else pa.array(sorted(wanted), pa.string())
    module: str | None = None
    rows: list[_Rows] = []
    with pq.ParquetFile(file) as opened:
        for batch in opened.iter_batches(batch_size=1 << 13, columns=columns):
            kept: pa.RecordBatch = batch
            if among is not None:
                kept = batch.filter(pc.is_in(batch.column("module"), value_set=among))
            for row in kept.to_pylist():
                if row["module"] != module:
                    if module is not None:
                        yield module, rows
                    module, rows = row["module"], []
                rows.append(row)
    if module is not None:
        yield module, rows


def _differences(
    old: Iterator[tuple[str, list[_Rows]]],
    new: Iterator[tuple[str, list[_Rows]]],
    compare: Any,
) -> dict[str, tuple[Any, ...]]:
    """What differs by module; both sides come in the order of names, and one may lack a module."""
    found: dict[str, tuple[Any, ...]] = {}
    left, right = next(old, None), next(new, None)
    while left is not None or right is not None:
        name = min(side[0] for side in (left, right) if side is not None)
        was = left[1] if left is not None and left[0] == name else []
        now = right[1] if right is not None and right[0] == name else []
        found[name] = tuple(compare(was, now))
        if left is not None and left[0] == name:
            left = next(old, None)
        if right is not None and right[0] == name:
            right = next(new, None)
    return found


def _compare_instructions(old: list[_Rows], new: list[_Rows]) -> Iterator[InstructionChange]:
    were = {(row["computation"], row["name"]): row for row in old}
    for row in new:
        was = were.pop((row["computation"], row["name"]), None)
        if was is None:
            yield _instruction(row, "added", None, row["after"])
        elif was["after"] != row["after"]:
            yield _instruction(row, "changed", was["after"], row["after"])
    for row in were.values():
        yield _instruction(row, "removed", row["after"], None)


def _instruction(row: _Rows, verdict: str, old: str | None, new: str | None) -> InstructionChange:
    return InstructionChange(row["computation"], row["name"], row["opcode"], verdict, old, new)


def _compare_findings(old: list[_Rows], new: list[_Rows]) -> Iterator[FindingChange]:
    were: dict[tuple[str, str], list[_Rows]] = {}
    for row in old:
        were.setdefault((row["kind"], row["instruction"]), []).append(row)
    for row in new:
        before = were.get((row["kind"], row["instruction"]))
        if not before:
            yield _finding(row, "new", None, row["bytes"])
            continue
        was = before.pop(0)
        if was["bytes"] != row["bytes"]:
            verdict = "grown" if row["bytes"] > was["bytes"] else "shrunk"
            yield _finding(row, verdict, was["bytes"], row["bytes"])
    for rows in were.values():
        for row in rows:
            yield _finding(row, "gone", row["bytes"], None)


def _finding(row: _Rows, verdict: str, old: int | None, new: int | None) -> FindingChange:
    return FindingChange(
        row["kind"], row["instruction"], row["severity"], verdict, old, new, row["what"]
    )


def _about(old: Path, new: Path) -> tuple[dict[str, tuple[Any, Any]], tuple[int, int]]:
    """What differs of versions and settings, and how many modules each has left to do."""
    read = []
    for folder in (old, new):
        file = result_file(folder, "summary.json")
        if file is None:
            raise InputError("has no summary.json", file=str(folder))
        read.append(json.loads(file.read_text()))
    was, now = ({"shardlog": one["shardlog"], **one["settings"]} for one in read)
    about = {name: (was.get(name), now.get(name)) for name in was if was.get(name) != now.get(name)}
    return about, (read[0]["pending"], read[1]["pending"])
