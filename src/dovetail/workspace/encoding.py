"""Bytes of a file ↔ its text, exactly.

Owns the only decoding of user files. Never guesses. A BOM counts first, then what the file's own first lines say
(``# coding: latin-1``), then strict UTF-8, then what the user or an `.editorconfig` says. Of other text only ASCII is
read, and each byte beyond it becomes a private character (`Encoding.BYTES`). Decoded text encodes back to the same
bytes; a BOM belongs to the file, not to its text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from dovetail.model.codes import Code
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.model.snapshot import FIRST_BYTE


class Encoding(StrEnum):
    """The encodings that have no codec of Python's with the same effect, and UTF-8.

    Files in the UTF-16 members and `UTF_8_BOM` begin with a byte-order mark. Other encodings are names of codecs.
    """

    UTF_8 = "utf-8"
    UTF_8_BOM = "utf-8-bom"
    UTF_16_LE = "utf-16-le with a byte-order mark"
    UTF_16_BE = "utf-16-be with a byte-order mark"
    BYTES = "ascii and bytes"


_BOMS: dict[str, bytes] = {
    Encoding.UTF_8_BOM: codecs.BOM_UTF8,
    Encoding.UTF_16_LE: codecs.BOM_UTF16_LE,
    Encoding.UTF_16_BE: codecs.BOM_UTF16_BE,
}
_CODECS: dict[str, str] = {
    Encoding.UTF_8: "utf-8",
    Encoding.UTF_8_BOM: "utf-8",
    Encoding.UTF_16_LE: "utf-16-le",
    Encoding.UTF_16_BE: "utf-16-be",
}
_NO_CODECS = frozenset(("utf-7", "utf-8-sig", "utf-16", "utf-32", "idna", "punycode", "undefined", "mbcs", "oem"))
# # -*- coding: latin-1 -*-     <?xml version="1.0" encoding="cp1252"?>     @charset "latin1";     /* coding=gbk */
# but not `"encoding": "latin-1"` of a JSON file (a quote behind `coding`), nor anything below the second line.
_CODING_LINE = re.compile(
    rb"""
    (?:.*\n)?  # the first line or the second
    [ \t\f]* (?: (?: \# | // | /\* | \* | -- | ; | % | " | <!-- | <\?xml\b ) .*? coding[:=] | @charset\b )
    [ \t]* ["']? (?P<name>[-\w.]+)
    """,
    re.VERBOSE,
)
# All but tab to carriage return (09 to 0d) and ESC (1b, colors of terminals), which occur in texts.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# Byte 0x80 + n ↔ character FIRST_BYTE + n, which no real text holds.
_BYTES = {byte: FIRST_BYTE + byte - 0x80 for byte in range(0x80, 0x100)}
_NO_BYTE = re.compile(f"[^\0-\x7f{chr(FIRST_BYTE)}-{chr(FIRST_BYTE + 0x7F)}]")
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class Decoded(NamedTuple):
    """A file's text, line ends as they are, the BOM left out. `encoding` is an `Encoding`, or the name of a codec."""

    text: str
    encoding: str


class Undecodable(NamedTuple):
    """Why bytes are no text: `code` is `Code.BINARY` or `Code.ENCODING`, `detail` one sentence for a person."""

    code: Code
    detail: str


def decode(data: bytes, fallback: Callable[[], str] = str) -> Decoded | Undecodable:
    """Decode a file's bytes, or say why they are no text.

    fallback: returns the codec that the user or an `.editorconfig` names, or ""; called only if the file names none.
    """
    encoding = _announced(data)
    body = data[len(_BOMS.get(encoding, b"")) :]
    # Without a BOM. A codec that cannot give the same bytes back is passed over, and the file is tried as UTF-8.
    if encoding is Encoding.UTF_8 and (named := _codec_named(data, fallback)):
        text = _exactly(data, named)
        if text is not None and "\0" not in text:
            return Decoded(text, named)
    if encoding in (Encoding.UTF_8, Encoding.UTF_8_BOM) and b"\0" in body:
        return Undecodable(Code.BINARY, "It holds NUL bytes, so it is taken for a binary file.")
    try:
        text = body.decode(_CODECS[encoding])
    except UnicodeDecodeError as error:
        # Some 8-bit encoding that nobody names: its ASCII can be edited, and the other bytes go through unchanged.
        if encoding is Encoding.UTF_8 and _CONTROLS.search(data) is None:
            return Decoded(data.decode("latin-1").translate(_BYTES), Encoding.BYTES)
        line = body.count(b"\n", 0, error.start) + 1
        offset = error.start + len(data) - len(body)
        return Undecodable(
            Code.ENCODING, f"It is not valid {_CODECS[encoding].upper()}: byte {offset} (line {line}) does not fit."
        )
    if "\0" in text:
        return Undecodable(Code.BINARY, "It holds NUL characters, so it is taken for a binary file.")
    return Decoded(text, encoding)


def _codec_named(data: bytes, fallback: Callable[[], str]) -> str:
    """Return the codec to use in place of UTF-8; "" for none.

    Text beyond ASCII that is valid UTF-8 stays UTF-8, unless the file itself names another encoding.
    """
    ascii_alone = data.isascii()
    line = _CODING_LINE.match(data) if not ascii_alone else None
    if line is not None:
        return known_codec(line["name"].decode("ascii", "replace"))
    if not ascii_alone and _exactly(data, "utf-8") is not None:
        return ""
    return fallback()


def known_codec(name: str) -> str:
    """Return Python's name for an encoding; "" for UTF-8, and for one that is unknown or not supported here."""
    try:
        codec = codecs.lookup(name)
        "a\n".encode(codec.name)
    except (LookupError, UnicodeError, ValueError):
        return ""
    return "" if codec.name in _NO_CODECS or codec.name == "utf-8" else codec.name


def check_encoding(name: str) -> str:
    """Return the codec of an encoding that a user names; "" for UTF-8. Raises `UsageError` for an unknown one."""
    codec = known_codec(name)
    if not codec and name.lower().replace("_", "-") not in ("utf-8", "utf8"):
        raise UsageError(f"There is no encoding {name!r}.", hint="For example: latin-1, cp1252, shift_jis, gbk")
    return codec


def _exactly(data: bytes, codec: str) -> str | None:
    """Return the text of some bytes; None if it does not encode to the same bytes again."""
    try:
        text = data.decode(codec)
        return text if text.encode(codec) == data else None
    except UnicodeError:
        return None


def is_marked(data: bytes | None) -> bool:
    """Return whether a file's bytes begin with a byte-order mark of UTF-8; False for no file (None)."""
    return data is not None and data.startswith(codecs.BOM_UTF8)


def encode(text: str, encoding: str, path: str) -> bytes:
    """Return a text as bytes in a file's own encoding, BOM included. `path` is for the message.

    In a UTF-8 file without a BOM, a U+FEFF at the start of the text would become one, so it is left out.
    Raises `WorkspaceError` (code ``encoding``) for text that would not decode back to itself.
    """
    if encoding == Encoding.UTF_8:
        text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise WorkspaceError(
            f"The new text of `{path}` holds a NUL character.", code="encoding", hint="Ask for the text without it."
        )
    codec = _CODECS.get(encoding, encoding)
    try:
        if encoding == Encoding.BYTES:
            if (other := _NO_BYTE.search(text)) is not None:
                raise UnicodeEncodeError("ascii", text, other.start(), other.end(), "no byte of the file")
            return text.translate({sign: byte for byte, sign in _BYTES.items()}).encode("latin-1")
        return _BOMS.get(encoding, b"") + text.encode(codec)
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise WorkspaceError(
            f"The new text of `{path}` holds {found}, which {codec.upper()} cannot say.",
            code="encoding",
            hint="Ask for the text without it.",
        ) from None


def _announced(data: bytes) -> Encoding:
    if data.startswith(_UTF_32):
        return Encoding.UTF_8  # UTF-32 is full of NULs: reported as binary, not misread as UTF-16
    return next((Encoding(name) for name, bom in _BOMS.items() if data.startswith(bom)), Encoding.UTF_8)
