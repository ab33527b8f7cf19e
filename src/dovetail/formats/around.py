"""Ranks the paths that the lines around a block name, to choose the block's path.

Paths in the lines directly around the marker come first; then the path in force; then names that only might be paths.
All others stay candidates, for `place` to decide by the files. No file is looked at here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.fences import Fence, opening
from dovetail.formats.paths import forms
from dovetail.formats.paths.forms import Form
from dovetail.model.blocks import NO_HINTS, Around, Block, Kind
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.model.blocks import Hints, Parts, Reading

TEXT_LINES = 3
"""How many lines of text above a block may name its file; paths further up do not count."""

# The ranks, surest first. Only their order counts, and two thresholds: from `_SURE` on the block names its file itself;
# below `IN_FORCE` the path of the block before wins. Each line of text between a name and the block costs
# `_FURTHER_UP`: a line of its own above two lines of text (90 - 30 = 60) is just sure enough.
INSIDE_FENCE, INFO, OWN_LINE = 100, 95, 90
"""A line that is a path: inside the block's fence, in the fence's info string, above the fence or the marker. A path
with words around it (a label, a remark, blanks) ranks one below a path alone."""
_FURTHER_UP = 15
_SURE = 59
"""From this rank on the path in force does not count."""
_LEADS = 55
"""Code, bold or the last word, in a heading or in the line right above, if that line ends in a colon."""
IN_FORCE = 50
"""The path of the block before, or of the heading ``### File: path``."""
_IN_SENTENCE = 48
"""Code or bold, in the line right above, or in a heading."""
_LONE_NAME = 45
"""A line right above that is one word, and marked as a name."""
_MENTIONED, _WORDS = 40, 39
"""A word of the sentence right above; or all of that, if it may be a path with blanks."""
_SENTENCE_FURTHER_UP = {Form.INSIDE: 30, Form.MENTION: 25, Form.PHRASE: 20}
_CANDIDATE_IN_FORCE = 10
_LONE_WORD, _LANGUAGE, _ODD = 6, 5, 1
"""Names that are paths only if a file has that name: a word alone on its line, a language, a line with signs that are
rare in names."""

_ON_OWN_LINE = (Form.STRONG, Form.SPACED, Form.REMARKED, Form.QUOTED)
_MENTIONING = frozenset(Form) - {Form.STRONG, Form.SPACED, Form.NAMED}
_TITLE = pattern(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*\n]+\*\*:?\s*$")
_SECTION = pattern(r"\s{0,3}#{1,6}\s+\W{0,3}(?:file|path|filename)\W{0,3}:", re.IGNORECASE)


class Place(NamedTuple):
    """What is known of a block's file before its first line, and the path in force for blocks that name none.

    own: the block names its path itself.
    mentioned: the path is only a word of a sentence, or a word that nothing shows to be a name.
    rivals: paths in the lines right above, although the path in force was taken.
    named: if the block names no path itself, or a sentence does, that path and all that the text above names.
    section: the level of the heading that put the path in force, which ends at the next heading not deeper; 0 for none.
    around: the lines themselves, if the format leaves it to them to name the path.
    """

    path: str | None
    candidates: tuple[str, ...] = ()
    format: str = "diff"
    fence: Fence | None = None
    own: bool = False
    mentioned: bool = False
    rivals: tuple[str, ...] = ()
    section: int = 0
    named: tuple[str, ...] = ()
    around: Around | None = None

    def at(self, path: str) -> Place:
        """Return the place of a block whose marker names `path`. If the line above names it with more folders
        (`src/a.py` for `a.py`), that path is kept."""
        if self.own and self.path is not None and self.path.endswith(f"/{path}"):
            return self._replace(named=())
        others = (self.path, *self.candidates) if self.own and self.path is not None else ()
        return Place(path, tuple(other for other in others if other != path), fence=self.fence, own=True)

    def block(
        self, name: str, found: tuple[Reading, ...], raw: str, line: int, *, kind: Kind = Kind.EDIT,
        hints: Hints = NO_HINTS, parts: Parts | None = None, last_end: bool | None = None,
        destination: str | None = None, follows: bool = False, above: tuple[str, ...] = (), corrects: bool = False,
    ) -> Block:  # fmt: skip
        """Return a block of this place in the format `name`; `found`: its readings, `above`: lines above it."""
        return Block(
            name, kind, self.path, found[0].search, found[0].replace, raw, line, found, parts, hints,
            path_candidates=self.candidates, mentioned=self.mentioned, rivals=self.rivals, named=self.named,
            around=self.around, follows=follows, last_end=last_end, destination=destination, introduced=bool(above),
            above=above, corrects=corrects,
        )  # fmt: skip


UNNAMED = Place(None)
"""The place where nothing names a file and no path is in force."""


class _Ranked(NamedTuple):
    """A path that a block may mean, and how sure it is."""

    rank: int
    path: str
    format: str
    mentioned: bool = False


def is_section(line: str) -> bool:
    """Return whether a heading names the file of all that follows: ``### File: path``."""
    return _SECTION.match(line) is not None


def place_below(above: Sequence[str], fence: Fence | None, force: Place, pairs: tuple[tuple[str, str], ...]) -> Place:
    """Return the place of a block whose start marker stands below the lines `above`.

    fence: the open one, or None. force: the place in force. pairs: lines that enclose code, besides fences of runs.
    """
    ranked, place = _named_around(tuple(above), fence, pairs, in_section=force.section > 0)
    # The lines, nearest first: those before the fence's opening stand inside of it, those behind it above. If it opens
    # above all of these lines, they all stand in it.
    lines = tuple(reversed(above))
    around = Around((), "", lines) if fence is None else Around(lines, fence.path or "")
    for at, line in enumerate(lines):
        if (mark := opening(line, pairs)) is not None:
            around = Around(lines[:at], mark.path or "", lines[at + 1 :])
            break
    place = place._replace(around=around)
    if force.path is None or (ranked and max(ranked).rank >= _SURE):
        return place
    others = tuple(_Ranked(_CANDIDATE_IN_FORCE, path, force.format) for path in force.candidates)
    in_force = _Ranked(IN_FORCE, force.path, force.format, force.mentioned)
    found = _of_surest((*ranked, in_force, *others), place.fence)._replace(around=around)
    # Between the two bounds: `Now change a.py:` names a file, not surely. It wins, and the path in force stays a
    # candidate.
    if ranked and max(ranked).rank >= IN_FORCE:
        return found
    found = found._replace(around=around._replace(in_force=True))
    # All paths that are named there, except the name of a language, which is hardly ever a file.
    named = (item.path for item in ranked if item.rank > _LANGUAGE or item.rank == _ODD)
    return found._replace(own=False, rivals=tuple(path for path in dict.fromkeys(named) if path != force.path))


def _of_surest(ranked: Sequence[_Ranked], fence: Fence | None) -> Place:
    """Return the place for the surest of these paths, with the others as candidates; with none, one without a path."""
    if not ranked:
        return Place(None, fence=fence)
    best, *rest = sorted(ranked, key=lambda item: -item.rank)
    others = tuple(dict.fromkeys(other.path for other in rest if other.path != best.path))
    return Place(best.path, others, best.format, fence, own=True, mentioned=best.mentioned)


@lru_cache(maxsize=256)
def _named_around(
    above: tuple[str, ...], fence: Fence | None, pairs: tuple[tuple[str, str], ...], *, in_section: bool
) -> tuple[tuple[_Ranked, ...], Place]:
    """Return the paths that the nearest lines and the fence name, and the place that these alone give a block.

    in_section: the path of a section's heading is in force, so headings below it are no titles. Cached, as many blocks
    stand below the same few lines.
    """
    ranked: list[_Ranked] = []
    near: Fence | None = None
    texts = 0
    for distance, line in enumerate(reversed(above)):
        if not line.strip():
            continue
        if (mark := opening(line, pairs)) is not None:
            # The nearest opening above the marker is the block's fence; one further up was closed.
            near = near or mark
            continue
        inside = near is None and fence is not None
        # Adjacent is the line right above (distance 0), or the one above the fence's opening (1).
        ranked += _ranked_in(line, texts, not ranked, inside, distance <= (near is not None), in_section)
        texts += 1
        # A line right above that is a path (90, with words around it 89) settles it. Inside the fence the lines above
        # the fence are still heard, as candidates.
        if texts == TEXT_LINES or (ranked and max(ranked).rank >= OWN_LINE - 2 and not inside):
            break
    opened = near or fence
    if opened is not None and opened.path is not None:
        word = forms.form_of(opened.path) is Form.LANGUAGE
        ranked.append(_Ranked(_LANGUAGE if word else INFO, opened.path, "edit-fence", mentioned=word))
    return tuple(ranked), _of_surest(ranked, opened)


@lru_cache(maxsize=1024)
def _ranked_in(
    text: str, depth: int, nearest: bool, inside: bool, adjacent: bool, in_section: bool
) -> tuple[_Ranked, ...]:
    """Return the paths that one line names, with their ranks.

    depth: how many lines of text stand between it and the marker. nearest: no line below it names a path. inside: it
    stands in the block's fence. adjacent: nothing but a fence's opening stands between it and the marker.
    """
    candidates = forms.in_line(text)
    if not candidates:
        return ()
    phrase = next((c.path for c in candidates if c.form is Form.PHRASE), "")
    title = _TITLE.match(text) is not None
    leads = title or text.rstrip().endswith(":")
    titles = title and not in_section
    stripped = text.strip().strip("`")
    # The format's name depends on where the path stands; the marker lines are the same.
    label = "sections" if is_section(text) else "diff-fenced" if inside else "diff"

    def rank(form: Form, path: str) -> int:
        # A line that is nothing but a path names the file of what follows.
        if form in _ON_OWN_LINE:
            return (INSIDE_FENCE if inside else OWN_LINE) - _FURTHER_UP * depth - (form is not Form.STRONG)
        # A sentence may name a file for any purpose. One that introduces the block ("Change `a.py`:"), or is its title,
        # names the block's file; the further up, the less surely.
        last_word = phrase.endswith(" " + path)
        if form is Form.INSIDE and (titles or depth == 0):
            return _LEADS - depth if leads else _IN_SENTENCE
        if form is Form.MENTION and last_word and (titles or (leads and depth == 0)):
            return _LEADS - 1 - depth
        if form in (Form.MENTION, Form.PHRASE) and depth == 0:
            return _MENTIONED if form is Form.MENTION else _WORDS if nearest else 0
        if form is Form.INSIDE or (form is Form.MENTION and last_word) or (form is Form.PHRASE and nearest):
            return _SENTENCE_FURTHER_UP[form] - depth
        # Paths only if a file has that name: for `place` to decide.
        if form is Form.ODD:
            return _ODD if nearest else 0
        if depth or not adjacent or path not in (stripped, text.strip()):
            return _LANGUAGE if form is Form.LANGUAGE and adjacent and not depth else 0
        return {Form.NAMED: _LONE_NAME, Form.WORD: _LONE_WORD, Form.LANGUAGE: _LANGUAGE}.get(form, 0)

    ranks = ((rank(c.form, c.path), c) for c in candidates)
    return tuple(_Ranked(n, c.path, label, c.form in _MENTIONING) for n, c in ranks if n)


class RecentLines:
    """The last lines above a marker, at most about 6,000 characters, so that a long reply costs no more."""

    LENGTH = 6000
    MOST_PIECES = 64  # pieces that are kept before they are joined and cut, so that adding a line copies nothing

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Append whole lines."""
        self._pieces.append(text[-self.LENGTH :])
        if len(self._pieces) > self.MOST_PIECES:
            self._pieces = ["".join(self._pieces)[-self.LENGTH :]]

    def clear(self) -> None:
        """Forget all lines. A block or a fence ended: what stood above it names nothing below."""
        self._pieces.clear()

    def lines(self, most: int = 8) -> list[str]:
        """The last `most` lines, oldest first; blank lines count.

        Eight hold `TEXT_LINES` lines of text, a fence's opening, and a blank line beside each.
        """
        if not self._pieces:
            return []
        tail = "".join(self._pieces)[-self.LENGTH :]
        if len(tail) == self.LENGTH:
            tail = tail[tail.find("\n") + 1 :]  # the first line may be a piece of one
        return tail.rsplit("\n", most + 1)[-most - 1 : -1]
