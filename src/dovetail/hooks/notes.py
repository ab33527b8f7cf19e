"""Records that hooks leave for `dovetail hook status`, and notes of a person for hooks to pass on to an agent.

Owns `seen-AGENT` (when its last event was seen), `hooks.log` (faults) and `told/` (notes to agents) in the user's state
folder, where no project can put anything. All errors here are ignored.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress

from dovetail.spool.places import state_folders, user_of

_LARGEST = 64 << 10  # bytes of the log; an older half is dropped
_OLDEST = 7 * 24 * 3600  # seconds that a note waits for an event of its session


def state_folder(root: str = "") -> str | None:
    """Return the first of the user's state folders that exists or can be made; None if there is none.

    root: where the agent works; by default the current folder.
    """
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
    """Note that an event of an agent was seen now."""
    folder = state_folder(root)
    if folder is not None:
        with suppress(OSError):
            path = os.path.join(folder, f"seen-{agent}")
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            os.utime(path)


def note_fault(error: BaseException) -> None:
    """Append an error to `hooks.log`."""
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


# --- Notes to an agent, each passed on once


def leave_note(root: str, session: str, about: str, text: str) -> None:
    """Leave a note for the agent of a session, in place of an earlier one of the same name. about: its file's name."""
    folder = _notes_of(root, session)
    if folder is None:
        return
    with suppress(OSError):
        os.makedirs(folder, 0o700, exist_ok=True)
        beside = os.path.join(folder, f".{about}")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, os.path.join(folder, about))


def withdraw_note(root: str, about: str) -> None:
    """Remove the notes of a name that no agent has taken yet, as they are no longer true."""
    folder = state_folder(root)
    told = os.path.join(folder, "told") if folder is not None else ""
    with suppress(OSError):
        for name in os.listdir(told) if os.path.isdir(told) else ():
            with suppress(OSError):
                os.unlink(os.path.join(told, name, about))


def take_notes(root: str, session: str) -> list[str]:
    """Take the notes for a session, oldest first; each is returned once."""
    folder = _notes_of(root, session)
    if folder is None or not os.path.isdir(folder):
        return []
    taken: list[tuple[float, str]] = []
    with suppress(OSError):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            mine = os.path.join(folder, f".{name}.{os.getpid()}")
            with suppress(OSError):  # another event of the session has taken it
                at = os.stat(path).st_mtime
                if name.startswith("."):
                    continue
                os.replace(path, mine)
                with open(mine, encoding="utf-8") as file:
                    taken.append((at, file.read()))
                os.unlink(mine)
        os.rmdir(folder)
    return [text for at, text in sorted(taken) if time.time() - at < _OLDEST]


def _notes_of(root: str, session: str) -> str | None:
    folder = state_folder(root)
    name = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(folder, "told", name) if folder is not None and session else None
