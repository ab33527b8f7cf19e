r"""The ways to split a block's body into search and replacement, likeliest first.

Every line that looks like a divider may be content. The likeliest divider has the start marker's own length and
indentation, stands in no nested block, and comes first. A divider repeated just before the end marker is noise.
Where further dividers of full length stand in the middle of a replacement and belong to no plausible heading, the reply
holds several replacements, and all of them are listed: the same search with several replacements is ambiguous.

Invariant: at least one reading, at most `MOST`, no two equal.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from dovetail.model.blocks import NO_HINTS, Hints, Parts, Reading
from dovetail.text.folding import undone
from dovetail.text.languages import is_document
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dovetail.formats.grammar import Grammar, Start

MOST = 16
_CONFLICT = ("<<<<<<<", ">>>>>>>")
ROO_LINE = pattern(r"[ \t]*:(?:start|end)_line:[ \t]*\d{0,9}[ \t]*$", re.IGNORECASE | re.MULTILINE)
_ROO_START = pattern(r":start_line:[ \t]*(\d{1,9})[ \t]*$", re.IGNORECASE | re.MULTILINE)
# `:start_line: 12`, perhaps `:end_line: 14`, and `-------` behind them, which the first line of the search may follow
# on its line (`-------def f():`); or the rule alone. RUN is the run of a marker.
_ROO_HEADER = (
    r"(?i)(?P<lines>(?:[ \t]*:(?:start_line|end_line):[ \t]*\d*[ \t]*\n)+)(?:[ \t]*-RUN[ \t]*\n|-{7}(?=[^-\n]))?"
    r"|[ \t]*-RUN[ \t]*\n"
)
# `\<<<<<<< SEARCH`, `\=======`, `\:start_line: 3`: a backslash before what would be a marker.
_ESCAPED = r"(?m)^([ \t]*)\\(?=<RUN|=RUN|>RUN|-RUN|:(?:start|end)_line:)"
_RULE = r"(?m)^[ \t]*-RUN[ \t]*\n"


class Divider(NamedTuple):
    """A line in a body that looks like a divider.

    start, stop: the offsets of its first character and of the one behind it. length: of its run. depth: 1 outside
    nested blocks.
    """

    start: int
    stop: int
    length: int
    indent: int
    depth: int


def pairs(
    body: str, dividers: Sequence[Divider], last: Divider | None, start: Start, path: str | None
) -> tuple[Reading, ...]:
    """Return every way to read `body` as search and replacement; without a divider all of it is search.

    dividers: those that were kept, in the body's order. last: the very last one, kept or not. path: the file's, or
    None.
    """
    # Nearly all blocks: one divider, nothing indented, one reading.
    if len(dividers) == 1 and not start.indent and dividers[0].stop <= len(body):
        return (Reading(body[: dividers[0].start], body[dividers[0].stop :]),)
    inside = [divider for divider in dividers if divider.stop <= len(body)]
    last = last if last is not None and last.stop <= len(body) else (inside[-1] if inside else None)
    found: dict[Reading, None] = {}
    for reading in _of_body(body, inside, last, start, path):
        found[reading] = None
        if len(found) == MOST:
            break
    return tuple(found) or (Reading(body, ""),)


def _of_body(
    body: str, dividers: Sequence[Divider], last: Divider | None, start: Start, path: str | None
) -> Iterator[Reading]:
    # False sorts before True: outside nested blocks first, then of the start's length, then of its indentation, then
    # the earliest.
    ranked = sorted(dividers, key=lambda d: (d.depth != 1, d.length != start.length, d.indent != start.indent, d.start))
    at_top = [divider for divider in ranked if divider.depth == 1]
    # `=======` right before `>>>>>>> REPLACE`: some models close the replacement with a divider. As the only one it
    # divides.
    noise = last if last is not None and last.depth == 1 and not body[last.stop :].strip() else None
    if noise is not None and len(at_top) > 1:
        ranked = [divider for divider in ranked if divider != noise] + [noise]
    else:
        noise = None
    for n, divider in enumerate(ranked[:MOST]):
        search, stop = body[: divider.start], len(body)
        # Where dividers stand in the search, the file has such lines: then the last one is no noise but text.
        in_search = any(d.length == divider.length and d.start < divider.start for d in at_top)
        if noise is not None and noise.length == divider.length and divider != noise and not in_search:
            stop = noise.start
        if n == 0:
            edges = [divider, *_further(body, at_top, divider, noise, path)]
            for one, following in pairwise(edges):
                # Each text between two dividers is a replacement of its own, before the reading that takes all of them
                # as one.
                yield from _dedented_first(start, search, body[one.stop : following.start])
            if len(edges) > 1:
                yield from _dedented_first(start, search, body[edges[-1].stop : stop])
        yield from _dedented_first(start, search, body[divider.stop : stop])


def _further(
    body: str, at_top: Sequence[Divider], first: Divider, noise: Divider | None, path: str | None
) -> list[Divider]:
    """Return the dividers in the replacement that belong to no heading and no merge conflict, in the body's order."""
    rest = [d for d in at_top if d.length == first.length and d.start > first.start and d != noise]
    # Rules in a document and the middle of a merge conflict are content.
    if not rest or is_document(path) or any(mark in body for mark in _CONFLICT):
        return []
    rest.sort(key=lambda d: d.start)
    starts = {divider.start for divider in rest}

    def is_heading(divider: Divider) -> bool:
        """Return whether it is the rule under, or over, a title of its own length."""
        below, _, behind = body[divider.stop :].partition("\n")
        ruled = len(body) - len(behind) in starts
        return underlines_title(body, divider.start, divider.stop) or (ruled and _is_title(below, divider.length))

    return [divider for divider in rest if not is_heading(divider)]


def underlines_title(body: str, start: int, stop: int) -> bool:
    """Return whether the line from offset `start` to `stop` is the rule under a title of its own length."""
    return _is_title(body[:start].rstrip("\n").rpartition("\n")[2], len(body[start:stop].strip()))


def _is_title(line: str, length: int) -> bool:
    """Return whether a line is words, the first with a capital letter, and `length` long. Code of the same length
    seldom is."""
    text = line.strip()
    return len(text) == length and text[:1].isupper() and text.replace(" ", "").isalnum()


def _dedented_first(start: Start, search: str, replace: str) -> Iterable[Reading]:
    """Return the reading as it is, and before it, if the block is indented, the one without that indentation."""
    plain = Reading(search, replace)
    if start.indent:
        shifted = [dedented(text, start.indent) for text in (search, replace)]
        if shifted[0] is not None and shifted[1] is not None:
            return (Reading(shifted[0], shifted[1]), plain)
    return (plain,)


def dedented(text: str, indent: int) -> str | None:
    """Return `text` without `indent` blanks before each line, or None if a line that is not blank has fewer."""
    lines = text.split("\n")
    if any(line.strip() and line[:indent].strip() for line in lines):
        return None
    return "\n".join(line[:indent].lstrip(" \t") + line[indent:] for line in lines)


def undecided(readings: Sequence[Reading]) -> bool:
    """Return whether readings with an empty search have different new texts: then no file can decide between them."""
    texts = [reading.replace for reading in readings if not reading.search]
    # Blanks aside: an indented block has each reading twice, with its margin and without.
    return len(texts) > 1 and len({tuple(text.split()) for text in texts}) > 1


def without_roo_header(
    readings: tuple[Reading, ...], grammar: Grammar, *, in_roo: bool
) -> tuple[tuple[Reading, ...], Hints, bool]:
    """Take off the lines ``:start_line: n`` and the rule after them that `roo` writes above a search.

    Return the readings, the hint, and whether there was a header. In a tag of roo (`in_roo`) the rule may stand alone;
    then the reading that keeps it counts, too.
    """
    header = grammar.compiled(_ROO_HEADER).match(readings[0].search)
    if header is None or not (header["lines"] or in_roo) or (not header["lines"] and header[0] in readings[0].replace):
        return readings, NO_HINTS, False
    length = header.end()
    cut = tuple(Reading(r.search[length:], r.replace) for r in readings if len(r.search) >= length)
    if not header["lines"]:
        return tuple(dict.fromkeys((*cut, *readings)))[:MOST], NO_HINTS, True
    # A line 0 says nothing.
    number = _ROO_START.search(header[0])
    return cut, Hints(line=int(number[1]) or None) if number else NO_HINTS, True


def unescaped(readings: tuple[Reading, ...], grammar: Grammar, *, entities: bool, in_roo: bool) -> tuple[Reading, ...]:
    """Undo the escapes of a block's format: HTML entities, if its start marker is written in them; or a backslash
    before a marker, which may be content outside of `roo`, so that both readings count there."""
    if entities:
        return tuple(Reading(undone(r.search), undone(r.replace)) for r in readings)
    if not any("\\" in r.search or "\\" in r.replace for r in readings):
        return readings
    escaped = grammar.compiled(_ESCAPED)
    plain = tuple(Reading(escaped.sub(r"\1", r.search), escaped.sub(r"\1", r.replace)) for r in readings)
    return plain if in_roo else tuple(dict.fromkeys((*readings, *plain)))[:MOST]


def anchored_parts(body: str, dividers: Sequence[Divider], grammar: Grammar) -> list[Parts]:
    """Return the ways to split an anchored block at a rule of dashes, a divider and a second rule, at most `MOST`.

    Empty if the rules or the divider are missing.
    """
    rules = _once(body, [m.span() for m in grammar.compiled(_RULE).finditer(body)][:64])
    middles = _once(body, [(d.start, d.stop) for d in dividers if d.depth == 1 and d.stop <= len(body)])
    every = (
        Parts(body[:first], body[old:start], body[stop:second], body[trailing:])
        # Earliest divider first, then the earliest rules around it.
        for (start, stop), (first, old), (second, trailing) in product(middles, rules, rules)
        if old <= start and stop <= second
    )
    return list(islice(every, MOST))


def _once(body: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the lines, as (start, stop), with one that is repeated right away as one, unless it underlines a title."""
    found: list[tuple[int, int]] = []
    for start, stop in lines:
        if found and not body[found[-1][1] : start].strip() and not underlines_title(body, *found[-1]):
            start = found.pop()[0]
        found.append((start, stop))
    return found


def joined(parts: Parts) -> Reading:
    """Return the search and the replacement of an anchored block, each with both anchors."""
    return Reading(parts.leading + parts.old + parts.trailing, parts.leading + parts.new + parts.trailing)


def shared_parts(reading: Reading) -> Parts:
    """Return a block's parts, with the lines that both halves begin with as leading anchor."""
    old, new = (re.findall(r"[^\n]*\n", text) for text in (reading.search, reading.replace))
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return Parts("".join(old[:same]), "".join(old[same:]), "".join(new[same:]))
