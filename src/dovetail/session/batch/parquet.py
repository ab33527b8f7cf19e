"""Cases and answers as tables of Arrow, which Parquet files and Ray's datasets hold.

The columns are the keys of the lines of JSON. What may have any shape is a column of JSON text, so that all answers
have one schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from dovetail.model.errors import UsageError
from dovetail.session.batch.extension_types import refuse_extension_columns, refuse_extension_types
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
        "error": pa.string(),
    }
)
"""The columns of answers. `id` is a text or the JSON of another value; null in `files` means that the file is gone."""

_CASES = ("id", "files", "reply", "policy", "root", "seen")
_JSON = ("results", "shell_suggestions", "diagnostics")
_ROWS = 64  # cases that are read at once
_BUFFER = 1 << 20  # bytes of a column that are read at once
_PART = (500, 8 * 1024 * 1024)  # answers, and bytes of their lines, that are written at once


def row_lines(rows: pa.Table | pa.RecordBatch) -> Iterator[bytes]:
    """Each row as the line of JSON that says the same.

    `files`, `seen` and `policy` may be maps, structs or JSON texts. A struct has the keys of all rows: null means that
    this row has none, which in `files` says that there is no such file. Raises `UsageError` for extension types.
    """
    present = rows.select([name for name in _CASES if name in rows.schema.names])
    refuse_extension_columns(present)
    for row in present.to_pylist(maps_as_pydicts="lossy"):
        for column in ("files", "seen", "policy"):
            value = row.get(column)
            if isinstance(value, str):
                try:
                    row[column] = json.loads(value)
                except ValueError:
                    continue  # not what the column must hold, as the answer will say
            elif isinstance(value, dict) and column != "files":
                row[column] = {key: held for key, held in value.items() if held is not None}
        yield json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n"


def answers_table(answers: Iterable[bytes]) -> pa.Table:
    """Lines of answers as rows of `ANSWERS`."""
    return pa.Table.from_pylist([_row(json.loads(answer)) for answer in answers], schema=ANSWERS)


def _row(answer: dict[str, Any]) -> Mapping[str, object]:
    row = {**answer, "id": id_text(answer["id"]), **{key: json.dumps(answer[key]) for key in _JSON if key in answer}}
    if "files" in row:
        row["files"] = list(row["files"].items())
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        name = None if row["id"] is None else row["id"].encode(errors="replace").decode()
        return {"id": name, "error": "The answer has a lone surrogate, which no column of texts can hold."}
    return row


def open_parquet(file: IO[bytes], name: str) -> pq.ParquetFile:
    """A file of cases. Raises `UsageError` for one that has none, or has columns of extension types."""
    refuse_extension_types(file, name)
    try:
        opened = pq.ParquetFile(file, buffer_size=_BUFFER)
    except pa.ArrowInvalid as error:
        raise UsageError(f"`{name}` cannot be read: {error}", hint="Name a Parquet file.") from None
    if missing := [f"`{column}`" for column in ("files", "reply") if column not in opened.schema_arrow.names]:
        hint = "Name the columns as the keys of a case: files, reply, and further ones as docs/reference/json.md says."
        raise UsageError(f"`{name}` has no column {' and '.join(missing)}.", hint=hint)
    return opened


def parquet_rows(
    file: pq.ParquetFile, groups: Sequence[int] | None = None, begin: int = 0, end: int | None = None
) -> Iterator[bytes]:
    """The rows of a file, or of some of its row groups, as `row_lines`; of these rows those from `begin` to `end`."""
    columns = [name for name in _CASES if name in file.schema_arrow.names]
    batches = file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=columns)
    return islice((line for rows in batches for line in row_lines(rows)), begin, end)


def write_parquet(file: IO[bytes], tables: Iterable[pa.Table]) -> None:
    """Write tables of answers as the row groups of one file."""
    with pq.ParquetWriter(file, ANSWERS, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)


def tables_of(answers: Iterable[bytes]) -> Iterator[pa.Table]:
    """Tables of a size that is written at once."""
    return map(answers_table, chunks(answers, *_PART))


class ParquetAnswers:
    """Writes one file. A Parquet file can be read only when it is complete, so parts gather beside it until then.

    After an interruption the parts stay, and `resume` goes on behind them, or behind a file that is complete.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._folder = path.with_name(f"{path.name}.parts")
        self._folder.mkdir(exist_ok=True)
        if not resume:
            self._remove_parts()
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
        """Leave the parts of a file that is not complete."""

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
        """The last first: what an interruption leaves are still the first answers."""
        for part in reversed(self._parts()):
            part.unlink()
        (self._folder / "_unfinished").unlink(missing_ok=True)
