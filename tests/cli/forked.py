"""A process that has `dovetail` imported and becomes the command, once for each run: a fork, not a start of Python.

The client holds one end of a pair of sockets. A request is the directory, the variables and the words in JSON, with
three descriptors for the standard streams and one for the answer. The process forks a watcher, which forks the command,
and answers with the command's number, and with its status when it has ended. The command is a process like any other:
it leads a session, changes its directory, ends as Python ends.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

_MOST = 1 << 20
_OTHERS = tuple(f"dovetail.{name}" for name in ("__main__", "adapters", "mcp", "ray", "rewards", "web"))
_PYTHON_S_OWN = ("PYTHON", "LC_", "LANG")


class Forked:
    """Runs commands in forks of one process, which is started for the first of them."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def run(
        self, words: list[str], folder: str, environment: dict[str, str], streams: tuple[int, int, int], seconds: float
    ) -> int:
        """Run the command to its end and return its exit status, negative if a signal ended it.

        Raises `subprocess.TimeoutExpired` after so many seconds, and kills it then.
        """
        answers, theirs = socket.socketpair()
        with answers, theirs:
            request = json.dumps([folder, environment, words]).encode()
            socket.send_fds(self._connected(), [request], [*streams, theirs.fileno()])
            theirs.close()
            answers.settimeout(seconds)
            pid = int(answers.recv(64))
            try:
                return os.waitstatus_to_exitcode(int(answers.recv(64)))
            except TimeoutError as error:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(words, seconds) from error

    def _connected(self) -> socket.socket:
        if self._requests is None:
            self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            for end in (self._requests, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST)
            with theirs:
                command = [sys.executable, __file__, str(theirs.fileno())]
                self._server = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        return self._requests


def can_fork(extra: dict[str, str]) -> bool:
    """Return whether none of the variables says something that Python reads only when it starts."""
    return sys.platform != "win32" and not any(name.startswith(_PYTHON_S_OWN) for name in extra)


def _import_all() -> None:
    import dovetail

    for module in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
        if not module.name.startswith(_OTHERS):
            with contextlib.suppress(ModuleNotFoundError):  # an extra is not installed
                importlib.import_module(module.name)


def _serve(requests: socket.socket) -> None:
    """Answer requests until the client is gone; return in the process that is to be the command."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, _MOST, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            command = os.fork()
            if command == 0:
                folder, environment, words = json.loads(request)
                _become(folder, environment, words, descriptors)
                return
            answers = socket.socket(fileno=descriptors.pop())
            for descriptor in descriptors:
                os.close(descriptor)
            answers.send(str(command).encode())
            status = os.waitpid(command, 0)[1]
            with contextlib.suppress(BrokenPipeError):  # the client waited long enough
                answers.send(str(status).encode())
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def _become(folder: str, environment: dict[str, str], words: list[str], descriptors: list[int]) -> None:
    """Take the place of a process that was started with these words."""
    os.setsid()
    os.chdir(folder)
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(environment)
    # What each process finds out or makes when it begins.
    tempfile.tempdir = None
    from dovetail.workspace.journal import user_key

    user_key._OF_THIS_PROCESS = os.urandom(32)
    sys.argv = ["dovetail", *words]
    sys.stdin, sys.stdout, sys.stderr = (_anew(stream) for stream in (sys.stdin, sys.stdout, sys.stderr))


def _anew(stream: TextIO) -> TextIO:
    number = stream.fileno()
    encoding, errors = stream.encoding, stream.errors
    buffering = 1 if number == 2 else -1
    return open(number, "w" if number else "r", buffering, encoding=encoding, errors=errors, closefd=False)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    _import_all()
    sys.path.remove(str(Path(__file__).parent))
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _serve(socket.socket(fileno=int(sys.argv[1])))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from dovetail.cli import main

    sys.exit(main())
