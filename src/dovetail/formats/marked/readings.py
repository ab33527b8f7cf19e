r"""The ways to split a block's body into search and replace, likeliest first (rule 6 of the formats).

Every line that looks like a divider may be content. The likeliest divider has the start marker's own length and
indentation, stands in no nested block, and comes first. A divider repeated just before the end marker is noise.
Where further dividers of full length stand in the middle of a replacement and belong to no plausible heading, the reply
holds several replacements, and all of them are listed: the same search with several replacements is ambiguous.

Invariant: at least one reading, at most `MOST`, no two equal.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import DOCUMENTS, ends_as
from dovetail.model.blocks import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dovetail.formats.lines.grammar import Start
    from dovetail.formats.marked.machine import Divider

MOST = 16
_CONFLICT = ("<<<<<<<", ">>>>>>>")


def readings_of(
    body: str,
    dividers: Sequence[Divider],
    last: Divider | None,
    start: Start,
    path: str | None,
    ends: Sequence[int] = (),
) -> tuple[Reading, ...]:
    """All readings of `body`, which is all search where it has no divider.

    `ends` holds earlier places where the body may end; `last` is the last divider.
    """
    if len(dividers) == 1 and not ends and not start.indent and dividers[0].stop <= len(body):
        return (Reading(body[: dividers[0].start], body[dividers[0].stop :]),)
    readings: dict[Reading, None] = {}
    for stop in (len(body), *reversed(ends)):
        inside = [d for d in dividers if d.stop <= stop]
        final = last if last is not None and last.stop <= stop else (inside[-1] if inside else None)
        for reading in _of_body(body[:stop], inside, final, start, path):
            readings[reading] = None
            if len(readings) == MOST:
                return tuple(readings)
    return tuple(readings) or (Reading(body, ""),)


def undecided(readings: Sequence[Reading]) -> bool:
    """Whether several new texts stand behind a search that is empty: then no file can say which of them is meant."""
    texts = [reading.replace for reading in readings if not reading.search]
    return len(texts) > 1 and len({tuple(text.split()) for text in texts}) > 1  # one may be the other, indented


def _of_body(
    body: str, dividers: Sequence[Divider], last: Divider | None, start: Start, path: str | None
) -> Iterator[Reading]:
    ranked = sorted(dividers, key=lambda d: (d.depth != 1, d.length != start.length, d.indent != start.indent, d.start))
    noise = _noise(body, ranked, last)
    if noise is not None:
        ranked = [d for d in ranked if d != noise] + [noise]
    for n, divider in enumerate(ranked[:MOST]):
        search = body[: divider.start]
        stop = len(body)
        if noise is not None and noise.length == divider.length and not _before(ranked, divider):
            stop = noise.start if divider != noise else stop
        if n == 0:
            edges = [divider, *_others(body, ranked, divider, noise, path)]
            for one, following in pairwise(edges):
                yield from _pair(start, search, body[one.stop : following.start])
            if len(edges) > 1:
                yield from _pair(start, search, body[edges[-1].stop : stop])
        yield from _pair(start, search, body[divider.stop : stop])


def _pair(start: Start, search: str, replace: str) -> Iterable[Reading]:
    """The reading itself; where the whole block is indented, first without that indentation."""
    plain = Reading(search, replace)
    if start.indent:
        shifted = [dedented(text, start.indent) for text in (search, replace)]
        if shifted[0] is not None and shifted[1] is not None:
            return (Reading(shifted[0], shifted[1]), plain)
    return (plain,)


def dedented(text: str, indent: int) -> str | None:
    """`text` without `indent` blanks in front of each line, or None where one has fewer and is not blank itself."""
    lines = text.split("\n")
    if any(line.strip() and line[:indent].strip() for line in lines):
        return None
    return "\n".join(line[:indent].lstrip(" \t") + line[indent:] for line in lines)


def _noise(body: str, ranked: Sequence[Divider], last: Divider | None) -> Divider | None:
    """The last divider, where nothing but blank lines stands between it and the end and it is not the only one."""
    own = [d for d in ranked if d.depth == 1]
    if last is None or last.depth != 1 or len(own) < 2 or body[last.stop :].strip():
        return None
    return last


def _before(ranked: Sequence[Divider], divider: Divider) -> bool:
    """Whether the search would hold a line like the divider: then one at the end is content too."""
    return any(d.depth == 1 and d.length == divider.length and d.start < divider.start for d in ranked)


def _others(
    body: str, ranked: Sequence[Divider], first: Divider, noise: Divider | None, path: str | None
) -> list[Divider]:
    """The dividers inside the replacement that belong to no heading and to no merge conflict, in the body's order."""
    rest = [d for d in ranked if d.depth == 1 and d.length == first.length and d.start > first.start and d != noise]
    if not rest or ends_as(path, DOCUMENTS) or any(mark in body for mark in _CONFLICT):
        return []
    rest.sort(key=lambda d: d.start)
    return [d for d in rest if not _belongs_to_heading(body, d, rest)]


def _belongs_to_heading(body: str, divider: Divider, rest: Sequence[Divider]) -> bool:
    """Whether a divider is the line under a title of its own length, or the one over it."""
    below, _, behind = body[divider.stop :].partition("\n")
    ruled = len(body) - len(behind) in {other.start for other in rest}
    return underlines_title(body, divider.start, divider.stop) or (ruled and _is_title(below, divider.length))


def underlines_title(body: str, start: int, stop: int) -> bool:
    """Whether the line from `start` to `stop` stands under a title of its own length."""
    return _is_title(body[:start].rstrip("\n").rpartition("\n")[2], len(body[start:stop].strip()))


def _is_title(line: str, length: int) -> bool:
    """A title is words, the first with a capital letter; a line of code of the same length is seldom that."""
    text = line.strip()
    words = text.replace(" ", "")
    return len(text) == length and text[:1].isupper() and words.isalnum()
