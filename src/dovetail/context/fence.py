"""The fence around a shown file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_RUN = re.compile(r"`{3,}")


def fence_for(texts: Iterable[str], *, shortest: int = 3) -> str:
    """Backticks, one more than the longest run of three or more in any of the texts, `shortest` at least."""
    longest = max((len(run) for text in texts for run in _RUN.findall(text)), default=0)
    return "`" * max(shortest, longest + 1 if longest else 0)
