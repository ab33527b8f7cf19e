"""Which files a conversation holds, and how the model is shown them.

A file is editable or for reading only; every other one that exists is not in the chat. What the model was shown is
kept, so that a reply is planned against that text too. Reads through the workspace alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dovetail.context import estimate, show_file
from dovetail.llm.assemble import ShownFile, files_message
from dovetail.model.codes import Code
from dovetail.model.errors import UsageError
from dovetail.model.snapshot import FileText, Snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from dovetail.model.results import BlockResult
    from dovetail.workspace import Workspace

_DIGEST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class HeldFiles:
    """Paths in the order in which they were added; none is in both."""

    editable: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, editable ones first."""
        return self.editable + self.read_only

    @property
    def record(self) -> dict[str, list[str]]:
        """Them as JSON."""
        return {"editable": list(self.editable), "read_only": list(self.read_only)}

    def adding(self, path: str, *, read_only: bool = False) -> HeldFiles:
        """With a file more, or one that changes sides."""
        rest = self.dropping(path)
        if read_only:
            return replace(rest, read_only=(*rest.read_only, path))
        return replace(rest, editable=(*rest.editable, path))

    def dropping(self, path: str) -> HeldFiles:
        """Without a file."""
        return HeldFiles(tuple(p for p in self.editable if p != path), tuple(p for p in self.read_only if p != path))

    def guarding(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot where files for reading cannot be edited, and those outside of the chat wait for the user."""
        return replace(snapshot, files={path: self._guarded(file) for path, file in snapshot.files.items()})

    def _guarded(self, file: FileText) -> FileText:
        if file.path in self.read_only and file.problem in (None, Code.READ_ONLY):
            said = f"`{file.path}` is in the conversation for reading only."
            return replace(file, problem=Code.READ_ONLY, detail=said)
        if file.problem is not None or file.path in self.editable:
            return file
        said = f"`{file.path}` exists and is not in the conversation."
        return replace(file, problem=Code.NOT_IN_CHAT, detail=said)

    def holds_back(self, result: BlockResult) -> bool:
        """Whether an edit fails for how the conversation holds its file, and not for what is on the disk."""
        return result.code is Code.NOT_IN_CHAT or (result.code is Code.READ_ONLY and result.path in self.read_only)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model is shown: files as messages take them, the full text of each, sentences about those left out."""

    editable: tuple[ShownFile, ...]
    read_only: tuple[ShownFile, ...]
    texts: Mapping[str, str]
    left_out: tuple[str, ...] = ()

    @property
    def messages(self) -> list[str]:
        """The files as a model reads them, those for reading only apart."""
        sides = ((self.editable, False), (self.read_only, True))
        return [files_message(files, read_only=side).content for files, side in sides if files]


def show_held(workspace: Workspace, held: HeldFiles, limit: int | None) -> Shown:
    """Read the held files as they are now. `limit` is the most tokens for one file; beyond, it is an excerpt."""
    snapshot = workspace.snapshot(held.paths, tree=frozenset())
    left_out = tuple(said for path in held.paths if (said := _unreadable(path, snapshot)) is not None)
    texts = {path: file.text for path, file in snapshot.files.items() if file.text is not None}

    def shown(paths: Iterable[str]) -> tuple[ShownFile, ...]:
        return tuple(_shown(snapshot.files[path], texts[path], limit) for path in paths if path in texts)

    return Shown(shown(held.editable), shown(held.read_only), texts, left_out)


def _shown(file: FileText, text: str, limit: int | None) -> ShownFile:
    made = show_file(file.path, text, digest=file.digest, limit=limit, count=estimate)
    return ShownFile(made.path, made.text, made.language, made.digest[:_DIGEST_SHOWN], made.excerpt)


def _unreadable(path: str, snapshot: Snapshot) -> str | None:
    file = snapshot.files.get(path)
    if file is None:
        return snapshot.refused.get(path) or f"`{path}` does not exist (any more); the model is not shown it."
    if file.text is not None:
        return None
    detail = file.detail or "It is no text."
    return detail if f"`{path}`" in detail else f"`{path}` cannot be shown. {detail}"


def with_files(
    workspace: Workspace, held: HeldFiles, editable: Iterable[str], read_only: Iterable[str] = ()
) -> HeldFiles:
    """The files that are held, and more; all of them or none. Raises `UsageError` where one cannot be shown."""
    for paths, side in ((editable, False), (read_only, True)):
        for path in paths:
            check_readable(workspace, path)
            held = held.adding(path, read_only=side)
    return held


def check_readable(workspace: Workspace, path: str) -> None:
    """Make sure that a file can be shown. Raises `UsageError` with the reason."""
    if _is_folder(workspace.root / path):
        raise UsageError(f"`{path}` is a folder.", hint="Name the files in it that are to be shown.")
    snapshot = workspace.snapshot([path], tree=frozenset())
    if path in snapshot.files or path in snapshot.refused:
        reason = _unreadable(path, snapshot)
        if reason is not None:
            raise UsageError(reason, hint="Name a text file under the root.")
        return
    raise UsageError(f"There is no file `{path}`.", hint="Check its name; new files need not be named.")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name longer than any can be
        return False
