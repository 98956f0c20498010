"""Writes HLO text of made-up modules: instructions are linked freely and come out in post-order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

__all__ = ["Body", "Shape", "Value", "write_module"]

METADATA = 'metadata={{op_name="jit(step)/jit(main)/transpose(jvp(layer))/{0}.{1}"}}'


@dataclass(frozen=True)
class Shape:
    """An array's element type and dimensions, or a text for anything else."""

    kind: str
    dims: tuple[int, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        if self.text:
            return self.text
        layout = ",".join(map(str, reversed(range(len(self.dims)))))
        sizes = ",".join(map(str, self.dims))
        return f"{self.kind}[{sizes}]{{{layout}}}" if self.dims else f"{self.kind}[]"


class Value:
    """An instruction of a body."""

    __slots__ = ("attributes", "inner", "name", "opcode", "operands", "shape", "sharding")

    def __init__(
        self,
        opcode: str,
        shape: Shape,
        operands: Sequence[Value],
        attributes: str,
        sharding: str,
        inner: str,
    ) -> None:
        self.opcode, self.shape, self.operands = opcode, shape, operands
        self.attributes, self.sharding, self.inner = attributes, sharding, inner
        self.name = ""


class Body:
    """A computation in the making."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parameters: list[Value] = []

    def parameter(self, shape: Shape, sharding: str = "") -> Value:
        """Add the next parameter."""
        number = str(len(self.parameters))
        self.parameters.append(Value("parameter", shape, (), "", sharding, number))
        return self.parameters[-1]

    def constant(self, value: float, kind: str = "f32") -> Value:
        """Add a scalar."""
        return Value("constant", Shape(kind), (), "", "", f"{value:g}")

    def op(
        self, opcode: str, shape: Shape, *operands: Value, attributes: str = "", sharding: str = ""
    ) -> Value:
        """Add an instruction."""
        return Value(opcode, shape, operands, attributes, sharding, "")

    def tuple(self, values: Sequence[Value], sharding: str = "") -> Value:
        """Add a tuple of values."""
        shape = Shape("tuple", (), f"({', '.join(str(value.shape) for value in values)})")
        return Value("tuple", shape, tuple(values), "", sharding, "")

    def write(self, out: TextIO, root: Value, entry: bool = False) -> int:
        """Write the computation; return its number of instructions."""
        prefix = "ENTRY " if entry else ""
        given = ", ".join(f"arg.{n}: {p.shape}" for n, p in enumerate(self.parameters))
        out.write(f"{prefix}%{self.name} ({given}) -> {root.shape} {{\n")
        count = 0
        for count, value in enumerate(_post_order(root), 1):
            value.name = f"{value.opcode}.{count}"
            inner = value.inner or ", ".join(f"%{operand.name}" for operand in value.operands)
            attributes = f", {value.attributes}" if value.attributes else ""
            if value.sharding:
                attributes += f", sharding={value.sharding}"
            about = METADATA.format(value.opcode, count % 97 + 1)
            mark = "ROOT " if value is root else ""
            out.write(
                f"  {mark}%{value.name} = {value.shape} {value.opcode}({inner}){attributes}, "
                f"{about}\n"
            )
        out.write("}\n\n")
        return count


def _post_order(root: Value) -> Iterable[Value]:
    """The order of XLA's dumps."""
    stack = [root]
    entered: set[Value] = set()
    done: set[Value] = set()
    while stack:
        value = stack[-1]
        if value not in entered:
            entered.add(value)
            stack.extend(x for x in reversed(value.operands) if x not in done)
            continue
        stack.pop()
        if value not in done:
            done.add(value)
            yield value


def write_module(
    out: TextIO,
    name: str,
    devices: int,
    inner: Sequence[tuple[Body, Value]],
    entry: Body,
    root: Value,
) -> int:
    """Write a module whose parameters and result may change; return its number of instructions."""
    out.write(
        f"HloModule {name}, allow_spmd_sharding_propagation_to_parameters={{true}}, "
        "allow_spmd_sharding_propagation_to_output={true}, "
        f"num_partitions={devices}\n\n"
    )
    count = sum(body.write(out, result) for body, result in inner)
    return count + entry.write(out, root, entry=True)
