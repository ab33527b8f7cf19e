"""Bytes of a file ↔ its text, exactly.

Owns the only decoding of user files. Never guesses: UTF-8 is decoded strictly, UTF-16 only where a BOM says so, and
everything else is refused with the place of the first byte that does not fit. What was decoded encodes back to the
same bytes; a BOM belongs to the file, not to its text.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from enum import StrEnum

from dovetail.model.codes import Code
from dovetail.model.errors import WorkspaceError


class Encoding(StrEnum):
    """How a file's text is written. The UTF-16 members and `UTF_8_BOM` begin with a byte-order mark."""

    UTF_8 = "utf-8"
    UTF_8_BOM = "utf-8-bom"
    UTF_16_LE = "utf-16-le"
    UTF_16_BE = "utf-16-be"


_BOMS = {
    Encoding.UTF_8_BOM: codecs.BOM_UTF8,
    Encoding.UTF_16_LE: codecs.BOM_UTF16_LE,
    Encoding.UTF_16_BE: codecs.BOM_UTF16_BE,
}
_CODECS = {
    Encoding.UTF_8: "utf-8",
    Encoding.UTF_8_BOM: "utf-8",
    Encoding.UTF_16_LE: "utf-16-le",
    Encoding.UTF_16_BE: "utf-16-be",
}
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, line ends as they are, the BOM left out."""

    text: str
    encoding: Encoding


@dataclass(frozen=True, slots=True)
class Undecodable:
    """Bytes that are no text: `code` is `binary` or `encoding`, `detail` one sentence for a person."""

    code: Code
    detail: str


def decode(data: bytes) -> Decoded | Undecodable:
    """Read a file's bytes as text, or say why they are none."""
    encoding = _announced(data)
    body = data[len(_BOMS.get(encoding, b"")) :]
    if encoding in (Encoding.UTF_8, Encoding.UTF_8_BOM) and b"\0" in body:
        return Undecodable(Code.BINARY, "It holds NUL bytes, so it is taken for a binary file.")
    try:
        text = body.decode(_CODECS[encoding])
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        offset = error.start + len(data) - len(body)
        return Undecodable(
            Code.ENCODING, f"It is not valid {encoding.value.upper()}: byte {offset} (line {line}) does not fit."
        )
    if "\0" in text:
        return Undecodable(Code.BINARY, "It holds NUL characters, so it is taken for a binary file.")
    return Decoded(text, encoding)


def is_marked(data: bytes | None) -> bool:
    """Return whether a file's bytes begin with a byte-order mark of UTF-8; None is no file."""
    return data is not None and data.startswith(codecs.BOM_UTF8)


def encode(text: str, encoding: Encoding, path: str) -> bytes:
    """Bytes of a text in a file's own encoding, BOM included. `path` is for the message.

    A U+FEFF at the start of a text that is to have no BOM would become one, so it is left out.
    Raises `WorkspaceError` (code ``encoding``) for text that would not decode back to itself.
    """
    if encoding is Encoding.UTF_8:
        text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise WorkspaceError(
            f"The new text of `{path}` holds a NUL character.", code="encoding", hint="Ask for the text without it."
        )
    try:
        return _BOMS.get(encoding, b"") + text.encode(_CODECS[encoding])
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise WorkspaceError(
            f"The new text of `{path}` holds {found}, which {encoding.value.upper()} cannot say.",
            code="encoding",
            hint="Ask for the text without it.",
        ) from None


def _announced(data: bytes) -> Encoding:
    if data.startswith(_UTF_32):
        return Encoding.UTF_8  # UTF-32 is full of NULs: reported as binary, not misread as UTF-16
    return next((encoding for encoding, bom in _BOMS.items() if data.startswith(bom)), Encoding.UTF_8)
