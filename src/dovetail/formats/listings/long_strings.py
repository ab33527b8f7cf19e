"""Strings of several lines in a file's text: a fence line in one is the string's, and ends or begins no listing.

Knows Python's triple quotes, the here documents of shells, PHP and Ruby, and YAML, where a deeper line is a value's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.model.patterns import late

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence

_PYTHON = late(r"#[^\n]*+|(?P<ends>\"\"\"|''')|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?")
_HERE = late(r"<<[-~]?[ \t]*([\"']?)(?P<ends>[A-Z_]\w*)\1[^\n]*")
_PATTERNS = {
    **dict.fromkeys((".py", ".pyi", ".pyx"), _PYTHON),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".php", ".rb"), _HERE),
}
_YAML = (".yml", ".yaml")


class LongStrings:
    """The strings of the file `path`, whose text comes line by line in `fence`."""

    def __init__(self, path: str, fence: Fence) -> None:
        end = path[path.rfind(".") :].lower()
        self._begin = _PATTERNS.get(end)
        self._indented = end in _YAML
        self._fence = fence
        self._ends = ""  # how the open one ends
        self._seen = 0  # pieces

    def hold(self, text: str, pieces: list[str]) -> bool:
        """Whether the line `text` behind the file's first `pieces` stands in such a string."""
        if self._indented:
            return self._fence.is_above(text)
        if self._begin is not None:
            self._read("".join(pieces[self._seen :]))
            self._seen = len(pieces)
        return bool(self._ends)

    def _read(self, text: str) -> None:
        at = 0
        while self._begin is not None and at < len(text):
            if self._ends:
                found = next((one for one in _ending(self._ends).finditer(text, at) if one["end"]), None)
                if found is None:
                    return
                self._ends = ""
            else:
                found = next((one for one in self._begin.finditer(text, at) if one["ends"]), None)
                if found is None:
                    return
                self._ends = found["ends"]
            at = found.end()


@lru_cache(maxsize=64)
def _ending(mark: str) -> re.Pattern[str]:
    """Finds `mark` as the group `end`; as a word it is alone on its line, and as quotes no backslash stands before."""
    if mark[0].isidentifier():
        return re.compile(rf"(?m)^[ \t]*(?P<end>{mark})\b")
    return re.compile(rf"(?s)\\.|(?P<end>{mark})")
