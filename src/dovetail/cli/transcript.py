"""`dovetail transcript`: the edits that an agent's log records, the files at each, and taking them back."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dovetail.agents.folder import (
    SessionUndo,
    as_lines,
    cases_of,
    edit_of,
    files_after,
    located,
    paths_of,
    plan_undo,
    texts_at,
    write_files,
)
from dovetail.agents.logs import AgentLog, LoggedEdit, read_log
from dovetail.cli import words
from dovetail.cli.inputs import Location, location_of, settings_for
from dovetail.cli.output import DoneReport, Exit, print_json, reporting
from dovetail.cli.plan_view import draw_changes, draw_diagnostics, draw_findings
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.terminal import NOBODY, open_terminal
from dovetail.model.errors import UsageError
from dovetail.model.results import FileChange
from dovetail.session.apply.records import of_change, of_diagnostic
from dovetail.workspace import Operation, Workspace

_NO_CHANGE = "Nothing to take back: the files have none of these edits."


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
        return _undo(screen, location, log, args)
    if args.cases is not None:
        base = texts_at(root, args.base, paths_of(log)) if args.base is not None else None
        with (location.folder / args.cases).open("w", encoding="utf-8", newline="") as out:
            count = sum(out.write(line) > 0 for line in as_lines(cases_of(log, base, {})))
        screen.line(f"{words.count(count, 'case')} in {args.cases}.")
        return Exit.OK
    return _list(screen, log, args)


def _list(screen: Screen, log: AgentLog, args: argparse.Namespace) -> Exit:
    if args.json:
        print_json(_record(log, Exit.OK))
        return Exit.OK
    screen.line(f"{log.agent} in {log.root or 'an unknown folder'}")
    for edit in log.edits:
        state = "" if edit.ok else "  refused by the agent's tool"
        about = "  ".join(part for part in (edit.time, edit.model) if part)
        screen.line(f"{edit.n:>4}  {edit.tool}  ", ", ".join(edit.paths), Styled(state, TextStyle.WARN), f"  {about}")
    done = sum(edit.ok for edit in log.edits)
    screen.line(f"{words.count(len(log.edits), 'edit')}: {done} written.")
    return Exit.OK


def _record(log: AgentLog, status: Exit) -> dict[str, Any]:
    """The one JSON object: the log's edits; what was done about them is filled in by who did it."""
    edits = [
        {"n": e.n, "call_id": e.call_id, "tool": e.tool, "time": e.time, "model": e.model}
        | {"paths": list(e.paths), "ok": e.ok}
        for e in log.edits
    ]
    return {
        "command": "transcript",
        "exit": int(status),
        "agent": log.agent,
        "root": log.root or None,
        "edits": edits,
        "operation": None,
        "changes": [],
        "call": None,
        "outside": [],
        "diagnostics": [],
    }


def _show(screen: Screen, root: Path, log: AgentLog, edit: LoggedEdit, args: argparse.Namespace) -> Exit:
    """The change of one edit, as a diff; without the files, the call itself."""
    before, after = (files_after(root, log, n, args.base) for n in (edit.n - 1, edit.n))
    changes = tuple(
        FileChange(path, before.texts[path], after.texts[path])
        for path in edit.paths
        if path in before.texts and path in after.texts and before.texts[path] != after.texts[path]
    )
    if args.json:
        print_json({**_record(log, Exit.OK), "changes": list(map(of_change, changes)), "call": edit.reply})
        return Exit.OK
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


def _undo(screen: Screen, location: Location, log: AgentLog, args: argparse.Namespace) -> Exit:
    """Show what undoing edits would write, ask, and write it; with nobody to ask, ``--yes`` alone writes."""
    chosen = [edit.n for edit in log.edits] if args.undo_all else args.undo
    with Workspace.open(location.root) as workspace:
        undo = plan_undo(workspace, log, chosen, args.base, settings_for(args, location).policy)
        if undo.problems or not undo.changes:
            why = "Nothing was written." if undo.problems else _NO_CHANGE
            return _tell(screen, workspace, log, undo, args, Exit.REFUSED if undo.problems else Exit.OK, why)
        if args.yes:
            return _tell(screen, workspace, log, undo, args, Exit.OK, operation=undo.commit(workspace))
        if args.dry_run:
            workspace.check_commit(undo.changes, undo.snapshot)
            return _tell(screen, workspace, log, undo, args, Exit.OK, "Dry run: nothing was written.")
        terminal = open_terminal(stdin_is_reply=False) if not args.json else None
        if terminal is None:
            status = _tell(screen, workspace, log, undo, args, Exit.USAGE, "Nothing was written.")
            sys.stderr.write(f"{NOBODY} Add --yes, or --dry-run.\n")
            return status
        with terminal:
            _draw(screen, undo)
            terminal.forget()
            if not terminal.agrees(f"Write {words.files_of(undo.changes)}?"):
                screen.line("Nothing was written.")
                return Exit.REFUSED
        return _tell(screen, workspace, log, undo, args, Exit.OK, operation=undo.commit(workspace), drawn=True)


def _tell(
    screen: Screen,
    workspace: Workspace,
    log: AgentLog,
    undo: SessionUndo,
    args: argparse.Namespace,
    status: Exit,
    sentence: str = "",
    *,
    operation: Operation | None = None,
    drawn: bool = False,
) -> Exit:
    """Say what was written, or in a sentence why nothing was; `drawn`: the changes were shown before."""
    report = DoneReport()
    if operation is not None:
        report = DoneReport(f"Taken back, as operation {operation.id}", "To reverse this: dovetail undo")
    with reporting(report):
        if args.json:
            record = _record(log, status)
            record["changes"] = list(map(of_change, undo.changes))
            record["operation"] = operation.id if operation is not None else None
            record["outside"] = list(undo.outside)
            record["diagnostics"] = list(map(of_diagnostic, (*undo.problems, *undo.warnings, *workspace.findings)))
            print_json(record)
            return status
        if not drawn:
            _draw(screen, undo)
        screen.line(sentence or str(report))
        draw_findings(screen, workspace.findings)
        if workspace.recovery is not None:
            screen.line(workspace.recovery.message)
    return status


def _draw(screen: Screen, undo: SessionUndo) -> None:
    draw_changes(screen, undo.changes)
    draw_diagnostics(screen, (*undo.problems, *undo.warnings))
    for path in undo.outside:
        screen.line(f"Left alone, as it is outside of the folder: {path}")
