"""What was propagated is kept between processes: the same answers, for the same module only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import shardlog
from shardlog import answers, cache, propagation

ROOT = Path(__file__).parents[2]
GPT = ROOT / "examples" / "gpt_forward_2x4.txt"
PROTO = ROOT / "examples" / "mlp_train_2x4.hlo.pb"
SMALL = ROOT / "tests" / "data" / "small" / "mlp.before.txt"
REAL = ROOT / "tests" / "data" / "real"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    monkeypatch.setattr(answers, "WORTH", 0.0)
    propagation._program.cache_clear()
    yield tmp_path / "kept"
    propagation._program.cache_clear()


def files(place: Path) -> list[Path]:
    return sorted(place.glob("*.answer"))


def run(module: Path | shardlog.HloModule, **options: object) -> tuple[shardlog.Result, bool]:
    """A result as a new process has it, and whether it was kept by an earlier one."""
    propagation._program.cache_clear()
    loaded = shardlog.load(module) if isinstance(module, Path) else module
    result = shardlog.propagate(loaded, as_read=True, **options)  # type: ignore[arg-type]
    return result, result._outcome.saturated.compiler is None


@pytest.mark.parametrize(
    "module",
    [SMALL, PROTO, *(REAL / f"{name}.before.txt" for name in
                   ("f12_cond_constrained", "f13_smap_cond_inside"))],
    ids=lambda path: path.name.split(".")[0],
)  # fmt: skip
def test_a_later_process_has_the_same_answers(place: Path, module: Path) -> None:
    first, was_kept = run(module)
    assert not was_kept
    (kept,) = files(place)
    assert kept.stat().st_mode & 0o077 == 0
    second, was_kept = run(module)
    assert was_kept
    assert second.records == [
        record._replace(rule=again.rule)
        for record, again in zip(first.records, second.records, strict=True)
    ]
    assert [str(r.rule.span) for r in first.records] == [str(r.rule.span) for r in second.records]
    assert (second.changed, second.iterations) == (first.changed, first.iterations)
    assert second.run.outcome.saturated.state == first.run.outcome.saturated.state
    pairs = zip(first.run.entities, second.run.entities, strict=True)
    assert all(one.sharding is other.sharding for one, other in pairs)
    assert not shardlog.compare_modules(first.module, second.module).disagreements
    names = [x.name for x in first.module.entry.instructions if x.sharding is not None]
    for name in names[:: max(len(names) // 5, 1)]:
        assert str(second.account(name)) == str(first.account(name))
        assert str(second.whynot(name)) == str(first.whynot(name))
    assert (
        second.lint("m", least=1, limit=3).to_dict() == first.lint("m", least=1, limit=3).to_dict()
    )
    question = "because(I, R, O) & tiled(I)"
    assert second.query(question).rows == first.query(question).rows


def test_another_module_options_or_rules_are_another_answer(place: Path, tmp_path: Path) -> None:
    run(SMALL)
    run(SMALL, params=[True])
    run(SMALL, rules=[("mine.dl", "+ disable('dot')")])
    other = tmp_path / "other.txt"
    other.write_text(SMALL.read_text().replace("[2,1,4]<=[8]", "[4,1,2]<=[8]", 1))
    assert other.read_text() != SMALL.read_text()
    run(other)
    assert len(files(place)) == 4
    assert run(SMALL, params=[True])[1]


def test_what_is_not_as_it_was_read_is_not_kept(place: Path) -> None:
    shardlog.propagate(GPT)
    module = shardlog.load(GPT)
    shardlog.propagate(module)
    assert module.is_edited
    shardlog.propagate(module, as_read=True)
    shardlog.propagate(shardlog.load(GPT), as_read=True, provenance=False)
    assert files(place) == []


def test_a_broken_or_foreign_file_is_left_alone(place: Path) -> None:
    run(SMALL)
    (kept,) = files(place)
    data = kept.read_bytes()
    kept.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert not run(SMALL)[1]
    assert run(SMALL)[1]
    kept.write_bytes(data[: len(data) // 2])
    assert not run(SMALL)[1]
    kept.chmod(0o666)
    assert not run(SMALL)[1]
    # the one that others could write was replaced
    assert run(SMALL)[1]


def test_only_so_many_are_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_FILES", 2)
    program = propagation.load_rules()
    for key in "abcd":
        cache.keep_answer(program, key, b"answer")
    assert len(files(place)) == 2
    assert cache.answer(program, "d") == b"answer"
    assert cache.answer(program, "a") is None


def test_small_modules_are_not_worth_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "WORTH", 1e9)
    run(SMALL)
    assert files(place) == []
