"""HLO text of a module that was read from text: the same text but for what was edited since.

Only shardings, and the edits that `apply_result` makes, are written; all other bytes stay. A new
sharding stands where XLA prints it. Where an edit moves instructions in XLA's order they move in
the text too, if it was in that order.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from operator import itemgetter

from shardlog.converters.hlo_text_module import METADATA, TextModule
from shardlog.converters.hlo_text_shardings import read_sharding
from shardlog.ir.attribute_text import attribute_of
from shardlog.ir.errors import InputError
from shardlog.ir.instruction import PRINTED_LAST
from shardlog.ir.module import Computation, Instruction
from shardlog.ir.sharding import HloSharding

__all__ = ["write_hlo_text"]

Edit = tuple[int, int, str]
"""Offsets of a stretch of the source, and what takes its place."""

_BEHIND = "|".join((*(key for key in PRINTED_LAST if key != "sharding"), "original_value"))
_AFTER_SHARDING = re.compile(f", (?:{_BEHIND})=")
_START = re.compile(
    r"\s*(?P<root>ROOT\s+)?(?P<name>%?[\w.\-]+)\s*=\s*(?P<shape>(?:\S.*?)??)\s*"
    r"(?P<opcode>[a-z][a-z0-9\-]+)\((?P<operands>.*?)\)(?=\s*,\s*[a-zA-Z_][\w.\-]*\s*=|\s*\Z)",
    re.S,
)
_ROOT_LINE = re.compile(r"\n\s*ROOT\s")
_SHARDING = ", sharding="
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r"%?[A-Za-z0-9_][\w.\-]*(?=\s*(?:,|\Z))")


Show = Callable[[HloSharding], str]


STRETCH = 1 << 17
"""How many characters are put together at a time: the whole would be there twice otherwise."""


LINES = 512
"""How many plain lines become one edit, unless they are long."""
FIRST_LINES = 16
"""How many do before their length is known."""


def write_hlo_text(module: TextModule, show: Show | None = None) -> str:
    """The module as text, with the edits made since it was read.

    `show` writes every sharding, also those that are as they were read.
    """
    return "".join(text_stretches(module, show))


def text_stretches(module: TextModule, show: Show | None = None) -> Iterator[str]:
    """The same text in stretches of many lines."""
    style = _Style(show)
    computations = sorted(module.computations, key=lambda x: module.spans[x].start)
    edits: Iterable[Edit] = chain.from_iterable(
        _Body(module, computation, style).edits() for computation in computations
    )
    if any(span.statements is not None for span in module.spans.values()):
        # a computation that was written in an attribute lies inside another one's instruction
        edits = sorted(edits, key=itemgetter(0))
    stretch: list[str] = []
    size = 0
    for piece in _pieces(module.source, 0, len(module.source), edits):
        stretch.append(piece)
        size += len(piece)
        if size >= STRETCH:
            yield "".join(stretch)
            stretch, size = [], 0
    yield "".join(stretch)


class _Style:
    """How shardings are written, and what is found out once for many instructions."""

    def __init__(self, show: Show | None) -> None:
        self.show = show
        self.shown: dict[HloSharding, str] = {}
        self.before_metadata: dict[HloSharding, str] = {}
        self.simple: dict[str, bool] = {}

    def attribute(self, sharding: HloSharding) -> str:
        """A sharding as it is written, with its name and the comma before it."""
        shown = self.shown.get(sharding)
        if shown is None:
            text = sharding.to_text() if self.show is None else self.show(sharding)
            shown = self.shown[sharding] = f"{_SHARDING}{text}"
        return shown

    def simple_line(self, line: str, sharding: HloSharding) -> str:
        """A line with simple attributes that gets a sharding."""
        behind = self.before_metadata.get(sharding)
        if behind is None:
            behind = self.before_metadata[sharding] = f"{self.attribute(sharding)}{METADATA}"
        new = line.replace(METADATA, behind, 1)
        return line + self.attribute(sharding) if new is line else new

    def is_simple(self, head: str) -> bool:
        """Whether a new sharding comes right behind these attributes, before metadata or the end.

        It does if there is no sharding yet, nor an attribute that XLA prints after it.
        """
        simple = self.simple.get(head)
        if simple is None:
            simple = '"' not in head and "sharding" not in head
            simple = self.simple[head] = simple and not _AFTER_SHARDING.search(head)
        return simple


def _pieces(text: str, start: int, end: int, edits: Iterable[Edit]) -> Iterator[str]:
    """A stretch of a text with edits, which are in order and do not overlap, in pieces."""
    for first, last, new in edits:
        yield text[start:first] + new
        start = last
    yield text[start:end]


class _Body:
    """The instructions of a computation as they stand in the text.

    `places` says where each stands, `owners` which it is, None if it is there no more.
    """

    def __init__(self, module: TextModule, computation: Computation, style: _Style) -> None:
        self.module = module
        self.computation = computation
        self.text = module.source
        self.lenient = module.lenient
        self.style = style
        self.span = module.spans[computation]
        first, count = computation.first, len(computation.lines)
        self.owners: list[Instruction | None] = [*module.read.instructions[first : first + count]]
        if self.owners != computation.instructions:
            present = set(computation.instructions)
            self.owners = [x if x in present else None for x in self.owners]
        self.added = [x for x in computation.instructions if x.number < 0]
        self.changed = [
            place for place, x in enumerate(self.owners) if x is None or x.has_new_attributes
        ]
        self.renamed: dict[str, str] = {}
        self.touched: set[Instruction] = set()
        self.marked: Instruction | None = None

    @cached_property
    def places(self) -> Sequence[tuple[int, int]]:
        """Where the instructions of the text begin and end."""
        if self.span.statements is not None:
            return list(self.span.statements.values())
        breaks = self.module.breaks(self.computation)
        return [(start + 1, end) for start, end in pairwise(breaks)]

    def edits(self) -> Iterator[Edit]:
        """All edits, in order."""
        # what has to be looked at closely; of the others only the sharding is new, if anything
        special: set[Instruction | None] = set()
        if self.added or self.changed:
            self._find_names()
            self._find_root()
            if self._is_reordered():
                body = "".join(f"\n{line}" for line in self._ordered())
                yield self.span.start, self.span.end, body
                return
            special.update(self.touched, (self.owners[place] for place in self.changed))
            if self.marked is not self.computation.root:
                special |= {self.computation.root, self.marked}
        if self.span.statements is None:
            yield from self._lines(special)
        else:
            for owner, (start, end) in zip(self.owners, self.places, strict=True):
                yield from self._edits_of(owner, start, end, owner in special)
        for instruction in self.added:
            yield self.span.end, self.span.end, f"\n{self._new_line(instruction)}"

    def _lines(self, special: Collection[Instruction | None]) -> Iterator[Edit]:
        """The edits of instructions that have lines to themselves, many plain ones in one."""
        simple, with_sharding = self.style.is_simple, self.style.simple_line
        run: list[str] = []
        most = FIRST_LINES
        begin = start = self.span.start + 1
        for owner, line in zip(self.owners, self._source_lines(), strict=True):
            end = start + len(line)
            if owner is not None and owner not in special and simple(owner.early_tail):
                run.append(line if owner.sharding is None else with_sharding(line, owner.sharding))
            elif edits := self._edits_of(owner, start, end, owner in special):
                if run:
                    yield begin, start - 1, "\n".join(run)
                yield from edits
                run, begin = [], end + 1
            else:
                run.append(line)
            if len(run) == most:
                text = "\n".join(run)
                yield begin, end, text
                # shardings that spell out thousands of devices make long lines
                most = max(1, min(LINES, most * STRETCH // (len(text) + 1)))
                run, begin = [], end + 1
            start = end + 1
        if run:
            yield begin, start - 1, "\n".join(run)

    def _source_lines(self) -> Iterator[str]:
        """The lines of the body, some at a time."""
        start, last = self.span.start + 1, self.span.end
        while start <= last:
            stop = self.text.find("\n", min(start + STRETCH, last), last)
            if stop < 0:
                stop = last
            yield from self.text[start:stop].split("\n")
            start = stop + 1

    def _edits_of(
        self, owner: Instruction | None, start: int, end: int, is_special: bool
    ) -> list[Edit]:
        """The edits of what stands between two offsets."""
        if owner is None:
            return [self._removal(start, end)]
        if is_special:
            return self._edits(owner, start, end)
        return self._sharding_edits(owner, start, end)

    def _removal(self, start: int, end: int) -> Edit:
        # together with the blanks before it
        while self.text[start - 1].isspace():
            start -= 1
        return start, end, ""

    # ---- the graph

    def _find_names(self) -> None:
        """New names by those in the text, and the instructions whose operands bear them."""
        gone: dict[str, str] = {}
        new: set[Instruction] = set()
        for place in self.changed:
            start, end = self.places[place]
            owner = self.owners[place]
            parts = self._parts(start, end)
            name = parts["name"].removeprefix("%")
            if owner is None:
                gone[name] = _NAME.findall(parts["operands"])[-1].removeprefix("%")
            elif name != owner.name:
                self.renamed[name] = owner.name
                new.add(owner)
        for name in gone:
            last = name
            while last in gone:
                last = gone[last]
            self.renamed[name] = self.renamed.get(last, last)
        instructions = self.computation.instructions
        if gone:
            self.touched.update(instructions)
        elif new:
            self.touched.update(self.module.read.users(new, instructions))

    def _find_root(self) -> None:
        if self.span.statements is None:
            found = _ROOT_LINE.search(self.text, self.span.start, self.span.end)
            if found:
                first = found.start() + 1
                place = bisect_left(self.places, (first, first))
                self.marked = self.owners[place]
                return
        else:
            for (start, end), owner in zip(self.places, self.owners, strict=True):
                if self.text.startswith("ROOT", self._first(start, end)):
                    self.marked = owner
                    return
        # XLA takes the last instruction if none is marked
        if not self.added and self.owners[-1] is self.computation.root:
            self.marked = self.computation.root

    def _is_reordered(self) -> bool:
        """Whether XLA prints the instructions in another order now."""
        if self.span.statements is not None:
            return False
        order = self.computation.post_order
        kept = [x for x in self.owners if x is not None]
        return self.computation.was_in_post_order and order != kept + self.added

    def _ordered(self) -> Iterator[str]:
        """The lines of all instructions in XLA's order."""
        places = {x: place for x, place in zip(self.owners, self.places, strict=True) if x}
        for instruction in self.computation.post_order:
            if instruction in places:
                start, end = places[instruction]
                edits = self._edits(instruction, start, end)
                yield "".join(_pieces(self.text, start, end, edits))
            else:
                yield self._new_line(instruction)

    # ---- one instruction

    def _parts(self, start: int, end: int) -> re.Match[str]:
        match = _START.match(self.text, start, end)
        if match is None:
            raise InputError("instruction not found in the text", file=self.computation.module.file)
        return match

    def _first(self, start: int, end: int) -> int:
        """The offset of an instruction's first character that is no blank."""
        while start < end and self.text[start].isspace():
            start += 1
        return start

    def _edits(self, instruction: Instruction, start: int, end: int) -> list[Edit]:
        if instruction.has_new_attributes:
            return [(start, end, self._rewritten(instruction, start, end))]
        edits: list[Edit] = []
        root = self.computation.root
        if self.marked is not root and instruction in (root, self.marked):
            first = self._first(start, end)
            if instruction is root:
                edits.append((first, first, "ROOT "))
            else:
                edits.append((first, self._first(first + len("ROOT"), end), ""))
        if instruction in self.touched and instruction.operands:
            parts = self._parts(start, end)
            operands = self._operands(parts["operands"])
            if operands != parts["operands"]:
                edits.append((*parts.span("operands"), operands))
        return edits + self._sharding_edits(instruction, start, end)

    def _operands(self, text: str) -> str:
        """The text of operands with their new names."""

        def rename(match: re.Match[str]) -> str:
            name = match[0]
            new = self.renamed.get(name.removeprefix("%"))
            return name if new is None else f"%{new}" if name[0] == "%" else new

        return _NAME.sub(rename, text)

    def _rewritten(self, instruction: Instruction, start: int, end: int) -> str:
        """An instruction that has become another or has got attributes."""
        parts = self._parts(start, end)
        percent = "%" if parts["name"].startswith("%") else ""
        indent = self.text[start : self._first(start, end)]
        root = "ROOT " if instruction.is_root and self.marked is not None else ""
        attributes = dict(instruction.attributes)
        attributes.pop("sharding", None)
        if instruction.sharding is not None:
            attributes["sharding"] = self.style.attribute(instruction.sharding)[len(_SHARDING) :]
        early = [key for key in attributes if key not in PRINTED_LAST]
        late = [key for key in PRINTED_LAST if key in attributes]
        tail = "".join(f", {key}={attributes[key]}" for key in early + late)
        return (
            f"{indent}{root}{percent}{instruction.name} = {_shape(parts)}{instruction.opcode}("
            f"{self._operands(parts['operands'])}){tail}"
        )

    def _new_line(self, copy: Instruction) -> str:
        """A copy that the text has nothing of, in the style of its operand's line."""
        source = copy.operands[0]
        place = next(p for x, p in zip(self.owners, self.places, strict=True) if x is source)
        parts = self._parts(*place)
        percent = "%" if parts["name"].startswith("%") else ""
        indent = self.text[place[0] : self._first(*place)] or "  "
        # the operand of a while is a tuple, so parentheses show that operands have their shapes
        shape = _shape(parts) if parts["operands"].startswith("(") else ""
        root = "ROOT " if copy.is_root else ""
        tail = "" if copy.sharding is None else self.style.attribute(copy.sharding)
        return (
            f"{indent}{root}{percent}{copy.name} = {_shape(parts)}{copy.opcode}("
            f"{shape}{percent}{source.name}){tail}"
        )

    def _sharding_edits(self, instruction: Instruction, start: int, end: int) -> list[Edit]:
        """The edit of an instruction's sharding, if it is not as in the text."""
        sharding = instruction.sharding
        tail = instruction.early_tail
        raw = attribute_of(tail, "sharding") if "sharding=" in tail else None
        if raw is None:
            if sharding is None:
                return []
            at = self._place(start, end)
            return [(at, at, self.style.attribute(sharding))]
        new = "" if sharding is None else self.style.attribute(sharding)
        if self.style.show is not None:
            if new == f"{_SHARDING}{raw}":
                return []
        elif sharding is read_sharding(raw, instruction.shape, self.lenient):
            return []
        # blanks around the equals sign are allowed, but no printer makes them
        for pattern in (re.escape(f", sharding={raw}"), rf",\s*sharding\s*=\s*{re.escape(raw)}"):
            for match in re.finditer(pattern, self.text[start:end]):
                if self._is_outside(start, start + match.start()):
                    return [(start + match.start(), start + match.end(), new)]
        raise instruction.located(InputError("sharding not found in the text"))

    def _place(self, start: int, end: int) -> int:
        """Where XLA prints the sharding of an instruction that has none."""
        for match in _AFTER_SHARDING.finditer(self.text, start, end):
            if self._is_outside(start, match.start()):
                return match.start()
        return end

    def _is_outside(self, start: int, at: int) -> bool:
        """Whether an offset in an instruction is in no string and no computation inside it."""
        stretch = self.text[start:at]
        if '"' in stretch:
            stretch = _STRING.sub("", stretch)
        return '"' not in stretch and stretch.count("{") == stretch.count("}")


def _shape(parts: re.Match[str]) -> str:
    """The text of a shape with a blank behind it, empty if the text leaves the shape out."""
    return f"{parts['shape']} " if parts["shape"] else ""
