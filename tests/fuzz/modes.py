"""What a generated module is run with: options of the pass, and words in the module's header."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from tests.fuzz.builder import Builder, Module
from tests.fuzz.meshes import draw_mesh
from tests.fuzz.shapes import Array, Tuple, Value

TO_PARAMETERS = "allow_spmd_sharding_propagation_to_parameters"
TO_OUTPUT = "allow_spmd_sharding_propagation_to_output"


@dataclass(frozen=True)
class Modes:
    """The options of the pass for one module, named and defaulted as in the pass."""

    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False
    execution_thread: str = ""

    @property
    def names(self) -> list[str]:
        """The options that are not at their defaults, in words of the command line."""
        names = [] if self.is_spmd else ["no-spmd"]
        names += ["propagate-metadata"] * self.propagate_metadata
        names += ["cse-prevention-only"] * self.cse_prevention_only
        return names + ["execution-thread"] * bool(self.execution_thread)

    @property
    def arguments(self) -> dict[str, Any]:
        """The options as `shardlog.propagation.propagate` takes them."""
        options = asdict(self)
        thread = options.pop("execution_thread")
        return options | {"execution_threads": (thread,)} if thread else options


def draw_modes(rng: random.Random) -> Modes:
    """Random options; most modules have the defaults."""
    return Modes(
        is_spmd=rng.random() >= 0.12,
        propagate_metadata=rng.random() < 0.15,
        cse_prevention_only=rng.random() < 0.04,
        execution_thread="main" if rng.random() < 0.05 else "",
    )


def draw_module(module: Module) -> None:
    """Random traits of a module: its mesh, and how much it says."""
    rng = module.rng
    module.mesh = draw_mesh(rng, manual=rng.random() < 0.2)
    module.annotated = rng.choice((0.02, 0.1, 0.15, 0.3))
    module.noted = rng.choice((0, 0, 0.3))


def draw_parameters(entry: Builder) -> None:
    """The first parameters of the entry: arrays, or now and then one tuple of them."""
    shapes = [entry.shape(1, 4) for _ in range(entry.rng.randint(1, 4))]
    if entry.chance(0.08):
        entry.elements(entry.parameter(Tuple(tuple(shapes)), 0.65))
    else:
        for shape in shapes:
            entry.parameter(shape, 0.65)


def draw_root(entry: Builder) -> Value:
    """A random result: a tuple of late values, or one of them, which may be a tuple, too."""
    arrays = [v for v in entry.values if isinstance(v.shape, Array) and v.array.element != "token"]
    draw = entry.rng.random()
    if draw < 0.12:
        return arrays[-1]
    if draw < 0.22:
        return entry.values[-1]
    if draw < 0.25:
        return arrays[0]
    able = arrays if draw < 0.8 else entry.values
    outputs = able[-entry.rng.randint(1, 6) :]
    shape = Tuple(tuple(v.shape for v in outputs))
    return entry.emit(shape, f"tuple({', '.join(map(str, outputs))})", annotated=0.1)


def mask(rng: random.Random, count: int) -> str:
    """A random mask, as the header of a module has it."""
    return "{" + ",".join(rng.choice(("true", "false")) for _ in range(count)) + "}"


def draw_header(entry: Builder, root: Value) -> list[str]:
    """Random words for the header of a module whose entry is complete."""
    rng, words = entry.rng, []
    if rng.random() < 0.25 and entry.parameters:
        able = [1, entry.parameters]
        first = entry.values[0].shape
        if entry.parameters == 1 and isinstance(first, Tuple) and first.elements:
            able = [len(first.elements)]
        words.append(f"{TO_PARAMETERS}={mask(rng, rng.choice(able))}")
    if rng.random() < 0.25:
        width = len(root.shape.elements) if isinstance(root.shape, Tuple) else 1
        words.append(f"{TO_OUTPUT}={mask(rng, rng.choice((1, max(1, width))))}")
    return words
