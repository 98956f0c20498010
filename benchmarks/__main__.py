"""`python -m benchmarks`: times shardlog and XLA's C++ pass side by side."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import history, report, shardy
from benchmarks.graphs import CORPUS_VARIABLE, Graph, find_corpus, graphs
from benchmarks.measure import XLA_VARIABLE, Settings, measure, start_up, xla_python
from benchmarks.processes import Failed, run

QUICK = 5_000
"""The largest graph that `--quick` takes."""

HISTORY = Path(__file__).resolve().parent / "history.jsonl"
RESULTS = "results.json"

EXAMPLES = f"""\
examples:
  python -m benchmarks                             everything; some ten minutes
  python -m benchmarks --quick                     graphs up to {QUICK:,} instructions, once
  python -m benchmarks --only 'llama|devices_'     graphs whose names match
  python -m benchmarks --against last              beside the last run of the history
  python -m benchmarks --against 1a2b3c4           beside the run at a commit
  python -m benchmarks --shardy                    Shardy's rules beside Shardy's own passes
  python -m benchmarks --corpus DIR                real graphs, too (see CONTRIBUTING.md)

XLA's pass comes from the jaxlib of the interpreter that {XLA_VARIABLE} names, else of
this one; without any, only shardlog is timed. The corpus is that of --corpus, of {CORPUS_VARIABLE},
or a folder shared/corpus beside the project; without any, only made-up graphs are timed. Phases are
timed by the CPU clock, because that of the wall tells little on a machine that is also used
otherwise; whole processes by both.
"""


def main() -> int:
    """Measure, print the table, write JSON and the history; return the exit code."""
    given = _arguments().parse_args()
    try:
        corpus = find_corpus(given.corpus)
        earlier = history.find(given.history, given.against) if given.against else None
    except (LookupError, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    if given.shardy:
        return _shardy(corpus, given)
    chosen = _chosen(graphs(corpus), given)
    if given.list:
        for graph in chosen:
            print(f"{graph.instructions:9,}  {graph.name}")
        return 0
    if not chosen:
        print(f"benchmarks: no graph matches {given.only!r}", file=sys.stderr)
        return 2
    settings = _settings(given)
    with tempfile.TemporaryDirectory(prefix="shardlog-benchmarks-") as folder:
        _prepare(Path(folder))
        try:
            entry, failures = _measured(chosen, Path(folder), settings, given.corpus)
        except Failed as error:
            print(f"benchmarks: {error}", file=sys.stderr)
            return 1
    rows = {n: report.ratios(m, entry["start"]) for n, m in entry["graphs"].items()}
    entry["ratios"] = rows
    print(report.table(rows))
    print("", *report.figures(rows, entry["start"]), sep="\n")
    print(f"\n{report.bars(rows)}")
    if earlier is not None:
        same = earlier["machine"] == entry["machine"] and earlier["clock"] == entry["clock"]
        print(f"\nTimes and memory divided by those of {earlier['commit']} ({earlier['when']}):\n")
        print(report.changes(entry["graphs"], earlier["graphs"], same))
    if given.json or not given.no_history:
        written = given.json or given.history.with_name(RESULTS)
        written.write_text(json.dumps(entry, indent=1) + "\n")
    if not given.no_history:
        history.append(given.history, entry)
    for failure in failures:
        print(f"benchmarks: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _prepare(folder: Path) -> None:
    """Have the processes that are timed find what those of a user find."""
    os.environ["SHARDLOG_CACHE"] = str(folder / "cache")
    # an installed package has its bytecode, so that no process compiles it
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _settings(given: argparse.Namespace) -> Settings:
    xla = None if given.no_xla else xla_python()
    if xla is None and not given.no_xla:
        print(f"no jaxlib ({XLA_VARIABLE} names none): only shardlog is timed", file=sys.stderr)
    return Settings(given.rounds or (1 if given.quick else 3), given.clock, xla)


def _shardy(corpus: Path | None, given: argparse.Namespace) -> int:
    """Time propagation by Shardy's rules; return the exit code."""
    chosen = [one for one in shardy.programs(corpus) if re.search(given.only or "", one.name)]
    if given.quick:
        chosen = [one for one in chosen if one.values <= QUICK]
    if given.list:
        for one in chosen:
            print(f"{one.values:9,}  {one.name}")
        return 0
    if not chosen:
        print(f"benchmarks: no program matches {given.only!r}", file=sys.stderr)
        return 2
    settings = _settings(given)
    with tempfile.TemporaryDirectory(prefix="shardlog-benchmarks-") as folder:
        _prepare(Path(folder))
        found = shardy.main(chosen, Path(folder), settings)
    rows = {name: shardy.ratios(one) for name, one in found.items()}
    print(shardy.table(rows))
    if given.json:
        given.json.write_text(json.dumps({"programs": found, "ratios": rows}, indent=1) + "\n")
    return 0 if len(found) == len(chosen) else 1


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time reading, facts, planning, saturation, writing and the whole command on a "
        "set of graphs, beside XLA's own C++ pass in the same run.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="small graphs, one round")
    parser.add_argument(
        "--shardy", action="store_true", help="Shardy's rules and passes; no history is kept"
    )
    parser.add_argument("--only", metavar="REGEX", help="graphs whose name matches")
    parser.add_argument("--list", action="store_true", help="print the graphs and stop")
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="processes of each kind (default 3)"
    )
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu", help="for phases")
    parser.add_argument("--corpus", metavar="DIR", help="folder of real graphs")
    parser.add_argument("--no-xla", action="store_true", help="time shardlog alone")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help=f"where all figures go as JSON (default: {RESULTS} beside the history)",
    )
    parser.add_argument(
        "--history",
        type=Path,
        metavar="FILE",
        default=HISTORY,
        help=f"default: {HISTORY.name} here",
    )
    parser.add_argument("--no-history", action="store_true", help="add nothing to the history")
    parser.add_argument("--against", metavar="RUN", help="compare with an earlier run")
    return parser


def _chosen(every: list[Graph], given: argparse.Namespace) -> list[Graph]:
    chosen = [graph for graph in every if re.search(given.only or "", graph.name)]
    return [g for g in chosen if g.instructions <= QUICK] if given.quick else chosen


def _measured(
    chosen: list[Graph], folder: Path, settings: Settings, corpus: str | None
) -> tuple[dict[str, Any], list[str]]:
    """An entry for the history with the figures of all chosen graphs, and what failed.

    Raises Failed if nothing can be timed at all.
    """
    smallest = folder / "smallest.txt"
    _write("transformer_100", smallest, corpus)
    start = start_up(smallest, settings)
    results = {}
    failures = []
    for number, graph in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {graph.name}", file=sys.stderr, flush=True)
        file = folder / f"{graph.name}.txt"
        _write(graph.name, file, corpus)
        try:
            results[graph.name] = measure(graph, file, settings)
        except Failed as error:
            failures.append(f"{graph.name}: {error}")
        for left in folder.glob(f"{graph.name}.*"):
            left.unlink()
    return history.now(results, start, settings.clock), failures


def _write(name: str, target: Path, corpus: str | None) -> None:
    # in a process of its own: what this one once held would count as memory of those it starts
    words = [
        "-m",
        "benchmarks.graphs",
        name,
        str(target),
        *(["--corpus", corpus] if corpus else []),
    ]
    root = str(Path(__file__).resolve().parents[1])
    run([sys.executable, *words], {"PYTHONPATH": root})


if __name__ == "__main__":
    sys.exit(main())
