"""Sources of patterns that match any of many words."""

from __future__ import annotations

import re


def either(words: str) -> str:
    """Return the source of a pattern that matches any of the blank-separated `words`, longest first."""
    return "|".join(sorted(map(re.escape, words.split()), key=len, reverse=True))
