"""Draws hunks for a person: signs at the line start, changed characters underlined or marked below.

Without colour a row that begins with ``?`` stands under a changed line and points at its changed characters.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.cli import words
from dovetail.cli.screen import Part, Screen, Style, Styled, visible, width
from dovetail.model.results import FileChange
from dovetail.model.text import Span
from dovetail.session.shown.diff import DiffLine, Hunk, diff_of
from dovetail.session.shown.moves import with_renames_joined

_LONGEST = 400  # characters of one line that are drawn
_LEAD = 60  # characters drawn before the first change of a longer line
_STYLES = {"+": Style.GOOD, "-": Style.BAD}
_ENDS = {"\r\n": " [CRLF]", "\n": " [LF]", "\r": " [CR]"}


def draw_changes(screen: Screen, changes: Sequence[FileChange], *, whole: bool = True) -> None:
    """Write each changed file's name and how much of it changes; where it is the `whole` of it, also what."""
    for change in with_renames_joined(changes):
        hunks = diff_of(change)
        screen.line(*words.file_title(change, hunks))
        if whole:
            draw_hunks(screen, hunks, "  ")
            screen.line()


def draw_hunks(screen: Screen, hunks: Sequence[Hunk], indent: str = "") -> None:
    """Write every hunk, each line behind `indent`."""
    for hunk in hunks:
        screen.line(indent, Styled(hunk.header, Style.FAINT))
        mixed = len({line.end for line in hunk.lines if line.sign != " " and line.end}) > 1
        first = next((line.marks[0].start for line in hunk.lines if line.marks), 0)
        for line in hunk.lines:
            _draw(screen, _shortened(line, first), indent, show_end=mixed)


def _draw(screen: Screen, line: DiffLine, indent: str, *, show_end: bool) -> None:
    end = _ENDS.get(line.end, "") if show_end and line.sign != " " else ""
    parts = marked(line.text, line.marks, _STYLES.get(line.sign))
    screen.line(indent, *_sign(line.sign), *parts, Styled(end, Style.FAINT))
    if line.marks and not screen.colour:
        screen.line(indent, "?", marker_row(line.text, line.marks))
    if not line.end:
        screen.line(indent, Styled("\\ No newline at end of file", Style.FAINT))


def _sign(sign: str) -> tuple[Part, ...]:
    style = _STYLES.get(sign)
    return (sign,) if style is None else (Styled(sign, style),)


def marked(text: str, marks: Sequence[Span], style: Style | None) -> list[Part]:
    """A line's text as parts, its marked spans in the style for marks."""
    parts: list[Part] = []
    at = 0
    for span in marks:
        parts.append(_plain(text[at : span.start], style))
        parts.append(Styled(text[span.start : span.end], Style.MARK, over=style))
        at = span.end
    return [*parts, _plain(text[at:], style)]


def _plain(text: str, style: Style | None) -> Part:
    return text if style is None else Styled(text, style)


def marker_row(text: str, marks: Sequence[Span]) -> str:
    """A row that points at the marked characters of `text` when it is written below it."""
    row: list[str] = []
    at = 0
    for span in marks:
        before = visible(text[at : span.start])
        row.append("".join(sign if sign == "\t" else " " * width(sign) for sign in before))
        row.append("^" * max(1, width(visible(text[span.start : span.end]))))
        at = span.end
    return "".join(row)


def _shortened(line: DiffLine, first: int) -> DiffLine:
    """The line cut to what can be read: from a little before its first change, or from its start.

    `first` is where the hunk's first marks are: of a line in which nothing is marked, because the other side only has
    more there, that part is what the other side shows.
    """
    if len(line.text) <= _LONGEST:
        return line
    change = line.marks[0].start if line.marks else 0 if line.sign == " " else first
    start = max(0, min(change - _LEAD, len(line.text) - _LONGEST))
    end = min(len(line.text), start + _LONGEST)
    head, tail = "…" if start else "", "…" if end < len(line.text) else ""
    shift = len(head) - start
    marks = tuple(
        Span(span.start + shift, min(span.end, end) + shift) for span in line.marks if start <= span.start < end
    )
    return DiffLine(line.sign, head + line.text[start:end] + tail, line.end, marks)
