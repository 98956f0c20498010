"""The loop of `shardlog repl`: lines in, answers out."""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import click

from shardlog import cache
from shardlog.cli import show_relations
from shardlog.cli.query import TABLE_ROWS, answer_text
from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.ir.errors import ShardlogError
from shardlog.ir.shardy.mesh import Mesh
from shardlog.query import Session
from shardlog.query.literals import TESTS
from shardlog.query.reading import AGGREGATES, names_of
from shardlog.shown import shown_on

__all__ = ["Asking"]

PROMPT, MORE = "shardlog> ", "........> "
HISTORY = "history"
MOST_HISTORY = 1000

HELP = """\
A question is a number of literals joined by &; variables begin with a capital letter, texts stand
in quotes, ~ means not:
  replicated(I) & (byte_size[I] > 2**30) & because(I, R, O)
A rule defines a relation from then on:
  big(I) <= (byte_size[I] > 2**30)
A line that ends in & or \\, or with open parentheses, goes on in the next.
  ?relations           what there is to ask about
  ?NAME                what a relation means
  ?rules               the rules of yours
  why NAME [DIM]       why an instruction has its sharding, or dimension DIM of it
  whynot NAME [SHARDING|DIM]   why it has not
  frontier NAME [DIM]  where its tiles go and stop
  plan QUESTION        in which order a question is taken up
  count QUESTION       how many rows it has
  limit N              how many rows are shown from now on; 0 for all
  define FILE          rules of a file
  forget               forget the rules of yours
  help, quit"""


class _Answers(Protocol):
    """What answers `why`, `whynot` and `frontier`."""

    @property
    def account(self) -> Callable[..., _Text]:
        """Why an instruction has its sharding, by name and dimension."""

    @property
    def whynot(self) -> Callable[..., _Text]:
        """Why it has not another."""

    @property
    def frontier(self) -> Callable[..., _Text]:
        """Where its tiles go."""


class _Text(Protocol):
    @property
    def to_text(self) -> Callable[[], str]:
        """The answer as text."""


class Asking:
    """Reads what is typed, and prints what there is to say to it."""

    def __init__(
        self, result: _Answers, session: Session, mesh: Mesh | None, seconds: float
    ) -> None:
        self.result, self.session, self.mesh, self.seconds = result, session, mesh, seconds
        self.limit: int | None = TABLE_ROWS
        self.at_terminal = sys.stdin.isatty()
        self.done = False
        self.good = True
        self.words: dict[str, Callable[[str], None]] = {
            "help": lambda _: click.echo(HELP),
            "quit": self._quit,
            "exit": self._quit,
            "why": self._why,
            "whynot": self._whynot,
            "frontier": self._frontier,
            "plan": lambda text: click.echo("\n".join(self.session.plan(text))),
            "count": self._count,
            "limit": self._limit,
            "define": self._define,
            "forget": self._forget,
        }

    def all(self) -> bool:
        """Answer all that is typed; says whether nothing was wrong, or a terminal was there."""
        with self._history():
            if self.at_terminal:
                click.echo("help tells what may be typed; ?relations what there is to ask about")
            while not self.done:
                try:
                    text = self._read()
                except KeyboardInterrupt:
                    click.echo()
                    continue
                except EOFError:
                    if self.at_terminal:
                        click.echo()
                    break
                self.answer(text)
        return self.good or self.at_terminal

    def answer(self, text: str) -> None:
        """Answer one thing that was typed. Errors are printed."""
        try:
            self._answer(text.strip())
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            self.good = False
        except (ShardlogError, RuleError, EvaluationError) as error:
            click.echo(str(error), err=True)
            self.good = False
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"{place}{error.strerror or error}", err=True)
            self.good = False

    def _answer(self, text: str) -> None:
        if not text or text.startswith("#"):
            return
        if text.startswith("?"):
            self._tell(text[1:].strip())
            return
        word, _, rest = text.partition(" ")
        if word in self.words:
            self.words[word](rest.strip())
            return
        if self.session.is_rules(text):
            count = self.session.define(text)
            click.echo(f"{count} rule" + ("" if count == 1 else "s"))
            return
        answer = self.session.ask(text, limit=self.limit, seconds=self.seconds)
        if self.mesh is not None:
            answer = answer.shown(partial(shown_on, self.mesh))
        click.echo(answer_text(answer, "table"))

    # ------------------------------------------------------------ what may be typed

    def _tell(self, name: str) -> None:
        if name in ("", "relations"):
            show_relations.listed(self.session, False)
        elif name == "rules":
            click.echo("\n".join(rule.source for rule in self.session.rules) or "none")
        elif name in self.session.relations:
            click.echo(show_relations.told(self.session.relations[name]))
        elif name in names_of(self.session.rules):
            found = [rule.source for rule in self.session.rules if rule.relation == name]
            click.echo("\n".join(found))
        else:
            # asking for it tells what it might have been
            self.session.plan(f"{name}(X)")

    def _quit(self, _: str) -> None:
        self.done = True

    def _why(self, text: str) -> None:
        name, dim = _name_and_dim(text, "why")
        click.echo(self.result.account(name, dim=dim, depth=30).to_text())

    def _whynot(self, text: str) -> None:
        name, _, wanted = text.partition(" ")
        if not name:
            raise ShardlogError("whynot takes the name of an instruction")
        wanted = wanted.strip()
        if wanted.isdigit():
            click.echo(self.result.whynot(name, dim=int(wanted)).to_text())
        else:
            click.echo(self.result.whynot(name, wanted or None).to_text())

    def _frontier(self, text: str) -> None:
        name, dim = _name_and_dim(text, "frontier")
        click.echo(self.result.frontier(name, dim=dim).to_text())

    def _count(self, text: str) -> None:
        click.echo(str(self.session.ask(text, limit=0, seconds=self.seconds).count))

    def _limit(self, text: str) -> None:
        if not text.isdigit():
            raise ShardlogError("limit takes a number")
        self.limit = int(text) or None

    def _define(self, text: str) -> None:
        count = self.session.load(Path(*shlex.split(text)[:1]))
        click.echo(f"{count} rule" + ("" if count == 1 else "s"))

    def _forget(self, _: str) -> None:
        self.session.rules.clear()

    # ------------------------------------------------------------ lines

    def _read(self) -> str:
        """What is typed, to the end of what was begun. Raises EOFError."""
        lines = [self._line(PROMPT)]
        while _goes_on("\n".join(lines)):
            try:
                lines.append(self._line(MORE))
            except EOFError:
                break
        return "\n".join(line.removesuffix("\\") for line in lines)

    def _line(self, prompt: str) -> str:
        if self.at_terminal:
            return input(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")

    @contextlib.contextmanager
    def _history(self) -> Iterator[None]:
        """With the lines of earlier times, and names that complete, at a terminal that can."""
        try:
            import readline
        except ImportError:
            readline = None  # type: ignore[assignment]
        if readline is None or not self.at_terminal:
            yield
            return
        place = cache.folder()
        file = None if place is None else place / HISTORY
        if file is not None:
            with contextlib.suppress(OSError):
                readline.read_history_file(file)
        readline.set_completer(self.complete)
        readline.set_completer_delims(" \t\n()[]&~,=<>+*;'\"")
        readline.parse_and_bind("tab: complete")
        try:
            yield
        finally:
            if file is not None:
                readline.set_history_length(MOST_HISTORY)
                with contextlib.suppress(OSError):
                    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    readline.write_history_file(file)

    def complete(self, text: str, state: int) -> str | None:
        """The name number `state` that begins with a text, for readline."""
        if state == 0:
            self._completions = self.names(text)
        return self._completions[state] if state < len(self._completions) else None

    def names(self, text: str, most: int = 200) -> list[str]:
        """The names that begin with a text: relations, words of the repl and instructions."""
        mine = names_of(self.session.rules)
        known: list[Any] = [*self.session.relations, *TESTS, *AGGREGATES, *mine, *self.words]
        found = (
            [f"{text[0]}{name}" for name in known if name.startswith(text[1:])]
            if (text.startswith("?"))
            else [name for name in known if name.startswith(text)]
        )
        if text and len(found) < most:
            names = [*self.session.names.opcodes, *self.session.names.instructions]
            found += [name for name in names if name.startswith(text)][: most - len(found)]
        return found

    _completions: list[str] = []  # noqa: RUF012  (one list at a time, never changed)


def _goes_on(text: str) -> bool:
    """Whether a text is not at its end yet."""
    if text.endswith("\\") or text.rstrip().endswith("&"):
        return True
    bare = re.sub(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", "", text)
    return bare.count("(") + bare.count("[") > bare.count(")") + bare.count("]")


def _name_and_dim(text: str, word: str) -> tuple[str, int | None]:
    """NAME or NAME DIM. Raises ShardlogError."""
    name, _, dim = text.partition(" ")
    if not name or (dim.strip() and not dim.strip().isdigit()):
        raise ShardlogError(f"{word} takes the name of an instruction, and perhaps a dimension")
    return name, int(dim) if dim.strip() else None
