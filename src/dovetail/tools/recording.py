"""The result of recording a tool of the caller's, and the errors of recording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dovetail.model.errors import WorkspaceError
from dovetail.spool.tree import TooLargeError


@dataclass(slots=True)
class Recording:
    """What was recorded; set at the end of the block.

    operations: ids of the operations, in the order of the log; several if another call of an agent was open meanwhile.
    changed: paths of the changed files that an undo can restore.
    """

    operations: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@contextmanager
def explained() -> Iterator[None]:
    """Raise an error of looking at the tree as a `WorkspaceError`."""
    try:
        yield
    except TooLargeError as error:
        raise WorkspaceError(
            f"The tree cannot be recorded: {error}", hint="Record in a folder with fewer files."
        ) from error
    except OSError as error:
        raise WorkspaceError(f"The tree cannot be recorded: {error}.", hint="Check the user's state folder.") from error
