"""What is asked of a model and what comes back: messages, requests, deltas, replies. Values only.

A reply is the sum of its deltas: `Reply.of(deltas)` is the same for a stream and for a whole answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Stop(StrEnum):
    """Why the model stopped."""

    COMPLETE = "complete"  # the reply is whole, or met a stop sequence
    LENGTH = "length"  # a limit cut the reply short
    FILTERED = "filtered"  # the provider, or the model, refused to go on
    TOOL = "tool"  # the model wants a tool to be run
    OTHER = "other"  # an unknown reason, or none was given


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `stable`: it and all before it will be sent again unchanged, so they are worth caching."""

    role: Role
    content: str
    stable: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    model: as users type it: ``NAME`` for the OpenAI-compatible address, ``anthropic/NAME`` for Anthropic's.
    max_tokens: the longest answer, in tokens; None leaves it to the provider, as for temperature.
    stop: texts at which the model stops.
    extra: further fields of the request's body, named as the provider does; None removes a field.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them.

    input: the whole request, `cached` included. output: the whole answer, `reasoning` included.
    cached: read from the provider's cache. written: put into it. reasoning: not part of the text.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a stream. Fields that it does not set are empty or None."""

    text: str = ""
    reasoning: str = ""
    usage: Usage | None = None
    stop: Stop | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. `usage` is None if the provider gave no figures; `model` is the name that it answered under."""

    text: str
    usage: Usage | None
    stop: Stop
    model: str
    reasoning: str = ""

    @classmethod
    def of(cls, deltas: Iterable[Delta]) -> Reply:
        """Add up the deltas of one stream."""
        gathered = Gathered()
        for delta in deltas:
            gathered.add(delta)
        return gathered.reply

    @property
    def truncated(self) -> bool:
        """Whether a limit cut the reply short."""
        return self.stop is Stop.LENGTH

    @property
    def ended_early(self) -> bool:
        """Whether something other than the model may have ended the reply, so its last edit may be incomplete."""
        return self.stop in (Stop.LENGTH, Stop.FILTERED, Stop.OTHER)

    @property
    def notice(self) -> str | None:
        """What a person should know about how the reply ended; None if it ended well."""
        silent = self.stop is Stop.COMPLETE and not self.text.strip()
        return "The model said nothing." if silent else _NOTICES.get(self.stop)

    @property
    def next_act(self) -> str | None:
        """What a person can do about that."""
        return _NEXT_ACTS[self.stop] if self.notice is not None else None


_NOTICES = {
    Stop.LENGTH: "The reply was cut short at its length limit; what it ends with may be incomplete.",
    Stop.FILTERED: "The reply was ended early because of content rules; what it ends with may be incomplete.",
    Stop.TOOL: "The model asked for a tool instead of writing its edits.",
    Stop.OTHER: "The reply ended for a reason that the provider did not explain; what it ends with may be incomplete.",
}
_NEXT_ACTS = {
    Stop.COMPLETE: "Ask again, or ask another model.",
    Stop.LENGTH: "Allow more tokens, if the model can: `max-tokens`, an option and a setting.",
    Stop.FILTERED: "Ask in other words, or ask another model.",
    Stop.TOOL: "Ask again for edits in its reply, or teach it another format.",
    Stop.OTHER: "Look at its last edit, or ask again.",
}


class Gathered:
    """Adds up deltas as they come. `text` and `reply` may be read at any time, even after a stream broke."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self.usage: Usage | None = None
        self.stop: Stop | None = None
        self.model = ""

    def add(self, delta: Delta) -> None:
        """Take one more piece."""
        if delta.text:
            self._text.append(delta.text)
        if delta.reasoning:
            self._reasoning.append(delta.reasoning)
        if delta.usage is not None:
            self.usage = delta.usage
        if delta.stop is not None:
            self.stop = delta.stop
        if delta.model is not None:
            self.model = delta.model

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._text)

    @property
    def reply(self) -> Reply:
        """The reply so far; `stop` is `OTHER` if the stream never gave a reason."""
        return Reply(self.text, self.usage, self.stop or Stop.OTHER, self.model, "".join(self._reasoning))


_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def with_halves_joined(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """Yield the same deltas with characters joined that a server cut between two surrogates.

    Servers that count in UTF-16 do so, and each half alone is text that no file can hold. A first half waits for the
    second; one whose second half never comes is yielded as it is.
    """
    held = ""
    for delta in deltas:
        if not delta.text:
            yield delta
            continue
        text = held + delta.text
        held = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        whole = _PAIR.sub(lambda p: p[0].encode("utf-16", "surrogatepass").decode("utf-16"), text.removesuffix(held))
        yield replace(delta, text=whole)
    if held:
        yield Delta(text=held)
