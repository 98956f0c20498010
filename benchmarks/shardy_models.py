"""A made-up program for Shardy, in MLIR's generic form: feed-forward layers and their gradients."""

from __future__ import annotations

from typing import TextIO

__all__ = ["OPERATIONS", "feed_forward"]

TOKENS, WIDTH, HIDDEN = 4096, 1024, 4096
OPERATIONS = 10
"""Operations of a layer and its gradient."""

MESH = 'mesh = #sdy.mesh<["data"=8, "model"=4]>, sym_name = "mesh"'
SIZES = {"x": (TOKENS, WIDTH), "h": (TOKENS, HIDDEN), "u": (WIDTH, HIDDEN), "d": (HIDDEN, WIDTH)}
TYPES = {name: f"tensor<{rows}x{columns}xf32>" for name, (rows, columns) in SIZES.items()}
SHARDINGS = {
    "x": '[{"data"}, {}]',
    "u": '[{}, {"model"}]',
    "d": '[{"model"}, {}]',
}


def feed_forward(out: TextIO, layers: int) -> None:
    """Write a step of `layers` layers, x + tanh(x u) d, backwards as well.

    The input and the weights are sharded, by "data" and by "model".
    """
    names = ["x", *(side for _ in range(layers) for side in "ud")]
    values = [f"%arg{number}" for number in range(len(names))]
    types = [TYPES[name] for name in names]
    attributes = ", ".join(
        f"{{sdy.sharding = #sdy.sharding<@mesh, {SHARDINGS[name]}>}}" for name in names
    )
    lines: list[str] = []

    def op(name: str, operands: list[str], kinds: str, said: str = "") -> str:
        value = f"%{len(lines)}"
        given = ", ".join(TYPES[kind] for kind in kinds[:-1])
        lines.append(
            f'    {value} = "stablehlo.{name}"({", ".join(operands)}){said} : '
            f"({given}) -> {TYPES[kinds[-1]]}"
        )
        return value

    def dot(one: str, other: str, kinds: str, mine: int, its: int) -> str:
        numbers = (
            f"#stablehlo.dot<lhs_contracting_dimensions = [{mine}], "
            f"rhs_contracting_dimensions = [{its}]>"
        )
        return op("dot_general", [one, other], kinds, f" <{{dot_dimension_numbers = {numbers}}}>")

    x, kept = values[0], []
    for layer in range(layers):
        up, down = values[1 + 2 * layer], values[2 + 2 * layer]
        active = op("tanh", [dot(x, up, "xuh", 1, 0)], "hh")
        kept.append((x, up, active, down))
        x = op("add", [x, dot(active, down, "hdx", 1, 0)], "xxx")
    gradients: list[str] = []
    slope = x
    for before, up, active, down in reversed(kept):
        inner = dot(slope, down, "xdh", 1, 1)
        flat = op("multiply", [inner, active], "hhh")
        gradients = [
            dot(before, flat, "xhu", 0, 0),
            dot(active, slope, "hxd", 0, 0),
            *gradients,
        ]
        slope = op("add", [slope, dot(flat, up, "hux", 1, 1)], "xxx")
    results = [slope, *gradients]
    out.write('"builtin.module"() <{sym_name = "feed_forward"}> ({\n')
    out.write(f'  "sdy.mesh"() <{{{MESH}}}> : () -> ()\n')
    out.write(
        f'  "func.func"() <{{arg_attrs = [{attributes}], '
        f"function_type = ({', '.join(types)}) -> ({', '.join(types)}), "
        'sym_name = "main", sym_visibility = "public"}> ({\n'
    )
    arguments = (f"{value}: {kind}" for value, kind in zip(values, types, strict=True))
    out.write(f"  ^bb0({', '.join(arguments)}):\n")
    out.write("\n".join(lines))
    out.write(f'\n    "func.return"({", ".join(results)}) : ({", ".join(types)}) -> ()\n')
    out.write("  }) : () -> ()\n}) : () -> ()\n")
