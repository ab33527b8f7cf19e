"""What a line is made of: indentation, blanks, words; and when a line is distinctive."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.model.text import split_lines
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Form = Callable[[str], str]
    """What is left of a line of all that must agree: two lines agree in a form where it makes them one."""

TAB = 8
_PIECE = 4_096  # characters of two texts that are compared at once, as slices copy and may be large
TABS = (4, 8, 2)
"""Widths that a tab may have been meant to have, likeliest first."""
# A string (group 1), closed or open to the end of its line, or a run of blanks outside of strings.
_PIECES = pattern(r"""("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?)|[ \t\f\v]+""")
# A blank beside a sign: `a = b` → `a=b`, `f( a )` → `f(a)`. One between two words stays.
_BLANKS_BESIDE = pattern(r"(?<![\w\s]) | (?![\w\s])")
_TOKEN = pattern(r"&#?\w+;|[\w\u0300-\u036f]+|\s+|[^\w\s]")


@lru_cache(maxsize=16384)
def indent_of(line: str) -> str:
    """Return the blanks that a line begins with, no-break spaces as spaces."""
    indent = line[: len(line) - len(line.lstrip(" \t\u00a0"))]
    return indent.replace("\u00a0", " ")


def worded_lines(text: str) -> list[str]:
    """The lines that hold a letter or a digit, without the blanks around them."""
    return [line.strip() for line in split_lines(text) if has_words(line)]


def stripped(lines: Iterable[str]) -> list[str]:
    """Lines without blanks at their ends."""
    return [line.strip() for line in lines]


@lru_cache(maxsize=1024)
def width(indent: str, tab: int = TAB) -> int:
    """Columns that an indentation takes; a tab goes to the next multiple of `tab`."""
    return len(indent.expandtabs(tab))


def deep(line: str) -> int:
    """Return a line's indentation in columns."""
    return width(indent_of(line))


def shared(a: str, b: str) -> int:
    """Return the length of the longest common prefix of two texts."""
    most = min(len(a), len(b))
    # The first piece that differs, then halving within it: slices are compared in C.
    done = next((at for at in range(0, most, _PIECE) if a[at : at + _PIECE] != b[at : at + _PIECE]), most)
    low, high = done, min(most, done + _PIECE)
    while low < high:
        middle = (low + high + 1) // 2
        if a[done:middle] == b[done:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def shared_end(a: str, b: str, most: int) -> int:
    """Return the length of the longest common suffix of two texts, but at most `most`."""
    done = 0
    while done < most:
        size = min(_PIECE, most - done)
        one, other = (text[len(text) - done - size : len(text) - done] for text in (a, b))
        if one != other:
            return done + shared(one[::-1], other[::-1])
        done += size
    return most


def full(lines: Sequence[str]) -> list[int]:
    """Indices of the lines that are not blank."""
    return [i for i, line in enumerate(lines) if line.strip()]


def mark(line: str) -> str:
    """Return the sign that begins an item of a list, an alternative or a comment's line (``-``, ``|``, ``*``); else "".

    Such a line may stand a little deeper than what it belongs to, or as deep.
    """
    body = line.lstrip()
    return body[0] if body[:2] in ("- ", "| ") or body[:1] == "*" else ""


@lru_cache(maxsize=16384)
def squeeze(line: str) -> str:
    """Return the line with blanks kept only between words; text in quotes stays as it is.

    Two lines agree at the tier `whitespace` where these are equal: ``a=b`` and ``a = b`` do, ``ab`` and ``a b``
    do not. A quote that is never closed protects the rest of its line.
    """
    line = line.strip()
    if " " not in line and "\t" not in line and "\f" not in line:
        return line
    quoted: list[str] = []

    def reduce(found: re.Match[str]) -> str:
        if found.group(1) is None:
            return " "
        quoted.append(found.group(1))
        # Stands for the string while blanks are reduced around it.
        return "\x00"

    squeezed = _BLANKS_BESIDE.sub("", _PIECES.sub(reduce, line))
    return squeezed if not quoted else _put_back(squeezed, quoted)


def _put_back(squeezed: str, quoted: list[str]) -> str:
    pieces = squeezed.split("\x00")
    if len(pieces) != len(quoted) + 1:  # the line itself holds NUL characters: leave its blanks alone
        return "".join(pieces) + "".join(quoted)
    return "".join(part for pair in zip(pieces, [*quoted, ""], strict=True) for part in pair)


@lru_cache(maxsize=16384)
def tokens(line: str) -> tuple[str, ...]:
    """Split a line into words, character references, runs of blanks and single other characters."""
    return tuple(_TOKEN.findall(line))


@lru_cache(maxsize=4096)
def solid(line: str) -> tuple[str, ...]:
    """The tokens of a line that are not blank."""
    return tuple(token for token in tokens(line) if not token.isspace())


_OPENERS = tuple("{([:")
# `}`, `)`, `</div>`, `end`, `endif()`, `fi`; not `endpoint = 3`.
_CLOSES = pattern(r"\s*(?:[})\]]|</|(?:end|fi|done|esac)\b|end\w+\b(?!\s*[=.\[:]))")


def opens(line: str) -> bool:
    """Return whether a line ends with a sign that opens a block in many languages."""
    return line.rstrip()[-1:] in _OPENERS


def closes(line: str) -> bool:
    """Return whether a line begins with a sign or word that closes a block in many languages."""
    return _CLOSES.match(line) is not None


_LETTERS_NEEDED = 4
_PLAIN = pattern(
    r"\W*(?:else|then|done|pass|return|break|continue|begin|endif|finally|default|true|false|null|none)\W*",
    re.IGNORECASE,
)


def has_words(line: str) -> bool:
    """Return whether a line holds a letter or a digit."""
    return any(map(str.isalnum, line))


def worded(lines: Iterable[str]) -> bool:
    """Return whether any of the lines holds a letter or a digit."""
    return any(map(has_words, lines))


@lru_cache(maxsize=16384)
def distinctive(line: str) -> bool:
    """Return whether a line is likely to be unique: blank lines, braces and lone keywords are not."""
    return sum(map(str.isalnum, line)) >= _LETTERS_NEEDED and not _PLAIN.fullmatch(line.strip())
