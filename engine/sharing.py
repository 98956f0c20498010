"""What entities that are alike share: their colours, plans and values, for one compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine.classes import At, Classes
from shardlog.engine.declarations import CHANGE, WAKES
from shardlog.engine.live import LiveVisits
from shardlog.engine.templates import Plan, template_of
from shardlog.engine.tokens import SHORT, NotAlike, has_token
from shardlog.engine.writer import code_of

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler

ROUNDS = "rounds"


class Sharing:
    """Finds out which entities are alike, and keeps what was made for one for all such."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler, self.declared = compiler, compiler.declared
        self.shared: dict[Any, Classes] = {}
        self.colours: list[int] = []
        self.populations: Counter[int] | None = None
        self.refers: dict[str, frozenset[int]] = {}
        self.coloured: set[str] = set()
        self.mentions: dict[str, tuple[int, ...]] = {}

    def __getstate__(self) -> dict[str, Any]:
        # what entities share was found out about the facts of a run
        return {**self.__dict__, "shared": {}, "colours": [], "populations": None}

    def bind(self) -> None:
        """Turns to the facts that the compiler has now."""
        compiler = self.compiler
        facts, palette = compiler.facts, compiler.program.colours
        self.refers = palette.references(facts)
        self.coloured, self.mentions = {*palette.columns(facts)}, palette.mentions(facts)
        self.colours = palette.of(facts, [compiler.state[name] for name in sorted(compiler.frozen)])
        self.populations = None
        compiler.stand_ins.things |= {
            "SHORT": SHORT,
            "colours": self.colours,
            "entity_count": facts.entity_count,
        }
        for classes in self.shared.values():
            classes.renew()

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
        return [found and found[0][0] for found in self.shared[key].all(range(count))]

    def population(self, entity: int) -> int:
        """The number of entities of the colour of one."""
        if self.populations is None:
            self.populations = Counter(self.colours)
        return self.populations[self.colours[entity]]

    def probe(self, source: str) -> Callable[[int], Any]:
        """The function that a trace has written."""
        exec(code_of(source), self.compiler.stand_ins.things)
        function: Callable[[int], Any] = self.compiler.stand_ins.things.pop("probe")
        return function

    def hold_for_probe(self, value: Any) -> str:
        """A name for a value in what probes are written in."""
        name = self.compiler.names.fresh("held")
        self.compiler.stand_ins.things[name] = value
        return name


def _value(value: Any, at: At) -> Any:
    """The outcome for a value of a column; in a tuple, since it may be anything."""
    if has_token(value):
        raise NotAlike
    return None if value is None else (value,)
