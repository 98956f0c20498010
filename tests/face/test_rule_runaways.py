"""What rules derive from each other has an end, and an error that names the rule."""

from __future__ import annotations

from pathlib import Path

import pytest

import shardlog
from shardlog.engine import EvaluationError, limits

SMALL = Path(__file__).parents[1] / "data" / "small" / "dot.before.txt"
LARGE = "numbers go up to 9223372036854775807"

RUNAWAY = {
    "counting": (
        "# rule: mine\ncount(N + 1) <= count(N)\n+ count(0)\n",
        "mine.dl:2:1: rule 'mine' does not come to an end: more than 1,000 rows, the last of them "
        "count(1001)",
    ),
    "squaring": (
        "# rule: mine\ncount(N * N) <= count(N)\n+ count(3)\n",
        f"mine.dl:2:1: rule 'mine': {LARGE} (2**63 - 1)",
    ),
    "doubling a text": (
        "# rule: mine\ncount(N + N) <= count(N)\n+ count('a')\n",
        "mine.dl:2:1: rule 'mine': arithmetic is for numbers, not for 'a'",
    ),
    "dividing by zero": (
        "# rule: mine\ncount(N // (N - 3)) <= count(N)\n+ count(3)\n",
        "mine.dl:2:1: rule 'mine': division by zero",
    ),
}


@pytest.mark.parametrize("what", RUNAWAY)
def test_a_runaway_is_stopped_and_named(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, message = RUNAWAY[what]
    monkeypatch.setattr(limits, "MOST_ROWS", 1_000)
    uses = "forward(I, S) <= count(N) & (rank[I] == N) & (sharding[I] == S)\n"
    with pytest.raises(EvaluationError) as error:
        shardlog.propagate(SMALL, rules=[("mine.dl", text + uses)])
    assert str(error.value) == message


def test_names_of_generated_code_are_free() -> None:
    names = ("self", "state", "facts", "entity", "rows", "plus", "fold", "where_is", "memo", "UNIT")
    rules = "".join(
        f"{name.lower()}(I) <= inst(I)\nforward(I, S) <= {name.lower()}(I) & (opcode[I] == 'dot')"
        " & (operand[I, 0] == O) & (sharding[O] == S)\n"
        for name in names
    )
    assert shardlog.propagate(SMALL, rules=[("mine.dl", rules)]).sharding("dot.7") is not None
