"""How a file changed since the model saw it, as a map of offsets, and where that map is not to be trusted.

A line comparison can only say which lines are equal. Where a changed line has left a copy of its old self further
on, the copy passes for the line; `moved_in_doubt` notices that.
"""

from __future__ import annotations

from collections.abc import Iterator

from dovetail.model.text import Span, Text
from dovetail.plan.edits.drift import Drift, Shift
from dovetail.text.likeness import ratio
from dovetail.text.linediff import diff

_ALIKE = 0.6


def drift_between(seen: Text, text: Text) -> Drift:
    """The map from offsets of `seen` to offsets of `text`, by lines; line ends may differ."""
    return Drift(_shifts(seen, text))


def _shifts(seen: Text, text: Text) -> Iterator[Shift]:
    done = 0
    offset = 0
    for hunk in diff(seen.lines, text.lines):
        yield from _end_shifts(seen, text, range(done, hunk.a1), offset)
        yield Shift(seen.span(hunk.a1, hunk.a2), len(text.span(hunk.b1, hunk.b2)))
        done, offset = hunk.a2, hunk.b2 - hunk.a2
    yield from _end_shifts(seen, text, range(done, len(seen)), offset)


def _end_shifts(seen: Text, text: Text, lines: range, offset: int) -> Iterator[Shift]:
    """The line ends of equal lines that differ in length."""
    if not lines:
        return
    here, there = seen.span(lines.start, lines.stop), text.span(lines.start + offset, lines.stop + offset)
    if len(here) == len(there):
        return
    for line in lines:
        end = text.end_of(line + offset)
        if len(seen.end_of(line)) != len(end):
            yield Shift(Span(seen.content_end(line), seen.starts[line + 1]), len(end))


def moved_in_doubt(region: Span, seen: Text, text: Text, drift: Drift) -> bool:
    """Whether a region that stands unchanged may be a copy, while the original next to it was changed.

    So it is where neither its upper nor its lower neighbour is the one it had, and lines like its own came in there.
    """
    if len(region) == 0:
        return False
    first, last = seen.line_at(region.start), seen.line_at(region.end - 1)
    now = drift.inner(region)
    here, there = text.line_at(now.start), text.line_at(max(now.start, now.end - 1))
    above = _next_said(seen, range(first - 1, -1, -1)), _next_said(text, range(here - 1, -1, -1))
    below = _next_said(seen, range(last + 1, len(seen))), _next_said(text, range(there + 1, len(text)))
    if any(had is not None and had == has for had, has in (above, below)):
        return False
    quoted = _next_said(seen, range(first, last + 1))
    return quoted is not None and any(ratio(quoted, line) >= _ALIKE for line in _came_in(region, text, drift))


def _next_said(text: Text, lines: range) -> str | None:
    """The first line that is not blank."""
    return next((said for line in lines if (said := text.lines[line].strip())), None)


def _came_in(region: Span, text: Text, drift: Drift) -> Iterator[str]:
    """Lines of the changes that border on a region, where they brought in more than they took away."""
    moved = 0
    for shift in drift.shifts:
        start = shift.span.start + moved
        moved += shift.length - len(shift.span)
        if shift.length > len(shift.span) and (shift.span.end == region.start or shift.span.start == region.end):
            yield from Text(text.raw[start : start + shift.length]).lines
