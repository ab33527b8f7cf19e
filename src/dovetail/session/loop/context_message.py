"""Files, or what a pattern finds in them, and a map of the other files: one message to a model, to be taken anywhere.

Within a budget the files come first, each in its share where they do not fit whole; the map has what they leave.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.context import FILE_LIMIT, TreeContext, estimate
from dovetail.llm.assemble import map_message
from dovetail.llm.prompts.texts import fence_around
from dovetail.model.errors import UsageError
from dovetail.session.loop.held_files import HeldFiles, check_readable, show_held
from dovetail.session.loop.kept_map import DEFAULT_TOKENS, KeptMap
from dovetail.workspace import Workspace

MOST_FOUND = 200
"""Files that a pattern is shown in."""

_FOUND_SAID = "These are the lines that match `{pattern}`, with what encloses them:"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the message is to show. `pattern` is looked for in the held files, or in all where none is held.

    limit: the most tokens for one file, None for all of it. budget: the most for everything.
    """

    held: HeldFiles
    pattern: str | None = None
    ignore_case: bool = False
    limit: int | None = FILE_LIMIT
    budget: int | None = None
    with_map: bool = False


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """The message, empty where there is nothing to show; `shown` are its files, and of those `in_part` not all.

    no_room: there is a map, and the budget leaves no room for any of it.
    """

    text: str
    shown: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()
    no_room: bool = False


def context_message(workspace: Workspace, wanted: Wanted) -> ContextMessage:
    """Read the files, and compose the message. The pattern is a regular expression, and `re.error` is raised for none.

    Raises `UsageError` for a file that cannot be shown, a pattern that finds nothing, a budget that is too small.
    """
    for path in wanted.held.paths:
        check_readable(workspace, path)
    in_part: tuple[str, ...] = ()
    if wanted.pattern is None:
        shown = wanted.held.paths
        parts, in_part = _files(workspace, wanted)
    else:
        excerpts = _excerpts(workspace, wanted, wanted.pattern)
        shown, parts = tuple(excerpts), [_FOUND_SAID.format(pattern=wanted.pattern), *excerpts.values()]
    text = "\n\n".join(parts)
    if wanted.budget is not None and estimate(text) > wanted.budget:
        raise UsageError(
            f"What was asked for is about {estimate(text):,} tokens, above {wanted.budget:,}.",
            hint="Name fewer files, or allow more tokens.",
        )
    outline, no_room = _map(workspace, wanted, shown, text) if wanted.with_map else ("", False)
    whole = "\n\n".join(part for part in (text, outline) if part)
    return ContextMessage(whole + "\n" if whole else "", shown, in_part, no_room)


def _files(workspace: Workspace, wanted: Wanted) -> tuple[list[str], tuple[str, ...]]:
    """The files, each whole up to its limit; where they do not fit the budget, each in its share of it."""
    shares: list[int | None] = [wanted.limit]
    if wanted.budget is not None and wanted.held.paths:
        for share in (0.9, 0.6, 0.3, 0.1):
            tokens = int(wanted.budget * share / len(wanted.held.paths))
            shares.append(tokens if wanted.limit is None else min(wanted.limit, tokens))
    for limit in shares:
        shown = show_held(workspace, wanted.held, limit)
        if wanted.budget is None or estimate("\n\n".join(shown.messages)) <= wanted.budget:
            break
    return shown.messages, tuple(file.path for file in (*shown.editable, *shown.read_only) if file.excerpt)


def _excerpts(workspace: Workspace, wanted: Wanted, pattern: str) -> dict[str, str]:
    """The lines that match, with what encloses them, of each file that has any."""
    found: dict[str, str] = {}
    for path in wanted.held.paths or sorted(workspace.tree()):
        file = workspace.snapshot([path], tree=frozenset()).files.get(path)
        if file is None or file.text is None:
            continue
        tree = TreeContext(path, file.text, line_number=False)
        if not tree.grep(pattern, wanted.ignore_case):
            continue
        tree.add_lines_of_interest(tree.lines_of_interest)
        tree.add_context()
        text = tree.format()
        found[path] = f"{path}\n{fence_around([text]).around(text)}"
        if len(found) == MOST_FOUND:
            break
    if not found:
        raise UsageError(f"Nothing matches `{pattern}`.", hint="Check the pattern, or name other files.")
    return found


def _map(workspace: Workspace, wanted: Wanted, shown: tuple[str, ...], text: str) -> tuple[str, bool]:
    """The map of the files that are not shown, and whether there is one that does not fit at all."""
    kept, tree = KeptMap(workspace), workspace.tree()

    def outline(tokens: int) -> str:
        return kept.view(tokens, wanted.pattern or "", shown, tree).text

    left = DEFAULT_TOKENS
    if wanted.budget is not None:
        left = max(0, wanted.budget - estimate(text) - estimate(map_message("").content))
    fitting = outline(left)
    if fitting:
        return map_message(fitting).content, False
    return "", left < DEFAULT_TOKENS and bool(outline(DEFAULT_TOKENS))
