"""What is asked of a model and what comes back: messages, requests, deltas, replies. Values only.

A reply is the sum of its deltas: `Reply.of(deltas)` is the same for a stream and for a whole answer. A model that calls
a tool says it in fields of its own; in the reply's text each call is a line of JSON, so whoever reads the text reads
the call as well.
"""

from __future__ import annotations

import json
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
class ToolCall:
    """A model's call of a tool.

    arguments: JSON as the model wrote it, perhaps invalid.
    """

    id: str
    name: str
    arguments: str

    @property
    def fields(self) -> object:
        """The arguments as a JSON value; the text as it came if it is no JSON."""
        try:
            return json.loads(self.arguments.strip() or "{}", strict=False)
        except (ValueError, RecursionError):
            return self.arguments

    @property
    def whole(self) -> bool:
        """Return whether the arguments are an object, so that the answer did not end inside of them."""
        return isinstance(self.fields, dict)

    @property
    def line(self) -> str:
        """The call as a line of a reply, in a form that `formats` reads."""
        return json.dumps({"name": self.name, "arguments": self.fields}, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to a model's call with this id. ok: all that the call asked for is done."""

    id: str
    text: str
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `stable`: it and all before it will be sent again unchanged, so they are worth caching.

    calls: what an assistant's message calls besides its words. answers: a user's message to those calls, one for each.
    """

    role: Role
    content: str
    stable: bool = False
    calls: tuple[ToolCall, ...] = ()
    answers: tuple[ToolAnswer, ...] = ()

    @property
    def as_text(self) -> Message:
        """The message with its calls and answers in the content, as a request without tools has it."""
        if not (self.calls or self.answers):
            return self
        lines = "".join(call.line for call in self.calls)
        parts = [self.content, lines, *(answer.text for answer in self.answers)]
        return replace(self, content="\n".join(part for part in parts if part), calls=(), answers=())


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    model: as users type it: ``NAME`` for the OpenAI-compatible address, ``anthropic/NAME`` for Anthropic's.
    max_tokens: the longest answer, in tokens; None leaves it to the provider, as for temperature.
    stop: texts at which the model stops.
    tools: names of the tools that the model may call; `tool_definitions` describes them.
    extra: further fields of the request's body, named as the provider does; None removes a field.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
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
class CallPiece:
    """A piece of a call: `arguments` goes on where the piece before ended.

    index: of the call in its answer; a piece without index or id belongs to the newest call. ended: it is the last.
    """

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a stream. Fields that it does not set are empty or None.

    calling: a piece of a call. call: a call that has come to its end; `text` is its line.
    """

    text: str = ""
    reasoning: str = ""
    usage: Usage | None = None
    stop: Stop | None = None
    model: str | None = None
    calling: CallPiece | None = None
    call: ToolCall | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. `usage` is None if the provider gave no figures; `model` is the name that it answered under.

    calls: the calls of tools, whose lines are in `text`.
    """

    text: str
    usage: Usage | None
    stop: Stop
    model: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()

    @property
    def words(self) -> str:
        """The text without its calls."""
        text = self.text
        for call in self.calls:
            text = text.replace(call.line, "", 1)
        return text

    @classmethod
    def of(cls, deltas: Iterable[Delta]) -> Reply:
        """Add up the deltas of one stream."""
        gathered = Gathered()
        for delta in deltas:
            gathered.add(delta)
        return gathered.reply

    @property
    def truncated(self) -> bool:
        """Return whether a limit cut the reply short."""
        return self.stop is Stop.LENGTH

    @property
    def ended_early(self) -> bool:
        """Return whether the reply may have been cut off, so that its last edit may be incomplete."""
        return self.stop in (Stop.LENGTH, Stop.FILTERED, Stop.OTHER)

    @property
    def notice(self) -> str | None:
        """What a person should know about how the reply ended; None if it ended well.

        A reply that ends with calls of tools ends well if they are edits, which is not known here.
        """
        silent = self.stop is Stop.COMPLETE and not self.text.strip()
        return "The model said nothing." if silent else _NOTICES.get(self.stop)

    @property
    def next_act(self) -> str | None:
        """What a person can do about the notice; None without one."""
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
        self._calls: list[ToolCall] = []
        self._reasoning: list[str] = []
        self.usage: Usage | None = None
        self.stop: Stop | None = None
        self.model = ""

    def add(self, delta: Delta) -> None:
        """Add one more delta."""
        if delta.text:
            self._text.append(delta.text)
        if delta.call is not None:
            self._calls.append(delta.call)
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
        reasoning, stop = "".join(self._reasoning), self.stop or Stop.OTHER
        return Reply(self.text, self.usage, stop, self.model, reasoning, tuple(self._calls))


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
        # A first half at the end may get its second half with the next delta.
        held = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        yield replace(delta, text=_halves_joined(text.removesuffix(held)))
    if held:
        yield Delta(text=held)


def _halves_joined(text: str) -> str:
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def with_calls_joined(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """Yield the same deltas, and after the last piece of each call the whole call, with its line as text.

    A call that the provider does not end is ended by the next one, or the end of the reply. If the stream breaks, the
    pieces so far are yielded as a call before the error is raised.
    """
    newest = CallPiece()
    arguments: list[str] = []
    # A call's line begins a line of its own, so that the text before it is not read as a part of it.
    line_ended, count = True, 0

    def joined() -> Iterator[Delta]:
        nonlocal newest, line_ended, count
        if newest.name or arguments:
            count += 1
            call = ToolCall(newest.id or f"call_{count}", newest.name, _halves_joined("".join(arguments)))
            yield Delta(text=call.line if line_ended else f"\n{call.line}", call=call)
            line_ended = True
        newest = CallPiece()
        arguments.clear()

    try:
        for delta in deltas:
            piece = delta.calling
            if piece is not None:
                if _begins_call(piece, newest):
                    yield from joined()
                newest = CallPiece(
                    newest.index if piece.index is None else piece.index,
                    newest.id or piece.id,
                    newest.name or piece.name,
                    ended=piece.ended,
                )
                arguments.append(piece.arguments)
            elif delta.stop is not None:
                yield from joined()
            if delta.text:
                line_ended = delta.text.endswith("\n")
            yield delta
            if newest.ended:
                yield from joined()
    except Exception:
        yield from joined()
        raise
    yield from joined()


def _begins_call(piece: CallPiece, newest: CallPiece) -> bool:
    """Return whether a piece begins a new call. Some servers give all calls one index, or none, so ids count too."""
    if piece.index is not None and newest.index is not None and piece.index != newest.index:
        return True
    return bool(piece.id and newest.id and piece.id != newest.id)
