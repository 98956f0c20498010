"""Modules that keep the text they were read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shardlog.ir.module import Computation, HloModule, Instruction

# operands without shapes, so without parentheses; then attributes but for metadata, which nothing
# follows and in which no brace is closed
LINE = re.compile(
    r"\n  (ROOT )?(%?[A-Za-z0-9_.\-]++) = ((?:[^( ][^ ]*+|\(.*?\)) [a-z][a-z0-9\-]++)"
    r"\(([^()]*+)\)((?:,(?! metadata=)[^,\n\\]*)*+)(?:, metadata=\{[^}]*+\})?+$",
    re.M,
)
# any operands: they end before the first attribute or the line's end; then all attributes
WIDE_LINE = re.compile(
    r"\n +(ROOT )?(%?[\w.\-]+) = ((?:[^( ]\S*|\(.*?\)) [a-z][a-z0-9\-]+)"
    r"\((.*?)\)(, [a-zA-Z_][\w.\-]*=.*)?$",
    re.M,
)

_BREAK = re.compile("\n")
METADATA = ", metadata={"
"""What separates the metadata of an instruction from its other attributes."""


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
        self._breaks: dict[Computation, list[int]] = {}

    def line_of(self, instruction: Instruction) -> tuple[int, int] | None:
        """Where the line of an instruction begins and ends, if it was read with one to itself."""
        span = self.spans.get(instruction.computation)
        if span is None or span.statements is not None or not instruction.line:
            return None
        breaks = self.breaks(instruction.computation)
        place = instruction.line - span.first_line
        return breaks[place] + 1, breaks[place + 1]

    def breaks(self, computation: Computation) -> list[int]:
        """Where lines of a computation's body end, from the one before the first instruction's."""
        breaks = self._breaks.get(computation)
        if breaks is None:
            span = self.spans[computation]
            breaks = [x.start() for x in _BREAK.finditer(self.source, span.start, span.end)]
            breaks.append(span.end)
            self._breaks[computation] = breaks
        return breaks

    def left_out(self, instruction: Instruction) -> str:
        """The end of an instruction's attribute list that only the source holds: its metadata."""
        place = self.line_of(instruction)
        if place is None:
            return ""
        start, end = place
        for pattern in (LINE, WIDE_LINE):
            found = pattern.match(self.source, start - 1, end)
            if found:
                tail = found.start(5)
                return "" if tail < 0 else self.source[tail + len(instruction.early_tail) : end]
        return ""

    def to_text(self) -> str:
        """The text that it was read from, but for what was edited since."""
        from shardlog.converters.hlo_text_writer import write_hlo_text

        return write_hlo_text(self)

    def text_stretches(self) -> Iterator[str]:
        """The text of `to_text`, some thousand lines at a time."""
        from shardlog.converters.hlo_text_writer import text_stretches

        return text_stretches(self)
