"""The opcodes and attributes of HLO text that we know by name."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELEMENTWISE_UNARY = _words(
    """abs acos acosh asin asinh atanh bitcast-convert cbrt ceil convert copy cosine cosh
    count-leading-zeros erf exponential exponential-minus-one floor imag is-finite log
    log-plus-one logistic negate not popcnt real reduce-precision round-nearest-afz
    round-nearest-even rsqrt sign sine sinh sqrt tan tanh"""
)
ELEMENTWISE_BINARY = _words(
    """add and atan2 compare complex divide maximum minimum multiply or power remainder
    shift-left shift-right-arithmetic shift-right-logical stochastic-convert subtract xor"""
)
ELEMENTWISE_TERNARY = frozenset(("select", "clamp"))

_PLAIN = (
    ELEMENTWISE_UNARY
    | ELEMENTWISE_BINARY
    | ELEMENTWISE_TERNARY
    | _words(
        """add-dependency after-all all-gather all-gather-done all-gather-start all-reduce
    all-reduce-done all-reduce-start all-to-all async-done async-start async-update
    batch-norm-grad batch-norm-inference batch-norm-training bitcast broadcast call cholesky
    collective-broadcast collective-permute collective-permute-done collective-permute-start
    concatenate conditional constant convolution copy-done copy-start custom-call domain dot
    dynamic-reshape dynamic-slice dynamic-update-slice fft fusion gather get-dimension-size
    get-tuple-element infeed iota map opt-barrier outfeed pad parameter partition-id
    ragged-all-to-all ragged-dot recv recv-done reduce reduce-scatter reduce-window
    replica-id reshape reverse rng rng-bit-generator rng-get-and-update-state scaled-dot
    scan scatter select-and-scatter send send-done set-dimension-size slice sort topk
    transpose triangular-solve tuple while"""
    )
)

ASYNC_FORMS = {
    f"{opcode}-{part}": f"async-{part}"
    for opcode in _PLAIN
    for part in ("start", "update", "done")
    if f"{opcode}-{part}" not in _PLAIN
}
"""What HLO text calls an async op that wraps a single instruction, and what the op is."""

OPCODES = _PLAIN.union(ASYNC_FORMS)
"""Opcodes of jaxlib 0.4 to 0.10; others are read too."""

_CALLERS = _words(
    """all-reduce all-reduce-start async-start async-update async-done call conditional
    custom-call fusion map reduce reduce-scatter reduce-window scan scatter
    select-and-scatter sort topk while"""
)

CALLERS = _CALLERS.union(x for x in ASYNC_FORMS if x.removesuffix("-start") in _CALLERS)
"""Opcodes that may call computations."""

ATTRIBUTES = _words(
    """algorithm api_version async_execution_thread async_group_id backend_config
    batch_group_count body branch_computations called_computations calls channel_id
    collapsed_slice_dims condition constrain_layout control-predecessors
    cross_program_prefetch_index custom_call_api_version custom_call_has_side_effect
    custom_call_schedule custom_call_target deduplicated_name delta dim_labels device_ids dimensions
    direction distribution domain dynamic_slice_sizes entry epsilon execution_thread exit
    exponent_bits false_computation feature_group_count feature_index fft_length fft_type
    frontend_attributes index index_vector_dim indices_are_sorted infeed_config
    inferred_dimension input_batching_dims inserted_window_dims iota_dimension is_composite
    is_host_transfer is_reverse is_stable k kind largest lhs_batch_dims lhs_contracting_dims
    lhs_ragged_dims literal lower mantissa_bits metadata num_carry offset_dims
    operand_batching_dims operand_layout_constraints operand_precision origin original_value
    outfeed_config outfeed_shape output_to_operand_aliasing padding padding_type
    parameter_replication precision profile_type replica_groups result_accuracy
    rhs_batch_dims rhs_contracting_dims rhs_group_dims rhs_ragged_dims scatter
    scatter_dims_to_operand_dims scatter_indices_batching_dims schedule select sharding
    slice slice_sizes source_target_pairs sparsity start_index_map
    start_indices_batching_dims statistics to_apply transpose_a true_computation type
    unique_indices unit_diagonal update_window_dims use_global_device_ids window left_side
    trip_count backend_config_proto metadata_proto async_wrapped_computation
    convert_direction mode shape_index"""
)
"""Attributes of instructions that XLA's parser and printer know."""
