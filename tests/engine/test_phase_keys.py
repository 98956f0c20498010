"""The value of the phase parameter as a key of other relations, of whatever kind these are."""

from __future__ import annotations

import pytest

from shardlog.engine import Facts, Library
from shardlog.engine.stacked import Stacked
from shardlog.engine.stacked_compiled import StackedSaturation
from tests.engine.running import load, told, values

SCHEDULE = """
+ lattice('value')
+ join('longer', 'longer')
+ channel('step', 'value', 'slot', 'longer', 'visit', 'op')
+ visit('visit', 'I', 'ascending')
+ frozen('visit')
+ order('visit', 'T')
+ agenda('visit', 'stack')
+ sweeps('visit')
+ parameter('level')
+ phases('level 0', 'level 1')
+ word(0, 'plain', 'a')
+ word(1, 'plain', 'ab')
+ word(1, 'odd', 'b')
op(I) <= (slot[I, 0] == V)
"""
STEP = "# rule: step\nstep(I, 0, X) <= "


def longer(old: str | None, new: str) -> str | None:
    return new if old is None or (len(new) > len(old) and new.startswith(old)) else None


LIBRARY = Library({}, {}, {"longer": longer})


@pytest.mark.parametrize(
    "rules",
    [
        # an unfolded relation, one that is stored, one found for what is alike
        f"{STEP} level(L) & says(L, C, X) & (kind[I] == C)\nsays(L, C, X) <= word(L, C, X)",
        f"{STEP} level(L) & says(L, C, X) & (kind[I] == C)\nsays(L, C, X) <= word(L, C, X)"
        "\n+ stored('says')",
        f"{STEP} level(L) & says(I, L, X)\nsays(I, L, X) <= (kind[I] == C) & word(L, C, X)"
        "\n+ shared('says')",
        # an aggregate over it
        f"{STEP} level(L) & (last[C, L] == X) & (kind[I] == C)"
        "\n(last[C, L] == max_(X, order_by=X)) <= word(L, C, X)",
        f"{STEP} level(L) & (last[C, L] == X) & (kind[I] == C)"
        "\n(last[C, L] == max_(X, order_by=X)) <= word(L, C, X)\n+ stored('last')",
        # negation
        f"{STEP} level(L) & ~silent(L, C) & (kind[I] == C) & word(L, C, X)"
        "\nsilent(L, C) <= word(L, C, X) & (L == 7)\n+ stored('silent')",
        f"{STEP} level(L) & ~silent(I, L) & (kind[I] == C) & word(L, C, X)"
        "\nsilent(I, L) <= (kind[I] == C) & word(L, C, X) & (L == 7)\n+ shared('silent')",
    ],
)
def test_a_phase_value_may_be_a_key(rules: str) -> None:
    known = Facts(5)
    known.functional("kind", ["plain", "odd", "plain", None, None])
    known.table("slot", [(0, 0, 3), (1, 0, 4)], 3, True)
    known.refer("slot", 0, 2)
    program = load(SCHEDULE + rules, LIBRARY, known)
    plain, compiled = Stacked(program, known).run(), StackedSaturation(program, known).run()
    assert values(plain, "value") == [None, None, None, "ab", "b"]
    assert values(compiled, "value") == values(plain, "value")
    assert list(map(told, compiled.records)) == list(map(told, plain.records))
    assert [record.value for record in plain.records] == [0, 1, 1]
