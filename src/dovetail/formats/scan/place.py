"""Where a block's path is found: on the lines above its marker, in its fence's info string, or in force.

Owns the order of the candidates. The lines directly around the marker come first; then the path in force; then names
that only might be paths. Where the path in force is taken, every other path that the text since the last block names
is its rival. What only a file can show to be a path is a candidate where the nearest line is that text; the next blocks
that name nothing keep it. A bare word or a language comes behind all that looks like a path; a word right above a block
is a rival of the path in force, since a file that is not there yet may be called so. Where a page's own words stand
between, the lines above them count as if they were not there. Nothing is decided against the files here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines import paths
from dovetail.formats.lines.fences import Fence, opening
from dovetail.formats.lines.paths import Form
from dovetail.model.blocks import NO_HINTS, Block, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.scan.scanner import Scanner
    from dovetail.model.blocks import Hints, Parts, Reading

TEXT_LINES = 3
SURE = 60
SETTLED = 88
MOST_RIVALS = 8
MOST_SINCE = 100
_TITLED = 55
_IN_FORCE = 50
_LAST = 5
_LONE = 6
_UNSURE = frozenset((Form.ODD, Form.PHRASE))
_WORDS = frozenset((Form.LANGUAGE, Form.WORD))
_MENTIONING = _UNSURE | _WORDS | frozenset((Form.MENTION, Form.INSIDE, Form.QUOTED, Form.REMARKED))
_TITLE = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*\n]+\*\*:?\s*$")
_SECTION = re.compile(r"\s{0,3}#{1,6}\s+\W{0,3}(?:file|path|filename)\W{0,3}:", re.IGNORECASE)


class Place(NamedTuple):
    """What is known of a block's file before its first line; and what is in force for blocks that name none.

    own: the block names its path itself.
    mentioned: as a word of a sentence and not on a line of its own, or as a bare word that nothing shows to be a name.
    rivals: paths that were named since the one in force, which is the path here.
    unsure: those candidates that are the nearest line's text, and paths only if there are such files.
    section: the level of the heading that put it in force, until the next one that is not deeper; 0 where none did.
    """

    path: str | None
    candidates: tuple[str, ...] = ()
    format: str = "diff"
    fence: Fence | None = None
    own: bool = False
    mentioned: bool = False
    rivals: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    section: int = 0

    def at(self, path: str) -> Place:
        """The place of a block whose marker names its path; where the line above names it with its folders, that."""
        if self.own and self.path is not None and self.path.endswith(f"/{path}"):
            return self
        others = (self.path, *self.candidates) if self.own and self.path is not None else ()
        return Place(path, tuple(other for other in others if other != path), fence=self.fence, own=True)

    def block(
        self, name: str, found: tuple[Reading, ...], raw: str, line: int, *, kind: Kind = Kind.EDIT,
        hints: Hints = NO_HINTS, parts: Parts | None = None, last_end: bool | None = None,
        destination: str | None = None,
    ) -> Block:  # fmt: skip
        """A block of this place in the format `name`; `found` are its readings."""
        block = Block(
            name, kind, self.path, found[0].search, found[0].replace, raw, line,
            self.candidates, self.mentioned, self.rivals, found, parts, hints,
        )  # fmt: skip
        rare = last_end is not None or destination is not None
        return replace(block, last_end=last_end, destination=destination) if rare else block


UNNAMED = Place(None)
"""Where nothing names a file, and none is in force."""


class _Ranked(NamedTuple):
    """A path that a block may mean, and how sure it is."""

    rank: int
    path: str
    format: str
    mentioned: bool = False
    unsure: bool = False


def is_section(line: str) -> bool:
    """Whether a heading names the file of all that follows: ``### File: path``."""
    return _SECTION.match(line) is not None


def locate(scanner: Scanner, above: Sequence[str], fence: Fence | None, since: Recent | None = None) -> Place:
    """The place of a block whose start marker stands under the lines `above`; `fence` is the open one, if any.

    `since` has the text since the last block.
    """
    force, pairs = scanner.force, scanner.grammar.markers.fences
    ranked, place = _named_around(tuple(above), fence, pairs, in_section=force.section > 0)
    if force.path is None or (ranked and max(ranked).rank >= SURE):
        return place
    in_force = (_Ranked(_IN_FORCE, force.path, force.format, force.mentioned),)
    place = _of_surest(
        (*ranked, *in_force, *(_Ranked(10, path, force.format) for path in force.candidates)), place.fence
    )
    if ranked and max(ranked).rank >= _IN_FORCE:
        return place
    lone = tuple(item.path for item in ranked if item.rank == _LONE)
    rivals = _rivals(force, (*since.lines(MOST_SINCE), *above) if since is not None else above) + lone
    unsure = tuple(item.path for item in ranked if item.unsure) or force.unsure
    others = tuple(dict.fromkeys((*place.candidates, *unsure)))
    return place._replace(candidates=others, own=False, rivals=rivals, unsure=unsure)


def _of_surest(ranked: Sequence[_Ranked], fence: Fence | None) -> Place:
    """The place under the surest of these paths, if there are any; the others are its candidates."""
    if not ranked:
        return Place(None, fence=fence)
    best, *rest = sorted(ranked, key=lambda item: -item.rank)
    others = tuple(dict.fromkeys(other.path for other in rest if other.path != best.path))
    return Place(best.path, others, best.format, fence, own=True, mentioned=best.mentioned)


@lru_cache(maxsize=256)
def _named_around(
    above: tuple[str, ...], fence: Fence | None, pairs: tuple[tuple[str, str], ...], *, in_section: bool
) -> tuple[tuple[_Ranked, ...], Place]:
    """What the nearest lines and the fence name, and the place of a block for which nothing else counts.

    In a section its own heading rules, and those below it are no titles. Many blocks stand under the same few lines.
    """
    ranked: list[_Ranked] = []
    passed: list[_Ranked] = []
    near: Fence | None = None
    texts = 0
    for distance, line in enumerate(reversed(above)):
        if not line.strip():
            continue
        if (mark := opening(line, pairs)) is not None:
            near = near or mark
            continue
        inside, adjacent = near is None and fence is not None, distance <= (near is not None)
        if paths.is_furniture(line):
            passed += _ranked_in(line, texts, not passed, inside, adjacent, in_section)
            continue
        ranked += _ranked_in(line, texts, not ranked, inside, adjacent, in_section)
        texts += 1
        if texts == TEXT_LINES or (ranked and max(ranked).rank >= SETTLED and not inside):
            break
    ranked, opened = ranked + passed, near or fence
    if opened is not None and opened.path is not None:
        word = paths.form_of(opened.path) is Form.LANGUAGE
        ranked.append(_Ranked(_LAST if word else 95, opened.path, "edit-fence", mentioned=word))
    return tuple(ranked), _of_surest(ranked, opened)


def _rivals(force: Place, lines: Sequence[str]) -> tuple[str, ...]:
    """What the text since the last block names besides the path in force, back to where it names that one again.

    In a section the heading rules, and sentences name no other file.
    """
    least = Form.QUOTED if force.section else Form.MENTION
    found: dict[str, None] = {}
    for line in reversed(lines):
        named = [c.path for c in paths.in_text(line) if c.form >= least and c.form is not Form.WORD]
        found.update(dict.fromkeys(named))
        if force.path in named:
            break
    return tuple(path for path in found if path != force.path and path not in force.candidates)[:MOST_RIVALS]


class _Line(NamedTuple):
    """What counts of a line for the ranks of the paths that it names.

    depth: how many lines of text stand between it and the marker. nearest: nothing below it named a path.
    inside: it stands in the block's fence. adjacent: nothing but a fence's opening stands between.
    leads: what it says ends in a colon, or is a heading. titles: it is a heading, or bold as one.
    bare: its text. phrase: its text, where it has blanks and ends as a path does.
    """

    depth: int
    nearest: bool
    inside: bool
    adjacent: bool
    leads: bool
    titles: bool
    bare: str
    phrase: str


@lru_cache(maxsize=1024)
def _ranked_in(
    text: str, depth: int, nearest: bool, inside: bool, adjacent: bool, in_section: bool
) -> tuple[_Ranked, ...]:
    """The candidates of one line; `depth` counts text lines upwards from the marker."""
    candidates = paths.in_line(text)
    if not candidates:
        return ()
    phrase = next((c.path for c in candidates if c.form is Form.PHRASE), "")
    title = _TITLE.match(text) is not None
    titles, leads = title and not in_section, title or text.rstrip().endswith(":")
    line = _Line(depth, nearest, inside, adjacent, leads, titles, text.strip().strip("`"), phrase)
    label = "sections" if is_section(text) else "diff-fenced" if inside else "diff"
    ranked: list[_Ranked] = []
    form_seen = False
    for candidate in candidates:
        form_seen = form_seen or candidate.form >= Form.QUOTED  # then a plain word is another spelling of it
        rank = _rank(candidate, line, form_seen=form_seen)
        if rank:
            mentioned, unsure = candidate.form in _MENTIONING, candidate.form in _UNSURE
            ranked.append(_Ranked(rank, candidate.path, label, mentioned, unsure))
    return tuple(ranked)


def _rank(candidate: paths.Candidate, line: _Line, *, form_seen: bool) -> int:
    """How sure a line makes us of a path that it names; 0 where it does not name it at all.

    From `SURE` on, no path in force counts beside it; a title's path comes before the one in force, and a sentence's
    behind it unless it stands right above and leads to the block.
    """
    depth = line.depth
    ends_phrase = line.phrase.endswith(" " + candidate.path)
    match candidate.form:
        case Form.STRONG | Form.SPACED | Form.REMARKED | Form.QUOTED:
            return (100 if line.inside else 90) - 15 * depth - (candidate.form is not Form.STRONG)
        case Form.INSIDE if line.titles or depth == 0:
            return _TITLED - depth if line.leads else 48
        case Form.INSIDE:
            return 30 - depth
        case Form.MENTION if ends_phrase and (line.titles or (line.leads and depth == 0)):
            return _TITLED - 1 - depth
        case Form.MENTION if depth == 0:
            return 40
        case Form.MENTION if ends_phrase:
            return 25 - depth
        case Form.PHRASE if line.nearest:
            return 39 if depth == 0 else 20 - depth
        case Form.ODD if line.nearest:
            return 1
        case Form.NAMED if depth == 0 and line.adjacent and candidate.path == line.bare:
            return 45
        case Form.WORD if depth == 0 and line.adjacent and (candidate.path == line.bare or form_seen):
            return 45 if form_seen else _LONE
        case Form.LANGUAGE if depth == 0 and line.adjacent:
            return _LAST
        case _:
            return 0


class Recent:
    """The last lines before a marker, kept so that long replies cost nothing."""

    LENGTH = 6000
    MOST_PIECES = 64

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Add whole lines."""
        self._pieces.append(text[-self.LENGTH :])
        if len(self._pieces) > self.MOST_PIECES:
            self._pieces = [self._tail()]

    def clear(self) -> None:
        """Forget what was above."""
        self._pieces.clear()

    def _tail(self) -> str:
        return "".join(self._pieces)[-self.LENGTH :]

    def lines(self, most: int = 8) -> list[str]:
        """The last lines, oldest first; what is above a blank-line gap of two or more is still included."""
        if not self._pieces:
            return []
        tail = self._tail()
        if len(tail) == self.LENGTH:
            tail = tail[tail.find("\n") + 1 :]  # the first line may be a piece of one
        return tail.rsplit("\n", most + 1)[-most - 1 : -1]
