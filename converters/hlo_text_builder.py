"""From the rows of a scanner to computations: names, operands, shardings, calls."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, NoReturn

from shardlog.converters.hlo_text_module import METADATA, TextModule
from shardlog.converters.hlo_text_scanner import CALLING_ATTRIBUTES, Row
from shardlog.converters.hlo_text_shardings import check_sharding, read_sharding
from shardlog.ir.attribute_text import attribute_of
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.opcodes import ATTRIBUTES, CALLERS, OPCODES
from shardlog.ir.shape import Shape, parse_shape
from shardlog.ir.shape_inference import infer_shape
from shardlog.ir.sharding import HloSharding

_FIRST = re.compile(r", [a-zA-Z_][\w.\-]*=")
_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_BRACKET = re.compile(r"[{}\[\](),]")
_CALL = re.compile(
    rf", ({'|'.join(CALLING_ATTRIBUTES)})=(\{{[^{{}}]*\}}|[^\s,]+(?=, [a-zA-Z_][\w.\-]*=|$))"
)
_WITH_LITERAL = frozenset(("parameter", "constant"))
_OPERAND = re.compile(r"(?:(.*)\s)?\s*(%?[A-Za-z0-9_][\w.\-]*)", re.S)


Inside = Mapping[str, Sequence[Computation]]
"""Computations that are written inside an instruction's attributes, by attribute."""


class _Kind(NamedTuple):
    """Opcode and shape of an instruction, and whether that makes it out of the ordinary."""

    opcode: str
    shape: Shape
    is_odd: bool


class _Head(NamedTuple):
    """The attributes of an instruction without its metadata, and whether they say anything odd.

    Odd are shardings, control predecessors, and strings in which what looks like metadata may be
    something else.
    """

    text: str
    is_odd: bool


class OtherLines(Exception):
    """Lines that do not hold one instruction each, or in which strings hide where it ends."""


class Builder:
    """Makes the computations of one module, in their order in the text."""

    def __init__(self, module: TextModule) -> None:
        self.module = module
        self._by_name: dict[str, Computation] = {}
        self._count = 0
        self._callers: list[Instruction] = []
        self._nested: dict[Instruction, Inside] = {}
        self._opcodes: set[str] = set()
        self._kinds: dict[str, _Kind] = {}
        self._heads: dict[str, _Head] = {}
        self._checked: set[tuple[HloSharding, Shape]] = set()

    def computation(
        self,
        name: str,
        line: int,
        rows: Iterable[Row],
        lines: Sequence[int],
        nested: Mapping[int, Inside] | None = None,
        is_nested: bool = False,
        whole: bool = False,
    ) -> Computation:
        """A computation from its rows, whose lines are known; `nested` holds those in attributes.

        One that `is_nested` in an attribute cannot be called by name. Metadata is left in the text
        unless attributes are `whole`. Raises OtherLines if they may not be what the rows say.
        """
        name = name.removeprefix("%")
        computation = Computation(name, self.module, line)
        if name and not is_nested and name in self._by_name:
            raise self._error(line, f"a second computation named {name}")
        first = number = computation.first = self._count
        computation.lines = lines
        instructions, numbers = self.module.read.instructions, self.module.read.operands
        # what other lines may have left
        del instructions[first:], numbers[first:]
        by_name: dict[str, int] = {}
        find = by_name.get
        kinds, heads = self._kinds, self._heads
        parameters: list[Instruction] = []
        callers: list[Instruction] = []
        root: Instruction | None = None
        for root_mark, raw_name, what, inner, tail in rows:
            opcode, shape, is_odd_kind = kinds.get(what) or self._kind(
                what, raw_name, lines[number - first]
            )
            operands: tuple[int, ...] = ()
            literal = ""
            if is_odd_kind and opcode in _WITH_LITERAL:
                literal = inner
            elif inner:
                only = find(inner)
                if only is not None:
                    operands = (only,)
                else:
                    try:
                        operands = tuple([by_name[operand] for operand in inner.split(", ")])
                    except KeyError:
                        line = lines[number - first]
                        operands = self._operands(inner, by_name, raw_name, line)
            head, is_odd_head = heads.get(tail) or self._head(tail)
            plain = raw_name[1:] if raw_name[0] == "%" else raw_name
            instruction = Instruction(
                plain, opcode, shape, None, computation, number, literal, head
            )
            instructions.append(instruction)
            numbers.append(operands)
            if is_odd_kind:
                if opcode == "parameter":
                    parameters.append(instruction)
                elif opcode in CALLERS:
                    callers.append(instruction)
                if what[0] == " ":
                    self._infer(instruction, (nested or {}).get(number - first))
            by_name[raw_name] = number
            number += 1
            if root_mark:
                if root is not None:
                    raise self._error(
                        instruction.line, f"a second ROOT in {name}", f"first on line {root.line}"
                    )
                root = instruction
            if is_odd_head:
                if not whole and _is_doubtful(head):
                    raise OtherLines
                self._set_sharding(instruction, head)
                self._set_predecessors(instruction, head, by_name)
        computation.instructions = instructions[first:]
        computation.lines = lines[: number - first]
        if len(by_name) != number - first:
            self._refuse_namesakes(computation.instructions)
        self._count = number
        computation.root = root or computation.instructions[-1]
        computation.parameters = self._numbered(parameters)
        self._callers += callers
        for position, inside in (nested or {}).items():
            self._nested[computation.instructions[position]] = inside
        if name and not is_nested:
            self._by_name[name] = computation
        self.module.computations.append(computation)
        return computation

    def finish(self) -> None:
        """Resolve calls, which may name computations that come later."""
        for instruction in self._callers:
            instruction.called = self._called(instruction)
        self._refuse_recursion()
        module = self.module
        module.warnings += [
            f"unknown opcode {opcode}" for opcode in sorted(self._opcodes - OPCODES)
        ]
        # reading every attribute list is dear: only if a word looks like an unknown attribute
        words = {word for head in self._heads for word in _ATTRIBUTE.findall(head)}
        if words - ATTRIBUTES:
            module.warnings += [f"unknown attribute {name}" for name in unknown_attributes(module)]

    def _error(self, line: int, message: str, found: str | None = None) -> InputError:
        return InputError(message, file=self.module.file, line=line, found=found)

    def _located(self, error: InputError, name: str, line: int) -> InputError:
        error.message = f"{name.removeprefix('%')}: {error.message}"
        return error.located(file=self.module.file, line=line)

    def _kind(self, what: str, name: str, line: int) -> _Kind:
        """What the text says between `=` and operands; a shape that is left out is found later."""
        raw, _, opcode = what.rpartition(" ")
        try:
            shape = parse_shape(raw) if raw else Shape.tuple_of(())
        except InputError as error:
            raise self._located(error, name, line) from None
        self._opcodes.add(opcode)
        is_odd = opcode in _WITH_LITERAL or opcode in CALLERS or not raw
        kind = self._kinds[what] = _Kind(sys.intern(opcode), shape, is_odd)
        return kind

    def _head(self, text: str) -> _Head:
        is_odd = "sharding=" in text or "control-predecessors=" in text or _is_doubtful(text)
        head = self._heads[text] = _Head(text, is_odd)
        return head

    def _refuse_namesakes(self, instructions: Iterable[Instruction]) -> NoReturn:
        first: dict[str, int] = {}
        second = next(x for x in instructions if first.setdefault(x.name, x.number) != x.number)
        name, line = second.name, second.computation.line_of(first[second.name])
        raise self._error(
            second.line, f"a second instruction named {name}", f"first on line {line}"
        )

    def _infer(self, instruction: Instruction, inside: Inside | None) -> None:
        """Find the shape of an instruction whose text leaves it out."""
        if inside is not None:
            self._nested[instruction] = inside
        if instruction.opcode in CALLERS:
            instruction.called = self._called(instruction, "a computation above")
        instruction.shape = infer_shape(instruction)

    def _operands(
        self, inner: str, by_name: Mapping[str, int], name: str, line: int
    ) -> tuple[int, ...]:
        """The numbers of operands that have shapes before them, or comments between them."""
        operands = []
        for piece in _split(_COMMENT.sub("", inner)):
            match = _OPERAND.fullmatch(piece)
            if not match:
                self._no_operand(name, line, repr(piece))
            if match[1] and match[1].strip():
                try:
                    parse_shape(match[1].strip())
                except InputError as error:
                    raise self._located(error, name, line) from None
            raw = match[2]
            operand = by_name.get(raw)
            if operand is None:
                operand = by_name.get(raw[1:] if raw[0] == "%" else f"%{raw}")
            if operand is None:
                self._no_operand(name, line, raw)
            operands.append(operand)
        return tuple(operands)

    def _no_operand(self, name: str, line: int, found: str) -> NoReturn:
        raise InputError(
            f"{name.removeprefix('%')}: operand does not exist",
            file=self.module.file,
            line=line,
            expected="an instruction above in the same computation",
            found=found,
        )

    def _set_sharding(self, instruction: Instruction, tail: str) -> None:
        if "sharding=" not in tail:
            return
        try:
            raw = attribute_of(tail, "sharding")
            if raw is None:
                return
            shape = instruction.shape
            sharding = read_sharding(raw, shape, self.module.lenient)
            if (sharding, shape) not in self._checked:
                check_sharding(sharding, shape)
                self._checked.add((sharding, shape))
        except InputError as error:
            raise self._located(error, instruction.name, instruction.line) from None
        instruction.sharding = sharding

    def _set_predecessors(
        self, instruction: Instruction, tail: str, by_name: Mapping[str, int]
    ) -> None:
        if "control-predecessors=" not in tail:
            return
        raw = attribute_of(tail, "control-predecessors")
        if raw is not None:
            names = ", ".join(_split(raw.strip()[1:-1]))
            if names:
                numbers = self._operands(names, by_name, instruction.name, instruction.line)
                instructions = self.module.read.instructions
                instruction.control_predecessors = tuple([instructions[x] for x in numbers])

    def _numbered(self, parameters: list[Instruction]) -> tuple[Instruction, ...]:
        """Parameters by number; each number from 0 on must be there once."""
        slots: list[Instruction | None] = [None] * len(parameters)
        for parameter in parameters:
            number = parameter.parameter_number
            assert number is not None
            if not 0 <= number < len(slots) or slots[number] is not None:
                raise InputError(
                    f"{parameter.name}: parameter number",
                    file=self.module.file,
                    line=parameter.line,
                    expected=f"each of 0 to {len(slots) - 1} once",
                    found=str(number),
                )
            slots[number] = parameter
        return tuple(slot for slot in slots if slot is not None)

    def _called(
        self, instruction: Instruction, expected: str = "a computation of this module"
    ) -> tuple[Computation, ...]:
        inside = self._nested.get(instruction)
        if inside is not None:
            return tuple(
                computation
                for attribute in CALLING_ATTRIBUTES
                for computation in inside.get(attribute, ())
            )
        called: list[Computation] = []
        for raw in _called_names(instruction):
            name = raw.strip().removeprefix("%")
            computation = self._by_name.get(name)
            if computation is None:
                raise InputError(
                    f"{instruction.name}: called computation does not exist",
                    file=self.module.file,
                    line=instruction.line,
                    expected=expected,
                    found=name,
                )
            called.append(computation)
        if instruction.opcode == "while" and len(called) != 2:
            raise InputError(
                f"{instruction.name}: called computations",
                file=self.module.file,
                line=instruction.line,
                expected="condition and body",
                found=str(len(called)),
            )
        return tuple(called)

    def _refuse_recursion(self) -> None:
        """XLA knows no recursion, and the order of computations would be endless."""
        position = {computation: i for i, computation in enumerate(self.module.computations)}
        if all(
            position[called] < position[caller.computation]
            for caller in self._callers
            for called in caller.called
        ):
            return
        calls: dict[Computation, list[Instruction]] = {}
        for caller in self._callers:
            calls.setdefault(caller.computation, []).append(caller)
        done: set[Computation] = set()
        for start in self.module.computations:
            stack: list[tuple[Computation, bool]] = [(start, False)]
            open_: set[Computation] = set()
            while stack:
                computation, leaving = stack.pop()
                if leaving:
                    open_.discard(computation)
                    done.add(computation)
                    continue
                if computation in done:
                    continue
                open_.add(computation)
                stack.append((computation, True))
                for caller in calls.get(computation, ()):
                    for called in caller.called:
                        if called in open_:
                            raise self._error(caller.line, f"{caller.name}: recursive call")
                        stack.append((called, False))


def _is_doubtful(text: str) -> bool:
    """Whether this may be no attribute list, or one that goes on in a string."""
    if text and not _FIRST.match(text):
        return True
    return "\\" not in text and text.count('"') % 2 == 1


def _called_names(instruction: Instruction) -> list[str]:
    """Names of the computations that an instruction calls, in the order of CALLING_ATTRIBUTES."""
    head = instruction.early_tail.partition(METADATA)[0]
    if '"' not in head:
        found = _CALL.findall(head)
        if len(found) == 1:
            return [name for name in found[0][1].strip("{}").split(",") if name.strip()]
    elif instruction.opcode == "custom-call" and "called_computations=" not in head:
        return []
    names: list[str] = []
    for attribute in CALLING_ATTRIBUTES:
        raw = instruction.attribute(attribute)
        if raw is not None:
            names += [name for name in raw.strip("{}").split(",") if name.strip()]
    return names


_ATTRIBUTE = re.compile(r", ([A-Za-z_][\w-]*)=")


def unknown_attributes(module: HloModule) -> list[str]:
    """Names of instruction attributes that we do not know; reads all attribute lists."""
    names: set[str] = set()
    for computation in module.computations:
        for instruction in computation.instructions:
            names.update(instruction.attributes)
    return sorted(names - ATTRIBUTES)


def _split(text: str) -> list[str]:
    """The parts between commas outside of brackets, stripped."""
    parts = []
    start = depth = 0
    for mark in _BRACKET.finditer(text):
        if mark[0] in "{[(":
            depth += 1
        elif mark[0] in "}])":
            depth -= 1
        elif depth == 0:
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
    parts.append(text[start:].strip())
    return parts
