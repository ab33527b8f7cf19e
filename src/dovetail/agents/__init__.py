"""The logs that coding agents leave: their edits, the files as they were after each edit, and taking edits back.

`readers` knows the logs of several agents, `logs` makes sessions of them, `states` works on texts, `folder` on files.
"""

from __future__ import annotations

from dovetail.agents.hunks import hunks_of_patch
from dovetail.agents.logs import read_log, read_session
from dovetail.agents.readers.calls import LoggedCall, Record, call_of, effect_of
from dovetail.agents.readers.table import LogFormat
from dovetail.agents.session_log import AgentLog, CallOutcome, FileEffect, LoggedEdit, RowKind
from dovetail.agents.states import States, TakenBack, Timeline, take_back

__all__ = [
    "AgentLog",
    "CallOutcome",
    "FileEffect",
    "LogFormat",
    "LoggedCall",
    "LoggedEdit",
    "Record",
    "RowKind",
    "States",
    "TakenBack",
    "Timeline",
    "call_of",
    "effect_of",
    "hunks_of_patch",
    "read_log",
    "read_session",
    "take_back",
]
