"""Takes a reply as it streams: each piece goes into the turn and, in the same form, to the tabs.

Two tables: from the events of the reply's stream to what a round shows, and from the events of the conversation to what
happens to a turn. A tab that applies the pieces to an empty round has the round that `turns` keeps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dovetail.formats import events
from dovetail.model.codes import Code, Status
from dovetail.session import turn_events
from dovetail.session.chat_files import PathIndex
from dovetail.session.records import Record, of_database, of_diagnostic, of_shell
from dovetail.session.rounds import Step
from dovetail.web.planning import take_held
from dovetail.web.turns import PageTurn, Running, ShownEdit, ShownRound, edit_record, round_record

if TYPE_CHECKING:
    from dovetail.session.applying import Prepared
    from dovetail.web.page_session import PageSession

_LONGEST_TAIL = 2_000  # characters of an unfinished line that are shown
_MOST_MENTIONS = 500
_WORD = re.compile(r"[\w.@+/\\-]*[\w]")
_NOT_CHOSEN = "It was not chosen."


# --- The reply's stream


def add_piece(turn: PageTurn, shown: ShownRound, text: str, reasoning: str, parsed: Iterable[events.Event]) -> Record:
    """Add a piece of a reply, with the events that it gave, to a round; return the same for the tabs."""
    pieces: list[Record] = []
    for event in parsed:
        fold = _FOLDS.get(type(event))
        if fold is not None:
            pieces.append(fold(turn, shown, event))
    if text:
        shown.text.append(text)
        _, newline, rest = text.rpartition("\n")
        shown.tail = (rest if newline else shown.tail + text)[-_LONGEST_TAIL:]
    else:
        shown.tail = ""
    if reasoning:
        shown.reasoning.append(reasoning)
    return {"turn": turn.id, "round": shown.index, "events": pieces, "tail": shown.tail, "reasoning": reasoning}


def _text(_: PageTurn, shown: ShownRound, event: events.Text) -> Record:
    last = shown.items[-1] if shown.items else None
    if last is not None and last["k"] == "text" and last["code"] == event.code:
        last["text"].append(event.text)
    else:
        shown.items.append({"k": "text", "text": [event.text], "code": event.code, "line": event.line})
    return {"k": "text", "text": event.text, "code": event.code, "line": event.line}


def _opened(turn: PageTurn, shown: ShownRound, event: events.BlockOpened) -> Record:
    edit = ShownEdit(shown.first + event.n, shown.index, event.format, event.line, event.path)
    turn.edits[edit.n] = edit
    shown.items.append({"k": "edit", "n": edit.n})
    return {"k": "opened", "n": edit.n, "format": event.format, "path": event.path, "line": event.line}


def _lines(turn: PageTurn, shown: ShownRound, event: events.LinesSoFar) -> Record:
    edit = turn.edits[shown.first + event.n]
    (edit.search if event.part == "search" else edit.replacement).append(event.text)
    return {"k": "lines", "n": edit.n, "part": event.part, "text": event.text}


def _closed(turn: PageTurn, shown: ShownRound, event: events.BlockClosed) -> Record:
    edit = turn.edits[shown.first + event.n]
    edit.block, edit.path, edit.format, edit.line = event.block, event.block.path, event.block.format, event.block.line
    edit.search, edit.replacement = [], []
    return {"k": "closed", "edit": edit_record(edit)}


def _item(kind: str, record: Callable[[Any], Record]) -> Callable[[PageTurn, ShownRound, Any], Record]:
    def fold(_: PageTurn, shown: ShownRound, event: object) -> Record:
        item = {"k": kind, **record(event)}
        shown.items.append(item)
        return item

    return fold


_FOLDS: dict[type, Callable[[PageTurn, ShownRound, Any], Record]] = {
    events.Text: _text,
    events.BlockOpened: _opened,
    events.LinesSoFar: _lines,
    events.BlockClosed: _closed,
    events.ShellSuggested: _item("shell", lambda event: of_shell(event.suggestion)),
    events.DatabaseSuggested: _item("database", lambda event: of_database(event.action)),
    events.Diagnosed: _item("diagnostic", lambda event: of_diagnostic(event.diagnostic)),
    events.ArtifactOpened: _item("artifact", lambda e: {"id": e.id, "title": e.title, "line": e.line}),
}


def mentions_in(reply: str, tree: Collection[str]) -> dict[str, str]:
    """Return the words of a reply that name a file, as spelled, with their paths, so that the page can link them.

    A word names a file if it is a path, or the end of exactly one path. Names inside code count, too: unlike the files
    that a model asks for, these are only opened.
    """
    paths, found = PathIndex(tree), dict[str, str]()
    for word in dict.fromkeys(_WORD.findall(reply)):
        name = word.replace("\\", "/").removeprefix("./")
        if "." in name.lstrip(".") or "/" in name:  # `make` is a word as well as a file
            path = name if name in paths.all else paths.ending(name)
            if path is not None:
                found[word] = path
        if len(found) == _MOST_MENTIONS:
            break
    return found


# --- The conversation's events


def follow(session: PageSession, running: Running, event: turn_events.TurnEvent) -> None:
    """Take one event of the conversation into the turn, and publish it."""
    with session.lock:
        take = _TAKES.get(type(event))
        if take is not None:
            take(session, running, event)


def _sent(session: PageSession, running: Running, event: turn_events.Sent) -> None:
    turn, repairing = running.turn, running.repairing
    running.seen, running.repairing = event.seen, None
    shown = ShownRound(len(turn.rounds), str(event.step), len(turn.edits), event.model, event.tokens)
    if repairing is not None:
        shown.message = repairing.message
        shown.repairs = tuple(result.n + running.first_edit for result in repairing.failures)
    elif running.again is not None:
        shown.step = "retry"
        shown.repairs = tuple(result.n for result in running.again.failures)
    turn.rounds.append(shown)
    session.publish("round", {"turn": turn.id, "round": round_record(shown)})


def _piece(session: PageSession, running: Running, event: turn_events.Piece) -> None:
    turn, shown = running.turn, running.round
    if shown.step == Step.PLAN:  # a plan is prose, whatever it looks like
        text = [events.Text(event.text, 1)] if event.text else []
        record = add_piece(turn, shown, event.text, event.reasoning, text)
        shown.tail = record["tail"] = ""
    else:
        record = add_piece(turn, shown, event.text, event.reasoning, event.events)
    session.publish("piece", record)


def _located(session: PageSession, running: Running, event: turn_events.Located) -> None:
    n = running.round.first + event.n
    running.turn.edits[n].result = replace(event.result, n=n)
    session.publish_outcomes(running.turn, [n])


def _answered(session: PageSession, running: Running, event: turn_events.Answered) -> None:
    shown, reply = running.round, event.reply
    shown.answered, shown.truncated = True, reply.truncated
    with session.open() as workspace:
        shown.mentions = mentions_in(reply.text, workspace.tree())
    record = {"stop": str(reply.stop), "truncated": shown.truncated, "mentions": shown.mentions}
    session.publish("answered", {"turn": running.turn.id, "round": shown.index, **record})


def _broke_off(_: PageSession, running: Running, event: turn_events.BrokeOff) -> None:
    running.broke_off = event


def _noted(session: PageSession, running: Running, event: turn_events.Noted) -> None:
    session.note(running.turn, event.text, event.hint)


def _joined(session: PageSession, _: Running, event: turn_events.Joined) -> None:
    if event.added and event.path not in session.held.paths:
        with session.open() as workspace:
            take_held(session, session.held.adding(event.path), workspace)


def _repairing(_: PageSession, running: Running, event: turn_events.Repairing) -> None:
    running.repairing = event


def _stopped(_: PageSession, running: Running, event: turn_events.Stopped) -> None:
    edits = [result.n + running.first_edit for result in event.failures]
    running.turn.stopped = {"why": str(event.end), "said": event.sentence, "detail": event.detail, "edits": edits}


def _cost(session: PageSession, running: Running, event: turn_events.Cost) -> None:
    session.spend(running.turn, event.spent)


_TAKES: dict[type, Callable[[PageSession, Running, Any], None]] = {
    turn_events.Sent: _sent,
    turn_events.Piece: _piece,
    turn_events.Located: _located,
    turn_events.Answered: _answered,
    turn_events.BrokeOff: _broke_off,
    turn_events.Noted: _noted,
    turn_events.Joined: _joined,
    turn_events.Repairing: _repairing,
    turn_events.Stopped: _stopped,
    turn_events.Cost: _cost,
}


# --- Changes to a running turn


def show_ambiguous(session: PageSession, running: Running, prepared: Prepared) -> Mapping[int, int]:
    """Publish the edits that fit several places; return their numbers in the plan → in the turn."""
    numbers = {result.n: result.n + running.first_edit for result in prepared.ambiguous}
    with session.lock:
        for result in prepared.ambiguous:
            running.turn.edits[numbers[result.n]].result = result
        session.publish_outcomes(running.turn, numbers.values())
    return numbers


def leave_out(session: PageSession, running: Running, path: str) -> None:
    """Skip the edits of a file that is not in the conversation, now and later in this run."""
    with session.lock:
        running.left_out.add(path)
        skipped = []
        for edit in running.turn.edits.values():
            result = edit.result
            if result is not None and result.code is Code.NOT_IN_CHAT and result.path == path:
                edit.skip = True
                edit.result = replace(result, status=Status.SKIPPED, code=Code.NOT_SELECTED, reason=_NOT_CHOSEN)
                skipped.append(edit.n)
        session.publish_outcomes(running.turn, skipped)


def forget_replies(running: Running) -> None:
    """Remove the replies of this run from the turn."""
    _forget_from(running.turn, running.first_round, running.first_edit)


def forget_unfinished(running: Running) -> bool:
    """Remove a reply that did not end; return whether there was one."""
    unfinished = len(running.turn.rounds) > running.first_round and not running.round.answered
    if unfinished:
        _forget_from(running.turn, len(running.turn.rounds) - 1, running.round.first)
    return unfinished


def _forget_from(turn: PageTurn, first_round: int, first_edit: int) -> None:
    del turn.rounds[first_round:]
    turn.edits = {n: edit for n, edit in turn.edits.items() if n <= first_edit}
