"""Both sides of a file that changed since the model saw it, and what the two come to.

Each side is a plan of the same edits, under another policy for conflicts; nothing is merged here. Values only: what
the user takes of it is written when the turn is applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dovetail.match import merge
from dovetail.model.codes import Code, Conflicts, Status
from dovetail.model.errors import UsageError
from dovetail.model.text import Text, apply_edits
from dovetail.plan import plan
from dovetail.syntax import default_language

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult, Plan
    from dovetail.model.snapshot import FileText, Snapshot
    from dovetail.session.applying.apply import Prepared

CHOICES = {"file": Conflicts.OURS, "reply": Conflicts.THEIRS, "markers": Conflicts.MARKERS}
"""What may stand where both sides changed the same lines; the other changes of both are kept."""


@dataclass(frozen=True, slots=True)
class Sides:
    """base: the text that the model saw. file: the text now. reply: `base` with the edits.

    merged: both, with markers where they clash. clashes: first and last line of each, from 1, in `file`.
    """

    path: str
    digest: str
    base: str
    file: str
    reply: str
    merged: str
    edits: tuple[int, ...]
    clashes: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """text: the whole file with one side taken. failed: edits that are not in it, for they do not land on that side."""

    text: str
    failed: Mapping[int, BlockResult]


def conflicting(prepared: Prepared) -> tuple[str, ...]:
    """Paths whose edits clash with what the user changed since."""
    changed = {path for path, file in prepared.snapshot.files.items() if file.seen is not None}
    failed = (r.path for r in prepared.plan.failed if r.code is Code.STALE)
    return tuple(dict.fromkeys(path for path in failed if path in changed))


def sides(prepared: Prepared, path: str) -> Sides:
    """What there is to choose from. Raises `UsageError` where the file did not change since the model saw it."""
    file = prepared.snapshot.files.get(path)
    if file is None or file.text is None or file.seen is None:
        raise UsageError(f"`{path}` has not changed since the model saw it.", hint="Plan again.")
    edits = edits_of(prepared, path)
    seen = replace(file, text=file.seen, seen=None)
    reply = _text_of(_planned(prepared, edits, seen, Conflicts.REFUSE), seen)
    clashes = merge(file.seen, file.text, reply).clashes
    lines = Text(file.text)
    return Sides(
        path,
        file.digest,
        file.seen,
        file.text,
        reply,
        _text_of(_planned(prepared, edits, file, Conflicts.MARKERS), file),
        tuple(edit.n for edit in edits),
        tuple((lines.line_at(c.ours.start) + 1, lines.line_at(max(c.ours.start, c.ours.end - 1)) + 1) for c in clashes),
    )


def settled_as(prepared: Prepared, path: str, choice: str) -> Settled:
    """A file with one of `CHOICES` made where both sides changed the same lines. Raises `UsageError`."""
    file = prepared.snapshot.files.get(path)
    if file is None or file.text is None:
        raise UsageError(f"`{path}` is no text file that exists.", hint="Plan again.")
    made = _planned(prepared, edits_of(prepared, path), file, CHOICES[choice])
    return Settled(_text_of(made, file), {result.n: result for result in made.failed})


def with_ends_of(file: str, text: str) -> str:
    """A file's text as somebody settled it in a field, which knows one line end, with those that the file has."""
    return apply_edits(file, merge(file, file, text).edits) if "\r" in file else text


def edits_of(prepared: Prepared, path: str) -> list[BlockResult]:
    """The edits of a file that take part in what both sides come to."""
    taking_part = (r for r in prepared.plan.results if r.status in (Status.APPLIED, Status.FAILED))
    return [r for r in taking_part if r.path == path and r.code is not Code.MALFORMED]


def _planned(prepared: Prepared, edits: Sequence[BlockResult], file: FileText, conflicts: Conflicts) -> Plan:
    """A file's edits, planned against one of its versions."""
    blocks, numbers = tuple(edit.block for edit in edits), tuple(edit.n for edit in edits)
    snapshot: Snapshot = replace(prepared.snapshot, files={**prepared.snapshot.files, file.path: file})
    policy = replace(prepared.policy, conflicts=conflicts)
    return plan(blocks, snapshot, policy, default_language(), numbers=numbers)


def _text_of(made: Plan, file: FileText) -> str:
    """The file's text after its edits."""
    return next((change.after for change in made.changes if change.path == file.path), file.text) or ""
