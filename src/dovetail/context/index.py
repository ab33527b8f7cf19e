"""The index of a repository: which names each file defines and uses, cached on disk between runs.

A file is read again only when its stamp (the caller's word for its state) changed, and parsed again only when its
content did. The cache is text with one line per file; its fields are unpacked on demand, since most runs need few. A
cache that is damaged or of another version is ignored, and a failure to write it is ignored too: it only saves time.
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
from dovetail.workspace.directory import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from dovetail.syntax.sources import Survey

CACHE_NAME = "map-2.txt"
_FIELDS, _ITEMS, _PARTS = "\t", "\x1e", "\x1f"
_LARGEST = 256 << 20  # bytes of a cache
_LONGEST_NAME = 80
_MOST_DEFINITIONS = 2_000
_LONGEST_MEAN_LINE = 200  # characters; a text above it is minified, and nobody reads or edits it

NOT_CODE = frozenset(
    {
        *("asciidoc", "css", "dtd", "gitignore", "html", "ini", "json", "json5", "jsonc", "kdl", "latex", "markdown"),
        *("org", "properties", "rst", "scss", "toml", "typst", "xml", "yaml"),
    }
)
"""Languages of prose, data and style: nothing in them is called by name from code."""


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition: its first line, the last line of its header, its last line; counted from 0, ends included."""

    name: str
    kind: str
    first: int
    header: int
    last: int


@dataclass(frozen=True)
class IndexEntry:
    """One file. stamp: the caller's text for its state, as in `Index.update`. digest: the hash of its content."""

    stamp: str
    digest: str
    packed_definitions: str = ""
    packed_names: str = ""

    @cached_property
    def definitions(self) -> tuple[Defined, ...]:
        """The file's definitions, in its order, outer before inner."""
        rows = [item.split(_PARTS) for item in self.packed_definitions.split(_ITEMS) if item]
        try:
            return tuple(Defined(name, kind, int(a), int(b), int(c)) for name, kind, a, b, c in rows)
        except ValueError:  # another program wrote the cache, with a right checksum
            return ()

    @property
    def defined_names(self) -> Iterable[str]:
        """The names of its definitions, one for each definition."""
        return (item.partition(_PARTS)[0] for item in self.packed_definitions.split(_ITEMS) if item)

    @cached_property
    def names(self) -> Mapping[str, int]:
        """How often the file uses each name."""
        rows = (item.partition(_PARTS) for item in self.packed_names.split(_ITEMS) if item)
        return {name: int(count) for name, _, count in rows if count.isdecimal()}

    @classmethod
    def of(cls, stamp: str, digest: str, survey: Survey | None) -> IndexEntry:
        """Pack what a survey found, without names that no person writes."""
        if survey is None:
            return cls(stamp, digest)

        def is_plain(name: str) -> bool:
            return len(name) <= _LONGEST_NAME and name.isprintable()

        defined = [
            _PARTS.join((d.name, d.kind, *map(str, (d.first_line, max(d.first_line, d.body_line - 1), d.last_line))))
            for d in survey.definitions
            if is_plain(d.name)
        ]
        names = [f"{name}{_PARTS}{count}" for name, count in survey.names.items() if is_plain(name)]
        return cls(stamp, digest, _ITEMS.join(defined[:_MOST_DEFINITIONS]), _ITEMS.join(names))


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """The result of an update: the files that changed, how many did not, and the files that are gone."""

    changed: frozenset[str]
    kept: int
    gone: frozenset[str]


class Index:
    """The entries by path, and the `notes` that the repository map keeps beside them."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / CACHE_NAME
        self.entries: dict[str, IndexEntry] = {}
        self.notes: str = ""
        if self._file is not None:
            self._load(self._file)

    def update(self, stamps: Mapping[str, str], read: Callable[[str], str | None]) -> IndexUpdate:
        """Bring the entries up to date with the files that exist. Only code is kept.

        stamps: for every path a text that changes with the file (size and time), "" if the caller has none.
        read: returns a file's text, or None if it has none.
        """
        before, after = self.entries, dict[str, IndexEntry]()
        changed: set[str] = set()
        for path, stamp in stamps.items():
            old = before.get(path)
            if old is not None and stamp and old.stamp == stamp:
                after[path] = old
            elif (language := language_of(path)) is not None and language not in NOT_CODE:
                after[path] = new = _entry(path, stamp, old, read(path))
                if old is None or new.digest != old.digest:
                    changed.add(path)
        self.entries = after
        return IndexUpdate(frozenset(changed), len(after) - len(changed), frozenset(before.keys() - after.keys()))

    def save(self) -> None:
        """Write the cache, if there is a folder for it, by a rename over the old one. Errors are ignored."""
        if self._file is None:
            return
        rows = [
            _FIELDS.join((path, entry.stamp, entry.digest, entry.packed_definitions, entry.packed_names))
            for path, entry in self.entries.items()
            # A path with a tab or a line end would break the rows; its file is read again each time.
            if path.isprintable() and entry.stamp.isprintable()
        ]
        body = "\n".join([self.notes, *rows]).encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            _replace(self._file, b"%08x\n" % zlib.crc32(body) + body)

    def _load(self, file: Path) -> None:
        try:
            head, _, body = read_regular(file, _LARGEST).partition(b"\n")
            if head != b"%08x" % zlib.crc32(body):
                return
            notes, *rows = body.decode("utf-8", "surrogatepass").split("\n")
            entries = {}
            for row in rows:
                path, stamp, digest, definitions, names = row.split(_FIELDS)
                entries[path] = IndexEntry(stamp, digest, definitions, names)
        except (OSError, ValueError):
            return
        self.notes, self.entries = notes, entries


def _entry(path: str, stamp: str, old: IndexEntry | None, text: str | None) -> IndexEntry:
    if text is None or len(text) > _LONGEST_MEAN_LINE * (text.count("\n") + 1):
        return IndexEntry(stamp, "")
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    if old is not None and old.digest == digest:
        return IndexEntry(stamp, digest, old.packed_definitions, old.packed_names)
    return IndexEntry.of(stamp, digest, default_language().survey(path, text))


def _replace(file: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
        os.replace(name, file)  # noqa: PTH105 — `name` comes from `mkstemp` as a string
    except OSError:
        os.unlink(name)  # noqa: PTH108
        raise
