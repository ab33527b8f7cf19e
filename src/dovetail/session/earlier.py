"""An earlier conversation, read back from its transcript to be gone on with.

Every command that changed what was held, or how the model is asked, is a record, so what stood last is what counts:
a file that was made read-only after the last turn is read-only again, one that was dropped stays out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dovetail.llm.values import Message, Role
from dovetail.model.dataclasses import dataclass, field
from dovetail.session import transcript
from dovetail.session.aftermath import UNDONE
from dovetail.session.held_files import HeldFiles
from dovetail.session.transcript import Record, Transcript


@dataclass(frozen=True, slots=True)
class Earlier:
    """What stood at the end of a transcript.

    asked: how the model was asked, by the names of `Options`. notes: what the next request is to begin with.
    operations: what it wrote, oldest first, whether it stands or not.
    """

    kept: Transcript
    history: tuple[Message, ...] = ()
    held: HeldFiles = HeldFiles()
    asked: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()


def earlier(root: Path, wanted: str | None = None) -> Earlier:
    """The conversation with an id, or the newest under a root. Raises `UsageError` where there is none."""
    kept = transcript.resume(root, wanted)
    records = transcript.read(kept.file)
    said = tuple(Message(Role(role), text) for role, text in transcript.history_of(records))
    held = HeldFiles()
    asked: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()
    for record in records:
        held = _held_after(held, record)
        asked = record["options"] if record["kind"] in ("turn", "options") else asked
        notes = _notes_after(notes, record)
    operations = tuple(record["operation"] for record in records if record["kind"] == "written")
    return Earlier(kept, said, held, asked, notes, operations)


def held_of(record: Record) -> HeldFiles:
    """The files that a record names."""
    return HeldFiles(tuple(record["editable"]), tuple(record["read_only"]))


def _held_after(held: HeldFiles, record: Record) -> HeldFiles:
    match record["kind"]:
        case "turn" | "held":
            return held_of(record)
        case "added" if record["answer"]:
            return held.adding(record["path"])
    return held


def _notes_after(notes: tuple[str, ...], record: Record) -> tuple[str, ...]:
    match record["kind"]:
        case "heard" | "end":
            return tuple(record.get("notes", notes))
        case "undo":
            return tuple(dict.fromkeys((*notes, UNDONE)))
    return notes
