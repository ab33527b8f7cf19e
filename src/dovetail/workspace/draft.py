"""What is said about an operation besides its files: label, reply, results; and the id and time it gets.

An id is the time to the second, and a counter for those of one second, so that ids sort as they were made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from dovetail.model.dataclasses import dataclass
from dovetail.workspace.files import digest_of
from dovetail.workspace.operation import Label, Operation

_STAMP = "%Y%m%d-%H%M%S"
_STAMP_LENGTH = 15
_MOST_IN_A_SECOND = 999


@dataclass(frozen=True, slots=True)
class Draft:
    """What is said about an operation besides its files."""

    label: Label
    reply: str = ""
    results: Sequence[Mapping[str, Any]] = ()
    undoes: str | None = None
    edits: tuple[int, ...] = ()


def to_operation(said: Draft, last_id: str) -> tuple[Operation, dict[str, bytes]]:
    """An operation without files, behind `last_id`, and the blobs of its reply and results by digest."""
    now = datetime.now(UTC).replace(microsecond=0)
    reply = reply_bytes(said.reply)
    results = json.dumps(list(said.results), ensure_ascii=True).encode()
    extra = {digest_of(data): data for data in (reply, results)}
    draft = Operation(
        id=next_id(now, last_id),
        time=now.isoformat().replace("+00:00", "Z"),
        label=said.label,
        files=(),
        reply=digest_of(reply),
        results=digest_of(results),
        undoes=said.undoes,
        edits=said.edits,
    )
    return draft, extra


def next_id(now: datetime, last: str) -> str:
    """An id that sorts behind `last` (``""`` for none), even where the clock was set back."""
    stamp = f"{now:{_STAMP}}"
    newest = last[:_STAMP_LENGTH]
    if stamp > newest:
        return stamp
    count = int(last[_STAMP_LENGTH + 1 :] or 1) + 1
    if count <= _MOST_IN_A_SECOND:
        return f"{newest}-{count:03d}"
    return f"{datetime.strptime(newest, _STAMP).replace(tzinfo=UTC) + timedelta(seconds=1):{_STAMP}}"


def reply_bytes(text: str) -> bytes:
    """A reply as the journal keeps it; half surrogates, which JSON can bring, survive."""
    return text.encode("utf-8", "surrogatepass")
