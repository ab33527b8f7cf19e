"""A conversation with a model about files: one request after another, each from its first message to what is written.

The steps of a turn: ask; add files that the model wants; answer its calls of tools; send failed edits back; show the
plan; write what the person agrees to. A turn prints nothing: it yields what happens, and a `Person` answers what must
be asked. No file is written before the replies of the turn are complete and the person agreed, and all of a turn is one
operation.

Notes tell the model, with the next request, what became of its edits. What was written may be undone and redone by
anybody who has the journal, so nobody reports an undo when it happens: whoever asks the model compares the operations
that are in force with those that were when it was told last.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from dovetail.llm.assemble import ARCHITECT, TOOLS
from dovetail.llm.errors import CancelledError, ModelError
from dovetail.llm.prompts import Wording
from dovetail.llm.transport import Cancellation
from dovetail.llm.values import Reply
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.errors import ChangedError, DovetailError, UsageError
from dovetail.model.results import BlockResult, Plan
from dovetail.session.apply import records
from dovetail.session.apply.applying import Committed, Prepared, as_planned, commit, with_on_failure, with_only
from dovetail.session.apply.placing import events_behind
from dovetail.session.conversation.call_answers import answer_to
from dovetail.session.conversation.chat_files import check_readable, requested_files
from dovetail.session.conversation.chat_state import ChatState
from dovetail.session.conversation.participants import StoppedError, Why
from dovetail.session.conversation.repair import Escalation, ask_for_edits, same_failures
from dovetail.session.conversation.rounds import Rounds, Step, superseded_by
from dovetail.session.conversation.turn_edits import Choices, plan_turn, reading_commands
from dovetail.session.conversation.turn_events import (
    BrokeOff,
    Declined,
    EditsWritten,
    End,
    Joined,
    Ledger,
    Noted,
    NotRead,
    Outdated,
    Piece,
    PlanReady,
    Repairing,
    Stopped,
    TurnEvent,
    reply_record,
)
from dovetail.session.conversation.turn_messages import TurnMessages

NOT_APPLIED = "I did not apply your last edits."
UNDONE = "I took back your last edits; the files are as they were before them."
FEWER = "I took back some of your earlier edits; the files are as they are shown now."
MORE = "I applied some of your earlier edits since; the files are as they are shown now."

OperationsInForce = Mapping[str, frozenset[int]]
"""The operations that were not undone, oldest first, each with the numbers of its edits that were undone alone."""


def notes_on_journal(
    known: OperationsInForce, now: Mapping[str, frozenset[int] | None], notes: Sequence[str]
) -> list[str]:
    """Return notes about undos and redos since the model was asked last.

    known: the operations in force that the model knows of. now: the same operations in the journal, None for one undone
    whole; those that the journal does not know (any more) are missing. notes: those that the request begins with.
    """
    fewer = {name: now[name] for name in known if name in now and _is_fewer(known[name], now[name])}
    found = []
    if fewer:
        # "Your last edits" is said only if the newest operations, and nothing else, were taken back whole.
        all_undone = all(edits is None for edits in fewer.values()) and list(fewer) == list(known)[-len(fewer) :]
        found.append(UNDONE if all_undone and NOT_APPLIED not in notes else FEWER)
    if any(edits is not None and (name not in known or known[name] - edits) for name, edits in now.items()):
        found.append(MORE)
    return found


def _is_fewer(known: frozenset[int], now: frozenset[int] | None) -> bool:
    return now is None or bool(now - known)


def notes_on_turn(
    results: Sequence[BlockResult], written: Collection[int], superseded: Collection[int], *, undone: bool = False
) -> list[str]:
    """Return a sentence about the edits of a turn, or none if all of them are in the files.

    written: numbers of the edits that the turn wrote and that are in the files now. superseded: those that the model
    sent again. undone: some edits were written and undone.
    """
    left = [r.n for r in results if r.n not in written and r.n not in superseded and _is_missing(r)]
    if not left:
        return []
    if not written:
        return [UNDONE if undone else NOT_APPLIED]
    return [f"Of your last edits I applied {_listed_edits(written)} and left out {_listed_edits(left)}."]


def _is_missing(result: BlockResult) -> bool:
    if result.status is Status.LEFT_OUT:
        return result.code in (Code.OTHER_FAILED, Code.NOT_SELECTED)
    return result.status is not Status.STANDS_ALREADY


def notes_on_hand_edits(changed: Collection[int]) -> list[str]:
    """Return a sentence about edits that the user changed by hand before they were written, or none."""
    return [f"I changed {_listed_edits(changed)} by hand before."] if changed else []


def _listed_edits(numbers: Collection[int]) -> str:
    return f"{'edit' if len(numbers) == 1 else 'edits'} {', '.join(map(str, sorted(numbers)))}"


MAX_ADDED = 3
"""How often a turn begins anew because the model asks for a file."""

MAX_CHANGED = 3
"""How often a turn is planned and shown again because its files change before they are written."""

MAX_CALLS = 50
"""How often the calls of one turn are answered, before the turn ends as one that goes round in circles."""

_EDITORS = {"diff-fenced": "editor-diff-fenced", "whole": "whole"}
_TOO_OFTEN = f"The model asks for {{files}} as well; in one turn it is given files {MAX_ADDED} times."
_GO_ON = "You are shown {files} now. Go on with what I asked for."


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """The outcome of a turn.

    replies: in order. rounds: the replies joined, without plans in prose.
    prepared: their plan, None if no reply has an edit. declined: the person did not want its changes.
    committed: what was written, None if nothing was. stopped: why failed edits were not asked for again.
    wanted: files that the model asked for and that were not added. unread: parts that look like a change and were not
    read, if there is no plan.
    """

    replies: tuple[Reply, ...] = ()
    rounds: Rounds = field(default_factory=Rounds)
    prepared: Prepared | None = None
    committed: Committed | None = None
    stopped: Stopped | None = None
    wanted: tuple[str, ...] = ()
    declined: bool = False
    unread: tuple[BlockResult, ...] = ()

    @property
    def written(self) -> bool:
        """Return whether a file was written."""
        return self.committed is not None and self.committed.operation is not None

    def record(self, ledger: Ledger) -> records.Record:
        """Return the outcome as JSON, with its replies and what each request cost."""
        parsed, reported = self.rounds.parsed, {result.block.malformed for result in self.unread}
        notes = tuple(note for note in parsed.diagnostics if note not in reported)
        without = Plan(self.unread, (), parsed.shell_suggestions, parsed.database_actions, notes)
        plan = self.prepared.plan if self.prepared is not None else without
        operation = self.committed.operation if self.committed is not None else None
        stopped = None
        if self.stopped is not None:
            failures = [records.of_explained(result) for result in self.stopped.failures]
            stopped = {"why": str(self.stopped.end), "detail": self.stopped.detail, "failures": failures}
        return {
            "written": self.written,
            "operation": operation.id if operation is not None else None,
            **records.of_plan(
                plan, self.committed.findings if self.committed is not None else (), written=self.written
            ),
            "replies": [reply_record(reply) for reply in self.replies],
            "requests": [spent.record for spent in ledger.entries],
            "saved": ledger.total.saved,
            "wanted": list(self.wanted),
            "stopped": stopped,
        }


class Conversation(ChatState):
    """One conversation over one workspace; `cancel` given to `ask` may be set from any thread."""

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[TurnEvent, None, TurnOutcome]:
        """Run one turn: yield its events, and return its outcome.

        cancel: may be set from any thread to stop the request. Raises `ModelError` if the first reply does not come,
        `WorkspaceError` if the files cannot be read or written. Then, and if the generator is closed early, nothing is
        written.
        """
        turn = _Turn(self, "\n\n".join([*self.notes, request]), cancel)
        outcome: TurnOutcome | None = None
        try:
            outcome = yield from turn.run()
        finally:
            history = turn.messages.for_history()
            self.history.extend(history)
            if outcome is None:
                # The turn ended early. Without any history the model was told nothing, so its notes stay.
                if history:
                    self.notes = [NOT_APPLIED] if turn.left_edits else []
            elif outcome.prepared is None:
                self.notes = []
            else:
                written = [result.n for result in outcome.prepared.landed] if outcome.written else []
                self.notes = notes_on_turn(outcome.prepared.plan.results, written, outcome.rounds.superseded)
        return outcome


class _Turn:
    """The state of one turn. `run` it once."""

    def __init__(self, chat: ChatState, request: str, cancel: Cancellation | None) -> None:
        self.messages = TurnMessages(chat, request, cancel)
        self._chat = chat
        self._request = request
        self._rounds = Rounds()
        self._not_added = set[str]()
        self._listings_asked = set[int]()  # by line; the answers hold for the turn
        self._places_left = frozenset[int]()  # edits whose place the person chooses on the plan
        self._written = False
        self._failed_calls: list[tuple[BlockResult, ...]] = []
        self._editing_model = chat.options.model
        self._taught = chat.options.taught
        if chat.options.architect:
            self._editing_model = chat.options.editor_model or chat.options.model

    @property
    def left_edits(self) -> bool:
        """Return whether the model sent edits, and nothing was written."""
        return (self.messages.holds_edits or self._rounds.has_edits) and not self._written

    def run(self) -> Generator[TurnEvent, None, TurnOutcome]:
        """Run the turn from its first message to its outcome."""
        try:
            wanted = yield from self._first_reply()
            stopped = None
            if self._rounds.has_edits or self._rounds.calls or self._rounds.parsed.unread:
                prepared = yield from self._planned()
                prepared, stopped = yield from self._answered(prepared)
            if not self._rounds.has_edits and self._chat.person.decides_commands:
                # A plan of the commands is shown only if all of it fits; else the reply counts as one without edits.
                listed, read = self._rounds, reading_commands(self._rounds, self._plan())
                if read is not None:
                    self._rounds = read
                    followed = yield from self._planned()
                    if followed.plan.changes and not followed.plan.failed:
                        return (yield from self._written_out(followed, None))
                    self._rounds = listed
            if not self._rounds.has_edits and self._rounds.parsed.unread and stopped is None:
                prepared, stopped = yield from self._asked_for_edits(prepared)
            if not self._rounds.has_edits:
                unread = prepared.plan.unread if self._rounds.parsed.unread else ()
                yield NotRead(unread)
                return TurnOutcome(tuple(self.messages.replies), self._rounds, wanted=wanted, unread=unread)
            if stopped is None:
                prepared, stopped = yield from self._repaired(prepared)
        except (DovetailError, OSError):
            yield BrokeOff(self._rounds, self.messages.begun, self.messages.closing, self.messages.seen)
            raise
        if stopped is not None:
            yield stopped
        return (yield from self._written_out(prepared, stopped))

    def _first_reply(self) -> Generator[TurnEvent, None, tuple[str, ...]]:
        """Ask for the edits, in architect mode for a plan first; return the files that the model asked for in vain."""
        options = self._chat.options
        if not options.architect:
            return (yield from self._ask_until_files_suffice(Step.REQUEST, options.wording(options.taught)))
        wanted = yield from self._ask_until_files_suffice(Step.PLAN, options.wording(ARCHITECT))
        plan = self.messages.replies[-1].text
        if plan.strip():
            self._taught = TOOLS if options.by_tools else _EDITORS.get(options.format, "editor-diff")
            editor = options.wording(self._taught)
            reply = yield from self.messages.begin(Step.EDITS, plan, editor, self._editing_model, alone=True)
            self._rounds = self._rounds.adding(reply)
        return wanted

    def _ask_until_files_suffice(self, step: Step, wording: Wording) -> Generator[TurnEvent, None, tuple[str, ...]]:
        """Ask until the model has the files that it asks for; return those that it did not get."""
        chat, request, declined = self._chat, self._request, set[str]()
        wanted: tuple[str, ...] = ()
        for asked in range(MAX_ADDED + 1):
            reply = yield from self.messages.begin(step, request, wording, chat.options.model)
            if step is not Step.PLAN:
                self._rounds = self._rounds.adding(reply)
            named: tuple[str, ...] = ()
            if not (reply.parsed.has_edits or reply.calls):
                shown = set(chat.files.paths) - self.messages.in_part
                named = requested_files(reply.text, chat.workspace.tree(), shown | declined)
            wanted = yield from self._readable(named)
            added: tuple[str, ...] = ()
            if asked < MAX_ADDED:
                added = yield from self._offer(wanted, Why.ASKED)
            elif wanted:
                yield Noted(
                    _TOO_OFTEN.format(files=_quoted(wanted)),
                    "Ask again, with all the files that it needs.",
                )
            declined.update(path for path in named if path not in added)
            if not added:
                break
            request = _GO_ON.format(files=_quoted(added))
            step = Step.ADDED if step is Step.REQUEST else step
        return tuple(path for path in wanted if path in declined)

    def _readable(self, paths: Sequence[str]) -> Generator[TurnEvent, None, tuple[str, ...]]:
        """Return those of some files that a model can be shown; yield a note for each other one."""
        found: list[str] = []
        for path in paths:
            try:
                check_readable(self._chat.workspace, path)
                found.append(path)
            except UsageError as error:
                yield Noted(error.message)
        return tuple(found)

    def _offer(self, paths: Sequence[str], why: Why) -> Generator[TurnEvent, None, tuple[str, ...]]:
        """Ask the person whether to add files to the conversation; return those that were added."""
        added: list[str] = []
        wanted = [(path, Why.WHOLE if why is Why.ASKED and path in self.messages.in_part else why) for path in paths]
        for (path, why), agreed in zip(wanted, self._chat.person.add_files(wanted), strict=True):
            whole = why is Why.WHOLE
            if agreed and (yield from self._readable([path])):  # it may be gone by now
                if whole:
                    self.messages.whole.add(path)
                else:
                    self._chat.add(path)
                added.append(path)
            yield Joined(path, path in added, whole)
        return tuple(added)

    def _planned(self) -> Generator[TurnEvent, None, Prepared]:
        """Plan all replies, after the person was asked about files that wait and places that are unclear."""
        prepared = self._plan()
        waiting = [r.path for r in prepared.plan.failed if r.code is Code.NOT_IN_CHAT and r.path is not None]
        offered = [path for path in dict.fromkeys(waiting) if path not in self._not_added]
        added = yield from self._offer(offered, Why.EDITED)
        self._not_added.update(offered)  # the answer holds for the turn, however often the model edits the file
        if added:
            prepared = self._plan()
        answers: Mapping[int, int | None] = {}
        if prepared.ambiguous and not (self._rounds.calls or self._rounds.steps):  # else the model is told of them
            answers = self._chat.person.places(prepared)
        self._places_left = frozenset(n for n, line in answers.items() if line is None)
        if places := {n: line for n, line in answers.items() if line is not None}:
            self._rounds = self._rounds.placing(places)
            prepared = self._plan()
        usable = {listing.line for listing in prepared.usable_listings} - self._listings_asked
        if usable and not (self._rounds.calls or self._rounds.steps):
            self._listings_asked |= usable
            used = self._chat.person.listings(prepared)
            if used:
                before = self._rounds.replies[-1].parsed
                self._rounds = self._rounds.using(used, prepared.snapshot)
                prepared = self._plan()
                yield Piece("", "", events_behind(before, self._rounds.replies[-1].parsed))
        return prepared

    def _plan(self) -> Prepared:
        chat = self._chat
        return plan_turn(Choices(self._rounds, self.messages.seen), chat.workspace, chat.options, chat.files)

    def _answered(self, prepared: Prepared) -> Generator[TurnEvent, None, tuple[Prepared, Stopped | None]]:
        """Answer the model's calls of tools until it makes none, or there is a reason to stop.

        An answer says where an edit fits in the files with all earlier edits, or why it fails. Failed calls count like
        other failed edits: they may be repeated at most `max_rounds` times. Raises `ModelError` for calls without end.
        """
        before, reported = prepared.texts, set[int]()
        answered = in_row = 0
        while calls := self._rounds.calls:
            first = self._rounds.offset + 1
            failures = tuple(result for result in prepared.repairable if result.n >= first)
            # Compared with all rounds before, not the last alone: a model may go back and forth between two wrong
            # edits.
            if any(same_failures(earlier, failures) for earlier in self._failed_calls):
                return prepared, Stopped(End.REPEATED, prepared.repairable)
            if failures:
                self._failed_calls.append(failures)
                reported.update(result.n for result in failures if result.code is not Code.UNREAD)
            # A reply that only reads files neither adds to the failures in a row nor ends them.
            if failures or self._rounds.replies[-1].parsed.has_edits:
                in_row = in_row + 1 if failures else 0
            if in_row > self._chat.options.max_rounds:
                return prepared, Stopped(End.ROUNDS, prepared.repairable)
            if answered == MAX_CALLS:
                raise ModelError(
                    f"The model called tools in {MAX_CALLS} replies in a row, and did not come to an end.",
                    hint="Ask for less at once, or ask another model.",
                    code="too-many-calls",
                )
            answered += 1
            now = as_planned(prepared)
            read = partial(self.messages.read, now)
            answers = [answer_to(call, prepared, before, read) for call in calls]
            try:
                reply = yield from self.messages.go_on(Step.CALLS, "", self._editing_model, answers, now)
            except StoppedError:
                return prepared, Stopped(End.STOPPED, prepared.repairable)
            except ModelError as error:
                if isinstance(error, CancelledError) or not self._rounds.has_edits:
                    raise
                return prepared, Stopped(End.MODEL, prepared.repairable, error.message)
            failed = {result.n for result in prepared.repairable}
            again = superseded_by(prepared.plan.results, prepared.repairable, reply.parsed)
            self._rounds = self._rounds.adding(reply, {n: at for n, at in again.items() if n in failed})
            before = {path: file.text for path, file in now.files.items() if file.text is not None}
            prepared = yield from self._planned()
        left = prepared.repairable
        return prepared, Stopped(End.SILENT, left) if left and {result.n for result in left} <= reported else None

    def _asked_for_edits(self, prepared: Prepared) -> Generator[TurnEvent, None, tuple[Prepared, Stopped | None]]:
        """Ask once for the edits that a reply without any shows as listings, in the form that the model was taught."""
        options = self._chat.options
        reminder = "" if options.by_tools else options.wording(self._taught).reminder
        step = ask_for_edits(prepared, self._listings_asked, reminder) if options.max_rounds > 0 else None
        if step is None:
            return prepared, None
        yield Repairing(step.step, step.failures, step.message)
        try:
            reply = yield from self.messages.go_on(step.step, step.message, self._editing_model)
        except StoppedError:
            return prepared, None
        if not (reply.parsed.has_edits or reply.calls or reply.parsed.unread):
            return prepared, None  # the findings about the first reply stay
        self._rounds = self._rounds.adding(reply)
        return (yield from self._answered((yield from self._planned())))

    def _repaired(self, prepared: Prepared) -> Generator[TurnEvent, None, tuple[Prepared, Stopped | None]]:
        """Send failed edits back until none fails that the model may correct, or there is a reason to stop."""
        escalation = Escalation(self._chat.options.max_rounds)
        while failures := tuple(r for r in prepared.repairable if r.n not in self._places_left):
            step = escalation.next(prepared, failures, self._rounds.offset + 1)
            if isinstance(step, End):
                return prepared, Stopped(step, failures)
            yield Repairing(step.step, step.failures, step.message)
            try:
                reply = yield from self.messages.go_on(step.step, step.message, self._editing_model)
            except StoppedError:
                return prepared, Stopped(End.STOPPED, failures)
            except CancelledError:
                raise
            except ModelError as error:
                return prepared, Stopped(End.MODEL, failures, error.message)
            if not (reply.parsed.has_edits or reply.calls):
                return prepared, Stopped(End.SILENT, failures)
            superseded = superseded_by(prepared.plan.results, step.failures, reply.parsed)
            self._rounds = self._rounds.adding(reply, superseded)
            prepared, stopped = yield from self._answered((yield from self._planned()))
            if stopped is not None:
                return prepared, stopped
        left = tuple(prepared.plan.failed)
        return prepared, Stopped(End.YOURS, left) if left else None

    def _written_out(self, prepared: Prepared, stopped: Stopped | None) -> Generator[TurnEvent, None, TurnOutcome]:
        """Show the plan and write what the person agrees to; if its files changed meanwhile, plan and ask again."""
        outcome = TurnOutcome(tuple(self.messages.replies), self._rounds, stopped=stopped)
        person, changed = self._chat.person, 0
        while True:
            yield PlanReady(prepared, self._chat.files)
            approval = person.approve(prepared) if prepared.plan.changes else None
            if approval is None:
                yield Declined(prepared)
                return replace(outcome, prepared=prepared, declined=bool(prepared.plan.changes))
            agreed = prepared
            if approval.on_failure is not OnFailure.BLOCK:
                agreed = with_on_failure(agreed, approval.on_failure, partial=approval.partial)
            if approval.chosen is not None:
                agreed = with_only(agreed, approval.chosen)
            try:
                with person.writing():  # includes the event, so that no interruption comes between writing and it
                    committed = commit(agreed, self._chat.options.git)
                    self._written = committed.operation is not None
                    yield EditsWritten(agreed, committed)
                return replace(outcome, prepared=agreed, committed=committed)
            except ChangedError as error:
                changed += 1
                if changed > MAX_CHANGED:
                    raise
                yield Outdated(error.message)
            self._rounds = replace(self._rounds, places={})  # lines of the files as they were
            prepared = yield from self._planned()


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)
