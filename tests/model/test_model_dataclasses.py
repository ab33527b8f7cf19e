"""Values are what the standard library's decorator would have made of the same classes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import ClassVar

import pytest

import dovetail
from dovetail.model.blocks import Block, Kind
from dovetail.model.dataclasses import dataclass, field, replace

ROOMS = ("model", "formats", "match", "plan", "syntax", "workspace", "session", "cli")


def every_class() -> list[type]:
    """The dataclasses of the rooms that `apply` runs through."""
    names = [name for room in ROOMS for name in modules_of(f"dovetail.{room}")]
    own = {kind for name in names for kind in vars(import_module(name)).values() if isinstance(kind, type)}
    return sorted(
        (kind for kind in own if kind.__module__ in names and hasattr(kind, "__dataclass_fields__")),
        key=lambda kind: (kind.__module__, kind.__qualname__),
    )


def modules_of(room: str) -> list[str]:
    return [room, *(found.name for found in pkgutil.walk_packages(import_module(room).__path__, f"{room}."))]


CLASSES = every_class()


def twin_of(kind: type, *, slots: bool = False) -> type:
    """The same class, made by the standard library."""
    fields = dataclasses.fields(kind)
    options = {name: getattr(kind.__dataclass_params__, name) for name in ("frozen", "order")}
    stated = [
        (
            each.name,
            each.type,
            dataclasses.field(
                default=each.default,
                default_factory=each.default_factory,
                init=each.init,
                repr=each.repr,
                compare=each.compare,
            ),
        )
        for each in fields
    ]
    return dataclasses.make_dataclass(kind.__qualname__, stated, slots=slots, **options)


def filled(kind: type, mark: str) -> object:
    """A value whose every field holds a text of its own."""
    blank = kind.__new__(kind)
    for name in kind.__dataclass_fields__:
        object.__setattr__(blank, name, f"{name} {mark}")
    return blank


def names(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def test_there_are_values_to_test() -> None:
    assert len(CLASSES) > 150


@pytest.mark.parametrize("kind", CLASSES, ids=names)
def test_a_class_is_what_the_standard_would_make(kind: type) -> None:
    twin = twin_of(kind)
    assert inspect.signature(kind).replace(return_annotation=None) == inspect.signature(twin).replace(
        return_annotation=None
    )
    assert kind.__match_args__ == twin.__match_args__
    assert (kind.__hash__ is None) == (twin.__hash__ is None)
    assert {"__lt__", "__le__", "__gt__", "__ge__"} & set(vars(kind)) == {
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
    } & set(vars(twin))
    if "__slots__" in vars(kind):
        assert kind.__slots__ == tuple(twin.__dataclass_fields__)
        assert not hasattr(filled(kind, ""), "__dict__")


@pytest.mark.parametrize("kind", CLASSES, ids=names)
def test_a_value_does_what_the_standards_would(kind: type) -> None:
    twin = twin_of(kind)
    one, same, other = (filled(kind, mark) for mark in ("1", "1", "2"))
    if "__repr__" not in vars(inspect.getmodule(kind)):
        assert repr(one) == repr(filled(twin, "1"))
    assert one == same
    assert (one == other) == (filled(twin, "1") == filled(twin, "2"))
    assert one != filled(twin, "1")
    if kind.__hash__ is not None:
        assert hash(one) == hash(same)
    assert copy.copy(one) == one
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  # its own
    assert dataclasses.is_dataclass(one)
    if kind.__dataclass_params__.frozen:
        for name in kind.__dataclass_fields__:
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(one, name, "")
            with pytest.raises(dataclasses.FrozenInstanceError):
                delattr(one, name)


@dataclass(frozen=True, slots=True)
class Point:
    """A value with every kind of field."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    cache: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    late: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "late", self.x + self.y)


@dataclass(frozen=True)
class Open:
    """A frozen value without slots."""

    x: int = 1


@dataclass
class Counter:
    """A value that changes."""

    count: int = 0
    inner: Counter | None = None


@dataclass(frozen=True, slots=True, order=True)
class Rank:
    """A value with an order."""

    first: int
    second: str = ""


def test_fields_are_filled() -> None:
    point, other = Point(1, y=2), Point(1, 2, ["a"])
    assert repr(point) == "Point(x=1, y=2, tags=[], late=3)"
    assert point.tags is not Point(1).tags
    assert point == other
    assert hash(point) == hash(other)
    assert point != Point(1)
    assert point != (1, 2)


@pytest.mark.parametrize("given", [(), (1, 2, [], {})])
def test_wrong_arguments_are_refused_by_name(given: tuple[object, ...]) -> None:
    for _ in range(2):  # the first value of a class, and the second
        with pytest.raises(TypeError, match=r"Point.__init__\(\)"):
            Point(*given)


def test_replace() -> None:
    assert replace(Point(1, 2, ["a"]), y=5) == Point(1, 5, ["a"])
    assert replace(Point(1), x=4).late == 4
    assert dataclasses.replace(Point(1), x=4) == Point(4)
    with pytest.raises(TypeError):
        replace(Point(1), z=4)


def test_the_standard_library_knows_them() -> None:
    assert dataclasses.asdict(Open(4)) == {"x": 4}
    assert dataclasses.astuple(Rank(4, "a")) == (4, "a")
    assert [each.name for each in dataclasses.fields(Point)] == ["x", "y", "tags", "cache", "late"]
    assert str(inspect.signature(Rank)).startswith("(first: 'int', second: 'str' = '')")


def test_order() -> None:
    assert sorted([Rank(2), Rank(1, "b"), Rank(1, "a")]) == [Rank(1, "a"), Rank(1, "b"), Rank(2)]
    assert Rank(1) >= Rank(1)
    with pytest.raises(TypeError):
        _ = Rank(1) < (1, "")


def test_a_frozen_value_stays() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        Open().x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Open().other = 2


def test_a_subclass_may_have_more() -> None:
    class More(Open):
        pass

    more = More(3)
    more.note = "mine"
    del more.note
    with pytest.raises(dataclasses.FrozenInstanceError):
        more.x = 4


def test_a_standard_subclass() -> None:
    @dataclasses.dataclass(frozen=True)
    class Further(Open):
        y: int = 2

    assert repr(Further(3)).endswith("Further(x=3, y=2)")
    assert Further(3) == Further(3, 2) != Open(3)


def test_a_value_that_changes() -> None:
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    assert Counter.__hash__ is None
    assert Counter.count == 0
    counter.inner = counter
    assert repr(counter) == "Counter(count=1, inner=...)"


def test_a_shared_default_is_refused() -> None:
    with pytest.raises(ValueError, match="default_factory"):

        @dataclass
        class Shared:
            items: list[int] = []  # noqa: RUF012


def test_what_it_does_not_know_is_refused() -> None:
    class Inherits(Open):
        y: int

    class Shares:
        x: ClassVar[int] = 1

    class Begins:
        x: int

        def __init__(self) -> None:
            self.x = 1

    for kind in (Inherits, Shares, Begins):
        with pytest.raises(TypeError, match="needs the standard library's dataclass"):
            dataclass(kind)


def test_match_takes_values_apart() -> None:
    match Rank(1, "b"):
        case Rank(first, second):
            assert (first, second) == (1, "b")


def test_public_values_are_known_before_the_first_is_made() -> None:
    code = "import dovetail, inspect; print(inspect.signature(dovetail.Policy), dovetail.Policy())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(on_failure: 'OnFailure' = <OnFailure.ALL: 'all'>,")


def test_a_block_survives_pickling() -> None:
    block = Block("diff", Kind.EDIT, "a.py", "a\n", "b\n")
    assert pickle.loads(pickle.dumps(block)) == block  # noqa: S301
    assert dovetail.Block is Block
