"""Leaves: what generated code does where a way through a body has nothing left to enumerate."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from shardlog.engine.alternatives import Alternative, Block
from shardlog.engine.declarations import Channel
from shardlog.engine.syntax import Rule, Variable
from shardlog.engine.tables import Step
from shardlog.engine.tokens import NotAlike, OwnTable
from shardlog.engine.writer import Writer

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler


class Leaf:
    """What is written where an alternative has no goals left."""

    dispatches = False
    extra: tuple[str, ...] = ()
    key: Any = None

    def begin(self, w: Writer) -> None:
        """Writes the first lines of the function."""

    def end(self, w: Writer) -> None:
        """Writes the last lines of the function."""

    def call(self, w: Writer, indent: int, expression: str) -> None:
        """Writes the call of a continuation."""
        w.put(indent, expression)

    def rule(self, alternative: Alternative) -> Rule | None:
        """The rule that an alternative is of, if that is known here."""
        return None

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        """Writes the leaf of one alternative."""
        raise NotImplementedError


class SolveLeaf(Leaf):
    """Solutions of a relation: rows, the first value, or whether there is one."""

    def __init__(
        self, compiler: Compiler, rules: Sequence[Rule], kind: str, live: bool = False
    ) -> None:
        """`kind` is rows, first or test; `live` says whether lattices are read."""
        self.compiler, self.rules = compiler, rules
        self.kind, self.live = kind, live
        self.dispatches = kind == "rows"
        self.extra = ("out",)
        self.key = (kind, live)

    def rule(self, alternative: Alternative) -> Rule | None:
        return self.rules[alternative.path[0][1]] if alternative.path else self.rules[0]

    def begin(self, w: Writer) -> None:
        w.put(1, "out = {}" if self.kind == "rows" else "pass")

    def end(self, w: Writer) -> None:
        w.put(1, "return tuple(out)" if self.kind == "rows" else "return None")

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        names = self.compiler.names

        def solution(inner: int) -> None:
            terms = [names.term(t) for t in alternative.head]
            if self.kind == "rows":
                w.put(inner, f"out[{names.tuple(terms)}] = None")
            elif self.kind == "first":
                w.put(inner, f"return {terms[0]}")
            else:
                w.put(inner, "return True")

        if alternative.dynamic:
            reader = self.compiler.dynamic.live_reader()
            self.compiler.dynamic.write(w, alternative.dynamic, bound, indent, reader, solution)
        else:
            solution(indent)


class StepLeaf(Leaf):
    """A step of a plan: kernel, sources, join, and what to say of it."""

    dispatches = True
    extra = ("out",)

    def __init__(
        self, compiler: Compiler, rules: Sequence[tuple[Channel, Rule]], variable: str
    ) -> None:
        self.compiler, self.rules, self.variable = compiler, rules, variable
        self.key = ("step", variable, rules[0][0].visit)

    def rule(self, alternative: Alternative) -> Rule | None:
        return self.rules[alternative.path[0][1]][1]

    def begin(self, w: Writer) -> None:
        w.put(1, "out = []")

    def end(self, w: Writer) -> None:
        w.put(1, "return out if len(out) < 2 else in_order(out)")
        self.compiler.namespace["in_order"] = _in_order

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        (_, number), *path = alternative.path
        channel, rule = self.rules[number]
        targets = alternative.head[:3:2] if channel.grain == "pair" else alternative.head[:1]
        for term in (*targets, *alternative.order):
            if isinstance(term, Variable) and term.name not in bound:
                message = "what it changes and its order must not be values of a lattice"
                raise self.compiler.wrong(rule, message)
        compiler, names = self.compiler, self.compiler.names
        kernel = compiler.dynamic.kernel(w, alternative, bound, indent, channel, rule)
        indent = kernel.indent
        tables = compiler.join_tables(channel.join)
        extra = len(rule.terms)
        context = names.tuple([names.term(t) for t in alternative.head[extra:]])
        order = names.tuple([names.term(t) for t in alternative.order])
        target = names.term(alternative.head[0])
        partner = names.term(alternative.head[2]) if channel.grain == "pair" else "None"
        held = names.hold("rule", rule), names.hold("channel", channel)
        info = (
            f"Info({held[0]}, {held[1]}, {target}, {partner}, {kernel.contributors}, "
            f"{kernel.sources}, {kernel.filtered}, {kernel.several}, {kernel.live})"
        )
        plain = channel.grain != "pair" and kernel.live == "None" and target == self.variable
        source = kernel.source if plain else "None"
        step = f"({alternative.mask}, {source}, {kernel.table}, {tables}[{context}], {info})"
        w.put(indent, f"out.append((({number}, {order}, {tuple(sorted(path))!r}), {step}))")


class RowLeaf(Leaf):
    """A row of a block, gathered by a plan function into a list."""

    dispatches = True

    def __init__(
        self, compiler: Compiler, block: Block, name: str, outer: list[str], positive: bool
    ) -> None:
        self.compiler, self.block, self.name = compiler, block, name
        self.outer, self.positive = outer, positive
        self.extra = (name, "src", "pos")
        self.key = ("row", block.kind, name, tuple(outer), positive)

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        """Writes the row."""
        self.compiler.dynamic.row(w, alternative, bound, indent, self)


class InlineLeaf(RowLeaf):
    """A solution of a block in code that runs at the instant."""

    dispatches = False

    def __init__(self, compiler: Compiler, block: Block, found: str) -> None:
        super().__init__(compiler, block, found, [], False)

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        """Writes the dynamic part in place, and what to note down of a solution."""
        names = self.compiler.names
        if self.block.kind == "agg":
            row = names.tuple([names.term(t) for t in alternative.head])
            text = f"{self.name}[{row}] = None"
        else:
            text = f"{self.name} = True"
        reader = self.compiler.dynamic.live_reader()
        self.compiler.dynamic.write(
            w, alternative.dynamic, bound, indent, reader, lambda inner: w.put(inner, text)
        )


Keyed: TypeAlias = tuple[Any, Step]
_KEY = itemgetter(0)


def _in_order(pairs: list[Keyed]) -> list[Keyed]:
    """Steps sorted by their keys, those left out that an equal one comes before."""
    pairs.sort(key=_KEY)
    if OwnTable in [step[2].__class__ for _, step in pairs]:
        _known_beforehand(pairs)
    before = None
    for key, _ in pairs:
        if key == before:
            return _without_repetitions(pairs)
        before = key
    return pairs


def _known_beforehand(pairs: Sequence[Keyed]) -> None:
    """Raises NotAlike where an own table is asked of what an earlier step may have changed."""
    changed: list[Any] = []
    for _, (_, _, table, _, info) in pairs:
        if table.__class__ is OwnTable and any(s == c for s in info.sources for c in changed):
            raise NotAlike
        changed += [info.target] if info.partner is None else [info.target, info.partner]


def _without_repetitions(pairs: list[Keyed]) -> list[Keyed]:
    kept = [pairs[0]]
    for key, step in pairs[1:]:
        if key == kept[-1][0]:
            mask = step[0]
            for other, earlier in reversed(kept):
                if other != key or mask == 0:
                    break
                if _equal(step, earlier):
                    mask &= ~earlier[0]
            if mask == 0:
                continue
            step = (mask, *step[1:])
        kept.append((key, step))
    return kept


def _equal(one: Step, other: Step) -> bool:
    """Whether two steps ask the same and propose it to the same."""
    a, b = one[4], other[4]
    same = (
        a.sources == b.sources
        and (a.target, a.partner) == (b.target, b.partner)
        and a.live == b.live
    )
    if same and one[2] is not other[2] and OwnTable in (one[2].__class__, other[2].__class__):
        # another entity may have one and the same in both places
        raise NotAlike
    return same and one[2] is other[2]
