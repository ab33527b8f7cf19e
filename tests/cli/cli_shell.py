"""Runs `dovetail` as people do: as a process of its own, with pipes, or with a terminal to answer on."""

from __future__ import annotations

import getpass
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from forked import Forked, can_fork

# Compiled modules leave nothing in the tree, and are kept: to compile all costs as much as many tests.
_COMPILED = Path(tempfile.gettempdir()) / f"dovetail-compiled-{getpass.getuser()}"

# What asks a terminal to tell pasted from typed, and no longer to.
_UNSEEN = re.compile(r"\x1b\[\?2004(?:h|l\r?)")

COMMAND = [sys.executable, "-m", "dovetail"]
PATIENCE = 120.0
PIPE = 1 << 16  # what a pipe holds without a reader

_FORKED = Forked()


def environment(folder: Path, **extra: str) -> dict[str, str]:
    """The variables of a user without settings of their own, whose terminal shows no colour."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DOVETAIL_"))}
    for name in ("NO_COLOR", "FORCE_COLOR", "PYTHONDONTWRITEBYTECODE"):
        kept.pop(name, None)
    own = {"XDG_CONFIG_HOME": str(folder / ".no-config"), "PYTHONPYCACHEPREFIX": str(_COMPILED)}
    return {**kept, **own, "NO_COLOR": "1", "TERM": "xterm", **extra}


def dovetail(
    folder: Path, *words: str, stdin: str | bytes | None = None, extra: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`, without a terminal, and give what it printed.

    It is a process of its own, but a fork of one that has imported everything: Python is not started anew.
    """
    data = (stdin.encode() if isinstance(stdin, str) else stdin) or b""
    if not can_fork(extra or {}) or len(data) > PIPE:
        return _started(folder, words, data, environment(folder, **(extra or {})))
    reads, writes = os.pipe()
    os.write(writes, data)
    os.close(writes)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        streams = (reads, out.fileno(), err.fileno())
        status = _FORKED.run(list(words), str(folder), environment(folder, **(extra or {})), streams, PATIENCE)
        os.close(reads)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([*COMMAND, *words], status, out.read().decode(), err.read().decode())


def _started(
    folder: Path, words: tuple[str, ...], data: bytes, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        input=data,
        capture_output=True,
        env=variables,
        start_new_session=True,
        timeout=PATIENCE,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass
class Person:
    """Somebody at a terminal: reads until a question comes, types, presses Ctrl-C."""

    process: subprocess.Popen[bytes]
    terminal: int
    seen: str = ""

    def __enter__(self) -> Person:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()
        os.close(self.terminal)

    def wait_for(self, text: str) -> str:
        """Read until `text` was shown; gives everything since the last time."""
        began = len(self.seen)
        while text not in self.seen[began:]:
            assert self._read(), f"ended without {text!r}: {self.seen}"
        return self.seen[began:]

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self.terminal, text.encode() + b"\n")

    def paste(self, text: str) -> None:
        """Paste a text, as terminals do that were asked to tell what is pasted from what is typed."""
        os.write(self.terminal, b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.write(self.terminal, b"\x03")

    def hang_up(self) -> None:
        """Press Ctrl-D on an empty line."""
        os.write(self.terminal, b"\x04")

    def leave(self) -> int:
        """Read to the end; the exit status."""
        while self._read():
            pass
        return self.process.wait(PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.terminal], [], [], PATIENCE)
        assert ready, f"nothing came: {self.seen}"
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            return False
        self.seen = _UNSEEN.sub("", self.seen + piece.decode(errors="replace")).replace("\r\n", "\n")
        return bool(piece)


def at_terminal(folder: Path, *words: str, stdin: str | None = None, extra: dict[str, str] | None = None) -> Person:
    """Start a command on a terminal of its own; with `stdin`, that text is piped in and only the rest is the terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", LEAD, *COMMAND, *words],
        cwd=folder,
        stdin=subprocess.PIPE if stdin is not None else theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(folder, **(extra or {})),
        start_new_session=True,
    )
    os.close(theirs)
    if stdin is not None and process.stdin is not None:
        process.stdin.write(stdin.encode())
        process.stdin.close()
    return Person(process, ours)


# Takes the terminal on standard output as the session's own and hears when it is closed (also where these tests run
# under nohup), as a login does, then becomes the command.
LEAD = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(1, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
