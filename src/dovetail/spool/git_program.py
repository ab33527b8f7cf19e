"""Runs git for looking only: its settings, and a run without the modules that `subprocess` loads.

Owns what all runs of git have in common: no program that a repository names is started, nothing is fetched, the index
is not refreshed, and what a git hook left in the environment is dropped.
"""

from __future__ import annotations

import os

# A git that runs us from a hook sets these. They would turn every command to that repository.
LOCAL = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS", "GIT_INTERNAL_SUPER_PREFIX",
}  # fmt: skip
ALWAYS = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "GIT_PAGER": "cat",
    "LC_ALL": "C",
}  # fmt: skip
NO_FETCH = {"GIT_NO_LAZY_FETCH": "1"}
# Settings that come with the work tree start no program: neither a watcher, nor what a bare repository inside it names.
SAFE = ("-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")
_NEVER_FETCH = ("-c", "protocol.allow=never")  # for a git that does not know `NO_FETCH`


def look(
    folder: str, *args: str, index: str | None = None, store: str = "", data: bytes = b"", patience: float = 10.0
) -> bytes | None:
    """Run a git command that only looks, and return its output; None if it fails or takes more than `patience` seconds.

    args: the command and its arguments. index: an index file to use in place of the repository's own.
    store: a folder of objects that git may read as well. data: git's standard input.
    """
    environment = {key: value for key, value in os.environ.items() if key not in LOCAL} | ALWAYS | NO_FETCH
    if index is not None:
        environment["GIT_INDEX_FILE"] = index
    if store:
        environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = store
    command = ["git", "-C", folder, *SAFE, *_NEVER_FETCH, *args]
    if not hasattr(os, "posix_spawnp"):
        return _run(command, environment, data, patience)
    import select
    import time

    until = time.monotonic() + patience
    ours_in, theirs_in = os.pipe()
    theirs_out, ours_out = os.pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_DUP2, ours_in, 0),
            (os.POSIX_SPAWN_DUP2, ours_out, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        pid = os.posix_spawnp("git", command, environment, file_actions=actions)
    except OSError:
        for fd in (ours_in, theirs_in, theirs_out, ours_out):
            os.close(fd)
        return None
    os.close(ours_in)
    os.close(ours_out)
    # Feed and read at once: git answers while it is fed, and with both pipes full each side would wait for the other.
    os.set_blocking(theirs_in, False)
    pieces: list[bytes] = []
    rest, feeding = memoryview(data), True
    ended = False
    try:
        while not ended:
            if feeding and not rest:
                os.close(theirs_in)
                feeding = False
            writing = [theirs_in] if feeding else []
            readable, writable, _ = select.select([theirs_out], writing, [], max(0.0, until - time.monotonic()))
            if not readable and not writable:
                break
            if writable:
                try:
                    rest = rest[os.write(theirs_in, rest[:65_536]) :]
                except BlockingIOError:
                    pass
                # Git has read enough, and its answer still counts.
                except BrokenPipeError:
                    rest = rest[:0]
            if readable:
                piece = os.read(theirs_out, 1 << 20)
                pieces.append(piece)
                ended = not piece
    finally:
        if feeding:
            os.close(theirs_in)
        os.close(theirs_out)
        # `ended` is the end of git's output. Without it git may never end, and `waitpid` would wait with it.
        if not ended:
            os.kill(pid, 9)
        _, status = os.waitpid(pid, 0)
    return b"".join(pieces) if ended and status == 0 else None


def _run(command: list[str], environment: dict[str, str], data: bytes, patience: float) -> bytes | None:
    """Do what `look` does by `subprocess`, for systems without `posix_spawnp` (Windows)."""
    import subprocess

    try:
        done = subprocess.run(command, env=environment, input=data, capture_output=True, timeout=patience, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
