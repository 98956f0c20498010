"""Runs every command that `shardlog lint` prints, and compares its answer with the finding.

    python -m tests.printed_commands FOLDER [--count N] [--min-bytes N]

A command has to end with exit code 0, and to say of the cause what the finding says.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from shardlog.cli import main as shardlog_main
from tests.both_ways import modules

__all__ = ["disagreements", "run"]


def run(command: str) -> tuple[int, str, str]:
    """Run a command as it is printed; return exit code, standard output and standard error."""
    program, *words = shlex.split(command)
    assert program == "shardlog", command
    result = CliRunner().invoke(shardlog_main, words)
    return result.exit_code, result.stdout, result.stderr


def disagreements(
    file: Path, min_bytes: int = 1 << 10, limit: int = 20, options: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield each command that lint prints about a module, with what is wrong with it, or ""."""
    name = shlex.quote(str(file))
    asked = f"shardlog lint {name} --min-bytes {min_bytes} --limit {limit} --json {options}"
    code, text, error = run(asked)
    if code:
        yield asked, error
        return
    for finding in json.loads(text)["findings"]:
        command = finding["command"]
        code, text, error = run(command)
        if code or not text.strip():
            yield command, f"exit code {code}: {error}"
            continue
        code, text, error = run(f"{command} --json")
        if code:
            yield f"{command} --json", f"exit code {code}: {error}"
            continue
        yield command, _wrong(finding, json.loads(text))


def _wrong(finding: dict[str, Any], answer: dict[str, Any]) -> str:
    """What an answer says otherwise than the finding, or ""."""
    cause, first = finding["cause"], finding["instructions"][0]
    match finding["kind"]:
        case "replicated":
            said = answer["cause"]["says"]
            return "" if said == cause else f"finding: {cause}\n  answer: {said}"
        case "reshard":
            pairs = [
                f"{one['operand']} has {one['has']}, {one['user']} wants it as {one['wants']}"
                for one in answer["reshards"]
            ]
            return "" if cause in pairs else f"finding: {cause}\n  answer: {pairs}"
        case "axis_lost":
            targets = {edge["target"] for edge in answer["edges"]}
            if answer["more_edges"] or first.partition("{")[0] in targets:
                return ""
            return f"finding: {first}: {cause}\n  answer: {sorted(targets)}"
        case "annotation_without_effect":
            others = {
                one
                for group in answer["without"]["groups"]
                for one in group["instructions"]
                if one.partition("{")[0] != first.partition("{")[0]
            }
            return f"without it {sorted(others)[:5]} differ" if others else ""
        case "uneven":
            return "" if cause in answer["beside"] else f"finding: {cause}\n  {answer['beside']}"
    return f"a finding of an unknown kind, {finding['kind']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.printed_commands", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=25, help="modules; default: %(default)s")
    parser.add_argument("--min-bytes", type=int, default=1 << 10, help="default: %(default)s")
    parser.add_argument("--limit", type=int, default=20, help="findings; default: %(default)s")
    options = parser.parse_args(arguments)
    files = [file for file in modules(options.folders) if file.stat().st_size < 1 << 19]
    files = files[:: max(len(files) // options.count, 1)][: options.count]
    commands = wrong = 0
    for file in files:
        for command, what in disagreements(file, options.min_bytes, options.limit):
            commands += 1
            if what:
                wrong += 1
                print(f"$ {command}\n  {what}", flush=True)
    print(f"{commands} commands about {len(files)} modules; {wrong} of them wrong")
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
