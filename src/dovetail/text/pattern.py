"""Patterns that are compiled when they are first asked for.

A process that applies one reply asks for a third of the patterns that its modules have. Compiling the others would take
longer than all of its work.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use; it acts as a `re.Pattern`, but `isinstance` says it is none.

    An error in its source is raised at its first use.
    """
    return cast("re.Pattern[str]", _Uncompiled(source, flags))


class _Uncompiled:
    """Compiles its pattern on first use; each method used becomes an attribute, so that later calls are direct."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self.flags = flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Callable[..., object]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self.flags)
        method: Callable[..., object] = getattr(self._compiled, name)
        setattr(self, name, method)
        return method
