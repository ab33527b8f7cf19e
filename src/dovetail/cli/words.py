"""Phrases that several views share: counts, places, badges, and the words for what becomes of an edit.

An edit *fits* (it can be written), is *written*, *failed*, is *left out*, or *stands already*.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.cli.screen import Part, Styled, TextStyle
from dovetail.model.blocks import Kind
from dovetail.model.codes import Severity, Status, Tier
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult, FileChange
from dovetail.session.apply.diff import DiffHunk, counts, with_renames_joined
from dovetail.session.apply.records import kind_of
from dovetail.workspace import Origin

STATUS_STYLES = {
    Status.FITS: TextStyle.GOOD,
    Status.WRITTEN: TextStyle.GOOD,
    Status.STANDS_ALREADY: TextStyle.GOOD,
    Status.FAILED: TextStyle.BAD,
    Status.LEFT_OUT: TextStyle.WARN,
}
SEVERITY_STYLES = {Severity.ERROR: TextStyle.BAD, Severity.WARNING: TextStyle.WARN, Severity.NOTE: TextStyle.FAINT}

_STATES = {
    Status.FITS: ("fits", "fit"),
    Status.WRITTEN: ("written", "written"),
    Status.STANDS_ALREADY: ("stands already", "stand already"),
    Status.LEFT_OUT: ("left out", "left out"),
    Status.FAILED: ("failed", "failed"),
}
_ACTIONS = {
    Kind.CREATE: "creates the file",
    Kind.REWRITE: "rewrites the file",
    Kind.DELETE: "deletes the file",
    Kind.RENAME: "renames the file",
}


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 edit``, ``2 edits``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(items: Sequence[str], most: int | None = None) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``; of more items than `most` the first ones and ``9 more``."""
    if most is not None and len(items) > most:
        items = [*items[:most], f"{len(items) - most:,} more"]
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def files_of(changes: Sequence[FileChange]) -> str:
    """Return ``1 file``, ``2 files``; a renamed file counts once."""
    return count(len(with_renames_joined(changes)), "file")


def of_origin(origin: Origin) -> str:
    """Return ``claude session 1a2b3c4d, request 2: Change the fares.``"""
    request = f", request {origin.prompt}" if origin.prompt is not None else ""
    return f"{origin.agent} session {origin.session}{request}" + (f": {origin.words}" if origin.words else "")


def of_call(origin: Origin) -> str:
    """Return the tool that made a change; ``unknown`` if the call is not known."""
    return origin.tool or "unknown"


def edits_of(numbers: Sequence[int]) -> str:
    """Return ``edit 2 of ``, ``edits 2 and 3 of ``; "" without numbers, which stands for all edits."""
    return f"edit{'s' if len(numbers) > 1 else ''} {listed([str(n) for n in numbers])} of " if numbers else ""


def tally(results: Sequence[BlockResult], *, written: bool = False) -> str:
    """Return ``5 edits: 3 fit, 1 stands already, 1 failed.``; for a plan that was `written` ``3 written``."""
    parts = []
    for status in _STATES:
        number = sum(result.status is status for result in results)
        if number:
            parts.append(f"{number} {state(status, number, written=written)}")
    return f"{count(len(results), 'edit')}: {', '.join(parts)}."


def state(status: Status, number: int = 1, *, written: bool = False) -> str:
    """Return the word for the state of one edit, or of several. written: the edits that fit have been written."""
    if written and status is Status.FITS:
        return "written"
    return _STATES[status][number > 1]


def lines_between(start: int, end: int) -> str:
    """Return ``line 3``, ``lines 3-5``; an insertion is before its line."""
    if end < start:
        return f"before line {start}"
    return f"line {start}" if start == end else f"lines {start}-{end}"


def place(result: BlockResult) -> str:
    """Return ``path:3-5``: the lines of the file before the edit; the path alone if none is known.

    For an edit that gives the whole text: the lines from the first to the last that it changes.
    """
    path = result.path or result.block.path or "(no file named)"
    effect = result.effect
    if effect is None or not effect.whole or effect.creates:
        return at_lines(path, result.start, result.end)
    was, now = effect.before.lines, effect.after.lines
    most = min(len(was), len(now))
    head = next((n for n in range(most) if was[n] != now[n]), most)
    tail = next((n for n in range(most - head) if was[-1 - n] != now[-1 - n]), most - head)
    return at_lines(path, head + 1, len(was) - tail)


def at_lines(path: str, start: int | None, end: int | None) -> str:
    """Return ``path:3-5``, ``path:3``; the path alone if no line is known."""
    if start is None or end is None:
        return path
    return f"{path}:{start}" if end <= start else f"{path}:{start}-{end}"


def badge(result: BlockResult, *, written: bool = False) -> list[Part]:
    """Return state, tier and confidence; or state and code, and how it would fit if another edit holds it back.

    An edit that fits several places has a tier but fails, so it shows its code, as any failed edit does.
    """
    word = state(result.status, written=written)
    how = found_at(result.tier, result.score, len(result.places))
    ending = ""
    if result.status is Status.LEFT_OUT and result.code is not None:
        how, ending = str(result.code), f", would fit {how}" if how else ""
    elif result.status is Status.FAILED:
        how = str(result.code or "")
    return [Styled(f"{word} {how}".rstrip(), STATUS_STYLES[result.status]), ending]


def found_at(tier: Tier | None, score: float | None, places: int) -> str:
    """Return ``exact high``, ``fuzzy low 0.91``; ``exact high, 1 of 2 places`` if a hint chose among equal places."""
    if tier is None:
        return ""
    likeness = f" {min(score, 0.99):.2f}" if score is not None and score < 1 else ""
    several = f", 1 of {places} places" if places > 1 else ""
    return f"{tier} {tier.confidence}{likeness}{several}"


def action(result: BlockResult, change: FileChange | None) -> str | None:
    """Return what the edit does to its file as a whole; None if it edits a part."""
    block = result.block
    if block.destination is not None:
        return f"moves to {block.destination}"
    writes = block.kind is Kind.REWRITE or (block.kind is Kind.EDIT and result.tier is None)
    if writes and change is not None and change.before is None:
        return _ACTIONS[Kind.CREATE]
    part = block.kind is Kind.REWRITE and result.tier is not None  # a sketch, or one definition
    return None if part else _ACTIONS.get(block.kind)


def file_title(change: FileChange, hunks: Sequence[DiffHunk]) -> list[Part]:
    """Return a changed file's name, what happens to it, and how many lines are added and removed."""
    added, removed = counts(hunks)
    moved = f" from {change.source}" if change.source is not None else ""
    return [
        Styled(change.path, TextStyle.TITLE),
        f"  {kind_of(change)}{moved}  ",
        Styled(f"+{added}", TextStyle.GOOD),
        " ",
        Styled(f"-{removed}", TextStyle.BAD),
    ]


def finding(diagnostic: Diagnostic, where: str | None = None) -> list[Part]:
    """Return one line for a diagnostic: severity and code, place (in its file, or in what `where` names), message."""
    spot = where or diagnostic.path or ""
    if diagnostic.line is not None:
        spot = f"{spot}:{diagnostic.line}" if spot else f"line {diagnostic.line}"
    if where is not None and diagnostic.path is not None:
        spot += f" ({diagnostic.path})"
    label = Styled(f"{diagnostic.severity} {diagnostic.code}", SEVERITY_STYLES[diagnostic.severity])
    place: list[Part] = [" ", Styled(spot, TextStyle.PLACE)] if spot else []
    return [label, *place, "  ", diagnostic.message]
