"""How the modules of a batch are treated, and the digest of all that their results depend on."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import shardlog
from shardlog.batch.schema import SCHEMA_VERSION

__all__ = ["Limits", "Settings", "code_digest", "key_of", "rule_texts"]


@dataclass(frozen=True)
class Settings:
    """How each module of a batch is propagated, and what is kept of it.

    `rules` are (name, text) pairs. `form` is that of the annotated modules, "same" for that of
    each input, None for no modules. `least` is from how many bytes on a device on a value is worth
    a finding, `findings` how many of a module are explained (0: lint is left out). `partitioner`
    is gspmd, shardy or auto.
    """

    rules: tuple[tuple[str, str], ...] = ()
    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False
    params: tuple[bool, ...] | None = None
    output: tuple[bool, ...] | None = None
    execution_threads: tuple[str, ...] = ()
    lenient: bool = False
    form: str | None = None
    findings: int = 20
    least: int = 1 << 20
    provenance: bool = False
    partitioner: str = "gspmd"

    def to_json(self) -> str:
        """Return the settings as text that `from_json` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Settings:
        """Return the settings that `to_json` has written."""
        fields: dict[str, Any] = json.loads(text)
        fields["rules"] = tuple((name, rules) for name, rules in fields["rules"])
        for name in ("params", "output", "execution_threads"):
            if fields[name] is not None:
                fields[name] = tuple(fields[name])
        return Settings(**fields)

    def digest(self) -> str:
        """Return a digest of everything but the module that a result depends on."""
        about = (SCHEMA_VERSION, shardlog.__version__, code_digest(), self.to_json())
        return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()

    def words(self, of_shardy: bool = False) -> str:
        """Return what a command needs to ask about the same run; Shardy's takes rules alone."""
        words = [word for name, _ in self.rules for word in ("--rules", name)]
        if not of_shardy:
            words += ["--no-spmd"] * (not self.is_spmd)
            words += ["--propagate-metadata"] * self.propagate_metadata
            words += ["--cse-prevention-only"] * self.cse_prevention_only
            for option, given in (("--to-parameters", self.params), ("--to-output", self.output)):
                if given is not None:
                    words += (option, ",".join("true" if each else "false" for each in given))
            words += [w for one in self.execution_threads for w in ("--execution-thread", one)]
            words += ["--lenient"] * self.lenient
        return shlex.join(words)

    def about(self) -> dict[str, Any]:
        """Return the settings as a summary tells them: the rules by name and digest."""
        fields = asdict(self)
        fields["rules"] = [
            {"name": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}
            for name, text in self.rules
        ]
        return fields


@dataclass(frozen=True)
class Limits:
    """What a module may cost: seconds, and bytes of memory that its process may have."""

    seconds: float | None = None
    memory: int | None = None


def key_of(content: str, settings: str) -> str:
    """Return the key of a result: a digest of the module's and that of the settings."""
    return hashlib.sha256(f"{content} {settings}".encode()).hexdigest()


def rule_texts(files: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Return the rule files, with those of packs, as (name, text), checked with the shipped ones.

    Raises RuleError, InputError and OSError as `load_rules` does.
    """
    from shardlog.propagation import load_rules
    from shardlog.rule_packs import rule_files

    if not files:
        return ()
    load_rules(files)
    return tuple((str(file), file.read_bytes().decode()) for file in rule_files(files))


@cache
def code_digest() -> str:
    """Return a digest of this package's code and shipped rules, whatever their place and time."""
    home = Path(shardlog.__file__).parent
    found = hashlib.sha256()
    for file in sorted(_code(home), key=lambda one: one.relative_to(home).as_posix()):
        found.update(f"{file.relative_to(home).as_posix()}\n".encode())
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _code(folder: Path) -> list[Path]:
    """The code files of a folder; the folders that are links in a checkout count as folders."""
    files: list[Path] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                files += _code(entry)
        elif entry.suffix in (".py", ".dl"):
            files.append(entry)
    return files
