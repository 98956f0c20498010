"""Plans shared by entities that are alike: what a function of an entity gave one, for all such.

A function is run on tokens once; what it read is checked of every other entity, by a probe, and
where all of it agrees the outcome is the same but for the entities that it speaks of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from shardlog.engine.errors import EvaluationError
from shardlog.engine.probes import SHORT, Columns, probe_text
from shardlog.engine.tokens import NotAlike, OwnTable, Token, Trace, bare

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler
    from shardlog.engine.sharing import Sharing

At: TypeAlias = Callable[[Any], int]
Convert: TypeAlias = Callable[[Any, At], Any]
Found: TypeAlias = tuple[Any, Sequence[int]]
"""An outcome and the entities that it speaks of by number; the one that it is for comes first.

Among these may stand tables that the entity has to itself.
"""

REMEMBERED = 20_000
"""Colours of which something is kept from one set of facts to the next."""
FREE = 6
"""Traces of one colour that may be made whatever they give."""
MANY = 16
"""Entities for which it pays to ask all at once."""


FAILED = (SHORT,)
"""The key of an entity whose probe found nothing where it looked."""


class Leaf:
    """An outcome, with the entities beyond the tokens that it speaks of.

    `plain` says whether there is an outcome, and it speaks of tokens alone.
    """

    __slots__ = ("absolute", "outcome", "plain")

    def __init__(self, outcome: Any, absolute: tuple[int, ...]) -> None:
        self.outcome, self.absolute = outcome, absolute
        self.plain = outcome is not None and not absolute


ALONE = Leaf(None, ())
"""Stands where each entity has an outcome of its own."""


class Node:
    """A probe, for one entity or many, and what is known for the keys that it gives.

    Most probes are asked of many only: they are compiled when asked of one.
    """

    __slots__ = ("asked", "children", "of_all", "one", "paths", "reads")

    def __init__(self, trace: Trace) -> None:
        self.asked = trace.asked()
        self.of_all = all(read.kind == "constant" for read in self.asked)
        """Whether nothing is asked of the entity itself."""
        self.one: Callable[[int], Any] | None = None
        self.reads = frozenset(trace.reads)
        self.paths = {token.path: token.number for token in trace.tokens}
        self.children: dict[Any, Node | Leaf] = {}

    def probe(self, sharing: Sharing, entity: int) -> Any:
        """The key and the tokens of an entity."""
        if self.one is None:
            self.one = sharing.probe(probe_text(self.asked))
        return self.one(entity)

    def known_of_all(self, sharing: Sharing) -> Node | Leaf | None:
        """What is known of all entities alike, where nothing is asked of them."""
        try:
            return self.children.get(tuple([sharing.values[read.name] for read in self.asked]))
        except (IndexError, EvaluationError):
            # other facts may not have what the trace has read
            return ALONE

    def probe_of_many(
        self, sharing: Sharing, entities: Sequence[int], found: Any
    ) -> dict[Node | Leaf | None, list[int]]:
        """Finds outcomes of entities; returns the others by what is known of them."""
        rest: dict[Node | Leaf | None, list[int]] = {}
        known = self.children.get
        for part in Columns(self.asked, sharing, entities).ask():
            told = part.entities if part.rows is None else part.rows
            groups: dict[Any, Any] = {known(part.key): told}
            if part.keys is not None:
                groups = grouped(map(known, part.keys), told)
            for leaf, rows in groups.items():
                if part.rows is None:
                    rest.setdefault(leaf, []).extend(rows)
                elif leaf.__class__ is Leaf and leaf.plain:
                    outcome = leaf.outcome
                    for row in rows:
                        found[row[0]] = outcome, row
                else:
                    rest.setdefault(leaf, []).extend([row[0] for row in rows])
        return rest


def grouped(kinds: Iterable[Any], members: Iterable[Any]) -> dict[Any, list[Any]]:
    """The members by their kinds."""
    groups: dict[Any, list[Any]] = {}
    for kind, member in zip(kinds, members, strict=True):
        try:
            groups[kind].append(member)
        except KeyError:
            groups[kind] = [member]
    return groups


class Classes:
    """The outcomes of one function of entities, shared among those that are alike.

    `loose` says whether outcomes may name tables that entities have to themselves.
    """

    loose = True

    def __init__(
        self, compiler: Compiler, function: Callable[[int], Any], convert: Convert
    ) -> None:
        """`convert` makes an outcome, given what stands for an entity, out of what the function
        gives; the outcome None says that there is nothing."""
        self.compiler, self.function, self.convert = compiler, function, convert
        self.roots: dict[int, Node | Leaf] = {}
        self.perishable: set[int] = set()
        self.traces: Counter[int] = Counter()
        self.idle: set[int] = set()
        """Colours of which no entity has anything."""

    def renew(self) -> None:
        """Forgets what holds for the facts of the last run only."""
        if len(self.roots) > REMEMBERED:
            self.roots.clear()
            self.idle.clear()
        for colour in self.perishable:
            self.roots.pop(colour, None)
            self.idle.discard(colour)
        self.perishable.clear()
        self.traces.clear()

    def find(self, entity: int) -> Found | None:
        """The outcome for an entity, or None where there is nothing."""
        sharing = self.compiler.sharing
        colour = sharing.colours[entity]
        child = self.roots.get(colour)
        tokens: Sequence[int] = (entity,)
        key: Any = None
        parent: Node | None = None
        while child.__class__ is Node:
            parent = child
            try:
                key, tokens = child.one(entity) if child.one else child.probe(sharing, entity)
            except (IndexError, EvaluationError):
                # other facts may not have what the trace has read
                key, tokens = FAILED, ()
            child = child.children.get(key)
        if child is None:
            return self._new(colour, parent, key, entity)
        if child is ALONE:
            return self._alone(entity)
        if child.outcome is None:  # type: ignore[union-attr]
            return None
        if child.absolute:  # type: ignore[union-attr]
            tokens = (*tokens, *child.absolute)  # type: ignore[union-attr]
        return child.outcome, tokens  # type: ignore[union-attr]

    def fill(self, found: Any) -> None:
        """Puts the outcomes of all entities that have one where they belong in a list or dict."""
        for colour, entities in self.compiler.sharing.populations.items():
            if colour not in self.idle:
                self._fill(colour, self.roots.get(colour), entities, found)

    def _fill(
        self,
        colour: int,
        child: Node | Leaf | None,
        entities: Sequence[int],
        found: Any,
        ahead: int = 1,
    ) -> None:
        """The same for entities of one colour of whom the same is known so far.

        Where nothing is known, the first `ahead` of them are asked, since what is found out may
        hold for the others.
        """
        if isinstance(child, Node) and child.of_all:
            known = child.known_of_all(self.compiler.sharing)
            if known is not None:
                self._fill(colour, known, entities, found, ahead)
                return
        if child.__class__ is Leaf and child is not ALONE:
            # what is spoken of beyond tokens is known to `find`
            if child.outcome is None:
                return
            if child is self.roots.get(colour) and child.plain:
                outcome = child.outcome
                for entity in entities:
                    found[entity] = outcome, (entity,)
                return
        elif child.__class__ is Node and len(entities) >= MANY:
            try:
                rest = child.probe_of_many(self.compiler.sharing, entities, found)
            except (IndexError, EvaluationError):
                # other facts may not have what the trace has read
                rest = {ALONE: list(entities)}
            for known, others in rest.items():
                self._fill(colour, known, others, found, ahead)
            return
        elif child is None and len(entities) > MANY + ahead:
            self._fill(colour, ALONE, entities[:ahead], found)
            self._fill(colour, self.roots.get(colour), entities[ahead:], found, 2 * ahead)
            return
        find = self.find
        for entity in entities:
            one = find(entity)
            if one is not None:
                found[entity] = one

    def _new(self, colour: int, parent: Node | None, key: Any, entity: int) -> Found | None:
        if not self.compiler.sharing.familiar:
            return self._alone(entity)
        self.traces[colour] += 1
        self.compiler.program.learnt += 1
        if self.traces[colour] > FREE + len(self.compiler.sharing.populations[colour]) // 4:
            # what is so seldom like another is not worth the trace
            return self._alone(entity)
        sharing = self.compiler.sharing
        trace = Trace(entity, sharing, self.loose)
        stand_ins = self.compiler.stand_ins
        try:
            with stand_ins.tracing():
                stand_ins.tracer.trace = trace
                given = self.function(trace.start)
                return self._grow(colour, parent, key, trace, given)
        except (NotAlike, TypeError):
            # what cannot be checked or compared; as far as it was checked, others are like it
            if parent is None:
                self.roots[colour] = ALONE
            else:
                parent.children[key] = ALONE
            return self._alone(entity)
        finally:
            stand_ins.tracer.trace = None

    def _grow(
        self, colour: int, parent: Node | None, key: Any, trace: Trace, given: Any
    ) -> Found | None:
        """Puts what a trace says where it will be found."""
        covered = parent is None and len(trace.reads) == 1
        if parent is not None and (not key or key[0] is not SHORT):
            covered = parent.reads.issuperset(trace.reads)
        node = parent
        if not covered:
            node = Node(trace)
        at = _Places({trace.start.path: 0} if node is None else node.paths)
        outcome = self.convert(given, at)
        leaf = Leaf(outcome, tuple(at.absolute))
        if trace.perishable:
            self.perishable.add(colour)
        entity = int(trace.start)
        tokens: Sequence[int] = (entity,)
        made: Node | Leaf = leaf
        if not covered:
            assert node is not None
            tokens = tuple([bare(token) for token in trace.tokens])
            node.children[trace.key()] = leaf
            made = node
        elif node is not None:
            _, tokens = node.probe(self.compiler.sharing, entity)
        if parent is not None:
            parent.children[key] = made
        else:
            self.roots[colour] = made
            if made is leaf and outcome is None:
                self.idle.add(colour)
        return None if outcome is None else (outcome, (*tokens, *at.absolute))

    def _alone(self, entity: int) -> Found | None:
        places = _Numbers()
        at = places.__getitem__
        at(entity)
        outcome = self.convert(self.function(entity), at)
        return None if outcome is None else (outcome, tuple(places))


class _Numbers(dict[Any, int]):
    """Gives entities numbers in the order in which they are asked for."""

    __slots__ = ()

    def __missing__(self, entity: Any) -> int:
        number = self[entity] = len(self)
        return number


class _Places:
    """Gives the entities of an outcome numbers: tokens by their paths, others behind them."""

    def __init__(self, paths: dict[str, int]) -> None:
        self.paths = paths
        self.absolute: dict[int, int] = {}

    def __call__(self, entity: Any) -> int:
        if entity.__class__ is Token or entity.__class__ is OwnTable:
            return self.paths[entity.path]
        return self.absolute.setdefault(entity, len(self.paths) + len(self.absolute))
