"""A whole module with mesh-based shardings, as XLA dumps it with its flag for them."""

from __future__ import annotations

from pathlib import Path

import shardlog
from shardlog.converters import text_with_shardings

MODULE = Path(__file__).parents[1] / "data" / "v3_after_shardy.txt"


def test_its_shardings_are_those_of_grids():
    module = shardlog.load(MODULE)
    shown = {x.name: str(x.sharding) for x in module.instructions}
    assert (
        shown["add.0"] == "{devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}"
    )
    assert shown["add.2"] == "{manual}"
    assert shown["call.10"] == "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"
    assert shown["tuple.5"] == "{{devices=[8,1]<=[8]}}"


def test_it_is_propagated_and_what_stays_keeps_its_text():
    result = shardlog.propagate(shardlog.load(MODULE))
    assert result.summary().sharded_after == 18
    assert result.module.to_text() == MODULE.read_text()


def test_it_is_written_with_grids():
    module = shardlog.load(MODULE)
    text = text_with_shardings(module, str)
    assert "mesh[" not in text
    again = shardlog.load(text.encode())
    assert shardlog.compare_modules(again, module).disagreements == ()
    assert [x.sharding for x in again.instructions] == [x.sharding for x in module.instructions]
