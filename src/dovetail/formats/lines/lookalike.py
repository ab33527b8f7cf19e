r"""Lines that look like the markers of an edit, in any dialect and whatever `Markers` says.

Grammar::

    line       = decoration run [words]
    decoration = blanks, the mark of a list or a quotation, emphasis, a backslash, a backtick, or that of a comment
    run        = 3 or more of "<" ">" "=" (or their entities, or as wide as Chinese) "═" 🟧🟨🟩, 2 or more of "«" "»"

Owns what looks like a marker and may be none: misspelt, decorated, too long or short, in words that nobody set. What
is a marker, `grammar` says; nothing becomes an edit here. The idea: a text that such a line would be written with is
refused, or left to the files to decide. So a doctest's ``>>>``, a list or a rule of ``=`` must look like nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from dovetail.formats.lines.vocabulary import OLD_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator

SURE = 5  # characters of a run that is a marker whatever stands behind it
_SIGNS = {
    "<": ("<<<", "< < <"),
    ">": (">>>", "> > >"),
    "-": ("- SEARCH", "-SEARCH"),
    "+": ("+ REPLACE", "+REPLACE"),
    "&": ("&lt;&lt;", "&gt;&gt;"),
    "＜": ("＜＜＜",),
    "＞": ("＞＞＞",),
    "«": ("««",),
    "»": ("»»",),
    "🟧": ("🟧🟧🟧",),
    "🟩": ("🟩🟩🟩",),
}  # by their first character: most texts lack most of these, and to look for one character costs next to nothing
_LOUD = (
    "FIND|REPL|REPLACEMENT|REPLACED|UPDATE|OLD|NEW|BEFORE|AFTER|CURRENT|MODIFIED|CHANGE|CHANGED|INSERT|DELETE|START|END"
)
_OWN = "SEARCH|REPLACE|ORIGINAL|UPDATED|EDIT|NEW_FILE"
_NO_NAME = r"(?![\w/-]|\.\w)"  # a branch may be called update/deps
_DECORATION = (
    r"[ \t]*+(?:(?P<comment>#|//|--|<!--)[ \t]*|"
    r"(?:(?:>|[-*+]|\d{1,3}[.)])[ \t]+)?[\\*_]{0,3}(?:`(?=[^`\n]*`[ \t]*$))?)"
)
_LINE = re.compile(
    rf"(?m)^{_DECORATION}(?:"
    r"(?P<left>(?:<|&lt;){3,}|＜{3,}|(?:< ){2,}<(?=[ \t]*(?:SEARCH|ORIGINAL)\b)"
    r"|«{2,}|\U0001f7e7{3,}|-{3,}(?=[ \t]*SEARCH\b))"
    r"|(?P<right>(?:>|&gt;){3,}|＞{3,}|(?:> ){2,}>(?=[ \t]*(?:REPLACE|UPDATED)\b)"
    r"|»{2,}|\U0001f7e9{3,}|\+{3,}(?=[ \t]*REPLACE\b))"
    r"|(?P<middle>(?:={3,}|＝{3,}|(?:= ){2,}=|═{3,}|\U0001f7e8{3,})(?=[ \t]*(?:REPL)?[*_`]*[ \t]*$))"
    r")(?P<rest>$|(?=[\s\w*`(:])[^\n]*$)"
)
_SAYS_EDIT = re.compile(rf"[ \t]*(?:{_LOUD}|(?i:{_OWN})){_NO_NAME}")
_SHOUTS = re.compile(rf"[ \t]*(?:{_LOUD}|{_OWN}){_NO_NAME}(?![ \t]*[=(\[,])")
_TAG_END = r"(?:[ \t][^<>\n]{0,400})?>[ \t]*$"
_OLD_TAG = re.compile(rf"(?mi)^[ \t]*<(?:{OLD_TEXTS}){_TAG_END}")
_NEW_TAG = re.compile(rf"(?mi)^[ \t]*<(?:replace(?:ment)?|new|updated)(?:[_-]?[a-z]{{2,7}})?{_TAG_END}")
_ENDS_SO = re.compile(
    r"(?m)^[^\w\n]*(?:SEARCH|REPLACE)[^\w\n]*$"
    rf"|\S[ \t]*(?:(?:[<>]{{3,}}|[«»]{{2,}}|\U0001f7e9{{3,}})[ \t]*(?:{_LOUD}|{_OWN})(?: END)?|[<>]{{{SURE},}})"
    r"[^\w\n]*$"
)
_BEGINS_SO = re.compile(r"[^\w\n]*<{5}[ \t]*(?:SEARCH|ORIGINAL)\b[^\w\n]*\w")
_GOES_ON_SO = re.compile(r".*(?<!>)>{5,}+[ \t]*(?:REPLACE|UPDATED)[^\w\n]*$")
_WORDS = re.compile(r"(?ms)\A\s*^([^\w\n]*SEARCH[^\w\n]*)$.*?^([^\w\n]*REPLACE(?: WITH)?[^\w\n]*)$")
Side = Literal["left", "right", "middle"]


class Mark(NamedTuple):
    """A line that has a marker's shape: which of the three it would be, and where it stands in its text.

    sure: not only in company of others. says: it names a part of an edit. bare: it says nothing.
    """

    side: Side
    start: int
    stop: int
    text: str
    sure: bool
    says: bool
    bare: bool


def _has_signs(text: str) -> bool:
    """Whether `text` may have a marker's shape in it; few texts do, and only those are looked at line by line."""
    holds = text.__contains__
    return any(any(map(holds, _SIGNS[lead])) for lead in filter(holds, _SIGNS))


def marks(text: str) -> Iterator[Mark]:
    """Every line of `text` that has a marker's shape."""
    if not _has_signs(text):
        return
    for found in _LINE.finditer(text):
        side: Side = "left" if found["left"] else "right" if found["right"] else "middle"
        rest, line = found["rest"], found[0].strip()
        says, comment = _SAYS_EDIT.match(rest) is not None, found["comment"] is not None
        if comment and side != "middle" and not says:
            continue  # a banner
        sure = side != "middle" and (comment or _is_sure(found[side], rest))
        yield Mark(side, found.start(), found.end(), line, sure, says, not rest.strip(" \t*_`:"))


def _is_sure(run: str, rest: str) -> bool:
    sign = run[0]
    if sign in "-+":
        return True  # its word has been asked for
    if sign in "<>&＜＞":
        return len(re.findall("[<>&＜＞]", run)) >= SURE or _SHOUTS.match(rest) is not None
    return (sign in "«»" and len(run) > 2) or _SHOUTS.match(rest) is not None


def looks_like_start(line: str) -> bool:
    """Whether a line looks as if an edit began there."""
    return any(mark.side == "left" and mark.sure for mark in marks(line.rstrip("\n")))


def looks_like_end(line: str) -> bool:
    """Whether a line looks as if an edit ended there."""
    return any(mark.side == "right" and mark.sure for mark in marks(line.rstrip("\n")))


def lines_in(text: str) -> tuple[str, ...]:
    """The lines of a file's text that look like markers, once each; a full set of three does at any length, and the
    two words alone on their lines."""
    found = list(marks(text))
    words = _WORDS.search(text) if "SEARCH" in text and "REPLACE" in text else None
    chosen = {mark.start for mark in found if mark.sure}
    for three in zip(found, found[1:], found[2:], strict=False):
        if [mark.side for mark in three] == ["left", "middle", "right"]:
            chosen |= {three[0].start, three[2].start}
    named = () if words is None else (words[1].strip(), words[2].strip())
    return tuple(dict.fromkeys((*(mark.text for mark in found if mark.start in chosen), *named)))


def tags_in(text: str) -> tuple[str, ...]:
    """The two lines of a file's text that look like the tags over an old and over a new text; none where one lacks."""
    old = _OLD_TAG.search(text)
    new = _NEW_TAG.search(text, old.end()) if old is not None else None
    return () if old is None or new is None else (old[0].strip(), new[0].strip())


def first_behind(text: str, behind: int) -> int | None:
    """Where the first line at or behind the offset `behind` begins that looks like a marker at its start or end."""
    starts = (mark.start for mark in marks(text) if mark.sure and mark.start >= behind)
    first = next(starts, None)
    if (found := _ENDS_SO.search(text, behind)) is None:
        return first
    line = text.rfind("\n", 0, found.start() + 1) + 1
    return line if first is None else min(first, line)


def first_unpaired(text: str, behind: int) -> Mark | None:
    """The first end behind the offset `behind`, in an edit's words, that ends nothing; or a start that nothing ends."""
    open_: list[Mark] = []
    for mark in marks(text):
        if not mark.sure:
            continue
        if mark.side == "left":
            open_.append(mark)
        elif open_:
            open_.pop()
        elif mark.says and mark.start >= behind:
            return mark
    return next((mark for mark in open_ if mark.says and mark.start >= behind), None)


def edit_in(text: str) -> tuple[Mark, Mark] | None:
    """The first and the last marker of what looks like an edit: a pair that says so, a bare one around text, or a line
    with both."""
    first: Mark | None = None
    divider: Mark | None = None
    for mark in marks(text):
        if mark.side == "middle":
            divider = divider or mark
            continue
        if not (mark.sure or mark.says or mark.bare):
            continue
        if first is not None and _is_edit(text, first, divider, mark):
            return first, mark
        if _is_whole_edit(mark.text):
            return mark, mark
        first, divider = mark, None
    return None


def _is_whole_edit(line: str) -> bool:
    """Whether a line is all of an edit: start, old text, divider, new text, end."""
    before, divider, behind = line.partition("=" * SURE)
    return divider != "" and _BEGINS_SO.match(before) is not None and _GOES_ON_SO.match(behind) is not None


def ending_in(text: str) -> Mark | None:
    """The first end marker, bare or in an edit's words, that a divider stands over and no start."""
    divided = False
    for mark in marks(text):
        if mark.side == "left":
            return None
        if mark.side == "middle":
            divided = True
        elif divided and mark.sure and (mark.says or mark.bare):
            return mark
    return None


def _is_edit(text: str, first: Mark, divider: Mark | None, last: Mark) -> bool:
    if divider is None and (first.side, last.side) != ("left", "right"):
        return False
    if (first.says and first.sure) or (last.says and last.sure):
        return True
    if divider is None or (first.says and last.says):
        return divider is not None
    return (
        first.bare and last.bare and bool((text[first.stop : divider.start] + text[divider.stop : last.start]).strip())
    )
