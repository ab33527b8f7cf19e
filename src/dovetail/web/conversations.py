"""Conversations of the page's session: a new one, an earlier one to go on with, and a sample to try things on.

Each begins with no turn on the page; the tabs fetch the state anew. Files, journal and kept conversations stay as they
are. The lock is held.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.formats.table import AUTO
from dovetail.model.codes import EditsBy
from dovetail.model.errors import DovetailError
from dovetail.session.apply.records import Record
from dovetail.session.conversation import chat_record
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.rounds import REPAIRS, Round, Rounds, Step, superseded_by
from dovetail.session.conversation.saved_chat import Participants, SavedChat, resume_chat
from dovetail.session.conversation.turn_edits import Choices, plan_turn
from dovetail.session.conversation.turn_events import Ledger
from dovetail.web import sample
from dovetail.web.asking import PagePerson
from dovetail.web.decisions import paste
from dovetail.web.page_session import PageSession
from dovetail.web.planning import plan_first
from dovetail.web.requests import RequestError, busy
from dovetail.web.streaming import read_whole
from dovetail.web.turns import ShownRound, TurnState

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult
    from dovetail.session.conversation.saved_chat import ResumedTurn
    from dovetail.web.turns import PageTurn
    from dovetail.workspace import Workspace

MOST_LISTED = 30
_LONGEST_TITLE = 120
_MOST_PLANNED = 20  # the newest turns of a resumed conversation that are planned; older ones are shown as text


def begin_anew(session: PageSession) -> None:
    """Begin a new conversation with the files of the one before. Raises `RequestError` while the model answers."""
    if session.running is not None:
        raise busy()
    if session.chat is not None:
        session.chat.close()
    session.chat = session.last_asked = None
    for turn in session.turns.values():
        session.let_go(turn)
    session.turns.clear()
    session.ledger, session.spent_on = Ledger(), []
    session.publish("reset", {})


def list_conversations(session: PageSession) -> Record:
    """Return the kept conversations, newest first, each with its first request."""
    now, root = session.chat.record.id if session.chat is not None else None, session.root
    found: list[Record] = []
    with session.lock.released():
        for name in reversed(chat_record.listed(root)):
            if len(found) == MOST_LISTED:
                break
            with suppress(DovetailError, OSError):  # one that cannot be read is not offered
                asked = [r for r in chat_record.read(chat_record.ChatRecord(root, name).file) if r["kind"] == "turn"]
                if asked:
                    title = str(asked[0]["request"]).strip()[:_LONGEST_TITLE]
                    found.append({"id": name, "title": title, "turns": len(asked), "open": name == now})
    return {"conversations": found}


def go_on(session: PageSession, name: str) -> Record:
    """Go on with a kept conversation: the model knows its replies, and their edits are cards, planned as files are now.

    Raises `UsageError` if there is none of that name, `LockedError` if another session has it.
    """
    if session.running is not None:
        raise busy()
    before = resume_chat(session.root, name)
    begin_anew(session)
    participants = Participants(session.model, PagePerson(session))
    session.chat = SavedChat.resume(session.open(), participants, session.options, before)
    session.held = session.chat.conversation.files
    with session.open() as workspace:
        for at, earlier in enumerate(before.turns):
            turn = _shown_again(session, earlier, workspace, planned=at >= len(before.turns) - _MOST_PLANNED)
            session.last_asked = turn.id
    session.publish("reset", {})
    return {"warnings": list(before.warnings)}


def _shown_again(session: PageSession, earlier: ResumedTurn, workspace: Workspace, *, planned: bool) -> PageTurn:
    """Return an earlier turn; it is planned again if `planned` and it has edits."""
    turn = session.new_turn("ask", earlier.request)
    turn.time = earlier.time or turn.time
    turn.guarded, turn.state = True, TurnState.DONE
    by_tools = earlier.options.get("edits_by") == EditsBy.TOOLS  # in that turn, whatever is set now
    turn.reading = AUTO if by_tools else session.options.reply.format
    rounds = Rounds()
    for came in earlier.replies:
        text = came.reply.text
        shown = ShownRound(len(turn.rounds), str(came.step), len(turn.edits), came.reply.model or None, answered=True)
        shown.truncated = came.reply.truncated
        if not planned or came.step is Step.PLAN:  # a plan is prose, whatever it looks like
            shown.items.append({"k": "text", "text": [text], "code": False, "line": 1})
            turn.rounds.append(shown)
            continue
        again: tuple[BlockResult, ...] = ()
        results: tuple[BlockResult, ...] = ()
        if rounds.has_edits:
            prepared = plan_turn(Choices(rounds), workspace, session.options, session.held)
            again, results = prepared.repairable, prepared.plan.results
        if came.step in (*REPAIRS, Step.FORM):
            shown.message, shown.repairs = came.message, tuple(result.n for result in again)
        commands = session.options.reply.policy.commands
        read, unfinished = read_whole(
            session, turn, shown, text, workspace, commands=commands, reasoning=came.reply.reasoning
        )
        cut = unfinished if came.broken or came.reply.ended_early else ()
        # If edits that failed then fit now, the edits that replaced them count as edits of their own.
        replaced = superseded_by(results, again, read) if again and read.has_edits else {}
        rounds = rounds.adding(Round(came.step, text, read, cut), replaced)
    if rounds.has_edits:
        turn.choices, turn.state = Choices(rounds), TurnState.OPEN
        plan_first(session, turn, workspace)
    return turn


def try_sample(session: PageSession) -> Record:
    """Show a reply about a sample project, in a temporary folder. Raises `RequestError` if there are turns."""
    if session.turns or session.home is not None:
        raise RequestError(409, "in-use", "There is a conversation already.", "Begin a new one first.")
    folder = Path(tempfile.mkdtemp(prefix="dovetail-sample-"))
    sample.write_sample(folder)
    session.home, session.root, session.held = session.root, folder, ChatFiles()
    begin_anew(session)
    return {"turn": paste(session, sample.REPLY, AUTO).id}


def leave_sample(session: PageSession) -> None:
    """Go back to the folder that is served, and remove the sample. Does nothing without one."""
    if session.home is None:
        return
    if session.running is not None:
        raise busy()
    home = session.home
    remove_sample(session)
    session.root, session.home, session.held = home, None, ChatFiles()
    begin_anew(session)


def remove_sample(session: PageSession) -> None:
    """Remove the sample's folder, if there is one: the server ends, or somebody leaves the sample."""
    if session.home is not None:
        shutil.rmtree(session.root, ignore_errors=True)
