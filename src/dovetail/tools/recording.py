"""What a tool of the caller's changed, while it was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dovetail.model.errors import WorkspaceError
from dovetail.spool.tree import TooLargeError


@dataclass(slots=True)
class Recording:
    """What was recorded, once it is over.

    operations: ids of the operations, newest first; several where another call of an agent was open meanwhile.
    changed: paths of the files that are kept in both versions.
    """

    operations: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@contextmanager
def explained() -> Iterator[None]:
    """Raise what keeps the tree from being looked at as a `WorkspaceError`."""
    try:
        yield
    except TooLargeError as error:
        raise WorkspaceError(
            f"The tree cannot be recorded: {error}", hint="Record in a folder with fewer files."
        ) from error
    except OSError as error:
        raise WorkspaceError(f"The tree cannot be recorded: {error}.", hint="Check the user's state folder.") from error
