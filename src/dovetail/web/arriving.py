"""Folds what a stream says into a turn, and tells the tabs the same in pieces.

One table from the stream's events to what the page draws. Whoever applies the pieces to an empty round has the round
that `turn_state` keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from dovetail.formats import events
from dovetail.session.records import Record, of_database, of_diagnostic, of_shell
from dovetail.web.turn_records import of_edit
from dovetail.web.turn_state import ShownEdit, ShownRound, Turn

if TYPE_CHECKING:
    from dovetail.formats.events import Event

_LONGEST_TAIL = 2_000  # characters of an unfinished line that are shown


def hear(turn: Turn, shown: ShownRound, text: str, reasoning: str, heard: Iterable[Event]) -> Record:
    """Take a piece of a reply; gives the same for the tabs."""
    pieces = [piece for event in heard for piece in _folded(turn, shown, event)]
    if text:
        shown.text.append(text)
        _, newline, rest = text.rpartition("\n")
        shown.tail = (rest if newline else shown.tail + text)[-_LONGEST_TAIL:]
    else:
        shown.tail = ""
    if reasoning:
        shown.reasoning.append(reasoning)
    return {"turn": turn.id, "round": shown.index, "events": pieces, "tail": shown.tail, "reasoning": reasoning}


def _folded(turn: Turn, shown: ShownRound, event: Event) -> list[Record]:
    fold = _FOLDS.get(type(event))
    return fold(turn, shown, event) if fold is not None else []


def _text(_: Turn, shown: ShownRound, event: events.Text) -> list[Record]:
    last = shown.items[-1] if shown.items else None
    if last is not None and last["k"] == "text" and last["code"] == event.code:
        last["text"].append(event.text)
    else:
        shown.items.append({"k": "text", "text": [event.text], "code": event.code, "line": event.line})
    return [{"k": "text", "text": event.text, "code": event.code, "line": event.line}]


def _opened(turn: Turn, shown: ShownRound, event: events.BlockOpened) -> list[Record]:
    edit = ShownEdit(shown.first + event.n, shown.index, event.format, event.line, event.path)
    turn.edits[edit.n] = edit
    shown.items.append({"k": "edit", "n": edit.n})
    return [{"k": "opened", "n": edit.n, "format": event.format, "path": event.path, "line": event.line}]


def _lines(turn: Turn, shown: ShownRound, event: events.LinesSoFar) -> list[Record]:
    edit = turn.edits[shown.first + event.n]
    (edit.search if event.part == "search" else edit.replacement).append(event.text)
    return [{"k": "lines", "n": edit.n, "part": event.part, "text": event.text}]


def _closed(turn: Turn, shown: ShownRound, event: events.BlockClosed) -> list[Record]:
    edit = turn.edits[shown.first + event.n]
    edit.block, edit.path, edit.format, edit.line = event.block, event.block.path, event.block.format, event.block.line
    edit.search, edit.replacement = [], []
    return [{"k": "closed", "edit": of_edit(edit)}]


def _item(kind: str, of: Callable[[Any], Record]) -> Callable[[Turn, ShownRound, Any], list[Record]]:
    def fold(_: Turn, shown: ShownRound, event: object) -> list[Record]:
        item = {"k": kind, **of(event)}
        shown.items.append(item)
        return [item]

    return fold


_FOLDS: dict[type, Callable[[Turn, ShownRound, Any], list[Record]]] = {
    events.Text: _text,
    events.BlockOpened: _opened,
    events.LinesSoFar: _lines,
    events.BlockClosed: _closed,
    events.ShellSuggested: _item("shell", lambda event: of_shell(event.suggestion)),
    events.DatabaseSuggested: _item("database", lambda event: of_database(event.action)),
    events.Diagnosed: _item("diagnostic", lambda event: of_diagnostic(event.diagnostic)),
    events.ArtifactOpened: _item("artifact", lambda e: {"id": e.id, "title": e.title, "line": e.line}),
}


def hear_prose(turn: Turn, shown: ShownRound, text: str, reasoning: str) -> Record:
    """Take a piece of a reply that holds no edits, whatever it looks like: a plan."""
    heard = [events.Text(text, 1)] if text else []
    told = hear(turn, shown, text, reasoning, heard)
    shown.tail = told["tail"] = ""
    return told
