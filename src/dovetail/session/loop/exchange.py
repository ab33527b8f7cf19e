"""What a turn says to the model and hears from it: one exchange of messages.

Owns the messages in force, the files that they show, and the replies as they came. Each reply is located while it
streams; what comes of it is the turn's to decide. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from dovetail.context import estimate
from dovetail.llm.assemble import TURN_OVERHEAD, Assembled, Chat, TokenBudget, assemble
from dovetail.llm.errors import CancelledError, ContextTooLongError, ModelError
from dovetail.llm.prompts import Wording
from dovetail.llm.values import Gathered, Message, Reply, Request, Role
from dovetail.model.snapshot import Snapshot
from dovetail.plan import wanted_paths
from dovetail.session.loop.held_files import Shown, show_held
from dovetail.session.loop.ledger import REPAIRS, Spent
from dovetail.session.loop.live import Live
from dovetail.session.loop.rounds import Round
from dovetail.session.loop.steps import Answered, Cost, Event, Noted, Piece, Sent, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dovetail.formats.events import Event as FormatEvent
    from dovetail.llm.cancellation import Cancellation
    from dovetail.model.blocks import Block
    from dovetail.session.loop.conversation import Conversation

_MAKE_THEM = "Make the edits of this plan."
_SILENCE = "(no words)"
_ARRIVED = "What had arrived whole can be applied. Ask again for what is missing."


class Exchange:
    """The messages of one turn. `request` is what the user asked, by which the repository's map is ranked.

    replies: those that came whole, or as far as they came are to be decided on, in their order.
    begun: the one that broke off and ended the turn. closing: what became certain only with its end.
    """

    def __init__(self, conversation: Conversation, request: str, cancel: Cancellation | None) -> None:
        self.replies: list[Reply] = []
        self.begun: Round | None = None
        self.closing: tuple[FormatEvent, ...] = ()
        self._chat = conversation
        self._request = request
        self._cancel = cancel
        self._messages: tuple[Message, ...] = ()
        self._shown = Shown((), (), {})
        self._known = Snapshot({})
        self._spoken: list[Message] = []
        self._partial = Gathered()
        self._heard: Live | None = None

    @property
    def holds_edits(self) -> bool:
        """Whether the newest reply, or what came of it, holds an edit."""
        return self._heard is not None and self._heard.parsed.has_edits

    @property
    def seen(self) -> Mapping[str, str]:
        """The files' texts as the model saw them."""
        return self._shown.texts

    def spoken(self) -> list[Message]:
        """What the history keeps: the user's and the model's turns, with as much of a broken reply as came."""
        if self._partial.text and len(self._spoken) % 2:
            return [*self._spoken, Message(Role.ASSISTANT, self._partial.text)]
        return self._spoken if len(self._spoken) % 2 == 0 else self._spoken[:-1]

    def begin(
        self, step: Step, request: str, wording: Wording, model: str, *, alone: bool = False
    ) -> Generator[Event, None, Round]:
        """Show the files as they are now, and ask. `alone` leaves the conversation so far out."""
        made = self._assembled(request, wording, alone=alone)
        for left_out in (*self._shown.left_out, *made.cut):
            yield Noted(left_out)
        self._messages = made.messages
        return (yield from self._ask(step, _MAKE_THEM if alone else request, model))

    def go_on(self, step: Step, message: str, model: str) -> Generator[Event, None, Round]:
        """Ask for failed edits again, behind the messages so far.

        Raises `ContextTooLongError` where that is more than the budget, `StoppedError` where the person ended it.
        """
        self._messages = (*self._messages, Message(Role.USER, message))
        budget, tokens = self._chat.options.budget, self._tokens()
        if budget is not None and tokens > budget:
            raise ContextTooLongError(
                f"With what is to be said next the request is {tokens:,} tokens; the budget is {budget:,}.",
                hint="Allow more tokens, or take files out of the chat.",
                code="over-budget",
            )
        return (yield from self._ask(step, message, model))

    def _assembled(self, request: str, wording: Wording, *, alone: bool) -> Assembled:
        chat, options = self._chat, self._chat.options
        tree = chat.workspace.tree()
        self._shown = show_held(chat.workspace, chat.held, options.file_tokens)
        outline = ""
        if options.map_tokens > 0:
            view = chat.map.view(options.map_tokens, self._request, chat.held.paths, tree)
            outline = view.text
        history = () if alone else (*chat.history, *self._spoken)
        shown = Chat(request, self._shown.editable, self._shown.read_only, outline, history)
        budget = TokenBudget(options.budget, estimate) if options.budget is not None else None
        self._known = chat.held.guarding(chat.workspace.snapshot(chat.held.paths, tree=tree))
        return assemble(shown, wording, budget)

    def _ask(self, step: Step, said: str, model: str) -> Generator[Event, None, Round]:
        """Send the messages, and hand on what comes. `said` is the newest of them as the history keeps it."""
        chat = self._chat
        sent = self._tokens()
        message, again = (estimate(said), self._again()) if step in REPAIRS else (0, 0)
        self._partial = Gathered()
        self._spoken.append(Message(Role.USER, said))
        yield Sent(step, model, sent, self._shown.texts)
        live = self._heard = Live(self._known, chat.options.terms, self._look)
        broke = yield from self._streamed(live, step, model)
        rest = tuple(live.close()) if step is not Step.PLAN else ()
        reply = self._partial.reply
        cut = live.closed_by_end if reply.ended_early else ()
        heard = Round(step, reply.text, live.parsed, cut)
        if broke is not None and not self._is_used(heard, broke):
            self.begun = heard
            self.closing = tuple(said for piece in rest if isinstance(piece, Piece) for said in piece.events)
            raise broke
        yield from rest
        self.replies.append(reply)
        self._spoken.append(Message(Role.ASSISTANT, reply.text or _SILENCE))
        self._messages = (*self._messages, Message(Role.ASSISTANT, reply.text or _SILENCE))
        spent = Spent(step, model, sent, estimate(reply.text), reply.usage, message, again)
        chat.ledger.add(spent)
        yield Answered(step, reply, cut)
        if broke is not None:
            yield Noted(broke.message, _ARRIVED)
        elif reply.notice is not None:
            yield Noted(reply.notice, reply.next_act)
        elif live.parsed.blocks and not live.parsed.has_edits:
            yield Noted("All edits stand in the model's reasoning, as drafts.", "Ask for them in the answer.")
        yield Cost(spent)
        return heard

    def _is_used(self, heard: Round, broke: ModelError) -> bool:
        """Whether a reply that broke off is gone on with as if it had ended there."""
        return heard.has_whole_edits and not isinstance(broke, CancelledError) and self._chat.person.use_arrived()

    def _streamed(self, live: Live, step: Step, model: str) -> Generator[Event, None, ModelError | None]:
        """Hand the reply on while it comes; gives what ended it before its end."""
        chat, options = self._chat, self._chat.options
        request = Request(model, self._messages, options.max_tokens, options.temperature)
        stream = chat.model.stream(request, cancel=self._cancel, on_retry=chat.person.waiting)
        try:
            with chat.person.repairing() if step in REPAIRS else nullcontext(), closing(stream) as deltas:
                for delta in deltas:
                    self._partial.add(delta)
                    if delta.text or delta.reasoning:
                        yield from _heard(live, step, delta.text, delta.reasoning)
        except ModelError as error:
            return error
        return None

    def _tokens(self) -> int:
        """Estimated tokens of all messages."""
        return sum(estimate(turn.content) + TURN_OVERHEAD for turn in self._messages)

    def _again(self) -> int:
        """Tokens that showing the files would take once more, with those that joined since."""
        chat = self._chat
        return sum(map(estimate, show_held(chat.workspace, chat.held, chat.options.file_tokens).messages))

    def _look(self, block: Block) -> Snapshot:
        """The files that a block may mean besides those of the conversation."""
        tree = self._known.tree
        return self._chat.held.guarding(self._chat.workspace.snapshot(wanted_paths((block,), tree), tree=tree))


def _heard(live: Live, step: Step, text: str, reasoning: str) -> Iterator[Event]:
    """A plan in prose holds no edits, whatever it looks like."""
    if step is Step.PLAN:
        yield Piece(text, reasoning)
    else:
        yield from live.feed(text, reasoning)
