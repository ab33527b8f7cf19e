"""What the next start does about an operation that was interrupted.

An operation that was staged whole is completed; one that was not is taken back, and so is one of which no file had
been replaced while another was edited since. Files edited since are never written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.explain import explain
from dovetail.workspace.folders import remove_folders
from dovetail.workspace.journal import Journal
from dovetail.workspace.operation import Outcome, Recovery
from dovetail.workspace.settle import Side, has_replaced, settle, survey
from dovetail.workspace.writer import Writer

if TYPE_CHECKING:
    from dovetail.workspace.contents import Contents, Pending
    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.steps import Step


def recover(jail: Jail, journal: Journal, folder: Directory, contents: Contents, step: Step) -> Recovery | None:
    """Make whole what was interrupted, under the lock. Raises `WorkspaceError`; then the next start tries again."""
    pending = contents.pending
    if pending is None:
        return None
    try:
        return _made_whole(jail, pending, journal, folder, contents, step)
    except (OSError, WorkspaceError) as error:
        told = error if isinstance(error, WorkspaceError) else explain(error)
        operation = pending.operation
        said = f"An interrupted {operation.label} ({operation.id}) is not whole yet. {told.message}"
        raise WorkspaceError(said, code=told.code, hint=told.hint) from error


def _made_whole(
    jail: Jail, pending: Pending, journal: Journal, folder: Directory, contents: Contents, step: Step
) -> Recovery:
    operation = pending.operation

    def fetch(digest: str) -> bytes:
        return journal.blob(contents, digest)

    sides = set(survey(jail, operation, fetch).values())
    begun = sides & {Side.AFTER, Side.TORN, Side.MOVED}
    # A line that cannot be read may have said that all is staged; then a file that was replaced says so, too.
    ready = pending.ready or bool(contents.stray and begun)
    # Of files that were edited since only what is left beside them tells whether they had been replaced before.
    forward = ready and bool(Side.OTHER not in sides or begun or has_replaced(jail, operation))
    writer = Writer(folder, contents, journal.author())
    try:
        if pending.ready and not forward:
            writer.cut(pending.begun)
        settled = settle(jail, operation, fetch, forward=forward, step=step)
        if forward:
            undone = contents.operations.get(operation.undoes or "")
            remove_folders(jail, undone.folders if undone is not None else ())
            step("recovered")
            writer.done(operation, settled.left)
        else:
            step("recovered")
            writer.cut(pending.start)
    finally:
        writer.close()
    outcome = Outcome.COMPLETED if forward else Outcome.ROLLED_BACK
    return Recovery(operation.id, operation.label, outcome, settled.written, settled.left)
