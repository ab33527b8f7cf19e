"""Tells from a line's signs alone whether it is a comment, prose, or the head of a definition.

Owns what counts as a comment where no grammar is asked. The signs are those of the table in `languages`; a sign that
is code in many languages counts only where what follows it leaves no doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.text.languages import BLOCK_COMMENTS, LINE_COMMENTS, source_language
from dovetail.text.pattern import pattern
from dovetail.text.strings import strings

if TYPE_CHECKING:
    from collections.abc import Sequence

# `#` begins a comment, but not before a letter or `[`: `#include`, `#fff`, `#[derive]`. `--` does, but not in `--flag`
# or CSS's `--name`.
_PLAIN = r"//|#(?![\w\[])|--(?!\w)|/\*{0}|<!--{1}"  # what begins a comment anywhere in a line, in most languages
# A line that begins with one of these is a comment. So is `* text` inside of one, but not `*p = 1` of C.
_LINE = pattern(r"\s*(?:" + _PLAIN.format("", "") + r"|\*(?:\s|/|$)|;;|%%)")
# A comment behind code has a blank before it, and no code behind its end: `x # why`, `x /* why */`; not `f(/* a */ b)`,
# `http://x` or `color: #fff`.
_BEHIND = pattern(r"(?:^|\s)\s*+(?:" + _PLAIN.format(r"(?!.*\*/.*\S)", r"(?!.*-->.*\S)") + ")")
_ONE_LANGUAGE_ONLY = frozenset({'"', "..", "%", "!"})
"""Signs that mean something else in other languages."""
_ALSO = ("*", '"""', "'''", "-#", "%", "!")
"""Signs that begin a line inside a comment, a string used as a comment, or a comment in a rare language."""
_ANY_SIGN = tuple(sorted({*(set(LINE_COMMENTS) - _ONE_LANGUAGE_ONLY), *BLOCK_COMMENTS, *_ALSO}, key=len, reverse=True))
_LEFT_OPEN = ("/*", "{/*", "<!--", "(*")
"""Signs whose comments may end on another line; the others open code or text where their end is not on the line."""
_CLOSERS = (*sorted(set(BLOCK_COMMENTS.values()), key=len, reverse=True), '"""', "'''")
_OPENS_BLOCK = pattern(r"\s*(?P<brace>\{?)(?:/\*|(?P<tag><!--))")
_FIRST_SIGNS = frozenset("/#-<*;%{")
"""What `_LINE` and `_OPENS_BLOCK` begin with."""
_DOCSTRING = pattern(r"\s*[rRuU]?(?:\"\"\"|''')")
# `Returns the first line.`: a word with a capital, and at least three more in lower case.
_SENTENCE = pattern(r"\s*[A-Z][a-z]*+(?: [a-z'-]++[,.:]?){3,}+[.:]?\s*$")
_SIGNS_OF_CODE = frozenset("=(){}[]<>;_")
# `def f`, `export default class A`, `public static func b`, behind any words and types; `pub(crate) fn`,
# `pub unsafe extern "C" fn`, `@Test(timeout = 5) fun`. Not `type = 3`, which gives a variable its value, nor
# `print(type(x))`, whose bracket belongs to a call.
_DEFINES = pattern(
    r"\s*(?:(?:pub|private|protected|internal|package|@[\w.]+)\([^()\n]*\)\s*)*"
    r"(?:[\w@.\s<>\[\],:&*]*(?:\bextern \"[\w-]+\" )?\b)?(?:def|class|function|func|fun|fn|struct|enum"
    r"|interface|trait|impl|module|namespace|type|sub|proc|record|union|package)\b(?!\s*=)"
)


def is_comment(line: str) -> bool:
    """Return whether a line holds a comment and nothing else, by the signs of most languages."""
    return _LINE.match(line) is not None


def comment_rows(lines: Sequence[str]) -> frozenset[int]:
    """Return the indices of the lines that hold comments and nothing else.

    All lines of a ``/* … */``, ``{/* … */}`` or ``<!-- … -->`` that begins and ends with a line are among them.
    """
    rows: set[int] = set()
    likely = [(row, line) for row, line in enumerate(lines) if line.lstrip()[:1] in _FIRST_SIGNS]
    for row, line in likely:
        starred = line.lstrip()[:1] == "*"  # below code it may be a multiplication or a list's entry instead
        if is_comment(line) and not (starred and row and row - 1 not in rows):
            rows.add(row)
    behind = 0
    never_closed: set[str] = set()
    for first, line in likely:
        opener = _OPENS_BLOCK.match(line) if first >= behind else None
        closing = "-->" if opener and opener["tag"] else "*/"
        if opener is None or closing in never_closed:
            continue
        last, rest = first, line[opener.end() :]
        while closing not in rest and last + 1 < len(lines):
            last += 1
            rest = lines[last]
        if closing not in rest:
            never_closed.add(closing)
            continue
        behind = last + 1
        ends_the_line = rest.partition(closing)[2].strip() == ("}" if opener["brace"] else "")
        rows.update(range(first, behind) if ends_the_line else ())
    return frozenset(rows)


def comment_in(line: str, path: str = "") -> tuple[str, str]:
    """Return the sign with which a stripped line begins a comment, and the comment's text without its signs.

    Any language's signs count, and those that are code elsewhere where `path` names a file of their language. The sign
    is "" for a line that is no comment; then the text is the line, without the signs at its ends.
    """
    sign = next((s for s in _ANY_SIGN if line.startswith(s) and _may_begin(line, s)), "")
    if not sign and line[:1] in ('"', ".") and (row := source_language(path)) is not None:
        sign = next((s for s in row.line.split() if line.startswith(s)), "")
    text = line.removeprefix(sign).strip()
    for closer in _CLOSERS if text.endswith(_CLOSERS) else ():
        text = text.removesuffix(closer).strip()
    return sign, text.strip("/#*-!;%<>()= \t")


def _may_begin(line: str, sign: str) -> bool:
    if sign[-1:].isalpha():
        return line[len(sign) :][:1] in ("", " ")
    return sign not in BLOCK_COMMENTS or sign in _LEFT_OPEN or line.endswith(BLOCK_COMMENTS[sign])


def is_prose(line: str) -> bool:
    """Return whether a line is words for people: a comment, the first line of a docstring, or a plain sentence."""
    if is_comment(line):
        return True
    return (is_docstring(line) or _SENTENCE.match(line) is not None) and _SIGNS_OF_CODE.isdisjoint(line)


def is_docstring(line: str) -> bool:
    """Return whether a line begins with a text in triple quotes."""
    return _DOCSTRING.match(line) is not None


def is_remark(line: str) -> bool:
    """Return whether a line holds a comment, or begins with a docstring."""
    return is_comment(line) or is_docstring(line)


def defines(line: str) -> bool:
    """Return whether a line begins a named definition, by the keywords of most languages."""
    return _DEFINES.match(line) is not None


def parted(line: str) -> tuple[str, str]:
    """Split a line into its code and the comment behind it, which keeps the blanks before it; "" for none."""
    line = line.rstrip()
    quoted = strings(line)
    at = next(
        (
            match.start()
            for match in _BEHIND.finditer(line)
            if not any(string.start < match.end() and match.start() < string.end for string in quoted)
        ),
        len(line),
    )
    return line[:at], line[at:]
