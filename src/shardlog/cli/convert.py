"""`shardlog convert`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

import shardlog
from shardlog.cli.options import MeshType, lenient_option
from shardlog.files import write_whole
from shardlog.mlir_run import is_artifact

if TYPE_CHECKING:
    from shardlog.converters.sharding_forms import Setting
    from shardlog.ir.shardy import Mesh

__all__ = ["command"]

# as in converters/sharding_forms.py, which takes a while to load
FORMS = (
    "hlo",
    "v1",
    "v2",
    "v3",
    "sdy",
    "partition-spec",
    "proto-text",
    "proto-bytes-hex",
    "json",
)
MODULE_FORMS = ("text", "pb", "stablehlo", "gspmd", "stablehlo-sdy")


@click.command(
    "convert",
    epilog="""\b
Examples:
  shardlog convert '{devices=[2,4]<=[8]}' --to sdy --mesh 'x=2,y=4'
  shardlog convert "P('x', None)" --to hlo --mesh 'x=2,y=4'
  shardlog convert '#sdy.sharding<@mesh, [{"x"}, {?}]>' --to hlo --mesh 'x=2,y=4' --lossy-report
  cat shardings.txt | shardlog convert --to partition-spec --mesh 'x=2,y=4'
  shardlog convert shardings.txt --to json            one sharding a line
  shardlog convert module.txt --to v3 --mesh 'x=2,y=4' -o module_v3.txt
  shardlog convert module.hlo.pb --to text -o module.txt
  shardlog convert program.mlir --to text -o program.txt

\b
Forms (what is read is recognised, --from says it where it is not):
  hlo              HloSharding text as XLA prints it
  v1, v2           that, with the devices listed, or as an iota
  v3               that, on a mesh: {mesh['x'=2,'y'=4], [{'x'}, {}]}
  sdy              Shardy's attribute: #sdy.sharding<@mesh, [{"x"}, {}]>
  partition-spec   JAX's PartitionSpec: P('x', None)
  proto-text       an OpSharding in protobuf's text format
  proto-bytes-hex  a serialized OpSharding in hexadecimal digits
  json             an OpSharding as JSON
  text, pb, stablehlo   of a module: HLO text, a proto, StableHLO (needs a jaxlib, as does a proto
                   from text: pip install 'shardlog[jax]')
  gspmd            of a module made for Shardy: HLO text with what GSPMD has for its annotations
  sdy, stablehlo-sdy   of a module also: HLO text with Shardy's attributes, StableHLO with them
""",
)
@click.argument("what", default="-")
@click.option(
    "--to", "to", required=True, type=click.Choice([*FORMS, *MODULE_FORMS]), help="The form wanted."
)
@click.option("--from", "given", type=click.Choice(FORMS), help="The form of WHAT.")
@click.option("--mesh", type=MeshType(), metavar="x=2,y=4", help="The mesh of forms with axes.")
@click.option(
    "--manual-axes",
    default="",
    metavar="x,y",
    help="Axes of the mesh that are manual around the tensor (for sdy).",
)
@click.option(
    "--rank", type=click.IntRange(min=0), help="The tensor's rank, where the form has none."
)
@click.option("--open", "is_open", is_flag=True, help="Open dimensions where the form has none.")
@click.option("--mesh-based", is_flag=True, help="Write protos in the mesh-based (V3) form.")
@click.option(
    "--lossy-report", is_flag=True, help="Say on standard error what the form wanted cannot say."
)
@click.option("-o", "--output", "target", metavar="FILE", help="Where the result goes.")
@lenient_option
def command(
    what: str,
    to: str,
    given: str | None,
    mesh: Mesh | None,
    manual_axes: str,
    rank: int | None,
    is_open: bool,
    mesh_based: bool,
    lossy_report: bool,
    target: str | None,
    lenient: bool,
) -> None:
    """Convert WHAT: a sharding, or a file with one sharding a line, or an HLO module.

    Without WHAT, or with -, standard input is read. A module keeps everything but the form of its
    shardings.
    """
    from shardlog.converters.sharding_forms import Setting

    setting = Setting(
        mesh=mesh,
        manual_axes=tuple(name.strip() for name in manual_axes.split(",") if name.strip()),
        rank=rank,
        closed=not is_open,
        lenient=lenient,
        mesh_based=mesh_based,
    )
    data, file = _read(what)
    if data is not None and _is_module(data):
        _write(_module(data, file, to, setting), target)
        return
    if to in MODULE_FORMS:
        raise click.UsageError(f"--to {to} is for modules")
    lines = [what] if data is None else data.decode("utf-8", "surrogateescape").splitlines()
    text = "".join(
        converted + "\n" for converted in _converted(lines, file, to, given, setting, lossy_report)
    )
    _write(text.encode("utf-8", "surrogateescape"), target)


def _read(what: str) -> tuple[bytes | None, str | None]:
    """The content of a file or of standard input, and its name; None for a sharding itself."""
    if what == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    # a sharding may be longer than any name of a file
    if len(what) < 4096 and "\n" not in what and Path(what).is_file():
        return Path(what).read_bytes(), what
    if what.lstrip()[:1] not in tuple("{#<[P") and "." in Path(what).name:
        raise shardlog.InputError("no such file, and no sharding", file=what)
    return None, None


def _is_module(data: bytes) -> bool:
    from shardlog import converters

    return converters.is_module(data) or converters.is_mlir(data) or is_artifact(data)


def _converted(
    lines: list[str],
    file: str | None,
    to: str,
    given: str | None,
    setting: Setting,
    lossy_report: bool,
) -> Iterator[str]:
    """Each sharding in the form wanted; what stands on several lines is one sharding."""
    from shardlog.converters.sharding_forms import losses_of, read_form, write_form

    rows = _rows(lines, given)
    if not rows:
        raise shardlog.InputError("no sharding", file=file)
    for number, line in rows:
        try:
            sharding = read_form(line, setting, given)
            text = write_form(sharding, to, setting)
            losses = losses_of(sharding, to, setting) if lossy_report else []
        except shardlog.InputError as error:
            if file is None:
                raise
            offset = (error.line or 1) - 1
            raise error.located(file=file, line=number + offset) from None
        yield text if len(rows) == 1 else " ".join(text.split("\n"))
        for loss in losses:
            place = "" if file is None else f"{file}:{number}: "
            click.echo(f"{place}lost: {loss}", err=True)
        if lossy_report and not losses:
            click.echo(f"{'' if file is None else f'{file}:{number}: '}nothing lost", err=True)


def _rows(lines: list[str], given: str | None) -> list[tuple[int, str]]:
    """The shardings among lines, each with the number of its first line."""
    from shardlog.converters.sharding_forms import form_of

    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if given == "proto-bytes-hex" and not rows:
        return [(1, "")]  # the empty message
    if len(rows) < 2:
        return rows
    form = given or form_of(rows[0][1])
    # a message may take several lines: in JSON the first is then incomplete, in text format no
    # later one begins with the type
    whole = (form == "json" and not _is_json(rows[0][1])) or (
        form == "proto-text" and not any(line.startswith("type:") for _, line in rows[1:])
    )
    return [(rows[0][0], "\n".join(lines[rows[0][0] - 1 :]))] if whole else rows


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _module(data: bytes, file: str | None, to: str, setting: Setting) -> bytes:
    """A module in another form, or with its shardings in another form."""
    from shardlog import api, converters
    from shardlog.converters.sharding_forms import ShardingForms, write_form

    try:
        module = shardlog.load(data, lenient=setting.lenient)
    except shardlog.InputError as error:
        raise error.located(file=file) from None
    module.file = file
    for warning in module.warnings:
        click.echo(f"warning: {file}: {warning}", err=True)
    if to == "text":
        return api.render(module, "text")
    if to == "pb":
        return api.render(module, "pb")
    if to == "stablehlo":
        return api.render(module, "stablehlo")
    if to == "gspmd":
        return _for_gspmd(module, file)
    if to in ("sdy", "stablehlo-sdy"):
        return _with_shardy(module, file, to, setting)
    if to not in ("hlo", "v1", "v2", "v3"):
        raise click.UsageError(
            f"the shardings of a module are written as hlo, v1, v2, v3 or sdy, not {to}"
        )
    text = converters.text_with_shardings(
        module, lambda sharding: write_form(ShardingForms(sharding), to, setting)
    )
    return text.encode("utf-8", "surrogateescape")


def _for_gspmd(module: shardlog.HloModule, file: str | None) -> bytes:
    """HLO text of a module made for Shardy, with what GSPMD has for its annotations."""
    from shardlog.converters.shardy import gspmd_form

    form = gspmd_form(module)
    for note in form.notes:
        click.echo(f"{file}: lost: {note}", err=True)
    return form.module.to_text().encode("utf-8", "surrogateescape")


def _with_shardy(module: shardlog.HloModule, file: str | None, to: str, setting: Setting) -> bytes:
    """A module with Shardy's attributes: beside its shardings in HLO text, or as StableHLO."""
    from shardlog.converters.shardy import shardy_form

    meshes = None if setting.mesh is None else {"mesh": setting.mesh}
    form = shardy_form(module, meshes, closed=setting.closed)
    for reason in form.left_out:
        click.echo(f"{file}: left out: {reason}", err=True)
    if to == "sdy":
        return form.module.to_text().encode("utf-8", "surrogateescape")
    from shardlog.stablehlo import sdy_of

    return sdy_of(form).encode("utf-8", "surrogateescape")


def _write(data: bytes, target: str | None) -> None:
    if target is not None and target != "-":
        write_whole(Path(target), data)
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
