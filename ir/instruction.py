"""HLO instructions, as readers of text and protos hand them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from shardlog.ir import attributes as typed
from shardlog.ir.attribute_text import attribute_of, attributes_of
from shardlog.ir.errors import InputError
from shardlog.ir.literal import Literal
from shardlog.ir.op_metadata import OpMetadata

if TYPE_CHECKING:
    from shardlog.ir.module import Computation
    from shardlog.ir.shape import Shape
    from shardlog.ir.sharding import HloSharding

_T = TypeVar("_T")
_OP_NAME = re.compile(r'[{\s]op_name="[^"\\]')
"""An op name that is not empty, as nearly every metadata has one, without reading the others."""

KEPT_BY_A_COPY = frozenset(("sharding", "frontend_attributes", "origin", "metadata"))
"""Attributes that an instruction keeps when a copy takes its place."""

PRINTED_LAST = (
    "sharding",
    "frontend_attributes",
    "control-predecessors",
    "statistics",
    "result_accuracy",
    "origin",
    "metadata",
    "backend_config",
)
"""Attributes that XLA prints after those of the op, in this order."""


class Instruction:
    """One HLO instruction.

    `name` is without `%`; `opcode` is XLA's text name, kept as it is if unknown. `users` names each
    user once, in the order in which XLA's list has them. `called` holds the computations it calls:
    condition and body of a while, branches of a conditional in order, otherwise as in the text.
    `index` numbers the module's instructions in the order of `HloModule.instructions`, which is
    known once that is asked for. `number` counts those that a text has, as they stand in it, and is
    -1 for others.
    """

    __slots__ = (
        "_attributes",
        "_inner",
        "_operands",
        "_tail",
        "_users",
        "called",
        "computation",
        "control_predecessors",
        "index",
        "name",
        "number",
        "opcode",
        "shape",
        "sharding",
    )

    name: str
    opcode: str
    shape: Shape
    computation: Computation
    sharding: HloSharding | None
    called: tuple[Computation, ...]
    control_predecessors: tuple[Instruction, ...]
    number: int
    index: int

    def __init__(
        self,
        name: str,
        opcode: str,
        shape: Shape,
        operands: tuple[Instruction, ...] | None,
        computation: Computation,
        number: int = -1,
        inner: str | Literal = "",
        tail: str = "",
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        """Make an instruction; it counts as a user once its computation lists it.

        Operands of None are those that its module has read for its number. `inner` is the text in
        parentheses of a parameter or constant; attributes come as raw text (`tail`, with its
        leading comma) or, if that is given, as a mapping.
        """
        self.name = name
        self.opcode = opcode
        self.shape = shape
        self._operands = operands
        self.computation = computation
        self._inner = inner
        self._tail = tail
        self._attributes = attributes
        self._users: list[Instruction] | None = None
        self.sharding = None
        self.called = ()
        self.control_predecessors = ()
        self.number = self.index = number

    def __repr__(self) -> str:
        return f"<{self.name} = {self.shape} {self.opcode}>"

    @property
    def operands(self) -> tuple[Instruction, ...]:
        """The instructions whose values this one takes, in order."""
        operands = self._operands
        if operands is None:
            operands = self._operands = self.computation.module.read.operands_of(self.number)
        return operands

    @operands.setter
    def operands(self, operands: tuple[Instruction, ...]) -> None:
        self._operands = operands
        self.computation.module.read.is_current = False

    @property
    def line(self) -> int:
        """The line of the text in which it begins, from 1 on; 0 if there is no text."""
        return 0 if self.number < 0 else self.computation.line_of(self.number)

    @property
    def users(self) -> list[Instruction]:
        """The instructions that have this as an operand, once each, as XLA's list has them.

        They are found for a whole computation when first asked for: most runs never ask.
        """
        if self._users is None:
            self.computation.enter_users()
            if self._users is None:
                self._users = []
        return self._users

    @users.setter
    def users(self, users: list[Instruction]) -> None:
        self._users = users

    def enter_user(self, user: Instruction) -> None:
        """Enter a user at the end of the list, unless it stands there."""
        if self._users is None:
            self._users = [user]
        elif self._users[-1] is not user:
            self._users.append(user)

    @property
    def is_root(self) -> bool:
        """Whether this is the root of its computation."""
        return self.computation.root is self

    def attribute(self, name: str) -> str | None:
        """The raw text of an attribute, e.g. `{0,1}` for `dimensions`, or None if it has none."""
        if self._attributes is not None:
            return self._attributes.get(name)
        tail = self.tail if name == "metadata" else self._tail
        if not tail:
            return None
        try:
            return attribute_of(tail, name)
        except InputError as error:
            raise self.located(error) from None

    @property
    def tail(self) -> str:
        """The attribute list as it stands in the text, with its leading comma; empty if none."""
        return self._tail + self.computation.module.left_out(self)

    @property
    def early_tail(self) -> str:
        """The attribute list without metadata, if that is left in the module's text."""
        return self._tail

    @property
    def attributes(self) -> Mapping[str, str]:
        """The raw texts of all attributes in their order."""
        if self._attributes is not None:
            return self._attributes
        try:
            return attributes_of(self.tail)
        except InputError as error:
            raise self.located(error) from None

    def located(self, error: InputError) -> InputError:
        """The same error with this instruction's name, file and line."""
        error.message = f"{self.name}: {error.message}"
        return error.located(file=self.computation.module.file, line=self.line or None)

    def _typed(self, name: str, parse: Callable[[str], _T], default: _T) -> _T:
        raw = self.attribute(name)
        if raw is None:
            return default
        try:
            return parse(raw)
        except InputError as error:
            raise self.located(error) from None

    def integers(self, name: str) -> tuple[int, ...]:
        """The integers of a list attribute, empty if it is not there."""
        return self._typed(name, typed.parse_integers, ())

    def integer(self, name: str) -> int | None:
        """The value of an integer attribute."""
        return self._typed(name, typed.parse_integer, None)

    @property
    def dimensions(self) -> tuple[int, ...]:
        """`dimensions={...}`: of a broadcast, reduce, transpose, reverse, concatenate, sort, ..."""
        return self.integers("dimensions")

    @property
    def dot_dimensions(self) -> typed.DotDimensions:
        """Dimension numbers of a dot."""
        return typed.DotDimensions(
            self.integers("lhs_batch_dims"),
            self.integers("rhs_batch_dims"),
            self.integers("lhs_contracting_dims"),
            self.integers("rhs_contracting_dims"),
        )

    @property
    def convolution(self) -> typed.ConvolutionDimensions | None:
        """Dimension labels of a convolution."""
        return self._typed("dim_labels", typed.parse_convolution, None)

    @property
    def window(self) -> typed.Window | None:
        """The window of a convolution, reduce-window or select-and-scatter."""
        return self._typed("window", typed.parse_window, None)

    @property
    def feature_group_count(self) -> int:
        """Feature groups of a convolution, 1 unless stated."""
        return self._typed("feature_group_count", typed.parse_integer, 1)

    @property
    def batch_group_count(self) -> int:
        """Batch groups of a convolution, 1 unless stated."""
        return self._typed("batch_group_count", typed.parse_integer, 1)

    @property
    def gather(self) -> typed.GatherDimensions:
        """Dimension numbers of a gather."""
        return typed.GatherDimensions(
            self.integers("offset_dims"),
            self.integers("collapsed_slice_dims"),
            self.integers("start_index_map"),
            self.integer("index_vector_dim") or 0,
            self.integers("operand_batching_dims"),
            self.integers("start_indices_batching_dims"),
            self.integers("slice_sizes"),
        )

    @property
    def scatter(self) -> typed.ScatterDimensions:
        """Dimension numbers of a scatter."""
        return typed.ScatterDimensions(
            self.integers("update_window_dims"),
            self.integers("inserted_window_dims"),
            self.integers("scatter_dims_to_operand_dims"),
            self.integer("index_vector_dim") or 0,
            self.integers("input_batching_dims"),
            self.integers("scatter_indices_batching_dims"),
        )

    @property
    def padding(self) -> typed.Padding | None:
        """The padding of a pad."""
        return self._typed("padding", typed.parse_padding, None)

    @property
    def slice_bounds(self) -> typed.SliceBounds | None:
        """Starts, limits and strides of a slice."""
        return self._typed("slice", typed.parse_slice, None)

    @property
    def tuple_index(self) -> int | None:
        """The element that a get-tuple-element takes."""
        return self.integer("index")

    @property
    def iota_dimension(self) -> int | None:
        """The dimension along which an iota counts."""
        return self.integer("iota_dimension")

    @property
    def channel_id(self) -> int | None:
        """The channel of a collective, send or receive."""
        return self.integer("channel_id")

    @property
    def parameter_number(self) -> int | None:
        """The position of a parameter among its computation's."""
        if self.opcode != "parameter" or not isinstance(self._inner, str):
            return None
        try:
            return typed.parse_integer(self._inner)
        except InputError as error:
            raise self.located(error) from None

    @property
    def literal(self) -> Literal | None:
        """The value of a constant."""
        if self.opcode != "constant":
            return None
        return self._inner if isinstance(self._inner, Literal) else Literal(self._inner)

    @property
    def custom_call_target(self) -> str | None:
        """The target of a custom call, without quotes."""
        return self._typed("custom_call_target", typed.unquoted, None)

    @property
    def opaque(self) -> str:
        """The backend config, without quotes; of a custom call, its opaque string."""
        return self._typed("backend_config", typed.unquoted, "")

    def frontend_attribute(self, name: str) -> str | None:
        """The value of one of `frontend_attributes={...}`, without quotes."""
        none: Mapping[str, str] = {}
        return self._typed("frontend_attributes", typed.parse_frontend, none).get(name)

    @property
    def has_side_effect(self) -> bool:
        """Whether a custom call says that it has a side effect."""
        return self.attribute("custom_call_has_side_effect") == "true"

    @property
    def metadata(self) -> OpMetadata:
        """Where the instruction comes from; without fields if it does not say."""
        return self._typed("metadata", typed.parse_metadata, OpMetadata())

    def become_copy(self, name: str) -> None:
        """Turn this into a copy of its operand, of another name, where it is in the graph.

        Of the attributes stays what XLA leaves (HloComputation::ReplaceInstruction).
        """
        kept = {key: raw for key, raw in self.attributes.items() if key in KEPT_BY_A_COPY}
        raw = kept.get("metadata")
        if raw is not None and not _OP_NAME.search(raw) and not self.metadata.op_name:
            del kept["metadata"]
        self.name = name
        self.opcode = "copy"
        self._attributes = kept

    def inherit(self, replaced: Instruction) -> None:
        """Take what an instruction leaves that this one replaces.

        That is its metadata if this has no op name, its frontend attributes if this has none, its
        original value, and its name if both have one opcode and target. Follows
        HloComputation::ReplaceInstruction.
        """
        new: dict[str, str] = {}
        for key in ("frontend_attributes", "origin", "metadata"):
            raw = replaced.attribute(key)
            own = self.attribute(key)
            if raw is None or raw == own:
                continue
            if key == "metadata":
                if not self.metadata.op_name and replaced.metadata.op_name:
                    new[key] = raw
            elif own is None or key == "origin":
                new[key] = raw
        if new:
            merged = {**self.attributes, **new}
            late = [key for key in PRINTED_LAST if key in merged]
            early = [key for key in merged if key not in PRINTED_LAST]
            self._attributes = {key: merged[key] for key in early + late}
        if (
            self.opcode == replaced.opcode
            and self.custom_call_target == replaced.custom_call_target
        ):
            self.name = replaced.name

    @property
    def has_new_attributes(self) -> bool:
        """Whether `become_copy` or `inherit` changed the attributes that the text gives."""
        return self._attributes is not None
