"""Writing a program as MLIR text in its generic form."""

from __future__ import annotations

from collections.abc import Sequence

from shardlog.converters.mlir.reader import WHOLE
from shardlog.converters.mlir.scan import parts
from shardlog.ir.shardy.program import Block, Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding, TensorShardingPerValue

__all__ = ["write_program"]

_IN_PROPERTIES = frozenset(
    {"sdy.sharding_constraint", "sdy.reshard", "sdy.data_flow_edge", "sdy.propagation_barrier"}
)


def write_program(program: Program) -> str:
    """Return the text of a program, which MLIR's parser and `read_program` read."""
    writer = _Writer()
    writer.operation(program.module, 0)
    return "\n".join(writer.lines) + "\n"


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.count - 1}"

    def operation(self, op: Operation, depth: int) -> None:
        head = ""
        if op.results:
            base = self.fresh()
            many = len(op.results) > 1
            for place, result in enumerate(op.results):
                self.names[result] = f"{base}#{place}" if many else base
            head = f"{base}:{len(op.results)} = " if many else f"{base} = "
        operands = ", ".join(self.names[one] for one in op.operands)
        properties, attributes = attributes_of(op)
        text = f'{"  " * depth}{head}"{op.name}"({operands})'
        if WHOLE in properties:
            text += f" <{properties[WHOLE]}>"
        elif properties:
            text += f" <{_dictionary(properties)}>"
        if op.regions:
            self.lines.append(text + " ({")
            for place, block in enumerate(op.regions):
                if place:
                    self.lines.append("  " * depth + "}, {")
                self.block(block, depth + 1)
            text = "  " * depth + "})"
        if attributes:
            text += f" {_dictionary(attributes)}"
        inputs = ", ".join(one.type.text for one in op.operands)
        outputs = [one.type.text for one in op.results]
        shown = outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"
        self.lines.append(f"{text} : ({inputs}) -> {shown}")

    def block(self, block: Block, depth: int) -> None:
        if block.arguments:
            names = []
            for argument in block.arguments:
                self.names[argument] = self.fresh()
                names.append(f"{self.names[argument]}: {argument.type.text}")
            self.lines.append(f"{'  ' * (depth - 1)}^bb0({', '.join(names)}):")
        for op in block.ops:
            self.operation(op, depth)


def _dictionary(entries: dict[str, str]) -> str:
    inner = ", ".join(
        _key(name) if value == "unit" else f"{_key(name)} = {value}"
        for name, value in sorted(entries.items())
    )
    return f"{{{inner}}}"


def _key(name: str) -> str:
    return name if name.replace(".", "").replace("_", "").isalnum() else f'"{name}"'


def _per_value(values: Sequence[Value]) -> str | None:
    found = [value.sharding for value in values]
    if not found or all(one is None for one in found):
        return None
    first = next(one for one in found if one is not None)
    whole = tuple(
        TensorSharding.unsharded(first.mesh, value.type.rank, closed=False) if one is None else one
        for value, one in zip(values, found, strict=True)
    )
    return str(TensorShardingPerValue(whole))


def attributes_of(op: Operation) -> tuple[dict[str, str], dict[str, str]]:
    """Return properties and other attributes of an operation, those of its values among them."""
    properties, attributes = dict(op.properties), dict(op.attributes)
    if op.name == "func.func":
        arguments = op.regions[0].arguments if op.regions else []
        _set(properties, "arg_attrs", [one.sharding for one in arguments])
        _set(properties, "res_attrs", op.result_shardings)
    elif op.name in ("sdy.manual_computation", "sdy.named_computation"):
        for name, values in (
            ("in_shardings", op.regions[0].arguments),
            ("out_shardings", op.results),
        ):
            text = _per_value(values)
            if text is not None:
                properties[name] = text
            elif op.name == "sdy.manual_computation":
                properties[name] = "#sdy.sharding_per_value<[]>"
    elif op.name in _IN_PROPERTIES:
        if op.results[0].sharding is not None:
            properties["sharding"] = str(op.results[0].sharding)
    elif op.name.startswith("sdy.") and "out_sharding" not in properties and op.results:
        if op.name != "sdy.constant" and op.results[0].sharding is not None:
            properties["out_sharding"] = str(op.results[0].sharding)
        elif op.results[0].sharding is not None:
            attributes["sdy.sharding"] = _per_value(op.results) or ""
    else:
        text = _per_value(op.results)
        if text is not None:
            attributes["sdy.sharding"] = text
    return properties, attributes


def _set(properties: dict[str, str], name: str, shardings: Sequence[TensorSharding | None]) -> None:
    """Put shardings into an array of dictionaries, beside what else stands there."""
    old = parts((properties.get(name) or "[]")[1:-1]) or ["{}"] * len(shardings)
    new = []
    for text, sharding in zip(old, shardings, strict=True):
        fields = [one for one in parts(text[1:-1]) if not one.startswith("sdy.sharding =")]
        if sharding is not None:
            fields.append(f"sdy.sharding = {sharding}")
        new.append(f"{{{', '.join(fields)}}}")
    if any(text != "{}" for text in new):
        properties[name] = f"[{', '.join(new)}]"
    else:
        properties.pop(name, None)
