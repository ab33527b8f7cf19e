r"""Takes off what a model wraps around a whole block, from search and replacement together.

Line numbers, HTML entities, backslashes as inside a string, and a fence around both halves. A wrapping counts only
where the search shows it; the tier `form` looks for the search without it, and so the lines that the edit brings are
unwrapped by the same rule.

Line numbers, as models are shown them: ``12: ``, ``  12 | ``, ``12→``, ``[12] ``, ``12. ``. Grammar::

    numbered = (blanks [opening] number sign [" "] text | blank line)*     one opening, one sign; each number is larger
    opening  = "L" | "["            sign = "|" | ":" | "│" | "→" | tab | "]" | ")" | "." | nothing before a blank

A list may begin so, too; callers ask whether it is one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.folding import unwrapped_alike, without_entities
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_NUMBERED_FROM = 3  # lines that must bear their numbers, for one or two may be text that begins so
_FENCED = pattern(r"\s*+(`{3,}+|~{3,}+)[^\n`]*+\n(.*\n)?[ \t]*+\1[ \t]*+\n*+", re.DOTALL)
# `12: a`, `  12 | a`, `12→a`, `L12: a`, `[12] a`, `12. a`, `12 a`, and a number alone; not `12abc`.
_LINE = pattern(r"[ \t]*([L\[]?)(\d{1,9})(?: ?([|:\u2502\u2192])|(\t)|([\].)])|(?=[ ]|$))(.*)", re.DOTALL)
_FIRST = frozenset("L[0123456789")
_STYLES = frozenset([("", "|"), ("", ":"), ("", "\u2502"), ("", "\u2192"), ("", "\t"), ("L", ":"), ("L", "|")])
_LIST_STYLES = frozenset([("[", "]"), ("", ")"), ("", "."), ("", "")])
_QUOTES = frozenset("\"'`")
_BACKSLASH = frozenset("\\")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_SHOWN = pattern(r"\\([\"'`$/])")
_PLAIN = pattern(r"(?<!\\)[\"'`$/]")
# A string of one line, its marks perhaps escaped themselves (`\"a\"`). Three marks match without the group `mark`, and
# so do not count: a string over several lines has line ends of its own.
_STRING = pattern(r"\"{3}|'{3}|(?<!\w)[A-Za-z]{0,2}(?P<mark>\\?[\"'])(?:(?!(?P=mark))(?:\\.|.))*+(?P=mark)")
_BEHIND = pattern(r"\\(.)", re.DOTALL)


def unwrapped(search: str, replace: str, file: str) -> Iterator[tuple[str, str]]:
    """Yield search and replacement as they are, then with one or several wrappings taken off; each pair once.

    Entities may be wrapped twice. `file` is the text that is searched.
    """
    pairs = [(search, replace)]
    yield search, replace
    # A fence is outermost, then the numbers of lines, then entities, then backslashes; each is also tried on what the
    # ones before it leave.
    in_turn: tuple[Callable[[str, str], tuple[str, str] | None], ...] = (
        lambda old, new: _fences(old, new, file),
        _line_numbers,
        without_entities,
        without_entities,
        *_readings_of_escapes(),
    )
    for take_off in in_turn:
        for pair in list(pairs):
            plain = take_off(*pair)
            if plain is not None and plain not in pairs:
                pairs.append(plain)
                yield plain


def _fences(search: str, replace: str, file: str) -> tuple[str, str] | None:
    """Take off a fence around each half; None if the file has such a fence. An empty replacement needs no fence."""
    mine, theirs = _FENCED.fullmatch(search), _FENCED.fullmatch(replace)
    if mine is None or mine[1] in file or (theirs is None and replace.strip()):
        return None
    return mine[2] or "", (theirs[2] or "") if theirs is not None else ""


def _line_numbers(search: str, replace: str) -> tuple[str, str] | None:
    found = numbered(search)
    if found is None:
        return None
    # `1.`, `1)` and `[1]` may be a list that the file has: then three lines or more must count without a gap, and the
    # replacement must be numbered so, too.
    if found.style in _LIST_STYLES:
        theirs = numbered(replace)
        sure = found.even and found.lines >= _NUMBERED_FROM
        if not sure or (replace.strip() and (theirs is None or theirs.style != found.style)):
            return None
    old, new = without_numbers(found.style, search, replace)
    return old, new


class Style(NamedTuple):
    """The signs before and behind a line's number."""

    before: str
    behind: str


class _Line(NamedTuple):
    number: int
    style: Style
    text: str

    @property
    def blanks(self) -> int:
        """Number of blanks before the line's text."""
        return len(self.text) - len(self.text.lstrip(" "))


class Numbered(NamedTuple):
    """A text whose lines have numbers. `lines` is how many lines have one.

    first: the number that the text's first line has, or would have if it is blank. even: the numbers count up by one a
    line, blank lines included.
    """

    style: Style
    lines: int
    first: int
    even: bool


def numbered(text: str) -> Numbered | None:
    """Return how the lines of `text` are numbered; None unless all but blank ones are, in one style and increasing."""
    lines: dict[int, _Line] = {}
    if text.lstrip()[:1] not in _FIRST:
        return None
    for index, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        if (found := _read(line)) is None:
            return None
        lines[index] = found
    styles = {line.style for line in lines.values()}
    if len(styles) != 1 or any(one.number >= other.number for one, other in pairwise(lines.values())):
        return None
    firsts = [line.number - index for index, line in lines.items()]
    return Numbered(styles.pop(), len(lines), firsts[0], even=len(set(firsts)) == 1)


def without_numbers(style: Style, *texts: str) -> tuple[str, ...]:
    """Return the texts without the numbers of this style; a line without one stays as it is.

    A blank behind the number is dropped, too, if every numbered line that has text has one.
    """
    read = [[(line, _read(line)) for line in text.split("\n")] for text in texts]
    gaps = [found.blanks for lines in read for _, found in lines if found and found.style == style and found.text]
    # `12 a` has its blanks for a sign, so all that every line has are the style's; else one blank at most is.
    own = min(gaps, default=0) if style.behind == "" else min(1, min(gaps, default=0))
    return tuple(
        "\n".join(found.text[own:] if found and found.style == style else line for line, found in lines)
        for lines in read
    )


def _read(line: str) -> _Line | None:
    if (match := _LINE.fullmatch(line)) is None:
        return None
    before, number, sign, tab, bracket, text = match.groups()
    style = Style(before, sign or tab or bracket or "")
    return _Line(int(number), style, text) if style in _STYLES or style in _LIST_STYLES else None


def escaped_in(text: str) -> set[str]:
    """Return the escapes in a text, with their backslash, of signs that need none in most files: quotes, `$`, `/`."""
    return {found[0] for found in _SHOWN.finditer(text)} if "\\" in text else set()


def _readings_of_escapes() -> Sequence[Callable[[str, str], tuple[str, str] | None]]:
    r"""Return functions from (search, replace) to both without the backslashes of one reading, or to None.

    The search shows before which signs the reply put a backslash. The readings: all of these signs; only one kind
    of quote, as the others may be the code's own; also quotes that the search does not have; also doubled
    backslashes; also line ends and tabs as letters; the last, but not where that would break a string. The file
    decides by which search it contains; where several readings share a search but not the new lines, nothing does.
    """

    def shown(search: str, _: str) -> frozenset[str]:
        return frozenset(_SHOWN.findall(search))

    def quotes(search: str, replace: str) -> frozenset[str]:
        return shown(search, replace) | (_QUOTES - frozenset(_PLAIN.findall(search)))

    def doubled(search: str, replace: str) -> frozenset[str]:
        return _none_alone(quotes(search, replace) | _BACKSLASH, search, replace)

    def all_of_them(search: str, replace: str) -> frozenset[str]:
        lines = "\n" in search.rstrip("\n") or "\n" in replace.rstrip("\n")
        # Texts with real line ends have none as letters, unless the search shows a `\n`.
        if lines and _CONTROLS.keys().isdisjoint(_BEHIND.findall(search)):
            return frozenset()
        return _none_alone(quotes(search, replace) | _BACKSLASH | frozenset(_CONTROLS), search, replace)

    def one_kind(sign: str) -> Callable[[str, str], frozenset[str]]:
        return lambda search, replace: frozenset(sign) if {sign} < shown(search, replace) else frozenset()

    letters = (shown, *map(one_kind, "\"'`"), quotes, doubled, all_of_them)
    return (*(partial(_taken_off, each) for each in letters), partial(_taken_off, all_of_them, torn=False))


def _none_alone(letters: frozenset[str], search: str, replace: str) -> frozenset[str]:
    """Return `letters` if no other letter stands behind a backslash in either half; else the empty set."""
    return letters if letters.issuperset(_BEHIND.findall(search + replace)) else frozenset()


def _taken_off(
    reading: Callable[[str, str], frozenset[str]], search: str, replace: str, *, torn: bool = True
) -> tuple[str, str] | None:
    """Return both halves without a reading's backslashes, or None; `torn`: unescape line ends inside strings, too."""
    letters = reading(search, replace)
    if "\\" not in search or not letters:
        return None
    escaped = re.compile(rf"\\([{re.escape(''.join(sorted(letters)))}])")

    def unwrap(text: str) -> str:
        whole = {} if torn else dict(found.span() for found in _STRING.finditer(text) if found["mark"])
        starts = list(whole)
        return escaped.sub(lambda found: _unescaped(found, starts, whole), text)

    plain = unwrap(search)
    if plain == search:
        return None
    # Signs that the search has only behind a backslash: a new line that has one bare was not escaped.
    alone = (letters & set(_SHOWN.findall(search))) - set(_PLAIN.findall(search))
    # The search is one line with `\n` in it and the replacement has real line ends: it was not escaped.
    ended = "n" in letters and "\n" not in search.rstrip("\n") and "\n" in replace.rstrip("\n")
    new = unwrapped_alike(search, replace, unwrap, lambda new: ended or not alone.isdisjoint(_PLAIN.findall(new)))
    return plain, new


def _unescaped(found: re.Match[str], starts: Sequence[int], whole: Mapping[int, int]) -> str:
    """Return the sign without its backslash; with it, if it would become a line end or tab inside a string.

    starts, whole: where those strings begin, in order; and for each start its end. Both empty to unescape everywhere.
    """
    letter = found[1]
    at = bisect_left(starts, found.start()) if letter in _CONTROLS else 0
    if at and found.start() < whole[starts[at - 1]]:
        return found[0]
    return _CONTROLS.get(letter, letter)
