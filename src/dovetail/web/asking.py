"""Asks the model, in a thread of its own: a request, or failed edits of a turn once more.

What happens goes into the turn and to the tabs as it comes (`streaming`); how the turn ended is decided here. A turn
that broke off leaves its files, and the edits of its earlier replies, as they were. `PagePerson` is the person at the
page, whom the conversation asks questions that any tab may answer. It never approves a plan: the turn ends with nothing
written, and the page decides on its edits afterwards, in one way for pasted replies and for the model's.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dovetail.formats.table import AUTO
from dovetail.llm.errors import CancelledError
from dovetail.llm.values import Message, Role
from dovetail.model.codes import Status
from dovetail.model.errors import DovetailError
from dovetail.session.conversation import repair
from dovetail.session.conversation.participants import Person, Why
from dovetail.session.conversation.rounds import Rounds, superseded_by
from dovetail.session.conversation.saved_chat import Participants, SavedChat
from dovetail.session.conversation.turn_edits import Choices
from dovetail.web.arriving import take_decided
from dovetail.web.page_session import PageQuestion, PageSession, holds
from dovetail.web.planning import look_around, note_seen, notes_for_model, plan_again, plan_first, take_held
from dovetail.web.requests import RequestError, busy, error_record, system_error
from dovetail.web.streaming import follow, forget_replies, forget_unfinished, leave_out
from dovetail.web.turns import PageTurn, Retried, Running, TurnState

if TYPE_CHECKING:
    from dovetail.llm.client import Retry
    from dovetail.model.results import BlockResult
    from dovetail.session.apply.applying import Prepared
    from dovetail.session.conversation.conversation import TurnOutcome

_PASTED = "Here is the reply that I got."
_CHANGE = "Please change your edits as these comments say. Send each edit that changes again, whole."


def ask(session: PageSession, request: str) -> PageTurn:
    """Begin a turn: ask the model for a change. Raises `RequestError` if it cannot be asked."""
    with session.lock:
        look_around(session)
        _check_free(session)
        turn = session.new_turn("ask", request)
        turn.guarded = True
        turn.reading = AUTO if session.options.by_tools else session.options.reply.format
        session.publish_turn(turn)
        _start(session, turn, None)
    return turn


def retry(session: PageSession, turn: PageTurn, numbers: Collection[int] | None) -> None:
    """Ask the model for failed edits of a turn again; None for all that it may mend. Raises `RequestError`."""
    with session.lock:
        _check_free(session)
        choices, prepared = turn.choices_and_plan
        failures = tuple(r for r in prepared.repairable if numbers is None or r.n in numbers)
        if not failures:
            raise RequestError(409, "nothing-failed", "None of these edits failed in a way that the model may mend.")
        asking = repair.ask_again(prepared, failures, choices.rounds.offset + 1)
        _hold_files(session, {r.path for r in failures if r.path is not None})
        _check_free(session)  # it let others have the lock
        turn.state = TurnState.RUNNING
        turn.stopped = None
        session.publish_state(turn)
        _start(session, turn, Retried(failures, prepared.plan.results, asking.message))


def answer_comments(session: PageSession, turn: PageTurn) -> None:
    """Ask the model to change its edits as the unsent comments say. Raises `RequestError`.

    Its new edits replace those that the comments are about. If the turn is not the last that it answered, as a pasted
    one, it is sent the reply first.
    """
    with session.lock:
        _check_free(session)
        _, prepared = turn.choices_and_plan
        unsent = [one for one in turn.comments if one["round"] is None]
        if not unsent:
            raise RequestError(409, "nothing-failed", "There is no comment that the model has not seen.")
        about = tuple(r for r in prepared.plan.results if any(_is_about(one, r) for one in unsent))
        listed = "\n".join(_as_told(one) for one in unsent)
        message = f"{_CHANGE}\n\nComments on the edits:\n{listed}"
        _hold_files(session, {one["path"] for one in unsent})
        _check_free(session)  # it let others have the lock
        for one in unsent:
            one["round"] = len(turn.rounds)
        turn.state = TurnState.RUNNING
        turn.stopped = None
        session.publish_comments(turn)
        session.publish_state(turn)
        _start(session, turn, Retried(about, prepared.plan.results, message))


def _is_about(comment: Mapping[str, Any], result: BlockResult) -> bool:
    """Return whether a comment is on a line of an edit that is not written."""
    if result.path != comment["path"] or result.status not in (Status.FITS, Status.FAILED):
        return False
    first, last = result.start, result.end
    if comment["side"] == "new":
        first, last = result.new_start, result.new_end
    return first is not None and last is not None and first <= comment["line"] <= max(first, last)


def _as_told(comment: Mapping[str, Any]) -> str:
    line, quote = comment["line"], comment["quote"].strip()
    where = f"line {line} after the edits" if comment["side"] == "new" else f"line {line} of the file before the edits"
    return f"- {comment['path']}, {where}, `{quote}`: {comment['text'].strip()}"


def _hold_files(session: PageSession, wanted: Collection[str]) -> None:
    """Add those of these files that exist to the conversation, as the model must have them."""
    held = session.held
    with session.open() as workspace:
        paths = set(wanted) - set(held.paths)
        for path in sorted(paths & set(workspace.snapshot(paths, tree=frozenset()).files)):
            held = held.adding(path)
        if held != session.held:
            take_held(session, held, workspace)


def cancel(session: PageSession, turn: PageTurn) -> None:
    """Stop the model. Raises `RequestError` if it is not at work on this turn."""
    if session.running is None or session.running.turn is not turn:
        raise RequestError(409, "not-running", "The model is not at work on this turn.")
    session.stop_model()


def _check_free(session: PageSession) -> None:
    if session.running is not None:
        raise busy()
    problem = session.ready(session.options)
    if problem is not None:
        raise problem


def _start(session: PageSession, turn: PageTurn, again: Retried | None) -> None:
    running = session.running = Running(turn, again, session.options, len(turn.rounds), len(turn.edits))
    session.publish("running", {"turn": turn.id})
    running.thread = threading.Thread(target=_run, args=(session, running), name="dovetail-model", daemon=True)
    running.thread.start()


def _run(session: PageSession, running: Running) -> None:
    """Run one turn of the conversation, in its own thread, and end the page's turn whatever happens."""
    error: DovetailError | None = DovetailError(
        "Dovetail itself failed; the terminal says how.", hint="Please report it.", code="defect"
    )
    outcome: TurnOutcome | None = None
    try:
        outcome = _converse(session, running)
        error = None
    except (DovetailError, OSError) as raised:
        error = raised if isinstance(raised, DovetailError) else system_error(raised)
    finally:
        with session.lock:
            try:
                _end(session, running, outcome, error)
            except (DovetailError, OSError) as raised:
                _fail(session, running, raised if isinstance(raised, DovetailError) else system_error(raised))
            finally:
                session.running = None
                session.publish("running", {"turn": None})


def _converse(session: PageSession, running: Running) -> TurnOutcome:
    turn, again = running.turn, running.again
    if session.chat is None:
        session.chat = SavedChat.begin(
            session.open(), Participants(session.model, PagePerson(session)), session.options
        )
    chat = session.chat
    conversation = chat.conversation
    with session.lock:
        conversation.files = session.held
        once = replace(running.options, max_rounds=0, architect=False)
        conversation.options = running.options if again is None else once
        conversation.notes = notes_for_model(session) if again is None else []
        history = list(conversation.history)
        if again is not None and session.last_asked != turn.id and turn.choices is not None:
            # The model has not seen this turn, or other turns came since: it gets the reply before the failures.
            request, reply = turn.request or _PASTED, turn.choices.rounds.text
            conversation.history += [Message(Role.USER, request), Message(Role.ASSISTANT, reply)]
        before = len(conversation.history)
        written = {turn.id: turn.written_edits for turn in session.turns.values()} if again is None else {}
    message = again.message if again is not None else turn.request or ""
    events = chat.ask(message, cancel=running.cancel)
    try:
        while True:
            follow(session, running, next(events))
    except StopIteration as ended:
        outcome: TurnOutcome = ended.value
        return outcome
    finally:
        # Closed first, so that the conversation has put what it heard into its history before that is looked at.
        events.close()
        with session.lock:
            if len(conversation.history) > before:
                # The model answered, so it knows which edits were written when it was asked.
                for name, edits in written.items():
                    known = session.turns.get(name)
                    if known is not None and (known.known_written is not None or name == session.last_asked):
                        known.known_written = edits
                session.last_asked = turn.id
            else:
                # Nothing was heard, so the messages that were put in for this run go out again.
                conversation.history = history


def _end(session: PageSession, running: Running, outcome: TurnOutcome | None, error: DovetailError | None) -> None:
    """End a turn. What was complete when somebody stopped the model is planned. The lock is held."""
    turn, again = running.turn, running.again
    replies = outcome.rounds if outcome is not None else running.broke_off.rounds
    if outcome is not None:
        turn.wanted = outcome.wanted
    elif error is not None and not (isinstance(error, CancelledError) and replies.has_edits):
        _break_off(session, running, error)
        return
    elif forget_unfinished(running):
        turn.notes.append({"text": "Stopped. The answer that was arriving is left out.", "hint": None})
    parsed = replies.parsed
    if again is None and (replies.has_edits or parsed.unread or parsed.shell_suggestions):
        turn.choices = Choices(replies, running.seen, writes=turn.early)
    elif again is not None and turn.choices is not None:
        _add_replies(turn.choices, running, again, replies)
        if not replies.has_edits:
            session.note(turn, "The model sent no edit.", "Change the edit by hand, or leave it out.")
    if turn.choices is None:
        turn.state = TurnState.DONE
        session.publish_state(turn)
        return
    # Edits that were left out meanwhile stay out, unless their file has joined the conversation since.
    held = session.held.editable
    turn.choices.skipped |= {
        n for n, e in turn.edits.items() if e.skip and (e.result is None or e.result.path not in held)
    }
    take_decided(turn, turn.choices)
    with session.open() as workspace:
        if outcome is None:
            plan_first(session, turn, workspace)
            session.publish_state(turn)
        else:
            plan_again(session, turn, workspace)
            note_seen(turn)


def _add_replies(choices: Choices, running: Running, again: Retried, replies: Rounds) -> None:
    """Add further replies to the choices; edits that came again replace those that failed."""
    # The model saw these files anew, so its earlier edits are read against that text too.
    anew = {r.path: running.seen[r.path] for r in again.failures if r.path is not None and r.path in running.seen}
    choices.seen = {**choices.seen, **anew}
    choices.writes_seen = {**choices.writes_seen, **dict.fromkeys(anew, len(choices.writes))}
    for reply in replies.replies:
        gone = superseded_by(again.results, again.failures, reply.parsed) if reply.parsed.has_edits else {}
        choices.rounds = choices.rounds.adding(reply, gone)
    first = running.first_edit
    mended = {n + first: at + first for n, at in replies.superseded.items()}  # by the replies to its calls
    choices.rounds = replace(choices.rounds, superseded={**choices.rounds.superseded, **mended})


def _break_off(session: PageSession, running: Running, error: DovetailError) -> None:
    """Fail the turn if its first replies broke off; if a further one did, leave the turn as it was before."""
    turn = running.turn
    if running.again is None or turn.choices is None:
        _fail(session, running, error)
        return
    forget_replies(running)
    for one in turn.comments:
        if one["round"] is not None and one["round"] >= running.first_round:
            one["round"] = None  # it was not answered
    take_decided(turn, turn.choices)
    turn.state = TurnState.OPEN
    turn.notes.append({"text": error.message, "hint": error.hint})
    session.publish_turn(turn)
    with session.open() as workspace:
        plan_again(session, turn, workspace)


def _fail(session: PageSession, running: Running, error: DovetailError) -> None:
    turn = running.turn
    turn.state = TurnState.CANCELLED if isinstance(error, CancelledError) else TurnState.FAILED
    turn.error = error_record(error)
    turn.arrived = running.broke_off
    session.publish_state(turn)


class PagePerson(Person):
    """The person at the page, who approves nothing here and stops a turn only by cancelling it."""

    def __init__(self, session: PageSession) -> None:
        self._session = session

    def add_files(self, wanted: Sequence[tuple[str, Why]]) -> Iterator[bool]:
        """Ask whether files may be sent, or edited, all at once; not about those that were answered for already."""
        session, running = self._session, self._session.running
        asked: list[PageQuestion | bool] = []
        with session.lock:
            for path, why in wanted:
                held = holds(session.held, path, why)
                if held or (running is not None and why is Why.EDITED and path in running.left_out):
                    asked.append(held)
                else:
                    asked.append(self._put(path, why))
        try:
            for (path, why), question in zip(wanted, asked, strict=True):
                agrees = question if isinstance(question, bool) else self._answer(question)
                if running is not None and why is Why.EDITED and not agrees:
                    leave_out(session, running, path)
                yield agrees
        finally:  # a turn that was cancelled at one question leaves none of the others
            for question in asked:
                if isinstance(question, PageQuestion):
                    self._close(question)

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:
        """Choose none: the places are chosen at the edits, during the turn and after it."""
        return {result.n: None for result in prepared.ambiguous}

    def waiting(self, retry: Retry) -> None:
        """Publish when the provider will be asked again, and why."""
        running = self._session.running
        wait = {"n": retry.n, "limit": retry.limit, "seconds": round(retry.seconds, 1), "message": retry.error.message}
        with self._session.lock:
            self._session.publish("waiting", {"turn": running.turn.id if running is not None else None, **wait})

    def _put(self, path: str, why: Why) -> PageQuestion:
        """Show the question about a file in every tab."""
        session, running = self._session, self._session.running
        if running is None:
            raise CancelledError("The turn was cancelled.")
        with session.lock:
            session.question_count += 1
            about = {"kind": "add-file", "path": path, "why": str(why)}
            question = PageQuestion({"id": f"q{session.question_count}", "turn": running.turn.id, **about})
            session.questions[question.id] = question
            session.publish("question", {"question": question.record})
        if running.cancel.cancelled:  # it was cancelled before the question could be closed with the others
            question.answer(None)
        return question

    def _answer(self, question: PageQuestion) -> bool:
        """Wait until somebody answers. Raises `CancelledError` if nobody will."""
        answer = question.wait()
        self._close(question)
        if answer is None:
            raise CancelledError("The turn was cancelled.")
        return answer

    def _close(self, question: PageQuestion) -> None:
        """Remove a question from every tab."""
        with self._session.lock:
            if self._session.questions.pop(question.id, None) is not None:
                self._session.publish("question-closed", {"id": question.id})
