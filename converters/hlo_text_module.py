"""Modules that keep the text they were read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from shardlog.ir.module import Computation, HloModule, Instruction


class SourceSpan(NamedTuple):
    """Where a computation's body stands in the source: offsets behind its `{` and of its end.

    `statements` says where its instructions begin and end, unless each has a line to itself, from
    line `first_line` on.
    """

    start: int
    end: int
    first_line: int
    statements: dict[Instruction, tuple[int, int]] | None


class TextModule(HloModule):
    """A module that was read from `source`; `spans` says where its computations stand in it.

    `lenient` says whether broken shardings are read as XLA reads them.
    """

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, str],
        file: str | None,
        source: str,
        lenient: bool = False,
    ) -> None:
        super().__init__(name, attributes, file, source)
        self.lenient = lenient
        self.spans: dict[Computation, SourceSpan] = {}

    def to_text(self) -> str:
        """The text that it was read from, but for what was edited since."""
        from shardlog.converters.hlo_text_writer import write_hlo_text

        return write_hlo_text(self)
