"""Questions to one run: its relations stay from one question to the next, and so do rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.engine.syntax import Match, Variable
from shardlog.explain.run import Run
from shardlog.ir.errors import InputError, ShardlogError
from shardlog.ir.shardy.mesh import Mesh
from shardlog.query.answer import Answer
from shardlog.query.bounds import MOST_ROWS, Meter
from shardlog.query.ground import Ground
from shardlog.query.names import Names
from shardlog.query.planning import Planner, Unbound
from shardlog.query.reading import Derived, Reading, ends_in_rule, read
from shardlog.query.relations import Kind, Relation
from shardlog.query.strata import check_strata
from shardlog.query.unfolding import unfolded
from shardlog.query.vocabulary import HEADINGS, RELATIONS, Sources

__all__ = ["QUESTION", "Session"]

QUESTION = "question"
"""What messages call the text of a question."""

Row = tuple[Any, ...]

_BY_RELATIONS = "a relation must have it, besides comparisons, tests and what stands behind `~`"


class Session:
    """A run that is asked questions.

    `relations` are those that questions may name, under their `headings`.
    """

    relations: Mapping[str, Relation] = RELATIONS
    headings: Sequence[str] = HEADINGS

    def __init__(self, run: Run, number: Callable[[str], int], mesh: Mesh | None = None) -> None:
        """`number` finds an instruction by a name that users know it by. It raises InputError."""
        self.run = run
        self.names = Names(run, number)
        self.sources = Sources(Ground(run, self.names, mesh))
        self.rules: list[Derived] = []

    def copy(self) -> Session:
        """A session of the same run with the same rules, to which others may be added."""
        copied = object.__new__(Session)
        copied.run, copied.names, copied.sources = self.run, self.names, self.sources
        copied.rules = list(self.rules)
        return copied

    def load(self, path: str | Path) -> int:
        """Add the rules of a file; returns how many. Raises RuleError, InputError and OSError."""
        try:
            text = Path(path).read_bytes().decode()
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise InputError("not UTF-8", file=str(path), line=line) from None
        return self.define(text, str(path))

    def define(self, text: str, name: str = QUESTION) -> int:
        """Add rules and facts; returns how many. Raises RuleError."""
        known, resolve = self.relations, self.names.resolve
        reading = read(text, name, known, self.rules, resolve=resolve, asks=False)
        return self._add(reading)

    def ask(
        self,
        question: str,
        *,
        limit: int | None = None,
        seconds: float | None = None,
        rows: int = MOST_ROWS,
    ) -> Answer:
        """Return the answer to a question; rules before it hold for it alone.

        At most `limit` rows are kept, all are counted. Raises RuleError for what is wrong with it,
        TooCostly if it takes longer than `seconds` or comes upon more than `rows` rows, and
        EvaluationError for texts that are reckoned with and the like.
        """
        reading = self._read(question)
        meter = Meter(seconds, rows)
        found = self._answers(reading, meter)
        found.sort(key=self._order(reading))
        shown = found if limit is None else found[:limit]
        return Answer(question, reading.variables, tuple(shown), len(found))

    @staticmethod
    def is_rules(text: str) -> bool:
        """Whether a text ends in a rule or a fact, and so asks nothing."""
        return ends_in_rule(text)

    def plan(self, question: str) -> list[str]:
        """Return the literals of a question in the order in which they are taken.

        Those that are joined by `&` are looked up in columns, in one go. Raises RuleError.
        """
        from shardlog.query.resolving import planned

        reading = self._read(question)
        rules, body = unfolded(self._all(reading), reading.question, self.sources)
        return planned(self._planner(rules), body)

    # ------------------------------------------------------------ asking

    def _read(self, question: str) -> Reading:
        resolve = self.names.resolve
        reading = read(question, QUESTION, self.relations, self.rules, resolve=resolve)
        assert reading.page is not None
        if reading.where is None:
            raise reading.page.at(
                len(reading.page.lines),
                1,
                "there are rules but no question",
                "a question comes last",
            )
        check_strata(self._all(reading), reading.page)
        return reading

    def _answers(self, reading: Reading, meter: Meter) -> list[Row]:
        from shardlog.query.resolving import answers

        assert reading.page is not None
        assert reading.where is not None
        rules, body = unfolded(self._all(reading), reading.question, self.sources)
        planner = self._planner(rules)
        try:
            return answers(body, reading.variables, rules, self.sources, planner, meter)
        except Unbound as unbound:
            raise reading.page.error(
                reading.where,
                f"nothing gives {_shown(unbound.name)} a value",
                _BY_RELATIONS,
            ) from None
        except (ShardlogError, RuleError, EvaluationError):
            raise
        except (ArithmeticError, TypeError) as error:
            # what pyDatalog meets with: a sum of texts, an order of texts and numbers
            raise EvaluationError(f"the question cannot be answered: {error}") from error

    def _all(self, reading: Reading) -> dict[str, list[Derived]]:
        rules: dict[str, list[Derived]] = {}
        for rule in (*self.rules, *reading.rules):
            rules.setdefault(rule.relation, []).append(rule)
        return rules

    def _planner(self, rules: dict[str, list[Derived]]) -> Planner:
        return Planner(self.sources, rules, len(self.names.instructions))

    def _add(self, reading: Reading) -> int:
        assert reading.page is not None
        rules = self._all(reading)
        check_strata(rules, reading.page)
        planner = self._planner(rules)
        for rule in reading.rules:
            try:
                planner.plan(rule.body, frozenset())
            except Unbound as unbound:
                raise reading.page.at(
                    rule.span.line,
                    1,
                    f"nothing gives {_shown(unbound.name)} a value in a rule for {rule.relation!r}",
                    _BY_RELATIONS,
                ) from None
        self.rules += reading.rules
        return len(reading.rules)

    # ------------------------------------------------------------ order

    def _order(self, reading: Reading) -> Callable[[Row], Any]:
        """Rows by the first variable, and so on: instructions as they stand in the module."""
        numbers = self.names.numbers
        kinds = self.kinds(reading)
        ranked = [kinds.get(name) is Kind.INSTRUCTION for name in reading.variables]

        def key(row: Row) -> list[Any]:
            return [
                (0, numbers.get(value, -1), "")
                if by_number and isinstance(value, str)
                else (1, value, "")
                if isinstance(value, int | float)
                else (2, 0, str(value))
                for value, by_number in zip(row, ranked, strict=True)
            ]

        return key

    def kinds(self, reading: Reading) -> dict[str, Kind]:
        """What the variables of a question are, as far as that is known."""
        heads: dict[tuple[str, int], Kind] = {}
        rules = [rule for group in self._all(reading).values() for rule in group]
        for _ in range(len(rules) + 1):
            before = len(heads)
            for rule in rules:
                inside = self._kinds_in(rule.body, heads)
                for place, term in enumerate(rule.terms):
                    kind = inside.get(term.name) if isinstance(term, Variable) else None
                    if kind is not None and (
                        rule.aggregated is None or place < len(rule.terms) - 1
                    ):
                        heads.setdefault((rule.relation, place), kind)
            if len(heads) == before:
                break
        return self._kinds_in(reading.question, heads)

    def _kinds_in(self, body: Sequence[Any], heads: dict[tuple[str, int], Kind]) -> dict[str, Kind]:
        kinds: dict[str, Kind] = {}
        for literal in body:
            if not isinstance(literal, Match):
                continue
            relation = self.relations.get(literal.relation)
            for place, term in enumerate(literal.terms):
                if isinstance(term, Variable):
                    kind = (
                        relation.arguments[place][1]
                        if relation is not None
                        else heads.get((literal.relation, place))
                    )
                    if kind is not None:
                        kinds.setdefault(term.name, kind)
        return kinds


def _shown(name: str) -> str:
    return "a value here" if name.startswith("_") else name
