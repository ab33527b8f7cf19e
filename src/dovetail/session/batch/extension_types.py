"""Columns of extension types, which no file of cases needs: Arrow hands their bytes to whatever a program registered.

Ray registers types that unpickle these bytes, some as soon as a file's schema is read. So a Parquet file is asked
before Arrow opens it: its footer is a struct of Thrift (compact protocol) whose key/value pairs hold Arrow's schema.

Grammar of a pair, and of the footer's end::

    pair   = 0x18 size "ARROW:schema" 0x18 size base64 0x00      size: a varint
    footer = … size (4 bytes, little-endian) "PAR1"

What names Arrow's schema in any other way is refused, too: such a file was not written by Arrow.
"""

from __future__ import annotations

import base64
import binascii
import io
from typing import IO

import pyarrow as pa

from dovetail.model.errors import UsageError

_KEY = b"ARROW:schema"
_EXTENSION = b"ARROW:extension:"
_MAGIC = b"PAR1"
_TAIL = 8
_TEXT = 0x18  # the next field of a struct, which is a text
_STOP = 0
_MOST_FOOTER = 64 << 20
_HINT = "Write plain columns: files, seen and policy as maps, structs or JSON texts; the others as texts."


def refuse_extension_types(file: IO[bytes], name: str) -> None:
    """Raise `UsageError` for a Parquet file with a column of an extension type. The file is left at its beginning."""
    file.seek(0, io.SEEK_END)
    size = file.tell()
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if len(tail) < _TAIL or tail[4:] != _MAGIC or not 0 < length <= min(size - _TAIL, _MOST_FOOTER):
        raise UsageError(f"`{name}` is no Parquet file that can be read.", hint="Name a Parquet file.")
    file.seek(size - _TAIL - length)
    footer = file.read(length)
    file.seek(0)
    at = footer.find(_KEY)
    while at >= 0:
        schema = _schema_behind(footer, at + len(_KEY))
        if schema is None or _EXTENSION in schema:
            raise _refused(f"`{name}`")
        at = footer.find(_KEY, at + len(_KEY))


def refuse_extension_columns(rows: pa.Table | pa.RecordBatch) -> None:
    """Raise `UsageError` for rows with a column of an extension type, at any depth, before a value of it is read.

    To ask Arrow for an inner type would already hand over its bytes, so what is asked is the schema as it is written.
    """
    for field in rows.schema:
        if _EXTENSION in pa.schema([field]).serialize().to_pybytes():
            raise _refused(f"The column `{field.name}`")


def _refused(what: str) -> UsageError:
    return UsageError(f"{what} has an extension type, which reading could carry out.", hint=_HINT)


def _schema_behind(footer: bytes, at: int) -> bytes | None:
    """Arrow's schema behind its key; None where the pair is written otherwise."""
    if footer[at : at + 1] != bytes([_TEXT]):
        return None
    size, at = _varint(footer, at + 1)
    value, behind = footer[at : at + size], footer[at + size : at + size + 1]
    if len(value) != size or behind != bytes([_STOP]):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error:
        return None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of at most 35 bits, and the offset behind it."""
    number = 0
    for shift in range(0, 35, 7):
        byte = data[at] if at < len(data) else 0
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return number, at
