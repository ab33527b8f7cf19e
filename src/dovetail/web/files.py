"""The workspace's files on the page: the tree, one file, those in the conversation, templates, context to copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dovetail.context import estimate
from dovetail.model.text import Text
from dovetail.session import templates
from dovetail.session.chat_files import ChatFiles, with_files
from dovetail.session.context_message import ContextRequest, context_message
from dovetail.session.new_project import copy_into
from dovetail.syntax import language_of
from dovetail.web.faults import RequestError, not_found
from dovetail.web.planning import take_held

if TYPE_CHECKING:
    from dovetail.session.records import Record
    from dovetail.web.desk import Desk

MOST_PATHS = 20_000
LONGEST_SHOWN = 4_000_000
"""Characters of a file that a page can show."""


def tree(desk: Desk) -> Record:
    """Every path that exists and is not ignored, as many as a page can show."""
    with desk.open() as workspace:
        paths = sorted(workspace.tree())
    return {"paths": paths[:MOST_PATHS], "truncated": len(paths) > MOST_PATHS}


def file(desk: Desk, path: str) -> Record:
    """One file as it is now. Raises `RequestError`."""
    with desk.open() as workspace:
        snapshot = workspace.snapshot([path], tree=frozenset())
    if path in snapshot.refused:
        raise RequestError(403, "outside-root", snapshot.refused[path])
    found = snapshot.files.get(path)
    if found is None:
        raise not_found(f"file `{path}`")
    known = {"path": path, "digest": found.digest, "language": language_of(path)}
    if found.text is not None and len(found.text) > LONGEST_SHOWN:
        detail = f"`{path}` is longer than {LONGEST_SHOWN:,} characters."
        return {**known, "text": None, "problem": "too-large", "detail": detail, "lines": 0}
    return {
        **known,
        "text": found.text,
        "problem": str(found.problem) if found.problem is not None else None,
        "detail": found.detail,
        "lines": len(Text(found.text)) if found.text is not None else 0,
    }


def hold(desk: Desk, add: tuple[str, ...], read_only: tuple[str, ...], drop: tuple[str, ...]) -> Record:
    """Put files into the conversation, or take them out. Raises `UsageError`; then nothing is changed."""
    with desk.open() as workspace:
        held = desk.held
        for path in drop:
            held = held.dropping(path)
        take_held(desk, with_files(workspace, held, add, read_only), workspace)
    return desk.held.record


def prompt(name: str, desk: Desk) -> Record:
    """What teaches a model a format, to be copied. Raises `UsageError`."""
    wording = desk.options.wording(name)
    return {"format": name, "system": wording.system, "reminder": wording.reminder}


def context(desk: Desk, paths: tuple[str, ...] | None, *, with_map: bool) -> Record:
    """The message that shows files to a model, to be copied. Raises `UsageError`."""
    held = desk.held if paths is None else ChatFiles(tuple(dict.fromkeys(paths)))
    wanted = ContextRequest(held, limit=desk.options.file_tokens, with_map=with_map)
    with desk.open() as workspace:
        text = context_message(workspace, wanted).text
    return {"text": text, "tokens": estimate(text)}


def list_templates(desk: Desk) -> Record:
    """The templates that come with Dovetail."""
    with desk.open() as workspace:
        empty = not workspace.tree()
    listed = [
        {
            "name": template.name,
            "summary": template.summary,
            "variables": [{"name": v.name, "default": v.default, "summary": v.summary} for v in template.variables],
        }
        for template in templates.shipped()
    ]
    return {"templates": listed, "empty": empty}


def begin_from(desk: Desk, name: str, variables: Mapping[str, str]) -> Record:
    """Copy a template beside what is there, never over it; its text files join the conversation."""
    if name not in {template.name for template in templates.shipped()}:
        raise not_found(f"template `{name}`")
    made = copy_into(templates.load(name), desk.root, variables)
    with desk.open() as workspace:
        take_held(desk, with_files(workspace, desk.held, made.texts), workspace)
    desk.publish("tree", {})
    return {"files": list(made.paths), "begin": list(made.template.begin)}
