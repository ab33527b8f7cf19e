"""Python: brackets around values, backslashes that join lines, last commas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.commas import called, commas
from dovetail.syntax.layout.laid_out import ENDS, line_joints, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.syntax.layout.laid_out import LaidOut


_ASSIGNS = words("= += -= *= /= //= %= @= &= |= ^= >>= <<= **=")
_CONDITIONS = words("if elif while")
_MAKES_MORE = words("for async yield :=")
_ROOM = words("( [ { , :")


def said(laid: LaidOut, at: int) -> str | None:
    """A number in either case."""
    token = laid.tokens[at]
    return token.text.lower() if token.kind == "number" else None


def _last_commas(laid: LaidOut) -> Iterator[int]:
    """Commas behind the last of several lines; where they are the only one they may make a tuple, of a key too."""

    def tuples(at: int) -> bool:
        if laid.text(at) == "[":
            return called(laid, at) or laid.text(at - 1) in ENDS
        return laid.text(at) == "(" and not called(laid, at) and laid.text(at - 1) != "import"

    return commas(laid, tuples)


def _values(laid: LaidOut) -> Iterator[int]:
    """Brackets around the whole of a value, a condition or a target, which something else ends."""
    starts = _line_starts(laid)
    for first, last in laid.brackets.pairs():
        if laid.text(first) != "(":
            continue
        if last == first + 1:
            named = laid.text(first - 2) == "class" and laid.text(last + 1) == ":"
            yield from (first, last) if named else ()
        elif not _MAKES_MORE.intersection(laid.inside(first, last)) and _is_whole(laid, first, last, starts):
            yield from (first, last)


def _line_starts(laid: LaidOut) -> list[int]:
    """For each token the first one of its logical line."""
    starts: list[int] = []
    for at in range(len(laid.tokens)):
        joined = at == 0 or laid.brackets.depth[at] > 0 or laid.text(at - 1) == "\\" or not laid.ends_line(at - 1)
        starts.append((starts[-1] if at else 0) if joined else at)
    return starts


def _is_whole(laid: LaidOut, first: int, last: int, starts: Sequence[int]) -> bool:
    before, behind = laid.text(first - 1), laid.text(last + 1)
    ends = last + 1 < len(laid.tokens) and starts[last + 1] == last + 1 and behind not in ENDS
    begins = first > 0 and starts[first] == first - 1
    one = "," not in laid.inside(first, last)
    if before in _ASSIGNS:
        return ends or (one and behind in ENDS)
    if before in _CONDITIONS or before == "with":
        return begins and behind == ":" and (one or (before == "with" and "as" in laid.inside(first, last)))
    if before == "assert":
        return begins and one and (ends or behind == ",")
    if before in ("return", "del", "import"):
        return ends
    if before == "for":
        return behind == "in"
    if before == "in":
        head = starts[first] + (laid.text(starts[first]) == "async")
        loops = laid.text(head) == "for" and "in" not in [laid.text(i) for i in range(head, first - 1)]
        return loops and behind == ":"
    return before in _ROOM and one and (behind in ENDS or (before == "," and ends))


RULES = (_last_commas, line_joints, _values)
