"""What one edit of a plan changes, as hunks: the file as the other edits leave it, without this one and with it.

Owns the choice of what is drawn of an edit: its changes with the lines around them that it quotes. No other line is
looked at, so that many edits of a long file cost what few do. The old side is numbered as the file before is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dovetail.model.results import Made
from dovetail.model.text import Edit, Span, Text, apply_edits
from dovetail.session.shown.diff import CONTEXT_LINES, Hunk, diff


@dataclass(frozen=True, slots=True)
class Window:
    """The lines around an edit, without it and with it. `first` of the new file's lines stand above them.

    shifts: from which line of `before` on, counted from 0, the old file's lines are by how many further down.
    """

    before: str
    after: str
    first: int
    shifts: tuple[tuple[int, int], ...]


def window(made: Made) -> Window | None:
    """What is drawn of an edit; None where it changes nothing."""
    spans = _apart(made.spans)
    if not spans:
        return None
    new = made.after
    first, end = _lines(new, Span(spans[0][1].start, spans[-1][1].end))
    quoted, behind = _lines(new, made.region)
    first = min(first, max(quoted, first - CONTEXT_LINES))
    end = max(end, min(behind, end + CONTEXT_LINES))
    lines = new.span(first, end)
    after = new.raw[lines.start : lines.end]
    back = [_taken_back(made, was, now, lines.start) for was, now in spans]
    before = apply_edits(after, back)
    return Window(before, after, first, tuple(_shifts(made, spans, back, Text(before))))


def hunks_of(seen: Window) -> tuple[Hunk, ...]:
    """The hunks, numbered as the lines are in the file before and after."""
    return tuple(_numbered(hunk, seen) for hunk in diff(seen.before, seen.after))


def _lines(text: Text, span: Span) -> tuple[int, int]:
    """The lines that a span touches, from 0, the last exclusive; none where it lies between two."""
    first = len(text) if span.start == len(text.raw) and text.raw[-1:] in ("", "\n", "\r") else text.line_at(span.start)
    if span.end > span.start:
        return first, text.line_at(span.end - 1) + 1
    return first, first + (first < len(text) and span.start > text.start_of(first))


def _apart(spans: tuple[tuple[Span, Span], ...]) -> list[tuple[Span, Span]]:
    """The changes in order, those that share characters made one."""
    apart: list[tuple[Span, Span]] = []
    for was, now in sorted(dict.fromkeys(spans), key=lambda pair: (pair[1], pair[0])):
        if apart and (now.start < apart[-1][1].end or was.start < apart[-1][0].end):
            old, new = apart.pop()
            was = Span(min(old.start, was.start), max(old.end, was.end))
            now = Span(new.start, max(new.end, now.end))
        apart.append((was, now))
    return apart


def _taken_back(made: Made, was: Span, now: Span, offset: int) -> Edit:
    return Edit(Span(now.start - offset, now.end - offset), made.before.raw[was.start : was.end])


def _shifts(made: Made, spans: list[tuple[Span, Span]], back: list[Edit], before: Text) -> list[tuple[int, int]]:
    """For each change, its first line in `before`, and how much further down that is in the old file."""
    shifts: list[tuple[int, int]] = []
    grown = 0
    for (was, _), edit in zip(spans, back, strict=True):
        at = edit.span.start + grown
        line, _ = _lines(before, Span(at, at))
        shifts.append((line, _lines(made.before, Span(was.start, was.start))[0] - line))
        grown += len(edit.text) - len(edit.span)
    return shifts


def _numbered(hunk: Hunk, seen: Window) -> Hunk:
    last = hunk.old_start + hunk.old_count
    known = [shift for line, shift in seen.shifts if line < last] or [seen.shifts[0][1]]
    return replace(hunk, old_start=hunk.old_start + known[-1], new_start=hunk.new_start + seen.first)
