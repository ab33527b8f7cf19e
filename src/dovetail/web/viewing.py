"""One file of a turn for the viewer: before and after, what the plan would do or what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.results import FileChange
from dovetail.session.diff import diff_of, with_renames_joined
from dovetail.session.history import changes_of
from dovetail.session.records import Record, kind_of
from dovetail.session.turn_edits import conflict_sides
from dovetail.web.faults import not_found
from dovetail.web.turn_records import edits_of, of_hunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.web.desk import Desk
    from dovetail.web.turn_state import Turn


def turn_file(desk: Desk, turn: Turn, path: str) -> Record:
    """A file that the turn's plan changes, or else one that the turn has written. Raises `RequestError`."""
    _, prepared = turn.choices_and_plan
    change = _about(path, prepared.plan.changes)
    if change is not None:
        return _shown(turn, change, edits_of(turn, change), written=False)
    written = _written(desk, turn, path)
    if written is not None:
        names = {written.path, written.source}
        edits = [edit.n for edit in turn.edits.values() if edit.written is not None and edit.path in names]
        return _shown(turn, written, edits, written=True)
    file = prepared.snapshot.files.get(path)
    if file is None:
        raise not_found(f"file `{path}` in this turn")
    return _shown(turn, FileChange(path, file.text, file.text), [], written=False)


def _about(path: str, changes: Sequence[FileChange]) -> FileChange | None:
    """The change of a file, by the name that it gets or else by the one that it had."""
    joined = with_renames_joined(changes)
    named = (change for change in joined if change.path == path)
    return next(named, next((change for change in joined if change.source == path), None))


def _written(desk: Desk, turn: Turn, path: str) -> FileChange | None:
    """What the turn's operations that stand did to a file, from the first to the last."""
    choices, _ = turn.choices_and_plan
    found: FileChange | None = None
    with desk.open() as workspace:
        for operation in (write.operation for write in choices.writes if write.operation in choices.in_force):
            change = _about(path, changes_of(workspace.show(operation)))
            if change is not None:
                first = found if found is not None else change
                found = FileChange(
                    change.path, first.before, change.after, first.source, (first.marks[0], change.marks[1])
                )
    return found


def _shown(turn: Turn, change: FileChange, edits: list[int], *, written: bool) -> Record:
    file = turn.choices_and_plan[1].snapshot.files.get(change.path)
    return {
        "path": change.path,
        "plan": turn.version,
        "written": written,
        "change": kind_of(change) if change.before != change.after or change.source is not None else None,
        "source": change.source,
        "before": change.before,
        "after": change.after,
        "digest": file.digest if file is not None else None,
        "hunks": of_hunks(diff_of(change)),
        "edits": [_placed(turn, n) for n in edits],
    }


def _placed(turn: Turn, n: int) -> Record:
    result = turn.edits[n].result
    names = ("start", "end", "new_start", "new_end")
    return {"n": n, **{name: getattr(result, name) if result is not None else None for name in names}}


def turn_conflict(turn: Turn, path: str) -> Record:
    """Both sides of a stale file."""
    choices, prepared = turn.choices_and_plan
    found = conflict_sides(prepared, path)
    return {
        "path": path,
        "digest": found.digest,
        "base": found.base,
        "file": found.file,
        "reply": found.reply,
        "merged": found.merged,
        "clean": found.merged if not found.clashes else None,
        "edits": list(found.edits),
        "clashes": [{"start": start, "end": end} for start, end in found.clashes],
        "resolved": choices.resolved[path].choice if path in choices.resolved else None,
    }
