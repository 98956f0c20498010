"""Values that exist once: equal values are one object."""

from __future__ import annotations

from typing import Any, TypeVar

_T = TypeVar("_T")


class Interned(type):
    """Metaclass of immutable values whose constructor returns the one object per set of arguments.

    Identity then stands for equality, so a class must neither define `__eq__` nor change after
    construction. Arguments are hashable. Objects that are never used again stay alive.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        cls._table: dict[Any, Any] = {}

    def __call__(cls: type[_T], *args: Any, **kwargs: Any) -> _T:
        table: dict[Any, _T] = cls._table  # type: ignore[attr-defined]
        found = table.get(args) if not kwargs else None
        if found is None:
            made = type.__call__(cls, *args, **kwargs)
            # defaults and keywords lead to the same object as the full list of arguments
            key = made.__reduce__()[1]
            found = table.setdefault(key, made)
            if not kwargs and key != args:
                table[args] = found
        return found
