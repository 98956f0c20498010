"""The smallest annotation with which Shardy gives what GSPMD gave, found by trying."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from shardlog.converters.shardy.importing import import_sharding
from shardlog.ir.axes import split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.edges import EDGE
from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, TensorSharding
from shardlog.migrate.causes import Causes
from shardlog.migrate.kinds import Kind
from shardlog.migrate.pairs import ARGUMENT, RESULT, Key, Pair, ShardyRun, changed_run
from shardlog.shardy.copies import annotate
from shardlog.shardy.shown import spec

__all__ = ["Annotation", "Remedies", "Remedy"]

MOST = 4
"""How many annotations a remedy has at most."""


@dataclass(frozen=True)
class Annotation:
    """One annotation to add or to change, as a user would write it.

    `what` is `constraint`, `argument`, `result`, `open` or `priority`; the last two change an
    annotation that is there.
    """

    what: str
    key: Key
    name: str
    sharding: TensorSharding

    def __str__(self) -> str:
        text = spec(self.sharding)
        if self.what == "constraint":
            return f"constrain {self.name} to {text}"
        if self.what == "open":
            return f"open the annotation of {self.name}: {text}"
        if self.what == "priority":
            return f"let the annotation of {self.name} come later: {text}"
        return f"annotate {self.name} with {text}"

    @property
    def jax(self) -> str:
        """The same in a program of JAX."""
        parts = []
        for dim in self.sharding.dims:
            axes = [str(axis).strip('"') for axis in dim.axes]
            if any(axis.sub_axis for axis in dim.axes):
                return ""
            if not dim.is_closed and not axes:
                parts.append("P.UNCONSTRAINED")
            elif not dim.is_closed or dim.priority is not None:
                return ""
            elif not axes:
                parts.append("None")
            else:
                quoted = ", ".join(f"'{axis}'" for axis in axes)
                parts.append(quoted if len(axes) == 1 else f"({quoted})")
        text = f"P({', '.join(parts)})"
        if self.what == "constraint":
            return f"jax.lax.with_sharding_constraint(x, {text})"
        side = "in_shardings" if self.what == "argument" else "out_shardings"
        return f"{side}[{self.key.index}] = {text}" if self.what in (ARGUMENT, RESULT) else ""

    def apply(self, program: Program, ops: Sequence[Operation]) -> None:
        """Make it in a program, whose operations are given by number."""
        main = program.main
        if self.key.tag == RESULT:
            main.result_shardings[self.key.index] = self.sharding
            return
        if self.key.tag == ARGUMENT:
            value = main.regions[0].arguments[self.key.index]
        else:
            value = ops[int(self.key.tag.rpartition(".")[2])].results[self.key.index]
        annotate(value, self.sharding)


@dataclass(frozen=True)
class Remedy:
    """Annotations, and what Shardy gives with them.

    `mended` of the group's values become GSPMD's, `more` others, too; `spoilt` are values that were
    alike and differ then.
    """

    annotations: tuple[Annotation, ...]
    mended: int
    more: int
    spoilt: int

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Better ones first: what mends more on balance, then the fewer and smaller annotations."""
        size = sum(SIZES[one.what] for one in self.annotations)
        return self.spoilt - self.mended, -self.mended, -self.more, size


SIZES = {"open": 1, "priority": 2, RESULT: 3, ARGUMENT: 3, "constraint": 4}
"""How much of a change a kind of annotation is, in comparison with the others."""


class Remedies:
    """Tries annotations on a program, each by propagating it again."""

    def __init__(self, causes: Causes, trials: int, told: Callable[[int], None]) -> None:
        self.causes, self.pairs = causes, causes.pairs
        self.trials, self.told = trials, told
        self.runs = 0
        self.differed = {pair.key for pair in self.pairs.differing}

    def find(self, kind: Kind, roots: Sequence[Pair], group: Sequence[Pair]) -> Remedy | None:
        """Return the best that was found for a group of values, None if nothing helps."""
        left = self.trials
        best: Remedy | None = None
        taken: tuple[Annotation, ...] = ()
        run: ShardyRun | None = None
        for _ in range(MOST):
            root = next((one for one in roots if self._still(one, run)), None)
            if root is None:
                root = next((one for one in group if self._still(one, run)), None)
            if root is None:
                break
            step: tuple[Remedy, ShardyRun] | None = None
            for one in self._candidates(kind, root, first=not taken):
                if not left:
                    break
                left -= 1
                tried = self._try((*taken, one), group)
                if tried is None:
                    continue
                if step is None or tried[0].key < step[0].key:
                    step = tried
                if tried[0].mended == len(group) and not tried[0].spoilt:
                    break
            if step is None or (best is not None and step[0].key >= best.key):
                break
            best, run = step
            taken = best.annotations
            if best.mended == len(group):
                break
        if best is None or best.mended == 0:
            return None
        return self._without_needless(best, group)

    def _without_needless(self, best: Remedy, group: Sequence[Pair]) -> Remedy:
        """The same without annotations that a later one has made needless."""
        for one in best.annotations[:-1]:
            fewer = tuple(other for other in best.annotations if other is not one)
            tried = self._try(fewer, group)
            if tried is not None and tried[0].key < best.key:
                best = tried[0]
        return best

    def _still(self, pair: Pair, run: ShardyRun | None) -> bool:
        return run is None or run.axes.get(pair.key) != pair.gspmd_axes

    def _try(
        self, annotations: tuple[Annotation, ...], group: Sequence[Pair]
    ) -> tuple[Remedy, ShardyRun] | None:
        self.runs += 1
        self.told(self.runs)

        def change(program: Program, ops: Sequence[Operation]) -> None:
            for one in annotations:
                one.apply(program, ops)

        try:
            run = changed_run(self.pairs.shardy, change)
        except InputError:
            # such as a dimension that the mesh's parts do not fit
            return None
        alike = {k for k, pair in self.pairs.pairs.items() if run.axes.get(k) == pair.gspmd_axes}
        members = {pair.key for pair in group}
        mended = len(members & alike)
        more = len((self.differed - members) & alike)
        spoilt = len(self.pairs.pairs.keys() - self.differed - alike)
        return Remedy(annotations, mended, more, spoilt), run

    # ------------------------------------------------------------ what may help

    def _candidates(self, kind: Kind, root: Pair, first: bool) -> Iterator[Annotation]:
        """Annotations that may help, the smallest first."""
        wanted = self._wanted(root)
        if first:
            yield from self._opened(root)
            if kind is Kind.CONFLICT:
                yield from self._later(root)
        if wanted is None:
            return
        if root.key.tag in (ARGUMENT, RESULT):
            yield Annotation(root.key.tag, root.key, root.name, wanted)
            return
        yield from self._partly(root, wanted)
        yield Annotation("constraint", root.key, root.name, wanted)
        yield from self._at_source(root)

    def _partly(self, root: Pair, wanted: TensorSharding) -> Iterator[Annotation]:
        """A constraint that leaves open the dimensions to which both give the same."""
        assert root.gspmd_axes is not None
        dims = [
            DimensionSharding((), is_closed=False) if mine == theirs else dim
            for dim, mine, theirs in zip(
                wanted.dims, root.shardy_axes, root.gspmd_axes, strict=True
            )
        ]
        if any(not dim.is_closed for dim in dims):
            made = TensorSharding(wanted.mesh, tuple(dims))
            yield Annotation("constraint", root.key, root.name, made)

    def _at_source(self, root: Pair) -> Iterator[Annotation]:
        """A constraint without the axes on what Shardy took them from, which GSPMD has not."""
        shardy = self.pairs.shardy
        for gain in self.causes.gains(root):
            key = shardy.keys.get(gain.entity)
            sharding = shardy.history.end[gain.entity]
            if key is None or key == root.key or key in self.pairs.pairs or sharding is None:
                continue
            dims = [
                DimensionSharding() if n == gain.dim else DimensionSharding((), is_closed=False)
                for n in range(sharding.rank)
            ]
            made = TensorSharding(sharding.mesh, tuple(dims))
            yield Annotation("constraint", key, shardy.name(key), made)

    def _wanted(self, pair: Pair) -> TensorSharding | None:
        """GSPMD's answer as Shardy has it, None if no axes of the mesh give it."""
        mesh = self.pairs.mesh_for(pair.shardy)
        name = pair.shardy.mesh if pair.shardy is not None else self._mesh_name()
        if pair.gspmd_axes is None or mesh is None or name is None:
            return None
        if pair.gspmd is None or not split_dims(pair.gspmd):
            return TensorSharding.unsharded(name, pair.value.type.rank)
        try:
            return import_sharding(pair.gspmd, mesh, pair.value.type.rank).with_mesh(name)
        except InputError:
            return None

    def _mesh_name(self) -> str | None:
        meshes = self.pairs.shardy.program.meshes
        return next((name for name, mesh in meshes.items() if mesh.axes), None)

    def _opened(self, root: Pair) -> Iterator[Annotation]:
        """The annotation of a value whose dimension is closed, open where GSPMD has more."""
        found = self._annotation_of(root)
        if found is None or root.gspmd_axes is None:
            return
        key, sharding = found
        dims = [
            DimensionSharding(dim.axes, dim.is_closed and tuple(map(str, dim.axes)) == axes)
            for dim, axes in zip(sharding.dims, root.gspmd_axes, strict=True)
        ]
        opened = TensorSharding(sharding.mesh, tuple(dims), sharding.replicated)
        if opened is not sharding:
            yield Annotation("open", key, self.pairs.shardy.name(key), opened)

    def _annotation_of(self, pair: Pair) -> tuple[Key, TensorSharding] | None:
        value = self.pairs.shardy.asked.value_in_original(self._entity(pair))
        if value is None or value.sharding is None or pair.key.tag == RESULT:
            return None
        return pair.key, value.sharding

    def _entity(self, pair: Pair) -> int:
        entity = self.pairs.shardy.entity(pair.value)
        assert entity is not None
        return entity

    def _later(self, root: Pair) -> Iterator[Annotation]:
        """The annotations from which came what GSPMD has not there, with a later priority."""
        shardy = self.pairs.shardy
        seen: set[int] = set()
        for gain in self.causes.gains(root):
            entity: int | None = gain.entity
            now = gain
            for _ in range(1000):
                if now.source is None or now.source_dim is None:
                    break
                before = None if now.position < 0 else now.position
                earlier = self.causes.account.gain(now.source, now.source_dim, gain.axis, before)
                if earlier is None:
                    break
                now = earlier
                entity = now.entity
            key = None if entity is None else shardy.keys.get(entity)
            if key is None or entity in seen or now.source is not None:
                continue
            assert entity is not None
            seen.add(entity)
            original = self._original(entity)
            if original is None or original.sharding is None or key.tag == RESULT:
                continue
            dims = [
                DimensionSharding(dim.axes, dim.is_closed, 1 if n == now.dim else dim.priority)
                for n, dim in enumerate(original.sharding.dims)
            ]
            made = TensorSharding(original.sharding.mesh, tuple(dims), original.sharding.replicated)
            yield Annotation("priority", key, shardy.name(key), made)

    def _original(self, entity: int) -> Value | None:
        value = self.pairs.shardy.history.value(entity)
        if value.op is not None and value.op.name == EDGE:
            return None
        return self.pairs.shardy.asked.value_in_original(entity)
