"""Plans an operation's reply again without some of its edits: what each of its files would have been.

The reply is read and planned under the terms that are kept with it, on the files as they were. Where that does not come
to what the operation wrote, nothing can be said of its edits one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dovetail.formats import parse
from dovetail.model.blocks import Block, Parsed
from dovetail.model.codes import OnFailure, Status
from dovetail.model.errors import JournalError
from dovetail.model.results import Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan
from dovetail.session.terms import Terms
from dovetail.syntax import default_language
from dovetail.workspace import Label, Shown, State


@dataclass(frozen=True, slots=True)
class Planned:
    """What a plan leaves at a path: its text, None for no file, and which of the earlier files that is.

    origin: the path of that file before the operation; None for one that the operation makes.
    """

    text: str | None
    origin: str | None


def without(
    shown: Shown, taken_back: frozenset[int], edits: frozenset[int], terms: Terms
) -> Mapping[str, tuple[Planned, Planned]]:
    """What each file would be had the operation made all but the edits taken back, and without `edits` too.

    Only files where that differs. Raises `JournalError`.
    """
    operation = shown.operation
    if operation.label is not Label.APPLY or operation.state is not State.DONE:
        raise JournalError(f"Operation {operation.id} is no apply that stands.", hint="See `dovetail log`")
    applied = {r["n"]: r for r in shown.results if r["status"] == Status.APPLIED}
    unknown = sorted(edits - set(applied))
    if unknown:
        raise JournalError(
            f"Operation {operation.id} applied no edit {unknown[0]}.", hint=f"See `dovetail show {operation.id}`"
        )
    blocks, everything = _as_written(shown, applied, terms)
    left = _landed(shown, blocks, taken_back, terms) if taken_back else everything
    rest = _landed(shown, blocks, taken_back | edits, terms)
    return {path: (left[path], rest[path]) for path in shown.versions if rest[path] != left[path]}


def _landed(shown: Shown, blocks: Mapping[int, Block], edits: frozenset[int], terms: Terms) -> Mapping[str, Planned]:
    """What each file is without those edits. Raises `JournalError` where another stands on them, or a file would be
    left at a path of which the operation keeps no version: one that it made or moved there and moved on."""
    kept = {n: block for n, block in blocks.items() if n not in edits}
    files, made = _planned(shown, kept, terms)
    _check_all_landed(made, list(kept))
    for change in made.changes:
        if change.path not in files:
            raise JournalError(
                f"Without that, a file would stay at `{change.path}`, where {shown.operation.id} left none.",
                hint=f"Take back all of it: dovetail undo {shown.operation.id}",
            )
    return files


def _as_written(
    shown: Shown, applied: Mapping[int, Mapping[str, Any]], terms: Terms
) -> tuple[Mapping[int, Block], Mapping[str, Planned]]:
    """The blocks that were applied, by number, and what they come to. Raises `JournalError`.

    They are told where they landed; where a person chose that, against what the reply says of it, that alone counts.
    """
    blocks = _parsed_again(shown, terms).blocks
    for told in (_told, _told_alone):
        known = {n: told(blocks[n - 1], result) for n, result in applied.items()}
        everything, _ = _planned(shown, known, terms)
        if all(everything[path].text == versions.after_text for path, versions in shown.versions.items()):
            return known, everything
    raise JournalError(
        f"The reply of {shown.operation.id} cannot be planned again to the same files.",
        hint=f"Take back all of it: dovetail undo {shown.operation.id}",
    )


def _told(block: Block, result: Mapping[str, Any]) -> Block:
    start = result["start"]
    hints = block.hints if start is None else replace(block.hints, line=start)
    return replace(block, path=result["path"], path_candidates=(), mentioned=False, rivals=(), hints=hints)


def _told_alone(block: Block, result: Mapping[str, Any]) -> Block:
    told = _told(block, result)
    return told if told.hints.line is None else told.at_line(told.hints.line)


def _parsed_again(shown: Shown, terms: Terms) -> Parsed:
    """The reply, read as it was then: by the settings, or else by the format of its results."""
    expected = [(result["format"], result["line"]) for result in shown.results]
    for name in dict.fromkeys([terms.format, *(form for form, _ in expected)]):
        parsed = parse(shown.reply, format=name, markers=terms.markers)
        if [(block.format, block.line) for block in parsed.blocks] == expected:
            return parsed
    raise JournalError(
        f"The reply of {shown.operation.id} reads differently now.",
        hint=f"Take back all of it: dovetail undo {shown.operation.id}",
    )


def _planned(shown: Shown, blocks: Mapping[int, Block], terms: Terms) -> tuple[Mapping[str, Planned], Plan]:
    """What each of the operation's files is when these blocks are applied to its earlier versions."""
    files = {path: FileText(path, v.before_text) for path, v in shown.versions.items() if v.before is not None}
    policy = replace(terms.policy, on_failure=OnFailure.BLOCK, only=None)
    made = plan(tuple(blocks.values()), Snapshot(files, frozenset(files)), policy, default_language())
    changes = {change.path: change for change in made.changes}
    moved = {change.source for change in made.changes}
    left: dict[str, Planned] = {}
    for path, versions in shown.versions.items():
        own, change = path if path in files and path not in moved else None, changes.get(path)
        text = versions.before_text if change is None else change.after
        origin = own if change is None else change.source or own
        left[path] = Planned(text, origin if text is not None else None)
    return left, made


def _check_all_landed(made: Plan, numbers: Sequence[int]) -> None:
    for n, result in zip(numbers, made.results, strict=True):
        if result.status is not Status.APPLIED:
            raise JournalError(
                f"Edit {n} stands on an edit that would be taken back.", hint=f"Take it back too: add --edit {n}"
            )
