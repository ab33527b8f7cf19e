"""Files on the page: those of the workspace, of a turn and of the conversation; templates, and context to copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.context import estimate
from dovetail.model.results import FileChange
from dovetail.model.text import IndexedText
from dovetail.session import templates
from dovetail.session.apply.diff import diff_of, with_renames_joined
from dovetail.session.apply.operations import changes_of
from dovetail.session.apply.records import Record, fields, kind_of
from dovetail.session.conversation.chat_files import ChatFiles, with_files
from dovetail.session.conversation.context_message import ContextRequest, context_message
from dovetail.session.conversation.turn_edits import conflict_sides
from dovetail.session.templates import copy_into, make_project
from dovetail.syntax import language_of
from dovetail.web.planning import take_held
from dovetail.web.requests import RequestError, not_found
from dovetail.web.turns import edits_of, hunk_records

if TYPE_CHECKING:
    from dovetail.web.page_session import PageSession
    from dovetail.web.turns import PageTurn

MOST_PATHS = 20_000
LONGEST_SHOWN = 4_000_000
"""The most characters of a file that the page shows."""


def tree(session: PageSession) -> Record:
    """Return every path that exists and is not ignored, as many as a page can show."""
    with session.open() as workspace:
        paths = sorted(workspace.tree())
    return {"paths": paths[:MOST_PATHS], "truncated": len(paths) > MOST_PATHS}


def file(session: PageSession, path: str) -> Record:
    """Return one file as it is now. Raises `RequestError`."""
    with session.open() as workspace:
        snapshot = workspace.snapshot([path], tree=frozenset())
    if path in snapshot.refused:
        raise RequestError(403, "outside-root", snapshot.refused[path])
    found = snapshot.files.get(path)
    if found is None:
        raise not_found(f"file `{path}`")
    record = {"path": path, "digest": found.digest, "language": language_of(path)}
    if found.text is not None and len(found.text) > LONGEST_SHOWN:
        detail = f"`{path}` is longer than {LONGEST_SHOWN:,} characters."
        return {**record, "text": None, "problem": "too-large", "detail": detail, "lines": 0}
    return {
        **record,
        "text": found.text,
        "problem": str(found.problem) if found.problem is not None else None,
        "detail": found.detail,
        "lines": len(IndexedText(found.text)) if found.text is not None else 0,
    }


# --- Of a turn


def turn_file(session: PageSession, turn: PageTurn, path: str) -> Record:
    """Return a file before and after the turn's plan, or else before and after what the turn has written.

    Raises `RequestError` for a file that the turn does not know.
    """
    choices, prepared = turn.choices_and_plan
    change, written = _change_of(path, prepared.plan.changes), False
    edits = edits_of(turn, change) if change is not None else []
    if change is None:
        with session.open() as workspace:
            for operation in (write.operation for write in choices.writes if write.operation in choices.in_force):
                later = _change_of(path, changes_of(workspace.show(operation)))
                if later is not None:  # from the first operation to the last
                    first, written = (change if change is not None else later), True
                    marks = (first.marks[0], later.marks[1])
                    change = FileChange(later.path, first.before, later.after, first.source, marks)
        if change is not None:
            names = {change.path, change.source}
            edits = [edit.n for edit in turn.edits.values() if edit.written is not None and edit.path in names]
    if change is None:
        unchanged = prepared.snapshot.files.get(path)
        if unchanged is None:
            raise not_found(f"file `{path}` in this turn")
        change = FileChange(path, unchanged.text, unchanged.text)
    now = prepared.snapshot.files.get(change.path)
    return {
        "path": change.path,
        "plan": turn.version,
        "written": written,
        "change": kind_of(change) if change.before != change.after or change.source is not None else None,
        "source": change.source,
        "before": change.before,
        "after": change.after,
        "digest": now.digest if now is not None else None,
        "hunks": hunk_records(diff_of(change)),
        "edits": [_edit_place(turn, n) for n in edits],
    }


def _change_of(path: str, changes: Sequence[FileChange]) -> FileChange | None:
    """Return the change of a file, found by its new name, else by its old one."""
    joined = with_renames_joined(changes)
    named = (change for change in joined if change.path == path)
    return next(named, next((change for change in joined if change.source == path), None))


def _edit_place(turn: PageTurn, n: int) -> Record:
    result, names = turn.edits[n].result, "start end new_start new_end"
    return {"n": n, **(dict.fromkeys(names.split()) if result is None else fields(result, names))}


def turn_conflict(turn: PageTurn, path: str) -> Record:
    """Return both sides of a stale file, and their merge. Raises `RequestError` and `UsageError`."""
    choices, prepared = turn.choices_and_plan
    found = conflict_sides(prepared, path)
    return {
        **fields(found, "path digest base file reply merged"),
        "clean": found.merged if not found.clashes else None,
        "edits": list(found.edits),
        "clashes": [{"start": start, "end": end} for start, end in found.clashes],
        "resolved": choices.resolved[path].choice if path in choices.resolved else None,
    }


# --- Of the conversation


def hold(session: PageSession, add: Sequence[str], read_only: Sequence[str], drop: Sequence[str]) -> Record:
    """Put files into the conversation, or take them out. Raises `UsageError`; then nothing changes."""
    with session.open() as workspace:
        held = session.held
        for path in drop:
            held = held.dropping(path)
        take_held(session, with_files(workspace, held, add, read_only), workspace)
    return session.held.record


def prompt(session: PageSession, name: str) -> Record:
    """Return the prompt that teaches a model a format, to be copied. Raises `UsageError`."""
    wording = session.options.wording(name)
    return {"format": name, "system": wording.system, "reminder": wording.reminder}


def context(session: PageSession, paths: Sequence[str] | None, *, with_map: bool) -> Record:
    """Return the message that shows files to a model, to be copied. Raises `UsageError`."""
    held = session.held if paths is None else ChatFiles(tuple(dict.fromkeys(paths)))
    wanted = ContextRequest(held, limit=session.options.file_tokens, with_map=with_map)
    with session.open() as workspace:
        text = context_message(workspace, wanted).text
    return {"text": text, "tokens": estimate(text)}


# --- Templates


def list_templates(session: PageSession) -> Record:
    """Return the templates that come with Dovetail, and whether the workspace is empty."""
    with session.open() as workspace:
        empty = not workspace.tree()
    listed = [
        {
            **fields(template, "name summary"),
            "variables": [fields(variable, "name default summary") for variable in template.variables],
        }
        for template in templates.shipped()
    ]
    return {"templates": listed, "empty": empty}


def begin_from(session: PageSession, name: str, variables: Mapping[str, str], folder: str | None) -> Record:
    """Copy a template beside what is there, never over it; its text files join the conversation.

    folder: another one that is new or empty, relative to the root; its files join nothing.
    """
    if name not in {template.name for template in templates.shipped()}:
        raise not_found(f"template `{name}`")
    if folder is not None and folder.strip():
        place = session.root / Path(folder.strip()).expanduser()
        created = make_project(templates.load(name), place, variables)
        if place.resolve().is_relative_to(session.root.resolve()):
            session.publish("tree", {})
        return {"files": list(created.paths), "begin": list(created.template.begin), "folder": str(place.resolve())}
    project = copy_into(templates.load(name), session.root, variables)
    with session.open() as workspace:
        take_held(session, with_files(workspace, session.held, project.texts), workspace)
    session.publish("tree", {})
    return {"files": list(project.paths), "begin": list(project.template.begin), "folder": None}
