"""The journal of operations: `dovetail log`, `show`, `undo` and `redo`.

Undo and redo ask nothing: what they do is known to the byte, and each reverses the other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dovetail.cli import words
from dovetail.cli.inputs import check_number, location_of
from dovetail.cli.output import DoneReport, Exit, print_json, reporting
from dovetail.cli.plan_view import draw_changes
from dovetail.cli.screen import Part, Screen, Styled, TextStyle, write_text
from dovetail.cli.terminal import open_terminal
from dovetail.model.codes import Status, Tier
from dovetail.model.errors import JournalError, UsageError
from dovetail.session.apply.agent_trace import trace_records
from dovetail.session.apply.diff import renamed_paths
from dovetail.session.apply.operations import (
    JournalLog,
    OperationDetails,
    UndoResult,
    changes_back,
    intent_of,
    log,
    redo,
    show,
    undo,
    undo_by_intent,
    undo_to,
)
from dovetail.session.apply.records import Record, of_change, of_operation
from dovetail.workspace import Label, Operation, OperationState, Recovery, Workspace

_MAX_PATHS = 3
_CALL = 12  # characters of an operation's label, or of the tool that made it


def log_command(args: argparse.Namespace) -> Exit:
    """`dovetail log [--prune | --adopt | --format agent-trace]`."""
    check_number("--limit", args.limit, 1, "operations")
    if args.adopt:
        return _adopt(location_of(args).root, args)
    if args.format is not None:
        for record in trace_records(location_of(args).root, args.limit):
            write_text(sys.stdout, json.dumps(record, ensure_ascii=False) + "\n")
        return Exit.OK
    logged = log(location_of(args).root, prune=args.prune, most=args.limit, counted=True)
    if not args.json:
        _draw_log(Screen.of(sys.stdout), logged)
        return Exit.OK
    _write_recovery(logged.recovery)
    _draw_refusal(Screen.of(sys.stderr), logged)
    pruned, refused = logged.pruned, logged.refused
    print_json(
        {
            "command": "log",
            "operations": [_log_record(logged, operation) for operation in logged.operations],
            "lost": logged.lost,
            "pruned": {"operations": pruned.operations, "bytes": pruned.bytes} if pruned is not None else None,
            "refused": refused and {"code": refused.code, "message": refused.message},
        }
    )
    return Exit.OK


def _adopt(root: Path, args: argparse.Namespace) -> Exit:
    """Show what undo would write from a journal that is not known to be the user's, ask, and adopt it."""
    with Workspace.open(root) as workspace:
        shown = workspace.would_adopt()
        screen = Screen.of(sys.stderr if args.json else sys.stdout)
        if not args.json:
            for one in shown:
                title = f"Undo of {one.operation.label} {one.operation.id}, of {one.operation.time}, would write:"
                screen.line(Styled(title, TextStyle.TITLE))
                draw_changes(screen, changes_back(one))
        terminal = open_terminal(stdin_is_reply=False) if not (args.yes or args.json) else None
        if terminal is None and not args.yes:
            sys.stderr.write("The journal was left as it is: there is no terminal to ask on. Add --yes.\n")
            return Exit.USAGE
        if terminal is not None:
            with terminal:
                terminal.forget()
                if not terminal.agrees("Did you write this? If so, it becomes your journal."):
                    screen.line("The journal was left as it is.")
                    return Exit.REFUSED
        workspace.adopt(shown)
    adopted = f"The journal is yours now, with {words.count(len(shown), 'operation')}."
    with reporting(DoneReport(adopted, "To list them: dovetail log")):
        if args.json:
            operations = [{**of_operation(one.operation), "added": None, "removed": None} for one in shown]
            print_json(
                {
                    "command": "log",
                    "operations": operations,
                    "lost": 0,
                    "pruned": None,
                    "refused": None,
                    "adopted": True,
                }
            )
        else:
            screen.line(adopted)
    return Exit.OK


def _log_record(logged: JournalLog, operation: Operation) -> Record:
    added, removed = logged.lines.get(operation.id, (None, None))
    return {**of_operation(operation), "added": added, "removed": removed}


def _draw_log(screen: Screen, logged: JournalLog) -> None:
    if logged.recovery is not None:
        screen.line(logged.recovery.message)
    _draw_refusal(screen, logged)
    if logged.pruned is not None:
        dropped = words.count(logged.pruned.operations, "operation")
        screen.line(f"Dropped {dropped}, {logged.pruned.bytes:,} bytes.")
    if logged.lost:
        lost = words.count(logged.lost, "operation")
        screen.line(Styled("warning journal-damaged", TextStyle.WARN), f"  {lost} cannot be read in the journal.")
        screen.line(
            "next  ", "Where one may be the newest, undo and redo take back only what is named: dovetail undo ID"
        )
    group = None
    for operation in logged.operations:
        origin = operation.origin
        if origin is not None and group != (origin.session, origin.prompt):
            screen.line(Styled(words.of_origin(origin), TextStyle.TITLE))
        group = None if origin is None else (origin.session, origin.prompt)
        if operation.lost:
            screen.line(Styled(f"({words.count(operation.lost, 'operation')} that cannot be read)", TextStyle.WARN))
        state = "undone" if operation.state is OperationState.UNDONE else ""
        lines = logged.lines.get(operation.id)
        added, removed = ("", "") if lines is None else (f"+{lines[0]:,}", f"-{lines[1]:,}")
        screen.line(
            Styled(f"{operation.id:<19}", TextStyle.PLACE),
            f"  {operation.label if origin is None else words.of_call(origin):<{_CALL}.{_CALL}}  ",
            Styled(f"{state:<6}", TextStyle.WARN),
            f"  {words.count(len(renamed_paths(operation.files)), 'file'):<8}  ",
            Styled(f"{added:>5}", TextStyle.GOOD),
            " ",
            Styled(f"{removed:<5}", TextStyle.BAD),
            "  ",
            _about(operation),
        )
    if logged.older:
        all_of_them = len(logged.operations) + logged.older
        screen.line(f"{logged.older:,} older. To see them: dovetail log --limit {all_of_them}")
    if not logged.operations and not logged.lost:
        screen.line("No operation yet: nothing was applied under this root.")


def _about(operation: Operation) -> str:
    named = words.listed(renamed_paths(operation.files), _MAX_PATHS)
    if operation.not_covered:
        more = f"not kept: {words.listed(operation.not_covered, _MAX_PATHS)}"
        named = f"{named}; {more}" if named else more
    if operation.undoes is None:
        return named
    more = f" and {len(operation.also)} more" if operation.also else ""
    what = f"takes back {words.edits_of(operation.edits)}{operation.undoes}{more}"
    return f"{what}: {named}" if named else f"{what}; no file had to change"


def _write_recovery(recovery: Recovery | None) -> None:
    """Write what was recovered to standard error, as the output itself has no place for it."""
    if recovery is not None:
        Screen.of(sys.stderr).line(recovery.message)


def _draw_refusal(screen: Screen, told: JournalLog | OperationDetails) -> None:
    """Write why the journal is not used, unless the message about recovery says it."""
    if (refused := told.refused) is not None and told.recovery is None:
        screen.line(Styled(f"warning {refused.code}", TextStyle.WARN), f"  {refused.message}")
        screen.line("next  ", refused.hint or "")


def show_command(args: argparse.Namespace) -> Exit:
    """`dovetail show ID`."""
    details = show(location_of(args).root, args.id)
    shown, operation = details.shown, details.shown.operation
    _write_recovery(details.recovery)
    _draw_refusal(Screen.of(sys.stderr), details)
    if args.json:
        print_json(
            {
                "command": "show",
                "operation": of_operation(operation),
                "reply": shown.reply,
                "results": list(shown.results),
                "changes": [of_change(change) for change in details.changes],
            }
        )
        return Exit.OK
    if args.reply:
        if operation.label is not Label.APPLY:
            what = _about(operation) if operation.undoes is not None else "only records what an agent did"
            raise JournalError(
                f"Operation {operation.id} {what}; it has no reply.", hint="Name the apply; see `dovetail log`"
            )
        write_text(sys.stdout, shown.reply)
        return Exit.OK
    screen = Screen.of(sys.stdout)
    screen.line(Styled(f"{operation.label} {operation.id}", TextStyle.TITLE), f"  {operation.state}  {operation.time}")
    if operation.undoes is not None:
        screen.line(_about(operation))
    if operation.origin is not None:
        screen.line(f"{words.of_call(operation.origin)} of {words.of_origin(operation.origin)}")
    if operation.not_covered:
        screen.line(f"Changed too, and not kept: {words.listed(operation.not_covered, _MAX_PATHS)}")
    for result in shown.results:
        screen.line(*_result_line(result), "  taken back" if result["n"] in details.undone else "")
    for file in operation.files:
        before, after = file.modes
        if before is not None and after is not None and before != after:
            screen.line(f"Permission bits of {file.path}: {before:o} before, {after:o} after")
    screen.line()
    draw_changes(screen, details.changes)
    return Exit.OK


def _result_line(result: Mapping[str, Any]) -> list[Part]:
    status = Status(result["status"])
    landed = result["tier"] and status in (Status.WRITTEN, Status.STANDS_ALREADY)
    places = result.get("place_count", len(result["places"]))
    how = words.found_at(Tier(result["tier"]), result["score"], places) if landed else result["code"]
    badge = Styled(f"{words.state(status)} {how or ''}".rstrip(), words.STATUS_STYLES[status])
    where = words.at_lines(result["path"] or "(no file named)", result["start"], result["end"])
    return [f"{result['n']:>3}  ", badge, "  ", Styled(where, TextStyle.PLACE)]


def undo_command(args: argparse.Namespace) -> Exit:
    """`dovetail undo [ID] [--edit N] [--to ID]`, or by session, request, call or time."""
    root, how = location_of(args).root, _how(args)
    by_intent = (args.session, args.prompt, args.call, args.since)
    if args.path and by_intent == (None, None, None, None):
        raise UsageError("--path narrows down what is taken back.", hint="Add --session, --prompt, --call or --since")
    if by_intent != (None, None, None, None):
        if args.id is not None or args.edit or args.to is not None:
            raise UsageError(
                "--session, --prompt, --call and --since say what is taken back.",
                hint="Leave out the operation, --edit and --to.",
            )
        wanted = intent_of(args.session, args.prompt, args.call, args.since, args.path or ())
        return _report(args, undo_by_intent(root, wanted, **how))
    if args.to is not None:
        if args.id is not None or args.edit:
            raise UsageError("--to takes back whole operations.", hint="Leave out the other ID and --edit.")
        return _report(args, undo_to(root, args.to, **how))
    if not args.edit:
        return _report(args, undo(root, args.id, **how))
    if args.except_conflicts:
        raise UsageError("--edit names the edits one by one.", hint="Leave out --except-conflicts.")
    if min(args.edit) < 1:
        raise UsageError("Edits are numbered from 1.", hint="The numbers are in `dovetail show ID`")
    from dovetail.session.apply.undo_edits import undo_edits  # the whole engine, which only `--edit` needs
    from dovetail.session.settings import load

    return _report(args, undo_edits(root, args.id, args.edit, load(root).reply, dry_run=args.dry_run))


def _how(args: argparse.Namespace) -> dict[str, bool]:
    return {"dry_run": args.dry_run, "except_conflicts": args.except_conflicts}


def redo_command(args: argparse.Namespace) -> Exit:
    """`dovetail redo`."""
    return _report(args, redo(location_of(args).root, **_how(args)))


def _report(args: argparse.Namespace, done: UndoResult) -> Exit:
    report = DoneReport() if args.dry_run else report_of_undo(args.command, done)
    with reporting(report):
        if args.json:
            print_json(
                {
                    "command": args.command,
                    "dry_run": args.dry_run,
                    "exit": int(Exit.OK),
                    "operation": of_operation(done.operation),
                    "changes": [of_change(change) for change in done.changes],
                    "merged": [
                        {"path": path, "added": added, "removed": removed}
                        for path, (added, removed) in done.merged.items()
                    ],
                    "conflicts": [{**conflict._asdict(), "text": conflict.text} for conflict in done.conflicts],
                    "notes": done.notes,
                }
            )
        else:
            files = words.files_of(done.changes)
            would = f"Dry run: nothing was written. {args.command.capitalize()} would change {files}."
            sentence = would if args.dry_run else str(report)
            draw_undo(Screen.of(sys.stdout), done, sentence, whole=args.dry_run)
    return Exit.OK


def report_of_undo(command: str, done: UndoResult, typed: str = "dovetail ") -> DoneReport:
    """Return words for what an `undo` or `redo` did and how to reverse it; `typed` precedes the name of a command."""
    files = words.files_of(done.changes) if done.changes else "no file had to change"
    operations = done.operation.reverses
    what = f"{words.edits_of(done.edits)}operation {operations[0]}"
    if len(operations) > 1:
        what = f"{len(operations)} operations, {operations[-1]} to {operations[0]}"
    if done.operation.only:
        what = f"{words.listed(done.operation.only, _MAX_PATHS)} of {what}"
    if command == "undo":
        return DoneReport(f"Took back {what}: {files}", f"To reverse this: {typed}redo")
    named = "" if done.is_plain else f" {done.operation.id}"
    return DoneReport(f"Did again what {what} had taken back: {files}", f"To reverse this: {typed}undo{named}")


def draw_undo(screen: Screen, done: UndoResult, sentence: str, *, whole: bool = False) -> None:
    """Write which files changed, with `whole` also how, and a sentence about it."""
    draw_changes(screen, done.changes, whole=whole)
    screen.line(sentence)
    for note in done.notes:
        screen.line(note)
