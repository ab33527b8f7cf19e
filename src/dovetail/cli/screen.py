"""Lines for a person: styled where the stream is a terminal, plain elsewhere, and always safe to print.

Owns colour and the escaping of what came from a reply or a file: control characters, terminal sequences, direction
overrides and characters that are not seen (without width or ink, tags) are spelled, never obeyed. The page does so by
the same rules, in `page/src/text/visible.ts`; `tests/cli/unseen.json` holds cases of both. A style only repeats what
the words, signs and marks say already.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, TextIO

from dovetail.text.pattern import pattern


class TextStyle(Enum):
    """The style of a piece of a line; the value is the number in its terminal sequence."""

    TITLE = "1"
    FAINT = "2"
    MARK = "1;4"  # bold and underlined, on top of the colour of its line
    GOOD = "32"
    BAD = "31"
    WARN = "33"
    PLACE = "36"


class Styled(NamedTuple):
    """A piece of a line; `over` is the style it stands in, for marks inside an added or removed line."""

    text: str
    style: TextStyle
    over: TextStyle | None = None


Part = str | Styled

# Controls, soft hyphen, fillers, joiners and spaces of no width, direction marks and overrides, line and paragraph
# separators, variation selectors, tags. A tab (09) is seen.
_UNSEEN = (
    "\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PICTURE = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u2300-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff](?:[\ufe0e\ufe0f]|[\U0001f3fb-\U0001f3ff])?"
)
# Characters of `_UNSEEN` that are shown all the same, as a part of one visible sign: a flag, joined pictures, a key, a
# variant of a sign.
_SEEN = (
    "\U0001f3f4[\U000e0020-\U000e007f]{1,6}",
    f"{_PICTURE}(?:\u200d{_PICTURE})*",
    "[0-9#*]\ufe0f\u20e3",
    f"[{_HAN}][\ufe00-\ufe0f\U000e0100-\U000e01ef]",
    "[\u2190-\u22ff\u27c0-\u2aff]\ufe00",
)
# Visible signs come first and have no group: a joiner within a family of pictures stays as it is, one in a word is
# spelled (`ad<U+200D>min`).
_PIECES = pattern(f"(?:{'|'.join(_SEEN)})|([{_UNSEEN}])")


def visible(text: str) -> str:
    """Return `text` with characters spelled that are invisible, or control a terminal or the reading direction."""
    return text if text.isascii() and text.isprintable() else _PIECES.sub(_spelled, text)


def write_text(stream: TextIO, text: str) -> None:
    """Write a text of several lines unchanged, but on a terminal spell the characters that would control it."""
    stream.write("\n".join(map(visible, text.split("\n"))) if stream.isatty() else text)


def _spelled(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    # U+2400 and on are pictures of the controls: ESC is shown as ␛.
    code = ord(found[1])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def width(text: str) -> int:
    """Return the number of columns that a visible text takes; a tab counts as one."""
    if text.isascii():
        return len(text)
    return sum(_columns(sign) for sign in text)


def end_within(text: str, columns: int) -> str:
    """Return the longest end of a visible text that takes at most some columns."""
    if len(text) <= columns and text.isascii():
        return text
    room = columns
    for n, sign in enumerate(reversed(text)):
        room -= _columns(sign)
        if room < 0:
            return text[len(text) - n :]
    return text


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def wants_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether to style: never with NO_COLOR, always with FORCE_COLOR, else on terminals that can show styles."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return can_redraw(stream, environment)


def can_redraw(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a line can be overwritten: on a terminal that is not ``dumb``."""
    return stream.isatty() and environment.get("TERM") != "dumb"


class Screen:
    """Writes lines to one stream."""

    def __init__(self, stream: TextIO, *, colour: bool) -> None:
        self.stream = stream
        self.colour = colour

    def line(self, *parts: Part) -> None:
        """Write one line. Every part is made visible first."""
        self.stream.write(self.rendered(*parts) + "\n")

    def lines(self, text: str, indent: str = "") -> None:
        """Write a text of several lines, each behind `indent`."""
        for line in text.split("\n"):
            self.line((indent + line).rstrip())

    def error(self, code: str, message: str, hint: str | None) -> None:
        """Write an error and its hint."""
        self.line(Styled(f"error {code}", TextStyle.BAD), "  ", message)
        if hint is not None:
            self.line("next  ", hint)

    def rendered(self, *parts: Part) -> str:
        """Return one line as `line` writes it, without its line end."""
        return "".join(self._part(part) for part in parts)

    def _part(self, part: Part) -> str:
        if isinstance(part, str):
            return visible(part)
        if not self.colour or not part.text:
            return visible(part.text)
        codes = part.style.value if part.over is None else f"{part.over.value};{part.style.value}"
        return f"\x1b[{codes}m{visible(part.text)}\x1b[0m"

    @classmethod
    def of(cls, stream: TextIO) -> Screen:
        """Return a screen for a stream, styled if the stream can show styles."""
        return cls(stream, colour=wants_colour(stream))
