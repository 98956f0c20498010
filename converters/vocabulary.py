"""The base relations that rules may read: what `shardlog.converters.facts` says of a module."""

from __future__ import annotations

import re

__all__ = ["RELATIONS", "VALUES", "VOCABULARY"]

RELATIONS: tuple[tuple[str, str], ...] = (
    (
        "opcode[I]",
        "XLA's name; `copy` for a `Sharding` call, which becomes one",
    ),
    (
        "operand[I, K] == O",
        "operand number K",
    ),
    (
        "operand_count[I]",
        "how many operands",
    ),
    (
        "user[I, P] == U",
        "user number P, each user once",
    ),
    (
        "user_count[I]",
        "how many users",
    ),
    (
        "inner_uses[I]",
        "users that are not the root of their computation",
    ),
    (
        "input_count[I]",
        "data inputs: half the operands of a reduce, those before the indices of a scatter, else "
        "all operands",
    ),
    (
        "target[I]",
        "the target of a custom call",
    ),
    (
        "calls[I, N] == C",
        "computation number N that an instruction calls: condition and body of a while, branches, "
        "...",
    ),
    (
        "inside[I] == C",
        "the computation that an instruction is in",
    ),
    (
        "root[C] == I",
        "its root",
    ),
    (
        "parameter[C, N] == I",
        "its parameter number N",
    ),
    (
        "entry(C)",
        "the entry computation",
    ),
    (
        "inst(I)",
        "every instruction",
    ),
    (
        "scan_order[I]",
        "its place in XLA's lists, which is that of the text",
    ),
    (
        "root_copy(I, U)",
        "I is the copy that XLA adds of U, a while that is the entry's root",
    ),
    (
        "shape[I]",
        "the shape",
    ),
    (
        "shapes[I]",
        "the operands' shapes and then its own, in a tuple",
    ),
    (
        "rank[I]",
        "the number of dimensions",
    ),
    (
        "byte_size[I]; bit_width[I]",
        "the size of the value, of one element",
    ),
    (
        "array_shaped(I); tuple_shaped(I); leafless(I)",
        "whether it is an array, a tuple, an empty tuple (or one of such)",
    ),
    (
        "is_s32(I)",
        "whether its elements are of type s32",
    ),
    (
        "dims[I]",
        "the attribute `dimensions={...}`",
    ),
    (
        "concat_dim[I]; concat_offset[I, K]",
        "the dimension of a concatenate, and where operand K begins along it",
    ),
    (
        "sort_dim[I]; iota_attr[I]; tuple_index[I]",
        "the dimension of a sort, of an iota; the index of a get-tuple-element",
    ),
    (
        "literal_iota[I]",
        "the dimension along which a constant of s32 counts up",
    ),
    (
        "dot_attr[I]; conv_attr[I]; window[I]",
        "dimension numbers of a dot, of a convolution; the window",
    ),
    (
        "gather_attr[I]; index_vector_dim[I]",
        "dimension numbers of a gather or scatter",
    ),
    (
        "ungrouped(I)",
        "a convolution without feature or batch groups",
    ),
    (
        "dilated(I); base_dilated(I)",
        "a window with dilation, with base dilation",
    ),
    (
        "batch_dims[I]",
        "the frontend attribute `num_batch_dims` of a custom call",
    ),
    (
        "side_effect(I)",
        "whether it has a side effect",
    ),
    (
        "vanishing(I)",
        "a barrier of shardings that the pass removes at its end",
    ),
    (
        "annotation[I]",
        "the sharding that it came with, without shard group and metadata",
    ),
    (
        "original[I]",
        "the same as the module has it",
    ),
    (
        "named_by[O] == I",
        "the `Sharding` call that annotates O",
    ),
    (
        "unspecified[I]; open_dims[I]",
        "dimensions that a `Sharding` call, a conversion leaves open",
    ),
    (
        "shard_group[I]; member[G, N] == I; group_kind[G]",
        "the shard group, its members, `as` or `like`",
    ),
    (
        "unique_device[I]; channel_device[C]",
        "the device of an instruction, of a loop body's channels",
    ),
    (
        "option[N]",
        "`spmd`, `any_output`, `any_parameter`, `cse_only`, `propagate_metadata`",
    ),
    (
        "mask_closed(I); held_parameter[I]; freed_parameter[I]; held_output[I]; freed_output[I]",
        "what the module's masks say of parameters and results",
    ),
    (
        "outside(C); foreign_async(I); async_call(I)",
        "computations of execution threads that take no part, async ops that run on one, async "
        "ops that wrap a call",
    ),
    (
        "custom_call_dims(X, Spec); opcode_dims(X, Spec)",
        "your descriptions of custom calls and other ops",
    ),
)
"""How relations are written in a rule, several behind each other, and what they mean.

`custom_call_dims` and `opcode_dims` have no rows of their own: they are for users' rule files.
"""

_VALUES = {
    "text": "opcode target group_kind",
    "number": (
        "operand_count user_count inner_uses input_count scan_order rank byte_size bit_width "
        "concat_dim concat_offset sort_dim iota_attr tuple_index literal_iota index_vector_dim "
        "batch_dims shard_group unique_device channel_device"
    ),
    "instruction": "operand user root parameter named_by member",
    "computation": "calls inside",
    "shape": "shape",
    "shapes": "shapes",
    "dims": "dims unspecified open_dims",
    "sharding": "annotation original",
}

VALUES: dict[str, str] = {
    relation: kind for kind, relations in _VALUES.items() for relation in relations.split()
}
"""What the value of a functional relation is, where it is one of a few kinds of things."""

_WRITTEN = re.compile(r"(\w+)([\[(])([^\])]+)[\])](?: == \w+)?")


def _vocabulary() -> dict[str, tuple[int, bool]]:
    found: dict[str, tuple[int, bool]] = {}
    for written, _ in RELATIONS:
        for name, opened, terms in _WRITTEN.findall(written):
            functional = opened == "["
            found[name] = (terms.count(",") + 1 + functional, functional)
    return found


VOCABULARY: dict[str, tuple[int, bool]] = _vocabulary()
"""(number of terms, whether the last is the value of the others) of each base relation."""
