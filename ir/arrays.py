"""numpy, loaded when it is first used: it takes a while, and few graphs need any of it."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["np"]


class _Later(ModuleType):
    """A module that is imported once something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        self.__dict__.update(importlib.import_module(self.__name__).__dict__)
        return self.__dict__[name]


if TYPE_CHECKING:
    import numpy as np
else:
    np = _Later("numpy")
