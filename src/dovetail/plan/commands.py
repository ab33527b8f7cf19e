"""Reads the commands of a reply as edits: the files that they would leave, as blocks, or why they are unread.

If files have changed since the model saw them, commands are followed over the texts that it saw: their blocks quote the
whole file as it was, so that the plan merges. All commands of a reply are followed in order, and are edits together or
not at all. Beside edits in another form they are none, as their order is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dovetail.model.blocks import Block, Kind, Parsed, ShellSuggestion
from dovetail.model.codes import Code, Commands, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.snapshot import Snapshot
from dovetail.shell import FollowedChange, NotReadError, changes_files, follow

COMMAND_FORMAT = "shell"
"""The format of the blocks."""
_HINT = "Send the change as a search/replace block, or as a command of plain writes, `sed -i`, `mv` and `rm`."
_AS_EDITS = "Send the change as a search/replace block."
_MOST_NAMED = 3
_MARK = "\ufeff"
_ORIGINS = {Commands.LIST: (), Commands.CALLS: ("tool-call",), Commands.EDITS: ("tool-call", "fence", "inline")}


def with_commands(
    parsed: Parsed, snapshot: Snapshot, commands: Commands, *, root: str = "", folder: str = ""
) -> Parsed:
    """Return the reply with the commands that `commands` asks for read as blocks, if all of each is understood.

    A command that may change files, but is not understood or not asked for, is unread: the reason names the part that
    is not understood, or the files that would change. root: the absolute path of the snapshot's root. folder: where
    commands start that do not say it.
    """
    asked = _ORIGINS[commands]
    # even if no commands are asked for, one in a call was meant to run: its changes are reported
    calls = [said for said in parsed.shell_suggestions if said.origin in (asked or _ORIGINS[Commands.CALLS])]
    if not calls:
        return parsed
    try:
        if any(not block.draft for block in parsed.blocks):
            raise NotReadError("a command beside other edits, of which nothing says what comes first")
        found, before = _followed(calls, snapshot, root, folder)
        blocks = tuple(_blocks(found, before, snapshot, calls[-1]))
        why, hint = (f"It would change {_listed(sorted(found))}", _AS_EDITS) if found and not asked else ("", "")
    except NotReadError as reason:
        blocks, why, hint = (), f"Dovetail does not follow {reason}", _HINT
    kept = tuple(block for block in parsed.unread if not _is_of(block, calls))
    changing = [said for said in calls if changes_files(said.command)]
    if why:
        return replace(parsed, unread=(*kept, *(_unread(said, why, hint) for said in changing)))
    notes = () if found else tuple(_note(said, "It would change no file that is known") for said in changing)
    read = replace(parsed, unread=kept, diagnostics=(*parsed.diagnostics, *notes))
    return replace(read, blocks=(*parsed.blocks, *blocks)) if asked else read


def _followed(
    calls: list[ShellSuggestion], snapshot: Snapshot, root: str, folder: str
) -> tuple[dict[str, FollowedChange], Mapping[str, str]]:
    """Return the changes that the commands make, and the texts before. Raises `NotReadError`.

    Files keep their line ends: a command must do the same to CR LF as to LF. They keep their byte-order mark, which a
    command sees as the first character. A file of an unknown encoding has no text here.
    """
    texts = {
        path: _MARK * file.marked + text
        for path, file in snapshot.files.items()
        if (text := file.seen or file.text) is not None and not (file.link or file.ascii_only)
    }
    links = {*snapshot.folders, *snapshot.aliases, *(path for path, file in snapshot.files.items() if file.link)}

    def follow_all(known: Mapping[str, str]) -> dict[str, FollowedChange]:
        found, now, there = dict[str, FollowedChange](), dict(known), set(snapshot.paths)
        for said in calls:
            starts = said.folder or folder
            for change in follow(said.command, now, there, links=links, root=root, folder=starts):
                _take(change, found, now, there)
        return found

    found = follow_all(texts)
    # `sed -i 's/a$/b/'` finds no `a` before a CR. So the commands are followed over both forms of the texts; only if
    # they do the same to both is the result used, and the plan merges it into the file with its own line ends.
    if any("\r" in text for text in texts.values()):
        texts = {path: text.replace("\r\n", "\n") for path, text in texts.items()}
        other = follow_all(texts)
        if other != {p: replace(one, text=one.text and one.text.replace("\r\n", "\n")) for p, one in found.items()}:
            raise NotReadError("a command that meets carriage returns")
        found = other
    marked = {path for path, text in texts.items() if text.startswith(_MARK)}
    for path, change in found.items():
        if change.text is not None and (path in marked) != change.text.startswith(_MARK):
            raise NotReadError(f"what becomes of the byte-order mark of `{path}`")
        found[path] = replace(change, text=change.text and change.text.removeprefix(_MARK))
    return found, {path: text.removeprefix(_MARK) for path, text in texts.items()}


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"`{name}`" for name in names[:_MOST_NAMED]) + more


def _take(change: FollowedChange, found: dict[str, FollowedChange], now: dict[str, str], paths: set[str]) -> None:
    """Record a change of one command in `found`, and in the files that the next command sees."""
    origin = change.origin
    # `mv a b` and `mv b c`: c comes from a
    if origin is not None and origin in found:
        origin = found[origin].origin
    found[change.path] = replace(change, origin=origin)
    if change.text is not None:
        now[change.path] = change.text
        paths.add(change.path)
    else:
        now.pop(change.path, None)
        if change.origin is None:
            paths.discard(change.path)
        else:
            paths.add(change.path)


def _blocks(
    found: Mapping[str, FollowedChange], known: Mapping[str, str], snapshot: Snapshot, said: ShellSuggestion
) -> Iterator[Block]:
    """Yield the blocks that make the commands' changes."""
    moved = {change.origin for change in found.values() if change.origin is not None}
    for path, change in found.items():
        block = Block(COMMAND_FORMAT, Kind.EDIT, path, "", "", said.command, said.line)
        # A file that was moved to a new path: an edit that moves it, if both texts can be quoted; else a rename, and
        # then the new text.
        if change.origin is not None and path not in known:
            before, after = known.get(change.origin), change.text
            block = block.with_path(change.origin)
            if before == after or not before or not after:
                yield replace(block, kind=Kind.RENAME, destination=path)
                if before == after:
                    continue
                block = replace(block, path=path)
                yield _text_of(block, "", after or "")
            else:
                yield replace(_text_of(block, before, after), destination=path)
        elif change.text is None:
            # another block moves it away, or it existed only between two commands
            if path in moved or (path not in known and change.origin is not None):
                continue
            yield replace(block, kind=Kind.DELETE)
        elif path not in snapshot.paths:
            yield replace(block, kind=Kind.CREATE, replace=change.text, readings=())
        elif known.get(path) != change.text:
            yield _text_of(block, known.get(path, ""), change.text)


def _text_of(block: Block, before: str, after: str) -> Block:
    """Return the block changed to turn one text of its file into another."""
    if before and after:
        opened = before.endswith("\n") and not after.endswith("\n")  # else the file's last line keeps its end
        last_end = False if opened else None
        return replace(block, search=before, replace=after, readings=(), inline=True, last_end=last_end)
    return replace(block, kind=Kind.REWRITE, search="", replace=after, readings=())


def _is_of(block: Block, calls: list[ShellSuggestion]) -> bool:
    """Return whether an unread block is about one of these commands."""
    return any(
        block.line == said.line and block.format in ("tool-call", COMMAND_FORMAT) and block.raw in said.command
        for said in calls
    )


def _unread(said: ShellSuggestion, why: str, hint: str) -> Block:
    """Return the command as a block that is reported and never applied."""
    text = said.command
    return Block("tool-call", Kind.EDIT, None, "", text, text, said.line, malformed=_note(said, why, hint))


def _note(said: ShellSuggestion, why: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(Code.NO_BLOCKS, f"The command is not run. {why}.", Severity.NOTE, line=said.line, hint=hint)
