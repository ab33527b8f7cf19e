"""The messages of a turn to the model, and its replies.

`TurnMessages` owns the messages of one turn, the files that they show, and the replies as they came. `LiveReply`
locates the edits of a reply while it arrives. The turn (`conversation`) decides what to do with it. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any

from dovetail.context import estimate
from dovetail.formats import Stream
from dovetail.formats.events import BlockClosed, Event
from dovetail.formats.table import AUTO
from dovetail.llm.assemble import TURN_OVERHEAD, Chat, TokenBudget, assemble
from dovetail.llm.errors import CancelledError, ContextTooLongError, ModelError
from dovetail.llm.prompts import Wording
from dovetail.llm.transport import Cancellation
from dovetail.llm.values import Gathered, Message, Reply, Request, Role, Stop, ToolAnswer, ToolCall
from dovetail.model.blocks import Block, Parsed
from dovetail.model.codes import OnFailure, Status
from dovetail.model.errors import UsageError
from dovetail.model.language import NO_SYNTAX
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import Snapshot
from dovetail.place.tree import tidy
from dovetail.plan import plan, wanted_paths, with_commands
from dovetail.plan.locator import Locator
from dovetail.session.apply.placing import events_behind, placed
from dovetail.session.conversation.call_answers import OFFERED, shown_lines, text_argument
from dovetail.session.conversation.chat_files import ShownFiles, check_readable, show_files
from dovetail.session.conversation.chat_state import ChatState
from dovetail.session.conversation.rounds import REPAIRS, CallEdits, Round, Step
from dovetail.session.conversation.turn_events import Answered, Cost, Located, Noted, Piece, Sent, Spent, TurnEvent
from dovetail.session.settings import ReplyOptions
from dovetail.syntax import default_language

_MAX_EARLIER = 32  # blocks of a file that are planned again with one that depends on them
_REQUEST_FOR_PLAN = "Make the edits of this plan."
_NO_WORDS = "(no words)"
_ARRIVED = "What had arrived whole can be applied. Ask again for what is missing."


class LiveReply:
    """Locates the edits of one reply as it arrives. calls: the calls of tools in it so far.

    A block is planned when it closes, against its file in `known`, or as `look` reads it: first alone, and if that
    fails, with the earlier blocks of its file. The result is a preview; the plan of the whole reply decides.
    """

    def __init__(
        self, known: Snapshot, options: ReplyOptions, look: Callable[[Block | Parsed], Snapshot], root: str = ""
    ) -> None:
        self._root = root
        self._policy = replace(options.policy, on_failure=OnFailure.BLOCK, only=None)
        self._locator = Locator(self._policy, default_language())  # keeps each file's index for its next edit
        self._look = look
        self._stream = Stream(format=options.format, markers=options.markers)
        self._files = {path: Snapshot({path: file}, frozenset((path,))) for path, file in known.files.items()}
        self._earlier: dict[str, list[Block]] = {}
        self._unfinished: list[int] = []
        self._lines = 0
        self._placed: Parsed | None = None
        self.calls: list[CallEdits] = []

    def feed(self, text: str, reasoning: str = "", call: ToolCall | None = None) -> Iterable[Piece | Located]:
        """Take a piece of text, which is the line of `call` if that is given.

        Yield the piece with its events, then where each block that it closed would land.
        """
        before = len(self._stream.parsed.blocks) if call is not None else 0
        events = self._stream.feed(text) if text else []
        self._lines += text.count("\n")
        if call is not None:
            edits = range(before + 1, len(self._stream.parsed.blocks) + 1)
            self.calls.append(CallEdits(call, self._lines, edits))
            self._unfinished += edits if not call.whole else ()
        yield Piece(text, reasoning, tuple(events))
        yield from self._located(events)

    def close(self) -> Iterable[Piece | Located]:
        """End the reply: yield the last events, and where the blocks would land that only the end closed."""
        before = len(self._stream.parsed.blocks)
        events = self._stream.close()
        self._unfinished += range(before + 1, len(self._stream.parsed.blocks) + 1)
        yield Piece("", "", tuple(events))
        yield from self._located(events)
        parsed = self._stream.parsed
        if parsed.unread or parsed.shell_suggestions:
            files = self._look(parsed)
            self._placed = with_commands(placed(parsed, files), files, self._policy.commands, root=self._root)
            behind = events_behind(parsed, self._placed)
            yield Piece("", "", behind)
            yield from self._located(behind)

    @property
    def parsed(self) -> Parsed:
        """The reply parsed so far; after `close` with its listings and commands read."""
        return self._placed or self._stream.parsed

    @property
    def closed_by_end(self) -> tuple[int, ...]:
        """Numbers of the blocks that only the reply's end closed; after `close`."""
        return tuple(self._unfinished)

    def _located(self, events: Iterable[Event]) -> Iterable[Located]:
        for event in events:
            if isinstance(event, BlockClosed) and not event.block.draft:
                block = event.block
                path = tidy(block.path, self._files) if block.path is not None else ""
                snapshot = self._files.get(path) or self._look(block)
                result = self._planned([block], snapshot)
                earlier = self._earlier.setdefault(path, [])
                # It may quote the result of an earlier edit. Alone is tried first, as most edits do not.
                if result.status is Status.FAILED and earlier:
                    result = self._planned([*earlier[-_MAX_EARLIER:], block], snapshot)
                earlier.append(block)
                yield Located(event.n, replace(result, n=event.n))

    def _planned(self, blocks: list[Block], snapshot: Snapshot) -> BlockResult:
        return plan(blocks, snapshot, self._policy, NO_SYNTAX, locator=self._locator).results[-1]


class TurnMessages:
    """The messages of one turn. request: what the user asked; the repository's map is ranked by it.

    replies: those that came whole, or whose part is used, in order.
    begun: the reply that broke off and ended the turn. closing: the parser's events at its end.
    whole: files to show whole, however long they are.
    """

    def __init__(self, chat: ChatState, request: str, cancel: Cancellation | None) -> None:
        self.replies: list[Reply] = []
        self.begun: Round | None = None
        self.closing: tuple[Event, ...] = ()
        self.whole: set[str] = set()
        self._chat = chat
        self._request = request
        self._cancel = cancel
        self._messages: tuple[Message, ...] = ()
        self._shown = ShownFiles((), (), {})
        self._known = Snapshot({})
        self._turns: list[Message] = []
        self._partial = Gathered()
        self._live: LiveReply | None = None
        self._offered: tuple[str, ...] = ()
        self._read: dict[str, str] = {}

    @property
    def holds_edits(self) -> bool:
        """Return whether the newest reply, or the part that came, has an edit."""
        return self._live is not None and self._live.parsed.has_edits

    @property
    def seen(self) -> Mapping[str, str]:
        """The files' texts as the model saw them."""
        return {**self._read, **self._shown.texts}

    def read(self, files: Snapshot, arguments: Mapping[str, Any]) -> str:
        """Return the lines that a call of `read_file` asks for, of a file that is in the conversation or not ignored.

        files: the files as the turn's edits so far would leave them. Raises `UsageError` for other files.
        """
        chat, path = self._chat, text_argument(arguments, "path").replace("\\", "/").removeprefix("./")
        path = path.removeprefix(f"{chat.workspace.root.as_posix()}/")
        if path not in files.tree and path not in chat.files.paths:
            raise UsageError(f"There is no file `{path}` that may be shown.", hint="Name a file that is not ignored.")
        planned = files.files.get(path)
        if planned is None or planned.text is None:
            check_readable(chat.workspace, path)
        disk = chat.workspace.snapshot([path], tree=frozenset()).files.get(path)
        if disk is not None and disk.text is not None:
            self._read.setdefault(path, disk.text)
        file = planned or disk
        return shown_lines(path, (file.text if file is not None else None) or "", arguments).text

    @property
    def in_part(self) -> frozenset[str]:
        """Paths of the files of which the model saw only an excerpt."""
        return self._shown.in_part

    def for_history(self) -> list[Message]:
        """Return the turn's messages in pairs of user and model, with the part that came of a broken reply.

        The last reply's calls become text, as they were not answered.
        """
        turns = self._turns
        # The last message got no whole answer: it is kept with the part that came, or removed if nothing did.
        if len(turns) % 2:
            came = self._partial.text
            turns = [*turns, Message(Role.ASSISTANT, came)] if came else turns[:-1]
        return [*turns[:-1], *(turn.as_text for turn in turns[-1:])]

    def begin(
        self, step: Step, request: str, wording: Wording, model: str, *, alone: bool = False
    ) -> Generator[TurnEvent, None, Round]:
        """Show the files as they are now, and ask. alone: leave out the history and earlier messages."""
        chat, options = self._chat, self._chat.options
        tree = chat.workspace.tree()
        limit = options.file_tokens
        self._shown = show_files(chat.workspace, chat.files, limit, request=self._request, whole=self.whole)
        outline = ""
        if options.map_tokens > 0:
            outline = chat.map.view(options.map_tokens, self._request, chat.files.paths, tree).text
        history = () if alone else (*chat.history, *self._turns)
        contents = Chat(request, self._shown.editable, self._shown.read_only, outline, history)
        budget = TokenBudget(options.budget, estimate) if options.budget is not None else None
        self._known = chat.files.guarding(chat.workspace.snapshot(chat.files.paths, tree=tree))
        assembled = assemble(contents, wording, budget)
        for sentence in (*self._shown.left_out, *assembled.cut):
            yield Noted(sentence)
        self._messages = assembled.messages
        message = Message(Role.USER, _REQUEST_FOR_PLAN if alone else request)
        return (yield from self._ask(step, message, model))

    def go_on(
        self,
        step: Step,
        message: str,
        model: str,
        answers: Sequence[ToolAnswer] = (),
        files: Snapshot | None = None,
    ) -> Generator[TurnEvent, None, Round]:
        """Add a message about failed edits, or the answers to calls, to the messages so far, and ask.

        files: those in which the next edits are located while they arrive; None for the same as before.

        Raises `ContextTooLongError` if the messages exceed the budget, `StoppedError` if the person ended the request.
        """
        feedback = Message(Role.USER, message, stable=bool(answers), answers=tuple(answers))
        self._messages = (*self._messages, feedback)
        self._known = files if files is not None else self._known
        budget, tokens = self._chat.options.budget, self._tokens()
        if budget is not None and tokens > budget:
            raise ContextTooLongError(
                f"With the next message the request is {tokens:,} tokens; the budget is {budget:,}.",
                hint="Allow more tokens, or take files out of the chat.",
                code="over-budget",
            )
        return (yield from self._ask(step, feedback, model))

    def _ask(self, step: Step, message: Message, model: str) -> Generator[TurnEvent, None, Round]:
        """Send the messages, yield what comes, and return the reply. message: the newest, as the history keeps it."""
        chat = self._chat
        sent = self._tokens()
        repair_tokens, files_tokens = 0, 0
        if step in REPAIRS:
            shown = show_files(chat.workspace, chat.files, chat.options.file_tokens)
            repair_tokens, files_tokens = estimate(message.content), sum(map(estimate, shown.messages))
        self._partial = Gathered()
        self._turns.append(message)
        yield Sent(step, model, sent, self.seen)
        self._offered = OFFERED if chat.options.by_tools and step is not Step.PLAN else ()
        reading = replace(chat.options.reply, format=AUTO) if self._offered else chat.options.reply
        live = self._live = LiveReply(self._known, reading, self._look, str(chat.workspace.root))
        broke = yield from self._streamed(live, step, model)
        # Closed before it is known whether the reply counts, as `has_whole_edits` needs its blocks; handed on only
        # after.
        rest = tuple(live.close()) if step is not Step.PLAN else ()
        reply = self._partial.reply
        cut = live.closed_by_end if reply.ended_early else ()
        calls = tuple(live.calls) if self._offered else ()
        round_ = Round(step, reply.text, live.parsed, cut, calls)
        if broke is not None and (
            not round_.has_whole_edits or isinstance(broke, CancelledError) or not chat.person.use_arrived()
        ):
            self.begun = round_
            self.closing = tuple(event for piece in rest if isinstance(piece, Piece) for event in piece.events)
            raise broke
        yield from rest
        self.replies.append(reply)
        answer = Message(Role.ASSISTANT, reply.text or _NO_WORDS)
        if calls:
            answer = Message(Role.ASSISTANT, reply.words.strip(), calls=reply.calls)
        self._turns.append(answer)
        self._messages = (*self._messages, answer)
        spent = Spent(step, model, sent, estimate(reply.text), reply.usage, repair_tokens, files_tokens)
        chat.ledger.entries.append(spent)
        yield Answered(step, reply, cut)
        if broke is not None:
            yield Noted(broke.message, _ARRIVED)
        elif reply.notice is not None and not self._ended_well(reply, round_):
            yield Noted(reply.notice, reply.next_act)
        elif live.parsed.blocks and not live.parsed.has_edits:
            yield Noted("All edits are in the model's reasoning, as drafts.", "Ask for them in the answer.")
        yield Cost(spent)
        return round_

    def _streamed(self, live: LiveReply, step: Step, model: str) -> Generator[TurnEvent, None, ModelError | None]:
        """Yield the reply while it comes; return the error if it broke off, or None."""
        chat, options = self._chat, self._chat.options
        request = Request(model, self._messages, options.max_tokens, options.temperature, tools=self._offered)
        stream = chat.model.stream(request, cancel=self._cancel, on_retry=chat.person.waiting)
        try:
            again = step in REPAIRS or step in (Step.CALLS, Step.FORM)
            with chat.person.repairing() if again else nullcontext(), closing(stream) as deltas:
                for delta in deltas:
                    self._partial.add(delta)
                    if step is Step.PLAN and (delta.text or delta.reasoning):
                        yield Piece(delta.text, delta.reasoning)  # prose holds no edits, whatever it looks like
                    elif delta.text or delta.reasoning:
                        yield from live.feed(delta.text, delta.reasoning, delta.call)
                    elif delta.calling is not None:
                        yield Piece("", calling=delta.calling)
        except ModelError as error:
            return error
        return None

    def _ended_well(self, reply: Reply, round_: Round) -> bool:
        """Return whether a reply ended well although it asks for a tool, or has no text."""
        if reply.stop is Stop.TOOL:
            return bool(round_.calls) or round_.parsed.has_edits
        return reply.stop is Stop.COMPLETE and (bool(round_.calls) or round_.step is Step.CALLS)

    def _tokens(self) -> int:
        return sum(estimate(turn.as_text.content) + TURN_OVERHEAD for turn in self._messages)

    def _look(self, asked: Block | Parsed) -> Snapshot:
        """Read the files that a block, or all blocks of a reply, may be for, in the conversation or not."""
        chat, tree = self._chat, self._known.tree
        wanted = wanted_paths(asked if isinstance(asked, Parsed) else (asked,), tree)
        return chat.files.guarding(chat.workspace.snapshot(wanted, tree=tree))
