"""The frame that modules are generated in: computations under construction, and their emitters."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.fuzz.meshes import Mesh
from tests.fuzz.shapes import Array, Shape, Tuple, Value

SIZES = (1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 16)
LARGEST = 1 << 14  # elements of an array
HIGHEST = 5  # rank
DEEPEST = 2  # computations within computations


@dataclass(frozen=True)
class Emitter:
    """A function that adds some instructions to a computation, or none if nothing there fits.

    `weight` is how often it is drawn. One with `entry_only` is drawn in the entry alone, one with
    `calls` makes computations of its own, which are not nested deeper than DEEPEST.
    """

    name: str
    run: Callable[[Builder], None]
    weight: float = 1.0
    entry_only: bool = False
    calls: bool = False


EMITTERS: dict[str, Emitter] = {}


def emitter(
    weight: float = 1.0, *, entry_only: bool = False, calls: bool = False
) -> Callable[[Callable[[Builder], None]], Callable[[Builder], None]]:
    """Register a function as an emitter under its own name."""

    def register(run: Callable[[Builder], None]) -> Callable[[Builder], None]:
        name = run.__name__
        assert name not in EMITTERS, name
        EMITTERS[name] = Emitter(name, run, weight, entry_only, calls)
        return run

    return register


def load_emitters() -> None:
    """Import every file of `ops`, so that its emitters are registered."""
    package = importlib.import_module("tests.fuzz.ops")
    for found in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"tests.fuzz.ops.{found}")


@dataclass(frozen=True)
class Called:
    """Computations for a call site: the shapes of arguments and result, and the attributes."""

    arguments: tuple[Shape, ...]
    result: Shape
    attributes: str


@dataclass
class Module:
    """What the computations of a module share.

    `header` are words for the line that begins the module, `computations` the finished texts in
    order, `shared` what is written once for all that ask, by name. `called` are computations that
    further call sites may use, by what these must have; `groups` the shard groups, each with its
    dimensions; `noted` the probability that an instruction has metadata.
    """

    rng: random.Random
    mesh: Mesh
    emitters: Sequence[Emitter]
    header: list[str] = field(default_factory=list)
    computations: list[str] = field(default_factory=list)
    shared: dict[str, str] = field(default_factory=dict)
    counter: int = 0
    annotated: float = 0.15
    called: dict[str, Called] = field(default_factory=dict)
    groups: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    noted: float = 0.0

    def name(self, stem: str = "v") -> str:
        """A name that no other instruction or computation has."""
        self.counter += 1
        return f"{stem}.{self.counter}"

    def reducer(self, element: str = "f32", count: int = 1, opcode: str = "add") -> str:
        """The name of a computation that combines `count` pairs of scalars."""
        name = f"{opcode}_{element}_{count}"
        if name not in self.shared:
            scalar = f"{element}[]"
            lines = [f"  %{name}.p{i} = {scalar} parameter({i})" for i in range(2 * count)]
            made = []
            for i in range(count):
                root = "ROOT " if count == 1 else ""
                pair = f"%{name}.p{i}, %{name}.p{count + i}"
                lines.append(f"  {root}%{name}.r{i} = {scalar} {opcode}({pair})")
                made.append(f"%{name}.r{i}")
            if count > 1:
                shape = f"({', '.join([scalar] * count)})"
                lines.append(f"  ROOT %{name}.t = {shape} tuple({', '.join(made)})")
            self.shared[name] = "%" + name + " {\n" + "\n".join(lines) + "\n}\n"
        return name

    def comparator(self, elements: Sequence[str], direction: str = "LT") -> str:
        """The name of a computation that compares two scalars of the first of some types."""
        name = f"{direction.lower()}_{'_'.join(elements)}"
        if name not in self.shared:
            lines = []
            for i, element in enumerate(elements):
                for side in (0, 1):
                    number = 2 * i + side
                    lines.append(f"  %{name}.p{number} = {element}[] parameter({number})")
            compare = f"compare(%{name}.p0, %{name}.p1), direction={direction}"
            lines.append(f"  ROOT %{name}.r = pred[] {compare}")
            self.shared[name] = "%" + name + " {\n" + "\n".join(lines) + "\n}\n"
        return name


@dataclass
class Builder:
    """A computation under construction.

    `values` are the instructions that others may use, `lines` the text so far; `depth` is 0 in the
    entry computation, `within` the number of emitters that are running there.
    """

    module: Module
    depth: int = 0
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    parameters: int = 0
    within: int = 0

    @property
    def rng(self) -> random.Random:
        """The module's source of chance."""
        return self.module.rng

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.rng.random() < probability

    # ---- making instructions

    def emit(
        self,
        shape: Shape,
        text: str,
        *,
        annotated: float | None = None,
        sharding: str | None = None,
        usable: bool = True,
    ) -> Value:
        """Add an instruction: its shape, and its opcode with operands and attributes.

        It is annotated with `sharding`, else with a random one at the probability `annotated` (the
        module's own by default). Later instructions may use it if `usable`.
        """
        value = Value(self.module.name(), shape)
        if sharding is None:
            share = self.module.annotated if annotated is None else annotated
            sharding = self.sharding(shape) if self.chance(share) else ""
        suffix = f", sharding={sharding}" if sharding else ""
        if self.module.noted and self.chance(self.module.noted):
            suffix += f', metadata={{op_name="{value.name}"}}'
        self.lines.append(f"  {value} = {shape} {text}{suffix}")
        if usable:
            self.values.append(value)
        return value

    def sharding(self, shape: Shape) -> str:
        """A random sharding for a shape."""
        return self.module.mesh.sharding(self.rng, shape)

    def parameter(self, shape: Shape, annotated: float = 0.5) -> Value:
        """Add the next parameter of this computation."""
        number = self.parameters
        self.parameters += 1
        return self.emit(shape, f"parameter({number})", annotated=annotated)

    def element(self, of: Value, index: int, *, annotated: float | None = None) -> Value:
        """Add a get-tuple-element."""
        assert isinstance(of.shape, Tuple)
        return self.emit(
            of.shape.elements[index], f"get-tuple-element({of}), index={index}", annotated=annotated
        )

    def elements(self, of: Value) -> list[Value]:
        """Add a get-tuple-element for most elements of a tuple."""
        assert isinstance(of.shape, Tuple)
        return [self.element(of, i) for i in range(len(of.shape.elements)) if self.chance(0.85)]

    def make(self, shape: Array, annotated: float = 0.4) -> Value:
        """A new value of a shape: a parameter of the entry, or a broadcast constant."""
        if self.depth == 0 and self.chance(0.6):
            return self.parameter(shape, annotated)
        if shape.rank == 0:
            return self.scalar(shape.element)
        scalar = self.scalar(shape.element)
        return self.emit(shape, f"broadcast({scalar}), dimensions={{}}", annotated=annotated)

    def scalar(self, element: str = "f32") -> Value:
        """A scalar: a new constant, or one that is there already."""
        there = self.pick(lambda v: v.rank == 0, element) if self.chance(0.5) else None
        zero = "false" if element == "pred" else "(0, 0)" if element == "c64" else "0"
        return there or self.emit(Array(element, ()), f"constant({zero})", annotated=0)

    # ---- choosing operands

    def pick(
        self, test: Callable[[Value], bool] = lambda v: True, element: str | None = "f32"
    ) -> Value | None:
        """An array that passes a test, recent ones rather; None if there is none."""
        able = [
            value
            for value in self.values
            if isinstance(value.shape, Array)
            and (element is None or value.shape.element == element)
            and test(value)
        ]
        if not able:
            return None
        return self.rng.choice(able[-6:] if self.chance(0.6) else able)

    def like(self, shape: Shape) -> Value:
        """A value of a shape: one that is there, or a new one."""
        assert isinstance(shape, Array)
        found = self.pick(lambda v: v.dims == shape.dims, shape.element)
        return found if found and self.chance(0.85) else self.make(shape)

    def pick_or_make(self, low: int = 1, high: int = 4, element: str = "f32") -> Value:
        """An array whose rank is in a range."""
        found = self.pick(lambda v: low <= v.rank <= high, element)
        return found or self.make(self.shape(low, high, element))

    def shape(self, low: int = 0, high: int = 4, element: str = "f32") -> Array:
        """A random array shape of a rank in a range."""
        rank = self.rng.randint(low, high)
        return Array(element, tuple(self.rng.choice(SIZES) for _ in range(rank)))

    def fits(self, dims: Sequence[int]) -> bool:
        """True if an array of these dimensions is small enough."""
        return len(dims) <= HIGHEST and Array("f32", tuple(dims)).size <= LARGEST

    # ---- computations

    def step(self) -> None:
        """Run a random emitter."""
        able = [
            e
            for e in self.module.emitters
            if not (e.entry_only and self.depth) and not (e.calls and self.depth >= DEEPEST)
        ]
        if able and self.within < DEEPEST:
            self.within += 1
            self.rng.choices(able, [e.weight for e in able])[0].run(self)
            self.within -= 1

    def child(self) -> Builder:
        """A computation that an instruction of this one will call."""
        return Builder(self.module, self.depth + 1)

    def finish(self, root: Value, stem: str = "called") -> str:
        """Add this computation to the module with a root, one of its values; returns its name."""
        name = self.module.name(stem)
        head = f"  {root} = "
        marked = [
            line.replace("  ", "  ROOT ", 1) if line.startswith(head) else line
            for line in self.lines
        ]
        self.module.computations.append("%" + name + " {\n" + "\n".join(marked) + "\n}\n")
        return name
