"""Cases and answers in files of JSON Lines; an interrupted batch goes on after its last answer."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from itertools import islice
from typing import Any, BinaryIO

from dovetail.model.errors import UsageError


def is_parquet(name: str) -> bool:
    """Return whether a file's name ends as those of Parquet files do."""
    return name.lower().endswith((".parquet", ".pq"))


def is_unanswered(answer: bytes) -> bool:
    """Return whether an answer is an error."""
    return b'"error"' in answer and "error" in json.loads(answer)  # parsed only if it has the word, as few have


def id_of(line: bytes) -> Any:  # noqa: ANN401 - as JSON has it
    """Return the id of a case or an answer; None for a line that has none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record.get("id") if isinstance(record, dict) else None


def id_text(name: object) -> str | None:
    """Return an id as a text: one of another type as JSON; None for None."""
    return name if name is None or isinstance(name, str) else json.dumps(name)


def chunks(lines: Iterable[bytes], count: int, size: int) -> Iterator[list[bytes]]:
    """Yield lists of lines; a list ends with `count` lines, or with the line that brings it to `size` bytes."""
    chunk: list[bytes] = []
    held = 0
    for line in lines:
        chunk.append(line)
        held += len(line)
        if len(chunk) == count or held >= size:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def cases_behind(cases: Iterator[bytes], done: int, last_id: str | None) -> Iterator[bytes]:
    """Return the cases after the first `done`. Raises `UsageError` unless the last of those has the id `last_id`."""
    last = next(islice(cases, done - 1, None), None) if done else b""
    if last is None or id_text(id_of(last)) != last_id:
        raise UsageError(
            f"The {done:,} answers of --out are not those of the first cases of --in.",
            hint="Name the files of the run that was interrupted, or leave --resume out.",
        )
    return cases


def case_lines(file: BinaryIO | BufferedIOBase, begin: int = 0, end: float = math.inf) -> Iterator[bytes]:
    """Yield the lines of a JSON Lines file, but blank ones, that begin at an offset from `begin` to before `end`.

    Offsets are in bytes. So neighbouring parts of a file share no line and leave none out.
    """
    place = 0
    # A line belongs to the part in which it begins. From one byte before, `readline` passes a line that began
    # earlier, or, where one ends just there, only its end.
    if begin:
        place = file.seek(begin - 1)
        place += len(file.readline())
    while place < end and (line := file.readline()):
        if not place:
            line = line.removeprefix(codecs.BOM_UTF8)
        place += len(line)
        if case := line.strip():
            yield case + b"\n"


class LineAnswers:
    """Answers as JSON Lines. With `resume`, a last line without its end is cut off, and the others stay."""

    def __init__(self, file: BinaryIO, *, resume: bool) -> None:
        self._file = file
        self.done = 0
        """Answers that were there before."""
        size, last = 0, b""
        if resume:
            for line in file:
                if line.endswith(b"\n"):
                    self.done, size, last = self.done + 1, size + len(line), line
            file.seek(size)
            file.truncate()
        self.last_id = id_text(id_of(last))
        """The id of the last of them."""

    def write(self, answers: Iterable[bytes]) -> None:
        """Write all answers."""
        self._file.writelines(answers)
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
