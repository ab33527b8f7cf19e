"""A conversation on disk: one JSON object a line, enough to go on with it or to replay it without a model.

Owns the records, their form, and their file under `.dovetail/chats/`, private to the user. Records are written as
things happen, so that a crash loses nothing before it; a last line that was cut off is ignored when the file is read,
and removed when it is continued. One session at a time has it open. Kinds of records:

    chat     id, time, version of the records; the first line
    turn     time, request, options, policy and files in force when it was asked, and which operations were in force
    reply    step (why it was asked), text, stop, usage, model; `broken` if it did not come whole
    arrived  use: whether to go on with what had come of a reply that broke off
    added    path, why, answer
    places   numbers and lines that were chosen; null: to be chosen on the plan
    listings lines and files of the listings that were used
    approved chosen numbers (null: all), on_failure, partial; or `no`
    outdated reason: a file changed before the plan was written, and the next answers are about a plan made anew
    written  operation, and each file's digest after
    heard    the messages that the history took up, and what the next request begins with
    options  how the model is asked from here on; when the conversation began, and whenever that changed
    cleared  what was said before is forgotten
    held     the files in the conversation, after a turn and after each command that changed them
    end      the turn came to its end; without it, it broke off
    undo     operation that was undone, files after
    redo     operation that was redone, files after
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from dovetail.llm.values import Role, Stop
from dovetail.model.codes import (
    GUARD_CODES,
    Commands,
    Confidence,
    Conflicts,
    EditsBy,
    NewErrors,
    Occurrence,
    OnFailure,
    Tier,
)
from dovetail.model.errors import LockedError, UsageError, WorkspaceError
from dovetail.model.results import FileChange
from dovetail.session.conversation.rounds import Step
from dovetail.workspace.directory import explain
from dovetail.workspace.journal.store import private_folder
from dovetail.workspace.lock import take, take_by_path
from dovetail.workspace.names import JOURNAL_FOLDER

VERSION = 1
FOLDER = "chats"
_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
_LARGEST = 256 * 1024 * 1024  # bytes of a transcript that is read

Record = dict[str, Any]


class ChatRecord:
    """Appends records to one file under a root; made by `begin` or `resume`. id: the argument of `chat --resume`."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.id = name
        self._release: Callable[[], None] | None = None

    @property
    def file(self) -> Path:
        """The path of the file with the records."""
        return self.root / JOURNAL_FOLDER / FOLDER / f"{self.id}.jsonl"

    def claim(self) -> None:
        """Keep every other session out until `close`. Raises `LockedError` if one has it open."""
        self.close()
        with self._explaining():
            self._release = _locked(self.file.with_suffix(".lock"))

    def close(self) -> None:
        """Release the claim, so that other sessions can open it; a second call does nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()

    def write(self, kind: str, **fields: object) -> None:
        """Append one record, after removing a last line that was cut off.

        If the file or its folder is gone, it is made anew. Raises `WorkspaceError` if the record cannot be written.
        """
        with self._explaining(), os.fdopen(self._opened(), "r+b") as file:
            if not _end_with_a_line(file):
                file.write(_line("chat", id=self.id, time=time.strftime("%Y-%m-%dT%H:%M:%S%z"), version=VERSION))
            file.write(_line(kind, **fields))

    @contextmanager
    def _explaining(self) -> Iterator[None]:
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
            if self._release is not None:  # the lock went with the folder
                self.claim()
            return os.open(self.file, flags, 0o600)


def begin(root: Path) -> ChatRecord:
    """Return a new, claimed record under a root; its first `write` makes the file. Raises `WorkspaceError`."""
    _make_folder(root)
    record = ChatRecord(root, f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}")
    record.claim()
    return record


def resume(root: Path, wanted: str | None = None) -> tuple[ChatRecord, LockedError | None]:
    """Claim the transcript with an id or its beginning, by default the newest that no session has open.

    Return it, and the error of a newer one that is open elsewhere, or None. Raises `UsageError` if there is none,
    `LockedError` if all that fit are open elsewhere.
    """
    known = listed(root)
    found = [name for name in known if wanted is None or name.startswith(wanted)]
    if not found or (wanted is not None and len(found) > 1):
        named = f" `{wanted}`" if wanted is not None else ""
        what = f"{len(found)} conversations begin with `{wanted}`" if found else f"There is no conversation{named}"
        raise UsageError(f"{what}.", hint=f"Kept are {', '.join(known[-5:])}" if known else "Begin one: dovetail chat")
    locked: list[LockedError] = []
    for name in reversed(found):
        record = ChatRecord(root, name)
        try:
            record.claim()
        except LockedError as error:
            locked.append(error)
        else:
            return record, locked[0] if locked else None
    raise locked[0]


def listed(root: Path) -> list[str]:
    """Ids of all conversations under a root, oldest first."""
    folder = root / JOURNAL_FOLDER / FOLDER
    if not folder.is_dir():
        return []
    return sorted(file.stem for file in folder.glob("*.jsonl") if _NAME.fullmatch(file.stem))


def _make_folder(root: Path) -> None:
    if private_folder(root, FOLDER) is None:
        raise WorkspaceError(
            f"Conversations cannot be kept: `{root / JOURNAL_FOLDER / FOLDER}` cannot be made.",
            hint="Make the root writable, and move away what is in that place.",
        )


def _locked(file: Path) -> Callable[[], None]:
    """Make and lock a file; return the function that removes and releases it.

    Raises `LockedError` if another session holds it, `OSError`.
    """
    refuse = partial(_refusal, file)
    if sys.platform == "win32":
        return take_by_path(str(file), 0, refuse)
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            take(descriptor, 0, refuse)
            # The last holder has removed the file if it is another one by now. A lock on a file without a name keeps
            # nobody out, so the name is opened again.
            if _is_still(file, descriptor):
                return lambda: _give_up(file, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # whoever held it has left, and removed the file


def _is_still(file: Path, descriptor: int) -> bool:
    """Return whether the name still means the file that is open."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def _give_up(file: Path, descriptor: int) -> None:
    with suppress(OSError):
        if _is_still(file, descriptor):
            file.unlink()
    # The file is removed before the lock is released, or another session could lock a file that is then removed.
    os.close(descriptor)  # this releases the lock


def _refusal(file: Path, holder: str) -> LockedError:
    who = f"process {holder}" if holder.isdigit() else "another process"
    return LockedError(
        f"Conversation {file.stem} is open in {who}.", hint="Leave it there first, or begin a new one: dovetail chat"
    )


def _line(kind: str, **fields: object) -> bytes:
    line = json.dumps({"kind": kind, **fields}, ensure_ascii=False, separators=(",", ":")) + "\n"
    return line.encode("utf-8", "surrogatepass")


def _value(line: bytes) -> object:
    return json.loads(line.decode("utf-8", "surrogatepass"))


def _end_with_a_line(file: BinaryIO) -> bool:
    """Remove a last line that a crash or a full disk cut off; add the line end if only that is missing.

    Return whether the file has any line.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 1))
    if file.read(1) in (b"", b"\n"):
        return size > 0
    file.seek(0)
    whole, newline, last = file.read().rpartition(b"\n")
    try:
        _value(last)
    except (ValueError, RecursionError):
        size = len(whole + newline)
        file.truncate(size)
    else:
        file.write(b"\n")
    file.seek(0, os.SEEK_END)
    return size > 0


def read(file: Path) -> list[Record]:
    """Return every whole record of a transcript. Raises `UsageError` if the file is not a transcript."""
    try:
        if file.stat().st_size > _LARGEST:
            raise UsageError(f"{file} is too large for a transcript.", hint="Check its name.")
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read as a transcript.", hint="Check its name.") from error
    records: list[Record] = []
    lines = data.split(b"\n")
    for n, line in enumerate(lines, start=1):
        try:
            record = _value(line) if line else None
        except (ValueError, RecursionError):
            if n == len(lines):
                break  # cut off by a crash
            raise UsageError(f"Line {n} of {file} is not JSON.", hint="Check its name.") from None
        if record is None:
            continue
        if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
            raise UsageError(f"Line {n} of {file} is no record.", hint="Check its name.")
        wrong = wrong_field(record)
        if wrong is not None:
            raise UsageError(
                f"Line {n} of {file}, a record `{record['kind']}`, has no valid `{wrong}`.",
                hint="Take that line out, or take an earlier copy of the file.",
            )
        records.append(record)
    if not records or records[0]["kind"] != "chat":
        raise UsageError(f"{file} is no transcript.", hint="They lie in .dovetail/chats")
    if records[0].get("version") != VERSION:
        raise UsageError(f"{file} was written by another version of Dovetail.", hint="Use that one.")
    return records


def digests(changes: Iterable[FileChange]) -> dict[str, str | None]:
    """Return the sha-256 of each changed file's text, hex, by path; None for a removed file."""
    texts = {change.path: change.after for change in changes}
    return {
        path: None if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        for path, text in texts.items()
    }


class _Maybe(NamedTuple):
    """The form of a field that may be missing, or with `null` be None."""

    form: Any
    null: bool = False
    missing: bool = True


_COUNT, _POSITIVE = "count", "positive"
_POLICY = {
    "occurrence": Occurrence,
    "conflicts": Conflicts,
    "tiers": _Maybe([Tier], null=True, missing=False),
    "accept": _Maybe([tuple(GUARD_CODES)]),
    "min_confidence": _Maybe(Confidence),
    "new_errors": _Maybe(NewErrors),
    "commands": _Maybe(Commands),
}
_OPTIONS = {
    "model": _Maybe(str),
    "editor_model": _Maybe(str, null=True),
    "format": _Maybe(str),
    "edits_by": _Maybe(EditsBy),
    "architect": _Maybe(bool),
    "shell": _Maybe(bool),
    "max_rounds": _Maybe(_COUNT),
    "map_tokens": _Maybe(_COUNT),
    "file_tokens": _Maybe(_POSITIVE, null=True),
}
_CALL = {"id": str, "name": str, "arguments": str}
_HELD = {"editable": [str], "read_only": [str]}
_FILES = {...: _Maybe(str, null=True, missing=False)}
_STANDS = _Maybe({...: [_POSITIVE]})
_FORMS: Mapping[str, Mapping[str, Any]] = {
    "turn": {"time": _Maybe(str), "request": str, "options": _OPTIONS, "policy": _POLICY, "stands": _STANDS, **_HELD},
    "reply": {
        "step": _Maybe(Step),
        "text": str,
        "stop": Stop,
        "usage": _Maybe({...: _COUNT}, null=True),
        "model": _Maybe(str),
        "reasoning": _Maybe(str),
        "calls": _Maybe([_CALL]),
        "broken": _Maybe(bool),
    },
    "arrived": {"use": bool},
    "added": {"path": str, "answer": bool},
    "places": {"chosen": [(_POSITIVE, _Maybe(_POSITIVE, null=True, missing=False))]},
    "listings": {"used": [(_POSITIVE, str)]},
    "approved": {
        "no": bool,
        "chosen": _Maybe([_POSITIVE], null=True, missing=False),
        "on_failure": OnFailure,
        "partial": _Maybe(bool),
    },
    "written": {"operation": str, "files": _FILES},
    "heard": {
        "messages": [((Role.USER, Role.ASSISTANT), str)],
        "tools": _Maybe([(_COUNT, {"calls": [_CALL], "answers": [{"id": str, "text": str, "ok": bool}]})]),
        "notes": _Maybe([str]),
    },
    "options": {"options": _OPTIONS},
    "held": _HELD,
    "undo": {"operation": str, "files": _FILES},
    "redo": {"operation": str, "files": _FILES},
}
"""The fields of each kind of record. Anybody may have changed a transcript, so its records are checked against these
forms before anything relies on them. Further fields and kinds are allowed.

A form is a type, an enumeration or some of its members (for their words), a list of one form, a pair, or a dictionary
of named fields, where the name ``...`` stands for any.
"""


def wrong_field(record: Mapping[str, Any]) -> str | None:
    """Return the name of the first field of a record that is missing or of another form; None if all are right."""
    if record["kind"] == "approved" and record.get("no") is True:
        return None
    fields = _FORMS.get(record["kind"], {})
    return next((name for name, form in fields.items() if not _fits(record.get(name, ...), form)), None)


def _fits(value: object, form: Any) -> bool:  # noqa: ANN401 - see `_FORMS`
    match form:
        case _Maybe():
            return (form.missing and value is ...) or (form.null and value is None) or _fits(value, form.form)
        case "count" | "positive":
            return isinstance(value, int) and not isinstance(value, bool) and value >= (form == _POSITIVE)
        case [inner] if isinstance(form, list):
            return isinstance(value, list) and all(_fits(item, inner) for item in value)
        case (StrEnum(), *_):
            return isinstance(value, str) and value in form
        case (first, second):
            return isinstance(value, list) and len(value) == 2 and _fits(value[0], first) and _fits(value[1], second)
        case dict():
            if not isinstance(value, dict):
                return False
            if ... in form:
                return all(_fits(item, form[...]) for item in value.values())
            return all(_fits(value.get(name, ...), inner) for name, inner in form.items())
        case type() if issubclass(form, StrEnum):
            return isinstance(value, str) and value in map(str, form)
        case _:
            return isinstance(value, form)
