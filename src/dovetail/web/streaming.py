"""Takes a reply as it streams: each piece goes into the turn and, in the same form, to the tabs.

A tab that applies the pieces to an empty round has the round that `turns` keeps.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats import Stream, events
from dovetail.model.codes import Code, Status
from dovetail.plan import wanted_paths, with_commands
from dovetail.session.apply.placing import events_behind, placed
from dovetail.session.apply.records import Record, fields, of_database, of_diagnostic, of_shell
from dovetail.session.conversation import turn_events
from dovetail.session.conversation.chat_files import PathIndex
from dovetail.session.conversation.rounds import Step
from dovetail.web.planning import take_held
from dovetail.web.turns import PageTurn, Running, ShownEdit, ShownRound, edit_record, round_record

if TYPE_CHECKING:
    from dovetail.llm.values import CallPiece
    from dovetail.model.blocks import Parsed
    from dovetail.model.codes import Commands
    from dovetail.web.page_session import PageSession
    from dovetail.workspace import Workspace

_LONGEST_TAIL = 2_000  # characters of an unfinished line that are shown
_MOST_MENTIONS = 500
_WORD = re.compile(r"[\w.@+/\\-]*[\w]")
_NOT_CHOSEN = "It was not chosen."


# --- The reply's stream


def add_piece(
    turn: PageTurn,
    shown: ShownRound,
    text: str,
    reasoning: str,
    parsed: Iterable[events.Event],
    calling: CallPiece | None = None,
) -> Record:
    """Add a piece of a reply, with the events that it gave, to a round; return the same for the tabs.

    A call that arrives is an unfinished line until all of it has come.
    """
    pieces = [piece for event in parsed if (piece := _fold(turn, shown, event)) is not None]
    if text:
        shown.text.append(text)
        _, newline, rest = text.rpartition("\n")
        shown.tail = (rest if newline else shown.tail + text)[-_LONGEST_TAIL:]
    elif calling is not None:
        head = f"\n{calling.name} " if calling.name else ""
        shown.tail = (shown.tail + head + calling.arguments).lstrip()[-_LONGEST_TAIL:]
    else:
        shown.tail = ""
    if reasoning:
        shown.reasoning.append(reasoning)
    return {"turn": turn.id, "round": shown.index, "events": pieces, "tail": shown.tail, "reasoning": reasoning}


def _fold(turn: PageTurn, shown: ShownRound, event: events.Event) -> Record | None:
    """Add an event of the reply's stream to a round; return it as the tabs get it, None if they do not."""
    match event:
        case events.Text(text=text, code=code, line=line):
            last = shown.items[-1] if shown.items else None
            if last is not None and last["k"] == "text" and last["code"] == code:
                last["text"].append(text)
            else:
                shown.items.append({"k": "text", "text": [text], "code": code, "line": line})
            return {"k": "text", "text": text, "code": code, "line": line}
        case events.BlockOpened():
            edit = ShownEdit(shown.first + event.n, shown.index, event.format, event.line, event.path)
            turn.edits[edit.n] = edit
            shown.items.append({"k": "edit", "n": edit.n})
            return {"k": "opened", "n": edit.n, **fields(event, "format path line")}
        case events.LinesSoFar(part=part, text=text):
            edit = turn.edits[shown.first + event.n]
            (edit.search if part == "search" else edit.replacement).append(text)
            return {"k": "lines", "n": edit.n, "part": part, "text": text}
        case events.BlockClosed(block=block):
            edit = turn.edits[shown.first + event.n]
            edit.block, edit.path, edit.format, edit.line = block, block.path, block.format, block.line
            edit.search, edit.replacement = [], []
            return {"k": "closed", "edit": edit_record(edit)}
        case events.ShellSuggested(suggestion=suggestion):
            item = {"k": "shell", **of_shell(suggestion)}
        case events.DatabaseSuggested(action=action):
            item = {"k": "database", **of_database(action)}
        case events.Diagnosed(diagnostic=diagnostic):
            item = {"k": "diagnostic", **of_diagnostic(diagnostic)}
        case events.ArtifactOpened():
            item = {"k": "artifact", **fields(event, "id title line")}
        case _:
            return None
    shown.items.append(item)
    return item


def read_whole(
    session: PageSession,
    turn: PageTurn,
    shown: ShownRound,
    text: str,
    workspace: Workspace,
    *,
    commands: Commands,
    reasoning: str = "",
    used: Mapping[int, str] | None = None,
) -> tuple[Parsed, tuple[int, ...]]:
    """Add an earlier reply to the turn, as its next round.

    Return it parsed with the files as they are, and the numbers of the blocks that only its end closed.

    used: the files of listings that were made edits, by line.
    """
    turn.rounds.append(shown)
    stream = Stream(format=turn.reading, markers=session.options.reply.markers)
    arrived = list(stream.feed(text))
    closed = len(stream.parsed.blocks)
    arrived += stream.close()
    unfinished = tuple(range(closed + 1, len(stream.parsed.blocks) + 1))
    parsed, tree = stream.parsed, workspace.tree()
    files = workspace.snapshot([*wanted_paths(parsed, tree), *(used or {}).values()], tree=tree)
    read = with_commands(placed(parsed, files, used or {}), files, commands, root=str(workspace.root))
    add_piece(turn, shown, text, reasoning, [*arrived, *events_behind(parsed, read)])
    add_piece(turn, shown, "", "", ())
    shown.answered, shown.mentions = True, mentions_in(text, tree)
    return read, unfinished


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
    """Update the turn with one event of the conversation, and publish it."""
    turn = running.turn
    with session.lock:
        match event:
            case turn_events.Sent():
                _begin_round(session, running, event)
            case turn_events.Piece(text=text, reasoning=reasoning):
                shown = running.round
                if shown.step == Step.PLAN:  # a plan is prose, whatever it looks like
                    prose = [events.Text(text, 1)] if text else []
                    record = add_piece(turn, shown, text, reasoning, prose)
                    shown.tail = record["tail"] = ""
                else:
                    record = add_piece(turn, shown, text, reasoning, event.events, event.calling)
                session.publish("piece", record)
            case turn_events.Located(n=number, result=result):
                n = running.round.first + number
                turn.edits[n].located = turn.edits[n].result = replace(result, n=n)
                session.publish_outcomes(turn, [n])
            case turn_events.Answered(reply=reply):
                shown = running.round
                shown.answered, shown.truncated = True, reply.truncated
                with session.open() as workspace:
                    shown.mentions = mentions_in(reply.text, workspace.tree())
                record = {"turn": turn.id, "round": shown.index, "stop": str(reply.stop)}
                session.publish("answered", {**record, **fields(shown, "truncated mentions")})
            case turn_events.BrokeOff():
                running.broke_off = event
            case turn_events.Noted(text=text, hint=hint):
                session.note(turn, text, hint)
            case turn_events.Joined(path=path, added=True) if path not in session.held.paths:
                with session.open() as workspace:
                    take_held(session, session.held.adding(path), workspace)
            case turn_events.Repairing():
                running.repairing = event
            case turn_events.Stopped():
                edits = [result.n + running.first_edit for result in event.failures]
                turn.stopped = {"why": str(event.end), "said": event.sentence, "detail": event.detail, "edits": edits}
            case turn_events.Cost(spent=spent):
                session.spend(turn, spent)


def _begin_round(session: PageSession, running: Running, event: turn_events.Sent) -> None:
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


# --- Changes to a running turn


def leave_out(session: PageSession, running: Running, path: str) -> None:
    """Skip the edits of a file that is not in the conversation, now and later in this run."""
    with session.lock:
        running.left_out.add(path)
        skipped = []
        for edit in running.turn.edits.values():
            result = edit.result
            if result is not None and result.code is Code.NOT_IN_CHAT and result.path == path:
                edit.skip = True
                edit.result = replace(result, status=Status.LEFT_OUT, code=Code.NOT_SELECTED, reason=_NOT_CHOSEN)
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
