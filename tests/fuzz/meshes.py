"""Random shardings over a random mesh."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from tests.fuzz.shapes import Array, Shape, leaves

MESHES = ((2,), (2, 2), (2, 2), (2, 2, 2), (4, 2), (3, 2), (8,), (2, 4, 2), (6,))


@dataclass(frozen=True)
class Mesh:
    """A device mesh that a module's shardings are drawn over.

    `axes` are its sizes; `manual` is the size of one more, innermost axis that is manual in every
    tiled sharding (1 if there is none).
    """

    axes: tuple[int, ...]
    manual: int = 1

    @property
    def devices(self) -> int:
        """The number of devices."""
        return math.prod(self.axes) * self.manual

    def sharding(self, rng: random.Random, shape: Shape) -> str:
        """A random sharding for a shape, as HLO text has it; one for each leaf of a tuple."""
        if isinstance(shape, Array):
            return self._array(rng, shape)
        return "{" + ", ".join(self._array(rng, leaf) for leaf in leaves(shape)) + "}"

    def _array(self, rng: random.Random, shape: Array) -> str:
        kind = rng.random()
        if kind < 0.12:
            return "{replicated}"
        if kind < 0.14:
            return f"{{maximal device={rng.randrange(self.devices)}}}"
        if kind < 0.16:
            return "{manual}"
        if kind < 0.17:
            return "{unknown}"
        return self.tiled(rng, shape)

    def tiled(self, rng: random.Random, shape: Array) -> str:
        """A random tiled sharding, mostly partial; replicated where no dimension can be split.

        Some are over the same devices cut another way.
        """
        if rng.random() < 0.08:
            return Mesh(_factors(rng, math.prod(self.axes)), self.manual).tiled(rng, shape)
        split: list[list[int]] = [[] for _ in shape.dims]
        left: list[int] = []
        for axis in rng.sample(range(len(self.axes)), len(self.axes)):
            able = [d for d in range(shape.rank) if self._fits(rng, shape.dims[d], split[d], axis)]
            if able and rng.random() < 0.6:
                split[rng.choice(able)].append(axis)
            else:
                left.append(axis)
        if not any(split):
            return "{replicated}"
        return self._text(rng, split, sorted(left))

    def _fits(self, rng: random.Random, size: int, axes: list[int], axis: int) -> bool:
        parts = math.prod(self.axes[a] for a in axes) * self.axes[axis]
        return (size > 1 and size % parts == 0) or rng.random() < (0.1 if size > 1 else 0.02)

    def _text(self, rng: random.Random, split: list[list[int]], left: list[int]) -> str:
        sizes = [*self.axes, self.manual]
        tile = [math.prod(self.axes[a] for a in axes) for axes in split]
        order = [axis for axes in split for axis in axes]
        kinds = []
        if self.manual > 1:
            tile.append(self.manual)
            order.append(len(self.axes))
            kinds.append("manual")
        copies = math.prod(self.axes[a] for a in left)
        if copies > 1:
            tile.append(copies)
            order += left
            kinds.append("replicated")
        last = ""
        if kinds == ["replicated"]:
            last = " last_tile_dim_replicate"
        elif kinds:
            last = f" last_tile_dims={{{', '.join(kinds)}}}"
        return f"{{devices=[{_commas(tile)}]{self._devices(rng, sizes, order)}{last}}}"

    def _devices(self, rng: random.Random, sizes: list[int], order: list[int]) -> str:
        if rng.random() < 0.02 and self.manual == 1:
            return _commas(rng.sample(range(self.devices), self.devices))
        real = [axis for axis in range(len(sizes)) if sizes[axis] > 1]
        order = [real.index(axis) for axis in order if sizes[axis] > 1]
        sizes = [sizes[axis] for axis in real]
        if order == sorted(order):
            return f"<=[{math.prod(sizes)}]"
        return f"<=[{_commas(sizes)}]T({_commas(order)})"


def draw_mesh(rng: random.Random, *, manual: bool = False) -> Mesh:
    """A random mesh; with a manual axis of two if asked for."""
    return Mesh(rng.choice(MESHES), 2 if manual else 1)


def _factors(rng: random.Random, devices: int) -> tuple[int, ...]:
    """A random mesh of as many devices."""
    axes = []
    while devices > 1:
        axes.append(rng.choice([n for n in range(2, devices + 1) if devices % n == 0]))
        devices //= axes[-1]
    return tuple(axes)


def _commas(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))
