"""`dovetail undo` and `dovetail redo`.

They ask nothing: the command itself is the wish, what it does is known to the byte, and each takes back the other.
"""

from __future__ import annotations

import argparse
import sys

from dovetail.cli import words
from dovetail.cli.asked import place_of
from dovetail.cli.diff_view import draw_hunks
from dovetail.cli.json_view import print_json
from dovetail.cli.screen import Screen
from dovetail.cli.status import Exit
from dovetail.cli.words import file_title
from dovetail.model.errors import UsageError
from dovetail.session.diff import diff
from dovetail.session.history import TakenBack, redo, undo
from dovetail.session.record import of_change, of_operation


def undo_command(stated: argparse.Namespace) -> Exit:
    """`dovetail undo [ID] [--edit N]`."""
    place = place_of(stated)
    if not stated.edit:
        return _tell(stated, undo(place.root, stated.id, dry_run=stated.dry_run))
    if min(stated.edit) < 1:
        raise UsageError("Edits are numbered from 1.", hint="See the numbers with `dovetail show`")
    from dovetail.session.settings import load
    from dovetail.session.undo_edits import undo_edits

    return _tell(stated, undo_edits(place.root, stated.id, stated.edit, load(place.root), dry_run=stated.dry_run))


def redo_command(stated: argparse.Namespace) -> Exit:
    """`dovetail redo`."""
    return _tell(stated, redo(place_of(stated).root, dry_run=stated.dry_run))


def _tell(stated: argparse.Namespace, done: TakenBack) -> Exit:
    notes = _notes(stated.command, done)
    if stated.json:
        print_json(
            {
                "command": stated.command,
                "dry_run": stated.dry_run,
                "exit": int(Exit.OK),
                "operation": of_operation(done.operation),
                "changes": [of_change(change) for change in done.changes],
                "notes": notes,
            }
        )
        return Exit.OK
    screen = Screen.of(sys.stdout)
    for change in done.changes:
        hunks = diff(change.before or "", change.after or "")
        screen.line(*file_title(change, hunks))
        if stated.dry_run:
            draw_hunks(screen, hunks, "  ")
            screen.line()
    screen.line(_sentence(stated, done))
    for note in notes:
        screen.line(note)
    return Exit.OK


def _sentence(stated: argparse.Namespace, done: TakenBack) -> str:
    files = words.count(len(done.changes), "file")
    if stated.dry_run:
        return f"Dry run: nothing was written. {stated.command.capitalize()} would change {files}."
    what = f"{words.edits_of(done.edits)}operation"
    verb, other = ("Took back", "redo") if stated.command == "undo" else ("Did again what", "undo")
    ending = "" if stated.command == "undo" else " had taken back"
    return f"{verb} {what} {done.operation.undoes}{ending}: {files}. To reverse this: dovetail {other}"


def _notes(command: str, done: TakenBack) -> list[str]:
    notes = [done.recovery.message] if done.recovery is not None else []
    if done.in_git and command == "undo":
        notes.append("Git's index and commits were not touched.")
    return notes
