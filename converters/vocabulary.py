"""The base relations that rules may read: what `shardlog.converters.facts` says of a module."""

from __future__ import annotations

__all__ = ["VOCABULARY"]

_COLUMNS = """
annotation batch_dims bit_width byte_size concat_dim conv_attr dims dot_attr gather_attr
index_vector_dim inner_uses input_count inside iota_attr literal_iota opcode operand_count
option original rank scan_order shape shapes shard_group sort_dim target tuple_index
unique_device unspecified user_count window
"""
_INDEXED = "operand user"
_FUNCTIONAL_PAIRS = (
    "channel_device freed_output freed_parameter group_kind held_output held_parameter named_by "
    "open_dims root"
)
_FUNCTIONAL_TRIPLES = "calls concat_offset member parameter"
_SETS = """
array_shaped async_call base_dilated dilated entry foreign_async inst is_s32 leafless mask_closed
outside side_effect tuple_shaped ungrouped vanishing
"""
_PAIRS = "custom_call_dims opcode_dims root_copy"

VOCABULARY: dict[str, tuple[int, bool]] = {
    **dict.fromkeys(_COLUMNS.split(), (2, True)),
    **dict.fromkeys(_INDEXED.split(), (3, True)),
    **dict.fromkeys(_FUNCTIONAL_PAIRS.split(), (2, True)),
    **dict.fromkeys(_FUNCTIONAL_TRIPLES.split(), (3, True)),
    **dict.fromkeys(_SETS.split(), (1, False)),
    **dict.fromkeys(_PAIRS.split(), (2, False)),
}
"""(number of terms, whether the last is the value of the others) of each base relation.

`custom_call_dims(target, spec)` and `opcode_dims(opcode, spec)` have no rows of their own: they are
for users' rule files.
"""
