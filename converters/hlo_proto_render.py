"""Renderers of single attributes: an HloInstructionProto's fields as XLA's text shows them.

A renderer takes the HloInstructionProto and the instruction that was made of it, and gives the raw
text behind `name=`, or None where XLA prints no such attribute. Follows HloInstruction's
PrintExtraAttributes and the PrintExtraAttributesImpl of each kind of instruction.
"""

from collections.abc import Callable
from typing import Any

from shardlog.converters.hlo_proto_literal import literal_text
from shardlog.converters.hlo_proto_values import escaped, is_json_object, shape_text
from shardlog.converters.op_metadata import metadata_from_bytes
from shardlog.converters.op_sharding import from_proto_bytes
from shardlog.converters.proto import enum_name
from shardlog.ir.module import Instruction

Render = Callable[[Any, Instruction], str | None]


def braced(values: Any) -> str:
    """Integers as `{0,1}`."""
    return "{" + ",".join(map(str, values)) + "}"


def _field(proto: Any, path: str) -> Any:
    for name in path.split("."):
        proto = getattr(proto, name)
    return proto


def integers(path: str, always: bool = True) -> Render:
    """A renderer of a list of integers; an empty list is left out unless `always`."""

    def render(proto: Any, _: Instruction) -> str | None:
        values = _field(proto, path)
        return braced(values) if always or values else None

    return render


def number(path: str, default: int | None = None) -> Render:
    """A renderer of a number, left out if it is the default."""

    def render(proto: Any, _: Instruction) -> str | None:
        value = _field(proto, path)
        return None if value == default else str(value)

    return render


def count(path: str) -> Render:
    """A renderer of a number of groups, left out if there is one group."""

    def render(proto: Any, _: Instruction) -> str | None:
        value = _field(proto, path)
        return str(value) if value > 1 else None

    return render


def plain(path: str) -> Render:
    """A renderer of a word without quotes, left out if it is empty."""
    return lambda proto, _: _field(proto, path) or None


def flag(path: str, always: bool = False) -> Render:
    """A renderer of a boolean; false is left out unless `always`."""

    def render(proto: Any, _: Instruction) -> str | None:
        return "true" if _field(proto, path) else "false" if always else None

    return render


def quoted(path: str, always: bool = False) -> Render:
    """A renderer of a quoted string; an empty one is left out unless `always`."""

    def render(proto: Any, _: Instruction) -> str | None:
        value = _field(proto, path)
        return f'"{escaped(value)}"' if always or value else None

    return render


def enum(path: str, enum: str, default: int | None = None, lower: bool = False) -> Render:
    """A renderer of the name of an enum value, left out if it is the default."""

    def render(proto: Any, _: Instruction) -> str | None:
        value = _field(proto, path)
        if value == default:
            return None
        name = enum_name(enum, value) or str(value)
        return name.lower() if lower else name

    return render


def computation(position: int) -> Render:
    """A renderer of one called computation."""

    def render(_: Any, instruction: Instruction) -> str | None:
        called = instruction.called
        return f"%{called[position].name}" if position < len(called) else None

    return render


def computations(opening: str, closing: str) -> Render:
    """A renderer of all called computations, between an opening and a closing."""

    def render(_: Any, instruction: Instruction) -> str | None:
        names = ", ".join(f"%{computation.name}" for computation in instruction.called)
        return f"{opening}{names}{closing}" if names else None

    return render


def branches(on_pred: bool, position: int | None = None) -> Render:
    """A renderer of a conditional's branches: one of two if it asks a pred, else all in a list."""
    every = computations("{", "}") if position is None else computation(position)

    def render(proto: Any, instruction: Instruction) -> str | None:
        operands = instruction.operands
        is_pred = bool(operands) and operands[0].shape.element_type == "pred"
        return every(proto, instruction) if is_pred is on_pred else None

    return render


def dot_dimensions(name: str, always: bool = True) -> Render:
    """A renderer of one list of a dot's dimension numbers; so also of a ragged dot."""

    def render(proto: Any, _: Instruction) -> str | None:
        ragged = proto.HasField("ragged_dot_dimension_numbers")
        holder = proto.ragged_dot_dimension_numbers if ragged else proto
        values = getattr(holder.dot_dimension_numbers, name)
        return braced(values) if always or values else None

    return render


def window(proto: Any, instruction: Instruction) -> str | None:
    """The window of a convolution, reduce-window or select-and-scatter."""
    rows = proto.window.dimensions
    if not rows:
        return "{}" if instruction.opcode == "custom-call" and proto.HasField("window") else None
    words = ["size=" + "x".join(str(row.size) for row in rows)]
    for word, field, default in (
        ("stride", "stride", 1),
        ("pad", "", 0),
        ("lhs_dilate", "base_dilation", 1),
        ("rhs_dilate", "window_dilation", 1),
        ("rhs_reversal", "window_reversal", 0),
    ):
        if word == "pad":
            if any(row.padding_low or row.padding_high for row in rows):
                pads = (f"{row.padding_low}_{row.padding_high}" for row in rows)
                words.append("pad=" + "x".join(pads))
            continue
        values = [int(getattr(row, field)) for row in rows]
        if any(value != default for value in values):
            words.append(f"{word}={'x'.join(map(str, values))}")
    return "{" + " ".join(words) + "}"


def _labels(named: dict[int, str], spatial: Any) -> str:
    labels = named | {dimension: str(i) for i, dimension in enumerate(spatial)}
    # a hostile proto may name a dimension without bound
    return "".join(labels.get(i, "?") for i in range(min(max(labels), 999) + 1))


def dim_labels(proto: Any, _: Instruction) -> str | None:
    """The dimension labels of a convolution; `?` marks a dimension without a label."""
    if not proto.HasField("convolution_dimension_numbers"):
        return None
    d = proto.convolution_dimension_numbers
    input_ = {d.input_batch_dimension: "b", d.input_feature_dimension: "f"}
    kernel = {d.kernel_input_feature_dimension: "i", d.kernel_output_feature_dimension: "o"}
    output = {d.output_batch_dimension: "b", d.output_feature_dimension: "f"}
    return (
        f"{_labels(input_, d.input_spatial_dimensions)}"
        f"_{_labels(kernel, d.kernel_spatial_dimensions)}"
        f"->{_labels(output, d.output_spatial_dimensions)}"
    )


def slice_bounds(proto: Any, _: Instruction) -> str:
    """Starts, limits and, unless all are 1, strides of a slice."""
    rows = proto.slice_dimensions
    plain = all(row.stride == 1 for row in rows)
    bounds = (
        f"[{row.start}:{row.limit}]" if plain else f"[{row.start}:{row.limit}:{row.stride}]"
        for row in rows
    )
    return "{" + ", ".join(bounds) + "}"


def padding(proto: Any, _: Instruction) -> str:
    """The padding of a pad: low_high or low_high_interior per dimension."""
    rows = proto.padding_config.dimensions
    interior = any(row.interior_padding for row in rows)
    return "x".join(
        f"{row.edge_padding_low}_{row.edge_padding_high}"
        + (f"_{row.interior_padding}" if interior else "")
        for row in rows
    )


def operand_precision(proto: Any, _: Instruction) -> str | None:
    """Precisions of the operands of a dot or convolution, unless all are the default."""
    values = proto.precision_config.operand_precision
    if not any(values):
        return None
    names = (enum_name("PrecisionConfig.Precision", value) or str(value) for value in values)
    return "{" + ",".join(names).lower() + "}"


def dot_algorithm(proto: Any, _: Instruction) -> str | None:
    """The algorithm of a dot, if set."""
    value = proto.precision_config.algorithm
    name = enum_name("PrecisionConfig.Algorithm", value) or str(value)
    return name.removeprefix("ALG_").lower() if value else None


def _iota_groups(groups: Any) -> str:
    reshape = list(groups.iota_reshape_dims)
    permutation = list(groups.iota_transpose_perm)
    text = f"[{groups.num_replica_groups},{groups.num_devices_per_group}]<={reshape}"
    if permutation != sorted(permutation):
        text += f"T({','.join(map(str, permutation))})"
    return text.replace(" ", "")


def replica_groups(proto: Any, _: Instruction) -> str | None:
    """The device groups of a collective, as lists or in iota form."""
    form = proto.WhichOneof("device_list")
    groups = proto.replica_groups
    if form == "iota_collective_device_list":
        return _iota_groups(proto.iota_collective_device_list)
    if form == "collective_device_list":
        listed = proto.collective_device_list
        if listed.HasField("iota_replica_group_list"):
            return _iota_groups(listed.iota_replica_group_list)
        groups = listed.replica_groups
    elif form is not None:
        return None
    return "{" + ",".join(braced(group.replica_ids) for group in groups) + "}"


def source_target_pairs(proto: Any, _: Instruction) -> str:
    """The pairs of a collective-permute."""
    pairs = (f"{{{pair.source},{pair.target}}}" for pair in proto.source_target_pairs)
    return "{" + ",".join(pairs) + "}"


def output_to_operand_aliasing(proto: Any, _: Instruction) -> str | None:
    """Which parts of the result share a buffer with an operand."""
    pairs = [
        f"{braced(pair.output_shape_index)}: "
        f"({pair.operand_index}, {braced(pair.operand_shape_index)})"
        for pair in proto.output_operand_aliasing
    ]
    return "{" + ", ".join(pairs) + "}" if pairs else None


_UNSIGNED = frozenset(("pred", "u1", "u2", "u4", "u8", "u16", "u32", "u64"))


def comparison_type(proto: Any, instruction: Instruction) -> str | None:
    """The type of a comparison, unless it is the operand's usual one."""
    operand = instruction.operands[0].shape.element_type if instruction.operands else ""
    usual = "SIGNED" if operand.startswith("s") else "FLOAT"
    if operand in _UNSIGNED:
        usual = "UNSIGNED"
    return None if proto.comparison_type in ("", usual) else str(proto.comparison_type)


def parameter_replication(proto: Any, _: Instruction) -> str | None:
    """Which leaves of a parameter are equal on all replicas."""
    flags = proto.parameter_replication.replicated_at_leaf_buffers
    return "{" + ",".join("true" if flag else "false" for flag in flags) + "}" if flags else None


def operand_layouts(proto: Any, _: Instruction) -> str | None:
    """The operand shapes of a custom call with constrained layouts."""
    shapes = (shape_text(shape) for shape in proto.operand_shapes_with_layout)
    return "{" + ", ".join(shapes) + "}" if proto.constrain_layout else None


def literal(proto: Any, _: Instruction) -> str | None:
    """The literal of a custom call."""
    return literal_text(proto.literal, shapes=True) if proto.HasField("literal") else None


def inferred_dimension(proto: Any, _: Instruction) -> str | None:
    """The dimension of a reshape that depends on dynamic sizes."""
    return str(proto.dimensions[0]) if proto.dimensions else None


def iota_dimension(proto: Any, _: Instruction) -> str:
    """The dimension along which an iota counts."""
    return str(proto.dimensions[0]) if proto.dimensions else "0"


def cross_program_prefetch(proto: Any, _: Instruction) -> str | None:
    """The prefetch of a copy-start across programs."""
    if proto.HasField("cross_program_prefetch_index"):
        return str(proto.cross_program_prefetch_index)
    return "0" if proto.is_cross_program_prefetch else None


def index_vector_dim(proto: Any, instruction: Instruction) -> str:
    """The dimension of the indices of a gather or scatter that holds index vectors."""
    if instruction.opcode == "gather":
        return str(proto.gather_dimension_numbers.index_vector_dim)
    return str(proto.scatter_dimension_numbers.index_vector_dim)


def slice_sizes(proto: Any, instruction: Instruction) -> str | None:
    """The slice sizes of a gather, or of a collective-permute that works in place."""
    if instruction.opcode == "gather":
        return braced(proto.gather_slice_sizes)
    sizes = proto.dynamic_slice_sizes
    if not sizes:
        return None
    # the proto holds the rows one behind the other, each as long as the operand's rank
    leaves = instruction.operands[0].shape.leaves if instruction.operands else ()
    rank = max(leaves[0].rank if leaves else 0, 1)
    rows = (braced(sizes[i : i + rank]) for i in range(0, len(sizes), rank))
    return "{" + ",".join(rows) + "}"


def lower(proto: Any, instruction: Instruction) -> str | None:
    """Whether a triangular solve or Cholesky decomposition takes the lower triangle."""
    cholesky = instruction.opcode == "cholesky"
    options = proto.cholesky_options if cholesky else proto.triangular_solve_options
    return "true" if options.lower else None


def outfeed_shape(proto: Any, _: Instruction) -> str:
    """The shape that an outfeed sends."""
    return shape_text(proto.outfeed_shape)


def epsilon(proto: Any, _: Instruction) -> str:
    """What a batch norm adds to the variance."""
    return f"{proto.epsilon:.6g}"


def associative(proto: Any, _: Instruction) -> str | None:
    """Whether a scan's computation is known to be associative, or known not to be."""
    return {1: "true", 2: "false"}.get(proto.is_associative)


def channel_id(proto: Any, _: Instruction) -> str | None:
    """The channel of a collective, send or receive."""
    channel = proto.channel_id if proto.channel_id > 0 else proto.all_reduce_id
    return str(channel) if channel > 0 else None


def domain(proto: Any, _: Instruction) -> str | None:
    """The shardings on both sides of a domain instruction."""
    if not (proto.HasField("domain_entry_sharding") and proto.HasField("domain_exit_sharding")):
        return None
    # text and proto take the two sides the other way round
    entry, exit_ = (
        from_proto_bytes(side.SerializeToString())
        for side in (proto.domain_exit_sharding, proto.domain_entry_sharding)
    )
    return f'{{kind="sharding", entry={entry}, exit={exit_}}}'


def sharding(_: Any, instruction: Instruction) -> str | None:
    """The sharding with its metadata."""
    value = instruction.sharding
    return None if value is None else value.to_text(metadata=True)


def frontend_attributes(proto: Any, _: Instruction) -> str | None:
    """The frontend attributes, sorted by name."""
    return frontend_attributes_text(proto.frontend_attributes)


def frontend_attributes_text(message: Any) -> str | None:
    """FrontendAttributes as HLO text, or None if there are none."""
    pairs = sorted(message.map.items())
    texts = (
        f"{key}={value}" if is_json_object(value) else f'{key}="{value}"' for key, value in pairs
    )
    return "{" + ",".join(texts) + "}" if pairs else None


def control_predecessors(_: Any, instruction: Instruction) -> str | None:
    """The instructions that must run before."""
    names = ", ".join(f"%{other.name}" for other in instruction.control_predecessors)
    return f"{{{names}}}" if names else None


def statistics(proto: Any, _: Instruction) -> str | None:
    """Statistics that XLA's graph viewer shows."""
    rows = proto.statistics_viz.statistics
    if not rows:
        return None
    values = ",".join(f"{row.stat_name}={row.stat_val:.6g}" for row in rows)
    return f"{{visualizing_index={proto.statistics_viz.stat_index_to_visualize},{values}}}"


def result_accuracy(proto: Any, _: Instruction) -> str | None:
    """How accurate a function must be, unless it is the default."""
    accuracy = proto.result_accuracy
    if accuracy.HasField("tolerance"):
        limits = accuracy.tolerance
        words = f"atol={limits.atol:g},rtol={limits.rtol:g},ulps={limits.ulps}"
        return f"{{tolerance={{{words}}}}}"
    name = enum_name("ResultAccuracy.Mode", accuracy.mode) or str(accuracy.mode)
    return f"{{mode={name.lower()}}}" if accuracy.mode else None


def metadata(proto: Any, _: Instruction) -> str | None:
    """Where the instruction comes from."""
    text = str(metadata_from_bytes(proto.metadata.SerializeToString()))
    return f"{{{text}}}" if text else None


def backend_config(proto: Any, _: Instruction) -> str | None:
    """The backend config, quoted unless it is a JSON object."""
    config: bytes = proto.backend_config
    if not config:
        return None
    text = config.decode(errors="replace")
    return text if is_json_object(text) else f'"{escaped(config)}"'
