"""The value of a constant, read only when somebody asks for it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from shardlog.ir.arrays import np

if TYPE_CHECKING:
    import numpy.typing as npt


_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_NUMBER = re.compile(r"[^\s,{}]+")


class Literal:
    """The value of a constant, from its text in HLO or from its integers.

    `text` is what stands in the parentheses of `constant(...)`, empty if read from a proto.
    """

    def __init__(self, text: str = "", integers: npt.NDArray[np.int64] | None = None) -> None:
        self.text = text
        self._given = integers

    @property
    def is_elided(self) -> bool:
        """Whether the text leaves elements out: `{...}`."""
        return "..." in self.text

    @cached_property
    def integers(self) -> npt.NDArray[np.int64] | None:
        """The elements in row-major order, or None unless all of them are there and integers."""
        if self._given is not None or self.is_elided:
            return self._given
        words = _NUMBER.findall(_COMMENT.sub("", self.text))
        try:
            return np.array(words, dtype=np.int64)
        except (ValueError, OverflowError):
            return None
