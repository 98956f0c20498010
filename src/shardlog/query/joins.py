"""Literals over columns, joined: what one resolver gives pyDatalog at once.

Literals that follow each other in a plan, and read nothing that rules derive, are one block. It
goes from row to row by the columns' indexes; pyDatalog sees the variables that the rest of the rule
needs.
"""

from __future__ import annotations

import fnmatch
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from shardlog.engine.errors import EvaluationError
from shardlog.engine.syntax import Compare, Compute, Constant, Literal, Match, Member, Term, Test
from shardlog.query.bounds import LARGEST_NUMBER, Meter
from shardlog.query.planning import known_places
from shardlog.query.relations import Source

__all__ = ["Block"]

Env = tuple[Any, ...]
Get = Callable[[Env], Any]
Step = Callable[[Iterator[Env]], Iterator[Env]]


@lru_cache(maxsize=256)
def _literally(pattern: str) -> str:
    """A pattern in which brackets stand for themselves."""
    return pattern.replace("[", "[[]")


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_COMPUTE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
_TESTS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda text, word: word in text,
    "starts_with": lambda text, word: text.startswith(word),
    "ends_with": lambda text, word: text.endswith(word),
    "like": lambda text, pattern: fnmatch.fnmatchcase(text, _literally(pattern)),
}


class Block:
    """A conjunction over columns, from the values of `inputs` to rows of `inputs` and `outputs`."""

    def __init__(
        self,
        literals: Sequence[Literal],
        inputs: Sequence[str],
        outputs: Sequence[str],
        sources: Mapping[str, Source],
        meter: Meter,
    ) -> None:
        self.literals, self.inputs, self.outputs = literals, inputs, outputs
        self._sources, self._meter = sources, meter
        self._slots = {name: place for place, name in enumerate(inputs)}
        steps: list[Step] = [self._step(literal) for literal in literals]
        self._steps = steps
        self._wanted = [self._slots[name] for name in outputs]

    def rows(self, values: Env) -> Iterator[Env]:
        """The values of the outputs, for values of the inputs; repeated rows are left out."""
        rows: Iterator[Env] = iter((values,))
        for step in self._steps:
            rows = step(rows)
        wanted = self._wanted
        if not wanted:
            # whether there is any is all that is asked
            for _ in rows:
                yield ()
                return
            return
        seen: set[Env] = set()
        for env in rows:
            row = tuple([env[place] for place in wanted])
            if row not in seen:
                seen.add(row)
                self._meter.row()
                yield row

    # ------------------------------------------------------------ steps

    def _step(self, literal: Literal) -> Step:
        match literal:
            case Match():
                return self._match(literal)
            case Compare("==", left, right) if not (self._has(left) and self._has(right)):
                known, new = (left, right) if self._has(left) else (right, left)
                get = self._get(known)
                self._bind(new)
                return lambda rows: ((*env, get(env)) for env in rows)
            case Compare(symbol, left, right):
                return self._compare(symbol, left, right)
            case Compute(target, symbol, arguments):
                return self._compute(target, symbol, arguments)
            case Test(function, arguments, negated):
                return self._test(function, arguments, negated)
            case Member(term, values, negated):
                return self._member(term, [value.value for value in values], negated)

    def _match(self, literal: Match) -> Step:
        source = self._sources[literal.relation]
        places = known_places(literal, set(self._slots))
        key = self._key([literal.terms[place] for place in places])
        lookup, step = source.lookup, self._meter.step
        if literal.negated:
            repeated = _repeated(literal, places)

            def denied(rows: Iterator[Env]) -> Iterator[Env]:
                for env in rows:
                    step()
                    found = lookup(places, key(env))
                    if not any(all(row[a] == row[b] for a, b in repeated) for row in found):
                        yield env

            return denied
        repeated = _repeated(literal, places)
        new: list[int] = []
        for place, term in enumerate(literal.terms):
            if place not in places and not self._has(term):
                self._bind(term)
                new.append(place)
        pick = _picker(new)

        def matched(rows: Iterator[Env]) -> Iterator[Env]:
            for env in rows:
                step()
                for row in lookup(places, key(env)):
                    step()
                    if repeated and not all(row[a] == row[b] for a, b in repeated):
                        continue
                    yield env + pick(row)

        return matched

    def _compare(self, symbol: str, left: Term, right: Term) -> Step:
        one, other, compare = self._get(left), self._get(right), _COMPARE[symbol]
        if symbol in ("==", "!="):
            return lambda rows: (env for env in rows if compare(one(env), other(env)))

        def compared(rows: Iterator[Env]) -> Iterator[Env]:
            for env in rows:
                a, b = one(env), other(env)
                if type(a) is not type(b):
                    raise EvaluationError(
                        f"{a!r} {symbol} {b!r}: a number and a text cannot be compared"
                    )
                if compare(a, b):
                    yield env

        return compared

    def _compute(self, target: Term, symbol: str, arguments: Sequence[Term]) -> Step:
        one, other = (self._get(argument) for argument in arguments)
        held = self._get(target) if self._has(target) else None
        if held is None:
            self._bind(target)

        def computed(rows: Iterator[Env]) -> Iterator[Env]:
            for env in rows:
                value = _reckoned(symbol, one(env), other(env))
                if value is None:
                    continue
                if held is None:
                    yield (*env, value)
                elif held(env) == value:
                    yield env

        return computed

    def _test(self, function: str, arguments: Sequence[Term], negated: bool) -> Step:
        text, word, test = self._get(arguments[0]), self._get(arguments[1]), _TESTS[function]

        def tested(rows: Iterator[Env]) -> Iterator[Env]:
            for env in rows:
                a, b = text(env), word(env)
                if not isinstance(a, str) or not isinstance(b, str):
                    raise EvaluationError(f"{function}({a!r}, {b!r}): it takes two texts")
                if test(a, b) is not negated:
                    yield env

        return tested

    def _member(self, term: Term, values: list[Any], negated: bool) -> Step:
        if not self._has(term):
            self._bind(term)
            return lambda rows: ((*env, value) for env in rows for value in dict.fromkeys(values))
        get, known = self._get(term), set(values)
        return lambda rows: (env for env in rows if (get(env) in known) is not negated)

    # ------------------------------------------------------------ values

    def _has(self, term: Term) -> bool:
        return isinstance(term, Constant) or term.name in self._slots

    def _bind(self, term: Term) -> None:
        assert not isinstance(term, Constant)
        self._slots[term.name] = len(self._slots)

    def _get(self, term: Term) -> Get:
        if isinstance(term, Constant):
            value = term.value
            return lambda env: value
        return operator.itemgetter(self._slots[term.name])

    def _key(self, terms: Sequence[Term]) -> Get:
        gets = [self._get(term) for term in terms]
        if len(gets) == 1:
            (get,) = gets
            return lambda env: (get(env),)
        return lambda env: tuple([get(env) for get in gets])


def _picker(places: Sequence[int]) -> Callable[[Env], Env]:
    if len(places) == 1:
        (place,) = places
        return lambda row: (row[place],)
    return lambda row: tuple([row[place] for place in places])


def _repeated(literal: Match, places: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of places at which one variable stands that has no value yet."""
    first: dict[Term, int] = {}
    pairs = []
    for place, term in enumerate(literal.terms):
        if place not in places and first.setdefault(term, place) != place:
            pairs.append((first[term], place))
    return pairs


def _reckoned(symbol: str, left: Any, right: Any) -> int | None:
    """The value of an operation; none for a division by zero. Raises EvaluationError."""
    if not isinstance(left, int) or not isinstance(right, int):
        raise EvaluationError(f"{left!r} {symbol} {right!r}: only numbers can be reckoned with")
    if symbol in ("//", "%") and right == 0:
        return None
    value = _COMPUTE[symbol](left, right)
    if abs(value) > LARGEST_NUMBER:
        raise EvaluationError(f"{left} {symbol} {right} is too large: numbers go to 2**63 - 1")
    return value
