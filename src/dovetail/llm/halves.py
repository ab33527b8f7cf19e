"""Characters that arrive in halves: servers that count in UTF-16 cut a reply between two surrogates.

JSON says each half by itself, so what arrives is no text that a file could hold. Invariant: joined, a stream says the
same, and no half stands alone whose other half came.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from dovetail.llm.values import Delta

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def with_halves_joined(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """The same deltas, where the first half of a character waits for the second."""
    held = ""
    for delta in deltas:
        if not delta.text:
            yield delta
            continue
        text = held + delta.text
        held = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        yield replace(delta, text=_PAIR.sub(_character, text.removesuffix(held)))
    if held:
        yield Delta(text=held)


def _character(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")
