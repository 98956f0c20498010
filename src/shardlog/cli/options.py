"""Arguments and options that several commands share."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

import shardlog
from shardlog.cli.on_mesh import shardings_on, show_on
from shardlog.light import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from shardlog.ir.shardy import Mesh

__all__ = [
    "MeshType",
    "RunOptions",
    "lenient_option",
    "mask",
    "mesh_in_use",
    "mesh_known",
    "mesh_option",
    "module_argument",
    "read",
    "read_bytes",
    "run_options",
]

PROGRAMS = ("json", "csv")
"""Formats for programs, in which a sharding is HloSharding's text unless --mesh is given."""

CACHE_VARIABLE = "SHARDLOG_CACHE"
_Command = TypeVar("_Command", bound=Callable[..., Any])


_LENIENT = "shardlog.lenient"
_MESH = "shardlog.mesh"
_KNOWN = "shardlog.known mesh"
_LOOK = "shardlog.look for a mesh"
_INPUT = "shardlog.input"


class MeshType(click.ParamType):  # type: ignore[type-arg]
    """A mesh such as `x=2,y=4`, or as Shardy writes it."""

    name = "mesh"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Mesh:
        from shardlog.ir.shardy import Mesh

        if isinstance(value, Mesh):
            return value
        try:
            return Mesh.parse(value)
        except shardlog.InputError as error:
            self.fail(str(error), param, ctx)


class _PathType(click.Path):
    """A path; what stands for one is imported when there is one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from pathlib import Path

        return Path(os.fsdecode(super().convert(value, param, ctx)))


class _RunMeshType(MeshType):
    """A mesh, or `none` for an empty one: not even the module's own."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Mesh:
        if value == "none":
            from shardlog.ir.shardy.mesh import Mesh

            return Mesh()
        return super().convert(value, param, ctx)


def mask(text: str) -> tuple[bool, ...]:
    """Read a list of true and false, separated by commas. Raises click.BadParameter."""
    words = [word.strip().lower() for word in text.split(",")]
    if not {*words} <= {"true", "false", "1", "0"}:
        raise click.BadParameter(f"{text!r} is not a list of true and false")
    return tuple(word in ("true", "1") for word in words)


@dataclass(frozen=True)
class RunOptions:
    """How a module is propagated, as the command line says it."""

    rules: tuple[Path, ...] = ()
    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False
    params: tuple[bool, ...] | None = None
    output: tuple[bool, ...] | None = None
    execution_threads: tuple[str, ...] = ()
    lenient: bool = False
    mesh: Mesh | None = None

    def propagate(self, module: shardlog.HloModule, *, provenance: bool = True) -> shardlog.Result:
        """Propagate a module with these options."""
        return self._propagate(module, provenance=provenance)

    def _propagate(self, module: shardlog.HloModule, **more: bool) -> shardlog.Result:
        return shardlog.propagate(
            module,
            rules=self.rules,
            is_spmd=self.is_spmd,
            propagate_metadata=self.propagate_metadata,
            cse_prevention_only=self.cse_prevention_only,
            params=self.params,
            output=self.output,
            execution_threads=self.execution_threads,
            **more,
        )

    def asked(self, module: shardlog.HloModule) -> shardlog.Result:
        """Propagate a module as it was read, or have it answered from what an earlier run kept."""
        return self._propagate(module, as_read=True)

    def arguments(self) -> dict[str, Any]:
        """These options as arguments of `shardlog.propagation.propagate`."""
        return {
            "rules": self.rules,
            "is_spmd": self.is_spmd,
            "propagate_metadata": self.propagate_metadata,
            "cse_prevention_only": self.cse_prevention_only,
            "params": self.params,
            "output": self.output,
            "execution_threads": self.execution_threads,
        }

    def words(self) -> str:
        """These options as the command line has them: what asks about the same run needs them."""
        import shlex

        words: list[str] = []
        for file in self.rules:
            words += ("--rules", str(file))
        words += ["--no-spmd"] * (not self.is_spmd)
        words += ["--propagate-metadata"] * self.propagate_metadata
        words += ["--cse-prevention-only"] * self.cse_prevention_only
        for option, given in (("--to-parameters", self.params), ("--to-output", self.output)):
            if given is not None:
                words += (option, ",".join("true" if each else "false" for each in given))
        for thread in self.execution_threads:
            words += ("--execution-thread", thread)
        words += ["--lenient"] * self.lenient
        if self.mesh is not None:
            from shardlog.meshes import mesh_text

            words += ("--mesh", mesh_text(self.mesh))
        return shlex.join(words)

    def propagate_with_xla(self, module: shardlog.HloModule) -> shardlog.HloModule:
        """Return what XLA's own pass makes of a module with these options.

        Raises XlaUnavailable and XlaFailed.
        """
        from shardlog.xla import propagate_with_xla

        return propagate_with_xla(
            module,
            is_spmd=self.is_spmd,
            propagate_metadata=self.propagate_metadata,
            cse_prevention_only=self.cse_prevention_only,
            params=self.params,
            output=self.output,
            execution_threads=self.execution_threads,
        )


def module_argument(function: _Command) -> _Command:
    """Add the argument MODULE: a file, or - for standard input."""
    return click.argument("module", type=click.Path(dir_okay=True, allow_dash=True))(function)


def run_options(function: _Command) -> _Command:
    """Add the options that `RunOptions` holds; the command takes them as `run`."""

    @functools.wraps(function)
    def command(
        *args: Any,
        rules: Sequence[Path],
        no_spmd: bool,
        propagate_metadata: bool,
        cse_prevention_only: bool,
        to_parameters: tuple[bool, ...] | None,
        to_output: tuple[bool, ...] | None,
        execution_threads: Sequence[str],
        mesh: Mesh | None,
        lenient: bool,
        **kwargs: Any,
    ) -> Any:
        shown_on = mesh if mesh is not None and mesh.axes else None
        run = RunOptions(
            tuple(rules),
            not no_spmd,
            propagate_metadata,
            cse_prevention_only,
            to_parameters,
            to_output,
            tuple(execution_threads),
            lenient,
            shown_on,
        )
        meta = click.get_current_context().meta
        meta.update({_LENIENT: lenient, _MESH: shown_on, _LOOK: mesh is None})
        with shardings_on(shown_on):
            return function(*args, run=run, **kwargs)

    decorated: Any = command
    for option in reversed(_RUN_OPTIONS):
        decorated = option(decorated)
    result: _Command = decorated
    return result


def mesh_in_use() -> Mesh | None:
    """Return the mesh that --mesh gives, else the one that the module which was read tells of."""
    mesh: Mesh | None = click.get_current_context().meta.get(_MESH)
    return mesh


def mesh_known() -> Mesh | None:
    """Return the mesh of --mesh or of the module that was read, be it shown or not."""
    known: Mesh | None = click.get_current_context().meta.get(_KNOWN)
    return known or mesh_in_use()


def read_bytes(path: str) -> bytes:
    """Return the bytes of a MODULE argument; those of standard input, which are read once, too."""
    if path != "-":
        from pathlib import Path

        return Path(path).read_bytes()
    meta = click.get_current_context().meta
    if _INPUT not in meta:
        meta[_INPUT] = sys.stdin.buffer.read()
    data: bytes = meta[_INPUT]
    return data


def read(path: str) -> shardlog.HloModule:
    """Read the module of a MODULE argument, leniently with --lenient. Raises InputError."""
    lenient = click.get_current_context().meta.get(_LENIENT, False)
    if path != "-":
        return _on_its_mesh(shardlog.load(path, lenient=lenient), path)
    try:
        return _on_its_mesh(shardlog.load(read_bytes(path), lenient=lenient), path)
    except shardlog.InputError as error:
        raise error.located(file="<stdin>") from None


def _on_its_mesh(module: shardlog.HloModule, path: str) -> shardlog.HloModule:
    """Show shardings on the mesh that a module tells of, unless --mesh says on which.

    What programs read (JSON, CSV) says the same with and without such a mesh.
    """
    context = click.get_current_context()
    if not context.meta.pop(_LOOK, False):
        return module
    from shardlog.meshes import mesh_of, mesh_text

    mesh = context.meta[_KNOWN] = mesh_of(module)
    if mesh is None or context.command.name == "propagate":
        return module
    if not context.params.get("as_json") and context.params.get("form") not in PROGRAMS:
        context.meta[_MESH] = mesh
        show_on(mesh)
        note = f"shardings are shown on the module's own mesh, {mesh_text(mesh)} (--mesh none: not)"
        click.echo(f"note: {path}: {note}", err=True)
    return module


mesh_option = click.option(
    "--mesh",
    type=MeshType(),
    metavar="x=2,y=4",
    help="Show shardings as PartitionSpecs on this mesh, P('x', None), where there is one.",
)
lenient_option = click.option(
    "--lenient",
    is_flag=True,
    help="Read broken shardings (wrong counts, duplicates) as XLA does. Default: an error.",
)


def _without_cache(_: click.Context, __: click.Parameter, wanted: bool) -> None:
    if wanted:
        os.environ[CACHE_VARIABLE] = ""


_RUN_OPTIONS = [
    click.option(
        "--no-cache",
        is_flag=True,
        expose_value=False,
        callback=_without_cache,
        help="Neither read nor write what earlier runs have made of the rules "
        f"({CACHE_VARIABLE} names another folder for it).",
    ),
    click.option(
        "--rules",
        multiple=True,
        metavar="FILE",
        type=_PathType(),
        help="Rules and facts that join the shipped ones. May be given several times.",
    ),
    click.option(
        "--no-spmd", is_flag=True, help="Propagate as XLA does without SPMD partitioning."
    ),
    click.option(
        "--propagate-metadata", is_flag=True, help="Let shardings carry their metadata along."
    ),
    click.option(
        "--cse-prevention-only",
        is_flag=True,
        help="Shard nothing but broadcasts of scalars, so that equal ones on different devices are "
        "not merged; their shardings are marked, and a run without this option takes them off.",
    ),
    click.option(
        "--to-parameters",
        type=mask,
        metavar="true,false,...",
        help="Whether each entry parameter may take a sharding. Default: the module's header "
        "(allow_spmd_sharding_propagation_to_parameters); a proto has none, then false.",
    ),
    click.option(
        "--to-output",
        type=mask,
        metavar="true,false,...",
        help="The same for each leaf of the entry's result.",
    ),
    click.option(
        "--execution-thread",
        "execution_threads",
        multiple=True,
        metavar="NAME",
        help="Propagate only in computations of this thread (XLA calls the usual one main). May be "
        "given several times. Default: all.",
    ),
    click.option(
        "--mesh",
        type=_RunMeshType(),
        metavar="x=2,y=4",
        help="Show shardings as PartitionSpecs on this mesh, P('x', None), where there is one. "
        "Default: the mesh that the module tells of (Shardy's in its header, or that of mesh-based "
        "shardings), except in JSON and CSV; none shows HloShardings.",
    ),
    lenient_option,
]
