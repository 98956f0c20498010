"""What a generated module is run with: options of the pass, and words in the module's header."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.builder import Builder
from tests.fuzz.meshes import Mesh, draw_mesh
from tests.fuzz.shapes import Tuple, Value

TO_PARAMETERS = "allow_spmd_sharding_propagation_to_parameters"
TO_OUTPUT = "allow_spmd_sharding_propagation_to_output"


@dataclass(frozen=True)
class Modes:
    """The options of the pass for one module, named and defaulted as in the pass."""

    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False

    @property
    def names(self) -> list[str]:
        """The options that are not at their defaults, in words of the command line."""
        names = [] if self.is_spmd else ["no-spmd"]
        names += ["propagate-metadata"] * self.propagate_metadata
        return names + ["cse-prevention-only"] * self.cse_prevention_only


def draw_modes(rng: random.Random) -> Modes:
    """Random options; most modules have the defaults."""
    return Modes(is_spmd=rng.random() >= 0.12)


def draw_module_mesh(rng: random.Random) -> Mesh:
    """The mesh of a module."""
    return draw_mesh(rng)


def mask(rng: random.Random, count: int) -> str:
    """A random mask, as the header of a module has it."""
    return "{" + ",".join(rng.choice(("true", "false")) for _ in range(count)) + "}"


def draw_header(entry: Builder, root: Value) -> list[str]:
    """Random words for the header of a module whose entry is complete."""
    rng, words = entry.rng, []
    if rng.random() < 0.2 and entry.parameters:
        words.append(f"{TO_PARAMETERS}={mask(rng, rng.choice((1, entry.parameters)))}")
    if rng.random() < 0.2:
        width = len(root.shape.elements) if isinstance(root.shape, Tuple) else 1
        words.append(f"{TO_OUTPUT}={mask(rng, rng.choice((1, width)))}")
    return words
