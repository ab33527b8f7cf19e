"""Filling the gaps of our own texts.

A gap is ``{{name}}`` or ``{{name argument}}``. Only the package's data is ever filled, once, from left to right: what
is put into a gap is never looked at again, and replies and files never pass through here as templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Value = str | Callable[[str], str]
_GAP = re.compile(r"\{\{([a-z][a-z-]*)(?: ([a-z]+))?\}\}")
_BLANK_RUN = re.compile(r"\n{3,}")
_EMPTY_PART = re.compile(r"^## [^\n]*\n+(?=## |\Z)", re.MULTILINE)


def fill(template: str, values: Mapping[str, Value]) -> str:
    """The template with each gap filled. Raises `KeyError` for a name that has no value."""

    def put(gap: re.Match[str]) -> str:
        value = values[gap[1]]
        return value if isinstance(value, str) else value(gap[2] or "")

    return _GAP.sub(put, template)


def filled(template: str, value: str) -> re.Pattern[str]:
    """What the template looks like once each gap is filled; `value` is a pattern, without groups, of what fills one."""
    return re.compile(value.join(map(re.escape, _GAP.split(template)[:: _GAP.groups + 1])))


def gaps(template: str) -> frozenset[str]:
    """Names of all gaps."""
    return frozenset(gap[1] for gap in _GAP.finditer(template))


def tidy(text: str) -> str:
    """Text without the blank lines and headings that empty pieces left behind."""
    return _EMPTY_PART.sub("", _BLANK_RUN.sub("\n\n", text).strip("\n") + "\n").strip("\n")
