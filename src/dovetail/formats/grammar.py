r"""The marker lines of a reply, compiled from `FAMILIES` and one `Markers` value.

Grammar (blanks before and behind are free; n is `shortest` to `longest`)::

    start    = sign×n words [">"] [lines | path]        sign and words: see `FAMILIES`
    divider  = sign×n [words]
    end      = sign×n words [">"] [path]
    bare end = ">"×n                                    some replies forget the word; merge conflicts have one, too
    lines    = n  |  "line" n  |  "(lines" n "-" n ")"
    path     = a name with an extension and no blank, behind a blank or a colon, in parentheses or not

Every pattern that looks for lines begins with a newline character, so that the search skips from line to line; texts
are handed to them with one newline in front. Lines that no pattern finds are never looked at one by one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from dovetail.formats import chat_tokens as tokens
from dovetail.formats import fences, reasoning
from dovetail.formats.table import FAMILIES, REPLACE, SEARCH, Family, families_with_own_signs, load_added
from dovetail.formats.vocabulary import ATTRIBUTES, CALL_TAGS, SPACE, TOOLS, WRAPPED
from dovetail.model.markers import Markers
from dovetail.text.pattern import pattern

_DIFFS = r"\*{3} ?(?i:Begin|Update|Add|Delete)|diff --git"
_TAGS = rf"{WRAPPED}<(?:(?:{TOOLS}|edits)>|(?:{CALL_TAGS}){ATTRIBUTES}>|function=|{SPACE}?invoke )"
# `{"path": …`, `[{`, a bracket alone on its line, `- {"path": …`. Not `[a link](…)`, not `{name}`.
_JSON = rf"[\[{{]\s*(?:[\"'\[{{\n])|{fences.ITEM}\{{\s*\""
_HEADS = rf"#{{1,6}}[ \t]|{_DIFFS}|(?:---|\+{{3}}) |@@[ \n]|{_TAGS}|{_JSON}|{tokens.LABEL}|{tokens.PYTHON}"
_BLANK = "[ \\t\\u00a0]*"  # a page puts the wider one there
# Behind a marker's word: ` src/a.py`, `: src/a.py`, ` (a.py)`. Never a plain word, so that `<<<<<<< SEARCH the loop` is
# reported as misspelt and not taken for a path.
_PATH = r"(?:[ \t]+|:[ \t]*)\(?`?(?P<path>[\w./\\@+()\[\]$~-]{0,200}\.[a-z]\w{0,14})`?\)?"
# ` 12`, ` line 12`, ` @12`, ` 12-20`, ` (lines 12-20)`: the first number is the hint. A parenthesis counts only before
# the word `line`; all others are paths.
_LINES = r"[ \t]+(?:\((?=line))?(?:lines?[=: ]?[ \t]*|@)?(?P<hint>\d{1,9})(?:[ \t]*[-–][ \t]*\d+)?\)?"
_FENCE = "`{3}|~{3}"
_ANGLES = "[<>＜＞《》≪≫«»‹›]|&[gl]t;"
_RULES = "[=＝═+＋—–─━-]"


class Start(NamedTuple):
    """A start marker: its family, its run's length, its indentation, and the line or the path that stands on it.

    escaped: it is written in HTML entities.
    """

    family: str
    length: int
    indent: int
    hint: int | None = None
    escaped: bool = False
    path: str | None = None


class Shapes(NamedTuple):
    """The patterns of the marker lines of one family."""

    start: re.Pattern[str]
    divider: re.Pattern[str]
    end: re.Pattern[str]


class Grammar:
    """Compiled patterns. `prose`, `fenced` and `block` find the lines to look at in each of the three places.

    shapes: the marker lines of each family.
    start: returns the start marker that a line is, of any family, or None; cached, as most starts are spelt alike.
    is_any_divider: returns whether a line looks like a divider of any family; cached, as each end marker asks the lines
    above it.
    misspelt: the beginning of a line that was meant as a start marker; it is misspelt if `start` returns None.
    misspelt_end: a line that was meant as an end marker, if it is the last of a block without one.
    well_spelt: an end marker of any length and family: in a block of another family it is content.
    glued_end: a line that ends with an end marker after other text.
    near_ends: for each family, a misspelt end marker, with the newline before it.
    bare_word: the word of an end marker, alone. bare_end: one without its word.
    compiled: compiles a pattern in which RUN stands for the repetition of a marker's character.
    """

    def __init__(self, markers: Markers) -> None:
        self.markers = markers
        self.run = f"{{{markers.shortest},{markers.longest}}}"
        self.shapes = {name: self._shapes(family) for name, family in FAMILIES.items()}
        # The first characters of markers, `&` for entities: checking these first is cheaper than the patterns.
        self._first_signs = frozenset("&").union(*((row.start[0][:1], row.end[0][:1]) for row in FAMILIES.values()))
        self.start = lru_cache(maxsize=256)(self._read_start)
        dividers = [shapes.divider for shapes in self.shapes.values()]
        self.is_any_divider = lru_cache(maxsize=256)(lambda line: any(divider.match(line) for divider in dividers))
        self.compiled = lru_cache(maxsize=16)(lambda source: re.compile(source.replace("RUN", self.run)))
        words = "|".join(map(re.escape, markers.search_words))
        self.misspelt = pattern(rf"(?i)[ \t]*(?:<|&lt;){self.run}[ \t]*(?:{words}|EDIT|NEW_FILE)\b")
        ends = "|".join(map(re.escape, markers.replace_words))
        # `    return x >>>>>>> REPLACE`: the end marker behind the last line. A line that shows a start marker too is a
        # sentence about markers.
        self.glued_end = pattern(rf"(?m)^(?![^\n]*<<<)[^\n]*\S[ \t]+>{self.run}[ \t]*(?:{ends})[ \t]*$")
        self.near_ends = {name: self._near_end(family) for name, family in FAMILIES.items()}
        # The last line of a block without an end: `**REPLACE**`, `REPLACE:`.
        self.bare_word = pattern(rf"[*_`]{{0,4}}(?:{ends})[*_`:.]{{0,5}}$")
        own_ends = "|".join(rf"{re.escape(row.end[0])}{{{row.fixed or 5},}}" for row in families_with_own_signs())
        self.well_spelt = pattern(rf"[ \t]*(?:>{{5,}}|\+{{5,}}|{own_ends}) ?[A-Z_ ]+[ \t]*$")
        self.misspelt_end = pattern(rf"[ \t]*>{self.run}[ \t]*\w+[ \t]*$")
        self.bare_end = pattern(rf"[ \t]*>{self.run}{_BLANK}\n?$")
        self.prose, self.fenced, self.block = _places(markers)

    def _shapes(self, family: Family) -> Shapes:
        """Return the patterns of a family. Runs of dashes or pluses, and dividers between them, may have any length."""
        words = {SEARCH: self.markers.search_words, REPLACE: self.markers.replace_words}

        def marker(part: tuple[str, str], behind: str = "") -> re.Pattern[str]:
            sign, word = part
            run = f"{{{self.markers.shortest},}}" if family.start[0] == "-" else self.run
            # `fixed` goes before the line above: families with signs of their own do not follow `Markers`.
            run = f"{{{family.fixed},9}}" if family.fixed else run
            entity = {"<": "|(?:&lt;)", ">": "|(?:&gt;)"}.get(sign)
            signs = f"(?:{re.escape(sign)}{run}" + (f"{entity}{run})" if entity else ")")
            any_word = "|".join(map(re.escape, words[word])) if word in words else word
            return pattern(rf"(?i)([ \t]*)({signs}){_BLANK}(?:{any_word}){behind}{_BLANK}\n?$")

        # `<<<<<<< SEARCH>` and `>>>>>>> REPLACE>>>`: some models close the marker like a tag.
        on_end = rf"(?:[ \t]?(?:>|&gt;)+)?(?:{_PATH})?"
        on_start = rf"(?:[ \t]?(?:>|&gt;)+)?(?:{_LINES}|{_PATH})?"
        return Shapes(marker(family.start, on_start), marker(family.divider), marker(family.end, on_end))

    def _near_end(self, family: Family) -> re.Pattern[str]:
        """Return the pattern of a line of a run of one sign and the end marker's word, with emphasis or signs around
        it.

        Fewer than five signs count with the word in capitals only: ``>>> replace`` is a prompt. A rule needs three.
        """
        word = family.end[1]
        words = [re.escape(one) for one in (self.markers.replace_words if word == REPLACE else word.split("|")) if one]
        # `》》》》》 replace` (long), `> > > REPLACE` (run of a sign), `======= REPLACE` (rule). Not
        # `>>> replace`, not `== REPLACE`.
        signs = f"{re.escape(family.end[0])}|{_ANGLES}" if family in families_with_own_signs() else _ANGLES
        run = rf"(?P<sign>{signs})(?:[ ]?(?P=sign))+|(?P<rule>{_RULES})(?:[ ]?(?P=rule)){{2,}}"
        long = rf"(?P<long>{signs}|{_RULES})(?P=long){{4,}}"
        same = "|".join(sorted(words, key=len, reverse=True))
        return pattern(rf"(?m)\n[ \t]*+[*_`]{{0,4}}(?:(?:{long})[ \t]*(?i:{same})|(?:{run})[ \t]*(?:{same}))[^\w\n]*$")

    def _read_start(self, line: str) -> Start | None:
        if line.lstrip(" \t")[:1] not in self._first_signs:
            return None
        # The first family in the order of `FAMILIES` has the line. `angle` stands before `conflict`, as a user may make
        # HEAD one of the search words.
        for name, shapes in self.shapes.items():
            if (match := shapes.start.match(line)) is not None:
                blank, run, hint, path = match.groups()
                escaped = run[0] == "&"
                # `&lt;` is one sign in four characters.
                length = len(run) // 4 if escaped else len(run)
                return Start(name, length, len(blank), int(hint) if hint else None, escaped, path)
        return None

    def is_divider(self, line: str) -> bool:
        """Return whether `line` looks like a divider of the usual families."""
        return self.shapes["angle"].divider.match(line) is not None

    def is_end(self, line: str) -> bool:
        """Return whether `line` ends a search/replace block."""
        return any(self.shapes[name].end.match(line) is not None for name in ("angle", "dash"))

    def is_any_end(self, line: str) -> bool:
        """Return whether `line` ends a block of any family."""
        likely = line.lstrip(" \t")[:1] in self._first_signs
        return likely and any(shapes.end.match(line) is not None for shapes in self.shapes.values())


def _places(markers: Markers) -> tuple[re.Pattern[str], ...]:
    """Return the patterns that find the lines to look at in prose, in a fence and in a block."""
    low = markers.shortest
    edges = "".join({text[:1] for pair in markers.fences for text in pair})
    # Without pairs an empty alternative would match every line; `(?!)` matches none.
    openers = "|".join(re.escape(left) for left, _ in markers.fences) or "(?!)"
    closers = "|".join(re.escape(right) for _, right in markers.fences) or "(?!)"
    fence = rf"{_FENCE}|{fences.ITEM}(?:{_FENCE})"
    # Of families with signs of their own: the lines that begin a block, those that end one, and all of their lines.
    own = [(row, row.fixed or low) for row in families_with_own_signs()]
    own_starts, own_ends = [(row.start[0], least) for row, least in own], [(row.end[0], least) for row, least in own]
    own_lines = [*own_starts, *((row.divider[0], least) for row, least in own), *own_ends]
    starts = rf"<{{{low}}}|&lt;(?:&lt;){{{low - 1}}}|-{{{low},}}[ \t]*SEARCH|{_runs(own_starts)}"
    ends = rf">{{{low}}}|\+{{{low},}}[ \t]*REPLACE|&gt;(?:&gt;){{{low - 1}}}"
    heads = edges + "`~<&>+-" + _signs(own_starts)
    inside = heads + reasoning.HEADS
    closing = f"(?i:{closers}|{reasoning.CLOSING_LINE})"
    return (
        _lines(
            # `#` is a heading, `*` a patch or `**Action:**`, `d` a diff, `A` `Action:`, `D` `Diff:`, `f` `functools`,
            # `@` a hunk, `[` and `{` JSON.
            heads + _signs(own_ends) + "#*dADf@[{",
            fence,
            starts,
            ends,
            _runs(own_ends),
            _HEADS,
            f"(?i:{openers}|<boltA)",
            rf"Diff:[ \t]+<{{{low}}}",
        ),
        _lines(
            inside + _signs(own_ends) + "*d",
            fence,
            starts,
            ends,
            _runs(own_ends),
            _DIFFS,
            "--- ",
            _TAGS,
            closing,
            "(?i:<boltA)",
        ),
        # In a block only markers, fences and the end of reasoning can end anything: no heads, and no fence on the line
        # of an item.
        _lines(inside + _signs(own_lines) + "=", _FENCE, starts, ends, f"={{{low}}}", _runs(own_lines), closing),
    )


def _signs(runs: list[tuple[str, int]]) -> str:
    return "".join(dict.fromkeys(sign for sign, _ in runs))


def _runs(runs: list[tuple[str, int]]) -> str:
    return "|".join(rf"{re.escape(sign)}{{{least}}}" for sign, least in runs)


def _lines(heads: str, *kinds: str) -> re.Pattern[str]:
    """Return a pattern for lines of the given kinds, each beginning with one of the characters `heads` or a digit."""
    # Possessive: a line of blanks is passed over once, and not from each of its blanks.
    return pattern(rf"\n[ \t]*+(?=[\d{re.escape(heads)}])(?:{'|'.join(kinds)})")


@lru_cache(maxsize=16)
def grammar_of(markers: Markers) -> Grammar:
    """Return the compiled grammar of a `Markers` value."""
    load_added()
    return Grammar(markers)
