"""Strings and comments of several lines in a file's text: a fence line in one is the file's, and ends or begins no
listing.

Knows quotes of three, comments between marks, and other marks that their mirror image ends; the here documents of
shells, PHP and Ruby; and YAML, where a deeper line is a value's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence

_QUOTED = r"\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'"
_COMMENT = r"(?m:^[ \t]*+)/\*"
_WORD = r"([\"']?)(?P<ends>[A-Z_]\w*)\1[^\n]*"
_HASHED = re.compile(rf"#[^\n]*+|(?P<ends>\"\"\"|''')|{_QUOTED}?")
_SLASHED = re.compile(rf"//[^\n]*+|(?P<ends>{_COMMENT}|(?<=r)#+\")|{_QUOTED}")
_TRIPLED = re.compile(rf"//[^\n]*+|@\"(?:[^\"]|\"\")*+\"|(?P<ends>{_COMMENT}|\"\"\")|{_QUOTED}")
_BRACED = re.compile(rf"--[^\n]*+|(?P<ends>\{{-)|{_QUOTED}")
_BRACKETED = re.compile(rf"--(?!\[=*\[)[^\n]*+|(?P<ends>\[=*\[)|{_QUOTED}")
_SHELL = re.compile(rf"(?<!\S)#[^\n]*+|\(\([^\n]{{0,200}}\)\)|(?<!<)<<-?[ \t]*{_WORD}")
_KINDS = (
    (_HASHED, "ex exs jl py pyi pyx toml"),
    (_SLASHED, "c cc cjs cpp css cxx go h hpp js jsx less m mjs rs scss ts tsx"),
    (_TRIPLED, "cs dart gradle groovy java kt kts scala swift"),
    (_BRACED, "elm hs purs"),
    (_BRACKETED, "lua luau"),
    (_SHELL, "bash sh zsh"),
    (re.compile(rf"<<<[ \t]*{_WORD}"), "php"),
    (re.compile(rf"<<[-~]?{_WORD}"), "rb"),
)
"""What begins such a string or comment, beside what would hide that. A comment of several lines begins its line: such a
mark within one is mostly a pattern's of files, or text."""
_PATTERNS = {f".{end}": pattern for pattern, ends in _KINDS for end in ends.split()}
_MIRRORED = str.maketrans("[{(", "]})")
_YAML = (".yml", ".yaml")


class LongStrings:
    """The strings of the file `path`, whose text comes line by line in `fence`."""

    def __init__(self, path: str, fence: Fence) -> None:
        end = path[path.rfind(".") :].lower()
        self._begin = _PATTERNS.get(end)
        self._indented = end in _YAML
        self._fence = fence
        self._ends = ""  # how the open one ends
        self.fences = 0  # how many fence lines the open one had so far
        self._seen = 0  # pieces

    def hold(self, text: str, pieces: list[str]) -> bool:
        """Whether the line `text` behind the file's first `pieces` stands in such a string."""
        if self._indented:
            return self._fence.is_above(text)
        if self._begin is not None:
            self._read("".join(pieces[self._seen :]))
            self._seen = len(pieces)
        self.fences += bool(self._ends) and fences.is_fence_line(text)
        return bool(self._ends)

    def _read(self, text: str) -> None:
        at = 0
        while self._begin is not None and at < len(text):
            if self._ends:
                found = next((one for one in _ending(self._ends).finditer(text, at) if one["end"]), None)
                if found is None:
                    return
                self._ends, self.fences = "", 0
            else:
                found = next((one for one in self._begin.finditer(text, at) if one["ends"]), None)
                if found is None:
                    return
                mark = found["ends"].strip()
                self._ends = mark if mark[0].isidentifier() else mark[::-1].translate(_MIRRORED)
            at = found.end()


@lru_cache(maxsize=64)
def _ending(mark: str) -> re.Pattern[str]:
    """Finds `mark` as the group `end`; as a word it is alone on its line, and as quotes no backslash stands before."""
    if mark[0].isidentifier():
        return re.compile(rf"(?m)^[ \t]*(?P<end>{mark})\b")
    escaped = r"\\.|" if mark in ('"""', "'''") else ""
    return re.compile(rf"(?s){escaped}(?P<end>{re.escape(mark)})")
