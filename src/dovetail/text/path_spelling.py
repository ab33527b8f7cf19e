"""What the spelling of a path says, wherever the file may be."""

from __future__ import annotations

from dovetail.text.pattern import pattern

_DRIVE = pattern(r"(?:[A-Za-z][\w+-]*:|\$[A-Z_]+|\$\{[A-Z_]+\}|%[A-Z_]+%)/")  # or a scheme or a variable in its place


def is_absolute(path: str) -> bool:
    """Whether a tidied path starts at a root, a drive, a home folder, or where a variable of the environment says."""
    return path.startswith(("/", "~")) or _DRIVE.match(path + "/") is not None
