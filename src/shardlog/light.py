"""Data classes that cost next to nothing until they are used.

A class decorated by the standard library's `dataclass` takes half a millisecond to define, since
half a dozen methods are written as text and compiled. What a command imports on its way to a small
module has more than fifty of them, a fifth of its time. Here equality, hash and repr are made of C
functions and closures, and `__init__` is compiled when the first object is made.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

__all__ = ["astuple", "dataclass", "field", "replace"]

_C = TypeVar("_C", bound=type)
_T = TypeVar("_T")
_MISSING: Any = object()


class _Field:
    __slots__ = ("compare", "default", "factory", "repr")

    def __init__(self, default: Any, factory: Any, compare: bool, repr_: bool) -> None:
        self.default, self.factory, self.compare, self.repr = default, factory, compare, repr_


def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    compare: bool = True,
    repr: bool = True,
) -> Any:
    """A field's default and whether it counts in comparisons and shows in the repr."""
    return _Field(default, default_factory, compare, repr)


@overload
def dataclass(cls: _C, /) -> _C: ...


@overload
def dataclass(
    *, frozen: bool = False, eq: bool = True, slots: bool = False
) -> Callable[[_C], _C]: ...


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    cls: Any = None, /, *, frozen: bool = False, eq: bool = True, slots: bool = False
) -> Any:
    """Decorate a class as `dataclasses.dataclass` does, for annotations that are strings.

    `frozen` makes objects hashable and has type checkers refuse assignments; at run time nothing
    refuses them, so that objects are made, and unpickled, in half the time.
    """
    if cls is None:
        return lambda made: _decorated(made, frozen, eq, slots)
    return _decorated(cls, frozen, eq, slots)


def replace(one: _T, /, **changes: Any) -> _T:
    """Return an object of such a class with other values in some fields."""
    cls: Any = type(one)
    given = {name: getattr(one, name) for name in cls.__match_args__}
    made: _T = cls(**{**given, **changes})
    return made


def astuple(one: Any) -> tuple[Any, ...]:
    """Return the values of all fields, as they are."""
    return tuple(getattr(one, name) for name in type(one).__match_args__)


def _decorated(cls: Any, frozen: bool, eq: bool, slots: bool) -> Any:
    own = {
        name: _field_of(cls.__dict__.get(name, _MISSING))
        for name, kind in _annotations(cls).items()
        if not kind.startswith("ClassVar")
    }
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get("__light_fields__", {})
    fields |= own
    content = dict(cls.__dict__)
    for name, one in own.items():
        if slots or one.default is _MISSING:
            content.pop(name, None)
        else:
            content[name] = one.default
    names = tuple(fields)
    compared = tuple(name for name, one in fields.items() if one.compare)
    content["__light_fields__"] = fields
    content["__dataclass_fields__"] = _Twin("__dataclass_fields__")
    content["__dataclass_params__"] = _Twin("__dataclass_params__")
    content["__signature__"] = _Twin("__signature__")
    content["__match_args__"] = names
    content.setdefault("__init__", _first_init(fields, hasattr(cls, "__post_init__")))
    content.setdefault("__repr__", _repr(tuple(n for n, one in fields.items() if one.repr)))
    if eq:
        key = _key(compared)
        content.setdefault("__eq__", _eq(key))
        if content.get("__hash__") is None:
            content["__hash__"] = _hash(key) if frozen else None
    if not slots:
        for name in own:
            if name not in content and name in cls.__dict__:
                delattr(cls, name)
        for name, value in content.items():
            if cls.__dict__.get(name, _MISSING) is not value:
                setattr(cls, name, value)
        return cls
    content.pop("__dict__", None)
    content.pop("__weakref__", None)
    content["__slots__"] = tuple(own)
    made = type(cls)(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    return made


def _field_of(given: Any) -> _Field:
    return given if isinstance(given, _Field) else _Field(given, _MISSING, True, True)


def _key(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """What objects are compared by."""
    if not names:
        return lambda one: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda one: (get(one),)


def _eq(key: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return key(self) == key(other)
        return NotImplemented

    return __eq__


def _hash(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    return lambda self: hash(key(self))


def _repr(names: tuple[str, ...]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _first_init(fields: dict[str, _Field], then: bool) -> Callable[..., None]:
    """An `__init__` that puts the real one in its place when it is first called."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        owner: Any = next(c for c in type(self).__mro__ if c.__dict__.get("__init__") is __init__)
        init = _init(fields, then)
        owner.__init__ = init
        init(self, *args, **kwargs)

    return __init__


def _init(fields: dict[str, _Field], then: bool) -> Callable[..., None]:
    scope: dict[str, Any] = {"_MISSING": _MISSING}
    arguments, lines = [], []
    for name, one in fields.items():
        value = name
        if one.factory is not _MISSING:
            scope[f"_make_{name}"] = one.factory
            arguments.append(f"{name}=_MISSING")
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        elif one.default is not _MISSING:
            scope[f"_default_{name}"] = one.default
            arguments.append(f"{name}=_default_{name}")
        else:
            arguments.append(name)
        lines.append(f"    self.{name} = {value}\n")
    if then:
        lines.append("    self.__post_init__()\n")
    text = f"def __init__(self, {', '.join(arguments)}):\n{''.join(lines) or '    pass'}"
    exec(text, scope)
    init: Callable[..., None] = scope["__init__"]
    return init


class _Twin:
    """What `dataclasses.fields`, `replace` and `asdict` ask of a class: it is made when asked for.

    `inspect.signature` asks, too.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, one: Any, owner: Any) -> Any:
        import dataclasses
        import inspect

        owner = next(c for c in owner.__mro__ if c.__dict__.get(self.name) is self)
        content: dict[str, Any] = {"__annotations__": {}}
        for name, given in owner.__light_fields__.items():
            content["__annotations__"][name] = _annotation(owner, name)
            if given.factory is not _MISSING:
                content[name] = dataclasses.field(
                    default_factory=given.factory, compare=given.compare, repr=given.repr
                )
            elif given.default is not _MISSING:
                content[name] = dataclasses.field(
                    default=given.default, compare=given.compare, repr=given.repr
                )
        twin: Any = dataclasses.dataclass(type(owner.__name__, (), content))
        found = (
            inspect.signature(twin) if self.name == "__signature__" else getattr(twin, self.name)
        )
        setattr(owner, self.name, found)
        return found


def _annotation(owner: type, name: str) -> Any:
    for base in owner.__mro__:
        if name in _annotations(base):
            return _annotations(base)[name]
    raise LookupError(name)


def _annotations(cls: type) -> dict[str, str]:
    """Those of the class's own body; `inspect`, which has a function for it, is slow to import."""
    found: dict[str, str] = vars(cls).get("__annotations__", {})
    return found
