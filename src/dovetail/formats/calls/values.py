r"""Finds the edits in JSON values, in every shape in which function calls are carried. `call` reads one call's fields.

Grammar (field names are matched without case, underscores and hyphens)::

    calls   = call | [calls*] | {"tool_calls" | "content" | "choices" | …: calls} | message
    message = {"role": "assistant" | "model", "content" | "parts": text | [text | {"text"} | calls]*, …}
            | what an agent's program prints: {"type": "result", "result": text}, {"model", "response": text}, …
    call    = {"name" | "tool" | …, "arguments" | "input" | …: {field*} | JSON text | patch}
            | {"function": call} | {"tool", "state": {"input": {field*}}} | {"tool", field*} | edit
    edit    = {path, "edits": [edit*]} | {"files": {path: text} | [{path, content}*]} | the fields of `call`
    other   = {field: calls}*      whatever stands around a call, in an agent's log or in a provider's event

Inside an object of no known shape (a *strange* one) only calls with known names, and edits that name their file and
quote its text, count: any data may hold a path and a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from dovetail.formats import faults
from dovetail.formats.calls import javascript, json_text, names
from dovetail.formats.calls.call import Call, Item, PatchText, ReplyText, edit_of, malformed
from dovetail.formats.calls.names import effect_of, may_edit, squashed
from dovetail.formats.calls.places import patch_of, place_of
from dovetail.formats.calls.shell_call import editor_call, items_of_command, typed
from dovetail.formats.diffs.signs import PatchKind, patch_kind
from dovetail.formats.paths.forms import Form, form_of, has_known_end
from dovetail.model.blocks import Block, LineTarget, ShellSuggestion
from dovetail.shell import changes_files
from dovetail.text.pattern import pattern

DEEPEST = 40
_ARGUMENTS = ("arguments", "input", "parameters", "args", "params", "toolinput", "toolargs", "actioninput")
_CALLED = ("name", "tool", "toolname", "function", "recipientname", "action")
_INNER = ("function", "message", "delta", "functioncall", "toolcall", "tooluse", "operation")
_LISTS = ("toolcalls", "functioncalls", "tooluses", "calls", "choices", "candidates", "messages", "output",
          "content", "parts")  # fmt: skip
_REPLIES = ("response", "content", "parts", "result", "text")
"""Fields of a message that hold the reply's text."""
_TEXTS = ("text", "output_text")
_STOPS = ("finishreason", "stopreason", "donereason")
_CUTS = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"))
"""Fields in which a provider says why an answer ended, and the values for an answer that was cut short."""
_ACTIONS = ("action", "operation", "type", "op", "kind", "changetype")
_LITERALS = ("true", "false", "null")
_LOGS = ("patch_apply_end", "patch_apply_begin")
"""Events of an agent's log that hold a patch: the first after it was applied, the second the same patch before."""
_LOGGED = {"update": "apply_patch", "add": "create_file", "delete": "delete_file"}
"""A log's words for the changes of a patch, each with the tool that has the same effect."""
_OLD_WORDS = frozenset(("before", "find", "old", "original", "search", "target"))
_NEW_WORDS = frozenset(("after", "modified", "new", "replace", "replacement", "updated"))
_IN_PATCH = pattern(r"(?m)^(?:\*\*\* (?:Update|Add|Delete) File: |[+]{3} (?:b/)?)([^\s].*?)[ \t]*$")
_ADDED = pattern(r"(?m)^[+](?![+]{2} )(.*\n?)")
_STATES_PATCH = "Send the patch as a call of its own, or as one string with nothing computed in it."
_ASKS_AGAIN = "Send the call again as one JSON object, with line ends and quotes inside strings escaped."


class ValueContext(NamedTuple):
    """What encloses a value.

    path: the file named there, or None. depth: how many objects and lists. in_edits: the value is an entry of a list of
    edits. strange: an enclosing object has no known shape, so the value may be any data.
    """

    path: str | None = None
    depth: int = 0
    in_edits: bool = False
    strange: bool = False

    def inside(self, *, in_edits: bool = False, strange: bool = False) -> ValueContext:
        return ValueContext(self.path, self.depth + 1, in_edits, strange)


def items_of_call(name: str, arguments: object) -> Iterator[Item]:
    """Yield every edit in one call, whose arguments were read from JSON or another notation."""
    return _call(name, arguments, ValueContext())


def items_of_value(value: object, around: ValueContext) -> Iterator[Item]:
    """Yield every edit in a value, outermost first."""
    if around.depth > DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            yield from items_of_value(one, around.inside(in_edits=around.in_edits, strange=around.strange))
    if not isinstance(value, dict):
        return
    fields = {squashed(key): item for key, item in value.items()}
    # A provider says beside an answer that it ended early: then the answer's last item is incomplete.
    details = fields.get("incompletedetails")
    reasons = [fields[key] for key in _STOPS if key in fields]
    reasons += [details.get("reason")] if isinstance(details, dict) else []
    reason = next((reason for reason in reasons if isinstance(reason, str) and reason.lower() in _CUTS), None)
    if reason is None:
        yield from _of_fields(fields, value, around)
        return
    *items, last = [*_of_fields(fields, value, around)] or [ReplyText("")]
    yield from items
    if isinstance(last, Block):
        yield faults.spoil(last, faults.CUT_BY_PROVIDER.at(0, reason=reason))
    else:
        yield last if isinstance(last, ShellSuggestion) else last._replace(cut=reason)


def _of_fields(fields: dict[str, object], value: dict[str, object], around: ValueContext) -> Iterator[Item]:
    """Yield the edits of an object by its shape: a message, a call of any notation, a log's event, or an edit."""
    # A whole message of a model, or an answer as an agent's program prints it; not a piece of an answer.
    answer = isinstance(fields.get("response"), str) and not fields.keys().isdisjoint(("model", "stats"))
    if (
        fields.get("role") in ("assistant", "model")
        or (answer and fields.get("done") is not False)
        or (not answer and fields.get("type") == "agent_message")
        or (not answer and fields.get("type") == "result" and "result" in fields)
    ):
        yield from _message(fields, around)
        # Its text is read; calls may stand in its other fields, as in `tool_calls`.
        fields = {key: item for key, item in fields.items() if key not in _REPLIES}
        value = {key: item for key, item in value.items() if squashed(key) in fields}
    state = fields.get("state")
    # A log keeps what the tool was given in `state`: `{"tool": "edit", "state": {"input": {…}}}`.
    sources = (state if isinstance(state, dict) else {}, fields)
    arguments = next((s[key] for s in sources for key in _ARGUMENTS if isinstance(s.get(key), str | dict)), None)
    name = next((name for key in _CALLED if isinstance(name := fields.get(key), str)), None)
    if name is None and isinstance(method := fields.get("method"), str) and effect_of(method) is not None:
        name = method  # of the protocol between editors and agents
    if name is None and (keys := typed(fields.get("commands"))) is not None:
        name, arguments = "bash", {"command": keys}
    # `{"writeToolCall": {"args": {…}}}`: the call is a field of its own. A file's whole text may come as the stream of
    # an edit.
    wrapped = next(
        (
            ("write_file" if "streamContent" in inner["args"] else key.removesuffix("ToolCall"), inner["args"])
            for key, inner in value.items()
            if key.endswith("ToolCall") and isinstance(inner, dict) and isinstance(inner.get("args"), dict)
        ),
        None,
    )
    # Surest shapes first. Here the name is a whole command line: `str_replace_editor create a.py …`.
    if arguments is None and (editor := editor_call(name or "")) is not None:
        yield from _fields_of(editor, around)
    elif wrapped is not None and effect_of(wrapped[0]) is not None:
        yield from _call(*wrapped, around)
    # `{"name": "edit", "arguments": {…}}`
    elif name is not None and arguments is not None:
        yield from _call(name, arguments, around)
    # `{"function": {"name": …, "arguments": …}}`
    elif (inner := next((fields[key] for key in _INNER if isinstance(fields.get(key), dict)), None)) is not None:
        yield from items_of_value(inner, around.inside(in_edits="operation" in fields, strange=around.strange))
    elif fields.get("type") in _LOGS and isinstance(changes := fields.get("changes"), dict):
        # The begin event has the same patch as the end event: it is skipped, so that no edit comes twice.
        for path, change in changes.items() if fields["type"] == _LOGS[0] else ():
            yield from _logged(path, change, around)
    # `{"files": {"a.py": "…"}}` and nothing else. In a strange object this may be any data.
    elif not around.strange and (files := _files(fields)) is not None:
        for path, text in files:
            yield from _fields_of(Call(None, {"path": path, "content": text}), around)
    else:
        yield from _fields_of(_unwrapped(fields, value, around), around)


def _logged(path: str, change: object, around: ValueContext) -> Iterator[Item]:
    """Yield the edit of one file in an agent's log of an applied patch: ``{"type": "update", "unified_diff": …}``."""
    if not isinstance(change, dict):
        return
    inner = next(((key, change[key]) for key in _LOGGED if isinstance(change.get(key), dict)), None)
    kind, fields = inner if inner is not None else (change.get("type"), change)
    if kind in _LOGGED:
        kept = {} if kind == "delete" else {key: item for key, item in fields.items() if key != "type"}
        yield from _fields_of(Call(_LOGGED[kind], {**kept, "path": path}), around)


def _message(fields: Mapping[str, object], around: ValueContext) -> Iterator[Item]:
    """Yield the text of a message as a reply of its own, and the calls among its parts."""
    content = next((fields[key] for key in _REPLIES if fields.get(key)), None)
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) and part.get("type", "text") in _TEXTS else part
        if isinstance(text, str):
            yield ReplyText(text)
        else:
            yield from items_of_value(part, around.inside())


def _unwrapped(fields: Mapping[str, object], raw_fields: Mapping[str, object], around: ValueContext) -> Call:
    """Return the call of an object whose arguments stand beside its name.

    A field `name` counts only if it names a known tool, a `type` or `action` only in a list of edits: any data may have
    such fields.
    """
    call = Call(None, raw_fields, around.path, around.strange)
    tool, name = fields.get("tool", fields.get("toolname")), fields.get("name")
    if isinstance(tool, str):
        return replace(call, name=tool)
    if call.own_path is None:
        return call
    if isinstance(name, str) and effect_of(name) is not None:
        return replace(call, name=name)
    for key in _ACTIONS if around.in_edits else ():
        if isinstance(effect := fields.get(key), str) and effect_of(effect) is not None:
            others = {field: item for field, item in raw_fields.items() if squashed(field) != key}
            return replace(call, name=effect, raw_fields=others)
    return call


def _files(fields: Mapping[str, object]) -> list[tuple[str, str]] | None:
    """Return the paths and whole texts in an object that holds nothing but files; None for any other object."""
    files = fields.get("files")
    if not fields.keys() <= {"files", *names.REMARKS}:
        return None
    if isinstance(files, dict):
        files = [{"path": path, "content": text} if isinstance(text, str) else {**text, "path": path}
                 for path, text in files.items() if isinstance(text, str | dict)]  # fmt: skip
    found: list[tuple[str, str]] = []
    for file in files if isinstance(files, list) else ():
        call = Call(None, file if isinstance(file, dict) else {})
        path, text = call.text((*names.PATH, "name")), call.text(names.CONTENT)
        if path is None or text is None or form_of(path) < Form.SPACED:
            return None
        if not call.fields.keys() <= {*names.PATH, "name", *names.CONTENT, *names.REMARKS}:
            return None
        found.append((path, text))
    return found or None


def _call(name: str, arguments: object, around: ValueContext) -> Iterator[Item]:
    """Yield the edits of a function call, whose arguments may be JSON in a text, encoded once or twice, or a patch."""
    if isinstance(arguments, str):
        text = arguments
        # `"{\"path\": …}"`: some servers encode the arguments twice.
        if text.lstrip()[:1] == '"':
            try:
                inner = json.loads(text)
            except ValueError:
                inner = text
            text = inner if isinstance(inner, str) else text
        decoded, _ = json_text.decoded(text)
        if not decoded:
            yield from _of_text(name, text, around)
            return
        arguments = decoded[0][0]
    if not isinstance(arguments, dict):
        yield from items_of_value(arguments, around.inside())
    elif not isinstance(arguments.get("properties"), dict):  # else it is the schema of such a call
        texts = [text for text in arguments.values() if isinstance(text, str)]
        # A log may write each field as JSON once more. Then all texts are quoted, or numbers and the like: one plain
        # text means that quotes are content.
        quoted = [text for text in texts if text[:1] == text[-1:] == '"']
        if quoted and all(text in quoted or text.isdecimal() or text in _LITERALS for text in texts):
            with suppress(ValueError):
                arguments = {key: json.loads(one) if isinstance(one, str) else one for key, one in arguments.items()}
        yield from _fields_of(Call(name, arguments, around.path, around.strange), around)


def _numbered(call: Call) -> list[dict[str, object]] | None:
    """Return the edits of a call with numbered fields (``old_str_1``, ``new_str_1``, ``insert_line_2``, …), or None."""
    found: dict[str, dict[str, object]] = {}
    for key, item in call.raw_fields.items():
        name, _, number = key.rpartition("_") if key[-1:].isdecimal() else (key, "", "")
        if number.isdecimal() and squashed(name) in (*names.OLD, *names.NEW, "insertline"):
            found.setdefault(number, {})[name] = item
    # By number: `_10` comes behind `_2`.
    return [found[number] for number in sorted(found, key=int)] or None


def _of_text(name: str, text: str, around: ValueContext) -> Iterator[Item]:
    if javascript.is_code(text):
        yield from _of_code(name, text, around)
    # Not JSON, and the marks of a patch or of a block: the arguments are the patch itself.
    elif text.lstrip()[:1] != "{" and patch_kind(text) is not None:
        yield PatchText(text, around.path)
    elif effect_of(name) is not None or (may_edit(name) and text.lstrip()[:1] == "{"):
        call = Call(name, {"name": name, "arguments": text}, around.path)
        yield malformed(call, f"The arguments of the call `{name[:60]}` are no JSON.", _ASKS_AGAIN)


def _of_code(name: str, text: str, around: ValueContext) -> Iterator[Item]:
    """Yield the edits that JavaScript hands to tools; one whose argument is only known when it runs is malformed."""
    for tool, argument in javascript.calls_in(text):
        if argument is javascript.UNKNOWN and not may_edit(tool):
            # A command that is computed is no edit; only its template strings are known.
            yield from (ShellSuggestion(one, 0) for one in javascript.unfinished_texts(text) if changes_files(one))
            continue
        if argument is javascript.UNKNOWN:
            call = Call(f"{name}: {tool}", {"name": name, "code": text}, around.path)
            yield malformed(call, f"What the code hands to `{tool}` is only known when it runs.", _STATES_PATCH)
        else:
            for item in _call(tool, argument, around.inside()):
                yield item._replace(in_code=True) if isinstance(item, PatchText) else item


def _fields_of(call: Call, around: ValueContext) -> Iterator[Item]:
    """Yield the edits of one object: those in its list of edits, else its own, else those inside its other fields."""
    # Not for a tool that writes files: there `code` is the file's text.
    code = call.text(names.CODE) if call.name is not None and effect_of(call.tool) is None else None
    if code is not None and javascript.is_code(code):
        yield from _of_code(call.name or "", code, around)
        return
    nested = next((call.fields[key] for key in names.EDITS if call.fields.get(key)), None) or _numbered(call)
    new_files = next((files for key in names.NEW_FILES if isinstance(files := call.fields.get(key), list)), None)
    if new_files and (nested is None or isinstance(nested, list)):
        nested = [*(nested or ()), *new_files]
    found = list(_nested(nested, call, around)) if nested is not None else []
    # A command is looked for only if the tool's name is no edit's: `create` may have a field `command`.
    found = found or [*patch_of(call)] or ([*items_of_command(call)] if effect_of(call.tool) is None else [])
    if not found and (own := (None if call.strange else place_of(call)) or edit_of(call)) is not None:
        found = [own]
    # A dry run must change nothing, so it becomes no edit.
    if any(call.fields.get(key) in (True, "true") for key in names.DRY_RUNS):
        for item in found:
            hint = "To make the change, send the call without that field, or with false in it."
            path = getattr(item, "path", None) or call.around
            yield malformed(replace(call, around=path), "The call only asks to see its change.", hint)
        return
    yield from found
    # No edit of its own: one of its fields may hold some. They are trusted less if this object's shape is unknown.
    for key, inner in call.fields.items() if not found else ():
        if isinstance(inner, list | dict) and inner is not nested:
            strange = call.strange or call.name is not None or key not in _LISTS
            path = call.own_path if strange else call.around
            yield from items_of_value(inner, around._replace(path=path).inside(strange=strange))


def _nested(nested: object, call: Call, around: ValueContext) -> Iterator[Item]:
    """Yield the edits of a list. If any entry is an edit, an entry that is none is malformed."""
    if isinstance(nested, str):
        # `"edits": "[{…}]"`: the list is JSON in a text.
        nested = [value for value, _ in json_text.decoded(nested)[0]]
    each = nested if isinstance(nested, list) else [nested]
    each = [one for entry in each for one in (entry if isinstance(entry, list) else [entry])]
    inside = around._replace(path=call.path).inside(in_edits=True, strange=call.strange)
    found = [list(items_of_value(one, inside)) for one in each]
    index = 0
    for one, items in zip(each, found, strict=True):
        for item in items:
            # All line numbers of a list count in the text before the call, so a plan must know which edits stand before
            # this one.
            if isinstance(item, Block) and isinstance(item.target, LineTarget):
                item = replace(item, target=replace(item.target, index=index))
            index += 1
            yield item
        # Beside entries that are edits this one was meant as one, too; a list without any is other data.
        if not items and isinstance(one, dict) and any(found):
            hint = "Send each of them with old_string and new_string."
            yield malformed(Call(None, one, call.path), "An edit of the list does not say its change.", hint)


class UnreadChange(NamedTuple):
    """A change that a value seems to hold, in fields of no known call: a phrase for it, its file, its new text."""

    what: str
    path: str | None
    text: str


def unread_change(value: object, path: str | None = None, depth: int = 0) -> UnreadChange | None:
    """Return the first change in a value that gave no edit, or None: a patch, an edit of a range as editors exchange
    it, or an object with an old and a new text. path: the file named around it."""
    if depth > DEEPEST or not isinstance(value, list | dict):
        return None
    pairs = list(value.items()) if isinstance(value, dict) else [("", one) for one in value]
    if isinstance(value, dict):
        call, texts = Call(None, value), {key: text for key, text in pairs if isinstance(text, str | list) and text}
        document = call.fields.get("textdocument")  # of the language server protocol
        path = call.own_path or (Call(None, document).own_path if isinstance(document, dict) else None) or path
        words = {key: frozenset(names.words(key)) for key in texts}
        old, new = (any(one & some for one in words.values()) for some in (_OLD_WORDS, _NEW_WORDS))
        # `{"range": {"start": {"line": 3, "character": 0}, …}, "newText": "x"}`: reported, but not read as an edit.
        if isinstance(call.fields.get("range"), dict) and (text := call.text(("newtext",))) is not None:
            return UnreadChange("an edit of a range of lines and columns", path, text)
        if call.own_path is not None and old and new:
            brought = (str(text) for key, text in texts.items() if words[key] & _NEW_WORDS)
            return UnreadChange(f"an edit of `{path}` in other fields than any call has", path, "\n".join(brought))
        # Hunks alone name no file, and logs of all kinds quote some.
        kinds = ((text, patch_kind(text)) for text in texts.values() if isinstance(text, str))
        patch = next((text for text, kind in kinds if kind not in (None, PatchKind.HUNKS)), None)
        if patch is not None:
            named = _IN_PATCH.search(patch)
            added = "".join(_ADDED.findall(patch))
            return UnreadChange("a patch in a field that no call has", named[1] if named else path, added or patch)
    inner = (unread_change(one, key if has_known_end(key) else path, depth + 1) for key, one in pairs)
    return next(filter(None, inner), None)
