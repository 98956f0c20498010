"""Writes the part of a rule that reads lattices: kernels for plans, inline code for live calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine.alternatives import Alternative, Block, Item, Live, Read, goal_terms
from shardlog.engine.declarations import Channel
from shardlog.engine.leaves import InlineLeaf, RowLeaf
from shardlog.engine.syntax import Compute, Match, Rule, Term, Variable
from shardlog.engine.tables import ProposalTables, has_live
from shardlog.engine.traced import TracedMemo, TracedTables
from shardlog.engine.writer import OPERATORS, Writer
from shardlog.light import dataclass

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler

Solution = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Kernel:
    """Expressions for the parts of a step, as a plan function writes them, and where to."""

    indent: int
    table: str
    source: str
    sources: str
    contributors: str
    filtered: str
    several: str
    live: str


@dataclass(frozen=True, slots=True)
class Reader:
    """How a lattice value is spelt (`entity name -> expression`), and whether code is inline."""

    spell: Callable[[Read], str]
    inline: bool


class DynamicWriter:
    """Writes kernels; one instance per compiler, which shares equal ones."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.functions: dict[str, str] = {}
        self.tables: dict[tuple[str, int], str] = {}
        self.asks = False
        """Whether the kernel of any row looks at facts at the instant."""
        compiler.namespace["has_live"] = has_live

    # ------------------------------------------------------------ items

    def live_reader(self) -> Reader:
        """Reads the state itself."""
        term = self.compiler.names.term
        return Reader(lambda read: f"state_{read.lattice}[{term(read.entity)}]", True)

    def write(
        self,
        w: Writer,
        items: Sequence[Item],
        bound: Iterable[str],
        indent: int,
        reader: Reader,
        solution: Solution,
        blocks: dict[int, str] | None = None,
    ) -> None:
        """Writes items one inside the other, and the solution within; `blocks` names their rows."""
        names = set(bound)
        term = self.compiler.names.term
        for place, item in enumerate(items):
            if isinstance(item, Read):
                expression = reader.spell(item)
                if item.kind == "unset":
                    w.put(indent, f"if {expression} is None:")
                    indent += 1
                    continue
                assert isinstance(item.value, Variable)
                w.put(indent, f"{item.value.name} = {expression}")
                names.add(item.value.name)
                if item.kind == "value":
                    w.put(indent, f"if {item.value.name} is not None:")
                    indent += 1
            elif isinstance(item, Block):
                rows = (blocks or {}).get(place)
                indent = self._block(w, item, names, indent, rows)
                if isinstance(item.value, Variable):
                    names.add(item.value.name)
            elif isinstance(item, Live):
                indent = self._live(w, item, names, indent)
            elif isinstance(item, Compute):
                value = self.compiler.goals.compute(item.function, item.arguments)
                if isinstance(item.target, Variable) and item.target.name not in names:
                    w.put(indent, f"{item.target.name} = {value}")
                    names.add(item.target.name)
                    if item.function not in OPERATORS:
                        w.put(indent, f"if {item.target.name} is not None:")
                        indent += 1
                else:
                    w.put(indent, f"if {value} == {term(item.target)}:")
                    indent += 1
            else:
                self.compiler.answers.know_of(item)
                indent, now = self.compiler.goals.write(w, item, frozenset(names), indent)
                names |= now
        solution(indent)

    def _live(self, w: Writer, item: Live, names: set[str], indent: int) -> int:
        compiler, term = self.compiler, self.compiler.names.term
        function = compiler.answers.live_function(item.relation, item.given, item.mask)
        given, targets, checks = [], [], []
        for out, ok in zip(item.terms, item.given, strict=True):
            if ok:
                given.append(term(out))
            elif isinstance(out, Variable) and out.name not in names:
                targets.append(out.name)
                names.add(out.name)
            else:
                fresh = compiler.names.fresh("x")
                targets.append(fresh)
                checks.append(f"{fresh} == {term(out)}")
        call = f"{function}({', '.join(given)})"
        if targets:
            w.put(indent, f"for {compiler.names.targets(targets)} in {call}:")
        else:
            w.put(indent, f"if {call}:")
        indent += 1
        for check in checks:
            w.put(indent, f"if {check}:")
            indent += 1
        return indent

    def _block(
        self, w: Writer, block: Block, names: set[str], indent: int, rows: str | None
    ) -> int:
        compiler = self.compiler
        if rows is None:
            found = compiler.names.fresh("found")
            leaf = InlineLeaf(compiler, block, found)
            w.put(indent, f"{found} = {'{}' if block.kind == 'agg' else 'False'}")
            compiler.group(w, block.alternatives, frozenset(names), {}, indent, leaf)
        else:
            outer = "".join(f", {name}" for name in _outer(block, names))
            call = f"kernel(v, places, arguments{outer})"
            loop = f"for kernel, places, arguments in {rows}"
            found = compiler.names.fresh("found")
            if block.kind == "agg":
                w.put(indent, f"{found} = [row {loop} for row in ({call},) if row is not None]")
            else:
                w.put(indent, f"{found} = any({call} is not None {loop})")
        if block.kind == "agg":
            assert isinstance(block.value, Variable)
            assert block.aggregate is not None
            aggregate = compiler.names.constant(block.aggregate)
            w.put(indent, f"{block.value.name} = fold({aggregate}, {found})")
            w.put(indent, f"if {block.value.name} is not None:")
        else:
            w.put(indent, f"if {'not ' if block.kind == 'neg' else ''}{found}:")
        return indent + 1

    # ------------------------------------------------------------ kernels

    def kernel(
        self,
        w: Writer,
        alternative: Alternative,
        bound: frozenset[str],
        indent: int,
        channel: Channel,
        rule: Rule,
    ) -> Kernel:
        """Writes what a plan function needs to make a step, and the step's kernel if it is new."""
        compiler, names = self.compiler, self.compiler.names
        for item in _reads(alternative.dynamic):
            if item.lattice != channel.lattice:
                raise compiler.wrong(
                    rule, f"reads {item.lattice!r} while it fills {channel.lattice!r}"
                )
        head = [names.term(t) for t in alternative.head[: len(rule.terms)]]
        if channel.grain == "leaf":
            result = f"(({head[1]}, {head[2]}),)"
            used: list[Term] = list(alternative.head[1:3])
        elif channel.grain == "pair":
            result = f"({head[1]}, {head[3]})"
            used = [alternative.head[1], alternative.head[3]]
        else:
            result, used = head[1], [alternative.head[1]]
        entities = list(dict.fromkeys(read.entity for read in _main_reads(alternative.dynamic)))
        positive = list(
            dict.fromkeys(
                read.entity for read in _main_reads(alternative.dynamic) if _is_ground(read)
            )
        )
        has_blocks = any(isinstance(item, Block) for item in alternative.dynamic)
        is_live = _has_live(alternative)
        several = has_blocks or len(entities) > 1
        place = {entity: n for n, entity in enumerate(entities)}
        spell = (lambda read: f"v[{place[read.entity]}]") if several else (lambda read: "v")
        static = self._static_names(alternative.dynamic, used, bound)
        blocks: dict[int, str] = {}
        if has_blocks:
            w.put(indent, f"src = [{', '.join(names.term(e) for e in entities)}]")
            w.put(indent, f"pos = [{', '.join(names.term(e) for e in positive)}]")
            indent = self._rows(w, alternative.dynamic, bound, indent, blocks, "b", True)
        body = Writer()
        arguments = [*static, *blocks.values()]
        if arguments:
            body.put(1, f"{', '.join(arguments)}, = a")
        self.write(
            body,
            alternative.dynamic,
            static,
            1,
            Reader(spell, False),
            lambda inner: body.put(inner, f"return {result}"),
            blocks,
        )
        function = self._function("v, a", body)
        table = self._tables(function, rule, _asks(alternative), bool(blocks))
        values = [*static, *(f"tuple({name})" for name in blocks.values())]
        given = names.tuple(values)
        if has_blocks:
            source, sources, contributors = "tuple(src)", "tuple(src)", "tuple(pos)"
        else:
            terms = [names.term(e) for e in entities]
            source = names.tuple(terms) if several else (terms[0] if terms else "-1")
            sources, contributors = (
                names.tuple(terms),
                names.tuple([names.term(e) for e in positive]),
            )
        if is_live:
            live = f"({function}, {given})"
            flags = ("True", str(several), live)
            return Kernel(indent, "None", source, sources, contributors, *flags)
        proposals, live = f"{table}[{given}]", "None"
        if blocks:
            # which kernels its rows have is known when there are rows
            asked = f"has_live({names.tuple(list(blocks.values()))})"
            proposals = f"None if {asked} else {proposals}"
            live = f"({function}, {given}) if {asked} else None"
        flags = (str(has_blocks), str(several), live)
        return Kernel(indent, proposals, source, sources, contributors, *flags)

    def _rows(
        self,
        w: Writer,
        items: Sequence[Item],
        bound: frozenset[str],
        indent: int,
        blocks: dict[int, str],
        prefix: str,
        positive: bool,
    ) -> int:
        """Writes plan code that gathers the rows of each block among the items.

        Returns the indentation of what follows where facts alone have not decided against it.
        """
        seen: set[str] = set(bound)
        for place, item in enumerate(items):
            if isinstance(item, Block):
                name = f"{prefix}{place}"
                blocks[place] = name
                w.put(indent, f"{name} = []")
                outer = _outer(item, seen - set(bound))
                counts = positive and item.kind == "agg" and not item.quiet
                leaf = RowLeaf(self.compiler, item, name, outer, counts)
                self.compiler.group(w, item.alternatives, bound, {}, indent, leaf)
                w.put(indent, f"if None not in {name}:" if item.kind == "neg" else f"if {name}:")
                indent += 1
            seen |= _binds(item)
        return indent

    def row(
        self,
        w: Writer,
        alternative: Alternative,
        bound: frozenset[str],
        indent: int,
        leaf: RowLeaf,
    ) -> None:
        """Writes the plan code that adds one row of a block."""
        names = self.compiler.names
        if leaf.block.kind == "neg" and not alternative.dynamic:
            w.put(indent, f"{leaf.name}.append(None)")
            return
        reads = _main_reads(alternative.dynamic)
        entities = list(dict.fromkeys(read.entity for read in reads))
        place = {entity: n for n, entity in enumerate(entities)}
        head = list(alternative.head) if leaf.block.kind == "agg" else []
        static = [
            n for n in self._static_names(alternative.dynamic, head, bound) if n not in leaf.outer
        ]
        blocks: dict[int, str] = {}
        prefix = f"{leaf.name}_"
        indent = self._rows(w, alternative.dynamic, bound, indent, blocks, prefix, leaf.positive)
        body = Writer()
        arguments = [*static, *blocks.values()]
        if arguments:
            body.put(1, f"{', '.join(arguments)}, = a")
        result = names.tuple([names.term(t) for t in head]) if head else "True"
        self.write(
            body,
            alternative.dynamic,
            [*static, *leaf.outer],
            1,
            Reader(lambda read: f"v[p[{place[read.entity]}]]", False),
            lambda inner: body.put(inner, f"return {result}"),
            blocks,
        )
        outer = "".join(f", {name}" for name in leaf.outer)
        name = "live_" if _has_live(alternative) else ""
        if _asks(alternative):
            self.asks, name = True, f"{name}asking_"
        function = self._function(f"v, p, a{outer}", body, f"{name}kernel")
        spots = [f"len(src) + {n}" for n in range(len(entities))]
        values = names.tuple([*static, *(f"tuple({name})" for name in blocks.values())])
        w.put(indent, f"{leaf.name}.append(({function}, {names.tuple(spots)}, {values}))")
        if entities:
            w.put(indent, f"src.extend({names.tuple([names.term(e) for e in entities])})")
        if leaf.positive:
            found = [e for e in entities if any(r.entity == e and _is_ground(r) for r in reads)]
            if found:
                w.put(indent, f"pos.extend({names.tuple([names.term(e) for e in found])})")

    def _function(self, parameters: str, body: Writer, prefix: str = "kernel") -> str:
        text = body.text()
        key = f"{parameters}\n{text}"
        if key not in self.functions:
            name = self.functions[key] = self.compiler.names.fresh(prefix)
            self.compiler.load(f"def {name}({parameters}):\n{text}    return None\n")
        return self.functions[key]

    def _tables(self, function: str, rule: Rule, asks: bool, has_rows: bool) -> str:
        key = (function, id(rule))
        if key not in self.tables:
            kernel: Any = self.compiler.namespace[function]
            tables = ProposalTables(kernel, rule, has_rows)
            name = self.tables[key] = self.compiler.names.fresh("tables_")
            stand_ins = self.compiler.stand_ins
            tracer = stand_ins.tracer
            other = TracedMemo(tables, tracer) if asks else TracedTables(name, tables, tracer)
            stand_ins.add(name, tables, other)
            if asks:
                # such a kernel looks at facts too, so what it said holds for these alone
                self.compiler.perishable.append(tables)
            else:
                self.compiler.lasting.append(tables)
        return self.tables[key]

    def _static_names(
        self, items: Sequence[Item], head: Iterable[Term], bound: frozenset[str]
    ) -> list[str]:
        """The plan's locals that a kernel needs; blocks' own needs travel in their rows."""
        found: dict[str, None] = {}
        for item in items:
            terms: Iterable[Term]
            if isinstance(item, Read):
                terms = (item.value,)
            elif isinstance(item, Block):
                terms = (item.value,) if item.value is not None else ()
            elif isinstance(item, Live):
                terms = item.terms
            else:
                terms = goal_terms(item)
            found |= {t.name: None for t in terms if isinstance(t, Variable) and t.name in bound}
        found |= {t.name: None for t in head if isinstance(t, Variable) and t.name in bound}
        return list(found)


def _main_reads(items: Sequence[Item]) -> list[Read]:
    return [item for item in items if isinstance(item, Read)]


def _is_ground(read: Read) -> bool:
    """Whether a rule says what it says because of the value read."""
    return read.kind == "value" and not read.quiet


def _reads(items: Sequence[Item]) -> list[Read]:
    """All reads, those within blocks included."""
    found = []
    for item in items:
        if isinstance(item, Read):
            found.append(item)
        elif isinstance(item, Block):
            for alternative in item.alternatives:
                found += _reads(alternative.dynamic)
    return found


def _asks(alternative: Alternative) -> bool:
    """Whether a kernel looks a static relation up at the instant."""
    return any(
        isinstance(item, Match) or (isinstance(item, Block) and any(map(_asks, item.alternatives)))
        for item in alternative.dynamic
    )


def _has_live(alternative: Alternative) -> bool:
    return any(
        isinstance(item, Live)
        or (isinstance(item, Block) and any(map(_has_live, item.alternatives)))
        for item in alternative.dynamic
    )


def _binds(item: Item) -> set[str]:
    """The names that an item may bind."""
    if isinstance(item, Read):
        return {item.value.name} if isinstance(item.value, Variable) else set()
    if isinstance(item, Block):
        return {item.value.name} if isinstance(item.value, Variable) else set()
    terms = item.terms if isinstance(item, Live) else goal_terms(item)
    return {t.name for t in terms if isinstance(t, Variable)}


def _mentions(alternative: Alternative) -> set[str]:
    """All names in an alternative."""
    found: set[str] = {t.name for t in alternative.head if isinstance(t, Variable)}
    for goal in alternative.goals:
        found |= {t.name for t in goal_terms(goal) if isinstance(t, Variable)}
    for item in alternative.dynamic:
        found |= _binds(item)
        if isinstance(item, Block):
            for inner in item.alternatives:
                found |= _mentions(inner)
    return found


def _outer(block: Block, names: Iterable[str]) -> list[str]:
    """The dynamic names of the surrounding body that a block refers to, sorted."""
    mentioned: set[str] = set()
    dynamic: set[str] = set()
    for alternative in block.alternatives:
        mentioned |= _mentions(alternative)
        dynamic |= alternative.dynamic_names
    return sorted(name for name in names if name in mentioned and name in dynamic)
