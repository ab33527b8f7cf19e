"""Encodings of a root's files that somebody names outside of the files: the user, or `.editorconfig` files.

Of an `.editorconfig` only `root` and `charset` are read, and only if a file is ASCII alone or not UTF-8. The nearest
file with a section for the path decides, and in it the last such section. The user's setting comes before both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.workspace.directory import read_regular
from dovetail.workspace.encoding import Decoded, Undecodable, decode, known_codec
from dovetail.workspace.names import takes_long

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LARGEST = 100_000  # bytes of an `.editorconfig`
_MOST_PATTERNS = 64  # that the braces of a section stand for
_BRACES = re.compile(r"\{([^{}]*)\}")
# `[*.{c,h}]  # comment` and `charset = latin1 ; comment`
_LINE = re.compile(r"\s*(?:\[(?P<section>.+)\]|(?P<key>[\w-]+)\s*[=:]\s*(?P<value>[^#;]*?))\s*(?:[#;].*)?")

Sections = tuple[tuple["GitIgnoreSpec", str], ...]


class Charsets:
    """Decodes the files of a root. `encoding` is the codec that the user names for files that are not UTF-8, or ""."""

    def __init__(self, root: Path, encoding: str = "") -> None:
        self._root = root
        self.encoding = encoding
        self._folders: dict[str, tuple[Sections, bool]] = {}

    def decode(self, data: bytes, path: str) -> Decoded | Undecodable:
        """Read the bytes of the file at a path, relative to the root."""
        return decode(data, partial(self._fallback, path))

    def _fallback(self, path: str) -> str:
        if self.encoding:
            return self.encoding
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            sections, is_top = self._sections(folder)
            below = path[len(folder) + 1 :] if folder else path
            # As the format has it, the last section that fits counts.
            for spec, charset in reversed(sections):
                if spec.match_file(below):
                    return known_codec({"latin1": "latin-1"}.get(charset, charset))
            if is_top:
                break
        return ""

    def _sections(self, folder: str) -> tuple[Sections, bool]:
        """Return the sections of a folder's `.editorconfig` that set a charset, and whether it says `root = true`."""
        if folder not in self._folders:
            try:
                data = read_regular(self._root / folder / ".editorconfig", _LARGEST)
                text = data.decode("utf-8-sig", "replace")
            except OSError:
                text = ""
            self._folders[folder] = _read(text)
        return self._folders[folder]


def _read(text: str) -> tuple[Sections, bool]:
    section, is_top = "", False
    found: list[tuple[GitIgnoreSpec, str]] = []
    for line in text.splitlines():
        read = _LINE.fullmatch(line)
        if read is None:
            continue
        key, value = (read["key"] or "").lower(), (read["value"] or "").lower()
        if read["section"] is not None:
            section = read["section"]
        elif key == "root" and not section:
            is_top = value == "true"
        elif key == "charset" and section and not takes_long(section):
            from pathspec import GitIgnoreSpec  # 70 ms, which only roots with a charset pay

            # To `.gitignore` a leading `!` takes back and `#` begins a comment; to `.editorconfig` both are plain.
            patterns = [re.sub("^[!#]", r"\\\g<0>", pattern) for pattern in _spread(section)]
            found.append((GitIgnoreSpec.from_lines(patterns), value))
    return tuple(found), is_top


def _spread(pattern: str) -> Iterator[str]:
    """Yield the patterns that one with braces stands for: ``*.{c,h}`` is ``*.h`` and ``*.c``."""
    waiting, count = [pattern], 0
    while waiting and count < _MOST_PATTERNS:
        now = waiting.pop()
        braces = _BRACES.search(now)
        if braces is None:
            count += 1
            yield now
        else:
            parts = braces[1].split(",")[:_MOST_PATTERNS]
            waiting += [now[: braces.start()] + part + now[braces.end() :] for part in parts]
