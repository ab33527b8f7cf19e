"""What the shell learns from a command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit statuses, the same for every command."""

    OK = 0  # all applied or already applied, or a dry run that would be
    REFUSED = 1  # something failed or was refused, or the user said no
    USAGE = 2  # bad use; or consent was needed and nobody was there to give it
    NO_EDITS = 3  # the reply holds no edit
    INTERRUPTED = 130  # Ctrl-C
