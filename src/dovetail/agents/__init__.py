"""The logs that coding agents leave: what was edited, the files as they were after each edit, and taking edits back.

`readers` knows the logs of several agents, `logs` makes sessions of them, `states` works on texts,
`folder` on a folder.
"""

from __future__ import annotations

from dovetail.agents.logs import read_log, read_session
from dovetail.agents.session_log import AgentLog, FileEffect, LoggedEdit, Outcome, RowKind
from dovetail.agents.states import States, TakenBack, Timeline, take_back

__all__ = [
    "AgentLog",
    "FileEffect",
    "LoggedEdit",
    "Outcome",
    "RowKind",
    "States",
    "TakenBack",
    "Timeline",
    "read_log",
    "read_session",
    "take_back",
]
