"""Shapes that the text leaves out: those that XLA's own reader finds."""

import pytest

import shardlog
from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.ir.errors import InputError
from shardlog.ir.shape import parse_shape
from shardlog.ir.shape_inference import INFERABLE

HEADER = """\
HloModule m

sum { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = add(x, y) }

sums { x = f32[] parameter(0)
  y = f32[] parameter(1)
  z = f32[] parameter(2)
  w = f32[] parameter(3)
  s = add(x, z)
  t = add(y, w)
  ROOT r = tuple(s, t) }

greater { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = compare(x, y), direction=GT }

minus { x = f32[4,8] parameter(0)
  ROOT n = negate(x) }

go_on { x = (f32[4,8], s32[]) parameter(0)
  i = get-tuple-element(x), index=1
  k = s32[] constant(4)
  ROOT c = compare(i, k), direction=LT }

step { x = (f32[4,8], s32[]) parameter(0)
  i = get-tuple-element(x), index=1
  j = get-tuple-element(x), index=0
  k = s32[] constant(1)
  n = add(i, k)
  ROOT t = tuple(j, n) }

ENTRY e {
  a = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  one = s32[] constant(1)
  yes = pred[] constant(true)
  bits = u8[4] parameter(1)
  c = c64[4] parameter(2)
  half = f16[4] parameter(3)
  brain = bf16[4] parameter(4)
  image = f32[2,8,8,3] parameter(5)
  kernel = f32[3,3,3,16] parameter(6)
  at = s32[5,1] parameter(7)
  rows = f32[5,8] parameter(8)
  quarter = f32[2,4] parameter(9)
  square = f32[3,4,4] parameter(10)
  each = f32[8] parameter(11)
  groups = s32[2] parameter(12)
  left = f32[6,5] parameter(13)
  right = f32[2,5,7] parameter(14)
  pair = (f32[4,8], s32[]) parameter(15)
  side = f32[8,4] parameter(16)
  token = token[] after-all()
"""
FIRST = HEADER.count("\n") + 1
WINDOW = "window={size=2x2 stride=2x2}"

CASES = {
    "negate(a)": "f32[4,8]",
    "copy(pair)": "(f32[4,8], s32[])",
    "add(a, a)": "f32[4,8]",
    "add(half, brain)": "bf16[4]",
    "abs(c)": "f32[4]",
    "abs(a)": "f32[4,8]",
    "real(c)": "f32[4]",
    "is-finite(a)": "pred[4,8]",
    "compare(a, a), direction=EQ": "pred[4,8]",
    "complex(a, a)": "c64[4,8]",
    "clamp(zero, a, zero)": "f32[4,8]",
    "select(yes, a, a)": "f32[4,8]",
    "add-dependency(a, token)": "f32[4,8]",
    "after-all()": "token[]",
    "batch-norm-training(a, each, each), epsilon=0.1, feature_index=1": (
        "(f32[4,8], f32[8], f32[8])"
    ),
    "batch-norm-inference(a, each, each, each, each), epsilon=0.1, feature_index=1": "f32[4,8]",
    "batch-norm-grad(a, each, each, each, a), epsilon=0.1, feature_index=1": (
        "(f32[4,8], f32[8], f32[8])"
    ),
    "broadcast(zero), dimensions={}": "f32[]",
    "call(a), to_apply=minus": "f32[4,8]",
    "cholesky(square), lower=true": "f32[3,4,4]",
    "concatenate(a, a), dimensions={1}": "f32[4,16]",
    "conditional(yes, a, a), true_computation=minus, false_computation=minus": "f32[4,8]",
    "conditional(one, a, a), branch_computations={minus, minus}": "f32[4,8]",
    "convolution(image, kernel), window={size=3x3 pad=1_1x0_0 stride=2x1 rhs_dilate=1x2}, "
    "dim_labels=b01f_01io->b01f": "f32[2,4,4,16]",
    'domain(a), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}': (
        "f32[4,8]"
    ),
    "dot(a, side), lhs_contracting_dims={1}, rhs_contracting_dims={0}": "f32[4,4]",
    "dot(bits, one), lhs_contracting_dims={}, rhs_contracting_dims={}": "s32[4]",
    "dot(square, square), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
    "rhs_contracting_dims={1}": "f32[3,4,4]",
    "fft(a), fft_type=RFFT, fft_length={8}": "c64[4,5]",
    "fft(c), fft_type=IRFFT, fft_length={6}": "f32[6]",
    "fft(c), fft_type=FFT, fft_length={4}": "c64[4]",
    "gather(a, at), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1,8}": "f32[5,8]",
    "get-dimension-size(a), dimensions={1}": "s32[]",
    "get-tuple-element(pair), index=1": "s32[]",
    "map(a, a), dimensions={0,1}, to_apply=sum": "f32[4,8]",
    "pad(a, zero), padding=0_1_1x2_0": "f32[8,10]",
    "partition-id()": "u32[]",
    "replica-id()": "u32[]",
    "ragged-dot(left, right, groups), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}, rhs_group_dims={0}": "f32[6,7]",
    "reduce(a, zero), dimensions={1}, to_apply=sum": "f32[4]",
    "reduce(a, a, zero, zero), dimensions={0}, to_apply=sums": "(f32[8], f32[8])",
    f"reduce-window(a, zero), {WINDOW}, to_apply=sum": "f32[2,4]",
    f"select-and-scatter(a, quarter, zero), {WINDOW}, select=greater, scatter=sum": "f32[4,8]",
    "reverse(a), dimensions={0}": "f32[4,8]",
    "scatter(a, at, rows), update_window_dims={1}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum": "f32[4,8]",
    "set-dimension-size(a, one), dimensions={0}": "f32[4,8]",
    "sort(a), dimensions={0}, to_apply=greater": "f32[4,8]",
    "sort(a, a), dimensions={0}, to_apply=greater": "(f32[4,8], f32[4,8])",
    "topk(a), k=2, largest=true": "(f32[4,2], s32[4,2])",
    "transpose(a), dimensions={1,0}": "f32[8,4]",
    "triangular-solve(square, square), left_side=true, lower=true, transpose_a=NO_TRANSPOSE": (
        "f32[3,4,4]"
    ),
    "tuple(a, pair)": "(f32[4,8], (f32[4,8], s32[]))",
    "tuple()": "()",
    "while(pair), condition=go_on, body=step": "(f32[4,8], s32[])",
}


@pytest.mark.parametrize(("text", "shape"), CASES.items(), ids=CASES)
def test_the_shape_is_found(text: str, shape: str) -> None:
    root = parse_hlo_text(f"{HEADER}  ROOT r = {text}\n}}\n").entry.root
    assert root.shape is parse_shape(shape)


def test_every_table_entry_is_tried() -> None:
    tried = {text.partition("(")[0] for text in CASES}
    elementwise = {name for name, rule in INFERABLE.items() if rule in _ELEMENTWISE}
    assert set(INFERABLE) - tried <= elementwise


_ELEMENTWISE = {INFERABLE["negate"], INFERABLE["add"], INFERABLE["real"]}

REFUSED = {
    "reshape(a)": (
        "r: the shape of a reshape cannot be inferred "
        "(expected a shape such as f32[8,4] before the opcode)"
    ),
    "slice(a), slice={[0:2], [0:8]}": (
        "r: the shape of a slice cannot be inferred "
        "(expected a shape such as f32[8,4] before the opcode)"
    ),
    "frobnicate(a)": (
        "r: the shape of a frobnicate cannot be inferred "
        "(expected a shape such as f32[8,4] before the opcode)"
    ),
    "broadcast(each), dimensions={1}": (
        "r: the shape of a broadcast cannot be inferred "
        "(expected a shape such as f32[8,4] before the opcode)"
    ),
    "add(a, bits)": ("r: operands (expected one element type, found f32[4,8], u8[4])"),
    "add(a, each)": ("r: operands (expected equal dimensions, found f32[4,8], f32[8])"),
    "negate(pair)": ("r: operands (expected arrays, found (f32[4,8], s32[]))"),
    "negate(a, a)": "r: operands (expected 1, found 2)",
    "get-tuple-element(pair), index=2": (
        "r: index (expected that of an element of (f32[4,8], s32[]), found 2)"
    ),
    "dot(a, a), lhs_contracting_dims={2}, rhs_contracting_dims={0}": (
        "r: lhs_contracting_dims (expected numbers below 2, each once, found {2})"
    ),
    "dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}": (
        "r: contracting dimensions (expected equal sizes, found {8} and {4})"
    ),
    "transpose(a), dimensions={0,0}": (
        "r: dimensions (expected numbers below 2, each once, found {0,0})"
    ),
    "reduce(a, zero), dimensions={2}, to_apply=sum": (
        "r: dimensions (expected numbers below 2, each once, found {2})"
    ),
    "reduce(a, zero), dimensions={1}, to_apply=later": (
        "r: called computation does not exist (expected a computation above, found later)"
    ),
    "gather(a, at), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1,8}": (
        "r: offset_dims (expected numbers below 2, each once, found {2})"
    ),
    f"reduce-window(each, zero), {WINDOW}, to_apply=sum": (
        "r: window (expected 1 dimensions, found 2)"
    ),
    f"reduce-window(a, a, zero), {WINDOW}, to_apply=sum": (
        "r: operands (expected an even number, found 3)"
    ),
    "reverse(a), dimensions={x}": (
        "r: unreadable list of integers (expected such as {0,1}, found '{x}')"
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_found(text: str, message: str) -> None:
    later = "\nlater { x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = add(x, y) }\n"
    with pytest.raises(InputError) as caught:
        parse_hlo_text(f"{HEADER}  ROOT r = {text}\n}}\n{later}", "f.txt")
    assert str(caught.value) == f"f.txt:{FIRST}: {message}"


def test_the_text_is_written_without_them() -> None:
    text = """\
HloModule m, num_partitions=2

go_on {
  x = (f32[4]) parameter(0)
  ROOT c = pred[] constant(false)
}

step {
  x = (f32[4]) parameter(0)
  y = get-tuple-element(x), index=0
  z = f32[4] custom-call(y), custom_call_target="Sharding", sharding={devices=[2]<=[2]}
  ROOT t = tuple(z)
}

ENTRY e {
  p = f32[4] parameter(0)
  t = tuple(p)
  ROOT w = while(t), condition=go_on, body=step
}
"""
    result = shardlog.propagate(text.encode())
    written = result.module.to_text()
    assert "  ROOT t = tuple(copy), sharding={{devices=[2]<=[2]}}\n" in written
    assert "\n  ROOT copy.1 = copy(w)\n}\n" in written
    again = parse_hlo_text(written)
    assert again.entry.root.shape is parse_shape("(f32[4])")
