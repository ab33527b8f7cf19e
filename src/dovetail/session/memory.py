"""Files in memory as a plan may use them: refused where no root would allow the path, as on a disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dovetail.model.errors import JailError
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.workspace.names import check_path


def snapshot_of(files: Mapping[str, str], wanted: Iterable[str], seen: Mapping[str, str] | None = None) -> Snapshot:
    """The snapshot of `files` (path to text) for a reply that wants the paths `wanted`.

    `seen` has the texts that the model saw, by path, where they are not what the files say now.
    """
    refused: dict[str, str] = {}
    for path in wanted:
        try:
            check_path(path)
        except JailError as error:
            refused[path] = error.message
    known = seen or {}
    texts = {
        path: FileText(path, text, seen=known[path] if known.get(path, text) != text else None)
        for path, text in files.items()
        if path not in refused
    }
    return Snapshot(texts, frozenset(files), refused)
