"""Cases and answers as tables of Arrow, which Parquet files and Ray's datasets hold.

The columns are the keys of the lines of JSON. Values of any shape are columns of JSON text, so that all answers have
one schema.

No case needs a column of an extension type, whose bytes Arrow hands to whatever a program registered: Ray registers
types that unpickle them, some as soon as a file's schema is read. So a Parquet file is asked before Arrow opens it: its
footer is a struct of Thrift (compact protocol) whose pairs hold Arrow's schema. Grammar of both::

    pair   = 0x18 size "ARROW:schema" 0x18 size base64 0x00      size: a varint
    footer = … size (4 bytes, little-endian) "PAR1"

A file that names Arrow's schema in any other way is refused, too, as Arrow did not write it.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from dovetail.model.errors import UsageError
from dovetail.session.batch.files import chunks, id_text

ANSWERS = pa.schema(
    {
        "id": pa.string(),
        "files": pa.map_(pa.string(), pa.string()),
        "results": pa.string(),
        "files_modified": pa.list_(pa.string()),
        "shell_suggestions": pa.string(),
        "diagnostics": pa.string(),
        "seconds": pa.float64(),
        "score": pa.string(),
        "diff": pa.string(),
        "digests": pa.map_(pa.string(), pa.string()),
        "error": pa.string(),
    }
)
"""The columns of answers. `id` is a text or the JSON of another value; null in `files` means that the file is gone."""

_CASES = ("id", "files", "reply", "completion", "messages", "truth", "policy", "root", "cwd", "seen")
_REPLIES = ("reply", "completion", "messages")
_JSON = ("results", "shell_suggestions", "diagnostics", "score")
_ROWS = 64  # cases that are read at once
_BUFFER = 1 << 20  # bytes of a column that are read at once
_PART = (500, 8 * 1024 * 1024)  # answers, and bytes of their lines, that are written at once
_KEY = b"ARROW:schema"
_EXTENSION = b"ARROW:extension:"
_MAGIC = b"PAR1"
_TAIL = 8
_TEXT = 0x18  # the next field of a struct, which is a text
_STOP = 0
_MOST_FOOTER = 64 << 20
_HINT = "Write plain columns: files, seen and policy as maps, structs or JSON texts; the others as texts."


def row_lines(rows: pa.Table | pa.RecordBatch) -> Iterator[bytes]:
    """Yield each row as a case in a line of JSON.

    `files`, `truth`, `seen` and `policy` may be maps, structs or JSON texts. A struct has the keys of all rows, so null
    stands for a missing one; in `files` and `truth` it stays, for a file that does not exist. Raises `UsageError` for
    extension types.
    """
    present = rows.select([name for name in _CASES if name in rows.schema.names])
    refuse_extension_columns(present)
    for row in present.to_pylist(maps_as_pydicts="lossy"):
        for column in ("files", "truth", "seen", "policy"):
            value = row.get(column)
            if isinstance(value, str):
                try:
                    row[column] = json.loads(value)
                except ValueError:
                    continue  # the answer will be an error about this column
            elif isinstance(value, dict) and column not in ("files", "truth"):
                row[column] = {key: held for key, held in value.items() if held is not None}
        yield json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n"


def answers_table(answers: Iterable[bytes]) -> pa.Table:
    """Lines of answers as rows of `ANSWERS`."""
    return pa.Table.from_pylist([_row(json.loads(answer)) for answer in answers], schema=ANSWERS)


def _row(answer: dict[str, Any]) -> Mapping[str, object]:
    row = {**answer, "id": id_text(answer["id"]), **{key: json.dumps(answer[key]) for key in _JSON if key in answer}}
    row |= {key: list(row[key].items()) for key in ("files", "digests") if key in row}
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        name = None if row["id"] is None else row["id"].encode(errors="replace").decode()
        return {"id": name, "error": "The answer has a lone surrogate, which no column of texts can hold."}
    return row


def open_parquet(file: IO[bytes], name: str) -> pq.ParquetFile:
    """Open a file of cases. Raises `UsageError` if it is no Parquet file, lacks a column, or has extension types."""
    refuse_extension_types(file, name)
    try:
        opened = pq.ParquetFile(file, buffer_size=_BUFFER)
    except pa.ArrowInvalid as error:
        raise UsageError(f"`{name}` cannot be read: {error}", hint="Name a Parquet file.") from None
    names = opened.schema_arrow.names
    has_reply = not set(_REPLIES).isdisjoint(names)
    if missing := ["`files`"] * ("files" not in names) + ["`reply`"] * (not has_reply):
        hint = "Name the columns as the keys of a case: files, reply, and further ones as docs/reference/json.md says."
        raise UsageError(f"`{name}` has no column {' and '.join(missing)}.", hint=hint)
    return opened


def parquet_rows(
    file: pq.ParquetFile, groups: Sequence[int] | None = None, begin: int = 0, end: int | None = None
) -> Iterator[bytes]:
    """Return the rows of a file, or of some of its row groups, like `row_lines`; of these only `begin` to `end`.

    begin, end: from 0, `end` not included.
    """
    columns = [name for name in _CASES if name in file.schema_arrow.names]
    batches = file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=columns)
    return islice((line for rows in batches for line in row_lines(rows)), begin, end)


def write_parquet(file: IO[bytes], tables: Iterable[pa.Table]) -> None:
    """Write tables of answers as the row groups of one file."""
    with pq.ParquetWriter(file, ANSWERS, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)


def tables_of(answers: Iterable[bytes]) -> Iterator[pa.Table]:
    """Return answers as tables of at most 500 rows or about 8 MB each."""
    return map(answers_table, chunks(answers, *_PART))


class ParquetAnswers:
    """Writes answers to one file. A Parquet file can be read only when it is complete, so parts are kept beside it.

    After an interruption the parts stay, and `resume` goes on after them, or after a complete file.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._folder = path.with_name(f"{path.name}.parts")
        self._folder.mkdir(exist_ok=True)
        if not resume:
            self._remove_parts()
        # A complete file becomes the first part, and is continued like an interrupted one.
        elif path.exists() and not self._parts():
            path.replace(self._folder / self._name(0))
        for part in self._parts():
            with part.open("rb") as file:
                refuse_extension_types(file, str(part))
        ids = [pq.read_table(part, columns=["id"]).column("id") for part in self._parts()]
        self.done = sum(map(len, ids))
        """Answers that were there before."""
        self.last_id: str | None = ids[-1][-1].as_py() if self.done else None
        """The id of the last of them."""

    def write(self, answers: Iterable[bytes]) -> None:
        """Write all answers, and complete the file."""
        for number, table in enumerate(tables_of(answers), len(self._parts())):
            self._put(self._folder / self._name(number), [table])
        joined = (
            part.read_row_group(n) for part in map(pq.ParquetFile, self._parts()) for n in range(part.num_row_groups)
        )
        self._put(self._path, joined)
        self._remove_parts()
        self._folder.rmdir()

    def close(self) -> None:
        """Do nothing: the parts of an incomplete file stay, for `resume`."""

    def _put(self, target: Path, tables: Iterable[pa.Table]) -> None:
        unfinished = self._folder / "_unfinished"
        with unfinished.open("wb") as file:
            write_parquet(file, tables)
        unfinished.replace(target)

    @staticmethod
    def _name(number: int) -> str:
        return f"part-{number:06}.parquet"

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("part-*.parquet"))

    def _remove_parts(self) -> None:
        """Remove the parts, the last first: if that is interrupted, the first answers are left."""
        for part in reversed(self._parts()):
            part.unlink()
        (self._folder / "_unfinished").unlink(missing_ok=True)


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
    # The footer is searched, not parsed: when Arrow reads the schema it makes the extension types. The key may also be
    # in a value, so each place with it is checked.
    while at >= 0:
        schema = _schema_behind(footer, at + len(_KEY))
        if schema is None or _EXTENSION in schema:
            raise _refused(f"`{name}`")
        at = footer.find(_KEY, at + len(_KEY))


def refuse_extension_columns(rows: pa.Table | pa.RecordBatch) -> None:
    """Raise `UsageError` for rows with a column of an extension type, at any depth, before a value of it is read.

    Arrow hands over a type's bytes when it is asked for an inner type, so the serialized schema is searched.
    """
    for field in rows.schema:
        if _EXTENSION in pa.schema([field]).serialize().to_pybytes():
            raise _refused(f"The column `{field.name}`")


def _refused(what: str) -> UsageError:
    return UsageError(f"{what} has an extension type, which reading could carry out.", hint=_HINT)


def _schema_behind(footer: bytes, at: int) -> bytes | None:
    """Return the bytes of Arrow's schema, whose key ends at `at`; None if no value in Arrow's form follows."""
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
    """Read a number of at most 35 bits; return it, and the offset after it."""
    number = 0
    for shift in range(0, 35, 7):
        byte = data[at] if at < len(data) else 0
        at += 1
        # Seven bits a byte, the lowest first; the highest bit says that another byte follows.
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return number, at
