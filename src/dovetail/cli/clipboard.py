"""Reads and fills the clipboard through the programs that the platform has for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from dovetail.model.errors import UsageError

_SECONDS = 10

_POWERSHELL = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"

_Programs = Sequence[tuple[str | None, list[str]]]
"""(The variable that is set if the program's display exists, or None; the command). The first that works is used."""

_READERS: _Programs = (
    ("WAYLAND_DISPLAY", ["wl-paste", "--no-newline"]),
    ("DISPLAY", ["xclip", "-selection", "clipboard", "-out"]),
    ("DISPLAY", ["xsel", "--clipboard", "--output"]),
    (None, ["pbpaste"]),
    (None, ["powershell.exe", "-NoProfile", "-Command", _POWERSHELL]),
)

_WRITERS: _Programs = (
    ("WAYLAND_DISPLAY", ["wl-copy"]),
    ("DISPLAY", ["xclip", "-selection", "clipboard", "-in"]),
    ("DISPLAY", ["xsel", "--clipboard", "--input"]),
    (None, ["pbcopy"]),
    (None, ["clip.exe"]),
)


class ClipboardError(UsageError):
    """The clipboard cannot be used here."""

    code = "clipboard"


def read_clipboard() -> bytes:
    """Return the clipboard's bytes. Raises `ClipboardError` if no program can read it."""
    tried: list[str] = []
    for command in _present(_READERS):
        tried.append(command[0])
        data = _run(command, None)
        if data is not None:
            return data
    if tried:
        raise ClipboardError(f"{', '.join(tried)} could not read the clipboard.", hint="Save the reply to a file.")
    from shutil import which

    if any(display and which(command[0]) for display, command in _READERS):
        raise ClipboardError("There is no display, so no clipboard.", hint="Pipe the reply in, or save it to a file.")
    wanted = "pbpaste" if sys.platform == "darwin" else "wl-clipboard, xclip or xsel"
    raise ClipboardError("No program here can read the clipboard.", hint=f"Install {wanted}, or pipe the reply in.")


def write_clipboard(text: str) -> None:
    """Put a text on the clipboard. Raises `ClipboardError` if no program can."""
    for command in _present(_WRITERS):
        data = text.encode("utf-16" if command[0] == "clip.exe" else "utf-8")
        if _run(command, data) is not None:
            return
    wanted = "pbcopy" if sys.platform == "darwin" else "wl-clipboard, xclip or xsel, on a display"
    raise ClipboardError("No program here can write the clipboard.", hint=f"Install {wanted}, or print it instead.")


def can_write_clipboard() -> bool:
    """Return whether there is a program that may fill it."""
    return next(_present(_WRITERS), None) is not None


def _present(programs: _Programs) -> Iterator[list[str]]:
    from shutil import which  # takes 2 ms to load, most of it for archives

    for display, command in programs:
        if (display is None or os.environ.get(display)) and which(command[0]) is not None:
            yield command


def _run(command: list[str], data: bytes | None) -> bytes | None:
    """Run a program and return its output, None if it fails. With `data` as its input, its output is not read."""
    import subprocess  # takes 20 ms to load, and only running a program needs it

    # Some of these stay in the background to serve the text, so their output must not be waited for.
    output = subprocess.PIPE if data is None else subprocess.DEVNULL
    try:
        done = subprocess.run(command, input=data, stdout=output, stderr=output, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return (done.stdout or b"") if done.returncode == 0 else None
