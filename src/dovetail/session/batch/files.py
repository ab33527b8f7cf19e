"""Cases and answers in files of JSON Lines, and how a batch that was interrupted goes on behind its last answer."""

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
    """Return whether a file is Parquet by its name."""
    return name.lower().endswith((".parquet", ".pq"))


def is_unanswered(answer: bytes) -> bool:
    """Return whether an answer says that its case has none."""
    return b'"error"' in answer and "error" in json.loads(answer)  # few have the word at all


def id_of(line: bytes) -> Any:  # noqa: ANN401 - as JSON has it
    """The id of a case or an answer; None for a line that has none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record.get("id") if isinstance(record, dict) else None


def id_text(name: object) -> str | None:
    """An id as a text: JSON, if it is none."""
    return name if name is None or isinstance(name, str) else json.dumps(name)


def chunks(lines: Iterable[bytes], count: int, size: int) -> Iterator[list[bytes]]:
    """Lists of lines: at most `count` of them, and none more once they have `size` bytes."""
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
    """The cases behind the first `done`, the last of which must have the id. Raises `UsageError` if it has another."""
    last = next(islice(cases, done - 1, None), None) if done else b""
    if last is None or id_text(id_of(last)) != last_id:
        raise UsageError(
            f"The {done:,} answers of --out are not those of the first cases of --in.",
            hint="Name the files of the run that was interrupted, or leave --resume out.",
        )
    return cases


def case_lines(file: BinaryIO | BufferedIOBase, begin: int = 0, end: float = math.inf) -> Iterator[bytes]:
    """The lines of JSON Lines that begin from `begin` to before `end`, in bytes; blank ones are no cases."""
    place = 0
    # A line belongs to the part in which it begins. From one byte before, `readline` passes a line that began
    # earlier, or, where one ends just there, only its end.
    if begin:
        place = file.seek(begin - 1)
        place += len(file.readline())  # which began before
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
