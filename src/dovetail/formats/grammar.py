r"""The marker lines of the line formats, compiled from one `Markers` value.

Grammar (blanks before and behind are free; n is `shortest` to `longest`)::

    start    = "<"×n ("SEARCH" | "ORIGINAL") [">"] [line]  |  "-"×n.. "SEARCH" [">"]
    divider  = "="×n
    end      = ">"×n ("REPLACE" | "UPDATED") [">"]  |  "+"×n.. "REPLACE" [">"]
    bare end = ">"×n

Every pattern that looks for lines begins with a newline character, so that the search skips from line to line; texts
are handed to them with one newline in front. Lines that no pattern finds are never looked at one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from dovetail.model.markers import Markers

REASONING = r"think(?:ing)?|reasoning"
Family = Literal["angle", "dash", "conflict", "new-file", "anchored", "guillemet"]


@dataclass(frozen=True, slots=True)
class Start:
    """A start marker: which family it belongs to, its run's length, its indentation, and a line hint if it has one."""

    family: Family
    length: int
    indent: int
    hint: int | None = None
    escaped: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """Compiled patterns. `prose`, `fenced` and `block` find the lines worth a look in each of the three places."""

    markers: Markers
    prose: re.Pattern[str] = field(init=False)
    fenced: re.Pattern[str] = field(init=False)
    block: re.Pattern[str] = field(init=False)
    _start: re.Pattern[str] = field(init=False)
    _end: re.Pattern[str] = field(init=False)
    _bare_end: re.Pattern[str] = field(init=False)
    _divider: re.Pattern[str] = field(init=False)
    closers: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        low, high = self.markers.shortest, self.markers.longest
        run = f"{{{low},{high}}}"
        search = "|".join(map(re.escape, self.markers.search_words))
        replace = "|".join(map(re.escape, self.markers.replace_words))
        tags = [pair for pair in self.markers.fences if pair[0].startswith("<")]
        openers = "|".join(re.escape(left) for left, _ in tags) or r"(?!)"
        closers = "|".join(re.escape(right) for _, right in tags) or r"(?!)"
        angle = rf"<{{{low}}}|&lt;(?:&lt;){{{low - 1}}}"
        dash = rf"-{{{low},}}[ \t]*SEARCH"
        ends = rf">{{{low}}}|\+{{{low},}}[ \t]*REPLACE|&gt;(?:&gt;){{{low - 1}}}"
        glyphs = r"«{3}|\U0001f7e7{3}"
        starts = rf"{angle}|{dash}|{glyphs}"
        think = rf"</?(?:{REASONING})[-\s>]"
        heads = (
            r"#{1,6}[ \t]|\*{3} (?:Begin|Update|Add|Delete)|diff --git|--- "
            r"|<(?:replace_in_file|write_to_file|apply_diff)>|[\[{]\s*(?:[\"\[{\n])"
        )
        put = object.__setattr__
        self_patterns = {
            "prose": rf"\n[ \t]*(?:`{{3}}|~{{3}}|{openers}|{starts}|{ends}|{heads}|<boltA|{think})",
            "fenced": rf"\n[ \t]*(?:`{{3}}|~{{3}}|{closers}|{starts}|{ends}|<boltA|</(?:{REASONING})[-\s>])",
            "block": rf"\n[ \t]*(?:`{{3}}|~{{3}}|{closers}|{starts}|{ends}|={{{low}}}|</(?:diff|content|{REASONING})[-\s>])",
        }
        for name, pattern in self_patterns.items():
            put(self, name, re.compile(pattern, re.IGNORECASE))
        put(
            self,
            "_start",
            re.compile(
                rf"([ \t]*)(?:(<{run}|(?:&lt;){run})[ \t]*(?:({search})|(HEAD|NEW_FILE|EDIT))|(-{{{low},}})[ \t]*SEARCH)"
                rf"(?:>|&gt;)*(?:[ \t]+(?:line[=: ]?|@)?(\d+))?[ \t]*\n?$",
                re.IGNORECASE,
            ),
        )
        put(
            self,
            "_end",
            re.compile(
                rf"[ \t]*(?:(?:>{run}|(?:&gt;){run})[ \t]*(?:{replace})|\+{{{low},}}[ \t]*REPLACE)(?:>|&gt;)*[ \t]*\n?$",
                re.IGNORECASE,
            ),
        )
        put(self, "_bare_end", re.compile(rf"[ \t]*>{run}[ \t]*\n?$"))
        put(self, "_divider", re.compile(rf"([ \t]*)(={{{low},}})[ \t]*\n?$"))
        put(self, "closers", frozenset(right.lower() for _, right in tags))

    def start(self, line: str) -> Start | None:
        """The start marker that `line` is, of whatever family."""
        if match := self._start.match(line):
            blank, angle, word, other, dash, hint = match.groups()
            indent, number = len(blank), int(hint) if hint and len(hint) < 10 else None
            if dash:
                return Start("dash", len(dash), indent, number)
            escaped = angle[0] == "&"
            length = len(angle) // 4 if escaped else len(angle)
            if word:
                return Start("angle", length, indent, number, escaped)
            family: Family = {"head": "conflict", "new_file": "new-file", "edit": "anchored"}[other.lower()]  # type: ignore[assignment]
            return Start(family, length, indent, number, escaped)
        text = line.strip()
        if text in ("««« EDIT", "🟧🟧🟧 EDIT"):
            return Start("guillemet", 3, len(line) - len(line.lstrip()))
        return None

    def divider(self, line: str, *, any_length: bool = False) -> tuple[int, int] | None:
        """Length and indentation of a line that looks like a divider."""
        match = self._divider.match(line)
        if match is None or (len(match[2]) > self.markers.longest and not any_length):
            return None
        return len(match[2]), len(match[1])

    def is_end(self, line: str) -> bool:
        """Whether `line` ends a search/replace block."""
        return self._end.match(line) is not None

    def is_bare_end(self, line: str) -> bool:
        """Whether `line` is an end marker without its word, as some replies have it, and merge conflicts too."""
        return self._bare_end.match(line) is not None


@lru_cache(maxsize=16)
def grammar_of(markers: Markers) -> Grammar:
    """The compiled grammar of a `Markers` value."""
    return Grammar(markers)
