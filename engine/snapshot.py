"""A program with all that was compiled for it, as bytes, so that a later process starts with it.

What a run's facts and values were is left out: a compiler is bound to new ones before each run.
What was learnt of entities that are alike is kept only if asked for, since it speaks of the facts
that a program has met and grows with them.
"""

from __future__ import annotations

import builtins
import copyreg
import importlib
import io
import marshal
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, cast

from shardlog.engine.classes import ALONE
from shardlog.engine.compiler import Compiler, Versions
from shardlog.engine.live import BY_STEPS
from shardlog.engine.probes import SHORT
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts, Inverted, LazyColumn, LazyTable, Table
from shardlog.engine.sharing import Sharing
from shardlog.engine.tables import JoinTables
from shardlog.engine.templates import VisitTable

__all__ = ["learn", "learnt", "restored", "snapshot"]

SENTINELS = (SHORT, ALONE, BY_STEPS)
"""What is known by identity."""
LEFT_OUT = (Inverted, LazyColumn, LazyTable)


def snapshot(program: Program) -> bytes:
    """The bytes of a program and its compilers.

    Each compiler has bytes of its own: a run wants those for its options only.
    """
    return pickle.dumps(
        (_pickled(program, _Left(program), ()), _compilers(program, False)), protocol=5
    )


def learnt(program: Program) -> bytes:
    """The bytes of the compilers with what they have learnt, for the same program elsewhere."""
    known = _pickled(program.colours.learnt(), _Left(program), ())
    return pickle.dumps((known, _compilers(program, True)), protocol=5)


def _compilers(program: Program, with_learnt: bool) -> dict[Any, bytes]:
    for key, sleeper in list(program.asleep.items()):
        if sleeper.has_learnt and not with_learnt:
            program.compiled[key] = program.asleep.pop(key)()
    compilers = {key: sleeper.data for key, sleeper in program.asleep.items()}
    left = _Left(program, with_learnt)
    for key, compiler in program.compiled.items():
        # a namespace comes before the functions that have it as their globals
        pair = compiler.namespace, compiler
        compilers[key] = _pickled(pair, left, _common(program))
    return compilers


def restored(data: bytes) -> Program:
    """The program of a snapshot that this very code made; it may run what is in there."""
    made, compilers = pickle.loads(data)
    program = cast(Program, _Unpickler(io.BytesIO(made)).load())
    program.asleep = {key: Sleeper(program, data) for key, data in compilers.items()}
    return program


def learn(program: Program, data: bytes) -> None:
    """Turns a program that has not run yet to what `learnt` gave; it may run what is in there."""
    known, compilers = pickle.loads(data)
    program.colours.learn(_Unpickler(io.BytesIO(known)).load())
    program.compiled.clear()
    program.asleep = {key: Sleeper(program, data, True) for key, data in compilers.items()}


class Sleeper:
    """A compiler that a snapshot has kept, until it is called for."""

    def __init__(self, program: Program, data: bytes, has_learnt: bool = False) -> None:
        self.program, self.data, self.has_learnt = program, data, has_learnt

    def __call__(self) -> Compiler:
        """The compiler."""
        unpickler = _Unpickler(io.BytesIO(self.data), _common(self.program))
        _, compiler = unpickler.load()
        return cast(Compiler, compiler)


class _Left:
    """What is left out: what belongs to runs and, unless `with_learnt`, what was learnt."""

    def __init__(self, program: Program, with_learnt: bool = False) -> None:
        self.of_a_run = set(_of_a_run(program))
        self.with_learnt = with_learnt


def _pickled(one: Any, left: _Left, common: Sequence[Any]) -> bytes:
    out = io.BytesIO()
    _Pickler(out, left, common).dump(one)
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
        *SENTINELS,
    ]


def _of_a_run(program: Program) -> Iterator[int]:
    """The identities of lists and tables that each run brings anew."""
    own = {id(table) for table in program.tables.values()}
    for compiler in program.compiled.values():
        facts: Facts | None = compiler.facts
        if facts is None:  # one of an earlier snapshot that has not been bound since
            continue
        yield id(compiler.sharing.colours)
        yield id(compiler.sharing.populations)
        # what probes call may be a part of facts
        compiler.sharing.renew_getters()
        for held in (facts.columns, facts.rows, facts.tables, compiler.state):
            # a compiler that was kept and not yet bound has but empty tuples, which others share
            yield from (id(one) for one in held.values() if not isinstance(one, tuple))
        for _, name in compiler.relations.known.values():
            if id(compiler.namespace[name]) not in own:
                yield id(compiler.namespace[name])


class _Pickler(pickle.Pickler):
    """Takes functions that no module has by their code, and empties what only remembers."""

    def __init__(self, out: io.BytesIO, left: _Left, common: Sequence[Any]) -> None:
        super().__init__(out, protocol=5)
        self.of_a_run, self.with_learnt = left.of_a_run, left.with_learnt
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
            # in a tuple, since a state of None is none
            return _cell, (), (one.cell_contents,), None, None, _fill
        if isinstance(one, Facts):
            shapes = {name: (t.arity, t.functional) for name, t in one.tables.items()}
            return _bare_facts, (one.constants, list(one.columns), list(one.rows), shapes)
        if isinstance(one, ModuleType):
            return importlib.import_module, (one.__name__,)
        if isinstance(one, Sharing) and not self.with_learnt:
            return copyreg.__newobj__, (Sharing,), {**one.__dict__, "shared": {}}  # type: ignore[attr-defined]
        if (
            isinstance(one, dict)
            and hasattr(type(one), "__missing__")
            and not isinstance(one, Counter)
        ):
            parts: Any = one.__reduce_ex__(5)
            make, arguments, state, _, items = parts
            if isinstance(one, JoinTables):
                state = None, {**state[1], "shared": {}}
            stays = isinstance(one, Versions) or (self.with_learnt and isinstance(one, VisitTable))
            return make, arguments, state, None, items if stays else None
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


def _fill(cell: CellType, content: tuple[Any]) -> None:
    (cell.cell_contents,) = content
