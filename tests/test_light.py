"""Data classes that are quick to define behave as those of the standard library."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import Any, ClassVar

import pytest

from shardlog.light import astuple, dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    note: str = field(default="", compare=False)
    kind: ClassVar[str] = "point"


@dataclass
class Box:
    name: str
    content: list[int] = field(default_factory=list)
    size: int = field(default=1, repr=False)


@dataclass(frozen=True)
class Named(Point):
    name: str = "?"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name.upper())


def test_equality_and_hash_go_by_the_fields_that_count() -> None:
    assert Point(1, 2, "a") == Point(1, 2, "b")
    assert hash(Point(1, 2, "a")) == hash(Point(1, 2, "b"))
    assert Point(1) != Point(2)
    assert Point(1) != (1, 0, "")  # type: ignore[comparison-overlap]
    assert Box("a") == Box("a")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Box("a"))


def test_defaults_are_made_for_each_object() -> None:
    Box("a").content.append(1)
    assert Box("b").content == []
    assert Box("c", [2], size=3).size == 3


@pytest.mark.parametrize("wrong", [{}, {"x": 1, "z": 2}])
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="argument"):
        Point(**wrong)


def test_repr_shows_the_fields() -> None:
    assert repr(Point(1, note="n")) == "Point(x=1, y=0, note='n')"
    assert repr(Box("a")) == "Box(name='a', content=[])"


def test_slots_leave_no_dictionary() -> None:
    assert not hasattr(Point(1), "__dict__")
    assert Point.kind == "point"


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    assert astuple(Named(1, 2, name="n")) == (1, 2, "", "N")


def test_the_standard_library_knows_the_fields() -> None:
    assert [one.name for one in dataclasses.fields(Point)] == ["x", "y", "note"]
    assert dataclasses.asdict(Box("a")) == {"name": "a", "content": [], "size": 1}
    assert dataclasses.replace(Point(1, 2), y=3) == replace(Point(1, 2), y=3) == Point(1, 3)
    assert list(inspect.signature(Point).parameters) == ["x", "y", "note"]


def test_objects_are_matched_and_pickled() -> None:
    match pickle.loads(pickle.dumps(Point(1, 2))):
        case Point(x, y):
            assert (x, y) == (1, 2)
        case _:
            raise AssertionError
