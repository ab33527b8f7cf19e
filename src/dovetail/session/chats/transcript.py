"""A conversation on disk: one JSON object a line, enough to go on with it or to replay it without a model.

Owns the records and their file under `.dovetail/chats/`, private to the user. Written as things happen, so that what
was said before a crash is kept; a last line that was cut off is left out when the file is read, or gone on with. One
session at a time has it open.
Kinds of records:

    chat     id, time, version of the records; the first line
    turn     request, options, policy and files in force when it was asked, and which operations stood
    reply    step, text, stop, usage, model; `broken` where it did not come whole
    arrived  use: whether what had come of a reply that broke off was decided on
    added    path, why, answer
    places   numbers and lines that were chosen
    approved chosen numbers (null: all), on_failure; or `no`
    outdated reason: a file changed before the plan was written, and what is said next is about a plan made anew
    written  operation, and each file's digest after
    heard    the messages that the history took up, and what the next request begins with
    options  how the model is asked from here on; when the conversation began, and whenever that changed
    held     the files in the conversation, after a turn and after each command that changed them
    end      the turn came to its end; without it, it broke off
    undo     operation that was taken back, files after
    redo     operation that was done again, files after
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from dovetail.model.errors import LockedError, UsageError, WorkspaceError
from dovetail.model.results import FileChange
from dovetail.session.chats.claim import LetGo, claim
from dovetail.session.chats.record_form import wrong_field
from dovetail.workspace.explain import explain
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.own_folder import own_folder

VERSION = 1
FOLDER = "chats"
_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
_LARGEST = 256 * 1024 * 1024

Record = dict[str, Any]


class Transcript:
    """Appends records to one file under a root; opened by `begin` or `resume`. `id` is what `chat --resume` takes."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.id = name
        self._let_go: LetGo | None = None

    @property
    def file(self) -> Path:
        """Where the records are."""
        return self.root / JOURNAL_FOLDER / FOLDER / f"{self.id}.jsonl"

    def claim(self) -> None:
        """Keep every other session out until `close`. Raises `LockedError` where one is in."""
        self.close()
        with self._telling():
            self._let_go = claim(self.file.with_suffix(".lock"))

    def close(self) -> None:
        """Let others go on with it; a second call does nothing."""
        let_go, self._let_go = self._let_go, None
        if let_go is not None:
            let_go()

    def write(self, kind: str, **fields: object) -> None:
        """Append one record; a line before it that was cut off is left out.

        Where file or folder are gone, both begin anew. Raises `WorkspaceError` where the record cannot be kept.
        """
        with self._telling(), os.fdopen(self._opened(), "r+b") as kept:
            if not _end_with_a_line(kept):
                kept.write(_line("chat", id=self.id, time=time.strftime("%Y-%m-%dT%H:%M:%S%z"), version=VERSION))
            kept.write(_line(kind, **fields))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise WorkspaceError(
                f"The conversation cannot be kept in `{self.file}`: {error.strerror or error}.",
                hint="Free some space there, or make the folder yours and writable.",
                code=explain(error).code,
            ) from error

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            return os.open(self.file, flags, 0o600)
        except FileNotFoundError:
            _make_folder(self.root)
            if self._let_go is not None:  # the lock went with the folder
                self.claim()
            return os.open(self.file, flags, 0o600)


def _line(kind: str, **fields: object) -> bytes:
    said = json.dumps({"kind": kind, **fields}, ensure_ascii=False, separators=(",", ":")) + "\n"
    return said.encode("utf-8", "surrogatepass")


def begin(root: Path) -> Transcript:
    """One that is new under a root, claimed; its first record makes the file. Raises `WorkspaceError`."""
    _make_folder(root)
    kept = Transcript(root, f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}")
    kept.claim()
    return kept


def resume(root: Path, wanted: str | None = None) -> tuple[Transcript, LockedError | None]:
    """The transcript with an id, or the newest that no session has open, claimed; and why it is not the newest.

    Raises `UsageError` where there is none, `LockedError` where it is open elsewhere.
    """
    kept = listed(root)
    found = [name for name in kept if wanted is None or name.startswith(wanted)]
    if not found or (wanted is not None and len(found) > 1):
        named = f" `{wanted}`" if wanted is not None else ""
        what = f"{len(found)} conversations begin with `{wanted}`" if found else f"There is no conversation{named}"
        raise UsageError(f"{what}.", hint=f"Kept are {', '.join(kept[-5:])}" if kept else "Begin one: dovetail chat")
    held: list[LockedError] = []
    for name in reversed(found):
        transcript = Transcript(root, name)
        try:
            transcript.claim()
        except LockedError as error:
            held.append(error)
        else:
            return transcript, held[0] if held else None
    raise held[0]


def listed(root: Path) -> list[str]:
    """Ids of all conversations under a root, oldest first."""
    folder = root / JOURNAL_FOLDER / FOLDER
    if not folder.is_dir():
        return []
    return sorted(file.stem for file in folder.glob("*.jsonl") if _NAME.fullmatch(file.stem))


def read(file: Path) -> list[Record]:
    """Every whole record of a transcript. Raises `UsageError` where the file is none."""
    try:
        if file.stat().st_size > _LARGEST:
            raise UsageError(f"{file} is too large for a transcript.", hint="Check its name.")
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read as a transcript.", hint="Check its name.") from error
    records = list(_records(data, file))
    if not records or records[0]["kind"] != "chat":
        raise UsageError(f"{file} is no transcript.", hint="They lie in .dovetail/chats")
    if records[0].get("version") != VERSION:
        raise UsageError(f"{file} was written by another version of Dovetail.", hint="Use that one.")
    return records


def _records(data: bytes, file: Path) -> Iterator[Record]:
    lines = data.split(b"\n")
    for n, line in enumerate(lines, start=1):
        try:
            record = _value(line) if line else None
        except (ValueError, RecursionError):
            if n == len(lines):
                return  # cut off by a crash
            raise UsageError(f"Line {n} of {file} is not JSON.", hint="Check its name.") from None
        if isinstance(record, dict) and isinstance(record.get("kind"), str):
            _check(record, n, file)
            yield record
        elif record is not None:
            raise UsageError(f"Line {n} of {file} is no record.", hint="Check its name.")


def _value(line: bytes) -> object:
    return json.loads(line.decode("utf-8", "surrogatepass"))


def _check(record: Record, n: int, file: Path) -> None:
    wrong = wrong_field(record)
    if wrong is not None:
        raise UsageError(
            f"Line {n} of {file}, a record `{record['kind']}`, has no `{wrong}` that is one.",
            hint="Take that line out, or take an earlier copy of the file.",
        )


def digests(changes: Iterable[FileChange]) -> dict[str, str | None]:
    """Identity of changed files by path (sha-256 of their text, hex); None for a file that is gone."""
    from hashlib import sha256

    texts = {change.path: change.after for change in changes}
    return {
        path: None if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        for path, text in texts.items()
    }


def _end_with_a_line(kept: BinaryIO) -> bool:
    """Take away what a crash, or a full disk, left of a last line; one that only lacks its end gets it.

    Gives whether there is any line.
    """
    size = kept.seek(0, os.SEEK_END)
    kept.seek(max(0, size - 1))
    if kept.read(1) in (b"", b"\n"):
        return size > 0
    kept.seek(0)
    whole, newline, last = kept.read().rpartition(b"\n")
    try:
        _value(last)
    except (ValueError, RecursionError):
        kept.truncate(len(whole + newline))
        size = len(whole + newline)
    else:
        kept.write(b"\n")
    kept.seek(0, os.SEEK_END)
    return size > 0


def _make_folder(root: Path) -> None:
    """Make the folder of the transcripts where it is missing. Raises `WorkspaceError`."""
    if own_folder(root, FOLDER) is None:
        raise WorkspaceError(
            f"Conversations cannot be kept: `{root / JOURNAL_FOLDER / FOLDER}` cannot be made.",
            hint="Make the root writable, and move away what is in that place.",
        )
