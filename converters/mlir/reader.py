"""Reading MLIR text in its generic form, as `print_generic_op_form` gives it, into a program."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from shardlog.converters.mlir.scan import balanced, closing, parts
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.parser import parse_mesh, parse_sharding_per_value, parse_tensor_sharding
from shardlog.ir.shardy.program import Block, Operation, Program, TensorType, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["read_program", "tensor_type"]

_BLANK = re.compile(r"(?:\s|//[^\n]*)+")
_RESULTS = re.compile(r"(%[\w$.-]+)(?::(\d+))?\s*=\s*")
_NAME = re.compile(r'"([\w.$-]+)"\s*\(')
_OPERAND = re.compile(r"%[\w$.-]+(?:#\d+)?")
_LOCATION = re.compile(r'"((?:[^"\\]|\\.)*)"(?!:\d)')
_LABEL = re.compile(r"\^\w+")
_TENSOR = re.compile(r"tensor<((?:\d+x)*)([^<>x]+|complex<\w+>|!quant[^x]*)>")
_ALIAS = re.compile(r"(#[\w$.]+)\s*=\s*(.*)")

SHARDING = "sdy.sharding"
WHOLE = ""
"""The name of properties that are no dictionary."""
IN, OUT = "in_shardings", "out_shardings"


def read_program(text: str, file: str | None = None) -> Program:
    """Return the program of a module in generic form.

    Shardings go from attributes to the values that they are about. Raises InputError with file and
    line for anything else than such a module.
    """
    return _Reader(text, file).program()


@lru_cache(maxsize=8192)
def tensor_type(text: str) -> TensorType:
    """Return the type of a text such as `tensor<8x4xf32>`."""
    found = _TENSOR.fullmatch(text)
    if not found:
        return TensorType(text)
    sizes = tuple(int(size) for size in found[1].split("x")[:-1])
    return TensorType(text, sizes, found[2])


@lru_cache(maxsize=8192)
def _sharding(text: str) -> TensorSharding:
    return parse_tensor_sharding(text)


@lru_cache(maxsize=2048)
def _per_value(text: str) -> tuple[TensorSharding, ...]:
    return parse_sharding_per_value(text).shardings


class _Reader:
    def __init__(self, text: str, file: str | None) -> None:
        self.text, self.file, self.at = text, file, 0
        self.values: list[dict[str, list[Value]]] = [{}]
        self.starts: list[int] = [0, *(m.end() for m in re.finditer("\n", text))]

    def error(self, message: str, expected: str | None = None) -> InputError:
        line = self.text.count("\n", 0, self.at) + 1
        found = self.text[self.at : self.at + 30].split("\n")[0]
        return InputError(message, file=self.file, line=line, expected=expected, found=found)

    def program(self) -> Program:
        self.skip()
        if self.text.startswith("#", self.at):
            raise self.error(
                "attribute aliases are no part of the generic form", '"builtin.module"'
            )
        module = self.operation()
        if module.name != "builtin.module" or len(module.regions) != 1:
            raise InputError("no module", file=self.file, line=1, expected='"builtin.module"')
        self.skip()
        if self.at < len(self.text):
            raise self.error("more text after the module", "the end")
        program = Program(module, self.file)
        for op in program.body.ops:
            if op.name == "sdy.mesh":
                program.meshes[op.symbol()] = parse_mesh(op.properties["mesh"])
        return program

    # ------------------------------------------------------------ text

    def skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        if found:
            self.at = found.end()

    def has(self, token: str) -> bool:
        """Skip a token if it is next, with blanks before it."""
        self.skip()
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.has(token):
            raise self.error("unreadable MLIR", repr(token))

    def until(self, stop: str) -> str:
        """Return and skip what stands before one of some characters."""
        end = balanced(self.text, self.at, stop)
        found = self.text[self.at : end].strip()
        self.at = end
        return found

    def dictionary(self) -> dict[str, str]:
        """Read a dictionary of attributes, whose first brace is next."""
        end = closing(self.text, self.at)
        inner = self.text[self.at + 1 : end - 1]
        self.at = end
        found = {}
        for part in parts(inner):
            name, _, value = part.partition(" = ")
            found[name.strip('"')] = value if value else "unit"
        return found

    def types(self) -> list[TensorType]:
        """Read one type or a list of them in parentheses."""
        self.skip()
        if self.text.startswith("(", self.at):
            end = closing(self.text, self.at)
            inner = self.text[self.at + 1 : end - 1]
            self.at = end
            return [tensor_type(part) for part in parts(inner)]
        end = self.text.find("\n", self.at)
        text = self.text[self.at : end if end >= 0 else len(self.text)]
        # a location may follow
        text = text.partition(" loc(")[0].strip()
        self.at += len(text)
        return [tensor_type(text)]

    # ------------------------------------------------------------ operations

    def operation(self) -> Operation:
        self.skip()
        start = self.at
        name, count = "", 0
        found = _RESULTS.match(self.text, self.at)
        if found:
            name, count = found[1], int(found[2] or 1)
            self.at = found.end()
        found = _NAME.match(self.text, self.at)
        if not found:
            raise self.error("unreadable operation", "an operation in generic form")
        kind = found[1]
        end = closing(self.text, found.end() - 1)
        operands = [self.value(one) for one in _OPERAND.findall(self.text, found.end(), end)]
        self.at = end
        op = Operation(kind, operands, line=start)
        if self.has("<{"):
            self.at -= 1
            op.properties = self.dictionary()
            self.expect(">")
        elif self.has("<"):
            # what an op that is not registered has in their place
            op.properties = {WHOLE: self.until(">")}
            self.expect(">")
        self.skip()
        if self.text.startswith("({", self.at):
            self.at += 1
            while True:
                self.region(op)
                if not self.has(","):
                    break
            self.expect(")")
        self.skip()
        if self.text.startswith("{", self.at):
            op.attributes = self.dictionary()
        self.expect(":")
        self.types()
        self.expect("->")
        types = self.types()
        if len(types) != count:
            raise self.error(f"{kind} has {len(types)} results and names {count}")
        op.results = [Value(one, op, None, n) for n, one in enumerate(types)]
        for n, result in enumerate(op.results):
            result.name = name if count == 1 else f"{name}#{n}"
        if self.has("loc("):
            end = closing(self.text, self.at - 1)
            told = _LOCATION.match(self.text, self.at)
            op.location = told[1] if told else ""
            self.at = end
        op.line = self.number(start)
        self.place(op)
        if count:
            self.values[-1][name] = op.results
        return op

    def number(self, offset: int) -> int:
        """The line of an offset."""
        return bisect_right(self.starts, offset)

    def value(self, text: str) -> Value:
        name, _, place = text.partition("#")
        for scope in reversed(self.values):
            if name in scope:
                found = scope[name]
                index = int(place or 0)
                if index < len(found):
                    return found[index]
        raise self.error(f"{text} is not defined before it is used")

    def region(self, op: Operation) -> None:
        self.expect("{")
        block = op.add_region()
        scope: dict[str, list[Value]] = {}
        self.values.append(scope)
        self.skip()
        found = _LABEL.match(self.text, self.at)
        if found:
            self.at = found.end()
            if self.has("("):
                while not self.has(")"):
                    self.argument(block, scope)
                    self.has(",")
            self.expect(":")
        while not self.has("}"):
            if self.at >= len(self.text):
                raise self.error("a region does not end", "'}'")
            if self.text.startswith("^", self.at):
                raise self.error("a region with several blocks")
            block.add(self.operation())
        self.values.pop()

    def argument(self, block: Block, scope: dict[str, list[Value]]) -> None:
        self.skip()
        found = _OPERAND.match(self.text, self.at)
        if not found:
            raise self.error("unreadable argument", "%name: type")
        self.at = found.end()
        self.expect(":")
        self.skip()
        text = self.until(",)").partition(" loc")[0].strip()
        made = block.add_argument(tensor_type(text))
        made.name = found[0]
        scope[found[0]] = [made]

    # ------------------------------------------------------------ shardings

    def place(self, op: Operation) -> None:
        """Move shardings from attributes to values."""
        try:
            self._place(op)
        except InputError as error:
            raise error.located(file=self.file, line=op.line) from None

    def _place(self, op: Operation) -> None:
        if op.name == "func.func":
            self._place_function(op)
        elif op.name in ("sdy.manual_computation", "sdy.named_computation"):
            inner = op.regions[0].arguments if op.regions else []
            for name, values in ((IN, inner), (OUT, op.results)):
                text = op.properties.pop(name, None)
                if text is not None:
                    self._give(values, _per_value(text), op)
        elif "sharding" in op.properties and op.name.startswith("sdy."):
            self._give(op.results, (_sharding(op.properties.pop("sharding")),), op)
        elif "out_sharding" in op.properties and op.name.startswith("sdy."):
            self._give(op.results, (_sharding(op.properties.pop("out_sharding")),), op)
        elif SHARDING in op.attributes and op.results:
            self._give(op.results, _per_value(op.attributes.pop(SHARDING)), op)

    def _give(
        self, values: list[Value], shardings: tuple[TensorSharding, ...], op: Operation
    ) -> None:
        if len(values) != len(shardings):
            raise InputError(
                f"{op.name} has {len(values)} values", found=f"{len(shardings)} shardings"
            )
        for value, sharding in zip(values, shardings, strict=True):
            value.sharding = sharding

    def _place_function(self, op: Operation) -> None:
        for place, text in enumerate(_entries(op.properties.get("arg_attrs"))):
            if SHARDING in text and op.regions:
                op.regions[0].arguments[place].sharding = _sharding(text[SHARDING])
        kind = op.properties.get("function_type", "")
        count = len(result_types(kind))
        op.result_shardings = [None] * count
        for place, text in enumerate(_entries(op.properties.get("res_attrs"))):
            if SHARDING in text:
                op.result_shardings[place] = _sharding(text[SHARDING])


def result_types(function_type: str) -> list[TensorType]:
    """Return the types behind the arrow of a function type."""
    end = closing(function_type, 0)
    text = function_type[end:].partition("->")[2].strip()
    if text.startswith("("):
        return [tensor_type(part) for part in parts(text[1:-1])]
    return [tensor_type(text)] if text else []


def _entries(text: str | None) -> list[dict[str, str]]:
    """The dictionaries of an array of them."""
    found = []
    for part in parts((text or "[]")[1:-1]):
        entry = {}
        for field in parts(part[1:-1]):
            name, _, value = field.partition(" = ")
            entry[name.strip('"')] = value
        found.append(entry)
    return found
