"""What a run of the differential tester says in the end."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from shardlog.propagation import load_rules
from tests.fuzz.cases import Case
from tests.fuzz.oracle import Result, Verdict


@dataclass
class Report:
    """Counts over many results.

    `opcodes` are instructions and `modules` modules by opcode, `modes` modules by option or header
    word, `rules` accepted proposals by rule, `failures` XLA's own by message.
    """

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    opcodes: Counter[str] = field(default_factory=Counter)
    modules: Counter[str] = field(default_factory=Counter)
    modes: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    total: int = 0

    def add(self, result: Result) -> None:
        """Count one result."""
        self.verdicts[result.verdict] += 1
        self.opcodes += result.case.opcodes
        self.modules.update(result.case.opcodes.keys())
        self.modes.update(_modes(result.case))
        self.rules += result.rules
        self.changed += result.changed
        self.total += result.total
        if result.verdict is Verdict.XLA_FAILED:
            self.failures[result.message] += 1

    @property
    def silent(self) -> list[str]:
        """The rules that propose a sharding and were never accepted."""
        program = load_rules()
        channels = program.declared.channels
        proposing = {rule.name for rule in program.rules if rule.relation in channels}
        return sorted(proposing - self.rules.keys())

    def __str__(self) -> str:
        lines = ["opcodes, in instructions (in modules):"]
        lines += _wrapped(f"{name} {n} ({self.modules[name]})" for name, n in _ranked(self.opcodes))
        lines += ["modes, in modules:", *_wrapped(f"{k} {n}" for k, n in _ranked(self.modes))]
        lines += ["rules, in accepted proposals:"]
        lines += _wrapped(f"{name} {n}" for name, n in _ranked(self.rules))
        lines += ["rules that were never accepted:", *_wrapped(self.silent or ["none"])]
        if self.failures:
            lines += ["XLA's own failures:"]
            lines += [f"  {n} {message}" for message, n in _ranked(self.failures)]
        share = 100 * self.changed / max(1, self.total)
        lines += [f"XLA changed {self.changed} of {self.total} instructions ({share:.0f}%)"]
        lines += [f"{n} {verdict}" for verdict, n in self.verdicts.most_common()]
        return "\n".join(lines)


def _modes(case: Case) -> list[str]:
    head, text = case.text.partition("\n")[0], case.text
    words = [word.strip().partition("=")[0] for word in head.split(",")[1:] if "=" in word]
    marks = {
        "manual subgroups": "last_tile_dims={manual" in text,
        "shard groups": "shard_as" in text or "shard_like" in text,
        "unspecified_dims": "unspecified_dims" in text,
        "unknown shardings": "{unknown" in text,
    }
    return [
        *(case.modes.names or ["defaults"]),
        *words,
        *(k for k, there in marks.items() if there),
    ]


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _wrapped(items: Iterable[str]) -> list[str]:
    return textwrap.wrap(", ".join(items), 98, initial_indent="  ", subsequent_indent="  ")
