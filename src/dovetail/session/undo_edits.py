"""Takes back some edits of an operation and leaves its others, and later changes, where they are.

The idea: plan the operation's reply again, under the same terms and on the files as they were, without those edits; the
difference between that and what the operation wrote is what the edits did. Edits that were taken back before are in
neither. A three-way merge carries the reverse of it over to the files as they are now. Where the reply cannot be
planned again to the same bytes, or the merge clashes, nothing is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dovetail.formats import parse
from dovetail.model.blocks import Block, Parsed
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.dataclasses import replace
from dovetail.model.errors import JournalError
from dovetail.model.results import FileChange, Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan
from dovetail.session.emptied import edits_taken_back
from dovetail.session.history import TakenBack
from dovetail.session.settings import Settings
from dovetail.session.terms import under
from dovetail.syntax import default_language
from dovetail.workspace import Label, Operation, Shown, State, Workspace
from dovetail.workspace.encoding import is_marked
from dovetail.workspace.history import carried, edited, renamed_back, to_undo
from dovetail.workspace.root import in_git


def undo_edits(
    root: Path, wanted: str | None, edits: Sequence[int], settings: Settings, *, dry_run: bool = False
) -> TakenBack:
    """Take back the numbered edits of an operation; those that were taken back already are passed over.

    Raises `JournalError`, with nothing changed.
    """
    with Workspace.open(root) as workspace:
        operations = workspace.log()
        operation = to_undo({op.id: op for op in operations}, wanted)
        taken_back = edits_taken_back(operations).get(operation.id, frozenset())
        edits = _standing(operation.id, edits, taken_back)
        shown = workspace.show(operation.id)
        settings = under(operation.terms, settings)
        texts = _without(shown, taken_back, frozenset(edits), settings)
        now = workspace.snapshot(texts, tree=frozenset())
        back = renamed_back(operation)
        changes = []
        for path, (base, wanted_text) in texts.items():
            ours = _text_now(now, operation, path)
            after = carried(operation, path, base=base, ours=ours, theirs=wanted_text)
            if after != ours:
                source = back.get(path) if ours is None else None
                changes.append(FileChange(path, ours, after, source, _marks(now, shown, path)))
        if not changes:
            raise JournalError(
                "There is nothing left of that to take back.", hint=f"See `dovetail show {operation.id}`"
            )
        wanted_texts = {change.path: _bytes_or_text(shown, change) for change in changes}
        made = operation
        if dry_run:
            workspace.would_revert(operation.id, wanted_texts, now, edits)
        else:
            made = workspace.revert(operation.id, wanted_texts, now, edits)
        return TakenBack(made, tuple(changes), in_git(workspace.root), tuple(edits), workspace.recovery)


def _marks(now: Snapshot, shown: Shown, path: str) -> tuple[bool, bool]:
    """Whether a file has a byte-order mark, and will have: one that comes back has its own."""
    file = now.files.get(path)
    return (file.marked, file.marked) if file is not None else (False, is_marked(shown.versions[path].before))


def _text_now(now: Snapshot, operation: Operation, path: str) -> str | None:
    """The text of a file as it is now, None where there is none. Raises `JournalError` for one that is no text."""
    file = now.files.get(path)
    barred = file.detail if file is not None and file.problem is Code.UNREADABLE else now.refused.get(path)
    if barred is not None:
        raise JournalError(barred, hint=f"`dovetail show {operation.id}` has both versions.")
    if file is not None and file.text is None:
        raise edited(operation, path)
    return file.text if file is not None else None


def _standing(operation: str, edits: Sequence[int], taken_back: frozenset[int]) -> tuple[int, ...]:
    """Those that stand yet. Nobody takes an edit back twice: by then it would be somebody else's, who made it again."""
    standing = tuple(n for n in dict.fromkeys(edits) if n not in taken_back)
    if not standing:
        raise JournalError(
            f"There is nothing left of edit {min(edits)} to take back.", hint=f"See `dovetail show {operation}`"
        )
    return standing


def _bytes_or_text(shown: Shown, change: FileChange) -> str | bytes | None:
    """The earlier bytes themselves where the file returns to its earlier text."""
    versions = shown.versions[change.path]
    return versions.before if change.after == versions.before_text else change.after


def _without(
    shown: Shown, taken_back: frozenset[int], edits: frozenset[int], settings: Settings
) -> Mapping[str, tuple[str | None, str | None]]:
    """What each file would be had the operation made all but the edits taken back, and without `edits` too.

    Only files where that differs.
    """
    operation = shown.operation
    if operation.label is not Label.APPLY or operation.state is not State.DONE:
        raise JournalError(f"Operation {operation.id} is no apply that stands.", hint="See `dovetail log`")
    applied = {r["n"]: r for r in shown.results if r["status"] == Status.APPLIED}
    unknown = sorted(edits - set(applied))
    if unknown:
        raise JournalError(
            f"Operation {operation.id} applied no edit {unknown[0]}.", hint=f"See `dovetail show {operation.id}`"
        )
    blocks = _blocks(shown, applied, settings)
    everything, _ = _planned(shown, blocks, settings)
    if any(everything.get(path) != versions.after_text for path, versions in shown.versions.items()):
        raise JournalError(
            f"The reply of {operation.id} cannot be planned again to the same files.",
            hint=f"Take back all of it: dovetail undo {operation.id}",
        )
    left = _landed(shown, blocks, taken_back, settings) if taken_back else everything
    rest = _landed(shown, blocks, taken_back | edits, settings)
    return {path: (left.get(path), rest.get(path)) for path in shown.versions if rest.get(path) != left.get(path)}


def _landed(
    shown: Shown, blocks: Mapping[int, Block], edits: frozenset[int], settings: Settings
) -> Mapping[str, str | None]:
    """The text of each file without those edits. Raises `JournalError` where another stands on them."""
    kept = {n: block for n, block in blocks.items() if n not in edits}
    texts, made = _planned(shown, kept, settings)
    _check_all_landed(made, list(kept))
    return texts


def _blocks(shown: Shown, applied: Mapping[int, Mapping[str, Any]], settings: Settings) -> dict[int, Block]:
    """The blocks that were applied, by number, told where they landed."""
    blocks = _parsed_again(shown, settings).blocks
    return {n: _told(blocks[n - 1], result) for n, result in applied.items()}


def _told(block: Block, result: Mapping[str, Any]) -> Block:
    start = result["start"]
    hints = block.hints if start is None else replace(block.hints, line=start)
    return replace(block, path=result["path"], path_candidates=(), mentioned=False, rivals=(), hints=hints)


def _parsed_again(shown: Shown, settings: Settings) -> Parsed:
    """The reply, read as it was then: by the settings, or else by the format of its results."""
    expected = [(result["format"], result["line"]) for result in shown.results]
    for name in dict.fromkeys([settings.format, *(form for form, _ in expected)]):
        parsed = parse(shown.reply, format=name, markers=settings.markers)
        if [(block.format, block.line) for block in parsed.blocks] == expected:
            return parsed
    raise JournalError(
        f"The reply of {shown.operation.id} reads differently now.",
        hint=f"Take back all of it: dovetail undo {shown.operation.id}",
    )


def _planned(shown: Shown, blocks: Mapping[int, Block], settings: Settings) -> tuple[Mapping[str, str | None], Plan]:
    """The text of each of the operation's files when these blocks are applied to its earlier versions."""
    files = {path: FileText(path, v.before_text) for path, v in shown.versions.items() if v.before is not None}
    policy = replace(settings.policy, on_failure=OnFailure.BLOCK, only=None)
    made = plan(tuple(blocks.values()), Snapshot(files, frozenset(files)), policy, default_language())
    texts: dict[str, str | None] = {path: versions.before_text for path, versions in shown.versions.items()}
    return texts | {change.path: change.after for change in made.changes}, made


def _check_all_landed(made: Plan, numbers: Sequence[int]) -> None:
    for n, result in zip(numbers, made.results, strict=True):
        if result.status is not Status.APPLIED:
            raise JournalError(
                f"Edit {n} stands on an edit that would be taken back.", hint=f"Take it back too: add --edit {n}"
            )
