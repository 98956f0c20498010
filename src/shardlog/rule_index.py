"""The rules of a rule set as people ask for them: where each comes from, when it can apply."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from shardlog import converters
from shardlog import rules as rule_sets
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.engine import Facts, Program, Rule, Span
from shardlog.engine.reach import Reach, reach
from shardlog.engine.shown import compiled_source
from shardlog.ir.errors import InputError
from shardlog.ir.opcodes import OPCODES
from shardlog.propagation import load_rules
from shardlog.rule_packs import rule_files

__all__ = ["RuleEntry", "RuleIndex", "program_of"]

_NOTHING = b"HloModule nothing\n\nENTRY main {\n  ROOT zero = f32[] constant(0)\n}\n"
"""A module, for what can be said before there is one."""


@dataclass(frozen=True)
class RuleEntry:
    """One rule with what is known of it before a run.

    `origin` is `gspmd` or `shardy` for a shipped rule, `pack:NAME` for one of a pack, else the
    file. `proposes` are the channels to which it proposes, itself or by being asked. `opcodes` are
    those of the instruction that it is about, `tiers` those at which it can have a part in a
    proposal; both are empty for a rule that only holds or not. `spmd` is False for a rule that
    takes part only without SPMD partitioning, True for one that does so only with it, else None.
    """

    rule: Rule
    origin: str
    proposes: tuple[str, ...] = ()
    opcodes: tuple[str, ...] = ()
    tiers: tuple[int, ...] = ()
    spmd: bool | None = None

    @property
    def is_for_all(self) -> bool:
        """True if it is for (nearly) every opcode."""
        return len(self.opcodes) > 3 * len(OPCODES) // 4

    def to_dict(self) -> dict[str, Any]:
        """A form for JSON."""
        rule = self.rule
        return {
            "name": rule.name,
            "origin": self.origin,
            "file": rule.span.file,
            "line": rule.span.line,
            "head": rule.relation,
            "says": rule.says,
            "proposes": list(self.proposes),
            "opcodes": list(self.opcodes),
            "tiers": list(self.tiers),
            "spmd": self.spmd,
        }


def program_of(files: Sequence[Path], partitioner: str) -> Program:
    """The rules of a partitioner with the user's files. Raises RuleError, InputError, OSError."""
    if partitioner != "shardy":
        return load_rules(files)
    from shardlog.shardy.propagation import load_shardy_rules, rule_texts

    return load_shardy_rules(rule_texts(files))


class RuleIndex:
    """All rules of a partitioner, GSPMD by default, with the user's files behind them.

    For which opcodes and tiers a rule is, is known of GSPMD's only.
    """

    def __init__(self, files: Sequence[Path] = (), partitioner: str = "gspmd") -> None:
        """Reads and checks the rules; raises RuleError, InputError and OSError."""
        self.files = tuple(files)
        self.partitioner = partitioner
        self.program: Program = program_of(self.files, partitioner)
        self._packs = {
            str(path): str(file)
            for file in self.files
            for path in rule_files([file])
            if str(path) != str(file)
        }
        shipped = rule_sets.shardy() if partitioner == "shardy" else rule_sets.gspmd()
        self._shipped = {str(path): path for path in shipped}

    @cached_property
    def entries(self) -> list[RuleEntry]:
        """Every rule, in file order."""
        if self.partitioner == "shardy":
            return [
                RuleEntry(rule, self._origin(rule), self._proposes(rule))
                for rule in self.program.rules
            ]
        with_spmd, without = (self._reach(is_spmd) for is_spmd in (True, False))
        return [self._entry(rule, with_spmd, without) for rule in self.program.rules]

    def find(self, name: str) -> list[RuleEntry]:
        """The rules of a name. Raises InputError if there is none."""
        found = [entry for entry in self.entries if entry.rule.name == name]
        if not found:
            names = sorted({entry.rule.name for entry in self.entries})
            alike = difflib.get_close_matches(name, names, 3) or [n for n in names if name in n]
            hint = f"; there is {', '.join(map(repr, alike[:3]))}" if alike else ""
            raise InputError(f"no rule is called {name!r}{hint}")
        return found

    def source(self, rule: Rule) -> str:
        """The text of a rule as it stands in its file, with the comments right above it."""
        text = Path(rule.span.file).read_text(encoding="utf-8")
        lines = text.splitlines()
        statements = ast.parse(text).body
        ends = (s.end_lineno for s in statements if s.lineno == rule.span.line)
        last = next(ends, None) or rule.span.line
        first = rule.span.line - 1
        while first > 0 and lines[first - 1].startswith("#"):
            first -= 1
        return "\n".join(lines[first:last])

    def compiled(self, entry: RuleEntry, opcode: str | None = None) -> tuple[str, str]:
        """An opcode and the Python that a rule is compiled to for it; its first one by default.

        Raises InputError if the rule does not apply to the opcode.
        """
        known = entry.opcodes or tuple(sorted(OPCODES))
        if opcode is None:
            opcode = known[0]
        elif opcode not in known:
            alike = difflib.get_close_matches(opcode, known, 3)
            hint = f"; it does to {', '.join(alike)}" if alike else ""
            raise InputError(f"the rule {entry.rule.name!r} does not apply to {opcode!r}{hint}")
        facts = _facts(entry.spmd is not False)
        return opcode, compiled_source(self.program, facts, entry.rule, opcode)

    def _proposes(self, rule: Rule) -> tuple[str, ...]:
        """The channels to which a rule proposes, itself or by being read, and what is last."""
        read_by = self.program.reaching(rule.relation)
        return tuple(head for head in (*self.program.declared.channels, "final") if head in read_by)

    def _reach(self, is_spmd: bool) -> dict[Span, Reach]:
        return reach(self.program, _facts(is_spmd), sorted(OPCODES))

    def _entry(
        self, rule: Rule, with_spmd: dict[Span, Reach], without: dict[Span, Reach]
    ) -> RuleEntry:
        both = [where[rule.span] for where in (with_spmd, without) if rule.span in where]
        spmd = None if len(both) != 1 else rule.span in with_spmd
        return RuleEntry(
            rule,
            self._origin(rule),
            tuple(dict.fromkeys(head for one in both for head in one.heads)),
            tuple(sorted(_union(one.values for one in both))),
            tuple(sorted(_union(one.phases for one in both))),
            spmd,
        )

    def _origin(self, rule: Rule) -> str:
        return self._packs.get(rule.span.file) or (
            self.partitioner if rule.span.file in self._shipped else rule.span.file
        )


def _union(sets: Iterable[Iterable[Any]]) -> set[Any]:
    return {value for one in sets for value in one}


def _facts(is_spmd: bool) -> Facts:
    options = PassOptions(is_spmd=is_spmd, parameter_mask=(True,), output_mask=(True,))
    _, facts = base_facts(converters.load(_NOTHING), Facts, options)
    assert isinstance(facts, Facts)
    return facts
