"""One request from its first message to what is written: the steps of a turn.

The order: ask; add files that the model wants; locate edits while they stream; send failed ones back; show the plan;
write what the person agrees to. Every reply is complete before it is planned, and all of a turn is one operation.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from dovetail.context import estimate
from dovetail.llm.assemble import ARCHITECT, TURN_OVERHEAD, Assembled, Budget, Chat, Wording, assemble, files_message
from dovetail.llm.errors import CancelledError, ModelError
from dovetail.llm.values import Gathered, Message, Reply, Request, Role
from dovetail.model.codes import Code, OnFailure
from dovetail.model.dataclasses import dataclass, replace
from dovetail.plan import wanted_paths
from dovetail.session import repair
from dovetail.session.apply import Committed, Prepared, commit, with_on_failure, with_only
from dovetail.session.asked_files import asked_files
from dovetail.session.held_files import Shown, show_held
from dovetail.session.ledger import Spent
from dovetail.session.live import Live
from dovetail.session.rounds import Round, Rounds, plan_rounds, sent_again
from dovetail.session.steps import (
    Answered,
    Cost,
    Declined,
    End,
    Event,
    Joined,
    Noted,
    Piece,
    Planned,
    Repairing,
    Restarted,
    Sent,
    Step,
    Stopped,
    Why,
    Written,
)

if TYPE_CHECKING:
    from dovetail.llm.cancellation import Cancellation
    from dovetail.model.blocks import Block
    from dovetail.model.results import BlockResult
    from dovetail.model.snapshot import Snapshot
    from dovetail.session.conversation import Conversation

MOST_ADDED = 3
"""How often a turn begins anew because the model wants to see a file."""

_EDITORS = {"diff-fenced": "editor-diff-fenced", "whole": "whole"}
_MAKE_THEM = "Make the edits of this plan."
_GO_ON = "I added {files} to the chat. Go on with what I asked for."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a turn.

    replies: in their order. prepared: the plan of all of them, None where none held an edit.
    committed: what was written, None where nothing was. stopped: why failed edits stayed so.
    wanted: files that the model asked for and that were not added.
    """

    replies: tuple[Reply, ...] = ()
    prepared: Prepared | None = None
    committed: Committed | None = None
    stopped: Stopped | None = None
    wanted: tuple[str, ...] = ()
    declined: bool = False

    @property
    def written(self) -> bool:
        """Whether a file was written."""
        return self.committed is not None and self.committed.operation is not None


class Turn:
    """The state of one turn. `run` it once."""

    def __init__(self, conversation: Conversation, request: str, cancel: Cancellation | None) -> None:
        self._chat = conversation
        self._request = request
        self._cancel = cancel
        self._messages: tuple[Message, ...] = ()
        self._shown = Shown((), (), {})
        self._known: Snapshot | None = None
        self._rounds = Rounds()
        self._asked = 0
        self._replies: list[Reply] = []
        self._spoken: list[Message] = []
        self._partial = Gathered()

    def spoken(self) -> list[Message]:
        """What the history keeps: the user's and the model's turns, with as much of a broken reply as came."""
        if self._partial.text and len(self._spoken) % 2:
            return [*self._spoken, Message(Role.ASSISTANT, self._partial.text)]
        return self._spoken if len(self._spoken) % 2 == 0 else self._spoken[:-1]

    def run(self) -> Generator[Event, None, Outcome]:
        """Everything, from the first message on."""
        wanted = yield from self._first()
        if not self._rounds.replies[-1].has_edits:
            return Outcome(tuple(self._replies), wanted=wanted)
        prepared = yield from self._planned()
        prepared, stopped = yield from self._mended(prepared)
        if stopped is not None:
            yield stopped
        yield Planned(prepared)
        approval = self._chat.person.approve(prepared) if prepared.plan.changes else None
        outcome = Outcome(tuple(self._replies), prepared, None, stopped)
        if approval is None:
            yield Declined(prepared)
            return replace(outcome, declined=bool(prepared.plan.changes))
        if approval.on_failure is not OnFailure.BLOCK:
            prepared = with_on_failure(prepared, approval.on_failure)
        if approval.chosen is not None:
            prepared = with_only(prepared, approval.chosen)
        with self._chat.person.writing():
            committed = commit(prepared, self._chat.options.git)
        yield Written(prepared, committed)
        return replace(outcome, prepared=prepared, committed=committed)

    def _first(self) -> Generator[Event, None, tuple[str, ...]]:
        """Ask until the model has the files it wants; gives those that it asked for and did not get."""
        options = self._chat.options
        step, wording = Step.REQUEST, self._wording(options.format)
        if options.architect:
            step, wording = Step.PLAN, self._wording(ARCHITECT)
        request, declined = self._request, set[str]()
        wanted: tuple[str, ...] = ()
        for _ in range(MOST_ADDED + 1):
            reply = yield from self._begin(step, request, wording, options.model)
            wanted = () if reply.has_edits else self._wants(reply.text, declined)
            added = yield from self._offered(wanted, Why.ASKED)
            declined.update(path for path in wanted if path not in added)
            if not added:
                break
            request = _GO_ON.format(files=", ".join(f"`{path}`" for path in added))
            step = Step.ADDED if step is Step.REQUEST else step
        if options.architect:
            editor = self._wording(_EDITORS.get(options.format, "editor-diff"))
            plan = self._replies[-1].text
            yield from self._begin(Step.EDITS, plan, editor, options.editor_model or options.model, alone=True)
        return tuple(path for path in wanted if path in declined)

    def _wording(self, format_name: str) -> Wording:
        options = self._chat.options
        return Wording(format_name, shell=options.shell, policy=options.policy, markers=options.markers)

    def _begin(
        self, step: Step, request: str, wording: Wording, model: str, *, alone: bool = False
    ) -> Generator[Event, None, Round]:
        """Show the files as they are now, and ask. `alone` leaves the conversation so far out."""
        made = self._assembled(request, wording, alone=alone)
        for left_out in (*self._shown.left_out, *made.cut):
            yield Noted(left_out)
        self._messages = made.messages
        reply = yield from self._ask(step, _MAKE_THEM if alone else request, model)
        self._rounds = Rounds((reply,))
        return reply

    def _assembled(self, request: str, wording: Wording, *, alone: bool) -> Assembled:
        chat, options = self._chat, self._chat.options
        tree = chat.workspace.tree()
        self._shown = show_held(chat.workspace, chat.held, options.file_tokens, estimate)
        outline = ""
        if options.map_tokens > 0:
            view = chat.map.view(options.map_tokens, self._request, chat.held.paths, tree, estimate)
            outline = view.text
        history = () if alone else (*chat.history, *self._spoken)
        shown = Chat(request, self._shown.editable, self._shown.read_only, outline, history)
        budget = Budget(options.budget, chat.count) if options.budget is not None else None
        self._known = chat.held.guarding(chat.workspace.snapshot(chat.held.paths, tree=tree))
        return assemble(shown, wording, budget)

    def _ask(self, step: Step, said: str, model: str, message: int = 0) -> Generator[Event, None, Round]:
        """Send the messages, and hand on what comes. `said` is the newest of them as the history keeps it."""
        chat = self._chat
        sent = sum(chat.count(turn.content) + TURN_OVERHEAD for turn in self._messages)
        self._asked += 1
        self._spoken.append(Message(Role.USER, said))
        yield Sent(step, self._asked, model, sent, self._shown.texts)
        live, self._partial = self._live(), Gathered()
        options = chat.options
        request = Request(model, self._messages, options.max_tokens, options.temperature)
        stream = chat.model.stream(request, cancel=self._cancel, on_retry=chat.person.waiting)
        with closing(stream) as deltas:
            for delta in deltas:
                if delta.restart:
                    live = self._live()
                    yield Restarted()
                self._partial.add(delta)
                if delta.text or delta.reasoning:
                    yield from _heard(live, step, delta.text, delta.reasoning)
        if step is not Step.PLAN:
            yield from live.close()
        reply = self._partial.reply
        cut = live.closed_by_end if reply.truncated else ()
        self._replies.append(reply)
        self._spoken.append(Message(Role.ASSISTANT, reply.text or "(no words)"))
        self._messages = (*self._messages, Message(Role.ASSISTANT, reply.text or "(no words)"))
        yield Answered(step, reply, cut)
        if reply.notice is not None:
            yield Noted(reply.notice)
        spent = Spent(step, model, sent, chat.count(reply.text), reply.usage, message, self._again())
        chat.ledger.add(spent)
        yield Cost(spent)
        return Round(step, reply.text, live.parsed, cut)

    def _again(self) -> int:
        """Tokens that showing the files once more would take."""
        shown, count = self._shown, self._chat.count
        sides = ((shown.editable, False), (shown.read_only, True))
        return sum(count(files_message(files, read_only=side).content) for files, side in sides if files)

    def _live(self) -> Live:
        options = self._chat.options
        known = self._known or self._chat.workspace.snapshot((), tree=frozenset())
        return Live(
            known, options.policy, self._chat.language, self._look, format=options.reading, markers=options.markers
        )

    def _look(self, block: Block) -> Snapshot:
        """The files that a block may mean besides those of the conversation."""
        workspace = self._chat.workspace
        tree = self._known.tree if self._known is not None else workspace.tree()
        return self._chat.held.guarding(workspace.snapshot(wanted_paths((block,), tree), tree=tree))

    def _wants(self, text: str, declined: set[str]) -> tuple[str, ...]:
        held = {*self._chat.held.paths, *declined}
        return asked_files(text, self._chat.workspace.tree(), held)

    def _offered(self, paths: Sequence[str], why: Why) -> Generator[Event, None, tuple[str, ...]]:
        """Ask the person about files that are not in the conversation; gives those that joined it."""
        added: list[str] = []
        for path in paths:
            if self._chat.person.add_file(path, why):
                self._chat.add(path)
                added.append(path)
            yield Joined(path, why, path in added)
        return tuple(added)

    def _planned(self) -> Generator[Event, None, Prepared]:
        """The plan of all replies, after the person was asked about files that wait and places that are unclear."""
        prepared = self._plan()
        held_back = [r.path for r in prepared.plan.failed if r.code is Code.NOT_IN_CHAT and r.path is not None]
        added = yield from self._offered(list(dict.fromkeys(held_back)), Why.EDITED)
        if added:
            prepared = self._plan()
        places = self._chat.person.places(prepared) if prepared.ambiguous else {}
        if places:
            self._rounds = self._rounds.placing(places)
            prepared = self._plan()
        return prepared

    def _plan(self) -> Prepared:
        chat = self._chat
        policy = replace(chat.options.policy, on_failure=OnFailure.BLOCK)
        made = plan_rounds(chat.workspace, self._rounds, chat.held, policy, chat.language, self._shown.texts)
        return replace(made, markers=chat.options.markers)

    def _mended(self, prepared: Prepared) -> Generator[Event, None, tuple[Prepared, Stopped | None]]:
        """Send failed edits back until none fails, or there is a reason to stop."""
        before: tuple[BlockResult, ...] = ()
        asked_whole: frozenset[str] = frozenset()
        order = repair.steps(self._chat.options.max_rounds)
        while failures := repair.repairable(prepared):
            if repair.same_failures(before, failures):
                return prepared, Stopped(End.REPEATED, failures)
            follow_up = self._follow_up(order, prepared, failures, asked_whole)
            if follow_up is None:
                return prepared, Stopped(End.ROUNDS, failures)
            if follow_up.step is Step.WHOLE:
                asked_whole |= {result.path for result in follow_up.failures if result.path is not None}
            yield Repairing(follow_up.step, follow_up.failures, follow_up.message)
            try:
                reply = yield from self._again_asked(follow_up)
            except CancelledError:
                raise
            except ModelError as error:
                return prepared, Stopped(End.MODEL, failures, error.message)
            if not reply.has_edits:
                return prepared, Stopped(End.SILENT, failures)
            gone = sent_again(prepared.plan.results, follow_up.failures, reply.parsed)
            self._rounds = self._rounds.adding(reply, gone)
            before, prepared = failures, (yield from self._planned())
        left = tuple(prepared.plan.failed)
        return prepared, Stopped(End.YOURS, left) if left else None

    def _follow_up(
        self, order: Iterator[Step], prepared: Prepared, failures: tuple[BlockResult, ...], asked_whole: frozenset[str]
    ) -> repair.FollowUp | None:
        """The next step and its message; None where every step was taken, or none is wanted."""
        if self._chat.options.max_rounds <= 0:
            return None
        first = self._rounds.offset + 1
        match next(order, Step.WHOLE):
            case Step.REPAIR:
                return repair.repair(prepared, failures, first)
            case Step.WIDER:
                return repair.wider(prepared, failures, first)
            case _:
                return repair.whole(prepared, failures, asked_whole)

    def _again_asked(self, follow_up: repair.FollowUp) -> Generator[Event, None, Round]:
        self._messages = (*self._messages, Message(Role.USER, follow_up.message))
        options = self._chat.options
        model = (options.editor_model or options.model) if options.architect else options.model
        reply = yield from self._ask(follow_up.step, follow_up.message, model, self._chat.count(follow_up.message))
        return reply


def _heard(live: Live, step: Step, text: str, reasoning: str) -> Iterator[Event]:
    """A plan in prose holds no edits, whatever it looks like."""
    if step is Step.PLAN:
        yield Piece(text, reasoning)
    else:
        yield from live.feed(text, reasoning)
