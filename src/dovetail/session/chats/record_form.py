"""What the records of a transcript hold: each field of each kind, checked when a record is read.

A transcript is a file, and may have been changed by anybody. What is read of one has the form that those who read its
records rely on, so that nothing but this room has to doubt it; further fields and further kinds are nobody's business.
Invariant: whatever a conversation can write is read, however large a number and however empty a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any

from dovetail.llm.values import Role, Stop
from dovetail.model.codes import Conflicts, Occurrence, OnFailure, Tier

Check = Callable[[object], bool]
"""Whether a value has a form."""


def wrong_field(record: Mapping[str, Any]) -> str | None:
    """The first field of a record that is missing, or is not what it must be; None where all are well."""
    return _wrong(record, _form_of(record))


def _form_of(record: Mapping[str, Any]) -> Mapping[str, Check]:
    if record["kind"] == "approved" and record.get("no") is True:
        return {}
    return _FORMS.get(record["kind"], {})


def _wrong(record: Mapping[str, Any], form: Mapping[str, Check]) -> str | None:
    for name, check in form.items():
        if not check(record.get(name, _MISSING)):
            return name
    return None


_MISSING = object()


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: object) -> bool:
    return _count(value) and value != 0


def _word(members: Iterable[StrEnum]) -> Check:
    known = frozenset(map(str, members))
    return lambda value: isinstance(value, str) and value in known


def _several(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _pair(first: Check, second: Check) -> Check:
    return lambda value: isinstance(value, list) and len(value) == 2 and first(value[0]) and second(value[1])


def _named(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _table(form: Mapping[str, Check]) -> Check:
    return lambda value: isinstance(value, dict) and _wrong(value, form) is None


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _perhaps(check: Check) -> Check:
    return lambda value: value is _MISSING or check(value)


_OPTIONS = _table(
    {
        "model": _perhaps(_text),
        "editor_model": _perhaps(_or_none(_text)),
        "format": _perhaps(_text),
        "architect": _perhaps(_flag),
        "shell": _perhaps(_flag),
        "max_rounds": _perhaps(_count),
        "map_tokens": _perhaps(_count),
        "file_tokens": _perhaps(_or_none(_number)),
    }
)
_POLICY = _table(
    {
        "occurrence": _word(Occurrence),
        "conflicts": _word(Conflicts),
        "tiers": _or_none(_several(_word(Tier))),
    }
)
_HELD = {"editable": _several(_text), "read_only": _several(_text)}
_FILES = _named(_or_none(_text))
_STANDS = _named(_several(_number))
_MESSAGE = _pair(_word((Role.USER, Role.ASSISTANT)), _text)

_FORMS: Mapping[str, Mapping[str, Check]] = {
    "turn": {"request": _text, "options": _OPTIONS, "policy": _POLICY, "stands": _perhaps(_STANDS), **_HELD},
    "reply": {
        "text": _text,
        "stop": _word(Stop),
        "usage": _perhaps(_or_none(_named(_count))),
        "model": _perhaps(_text),
        "reasoning": _perhaps(_text),
        "broken": _perhaps(_flag),
    },
    "arrived": {"use": _flag},
    "added": {"path": _text, "answer": _flag},
    "places": {"chosen": _several(_pair(_number, _number))},
    "approved": {"no": _flag, "chosen": _or_none(_several(_number)), "on_failure": _word(OnFailure)},
    "written": {"operation": _text, "files": _FILES},
    "heard": {"messages": _several(_MESSAGE), "notes": _perhaps(_several(_text))},
    "options": {"options": _OPTIONS},
    "held": _HELD,
    "undo": {"operation": _text, "files": _FILES},
    "redo": {"operation": _text, "files": _FILES},
}
