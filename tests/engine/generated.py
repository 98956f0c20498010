"""Strategies for rule sets and facts over the small vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from shardlog.engine import Facts
from tests.engine.vocabulary import CHANNELS, DECLARATIONS, OPTIONS, PHASES, WAKES

Draw = Callable[[st.SearchStrategy[Any]], Any]


class Body:
    """A body in the making: the entities and values that its literals have bound so far.

    What it may mention depends on a level: -2 facts, -1 static relations, 0 also the lattices,
    1 and 2 also volatile relations of the levels below.
    """

    def __init__(self, draw: Draw, level: int, entity: str, *values: str) -> None:
        self.draw, self.level = draw, level
        self.entities, self.values = [entity], list(values)
        self.parts: list[str] = []
        self.places, self.others = list("KPLQ"), list("OUW")
        self.fresh = 0

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def entity(self) -> str:
        name: str = self.pick(*self.entities)
        return name

    def local(self) -> str:
        """A variable that nothing else mentions."""
        self.fresh += 1
        return f"Z{self.fresh}"

    def new_value(self) -> str:
        self.fresh += 1
        self.values.append(f"V{self.fresh}")
        return self.values[-1]

    def value(self) -> str:
        """A variable with a value; if there is none yet, an entity's."""
        if not self.values or self.pick(True, False, False):
            self.parts.append(f"(val[{self.entity()}] == {self.new_value()})")
        name: str = self.pick(*self.values)
        return name

    def go(self) -> None:
        """Goes on to another entity, by facts."""
        if self.others and self.places:
            here, there, place = self.entity(), self.others.pop(0), self.places.pop(0)
            ways = [
                f"(argument[{here}, {place}] == {there})",
                f"(argument[{there}, {place}] == {here})",
                f"(user[{here}, {place}] == {there})",
                f"(following[{here}] == {there})",
                f"link({here}, {there})",
            ]
            if self.level > -1:
                ways += [f"reaches({here}, {there})", f"near({here}, {there})"]
            self.parts.append(self.pick(*ways))
            self.entities.append(there)

    def condition(self) -> None:
        """Demands something of an entity."""
        here, sign, number = self.entity(), self.pick("", "~"), self.pick(0, 1, 2)
        options = [
            f"(kind[{here}] == '{self.pick('a', 'b')}')",
            f"(kind[{here}] != 'a')",
            f"{sign}flag({here})",
            f"(size[{here}] {self.pick('<', '>=')} {number})",
            f"~(size[{here}] == 1)",
            f"~(following[{here}] == {self.local()})",
            f"kind[{here}].in_(('a', 'c'))",
            "(option['loud'] == True)",
            f"(fan[{here}] {self.pick('==', '<')} 2)",
        ]
        if len(self.entities) > 1:
            options += [f"({self.entities[0]} != {self.entities[-1]})"]
            options += [f"{sign}link({self.entities[-1]}, {self.entities[0]})"]
        if self.level > -2:
            options += [f"{sign}plain({here})"]
        if self.level > -1:
            options += [
                f"~(val[{here}] == {self.local()})",
                f"(own[{here}] {self.pick('==', '!=')} {self.pick(None, 1, 2)})",
                f"(held[{here}] {self.pick('==', '!=')} {self.pick(None, 1, 2)})",
                f"{sign}(given[{here}] == {number})",
                f"~(given[{here}] == {self.local()})",
            ]
        if self.level > 0:
            options += [
                f"{sign}hot({here})",
                f"{sign}warm({here})",
                f"~(seen[{here}] == {self.local()})",
                f"~offer({here}, {self.local()})",
                f"{sign}offer({here}, {number})",
                f"{sign}(count[{here}] == {number})",
                f"~(ahead[{here}] == {self.local()})",
            ]
        if self.level > 1:
            options += [f"{sign}mild({here})", f"{sign}gate({here})"]
            options += [f"~wish({here}, {number}, {self.local()})"]
        self.parts.append(self.pick(*options))

    def derive(self) -> None:
        """Takes a value from a relation."""
        here = self.entity()
        options = [
            f"(own[{here}] == {{}}0) & ({{}} == or_nought({{}}0))",
            f"(held[{here}] == {{}}0) & ({{}} == or_nought({{}}0))",
            f"(given[{here}] == {{}})",
        ]
        if self.level > 0:
            options += [
                f"offer({here}, {{}})",
                f"(most[{here}] == {{}})",
                f"(seen[{here}] == {{}}0) & ({{}} == top_of({{}}0))",
                f"(count[{here}] == {{}})",
                f"(total[{here}] == {{}}0) & ({{}} == {{}}0 % 8)",
                f"(ahead[{here}] == {{}})",
            ]
        if self.level > 1:
            options += [f"wish({here}, {self.value()}, {{}})", f"wish({here}, 1, {{}})"]
        template: str = self.pick(*options)
        self.parts.append(template.replace("{}", self.new_value()))

    def test(self) -> None:
        """Demands something of a value."""
        one, other, sign = self.value(), self.value(), self.pick("", "~")
        self.parts.append(
            self.pick(
                f"{sign}odd({one})",
                f"{sign}huge({one})",
                f"({one} < {other})",
                f"({one} == {other})",
                f"({one} != 3)",
                f"{one}.not_in_((1, 2))",
                f"{sign}small({one})",
                f"{sign}modest({one})",
                f"{sign}twice({one}, {other})",
                f"~(square[{one}] == {self.local()})",
            )
        )

    def phase(self) -> None:
        """Demands something of the phase."""
        here = self.entities[0]
        options = ("tier(T) & (T >= 1)", "tier(1)", "tier(T) & (T < 2)")
        sign = self.pick("", "~")
        gates = (f"tier(T) & {sign}opens({here}, T)", f"tier(T) & {sign}busy({here}, T)")
        self.parts.append(self.pick(*options, *gates))

    def result(self) -> str:
        """A value computed from those that are bound."""
        one, other = self.value(), self.value()
        name = self.new_value()
        self.parts.append(
            self.pick(
                f"({name} == {one})",
                f"({name} == bump({one}))",
                f"({name} == mix({one}, {other}))",
                f"({name} == half({one}))",
                f"({name} == ({one} + {other}) % 8)",
                f"twice({one}, {name})",
                f"(square[{one}] == {name})",
            )
        )
        return name

    def grow(self, phases: bool = True) -> Body:
        for _ in range(self.pick(0, 1, 1, 2)):
            self.go()
        for _ in range(self.pick(0, 0, 0, 1, 1, 2)):
            self.condition()
        if self.level >= 0 and self.pick(True, False):
            self.derive()
        if self.level >= 0 and self.pick(True, False, False, False):
            self.test()
        if phases and self.pick(True, False, False, False):
            self.phase()
        return self

    def text(self, first: str) -> str:
        """The literals in any order, behind the one that binds the entity."""
        return " & ".join([first, *self.draw(st.permutations(self.parts))])


@st.composite
def rule_sets(draw: Draw) -> str:
    """A rule set that the checker should accept."""
    lines = [DECLARATIONS, draw(st.sampled_from(PHASES))]

    def several(low: int, high: int) -> range:
        return range(draw(st.integers(low, high)))

    def rules(head: str, level: int, most: int) -> None:
        """Rules of one relation; `{}` in the head stands for a value."""
        for _ in several(1, most):
            body = Body(draw, level, "X", *(["V"] if "V" in head else [])).grow(level > -1)
            whole = head.replace("{}", body.result()) if "{}" in head else head
            lines.append(f"{whole} <= {body.text('node(X)')}")

    rules("plain(X)", -2, 3)
    for _ in several(1, 2):
        body = Body(draw, -2, "X")
        body.others = ["Y"]
        body.go()
        lines.append(f"near(X, Y) <= {body.text('node(X)')}")
    rules("hot(X)", 0, 3)
    rules("offer(X, {})", 0, 3)
    rules("mild(X)", 1, 2)
    rules("wish(X, V, {})", 1, 2)
    rules("gate(X)", 1, 1)
    rules("open_to(X)", 1, 2)
    for number in several(2, 6):
        channel = draw(st.sampled_from(CHANNELS))
        body = Body(draw, 2, "I")
        if channel == "late":
            body.go()  # a phase that runs once has no value of the parameter
        else:
            body.grow()
        entity = st.sampled_from(body.entities)
        head = f"{draw(entity)}{', 1' if channel == 'leaf' else ''}, {body.result()}"
        if channel == "two":
            head += f", {draw(entity)}, {body.result()}"
        lines.append(f"# rule: {channel} {number}")
        lines.append(f"{channel}({head}) <= {body.text('node(I)')}")
    lines += draw(st.lists(st.sampled_from(WAKES), unique=True, min_size=1))
    lines += draw(st.lists(st.sampled_from(OPTIONS), unique=True))
    return "\n".join(lines) + "\n"


@st.composite
def graphs(draw: Draw) -> Facts:
    """Facts about a few entities."""
    count = draw(st.integers(2, 5))
    entities = st.integers(0, count - 1)

    def each(strategy: st.SearchStrategy[Any]) -> list[Any]:
        found: list[Any] = draw(st.lists(strategy, min_size=count, max_size=count))
        return found

    facts = Facts(count)
    facts.functional("kind", each(st.sampled_from("abc")))
    facts.functional("size", each(st.integers(0, 3)))
    facts.functional("block", sorted(each(st.integers(0, 2))))
    facts.functional("first", each(st.sampled_from([None, 0, 1, 1, 2, 3])))
    later = [draw(st.none() | st.integers(n + 1, count - 1)) for n in range(count - 1)]
    facts.lazy("following", [*later, None].__getitem__)
    arguments = each(st.lists(entities, max_size=2))
    facts.indexed("argument", arguments)
    facts.indexed("user", [[u for u in range(count) if n in arguments[u]] for n in range(count)])
    facts.table("node", [(n,) for n in range(count)], 1)
    facts.table("flag", [(n,) for n in draw(st.lists(entities, unique=True))], 1)
    facts.table("link", draw(st.lists(st.tuples(entities, entities), max_size=4)), 2)
    facts.constant("option", "loud", draw(st.booleans()))
    return facts
