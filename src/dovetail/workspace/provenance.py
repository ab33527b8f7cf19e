"""Where an operation comes from: its label, the reply, the results; and the id and time it gets.

An id is the time to the second, and a counter for those of one second, so that ids sort as they were made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.workspace.files import digest_of
from dovetail.workspace.operation import Label, Operation

_STAMP = "%Y%m%d-%H%M%S"
_STAMP_LENGTH = 15
_MOST_IN_A_SECOND = 999


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is said about an operation besides its files: what led to it."""

    label: Label
    reply: str = ""
    results: Sequence[Mapping[str, Any]] = ()
    undoes: str | None = None
    edits: tuple[int, ...] = ()
    terms: Mapping[str, Any] | None = None


def to_operation(said: Provenance, last_id: str) -> tuple[Operation, dict[str, bytes]]:
    """An operation without files, behind `last_id`, and the blobs of its reply and results by digest."""
    now = time.gmtime()
    reply = reply_bytes(said.reply)
    results = json.dumps(list(said.results), ensure_ascii=True).encode()
    extra = {digest_of(data): data for data in (reply, results)}
    bare = Operation(
        id=next_id(time.strftime(_STAMP, now), last_id),
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        label=said.label,
        files=(),
        reply=digest_of(reply),
        results=digest_of(results),
        undoes=said.undoes,
        edits=said.edits,
        terms=said.terms,
    )
    return bare, extra


def next_id(stamp: str, last: str) -> str:
    """An id for the second `stamp` that sorts behind `last` (``""`` for none), even where the clock was set back."""
    newest = last[:_STAMP_LENGTH]
    if stamp > newest:
        return stamp
    count = int(last[_STAMP_LENGTH + 1 :] or 1) + 1
    if count <= _MOST_IN_A_SECOND:
        return f"{newest}-{count:03d}"
    from calendar import timegm  # it brings `datetime` along, and a second that holds so many is rare

    return time.strftime(_STAMP, time.gmtime(timegm(time.strptime(newest, _STAMP)) + 1))


def reply_bytes(text: str) -> bytes:
    """A reply as the journal keeps it; half surrogates, which JSON can bring, survive."""
    return text.encode("utf-8", "surrogatepass")
