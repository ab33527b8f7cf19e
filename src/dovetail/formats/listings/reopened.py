"""A bare fence line where a fence is open: it ends that one, or opens the next, as the one before was never closed.

The lines around it say which: a path stands above an opening one, and a marker or a listing right below. Where the
fence before held no block, what it holds has no known end, so that a listing there is cut off and never written. A
fence in which a path stands alone, and behind it the line of the next fence, ended there; but where two ends follow,
one stands in the other, as in an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines import fences, paths
from dovetail.formats.listings.whole import names_file
from dovetail.formats.scan.keeping import EveryLine
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from collections.abc import Callable

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.listings.fenced import Fenced


def may_open(fenced: Fenced, lines: list[str]) -> bool:
    """Whether a bare fence line under `lines` may open a fence, though one is open."""
    if fenced.document or fenced.fence.close:
        return False
    if fenced.used:
        return any(map(str.strip, lines)) and (fenced.alone or not fenced.above.holds_fences)
    above = lines[:-2] if lines and not lines[-1].strip() else lines[:-1]
    return _names_file(lines) and not _names_file(above) and not fenced.above.holds_fences  # a list of files is none


def _names_file(lines: list[str]) -> bool:
    """Whether the last line that is not blank is a path, with at most one blank line behind it."""
    return paths.says_path(next(filter(str.strip, reversed(lines[-2:])), ""))


def begins_listing(fenced: Fenced, text: str) -> bool:
    """Whether a fence line has an info string, or a path above it."""
    fence = fences.opening(text)
    return fence is not None and (not fence.bare or _names_file(fenced.scanner.recent.lines()))


def _named_apart(lines: list[str]) -> bool:
    """Whether that line stands behind a blank one, as the text between two listings does."""
    texts = "\n".join(lines).rstrip().split("\n")
    return len(texts) > 1 and not texts[-2].strip() and _names_file(lines)


class Undecided(EveryLine):
    """Behind a line that may end the fence: the next one or two decide, or that none follows.

    decide: given these lines, or "" behind the reply's last, it ends the fence or goes on in it, and gives True where
    it needs one more.
    """

    def __init__(self, decide: Callable[..., bool | None]) -> None:
        self.decide = decide
        self.lines: list[str] = []
        self.first = 0

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next line."""
        self.first = self.first or line
        self.lines.append(text)
        return None if self.decide(*self.lines) else self._back()

    def end(self) -> GiveBack | None:
        """Nothing follows."""
        self.decide(*self.lines, "")
        return self._back() if self.lines else None

    def _back(self) -> GiveBack:
        return GiveBack("".join(self.lines), self.first)


def behind_bare(fenced: Fenced, lines: list[str], mark: str, at: int) -> Undecided:
    """Behind a line that may open a fence under `lines`: a marker, or a path above, says that it does."""

    def decide(text: str) -> None:
        marker = fenced.scanner.grammar.start(text) is not None
        named = _names_file(lines) if fenced.used else _named_apart(lines)
        if marker or (named and text.strip()):
            follow(fenced, lines, mark, at)
        else:
            fenced.end_one(mark, at)

    return Undecided(decide)


class Titled(NamedTuple):
    """A path that stands alone in a fence, the fence that opens behind it and has an info string, and its content."""

    path: str
    fence: Fence
    content: str


def titled(fence: Fence, pieces: list[str]) -> Titled | None:
    """What a fence holds, if it is that."""
    near, _, rest = "".join(pieces).lstrip("\n").partition("\n")
    opens, _, content = rest.removeprefix("\n").partition("\n")
    inner = fences.opening(opens)
    if inner is None or not inner.info or inner.mark != fence.mark or not names_file(near):
        return None
    return None if any(map(fences.is_fence_line, content.split("\n"))) else Titled(near, inner, content)


def behind_titled(fenced: Fenced, found: Titled, mark: str, at: int) -> Undecided:
    """Behind the first end of such a fence: another end right below says that it was around the listing."""

    def decide(text: str) -> None:
        if fenced.fence.closes(text):
            fenced.end_one(mark, at)
        else:
            fenced.close_titled(found, mark, at)

    return Undecided(decide)


def is_next(fenced: Fenced, text: str) -> bool:
    """Whether a fence line with an info string opens the next listing."""
    if fenced.within is not None or fenced.above.holds_fences or fenced.document or fenced.fence.close:
        return False
    mark = fenced.fence.mark
    inner = fences.opening(text)
    if inner is None or not inner.info or inner.mark[0] != mark[0] or len(inner.mark) < len(mark):
        return False
    return _named_apart(fenced.scanner.recent.lines())


def follow(fenced: Fenced, lines: list[str], mark: str, line: int) -> None:
    """End a fence that was never closed, and begin the one that `mark` opens under `lines`."""
    scanner = fenced.scanner
    fenced.close("", line, cut_off=not fenced.used)
    scanner.recent.clear()
    scanner.recent.add("".join(f"{one}\n" for one in lines))
    fence = fences.opening(mark)
    if fence is not None:
        fenced.follow(fence, mark, line)
