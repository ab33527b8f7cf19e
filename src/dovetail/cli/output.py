"""Exit statuses, the standard streams, and errors of the output itself.

A closed stream is replaced before anything is opened: its number would go to the next file that is, and what is printed
into that file. An output that fails after a write is reported together with what was written, and how to undo it.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Any, TextIO

from dovetail.model.errors import DovetailError, said_by_system


class Exit(IntEnum):
    """Exit statuses, the same for every command."""

    OK = 0  # all written or already there, or a dry run that would be
    REFUSED = 1  # something failed or was refused, or the user said no
    USAGE = 2  # bad use; or consent was needed and nobody could be asked
    NO_EDITS = 3  # the reply holds no edit
    INTERRUPTED = 130  # Ctrl-C


def make_ready() -> None:
    """Open the null device for each closed standard stream, and spell out characters that its encoding lacks."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            os.set_inheritable(number, True)
            if number == 1 and sys.stdout is None:
                sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - a number, open to the end
            if number == 2 and sys.stderr is None:
                sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(record: Mapping[str, Any]) -> None:
    """Write one object to standard output, for programs."""
    sys.stdout.write(json.dumps(record, indent=2) + "\n")


def flush_or_discard() -> None:
    """Empty the buffers; what cannot be written is discarded, so that Python does not complain when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _discard(stream)


def _discard(stream: TextIO) -> None:
    """Discard whatever else is written to a stream: its reader has gone, or there is no room."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class OutputError(DovetailError):
    """The files are written, and the output about it failed."""

    code = "output"


class DoneReport:
    """What a command did, in a sentence without its period, and a hint; nothing was done while `sentence` is None."""

    def __init__(self, sentence: str | None = None, hint: str | None = None) -> None:
        self.sentence = sentence
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.sentence}. {self.hint}"


@contextmanager
def reporting(report: DoneReport) -> Iterator[None]:
    """Handle errors of the output about what a command did.

    A reader who left early (`| head`) is no error. Raises `OutputError` if the output fails in another way; before the
    command did anything, errors pass as they came.
    """
    try:
        yield
        sys.stdout.flush()
    except (KeyboardInterrupt, DovetailError) as stop:
        if report.sentence is not None:
            stop.add_note(str(report))
        raise
    except BrokenPipeError:
        if report.sentence is None:
            raise
        flush_or_discard()
    except OSError as error:
        if report.sentence is None:
            raise
        message = f"{report.sentence}; then the output failed: {said_by_system(error)}"
        raise OutputError(message, hint=report.hint) from error
