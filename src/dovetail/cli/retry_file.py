"""The file that `--retry` names: opened before anything is written, so that a name that cannot be is said in time.

Invariant: behind a command that decided, the file holds the message about what failed, or it is gone: an old message
never stands for a reply that went well.
"""

from __future__ import annotations

import os
import stat
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType

from dovetail.model.errors import UsageError


class RetryFile(AbstractContextManager["RetryFile"]):
    """Opened by name; raises `UsageError` where it cannot be. Until it is settled it is as it was."""

    def __init__(self, folder: Path, named: str) -> None:
        self._path = folder / named
        self._new = not os.path.lexists(self._path)
        try:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(
                f"`{named}` cannot be written: {error.strerror}.", hint="Name a file in a folder that exists."
            ) from None
        self._plain = stat.S_ISREG(os.fstat(self._file).st_mode)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
        if self._new:
            self._remove()

    def settle(self, message: str | None) -> None:
        """Hold the message, or be gone where there is none. Raises `OSError`."""
        if self._plain:
            os.ftruncate(self._file, 0)
        if message is None:
            self._remove()
            return
        self._new = False
        with open(self._file, "w", encoding="utf-8", closefd=False) as out:
            out.write(message)

    def _remove(self) -> None:
        """Only a file of its own goes; a device stays, and so does what a link leads to."""
        with suppress(OSError):
            if stat.S_ISREG(os.lstat(self._path).st_mode):
                self._path.unlink()
