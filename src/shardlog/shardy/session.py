"""Questions to one propagated program: why, why not, where to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shardlog.converters.shardy.places import Place
from shardlog.engine import Program as Rules
from shardlog.engine import Rule
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.parser import parse_tensor_sharding
from shardlog.ir.shardy.program import Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.shardy.account import Account
from shardlog.shardy.copies import copied
from shardlog.shardy.cuts import Cut, Cuts, Kind
from shardlog.shardy.frontier import Frontier, frontier
from shardlog.shardy.graph import Links
from shardlog.shardy.history import History
from shardlog.shardy.names import Names
from shardlog.shardy.propagation import Propagated, final_rules, finished, saturate
from shardlog.shardy.shown import axes_text, in_words, spec
from shardlog.shardy.why import Proof, causes, prove
from shardlog.shardy.whynot import WhyNot, why_not

__all__ = ["Asked", "Why"]

SHOWN = 5
"""How many causes are shown beside a proof."""


@dataclass(frozen=True)
class Why:
    """Why a value is split as it is: the proof, and the cause in one sentence."""

    proof: Proof
    final: TensorSharding | None
    kind: str
    says: str
    contributors: tuple[str, ...]
    beside: tuple[str, ...]

    def to_text(self) -> str:
        """Return the proof as text, the cause behind it."""
        lines = [*self.proof.lines(), f"cause ({self.kind}): {self.says}"]
        return "\n".join([*lines, *(f"  {one}" for one in self.beside)])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        cause = {
            "kind": self.kind,
            "instruction": self.proof.name,
            "says": self.says,
            "contributors": list(self.contributors),
        }
        return {
            "partitioner": "shardy",
            "cause": cause,
            "final": None if self.final is None else str(self.final),
            "beside": list(self.beside),
            "reshards": [],
            **self.proof.to_dict(),
        }

    def drawn(self) -> dict[str, Any]:
        """Return the answer for `shardlog.explain.drawn`, which knows no levels."""
        fields = self.to_dict()
        for reason in fields["reasons"]:
            reason["sharding"] = reason["spec"]
            for step in reason["steps"]:
                if step["level"] is not None:
                    step["direction"] = f"{step['direction']}, level {step['level']}"
        return fields

    def __str__(self) -> str:
        return self.to_text()


class Asked:
    """A program that Shardy's rules have propagated, ready for questions.

    Values go by the names that `Names.find` knows. `rules` are by default the shipped ones.
    """

    def __init__(self, program: Program, rules: Rules | None = None) -> None:
        self.rules = rules
        self.original, self._copies = copied(program)
        self.found: Propagated = saturate(program, rules=rules)
        self.history = History(self.found)
        self.account = Account(self.history)

    def value_in_original(self, entity: int) -> Value | None:
        """The value of the program as it was read that an entity is, if it is one of it."""
        value = self.names.value(entity)
        return self._copies.get(value)

    @cached_property
    def names(self) -> Names:
        """The names of values."""
        return Names(self.found.graph)

    @cached_property
    def links(self) -> Links:
        """Which dimensions belong together."""
        return Links(self.history)

    @cached_property
    def cuts(self) -> Cuts:
        """Where operations cut axes."""
        return Cuts(self.account, self.names)

    @cached_property
    def finished(self) -> Program:
        """The program as Shardy hands it on."""
        return finished(self.found)

    # ------------------------------------------------------------ what values leave with

    def final(self, entity: int) -> TensorSharding | None:
        """The sharding that a value has when all is done: closed, and even at main's border."""
        sharding = self.history.end[entity]
        if not isinstance(sharding, TensorSharding):
            return None
        value = self.history.value(entity)
        main, after = self.found.graph.program.main, self.finished.main
        if value.op is None and value.owner is main:
            return after.regions[0].arguments[value.index].sharding
        if value.op is not None and value.op in self.found.graph.results:
            return after.result_shardings[value.op.line]
        closed = sharding.closed()
        return TensorSharding(closed.mesh, closed.dims, (), closed.unreduced)

    def taken_away(self, entity: int) -> list[Cut]:
        """The axes that a value lost at the end, dimension by dimension."""
        sharding, final = self.history.end[entity], self.final(entity)
        if not isinstance(sharding, TensorSharding) or final is None:
            return []
        name, shape = self.names.of(entity), self.history.value(entity).type.shape or ()
        place = Place(sharding, shape, of_main=True)
        steps: list[tuple[Rule, TensorSharding]] = []
        found = []
        for dim, (before, after) in enumerate(zip(sharding.dims, final.dims, strict=True)):
            lost = [axis for axis in before.axes if axis not in after.axes]
            if not lost:
                continue
            if not steps:
                steps = final_rules(self.found.run.program, self.found.program, place)
            rule = next(rule.name for rule, to in steps if to.dims[dim].axes != before.axes)
            had, left = axes_text(before.axes), axes_text(after.axes)
            parts = before.sharded_size(self.found.program.mesh_of(sharding))
            says = f"propagation gave dim {dim} of {name} {had}"
            if shape[dim] % parts:
                kind = Kind.UNEVEN
                says += (
                    f", {parts} ways, which does not divide {shape[dim]} evenly: at main's border"
                )
            else:
                kind = Kind.SUB_AXIS
                says += ", but at main's border open dimensions have no parts of axes:"
            says += f" {left} is left (rule '{rule}')"
            found.append(Cut(kind, says, lost[0], None, entity, dim))
        return found

    # ------------------------------------------------------------ questions

    def axis(self, text: str | None) -> AxisRef | None:
        """Return the axis of a text, `model` or `"model":(1)2`. Raises InputError."""
        if text is None:
            return None
        name, colon, part = text.strip().partition(":")
        name = name.strip('"')
        meshes = self.found.program.meshes.values()
        if not any(name in mesh for mesh in meshes):
            known = sorted({axis.name for mesh in meshes for axis in mesh.axes})
            raise InputError(f"no mesh has an axis {name!r}", expected=", ".join(known) or None)
        if not colon:
            return AxisRef(name)
        start, _, size = part.strip("(").partition(")")
        if not start.isdigit() or not size.isdigit():
            raise InputError("unreadable sub-axis", expected='"x":(1)2', found=text)
        return AxisRef.part(name, int(start), int(size))

    def dims(self, entity: int, dim: int | None) -> list[int]:
        """Return the dimensions that are asked about. Raises InputError for one that is not."""
        rank = self.history.value(entity).type.rank
        if dim is None:
            return [*range(rank)]
        if dim >= rank:
            raise InputError(
                f"{self.names.of(entity)} has no dimension {dim}", expected=f"0 to {rank - 1}"
            )
        return [dim]

    def pairs(
        self, entity: int, dim: int | None, axis: str | None
    ) -> tuple[tuple[int, AxisRef], ...]:
        """The (dimension, axis) pairs that a value has, of one dimension or axis if asked."""
        dims, wanted = self.dims(entity, dim), self.axis(axis)
        return tuple(
            (at, one)
            for at, one in self.account.axes(entity)
            if at in dims and (wanted is None or wanted.overlaps(one))
        )

    def why(
        self,
        name: str,
        *,
        dim: int | None = None,
        axis: str | None = None,
        depth: int | None = None,
        whole: bool = False,
    ) -> Why:
        """Return why a value is split as it is, all of it or one dimension or axis.

        Raises InputError for a name that is not of one value, a dimension or an axis that is not.
        """
        entity = self.names.find(name)
        pairs = self.pairs(entity, dim, axis)
        proof = prove(self.account, self.names, entity, pairs, depth=depth, whole=whole)
        final = self.final(entity)
        beside = [cut.says for cut in self.taken_away(entity)]
        shown = self.names.of(entity)
        if not pairs:
            answer = self.whynot(name, dim=dim, axis=axis)
            says = f"{shown} is not split so; why not: {answer.cause.says}"
            contributors = [one for one in (answer.cause.source,) if one is not None]
            return Why(
                proof,
                final,
                str(answer.cause.kind),
                says,
                tuple(self.names.of(one) for one in contributors),
                tuple(beside),
            )
        ends = causes(proof)
        step = proof.steps[0]
        kind = "annotation" if step.source is None else _kind(step.direction)
        if step.source is None:
            says = step.says
        else:
            sources = [one.source.name for one in proof.steps if one.source is not None]
            says = f"{shown} has {in_words(pairs)} from {', '.join(dict.fromkeys(sources))}" + (
                f"; in the end from {ends}" if ends else ""
            )
        contributors_ = [one.source.name for one in proof.steps if one.source is not None]
        return Why(proof, final, kind, says, tuple(dict.fromkeys(contributors_)), tuple(beside))

    def whynot(
        self,
        name: str,
        sharding: str | None = None,
        *,
        dim: int | None = None,
        axis: str | None = None,
    ) -> WhyNot:
        """Return why a value does not have a sharding, an axis, or any axis on a dimension.

        `sharding` is one such as `[{"model"}, {}]`. Raises InputError as `why` does, and for a
        sharding that cannot be read or is of another rank.
        """
        entity = self.names.find(name)
        final = self.final(entity)
        wanted_axis = self.axis(axis)
        if sharding is not None:
            return self._not_so(entity, sharding, final)
        dims = self.dims(entity, dim)
        what = f"split by {wanted_axis}" if wanted_axis is not None else "split"
        if wanted_axis is None and dim is None and self.account.axes(entity):
            what = "split any further"
        wanted = what if dim is None else f"{what} on dim {dim}"
        has = [
            (at, one)
            for at, one in self.account.axes(entity)
            if at in dims and wanted_axis is not None and one.contains(wanted_axis)
        ]
        lost = [cut for cut in self.taken_away(entity) if cut.dim in dims]
        if has and not lost:
            return self._so(entity, wanted, final, has)
        return self._search(entity, dims, wanted_axis, wanted, final, lost)

    def _so(
        self,
        entity: int,
        wanted: str,
        final: TensorSharding | None,
        has: Sequence[tuple[int, AxisRef]],
    ) -> WhyNot:
        says = f"it is so: {self.names.of(entity)} has {in_words(has)}" if has else "it is so"
        cause = Cut(Kind.IT_IS_SO, says, None, entity=entity)
        return WhyNot(self.names.origin(entity), final, wanted, cause, (), self.names, 0)

    def _search(
        self,
        entity: int,
        dims: Sequence[int],
        axis: AxisRef | None,
        wanted: str,
        final: TensorSharding | None,
        lost: Sequence[Cut],
    ) -> WhyNot:
        return why_not(
            self.account,
            self.names,
            self.links,
            self.cuts,
            entity,
            dims=dims,
            axis=axis,
            wanted=wanted,
            final=final,
            at_the_end=lost,
        )

    def _not_so(self, entity: int, text: str, final: TensorSharding | None) -> WhyNot:
        wanted = self.sharding(text, entity)
        sharding = self.history.end[entity]
        missing = [
            (dim, axis)
            for dim, its in enumerate(wanted.dims)
            for axis in its.axes
            if not isinstance(sharding, TensorSharding)
            or not any(one.contains(axis) for one in sharding.dims[dim].axes)
        ]
        shown = spec(wanted)
        lost = self.taken_away(entity)
        if not missing and not lost:
            extra = [pair for pair in self.account.axes(entity) if pair[1] not in _axes(wanted)]
            if extra:
                gained = [
                    f"{axis} on dim {dim} {self.cuts.whence(entity, dim, axis)}"
                    for dim, axis in extra
                ]
                says = f"it has more than that: {'; '.join(gained)}"
                cause = Cut(Kind.CONFLICT, says, extra[0][1], entity=entity)
                return WhyNot(self.names.origin(entity), final, shown, cause, (), self.names, 0)
            return self._so(entity, shown, final, self.account.axes(entity))
        if not missing:
            return self._search(entity, [*range(wanted.rank)], None, shown, final, lost)
        answers = [self._search(entity, [d], axis, shown, final, lost) for d, axis in missing]
        found = [one for answer in answers for one in answer.candidates]
        ranked = tuple(sorted(found, key=lambda one: one.rank))
        cause = ranked[0].cut if ranked else answers[0].cause
        origin = self.names.origin(entity)
        return WhyNot(origin, final, shown, cause, ranked, self.names, answers[0].reached)

    def sharding(self, text: str, entity: int) -> TensorSharding:
        """Return the sharding of a text, `[{"x"}, {}]` or as Shardy writes it.

        Without a mesh it is on that of the value, else the first of the program. Raises InputError.
        """
        stripped = text.strip()
        if stripped.startswith("["):
            own = self.history.end[entity]
            meshes = [name for name, mesh in self.found.program.meshes.items() if mesh.axes]
            mesh = own.mesh if isinstance(own, TensorSharding) else (meshes or ["mesh"])[0]
            stripped = f"#sdy.sharding<@{mesh}, {stripped}>"
        elif stripped.startswith("<"):
            stripped = f"#sdy.sharding{stripped}"
        made = parse_tensor_sharding(stripped)
        rank = self.history.value(entity).type.rank
        if made.rank != rank:
            raise InputError(
                f"{self.names.of(entity)} has {rank} dimensions", found=f"{made.rank} in {text}"
            )
        made.verify(self.found.program.mesh_of(made), rank)
        return made

    def frontier(self, name: str, *, dim: int | None = None, axis: str | None = None) -> Frontier:
        """Return where the axes of a value go, and at which operations they stop.

        Raises InputError as `why` does.
        """
        entity = self.names.find(name)
        pairs = self.pairs(entity, dim, axis)
        return frontier(self.account, self.names, self.links, self.cuts, entity, pairs)


def _axes(sharding: TensorSharding) -> list[AxisRef]:
    return [axis for dim in sharding.dims for axis in dim.axes]


def _kind(direction: str) -> str:
    return {
        "forward": "forward_from_operand",
        "backward": "backward_from_user",
        "constrained": "annotation",
        "aligned": "shard_group",
        "revealed": "annotation",
    }.get(direction, direction.replace(" ", "_"))
