"""What the system refuses → what a person reads: one error, with a code for the disk that is full."""

from __future__ import annotations

import errno

from dovetail.model.errors import WorkspaceError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def explain(error: OSError, outcome: str = "") -> WorkspaceError:
    """An error of the system as one of the workspace; `outcome` says in a few words what became of the act."""
    reason = error.strerror or str(error)
    name = f" (`{error.filename}`)" if isinstance(error.filename, str) else ""
    end = f"; {outcome}." if outcome else "."
    if error.errno in _NO_SPACE:
        return WorkspaceError(
            f"There is no space left to write: {reason}{end}",
            code="disk-full",
            hint="Free some space and run it again.",
        )
    return WorkspaceError(
        f"The system refuses: {reason}{name}{end}", hint="Check that the file and its folder are there and yours."
    )
