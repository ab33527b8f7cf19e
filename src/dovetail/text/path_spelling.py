"""Questions about a path that its spelling alone answers."""

from __future__ import annotations

from dovetail.text.pattern import pattern

_DRIVE = pattern(r"(?:[A-Za-z][\w+-]*:|\$[A-Z_]+|\$\{[A-Z_]+\}|%[A-Z_]+%)/")  # or a scheme or a variable in its place


def is_absolute(path: str) -> bool:
    """Return whether a cleaned path starts with a root, a drive or scheme, ``~``, or an environment variable."""
    return path.startswith(("/", "~")) or _DRIVE.match(path + "/") is not None
