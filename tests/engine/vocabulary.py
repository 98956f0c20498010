"""A small vocabulary for generated rule sets: entities in a graph, numbers that rise."""

from __future__ import annotations

from shardlog.engine import Library

TOP = 7


def _raised(old: int | None, new: int) -> int | None:
    return new if old is None or new > old else None


def _capped(old: int | None, new: int, size: int, wide: bool) -> int | None:
    """Raises up to twice a size, or in wide phases up to the top."""
    return _raised(old, new) if wide or new <= 2 * size else None


def _filled(old: int | None, new: int) -> int | None:
    return new if old is None else None


def _put(old: int | None, new: int) -> int | None:
    return new if new != old else None


def _raised_digit(old: int | None, elements: tuple[tuple[int, int], ...]) -> int | None:
    """Raises some digits of a number of base 4."""
    value = 0 if old is None else old
    for place, digit in elements:
        value += max(0, digit % 4 - value // 4**place % 4) * 4**place
    return value if value != old else None


LIBRARY = Library(
    functions={
        "bump": lambda v: min(v + 1, TOP),
        "mix": lambda v, w: (3 * v + w) % (TOP + 1),
        "half": lambda v: v // 2 if v % 2 == 0 else None,
        "top_of": lambda values: max(values),
        "or_nought": lambda v: 0 if v is None else v,
    },
    tests={"odd": lambda v: v % 2 == 1, "huge": lambda v: v >= TOP - 1},
    joins={
        "raised": _raised,
        "capped": _capped,
        "filled": _filled,
        "put": _put,
        "raised_digit": _raised_digit,
    },
)

CHANNELS = ("forth", "forth_capped", "back", "eager", "tie", "tie_again", "two", "leaf", "late")

DECLARATIONS = """
+ lattice('given')
+ lattice('val')
+ view('own', 'val')
+ view('held', 'given')
+ join('fill', 'filled')
+ join('raise', 'raised')
+ join('cap', 'capped', 'size[I]', 'wide[T]')
+ join('put', 'put')
+ join('digit', 'raised_digit')
+ channel('seed', 'given', 'whole', 'fill', 'seeding', 'anything')
+ channel('forth', 'val', 'whole', 'raise', 'forward', 'open_to')
+ channel('forth_capped', 'val', 'whole', 'cap', 'forward', 'anything')
+ channel('back', 'val', 'whole', 'raise', 'backward', 'anything')
+ channel('eager', 'val', 'whole', 'raise', 'backward', 'open_to')
+ channel('leaf', 'val', 'leaf', 'digit', 'backward', 'anything')
+ channel('two', 'val', 'pair', 'raise', 'forward', 'anything')
+ channel('tie', 'val', 'whole', 'raise', 'change', 'anything')
+ channel('tie_again', 'val', 'whole', 'raise', 'change again', 'open_to')
+ channel('late', 'val', 'whole', 'put', 'closing', 'anything')
+ visit('seeding', 'I', 'descending')
+ visit('forward', 'I', 'ascending')
+ visit('backward', 'I', 'descending')
+ visit('change', 'I', 'on change')
+ visit('change again', 'I', 'on change')
+ visit('closing', 'I', 'ascending')
+ sweeps('forward', 'backward')
+ parameter('tier')
+ order('forward', 'K, P, L, Q, O, U, W')
+ order('backward', 'K, P, L, Q, O, U, W')
+ order('change', 'K, P, L, Q, O, U, W')
+ order('change again', 'K, P, L, Q, O, U, W')
+ order('closing', 'K, P, L, Q, O, U, W')
+ order('seeding', 'K, P, L, Q, O, U, W')
+ restless('eager')
+ mode('wide', 'T')
+ mode('wish', 'X, V')
+ mode('opens', 'X, T')
+ mode('modest', 'V')
+ descends('ahead', 'following')
(wide[T] == True) <= (T >= 1)
(wide[T] == False) <= (T < 1)
(val[I] == S) <= (given[I] == S)
# rule: seed
seed(I, S) <= (first[I] == S)
reaches(X, Y) <= (following[X] == Y)
reaches(X, Y) <= reaches(X, Z) & (following[Z] == Y)
(fan[X] == len_(Y)) <= link(X, Y)
opens(X, T) <= (size[X] == N) & (T >= N)
+ mode('busy', 'X, T')
busy(X, T) <= opens(X, T) & flag(X)
busy(X, T) <= link(X, Y) & (T == 1)
busy(X, T) <= warm(X) & (T != 1)
+ small(0)
+ small(1)
modest(V) <= small(V)
modest(V) <= (V < 4) & (V > 1)
+ twice(0, 0)
+ twice(1, 2)
+ twice(2, 4)
(square[V] == N) <= twice(V, N)
warm(X) <= (val[X] == S) & odd(S)
(seen[X] == tuple_(S, order_by=K)) <= (argument[X, K] == Y) & (val[Y] == S)
(most[X] == max_(S)) <= link(X, Y) & (val[Y] == S)
(count[X] == len_(Y)) <= link(X, Y) & hot(Y)
(total[X] == sum_(S, order_by=P)) <= (user[X, P] == Y) & offer(Y, S)
(ahead[X] == S) <= (following[X] == Y) & (assumed[Y] == S)
(assumed[X] == S) <= (val[X] == S)
(assumed[X] == S) <= node(X) & ~(val[X] == Z) & (ahead[X] == R) & (S == bump(R))
"""

# what a change re-opens; generated rule sets have some of these, so that marks are incomplete
WAKES = (
    "wakes(I, 'forward', U) <= (argument[U, K] == I)",
    "wakes(I, 'backward', O) <= (argument[I, K] == O)",
    "wakes(I, 'forward', J) <= link(I, J)",
    "wakes(I, 'backward', J) <= (following[J] == I)",
)
PHASES = (
    "+ phases('seeding', 'tier 0', 'tier 1', 'tier 2', 'closing', 'tier 2')",
    "+ phases('seeding', 'tier 0', 'tier 2', 'closing', 'tier 1', 'tier 0')",
    "+ phases('seeding', 'tier 1', 'closing', 'tier 1', 'tier 2', 'tier 2')",
)
OPTIONS = ("+ rare('huge')", "+ dispatch('kind')", "+ blocks('block')", "+ stored('near')")
