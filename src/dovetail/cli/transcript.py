"""`dovetail transcript`: the edits that an agent's log records, the files at each, and taking them back."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from dovetail.agents.folder import (
    NOTHING_UNDONE,
    UndoneSession,
    as_lines,
    cases_of,
    edit_of,
    files_after,
    located,
    paths_of,
    texts_at,
    undo_session,
    write_files,
)
from dovetail.agents.logs import AgentLog, LoggedEdit, read_log
from dovetail.cli import words
from dovetail.cli.inputs import location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.plan_view import draw_changes, draw_diagnostics
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.model.errors import UsageError
from dovetail.model.results import FileChange
from dovetail.session.records import of_change, of_diagnostic
from dovetail.workspace import Workspace


def transcript_command(args: argparse.Namespace) -> Exit:
    """`dovetail transcript LOG [--show N | --at N DIR | --undo N ... | --undo-all | --cases OUT]`."""
    location = location_of(args)
    path = location.folder / args.log
    path = path / "full.jsonl" if path.is_dir() else path
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "It is not UTF-8"
        raise UsageError(f"`{path}` cannot be read: {why}.", hint="Name an agent's log.") from None
    log = read_log(text)
    root = location.root
    if not log.root:
        with Workspace.open(root) as workspace:
            log = located(log, workspace.tree())
    screen = Screen.of(sys.stdout)
    if args.show is not None:
        return _show(screen, root, log, edit_of(log, args.show), args)
    if args.at is not None:
        return _write_at(screen, root, location.folder, log, args)
    if args.undo or args.undo_all:
        return _undo(screen, root, log, args)
    if args.cases is not None:
        base = texts_at(root, args.base, paths_of(log)) if args.base is not None else None
        with (location.folder / args.cases).open("w", encoding="utf-8", newline="") as out:
            count = sum(out.write(line) > 0 for line in as_lines(cases_of(log, base, {})))
        screen.line(f"{words.count(count, 'case')} in {args.cases}.")
        return Exit.OK
    return _list(screen, log, args)


def _list(screen: Screen, log: AgentLog, args: argparse.Namespace) -> Exit:
    if args.json:
        return _print(log, Exit.OK)
    screen.line(f"{log.agent} in {log.root or 'an unknown folder'}")
    for edit in log.edits:
        state = "" if edit.ok else "  refused by the agent's tool"
        about = "  ".join(part for part in (edit.time, edit.model) if part)
        screen.line(f"{edit.n:>4}  {edit.tool}  ", ", ".join(edit.paths), Styled(state, TextStyle.WARN), f"  {about}")
    done = sum(edit.ok for edit in log.edits)
    screen.line(f"{words.count(len(log.edits), 'edit')}: {done} written.")
    return Exit.OK


def _print(log: AgentLog, status: Exit, undone: UndoneSession = NOTHING_UNDONE, call: str | None = None) -> Exit:
    """The one JSON object: the log's edits, and what was done about them."""
    edits = [
        {"n": e.n, "call_id": e.call_id, "tool": e.tool, "time": e.time, "model": e.model}
        | {"paths": list(e.paths), "ok": e.ok}
        for e in log.edits
    ]
    record = {
        "command": "transcript",
        "exit": int(status),
        "agent": log.agent,
        "root": log.root or None,
        "edits": edits,
        "operation": undone.operation.id if undone.operation is not None else None,
        "changes": list(map(of_change, undone.changes)),
        "call": call,
        "outside": list(undone.outside),
        "diagnostics": list(map(of_diagnostic, undone.problems)),
    }
    print_json(record)
    return status


def _show(screen: Screen, root: Path, log: AgentLog, edit: LoggedEdit, args: argparse.Namespace) -> Exit:
    """The change of one edit, as a diff; without the files, the call itself."""
    before, after = (files_after(root, log, n, args.base) for n in (edit.n - 1, edit.n))
    changes = tuple(
        FileChange(path, before.texts[path], after.texts[path])
        for path in edit.paths
        if path in before.texts and path in after.texts and before.texts[path] != after.texts[path]
    )
    if args.json:
        return _print(log, Exit.OK, replace(NOTHING_UNDONE, changes=changes), edit.reply)
    draw_changes(screen, changes)
    if not changes:
        screen.line(edit.reply)
    return Exit.OK


def _write_at(screen: Screen, root: Path, folder: Path, log: AgentLog, args: argparse.Namespace) -> Exit:
    number, target = args.at
    if not number.isdecimal() or int(number) > len(log.edits):
        raise UsageError(f"The log has no edit {number}.", hint=f"Give a number from 0 to {len(log.edits)}.")
    states = files_after(root, log, int(number), args.base)
    written = write_files(folder / target, states.texts)
    screen.line(f"{words.count(len(written), 'file')} as after edit {number} in {target}.")
    draw_diagnostics(screen, states.problems)
    return Exit.REFUSED if states.problems else Exit.OK


def _undo(screen: Screen, root: Path, log: AgentLog, args: argparse.Namespace) -> Exit:
    chosen = [edit.n for edit in log.edits] if args.undo_all else args.undo
    undone = undo_session(root, log, chosen, args.base, dry_run=args.dry_run)
    status = Exit.REFUSED if undone.problems else Exit.OK
    if args.json:
        return _print(log, status, undone)
    draw_changes(screen, undone.changes)
    draw_diagnostics(screen, undone.problems)
    for path in undone.outside:
        screen.line(f"Left alone, as it is outside of the folder: {path}")
    if undone.problems:
        screen.line("Nothing was written.")
    elif not undone.changes:
        screen.line("Nothing to take back: the files have none of these edits.")
    elif undone.operation is None:
        screen.line("Nothing was written: this was a dry run.")
    else:
        screen.line(f"Taken back, as operation {undone.operation.id}. Take it back again with: dovetail undo")
    return status
