"""HLO whose instructions tell of which operation of a StableHLO program they were made.

For `shardlog.mlir_run`, in an interpreter with jaxlib, if not with shardlog.
"""

from __future__ import annotations

from typing import Any

TAG = "shardlog.op"
"""The frontend attribute with the number of an operation, counted through the program's text.

Of what stands in a called function it has the numbers of the calls in front: "12.3.40".
"""

FRONT = "mhlo.frontend_attributes"
UNTAGGED = frozenset({"builtin.module", "func.func", "sdy.mesh"})
CALL = "func.call"


def tag(module: Any) -> None:
    """Number the operations of a module, outer ones first, in a frontend attribute of each."""
    _number(module.operation, 0)


def _number(operation: Any, number: int) -> int:
    """Number an operation and those in it; returns the next number."""
    if operation.name not in UNTAGGED and operation.results:
        _set_tag(operation, str(number))
    number += 1
    for inner in _inside(operation):
        number = _number(inner, number)
    return number


def _inside(operation: Any) -> list[Any]:
    return [
        inner.operation
        for region in operation.regions
        for block in region.blocks
        for inner in block.operations
    ]


def _front(operation: Any) -> dict[str, Any]:
    attributes = operation.attributes
    return {each.name: each.attr for each in attributes[FRONT]} if FRONT in attributes else {}


def _set_tag(operation: Any, text: str) -> None:
    from jaxlib.mlir import ir

    known = _front(operation)
    known[TAG] = ir.StringAttr.get(text)
    operation.attributes[FRONT] = ir.DictAttr.get(known)


def _tag_of(operation: Any) -> str:
    found = _front(operation).get(TAG)
    return "" if found is None else str(found).strip('"')


def inline_calls(module: Any) -> None:
    """Inline what functions call, as XLA does before GSPMD's pass, and drop what is then unused."""
    functions = {
        str(each.attributes["sym_name"]).strip('"'): each.operation
        for each in module.body.operations
        if each.operation.name == "func.func"
    }
    done: set[str] = set()

    def settle(name: str) -> None:
        if name in done:
            return
        done.add(name)
        for call in _calls(functions[name]):
            callee = str(call.attributes["callee"]).lstrip("@").strip('"')
            settle(callee)
            _inline(call, functions[callee])

    settle("main")
    for name, function in functions.items():
        if name != "main":
            function.erase()


def _calls(operation: Any) -> list[Any]:
    found = []
    for inner in _inside(operation):
        found += [inner] if inner.name == CALL else _calls(inner)
    return found


def _inline(call: Any, function: Any) -> None:
    from jaxlib.mlir import ir

    block = function.regions[0].blocks[0]
    *body, last = [each.operation for each in block.operations]
    known = dict(zip(block.arguments, call.operands, strict=True))
    path = _tag_of(call)

    def settle(operation: Any) -> None:
        for place, value in enumerate(operation.operands):
            if value in known:
                operation.operands[place] = known[value]
        own = _tag_of(operation)
        if own:
            _set_tag(operation, f"{path}.{own}")
        for inner in _inside(operation):
            settle(inner)

    for each in body:
        copy = each.clone(ir.InsertionPoint(call))
        settle(copy)
        known.update(zip(each.results, copy.results, strict=True))
    for old, new in zip(call.results, last.operands, strict=True):
        old.replace_all_uses_with(known.get(new, new))
    call.erase()
