"""Functions of a program and their calls, in the orders in which Shardy goes through them."""

from __future__ import annotations

import re

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.program import Operation, Program, Value

__all__ = [
    "CALL",
    "ORIGINAL",
    "Symbols",
    "callee_of",
    "calls_in",
    "clone_function",
    "drop_unused_functions",
    "original_name",
    "with_callees_first",
]

_SYMBOL = re.compile(r'@"?([\w.$-]+)')
CALL = "func.call"
ORIGINAL = "sdy.original_func_name"


def calls_in(op: Operation) -> list[Operation]:
    """Return the calls in an operation, inner ones first."""
    return [one for one in op.walk_inner_first() if one.name == CALL]


def callee_of(call: Operation, program: Program) -> Operation:
    """Return the function that is called; raises InputError if there is no such."""
    name = call.symbol("callee")
    found = program.function(name)
    if found is None:
        raise InputError(f"function @{name} is not defined", file=program.file, line=call.line)
    return found


def with_callees_first(program: Program) -> list[Operation]:
    """Return the functions, each behind those that it calls. Follows iterateFuncs."""
    functions = program.functions
    found: list[Operation] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for op in functions[name].walk():
            if op.name == CALL:
                called = op.symbol("callee")
                if called not in functions:
                    raise InputError(f"function @{called} is not defined", line=op.line)
                visit(called)
        found.append(functions[name])

    for name in functions:
        if functions[name].symbol("sym_visibility") != "private":
            visit(name)
    for name in functions:
        visit(name)
    return found


def original_name(function: Operation) -> str:
    """Return the name that a function had before it was cloned. Follows getOriginalFuncName."""
    text = function.attributes.get(ORIGINAL)
    return function.symbol() if text is None else text.strip('"')


class Symbols:
    """The symbols of a module, as one pass sees them: it counts on for each that it has to make.

    Follows SymbolTable::insert.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.count = 0
        self.taken: set[str] = set()

    def unique(self, name: str) -> str:
        """Return the name, with a number behind it if the module has it already."""
        if not self.taken:
            self.taken = {op.symbol() for op in self.program.body.ops}
        found = name
        while found in self.taken:
            found = f"{name}_{self.count}"
            self.count += 1
        self.taken.add(found)
        return found


def clone_function(function: Operation, symbols: Symbols) -> str:
    """Copy a function and all that it calls; returns the copy's name.

    Follows cloneFuncRecursively.
    """
    mapping: dict[Value, Value] = {}
    made = function.clone(mapping)
    made.attributes[ORIGINAL] = f'"{original_name(function)}"'
    for call in calls_in(made):
        name = clone_function(callee_of(call, symbols.program), symbols)
        call.properties["callee"] = f"@{name}"
    name = symbols.unique(function.symbol())
    made.properties["sym_name"] = f'"{name}"'
    symbols.program.body.add(made)
    return name


def drop_unused_functions(program: Program) -> None:
    """Remove private functions that nothing names. Follows MLIR's symbol-dce."""
    functions = program.functions
    live: set[str] = set()
    todo = [name for name, op in functions.items() if op.symbol("sym_visibility") != "private"]
    todo += [name for name in functions if name == "main"]
    if len(set(todo)) == len(functions):
        return
    while todo:
        name = todo.pop()
        if name in live:
            continue
        live.add(name)
        for op in functions[name].walk():
            for text in op.properties.values():
                if "@" in text:
                    todo += [other for other in _SYMBOL.findall(text) if other in functions]
    for name, op in functions.items():
        if name not in live:
            op.erase()
