"""The three-way merge: the changes of two sides to one base, put together without losing either.

Owns the one symmetric merge, for undo, for files that changed since the model saw them, for several writers and for
git. First by lines: what only one side changed is taken. Lines that both changed are merged by tokens: words, numbers
and signs on one hand, the blanks and line breaks between them on the other. Where both sides changed the same token,
or tokens that touch, there is a `Clash`. Exchanging the sides gives the same text. (Landing an edit is another
question: there a difference between search and file is the model's misquote, and not a change; see `match.landing`.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.model.text import Edit, IndexedText, Span, join_lines, split_lines
from dovetail.text.diff import Hunk, diff
from dovetail.text.line_edits import rewrite, with_last_end
from dovetail.text.token_merge import merge_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    _Lines = tuple[int, int]  # the first, and one behind the last
    _Region = tuple[_Lines, _Lines, _Lines]  # of base, ours and theirs


class Clash(NamedTuple):
    """Lines that both sides changed differently: their span in `ours`; `base` and `theirs` are whole lines."""

    ours: Span
    base: str
    theirs: str


class Merged(NamedTuple):
    """The edits that turn `ours` into the merge, except for `clashes`; without clashes the merge is complete."""

    edits: tuple[Edit, ...]
    clashes: tuple[Clash, ...]


def merge(
    base: str,
    ours: str,
    theirs: str,
    *,
    tokens: bool = True,
    adjacent: bool = True,
    layout: bool = False,
    line_ends: bool = False,
) -> Merged:
    """Put the changes from `base` to `ours` and from `base` to `theirs` together.

    tokens: lines that both sides changed are merged by their tokens; else they clash.
    adjacent: changes of lines that only touch do not clash.
    layout: indentation is grammar, as in Python and YAML: a line that one side edits and the other moves into another
    block clashes.
    line_ends: `theirs` may change the line ends; else its line ends are ignored and `ours` keeps its own.

    A change that both sides made is made once. New lines take the line end of their neighbours in `ours`.
    """
    base_lines, their_lines, text = split_lines(base), split_lines(theirs), IndexedText(ours)
    ends = _line_ends(base, ours, theirs) if line_ends else None
    edits: list[Edit] = []
    clashes: list[Clash] = []
    regions = _regions(base_lines, text.lines, their_lines)
    for group in ([region] for region in regions) if adjacent else _that_touch(regions):
        in_base, in_ours, in_theirs = ((first[0], last[1]) for first, last in zip(group[0], group[-1], strict=True))
        was, mine, new = base_lines[slice(*in_base)], text.lines[slice(*in_ours)], their_lines[slice(*in_theirs)]
        lines: list[str] | None = None
        # What only one side changed is taken, and so is what both changed alike.
        if mine in (was, new):
            lines = new
        elif new == was:
            lines = mine
        elif tokens and len(group) == 1:
            lines = merge_tokens(was, mine, new, layout=layout)
        if lines is None:
            clashes.append(Clash(text.span(*in_ours), join_lines(was), join_lines(new)))
        elif lines != mine:
            edits.append(rewrite(text, *in_ours, lines))
    if ends is not None:
        edits = _in_ends(ours, edits, clashes, ends)
    if (last := _last_end(base, text, theirs)) is not None and not clashes:
        edits = with_last_end(edits, text, last)
    return Merged(tuple(edits), tuple(clashes))


def _regions(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Region]:
    """Stretches of base, ours and theirs that either side changed, joined where both changed the same lines of base.

    Lines that one side inserts beside lines that the other side indents or outdents are joined, too: they may belong
    inside that block or outside of it.
    """
    changes = [(hunk, side, n) for n, side in enumerate((ours, theirs)) for hunk in _hunks(base, side)]
    # By place in base. `shifts` holds how much longer each side is than base after the hunks so far, so adding it turns
    # a line of base into one of the side.
    changes.sort(key=lambda change: change[0][:2])
    shifts = [0, 0]
    at = 0
    while at < len(changes):
        first, end, n = changes[at][0].a1, changes[at][0].a2, at + 1
        while n < len(changes) and _belongs(base, changes[at:n], end, changes[n]):
            end, n = max(end, changes[n][0].a2), n + 1
        before = tuple(shifts)
        for hunk, _, side in changes[at:n]:
            shifts[side] = hunk.b2 - hunk.a2
        in_ours, in_theirs = ((first + before[side], end + shifts[side]) for side in (0, 1))
        yield (first, end), in_ours, in_theirs
        at = n


def _that_touch(regions: Iterable[_Region]) -> Iterator[list[_Region]]:
    """Regions in groups, each of which begins in base where the one before ends."""
    group: list[_Region] = []
    for region in regions:
        if group and group[-1][0][1] != region[0][0]:
            yield group
            group = []
        group.append(region)
    if group:
        yield group


def _belongs(
    base: Sequence[str],
    region: Sequence[tuple[Hunk, Sequence[str], int]],
    end: int,
    change: tuple[Hunk, Sequence[str], int],
) -> bool:
    """Return whether a change belongs to the region of base before it, whose lines end at `end`."""
    hunk, _, side = change
    # Changes that overlap belong together. Of two that only touch: two insertions (their order is open), an insertion
    # beside lines that the other side indents, and two that bring a line alike.
    if hunk.a1 != end:
        return hunk.a1 < end
    # Only the other side's change right above can touch this one: a side's own hunks never do.
    beside = [one for one in region if one[2] != side and one[0].a2 == end]
    return any(
        (one[0].inserts and hunk.inserts)
        or ((one[0].inserts or hunk.inserts) and any(_shifts(base, *both[:2]) for both in (one, change)))
        or not _new_lines(*one[:2]).isdisjoint(_new_lines(*change[:2]))
        for one in beside
    )


def _new_lines(hunk: Hunk, side: Sequence[str]) -> set[str]:
    """The lines with letters or digits that a hunk adds."""
    return {line for line in side[hunk.b1 : hunk.b2] if any(map(str.isalnum, line))}


def _hunks(base: Sequence[str], side: Sequence[str]) -> list[Hunk]:
    """Return the side's hunks: insertions and deletions as far down as they can go, joined across blank lines.

    Of equal lines, any may be the one that was added or removed. With one choice for both sides, changes of both at one
    place meet.
    """
    hunks: list[Hunk] = []
    for hunk in reversed(diff(base, side)):
        below = hunks[-1] if hunks else Hunk(len(base), len(base), len(side), len(side))
        moved = hunk
        # A hunk may go down by a line if the line it would leave above is the one it would take up below.
        while moved.a2 < below.a1 and (
            (moved.inserts and base[moved.a1] == side[moved.b1]) or (moved.deletes and base[moved.a1] == base[moved.a2])
        ):
            moved = Hunk(*(index + 1 for index in moved))
        # Hunks are taken from the last to the first, so the one below is in `hunks` already.
        if hunks and not any(map(str.strip, base[moved.a2 : below.a1])):
            hunks[-1] = Hunk(moved.a1, below.a2, moved.b1, below.b2)
        else:
            hunks.append(moved)
    return hunks[::-1]


def _shifts(base: Sequence[str], hunk: Hunk, side: Sequence[str]) -> bool:
    """Return whether a hunk only changes the indentation of one of its lines."""
    words = {line.strip() for line in base[hunk.a1 : hunk.a2] if line.strip()}
    return any(line.strip() in words for line in side[hunk.b1 : hunk.b2])


def _last_end(base: str, ours: IndexedText, theirs: str) -> str | None:
    """Return the line end for the last line if `theirs` added or removed it and `ours` did not; None to leave it."""
    had, has, wants = (text[-1:] in ("\n", "\r") for text in (base, ours.raw, theirs))
    if not (base and theirs and ours.raw) or had == wants or has != had:
        return None
    return ours.main_end if wants else ""


def _line_ends(base: str, ours: str, theirs: str) -> str | None:
    """Return the line end of all lines of `theirs` if base and `ours` have another one throughout; else None."""
    if not any("\r" in text for text in (base, ours, theirs)):
        return None
    was, mine, new = (_only_end(text) for text in (base, ours, theirs))
    return new if new is not None and was is not None and mine == was != new else None


def _only_end(text: str) -> str | None:
    """Return the line end of all lines of a text; None if there are several, or none."""
    crlf = text.count("\r\n")
    counts = {"\r\n": crlf, "\n": text.count("\n") - crlf, "\r": text.count("\r") - crlf}
    found = [end for end, count in counts.items() if count]
    return found[0] if len(found) == 1 else None


def _in_ends(ours: str, edits: Sequence[Edit], clashes: Sequence[Clash], end: str) -> list[Edit]:
    """Return the edits with their text in the line end `end`, and edits that give it to the other lines of `ours`."""
    text = IndexedText(ours)
    taken = [edit.span for edit in edits] + [clash.ours for clash in clashes]
    touched = {
        line for span in taken for line in range(text.line_at(span.start), text.line_at(max(span.end - 1, 0)) + 1)
    }
    others = (Span(text.content_end(n), text.start_of(n + 1)) for n in range(len(text)) if n not in touched)
    changed = [Edit(edit.span, join_lines(split_lines(edit.text)).replace("\n", end)) for edit in edits]
    return sorted([*changed, *(Edit(span, end) for span in others if len(span))])
