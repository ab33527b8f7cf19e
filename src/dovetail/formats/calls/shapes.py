r"""JSON values → edits: every shape in which function calls carry them; `call_edits` reads the fields of one.

Grammar (field names are matched without case, underscores and hyphens)::

    calls = call | [call*] | {"tool_calls": calls} | {"choices": …} | {"message": …} | {"content": calls} | message
    message = {"role": "assistant" | "model", "content" | "parts": said | [said | {"text": said} | calls]*, …}
            | {"model" | "stats", "response": said}                  said: a reply as text
            | {"type": "result", "result": said} | {"type": "agent_message", "text": said}       as programs print them
    call  = {"name", "arguments" | "input" | "parameters"} | {"function": call} | {"tool", field*} | edit
          | {name of a call: {field*}}*
    edit  = {path, "edits": [edit*]} | {"files": {path: text | {content}} | [{path, content}*]}
          | {path: text}          no other field, and texts of several lines
          | {"action" | "type": name of a call, field*} | the fields of `call_edits`
    other = {field: calls}*                  whatever stands around a call, in an agent's log or in a provider's event

Nothing is executed; a command is an item like any other, to be listed. Of several messages those before the last that
is not the model's say nothing any more, but their calls count. Any data may hold a path and a text, so inside an object
of no known shape (a *strange* one) only calls of known names count, and edits that name their file and quote its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from dovetail.formats.calls import json_lines
from dovetail.formats.calls.call_edits import Around, Call, Item, Patch, Said, asks_to_show, edit_of, malformed, text_of
from dovetail.formats.calls.tool_names import act_of, names_tool, seems_to_edit, squashed, words
from dovetail.formats.lines.names import listed
from dovetail.formats.lines.paths import Form, form_of, has_known_end
from dovetail.formats.lines.vocabulary import CONTENT, OLD, PATCH, PATH
from dovetail.model.blocks import Block

EDITS = (
    *("edits", "replacements", "changes", "operations", "multiedits", "replacementchunks", "strreplaceentries"),
    *("replaceblocks", "actions", "modifications", "codechanges"),
)
DEEPEST = 40
_ARGUMENTS = ("arguments", "input", "parameters", "args", "params", "toolinput", "toolargs", "actioninput")
_CALLED = ("name", "tool", "toolname", "function", "recipientname", "action")
_INNER = ("function", "message", "delta", "functioncall", "toolcall", "tooluse", "operation")
_LISTS = ("toolcalls", "functioncalls", "tooluses", "calls", "choices", "candidates", "messages", "output",
          "content", "parts")  # fmt: skip
_MODELS, _OTHERS = ("assistant", "model"), ("user", "system", "developer")
_SAID = ("response", "content", "parts")
_PRINTED = {"result": "result", "agent_message": "text"}
_TEXTS = ("text", "output_text")
_ACTIONS = ("action", "operation", "type", "op", "kind", "changetype")
_REMARKS = listed("commitmessage description explanation message notes plan reasoning summary thoughts title")
_OLD_WORDS = frozenset(("before", "find", "old", "original", "search", "target"))
_NEW_WORDS = frozenset(("after", "modified", "new", "replace", "replacement", "updated"))
_NUMBER = re.compile(r"(\w+?)_(\d{1,2})")
_ASKS_AGAIN = "Send the call again as one JSON object, with line ends and quotes inside strings escaped."


def edits_in(value: object, around: Around) -> Iterator[Item]:
    """Every edit in a value, outermost first."""
    if around.depth > DEEPEST:
        return
    if isinstance(value, str):
        for inner, _ in json_lines.decoded(value)[0]:
            yield from edits_in(inner, around.inside())
    elif isinstance(value, list):
        inside = around.inside(strange=around.strange)
        roles = (one.get("role") if isinstance(one, dict) else None for one in value)
        answered = max((n for n, role in enumerate(roles) if role in _OTHERS), default=-1)
        each = [[] if isinstance(one, str) else list(edits_in(one, inside)) for one in value]
        among_edits = any(each)
        for n, (one, found) in enumerate(zip(value, each, strict=True)):
            if among_edits and not found and (file := _as_file(one)) is not None:
                found = list(edits_in(file, around.inside()))  # it is one, too, whatever is around them
            yield from found if n > answered else (item for item in found if not isinstance(item, Said))
    elif isinstance(value, dict):
        yield from _of_object(value, around)


def unread_in(value: object, depth: int = 0) -> str | None:
    """The file of the first object that has a text for an old half of an edit and one for the new, and is none."""
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        path = text_of(_fields(value), PATH)
        said = {word for key, text in value.items() if isinstance(text, str | list) and text for word in words(key)}
        if path is not None and has_known_end(path) and said & _OLD_WORDS and said & _NEW_WORDS:
            return path
    return next(filter(None, (unread_in(one, depth + 1) for one in inner)), None)


def of_call(name: str, arguments: Mapping[str, object]) -> Iterator[Item]:
    """Every edit in one call, whose fields another dialect than JSON tells."""
    return edits_in({"name": name, "arguments": arguments}, Around())


def _is_message(fields: Mapping[str, object]) -> bool:
    """Whether an object is what a model said: a message of its own role, or an answer beside the model's name, or as
    an agent's program prints it."""
    whole = fields.get("done") is not False  # else it is a piece of an answer
    answers = whole and isinstance(fields.get("response"), str) and not fields.keys().isdisjoint(("model", "stats"))
    return answers or fields.get("role") in _MODELS or str(fields.get("type")) in _PRINTED


def _message(fields: Mapping[str, object], around: Around) -> Iterator[Item]:
    """What a message of the model says, and the calls among that."""
    content = next(filter(None, map(fields.get, (_PRINTED.get(str(fields.get("type")), ""), *_SAID))), None)
    for part in content if isinstance(content, list) else [content]:
        inner = _fields(part) if isinstance(part, dict) else {"text": part}
        text = inner.get("text")
        if isinstance(text, str) and inner.get("type", "text") in _TEXTS:
            yield Said(text)
        else:
            yield from edits_in(part, around.inside())


def _of_object(value: dict[str, object], around: Around) -> Iterator[Item]:
    fields = _fields(value)
    if _is_message(fields):
        yield from _message(fields, around)
        fields = {key: field for key, field in fields.items() if key not in (*_SAID, *_PRINTED.values())}
    arguments = next((fields[key] for key in _ARGUMENTS if isinstance(fields.get(key), (str, Mapping))), None)
    name = next((name for key in _CALLED if isinstance(name := fields.get(key), str)), None)
    if name is not None and arguments is not None:
        yield from _call(name, arguments, around)
    elif (inner := next((fields[key] for key in _INNER if isinstance(fields.get(key), dict)), None)) is not None:
        yield from edits_in(inner, around.inside(listed="operation" in fields, strange=around.strange))
    elif all(_is_call(name, arguments) for name, arguments in value.items()):
        for name, arguments in value.items():
            yield from _call(name, arguments, around)
    elif not around.strange and (files := _files(fields) or _by_path(value)) is not None:
        for file in files:
            yield from edits_in(file, around.inside())
    else:
        yield from _body(_flat(fields, value, around))


def _is_call(name: str, arguments: object) -> bool:
    """Whether a field is a call under its name: a tool's, with a file's path or a patch among its arguments."""
    return names_tool(name) and isinstance(arguments, dict) and text_of(_fields(arguments), (*PATH, *PATCH)) is not None


def _flat(fields: Mapping[str, object], given: Mapping[str, object], around: Around) -> Call:
    """A call whose arguments stand beside its name. A `name` alone may be anything's, and a `type` not among edits."""
    tool, name = fields.get("tool", fields.get("toolname")), fields.get("name")
    call = Call(None, fields, given, around)
    if isinstance(tool, str):
        return call._replace(name=tool)
    named = any(field in fields for field in PATH)
    if named and isinstance(name, str) and act_of(name) is not None:
        return call._replace(name=name)
    for key in _ACTIONS if named and around.listed else ():
        if isinstance(act := fields.get(key), str) and act_of(act) is not None:
            return call._replace(name=act, fields={field: item for field, item in fields.items() if field != key})
    return call


def _files(fields: Mapping[str, object]) -> list[dict[str, object]] | None:
    """What an object says that holds nothing but files, each with its path and its whole text; None for any other."""
    files = fields.get("files")
    if not fields.keys() <= {"files", *_REMARKS}:
        return None
    if isinstance(files, dict):
        files = [
            {"path": path, **(text if isinstance(text, dict) else {"content": text})} for path, text in files.items()
        ]
    each = [_as_file(file) for file in files] if isinstance(files, list) else []
    whole = [file for file in each if file is not None]
    return whole if whole and len(whole) == len(each) else None


def _by_path(value: Mapping[str, object]) -> list[dict[str, object]] | None:
    """The files of an object whose fields are paths and their texts; None for any other."""
    texts = value.values()
    if not value or not all(isinstance(text, str) and ("\n" in text or not text) for text in texts) or not any(texts):
        return None
    named = all(form_of(path) is Form.STRONG and has_known_end(path) for path in value)
    return [{"path": path, "content": text} for path, text in value.items()] if named else None


def _as_file(file: object) -> dict[str, object] | None:
    """A file's path and text, where a value is an object that has these and nothing else."""
    fields = _fields(file) if isinstance(file, dict) else {}
    path = next((fields[key] for key in (*PATH, "name") if isinstance(fields.get(key), str)), None)
    text = next((fields[key] for key in CONTENT if isinstance(fields.get(key), str)), None)
    if text is None or not fields.keys() <= {*PATH, "name", *CONTENT, "language", *_REMARKS}:
        return None
    return {"path": path, "content": text} if isinstance(path, str) and form_of(path) >= Form.SPACED else None


def _call(name: str, arguments: object, around: Around) -> Iterator[Item]:
    """A function call: its arguments may be text that holds JSON, or a patch as it is."""
    if isinstance(arguments, str):
        arguments = _once(arguments)
        decoded, _ = json_lines.decoded(arguments)
        if not decoded:
            yield from _of_text(name, arguments, around)
            return
        arguments = decoded[0][0]
    if not isinstance(arguments, dict):
        yield from edits_in(arguments, around.inside())
    elif not isinstance(arguments.get("properties"), dict):  # else it is the schema of such a call
        yield from _body(Call(name, _fields(arguments), arguments, around))


def _once(arguments: str) -> str:
    """A text, which some models encode twice."""
    try:
        inner = json.loads(arguments) if arguments.lstrip()[:1] == '"' else None
    except ValueError:
        return arguments
    return inner if isinstance(inner, str) else arguments


def _of_text(name: str, text: str, around: Around) -> Iterator[Item]:
    if "*** " in text or "SEARCH" in text:
        yield Patch(text, around.path)
    elif act_of(name) is not None or (seems_to_edit(name) and text.lstrip()[:1] == "{"):
        call = Call(name, {}, {"name": name, "arguments": text}, around)
        yield malformed(call, f"The arguments of the call `{name[:60]}` are no JSON.", _ASKS_AGAIN)


def _body(call: Call) -> Iterator[Item]:
    """The edits of one object: those in its list of them, or its own, or those in whatever its fields hold."""
    nested = next((call.fields[key] for key in EDITS if key in call.fields), None) or _numbered(call.given)
    found = list(_nested(nested, call)) if nested is not None else []
    if not found and (own := edit_of(call)) is not None:
        found = [own]
    yield from found if not asks_to_show(call) else (_only_shown(call, item) for item in found)
    for key, inner in call.fields.items() if not found else ():
        if isinstance(inner, list | dict) and inner is not nested:
            strange = call.around.strange or call.name is not None or key not in _LISTS
            path = call.own if strange else call.around.path
            yield from edits_in(inner, call.around._replace(path=path).inside(strange=strange))


def _only_shown(call: Call, item: Item) -> Item:
    """What a call holds that is not to be made."""
    if not isinstance(item, Block | Patch):
        return item
    hint = "To make the change, send the call without that field, or with false in it."
    return malformed(
        call._replace(around=Around(item.path or call.around.path)), "The call only asks to see its change.", hint
    )


def _numbered(given: Mapping[str, object]) -> list[dict[str, object]] | None:
    """The edits whose fields are told apart by a number behind their names: ``old_str_1``, ``new_str_1``."""
    rows: dict[str, dict[str, object]] = {}
    for key, value in given.items():
        if (parts := _NUMBER.fullmatch(key)) is not None:
            rows.setdefault(parts[2], {})[parts[1]] = value
    return [row for row in rows.values() if any(squashed(key) in OLD for key in row)] or None


def _nested(nested: object, call: Call) -> Iterator[Item]:
    """The edits of a list. Beside such as are edits, one that is none must not pass unsaid."""
    each = nested if isinstance(nested, list) else [nested]
    inside = call.around._replace(path=call.path).inside(listed=True, strange=call.around.strange)
    found = [list(edits_in(one, inside)) for one in each]
    if not any(found):
        return
    for one, items in zip(each, found, strict=True):
        if items:
            yield from items
        elif isinstance(one, dict):
            hint = "Send each of them with old_string and new_string."
            yield malformed(Call(None, _fields(one), one, inside), "An edit of the list does not say its change.", hint)


def _fields(value: Mapping[str, object]) -> dict[str, object]:
    return {squashed(key): item for key, item in value.items()}
