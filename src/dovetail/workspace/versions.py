"""Both versions of each file of an operation, as bytes and, where they are text, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.workspace.encoding import Decoded, decode
from dovetail.workspace.operation import FileRecord, FileVersions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def versions_of(files: Iterable[FileRecord], fetch: Callable[[str], bytes]) -> dict[str, FileVersions]:
    """Both versions of each file, by path."""
    found: dict[str, FileVersions] = {}
    for record in files:
        before = None if record.before is None else fetch(record.before.digest)
        after = None if record.after is None else fetch(record.after.digest)
        found[record.path] = FileVersions(before, after, _text(before), _text(after))
    return found


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    match decode(data):
        case Decoded(text):
            return text
        case _:
            return None
