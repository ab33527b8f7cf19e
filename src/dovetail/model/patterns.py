"""Patterns of a module, compiled when they are first used; and of many words.

A command that starts for one small reply reads dozens of modules and needs half of their patterns; to compile the
others would take a tenth of its time (docs/decisions/0007-faces.md). So a module says `late(...)` where it would say
`re.compile(...)`. Used once, a late pattern has the compiled one's own methods and costs what that one does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_METHODS = ("search", "match", "fullmatch", "sub", "finditer", "findall", "split")


class _Late:
    """What `re.compile` was to make, and the methods of what it has made."""

    __slots__ = ("_source", *_METHODS)

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self._source: tuple[Any, int] = (pattern, flags)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        """An attribute that is not there yet, hence asked for the first time, or rarely."""
        compiled = re.compile(*self._source)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


if TYPE_CHECKING:
    late = re.compile
else:
    late = _Late


def either(words: str) -> str:
    """The source of a pattern of any of these words, longest first."""
    return "|".join(sorted(map(re.escape, words.split()), key=len, reverse=True))
