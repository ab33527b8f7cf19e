"""What every provider's protocol offers, and the table of those that Dovetail speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol as Shape

from dovetail.llm import anthropic_messages, openai_chat
from dovetail.llm.json_value import Table
from dovetail.llm.settings import Endpoint, Protocol, Target
from dovetail.llm.values import Delta, Request

END_MARK = "[DONE]"  # data that closes a stream instead of carrying JSON: OpenAI's, and of some gateways to Anthropic


class Reader(Shape):
    """Turns the events of one answer, in order, into deltas.

    finished: the model said why it stopped, so that a connection that closes now breaks nothing.
    ended: nothing more will come.
    """

    finished: bool
    ended: bool

    def take(self, event: Table, name: str) -> Iterator[Delta]:
        """The deltas of one event's JSON; `name` is the event's own."""
        ...

    def whole(self, answer: Table) -> Iterator[Delta]:
        """The deltas of an answer that a server sent in one piece."""
        ...


@dataclass(frozen=True, slots=True)
class Wire:
    """How requests are written and answers read."""

    headers: Callable[[Endpoint], dict[str, str]]
    body: Callable[[Request, Target], dict[str, object]]
    reader: Callable[[], Reader]


WIRES = {
    Protocol.OPENAI: Wire(openai_chat.headers, openai_chat.body, openai_chat.Reader),
    Protocol.ANTHROPIC: Wire(anthropic_messages.headers, anthropic_messages.body, anthropic_messages.Reader),
}
