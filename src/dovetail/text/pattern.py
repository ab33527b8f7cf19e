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
    """A compiled pattern for everything but `isinstance`. A mistake in its source shows at its first use."""
    return cast("re.Pattern[str]", _Uncompiled(source, flags))


class _Uncompiled:
    """Becomes what it stands for, method by method: the first use of one compiles, further ones find it here."""

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
