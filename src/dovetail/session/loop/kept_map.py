"""The repository's map for a conversation: kept up to date on disk, rendered for what the chat is about."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.context import Interest, RepositoryMap, estimate, interest_in
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.own_folder import existing_folder, own_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dovetail.context import MapView
    from dovetail.workspace import Workspace

DEFAULT_TOKENS = 1_024


class KeptMap:
    """The map of one root; it is read from its cache when it is first asked for.

    The cache is kept where `.dovetail` exists already: looking at a project leaves nothing behind. With `keep` False
    one that exists is read, and nothing is written at all.
    """

    def __init__(self, workspace: Workspace, *, keep: bool = True) -> None:
        self._workspace = workspace
        self._keep = keep
        self._map: RepositoryMap | None = None

    def view(self, tokens: int, request: str, held: Iterable[str], tree: frozenset[str]) -> MapView:
        """The map in at most `tokens` tokens, for a request and the files that the chat holds."""
        if self._map is None:
            self._map = RepositoryMap(self._cache(), keep=self._keep)
        self._map.update({path: _stamp(self._workspace.root / path) for path in sorted(tree)}, self._read)
        interest = interest_in(request, tree, held) if request else Interest(frozenset(held))
        return self._map.render(tokens, self._read, interest=interest, count=estimate)

    def _cache(self) -> Path | None:
        root = self._workspace.root
        found = existing_folder(root, "map")
        if found is None and self._keep and (root / JOURNAL_FOLDER).is_dir():
            return own_folder(root, "map")
        return found

    def _read(self, path: str) -> str | None:
        file = self._workspace.snapshot([path], tree=frozenset()).files.get(path)
        return file.text if file is not None else None


def _stamp(file: Path) -> str:
    """A word that changes when the file does; "" where it cannot be asked."""
    try:
        info = os.stat(file, follow_symlinks=False)  # noqa: PTH116 - thousands of times, and nothing is opened
    except OSError:
        return ""
    return f"{info.st_mtime_ns}-{info.st_size}"
