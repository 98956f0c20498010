"""Roles of the dimensions of dots and convolutions."""

from __future__ import annotations

import pytest

from shardlog.ir.algebra import (
    batch_of,
    carry,
    conv_lhs_map,
    feature_of,
    inverse,
    kernel_is_small,
    role_map,
    role_side,
    role_spatial,
    roles_of_convolution,
    roles_of_dot,
)
from shardlog.ir.attributes import DotDimensions, parse_convolution, parse_window
from shardlog.ir.shape import Shape, parse_shape
from shardlog.ir.sharding_text import parse_sharding


def _shapes(*texts: str) -> tuple[Shape, ...]:
    return tuple(parse_shape(f"f32[{text}]") for text in texts)


def test_roles_of_a_batched_dot() -> None:
    # lhs [k, b, m], rhs [b, n, k], result [b, m, n]
    dims = DotDimensions((1,), (0,), (0,), (2,))
    roles = roles_of_dot(dims, _shapes("16,4,8", "4,32,16", "4,8,32"))
    assert roles.batch == ((1, 0, 0),)
    assert roles.contracting == ((0, 2, None),)
    assert role_map(roles, 0).pairs == ((1, 0), (2, 1))
    assert role_map(roles, 1).pairs == ((0, 0), (1, 2))
    assert role_side(roles, 0).pairs == ((2, 0), (0, 1))
    assert role_side(roles, 1).pairs == ((1, 0), (0, 2))
    assert roles_of_dot(dims, _shapes("16,4,8", "4,32,16", "4,8,32")) is roles


def test_a_sharding_through_a_dot() -> None:
    dims = DotDimensions((), (), (1,), (0,))
    roles = roles_of_dot(dims, _shapes("8,16", "16,32", "8,32"))
    lhs = parse_sharding("{devices=[2,4]<=[8]}")
    assert str(carry(lhs, role_map(roles, 0))) == ("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")
    assert str(carry(lhs, role_side(roles, 1))) == (
        "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"
    )
    assert str(carry(lhs, inverse(role_map(roles, 1)))) == (
        "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"
    )


@pytest.mark.parametrize(
    ("lhs", "rhs", "out", "window", "role"),
    [
        (4, 4, 4, "{size=4 stride=3 lhs_dilate=4}", "batch"),
        (4, 4, 4, "{size=4 lhs_dilate=4 rhs_dilate=3}", "batch"),
        (4, 4, 4, "{size=4 stride=4 pad=3_3 lhs_dilate=3 rhs_reversal=1}", "batch"),
        (4, 4, 1, "{size=4}", "contracting"),
        (4, 4, 1, "{size=4 stride=2}", "contracting"),
        (8, 1, 8, "{size=1}", "lhs_free"),
        (1, 8, 8, "{size=8 pad=7_7 rhs_reversal=1}", "rhs_free"),
        (8, 3, 8, "{size=3 pad=1_1}", "spatial"),
        (8, 1, 4, "{size=1 stride=2}", "spatial"),
        (8, 1, 8, "{size=1 rhs_reversal=1}", "spatial"),
    ],
)
def test_what_a_window_makes_of_a_spatial_dimension(
    lhs: int, rhs: int, out: int, window: str, role: str
) -> None:
    dims = parse_convolution("b0f_0io->b0f")
    shapes = _shapes(f"2,{lhs},4", f"{rhs},4,8", f"2,{out},8")
    roles = roles_of_convolution(dims, parse_window(window), shapes)
    assert (1, 0, 1) in getattr(roles, role)
    assert role_spatial(roles, 0) == ((1,) if role == "spatial" else ())
    assert role_spatial(roles, 1) == ((0,) if role == "spatial" else ())


def test_labels_of_a_convolution() -> None:
    dims = parse_convolution("0bf_io0->fb0")
    assert conv_lhs_map(dims).pairs == ((2, 0), (1, 1), (0, 2))
    assert batch_of(dims) == (1,)
    assert feature_of(dims) == 2


@pytest.mark.parametrize(
    ("kernel", "output", "small"),
    [
        ("3,3", "8,8", True),
        ("8,3", "8,8", False),
        ("3,3,3", "8,8,2", True),
        ("1,1,3", "2,2,1", True),
    ],
)
def test_a_small_kernel(kernel: str, output: str, small: bool) -> None:
    spatial = "".join(str(i) for i in range(kernel.count(",") + 1))
    dims = parse_convolution(f"b{spatial}f_{spatial}io->b{spatial}f")
    shapes = _shapes(f"2,{output},4", f"{kernel},4,8", f"2,{output},8")
    assert kernel_is_small(dims, shapes) == small
