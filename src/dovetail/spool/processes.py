"""Finds the agent's process, and whether it still runs: a dead agent's calls have ended, though no event said so.

Owns the names of processes that only stand between an agent and its hook. Without `/proc` no process is known, and a
call counts as open for half a day.
"""

from __future__ import annotations

import os
import time

# Names of processes between an agent and its hook. They are compared as prefixes: `python` is python3.12, too.
_BETWEEN = (b"sh", b"bash", b"dash", b"zsh", b"fish", b"env", b"timeout", b"dovetail", b"python")
_MOST = 8  # ancestors that are looked at
_LONGEST = 12 * 3600  # seconds that a call is open where no process is known


def agent_process() -> str:
    """Return the agent's process that started this hook, as "PID START-TIME"; "" if that is not known."""
    pid = os.getppid()
    for _ in range(_MOST):
        found = _look(pid)
        if found is None:
            return ""
        name, parent, started = found
        if not name.startswith(_BETWEEN):
            return f"{pid} {started}"
        pid = parent
    return ""


def this_process() -> str:
    """Return this process in the form of `agent_process`; "" if the system does not say."""
    found = _look(os.getpid())
    return "" if found is None else f"{os.getpid()} {found[2]}"


def has_ended(process: str, since: int) -> bool:
    """Return whether a process has ended.

    process: what `agent_process` returned. since: when its call began, in seconds of `time.time`; used if `process` is
    "", which counts as ended half a day later.
    """
    number, _, started = process.partition(" ")
    if not number.isdigit():
        return time.time() - since > _LONGEST
    found = _look(int(number))
    return found is None or found[2] != started


def _look(pid: int) -> tuple[bytes, int, str] | None:
    """Return a process's name, its parent's number and its start time; None if it is gone or there is no `/proc`."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            data = file.read()
    except OSError:
        return None
    # `4711 (some (odd) name) S 4700 …`: the name may hold blanks and brackets, so the last bracket ends it. Field 19
    # behind it is the start time, which tells a process from a later one with its number.
    name = data[data.index(b"(") + 1 : data.rindex(b")")]
    fields = data[data.rindex(b")") + 2 :].split()
    return name, int(fields[1]), fields[19].decode()
