"""What entities that are alike share: their colours, plans and values, for one compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine.classes import At, Classes, Found
from shardlog.engine.declarations import CHANGE, WAKES
from shardlog.engine.live import LiveVisits
from shardlog.engine.probes import SHORT
from shardlog.engine.syntax import Constant
from shardlog.engine.templates import Plan, template_of
from shardlog.engine.tokens import NotAlike, has_token
from shardlog.engine.writer import code_of, expression_of

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler

ROUNDS = "rounds"
REMEMBERED = 100_000
"""Colours that are remembered from one set of facts to the next."""


class Constants(dict[str, Any]):
    """What expressions in probes give that do not hang on entities, for the present facts."""

    __slots__ = ("things",)

    def __init__(self, things: dict[str, Any]) -> None:
        super().__init__()
        self.things = things

    def __missing__(self, expression: str) -> Any:
        value = self[expression] = eval(expression_of(expression), self.things)
        return value


class Sharing:
    """Finds out which entities are alike, and keeps what was made for one for all such."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler, self.declared = compiler, compiler.declared
        self.shared: dict[Any, Classes] = {}
        self.colours: list[int] = []
        self.populations: dict[int, list[int]] = {}
        """The entities of each colour."""
        self.met: set[int] = set()
        self.meeting: tuple[Any, set[int]] = None, set()
        """Colours of earlier facts, and the present facts with those of theirs."""
        self.familiar = True
        """Whether it pays to find out who is like whom."""
        self.refers: dict[str, frozenset[int]] = {}
        self.coloured: set[str] = set()
        self.getters: dict[str, tuple[str, tuple[int, ...] | None]] = {}
        """What probes call: a table, and the positions of the key, or None for membership."""
        self.mentions: dict[str, tuple[int, ...]] = {}
        self.held: dict[Constant, str] = {}
        self.values = Constants(compiler.stand_ins.things)

    def __getstate__(self) -> dict[str, Any]:
        # what was met was met in this process
        return {**self.__dict__, "met": set(), "meeting": (None, set())}

    def bind(self) -> None:
        """Turns to the facts that the compiler has now."""
        compiler = self.compiler
        facts, palette = compiler.facts, compiler.program.colours
        self.refers = palette.references(facts)
        self.coloured, self.mentions = (
            {*palette.columns(facts), *facts.told},
            palette.mentions(facts),
        )
        self.colours = palette.of(facts, [compiler.state[name] for name in sorted(compiler.frozen)])
        self.populations = palette.populations(self.colours)
        self.familiar = not compiler.program.for_many or self._meets()
        compiler.stand_ins.things |= {
            "SHORT": SHORT,
            "colours": self.colours,
            "constants": self.values,
            "entity_count": facts.entity_count,
        }
        self.renew_getters()
        self.values.clear()
        for classes in self.shared.values():
            classes.renew()

    def _meets(self) -> bool:
        """Whether most entities have colours that came before, in these facts or in others.

        If not, most of what traces tell of these facts would be told to nobody, and a trace takes
        several times as long as to plan without.
        """
        facts, colours = self.meeting
        if facts is not self.compiler.facts:
            self.met |= colours
            if len(self.met) > REMEMBERED:
                self.met.clear()
            self.meeting = self.compiler.facts, set()
        self.meeting[1].update(self.populations)
        return 4 * len(self.populations.keys() - self.met) <= len(self.colours)

    def visits(self, visit: str) -> Classes:
        """The templates of a visit, and whom they speak of for an entity."""
        if visit not in self.shared:
            bits = max(1, len(self.declared.parameter_values()))
            self.shared[visit] = Classes(
                self.compiler, self.compiler.plan(visit), template_of(bits, self.declared.insistent)
            )
        return self.shared[visit]

    def rounds(self) -> Classes:
        """The plans of the rounds, and whom they speak of for an entity."""
        if ROUNDS not in self.shared:
            sweeps = [self.compiler.plan(name) for name in self.declared.sweeps]
            visits = self.declared.visits.values()
            changes = [self.compiler.plan(visit.name) for visit in visits if visit.order == CHANGE]
            wakes = self._wakes()
            bits = max(1, len(self.declared.parameter_values()))
            template = template_of(bits, self.declared.insistent)
            numbers = {name: number for number, name in enumerate(self.declared.sweeps)}

            def planned(entity: int) -> Any:
                return (
                    [planner(entity) for planner in sweeps],
                    [planner(entity) for planner in changes],
                    wakes(entity),
                )

            def convert(found: Any, at: At) -> Plan | None:
                steps, triggered, rows = found
                woken = [(numbers[sweep], at(one)) for sweep, one in rows if sweep in numbers]
                plan = Plan(
                    [template(keyed, at) for keyed in steps],
                    [template(keyed, at) for keyed in triggered],
                    woken,
                    self.declared,
                )
                return plan if plan.busy or plan.changes or plan.woken else None

            self.shared[ROUNDS] = Classes(self.compiler, planned, convert)
        return self.shared[ROUNDS]

    def _wakes(self) -> Callable[[int], Sequence[tuple[str, int]]]:
        if not self.compiler.program.by_relation.get(WAKES):
            return lambda entity: ()
        helper = self.compiler.answers.helper(WAKES, (True, False, False))
        function: Callable[[int], Sequence[tuple[str, int]]]
        function = self.compiler.stand_ins.things[helper].function
        return function

    def live(self, visit: str, bit: int, lattice: str) -> LiveVisits:
        """The outcomes of the live visits of a sweep at one value of the phase parameter."""
        key = "live", visit, bit
        if key not in self.shared:
            self.shared[key] = LiveVisits(self.compiler, self.compiler.plan(visit), bit, lattice)
        found = self.shared[key]
        assert isinstance(found, LiveVisits)
        return found

    def column(self, relation: str) -> list[Any]:
        """The values that the rules of a functional relation give the entities, None for none."""
        count = self.compiler.facts.entity_count
        if not self.compiler.program.by_relation.get(relation):
            return [None] * count
        key = "column", relation
        if key not in self.shared:
            memo = self.compiler.stand_ins.things[
                self.compiler.answers.helper(relation, (True, False))
            ]
            self.shared[key] = Classes(self.compiler, memo.function, _value)
        found: dict[int, Found] = {}
        self.shared[key].fill(found)
        column = [None] * count
        for entity, ((value,), _) in found.items():
            column[entity] = value
        return column

    def probe(self, source: str) -> Callable[..., Any]:
        """The function that a trace has written."""
        exec(code_of(source), self.compiler.stand_ins.things)
        function: Callable[..., Any] = self.compiler.stand_ins.things.pop("probe")
        return function

    def thing(self, name: str) -> Any:
        """What probes find under a name."""
        return self.compiler.stand_ins.things[name]

    def value(self, expression: str) -> Any:
        """What an expression in a probe gives that does not hang on the entity."""
        return self.values[expression]

    def hold_for_probe(self, value: Any) -> str:
        """A name for a value in what probes are written in."""
        key = Constant(value)
        if key not in self.held:
            self.held[key] = self.compiler.names.fresh("held")
            self.compiler.stand_ins.things[self.held[key]] = value
        return self.held[key]

    def rows_by(self, table: str, positions: tuple[int, ...]) -> str:
        """A name for a function from a key and a default to the rows of a table."""
        name = f"{table}_by_{'_'.join(map(str, positions))}"
        self.getters[name] = table, positions
        self._set_getter(name)
        return name

    def has(self, table: str) -> str:
        """A name for a function that says whether a row is in a table."""
        name = f"{table}_has"
        self.getters[name] = table, None
        self._set_getter(name)
        return name

    def renew_getters(self) -> None:
        """Has probes ask the tables that there are now."""
        for name in self.getters:
            self._set_getter(name)

    def _set_getter(self, name: str) -> None:
        things = self.compiler.stand_ins.things
        table, positions = self.getters[name]

        def first(*arguments: Any) -> Any:
            # tables may be made when first asked; from then on the index itself is asked
            found = things[table]
            rows = found.rows
            getter = rows.__contains__ if positions is None else found.index(positions).get
            things[name] = getter
            return getter(*arguments)

        things[name] = first
        if name in self.compiler.namespace:
            # it comes there with everything else when tracing ends
            self.compiler.namespace[name] = first


def _value(value: Any, at: At) -> Any:
    """The outcome for a value of a column; in a tuple, since it may be anything."""
    if has_token(value):
        raise NotAlike
    return None if value is None else (value,)
