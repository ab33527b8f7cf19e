"""Counts the edits in agents' logs: how many failed and why, and how many of those Dovetail would have landed.

All figures come from the logs alone; nothing is sent anywhere. An edit that a tool refused is planned again on the file
as the log shows it; if the log does not show the file, the edit is not counted as planned.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

from dovetail.agents.logs import read_session
from dovetail.agents.readers.table import log_formats
from dovetail.agents.session_log import AgentLog, CallOutcome, LoggedEdit, RowKind
from dovetail.agents.states import Timeline
from dovetail.model.blocks import Parsed
from dovetail.model.errors import UsageError
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.session.apply.library import plan_for

# The first pattern that matches counts, so the particular causes come before the words of any failed edit.
_REASONS = {
    "another call failed": r"sibling tool call",
    "refused by the user": r"doesn't want to proceed|rejected|denied|permission|aborted|interrupted",
    "file not read before": r"not been read|read it first|must (?:first )?read",
    "file changed since": r"modified since|has been (?:modified|changed)|unexpectedly modified|out of date",
    "text not found": r"not found in|could ?n[o']t find|could not find|failed to find|no match|did not match"
    r"|\b0 (?:occurrence|match)|but found (?:0\b|none)",
    "several places": r"\d+ (?:occurrences|matches)|but found \d|multiple (?:matches|occurrences)|more than one"
    r"|must be unique",
    "nothing to change": r"identical|exactly the same|no changes",
    "no such file": r"does not exist|no such file|file not found",
    "call not readable": r"invalid|malformed|unexpected line|parse",
}
_WHY = {reason: re.compile(pattern, re.IGNORECASE) for reason, pattern in _REASONS.items()}
OTHER = "something else"


class FigureGroup(NamedTuple):
    """The key of a group of figures: month (``YYYY-MM``), agent, model and tool; "" for what the log does not have."""

    month: str
    agent: str
    model: str
    tool: str


@dataclass(slots=True)
class Tally:
    """The figures of one group.

    edits: calls that edit files. refused: those that the agent's tool did not carry out. unknown: those without an
    outcome in the log. reasons: why calls were refused. planned: refused ones whose file the log shows as it was then.
    landed: those of the planned ones that land by the default policy. again: refused ones after which the session
    edited the same file, so that work was done twice. commands: calls of a shell that may change files.
    """

    edits: int = 0
    refused: int = 0
    unknown: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    planned: int = 0
    landed: int = 0
    again: int = 0
    commands: int = 0

    def __add__(self, other: Tally) -> Tally:
        names = [name for name in Tally.__dataclass_fields__ if name != "reasons"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Tally(**sums, reasons=self.reasons + other.reasons)


@dataclass(frozen=True, slots=True)
class Audit:
    """The figures by group, in order; how many logs they come from; and why a log was not read, by its path."""

    groups: Mapping[FigureGroup, Tally]
    logs: int
    unread: Mapping[str, str]

    @property
    def total(self) -> Tally:
        """All groups together."""
        return sum(self.groups.values(), Tally())


def logs_of_today(home: Path) -> list[Path]:
    """Return the logs under a home folder that an agent wrote to today, by the local clock."""
    found = (path for form in log_formats() for place in form.places for path in home.glob(place))
    today = date.today().toordinal()
    return sorted(path for path in found if date.fromtimestamp(path.stat().st_mtime).toordinal() == today)


def audit(paths: Iterable[Path], *, whole_sessions: bool = False) -> Audit:
    """Count the edits in logs. whole_sessions: skip logs of sub-agents, which are counted with their sessions."""
    groups: dict[FigureGroup, Tally] = {}
    unread: dict[str, str] = {}
    logs = 0
    for path in paths:
        try:
            log = read_session(path)
        except UsageError as error:
            unread[str(path)] = error.message
            continue
        if whole_sessions and log.parent:
            continue
        logs += 1
        month = time.strftime("%Y-%m", time.localtime(path.stat().st_mtime))
        for group, tally in _tallies(log, month):
            groups[group] = groups.get(group, Tally()) + tally
    return Audit(dict(sorted(groups.items())), logs, unread)


def _tallies(log: AgentLog, month: str) -> Iterator[tuple[FigureGroup, Tally]]:
    """Yield a tally for each row of an edit or command. month: that of the log, for rows without a time."""
    timeline: Timeline | None = None
    for row in log.edits:
        group = FigureGroup((row.time or month)[:7], log.agent, row.model or "", row.tool)
        if row.kind is RowKind.COMMAND:
            yield group, Tally(commands=1)
        if row.kind is not RowKind.EDIT:
            continue
        if row.outcome is not CallOutcome.REFUSED:
            yield group, Tally(edits=1, unknown=int(row.outcome is CallOutcome.UNKNOWN))
            continue
        timeline = timeline or Timeline(log.edits, None, None)
        landed = _lands(row, timeline)
        later = {path for other in log.edits[row.n :] if other.outcome is CallOutcome.WRITTEN for path in other.paths}
        yield (
            group,
            Tally(
                edits=1,
                refused=1,
                reasons=Counter([reason_of(row.reason)]),
                planned=int(landed is not None),
                landed=int(landed is True),
                again=int(not later.isdisjoint(row.paths)),
            ),
        )


def reason_of(text: str) -> str:
    """Return the kind of reason, a key of `_REASONS` or `OTHER`, of a tool's message about a refused call."""
    return next((reason for reason, pattern in _WHY.items() if pattern.search(text)), OTHER)


def _lands(row: LoggedEdit, timeline: Timeline) -> bool | None:
    """Return whether all edits of a call land on the files as they were then; None if the log does not show these."""
    states = timeline.at(row.n - 1)
    paths = row.paths
    if not paths or any(path not in states.texts or path in states.doubtful for path in paths):
        return None
    files = {path: text for path in paths if (text := states.texts[path]) is not None}
    plan = plan_for(Parsed(row.blocks), files, DEFAULT_POLICY)
    return bool(plan.changes) and not plan.failed
