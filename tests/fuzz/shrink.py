"""Makes a case with a difference as small as it can be while it still differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tests.fuzz.cases import Case
from tests.fuzz.modes import Modes
from tests.fuzz.modtext import Computation, Line, ModuleText, parse, tidy, unused
from tests.fuzz.oracle import Result, run_cases

BATCH = 24  # candidates that are run at a time
FRESH = 1000  # number of the first parameter that shrinking puts in


def shrink(
    result: Result, run: Callable[[Sequence[Case]], list[Result]] = run_cases, rounds: int = 200
) -> Result:
    """Return a case as bad as `result` from which nothing more can be left out."""
    best = result
    for _ in range(rounds):
        smaller = _smaller(best, run)
        if smaller is None:
            break
        best = smaller
    return best


def _smaller(result: Result, run: Callable[[Sequence[Case]], list[Result]]) -> Result | None:
    case = result.case
    found = {(str(m), modes): m.size for m, modes in _candidates(parse(case.text), case.modes)}
    found.pop((str(parse(case.text)), case.modes), None)
    ordered = sorted(found, key=lambda key: (found[key], len(key[1].names)))
    # Each batch has small candidates, which seldom differ, and large ones, which mostly do.
    batches = -(-len(ordered) // BATCH)
    for start in range(batches):
        cases = [Case(case.name, text, modes) for text, modes in ordered[start::batches]]
        for tried in run(cases):
            if tried.verdict is result.verdict:
                return tried
    return None


def _candidates(module: ModuleText, modes: Modes) -> Iterator[tuple[ModuleText, Modes]]:
    """Modules that are smaller in one respect."""
    for name in ("is_spmd", "propagate_metadata", "cse_prevention_only", "execution_thread"):
        usual = getattr(Modes(), name)
        if getattr(modes, name) != usual:
            yield module, replace(modes, **{name: usual})
    for i in range(1, len(module.header)):
        yield replace(module, header=module.header[:i] + module.header[i + 1 :]), modes
    dead = unused(module)
    for names in (set[str](), *(dead - {name} for name in dead)):
        yield tidy(module, names), modes
    for computation in module.computations:
        for lines in _lines(computation):
            yield tidy(module.with_lines(computation.name, lines), dead), modes


def _lines(computation: Computation) -> Iterator[list[Line]]:
    """Other lines for a computation."""
    lines = list(computation.lines)
    shapes = {line.name: line.shape for line in lines}
    for i, line in enumerate(lines):
        before, after = lines[:i], lines[i + 1 :]
        if line.sharding:
            yield [*before, replace(line, sharding=""), *after]
        if line.opcode != "parameter":
            yield [*before, _leaf(line, computation.is_entry, i), *after]
        for operand in line.operands:
            if shapes.get(operand) == line.shape and not line.is_root:
                yield [*before, line, *(_renamed(user, line.name, operand) for user in after)]
        if computation.is_entry and not line.is_root:
            yield [replace(other, is_root=other is line) for other in lines]
    yield from _fewer_results(computation)


def _leaf(line: Line, is_entry: bool, number: int) -> Line:
    """A line that stands for another, without its operands."""
    if is_entry:
        return replace(line, opcode="parameter", arguments=str(FRESH + number), attributes="")
    target = ', custom_call_target="leaf"'
    return replace(line, opcode="custom-call", arguments="", attributes=target)


def _renamed(line: Line, old: str, new: str) -> Line:
    names = [f"%{new if name == old else name}" for name in line.operands]
    return replace(line, arguments=", ".join(names)) if old in line.operands else line


def _fewer_results(computation: Computation) -> Iterator[list[Line]]:
    """The entry with one result less."""
    root = computation.root
    if not computation.is_entry or root.opcode != "tuple" or root.sharding:
        return
    shapes = {line.name: line.shape for line in computation.lines}
    for i in range(len(root.operands)):
        left = root.operands[:i] + root.operands[i + 1 :]
        shape = f"({', '.join(shapes[name] for name in left)})"
        fewer = replace(root, shape=shape, arguments=", ".join(f"%{name}" for name in left))
        yield [fewer if line.name == root.name else line for line in computation.lines]
