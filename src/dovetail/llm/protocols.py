"""The providers' protocols: how a request is written and how an answer's events are read.

`WIRES` is the table of both: OpenAI's chat completions, as OpenAI and its imitators speak them, and Anthropic's
messages. Readers skip fields that are missing or null, and events of unknown kinds.
Sources: https://platform.openai.com/docs/api-reference/chat-streaming
https://docs.anthropic.com/en/api/messages-streaming
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dovetail.llm import wire
from dovetail.llm.settings import Endpoint, ModelTarget, Protocol
from dovetail.llm.tool_definitions import definitions
from dovetail.llm.values import CallPiece, Delta, Message, Request, Role, Stop, Usage
from dovetail.llm.wire import Table

END_MARK = "[DONE]"  # ends a stream in place of JSON: OpenAI's, and that of some gateways to Anthropic


class AnswerReader(ABC):
    """Turns the events of one answer, in order, into deltas.

    finished: the model said why it stopped, so a connection that closes now breaks nothing.
    ended: nothing more will come.
    """

    def __init__(self) -> None:
        self.finished = False
        self.ended = False

    @abstractmethod
    def take(self, event: Table, name: str) -> Iterator[Delta]:
        """Yield the deltas of one event's JSON; `name` is the event's name."""

    @abstractmethod
    def whole(self, answer: Table) -> Iterator[Delta]:
        """Yield the deltas of an answer that the server sent in one piece."""


# --- OpenAI

_OPENAI_STOPS = {
    "stop": Stop.COMPLETE,
    "eos": Stop.COMPLETE,
    "eos_token": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "end_turn": Stop.COMPLETE,
    "length": Stop.LENGTH,
    "model_length": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
    "content_filter": Stop.FILTERED,
    "tool_calls": Stop.TOOL,
    "function_call": Stop.TOOL,
}


def _openai_headers(endpoint: Endpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _openai_body(request: Request, target: ModelTarget) -> dict[str, object]:
    body: dict[str, object] = {
        "model": target.model,
        "messages": [part for message in _readable(request) for part in _openai_messages(message)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.max_tokens is not None:
        # OpenAI's own models know the limit by its new name, imitators by the old one.
        name = "max_completion_tokens" if target.endpoint.is_default else "max_tokens"
        body[name] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.stop:
        body["stop"] = list(request.stop)
    if request.tools:
        body["tools"] = definitions("openai", request.tools)
    return body


def _readable(request: Request) -> list[Message]:
    """Return the request's messages; with calls as text if it offers no tools."""
    return list(request.messages) if request.tools else [message.as_text for message in request.messages]


def _openai_messages(message: Message) -> Iterator[dict[str, object]]:
    for answer in message.answers:
        yield {"role": "tool", "tool_call_id": answer.id, "content": answer.text}
    if message.calls:
        calls = [
            {
                "id": call.id,
                "type": "function",
                # servers read these again, and fail on what is no JSON
                "function": {"name": call.name, "arguments": call.arguments if call.whole else "{}"},
            }
            for call in message.calls
        ]
        yield {"role": message.role.value, "content": message.content or None, "tool_calls": calls}
    elif message.content or not message.answers:
        yield {"role": message.role.value, "content": message.content}


class OpenAIReader(AnswerReader):
    """Reads the union of what OpenAI, OpenRouter, DeepSeek, llama.cpp and Ollama send.

    One reply is asked for, so only the choice of index 0 is read.
    """

    def __init__(self) -> None:
        super().__init__()
        self._named = False

    def take(self, event: Table, _name: str) -> Iterator[Delta]:
        """Yield the deltas of one event's JSON."""
        model = wire.text(event, "model")
        if model and not self._named:
            self._named = True
            yield Delta(model=model)
        # A missing index counts as 0: some imitators leave it out.
        choices = (c for c in wire.tables(event, "choices") if not wire.count(c, "index"))
        if (choice := next(choices, None)) is not None:
            # `message` is a whole answer's; some servers send that as the only event.
            delta = wire.table(choice, "delta") or wire.table(choice, "message")
            reasoning = wire.text(delta, "reasoning_content") or wire.text(delta, "reasoning")
            if reasoning:
                yield Delta(reasoning=reasoning)
            text = wire.text(delta, "content") or wire.text(delta, "refusal")
            text += "".join(wire.text(part, "text") for part in wire.tables(delta, "content"))
            if text:
                yield Delta(text=text)
            for call in (*wire.tables(delta, "tool_calls"), wire.table(delta, "function_call")):
                if call:
                    yield Delta(calling=_openai_piece(call))
            reason = wire.text(choice, "finish_reason")
            if reason:
                self.finished = True
                yield Delta(stop=_OPENAI_STOPS.get(reason.lower(), Stop.OTHER))
        usage = wire.table(event, "usage")
        if usage:
            asked = wire.table(usage, "prompt_tokens_details")
            answered = wire.table(usage, "completion_tokens_details")
            yield Delta(
                usage=Usage(
                    input=wire.count(usage, "prompt_tokens"),
                    output=wire.count(usage, "completion_tokens"),
                    cached=wire.count(asked, "cached_tokens") or wire.count(usage, "prompt_cache_hit_tokens"),
                    reasoning=wire.count(answered, "reasoning_tokens"),
                )
            )

    def whole(self, answer: Table) -> Iterator[Delta]:
        """Yield the deltas of a whole answer, which has the shape of one event."""
        yield from self.take(answer, "")


def _openai_piece(call: Table) -> CallPiece:
    """Return a piece of a call, or a whole one; the legacy form has the function's fields beside no id."""
    function = wire.table(call, "function") or call
    arguments = wire.text(function, "arguments")
    if not arguments and (fields := wire.table(function, "arguments")):  # some imitators send them as JSON values
        arguments = json.dumps(fields)
    index = wire.count(call, "index") if "index" in call else None
    return CallPiece(index, wire.text(call, "id"), wire.text(function, "name"), arguments)


# --- Anthropic

ANTHROPIC_VERSION = "2023-06-01"
_DEFAULT_MAX_TOKENS = 8192  # the API wants a number; every model since Claude 3.5 takes this one
_CACHE_MARKS = 4  # the most that a request may have
_CALL = "tool_use"  # the type of a block that calls a tool of ours
_ANTHROPIC_STOPS = {
    "end_turn": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.FILTERED,
    "tool_use": Stop.TOOL,
}


def _anthropic_headers(endpoint: Endpoint) -> dict[str, str]:
    version = {"anthropic-version": ANTHROPIC_VERSION}
    return version | {"x-api-key": endpoint.key} if endpoint.key else version


def _anthropic_body(request: Request, target: ModelTarget) -> dict[str, object]:
    """Write the request's body.

    Blank messages are left out, as the API refuses them. Messages of one role are joined into one turn, as the API
    wants roles to alternate; system messages are a field of their own. The last stable messages get cache marks.
    """
    messages = [m for m in _readable(request) if m.content.strip() or m.calls or m.answers]
    # A mark caches all before it, so the last ones reach furthest.
    marked = [index for index, message in enumerate(messages) if message.stable][-_CACHE_MARKS:]
    system: list[dict[str, object]] = []
    turns: list[tuple[Role, list[dict[str, object]]]] = []
    for index, message in enumerate(messages):
        parts = list(_anthropic_parts(message))
        if index in marked:
            parts[-1]["cache_control"] = {"type": "ephemeral"}
        if message.role is Role.SYSTEM:
            system += parts
        elif turns and turns[-1][0] is message.role:
            turns[-1][1].extend(parts)
        else:
            turns.append((message.role, parts))
    body: dict[str, object] = {
        "model": target.model,
        "max_tokens": request.max_tokens or _DEFAULT_MAX_TOKENS,
        "messages": [{"role": role.value, "content": parts} for role, parts in turns],
        "stream": True,
    }
    if system:
        body["system"] = system
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.stop:
        body["stop_sequences"] = list(request.stop)
    if request.tools:
        body["tools"] = definitions("anthropic", request.tools)
    return body


def _anthropic_parts(message: Message) -> Iterator[dict[str, object]]:
    for answer in message.answers:
        yield {"type": "tool_result", "tool_use_id": answer.id, "content": answer.text, "is_error": not answer.ok}
    if message.content.strip():
        yield {"type": "text", "text": message.content}
    for call in message.calls:
        yield {"type": _CALL, "id": call.id, "name": call.name, "input": call.fields if call.whole else {}}


class AnthropicReader(AnswerReader):
    """Reads Anthropic's events. Their figures are cumulative; one that an event leaves out stays as it was."""

    def __init__(self) -> None:
        super().__init__()
        self._usage = Usage()
        self._in_call = False

    def take(self, event: Table, name: str) -> Iterator[Delta]:
        """Yield the deltas of one event's JSON; `name` stands in for a missing type."""
        match wire.text(event, "type") or name:
            case "message_start":
                message = wire.table(event, "message")
                self._count(wire.table(message, "usage"))
                yield Delta(model=wire.text(message, "model") or None, usage=self._usage)
            case "content_block_start":
                block = wire.table(event, "content_block")
                self._in_call = wire.text(block, "type") == _CALL
                yield from _deltas_of(block)
            case "content_block_delta":
                delta = wire.table(event, "delta")
                if self._in_call:
                    yield Delta(calling=CallPiece(arguments=wire.text(delta, "partial_json")))
                else:
                    yield from _deltas_of(delta)
            case "content_block_stop":
                if self._in_call:
                    yield Delta(calling=CallPiece(ended=True))
                self._in_call = False
            case "message_delta":
                self._count(wire.table(event, "usage"))
                yield self._stopped(wire.table(event, "delta"))
            case "message_stop":
                self.finished = self.ended = True

    def whole(self, answer: Table) -> Iterator[Delta]:
        """Yield the deltas of a whole answer."""
        yield Delta(model=wire.text(answer, "model") or None)
        for block in wire.tables(answer, "content"):
            yield from _deltas_of(block)
            if wire.text(block, "type") == _CALL:
                yield Delta(calling=CallPiece(ended=True))
        self._count(wire.table(answer, "usage"))
        yield self._stopped(answer)

    def _stopped(self, fields: Table) -> Delta:
        reason = wire.text(fields, "stop_reason")
        self.finished = self.finished or bool(reason)
        return Delta(usage=self._usage, stop=_ANTHROPIC_STOPS.get(reason, Stop.OTHER) if reason else None)

    def _count(self, usage: Table) -> None:
        if not usage:
            return
        cached = wire.count(usage, "cache_read_input_tokens")
        written = wire.count(usage, "cache_creation_input_tokens")
        before = self._usage
        self._usage = Usage(
            # Anthropic's `input_tokens` leaves out what was cached, ours has it in.
            input=(wire.count(usage, "input_tokens") + cached + written) or before.input,
            output=wire.count(usage, "output_tokens") or before.output,
            cached=cached or before.cached,
            written=written or before.written,
        )


def _deltas_of(block: Table) -> Iterator[Delta]:
    text, thinking = wire.text(block, "text"), wire.text(block, "thinking")
    if wire.text(block, "type") == _CALL:
        fields = wire.table(block, "input")  # empty at the start of a stream, where the pieces bring it
        arguments = json.dumps(fields) if fields else ""
        yield Delta(calling=CallPiece(None, wire.text(block, "id"), wire.text(block, "name"), arguments))
    if thinking:
        yield Delta(reasoning=thinking)
    if text:
        yield Delta(text=text)


# --- The table


@dataclass(frozen=True, slots=True)
class Wire:
    """One protocol: the headers that name the sender, the request's body as JSON values, the answer's reader."""

    headers: Callable[[Endpoint], dict[str, str]]
    body: Callable[[Request, ModelTarget], dict[str, object]]
    reader: Callable[[], AnswerReader]


WIRES = {
    Protocol.OPENAI: Wire(_openai_headers, _openai_body, OpenAIReader),
    Protocol.ANTHROPIC: Wire(_anthropic_headers, _anthropic_body, AnthropicReader),
}
