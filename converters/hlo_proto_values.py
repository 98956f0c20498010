"""HLO text of the values inside protos: strings and shapes with their layouts."""

import re
from functools import cache
from typing import Any

from shardlog.converters.proto import POOL, ShapeProto, enum_name
from shardlog.ir.shape import UNBOUNDED, Shape

_ESCAPES = {
    **{code: f"\\{code:03o}" for code in (*range(32), *range(127, 256))},
    **{ord(char): f"\\{letter}" for char, letter in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)},
}


def escaped(value: str | bytes) -> str:
    """The inside of a quoted string of HLO text; bytes that are not ASCII become octal escapes."""
    data = value.encode() if isinstance(value, str) else value
    return data.decode("latin-1").translate(_ESCAPES)


@cache
def element_type_name(number: int) -> str | None:
    """The text name (`f32`) of a PrimitiveType, or None if it has none."""
    if number == 14:
        return "opaque"
    name = enum_name("PrimitiveType", number) if number else None
    return None if name is None else name.lower()


def shape_text(shape: Any, layout: bool = True) -> str:
    """A ShapeProto as HLO text, with its layout if wanted."""
    name = element_type_name(shape.element_type)
    if name == "tuple":
        parts = [shape_text(part, layout) for part in shape.tuple_shapes]
        return f"({indexed(parts)})"
    if name == "buffer":
        return f"b({indexed([shape_text(part, layout) for part in shape.tuple_shapes])})"
    dynamic = list(shape.is_dynamic_dimension) or [False] * len(shape.dimensions)
    sizes = ",".join(
        ("?" if size < 0 else f"<={size}") if bounded else str(size)
        for size, bounded in zip(shape.dimensions, dynamic, strict=False)
    )
    text = f"{name}[{sizes}]"
    if not layout or name in ("token", "opaque") or not shape.HasField("layout"):
        return text
    inside = layout_text(shape.layout)
    return text if not shape.dimensions and not inside else f"{text}{{{inside}}}"


def shape_proto(shape: Shape) -> Any:
    """The ShapeProto of a shape, with the layout that XLA gives one that states none."""
    if shape.is_tuple:
        return ShapeProto(element_type=13, tuple_shapes=map(shape_proto, shape.elements))
    unbounded = [size == UNBOUNDED for size in shape.dimensions]
    proto = ShapeProto(
        element_type=_element_types()[shape.element_type],
        dimensions=[-(1 << 63) if size == UNBOUNDED else size for size in shape.dimensions],
        is_dynamic_dimension=unbounded,
    )
    if shape.is_array:
        proto.layout.minor_to_major.extend(reversed(range(shape.rank)))
        proto.layout.SetInParent()
    return proto


@cache
def _element_types() -> dict[str, int]:
    numbers = POOL.FindEnumTypeByName("xla.PrimitiveType").values_by_number
    return {name: number for number in numbers if (name := element_type_name(number))}


def indexed(parts: list[str]) -> str:
    """A comma-separated list with XLA's index comment before every fifth entry."""
    return ", ".join(
        f"/*index={i}*/{part}" if i and i % 5 == 0 else part for i, part in enumerate(parts)
    )


_LEVELS = dict(enumerate("DCSH"))


def layout_text(layout: Any) -> str:
    """A LayoutProto as HLO text, without its braces."""
    extra = []
    if layout.dim_level_types:
        unique = list(layout.dim_unique) or [True] * len(layout.dim_level_types)
        ordered = list(layout.dim_ordered) or [True] * len(layout.dim_level_types)
        levels = (
            _LEVELS.get(level, "?") + ("" if is_unique else "+") + ("" if is_ordered else "~")
            for level, is_unique, is_ordered in zip(
                layout.dim_level_types, unique, ordered, strict=False
            )
        )
        extra.append(f"D({','.join(levels)})")
    if layout.tiles:
        extra.append("T" + "".join(f"({tile_text(tile)})" for tile in layout.tiles))
    if layout.tail_padding_alignment_in_elements not in (0, 1):
        extra.append(f"L({layout.tail_padding_alignment_in_elements})")
    for mark, number in (
        ("#", layout.index_primitive_type),
        ("*", layout.pointer_primitive_type),
    ):
        if number:
            extra.append(f"{mark}({element_type_name(number)})")
    if layout.element_size_in_bits:
        extra.append(f"E({layout.element_size_in_bits})")
    if layout.memory_space:
        extra.append(f"S({layout.memory_space})")
    for split in layout.split_configs:
        extra.append(f"SC({split.dimension}:{','.join(map(str, split.split_indices))})")
    if layout.HasField("physical_shape"):
        extra.append(f"P({shape_text(layout.physical_shape)})")
    if layout.dynamic_shape_metadata_prefix_bytes:
        extra.append(f"M({layout.dynamic_shape_metadata_prefix_bytes})")
    order = ",".join(map(str, layout.minor_to_major))
    return f"{order}:{''.join(extra)}" if extra else order


_COMBINED_TILE = -(1 << 63)


def tile_text(tile: Any) -> str:
    """The sizes of a TileProto; `*` is a dimension that is combined with the next."""
    return ",".join("*" if size == _COMBINED_TILE else str(size) for size in tile.dimensions)


_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}"]', re.S)


def is_json_object(text: str) -> bool:
    """Whether braces and quotes match, as XLA's lexer asks of a value that it leaves unquoted."""
    depth = 0
    for token in _JSON_TOKEN.finditer(text) if text.startswith("{") else ():
        if token[0] == "{":
            depth += 1
        elif token[0] == '"':
            return False
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return token.end() == len(text)
    return False
