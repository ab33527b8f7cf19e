"""One request from its first message to what is written: the steps of a turn.

The order: ask; add files that the model wants; send failed edits back; show the plan; write what the person agrees to.
What is said and heard is the `exchange`'s. Every reply is complete before it is planned, and all of a turn is one
operation.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dovetail.llm.assemble import ARCHITECT
from dovetail.llm.errors import CancelledError, ModelError
from dovetail.llm.prompts import Wording
from dovetail.model.codes import Code, OnFailure
from dovetail.model.errors import ChangedError, DovetailError, UsageError
from dovetail.session.applying.apply import Committed, Prepared, commit, with_on_failure, with_only
from dovetail.session.loop import repair
from dovetail.session.loop.aftermath import told_about
from dovetail.session.loop.asked_files import asked_files
from dovetail.session.loop.choices import Choices, planned
from dovetail.session.loop.exchange import Exchange
from dovetail.session.loop.held_files import check_readable
from dovetail.session.loop.person import StoppedError
from dovetail.session.loop.rounds import Rounds
from dovetail.session.loop.steps import (
    BrokeOff,
    Declined,
    End,
    Event,
    Joined,
    Noted,
    Outdated,
    Planned,
    Repairing,
    Step,
    Stopped,
    Why,
    Written,
)
from dovetail.session.loop.superseded import sent_again

if TYPE_CHECKING:
    from dovetail.llm.cancellation import Cancellation
    from dovetail.llm.values import Message, Reply
    from dovetail.session.loop.conversation import Conversation

MOST_ADDED = 3
"""How often a turn begins anew because the model wants to see a file."""

MOST_CHANGED = 3
"""How often a turn is planned and shown again because its files change before they are written."""

_EDITORS = {"diff-fenced": "editor-diff-fenced", "whole": "whole"}
_TOO_OFTEN = f"The model asks for {{files}} as well; in one turn it is given files {MOST_ADDED} times."
_GO_ON = "I added {files} to the chat. Go on with what I asked for."


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a turn.

    replies: in their order. rounds: what they say, taken together; plans in prose left out.
    prepared: the plan of that, None where none held an edit.
    committed: what was written, None where nothing was. stopped: why failed edits stayed so.
    wanted: files that the model asked for and that were not added.
    """

    replies: tuple[Reply, ...] = ()
    rounds: Rounds = field(default_factory=Rounds)
    prepared: Prepared | None = None
    committed: Committed | None = None
    stopped: Stopped | None = None
    wanted: tuple[str, ...] = ()
    declined: bool = False

    @property
    def written(self) -> bool:
        """Whether a file was written."""
        return self.committed is not None and self.committed.operation is not None

    @property
    def told(self) -> list[str]:
        """What the next request begins with about its edits."""
        if self.prepared is None:
            return []
        written = [result.n for result in self.prepared.landed] if self.written else []
        return told_about(self.prepared.plan.results, written, self.rounds.superseded)


class Turn:
    """The state of one turn. `run` it once."""

    def __init__(self, conversation: Conversation, request: str, cancel: Cancellation | None) -> None:
        self._chat = conversation
        self._request = request
        self._exchange = Exchange(conversation, request, cancel)
        self._rounds = Rounds()
        self._kept_out = set[str]()
        self._written = False

    @property
    def left_edits(self) -> bool:
        """Whether the model sent edits, and nothing was written."""
        return (self._exchange.holds_edits or self._rounds.has_edits) and not self._written

    def spoken(self) -> list[Message]:
        """What the history keeps of it."""
        return self._exchange.spoken()

    def run(self) -> Generator[Event, None, Outcome]:
        """Everything, from the first message on."""
        try:
            wanted = yield from self._first()
            if not self._rounds.has_edits:
                return Outcome(tuple(self._exchange.replies), self._rounds, wanted=wanted)
            prepared = yield from self._planned()
            prepared, stopped = yield from self._mended(prepared)
        except (DovetailError, OSError):
            came = self._exchange
            yield BrokeOff(self._rounds, came.begun, came.closing, came.seen)
            raise
        if stopped is not None:
            yield stopped
        return (yield from self._decided(prepared, stopped))

    def _decided(self, prepared: Prepared, stopped: Stopped | None) -> Generator[Event, None, Outcome]:
        """Show the plan, and write what the person agrees to; where its files changed meanwhile, plan and ask again."""
        outcome = Outcome(tuple(self._exchange.replies), self._rounds, stopped=stopped)
        changed = 0
        while True:
            yield Planned(prepared, self._chat.held)
            agreed = self._approved(prepared)
            if agreed is None:
                yield Declined(prepared)
                return replace(outcome, prepared=prepared, declined=bool(prepared.plan.changes))
            try:
                with self._chat.person.writing():  # until it was told, so that no interruption comes between the two
                    committed = commit(agreed)
                    self._written = committed.operation is not None
                    yield Written(agreed, committed)
                return replace(outcome, prepared=agreed, committed=committed)
            except ChangedError as error:
                changed += 1
                if changed > MOST_CHANGED:
                    raise
                yield Outdated(error.message)
            self._rounds = replace(self._rounds, places={})  # lines of the files as they were
            prepared = yield from self._planned()

    def _approved(self, prepared: Prepared) -> Prepared | None:
        """What the person agrees to write; None for nothing."""
        approval = self._chat.person.approve(prepared) if prepared.plan.changes else None
        if approval is None:
            return None
        if approval.on_failure is not OnFailure.BLOCK:
            prepared = with_on_failure(prepared, approval.on_failure)
        return prepared if approval.chosen is None else with_only(prepared, approval.chosen)

    def _first(self) -> Generator[Event, None, tuple[str, ...]]:
        """Ask for the edits, by way of a plan in architect mode; gives the files that the model asked for in vain."""
        options = self._chat.options
        if not options.architect:
            return (yield from self._with_files(Step.REQUEST, self._chat.options.wording(options.format)))
        left = yield from self._with_files(Step.PLAN, self._chat.options.wording(ARCHITECT))
        plan = self._exchange.replies[-1].text
        if not plan.strip():
            return left
        editor = self._chat.options.wording(_EDITORS.get(options.format, "editor-diff"))
        reply = yield from self._exchange.begin(Step.EDITS, plan, editor, self._editing_model(), alone=True)
        self._rounds = self._rounds.adding(reply)
        return left

    def _with_files(self, step: Step, wording: Wording) -> Generator[Event, None, tuple[str, ...]]:
        """Ask until the model has the files it wants; gives those that it asked for and did not get."""
        request, declined = self._request, set[str]()
        wanted: tuple[str, ...] = ()
        for begun in range(MOST_ADDED + 1):
            reply = yield from self._exchange.begin(step, request, wording, self._chat.options.model)
            if step is not Step.PLAN:
                self._rounds = self._rounds.adding(reply)
            held = {*self._chat.held.paths, *declined}
            named = () if reply.parsed.has_edits else asked_files(reply.text, self._chat.workspace.tree(), held)
            wanted = yield from self._showable(named)
            added: tuple[str, ...] = ()
            if begun < MOST_ADDED:
                added = yield from self._offered(wanted, Why.ASKED)
            elif wanted:
                yield Noted(_TOO_OFTEN.format(files=_listed(wanted)), "Ask again, with all the files that it needs.")
            declined.update(path for path in named if path not in added)
            if not added:
                break
            request = _GO_ON.format(files=_listed(added))
            step = Step.ADDED if step is Step.REQUEST else step
        return tuple(path for path in wanted if path in declined)

    def _editing_model(self) -> str:
        """Who writes the edits behind the first reply."""
        options = self._chat.options
        return (options.editor_model or options.model) if options.architect else options.model

    def _showable(self, paths: Sequence[str]) -> Generator[Event, None, tuple[str, ...]]:
        """Those of some files that a model can be shown; of others the person is told, and not asked."""
        found: list[str] = []
        for path in paths:
            try:
                check_readable(self._chat.workspace, path)
                found.append(path)
            except UsageError as error:
                yield Noted(error.message)
        return tuple(found)

    def _offered(self, paths: Sequence[str], why: Why) -> Generator[Event, None, tuple[str, ...]]:
        """Ask the person about files that are not in the conversation; gives those that joined it."""
        added: list[str] = []
        for path in paths:
            if self._chat.person.add_file(path, why) and (yield from self._showable([path])):  # it may be gone by now
                self._chat.add(path)
                added.append(path)
            yield Joined(path, path in added)
        return tuple(added)

    def _planned(self) -> Generator[Event, None, Prepared]:
        """The plan of all replies, after the person was asked about files that wait and places that are unclear."""
        prepared = self._plan()
        held_back = [r.path for r in prepared.plan.failed if r.code is Code.NOT_IN_CHAT and r.path is not None]
        asked = [path for path in dict.fromkeys(held_back) if path not in self._kept_out]
        added = yield from self._offered(asked, Why.EDITED)
        self._kept_out.update(asked)  # the answer holds for the turn, however often the model edits the file
        if added:
            prepared = self._plan()
        places = self._chat.person.places(prepared) if prepared.ambiguous else {}
        if places:
            self._rounds = self._rounds.placing(places)
            prepared = self._plan()
        return prepared

    def _plan(self) -> Prepared:
        chat = self._chat
        return planned(Choices(self._rounds, self._exchange.seen), chat.workspace, chat.options, chat.held)

    def _mended(self, prepared: Prepared) -> Generator[Event, None, tuple[Prepared, Stopped | None]]:
        """Send failed edits back until none fails, or there is a reason to stop."""
        escalation = repair.Escalation(self._chat.options.max_rounds)
        while failures := repair.repairable(prepared):
            asked = escalation.next(prepared, failures, self._rounds.offset + 1)
            if isinstance(asked, End):
                return prepared, Stopped(asked, failures)
            yield Repairing(asked.step, asked.failures, asked.message)
            try:
                reply = yield from self._exchange.go_on(asked.step, asked.message, self._editing_model())
            except StoppedError:
                return prepared, Stopped(End.STOPPED, failures)
            except CancelledError:
                raise
            except ModelError as error:
                return prepared, Stopped(End.MODEL, failures, error.message)
            if not reply.parsed.has_edits:
                return prepared, Stopped(End.SILENT, failures)
            gone = sent_again(prepared.plan.results, asked.failures, reply.parsed)
            self._rounds = self._rounds.adding(reply, gone)
            prepared = yield from self._planned()
        left = tuple(prepared.plan.failed)
        return prepared, Stopped(End.YOURS, left) if left else None
