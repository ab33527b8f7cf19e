"""The file that `--retry` names: opened before anything is written, so that a name that cannot be is said in time.

Invariants: behind a command that decided, the file holds the message about what failed, or it is gone: an old message
never stands for a reply that went well. Nothing but such a message is ever replaced or removed: what holds anything
else, what the reply edits and the reply itself are refused.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from dovetail.cli.same_file import same_file
from dovetail.model.errors import UsageError

_HOW = "Name a file in a folder that exists."
_ANOTHER = "Name another file, which is there to hold the message and nothing else."


def check_retry_file(path: Path, named: str, spared: Iterable[Path]) -> None:
    """See that a path may hold the message, and change nothing. Raises `UsageError`.

    `spared` are paths that it must not be, by whatever name: the reply, and what the reply edits.
    """
    if named == "-":
        raise UsageError("`-` is no file.", hint="Name one; --json prints the message, too, as `retry`.")
    if any(same_file(path, other) for other in spared):
        raise UsageError(f"`{named}` is the reply, or a file that it edits.", hint=_ANOTHER)
    try:
        data = _held(path)
    except OSError as error:
        raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint=_HOW) from None
    if data and not _is_message(data):
        raise UsageError(f"`{named}` holds something else than a message of --retry.", hint=_ANOTHER)


class RetryFile(AbstractContextManager["RetryFile"]):
    """Opened by name; raises `UsageError` where it cannot be. Until it is settled it is as it was."""

    def __init__(self, path: Path, named: str, spared: Iterable[Path]) -> None:
        check_retry_file(path, named, spared)
        self._path = path
        self._new = not os.path.lexists(path)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint=_HOW) from None
        self._plain = stat.S_ISREG(os.fstat(self._file).st_mode)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        if self._new:
            self._remove()

    def settle(self, message: str | None) -> bool:
        """Hold the message, or be gone where there is none; gives whether it holds one. Raises `OSError`."""
        if self._plain:
            os.ftruncate(self._file, 0)
        if message is None:
            self._remove()
            return False
        self._new = False
        with open(self._file, "w", encoding="utf-8", closefd=False) as out:
            out.write(message)
        return True

    def _remove(self) -> None:
        """Only a file of its own goes; a device stays, and so does what a link leads to."""
        with suppress(OSError):
            if stat.S_ISREG(os.lstat(self._path).st_mode):
                self._path.unlink()


def _held(path: Path) -> bytes:
    """What replacing a file would lose; a device or a pipe holds nothing. Raises `OSError`."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        path.resolve().parent.stat()
        return b""
    return path.read_bytes() if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else b""


def _is_message(data: bytes) -> bool:
    from dovetail.llm.repair import is_repair_message

    return is_repair_message(data.decode("utf-8", "replace"))
