"""HLO modules: computations of instructions, as readers of text and protos hand them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from shardlog.ir import attributes as typed
from shardlog.ir.errors import InputError
from shardlog.ir.instruction import KEPT_BY_A_COPY, PRINTED_LAST, Instruction
from shardlog.ir.post_order import post_order
from shardlog.ir.reading import Reading

__all__ = [
    "KEPT_BY_A_COPY",
    "MAIN_THREAD",
    "PRINTED_LAST",
    "Computation",
    "HloModule",
    "Instruction",
]

MAIN_THREAD = "main"
"""The execution thread of computations that name none."""


class Computation:
    """A computation; `instructions` stand as in the text, `parameters` by number.

    `thread` is the execution thread that its header names. `was_in_post_order` says, once
    `post_order` has been asked for, whether that was the text's. `first` is the number of the first
    instruction that was read, `lines` are those in which such instructions begin.
    """

    def __init__(self, name: str, module: HloModule, line: int = 0) -> None:
        self.name = name
        self.module = module
        self.line = line
        self.thread = MAIN_THREAD
        self.instructions: list[Instruction] = []
        self.first = 0
        self.lines: Sequence[int] = ()
        self.parameters: tuple[Instruction, ...] = ()
        self.root: Instruction
        self.was_in_post_order = False
        self._post_order: list[Instruction] | None = None
        self._knows_users = False
        self._first = 0
        self._lines: Sequence[int] = ()

    def __repr__(self) -> str:
        return f"<computation {self.name}, {len(self.instructions)} instructions>"

    @property
    def is_entry(self) -> bool:
        """Whether the module starts here."""
        return self.module.entry is self

    @property
    def post_order(self) -> list[Instruction]:
        """The instructions in XLA's order (HloComputation::MakeInstructionPostOrder)."""
        if self._post_order is None:
            try:
                self._post_order = post_order(
                    self.instructions,
                    not self.was_in_post_order,
                    self.module.read.rows(self.first, self.instructions),
                    self.first,
                )
            except InputError as error:
                raise error.located(file=self.module.file) from None
            if not self.module.is_edited:
                self.was_in_post_order = self._post_order == self.instructions
        return self._post_order

    def line_of(self, number: int) -> int:
        """The line in which an instruction begins that was read."""
        return self.lines[number - self.first]

    def enter_users(self) -> None:
        """Enter every instruction in its operands' user lists, unless that is done."""
        if not self._knows_users:
            self._knows_users = True
            for instruction in self.instructions:
                for operand in instruction.operands:
                    operand.enter_user(instruction)

    def forget_order(self, known: list[Instruction] | None = None) -> None:
        """Have the post-order found anew, after an edit, unless it is `known`."""
        self._post_order = known


class HloModule:
    """An HLO module; `computations` stand in XLA's module order, `attributes` are the header's.

    `source` is the text that it was read from, empty if it was none, and `file` its name; `read` is
    its graph as it was read. `origin`
    says what the program was in before it became HLO, such as "stablehlo", if anything. `tables`
    holds the rows of `StackFrames` and suchlike. `warnings` lists what was read without being
    known.
    """

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, str] | None = None,
        file: str | None = None,
        source: str = "",
    ) -> None:
        self.name = name
        self.attributes = dict(attributes or {})
        self.file = file
        self.source = source
        self.read = Reading()
        self.origin = ""
        self.computations: list[Computation] = []
        self.entry: Computation
        self.warnings: list[str] = []
        self.tables: dict[str, str] = {}
        self.is_edited = False
        self._instructions: list[Instruction] | None = None
        self._by_name: dict[str, Instruction] | None = None

    def __repr__(self) -> str:
        return f"<module {self.name}, {len(self.computations)} computations>"

    def left_out(self, instruction: Instruction) -> str:
        """The end of an instruction's attribute list that is read only when asked for."""
        return ""

    def to_text(self) -> str:
        """The module as HLO text, with the edits made since it was read.

        Raises InputError if it was read from nothing that has a text.
        """
        raise InputError("a module that was not read from a file has no text", file=self.file)

    def text_stretches(self) -> Iterator[str]:
        """The text of `to_text` in stretches. Raises InputError as that does."""
        yield self.to_text()

    def to_proto_bytes(self) -> bytes:
        """The module as the bytes of a proto, with the edits made since it was read.

        Raises InputError if it was not read from a proto: text leaves out what that needs.
        """
        raise InputError(
            "only a module that was read from a proto can be written as one", file=self.file
        )

    @property
    def instructions(self) -> Sequence[Instruction]:
        """All instructions: computations in module order, XLA's post-order inside each."""
        if self._instructions is None:
            order = [x for computation in self.computations for x in computation.post_order]
            if order == self.read.instructions:
                # the very number that it holds: another one would take room
                for instruction in order:
                    instruction.index = instruction.number
            else:
                for index, instruction in enumerate(order):
                    instruction.index = index
            self._instructions = order
        return self._instructions

    def forget_order(self) -> None:
        """Have orders and names found anew, after an edit of the graph."""
        self.is_edited = True
        self._instructions = None
        self._by_name = None
        for computation in self.computations:
            computation.forget_order()

    def find(self, name: str) -> Instruction | None:
        """The instruction of this name (with or without `%`), the entry's first."""
        if self._by_name is None:
            self._by_name = {x.name: x for x in reversed(self.instructions)}
            self._by_name.update((x.name, x) for x in self.entry.instructions)
        return self._by_name.get(name.removeprefix("%"))

    def bools(self, name: str) -> tuple[bool, ...]:
        """The booleans of a header attribute, such as a propagation mask; empty if not there.

        Raises InputError if it is neither a boolean nor a list of them.
        """
        raw = self.attributes.get(name)
        if raw is None:
            return ()
        words = [word.strip() for word in raw.strip().strip("{}").split(",") if word.strip()]
        if any(word not in ("true", "false") for word in words):
            raise InputError(
                f"unreadable {name}",
                file=self.file,
                line=1 if self.source else None,
                expected="a list such as {true,false}",
                found=raw,
            )
        return tuple(word == "true" for word in words)

    @property
    def parameter_mask(self) -> tuple[bool, ...]:
        """`allow_spmd_sharding_propagation_to_parameters`, (False,) unless stated."""
        return self.bools("allow_spmd_sharding_propagation_to_parameters") or (False,)

    @property
    def output_mask(self) -> tuple[bool, ...]:
        """`allow_spmd_sharding_propagation_to_output`, (False,) unless stated."""
        return self.bools("allow_spmd_sharding_propagation_to_output") or (False,)

    @property
    def num_partitions(self) -> int:
        """`num_partitions`, 1 unless stated."""
        return typed.parse_integer(self.attributes.get("num_partitions", "1"))
