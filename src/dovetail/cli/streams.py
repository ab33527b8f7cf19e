"""The standard streams, as a command finds them and leaves them.

A closed one is stood in for before anything is opened: its number would go to the next file that is, and what is
printed into that file. One that takes no more is let go, so that Python does not complain when it ends.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO


def make_ready() -> None:
    """Give every stream something behind it, and let a character that its encoding lacks be spelled out."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _stand_in(number)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stand_in(number: int) -> None:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)
    if number == 1 and sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - a number, open to the end
    if number == 2 and sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above


def print_json(record: Mapping[str, Any]) -> None:
    """Write one object to standard output, for programs."""
    sys.stdout.write(json.dumps(record, indent=2) + "\n")


def let_go_where_full() -> None:
    """Empty the buffers; what cannot be written goes nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            let_go(stream)


def let_go(stream: TextIO) -> None:
    """Whoever read this has gone, or has no room: whatever else is written there goes nowhere."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
