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
from collections.abc import Callable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, cast

from shardlog.engine.compiler import Compiler, Versions
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts, Inverted, LazyColumn, LazyTable, Table
from shardlog.engine.tables import JoinTables

__all__ = ["restored", "snapshot"]

LEFT_OUT = (Inverted, LazyColumn, LazyTable)


def snapshot(program: Program) -> bytes:
    """The bytes of a program and its compilers.

    Each compiler has bytes of its own: a run wants those for its options only.
    """
    of_a_run = set(_of_a_run(program))
    compilers = {key: sleeper.data for key, sleeper in program.asleep.items()}
    for key, compiler in program.compiled.items():
        # a namespace comes before the functions that have it as their globals
        pair = compiler.namespace, compiler
        compilers[key] = _pickled(pair, of_a_run, _common(program))
    return pickle.dumps((_pickled(program, of_a_run, ()), compilers), protocol=5)


def restored(data: bytes) -> Program:
    """The program of a snapshot that this very code made; it may run what is in there."""
    made, compilers = pickle.loads(data)
    program = cast(Program, _Unpickler(io.BytesIO(made)).load())
    program.asleep = {key: Sleeper(program, data) for key, data in compilers.items()}
    return program


class Sleeper:
    """A compiler that a snapshot has kept, until it is called for."""

    def __init__(self, program: Program, data: bytes) -> None:
        self.program, self.data = program, data

    def __call__(self) -> Compiler:
        """The compiler."""
        unpickler = _Unpickler(io.BytesIO(self.data), _common(self.program))
        _, compiler = unpickler.load()
        return cast(Compiler, compiler)


def _pickled(one: Any, of_a_run: set[int], common: Sequence[Any]) -> bytes:
    out = io.BytesIO()
    _Pickler(out, of_a_run, common).dump(one)
    return out.getvalue()


def _common(program: Program) -> list[Any]:
    """What compilers share with their program, in an order that a snapshot keeps."""
    declared = program.declared
    return [
        program,
        program.library,
        program.colours,
        declared,
        *(rule for rules in program.by_relation.values() for rule in rules),
        *declared.channels.values(),
        *declared.joins.values(),
        *declared.visits.values(),
        *program.tables.values(),
    ]


def _of_a_run(program: Program) -> Iterator[int]:
    """The identities of lists and tables that each run brings anew."""
    own = {id(table) for table in program.tables.values()}
    for compiler in program.compiled.values():
        facts: Facts | None = compiler.facts
        if facts is None:  # one of an earlier snapshot that has not been bound since
            continue
        yield id(compiler.sharing.colours)
        for held in (facts.columns, facts.rows, facts.tables, compiler.state):
            # a compiler that was kept and not yet bound has but empty tuples, which others share
            yield from (id(one) for one in held.values() if not isinstance(one, tuple))
        for _, name in compiler.relations.known.values():
            if id(compiler.namespace[name]) not in own:
                yield id(compiler.namespace[name])


class _Pickler(pickle.Pickler):
    """Takes functions that no module has by their code, and empties what only remembers."""

    def __init__(self, out: io.BytesIO, of_a_run: set[int], common: Sequence[Any]) -> None:
        super().__init__(out, protocol=5)
        self.of_a_run = of_a_run
        self.common = {id(one): number for number, one in enumerate(common, 2)}

    def persistent_id(self, one: Any) -> int | None:
        """Zero for what is left out, one for Python's own names, or a common thing's number."""
        if one is builtins.__dict__:
            return 1
        number = self.common.get(id(one))
        if number is not None:
            return number
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
    def __init__(self, data: io.BytesIO, common: Sequence[Any] = ()) -> None:
        super().__init__(data)
        self.common = common

    def persistent_load(self, number: int) -> Any:
        """What was left out is missing until the compiler is bound."""
        if number < 2:
            return builtins.__dict__ if number else None
        return self.common[number - 2]


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
