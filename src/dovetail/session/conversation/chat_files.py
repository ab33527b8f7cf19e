"""The files of a conversation: which they are, how the model sees them, and which others a reply asks for.

A file is editable or read-only; every other one that exists is not in the chat. The text that the model was shown is
kept, so that a reply is planned against that text too. Files are read through the workspace alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from dovetail.context import estimate, lines_about, show_file
from dovetail.llm.assemble import ShownFile, files_message
from dovetail.model.codes import Code
from dovetail.model.errors import UsageError
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.workspace import Workspace

_DIGEST_LENGTH = 8
# A fence closes with at least as many signs; one that never closes reaches to the end.
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_AROUND = "`*_\"'“”‘’()[]{}<>,.;:!?"
# `a.py`/`b.py`, [a.py](src/a.py), "a.py"—b.py: words that hold several names.
_APART = re.compile(r"[`*\"“”‘;|…—]+|\]\(")
# a.py's, a.py:12, a.py:12-20, a.py#L3-L9
_BEHIND = re.compile(r"(?:['’]s|:\d[\d:-]*|#L\d[\dL-]*)$")
MAX_REQUESTED = 8
MAX_AT_ONCE = 100  # files of one folder or pattern that are added


@dataclass(frozen=True, slots=True)
class ChatFiles:
    """The paths of a conversation, in the order in which they were added; none is both editable and read-only."""

    editable: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, editable ones first."""
        return self.editable + self.read_only

    @property
    def record(self) -> dict[str, list[str]]:
        """The paths as JSON."""
        return {"editable": list(self.editable), "read_only": list(self.read_only)}

    def adding(self, path: str, *, read_only: bool = False) -> ChatFiles:
        """Return the files with one more, which is moved if it was there as editable or read-only."""
        rest = self.dropping(path)
        if read_only:
            return replace(rest, read_only=(*rest.read_only, path))
        return replace(rest, editable=(*rest.editable, path))

    def dropping(self, path: str) -> ChatFiles:
        """Return the files without one."""
        return ChatFiles(tuple(p for p in self.editable if p != path), tuple(p for p in self.read_only if p != path))

    def guarding(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with edits refused of read-only files, and of files that are not in the chat."""
        return replace(snapshot, files={path: self._guarded(file) for path, file in snapshot.files.items()})

    def _guarded(self, file: FileText) -> FileText:
        if file.path in self.read_only and file.problem in (None, Code.READ_ONLY):
            detail = f"`{file.path}` is in the conversation for reading only."
            return replace(file, problem=Code.READ_ONLY, detail=detail)
        if file.problem is not None or file.path in self.editable:
            return file
        return replace(file, problem=Code.NOT_IN_CHAT, detail=f"`{file.path}` exists and is not in the conversation.")

    def blocks(self, result: BlockResult) -> bool:
        """Return whether an edit failed because its file is read-only in the conversation, or not in it."""
        return result.code is Code.NOT_IN_CHAT or (result.code is Code.READ_ONLY and result.path in self.read_only)


def with_files(
    workspace: Workspace, files: ChatFiles, editable: Iterable[str], read_only: Iterable[str] = ()
) -> ChatFiles:
    """Return the conversation's files with further ones; all of these or none.

    A folder stands for the text files in it, a pattern (``src/*.py``) for those that match, unless git ignores them.
    Raises `UsageError` if a file cannot be shown, or a folder or pattern stands for none or too many.
    """
    for paths, side in ((editable, False), (read_only, True)):
        for path in paths:
            for file in _files_meant(workspace, path):
                files = files.adding(file, read_only=side)
    return files


def _files_meant(workspace: Workspace, path: str) -> list[str]:
    try:
        is_folder, exists = (workspace.root / path).is_dir(), (workspace.root / path).exists()
    except OSError:  # a name longer than any can be
        is_folder = exists = False
    if not is_folder and (exists or not any(sign in path for sign in "*?[")):
        check_readable(workspace, path)
        return [path]
    below = "" if path == "." else f"{path}/"
    fits = (lambda file: file.startswith(below)) if is_folder else (lambda file: fnmatchcase(file, path))
    meant = sorted(filter(fits, workspace.tree()))
    if len(meant) > MAX_AT_ONCE:
        raise UsageError(f"`{path}` means {len(meant)} files.", hint=f"Name at most {MAX_AT_ONCE} at once.")
    found = []
    for file in meant:
        with suppress(UsageError):  # a picture among the sources
            check_readable(workspace, file)
            found.append(file)
    if not found:
        raise UsageError(f"`{path}` means no file that can be shown.", hint="Name text files that git does not ignore.")
    return found


def check_readable(workspace: Workspace, path: str) -> None:
    """Raise `UsageError` with the reason if a file cannot be shown to a model."""
    try:
        is_folder = (workspace.root / path).is_dir()
    except OSError:  # a name longer than any can be
        is_folder = False
    if is_folder:
        raise UsageError(f"`{path}` is a folder.", hint="Name the files in it that are to be shown.")
    snapshot = workspace.snapshot([path], tree=frozenset())
    if path not in snapshot.files and path not in snapshot.refused:
        hint = f"Looked for it in {workspace.root}. Another folder: -C DIR. New files need not be named."
        raise UsageError(f"There is no file `{path}`.", hint=hint)
    reason = _why_not_shown(path, snapshot)
    if reason is not None:
        raise UsageError(reason, hint="Name a text file under the root.")


def _why_not_shown(path: str, snapshot: Snapshot) -> str | None:
    file = snapshot.files.get(path)
    if file is None:
        return snapshot.refused.get(path) or f"`{path}` does not exist (any more); the model is not shown it."
    if file.text is not None:
        return None
    detail = file.detail or "It is no text."
    return detail if f"`{path}`" in detail else f"`{path}` cannot be shown. {detail}"


@dataclass(frozen=True, slots=True)
class ShownFiles:
    """The files that a model is shown. texts: the whole text of each, by path. left_out: why others are not shown."""

    editable: tuple[ShownFile, ...]
    read_only: tuple[ShownFile, ...]
    texts: Mapping[str, str]
    left_out: tuple[str, ...] = ()

    @property
    def in_part(self) -> frozenset[str]:
        """Paths of the files that are excerpts."""
        return frozenset(file.path for file in (*self.editable, *self.read_only) if file.excerpt)

    @property
    def messages(self) -> list[str]:
        """The contents of the messages that show the editable files and the read-only ones."""
        sides = ((self.editable, False), (self.read_only, True))
        return [files_message(files, read_only=side).content for files, side in sides if files]


def show_files(
    workspace: Workspace, files: ChatFiles, limit: int | None, *, request: str = "", whole: Collection[str] = ()
) -> ShownFiles:
    """Read the files as they are now.

    limit: the most tokens for one file, None for no limit; a longer file that is not in `whole` becomes an excerpt,
    which takes the lines that the `request` is about first.
    """
    snapshot = workspace.snapshot(files.paths, tree=frozenset())
    left_out = tuple(why for path in files.paths if (why := _why_not_shown(path, snapshot)) is not None)
    texts = {path: file.text for path, file in snapshot.files.items() if file.text is not None}

    def shown(path: str) -> ShownFile:
        text, most = texts[path], None if path in whole else limit
        about = lines_about(path, text, request) if request and most is not None and estimate(text) > most else ()
        digest = snapshot.files[path].digest
        file = show_file(path, text, digest=digest, limit=most, interest=about, count=estimate)
        return ShownFile(file.path, file.text, file.language, file.digest[:_DIGEST_LENGTH], file.excerpt)

    editable, read_only = (tuple(shown(p) for p in paths if p in texts) for paths in (files.editable, files.read_only))
    return ShownFiles(editable, read_only, texts, left_out)


def requested_files(reply: str, tree: Collection[str], known: Collection[str]) -> tuple[str, ...]:
    """Return the paths that the reply's prose names, exist, and are not `known`, in order; at most `MAX_REQUESTED`.

    A name counts if it is a path, or the end of exactly one, even if it is part of a link, or has a line number or a
    possessive after it. Names inside code fences do not count, as code is full of them.
    """
    index = PathIndex(tree)
    named = (path for word in _FENCED.sub("\n", reply).split() for path in _paths_in(word, index))
    return tuple(dict.fromkeys(path for path in named if path not in known))[:MAX_REQUESTED]


class PathIndex:
    """Finds paths that exist by their ends."""

    def __init__(self, tree: Collection[str]) -> None:
        self.all = tree if isinstance(tree, set | frozenset) else frozenset(tree)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in tree:
            self._by_name[path.rpartition("/")[2]].append(path)

    def ending(self, name: str) -> str | None:
        """Return the only path that ends with `/name`; None if there is none, or several."""
        fitting = [path for path in self._by_name.get(name.rpartition("/")[2], ()) if path.endswith("/" + name)]
        return fitting[0] if len(fitting) == 1 else None


def _paths_in(word: str, index: PathIndex) -> Iterator[str]:
    """Yield the path that a word names as a whole, else those that its parts name."""
    quoted = "`" in word
    for part in dict.fromkeys((word, *_APART.split(word))):
        path = _path_for(part, index, quoted=quoted)
        if path is not None:
            yield path
            if part == word:
                return


def _path_for(word: str, index: PathIndex, *, quoted: bool) -> str | None:
    """Return the path that a word names, as it is or without the punctuation and line numbers around it; else None."""
    plain = word.replace("\\", "/")
    stripped = plain.strip(_AROUND)
    leading = plain.rstrip(_AROUND).lstrip("`*_\"'“‘(<")  # a name may begin with a dot
    for spelled in dict.fromkeys((plain, leading, stripped, _BEHIND.sub("", stripped), _BEHIND.sub("", leading))):
        name = spelled.removeprefix("./")
        if name and name in index.all:
            return name if "." in name or "/" in name or quoted else None  # `make` is a word as well
        if "." in name.lstrip(".") and (path := index.ending(name)) is not None:
            return path
    return None
