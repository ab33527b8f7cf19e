"""What each file of a repository defines and uses, kept on disk between runs.

Entries are told apart by what the caller says of a file (its stamp) and by its content; a file is read again only
when its stamp changed, and looked at again only when its content did. The cache is text, one line a file, and fields
are taken apart only when somebody asks for them, since most runs need few. A cache that is damaged, or of another
version, is as good as none; one that cannot be written is given up silently, as it only saves time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.syntax import default_language, language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from dovetail.model.language import Definition
    from dovetail.syntax import Survey

CACHE_NAME = "map-2.txt"
_FIELDS, _ITEMS, _PARTS = "\t", "\x1e", "\x1f"
_LONGEST_NAME = 80
_MOST_DEFINITIONS = 2_000
_LONGEST_MEAN_LINE = 200  # characters; above it a text was packed by a program, and nobody reads or edits it

NOT_CODE = frozenset(
    {
        *("asciidoc", "css", "dtd", "gitignore", "html", "ini", "json", "json5", "jsonc", "kdl", "latex", "markdown"),
        *("org", "properties", "rst", "scss", "toml", "typst", "xml", "yaml"),
    }
)
"""Languages of prose, data and style: nothing in them is called by name from code."""


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition in a file: lines from 0, `header` the last line of its header, both ends included."""

    name: str
    kind: str
    first: int
    header: int
    last: int


@dataclass(frozen=True)
class Entry:
    """One file. `stamp` is the caller's word for its state, `digest` that of its content."""

    stamp: str
    digest: str
    packed_definitions: str = ""
    packed_names: str = ""

    @cached_property
    def definitions(self) -> tuple[Defined, ...]:
        """What the file defines, in its order, outer before inner."""
        rows = [item.split(_PARTS) for item in self.packed_definitions.split(_ITEMS) if item]
        try:
            return tuple(Defined(name, kind, int(a), int(b), int(c)) for name, kind, a, b, c in rows)
        except ValueError:  # a cache that was summed well and makes no sense
            return ()

    @property
    def defined_names(self) -> Iterable[str]:
        """The names of its definitions, as often as they are defined."""
        return (item.partition(_PARTS)[0] for item in self.packed_definitions.split(_ITEMS) if item)

    @cached_property
    def names(self) -> Mapping[str, int]:
        """How often it uses each name."""
        rows = (item.partition(_PARTS) for item in self.packed_names.split(_ITEMS) if item)
        return {name: int(count) for name, _, count in rows if count.isdecimal()}

    @classmethod
    def of(cls, stamp: str, digest: str, survey: Survey | None) -> Entry:
        """Pack what was found; names that no person writes are left out."""
        if survey is None:
            return cls(stamp, digest)
        defined = [_pack(d) for d in survey.definitions if _is_plain(d.name)][:_MOST_DEFINITIONS]
        names = [f"{name}{_PARTS}{count}" for name, count in survey.names.items() if _is_plain(name)]
        return cls(stamp, digest, _ITEMS.join(defined), _ITEMS.join(names))


def _pack(found: Definition) -> str:
    header = max(found.first_line, found.body_line - 1)
    return _PARTS.join((found.name, found.kind, str(found.first_line), str(header), str(found.last_line)))


def _is_plain(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and name.isprintable()


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did: files looked at, files that were as before, files that are gone."""

    changed: frozenset[str]
    kept: int
    gone: frozenset[str]


class Index:
    """Entries by path, and `notes` that whoever ranks them wants kept with them."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / CACHE_NAME
        self.entries: dict[str, Entry] = {}
        self.notes: str = ""
        if self._file is not None:
            self._load(self._file)

    def update(self, stamps: Mapping[str, str], read: Callable[[str], str | None]) -> Update:
        """Bring the entries up to date with the files that exist.

        `stamps` maps every path to a word that changes when the file does ("" where there is none); `read` gives a
        file's text, or None where it has none. Only code is kept.
        """
        before, after = self.entries, dict[str, Entry]()
        changed: set[str] = set()
        for path, stamp in stamps.items():
            old = before.get(path)
            if old is not None and stamp and old.stamp == stamp:
                after[path] = old
            elif (language := language_of(path)) is not None and language not in NOT_CODE:
                after[path] = new = self._look(path, stamp, old, read)
                if old is None or new.digest != old.digest:
                    changed.add(path)
        self.entries = after
        return Update(frozenset(changed), len(after) - len(changed), frozenset(before.keys() - after.keys()))

    def _look(self, path: str, stamp: str, old: Entry | None, read: Callable[[str], str | None]) -> Entry:
        text = read(path)
        if text is None or len(text) > _LONGEST_MEAN_LINE * (text.count("\n") + 1):
            return Entry(stamp, "")
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
        if old is not None and old.digest == digest:
            return Entry(stamp, digest, old.packed_definitions, old.packed_names)
        return Entry.of(stamp, digest, default_language().survey(path, text))

    def save(self) -> None:
        """Write the cache beside the old one, then put it in its place."""
        if self._file is None:
            return
        rows = [
            _FIELDS.join((path, entry.stamp, entry.digest, entry.packed_definitions, entry.packed_names))
            for path, entry in self.entries.items()
            if path.isprintable() and entry.stamp.isprintable()
        ]
        body = "\n".join([self.notes, *rows]).encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            _replace(self._file, b"%08x\n" % zlib.crc32(body) + body)

    def _load(self, file: Path) -> None:
        try:
            head, _, body = file.read_bytes().partition(b"\n")
            if head != b"%08x" % zlib.crc32(body):
                return
            notes, *rows = body.decode("utf-8", "surrogatepass").split("\n")
            entries = {}
            for row in rows:
                path, stamp, digest, definitions, names = row.split(_FIELDS)
                entries[path] = Entry(stamp, digest, definitions, names)
        except (OSError, ValueError):
            return
        self.notes, self.entries = notes, entries


def _replace(file: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
        os.replace(name, file)  # noqa: PTH105 — `name` comes from `mkstemp` as a string
    except OSError:
        os.unlink(name)  # noqa: PTH108
        raise
