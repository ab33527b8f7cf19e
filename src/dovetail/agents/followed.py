"""Follows the commands of a session over its files: the changes of each command that is fully understood.

A command is followed only on texts that are known for certain. One that is not understood may have changed any file, so
after it a text is known again only when the log itself has it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from dovetail.agents.session_log import AgentLog, CallOutcome, FileEffect, LoggedEdit, RowKind
from dovetail.agents.states import Text, Texts, after_row, unknown_before
from dovetail.model.diagnostics import Diagnostic
from dovetail.shell import NotReadError, follow


def with_commands(log: AgentLog, base: Texts | None, tree: Collection[str]) -> AgentLog:
    """Return the log with effects for each command that is understood.

    base: the files before the session, at least those that the log or its commands name. tree: the paths of all files
    then. None and () if they are not known: then only commands are followed that change files whose text the log has.
    """
    now: dict[str, str | None] = dict(base or {})
    paths, whole = set(tree), base is not None
    rows: list[LoggedEdit] = []
    for row in log.edits:
        if row.kind is RowKind.COMMAND and not row.is_told:
            effects = _followed(row, log.root, now, paths, whole=whole)
            row = row if effects is None else replace(row, effects=effects)
        # A command that is not understood: from here on neither the texts nor the list of files is certain.
        if row.done and not row.is_told:
            now, whole = {}, False
        row = _agreeing(row, now) if row.kind is RowKind.GAP else row
        texts: dict[str, Text] = {path: now.get(path, unknown_before(path)) for path in row.paths}
        for path, text in after_row(row, texts).items():
            now.pop(path, None)
            if not isinstance(text, Diagnostic):
                now[path] = text
            if text is None:
                paths.discard(path)
            else:
                paths.add(path)
        rows.append(row)
    return replace(log, edits=tuple(rows))


def _followed(
    row: LoggedEdit, root: str, now: Texts, paths: Collection[str], *, whole: bool
) -> tuple[FileEffect, ...] | None:
    """Return a command's effects on files; None if they are not certain."""
    texts = {path: text for path, text in now.items() if text is not None}
    if row.outcome is not CallOutcome.WRITTEN:
        return None
    try:
        changes = follow(row.command, texts, {*paths, *texts}, root=root, folder=row.folder)
    except NotReadError:
        return None
    if any("\r" in (now.get(one.path) or "") for one in changes):
        return None  # with CRLF, `$` of a command matches after the CR
    known = all(whole or change.path in now for change in changes)
    # A file that moved and whose text is not known would be gone under both names.
    if not changes or not known or any(change.text is None and change.origin is not None for change in changes):
        return None
    return tuple(
        FileEffect(one.path, now.get(one.path), one.text, one.path in now or one.path not in paths, True)
        for one in changes
    )


def _agreeing(row: LoggedEdit, now: Texts) -> LoggedEdit:
    """Return a gap without the changes that a followed command explains."""
    effects = tuple(
        replace(effect, before=effect.after) if effect.has_after and now.get(effect.path) == effect.after else effect
        for effect in row.effects
    )
    return replace(row, effects=effects)
