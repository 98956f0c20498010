"""Keeps how a module was propagated, so that a later process asks about it without doing it again.

An answer is kept under a digest of the module's text or bytes and of the options of the pass,
beside what was made of the rules (shardlog.cache), and under the same conditions: it is read only
if nobody but this user can have written it, and holds for the same rules, code and Python only. It
consists of shardings and numbers: of instructions it has neither names nor anything else.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any
from weakref import WeakKeyDictionary

from shardlog import cache
from shardlog.engine import Facts, Program, Record, Saturated
from shardlog.engine.results import Timings
from shardlog.engine.tables import UNIT
from shardlog.ir.module import HloModule
from shardlog.ir.sharding import HloSharding
from shardlog.light import dataclass

__all__ = ["WORTH", "Answered", "keep", "key_of", "note_bytes", "recall"]

WORTH = 0.1
"""How many seconds of planning and saturation are worth a file."""

_NONE = -1


@dataclass(frozen=True)
class Answered:
    """A finished run, the shardings that instructions leave with, and whether that is a change."""

    saturated: Saturated
    final: list[Any]
    changed: bool


_digests: WeakKeyDictionary[HloModule, str] = WeakKeyDictionary()
"""Of modules that hold no text."""


def note_bytes(module: HloModule, data: bytes) -> None:
    """Note what a module was read from, unless it holds that itself."""
    if not module.source:
        import hashlib

        _digests[module] = hashlib.sha256(data).hexdigest()


def key_of(module: HloModule, options: Any) -> str | None:
    """The key of a module that is as it was read, with options; None if it came from elsewhere."""
    if module.is_edited or module.origin:
        return None
    import hashlib

    if module.source:
        source = module.source.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(source).hexdigest()
    else:
        digest = _digests.get(module, "")
    return hashlib.sha256(f"{digest} {options!r}".encode()).hexdigest() if digest else None


def keep(program: Program, key: str, answered: Answered) -> None:
    """Keep an answer under its key."""
    saturated = answered.saturated
    distinct: dict[HloSharding | None, int] = {None: _NONE}

    def numbers(values: Iterable[HloSharding | None]) -> bytes:
        return array("i", [distinct.setdefault(v, len(distinct) - 1) for v in values]).tobytes()

    rules = {id(rule): place for place, rule in enumerate(program.rules)}
    records = saturated.records
    if any(id(record.rule) not in rules for record in records):
        return
    words: dict[str, int] = {}

    def words_of(texts: Iterable[str]) -> bytes:
        return _packed(words.setdefault(text, len(words)) for text in texts)

    # behind the values of the entities stands what a rule sees that reads none
    count = saturated.facts.entity_count
    fields = {
        "changed": answered.changed,
        "iterations": saturated.iterations,
        "count": count,
        "final": numbers(answered.final),
        "state": {name: numbers(values[:count]) for name, values in saturated.state.items()},
        "entity": _packed(record.entity for record in records),
        "old": numbers(record.old for record in records),
        "new": numbers(record.new for record in records),
        "rule": _packed(rules[id(record.rule)] for record in records),
        "grounds": _packed(len(record.contributors) for record in records),
        "contributor": _packed(one for record in records for one in record.contributors),
        "phase": words_of(record.phase for record in records),
        "value": _packed(_NONE if r.value is None else r.value for r in records),
        "iteration": _packed(record.iteration for record in records),
        "visit": words_of(record.visit for record in records),
        "words": list(words),
        "shardings": list(distinct)[1:],
    }
    cache.keep_answer(program, key, pickle.dumps(fields, protocol=5))


def recall(program: Program, key: str, facts: Facts) -> Answered | None:
    """The answer that was kept under a key, if there is one."""
    data = cache.answer(program, key)
    if data is None:
        return None
    # shardlog.cache says who can have written it
    fields: dict[str, Any] = pickle.loads(data)
    if fields["count"] != facts.entity_count:
        return None
    shardings: list[HloSharding | None] = [*fields["shardings"], None]

    def values(name: str, within: dict[str, Any] = fields) -> list[HloSharding | None]:
        return [shardings[number] for number in _unpacked(within[name])]

    words: Sequence[str] = fields["words"]
    rules = program.rules
    contributors = _unpacked(fields["contributor"])
    ends = accumulate(_unpacked(fields["grounds"]), initial=0)
    count = len(_unpacked(fields["entity"]))
    records = list(
        map(
            Record,
            range(count),
            _unpacked(fields["entity"]),
            values("old"),
            values("new"),
            [rules[number] for number in _unpacked(fields["rule"])],
            [tuple(contributors[low:high]) for low, high in pairwise(ends)],
            [words[number] for number in _unpacked(fields["phase"])],
            [None if v == _NONE else v for v in _unpacked(fields["value"])],
            _unpacked(fields["iteration"]),
            [words[number] for number in _unpacked(fields["visit"])],
        )
    )
    kept = fields["state"]
    state: dict[str, list[Any]] = {name: [*values(name, kept), UNIT] for name in kept}
    saturated = Saturated(
        program, facts, state, records, fields["iterations"], Timings(), compiler=None
    )
    return Answered(saturated, values("final"), fields["changed"])


def _packed(numbers: Iterable[int]) -> bytes:
    return array("i", numbers).tobytes()


def _unpacked(data: bytes) -> array[int]:
    numbers = array("i")
    numbers.frombytes(data)
    return numbers
