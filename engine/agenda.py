"""The agenda: which visits of a sweep are due, and which are to be looked at in the next round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from shardlog.engine.tables import Step


class Agenda:
    """The plans and marks of one sweep.

    `now` marks the visits that are due. `later` marks those whose outcome may differ when the next
    round starts. `readers` gives the entities whose visit reads an entity's value, `opening` those
    for which a value of the phase parameter makes a difference, `live` those that read what is
    known at the instant only, `restless` the parameter values (bits) for which an entity stays due
    until its visit changes something, `insistent` those for which what is proposed counts as a
    change even if it changes nothing.
    """

    def __init__(
        self,
        name: str,
        descending: bool,
        plans: list[list[Step]],
        restless: Collection[str],
        insistent: Collection[str] = (),
    ) -> None:
        """`restless` and `insistent` name channels."""
        self.name, self.descending, self.plans = name, descending, plans
        self.now = bytearray(len(plans))
        self.later = bytearray(len(plans))
        self.readers: list[list[int] | None] = [None] * len(plans)
        self.opening: dict[int, list[int]] = {}
        self.live: list[int] = []
        self.restless = [0] * len(plans)
        self.insistent = [0] * len(plans)
        for entity, plan in enumerate(plans):
            if plan:
                self._index(entity, plan, restless, insistent)

    def _index(
        self,
        entity: int,
        plan: Sequence[Step],
        restless: Collection[str],
        insistent: Collection[str],
    ) -> None:
        newly = 0
        for mask, source, _, joins, info in plan:
            newly |= mask & (joins.turns | ~(mask << 1))
            if source.__class__ is int:
                if source >= 0:
                    readers = self.readers[source]
                    if readers is None:
                        self.readers[source] = [entity]
                    else:
                        readers.append(entity)
            else:
                # what a step may change matters to its join, as what it reads does
                concerned = {*info.sources, info.target}
                if info.partner is not None:
                    concerned.add(info.partner)
                for one in concerned:
                    readers = self.readers[one]
                    if readers is None:
                        self.readers[one] = [entity]
                    else:
                        readers.append(entity)
            if info.live is not None and (not self.live or self.live[-1] != entity):
                self.live.append(entity)
            if info.channel.head in restless:
                self.restless[entity] |= mask
            if info.channel.head in insistent:
                self.insistent[entity] |= mask
        # whatever comes before the first value, all are visited then
        newly >>= 1
        bit = 0
        while newly:
            bit += 1
            if newly & 1:
                self.opening.setdefault(bit, []).append(entity)
            newly >>= 1

    def concerned(self, entity: int) -> tuple[int, ...]:
        """The entities whose visit may have another outcome once this one has changed."""
        readers = dict.fromkeys(self.readers[entity] or ())
        if self.plans[entity]:
            readers[entity] = None
        return tuple(readers)

    def mark_all(self) -> None:
        """Makes every visit due."""
        self.now[:] = b"\1" * len(self.plans)
        self.later = bytearray(len(self.plans))

    def mark_changed(self, bit: int, opened: bool) -> None:
        """Makes the visits due that may have another outcome than the last time.

        `bit` is that of the phase parameter's value; `opened` says whether it is a new value.
        """
        for entity in self.live:
            self.now[entity] = 1
        if opened:
            for entity in self.opening.get(bit, ()):
                self.now[entity] = 1
        found = self.later.find(1)
        while found >= 0:
            self.now[found] = 1
            found = self.later.find(1, found + 1)
        for masks in (self.restless, self.insistent):
            for entity, mask in enumerate(masks):
                if mask >> bit & 1:
                    self.now[entity] = 1
        self.later = bytearray(len(self.plans))


class Agendas:
    """The agendas of all sweeps, and the place where a run is in them.

    In the first iteration of a round (`first`), the visits to come are those of the later sweeps
    of the block from `low` to `high`, of the rest of the sweep at `place`, and of later blocks.
    """

    def __init__(
        self, agendas: Sequence[Agenda], wakes: Callable[[int], Sequence[tuple[str, int]]]
    ) -> None:
        """`wakes` gives (sweep, entity) for what a change of an entity makes due."""
        self.sweeps = list(agendas)
        self.wakes = wakes
        self.woken: dict[int, list[tuple[bytearray, int]]] = {}
        self.concerned: dict[int, list[tuple[int, Agenda, tuple[int, ...]]]] = {}
        self.place = self.low = self.high = 0
        self.first = False

    def take_marks(self, others: Agendas) -> None:
        """Goes on with the marks and the place of other agendas, whose plans were different."""
        self.place, self.first = others.place, others.first
        self.low, self.high = others.low, others.high
        for agenda, other in zip(self.sweeps, others.sweeps, strict=True):
            agenda.now = other.now
            # what the new plans say of an entity has not been seen: look at it in the next round
            agenda.later = bytearray(b"\1" * len(agenda.plans))

    def changed(self, one: int, entity: int) -> None:
        """Marks what a change of an entity concerns, in a visit of perhaps another one."""
        woken = self.woken.get(one)
        if woken is None:
            by_name = {agenda.name: agenda.now for agenda in self.sweeps}
            woken = [(by_name[name], target) for name, target in self.wakes(one) if name in by_name]
            self.woken[one] = woken
        for now, target in woken:
            now[target] = 1
        concerned = self.concerned.get(one)
        if concerned is None:
            concerned = self.concerned[one] = [
                (place, agenda, readers)
                for place, agenda in enumerate(self.sweeps)
                if (readers := agenda.concerned(one))
            ]
        for place, agenda, readers in concerned:
            if self.first:
                self._stale(agenda, place, readers, entity)
            else:
                later = agenda.later
                for reader in readers:
                    later[reader] = 1

    def _stale(self, agenda: Agenda, place: int, readers: Sequence[int], entity: int) -> None:
        """Marks readers for this round if their first visit is still to come, else for the next."""
        now, later = agenda.now, agenda.later
        low, high = self.low, self.high
        if place != self.place:
            first = low if place > self.place else high
            for reader in readers:
                if reader >= first:
                    now[reader] = 1
                else:
                    later[reader] = 1
        elif agenda.descending:
            for reader in readers:
                if low <= reader < entity or reader >= high:
                    now[reader] = 1
                else:
                    later[reader] = 1
        else:
            for reader in readers:
                if reader > entity:
                    now[reader] = 1
                else:
                    later[reader] = 1
