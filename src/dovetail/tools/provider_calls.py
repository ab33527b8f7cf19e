"""Reads a tool call as a provider sends it, and writes the result as that provider takes it back.

Owns the shapes of OpenAI (Chat Completions and Responses), Anthropic, Gemini, MCP, and opencode's session parts. The
provider of a call is recognized by the call's keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dovetail.model.arguments import kind_of
from dovetail.model.codes import Status
from dovetail.model.errors import UsageError

Json = dict[str, Any]

_HINT = "Hand in the call as the provider sent it: one item of `tool_calls`, a `tool_use` block, a `functionCall`."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call.

    text: for the model. data: for programs: `operation`, `files` and `edits` of a tool that changes files, `operations`
    of the history. ok: all that was asked for is done; if not, `text` says what to do next.
    unknown: the call is not for one of these tools, and has no edit.
    """

    text: str
    data: Json = field(default_factory=dict)
    ok: bool = True
    unknown: bool = False


class Answer(Json):
    """A provider's result object, to be sent back as it is, with attributes for the program.

    ok: all that was asked for is done. operation: the id of the operation, for undo; None if nothing was written.
    changed: the paths of the files that were written. landed: the edits that are in the files, as `--json` has them.
    """

    def __init__(self, result_object: Json, result: ToolResult) -> None:
        super().__init__(result_object)
        self.ok = result.ok
        self.operation: str | None = result.data.get("operation")
        written = result.data.get("files", ()) if self.operation is not None else ()
        self.changed: tuple[str, ...] = tuple(file["path"] for file in written)
        edits = result.data.get("edits", ()) if self.operation is not None else ()
        self.landed: tuple[Json, ...] = tuple(edit for edit in edits if edit["status"] == Status.WRITTEN)


Respond = Callable[[ToolResult], Json]


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """A call of a tool.

    arguments: by name; empty if they cannot be read, and `problem` says why.
    raw: the call as JSON, as it came; "" if it cannot be written as JSON.
    respond: turns a result into the provider's result object. id: the provider's, "" if it gives none.
    """

    name: str
    arguments: Mapping[str, Any]
    raw: str
    respond: Respond
    problem: str | None = None
    id: str = ""


def read(call: object) -> ProviderCall:
    """Read a provider's call object.

    call: a mapping, an object of an SDK (with `model_dump` or `to_dict`), or the list of pieces of a streamed call.

    Raises `UsageError` for anything else.
    """
    if isinstance(call, Sequence) and not isinstance(call, str | bytes):
        call = joined([_as_mapping(piece) for piece in call])
    fields = _as_mapping(call)
    kind = fields.get("type")
    # {"id", "type": "function", "function": {"name", "arguments"}}                Chat Completions
    # {"type": "function_call", "call_id", "name", "arguments"}                     Responses
    # {"type": "tool_use", "id", "name", "input"}                                   Anthropic
    # {"functionCall": {"name", "args"}} or {"name", "args"}                        Gemini
    # {"type": "tool", "callID", "tool", "state": {"input"}}                        opencode
    # {"method": "tools/call", "params": {"name", "arguments"}}                     MCP, also without its frame
    # The forms overlap (many have `name`), so the last ones are tried only if no other fits.
    if isinstance(function := fields.get("function"), Mapping):
        return _call(fields, function.get("name"), function.get("arguments"), _chat_result(fields))
    if kind in ("function_call", "custom_tool_call"):
        arguments = fields.get("arguments", fields.get("input"))
        return _call(fields, fields.get("name"), arguments, _responses_result(fields, f"{kind}_output"))
    if kind == "apply_patch_call":
        return _call(fields, kind, fields.get("operation"), _patch_result(fields))
    if kind == "tool_use":
        return _call(fields, fields.get("name"), fields.get("input"), _anthropic_result(fields))
    wrapped = fields.get("functionCall", fields.get("function_call"))
    if isinstance(wrapped, Mapping):
        return _call(fields, wrapped.get("name"), wrapped.get("args"), _gemini_result(wrapped))
    if kind == "tool" and isinstance(state := fields.get("state"), Mapping):
        return _call(fields, fields.get("tool"), state.get("input"), _opencode_result(fields, state))
    if "args" in fields:
        return _call(fields, fields.get("name"), fields.get("args"), _gemini_result(fields))
    params = fields.get("params", fields)
    if isinstance(params, Mapping):
        return _call(fields, params.get("name"), params.get("arguments"), _mcp_result)
    raise UsageError("This is no call of a tool.", hint=_HINT)


def joined(pieces: Iterable[Mapping[str, Any]]) -> Json:
    """Join the pieces of a streamed call: OpenAI's `tool_calls` deltas, or Anthropic's events of a content block."""
    whole: Json = {}
    arguments = ""
    for piece in pieces:
        block, delta = piece.get("content_block"), piece.get("delta")
        if isinstance(block, Mapping):
            whole.update(block)
        elif isinstance(delta, Mapping):
            arguments += delta.get("partial_json") or ""
        else:
            function = piece.get("function") or {}
            arguments += function.get("arguments") or ""
            # Later pieces have `id` and `type` as null or "": the first one's stay.
            whole.update({key: value for key, value in piece.items() if value and key not in ("index", "function")})
            whole.setdefault("function", {}).update({"name": function["name"]} if function.get("name") else {})
    if "function" in whole:
        whole["function"]["arguments"] = arguments
    else:
        whole["input"] = arguments or whole.get("input", {})
    return whole


def _as_mapping(call: object) -> Json:
    for dump in ("model_dump", "to_dict"):
        if callable(method := getattr(call, dump, None)):
            call = method()
            break
    if isinstance(call, str):
        try:
            call = json.loads(call)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"The call is no JSON: {error}.", hint=_HINT) from error
    if not isinstance(call, Mapping):
        raise UsageError(f"The call is of the type {kind_of(call)}.", hint=_HINT)
    return {str(key): value for key, value in call.items() if value is not None}


def _call(fields: Json, name: object, arguments: object, respond: Respond) -> ProviderCall:
    if not isinstance(name, str) or not name:
        raise UsageError("The call names no tool.", hint=_HINT)
    keys = ("call_id", "callID", "tool_use_id", "id")
    id_ = next((found for key in keys if isinstance(found := fields.get(key), str)), "")
    try:
        raw = json.dumps(fields, ensure_ascii=False, default=str)
    except (ValueError, RecursionError) as error:
        return ProviderCall(name, {}, "", respond, f"The call cannot be written as JSON: {error}.", id_)
    if isinstance(arguments, str):
        try:
            # Not strict: models leave line ends unescaped in strings.
            arguments = json.loads(arguments or "{}", strict=False)
        except (ValueError, RecursionError) as error:
            return ProviderCall(name, {}, raw, respond, f"The arguments are no JSON: {error}.", id_)
    if not isinstance(arguments, Mapping | None):
        return ProviderCall(name, {}, raw, respond, f"The arguments are of the type {kind_of(arguments)}.", id_)
    return ProviderCall(name, dict(arguments or {}), raw, respond, id=id_)


def _chat_result(call: Json) -> Respond:
    return lambda result: {"role": "tool", "tool_call_id": call.get("id"), "content": result.text}


def _responses_result(call: Json, kind: str) -> Respond:
    return lambda result: {"type": kind, "call_id": call.get("call_id"), "output": result.text}


def _patch_result(call: Json) -> Respond:
    answer = _responses_result(call, "apply_patch_call_output")
    return lambda result: {**answer(result), "status": "completed" if result.ok else "failed"}


def _anthropic_result(call: Json) -> Respond:
    return lambda result: {
        "type": "tool_result",
        "tool_use_id": call.get("id"),
        "content": result.text,
        "is_error": not result.ok,
    }


def _gemini_result(call: Mapping[str, Any]) -> Respond:
    identity = {"id": call["id"]} if call.get("id") else {}
    return lambda result: {
        "functionResponse": {
            **identity,
            "name": call.get("name"),
            "response": {"output" if result.ok else "error": result.text},
        }
    }


def _opencode_result(call: Json, state: Mapping[str, Any]) -> Respond:
    def respond(result: ToolResult) -> Json:
        ended = {"output": result.text} if result.ok else {"error": result.text}
        return {**call, "state": {**state, "status": "completed" if result.ok else "error", **ended}}

    return respond


def _mcp_result(result: ToolResult) -> Json:
    # Without `structuredContent`: the largest clients give the model only that if there is any, and not the text.
    return {"content": [{"type": "text", "text": result.text}], "isError": not result.ok}
