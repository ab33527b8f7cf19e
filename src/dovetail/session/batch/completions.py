"""Finds the reply in a completion, or in the messages of a conversation, as servers and trainers have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def reply_of(completion: str | Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> str:
    """Return the reply in a completion: a text, or a conversation's last message of the assistant, with its calls."""
    if isinstance(completion, str):
        return completion
    messages = [completion] if isinstance(completion, Mapping) else completion
    nothing: Mapping[str, Any] = {}
    message = next((m for m in reversed(messages) if m.get("role", "assistant") == "assistant"), nothing)
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "".join(str(part.get("text") or "") for part in content)
    calls = message.get("tool_calls") or ()
    return "\n\n".join([content, *(json.dumps(call, ensure_ascii=False) for call in calls)]).strip("\n")


def calls_of(trajectory: Sequence[str | Mapping[str, Any]]) -> Iterator[str]:
    """Yield the steps of a trajectory, each as a reply that is one call.

    trajectory: calls (texts, or objects as providers have them), or messages, of which the assistant's calls are used.
    Messages without any call give one reply, the last message of the assistant.
    """
    if not any(isinstance(item, Mapping) and "role" in item for item in trajectory):
        yield from (item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in trajectory)
        return
    messages = [item for item in trajectory if isinstance(item, Mapping)]
    calls = [call for message in messages if message.get("role") == "assistant" for call in _calls_in(message)]
    yield from (json.dumps(call, ensure_ascii=False) for call in calls)
    if not calls:
        yield reply_of(messages)


def _calls_in(message: Mapping[str, Any]) -> Iterator[object]:
    """Yield the calls of a message: those in `tool_calls`, and parts of its content of the type `tool_use`."""
    yield from message.get("tool_calls") or ()
    content = message.get("content")
    if not isinstance(content, str):
        yield from (part for part in content or () if isinstance(part, Mapping) and part.get("type") == "tool_use")
