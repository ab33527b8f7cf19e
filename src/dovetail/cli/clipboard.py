"""Reads the clipboard through the program that the platform has for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from dovetail.model.errors import UsageError

_SECONDS = 10

_POWERSHELL = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"

# Which program, and the variable that says its display is there; first that exists and answers wins.
_READERS: tuple[tuple[str | None, list[str]], ...] = (
    ("WAYLAND_DISPLAY", ["wl-paste", "--no-newline"]),
    ("DISPLAY", ["xclip", "-selection", "clipboard", "-out"]),
    ("DISPLAY", ["xsel", "--clipboard", "--output"]),
    (None, ["pbpaste"]),
    (None, ["powershell.exe", "-NoProfile", "-Command", _POWERSHELL]),
)


class ClipboardError(UsageError):
    """The clipboard cannot be read here."""

    code = "clipboard"


def read_clipboard() -> bytes:
    """The clipboard's bytes. Raises `ClipboardError` where no program can read it."""
    tried: list[str] = []
    for display, command in _READERS:
        if (display is not None and not os.environ.get(display)) or shutil.which(command[0]) is None:
            continue
        tried.append(command[0])
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return done.stdout
    if tried:
        raise ClipboardError(f"{', '.join(tried)} could not read the clipboard.", hint="Save the reply to a file.")
    wanted = "pbpaste" if sys.platform == "darwin" else "wl-paste, xclip or xsel"
    raise ClipboardError("No program here can read the clipboard.", hint=f"Install {wanted}, or pipe the reply in.")
