"""Modules made for Shardy, and modules that are already partitioned."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import shardlog
from shardlog.cli import main
from shardlog.notes import SWITCH, is_partitioned, shardy_mark

EXAMPLES = Path(__file__).parents[2] / "examples"
MODULE = """\
HloModule m{header}

{before}ENTRY %{entry} (a: f32[8,8]) -> f32[8,8] {{
  %a = f32[8,8]{{1,0}} parameter(0), sharding={{devices=[2,1]<=[2]}}{attribute}
  ROOT %r = f32[8,8]{{1,0}} {operation}
}}
"""


def module(
    header: str = "",
    before: str = "",
    entry: str = "main",
    attribute: str = "",
    operation: str = "negate(%a)",
) -> shardlog.HloModule:
    text = MODULE.format(
        header=header, before=before, entry=entry, attribute=attribute, operation=operation
    )
    return shardlog.load(text.encode())


def test_a_module_for_gspmd_has_no_notes() -> None:
    assert shardlog.partitioner_notes(module()) == []
    for name in ("mlp_train_2x4.txt", "mlp_train_2x4.hlo.pb", "gpt_forward_2x4.txt"):
        assert shardlog.partitioner_notes(shardlog.load(EXAMPLES / name)) == []


def test_jax_default_dump_is_recognised_and_the_switch_is_named() -> None:
    (note,) = shardlog.partitioner_notes(shardlog.load(EXAMPLES / "shardy_dump.txt"))
    assert "Shardy" in note
    assert "GSPMD's answer" in note
    assert SWITCH in note


@pytest.mark.parametrize(
    ("made", "mark"),
    [
        (
            module(header=', frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<["x"=2]>}}'),
            "xla.sdy.meshes in its header",
        ),
        (
            module(attribute=', frontend_attributes={xla.sdy.sharding="#sdy.sharding<@m, [{}]>"}'),
            "xla.sdy.sharding at a",
        ),
        (
            module(
                operation='custom-call(%a), custom_call_target="xla.sdy.FuncResultSharding"',
            ),
            "custom-call xla.sdy.FuncResultSharding at r",
        ),
        (
            module(
                before="%xla.sdy.manual_computation_body.1 (p: f32[]) -> f32[] {\n"
                "  ROOT %p = f32[] parameter(0)\n}\n\n"
            ),
            "computation xla.sdy.manual_computation_body.1",
        ),
        (module(), None),
    ],
)
def test_every_trace_of_shardy_counts(made: shardlog.HloModule, mark: str | None) -> None:
    assert shardy_mark(made) == mark


@pytest.mark.parametrize(
    ("entry", "partitioned"),
    [("main.5_spmd", True), ("main_spmd.1", True), ("main_spmd.clone", True), ("spmd_main", False)],
)
def test_partitioned_modules_are_known_by_their_entry(entry: str, partitioned: bool) -> None:
    assert is_partitioned(module(entry=entry)) is partitioned


def test_partitioned_and_scheduled_modules_name_the_right_dump() -> None:
    for late in (module(entry="main_spmd"), module(header=", is_scheduled=true")):
        (note,) = shardlog.partitioner_notes(late)
        assert "before_sharding-propagation" in note


@pytest.mark.parametrize(
    "command",
    [
        "propagate",
        "why {name}",
        "whynot {name}",
        "frontier {name}",
        "whatif --drop {annotation}",
        "impact {annotation}",
        "conflicts {name}",
        "lint",
        "query annotated(I)",
        "repl",
        "report -o {out}",
        "order",
    ],
)
def test_every_command_says_when_xla_would_run_shardy(command: str, tmp_path: Path) -> None:
    file = EXAMPLES / "shardy_dump.txt"
    found = shardlog.load(file)
    names = [one.name for one in found.entry.instructions if one.opcode == "dot"]
    annotated = [one.name for one in found.entry.instructions if one.sharding is not None]
    verb, *rest = command.format(
        name=names[0], annotation=annotated[0], out=tmp_path / "report.html"
    ).split()
    printed = CliRunner().invoke(main, [verb, str(file), *rest])
    assert printed.exit_code == 0, printed.output
    assert "XLA runs Shardy on this module, not GSPMD" in printed.stderr
