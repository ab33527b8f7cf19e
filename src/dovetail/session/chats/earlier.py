"""An earlier conversation, read back from its transcript to be gone on with.

Every command that changed what was held, or how the model is asked, is a record, so what stood last is what counts:
a file that was made read-only after the last turn is read-only again, one that was dropped stays out. A turn whose
process ended before it could say what the history takes up (a closed terminal, a crash) is read from its replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

from dovetail.formats import parse
from dovetail.llm.values import Message, Role
from dovetail.session.chats import transcript
from dovetail.session.chats.transcript import Record, Transcript
from dovetail.session.loop.aftermath import NOT_APPLIED, Standing
from dovetail.session.loop.held_files import HeldFiles

_OF_A_TURN = frozenset({"turn", "reply", "arrived", "added", "places", "approved", "outdated", "written"})


@dataclass(frozen=True, slots=True)
class Earlier:
    """What stood at the end of a transcript.

    asked: how the model was asked, by the names of `Options`. notes: what the next request is to begin with.
    operations: what it wrote, oldest first, whether it stands or not.
    known: what of that stands as far as the model was told.
    told: sentences for the person.
    turns: how many the history holds; the replies of one may be several.
    """

    kept: Transcript
    history: tuple[Message, ...] = ()
    held: HeldFiles = field(default_factory=HeldFiles)
    asked: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    known: Standing = field(default_factory=dict)
    told: tuple[str, ...] = ()
    turns: int = 0


def earlier(root: Path, wanted: str | None = None) -> Earlier:
    """The conversation with an id, or the newest under a root that no session has open, to be gone on with.

    Raises `UsageError` where there is none, `LockedError` where it is open elsewhere.
    """
    kept, held_up = transcript.resume(root, wanted)
    try:
        before = read_back(kept)
    except BaseException:
        kept.close()
        raise
    if held_up is None:
        return before
    return replace(before, told=(f"{held_up.message} This is the newest that is not.", *before.told))


def read_back(kept: Transcript) -> Earlier:
    """What stands in a transcript. Raises `UsageError` where it cannot be read as one."""
    read = transcript.read(kept.file)
    records = _completed(read)
    heard = (record["messages"] for record in records if record["kind"] == "heard")
    said = tuple(Message(Role(role), text) for messages in heard for role, text in messages)
    held = HeldFiles()
    asked: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()
    for record in records:
        held = _held_after(held, record)
        asked = record["options"] if record["kind"] in ("turn", "options") else asked
        notes = _notes_after(notes, record)
    operations = tuple(record["operation"] for record in records if record["kind"] == "written")
    turns = sum(any(_is_heard(record) for record in part) for part in _by_turn(records))
    return Earlier(kept, said, held, asked, notes, operations, _known(read), _told(read), turns)


def _known(records: Sequence[Record]) -> Standing:
    """What stands as far as the model was told: what stood when it was asked and answered last, and what came of it."""
    known: dict[str, frozenset[int]] = {}
    for part in _by_turn(records):
        written = {record["operation"]: frozenset[int]() for record in part if record["kind"] == "written"}
        stood = part[0].get("stands") if _is_turn(part) else None
        if stood is not None and any(_is_heard(record) for record in part):
            known = {name: frozenset(edits) for name, edits in stood.items()}
        known |= written
    return known


def _completed(records: Sequence[Record]) -> list[Record]:
    """The records, with what the history takes up of each turn that broke off before it was written down."""
    completed: list[Record] = []
    for part in _by_turn(records):
        replies = _unheard(part)
        if replies:
            own = max(n for n, record in enumerate(part) if record["kind"] in _OF_A_TURN) + 1
            notes: tuple[str, ...] = reduce(_notes_after, completed, ())
            completed += [*part[:own], _heard(part, replies, notes), *part[own:]]
        else:
            completed += part
    return completed


def _by_turn(records: Sequence[Record]) -> list[list[Record]]:
    """What stands before the first turn, and each turn with what stands behind it."""
    parts: list[list[Record]] = [[]]
    for record in records:
        if record["kind"] == "turn":
            parts.append([])
        parts[-1].append(record)
    return parts


def _is_turn(part: Sequence[Record]) -> bool:
    """A file that was removed in the middle of a turn begins anew there, without the turn's first record."""
    return bool(part) and part[0]["kind"] == "turn"


def _is_heard(record: Record) -> bool:
    """Whether the history took up what was said."""
    return record["kind"] == "heard" and bool(record["messages"])


def _unheard(part: Sequence[Record]) -> list[str]:
    """The replies of a turn that the history did not take up."""
    if not _is_turn(part) or any(_is_heard(record) for record in part):
        return []
    return [record["text"] for record in part if record["kind"] == "reply" and record["text"]]


def _heard(part: Sequence[Record], replies: Sequence[str], notes: tuple[str, ...]) -> Record:
    """What a turn would have written down at its end. `notes` are what its request began with."""
    said, answered = "\n\n".join([*notes, part[0]["request"]]), "\n\n".join(replies)
    sent = any(parse(text).has_edits for text in replies)
    left = sent and not any(record["kind"] == "written" for record in part)
    messages = [[str(Role.USER), said], [str(Role.ASSISTANT), answered]]
    return {"kind": "heard", "messages": messages, "notes": [NOT_APPLIED] if left else []}


def _told(records: Sequence[Record]) -> tuple[str, ...]:
    """What the person should know of the last turn, where it broke off in silence."""
    part = _by_turn(records)[-1]
    written = [record["operation"] for record in part if record["kind"] == "written"]
    if not _is_turn(part):
        return ()
    if _unheard(part):
        stands = f"its edits are written, as operation {written[-1]}" if written else "none of its edits was written"
        return (f"The last turn broke off before its end: its reply is in the conversation, {stands}.",)
    if not any(record["kind"] == "heard" for record in part):
        return ("The last turn broke off before a reply came. Say again what you want.",)
    return ()


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
    return tuple(record.get("notes", notes)) if record["kind"] == "heard" else notes
