"""Omission marks: lines such as ``# ... rest unchanged`` that stand for lines which are not shown.

Owns what counts as such a mark, and its words. Whether a line is meant as a mark depends on its effect: callers count
it only where lines would vanish, and never where the file has the same line.
"""

from __future__ import annotations

import re
from enum import Enum

from dovetail.text.comments import comment_in
from dovetail.text.languages import dots_are_code
from dovetail.text.pattern import pattern

LONGEST = 200
"""Longer lines, in characters, are no marks."""

_STATE = """
unchanged unmodified untouched omitted elided truncated snip snipped abbreviated left_out for_brevity same_as_before
same_as_above same_as_previous same_as_previously same_as_original same_as_earlier same_as_now same_as_in_the_original
stay_the_same stays_the_same remain_the_same remains_the_same is_the_same are_the_same exactly_the_same kept_the_same
as_is as_it_is as_they_are as_it_was as_they_were as_before
"""
"""Phrases about lines that stay: a comment with one anywhere is a mark, unless it goes on about what a program does."""
_OF_A_PROGRAM = r"(?! (?:at|to|by|on|when|where|while|if|unless|until|because)\b)"
_REST = "rest remainder existing remaining remains remain other others original previous current same everything_else"
"""Words for lines that are not shown: a mark if the comment has only these, `_NOUNS` and `_FILLERS`."""
_NOUNS = """
above before body case cases class classes code config configuration constant constants content contents css
declaration declarations definition definitions document entries exports field fields file function functions
handler handlers helper helpers html implementation import imports items js json keep line lines logic markup method
methods props properties route routes rule rules section sections settings statement statements stuff style styles
test tests text type types variables
"""
_FILLERS = "all and are as below else from goes here in is it keep of our stay stays the this to top up with your"

_DOTS = r"(?:\.{3,}|\u2026|\. \. \.)"
# Splits `... existing code ...` into its dots and its words; either dots may be missing.
_DOTS_AT_ENDS = pattern(rf"({_DOTS})?\s*(.*?)\s*({_DOTS})?[.]*")
_SPREAD = pattern(r"[\[({]*\s*\.{3}(?:[^\W\d][\w.?!()\[\]]*+(?:[,:].*|\s*[\])};]+,?)?|[(\[{].*[,;])")
"""Dots that touch a name: code, which spreads what is called `rest` or `other`."""
_GAP = pattern(r"\u22ee(?: lines? \d+(?:-\d+)?)?|\{\{ ?\.{3} ?\}\}")
"""How excerpts that models are shown, and tools that take them, mark lines left out."""
# `(unchanged code)`, `[... 12 lines omitted ...]`, `*(other methods)*`; nothing with quotes or `=` inside, as in a
# call.
_BRACKETED = pattern(r"[*_>\s]*[(\[\uff08\u3010](?!\*)([^\"'=<>{}]*)[)\]\uff09\u3011][*_.]*")
_MOST_WORDS = 12


def _words(*tables: str) -> str:
    """Return the source of a pattern that matches any of the tables' words, longest first."""
    words = " ".join(tables).split()
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)).replace("_", " ")


# `unchanged`, `same as before`, `rest of the file`; not `unchanged when x is 0`, which tells of a program.
_STATES = pattern(rf"(?i)\b(?:{_words(_STATE)})\b{_OF_A_PROGRAM}|\b(?:rest|remainder) of (?:the|your|this)\b")
_NAMES_LINES = pattern(rf"(?i)\b(?:{_words(_STATE, _REST, _NOUNS)})\b(?!/)")
# `other methods`, `the rest of the imports`, `existing code here`: words of the tables and no others, at least two, one
# of them of `_REST`; or `rest`, `etc`, `no changes` alone. Not `the rest is sent to the server`.
_ONLY_LISTED = pattern(
    rf"(?i)(?=.*\b(?:{_words(_REST)})\b)(?=.* )(?!and )"
    rf"(?:(?:(?:{_words(_REST)})\b(?!,)|(?:{_words(_NOUNS, _FILLERS)})\b)[\s,.&]*)+"
    r"|(?:rest|others?|same|etc|and so on|no (?:other )?changes?(?: here| needed| below| above)?)"
)


class Mark(Enum):
    """How an omission mark is written."""

    DOTS = "dots"
    """With dots, and nothing else but a comment's signs."""
    DOTS_AND_WORDS = "dots and words"
    WORDS = "words"


def mark_in(line: str, path: str = "") -> Mark | None:
    """Return the kind of omission mark that a line is, or None if it is none.

    path: the file's, whose language says which signs begin a comment, and whether dots alone are code.
    """
    text = line.strip()
    if not text or len(text) > LONGEST or _SPREAD.fullmatch(text) is not None:
        return None
    sign, content = comment_in(text, path)
    bracketed = None if sign else _BRACKETED.fullmatch(text)
    content = bracketed[1].strip() if bracketed is not None else content.strip("[]() ")
    if _GAP.fullmatch(content) is not None:
        return Mark.DOTS
    found = _DOTS_AT_ENDS.fullmatch(content)
    opens, words, closes = (found[1], found[2].strip(" ,.:[]()"), found[3]) if found is not None else ("", content, "")
    if opens or closes:
        # Dots alone, where the language has them for a statement, are no mark; behind a comment's sign they are.
        if not words:
            return None if content == text and dots_are_code(path) else Mark.DOTS
        # Words between dots, in a comment or in brackets need only name lines (`... helpers ...`); others must say that
        # lines are left out.
        plainly = sign or bracketed is not None or (opens and closes)
        return Mark.DOTS_AND_WORDS if says_left_out(words) or (plainly and _NAMES_LINES.search(words)) else None
    remark = sign or (bracketed is not None and " " in words)
    return Mark.WORDS if remark and says_left_out(words) else None


def says_left_out(text: str) -> bool:
    """Return whether a remark, without dots, says that lines are left out."""
    words = " ".join(text.strip(" .,:;()[]\u2026*_").split())
    if not words or words.count(" ") >= _MOST_WORDS:
        return False
    return _STATES.search(words) is not None or _ONLY_LISTED.fullmatch(words) is not None


def elides(line: str) -> bool:
    """Return whether a line is an omission mark with dots, in any language."""
    if "..." not in line and "\u2026" not in line:
        return False
    return mark_in(line) in (Mark.DOTS, Mark.DOTS_AND_WORDS)
