"""Shardy's annotations in StableHLO, from where an HLO proto carries them.

For `shardlog.mlir_run`, in an interpreter with jaxlib, if not with shardlog. HLO has them in
`xla.sdy.*` frontend attributes and custom-calls; here they become `sdy.mesh` and
`sdy.manual_computation` ops and `sdy.sharding` attributes.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

FRONT = "mhlo.frontend_attributes"
SHARDING = "xla.sdy.sharding"
BARRIERS = {"NONE": 0, "FORWARD": 1, "BACKWARD": 2, "BOTH": 3}
"""The directions of propagation barriers. Follows PropagationDirection."""


def move_shardy(module: Any) -> None:
    """Give a module of StableHLO, in its context, Shardy's annotations in Shardy's own form.

    Where a sharding of Shardy's comes in, the one in `mhlo.sharding` goes. Raises ValueError for a
    manual computation that is not as JAX lowers it.
    """
    ir = _ir()
    top = module.operation.attributes
    front = _texts(top, FRONT)
    meshes = front.pop("xla.sdy.meshes", None)
    _set_texts(top, FRONT, front)
    if meshes is not None:
        with ir.InsertionPoint.at_block_begin(module.body), ir.Location.unknown():
            for each in ir.DictAttr(ir.Attribute.parse(meshes)):
                name = ir.StringAttr.get(each.name)
                ir.Operation.create("sdy.mesh", attributes={"sym_name": name, "mesh": each.attr})
    for function in _functions(module).values():
        _move_in(function)
        _untuple_calls(function)
        _take_back_calls(function)
    while marks := _calls(module, "xla.sdy.GlobalToLocalShape"):
        _make_manual(module, marks[0])
    _drop_unused(module)


def _ir() -> Any:
    from jaxlib.mlir import ir

    return ir


def _functions(module: Any) -> dict[str, Any]:
    found = [each for each in module.body.operations if each.operation.name == "func.func"]
    return {_text(each.attributes["sym_name"]): each for each in found}


def _move_in(function: Any) -> None:
    """Move the attributes of a function's ops, arguments and results."""
    ir = _ir()
    marks = []

    def visit(operation: Any) -> Any:
        if _target(operation) == "xla.sdy.FuncResultSharding":
            marks.append(operation)
        elif operation.name != "func.func":
            _move(operation.attributes)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    attributes = function.attributes
    arguments = _dictionaries(attributes, "arg_attrs", len(function.type.inputs))
    for each in arguments:
        _move(each)
    _set_dictionaries(attributes, "arg_attrs", arguments)
    results = _dictionaries(attributes, "res_attrs", len(function.type.results))
    # a result has the sharding of its mark; the values in a function have their own
    for each in results:
        each.pop("mhlo.sharding", None)
    block = function.regions[0].blocks[0]
    for mark in marks:
        text = _texts(mark.attributes, FRONT)[SHARDING]
        text = text.replace("_per_value<[", "", 1).removesuffix("]>")
        for place, value in enumerate(list(block.operations)[-1].operands):
            if value == mark.results[0]:
                results[place]["sdy.sharding"] = ir.Attribute.parse(text)
        mark.results[0].replace_all_uses_with(mark.operands[0])
        mark.erase()
    _set_dictionaries(attributes, "res_attrs", results)


def _operations(function: Any) -> list[Any]:
    found = []

    def visit(operation: Any) -> Any:
        found.append(operation)
        return _ir().WalkResult.ADVANCE

    function.operation.walk(visit)
    return found


def _untuple_calls(function: Any) -> None:
    """Give custom-calls of a tuple several results, as they have in StableHLO, if all are taken."""
    ir = _ir()
    for call in _operations(function):
        target = _target(call)
        if target is None or target.startswith("xla.sdy.") or len(call.results) != 1:
            continue
        takers = _users_of(call.results[0])
        if (
            not str(call.results[0].type).startswith("tuple<")
            or not takers
            or any(each.name != "stablehlo.get_tuple_element" for each in takers)
        ):
            continue
        types = [
            ir.TupleType(call.results[0].type).get_type(number)
            for number in range(ir.TupleType(call.results[0].type).num_types)
        ]
        with ir.InsertionPoint(call), call.location:
            made = ir.Operation.create(
                call.name,
                results=types,
                operands=list(call.operands),
                attributes=_attributes(call),
            )
        for each in takers:
            place = int(str(each.attributes["index"]).split(":", 1)[0])
            each.results[0].replace_all_uses_with(made.results[place])
            each.erase()
        call.erase()


def _attributes(operation: Any) -> dict[str, Any]:
    """The attributes of an op; some jaxlibs go through names, others through pairs."""
    names = [each if isinstance(each, str) else each.name for each in operation.attributes]
    return {name: operation.attributes[name] for name in names}


def _take_back_calls(function: Any) -> None:
    """Make constraints, groups and barriers of the custom-calls that stand for them in HLO.

    Follows ImportSdyCustomCallsPass.
    """
    ir = _ir()
    for call in _operations(function):
        front = _texts(call.attributes, FRONT) if _target(call) is not None else {}
        match _target(call):
            case "Sharding" if "sdy.sharding" in call.attributes:
                text = str(call.attributes["sdy.sharding"])
                text = text.replace("_per_value<[", "", 1).removesuffix("]>")
                name, made = "sdy.sharding_constraint", {"sharding": ir.Attribute.parse(text)}
            case "xla.sdy.ShardingGroup":
                group = front.pop("xla.sdy.sharding_group_id").split(" ")[0]
                made = {"group_id": ir.Attribute.parse(f"{group} : i64")}
                name = "sdy.sharding_group"
            case "xla.sdy.PropagationBarrier":
                way = BARRIERS[front.pop("xla.sdy.allowed_direction").upper()]
                made = {"allowed_direction": ir.Attribute.parse(f"{way} : i32")}
                name = "sdy.propagation_barrier"
            case _:
                continue
        results = list(call.results) if name != "sdy.sharding_group" else []
        with ir.InsertionPoint(call), call.location:
            one = ir.Operation.create(
                name,
                results=[value.type for value in results],
                operands=list(call.operands),
                attributes=made,
            )
        _set_texts(one.attributes, FRONT, front)
        for old, new in zip(results, one.results, strict=True):
            old.replace_all_uses_with(new)
        call.erase()


def _move(attributes: MutableMapping[str, Any] | Any) -> None:
    """Make the frontend attribute one of Shardy's, in an op's attributes or a dictionary."""
    front = _texts(attributes, FRONT)
    rule = front.pop(f"{SHARDING}_rule", None)
    text = front.pop(SHARDING, None)
    if rule is not None:
        attributes["sdy.sharding_rule"] = _ir().Attribute.parse(rule)
        _set_texts(attributes, FRONT, front)
    if text is None:
        return
    _set_texts(attributes, FRONT, front)
    attributes["sdy.sharding"] = _ir().Attribute.parse(text)
    if "mhlo.sharding" in attributes:
        del attributes["mhlo.sharding"]


def _make_manual(module: Any, before: Any) -> None:
    """Put the body of a manual computation between its conversions into an op of its own."""
    ir = _ir()
    local, local_takers = _values(before)
    calls = [use for value in local for use in _users_of(value)]
    call = calls[0] if calls else None
    if call is None or call.name != "func.call" or any(each != call for each in calls):
        raise ValueError(f"a manual computation whose body is not called: {before}")
    outputs = [use for value in call.results for use in _users_of(value)]
    after = outputs[0] if outputs else None
    if after is None or any(each != after for each in outputs):
        raise ValueError(f"a manual computation whose results are not converted: {call}")
    whole, whole_takers = _values(after)
    front = {**_texts(before.attributes, FRONT), **_texts(after.attributes, FRONT)}
    names = ("in_shardings", "out_shardings", "manual_axes")
    body = _functions(module)[_text(call.attributes["callee"]).removeprefix("@")]
    with ir.InsertionPoint(after), after.location:
        made = ir.Operation.create(
            "sdy.manual_computation",
            results=[value.type for value in whole],
            operands=list(before.operands),
            attributes={name: ir.Attribute.parse(front[f"xla.sdy.{name}"]) for name in names},
            regions=1,
        )
    body.regions[0].blocks[0].append_to(made.regions[0])
    end = list(made.regions[0].blocks[0].operations)[-1]
    with ir.InsertionPoint(end), end.location:
        ir.Operation.create("sdy.return", operands=list(end.operands))
    end.operation.erase()
    for old, new in zip(whole, made.results, strict=True):
        old.replace_all_uses_with(new)
    for each in (*whole_takers, after, call, *local_takers, before, body.operation):
        each.erase()


def _values(operation: Any) -> tuple[list[Any], list[Any]]:
    """The values that an op gives, and the ops that take them out of its tuple, if it gives one."""
    takers = [
        use
        for result in operation.results
        for use in _users_of(result)
        if use.name == "stablehlo.get_tuple_element"
    ]
    if not takers:
        return list(operation.results), []
    takers.sort(key=lambda taker: int(str(taker.attributes["index"]).split(":")[0]))
    return [taker.results[0] for taker in takers], takers


def _users_of(value: Any) -> list[Any]:
    return [use.owner.operation for use in value.uses]


def _calls(module: Any, target: str) -> list[Any]:
    found = []

    def visit(operation: Any) -> Any:
        if _target(operation) == target:
            found.append(operation)
        return _ir().WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _target(operation: Any) -> str | None:
    if operation.name != "stablehlo.custom_call":
        return None
    return _text(operation.attributes["call_target_name"])


def _drop_unused(module: Any) -> None:
    """Remove functions that HLO has for the regions of ops, and that nothing calls here."""
    text = str(module)
    for name, function in _functions(module).items():
        if name != "main" and text.count(f"@{name}(") == 1:
            function.operation.erase()


def _text(attribute: Any) -> str:
    """The value of a string or symbol attribute."""
    ir = _ir()
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return str(attribute.value)
    return str(ir.StringAttr(attribute).value)


def _texts(attributes: Any, name: str) -> dict[str, str]:
    """The texts of a dictionary attribute, empty if there is none."""
    if name not in attributes:
        return {}
    return {each.name: _text(each.attr) for each in _ir().DictAttr(attributes[name])}


def _set_texts(attributes: Any, name: str, texts: dict[str, str]) -> None:
    ir = _ir()
    if texts:
        entries = {key: ir.StringAttr.get(text) for key, text in texts.items()}
        attributes[name] = ir.DictAttr.get(entries)
    elif name in attributes:
        del attributes[name]


def _dictionaries(attributes: Any, name: str, count: int) -> list[dict[str, Any]]:
    if name not in attributes:
        return [{} for _ in range(count)]
    ir = _ir()
    return [
        {each.name: each.attr for each in ir.DictAttr(dictionary)}
        for dictionary in ir.ArrayAttr(attributes[name])
    ]


def _set_dictionaries(attributes: Any, name: str, values: list[dict[str, Any]]) -> None:
    ir = _ir()
    if any(values):
        attributes[name] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in values])
    elif name in attributes:
        del attributes[name]
