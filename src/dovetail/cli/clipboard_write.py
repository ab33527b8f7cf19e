"""Puts a text on the clipboard through the program that the platform has for it."""

from __future__ import annotations

import os
import shutil
import subprocess

from dovetail.cli.clipboard import ClipboardError

_SECONDS = 10

# Which program, and the variable that says its display is there; the first that exists and takes the text wins.
_WRITERS: tuple[tuple[str | None, list[str]], ...] = (
    ("WAYLAND_DISPLAY", ["wl-copy"]),
    ("DISPLAY", ["xclip", "-selection", "clipboard", "-in"]),
    ("DISPLAY", ["xsel", "--clipboard", "--input"]),
    (None, ["pbcopy"]),
    (None, ["clip.exe"]),
)


def write_clipboard(text: str) -> None:
    """Put the text there. Raises `ClipboardError` where no program can."""
    for display, command in _WRITERS:
        if (display is not None and not os.environ.get(display)) or shutil.which(command[0]) is None:
            continue
        data = text.encode("utf-16" if command[0] == "clip.exe" else "utf-8")
        try:
            # Some of these stay behind to serve the text, so their output must not be waited for.
            done = subprocess.run(
                command,
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return
    raise ClipboardError("No program here can write the clipboard.", hint="Leave out --copy, and pipe the output.")
