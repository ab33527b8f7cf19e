"""What hooks leave for `dovetail hook status`: when an agent's last event was seen, and what went wrong.

Owns `seen-AGENT` and `hooks.log` in the user's state folder. Whatever fails here fails in silence.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from dovetail.spool.places import state_folders, user_of

_LARGEST = 64 << 10  # bytes of the log; an older half is dropped


def state_folder(root: str = "") -> str | None:
    """The first of the user's state folders that is there or can be made; `root` is where the agent works."""
    with suppress(OSError):
        here = root or os.getcwd()
        for path, may_make, _ in state_folders(here, user_of(here)):
            if may_make:
                with suppress(OSError):
                    os.makedirs(path, 0o700, exist_ok=True)
            if os.path.isdir(path):
                return path
    return None


def note_seen(agent: str, root: str) -> None:
    """An event of an agent was seen now."""
    folder = state_folder(root)
    if folder is not None:
        with suppress(OSError):
            path = os.path.join(folder, f"seen-{agent}")
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            os.utime(path)


def note_fault(error: BaseException) -> None:
    """Something went wrong, and the agent was not told."""
    folder = state_folder()
    if folder is None:
        return
    with suppress(OSError):
        path = os.path.join(folder, "hooks.log")
        if os.path.exists(path) and os.stat(path).st_size > _LARGEST:
            os.replace(path, f"{path}.1")
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = f"{now} {type(error).__name__}: {' '.join(str(error).split())}"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, line[:500].encode("utf-8", "replace") + b"\n")
        finally:
            os.close(fd)
