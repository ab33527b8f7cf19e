"""Undoes some edits of an operation; its other edits, and later changes, stay.

The operation's reply is planned again without those edits, with the options of the journal, on the files as they were.
The difference to what the operation wrote is the edits' own change. A three-way merge applies its reverse to the files
as they are now. Edits that were undone before are left out on both sides. If planning the whole reply again does not
give the same bytes, or the merge clashes, nothing is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dovetail.formats import parse
from dovetail.model.blocks import Block
from dovetail.model.codes import Code, Commands, Confidence, NewErrors, OnFailure, Status
from dovetail.model.errors import JournalError
from dovetail.model.results import FileChange, Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import COMMAND_FORMAT, plan, with_commands
from dovetail.session.apply.operations import UndoResult, edits_undone
from dovetail.session.apply.placing import placed
from dovetail.session.settings import ReplyOptions
from dovetail.syntax import default_language
from dovetail.workspace import Label, Operation, OperationState, Shown, Workspace
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.encoding import Decoded, encode, is_marked
from dovetail.workspace.journal.undo import Reversal, edited_since, merge_change, renamed_back, to_undo
from dovetail.workspace.root import in_git


def undo_edits(
    root: Path, wanted: str | None, edits: Sequence[int], options: ReplyOptions, *, dry_run: bool = False
) -> UndoResult:
    """Undo edits of an operation by number, by default of the newest; those already undone are skipped.

    options: how the reply is read if the journal has no options for it. Raises `JournalError`, with nothing changed.
    """
    with Workspace.open(root) as workspace:
        operations = workspace.log()
        operation = to_undo({op.id: op for op in operations}, wanted)
        undone = edits_undone(operations).get(operation.id, frozenset())
        left = tuple(n for n in dict.fromkeys(edits) if n not in undone)
        if not left:  # if the lines are there again, somebody else made them
            raise JournalError(
                f"There is nothing left of edit {min(edits)} to take back.", hint=f"See `dovetail show {operation.id}`"
            )
        options = options.from_record(operation.terms)
        workspace.charsets.encoding = options.encoding
        shown = workspace.show(operation.id)
        files = _files_without(shown, undone, frozenset(left), options)
        now = workspace.snapshot(files, tree=frozenset())
        back = renamed_back([operation])
        changes: list[FileChange] = []
        texts: dict[str, str | bytes | None] = {}
        for path, (base, rest) in files.items():
            ours = _text_now(now, operation, path)
            after = merge_change(operation, path, base=base.text, ours=ours, theirs=rest.text)
            # With equal texts a path may still have another file than before: two files of one text changed places.
            if after != ours or (after == base.text and rest.origin != base.origin):
                texts[path] = stored = _in_stored_bytes(
                    shown, workspace.charsets, path, rest, after, comes_back=ours is None
                )
                source = back.get(path) if ours is None else None
                file = now.files.get(path)
                marked = file is not None and file.marked
                marks = (marked, is_marked(stored) if isinstance(stored, bytes) else marked)
                changes.append(FileChange(path, ours, after, source, marks))
        if not changes:
            hint = f"See `dovetail show {operation.id}`"
            raise JournalError("There is nothing left of that to take back.", hint=hint)
        origins = {path: (base.origin, rest.origin) for path, (base, rest) in files.items()}
        reversal = Reversal(left, texts, now, origins)
        if dry_run:
            workspace.would_revert(operation.id, reversal)
        else:
            operation = workspace.revert(operation.id, reversal)
        return UndoResult(operation, tuple(changes), in_git(workspace.root), left, workspace.recovery)


def _text_now(now: Snapshot, operation: Operation, path: str) -> str | None:
    """Return the text of a file as it is now, None if there is none. Raises `JournalError` for one that is no text."""
    file = now.files.get(path)
    barred = file.detail if file is not None and file.problem is Code.UNREADABLE else now.refused.get(path)
    if barred is not None:
        raise JournalError(barred, hint=f"`dovetail show {operation.id}` has both versions.")
    if file is not None and file.text is None:
        raise edited_since(operation, path)
    return file.text if file is not None else None


@dataclass(frozen=True, slots=True)
class _PlannedFile:
    """A file as a plan leaves it. text: None for no file.

    origin: the path of this file before the operation; None if the operation made it.
    """

    text: str | None
    origin: str | None


def _in_stored_bytes(
    shown: Shown, charsets: Charsets, path: str, rest: _PlannedFile, text: str | None, *, comes_back: bool
) -> str | bytes | None:
    """Return the earlier bytes if a file gets its earlier text; a text in the earlier encoding if the file was gone.

    Any other text is returned as it is, None for no file. comes_back: there is no file at the path now.
    """
    versions = shown.versions[path if rest.origin is None else rest.origin]
    if text == versions.before_text:
        return versions.before
    if text is not None and comes_back and versions.before is not None:
        match charsets.decode(versions.before, path):
            case Decoded(_, encoding):
                return encode(text, encoding, path)
    return text


def _files_without(
    shown: Shown, undone: frozenset[int], edits: frozenset[int], options: ReplyOptions
) -> Mapping[str, tuple[_PlannedFile, _PlannedFile]]:
    """Return (file without the edits `undone`, file without `undone` and `edits`) by path, where the two differ.

    Raises `JournalError`.
    """
    operation = shown.operation
    if operation.label is not Label.APPLY or operation.state is not OperationState.DONE:
        message = f"Its edits cannot be taken back one by one: {operation.description} is no apply, or is undone."
        raise JournalError(message, hint="See `dovetail log`")
    applied = {r["n"]: r for r in shown.results if r["status"] == Status.WRITTEN}
    unknown = sorted(edits - set(applied))
    if unknown:
        raise JournalError(
            f"There is no edit {unknown[0]} among {operation.description}.", hint=f"See `dovetail show {operation.id}`"
        )
    blocks, everything = _blocks_as_written(shown, applied, options)
    base = _plan_without(shown, blocks, undone, options) if undone else everything
    rest = _plan_without(shown, blocks, undone | edits, options)
    return {path: (base[path], rest[path]) for path in shown.versions if rest[path] != base[path]}


def _blocks_as_written(
    shown: Shown, applied: Mapping[int, Mapping[str, Any]], options: ReplyOptions
) -> tuple[Mapping[int, Block], Mapping[str, _PlannedFile]]:
    """Return the applied blocks, by number, and the files that they give. Raises `JournalError`.

    The reply is parsed in the options' format, else in that of its results. Each block gets the line where it landed as
    a hint; if that does not give the same bytes, as a person chose another line, the line alone decides.
    """
    before = Snapshot.of({path: versions.before_text or "" for path, versions in shown.versions.items()})
    whole = f"Take back all of it: dovetail undo {shown.operation.id}"
    expected = [(result["format"], result["line"]) for result in shown.results]
    used = {int(line): path for line, path in (shown.operation.terms or {}).get("listings", {}).items()}
    commands = options.policy.commands
    if commands is Commands.LIST and any(form == COMMAND_FORMAT for form, _ in expected):
        commands = Commands.EDITS  # a person agreed to what they would change
    for name in dict.fromkeys([options.format, *(form for form, _ in expected)]):
        if name == COMMAND_FORMAT:
            continue
        parsed = placed(parse(shown.reply, format=name, markers=options.markers), before, used)
        found = with_commands(parsed, before, commands).blocks
        read = _in_order(found, expected)
        if len(read) == len(found) == len(expected):
            break
    else:
        raise JournalError(f"The reply behind {shown.operation.description} reads differently now.", hint=whole)
    # First the lines where edits landed are hints, as when it was planned; then they are fixed, as a person may have
    # chosen some. The first that gives the operation's bytes is used.
    for alone in (False, True):
        blocks = {n: _located(read[n - 1], result, alone=alone) for n, result in applied.items()}
        files, _ = _plan(shown, blocks, options)
        if all(files[path].text == versions.after_text for path, versions in shown.versions.items()):
            return blocks, files
    message = f"The reply behind {shown.operation.description} cannot be planned again to the same files."
    raise JournalError(message, hint=whole)


def _in_order(blocks: Sequence[Block], expected: Sequence[tuple[str, int]]) -> list[Block]:
    """Return the blocks in the journal's order, found by format and line.

    A turn may have several replies, and listings come after the other blocks of their own reply there.
    """
    left = list(blocks)
    found: list[Block] = []
    for wanted in expected:
        at = next((n for n, block in enumerate(left) if (block.format, block.line) == wanted), None)
        if at is not None:
            found.append(left.pop(at))
    return found


def _located(block: Block, result: Mapping[str, Any], *, alone: bool) -> Block:
    line = result["start"]
    hints = block.hints if line is None else replace(block.hints, line=line)
    block = replace(block.with_path(result["path"]), hints=hints)
    return block.at_line(hints.line) if alone and hints.line is not None else block


def _plan_without(
    shown: Shown, blocks: Mapping[int, Block], edits: frozenset[int], options: ReplyOptions
) -> Mapping[str, _PlannedFile]:
    """Return each file without some edits. Raises `JournalError` if another edit depends on them.

    Also if a file would stay at a path of which the journal has no version, as the operation made it there and then
    moved it on.
    """
    rest = {n: block for n, block in blocks.items() if n not in edits}
    files, planned = _plan(shown, rest, options)
    for n, result in zip(rest, planned.results, strict=True):
        if result.status is not Status.FITS:
            raise JournalError(
                f"Edit {n} depends on an edit that would be taken back.", hint=f"Take it back too: add --edit {n}"
            )
    for change in planned.changes:
        if change.path not in files:
            raise JournalError(
                f"Without that, a file would stay at `{change.path}`, where {shown.operation.description} left none.",
                hint=f"Take back all of it: dovetail undo {shown.operation.id}",
            )
    return files


def _plan(shown: Shown, blocks: Mapping[int, Block], options: ReplyOptions) -> tuple[Mapping[str, _PlannedFile], Plan]:
    """Apply blocks to the earlier versions of the operation's files; return the files, by path, and the plan."""
    files = {path: FileText(path, v.before_text) for path, v in shown.versions.items() if v.before is not None}
    policy = replace(
        options.policy,
        on_failure=OnFailure.BLOCK,
        only=None,
        # The edits were agreed to then, so no check refuses them now: this only computes what they did.
        min_confidence=Confidence.LOW,  # without some edits, others may be less sure, and leave what does not parse
        new_errors=NewErrors.WARN,
    )
    planned = plan(
        tuple(blocks.values()),
        Snapshot(files, frozenset(files)),
        policy,
        default_language(),
        numbers=tuple(blocks),
        steps=(shown.operation.terms or {}).get("steps", ()),
    )
    changes = {change.path: change for change in planned.changes}
    moved = {change.source for change in planned.changes}
    after: dict[str, _PlannedFile] = {}
    for path, versions in shown.versions.items():
        own, change = path if path in files and path not in moved else None, changes.get(path)
        text = versions.before_text if change is None else change.after
        # `own` is None for a path whose file moved away: a file there afterwards is another one.
        origin = own if change is None else change.source or own
        after[path] = _PlannedFile(text, origin if text is not None else None)
    return after, planned
