"""The seam between two acts: a callback that is told before each act that could be a process's last.

Faces pass none. Tests pass one that raises, kills the process or edits a file, to show that every moment is safe.
"""

from __future__ import annotations

from collections.abc import Callable

Step = Callable[[str], None]


def no_step(_: str) -> None:
    """Do nothing between two acts."""
