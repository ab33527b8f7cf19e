"""OpenAI's chat completions, as OpenAI and all who imitate it speak them.

Owns the request's body and the meaning of the answer's events. Imitators differ, so fields that are missing or null
are passed over; what is read is the union of what OpenAI, OpenRouter, DeepSeek, llama.cpp and Ollama send. One reply is
asked for and one is read, the choice of index 0: what belongs to others is no part of it, wherever it stands.
Source: https://platform.openai.com/docs/api-reference/chat-streaming
"""

from __future__ import annotations

from collections.abc import Iterator

from dovetail.llm import json_value
from dovetail.llm.json_value import Table
from dovetail.llm.settings import Endpoint, Target
from dovetail.llm.values import Delta, Request, Stop, Usage

_STOPS = {
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


def headers(endpoint: Endpoint) -> dict[str, str]:
    """What names the sender; nothing where there is no key."""
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def body(request: Request, target: Target) -> dict[str, object]:
    """The request as JSON values. OpenAI's own models know the limit by its new name, imitators by the old one."""
    made: dict[str, object] = {
        "model": target.model,
        "messages": [{"role": message.role.value, "content": message.content} for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.max_tokens is not None:
        name = "max_completion_tokens" if target.endpoint.is_default else "max_tokens"
        made[name] = request.max_tokens
    if request.temperature is not None:
        made["temperature"] = request.temperature
    if request.stop:
        made["stop"] = list(request.stop)
    return made


class Reader:
    """Events of one answer, in order, as deltas; see `wire.Reader`."""

    def __init__(self) -> None:
        self.finished = False
        self.ended = False
        self._named = False

    def take(self, event: Table, _name: str) -> Iterator[Delta]:
        """The deltas of one event's JSON."""
        yield from self._opening(event)
        own = [choice for choice in json_value.tables(event, "choices") if not json_value.count(choice, "index")]
        for choice in own[:1]:
            yield from self._piece(json_value.table(choice, "delta") or json_value.table(choice, "message"))
            reason = json_value.text(choice, "finish_reason")
            if reason:
                self.finished = True
                yield Delta(stop=_STOPS.get(reason.lower(), Stop.OTHER))
        usage = json_value.table(event, "usage")
        if usage:
            yield Delta(usage=_usage(usage))

    def whole(self, answer: Table) -> Iterator[Delta]:
        """The deltas of an answer that a server sent in one piece; it has the shape of one event."""
        yield from self.take(answer, "")

    def _opening(self, event: Table) -> Iterator[Delta]:
        model = json_value.text(event, "model")
        if model and not self._named:
            self._named = True
            yield Delta(model=model)

    def _piece(self, delta: Table) -> Iterator[Delta]:
        reasoning = json_value.text(delta, "reasoning_content") or json_value.text(delta, "reasoning")
        if reasoning:
            yield Delta(reasoning=reasoning)
        said = json_value.text(delta, "content") or json_value.text(delta, "refusal")
        said += "".join(json_value.text(part, "text") for part in json_value.tables(delta, "content"))
        if said:
            yield Delta(text=said)


def _usage(usage: Table) -> Usage:
    asked = json_value.table(usage, "prompt_tokens_details")
    answered = json_value.table(usage, "completion_tokens_details")
    return Usage(
        input=json_value.count(usage, "prompt_tokens"),
        output=json_value.count(usage, "completion_tokens"),
        cached=json_value.count(asked, "cached_tokens") or json_value.count(usage, "prompt_cache_hit_tokens"),
        reasoning=json_value.count(answered, "reasoning_tokens"),
    )
