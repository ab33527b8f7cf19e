"""The files as they are before a plan: values read once, by whoever may read files; and how two paths relate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from dovetail.model.arguments import check_texts
from dovetail.model.codes import Code

FIRST_BYTE = 0xEF80
"""The character that stands for the byte 0x80 in the text of a file whose encoding is not known; the others follow."""


def folders_above(path: str) -> Iterator[str]:
    """Every folder that holds a path, outermost first."""
    return accumulate(path.split("/")[:-1], "{}/{}".format)


def one_above(one: str, other: str) -> bool:
    """Return whether one of two paths lies below the other, so that they cannot both be files."""
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")


def from_root(path: str, root: str) -> str:
    """Return an absolute path below the folder `root` relative to it; any other path unchanged."""
    prefix = f"{root}/"
    has_drive = prefix[1:3] == ":/"  # where names in another case are the same
    begins = path[: len(prefix)]
    if not root or not (begins == prefix or (has_drive and begins.casefold() == prefix.casefold())):
        return path
    # the root itself names no file below it, and stays as it is
    return path[len(prefix) :].lstrip("/") or path


@dataclass(frozen=True, slots=True)
class FileText:
    """One file that exists.

    path: relative to the root, ``/`` as separator.
    text: its decoded text with its line ends as they are, a BOM left out; None where `problem` says why.
    problem: why it cannot be edited (`binary`, `encoding`, `unreadable`, `read-only`, `outside-root`); a read-only
    file has text.
    seen: the text that the model saw; None where nobody knows.
    digest: identity of the bytes on disk (sha-256, hex); "" for a file that lives in memory only.
    detail: one sentence about `problem` for a person.
    link: the path is a link to the file, and no name of its own.
    marked: its bytes begin with a byte-order mark of UTF-8.
    ascii_only: its encoding is not known. Each byte beyond ASCII is a character of `text` (`FIRST_BYTE` and those
    behind it), and an edit may quote and bring nothing but ASCII.
    """

    path: str
    text: str | None
    problem: Code | None = None
    seen: str | None = None
    digest: str = ""
    detail: str | None = None
    link: bool = False
    marked: bool = False
    ascii_only: bool = False

    @property
    def is_stale(self) -> bool:
        """Whether the file's text differs from the one that the model saw."""
        return self.seen is not None and self.seen != self.text


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files that a plan may use, as they were at one moment. All paths are relative to the root, with ``/``.

    files: path to text, of the files that were read.
    tree: every path that exists, read or not. A block that needs a file which is here and not in `files` fails as
    `file-missing`, so whoever makes a snapshot asks `plan.wanted_paths` first which files to read.
    refused: paths that must not be opened, each with the sentence that says why.
    folders: paths of `tree` that are links to folders; files may stand below them.
    aliases: path to another path of the same file, as links and second names have it. What is to be written to the
    first is written to the second.
    shared: paths of files that have a further name, a hard link, outside of the root.
    fixed: paths whose folder lets nothing be made, removed or renamed. A file there may still be edited.
    """

    files: Mapping[str, FileText]
    tree: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Snapshot:
        """Make one from texts in memory. Raises `UsageError` for anything but a mapping from path to text."""
        check_texts(texts)
        return cls({path: FileText(path, text) for path, text in texts.items()}, frozenset(texts))

    @property
    def paths(self) -> frozenset[str]:
        """Every path that exists."""
        return self.tree | frozenset(self.files)
