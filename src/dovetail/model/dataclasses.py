"""`dataclass`, `field` and `replace` as the standard library has them, made at a fraction of the cost.

Owns how the values of the rooms that `apply` runs through are made. The standard decorator compiles six methods for
each class, up to a millisecond every time a process starts, and brings `inspect` along: for a hundred small classes,
half of what applying a small reply takes. Here `__init__` alone is compiled, when the first value is made; the other
methods are closures over the fields' names; and what `dataclasses.fields` and its kin want to see is made when they
look (docs/decisions/0007-faces.md).

Values behave as the standard's would, which tests hold class by class; type checkers are shown the standard's own.
Refuses what it does not know because nothing here needs it: inherited fields, class variables, an `__init__` by hand.
"""

# It makes classes of whatever fields they have.
# ruff: noqa: ANN401

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

_Made = type[Any]
_Key = Callable[[Any], Any]
_NONE_GIVEN: Any = object()
_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)


class _Field:
    """What a class says of one field."""

    __slots__ = ("stated",)

    def __init__(self, **stated: Any) -> None:
        self.stated = stated

    def says(self, what: str) -> bool:
        """Whether `init`, `repr` or `compare` holds."""
        return bool(self.stated.get(what, True))


def _dataclass(
    cls: _Made | None = None, /, *, frozen: bool = False, slots: bool = False, order: bool = False
) -> _Made | Callable[[_Made], _Made]:
    """Give a class what the standard's decorator would."""

    def make(cls: _Made) -> _Made:
        _check(cls)
        fields = {name: _field_of(cls.__dict__.get(name, _NONE_GIVEN)) for name in cls.__annotations__}
        given = {**_methods(fields, frozen=frozen, order=order), **_standards(cls, fields, frozen, order)}
        if frozen and slots:
            given |= _pickling(tuple(fields))
        made = _made_again(cls, fields, given) if slots else _completed(cls, fields, given)
        made.__init__ = _init(made, fields, frozen=frozen)
        if frozen:
            made.__setattr__, made.__delattr__ = _refusals(made, fields)
        return made

    return make if cls is None else make(cls)


def _check(cls: _Made) -> None:
    inherits = any("__dataclass_fields__" in vars(base) for base in cls.__mro__[1:])
    if inherits or "__init__" in vars(cls) or any("ClassVar" in str(stated) for stated in cls.__annotations__.values()):
        raise TypeError(f"{cls.__qualname__} needs the standard library's dataclass.")


def _field_of(stated: Any) -> _Field:
    if stated is _NONE_GIVEN:
        return _Field()
    if isinstance(stated, _Field):
        return stated
    if type(stated).__hash__ is None:
        raise ValueError(f"The default {stated!r} would be shared by all values: give a default_factory.")
    return _Field(default=stated)


def _made_again(cls: _Made, fields: Mapping[str, _Field], given: Mapping[str, Any]) -> _Made:
    """The class anew: slots must be known when it is made."""
    left_out = {*fields, "__dict__", "__weakref__"}
    own = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    made: _Made = type(cls.__name__, cls.__bases__, {**given, **own, "__slots__": tuple(fields)})
    made.__qualname__ = cls.__qualname__
    return made


def _completed(cls: _Made, fields: Mapping[str, _Field], given: Mapping[str, Any]) -> _Made:
    """The class itself, each default standing where the field was."""
    for name, field in fields.items():
        if "default" in field.stated:
            setattr(cls, name, field.stated["default"])
        elif name in cls.__dict__:
            delattr(cls, name)
    for name, value in given.items():
        if name not in cls.__dict__:
            setattr(cls, name, value)
    return cls


def _methods(fields: Mapping[str, _Field], *, frozen: bool, order: bool) -> dict[str, Any]:
    key = _key([name for name, field in fields.items() if field.says("compare")])
    return {
        "__repr__": _repr([name for name, field in fields.items() if field.says("repr")]),
        **{f"__{test.__name__}__": _compared(test, key) for test in (operator.eq, *(_ORDER if order else ()))},
        "__hash__": (lambda self: hash(key(self))) if frozen else None,
        "__match_args__": tuple(name for name, field in fields.items() if field.says("init")),
        "__replace__": _replace,
    }


def _init(cls: _Made, fields: Mapping[str, _Field], *, frozen: bool) -> Callable[..., None]:
    """An `__init__` that puts a compiled one in its place: most classes make no value in most runs."""

    def method(self: Any, *arguments: Any, **named: Any) -> None:
        cls.__init__ = _compiled_init(cls, fields, frozen=frozen)
        cls.__init__(self, *arguments, **named)

    return method


def _compiled_init(cls: _Made, fields: Mapping[str, _Field], *, frozen: bool) -> Callable[..., None]:
    """It runs for every value, so it has to be as fast as one written by hand."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_none_given": _NONE_GIVEN}
    parameters, lines = ["self"], []
    for name, field in fields.items():
        default, value = _default(name, field, names)
        if field.says("init"):
            parameters.append(f"{name}={default}" if default else name)
        elif value == name:
            continue  # set by `__post_init__`, or later
        if frozen and (put := getattr(cls.__dict__.get(name), "__set__", None)):  # twice as fast as by name
            names[f"_set_{name}"] = put
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    source = "def outer({}):\n def __init__({}):\n  {}\n return __init__".format(
        ", ".join(names), ", ".join(parameters), "\n  ".join(lines) or "pass"
    )
    compiled: dict[str, Any] = {}
    exec(source, sys.modules[cls.__module__].__dict__, compiled)  # noqa: S102  # names of fields, nobody's input
    init: Callable[..., None] = compiled["outer"](**names)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _default(name: str, field: _Field, names: dict[str, Any]) -> tuple[str, str]:
    """Source for a parameter's default, "" for none, and for the value the field gets; adds the `names` they use."""
    if "default_factory" in field.stated:
        names[f"_make_{name}"] = field.stated["default_factory"]
        made = f"_make_{name}()"
        return "_none_given", f"{made} if {name} is _none_given else {name}" if field.says("init") else made
    if "default" in field.stated:
        names[f"_default_{name}"] = field.stated["default"]
        return f"_default_{name}", name if field.says("init") else f"_default_{name}"
    return "", name


def _key(names: Sequence[str]) -> _Key:
    """What a value is compared and hashed by."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _compared(test: Callable[[Any, Any], bool], key: _Key) -> Callable[[Any, object], bool]:
    def method(self: Any, other: object) -> bool:
        if self is other and test is operator.eq:
            return True
        return test(key(self), key(other)) if other.__class__ is self.__class__ else NotImplemented

    return method


def _repr(names: Sequence[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def method(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return method


def _refusals(cls: _Made, fields: Mapping[str, _Field]) -> tuple[Callable[..., None], Callable[..., None]]:
    """What stands in the way of changing a frozen value; a subclass may have further attributes."""

    def refuse(self: Any, name: str, act: str) -> None:
        if type(self) is cls or name in fields:
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot {act} field {name!r}")

    def assign(self: Any, name: str, value: object) -> None:
        refuse(self, name, "assign to")
        super(cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        refuse(self, name, "delete")
        super(cls, self).__delattr__(name)

    return assign, delete


def _pickling(names: Sequence[str]) -> dict[str, Any]:
    """A frozen value with slots cannot be filled again by assignment, as `pickle` and `copy` would."""

    def state(self: Any) -> list[object]:
        return [getattr(self, name) for name in names]

    def fill(self: Any, state: Sequence[object]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": state, "__setstate__": fill}


def _replace(value: Any, /, **changes: Any) -> Any:
    """The value once more with some fields changed."""
    for name in value.__match_args__:
        if name not in changes:
            changes[name] = getattr(value, name)
    return type(value)(**changes)


class _Standard:
    """An attribute by which others know a dataclass, read off one that the standard library made, when asked for."""

    __slots__ = ("make", "read")

    def __init__(self, make: Callable[[], _Made], read: Callable[[_Made], Any]) -> None:
        self.make, self.read = make, read

    def __get__(self, _value: object, _cls: _Made) -> Any:
        return self.read(self.make())


def _standards(cls: _Made, fields: Mapping[str, _Field], frozen: bool, order: bool) -> dict[str, _Standard]:
    def make() -> _Made:
        import dataclasses

        body = {name: dataclasses.field(**field.stated) for name, field in fields.items()}
        twin = type(cls.__name__, (), {"__annotations__": cls.__annotations__, "__module__": cls.__module__, **body})
        return dataclasses.dataclass(frozen=frozen, order=order)(twin)

    def signature(twin: _Made) -> Any:
        import inspect

        return inspect.signature(twin)

    return {
        "__dataclass_fields__": _Standard(make, operator.attrgetter("__dataclass_fields__")),
        "__dataclass_params__": _Standard(make, operator.attrgetter("__dataclass_params__")),
        "__signature__": _Standard(make, signature),
    }


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    dataclass, field, replace = _dataclass, _Field, _replace
