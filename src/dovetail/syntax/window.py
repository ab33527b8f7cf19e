"""Cuts out the pieces of a text that must parse if its changed lines do, by indentation alone.

A piece that parses has no error worth reporting. A piece that does not may be broken by the cut: then the whole text
is parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.model.text import Span

_REACH = 40_000  # characters above and below a change that are looked at
# A line that goes on with the statement above it, and whose own body counts: `else:`, `except E:`, `):`.
_BRANCH = pattern(r"\s*(?:\)\s*:|(?:else|elif|elsif|except|finally|catch|rescue|ensure|when|while)\b)")
# The same, or a line that closes something: `}`, `</div>`, `end`, `case 1:`.
_GOES_ON = pattern(rf"{_BRANCH.pattern}|\s*(?:[)\]}}>]|/>|</|\*/|(?:end|fi|done|esac|case|default)\b)")
_BEGINS = pattern(rf"(?!{_GOES_ON.pattern})\S")  # a line at the margin that begins something


class Window:
    """The rows of a text around a span, for it and for others near it."""

    def __init__(self, text: str, span: Span) -> None:
        self._text = text
        self._low = text.rfind("\n", 0, max(0, span.start - _REACH)) + 1
        high = text.find("\n", min(len(text), span.end + _REACH))
        self._high = high if high >= 0 else len(text)
        self._rows = text[self._low : self._high].split("\n")

    def holds(self, span: Span) -> bool:
        """Return whether the window reaches far enough around a span."""
        above, below = span.start - self._low, self._high - span.end
        return (self._low == 0 or above > _REACH // 2) and (self._high == len(self._text) or below > _REACH // 2)

    def pieces(self, span: Span) -> Iterator[str]:
        """Yield the lines around a span: first as few as may parse alone, then its outermost blocks whole."""
        first, end = self._changed(span)
        yield "\n".join(_with_blocks(self._rows, first, end)) + "\n"
        yield self.block(span)

    def block(self, span: Span) -> str:
        """Return the outermost blocks that hold lines of a span, whole."""
        return "\n".join(_outermost(self._rows, *self._changed(span))) + "\n"

    def _changed(self, span: Span) -> tuple[int, int]:
        """Return the first row of a span and the one past its last; for a span without text, the rows around it."""
        text, rows = self._text, self._rows
        first = text.count("\n", self._low, span.start)
        end = first + text.count("\n", span.start, span.end)
        if text[span.end - 1 : span.end] not in ("", "\n"):
            end += 1
        if not any(map(str.strip, rows[first:end])):
            first = next((row for row in range(first - 1, -1, -1) if rows[row].strip()), first)
            end = next((row + 1 for row in range(end, len(rows)) if rows[row].strip()), end)
        return first, end


def _with_blocks(rows: Sequence[str], first: int, end: int) -> list[str]:
    """Return some rows with the whole of their statements, and the rows that begin, continue and end each block around
    them; branches of the same statement keep their bodies."""
    full = [row for row in rows[first:end] if row.strip()]
    # level: how deep the row kept last stands; a less deep one above heads the block around it. inside: that row goes
    # on with a statement (`else:`) whose first row is still to come, as deep as it. body: the deeper rows above it are
    # the body of a branch, and stay. depth: how deep the changed rows stand.
    level = depth = min([len(row) - len(row.lstrip()) for row in full], default=0)
    above: list[str] = []
    inside = body = bool(full) and (full[0][depth].isspace() or _GOES_ON.match(full[0]) is not None)
    for row in reversed(rows[:first]):
        if level == 0 and not inside:
            break
        if not (code := row.lstrip()):
            continue
        if (indent := len(row) - len(code)) < level or (inside and indent == level):
            level, inside = indent, _GOES_ON.match(row) is not None
            body = inside and (indent == depth or _BRANCH.match(row) is not None)
        elif not body:
            continue
        above.append(row)
    # The same downwards: a row that begins another statement is left out with its body, and one that goes on with a
    # block around or ends it is kept.
    kept, level, body = [*reversed(above), *full], depth, True
    for row in rows[end:]:
        if level < 0:
            break
        if not (code := row.lstrip()):
            continue
        if (indent := len(row) - len(code)) <= level:
            if _GOES_ON.match(row) is None:  # another statement: what is as deep as it is, or deeper, is not needed
                level, body = indent - 1, False
                continue
            level, body = indent, indent == depth or _BRANCH.match(row) is not None
        elif not body:
            continue
        kept.append(row)
    return kept


def _outermost(rows: Sequence[str], first: int, end: int) -> Sequence[str]:
    """Return the rows from the nearest one at or above `first` that begins something at the margin, up to the next such
    row from `end` on."""
    while first > 0 and _BEGINS.match(rows[first]) is None:
        first -= 1
    while end < len(rows) and _BEGINS.match(rows[end]) is None:
        end += 1
    return rows[first:end]
