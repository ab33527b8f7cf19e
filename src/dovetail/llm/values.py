"""What is asked of a model and what comes back: messages, requests, deltas, replies. Values only.

A reply is what its deltas add up to: `Reply.of(deltas)` of a stream and of a whole answer are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Stop(StrEnum):
    """Why the model stopped."""

    COMPLETE = "complete"  # it said all it wanted, or met a stop sequence
    LENGTH = "length"  # it ran into a limit: the reply is cut short
    FILTERED = "filtered"  # the provider, or the model, refused to go on
    TOOL = "tool"  # it wants a tool to be run
    OTHER = "other"  # for a reason that is not known, or was not said


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `stable` says that this turn and all before it will be sent again unchanged: worth caching."""

    role: Role
    content: str
    stable: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked.

    model: as users type it: ``NAME`` for the OpenAI-compatible address, ``anthropic/NAME`` for Anthropic's.
    max_tokens: the longest answer, in tokens; None leaves it to the provider.
    temperature: None leaves it to the provider.
    stop: texts at which the model stops.
    extra: further fields of the request's body as the provider names them; None removes a field.
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
    cached: read from the provider's cache. written: put into it. reasoning: thought and not said.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a stream. Fields that a piece says nothing about are empty or None."""

    text: str = ""
    reasoning: str = ""
    usage: Usage | None = None
    stop: Stop | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. `usage` is None where the provider gave no figures, `model` is the name it answered under."""

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
        """Whether anything but the model itself may have ended the reply, so that its last edit may be incomplete."""
        return self.stop in (Stop.LENGTH, Stop.FILTERED, Stop.OTHER)

    @property
    def notice(self) -> str | None:
        """What a person should be told about how the reply ended; None where it ended well."""
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
    """Deltas added up as they come: `text` and `reply` may be read at any time, also of a stream that broke."""

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
        """The reply so far; one that never said why it stopped stopped for `OTHER` reasons."""
        return Reply(self.text, self.usage, self.stop or Stop.OTHER, self.model, "".join(self._reasoning))
