"""HLO text to HloModule: a line scanner, with the careful scanner where a line is not as usual."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from shardlog.converters.hlo_text_builder import Builder, Inside, OtherLines
from shardlog.converters.hlo_text_module import LINE, METADATA, WIDE_LINE, SourceSpan, TextModule
from shardlog.converters.hlo_text_scanner import Header, Row, Scanner, Statement
from shardlog.ir.attribute_text import split_attributes
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation

_MODULE = re.compile(r"HloModule\b[ \t]*([\w.\-<>]*)[ \t]*(,[^\n]*[^\s,])?[ \t\r]*(?=\n|\Z)")
_THREAD = re.compile(r', execution_thread="([^"]*)"')
_TABLE = re.compile(
    r"(FileNames|FunctionNames|FileLocations|StackFrames|[A-Z]\w*(?=[ \t\r]*\n[ \t]*\d+ ))"
    r"[ \t\r]*\n((?:[ \t]*\d+ [^\n]*(?:\n|\Z))*)"
)
_HEADER = re.compile(r"(ENTRY )?(%?[\w.\-]+) (?:\([^\n]*\) -> [^\n]* )?\{(?=\n)")
STRETCH = 1 << 17
"""How much of a body is taken apart at a time, in characters."""


def parse_hlo_text(text: str, file: str | None = None, lenient: bool = False) -> TextModule:
    """The module that HLO text describes; `file` is only named in messages.

    Reads what any XLA of the last years prints: names with or without `%`, operands with or without
    shapes, layouts, tables of source locations, computations in attributes; and instructions
    without a shape, where XLA's reader infers it. Raises InputError with
    the line, what was expected and what was found; `lenient` reads broken shardings as XLA does.
    """
    with collector_at_rest():
        return _Reader(text, file, lenient).module()


class _Reader:
    def __init__(self, text: str, file: str | None, lenient: bool) -> None:
        self.text = text
        self.file = file
        self.lenient = lenient
        self.scan = Scanner(text, file)

    def module(self) -> TextModule:
        text, scan = self.text, self.scan
        module, at = self._module_header()
        builder = Builder(module)
        entry: Computation | None = None
        line, counted = 1, 0
        at = scan.gap(at)
        while at < len(text):
            table = _TABLE.match(text, at)
            if table:
                module.tables[table[1]] = table[2]
                at = scan.gap(table.end())
                continue
            line += text.count("\n", counted, at)
            header = self._header(at)
            computation, at = self._computation(builder, header, line)
            counted = header.start
            if module.spans[computation].statements is None:
                line = computation.instructions[-1].line + 1
                counted = at
            if header.is_entry:
                if entry is not None:
                    scan.fail(header.start, "a second ENTRY computation", "only one")
                entry = computation
            tail, end = scan.attributes(at, header.name)
            thread = _THREAD.search(tail)
            if thread:
                computation.thread = thread[1]
            at = scan.gap(end)
        if not module.computations:
            scan.fail(at, "module without computations", "a computation: name { ... }")
        module.entry = entry or module.computations[-1]
        builder.finish()
        return module

    def _header(self, at: int) -> Header:
        match = _HEADER.match(self.text, at)
        if match:
            return Header(bool(match[1]), match[2], at, match.end())
        return self.scan.header(at)

    def _module_header(self) -> tuple[TextModule, int]:
        text, scan = self.text, self.scan
        at = scan.gap(0)
        match = _MODULE.match(text, at)
        if match and not text.startswith(",", scan.gap(match.end())):
            # brackets that are still open go on in the next line
            with suppress(InputError):
                attributes = split_attributes(match[2] or "")
                return TextModule(match[1], attributes, self.file, text, self.lenient), match.end()
        if not text.startswith("HloModule", at):
            scan.fail(at, "not HLO text", "HloModule")
        name, tail, end = scan.module_header(at)
        return TextModule(name, split_attributes(tail), self.file, text, self.lenient), end

    def _computation(self, builder: Builder, header: Header, line: int) -> tuple[Computation, int]:
        text = self.text
        start = header.end
        if text.startswith("\n", start):
            first = line + text.count("\n", header.start, start) + 1
            with suppress(OtherLines):
                body = _Body(text, start)
                lines = range(first, sys.maxsize)
                computation = builder.computation(header.name, line, body, lines)
                builder.module.spans[computation] = SourceSpan(start, body.end, first, None)
                return computation, body.end + 2
        statements, end = self.scan.body(start)
        extent = (start, statements[-1].end)
        return self._from_statements(builder, header.name, line, statements, extent), end

    def _from_statements(
        self,
        builder: Builder,
        name: str,
        line: int,
        statements: Sequence[Statement],
        extent: tuple[int, int],
        is_nested: bool = False,
    ) -> Computation:
        """A computation that the careful scanner has read, those inside its attributes first."""
        nested: dict[int, Inside] = {}
        for position, statement in enumerate(statements):
            if statement.nested:
                nested[position] = {
                    attribute: [
                        self._from_statements(
                            builder,
                            f"{statement.row[1].removeprefix('%')}.{attribute}",
                            self.scan.line(body[0].start),
                            body,
                            (body[0].start, body[-1].end),
                            is_nested=True,
                        )
                        for body in bodies
                    ]
                    for attribute, bodies in statement.nested.items()
                }
        rows = [statement.row for statement in statements]
        lines = [self.scan.line(statement.start) for statement in statements]
        computation = builder.computation(name, line, rows, lines, nested, is_nested, whole=True)
        spans = {
            instruction: (statement.start, statement.end)
            for instruction, statement in zip(computation.instructions, statements, strict=True)
        }
        builder.module.spans[computation] = SourceSpan(*extent, lines[0], spans)
        return computation


class _Body:
    """The instructions of a body in which each has a line of its own; `end` is known behind them.

    They come some hundred at a time, so that their parts are still at hand when they are put
    together. Raises OtherLines if lines do not hold an instruction each.
    """

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.end = text.find("\n}", start, start + STRETCH)

    def __iter__(self) -> Iterator[Row]:
        start = self.start
        if self.end == start:
            raise OtherLines
        while start != self.end:
            stop, rows = self._stretch(start)
            yield from rows
            start = stop

    def _stretch(self, start: int) -> tuple[int, list[Row]]:
        """The rows of the lines from an offset on, and where they end."""
        text, stop = self.text, self.end
        if stop < 0:
            # looking for the end of a large body takes long: all is well as long as lines are
            stop = text.find("\n", start + STRETCH)
            if stop < 0:
                stop = self._ending(start, len(text))
        rows: list[Row] = LINE.findall(text, start, stop)
        count = text.count("\n", start, stop)
        if len(rows) != count and self.end < 0:
            stop = self._ending(start, stop)
            rows = LINE.findall(text, start, stop)
            count = text.count("\n", start, stop)
        if len(rows) != count:
            rows = [_without_metadata(row) for row in WIDE_LINE.findall(text, start, stop)]
        if len(rows) != count or text.find("\r", start, stop) >= 0:
            raise OtherLines
        return stop, rows

    def _ending(self, start: int, stop: int) -> int:
        """The end of the body, if it lies before an offset; that offset otherwise."""
        self.end = self.text.find("\n}", start, stop + 2)
        if self.end < 0 and stop == len(self.text):
            raise OtherLines
        return stop if self.end < 0 else self.end


def _without_metadata(row: Row) -> Row:
    """A row whose attributes lack metadata, if it is sure to be the last of them, and all of it."""
    root, name, what, inner, tail = row
    head, mark, metadata = tail.partition(METADATA)
    is_metadata = mark and metadata.find("}") == len(metadata) - 1 and _is_closed(head)
    return root, name, what, inner, head if is_metadata else tail


def _is_closed(text: str) -> bool:
    """Whether no string is open at the end of an attribute list; False if that is hard to say."""
    return "\\" not in text and text.count('"') % 2 == 0
