"""`dovetail why FILE[:LINE]`: which request, session, agent and call wrote each line of a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

from dovetail.agents.written import LoggedWriter, why_logged
from dovetail.cli import words
from dovetail.cli.inputs import location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.session.apply.committed import CommitAuthor
from dovetail.session.apply.records import Record, of_operation
from dovetail.session.apply.why import Authorship, Removed, why
from dovetail.workspace import Operation

Writer = Operation | CommitAuthor | LoggedWriter | None

_SHOWN = 60  # characters of a line
_SHORT = 10  # digits of a commit


def why_command(args: argparse.Namespace) -> Exit:
    """`dovetail why FILE[:LINE]`."""
    location = location_of(args)
    named, _, number = args.file.rpartition(":")
    path, line = (named, int(number)) if named and number.isdecimal() else (args.file, None)
    path = location.in_root(path)
    answer: Authorship[Operation | CommitAuthor] | Authorship[LoggedWriter | CommitAuthor]
    if args.log:
        logs = [location.folder / log for log in args.log]
        answer = why_logged(location.root, logs, path, line, args.base)
    else:
        answer = why(location.root, path, line)
    if args.json:
        print_json(_record(answer))
        return Exit.OK
    screen = Screen.of(sys.stdout)
    rows = [(one.start, 0, _lines(one.start, one.end), _who(one.writer), one.text) for one in answer.written]
    if args.removed:
        removed: Sequence[Removed[Operation | CommitAuthor] | Removed[LoggedWriter | CommitAuthor]] = answer.removed
        for n, gone in enumerate(removed, 1):
            rows.append((gone.behind, n, f"after {gone.behind}", f"removed by {_who(gone.removed_by)}", gone.text))
    for _, nth, place, who, text in sorted(rows, key=lambda row: row[:2]):
        style = TextStyle.WARN if nth else TextStyle.PLACE
        screen.line(Styled(f"{place:>9}", style), f"  {who}  ", text.strip()[:_SHOWN])
    if answer.removed_by is not None:
        screen.line(f"{answer.path} was removed by {_who(answer.removed_by)}")
    return Exit.OK


def _record(answer: Authorship[Operation | CommitAuthor] | Authorship[LoggedWriter | CommitAuthor]) -> Record:
    gone = answer.removed_by
    return {
        "command": "why",
        "path": answer.path,
        "lines": [{"start": one.start, "end": one.end, **_of(one.writer)} for one in answer.written],
        "removed": [
            {"behind": one.behind, "text": one.text, "written_by": _of(one.writer), "removed_by": _of(one.removed_by)}
            for one in answer.removed
        ],
        "removed_by": of_operation(gone) if isinstance(gone, Operation) else None,
        "removed_by_logged": _of(gone)["logged"],
    }


def _of(writer: Writer) -> Record:
    """Return a line's writer as JSON: an operation, a call of a log, or what a commit records; the others are null."""
    logged = None
    if isinstance(writer, LoggedWriter):
        row = writer.row
        logged = {
            "agent": writer.agent,
            "log": str(writer.log),
            "row": row.n,
            "tool": row.tool,
            "call": row.call_id,
            "subagent": row.agent_id,
            "model": row.model,
            "time": row.time,
        }
    return {
        "operation": of_operation(writer) if isinstance(writer, Operation) else None,
        "logged": logged,
        "committed": asdict(writer) if isinstance(writer, CommitAuthor) else None,
    }


def _lines(start: int, end: int) -> str:
    return f"{start}" if start == end else f"{start}-{end}"


def _who(writer: Writer) -> str:
    match writer:
        case None:
            return "you, or somebody before"
        case LoggedWriter(agent, log, row):
            call = f" {row.call_id}" if row.call_id else ""
            return f"{row.tool}{call} of {agent}{f', {row.model}' if row.model else ''} ({log.name}, row {row.n})"
        case CommitAuthor(commit=commit, told_by=told_by, human=str(human)) if human:
            return f"{human} (commit {commit[:_SHORT]}, {told_by})"
        case CommitAuthor(commit=commit, told_by=told_by, checkpoint=str(checkpoint)) if checkpoint:
            return f"checkpoint {checkpoint} (commit {commit[:_SHORT]}, {told_by})"
        case CommitAuthor(commit=commit, told_by=told_by):
            model = f", {writer.model}" if writer.model else ""
            return (
                f"{writer.agent or 'an agent'}{model}, session {writer.session} (commit {commit[:_SHORT]}, {told_by})"
            )
        case _ if writer.origin is None:
            return f"{writer.label} {writer.id}"
        case _:
            return f"{words.of_call(writer.origin)} of {words.of_origin(writer.origin)} ({writer.id})"
