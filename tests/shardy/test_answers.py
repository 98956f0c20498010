"""What is asked about Shardy's propagation: why, why not, where to, what if."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog.cli import main
from shardlog.ir.errors import InputError
from shardlog.ir.shardy import step
from shardlog.ir.shardy.manual import with_manual, without_manual
from shardlog.shardy import read_shardy
from shardlog.shardy.account import How
from shardlog.shardy.lint import lint
from shardlog.shardy.questions import Questions
from shardlog.shardy.session import Asked
from shardlog.shardy.whatif import Changes, impact, what_if
from shardlog.shardy.whynot import WhyNot
from shardlog.xla import XlaUnavailable
from tests import shardy_origins

PROGRAMS = Path(__file__).parents[1] / "data" / "shardy_programs"
NAMES = sorted(path.name.split(".")[0] for path in PROGRAMS.glob("*.before.mlir"))


def path_of(name: str) -> Path:
    return PROGRAMS / f"{name}.before.mlir"


def asked(name: str) -> Asked:
    return Asked(read_shardy(path_of(name).read_bytes(), name))


def made(text: str, mesh: str = '"a"=2, "b"=4') -> Asked:
    """A program of one function in generic form, its operations given with {} for its mesh."""
    head = f'"sdy.mesh"() <{{mesh = #sdy.mesh<[{mesh}]>, sym_name = "mesh"}}> : () -> ()'
    return Asked(read_shardy(f'"builtin.module"() ({{\n{head}\n{text}\n}}) : () -> ()'.encode()))


def function(arguments: str, kind: str, attributes: str, body: str) -> str:
    return (
        f'"func.func"() <{{arg_attrs = [{attributes}], function_type = {kind}, sym_name = "main"}}>'
        f" ({{\n^bb0({arguments}):\n{body}\n}}) : () -> ()"
    )


def on(spec: str) -> str:
    return f"{{sdy.sharding = #sdy.sharding<@mesh, {spec}>}}"


@pytest.mark.parametrize("name", NAMES)
def test_a_visit_replayed_gives_what_was_recorded(name: str) -> None:
    history = asked(name).history
    for visit in history.visits:
        look = history.look(visit.op, visit.seen, visit.level, visit.held)
        slots = history.slots[visit.op]
        for record in (history.records[place] for place in visit.records):
            if record.rule.name == "erase":
                continue
            assert look is not None
            assert look.growth is not None
            growth, found = look.growth, []
            for slot in (n for n, entity in enumerate(slots) if entity == record.entity):
                new = step.rebuilt(growth, slot)
                if new is not None and visit.op in history.manual and slot == len(slots) - 1:
                    axes = history.manual[visit.op]
                    inside = visit.op in history.into
                    outer = history.outer[visit.op]
                    new = without_manual(new, axes) if inside else with_manual(new, outer, axes)
                found.append(new)
            assert record.new in found


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_has_a_proof_that_ends_at_an_annotation(name: str) -> None:
    program = asked(name)
    for _, shown, entity in program.names.values():
        for dim, axis in program.account.axes(entity):
            origin = program.account.origin(entity, dim, axis)
            assert origin is not None, (shown, dim, axis)
            if origin.op in program.history.manual:
                # a manual axis, which the computation is annotated with
                continue
            assert origin.source is None or origin.how is How.CONSTRAINED
            assert program.history.start[origin.entity] is not None


def test_why_follows_each_axis() -> None:
    answer = asked("conflicts").why("%3")
    assert answer.kind == "forward_from_operand"
    assert answer.says == (
        '%3 has "a" on dim 0 and "b" on dim 1 from %2; in the end from %arg3 ("a" on dim 0) and '
        '%arg1 ("b" on dim 1)'
    )
    first, second = answer.proof.steps
    assert [(one.dim, one.symbol, one.level) for one in first.gains] == [(0, "i", 3)]
    assert [(one.dim, one.symbol, one.level) for one in second.gains] == [(1, "j", 2)]
    text = answer.to_text()
    assert "along factor i (permutation, size 8)" in text
    assert text.splitlines()[-1].startswith("cause (forward_from_operand)")
    reasons = answer.to_dict()["reasons"]
    assert reasons[0]["steps"][0]["because"] == [1]
    assert reasons[-1]["steps"][0]["how"] == "annotated"


def test_one_dimension_or_axis_is_asked_for() -> None:
    program = asked("conflicts")
    by_dim, by_axis = program.why("%3", dim=1), program.why("%3", axis="b")
    assert by_dim.proof.pairs == by_axis.proof.pairs
    assert len(by_dim.proof.steps) == 1
    with pytest.raises(InputError, match="no mesh has an axis 'z'"):
        program.why("%3", axis="z")
    with pytest.raises(InputError, match="has no dimension 5"):
        program.why("%3", dim=5)


def test_a_constraint_gives_its_operand_its_sharding() -> None:
    answer = asked("uneven").why("%2")
    assert "sharding_constraint %3 reads %2" in answer.to_text()


def test_uneven_at_the_border() -> None:
    program = asked("uneven")
    answer = program.whynot("result 0", '[{"b"}, {"a"}]')
    assert answer.cause.kind == "uneven"
    assert "does not divide 35 evenly" in answer.cause.says
    assert program.why("result 0").beside == (answer.cause.says,)


def cause(answer: WhyNot) -> tuple[str, int | None]:
    return str(answer.cause.kind), answer.cause.dim


def test_a_conflict_names_both_tensors() -> None:
    program = made(
        function(
            "%x: tensor<8x8xf32>, %y: tensor<8x8xf32>",
            "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>",
            on('[{"a", ?}, {?}]') + ", " + on('[{"b", ?}, {?}]'),
            '%0 = "stablehlo.add"(%x, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n'
            '"func.return"(%0) : (tensor<8x8xf32>) -> ()',
        )
    )
    answer = program.whynot("%0")
    assert cause(answer) == ("conflict", 0)
    names = {program.names.of(one) for one in answer.cause.others}
    assert names == {"%x", "%y"}
    assert '{"a"}' in answer.cause.says
    assert '{"b"}' in answer.cause.says


def test_an_axis_that_is_used_tells_by_whom() -> None:
    program = made(
        function(
            "%x: tensor<8x16xf32>, %y: tensor<16x8xf32>",
            "(tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>",
            on('[{"b"}, {}]') + ", " + on('[{}, {"b"}]'),
            '%0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = '
            "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}>"
            " : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>\n"
            '"func.return"(%0) : (tensor<8x8xf32>) -> ()',
        )
    )
    answer = program.whynot("%0", dim=1, axis="b")
    assert cause(answer) == ("axis_used", 1)
    assert 'dim 0 of %0 has "b" already (came from %x through dot_general %0' in answer.cause.says
    assert program.whynot("%0", '[{"b"}, {}]').cause.kind == "it_is_so"
    stops = [str(stop.cut.kind) for stop in program.frontier("%y").stops]
    assert stops == ["axis_used"]


def chain(first: str, middle: str, after: str = "[{?}, {?}]") -> Asked:
    return made(
        function(
            "%x: tensor<8x6xf32>",
            "(tensor<8x6xf32>) -> tensor<8x6xf32>",
            on(first),
            f'%0 = "stablehlo.tanh"(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n{middle}\n'
            '%2 = "stablehlo.tanh"(%1) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n'
            '"func.return"(%2) : (tensor<8x6xf32>) -> ()',
        )
    )


def constraint(spec: str) -> str:
    return (
        f'%1 = "sdy.sharding_constraint"(%0) <{{sharding = #sdy.sharding<@mesh, {spec}>}}> : '
        "(tensor<8x6xf32>) -> tensor<8x6xf32>"
    )


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("[{}, {?}]", "closed"), ('[{?}, {?}], replicated={"a"}', "replicated")],
)
def test_an_annotation_closes(spec: str, kind: str) -> None:
    program = chain('[{"a"}, {}]', constraint(spec))
    answer = program.whynot("%1", dim=0, axis="a")
    assert cause(answer) == (kind, 0)
    assert kind in [str(stop.cut.kind) for stop in program.frontier("%x").stops]


def test_a_barrier_lets_one_direction_through() -> None:
    barrier = (
        '%1 = "sdy.propagation_barrier"(%0) <{allowed_direction = 2 : i32}> : '
        "(tensor<8x6xf32>) -> tensor<8x6xf32>"
    )
    assert cause(chain('[{"a"}, {}]', barrier).whynot("%1", dim=0)) == ("direction", 0)


def test_a_custom_call_has_no_rule() -> None:
    call = (
        '%1 = "stablehlo.custom_call"(%0) <{call_target_name = "mystery"}> : '
        "(tensor<8x6xf32>) -> tensor<8x6xf32>"
    )
    program = chain('[{"a"}, {}]', call)
    answer = program.whynot("%2")
    assert str(answer.cause.kind) == "no_rule"
    assert "custom_call @mystery %1" in answer.cause.says
    assert [str(one.cut.kind) for one in program.frontier("%x").stops] == ["no_rule"]


def test_a_factor_that_is_not_divisible() -> None:
    program = made(
        function(
            "%x: tensor<6x8xf32>",
            "(tensor<6x8xf32>) -> tensor<48xf32>",
            on('[{"b"}, {}]'),
            '%0 = "stablehlo.reshape"(%x) : (tensor<6x8xf32>) -> tensor<48xf32>\n'
            '"func.return"(%0) : (tensor<48xf32>) -> ()',
        )
    )
    answer = program.whynot("%0", dim=0, axis="b")
    assert str(answer.cause.kind) in ("not_divisible", "overflow")


def test_names() -> None:
    names = asked("conflicts").names
    assert names.of(names.find("arg 1")) == "%arg1"
    assert names.of(names.find("3")) == "%3"
    assert names.of(names.find("stablehlo.slice")) == "%3"
    with pytest.raises(InputError, match="no value is called 'nothing'"):
        names.find("nothing")
    with pytest.raises(InputError, match="2 values are called 'add': %1, %9"):
        names.find("add")


def test_what_if_and_impact() -> None:
    program = asked("conflicts")
    answer = what_if(program, Changes(drop=["%arg3"]))
    moved = {name: (group.before, group.after) for group in answer.groups for name in group.names}
    assert moved["%2"] == ('[{"a"}, {"b"}]', '[{}, {"b"}]')
    assert impact(program, "%arg3").owed.count == answer.count
    added = what_if(program, Changes(annotate={"%5": "[{}, {}]"}))
    assert [group.names for group in added.groups] == [("%5",)]
    with pytest.raises(InputError, match="%2 has no annotation to drop"):
        what_if(program, Changes(drop=["%2"]))
    without = what_if(program, Changes(disable=["propagate"]))
    assert without.count > 5


def test_lint_and_questions() -> None:
    program = asked("conflicts")
    found = lint(program, "conflicts.mlir", least=0)
    assert any("%arg0" in finding.names for finding in found.findings)
    session = Questions(program)
    rows = session.ask("axis_from('%3', D, X, O, N)").rows
    assert rows == ((0, "a", "%2", 3), (1, "b", "%2", 2))
    assert session.ask("rests_on('%3', 'arg 1')").count == 1
    assert session.ask("replicated(I)").rows == (("%5",), ("%6",))
    assert session.ask("user['%2', K] == U").rows == ((0, "%3"), (1, "%4"), (2, "result 0"))
    given = session.ask("annotated(I) & ~changed(I)").rows
    assert given == (("%arg0",), ("%arg1",))
    assert session.ask("tiled(I)").count == 16


COMMANDS = [
    (["why", "%3"], "cause (forward_from_operand)"),
    (["why", "%3", "--json"], '"partitioner": "shardy"'),
    (["why", "%3", "--format", "dot"], "digraph why"),
    (["why", "%3", "--format", "html"], "Why %3 has its sharding"),
    (["whynot", "%arg0", "--axis", "a"], "cause (conflict)"),
    (["frontier", "%arg0"], "stops (conflict)"),
    (["whatif", "--drop", "%arg3"], "instructions differ"),
    (["impact", "%arg3"], "without it"),
    (["lint", "--min-bytes", "0"], "reshard: "),
    (["query", "tiled(I)", "--count"], ""),
    (["conflicts", "%0"], "conflict: %arg0 and %arg3"),
    (["compare", "--with", str(PROGRAMS / "conflicts.after.mlir")], "16 of 16 values are equal"),
]


@pytest.mark.parametrize(("words", "expected"), COMMANDS)
def test_commands(words: list[str], expected: str) -> None:
    command, *rest = words
    arguments = [command, str(path_of("conflicts")), *rest, "--partitioner", "auto"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert expected in result.stdout
    assert result.stderr == "partitioner: Shardy, since the program has sdy.mesh\n"
    if "--json" in words:
        assert json.loads(result.stdout)["cause"]["instruction"] == "%3"


@pytest.mark.skipif(not NAMES, reason="no programs")
def test_the_binary_records_the_same() -> None:
    texts = {name: path_of(name).read_bytes() for name in ("conflicts", "decode", "manual")}
    try:
        found = shardy_origins.compare_all(texts)
    except XlaUnavailable as error:
        pytest.skip(str(error))
    assert [one.wrong for one in found] == [[], [], []]
    assert all(one.equal == one.total > 10 for one in found)


def test_instructions_of_an_hlo_dump_go_by_their_names() -> None:
    path = Path(__file__).parents[2] / "examples" / "shardy_dump.txt"
    try:
        program = Asked(read_shardy(path.read_bytes(), str(path)))
    except XlaUnavailable as error:
        pytest.skip(str(error))
    named = {program.names.origin(entity).label: name for _, name, entity in program.names.values()}
    dot = next(label for label in named if label.startswith("dot"))
    assert program.names.of(program.names.find(dot)) == named[dot]
    assert program.names.of(program.names.find(f"%{dot}")) == named[dot]
