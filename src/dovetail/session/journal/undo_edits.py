"""Takes back some edits of an operation and leaves its others, and later changes, where they are.

The idea: plan the operation's reply again, under the same terms and on the files as they were, without those edits; the
difference between that and what the operation wrote is what the edits did. Edits that were taken back before are in
neither. A three-way merge carries the reverse of it over to the files as they are now. Where the reply cannot be
planned again to the same bytes, or the merge clashes, nothing is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dovetail.model.codes import Code
from dovetail.model.errors import JournalError
from dovetail.model.results import FileChange
from dovetail.model.snapshot import Snapshot
from dovetail.session.journal.emptied import edits_taken_back
from dovetail.session.journal.history import TakenBack
from dovetail.session.journal.replanned import Planned, without
from dovetail.session.terms import Terms
from dovetail.workspace import Operation, Shown, Workspace
from dovetail.workspace.encoding import Decoded, decode, encode, is_marked
from dovetail.workspace.history import carried, edited, renamed_back, to_undo
from dovetail.workspace.planned import Reversal
from dovetail.workspace.root import in_git


def undo_edits(
    root: Path, wanted: str | None, edits: Sequence[int], terms: Terms, *, dry_run: bool = False
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
        files = without(shown, taken_back, frozenset(edits), terms.as_kept(operation.terms))
        now = workspace.snapshot(files, tree=frozenset())
        back = renamed_back(operation)
        changes: list[FileChange] = []
        texts: dict[str, str | bytes | None] = {}
        for path, (left, rest) in files.items():
            ours = _text_now(now, operation, path)
            after = carried(operation, path, base=left.text, ours=ours, theirs=rest.text)
            if after != ours or (after == left.text and rest.origin != left.origin):
                texts[path] = _as_kept(shown, path, rest, after, comes_back=ours is None)
                source = back.get(path) if ours is None else None
                changes.append(FileChange(path, ours, after, source, _marks(now, path, texts[path])))
        if not changes:
            raise JournalError(
                "There is nothing left of that to take back.", hint=f"See `dovetail show {operation.id}`"
            )
        origins = {path: (left.origin, rest.origin) for path, (left, rest) in files.items()}
        reversal, made = Reversal(edits, texts, now, origins), operation
        if dry_run:
            workspace.would_revert(operation.id, reversal)
        else:
            made = workspace.revert(operation.id, reversal)
        return TakenBack(made, tuple(changes), in_git(workspace.root), tuple(edits), workspace.recovery)


def _marks(now: Snapshot, path: str, wanted: str | bytes | None) -> tuple[bool, bool]:
    """Whether a file has a byte-order mark, and will have."""
    file = now.files.get(path)
    is_there = file is not None and file.marked
    return is_there, is_marked(wanted) if isinstance(wanted, bytes) else is_there


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


def _as_kept(shown: Shown, path: str, rest: Planned, text: str | None, *, comes_back: bool) -> str | bytes | None:
    """The earlier bytes themselves where a file returns to its earlier text; where one comes back, its own encoding."""
    versions = shown.versions[path if rest.origin is None else rest.origin]
    if text == versions.before_text:
        return versions.before
    if text is not None and comes_back and versions.before is not None:
        match decode(versions.before):
            case Decoded(_, encoding):
                return encode(text, encoding, path)
    return text
