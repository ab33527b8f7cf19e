"""What the system refuses → what a person reads: one error, with a code for the disk that is full.

Acts are on names in open folders, and on names of staged files that the user never saw: `about` puts the path there
that means something to him.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from dovetail.model.errors import WorkspaceError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def explain(error: OSError, outcome: str = "") -> WorkspaceError:
    """An error of the system as one of the workspace; `outcome` says in a few words what became of the act."""
    reason = error.strerror or str(error)
    name = f" (`{error.filename}`)" if isinstance(error.filename, str) else ""
    end = f"; {outcome}." if outcome else "."
    if error.errno in _NO_SPACE:
        return WorkspaceError(
            f"There is no space left to write{name}: {reason}{end}",
            code="disk-full",
            hint="Free some space and run it again.",
        )
    return WorkspaceError(
        f"The system refuses: {reason}{name}{end}", hint="Check that the file and its folder are there and yours."
    )


@contextmanager
def about(path: str) -> Iterator[None]:
    """Whatever the system refuses in here is said of `path`."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = path, None
        raise
