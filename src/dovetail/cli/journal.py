"""`dovetail log` and `dovetail show`: the journal of operations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from dovetail.cli import words
from dovetail.cli.inputs import check_number, location_of
from dovetail.cli.output import Effect, Exit, print_json, reporting
from dovetail.cli.plan_view import draw_changes
from dovetail.cli.screen import Part, Screen, Style, Styled
from dovetail.model.codes import Status, Tier
from dovetail.model.errors import JournalError, UsageError
from dovetail.session.diff import renamed_paths
from dovetail.session.history import JournalLog, UndoResult, log, redo, show, undo
from dovetail.session.records import of_change, of_operation
from dovetail.workspace import Operation, Recovery, Shown, State

_MOST_PATHS = 3


def log_command(stated: argparse.Namespace) -> Exit:
    """`dovetail log`."""
    check_number("--limit", stated.limit, 1, "operations")
    logged = log(location_of(stated).root, prune=stated.prune)
    if stated.json:
        _write_recovery(logged.recovery)
        _draw_refusal(Screen.of(sys.stderr), logged.refused)
        pruned = logged.pruned
        print_json(
            {
                "command": "log",
                "operations": [of_operation(operation) for operation in logged.operations[: stated.limit]],
                "lost": logged.lost,
                "pruned": {"operations": pruned.operations, "bytes": pruned.bytes} if pruned is not None else None,
            }
        )
        return Exit.OK
    _draw_log(Screen.of(sys.stdout), logged, stated.limit)
    return Exit.OK


def _write_recovery(recovery: Recovery | None) -> None:
    """Say what was completed on the way, beside an output that has no place for it."""
    if recovery is not None:
        sys.stderr.write(f"{recovery.message}\n")


def _draw_log(screen: Screen, logged: JournalLog, limit: int) -> None:
    if logged.recovery is not None:
        screen.line(logged.recovery.message)
    _draw_refusal(screen, logged.refused)
    if logged.pruned is not None:
        dropped = words.count(logged.pruned.operations, "operation")
        screen.line(f"Dropped {dropped}, {logged.pruned.bytes:,} bytes.")
    if logged.lost:
        lost = words.count(logged.lost, "operation")
        screen.line(Styled("warning journal-damaged", Style.WARN), f"  {lost} cannot be read in the journal.")
        screen.line(
            "next  ", "Where one may be the newest, undo and redo take back only what is named: dovetail undo ID"
        )
    for operation in logged.operations[:limit]:
        if operation.lost:
            screen.line(Styled(f"({words.count(operation.lost, 'operation')} that cannot be read)", Style.WARN))
        screen.line(*_log_line(operation))
    rest = len(logged.operations) - limit
    if rest > 0:
        screen.line(f"{rest:,} older. To see them: dovetail log --limit {len(logged.operations)}")
    if not logged.operations and not logged.lost:
        screen.line("No operation yet: nothing was applied under this root.")


def _draw_refusal(screen: Screen, refused: JournalError | None) -> None:
    """Write why nothing of the journal can be taken back."""
    if refused is not None:
        screen.line(Styled(f"warning {refused.code}", Style.WARN), f"  {refused.message}")
        screen.line("next  ", refused.hint or "")


def _log_line(operation: Operation) -> list[Part]:
    state = "undone" if operation.state is State.UNDONE else ""
    return [
        Styled(f"{operation.id:<19}", Style.PLACE),
        f"  {operation.label:<5}  ",
        Styled(f"{state:<6}", Style.WARN),
        f"  {words.count(len(renamed_paths(operation.files)), 'file'):<8}  ",
        _about(operation),
    ]


def _about(operation: Operation) -> str:
    named = words.listed(renamed_paths(operation.files), _MOST_PATHS)
    if operation.undoes is None:
        return named
    what = f"takes back {words.edits_of(operation.edits)}{operation.undoes}"
    return f"{what}: {named}" if named else f"{what}; no file had to change"


def show_command(stated: argparse.Namespace) -> Exit:
    """`dovetail show ID`."""
    looked = show(location_of(stated).root, stated.id)
    shown, changes = looked.shown, looked.changes
    operation = shown.operation
    _write_recovery(looked.recovery)
    _draw_refusal(Screen.of(sys.stderr), looked.refused)
    if stated.json:
        print_json(
            {
                "command": "show",
                "operation": of_operation(operation),
                "reply": shown.reply,
                "results": list(shown.results),
                "changes": [of_change(change) for change in changes],
            }
        )
        return Exit.OK
    if stated.reply:
        sys.stdout.write(_reply_of(shown))
        return Exit.OK
    screen = Screen.of(sys.stdout)
    screen.line(Styled(f"{operation.label} {operation.id}", Style.TITLE), f"  {operation.state}  {operation.time}")
    if operation.undoes is not None:
        screen.line(_about(operation))
    for result in shown.results:
        screen.line(*_result_line(result), "  taken back" if result["n"] in looked.undone else "")
    screen.line()
    draw_changes(screen, changes)
    return Exit.OK


def _reply_of(shown: Shown) -> str:
    """The reply that an operation applied. Raises `JournalError` for one that took another back: it has none."""
    if (operation := shown.operation).undoes is not None:
        raise JournalError(
            f"Operation {operation.id} {_about(operation)}; it has no reply.",
            hint="Name the apply; see `dovetail log`",
        )
    return shown.reply


def _result_line(result: Mapping[str, Any]) -> list[Part]:
    """A badge from what the journal keeps of a result."""
    status = Status(result["status"])
    landed = result["tier"] and status in (Status.APPLIED, Status.ALREADY_APPLIED)
    how = words.found_at(Tier(result["tier"]), result["score"], result["places"]) if landed else result["code"]
    badge = Styled(" ".join(word for word in (status, how) if word), words.STATUS_STYLES[status])
    where = words.at_lines(result["path"] or "(no file named)", result["start"], result["end"])
    return [f"{result['n']:>3}  ", badge, "  ", Styled(where, Style.PLACE)]


def undo_command(stated: argparse.Namespace) -> Exit:
    """`dovetail undo [ID] [--edit N]`."""
    place = location_of(stated)
    if not stated.edit:
        return _tell(stated, undo(place.root, stated.id, dry_run=stated.dry_run))
    if min(stated.edit) < 1:
        raise UsageError("Edits are numbered from 1.", hint="The numbers are in `dovetail show ID`")
    from dovetail.session.settings import load
    from dovetail.session.undo_edits import undo_edits

    return _tell(stated, undo_edits(place.root, stated.id, stated.edit, load(place.root).reply, dry_run=stated.dry_run))


def redo_command(stated: argparse.Namespace) -> Exit:
    """`dovetail redo`."""
    return _tell(stated, redo(location_of(stated).root, dry_run=stated.dry_run))


def _tell(stated: argparse.Namespace, done: UndoResult) -> Exit:
    stands = Effect() if stated.dry_run else effect_of_undo(stated.command, done)
    with reporting(stands):
        _draw(stated, done, stands)
    return Exit.OK


def effect_of_undo(command: str, done: UndoResult, typed: str = "dovetail ") -> Effect:
    """What an `undo` or `redo` did, and how to reverse it; `typed` stands before the name of a command."""
    files = words.files_of(done.changes) if done.changes else "no file had to change"
    what = f"{words.edits_of(done.edits)}operation {done.operation.undoes}"
    said = f"Took back {what}: {files}" if command == "undo" else f"Did again what {what} had taken back: {files}"
    return Effect(said, f"To reverse this: {typed}{'redo' if command == 'undo' else 'undo'}")


def _draw(stated: argparse.Namespace, done: UndoResult, stands: Effect) -> None:
    if stated.json:
        print_json(
            {
                "command": stated.command,
                "dry_run": stated.dry_run,
                "exit": int(Exit.OK),
                "operation": of_operation(done.operation),
                "changes": [of_change(change) for change in done.changes],
                "notes": done.notes,
            }
        )
        return
    would = f"Dry run: nothing was written. {stated.command.capitalize()} would change {words.files_of(done.changes)}."
    draw_taken_back(Screen.of(sys.stdout), done, would if stated.dry_run else str(stands), whole=stated.dry_run)


def draw_taken_back(screen: Screen, done: UndoResult, said: str, *, whole: bool = False) -> None:
    """Write which files are others now, with their diff where it is the `whole` of it, and what is `said` of that."""
    draw_changes(screen, done.changes, whole=whole)
    screen.line(said)
    for note in done.notes:
        screen.line(note)
