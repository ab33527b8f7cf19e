"""What helps to write a failed edit again: how it reads on the nearest text, lines it may have meant, and the message.

The edit's change is merged into the nearest text, never its replacement pasted: lines that the edit misquoted are not
written back over the file's own. Pure: results and texts in, edits, excerpts and messages out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from dovetail.formats import render
from dovetail.llm.repair import Excerpt, Failure, Others, repair_message
from dovetail.match import Clash, Merged, merge
from dovetail.model.blocks import Kind, Reading
from dovetail.model.codes import MISSED, Code, Status
from dovetail.model.errors import RenderError
from dovetail.model.handed import check_markers, check_texts, several
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.results import BlockResult
from dovetail.model.text import Edit, Text, apply_edits, join_lines, split_lines
from dovetail.text.comments import defines, is_remark
from dovetail.text.likeness import ratio
from dovetail.text.line import distinctive, indent_of
from dovetail.text.linediff import Hunk, diff

LONGEST_CORRECTED = 40
"""Lines of a file that are worth sending for one edit; of a longer region only the part around the difference."""

_AROUND = 6
_MOST_LIKELY = 24
_MARGIN = 2
_ALIKE = 1 / 2  # what a line that is to be changed has at least in common with the one that was quoted for it
_WORD = re.compile(r"[^\W\d]\w{2,}")
_HEAD = re.compile(r"[\w\s]*\w")
_TOKEN = re.compile(r"\w+|\n|\s|[^\w\s]")


def failure_of(result: BlockResult, text: str | None, markers: Markers = DEFAULT_MARKERS) -> Failure:
    """A failed edit with all that helps; `text` is its file's, None where that is not known."""
    corrected = corrected_edit(result, markers)
    return Failure(result, corrected, _lines_to_quote(result, text) if corrected is None else None)


def merged_reading(result: BlockResult) -> Reading | None:
    """The edit as it reads on the nearest text: that text as search, and as replacement that text with its change.

    Whether that is the text which is meant is for the person to say who sees it. None where nothing is near, where the
    lines that the edit changes say something else there, or where there is nothing left to change.
    """
    merged = _merged(result)
    return _reading(result, merged, ()) if merged is not None and not merged.clashes else None


def corrected_edit(result: BlockResult, markers: Markers = DEFAULT_MARKERS) -> str | None:
    """The failed edit as it reads on the nearest text, in its own format and the markers in force.

    Words that the edit changes read as it wants them, whatever the file says there. None where another text may be
    meant, where no such edit is known, where the lines lack such words, where it would undo lines that the edit does
    not change, or where it is long.
    """
    merged = _merged(result) if _is_meant(result) else None
    insisting = [_clash_as_wanted(result, clash) for clash in merged.clashes] if merged is not None else []
    settled = [edit for edit in insisting if edit is not None]
    if merged is None or len(settled) < len(insisting):
        return None
    reading = _reading(result, merged, settled)
    if reading is None or reading.search.count("\n") > LONGEST_CORRECTED:
        return None
    hints = result.block.hints
    if hints.line is not None and result.nearest is not None:
        hints = replace(hints, line=result.nearest.start)
    fitting = replace(
        result.block,
        kind=Kind.EDIT,
        path=result.path,
        search=reading.search,
        replace=reading.replace,
        readings=(),
        parts=None,
        hints=hints,
        malformed=None,
    )
    try:
        return render([fitting], result.block.format, markers=markers)
    except RenderError:
        return None


def _merged(result: BlockResult) -> Merged | None:
    """The change between search and replacement, carried over to the nearest text; None where nothing is near."""
    near = _near(result)
    return merge(result.block.search, near, result.block.replace) if near else None


def _clash_as_wanted(result: BlockResult, clash: Clash) -> Edit | None:
    """The lines of a clash as the edit wants them, and those that it keeps as the file has them.

    None where nobody can say which of the file's lines stand for which: it has more there, or fewer, or one that is
    not like what the edit changes, as where that was made up; or where lines that are added would stand elsewhere.
    """
    was, wanted = split_lines(clash.base), split_lines(clash.theirs)
    lines = split_lines(_near(result)[clash.ours.start : clash.ours.end])
    if len(lines) != len(was):
        return None
    hunks = diff(was, wanted)
    if any(ratio(was[at].strip(), lines[at].strip()) < _ALIKE for hunk in hunks for at in range(hunk.a1, hunk.a2)):
        return None
    if any(hunk.b2 - hunk.b1 > len(hunk.old) and not _is_in_place(hunk, was, lines) for hunk in hunks):
        return None
    for hunk in reversed(hunks):
        changed = slice(hunk.a1, hunk.a2)
        worded = _merged_by_words(was[changed], lines[changed], wanted[hunk.b1 : hunk.b2])
        if worded is None:
            return None
        lines[changed] = worded
    return Edit(clash.ours, join_lines(lines))


def _is_in_place(hunk: Hunk, was: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the file has the lines that are to be changed, or the one below what is added, as deep as they were
    quoted; and the one above what is added to the letter."""
    beside = range(hunk.a1, max(hunk.a2, min(hunk.a1 + 1, len(was))))
    if any(indent_of(was[at]) != indent_of(lines[at]) for at in beside):
        return False
    return not (hunk.inserts and hunk.a1) or was[hunk.a1 - 1] == lines[hunk.a1 - 1]


def _merged_by_words(was: Sequence[str], lines: Sequence[str], wanted: Sequence[str]) -> Sequence[str] | None:
    """The file's lines with a change of lines carried over word by word, so that no misquoted word is written back.

    None where words that it changes are not in these lines: they may stand in others, as in a paragraph that was quoted
    without its line breaks, and would then be written a second time.
    """
    base, ours, theirs = map(_as_lines, (was, lines, wanted))
    mine, others = (diff(split_lines(base), split_lines(side)) for side in (ours, theirs))
    gone = [hunk for hunk in mine if hunk.b1 == hunk.b2]
    if any(hunk.a1 < missing.a2 and missing.a1 < hunk.a2 for hunk in others for missing in gone):
        return None
    if not wanted:
        return wanted
    merged = merge(base, ours, theirs)
    settled = (Edit(clash.ours, clash.theirs) for clash in merged.clashes)
    return split_lines("".join(word or "\n" for word in split_lines(apply_edits(ours, [*merged.edits, *settled]))))


def _as_lines(lines: Sequence[str]) -> str:
    """A text with each word, blank and sign on a line of its own; an empty line stands for a line's end."""
    return "".join(word if word == "\n" else f"{word}\n" for word in _TOKEN.findall(join_lines(lines)))


def _reading(result: BlockResult, merged: Merged, settled: Sequence[Edit]) -> Reading | None:
    search = _near(result)
    after = apply_edits(search, [*merged.edits, *settled])
    return Reading(search, after) if after != search and _is_well_placed(result.block.search, search, merged) else None


def _is_meant(result: BlockResult) -> bool:
    """Whether the nearest text is surely the one that is meant, and what the edit quotes the head of is named so there,
    too: else something much like it may be gone."""
    there, named = (
        {head[0] for line in lines if (head := _HEAD.match(line.strip()))}
        for lines in (split_lines(_near(result)), filter(defines, split_lines(result.block.search)))
    )
    return result.nearest is not None and result.nearest.sure and named <= there


def _is_well_placed(search: str, near: str, merged: Merged) -> bool:
    """Whether what is added stands below a line that the edit quotes as it is, for one that it misquotes may end later;
    not above words that it forgot, for these may belong to what is above; and not where it stands already."""
    text = Text(near)
    other = {line for hunk in diff(split_lines(search), text.lines) for line in range(hunk.b1, hunk.b2)}
    full = [line for line, words in enumerate(text.lines) if words.strip()]
    forgotten = {text.lines[line].strip() for line in other}
    for start, added in ((edit.span.start, edit.text) for edit in merged.edits if not edit.span):
        if any(distinctive(line) and line.strip() in forgotten for line in split_lines(added)):
            return False
        at = text.line_at(start) if start < len(near) else len(text)
        above, below = [line for line in full if line < at][-1:], [line for line in full if line >= at][:1]
        if other.intersection(above) or any(is_remark(text.lines[line]) for line in other.intersection(below)):
            return False
    return True


def _near(result: BlockResult) -> str:
    return result.nearest.corrected if result.nearest is not None else ""


def likely_lines(result: BlockResult, text: str) -> Excerpt | None:
    """The lines of a file that share most rare words with a search for which no nearest region is known.

    A line that the search quotes as it is counts as all of its words, the more the rarer it is.
    None where one is known, where the failure is not about the file's text, or where no word is shared.
    """
    about_text = result.code in (*MISSED, Code.MALFORMED)
    if result.path is None or result.nearest is not None or result.places or not about_text:
        return None
    search = result.block.search or result.block.raw
    wanted, quoted, rows = set(_WORD.findall(search)), set(split_lines(search)), split_lines(text)
    lines = [wanted.intersection(_WORD.findall(line)) for line in rows]
    often = Counter(word for found in lines for word in found)
    if not often:
        return None
    alike = Counter(rows)
    worth = [
        sum(1 / often[word] for word in found) + (len(found) / alike[line] if line in quoted else 0)
        for line, found in zip(rows, lines, strict=True)
    ]
    size = max(1, min(_MOST_LIKELY, len(lines), result.block.search.count("\n")))
    sums = [0.0, *accumulate(worth)]
    first = max(range(len(lines) - size + 1), key=lambda at: (sums[at + size] - sums[at], -at))
    return lines_between(result.path, text, first + 1 - _MARGIN, first + size + _MARGIN)


def _lines_to_quote(result: BlockResult, text: str | None) -> Excerpt | None:
    """The nearest region, with a few lines at either side where the file is known; of a long one what is around the
    difference. Where none is near, lines that share its words."""
    near = result.nearest
    if near is None:
        return likely_lines(result, text or "")
    known, margin = (text, _MARGIN) if text is not None else ("\n" * (near.start - 1) + near.corrected, 0)
    first, last = near.start - margin, near.end + margin
    if near.end - near.start >= LONGEST_CORRECTED:
        place = near.line or near.start
        first, last = max(near.start, place - _AROUND), min(near.end, place + _AROUND)
    return lines_between(result.path or "", known, first, last)


def lines_between(path: str, text: str, first: int, last: int) -> Excerpt:
    """Lines of a text, from 1, as far as it has them."""
    lines = Text(text)
    first, last = max(1, first), min(len(lines), last)
    span = lines.span(first - 1, last)
    return Excerpt(path, first, last, text[span.start : span.end])


def retry_message(
    results: Iterable[BlockResult],
    *,
    written: bool = False,
    markers: Markers = DEFAULT_MARKERS,
    files: Mapping[str, str] | None = None,
) -> str | None:
    """The message that asks a model for its failed edits again; None if none failed.

    results: all results of the reply, those that did not fail as well.
    written: whether the edits that did not fail were applied; else the message says that they wait.
    markers: those that the reply was read with.
    files: path to text, as the reply was planned on. Of an edit that is like nothing in its file the message can then
    quote the lines that it may have meant.

    Raises `UsageError` for arguments of the wrong type.
    """
    results = several(results, BlockResult, "results", "Hand in the results of a plan, for example: plan.results")
    check_markers(markers)
    if files is not None:
        check_texts(files)
    failed = [result for result in results if result.status is Status.FAILED]
    if not failed:
        return None
    texts = files or {}
    failures = [failure_of(result, texts.get(result.path or ""), markers) for result in failed]
    others = _others([result for result in results if result.status is not Status.FAILED], written=written)
    return repair_message(failures, len(results), others)


def _others(rest: Sequence[BlockResult], *, written: bool) -> Others:
    """What became of the edits that did not fail. One that waits for another in its file is not applied."""
    planned = sum(result.status is Status.APPLIED for result in rest)
    applied = sum(result.status is Status.ALREADY_APPLIED for result in rest) + (planned if written else 0)
    if written and not planned:  # the caller says so: whatever waited in this plan is applied by now
        applied += sum(result.code is Code.OTHER_FAILED for result in rest)
    if applied:
        return Others.APPLIED if applied == len(rest) else Others.MIXED
    wait = any(result.status is Status.APPLIED or result.code is Code.OTHER_FAILED for result in rest)
    return Others.HELD if wait else Others.NONE
