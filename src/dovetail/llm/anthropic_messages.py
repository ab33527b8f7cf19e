"""Anthropic's messages.

Owns the request's body and the meaning of the answer's events. Turns of one role are joined into one, as the API
wants roles to alternate; system turns go apart; stable turns become cache marks, the last four at most.
Source: https://docs.anthropic.com/en/api/messages-streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dovetail.llm import json_value
from dovetail.llm.json_value import Table
from dovetail.llm.settings import Endpoint, Target
from dovetail.llm.values import Delta, Message, Request, Role, Stop, Usage

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 8192  # the API wants a number; every model since Claude 3.5 takes this one
CACHE_MARKS = 4

_STOPS = {
    "end_turn": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.FILTERED,
    "tool_use": Stop.TOOL,
}


def headers(endpoint: Endpoint) -> dict[str, str]:
    """What names the sender and the version of the protocol."""
    named = {"anthropic-version": VERSION}
    return named | {"x-api-key": endpoint.key} if endpoint.key else named


def body(request: Request, target: Target) -> dict[str, object]:
    """The request as JSON values. Turns of blanks are left out: the API refuses them."""
    spoken = [message for message in request.messages if message.content.strip()]
    marked = [index for index, message in enumerate(spoken) if message.stable][-CACHE_MARKS:]
    parts = [(message.role, _part(message, index in marked)) for index, message in enumerate(spoken)]
    system = [part for role, part in parts if role is Role.SYSTEM]
    made: dict[str, object] = {
        "model": target.model,
        "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
        "messages": _turns([(role, part) for role, part in parts if role is not Role.SYSTEM]),
        "stream": True,
    }
    if system:
        made["system"] = system
    if request.temperature is not None:
        made["temperature"] = request.temperature
    if request.stop:
        made["stop_sequences"] = list(request.stop)
    return made


def _part(message: Message, marked: bool) -> dict[str, object]:
    part: dict[str, object] = {"type": "text", "text": message.content}
    return part | {"cache_control": {"type": "ephemeral"}} if marked else part


def _turns(parts: Sequence[tuple[Role, dict[str, object]]]) -> list[dict[str, object]]:
    turns: list[tuple[Role, list[dict[str, object]]]] = []
    for role, part in parts:
        if not turns or turns[-1][0] is not role:
            turns.append((role, []))
        turns[-1][1].append(part)
    return [{"role": role.value, "content": content} for role, content in turns]


class Reader:
    """Events of one answer, in order, as deltas; see `wire.Reader`."""

    def __init__(self) -> None:
        self.finished = False
        self.ended = False
        self._usage = Usage()

    def take(self, event: Table, name: str) -> Iterator[Delta]:
        """The deltas of one event's JSON. Kinds that are not known are passed over, as the API's rules ask."""
        match json_value.text(event, "type") or name:
            case "message_start":
                message = json_value.table(event, "message")
                self._count(json_value.table(message, "usage"))
                yield Delta(model=json_value.text(message, "model") or None, usage=self._usage)
            case "content_block_start":
                yield from _piece(json_value.table(event, "content_block"))
            case "content_block_delta":
                yield from _piece(json_value.table(event, "delta"))
            case "message_delta":
                self._count(json_value.table(event, "usage"))
                yield from self._stop(json_value.table(event, "delta"))
            case "message_stop":
                self.finished = self.ended = True
            case _:
                return

    def whole(self, answer: Table) -> Iterator[Delta]:
        """The deltas of an answer that a server sent in one piece."""
        yield Delta(model=json_value.text(answer, "model") or None)
        for block in json_value.tables(answer, "content"):
            yield from _piece(block)
        self._count(json_value.table(answer, "usage"))
        yield from self._stop(answer)

    def _stop(self, holder: Table) -> Iterator[Delta]:
        reason = json_value.text(holder, "stop_reason")
        self.finished = self.finished or bool(reason)
        yield Delta(usage=self._usage, stop=_STOPS.get(reason, Stop.OTHER) if reason else None)

    def _count(self, usage: Table) -> None:
        """Take the figures that are given, all cumulative; what an event leaves out stays as it was."""
        if not usage:
            return
        cached = json_value.count(usage, "cache_read_input_tokens")
        written = json_value.count(usage, "cache_creation_input_tokens")
        asked = json_value.count(usage, "input_tokens") + cached + written
        before = self._usage
        self._usage = Usage(
            input=asked or before.input,
            output=json_value.count(usage, "output_tokens") or before.output,
            cached=cached or before.cached,
            written=written or before.written,
        )


def _piece(block: Table) -> Iterator[Delta]:
    text, thinking = json_value.text(block, "text"), json_value.text(block, "thinking")
    if thinking:
        yield Delta(reasoning=thinking)
    if text:
        yield Delta(text=text)
