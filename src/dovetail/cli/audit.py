"""`dovetail audit`: the figures of agents' logs, as a table, for programs, or as a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dovetail.agents.audit import Audit, FigureGroup, Tally, audit, logs_of_today
from dovetail.cli import words
from dovetail.cli.audit_page import page
from dovetail.cli.inputs import folder_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.screen import Screen, Styled, TextStyle, width
from dovetail.model.errors import UsageError

_HEAD = ("month", "agent", "model", "tool", "edits", "refused", "lands", "again", "commands")


def audit_command(args: argparse.Namespace) -> Exit:
    """`dovetail audit [LOG ...]`; status 1 where a log could not be read."""
    folder = folder_of(args)
    named = [folder / log for log in args.logs]
    paths = named or logs_of_today(Path.home())
    if not paths:
        raise UsageError("No agent wrote a log today.", hint="Name logs: dovetail audit LOG …")
    found = audit(paths, whole_sessions=not named)
    status = Exit.REFUSED if found.unread else Exit.OK
    if args.html is not None:
        (folder / args.html).write_text(page(found), encoding="utf-8")
    if args.json:
        print_json(_record(found, status))
        return status
    screen = Screen.of(sys.stdout)
    _draw(screen, found)
    for path, why in found.unread.items():
        screen.line(Styled("not read", TextStyle.WARN), f"  {path}  {why}")
    return status


def _record(found: Audit, status: Exit) -> dict[str, Any]:
    groups = [{**group._asdict(), **_figures(tally)} for group, tally in found.groups.items()]
    unread = [{"path": path, "why": why} for path, why in found.unread.items()]
    record = {"command": "audit", "exit": int(status), "logs": found.logs, "groups": groups}
    return {**record, "total": _figures(found.total), "unread": unread}


def _figures(tally: Tally) -> dict[str, Any]:
    names = ("edits", "refused", "unknown", "planned", "landed", "again", "commands")
    return {**{name: getattr(tally, name) for name in names}, "reasons": dict(tally.reasons.most_common())}


def _draw(screen: Screen, found: Audit) -> None:
    screen.line(Styled(f"{words.count(found.logs, 'session')}. Nothing of them leaves this machine.", TextStyle.TITLE))
    rows = [_HEAD, *(_row(group, tally) for group, tally in found.groups.items())]
    rows.append(_row(FigureGroup("all", "", "", ""), found.total))
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for n, row in enumerate(rows):
        cells = [
            f"{' ' * (size - width(cell))}{cell}"
            if at >= len(FigureGroup._fields)
            else f"{cell}{' ' * (size - width(cell))}"
            for at, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        line = "  ".join(cells).rstrip()
        screen.line(Styled(line, TextStyle.TITLE) if n in (0, len(rows) - 1) else line)
    total = found.total
    for reason, count in total.reasons.most_common():
        screen.line(f"{count:>6}  refused: {reason}")
    if total.planned:
        screen.line(f"Dovetail lands {total.landed} of the {total.planned} refused edits whose file the logs show.")


def _row(group: FigureGroup, tally: Tally) -> tuple[str, ...]:
    lands = f"{tally.landed} of {tally.planned}" if tally.planned else ""
    numbers = (tally.edits, tally.refused, lands, tally.again, tally.commands)
    return (*group, *(str(number or "") for number in numbers))
