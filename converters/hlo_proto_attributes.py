"""The attributes of instructions in protos by name, as HLO text writes them."""

from collections.abc import Iterator
from typing import Any

from shardlog.converters import hlo_proto_render as render
from shardlog.ir.module import Instruction

__all__ = ["attribute_names", "attribute_text", "attribute_texts"]

_ATTRIBUTES: dict[str, render.Render] = {
    "algorithm": render.dot_algorithm,
    "api_version": render.enum("custom_call_api_version", "CustomCallApiVersion", default=1),
    "async_execution_thread": render.quoted("async_execution_thread"),
    "backend_config": render.backend_config,
    "batch_group_count": render.count("batch_group_count"),
    "body": render.computation(1),
    "branch_computations": render.computations("{", "}"),
    "called_computations": render.computations("{", "}"),
    "calls": render.computations("", ""),
    "channel_id": render.channel_id,
    "collapsed_slice_dims": render.integers("gather_dimension_numbers.collapsed_slice_dims"),
    "condition": render.computation(0),
    "constrain_layout": render.flag("constrain_layout"),
    "control-predecessors": render.control_predecessors,
    "conv_kind": render.enum("conv_kind", "ConvolutionKind", default=0),
    "cross_program_prefetch_index": render.cross_program_prefetch,
    "custom_call_has_side_effect": render.flag("custom_call_has_side_effect"),
    "custom_call_target": render.quoted("custom_call_target", always=True),
    "delta": render.number("delta"),
    "dim_labels": render.dim_labels,
    "dimensions": render.integers("dimensions"),
    "direction": render.plain("comparison_direction"),
    "distribution": render.enum("distribution", "RandomDistribution", lower=True),
    "domain": render.domain,
    "dynamic_slice_sizes": render.integers("dynamic_slice_sizes"),
    "epsilon": render.epsilon,
    "exponent_bits": render.number("exponent_bits"),
    "false_computation": render.computation(1),
    "feature_group_count": render.count("feature_group_count"),
    "feature_index": render.number("feature_index"),
    "fft_length": render.integers("fft_length"),
    "fft_type": render.enum("fft_type", "FftType"),
    "frontend_attributes": render.frontend_attributes,
    "index": render.number("tuple_index"),
    "index_vector_dim": render.index_vector_dim,
    "indices_are_sorted": render.flag("indices_are_sorted"),
    "infeed_config": render.quoted("infeed_config"),
    "inferred_dimension": render.inferred_dimension,
    "input_batching_dims": render.integers(
        "scatter_dimension_numbers.input_batching_dims", always=False
    ),
    "inserted_window_dims": render.integers("scatter_dimension_numbers.inserted_window_dims"),
    "iota_dimension": render.iota_dimension,
    "is_associative": render.associative,
    "is_composite": render.flag("is_composite"),
    "is_host_transfer": render.flag("is_host_transfer"),
    "is_reverse": render.flag("is_reverse"),
    "is_stable": render.flag("is_stable"),
    "k": render.number("k"),
    "kind": render.plain("fusion_kind"),
    "largest": render.flag("largest", always=True),
    "left_side": render.flag("triangular_solve_options.left_side"),
    "lhs_batch_dims": render.dot_dimensions("lhs_batch_dimensions", always=False),
    "lhs_contracting_dims": render.dot_dimensions("lhs_contracting_dimensions"),
    "lhs_ragged_dims": render.integers(
        "ragged_dot_dimension_numbers.lhs_ragged_dimensions", always=False
    ),
    "literal": render.literal,
    "lower": render.lower,
    "mantissa_bits": render.number("mantissa_bits"),
    "metadata": render.metadata,
    "num_carries": render.number("num_carries"),
    "offset_dims": render.integers("gather_dimension_numbers.offset_dims"),
    "operand_batching_dims": render.integers(
        "gather_dimension_numbers.operand_batching_dims", always=False
    ),
    "operand_layout_constraints": render.operand_layouts,
    "operand_precision": render.operand_precision,
    "outfeed_config": render.quoted("outfeed_config"),
    "outfeed_shape": render.outfeed_shape,
    "output_to_operand_aliasing": render.output_to_operand_aliasing,
    "padding": render.padding,
    "padding_type": render.enum("padding_type", "PaddingType", default=0),
    "parameter_replication": render.parameter_replication,
    "replica_groups": render.replica_groups,
    "result_accuracy": render.result_accuracy,
    "rhs_batch_dims": render.dot_dimensions("rhs_batch_dimensions", always=False),
    "rhs_contracting_dims": render.dot_dimensions("rhs_contracting_dimensions"),
    "rhs_group_dims": render.integers(
        "ragged_dot_dimension_numbers.rhs_group_dimensions", always=False
    ),
    "scatter": render.computation(1),
    "scatter_dims_to_operand_dims": render.integers(
        "scatter_dimension_numbers.scatter_dims_to_operand_dims"
    ),
    "scatter_indices_batching_dims": render.integers(
        "scatter_dimension_numbers.scatter_indices_batching_dims", always=False
    ),
    "schedule": render.enum("custom_call_schedule", "CustomCallSchedule", default=0),
    "select": render.computation(0),
    "sharding": render.sharding,
    "slice": render.slice_bounds,
    "slice_sizes": render.slice_sizes,
    "source_target_pairs": render.source_target_pairs,
    "start_index_map": render.integers("gather_dimension_numbers.start_index_map"),
    "start_indices_batching_dims": render.integers(
        "gather_dimension_numbers.start_indices_batching_dims", always=False
    ),
    "statistics": render.statistics,
    "to_apply": render.computation(0),
    "transpose_a": render.enum(
        "triangular_solve_options.transpose_a", "TriangularSolveOptions.Transpose", default=0
    ),
    "true_computation": render.computation(0),
    "type": render.comparison_type,
    "unique_indices": render.flag("unique_indices"),
    "unit_diagonal": render.flag("triangular_solve_options.unit_diagonal"),
    "update_window_dims": render.integers("scatter_dimension_numbers.update_window_dims"),
    "use_global_device_ids": render.flag("use_global_device_ids"),
    "window": render.window,
}

_ANY = (
    "sharding frontend_attributes control-predecessors statistics result_accuracy metadata "
    "backend_config"
)
_DOT = (
    "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims lhs_ragged_dims "
    "rhs_group_dims operand_precision algorithm"
)
_COLLECTIVE = "channel_id replica_groups constrain_layout"
_OWN: dict[str, str] = {
    "all-gather": f"{_COLLECTIVE} dimensions use_global_device_ids",
    "all-gather-start": f"{_COLLECTIVE} dimensions use_global_device_ids",
    "all-reduce": f"{_COLLECTIVE} use_global_device_ids to_apply",
    "all-reduce-start": f"{_COLLECTIVE} use_global_device_ids to_apply",
    "all-to-all": f"{_COLLECTIVE} dimensions",
    "async-start": "async_execution_thread calls",
    "batch-norm-grad": "epsilon feature_index",
    "batch-norm-inference": "epsilon feature_index",
    "batch-norm-training": "epsilon feature_index",
    "broadcast": "dimensions",
    "call": "to_apply is_composite",
    "cholesky": "lower",
    "collective-broadcast": _COLLECTIVE,
    "collective-permute": "channel_id source_target_pairs slice_sizes",
    "collective-permute-start": "channel_id source_target_pairs slice_sizes",
    "compare": "direction type",
    "concatenate": "dimensions",
    "conditional": "true_computation false_computation branch_computations",
    "convolution": (
        "window dim_labels feature_group_count batch_group_count operand_precision algorithm "
        "conv_kind"
    ),
    "copy-start": "cross_program_prefetch_index",
    "custom-call": (
        "window dim_labels feature_group_count batch_group_count operand_precision algorithm "
        "padding_type custom_call_target operand_layout_constraints custom_call_has_side_effect "
        "literal output_to_operand_aliasing schedule api_version called_computations"
    ),
    "domain": "domain",
    "dot": _DOT,
    "dynamic-slice": "dynamic_slice_sizes",
    "fft": "fft_type fft_length",
    "fusion": "kind output_to_operand_aliasing calls",
    "gather": (
        "offset_dims collapsed_slice_dims start_index_map operand_batching_dims "
        "start_indices_batching_dims index_vector_dim slice_sizes indices_are_sorted"
    ),
    "get-dimension-size": "dimensions",
    "get-tuple-element": "index",
    "infeed": "infeed_config",
    "iota": "iota_dimension",
    "map": "dimensions to_apply",
    "outfeed": "outfeed_shape outfeed_config",
    "pad": "padding",
    "parameter": "parameter_replication",
    "ragged-all-to-all": _COLLECTIVE,
    "ragged-dot": _DOT,
    "recv": "channel_id is_host_transfer",
    "recv-done": "channel_id is_host_transfer",
    "reduce": "dimensions to_apply",
    "reduce-precision": "exponent_bits mantissa_bits",
    "reduce-scatter": f"{_COLLECTIVE} use_global_device_ids dimensions to_apply",
    "reduce-window": "window to_apply",
    "reshape": "inferred_dimension",
    "reverse": "dimensions",
    "rng": "distribution",
    "rng-bit-generator": "algorithm",
    "rng-get-and-update-state": "delta",
    "scan": "dimensions is_reverse num_carries is_associative to_apply",
    "scatter": (
        "update_window_dims inserted_window_dims scatter_dims_to_operand_dims input_batching_dims "
        "scatter_indices_batching_dims index_vector_dim indices_are_sorted unique_indices to_apply"
    ),
    "select-and-scatter": "window select scatter",
    "send": "channel_id is_host_transfer",
    "send-done": "channel_id is_host_transfer",
    "set-dimension-size": "dimensions",
    "slice": "slice",
    "sort": "dimensions is_stable to_apply",
    "topk": "k largest to_apply",
    "transpose": "dimensions",
    "triangular-solve": "left_side lower unit_diagonal transpose_a",
    "while": "condition body",
}
_NAMES: dict[str, tuple[str, ...]] = {
    opcode: (*own.split(), *_ANY.split()) for opcode, own in _OWN.items()
}
# what says something whatever the opcode, and so is kept of an op that is not known
_OTHER = ("calls", *_ANY.split())


def attribute_names(opcode: str) -> tuple[str, ...]:
    """The attributes that an opcode may have, in XLA's order."""
    return _NAMES.get(opcode, _OTHER)


def attribute_text(proto: Any, instruction: Instruction, name: str) -> str | None:
    """The raw text of one attribute, or None if the instruction has none of this name.

    Raises InputError if the proto holds a value that has no text.
    """
    opcode = instruction.opcode
    if name not in _NAMES.get(opcode, _OTHER):
        return None
    special = _SPECIAL.get((opcode, name))
    return (special or _ATTRIBUTES[name])(proto, instruction)


def attribute_texts(proto: Any, instruction: Instruction) -> Iterator[tuple[str, str]]:
    """Names and raw texts of all attributes, in XLA's order."""
    for name in attribute_names(instruction.opcode):
        text = attribute_text(proto, instruction, name)
        if text is not None:
            yield name, text


_SPECIAL: dict[tuple[str, str], render.Render] = {
    ("all-to-all", "dimensions"): render.integers("dimensions", always=False),
    ("conditional", "branch_computations"): render.branches(False),
    ("conditional", "true_computation"): render.branches(True, 0),
    ("conditional", "false_computation"): render.branches(True, 1),
    ("rng-bit-generator", "algorithm"): render.enum("rng_algorithm", "RandomAlgorithm", lower=True),
}
