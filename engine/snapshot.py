"""A program with all that was compiled for it, as bytes, so that a later process starts with it.

What a run's facts and values were is left out: a compiler is bound to new ones before each run.
"""

from __future__ import annotations

import builtins
import importlib
import io
import marshal
import pickle
import sys
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, cast

from shardlog.engine.compiler import Versions
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts, Inverted, LazyColumn, LazyTable, Table
from shardlog.engine.tables import JoinTables

__all__ = ["restored", "snapshot"]

LEFT_OUT = (Inverted, LazyColumn, LazyTable)


def snapshot(program: Program) -> bytes:
    """The bytes of a program and its compilers."""
    out = io.BytesIO()
    pickler = _Pickler(out, set(_of_a_run(program)))
    # before the functions that have them as their globals
    namespaces = [compiler.namespace for compiler in program.compiled.values()]
    pickler.dump((namespaces, program))
    return out.getvalue()


def restored(data: bytes) -> Program:
    """The program of a snapshot that this very code made; it may run what is in there."""
    _, program = _Unpickler(io.BytesIO(data)).load()
    return cast(Program, program)


def _of_a_run(program: Program) -> Iterator[int]:
    """The identities of lists and tables that each run brings anew."""
    own = {id(table) for table in program.tables.values()}
    for compiler in program.compiled.values():
        facts: Facts | None = compiler.facts
        if facts is None:  # one of an earlier snapshot that has not been bound since
            continue
        yield id(compiler.colours)
        for held in (facts.columns, facts.rows, facts.tables, compiler.state):
            # a compiler that was kept and not yet bound has but empty tuples, which others share
            yield from (id(one) for one in held.values() if not isinstance(one, tuple))
        for _, name in compiler.relations.known.values():
            if id(compiler.namespace[name]) not in own:
                yield id(compiler.namespace[name])


class _Pickler(pickle.Pickler):
    """Takes functions that no module has by their code, and empties what only remembers."""

    def __init__(self, out: io.BytesIO, of_a_run: set[int]) -> None:
        super().__init__(out, protocol=5)
        self.of_a_run = of_a_run

    def persistent_id(self, one: Any) -> int | None:
        """Zero for what is left out, one for Python's own names."""
        if one is builtins.__dict__:
            return 1
        return 0 if id(one) in self.of_a_run or isinstance(one, LEFT_OUT) else None

    def reducer_override(self, one: Any) -> Any:
        """How to make an object of these kinds; NotImplemented leaves it to pickle."""
        if isinstance(one, FunctionType):
            return NotImplemented if _is_at_home(one) else _function_parts(one)
        if isinstance(one, CellType):
            return _cell, (), one.cell_contents, None, None, _fill
        if isinstance(one, Facts):
            shapes = {name: (t.arity, t.functional) for name, t in one.tables.items()}
            return _bare_facts, (one.constants, list(one.columns), list(one.rows), shapes)
        if isinstance(one, ModuleType):
            return importlib.import_module, (one.__name__,)
        if isinstance(one, dict) and hasattr(type(one), "__missing__"):
            parts: Any = one.__reduce_ex__(5)
            make, arguments, state, _, items = parts
            if isinstance(one, JoinTables):
                state = None, {**state[1], "shared": {}}
            return make, arguments, state, None, items if isinstance(one, Versions) else None
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, number: int) -> dict[str, Any] | None:
        """What was left out is missing until the compiler is bound."""
        return builtins.__dict__ if number else None


def _is_at_home(function: FunctionType) -> bool:
    """Whether a module has a function under its name."""
    found: Any = sys.modules.get(function.__module__ or "")
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function


def _function_parts(function: FunctionType) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    scope: Any = function.__globals__
    module = sys.modules.get(scope.get("__name__", ""))
    if module is not None and module.__dict__ is scope:
        scope = module
    return _function, (
        marshal.dumps(function.__code__),
        scope,
        function.__qualname__,
        function.__defaults__,
        function.__closure__,
    )


def _function(
    code: bytes,
    scope: dict[str, Any] | ModuleType,
    name: str,
    defaults: tuple[Any, ...] | None,
    closure: tuple[CellType, ...] | None,
) -> FunctionType:
    loaded = marshal.loads(code)
    assert isinstance(loaded, CodeType)
    names = scope.__dict__ if isinstance(scope, ModuleType) else scope
    function = FunctionType(loaded, names, name.rpartition(".")[2], defaults, closure)
    function.__qualname__ = name
    return function


def _bare_facts(
    constants: dict[str, dict[Any, Any]],
    columns: list[str],
    rows: list[str],
    tables: dict[str, tuple[int, bool]],
) -> Facts:
    """What code is written for: the constants and the kinds of the other relations."""
    facts = Facts(0)
    facts.constants = constants
    facts.columns = dict.fromkeys(columns, ())
    facts.rows = dict.fromkeys(rows, ())
    facts.tables = {name: Table(*shape) for name, shape in tables.items()}
    return facts


def _cell() -> CellType:
    return CellType()


def _fill(cell: CellType, content: Any) -> None:
    cell.cell_contents = content
