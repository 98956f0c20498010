"""Tables of one column, which say what stands in them without rows."""

import pytest

from shardlog.engine.relations import Facts, Members, Table


@pytest.mark.parametrize("entities", [[4, 1, 7], range(2, 5), []])
def test_members_answer_as_a_table_does(entities: list[int] | range) -> None:
    facts = Facts(10)
    facts.members("m", entities)
    facts.table("t", [(x,) for x in entities], 1)
    members, table = facts.tables["m"], facts.tables["t"]
    assert isinstance(members, Members)
    assert isinstance(table, Table)
    assert facts.signature("m") == facts.signature("t")
    assert list(members.rows) == list(table.rows)
    for x in range(10):
        assert ((x,) in members.rows) == ((x,) in table.rows)
        assert list(members.lookup((0,), (x,))) == list(table.lookup((0,), (x,)))
        assert list(members.index((0,)).get((x,), ())) == table.index((0,)).get((x,), [])
    assert list(members.lookup((), ())) == list(table.lookup((), ()))
