"""`dovetail transcript`: the edits that an agent's log records, the files at each, and taking them back."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dovetail.agents.folder import (
    SessionUndo,
    as_lines,
    cases_of,
    edit_of,
    files_after,
    files_at,
    followed,
    located,
    not_in_log,
    paths_of,
    plan_back_to,
    plan_undo,
    plan_undo_all,
    write_files,
)
from dovetail.agents.logs import read_session
from dovetail.agents.session_log import AgentLog, CallOutcome, LoggedEdit, RowKind
from dovetail.cli import words
from dovetail.cli.inputs import Location, location_of, settings_for
from dovetail.cli.output import DoneReport, Exit, print_json, reporting
from dovetail.cli.plan_view import draw_changes, draw_findings
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.terminal import NOBODY, open_terminal
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import UsageError
from dovetail.model.results import FileChange
from dovetail.session.apply.records import of_change, of_diagnostic
from dovetail.workspace import Operation, Workspace

_NO_CHANGE = "Nothing to take back: the files have none of these edits."
_STATES = {CallOutcome.REFUSED: "  refused by the agent's tool", CallOutcome.UNKNOWN: "  outcome unknown"}
_COUNTED = {CallOutcome.WRITTEN: "written", CallOutcome.REFUSED: "refused", CallOutcome.UNKNOWN: "of unknown outcome"}
_LONGEST = 100  # characters of a command in a list


def transcript_command(args: argparse.Namespace) -> Exit:
    """`dovetail transcript LOG [--show N | --at N DIR | --undo N ... | --undo-all | --back-to N | --cases OUT]`."""
    location = location_of(args)
    log = read_session(location.folder / args.log)
    root = location.root
    if not log.root:
        with Workspace.open(root) as workspace:
            log = located(log, workspace.tree())
    log = followed(log, root, args.base)
    screen = Screen.of(sys.stdout)
    if args.show is not None:
        return _show(screen, root, log, edit_of(log, args.show), args)
    if args.at is not None:
        return _write_at(screen, root, location.folder, log, args)
    if args.undo or args.undo_all or args.back_to is not None:
        return _undo(screen, location, log, args)
    if args.cases is not None:
        base = files_at(root, args.base, paths_of(log)).texts if args.base is not None else None
        with (location.folder / args.cases).open("w", encoding="utf-8", newline="") as out:
            count = sum(out.write(line) > 0 for line in as_lines(cases_of(log, base)))
        screen.line(f"{words.count(count, 'case')} in {args.cases}.")
        return Exit.OK
    return _list(screen, log, args)


def _list(screen: Screen, log: AgentLog, args: argparse.Namespace) -> Exit:
    """Write the session row by row; return status 1 if the log of a sub-agent is missing."""
    lacking = any(row.kind is RowKind.SUBAGENT for row in log.untold)
    status = Exit.REFUSED if lacking else Exit.OK
    notes = [not_in_log(log.untold, base=args.base)] if log.untold else []
    if args.json:
        print_json({**_record(log, status), "diagnostics": list(map(of_diagnostic, notes))})
        return status
    screen.line(f"{log.agent} in {log.root or 'an unknown folder'}")
    for row in log.edits:
        state = _STATES.get(row.outcome, "") if row.kind is not RowKind.GAP else ""
        about = "  ".join(part for part in (row.time, row.model, row.agent_id) if part)
        screen.line(f"{row.n:>4}  ", _title(row), Styled(state, TextStyle.WARN), f"  {about}")
    edits = [row for row in log.edits if row.kind is RowKind.EDIT]
    counts = Counter(row.outcome for row in edits)
    told = ", ".join(f"{counts[outcome]} {word}" for outcome, word in _COUNTED.items() if counts[outcome])
    screen.line(f"{words.count(len(edits), 'edit')}{': ' * bool(told)}{told}.")
    _draw_notes(screen, notes)
    return status


def _title(row: LoggedEdit) -> str:
    """Return the title of a row, in one line."""
    paths = ", ".join(row.paths)
    match row.kind:
        case RowKind.GAP:
            by = "a command or somebody else" if row.after_command else "something else"
            explained = row.effects and all(e.has_before and e.before == e.after for e in row.effects)
            return f"{'explained by a command above' if explained else f'changed by {by}'}  {paths}"
        case RowKind.COMMAND | RowKind.SUBAGENT:
            text = " ".join(row.command.split())
            changed = f"  changes {paths}" if paths else ""
            return f"{row.tool}  {text[:_LONGEST]}{'…' * (len(text) > _LONGEST)}{changed}"
        case _:
            return f"{row.tool}  {paths}"


def _record(log: AgentLog, status: Exit) -> dict[str, Any]:
    """Return the one JSON object with the log's rows; callers fill in what was done about them."""
    oks = {CallOutcome.WRITTEN: True, CallOutcome.REFUSED: False}
    edits = [
        {"n": e.n, "call_id": e.call_id, "tool": e.tool, "time": e.time, "model": e.model}
        | {"paths": list(e.paths), "ok": oks.get(e.outcome), "kind": str(e.kind)}
        | {"command": e.command or None, "agent_id": e.agent_id}
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
    """Write the change of one edit as a diff; if its files are not known, the call itself."""
    before, after = (files_after(root, log, n, args.base)[0] for n in (edit.n - 1, edit.n))
    changes = tuple(
        FileChange(path, before.texts[path], after.texts[path])
        for path in edit.paths
        if path in before.texts and path in after.texts and before.texts[path] != after.texts[path]
    )
    call = edit.command or edit.reply
    if args.json:
        print_json({**_record(log, Exit.OK), "changes": list(map(of_change, changes)), "call": call})
        return Exit.OK
    draw_changes(screen, changes)
    if not changes:
        screen.line(call)
    return Exit.OK


def _write_at(screen: Screen, root: Path, folder: Path, log: AgentLog, args: argparse.Namespace) -> Exit:
    """Write the files as after a row: all that the session changed, or none."""
    number, target = args.at
    if not number.isdecimal() or int(number) > len(log.edits):
        raise UsageError(f"The log has no edit {number}.", hint=f"Give a number from 0 to {len(log.edits)}.")
    states, marked = files_after(root, log, int(number), args.base)
    notes = list(states.problems)
    passed = [row for row in log.untold if row.n <= int(number)]
    if passed and not notes:
        notes.append(not_in_log(passed, "Files that they alone changed are not among these.", base=args.base))
    notes += [
        not_in_log([row], f"Whether it changed `{path}` is not known.", base=args.base)
        for path, row in states.doubtful.items()
    ] * (not states.problems)
    written = write_files(folder / target, states.texts, marked) if not states.problems else []
    status = Exit.REFUSED if notes else Exit.OK
    if args.json:
        print_json({**_record(log, status), "diagnostics": list(map(of_diagnostic, notes))})
        return status
    if states.problems:
        screen.line("Nothing was written.")
    else:
        screen.line(f"{words.count(len(written), 'file')} as after edit {number} in {target}.")
    _draw_notes(screen, notes)
    return status


def _draw_notes(screen: Screen, notes: Iterable[Diagnostic]) -> None:
    for note in notes:
        screen.line(*words.finding(note))
        if note.hint is not None:
            screen.line("next  ", note.hint)


def _undo(screen: Screen, location: Location, log: AgentLog, args: argparse.Namespace) -> Exit:
    """Show what undoing edits would write, ask, and write it; with nobody to ask, ``--yes`` alone writes."""
    policy = settings_for(args, location).policy
    with Workspace.open(location.root) as workspace:
        if args.undo_all:
            undo = plan_undo_all(workspace, log, args.base, policy)
        elif args.back_to is not None:
            undo = plan_back_to(workspace, log, args.back_to, args.base, policy)
        else:
            undo = plan_undo(workspace, log, args.undo, args.base, policy)
        done = Exit.REFUSED if undo.stays else Exit.OK
        if undo.problems or not undo.changes:
            why = "Nothing was written." if undo.problems else _NO_CHANGE
            return _tell(screen, workspace, log, undo, args, Exit.REFUSED if undo.problems else done, why)
        if args.yes:
            return _tell(screen, workspace, log, undo, args, done, operation=undo.commit(workspace))
        if args.dry_run:
            workspace.check_commit(undo.changes, undo.snapshot)
            return _tell(screen, workspace, log, undo, args, done, "Dry run: nothing was written.")
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
        return _tell(screen, workspace, log, undo, args, done, operation=undo.commit(workspace), drawn=True)


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
    """Write what was written, or why nothing was. drawn: the changes were shown before."""
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
    _draw_notes(screen, (*undo.problems, *undo.warnings))
    for path in undo.outside:
        screen.line(f"Left alone, as it is outside of the folder: {path}")
