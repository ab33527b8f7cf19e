"""Helps a model to write a failed edit again: the edit on the nearest text, the lines it may mean, and the message.

The edit's change is merged into the nearest text, never its replacement pasted: lines that the edit misquoted are not
written back over the file's own. Pure: results and texts in, edits, excerpts and messages out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dovetail.formats import render
from dovetail.llm.retry_texts import LONGEST_MESSAGE, Excerpt, Failure, Others, repair_message
from dovetail.match import merge
from dovetail.model.arguments import check_markers, check_texts, several
from dovetail.model.blocks import Kind, Reading
from dovetail.model.codes import Code, Status
from dovetail.model.errors import RenderError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.results import BlockResult
from dovetail.model.text import IndexedText, apply_edits, split_lines
from dovetail.text.comments import defines, is_remark
from dovetail.text.diff import diff
from dovetail.text.line import distinctive

LONGEST_CORRECTED = 40
"""The most lines of a file that are sent for one edit; of a longer region only the part around the difference."""

_AROUND = 6
_MARGIN = 2
# The words before the first sign: `def total` of `def total(x):`, `class Cart` of `class Cart {`
_HEAD = re.compile(r"[\w\s]*\w")


def failure_of(result: BlockResult, text: str | None, markers: Markers = DEFAULT_MARKERS) -> Failure:
    """Return a failed edit with a correction, or else with the lines it may mean. text: its file's; None if unknown."""
    corrected = corrected_edit(result, markers)
    return Failure(result, corrected, _lines_to_quote(result, text) if corrected is None else None)


def merged_reading(result: BlockResult) -> Reading | None:
    """Return the edit with the nearest text as its search, and that text with the edit's change as its replacement.

    None if there is no nearest text, the lines that the edit changes are different there, nothing is left to change, or
    the place of an added line is not sure: it must be below a line that the edit quotes exactly, not above a line that
    the edit left out, and the line must not be there already. Whether the nearest text is the one that is meant is not
    checked.
    """
    near = result.nearest.corrected if result.nearest is not None else ""
    merged = merge(result.block.search, near, result.block.replace, tokens=False) if near else None
    if merged is None or merged.clashes:
        return None
    after = apply_edits(near, merged.edits)
    if after == near:
        return None
    text = IndexedText(near)
    # Lines of the nearest text that the edit does not quote exactly.
    other = {line for hunk in diff(split_lines(result.block.search), text.lines) for line in range(hunk.b1, hunk.b2)}
    full = [line for line, content in enumerate(text.lines) if content.strip()]
    forgotten = {text.lines[line].strip() for line in other}
    # Only insertions: a replacement is where the replaced text is.
    for edit in (edit for edit in merged.edits if not edit.span):
        if any(distinctive(line) and line.strip() in forgotten for line in split_lines(edit.text)):
            return None
        at = text.line_at(edit.span.start) if edit.span.start < len(near) else len(text)
        above, below = [line for line in full if line < at][-1:], [line for line in full if line >= at][:1]
        if other.intersection(above) or any(is_remark(text.lines[line]) for line in other.intersection(below)):
            return None
    return Reading(near, after)


def corrected_edit(result: BlockResult, markers: Markers = DEFAULT_MARKERS) -> str | None:
    """Return the failed edit rewritten for the nearest text, in its own format and with the markers in force.

    None if another text may be meant, `merged_reading` gives none, or it is too long.
    """
    near = result.nearest
    if near is None or not near.sure:
        return None
    named, there = (
        {head[0] for line in lines if (head := _HEAD.match(line.strip()))}
        for lines in (filter(defines, split_lines(result.block.search)), split_lines(near.corrected))
    )
    if not named <= there:  # the nearest text lacks a definition that the edit quotes; its own may be gone
        return None
    reading = merged_reading(result)
    if reading is None or reading.search.count("\n") > LONGEST_CORRECTED:
        return None
    hints = result.block.hints
    fitting = replace(
        result.block,
        kind=Kind.EDIT,
        path=result.path,
        search=reading.search,
        replace=reading.replace,
        readings=(),
        parts=None,
        hints=replace(hints, line=near.start) if hints.line is not None else hints,
        malformed=None,
    )
    try:
        # Some formats cannot say this edit, a text that holds their own markers for example.
        text = render([fitting], result.block.format, markers=markers)
    except RenderError:
        return None
    return text if len(text) <= LONGEST_MESSAGE // 4 else None


def _lines_to_quote(result: BlockResult, text: str | None) -> Excerpt | None:
    """Return the nearest region, with a few lines at either side if the file is known; None if there is none.

    Of a long region only the lines around the difference.
    """
    near = result.nearest
    if near is None:
        return None
    known, margin = (text, _MARGIN) if text is not None else ("\n" * (near.start - 1) + near.corrected, 0)
    first, last = near.start - margin, near.end + margin
    if near.end - near.start >= LONGEST_CORRECTED:
        place = near.line or near.start
        first, last = max(near.start, place - _AROUND), min(near.end, place + _AROUND)
    return lines_between(result.path or "", known, first, last)


def lines_between(path: str, text: str, first: int, last: int) -> Excerpt:
    """Return the lines `first` to `last` of a text, from 1, both included, as far as it has them."""
    lines = IndexedText(text)
    first, last = max(1, first), min(len(lines), last)
    span = lines.span(first - 1, last)
    return Excerpt(path, first, last, text[span.start : span.end])


def retry_message(
    results: Iterable[BlockResult],
    *,
    written: bool = False,
    held: bool = True,
    markers: Markers = DEFAULT_MARKERS,
    files: Mapping[str, str] | None = None,
) -> str | None:
    """Return the message that asks a model for its failed edits and unread parts again; None if there are none.

    It has at most 40,000 characters.

    results: all results of the reply, those that did not fail as well.
    written: whether the edits that did not fail were applied; else the message says that they wait.
    held: whether edits that fit and are not applied are kept until the failed ones come; else the message asks for them
    again as well.
    markers: the markers that the reply was parsed with.
    files: path to text, as the reply was planned on. For an edit that is like nothing in its file the message can then
    quote the lines that it may mean.

    Raises `UsageError` for arguments of the wrong type.
    """
    results = several(results, BlockResult, "results", "Hand in the results of a plan, for example: plan.results")
    check_markers(markers)
    if files is not None:
        check_texts(files)
    failed = [result for result in results if result.status is Status.FAILED or result.code is Code.UNREAD]
    if not failed:
        return None
    texts = files or {}
    numbers = [result.n for result in failed]
    failures = (failure_of(result, texts.get(result.path or ""), markers) for result in failed)
    rest = [result for result in results if result.n not in set(numbers)]
    dropped = [] if held else [result.n for result in rest if _waits(result, written=written)]
    others = _others([result for result in rest if result.n not in set(dropped)], written=written)
    return repair_message(failures, len(results), others, numbers=numbers, dropped=dropped)


def _waits(result: BlockResult, *, written: bool) -> bool:
    """Return whether an edit would be applied if the others did not fail."""
    return result.code is Code.OTHER_FAILED or (result.status is Status.FITS and not written)


def _others(rest: Sequence[BlockResult], *, written: bool) -> Others:
    """Return what happened to the edits that did not fail. One that waits for another edit is not applied."""
    planned = sum(result.status in (Status.FITS, Status.WRITTEN) for result in rest)
    applied = sum(result.status is Status.STANDS_ALREADY for result in rest) + (planned if written else 0)
    if written and not planned:  # no edit of the plan fits alone, so `written` means those that waited
        applied += sum(result.code is Code.OTHER_FAILED for result in rest)
    if applied:
        return Others.APPLIED if applied == len(rest) else Others.MIXED
    wait = any(result.status is Status.FITS or result.code is Code.OTHER_FAILED for result in rest)
    return Others.HELD if wait else Others.NONE
