"""Modules that were made for Shardy in the form that GSPMD's propagation understands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.hlo_text_module import TextModule
from shardlog.converters.shardy import marks
from shardlog.converters.shardy.export import export_sharding
from shardlog.converters.shardy.lines import Line, LineReader
from shardlog.converters.shardy.manual_calls import calls_body, holder, manual_axes_around
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import DimensionSharding, Mesh, TensorSharding

__all__ = ["GspmdForm", "gspmd_form"]

_OPENED = "closed dimensions of open parameters and results are open, too"


@dataclass(frozen=True, slots=True)
class GspmdForm:
    """A module in GSPMD's form, and what of Shardy's annotations that form cannot say."""

    module: HloModule
    notes: tuple[str, ...]


def gspmd_form(module: HloModule) -> GspmdForm:
    """Return a module made for Shardy with its annotations in the form that GSPMD has for them.

    Constraints and manual computations become the custom-calls that JAX lowers to for GSPMD, open
    dimensions of constraints `unspecified_dims`, those of the entry's parameters and results flags
    to propagate, sharding groups `shard_as`. The header keeps its meshes: they tell that XLA would
    run Shardy on the program. Raises InputError, with the instruction, for what has no such form:
    propagation barriers and other `xla.sdy.*` custom-calls.
    """
    text = module if isinstance(module, TextModule) else parse_hlo_text(module.to_text())
    return _Rewriter(text).form()


class _Rewriter:
    def __init__(self, module: TextModule) -> None:
        self.module = module
        self.meshes = marks.shardy_meshes(module)
        self.reader = LineReader(module)
        self.around = manual_axes_around(module)
        self.lost: Counter[str] = Counter()
        self.parameter_mask = list(module.bools("allow_spmd_sharding_propagation_to_parameters"))
        self.output_mask = list(module.bools("allow_spmd_sharding_propagation_to_output"))

    def form(self) -> GspmdForm:
        bodies = [
            _Body(self, computation, self.around.get(computation, ())).lines()
            for computation in self.module.computations
        ]
        flags = {
            "allow_spmd_sharding_propagation_to_parameters": self.parameter_mask,
            "allow_spmd_sharding_propagation_to_output": self.output_mask,
        }
        text = self.reader.source_with(
            dict(zip(self.module.computations, bodies, strict=True)),
            {name: _flags(mask) for name, mask in flags.items() if mask},
        )
        notes = tuple(f"{text} ({count} values)" for text, count in sorted(self.lost.items()))
        return GspmdForm(parse_hlo_text(text, self.module.file), notes)

    def mesh_of(self, sharding: TensorSharding) -> Mesh:
        return sharding.mesh if isinstance(sharding.mesh, Mesh) else self.meshes[sharding.mesh]

    def open_parameter(self, number: int, count: int) -> None:
        _set_flag(self.parameter_mask, number, count)

    def open_result(self, number: int, count: int) -> None:
        _set_flag(self.output_mask, number, count)


def _set_flag(mask: list[bool], index: int, count: int) -> None:
    if len(mask) != count:
        mask[:] = (mask or [False]) * count
    mask[index] = True


def _flags(mask: Sequence[bool]) -> str:
    return f"{{{','.join('true' if flag else 'false' for flag in mask)}}}"


class _Body:
    """One computation, line by line."""

    def __init__(
        self, rewriter: _Rewriter, computation: Computation, around: tuple[str, ...]
    ) -> None:
        self.rewriter = rewriter
        self.computation = computation
        self.around = around
        self.reader = rewriter.reader
        self.renamed: dict[str, str] = {}
        self.names = {instruction.name for instruction in computation.instructions}
        self.root = computation.root
        if computation.is_entry and self._goes(self.root):
            self.root = marks.only_operand(self.root)
        self.groups: dict[Instruction, list[int]] = {}
        for instruction in computation.instructions:
            if instruction.custom_call_target == marks.GROUP:
                numbers = self.groups.setdefault(marks.only_operand(instruction), [])
                if (number := marks.group_id(instruction)) not in numbers:
                    numbers.append(number)

    def lines(self) -> list[str]:
        """The lines of the computation in its new form."""
        out = []
        for instruction in self.computation.instructions:
            if self._stays(instruction):
                out.append(self.reader.raw(instruction))
                continue
            for line in self._new(instruction):
                out.append(self.reader.text(line, self.renamed))
        return out

    def _stays(self, instruction: Instruction) -> bool:
        """Whether nothing changes about an instruction, as about most."""
        return not (
            instruction.opcode == "custom-call"
            or instruction in self.groups
            or instruction is self.root
            or instruction.name in self.renamed
            or any(operand.name in self.renamed for operand in instruction.operands)
            or instruction.attribute("frontend_attributes") is not None
        )

    def _new(self, instruction: Instruction) -> Iterator[Line]:
        target = instruction.custom_call_target if instruction.opcode == "custom-call" else None
        if target == marks.GROUP:
            return
        if target == marks.RESULT and self.computation.is_entry and self._result(instruction):
            return
        if target == marks.FULL_TO_LOCAL:
            lines = list(self._to_local(instruction))
        elif target == marks.LOCAL_TO_FULL:
            lines = list(self._to_full(instruction))
        elif target == marks.RESULT:
            line = self._annotated(instruction)
            line.set("custom_call_target", '"Sharding"')
            lines = [line]
        elif target is not None and target.startswith(marks.SHARDY):
            what = "a propagation barrier" if target == marks.BARRIER else f"custom-call {target}"
            raise instruction.located(InputError(f"{what}: GSPMD has nothing like it"))
        elif self._is_spread(instruction):
            return
        else:
            lines = [self._annotated(instruction)]
        if instruction is self.root and not instruction.is_root:
            lines[-1].is_root = True
            lines[-1].raw = None
        grouped = self.groups.get(instruction, ())
        if grouped:
            lines[-1].is_root = False
            lines[-1].raw = None
        yield from lines
        yield from self._grouped(instruction, lines[-1], grouped)

    def _fresh(self, name: str) -> str:
        """A name for a new instruction, made from another one's."""
        fresh, number = name, 0
        while fresh in self.names:
            number += 1
            fresh = f"{name}.{number}"
        self.names.add(fresh)
        return fresh

    def _annotated(self, instruction: Instruction) -> Line:
        """The line of an instruction with its Shardy sharding in GSPMD's form."""
        line = self.reader.line(instruction)
        if "frontend_attributes" not in line.attributes:
            return line
        found = marks.shardings(instruction, self.rewriter.meshes, self.around)
        if instruction.frontend_attribute("xla.sdy.sharding_rule") is not None:
            self.rewriter.lost["a sharding rule of a custom-call is not read"] += 1
        if calls_body(instruction) or any(map(calls_body, instruction.operands)):
            # what keeps the body from being inlined, on the call and on its results
            others = marks.other_frontend_attributes(instruction, "inlineable")
            line.set("frontend_attributes", others)
            return line
        line.set("frontend_attributes", marks.other_frontend_attributes(instruction))
        if found is None:
            return line
        leaves = instruction.shape.leaf_count
        if len(found) == leaves:
            exported = [self._exported(instruction, sharding, self.around) for sharding in found]
            value = exported[0]
            if instruction.shape.is_tuple:
                value = HloSharding.tuple_of(exported)
            old = instruction.sharding
            if old is not None and not old.is_tuple:
                value = value.with_metadata(old.metadata)
            line.set("sharding", value.to_text())
        self._opened(instruction, line, found)
        return line

    def _opened(
        self, instruction: Instruction, line: Line, found: Sequence[TensorSharding]
    ) -> None:
        """Note the open dimensions of an annotation where GSPMD can do so."""
        lost = self.rewriter.lost
        open_dims = [_open_dims(sharding) for sharding in found]
        for sharding in found:
            if any(dim.priority is not None for dim in sharding.dims):
                lost["priorities are not known to GSPMD"] += 1
            if sharding.replicated and _open_dims(sharding):
                lost["explicitly replicated axes may be used by open dimensions"] += 1
        if not any(open_dims):
            return
        if instruction.custom_call_target in ("Sharding", marks.RESULT):
            line.set("backend_config", _unspecified(open_dims[0]))
        elif instruction.opcode == "parameter" and self.computation.is_entry:
            number = instruction.parameter_number
            if number is not None:
                self.rewriter.open_parameter(number, len(self.computation.parameters))
            if any(0 < len(dims) < s.rank for dims, s in zip(open_dims, found, strict=True)):
                lost[_OPENED] += 1
        else:
            lost["open dimensions of instructions that are no constraints are closed"] += 1

    def _exported(
        self, instruction: Instruction, sharding: TensorSharding, around: Sequence[str]
    ) -> HloSharding:
        try:
            return export_sharding(sharding, self.rewriter.mesh_of(sharding), around)
        except InputError as error:
            raise instruction.located(error) from None

    def _result(self, instruction: Instruction) -> bool:
        """Set the flag of a marked result that is open, and tell whether the mark can go.

        It can if the root says the sharding, too; else it becomes a constraint.
        """
        found = marks.shardings(instruction, self.rewriter.meshes) or ()
        root = self.computation.root
        open_dims = _open_dims(found[0]) if found else []
        if open_dims:
            for result in [user for user in instruction.users if user.opcode == "tuple"] or [root]:
                count = len(result.operands) if root.shape.is_tuple else 1
                for index, value in enumerate(result.operands):
                    if value is instruction or result is instruction:
                        self.rewriter.open_result(index if count > 1 else 0, count)
            if len(open_dims) < found[0].rank:
                self.rewriter.lost[_OPENED] += 1
        if not self._goes(instruction):
            return False
        operand = marks.only_operand(instruction).name
        self.renamed[instruction.name] = self.renamed.get(operand, operand)
        return True

    def _goes(self, instruction: Instruction) -> bool:
        """Whether this marks a result that has its sharding without the mark."""
        if instruction.custom_call_target != marks.RESULT:
            return False
        found = marks.shardings(instruction, self.rewriter.meshes)
        if not found or not found[0].has_axes:
            return True
        if instruction is not self.computation.root:
            return self.computation.root.sharding is not None
        own = marks.only_operand(instruction).sharding
        return own is not None and own.equals(self._exported(instruction, found[0], self.around))

    # ---- manual computations

    def _to_local(self, instruction: Instruction) -> Iterator[Line]:
        """The values of each device from whole ones, one by one."""
        manual = self._manual(instruction)
        found = self._sides(instruction, "xla.sdy.in_shardings", len(instruction.operands))
        names = self._result_names(instruction, len(found))
        for operand, sharding, name, shape in zip(
            instruction.operands, found, names, self._result_shapes(instruction), strict=True
        ):
            whole = self._fresh(f"{instruction.name}.whole")
            outer = self._exported(instruction, sharding, self.around)
            line = self.reader.custom_call(
                instruction, whole, self.reader.shape(operand), operand.name, "Sharding", outer
            )
            line.set("backend_config", _unspecified(_open_dims(sharding)))
            yield line
            yield self._local(
                instruction, name, shape, whole, marks.FULL_TO_SHARD, sharding, manual
            )
        yield from self._tuple(instruction, names)

    def _to_full(self, instruction: Instruction) -> Iterator[Line]:
        """Whole values from those of each device, one by one."""
        manual = self._manual(instruction)
        found = self._sides(instruction, "xla.sdy.out_shardings", len(instruction.operands))
        names = self._result_names(instruction, len(found))
        for operand, sharding, name, shape in zip(
            instruction.operands, found, names, self._result_shapes(instruction), strict=True
        ):
            part = self._fresh(f"{instruction.name}.part")
            yield self._local(
                instruction,
                part,
                self.reader.shape(operand),
                operand.name,
                "Sharding",
                sharding,
                manual,
            )
            outer = self._exported(instruction, sharding, self.around)
            line = self.reader.custom_call(
                instruction, name, shape, part, marks.SHARD_TO_FULL, outer
            )
            line.set("backend_config", _unspecified(_open_dims(sharding)))
            yield line
        yield from self._tuple(instruction, names)

    def _manual(self, conversion: Instruction) -> tuple[str, ...]:
        return marks.manual_axes(holder(conversion, "xla.sdy.manual_axes")).names

    def _sides(self, instruction: Instruction, name: str, count: int) -> Sequence[TensorSharding]:
        marked = holder(instruction, name)
        found = marks.shardings(marked, self.rewriter.meshes, self.around, name) or ()
        results = len(instruction.shape.elements) if instruction.shape.is_tuple else 1
        if not len(found) == count == results:
            raise instruction.located(
                InputError(f"{len(found)} shardings in {name} for {count} to {results} values")
            )
        return found

    def _local(
        self,
        instruction: Instruction,
        name: str,
        shape: str,
        operand: str,
        target: str,
        sharding: TensorSharding,
        manual: tuple[str, ...],
    ) -> Line:
        """A call with the sharding of what one device has, its manual axes a subgroup."""
        dims = [
            DimensionSharding(tuple(x for x in dim.axes if x.name not in manual), dim.is_closed)
            for dim in sharding.dims
        ]
        local = TensorSharding(sharding.mesh, tuple(dims))
        inner = self._exported(instruction, local, manual + self.around)
        line = self.reader.custom_call(instruction, name, shape, operand, target, inner)
        line.set("backend_config", _unspecified(_open_dims(local)))
        return line

    def _result_names(self, instruction: Instruction, count: int) -> list[str]:
        if not instruction.shape.is_tuple:
            return [instruction.name]
        return [self._fresh(f"{instruction.name}.{index}") for index in range(count)]

    def _result_shapes(self, instruction: Instruction) -> list[str]:
        if not instruction.shape.is_tuple:
            return [self.reader.shape(instruction)]
        return [str(shape) for shape in instruction.shape.elements]

    def _tuple(self, instruction: Instruction, names: Sequence[str]) -> Iterator[Line]:
        """Spread a tuple over its elements' users; whole it stays for others and as the root."""
        if not instruction.shape.is_tuple:
            return
        for user in instruction.users:
            if user.opcode == "get-tuple-element":
                index = user.tuple_index or 0
                if not 0 <= index < len(names):
                    raise user.located(InputError(f"no element {index} of {len(names)}"))
                self.renamed[user.name] = names[index]
        elements = [user for user in instruction.users if user.opcode == "get-tuple-element"]
        if len(elements) == len(instruction.users) and not instruction.is_root:
            return
        line = self.reader.line(instruction)
        line.opcode, line.operands, line.attributes, line.raw = "tuple", list(names), {}, None
        yield line

    def _is_spread(self, instruction: Instruction) -> bool:
        """Whether this takes an element of a tuple that has been spread."""
        return (
            instruction.opcode == "get-tuple-element"
            and instruction.name in self.renamed
            and not instruction.is_root
        )

    # ---- groups

    def _grouped(
        self, instruction: Instruction, line: Line, numbers: Sequence[int]
    ) -> Iterator[Line]:
        """The calls that put a value into its sharding groups."""
        name = instruction.name
        for place, number in enumerate(numbers, 1):
            grouped = self._fresh(f"{instruction.name}.group")
            call = Line(
                instruction is self.root and place == len(numbers),
                grouped,
                line.shape,
                "custom-call",
                [name],
                {
                    "custom_call_target": '"Sharding"',
                    "custom_call_has_side_effect": "true",
                    "sharding": f"{{unknown shard_as {number}}}",
                },
                percent=line.percent,
            )
            yield call
            name = grouped
        if numbers:
            self.renamed[instruction.name] = name


def _open_dims(sharding: TensorSharding) -> list[int]:
    return [index for index, dim in enumerate(sharding.dims) if not dim.is_closed]


def _unspecified(dims: Sequence[int]) -> str | None:
    return f'"unspecified_dims=[{",".join(map(str, dims))}]"' if dims else None
