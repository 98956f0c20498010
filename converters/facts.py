"""An HLO module as facts: the base relations that propagation rules read.

`base_facts` lists every relation. Those that most instructions have are made at once as lists; what
rests on an attribute is read when a rule asks, and parsed once per distinct text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

from shardlog.converters.attribute_facts import (
    dot_dimensions,
    element_index,
    gather_or_scatter,
    has_channel,
    leading_batch_dims,
    literal_iota,
    operand_offsets,
)
from shardlog.converters.fact_sink import FactSink
from shardlog.converters.mask_facts import mask_facts
from shardlog.converters.pass_graph import (
    BARRIERS,
    CONVERSIONS,
    PassGraph,
    PassOptions,
    open_dimensions,
)
from shardlog.converters.side_effects import effectful, may_have_effects
from shardlog.converters.threads import async_thread, form
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.opcodes import ASYNC_FORMS, CALLERS
from shardlog.ir.shape import Shape

__all__ = ["FactSink", "PassOptions", "base_facts"]

_REFERENCES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("operand", "user"), (0, 2)),
    **dict.fromkeys(("inside", "scan_order", "named_by", "root", "root_copy"), (0, 1)),
    **dict.fromkeys(("calls", "parameter"), (0, 2)),
    **dict.fromkeys(("held_output", "held_parameter", "freed_output"), (0,)),
    **dict.fromkeys(("freed_parameter", "open_dims", "concat_offset"), (0,)),
    **dict.fromkeys(("channel_device", "entry", "outside"), (0,)),
    **dict.fromkeys(("inst", "tuple_shaped", "array_shaped", "leafless", "is_s32"), (0,)),
    **dict.fromkeys(("ungrouped", "dilated", "base_dilated", "vanishing", "side_effect"), (0,)),
    **dict.fromkeys(("mask_closed", "foreign_async", "async_call"), (0,)),
    "member": (2,),
}
"""The terms of relations that are numbers of instructions, computations or places in lists."""
_OF_COMPUTATIONS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("channel_device", "entry", "outside", "parameter", "root"), (0,)),
    "calls": (2,),
}


def base_facts(
    module: HloModule, make_sink: Callable[[int], FactSink], options: PassOptions | None = None
) -> tuple[PassGraph, Any]:
    """The graph that propagation works on, and a sink with all base relations about it.

    `make_sink` makes a sink for a number of entities. Entities are instructions, numbered by their
    places in the graph's `entities`; computations C are numbered in module order. Raises InputError
    for what XLA's pass refuses.

    Structure:

    - `inst(I)`, `inside[I] == C`, `entry(C)`, `root[C] == I`, `parameter[C, N] == I`
    - `scan_order[I]`: place in XLA's instruction lists, which is that of the text
    - `opcode[I]`: XLA's name; `copy` for a Sharding call that becomes one
    - `operand[I, K]`, `operand_count[I]`, `user[I, P]`, `user_count[I]`, users once each in XLA's
      list order after its first edits; `inner_uses[I]`: users that are not their computation's root
    - `input_count[I]`: data inputs: half the operands of a reduce or reduce-window, those before
      the indices of a scatter, else all operands
    - `calls[I, N] == C`: condition and body of a while, branches of a conditional, ...
    - `root_copy(I, W)`: I is the copy of W that XLA adds if the entry's root is a while
    - `outside(C)`: C belongs to an execution thread that takes no part; `foreign_async(I)`: an
      async op that runs on one; `async_call(I)`: an async op that wraps a call

    Values: `shape[I]`, `shapes[I]` (operands' in order, then its own), `rank[I]`, `byte_size[I]`,
    `bit_width[I]`, `tuple_shaped(I)`, `array_shaped(I)`, `is_s32(I)`, `leafless(I)`: an empty
    tuple, or one of such

    Attributes:

    - `dims[I]`: `dimensions={...}`; `concat_dim[I]`, `concat_offset[I, K]`: where operand K begins,
      `sort_dim[I]`, `tuple_index[I]`
    - `iota_attr[I]`; `literal_iota[I]`: the dimension along which a constant of s32 counts up
    - `dot_attr[I]`, `conv_attr[I]`, `window[I]`, `ungrouped(I)`: a convolution without feature or
      batch groups; `gather_attr[I]` of a gather or scatter, `index_vector_dim[I]`
    - `dilated(I)`: a reduce-window with any dilation; `base_dilated(I)`: a select-and-scatter or
      reduce-window with base dilation
    - `target[I]` of a custom-call, also of one that became a copy; `batch_dims[I]`: the number of
      its leading batch dimensions, if its frontend attributes tell; `side_effect(I)`;
      `vanishing(I)`: a barrier of shardings that is removed at the end

    What the user wrote:

    - `annotation[I]`: the sharding at the start, without shard group (unless only CSE is to be
      prevented) and metadata (unless it is to be propagated); `original[I]`: as the module has it
    - `named_by[O] == I`: the Sharding call that annotates O, which has no sharding of its own
    - `unspecified[I]`: open dimensions of a Sharding call, ascending; `open_dims[I]`: those of a
      conversion, in the order written
    - `shard_group[I] == G`, `group_kind[G]`: `as` or `like`; `member[G, N] == I` in the
      order in which XLA meets them, backwards in each computation; of a number that is given to
      groups of both kinds those of the shard_as group
    - `unique_device[I]`, `channel_device[C]`: the device of the first send, receive, all-reduce or
      reduce-scatter with a channel in a while body that has one

    Options: `option[N]` for `spmd`, `any_output`, `any_parameter`, `cse_only`,
    `propagate_metadata`; `mask_closed(I)`: an entry parameter whose sharding must not change;
    `held_parameter[I]`, `freed_parameter[I]`: leaves of the only parameter, a tuple, that are put
    back as they were, or of any that are replicated where they divide unevenly; `whole` stands for
    all as one; `held_output[I]` and `freed_output[I]` likewise of what is the root in the end.
    """
    graph = PassGraph(module, options or PassOptions())
    sink = make_sink(len(graph.entities))
    facts = _Facts(graph, sink)
    facts.structure()
    facts.values()
    facts.attributes()
    facts.annotations()
    mask_facts(graph, sink, facts.entry_root(), facts.barriers)
    for name, places in _REFERENCES.items():
        sink.refer(name, *places, foreign=_OF_COMPUTATIONS.get(name, ()))
    return graph, sink


class _Facts:
    def __init__(self, graph: PassGraph, sink: FactSink) -> None:
        self.graph = graph
        self.sink = sink
        self.module = graph.module
        self.entities = graph.entities
        self.opcodes = [x.opcode for x in graph.entities]
        self.shapes: list[Shape] = [x.shape for x in graph.entities]
        self.by_opcode: defaultdict[str, list[Instruction]] = defaultdict(list)
        for opcode, instruction in zip(self.opcodes, graph.entities, strict=True):
            self.by_opcode[opcode].append(instruction)
        for instruction in self._with_opcode(*ASYNC_FORMS):
            self.opcodes[instruction.index] = form(instruction)
        for call in graph.copies:
            self.opcodes[call.index] = "copy"
        barriers = [x for x, target in graph.targets.items() if target in BARRIERS]
        self.barriers = {x for x in barriers if x not in graph.controlled}

    def _with_opcode(self, *opcodes: str) -> list[Instruction]:
        return [x for opcode in opcodes for x in self.by_opcode.get(opcode, ())]

    def _unary(self, name: str, rows: Iterable[int]) -> None:
        self.sink.members(name, list(rows))

    # ---- structure

    def structure(self) -> None:
        """Relations that say what is where."""
        sink, graph, entities = self.sink, self.graph, self.entities
        number = {computation: i for i, computation in enumerate(self.module.computations)}
        sink.members("inst", range(len(entities)))
        sink.functional("inside", self._computations())
        sink.functional("scan_order", self._scan_order())
        sink.functional("opcode", self.opcodes)
        sink.indexed("operand", graph.operands)
        sink.functional("operand_count", list(map(len, graph.operands)))
        sink.indexed("user", graph.users)
        sink.functional("user_count", list(map(len, graph.users)))
        sink.lazy("input_count", self._input_count)
        roots = [(i, self._root(i).index) for i in range(len(number))]
        self._unary("entry", [number[self.module.entry]])
        sink.table("root", roots, 2, functional=True)
        root_set = {root for _, root in roots}
        users = graph.users
        inner_uses = [len(row) for row in users]
        for root in root_set:
            for used in set(graph.operands[root]):
                inner_uses[used] -= root in users[used]
        sink.functional("inner_uses", inner_uses)
        parameters = [
            (i, n, parameter.index)
            for computation, i in number.items()
            for n, parameter in enumerate(computation.parameters)
        ]
        sink.table("parameter", parameters, 3, functional=True)
        calls = [
            (x.index, n, number[called])
            for opcode, group in self.by_opcode.items()
            if opcode in CALLERS
            for x in group
            for n, called in enumerate(x.called)
        ]
        sink.table("calls", calls, 3, functional=True)
        self._unary("outside", {number[computation] for computation in graph.outside})
        asynchronous = entities if graph.options.execution_threads else ()
        self._unary("foreign_async", [x.index for x in asynchronous if self._is_foreign(x)])
        self._unary("async_call", [x.index for x in self.by_opcode.get("call-start", ())])
        copy = graph.root_copy
        copies = [] if copy is None else [(copy.index, copy.operands[0].index)]
        sink.table("root_copy", copies, 2)

    def _computations(self) -> list[int]:
        """The number of each entity's computation."""
        inside: list[int] = []
        copy = self.graph.root_copy
        for number, computation in enumerate(self.module.computations):
            count = len(computation.instructions)
            if copy is not None and copy.computation is computation:
                count += 1
            inside += [number] * count
        return inside

    def _is_foreign(self, instruction: Instruction) -> bool:
        thread = async_thread(instruction)
        return thread is not None and not self.graph.options.includes(thread)

    def entry_root(self) -> Instruction:
        """The entry's root after the pass's first edits."""
        return self._root(self.module.computations.index(self.module.entry))

    def _root(self, computation: int) -> Instruction:
        body = self.module.computations[computation]
        if body.is_entry and self.graph.root_copy is not None:
            return self.graph.root_copy
        return self.graph.resolved(body.root)

    def _scan_order(self) -> Sequence[int]:
        if self.graph.is_text_order:
            return range(len(self.entities))
        copies = set(self.graph.copies)
        order = [0] * len(self.entities)
        place = 0
        for computation in self.module.computations:
            members = [x for x in computation.instructions if x not in copies]
            members += [x for x in self.graph.copies if x.computation is computation]
            if computation.is_entry and self.graph.root_copy is not None:
                members.append(self.graph.root_copy)
            for instruction in members:
                order[instruction.index] = place
                place += 1
        return order

    def _input_count(self, index: int) -> int:
        operands = len(self.graph.operands[index])
        opcode = self.opcodes[index]
        if opcode in ("reduce", "reduce-window"):
            return operands // 2
        return (operands - 1) // 2 if opcode == "scatter" else operands

    # ---- values

    def values(self) -> None:
        """Relations about shapes."""
        sink, entities = self.sink, self.entities
        shapes = self.shapes
        sink.functional("shape", shapes)
        operands = self.graph.operands
        sink.lazy("shapes", lambda i: (*(shapes[k] for k in operands[i]), shapes[i]))
        sink.functional("rank", [len(shape.dimensions) for shape in shapes])
        sink.lazy("byte_size", lambda i: shapes[i].byte_size)
        sink.lazy("bit_width", lambda i: shapes[i].bit_width)
        of_kind: defaultdict[str, list[int]] = defaultdict(list)
        for instruction, shape in zip(entities, shapes, strict=True):
            # the very number that the instruction holds: another one would take room
            of_kind[shape.element_type].append(instruction.index)
        tuples = of_kind["tuple"]
        sink.members("leafless", [i for i in tuples if not shapes[i].leaf_count])
        sink.members("tuple_shaped", tuples)
        arrays = [group for kind, group in of_kind.items() if kind not in _NO_ARRAY]
        sink.members("array_shaped", sorted(chain.from_iterable(arrays)))
        sink.members("is_s32", of_kind["s32"])

    # ---- attributes

    def attributes(self) -> None:
        """Relations about what stands behind an instruction's operands."""
        sink = self.sink
        self._told("dims", lambda x: x.dimensions, *_HAVE_DIMENSIONS)
        self._told("concat_dim", lambda x: x.dimensions[0], "concatenate")
        self._told("sort_dim", lambda x: x.dimensions[0], "sort")
        self._told("tuple_index", element_index, "get-tuple-element", by_operands=True)
        self._told("iota_attr", lambda x: x.iota_dimension, "iota")
        self._lazy("literal_iota", literal_iota, "constant")
        self._told("dot_attr", dot_dimensions, "dot", by_operands=True)
        self._told("conv_attr", lambda x: x.convolution, "convolution")
        self._told(
            "window", lambda x: x.window, "convolution", "reduce-window", "select-and-scatter"
        )
        self._told("gather_attr", gather_or_scatter, "gather", "scatter")
        self._told("index_vector_dim", lambda x: x.integer("index_vector_dim"), "gather", "scatter")
        self._unary(
            "ungrouped",
            [
                x.index
                for x in self._with_opcode("convolution")
                if x.feature_group_count == 1 and x.batch_group_count == 1
            ],
        )
        windows = [(x, x.window) for x in self._with_opcode("reduce-window", "select-and-scatter")]
        self._unary("dilated", [x.index for x, w in windows if w is not None and w.is_dilated])
        self._unary(
            "base_dilated", [x.index for x, w in windows if w is not None and w.is_base_dilated]
        )
        self._lazy("batch_dims", leading_batch_dims, "custom-call")
        offsets = [
            (x.index, k, offset)
            for x in self._with_opcode("concatenate")
            for k, offset in enumerate(operand_offsets(x))
        ]
        sink.table("concat_offset", offsets, 3, functional=True)
        targets: list[str | None] = [None] * len(self.entities)
        for call, target in self.graph.targets.items():
            targets[call.index] = target
        sink.functional("target", targets)
        copied = {x.index for x in self.graph.copies}
        self._unary("vanishing", [x.index for x in self.barriers])
        self._unary("side_effect", [i for i in self._effectful() if i not in copied])

    def _effectful(self) -> Iterable[int]:
        # most modules have nothing that could have an effect
        return effectful(self.module) if may_have_effects(self.by_opcode) else ()

    def _lazy(self, name: str, read: Callable[[Instruction], Any], *opcodes: str) -> None:
        entities, among = self.entities, frozenset(opcodes)

        def value(index: int) -> Any:
            instruction = entities[index]
            return read(instruction) if instruction.opcode in among else None

        self.sink.lazy(name, value)

    def _told(
        self,
        name: str,
        read: Callable[[Instruction], Any],
        *opcodes: str,
        by_operands: bool = False,
    ) -> None:
        """As `_lazy`, for what attributes alone, or with operands' shapes, tell: once for each."""
        entities, shapes, operands = self.entities, self.shapes, self.graph.operands
        among = frozenset(opcodes)
        known: dict[Hashable, Any] = {}

        def value(index: int) -> Any:
            instruction = entities[index]
            if instruction.opcode not in among:
                return None
            key: Hashable = instruction.early_tail
            if not key:
                # a proto has no text to go by
                return read(instruction)
            if by_operands:
                key = key, *[shapes[k] for k in operands[index]]
            if key not in known:
                known[key] = read(instruction)
            return known[key]

        self.sink.lazy(name, value)

    # ---- what the user wrote

    def annotations(self) -> None:
        """Relations about shardings, groups and devices that the module brings."""
        sink, graph, entities = self.sink, self.graph, self.entities
        annotated = [None if x.sharding is None else graph.annotation(x) for x in entities]
        sink.functional("annotation", annotated)
        sink.lazy("original", lambda i: entities[i].sharding)
        named = [(operand.index, call.index) for operand, call in graph.named_by.items()]
        sink.table("named_by", named, 2, functional=True)
        unspecified: list[tuple[int, ...] | None] = [None] * len(entities)
        for call, dims in graph.unspecified.items():
            unspecified[call.index] = dims
        sink.functional("unspecified", unspecified)
        conversions = [x for x, target in graph.targets.items() if target in CONVERSIONS]
        sink.table(
            "open_dims", [(x.index, open_dimensions(x)) for x in conversions], 2, functional=True
        )
        self._groups()
        devices: list[int | None] = [
            None if s is None or s.is_tiled else s.unique_device for s in annotated
        ]
        sink.functional("unique_device", devices)
        sink.table("channel_device", self._channel_devices(devices), 2, functional=True)

    def _groups(self) -> None:
        groups: dict[tuple[int, str], list[int]] = {}
        column: list[int | None] = [None] * len(self.entities)
        for instruction, group in self.graph.shard_group.items():
            column[instruction.index] = group.group_id
            groups.setdefault((group.group_id, group.kind), []).append(instruction.index)
        # a number with both kinds of members stands for the shard_as group alone
        kinds = dict(sorted(groups, key=lambda key: key[1], reverse=True))
        self.sink.functional("shard_group", column)
        members = [
            (number, n, i)
            for number, kind in kinds.items()
            for n, i in enumerate(groups[number, kind])
        ]
        self.sink.table("member", members, 3, functional=True)
        self.sink.table("group_kind", kinds.items(), 2, functional=True)

    def _channel_devices(self, devices: Sequence[int | None]) -> list[tuple[int, int]]:
        """Follows CheckAndUpdateDeviceAssignmentsInWhileBody."""
        rows = []
        number = {computation: i for i, computation in enumerate(self.module.computations)}
        for loop in self._with_opcode("while"):
            placed = [(x, devices[x.index]) for x in loop.called[1].instructions]
            channel, device = next(
                ((x, device) for x, device in placed if device is not None and has_channel(x)),
                (None, None),
            )
            if channel is None or device is None:
                continue
            for x, other in (*placed, (loop, devices[loop.index])):
                if other not in (None, device):
                    # in XLA's own words, which people look for
                    raise InputError(
                        f"Instruction: {x.name} is on device: {other}, which conflicts with "
                        f"device: {device} of channel instruction: {channel.name}",
                        file=self.module.file,
                        line=x.line or None,
                    )
            rows.append((number[loop.called[1]], device))
        return rows


_NO_ARRAY = frozenset(("tuple", "token", "opaque"))
_HAVE_DIMENSIONS = (
    "all-gather",
    "all-to-all",
    "broadcast",
    "concatenate",
    "map",
    "reduce",
    "reduce-scatter",
    "reverse",
    "sort",
    "transpose",
)
