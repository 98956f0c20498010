"""`shardlog show`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

import shardlog
from shardlog.cli.options import MeshType, lenient_option

if TYPE_CHECKING:
    from rich.table import Table

    from shardlog.ir.shape import Shape
    from shardlog.ir.sharding import HloSharding
    from shardlog.ir.shardy import Mesh
    from shardlog.slices import Slice

__all__ = ["command"]

PICTURE_ROWS, PICTURE_COLUMNS = 16, 8
"""How many tiles the picture has at most."""
CELL_DEVICES = 16
"""How many devices are looked at for a cell of the picture."""
_WIDEST = 1000


@click.command(
    "show",
    epilog="""\b
Examples:
  shardlog show '{devices=[2,4]<=[8]}' --shape f32[16,32]
  shardlog show '{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}' --shape bf16[10,8]
  shardlog show "P('x', None)" --mesh 'x=2,y=4' --shape f32[16,32]
  shardlog show '{devices=[2,4]<=[8]}' --shape f32[16,32] --json
""",
)
@click.argument("sharding")
@click.option("--shape", "shape", required=True, help="The tensor's shape, such as f32[16,32].")
@click.option("--mesh", type=MeshType(), metavar="x=2,y=4", help="The mesh of forms with axes.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    help="How many devices the table has at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the slices as JSON.")
@lenient_option
def command(
    sharding: str, shape: str, mesh: Mesh | None, limit: int, as_json: bool, lenient: bool
) -> None:
    """Show which device holds which slice of a tensor of the given shape.

    SHARDING is in any form that convert reads. The picture shows the tiles along the first two
    dimensions that are split, and in each the devices that hold it.
    """
    from shardlog.converters.sharding_forms import Setting, read_form
    from shardlog.ir.shape import parse_shape
    from shardlog.slices import tiles

    array = parse_shape(shape)
    forms = read_form(sharding, Setting(mesh=mesh, rank=array.rank, lenient=lenient))
    value = forms.tiles
    found = list(tiles(value, array, most=limit, most_devices=limit))
    rows = _by_device(found)[:limit]
    if as_json:
        click.echo(json.dumps(_plain(value, array, rows), indent=1))
        return
    click.echo(_heading(value, array))
    if mesh is not None:
        click.echo(_on_mesh(value, mesh))
    _table(value, rows)
    if value.kind == "tiled" and value.num_tiles > 1:
        _picture(value, array)


def _by_device(found: Iterable[Slice]) -> list[tuple[int | None, Slice]]:
    """Each device with its slice, in order; None stands for every device."""
    rows: list[tuple[int | None, Slice]] = []
    for tile in found:
        rows += [(device, tile) for device in tile.devices] or [(None, tile)]
    return sorted(rows, key=lambda row: -1 if row[0] is None else row[0])


def _heading(value: HloSharding, shape: Shape) -> str:
    from shardlog.slices import tile_shape

    text = f"{shape} under {value}"
    if value.kind != "tiled":
        where = "on every device" if value.is_replicated else f"on device {value.unique_device}"
        return f"{text}: whole {where}"
    size = ",".join(map(str, tile_shape(value, shape)))
    replicas = value.num_devices // value.num_tiles
    each = f", each on {replicas} devices" if replicas > 1 else ""
    types = [kind for kind in value.subgroup_types if kind != "replicated"]
    kinds = f" ({' and '.join(types)} among them)" if types else ""
    return f"{text}: {value.num_tiles} tiles of [{size}]{each}{kinds}"


def _on_mesh(value: HloSharding, mesh: Mesh) -> str:
    from shardlog.converters.partition_spec import spec_of_sharding

    try:
        return f"on mesh {mesh.stripped}: {spec_of_sharding(value, mesh)}"
    except shardlog.InputError as error:
        return f"on mesh {mesh.stripped}: {error}"


def _plain(
    value: HloSharding, shape: Shape, rows: Sequence[tuple[int | None, Slice]]
) -> dict[str, Any]:
    from shardlog.slices import tile_shape

    return {
        "sharding": str(value),
        "shape": str(shape),
        "tile_shape": list(tile_shape(value, shape)),
        "devices": max(value.num_devices, 1) if value.kind == "tiled" else len(rows),
        "slices": [
            {
                "device": device,
                "slice": [list(pair) for pair in tile.bounds],
                "empty": tile.is_empty,
            }
            for device, tile in rows
        ],
    }


def _table(value: HloSharding, rows: Sequence[tuple[int | None, Slice]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("device", justify="right")
    table.add_column("slice")
    for device, tile in rows:
        table.add_row("every" if device is None else str(device), Text(_slice_text(tile)))
    _print(table)
    if value.kind == "tiled" and value.num_devices > len(rows):
        click.echo(f"... and {value.num_devices - len(rows)} more devices (--limit)")


def _slice_text(tile: Slice) -> str:
    text = ", ".join(f"{start}:{limit}" for start, limit in tile.bounds)
    return f"[{text}]" + (" (empty: padding)" if tile.is_empty else "")


def _picture(value: HloSharding, shape: Shape) -> None:
    """Draw the tiles along two dimensions, with the devices in each."""
    from rich import box
    from rich.table import Table

    grid = value.tile.dims[: shape.rank]
    split = [dim for dim, count in enumerate(grid) if count > 1]
    if len(split) == 1 and shape.rank > 1:
        # along the last dimension tiles stand side by side, along any other below each other
        split = [0, split[0]] if split[0] == shape.rank - 1 else [split[0], shape.rank - 1]
    down, across = (split[0], split[1]) if len(split) > 1 else (None, split[0])
    height = 1 if down is None else grid[down]
    width = grid[across]
    table = Table(box=box.SQUARE, show_lines=True, header_style="", show_header=True)
    table.add_column("" if down is None else f"dim {down}", justify="right")
    for column in range(min(width, PICTURE_COLUMNS)):
        table.add_column(_bounds(shape, grid, across, column), justify="center")
    for row in range(min(height, PICTURE_ROWS)):
        cells = []
        for column in range(min(width, PICTURE_COLUMNS)):
            place = [0] * shape.rank
            place[across] = column
            if down is not None:
                place[down] = row
            cells.append(_cell(value, place))
        table.add_row("" if down is None else _bounds(shape, grid, down, row), *cells)
    click.echo(f"devices of each tile, dim {across} across" + _rest(split, height, width))
    _print(table)


def _print(table: Table) -> None:
    """Print a table as wide as it is; a terminal wraps it rather than that digits are cut off."""
    from rich.console import Console

    Console(highlight=False, width=_WIDEST).print(table, crop=False)


def _rest(split: Sequence[int], height: int, width: int) -> str:
    notes = []
    if len(split) > 2:
        others = ", ".join(f"dim {dim}" for dim in split[2:])
        notes.append(f"{others} at the first tile")
    if height > PICTURE_ROWS or width > PICTURE_COLUMNS:
        shown = min(height, PICTURE_ROWS) * min(width, PICTURE_COLUMNS)
        notes.append(f"{shown} of {height * width} tiles")
    return f" ({'; '.join(notes)})" if notes else ""


def _bounds(shape: Shape, grid: Sequence[int], dim: int, at: int) -> str:
    whole = shape.dimensions[dim]
    size = -(-whole // grid[dim])
    start, limit = min(at * size, whole), min((at + 1) * size, whole)
    return f"{start}:{limit}" if start < limit else "padding"


def _cell(value: HloSharding, place: Sequence[int]) -> str:
    from shardlog.slices import devices_of_tile

    devices, count = devices_of_tile(value, tuple(place), CELL_DEVICES)
    return _ranges(devices) + ("..." if count > len(devices) else "")


def _ranges(devices: Sequence[int]) -> str:
    """Device ids in ascending order, runs of three or more as FIRST-LAST."""
    runs: list[list[int]] = []
    for device in devices:
        if runs and device == runs[-1][-1] + 1:
            runs[-1].append(device)
        else:
            runs.append([device])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )
