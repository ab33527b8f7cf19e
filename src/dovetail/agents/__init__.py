"""The logs that coding agents leave: what was edited, the files as they were after each edit, and taking edits back.

`logs` reads the logs of several agents into one kind of value, `states` works on files.
"""

from __future__ import annotations

from dovetail.agents.logs import AgentLog, FileEffect, LoggedEdit, read_log
from dovetail.agents.states import TakenBack, states_after, take_back

__all__ = ["AgentLog", "FileEffect", "LoggedEdit", "TakenBack", "read_log", "states_after", "take_back"]
