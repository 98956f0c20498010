"""Tile assignments: which device holds which tile.

A tile assignment is a grid of devices. In iota form the grid is described by three short tuples,
as numpy would write it: `arange(n).reshape(reshape_dims).transpose(transpose_perm).reshape(dims)`.
In explicit form it is a list of device ids.

Equal values are one object, so `is` compares dims, form and devices. The two forms print and
serialise differently, hence an explicit list that spells out an iota grid is another object than
that grid, although XLA's operator== calls them equal; `same_devices` is that operator.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from shardlog.ir.arrays import np
from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["MOST_DIMS", "MOST_LISTED", "DeviceArray", "TileAssignment"]

DeviceArray: TypeAlias = "npt.NDArray[np.int64]"

MOST_DIMS = 1 << 10
"""The most dimensions of a grid; no tensor has so many, and more would only cost time."""
MOST_LISTED = 1 << 22
"""The most devices that are spelled out where XLA's own answer is a list."""
_MOST_LISTED_DIMS = 32
"""The most dimensions of a list of devices: numpy before 2.0 has no more."""

_iotas: dict[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], TileAssignment] = {}
_broken: dict[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], TileAssignment] = {}
_explicits: dict[tuple[tuple[int, ...], bytes], TileAssignment] = {}
_transposes: dict[tuple[TileAssignment, tuple[int, ...]], TileAssignment] = {}


class TileAssignment:
    """An immutable, interned grid of devices.

    `dims` are the grid's dimensions and `num_elements` their product. `is_iota` tells the form;
    `reshape_dims` and `transpose_perm` are canonical in iota form and empty in explicit form.
    `problem` says what is wrong with a grid that was made unchecked; such a grid can be printed,
    but it lists no devices. Made by `iota` and `explicit` only. Follows xla::TileAssignment.
    """

    __slots__ = (
        "_array",
        "_device_form",
        "_listed",
        "dims",
        "is_iota",
        "num_elements",
        "problem",
        "reshape_dims",
        "transpose_perm",
    )

    dims: Final[tuple[int, ...]]
    num_elements: Final[int]
    is_iota: Final[bool]
    reshape_dims: Final[tuple[int, ...]]
    transpose_perm: Final[tuple[int, ...]]
    problem: Final[str | None]

    def __init__(
        self,
        dims: tuple[int, ...],
        reshape_dims: tuple[int, ...],
        transpose_perm: tuple[int, ...],
        listed: bytes | None = None,
        problem: str | None = None,
    ) -> None:
        """`listed` holds the devices as 64-bit integers, in row-major order."""
        self.dims = dims
        self.num_elements = math.prod(dims)
        self.is_iota = listed is None
        self.reshape_dims = reshape_dims
        self.transpose_perm = transpose_perm
        self.problem = problem
        self._listed = listed
        self._array: DeviceArray | None = None
        self._device_form: TileAssignment | None = self if listed is None else None

    @classmethod
    def iota(
        cls,
        dims: Iterable[int],
        reshape_dims: Iterable[int] | None = None,
        perm: Iterable[int] | None = None,
        *,
        check: bool = True,
    ) -> TileAssignment:
        """Return the grid of `dims` over devices 0..n-1, reshaped and transposed.

        Without `reshape_dims` the devices are in order; without `perm` nothing is transposed.
        Raises InputError unless dims are positive, the products agree and `perm` is a permutation;
        `check=False` takes broken values as they are, as XLA's text parser does.
        Follows IotaTileAssignment::Create.
        """
        dims = tuple(dims)
        reshape = (math.prod(dims),) if reshape_dims is None else tuple(reshape_dims)
        order = tuple(range(len(reshape))) if perm is None else tuple(perm)
        _require_few(dims, reshape)
        key = (dims, reshape, order)
        known = _iotas.get(key)
        if known is not None:
            return known
        problem = _problem(dims, reshape, order)
        if problem is not None and check:
            raise InputError(problem)
        try:
            canonical = (dims, *canonical_iota(reshape, order))
        except IndexError:
            # with a permutation that is none XLA gets lost, too
            raise InputError(problem or "a broken grid") from None
        if problem is None:
            return _iotas.setdefault(key, _iotas.setdefault(canonical, cls(*canonical)))
        # No alias: a later call with these words is still refused.
        problem = _problem(*canonical)
        table = _iotas if problem is None else _broken
        return table.setdefault(canonical, cls(*canonical, problem=problem))

    @classmethod
    def explicit(cls, dims: Iterable[int], devices: Sequence[int] | DeviceArray) -> TileAssignment:
        """Return the grid of `dims` that lists `devices` in row-major order.

        Raises InputError unless there are as many devices as the grid has places.
        """
        dims = tuple(dims)
        _require_few(dims, most=_MOST_LISTED_DIMS)
        # a list takes no numpy, which most runs then need not load
        plain = isinstance(devices, list | tuple)
        listed = (array("q", devices) if plain else np.asarray(devices, np.int64)).tobytes()
        count = len(listed) // 8
        if count != math.prod(dims) or any(size < 0 for size in dims):
            raise InputError(f"a grid of {_shown(dims)} cannot hold {count} devices")
        key = (dims, listed)
        known = _explicits.get(key)
        if known is not None:
            return known
        return _explicits.setdefault(key, cls(dims, (), (), listed))

    def dim(self, index: int) -> int:
        """Return the size of one dimension of the grid."""
        return self.dims[index]

    @property
    def rank(self) -> int:
        """The number of dimensions of the grid."""
        return len(self.dims)

    @property
    def first_device(self) -> int:
        """The device of the first tile. Follows TileAssignment::first."""
        return int.from_bytes((self._listed or b"\0")[:8], sys.byteorder, signed=True)

    @property
    def array(self) -> DeviceArray:
        """The device ids as a read-only numpy array of shape `dims`, built when first asked for.

        Raises InputError if the grid was made unchecked and lists no devices, or if there are more
        than 4 million, which no machine has.
        """
        if self._array is None:
            self._array = self._made()
        return self._array

    def _made(self) -> DeviceArray:
        if self._listed is not None:
            return np.frombuffer(self._listed, dtype=np.int64).reshape(self.dims)
        self.require_sound()
        if self.num_elements > MOST_LISTED:
            raise InputError(f"a list of {self.num_elements} devices is too long to make")
        _require_few(self.dims, most=_MOST_LISTED_DIMS)
        made = np.arange(self.num_elements, dtype=np.int64).reshape(self.reshape_dims)
        made = np.ascontiguousarray(made.transpose(self.transpose_perm)).reshape(self.dims)
        made.flags.writeable = False
        return made

    def require_sound(self) -> None:
        """Raise InputError if the grid was made unchecked and has a problem."""
        if self.problem is not None:
            raise InputError(self.problem)

    def devices(self) -> DeviceArray:
        """Return `array`: the device ids, shape `dims`."""
        return self.array

    def device_at(self, index: Sequence[int]) -> int:
        """Return the device at one place of the grid, without listing the others.

        Follows TileAssignment::operator().
        """
        if not self.is_iota:
            return int(self.array[tuple(index)])
        linear = 0
        for size, at in zip(self.dims, index, strict=True):
            linear = linear * size + at
        digits = [0] * len(self.reshape_dims)
        for dim in reversed(self.transpose_perm):
            linear, digits[dim] = divmod(linear, self.reshape_dims[dim])
        device = 0
        for size, digit in zip(self.reshape_dims, digits, strict=True):
            device = device * size + digit
        return device

    def uses_device(self, device: int) -> bool:
        """Tell whether a device occurs in the grid. Follows TileAssignment::UsesDevice."""
        if self.is_iota:
            return device < self.num_elements
        return bool((self.array == device).any())

    def reshape(self, dims: Iterable[int]) -> TileAssignment:
        """Return the same devices, in the same order, in a grid of other dimensions.

        Raises InputError if the number of places differs. Follows TileAssignment::Reshape.
        """
        dims = tuple(dims)
        if dims == self.dims:
            return self
        if math.prod(dims) != self.num_elements:
            raise InputError(f"cannot reshape a grid of {_shown(self.dims)} to {_shown(dims)}")
        if not self.is_iota:
            return TileAssignment.explicit(dims, self.array)
        if self.problem is not None:
            return TileAssignment.iota(dims, self.reshape_dims, self.transpose_perm, check=False)
        key = (dims, self.reshape_dims, self.transpose_perm)
        known = _iotas.get(key)
        return known or _iotas.setdefault(
            key, TileAssignment(dims, self.reshape_dims, self.transpose_perm)
        )

    def transpose(self, perm: Iterable[int]) -> TileAssignment:
        """Return the grid with its dimensions permuted: dimension i becomes old dimension perm[i].

        An iota grid stays one unless its dimensions and its reshape dimensions cannot be cut into
        common pieces. Raises InputError unless `perm` permutes the dimensions.
        Follows TileAssignment::Transpose.
        """
        perm = tuple(perm)
        key = (self, perm)
        known = _transposes.get(key)
        if known is not None:
            return known
        if sorted(perm) != list(range(len(self.dims))):
            raise InputError(f"{list(perm)} does not permute {len(self.dims)} dimensions")
        result = self.transposed_iota(perm) if self.is_iota else None
        if result is None:
            result = self
            if not _moves_nothing(self.dims, perm):
                dims = tuple(self.dims[dim] for dim in perm)
                result = TileAssignment.explicit(dims, self.array.transpose(perm))
        return _transposes.setdefault(key, result)

    def transposed_iota(self, perm: tuple[int, ...]) -> TileAssignment | None:
        """Return this iota grid transposed, or None where that is no iota grid.

        Follows IotaTileAssignment::Transpose.
        """
        dims = self.dims
        if _moves_nothing(dims, perm):
            return self
        new_dims = tuple(dims[dim] for dim in perm)
        kept = [dim for dim in perm if dims[dim] != 1]
        if kept == sorted(kept):
            return self.reshape(new_dims)
        if len(self.reshape_dims) == 1:
            return TileAssignment.iota(new_dims, dims, perm, check=False)
        try:
            cut = _cut(dims, self.reshape_dims, self.transpose_perm)
        except (StopIteration, ZeroDivisionError):
            self.require_sound()
            raise
        if cut is None:
            return None
        sizes, order, groups = cut
        return TileAssignment.iota(
            new_dims,
            [sizes[piece] for piece in order],
            [order.index(piece) for dim in perm for piece in groups[dim]],
            check=False,
        )

    def cut(self) -> tuple[list[int], list[int], list[list[int]]] | None:
        """Cut the dimensions and reshape dimensions of an iota grid into common pieces.

        Returns the size of each piece, in the order of the grid; the pieces in the order of the
        reshape dimensions; and the pieces of each dimension. None if there is no such cut.
        """
        return _cut(self.dims, self.reshape_dims, self.transpose_perm)

    @property
    def device_form(self) -> TileAssignment:
        """The iota grid with the same dims and devices if there is one, else this grid itself.

        Two grids are equal in XLA exactly if their `device_form` is the same object.
        """
        form = self._device_form
        if form is None:
            found = _iota_of(self.array.reshape(-1))
            form = self if found is None else TileAssignment.iota(self.dims, *found)
            self._device_form = form
        return form

    def same_devices(self, other: TileAssignment) -> bool:
        """Tell whether both grids have the same dims and devices, whatever their form.

        Follows TileAssignment::operator==.
        """
        if self is other:
            return True
        return self.dims == other.dims and self.device_form is other.device_form

    def __str__(self) -> str:
        dims = ",".join(map(str, self.dims))
        if not self.is_iota:
            return f"devices=[{dims}]{','.join(map(str, self.array.reshape(-1).tolist()))}"
        text = f"devices=[{dims}]<=[{','.join(map(str, self.reshape_dims))}]"
        if len(self.reshape_dims) > 1:
            text += f"T({','.join(map(str, self.transpose_perm))})"
        return text

    def __repr__(self) -> str:
        return f"<TileAssignment {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (self.dims, self.reshape_dims, self.transpose_perm, self._list()))

    def _list(self) -> list[int] | None:
        return None if self.is_iota else self.array.reshape(-1).tolist()


def canonical_iota(
    reshape_dims: tuple[int, ...], perm: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shortest reshape dims and permutation that list the devices in the same order.

    Dimensions of size 1 go; neighbours that stay neighbours merge. Nothing left gives (1), (0).
    Follows CanonicalizeIotaDims.
    """
    dims, order = list(reshape_dims), list(perm)
    if len(dims) <= 1:
        return (tuple(dims), tuple(order)) if dims else ((1,), (0,))
    while True:
        place = {old: new for new, old in enumerate(i for i, size in enumerate(dims) if size != 1)}
        dims = [size for size in dims if size != 1]
        moved = [place[dim] for dim in order if dim in place]
        # Of a permutation that is none, XLA keeps what stands at the places left over.
        order = (moved + order[len(moved) :])[: len(dims)]
        base, changed = 0, False
        for i in range(1, len(order)):
            first, dim = order[base], order[i]
            if first + (i - base) == dim:
                # XLA's numbers have 64 bits; only a broken grid needs more.
                product = (dims[first] * dims[dim]) % (1 << 64)
                dims[first] = product - (1 << 64) if product >= 1 << 63 else product
                dims[dim] = 1
                changed = True
            else:
                base = i
        if not changed:
            return (tuple(dims), tuple(order)) if dims else ((1,), (0,))


def _problem(
    dims: tuple[int, ...], reshape_dims: tuple[int, ...], perm: tuple[int, ...]
) -> str | None:
    """Return what is wrong with an iota grid, or None."""
    if any(size <= 0 for size in (*dims, *reshape_dims)) or math.prod(dims) >= 1 << 63:
        return (
            "a grid needs positive dimensions of 64 bits, "
            f"not {_shown(dims)}<={_shown(reshape_dims)}"
        )
    if math.prod(dims) != math.prod(reshape_dims):
        return (
            f"a grid of {_shown(dims)} has {math.prod(dims)} places, but reshape dimensions "
            f"{_shown(reshape_dims)} give {_shown_count(math.prod(reshape_dims))} devices"
        )
    if sorted(perm) != list(range(len(reshape_dims))):
        return f"{_shown(perm)} does not permute {len(reshape_dims)} reshape dimensions"
    return None


def _require_few(*lists: tuple[int, ...], most: int = MOST_DIMS) -> None:
    dims = max(map(len, lists))
    if dims > most:
        raise InputError(f"a grid of {dims} dimensions", expected=f"at most {most}")


def _shown(sizes: Sequence[int]) -> str:
    """A list for a message, without what is in the middle of a long one."""
    if len(sizes) <= 16:
        return str(list(sizes))
    return f"[{', '.join(map(str, sizes[:12]))}, ... ({len(sizes)} in all)]"


def _shown_count(count: int) -> str:
    return str(count) if count < 1 << 64 else "more than 2**64"


def _moves_nothing(dims: tuple[int, ...], perm: tuple[int, ...]) -> bool:
    """Tell whether a transpose changes neither the dims nor the order of devices."""
    kept = [dim for dim in perm if dims[dim] != 1]
    return kept == sorted(kept) and all(
        dims[dim] == size for dim, size in zip(perm, dims, strict=True)
    )


def _cut(
    dims: tuple[int, ...], reshape_dims: tuple[int, ...], perm: tuple[int, ...]
) -> tuple[list[int], list[int], list[list[int]]] | None:
    """Cut grid and reshape dimensions into pieces so that each is a row of whole pieces.

    Returns the size of each piece, in the order of the grid; the pieces in the order of the reshape
    dimensions; and the pieces of each grid dimension. None if a cut falls between the factors of a
    reshape dimension in neither order of size. Follows IotaTileAssignment::Transpose.
    """
    sizes: list[int] = []
    owners: list[list[int]] = [[] for _ in reshape_dims]
    groups: list[list[int]] = []
    source = iter(perm)
    owner = left = 0
    for size in dims:
        group: list[int] = []
        while size != 1:
            while left <= 1:
                owner = next(source)
                left = reshape_dims[owner]
            piece = min(size, left)
            if size % piece or left % piece:
                return None
            group.append(len(sizes))
            owners[owner].append(len(sizes))
            sizes.append(piece)
            size //= piece
            left //= piece
        groups.append(group)
    return sizes, [piece for owned in owners for piece in owned], groups


def _iota_of(flat: DeviceArray) -> tuple[list[int], list[int]] | None:
    """Return reshape dims and permutation that produce a list of devices, or None.

    Digit by digit from the minor end: within one digit ids grow by a constant stride.
    """
    digits: list[tuple[int, int]] = []
    rest = flat
    while rest.size > 1:
        stride = int(rest[1] - rest[0])
        breaks = np.flatnonzero(rest != rest[0] + stride * np.arange(rest.size))
        size = int(breaks[0]) if breaks.size else rest.size
        if stride <= 0 or rest.size % size:
            return None
        digits.append((stride, size))
        rest = rest[::size]
    digits.reverse()
    by_stride = sorted(range(len(digits)), key=lambda i: -digits[i][0])
    reshape_dims = [digits[i][1] for i in by_stride] or [1]
    perm = sorted(range(len(digits)), key=lambda k: by_stride[k]) or [0]
    if math.prod(reshape_dims) != flat.size:
        return None
    made = np.arange(flat.size, dtype=np.int64).reshape(reshape_dims).transpose(perm)
    return (reshape_dims, perm) if np.array_equal(made.reshape(-1), flat) else None


def _restore(
    dims: tuple[int, ...],
    reshape_dims: tuple[int, ...],
    perm: tuple[int, ...],
    devices: list[int] | None,
) -> TileAssignment:
    if devices is None:
        return TileAssignment.iota(dims, reshape_dims, perm, check=False)
    return TileAssignment.explicit(dims, devices)
