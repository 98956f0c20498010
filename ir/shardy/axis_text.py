"""What the texts of Shardy's and of mesh-based shardings have in common: axes of a dimension."""

from __future__ import annotations

from collections.abc import Callable

from shardlog.ir.scanner import Scanner
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import MOST_AXES

__all__ = ["read_dimension_axes", "read_part"]


def read_dimension_axes(
    scanner: Scanner, axis: Callable[[], AxisRef]
) -> tuple[tuple[AxisRef, ...], bool]:
    """Read `{...}` of axes, each by `axis`, and tell whether it is closed, without `?` at the end.

    Raises InputError, also for more axes than a mesh can have.
    """
    scanner.expect("{", "'{'")
    axes: list[AxisRef] = []
    closed = True
    while not scanner.eat("}"):
        if axes:
            scanner.expect(",", "',' or '}'")
        if scanner.eat("?"):
            closed = False
            scanner.expect("}", "'}'")
            break
        if len(axes) == MOST_AXES:
            raise scanner.error("too many axes", f"at most {MOST_AXES}")
        axes.append(axis())
    return tuple(axes), closed


def read_part(scanner: Scanner) -> tuple[int, int] | None:
    """Read the pre-size and size of a sub-axis, `:(1)2`; None if there is none.

    Raises InputError.
    """
    if not scanner.eat(":"):
        return None
    scanner.expect("(", "'(' and the pre-size of the sub-axis")
    pre_size = scanner.integer()
    scanner.expect(")", "')'")
    return pre_size, scanner.integer()
