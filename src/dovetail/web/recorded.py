"""What agents did, on the page: sessions by request, their changes as edits by file, and taking them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.hooks.notes import leave_note
from dovetail.session.apply import recorded
from dovetail.session.apply.diff import counts, diff_of
from dovetail.session.apply.operations import changes_of, intent_of
from dovetail.session.apply.recorded import Wanted
from dovetail.session.apply.records import Record, fields, kind_of, of_operation
from dovetail.web.planning import after_writing
from dovetail.web.turns import change_record, hunk_records

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from dovetail.session.apply.recorded import RecordedEdit, RecordedFile
    from dovetail.web.page_session import PageSession

_TAKEN_BACK = (
    "The user took back some of what you did, on purpose. Do not do it again unless asked; read these files again "
    "before you edit them:"
)
_MOST_NAMED = 20


def wanted_of(
    session: str | None,
    prompt: int | None,
    since: str | None,
    operations: Sequence[str] = (),
    commits: str | None = None,
) -> Wanted:
    """Return the selection of changes for the values that somebody typed. Raises `UsageError`."""
    moment = None if since is None else intent_of(None, None, None, since, ()).since
    return Wanted(session, prompt, moment, tuple(operations), commits=commits)


def agents(session: PageSession) -> Record:
    """Return every session whose changes were recorded, the newest first."""
    found = recorded.sessions(session.root)
    return {
        "sessions": [
            {
                **fields(one, "agent session first last paths"),
                "requests": [fields(request, "number words operations untold taken_back") for request in one.requests],
            }
            for one in found
        ]
    }


def review(session: PageSession, wanted: Wanted) -> Record:
    """Return the files that some recorded changes were made to, each with its edits. Raises `JournalError`."""
    files = recorded.review(session.root, wanted)
    return {"files": [_file_record(file) for file in files]}


def _file_record(file: RecordedFile) -> Record:
    hunks = diff_of(file.change)
    added, removed = counts(hunks)
    return {
        **fields(file.change, "path before after"),
        "change": kind_of(file.change),
        "added": added,
        "removed": removed,
        "hunks": hunk_records(hunks),
        "edits": [_edit_record(edit) for edit in file.edits],
    }


def _edit_record(edit: RecordedEdit) -> Record:
    return {
        **fields(edit, "n operation time told taken_by"),
        **fields(edit.origin, "agent session prompt words tool"),
        "change": kind_of(edit.change),
        "hunks": hunk_records(diff_of(edit.change)),
    }


def take_back(session: PageSession, wanted: Wanted, *, dry_run: bool, except_conflicts: bool) -> Record:
    """Take back the selected changes in one step, or return what that would do. Raises `JournalError`."""
    back = recorded.take_back(session.root, wanted, dry_run=dry_run, except_conflicts=except_conflicts)
    done = back.done
    if not dry_run:
        with session.open() as workspace:
            after_writing(session, workspace, done.changes, done.operation)
        _tell_agents(session, back.sessions, done.operation.id, [change.path for change in done.changes])
    files = []
    for change in done.changes:
        added, removed = counts(diff_of(change, 0))
        own = back.own.get(change.path)
        files.append(
            {
                **change_record(change),
                "added": added,
                "removed": removed,
                "own": None if own is None else {"added": own[0], "removed": own[1]},
            }
        )
    left = [fields(conflict, "path text") for conflict in done.conflicts]
    return {"operation": of_operation(done.operation), "files": files, "left": left, "notes": done.notes}


def take_back_lines(session: PageSession, operation: str, path: str, chunks: Collection[int]) -> Record:
    """Take back some of the changed lines of an edit. Raises `JournalError`, `UsageError`."""
    done = recorded.take_back_lines(session.root, operation, path, chunks)
    made_by = recorded.origin_of(session.root, operation)
    if made_by is not None:
        _tell_agents(session, [made_by.session], done.id, [path])
    with session.open() as workspace:
        changes = workspace.show(done.id)
        after_writing(session, workspace, changes_of(changes), done)
    return {"operation": of_operation(done)}


def _tell_agents(session: PageSession, sessions: Iterable[str], operation: str, paths: Sequence[str]) -> None:
    """Leave a note for the agents whose changes were taken back; their hooks pass it on once."""
    more = f" and {len(paths) - _MOST_NAMED} more files" if len(paths) > _MOST_NAMED else ""
    for name in sessions if paths else ():
        leave_note(str(session.root), name, operation, f"{_TAKEN_BACK} {', '.join(paths[:_MOST_NAMED])}{more}.")
