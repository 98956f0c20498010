"""Holds answers against XLA's own pass: what if, why, and what would have to be split.

    python -m tests.explain.live CORPUS [--family REGEX] [--changes N] [--seed N] [--most N]

CORPUS is a folder as `tests.conformance` takes it. Annotations are dropped and set in each module's
text, by hand as it were, and XLA's pass (from the jaxlib that SHARDLOG_XLA_PYTHON names) says what
comes of it:

- `whatif` must tell just the instructions that XLA shards otherwise, with what they have before and
  after; `impact` just those that differ without an annotation;
- the first step of `why` must have direction, tier and iteration of XLA's log;
- where `whynot` says that a dimension would be split if some other were, that one is split;
- of an instruction whose sharding is taken out of the finished module, all others annotated, XLA's
  log has the first change at the first tier at which `whynot` says that a rule opens, and none
  where it says that none does.

Exits with 1 if anything differs, with 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import shardlog
from shardlog.explain.candidates import Candidates
from shardlog.explain.impact import impact
from shardlog.explain.origin import beginnings
from shardlog.explain.run import Place
from shardlog.explain.wanted import Wanted
from shardlog.explain.whatif import Changes, WhatIf, what_if
from shardlog.explain.whynot import why_not
from shardlog.ir.module import HloModule
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.tile_assignment import TileAssignment
from shardlog.xla import XlaInput, run_pass
from tests.conformance import find_pairs
from tests.provenance import logged

Shardings = Mapping[str, HloSharding | None]

LINE = r"^(?P<head>\s+(?:ROOT )?%?{name} = )(?P<rest>.*)$"


def without_sharding(line: str) -> str:
    """A line of HLO text without its `sharding={...}`."""
    start = line.find(", sharding={")
    if start < 0:
        return line
    depth, end = 0, start + len(", sharding=")
    while True:
        depth += {"{": 1, "}": -1}.get(line[end], 0)
        end += 1
        if not depth:
            return line[:start] + line[end:]


def edited(text: str, name: str, sharding: str | None) -> str:
    """HLO text with another annotation of an instruction, or none: a `Sharding` call is a copy."""

    def put(found: re.Match[str]) -> str:
        line = without_sharding(found[0])
        if sharding is not None:
            # attributes may stand in any order, but for what has to follow the operands
            at = line.find(", metadata={")
            at = len(line) if at < 0 else at
            return f"{line[:at]}, sharding={sharding}{line[at:]}"
        if 'custom_call_target="Sharding"' in line:
            line = line.replace(" custom-call(", " copy(", 1)
            line = re.sub(r', custom_call_target="Sharding"', "", line)
            line = re.sub(r", custom_call_has_side_effect=true|, api_version=\w+", "", line)
            line = re.sub(r', backend_config="[^"]*"', "", line)
        return line

    changed, count = re.subn(LINE.format(name=re.escape(name)), put, text, flags=re.M)
    assert count == 1, (name, count)
    return changed


def shardings(module: HloModule) -> dict[str, HloSharding | None]:
    """The shardings of a module's instructions by name."""
    return {x.name: x.sharding for x in module.instructions}


def flat(module: HloModule) -> set[str]:
    """Instructions whose elements, if they have any, are arrays: others name them by path."""
    return {x.name for x in module.instructions if not any(e.is_tuple for e in x.shape.elements)}


def by_xla(text: str, *others: str) -> list[Shardings]:
    """What XLA's pass makes of modules, all with the masks of the first."""
    module = shardlog.load(text.encode("utf-8", "surrogateescape"))
    masks = module.parameter_mask, module.output_mask
    found = run_pass([XlaInput(one, *masks) for one in (text, *others)])
    for one in found:
        assert one.status == "ok", one.message
    return [shardings(shardlog.load(one.after.encode())) for one in found]


def differing(before: Shardings, after: Shardings) -> dict[str, tuple[str, str]]:
    """What two outcomes have differently: the shardings of both, by name or NAME{leaf}."""
    found = {}
    for name in before.keys() & after.keys():
        mine, theirs = before[name], after[name]
        if mine is theirs or (mine is not None and theirs is not None and mine.equals(theirs)):
            continue
        parts = [
            one.elements if one is not None and one.is_tuple else None for one in (mine, theirs)
        ]
        count = max((len(part) for part in parts if part is not None), default=0)
        if not count:
            found[name] = _text(mine), _text(theirs)
            continue
        for leaf in range(count):
            a, b = (
                part[leaf] if part is not None else whole
                for part, whole in zip(parts, (mine, theirs), strict=True)
            )
            if a is not b and not (a is not None and b is not None and a.equals(b)):
                found[f"{name}{{{leaf}}}"] = _text(a), _text(b)
    return found


def told(answer: WhatIf) -> dict[str, tuple[str, str]]:
    """What an answer says that differs, in the same form; elements by the first number alone."""
    return {name: (group.before, group.after) for group in answer.groups for name in group.names}


def _text(sharding: HloSharding | None) -> str:
    return "no sharding" if sharding is None else str(sharding)


def compared(
    theirs: dict[str, tuple[str, str]], ours: dict[str, tuple[str, str]], known: Collection[str]
) -> list[str]:
    """Where an answer and XLA differ, of the instructions that XLA leaves under their names."""
    found = []
    for name in sorted(theirs.keys() | ours.keys()):
        if name.partition("{")[0] not in known:
            continue
        if theirs.get(name) != ours.get(name):
            found.append(f"{name}: XLA {theirs.get(name)}, shardlog {ours.get(name)}")
    return found


@dataclass
class Found:
    """What was asked of a module, and what differs."""

    asked: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def note(self, what: str, wrong: Sequence[str]) -> None:
        """Count a question, and keep what is wrong with its answer."""
        self.asked[what] = self.asked.get(what, 0) + 1
        self.wrong += [f"{what}: {one}" for one in wrong]


def changes(
    module: HloModule, random_: random.Random, count: int
) -> Iterator[tuple[str, str | None]]:
    """Annotations to drop and to set: (name, None or a sharding)."""
    every = list(module.instructions)
    annotated = [
        x
        for x in every
        if x.sharding is not None
        and not x.sharding.is_unknown
        and not x.opcode.startswith("tuple")
        and "SPMD" not in (x.custom_call_target or "")
    ]
    for one in random_.sample(annotated, min(count, len(annotated))):
        yield one.name, None
    by_rank: dict[int, list[HloSharding]] = {}
    for one in annotated:
        if one.sharding is not None and one.sharding.kind == "tiled" and not one.sharding.is_tuple:
            by_rank.setdefault(one.shape.rank, []).append(one.sharding)
    free = [
        x
        for x in every
        if x.sharding is None
        and not x.shape.is_tuple
        and x.shape.rank
        and x.computation.is_entry
        and x.opcode not in ("parameter", "constant")
    ]
    devices = module.num_partitions
    for one in random_.sample(free, min(count, len(free))):
        known = by_rank.get(one.shape.rank, [])
        if known and random_.random() < 0.6:
            yield one.name, str(random_.choice(known))
        else:
            dim = random_.randrange(one.shape.rank)
            dims = tuple(devices if d == dim else 1 for d in range(one.shape.rank))
            yield one.name, str(HloSharding.tiled(TileAssignment.iota(dims)))


def check_changes(text: str, found: Found, random_: random.Random, count: int) -> None:
    """Hold `whatif` and `impact` against XLA."""
    data = text.encode("utf-8", "surrogateescape")
    module = shardlog.load(data)
    names = flat(module)
    chosen = list(changes(module, random_, count))
    before, *after = by_xla(text, *(edited(text, *change) for change in chosen))
    for (name, sharding), outcome in zip(chosen, after, strict=True):
        theirs = differing(before, outcome)
        put = (
            Changes(drop=(name,))
            if sharding is None
            else Changes(annotate={name: parse_sharding(sharding)})
        )
        answer = what_if(shardlog.load(data), put, {})
        # the copies that the pass makes are numbered anew
        known = before.keys() & outcome.keys() & names
        wrong = compared(theirs, told(answer), known)
        found.note("whatif", [f"{name} {sharding}: {one}" for one in wrong])
        if sharding is None:
            owed = impact(shardlog.load(data), name, {}).owed
            wrong = compared(theirs, told(owed), known)
            found.note("impact", [f"{name}: {one}" for one in wrong])


def check_why(text: str, found: Found, random_: random.Random, count: int) -> None:
    """Hold the first step of `why` against XLA's log."""
    module = shardlog.load(text.encode("utf-8", "surrogateescape"))
    (log,) = run_pass([XlaInput(text, module.parameter_mask, module.output_mask)], log=True)
    result = shardlog.propagate(module)
    theirs = logged(log.log)
    named = [name for name in theirs if name in result.run.outcome.names]
    for name in random_.sample(named, min(count, len(named))):
        change = theirs[name]
        step = next((s for s in result.why(name).steps if s.rule), None)
        mine = step and (step.direction, step.tier, step.iteration)
        wrong = [] if mine == tuple(change) else [f"{name}: XLA {tuple(change)}, shardlog {mine}"]
        found.note("why", wrong)


def check_beginnings(text: str, found: Found, random_: random.Random, count: int) -> None:
    """Hold what `whynot` says would have to be split against XLA: split it, and see."""
    result = shardlog.propagate(shardlog.load(text.encode("utf-8", "surrogateescape")))
    run = result.run
    places = [
        Place(n)
        for n, x in enumerate(run.entities)
        if not x.shape.is_tuple
        and x.shape.rank
        and x.computation.is_entry
        and x.operands
        and run.outcome.names[n]
        and not run.is_split(n)
        and run.outcome.saturated.state["given"][n] is None
    ]
    claims: list[tuple[str, int, str, int, str]] = []
    for place in random_.sample(places, min(count, len(places))):
        dim = random_.randrange(run.shape(place).rank)
        if "would be split if this were" not in why_not(run, place, Wanted(dim=dim)).cause.says:
            continue
        for one in beginnings(run, place, dim)[:2]:
            if one.place == place or one.place.leaf is not None:
                continue
            name = run.outcome.names[one.place.entity]
            size = run.shape(one.place).dimensions[one.dim]
            devices = result.module.num_partitions
            if not name or size % devices or run.shape(place).dimensions[dim] % devices:
                continue
            rank = run.shape(one.place).rank
            dims = tuple(devices if d == one.dim else 1 for d in range(rank))
            put = str(HloSharding.tiled(TileAssignment.iota(dims)))
            claims.append((run.named(place), dim, name, one.dim, edited(text, name, put)))
    if not claims:
        return
    _, *outcomes = by_xla(text, *(claim[-1] for claim in claims))
    for (name, dim, source, source_dim, _), outcome in zip(claims, outcomes, strict=True):
        sharding = outcome.get(name)
        split = sharding is not None and sharding.kind == "tiled" and sharding.tile.dims[dim] > 1
        said = f"dimension {dim} of {name}: {source_dim} of {source} split gives {_text(sharding)}"
        found.note("would be split", [] if split else [said])


def check_tiers(text: str, found: Found, random_: random.Random, count: int) -> None:
    """Hold the tiers at which `whynot` says that rules open against XLA's log."""
    result = shardlog.propagate(shardlog.load(text.encode("utf-8", "surrogateescape")))
    run = result.run
    # what a round gave, and no call site could give at once
    rounds = {record.entity for record in run.records if record.value is not None}
    places = [
        Place(n)
        for n in rounds
        if run.outcome.given[n] is None
        and run.outcome.names[n]
        and run.entities[n].shape.rank
        and run.entities[n].computation.is_entry
        and not run.ties(n)
        # what is manual closes its own guards
        and "manual" not in str(run.entities[n].sharding)
    ]
    chosen = random_.sample(places, min(count, len(places)))
    names = [run.outcome.names[place.entity] or "" for place in chosen]
    after = result.module.to_text()
    masks = result.module.parameter_mask, result.module.output_mask
    logs = run_pass([XlaInput(edited(after, name, None), *masks) for name in names], log=True)
    for place, name, log in zip(chosen, names, logs, strict=True):
        candidates = Candidates(run, place, Wanted()).all()
        opens = [one.opens for one in candidates if one.proposes and one.opens is not None]
        change = logged(log.log, first=True).get(name)
        theirs, mine = change and change.tier, min(opens, default=None)
        wrong = [] if theirs == mine else [f"{name}: XLA at {theirs}, whynot at {mine}"]
        found.note("opens", wrong)


CHECKS = {
    "changes": check_changes,
    "why": check_why,
    "beginnings": check_beginnings,
    "tiers": check_tiers,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.explain.live", description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--family", default="", help="only families that match")
    parser.add_argument("--changes", type=int, default=5, help="questions of a kind per module")
    parser.add_argument("--most", type=int, default=0, help="at most so many modules, by chance")
    parser.add_argument("--largest", type=int, default=400_000, help="bytes of text up to which")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", choices=list(CHECKS), action="append")
    options = parser.parse_args(arguments)
    random_ = random.Random(options.seed)
    pairs = [p for p in find_pairs(options.corpus) if re.search(options.family, p.family)]
    if options.most:
        pairs = random_.sample(pairs, min(options.most, len(pairs)))
    if not pairs:
        print("nothing to compare", file=sys.stderr)
        return 2
    total: dict[str, int] = {}
    bad = 0
    for pair in pairs:
        text = shardlog.load(pair.before).to_text()
        if len(text) > options.largest:
            continue
        found = Found()
        for name in options.check or CHECKS:
            CHECKS[name](text, found, random_, options.changes)
        for what, asked in found.asked.items():
            total[what] = total.get(what, 0) + asked
        if found.wrong:
            bad += 1
            print(f"{pair.name}: {len(found.wrong)} differences")
            for line in found.wrong[:8]:
                print(f"  {line[:400]}")
    print(
        ", ".join(f"{count} of {what}" for what, count in total.items()), f"; {bad} modules differ"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
