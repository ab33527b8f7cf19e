"""The repository's map for a conversation, and the message that shows files, excerpts and the map to any model.

Within a budget the files come first, each in its share if they do not fit whole; the map gets what they leave.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dovetail.context import FILE_LIMIT, Interest, MapView, RepositoryMap, TreeContext, estimate, interest_in
from dovetail.llm.assemble import map_message
from dovetail.llm.prompts.texts import fence_around
from dovetail.model.errors import UsageError
from dovetail.session.conversation.chat_files import ChatFiles, check_readable, show_files
from dovetail.workspace import Workspace
from dovetail.workspace.journal.store import existing_folder, private_folder
from dovetail.workspace.names import JOURNAL_FOLDER

DEFAULT_TOKENS = 1_024
"""The most tokens of the map by default."""

MAX_FOUND = 200
"""The most files whose matches of a pattern are shown."""

_FOUND = "These are the lines that match `{pattern}`, with what encloses them:"


class ChatMap:
    """The map of one root, read from its cache when it is first asked for.

    The cache is kept if `.dovetail` exists already: looking at a project leaves nothing behind. With `keep` False an
    existing cache is read and nothing is written.
    """

    def __init__(self, workspace: Workspace, *, keep: bool = True) -> None:
        self._workspace = workspace
        self._keep = keep
        self._map: RepositoryMap | None = None

    def view(self, tokens: int, request: str, paths: Iterable[str], tree: frozenset[str]) -> MapView:
        """Return the map in at most `tokens` tokens, for a request and the `paths` that the chat holds."""
        if self._map is None:
            root = self._workspace.root
            self._keep = self._keep and self._workspace.refusal() is None  # a cache may have come with a clone
            folder = existing_folder(root, "map")
            if folder is None and self._keep and (root / JOURNAL_FOLDER).is_dir():
                folder = private_folder(root, "map")
            self._map = RepositoryMap(folder, keep=self._keep)
        self._map.update({path: _stamp(self._workspace.root / path) for path in sorted(tree)}, self._read)
        interest = interest_in(request, tree, paths) if request else Interest(frozenset(paths))
        return self._map.render(tokens, self._read, interest=interest, count=estimate)

    def _read(self, path: str) -> str | None:
        file = self._workspace.snapshot([path], tree=frozenset()).files.get(path)
        return file.text if file is not None else None


def _stamp(file: Path) -> str:
    """Return a text that changes when the file does (time and size); "" if the file cannot be read."""
    try:
        info = os.stat(file, follow_symlinks=False)  # noqa: PTH116 - thousands of times, and nothing is opened
    except OSError:
        return ""
    return f"{info.st_mtime_ns}-{info.st_size}"


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """The contents of the message. pattern: a regular expression to find in `files`, or in all files if none is named.

    limit: the most tokens for one file, None for no limit. budget: the most for the whole message, None for no limit.
    """

    files: ChatFiles
    pattern: str | None = None
    ignore_case: bool = False
    limit: int | None = FILE_LIMIT
    budget: int | None = None
    with_map: bool = False


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """The message, empty if there is nothing to show; `shown` are its files, `in_part` those that are excerpts.

    no_room: there is a map, and the budget leaves no room for any of it.
    """

    text: str
    shown: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()
    no_room: bool = False


def context_message(workspace: Workspace, request: ContextRequest) -> ContextMessage:
    """Read the files and compose the message.

    Raises `UsageError` for a file that cannot be shown, a pattern that finds nothing, a budget that is too small, and
    `re.error` for a pattern that is no regular expression.
    """
    for path in request.files.paths:
        check_readable(workspace, path)
    in_part: tuple[str, ...] = ()
    if request.pattern is None:
        shown = request.files.paths
        parts, in_part = _files(workspace, request)
    else:
        excerpts = _excerpts(workspace, request, request.pattern)
        shown, parts = tuple(excerpts), [_FOUND.format(pattern=request.pattern), *excerpts.values()]
    text = "\n\n".join(parts)
    if request.budget is not None and estimate(text) > request.budget:
        raise UsageError(
            f"What was asked for is about {estimate(text):,} tokens, above {request.budget:,}.",
            hint="Name fewer files, or allow more tokens.",
        )
    outline, no_room = _outline(workspace, request, shown, text) if request.with_map else ("", False)
    whole = "\n\n".join(part for part in (text, outline) if part)
    return ContextMessage(whole + "\n" if whole else "", shown, in_part, no_room)


def _files(workspace: Workspace, request: ContextRequest) -> tuple[list[str], tuple[str, ...]]:
    """Return the messages with the files, each whole up to its limit, and the paths of those that are excerpts.

    If they do not fit the budget, each file gets a share of it.
    """
    limits: list[int | None] = [request.limit]
    if request.budget is not None and request.files.paths:
        # Excerpts come out shorter or longer than asked, so smaller shares are tried until all fits.
        for share in (0.9, 0.6, 0.3, 0.1):
            tokens = int(request.budget * share / len(request.files.paths))
            limits.append(tokens if request.limit is None else min(request.limit, tokens))
    for limit in limits:
        shown = show_files(workspace, request.files, limit)
        if request.budget is None or estimate("\n\n".join(shown.messages)) <= request.budget:
            break
    return shown.messages, tuple(path for path in request.files.paths if path in shown.in_part)


def _excerpts(workspace: Workspace, request: ContextRequest, pattern: str) -> dict[str, str]:
    """Return, by path, the lines of each file that match, with the headers around them."""
    found: dict[str, str] = {}
    for path in request.files.paths or sorted(workspace.tree()):
        file = workspace.snapshot([path], tree=frozenset()).files.get(path)
        if file is None or file.text is None:
            continue
        tree = TreeContext(path, file.text, line_number=False)
        if not tree.grep(pattern, request.ignore_case):
            continue
        tree.add_lines_of_interest(tree.lines_of_interest)
        tree.add_context()
        text = tree.format()
        found[path] = f"{path}\n{fence_around([text]).around(text)}"
        if len(found) == MAX_FOUND:
            break
    if not found:
        raise UsageError(f"Nothing matches `{pattern}`.", hint="Check the pattern, or name other files.")
    return found


def _outline(workspace: Workspace, request: ContextRequest, shown: tuple[str, ...], text: str) -> tuple[str, bool]:
    """Return the message with the map of the files that are not shown, and whether the budget has no room for it."""
    chat_map, tree = ChatMap(workspace), workspace.tree()

    def outline(tokens: int) -> str:
        return chat_map.view(tokens, request.pattern or "", shown, tree).text

    left = DEFAULT_TOKENS
    if request.budget is not None:
        left = max(0, request.budget - estimate(text) - estimate(map_message("").content))
    fitting = outline(left)
    if fitting:
        return map_message(fitting).content, False
    return "", left < DEFAULT_TOKENS and bool(outline(DEFAULT_TOKENS))
