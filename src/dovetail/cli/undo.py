"""`dovetail undo` and `dovetail redo`.

They ask nothing: the command itself is the wish, what it does is known to the byte, and each takes back the other.
"""

from __future__ import annotations

import argparse
import sys

from dovetail.cli import words
from dovetail.cli.diff_view import draw_changes
from dovetail.cli.screen import Screen
from dovetail.cli.standing import Standing, standing
from dovetail.cli.stated import place_of
from dovetail.cli.status import Exit
from dovetail.cli.streams import print_json
from dovetail.model.errors import UsageError
from dovetail.session.journal.history import TakenBack, redo, undo
from dovetail.session.shown.record import of_change, of_operation


def undo_command(stated: argparse.Namespace) -> Exit:
    """`dovetail undo [ID] [--edit N]`."""
    place = place_of(stated)
    if not stated.edit:
        return _tell(stated, undo(place.root, stated.id, dry_run=stated.dry_run))
    if min(stated.edit) < 1:
        raise UsageError("Edits are numbered from 1.", hint="The numbers are in `dovetail show ID`")
    from dovetail.session.journal.undo_edits import undo_edits
    from dovetail.session.settings import load

    return _tell(stated, undo_edits(place.root, stated.id, stated.edit, load(place.root).terms, dry_run=stated.dry_run))


def redo_command(stated: argparse.Namespace) -> Exit:
    """`dovetail redo`."""
    return _tell(stated, redo(place_of(stated).root, dry_run=stated.dry_run))


def _tell(stated: argparse.Namespace, done: TakenBack) -> Exit:
    stands = Standing() if stated.dry_run else what_came_back(stated.command, done)
    with standing(stands):
        _draw(stated, done, stands)
    return Exit.OK


def what_came_back(command: str, done: TakenBack, typed: str = "dovetail ") -> Standing:
    """What an `undo` or `redo` did, and how to reverse it; `typed` stands before the name of a command."""
    files = words.files_of(done.changes) if done.changes else "no file had to change"
    what = f"{words.edits_of(done.edits)}operation {done.operation.undoes}"
    said = f"Took back {what}: {files}" if command == "undo" else f"Did again what {what} had taken back: {files}"
    return Standing(said, f"To reverse this: {typed}{'redo' if command == 'undo' else 'undo'}")


def _draw(stated: argparse.Namespace, done: TakenBack, stands: Standing) -> None:
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


def draw_taken_back(screen: Screen, done: TakenBack, said: str, *, whole: bool = False) -> None:
    """Write which files are others now, with their diff where it is the `whole` of it, and what is `said` of that."""
    draw_changes(screen, done.changes, whole=whole)
    screen.line(said)
    for note in done.notes:
        screen.line(note)
