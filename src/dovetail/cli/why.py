"""`dovetail why FILE[:LINE]`: which request, session, agent and call wrote each line of a file."""

from __future__ import annotations

import argparse
import sys

from dovetail.cli import words
from dovetail.cli.inputs import location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.session.apply.records import Record, of_operation
from dovetail.session.apply.why import Written, why
from dovetail.workspace import Operation

_SHOWN = 60  # signs of a line


def why_command(args: argparse.Namespace) -> Exit:
    """`dovetail why FILE[:LINE]`."""
    location = location_of(args)
    named, _, number = args.file.rpartition(":")
    path, line = (named, int(number)) if named and number.isdecimal() else (args.file, None)
    answer = why(location.root, location.in_root(path), line)
    if args.json:
        removed = answer.removed_by
        print_json(
            {
                "command": "why",
                "path": answer.path,
                "lines": [_record(written) for written in answer.written],
                "removed_by": of_operation(removed) if removed is not None else None,
            }
        )
        return Exit.OK
    screen = Screen.of(sys.stdout)
    for written in answer.written:
        lines = f"{written.start}" if written.start == written.end else f"{written.start}-{written.end}"
        screen.line(
            Styled(f"{lines:>9}", TextStyle.PLACE), f"  {_who(written.operation)}  ", written.text.strip()[:_SHOWN]
        )
    if answer.removed_by is not None:
        screen.line(f"{answer.path} was removed by {_who(answer.removed_by)}")
    return Exit.OK


def _record(written: Written) -> Record:
    operation = written.operation
    return {
        "start": written.start,
        "end": written.end,
        "operation": of_operation(operation) if operation is not None else None,
    }


def _who(operation: Operation | None) -> str:
    if operation is None:
        return "you, or before the journal"
    if operation.origin is None:
        return f"{operation.label} {operation.id}"
    return f"{words.of_call(operation.origin)} of {words.of_origin(operation.origin)} ({operation.id})"
