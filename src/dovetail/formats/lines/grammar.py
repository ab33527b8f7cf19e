r"""The marker lines of the line formats, compiled from one `Markers` value.

Grammar (blanks before and behind are free; n is `shortest` to `longest`)::

    start    = "<"×n ("SEARCH" | "ORIGINAL") [">"] [lines | path]  |  "-"×n.. "SEARCH" [">"] [lines | path]
    divider  = "="×n
    end      = ">"×n ("REPLACE" | "UPDATED") [">"] [path]  |  "+"×n.. "REPLACE" [">"] [path]
    bare end = ">"×n
    lines    = n  |  "line" n  |  "(lines" n "-" n ")"
    path     = a name with an extension and no blank, behind a blank or a colon, in parentheses or not

The marker lines of one format alone are at the top of its own file; how long they may be, is put in here (`compiled`).

Every pattern that looks for lines begins with a newline character, so that the search skips from line to line; texts
are handed to them with one newline in front. Lines that no pattern finds are never looked at one by one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from dovetail.formats.lines import fences, reasoning, tokens
from dovetail.formats.lines.vocabulary import SPACE, TOOLS, WRAPPED
from dovetail.model.markers import Markers

_DIFFS = r"\*{3} ?(?i:Begin|Update|Add|Delete)|diff --git"
_TAGS = rf"{WRAPPED}<(?:(?:{TOOLS})>|function=|{SPACE}?invoke )"
_JSON = rf"[\[{{]\s*(?:[\"'\[{{\n])|{fences.ITEM}\{{\s*\""
_STRING = r"\"[^\"\n]*\\n"
_NAMED = r"(?:[ \t]+|:[ \t]*)\(?`?([\w./\\@+()\[\]$~-]{0,200}\.[a-z]\w{0,14})`?\)?"
_LINES = r"[ \t]+(?:\((?=line))?(?:lines?[=: ]?[ \t]*|@)?(\d+)(?:[ \t]*[-–][ \t]*\d+)?\)?"
_NOTHING = r"(?!)"
_BLANK = "[ \\t\\u00a0]*"  # a page puts the wider one there
_LOOKALIKE = (
    r"[-#/*+>_\\`<!\d.) \t]*?(?:<{3}|>{3}|< < <|> > >|&[lg]t;&[lg]t;|＜{3}|＞{3}|«{2}|»{2}|\U0001f7e7{3}|\U0001f7e9{3}"
    r"|-[ \t]*SEARCH|\+[ \t]*REPLACE)"
)
"""Every line that `lookalike` takes for a start or an end, and some others."""
_HEADS = (
    rf"#{{1,6}}[ \t]|{_DIFFS}|(?:---|\+{{3}}) |@@[ \n]|{_TAGS}"
    rf"|{_JSON}|{_STRING}|{tokens.LABEL}|{tokens.PYTHON}"
)
Family = Literal["angle", "dash", "conflict", "new-file", "anchored", "guillemet"]


class Start(NamedTuple):
    """A start marker: which family it belongs to, its run's length, its indentation, and the line or the path on it."""

    family: Family
    length: int
    indent: int
    hint: int | None = None
    escaped: bool = False
    path: str | None = None


class Grammar:
    """Compiled patterns. `prose`, `fenced` and `block` find the lines worth a look in each of the three places.

    compiled: a pattern in which RUN stands for how often a marker repeats its character.
    start: the start marker that a line is, of whatever family, or None; most starts of a reply are spelt alike.
    """

    def __init__(self, markers: Markers) -> None:
        self.markers = markers
        run = f"{{{markers.shortest},{markers.longest}}}"
        self.prose, self.fenced, self.block = _places(markers)
        self._start, self._end, self._bare_end, self._divider = _shapes(markers, run)
        self.start = lru_cache(maxsize=256)(self._read_start)
        self.compiled = lru_cache(maxsize=16)(lambda source: re.compile(source.replace("RUN", run)))

    def _read_start(self, line: str) -> Start | None:
        if match := self._start.match(line):
            blank, angle, word, other, dash, hint, path = match.groups()
            indent, number = len(blank), int(hint) if hint and len(hint) < 10 else None
            if dash:
                return Start("dash", len(dash), indent, number, path=path)
            escaped = angle[0] == "&"
            length = len(angle) // 4 if escaped else len(angle)
            if word:
                return Start("angle", length, indent, number, escaped, path)
            if path:
                return None
            family: Family = {"head": "conflict", "new_file": "new-file", "edit": "anchored"}[other.lower()]  # type: ignore[assignment]
            return Start(family, length, indent, number, escaped)
        if line.strip().upper() in ("««« EDIT", "🟧🟧🟧 EDIT"):
            return Start("guillemet", 3, len(line) - len(line.lstrip()))
        return None

    def is_divider(self, line: str, *, any_length: bool = False) -> bool:
        """Whether `line` looks like a divider."""
        return self._divider.match(line) is not None and (any_length or len(line.strip()) <= self.markers.longest)

    def is_end(self, line: str) -> bool:
        """Whether `line` ends a search/replace block."""
        return self._end.match(line) is not None

    def is_bare_end(self, line: str) -> bool:
        """Whether `line` is an end marker without its word, as some replies have it, and merge conflicts too."""
        return self._bare_end.match(line) is not None


def _places(markers: Markers) -> tuple[re.Pattern[str], ...]:
    """What finds the lines worth a look, by where the scanner is: in prose, in a fence, in a block."""
    low = markers.shortest
    edges = "".join({text[:1] for pair in markers.fences for text in pair})
    openers = "|".join(re.escape(left) for left, _ in markers.fences) or _NOTHING
    closers = "|".join(re.escape(right) for _, right in markers.fences) or _NOTHING
    run = "`{3}|~{3}"
    fence = rf"{run}|{fences.ITEM}(?:{run})"
    starts = rf"<{{{low}}}|&lt;(?:&lt;){{{low - 1}}}|-{{{low},}}[ \t]*SEARCH|«{{3}}|\U0001f7e7{{3}}"
    ends = rf">{{{low}}}|\+{{{low},}}[ \t]*REPLACE|&gt;(?:&gt;){{{low - 1}}}"
    misspelt = r"<{3}|&lt;&lt;&lt;|«{2}|(?:[*_\\]+|[*>-][ \t]+\\?|\d[.)][ \t]+|`|(?:\#|//|--|<!--)[ \t]*)(?:<|&lt;){3}"
    heads = edges + "`~<&>+«\U0001f7e7-"
    opening = f"(?i:{openers}|<boltA)"
    inside = heads + reasoning.HEADS
    closing = f"(?i:{closers}|{reasoning.CLOSING_LINE})"
    return (
        _lines(heads + '#/*_\\dAf@[{»"', fence, ">[ \n]", starts, ends, "»{3}", misspelt, _HEADS, opening),
        _lines(inside + "*d", fence, starts, ends, _DIFFS, "--- ", _TAGS, closing, "(?i:<boltA)"),
        _lines(inside + "=#/*_\\＜＞»\U0001f7e9", run, starts, ends, f"={{{low}}}", closing, _LOOKALIKE),
    )


def _shapes(markers: Markers, run: str) -> tuple[re.Pattern[str], ...]:
    """What a line has to be to be a start, an end, an end without its word, a divider."""
    low = markers.shortest
    search = "|".join(map(re.escape, markers.search_words))
    replace = "|".join(map(re.escape, markers.replace_words))
    return (
        re.compile(
            rf"([ \t]*)(?:(<{run}|(?:&lt;){run}){_BLANK}(?:({search})|(HEAD|NEW_FILE|EDIT))"
            rf"|(-{{{low},}}){_BLANK}SEARCH)(?:>|&gt;)*(?:{_LINES}"
            rf"|{_NAMED})?{_BLANK}\n?$",
            re.IGNORECASE,
        ),
        re.compile(
            rf"[ \t]*(?:(?:>{run}|(?:&gt;){run}){_BLANK}(?:{replace})|\+{{{low},}}{_BLANK}REPLACE)"
            rf"(?:>|&gt;)*(?:{_NAMED})?{_BLANK}\n?$",
            re.IGNORECASE,
        ),
        re.compile(rf"[ \t]*>{run}{_BLANK}\n?$"),
        re.compile(rf"[ \t]*={{{low},}}{_BLANK}\n?$"),
    )


def _lines(heads: str, *kinds: str) -> re.Pattern[str]:
    """A pattern for lines of the given kinds, each beginning with one of the characters `heads` or a digit."""
    return re.compile(rf"\n[ \t]*+(?=[\d{re.escape(heads)}])(?:{'|'.join(kinds)})")


@lru_cache(maxsize=16)
def grammar_of(markers: Markers) -> Grammar:
    """The compiled grammar of a `Markers` value."""
    return Grammar(markers)
