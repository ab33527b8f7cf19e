"""Turns that need a decision, on disk: what they are made of, so that the next server plans them anew.

Owns the files `.dovetail/turns/NAME.json`, one for each open turn, private to the user and proven by the user's key: a
project cannot bring one along. A file has the replies as they came, what was chosen, and the comments; never a plan,
which would be about files that have changed since. It goes when nothing is left to decide.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.model.codes import Commands
from dovetail.model.errors import DovetailError
from dovetail.model.text import closed
from dovetail.plan.commands import COMMAND_FORMAT
from dovetail.session.conversation.rounds import Round, Rounds, Step
from dovetail.session.conversation.turn_edits import Choices, ConflictChoice, TurnWrite, changed_by_hand
from dovetail.web.planning import plan_again, plan_first
from dovetail.web.streaming import read_whole
from dovetail.web.turns import PageTurn, ShownRound, TurnState
from dovetail.workspace.journal.store import private_folder
from dovetail.workspace.journal.user_key import find_key, make_key
from dovetail.workspace.names import JOURNAL_FOLDER

if TYPE_CHECKING:
    from dovetail.session.apply.records import Record
    from dovetail.web.page_session import PageSession
    from dovetail.workspace import Workspace

FOLDER = "turns"
MOST_KEPT = 20
"""The most open turns that are kept; the oldest go first."""
LARGEST = 8_000_000
"""The most bytes of a kept turn; a larger one is not kept."""
_VERSION = 1
_NAME = re.compile(r"\d{8}-\d{6}-\d{6}-[0-9a-f]{6}")
_FIELDS = {"kind": str, "time": str, "reading": str, "rounds": list, "choices": dict, "comments": list}


class KeptTurns:
    """Keeps open turns under the root of their session."""

    def keep(self, session: PageSession, turn: PageTurn) -> None:
        """Keep a turn as it is now, or forget it if nothing is left to decide. Errors are ignored."""
        if session.home is not None or turn.state is TurnState.RUNNING:
            return
        if turn.state is not TurnState.OPEN or turn.choices is None:
            self.forget(session, turn)
            return
        with suppress(OSError, DovetailError):
            fields = json.dumps(_record(turn, turn.choices), separators=(",", ":")).encode("ascii")
            # Called with each thing that is published, so an unchanged turn is not written again.
            folder = None if len(fields) > LARGEST or fields == turn.kept else private_folder(session.root, FOLDER)
            if folder is None:
                return
            # Turns come back in the order of their names: one second has room for several.
            turn.kept_as = turn.kept_as or f"{datetime.now():%Y%m%d-%H%M%S-%f}-{secrets.token_hex(3)}"
            proof = hmac.digest(make_key(str(session.root.resolve())).secret, fields, "sha256").hex().encode()
            _write(folder / f"{turn.kept_as}.json", proof + b"\n" + fields + b"\n")
            turn.kept = fields
            for name in sorted(_names(folder))[:-MOST_KEPT]:
                (folder / f"{name}.json").unlink(missing_ok=True)

    def forget(self, session: PageSession, turn: PageTurn) -> None:
        """Remove what is kept of a turn."""
        name, turn.kept_as, turn.kept = turn.kept_as, None, None
        if name is not None and session.home is None:
            with suppress(OSError):
                (session.root / JOURNAL_FOLDER / FOLDER / f"{name}.json").unlink(missing_ok=True)


def restore(session: PageSession) -> None:
    """Bring back what an earlier server had open, planned against the files as they are now. The lock is held."""
    folder = session.root / JOURNAL_FOLDER / FOLDER
    if folder.is_symlink() or not folder.is_dir():
        return
    key = find_key(str(session.root.resolve())).secret
    for name in sorted(_names(folder))[-MOST_KEPT:]:
        with suppress(OSError, DovetailError, ValueError, KeyError, TypeError, IndexError):  # one that cannot be read
            record = _read(folder / f"{name}.json", key)
            if record is not None:
                with session.open() as workspace:
                    _restored(session, name, record, workspace)


def _names(folder: Path) -> Iterator[str]:
    return (file.stem for file in folder.glob("*.json") if _NAME.fullmatch(file.stem))


def _write(file: Path, data: bytes) -> None:
    """Write a file atomically, readable for its user alone."""
    beside = file.with_suffix(".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(beside, flags, 0o600), "wb") as out:
        out.write(data)
    beside.replace(file)


def _read(file: Path, key: bytes) -> Record | None:
    """Return the content of a file; None if it is not proven by the user's key, or has another form."""
    with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as opened:
        proof, _, fields = opened.read(LARGEST + 1_000).partition(b"\n")
    fields = fields.rstrip(b"\n")
    if not hmac.compare_digest(proof, hmac.digest(key, fields, "sha256").hex().encode()):
        return None
    record = json.loads(fields)
    known = isinstance(record, dict) and record.get("version") == _VERSION
    return record if known and all(isinstance(record.get(name), form) for name, form in _FIELDS.items()) else None


# --- A turn as a record


def _record(turn: PageTurn, choices: Choices) -> Record:
    rounds = zip(turn.rounds, choices.rounds.replies, strict=False)
    return {
        "version": _VERSION,
        **{name: getattr(turn, name) for name in ("kind", "time", "request", "reading", "guarded", "comments")},
        "rounds": [
            {
                **{name: getattr(shown, name) for name in ("step", "model", "tokens", "message", "truncated")},
                "repairs": list(shown.repairs),
                "reasoning": "".join(shown.reasoning),
                "as": str(reply.step),
                "text": reply.text,
                "cut": list(reply.cut),
                "blocks": len(reply.parsed.blocks),
                "commands": any(block.format == COMMAND_FORMAT for block in reply.parsed.blocks),
            }
            for shown, reply in rounds
        ],
        "choices": {
            "superseded": _pairs(choices.rounds.superseded),
            "listings": [[line, path] for line, path in choices.rounds.listings.items()],
            "skipped": sorted(choices.skipped),
            "places": _pairs(choices.places),
            "by_hand": [[n, block.path, block.search, block.replace] for n, block in choices.by_hand.items()],
            "resolved": [[path, known.choice, known.digest, known.text] for path, known in choices.resolved.items()],
            "seen": dict(choices.seen),
            "writes_seen": dict(choices.writes_seen),
            "writes": [
                {
                    "operation": write.operation,
                    "edits": _pairs(write.edits),
                    "after": dict(write.after),
                    "stale": sorted(write.stale),
                    "edits_of": {path: sorted(numbers) for path, numbers in write.edits_of.items()},
                }
                for write in choices.writes
            ],
        },
    }


def _pairs(mapping: Mapping[int, int]) -> list[list[int]]:
    return [[key, value] for key, value in mapping.items()]


def _restored(session: PageSession, name: str, record: Record, workspace: Workspace) -> None:
    turn = session.new_turn(record["kind"], record["request"])
    turn.time, turn.reading, turn.guarded, turn.kept_as = record["time"], record["reading"], record["guarded"], name
    turn.comments = record["comments"]
    try:
        used, first, replies = dict(record["choices"]["listings"]), 0, list[Round]()
        for kept in record["rounds"]:
            last = first + closed(kept["text"]).count("\n") + 1
            # `used` counts lines through all replies, each of which is followed by one line end more than it has.
            mine = {line - first: path for line, path in used.items() if first < line <= last}
            replies.append(_reply(session, turn, kept, mine, workspace))
            first = last
        turn.choices = _choices(record["choices"], tuple(replies))
        turn.state = TurnState.OPEN
        skipped, turn.choices.skipped = turn.choices.skipped, frozenset()
        plan_first(session, turn, workspace)  # with the edits left out, so that each has its diff
        if skipped:
            turn.choices.skipped = skipped
            plan_again(session, turn, workspace)
    except BaseException:
        session.turns.pop(turn.id, None)
        raise


def _reply(session: PageSession, turn: PageTurn, kept: Record, used: Mapping[int, str], workspace: Workspace) -> Round:
    """Read a reply again, into the turn; `used` are the files of its listings, by line.

    Raises `ValueError` where it has other edits than it had.
    """
    shown = ShownRound(len(turn.rounds), kept["step"], len(turn.edits), kept["model"], kept["tokens"], kept["message"])
    shown.repairs, shown.truncated = tuple(kept["repairs"]), kept["truncated"]
    text: str = kept["text"]
    commands = Commands.EDITS if kept["commands"] else session.options.reply.policy.commands
    read, _ = read_whole(
        session, turn, shown, text, workspace, commands=commands, reasoning=kept["reasoning"], used=used
    )
    # Choices name edits by number. If the reply reads otherwise now (other files, another version), they would be about
    # other edits.
    if len(read.blocks) != kept["blocks"]:
        raise ValueError(text)
    return Round(Step(kept["as"]), text, read, tuple(kept["cut"]))


def _choices(kept: Mapping[str, Any], replies: tuple[Round, ...]) -> Choices:
    rounds = Rounds(replies, dict(kept["superseded"]), listings=dict(kept["listings"]))
    choices = Choices(rounds, kept["seen"], frozenset(kept["skipped"]), dict(kept["places"]))
    blocks = choices.original.blocks
    return replace(
        choices,
        by_hand={n: changed_by_hand(blocks[n - 1], *texts) for n, *texts in kept["by_hand"]},
        resolved={path: ConflictChoice(*rest) for path, *rest in kept["resolved"]},
        writes_seen=kept["writes_seen"],
        writes=tuple(
            TurnWrite(
                write["operation"],
                dict(write["edits"]),
                write["after"],
                frozenset(write["stale"]),
                {path: frozenset(numbers) for path, numbers in write["edits_of"].items()},
            )
            for write in kept["writes"]
        ),
    )
