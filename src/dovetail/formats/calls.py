r"""JSON values → edits: every shape in which function calls carry them.

Grammar (field names are matched without case, underscores and hyphens)::

    calls  = call | [call*] | {"tool_calls": calls} | {"choices": …} | {"message": …} | {"content": calls}
    call   = {"name", "arguments" | "input" | "parameters"} | {"function": call} | edit
    edit   = {path, old, new [, replace_all]} | {path, "edits": [{old, new}*]} | {path, content}
           | {path, insert_line, new} | {path, patch} | {patch}

Nothing is executed; a command is an item like any other, to be listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dovetail.formats import json_lines
from dovetail.formats.paths import normalise
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, ShellSuggestion

PATH = ("path", "filepath", "file", "filename", "targetfile", "absolutepath", "relativepath", "uri", "targetpath")
OLD = ("oldstring", "oldstr", "oldtext", "old", "search", "find", "searchtext", "oldcontent")
NEW = ("newstring", "newstr", "newtext", "new", "replace", "replacement", "replacetext", "newcontent")
CONTENT = ("content", "contents", "filetext", "text", "codeedit", "body")
PATCH = ("patch", "diff", "patchtext", "input")
EDITS = ("edits", "replacements", "changes", "operations", "multiedits")
_ALL = ("replaceall", "allowmultiple", "all", "global")
_ARGUMENTS = ("arguments", "input", "parameters", "args", "params")
DEEPEST = 40
_LISTS = ("toolcalls", "calls", "choices", "messages", "output", "content", "tooluses")


class Patch(NamedTuple):
    """Text in another format inside a field, and the path beside it."""

    text: str
    path: str | None


Item = Block | Patch | ShellSuggestion


def edits_in(value: object, path: str | None, depth: int = 0) -> Iterator[Item]:
    """Every edit in a value, outermost first; `path` is the one around it."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        for inner, _ in json_lines.values(value):
            yield from edits_in(inner, path, depth + 1)
    elif isinstance(value, list):
        for one in value:
            if not isinstance(one, str):
                yield from edits_in(one, path, depth + 1)
    elif isinstance(value, dict):
        yield from _of_object(value, path, depth)


def _of_object(value: dict[str, object], path: str | None, depth: int) -> Iterator[Item]:
    fields = {key.replace("_", "").replace("-", "").lower(): item for key, item in value.items()}
    name = fields.get("name")
    arguments = _first(fields, _ARGUMENTS)
    if isinstance(name, str) and isinstance(arguments, (str, Mapping)):
        yield from _call(name.lower(), arguments, path, depth)
        return
    if isinstance(inner := fields.get("function") or fields.get("message") or fields.get("delta"), dict):
        yield from edits_in(inner, path, depth + 1)
        return
    here = _path(fields, path)
    if (nested := _first(fields, EDITS)) is not None and not isinstance(nested, str):
        yield from edits_in(nested, here, depth + 1)
        return
    found = list(_leaf(fields, value, here, ""))
    yield from found
    if not found:
        for key in _LISTS:
            if isinstance(fields.get(key), (list, dict)):
                yield from edits_in(fields[key], path, depth + 1)


def _call(name: str, arguments: object, path: str | None, depth: int) -> Iterator[Item]:
    """A function call: its arguments may be text that holds JSON, or a patch as it is."""
    if isinstance(arguments, str):
        decoded = next(json_lines.values(arguments), None)
        if decoded is None:
            if "*** " in arguments or "SEARCH" in arguments:
                yield Patch(arguments, path)
            return
        arguments = decoded[0]
    if not isinstance(arguments, dict):
        yield from edits_in(arguments, path, depth + 1)
        return
    fields = {key.replace("_", "").replace("-", "").lower(): item for key, item in arguments.items()}
    here = _path(fields, path)
    found = list(_leaf(fields, arguments, here, name))
    yield from found
    if not found and (nested := _first(fields, EDITS)) is not None:
        yield from edits_in(nested, here, depth + 1)


def _leaf(fields: dict[str, object], value: Mapping[str, object], path: str | None, name: str) -> Iterator[Item]:
    """The edits of one object with no calls inside."""
    old, new = _text(fields, OLD), _text(fields, NEW)
    raw = json.dumps(value, ensure_ascii=False)
    command = str(fields.get("command", "")) if isinstance(fields.get("command"), str) else ""
    line = fields.get("insertline")
    if old is not None and new is None and path is not None and _names(name, command, "replace", "edit"):
        new = ""
    if (
        isinstance(line, int)
        and (text := new if new is not None else _text(fields, ("insertstr", "inserttext", *CONTENT))) is not None
    ):
        yield _block(Kind.EDIT, path, "", _closed(text), raw, hints=Hints(line=line + 1))
    elif old is not None and new is not None:
        everywhere = any(fields.get(key) is True for key in _ALL)
        yield _block(Kind.EDIT, path, old, new, raw, inline=bool(old), everywhere=everywhere)
    elif (patch := _text(fields, PATCH)) is not None and ("***" in patch or "@@" in patch or "SEARCH" in patch):
        yield Patch(patch, path)
    elif _names(name, command, "delete", "remove") and path is not None:
        yield _block(Kind.DELETE, path, "", "", raw)
    elif _names(name, command, "rename", "move") and (target := _text(fields, _TARGET)) is not None:
        yield _block(Kind.RENAME, path or _text(fields, _SOURCE), "", "", raw, destination=normalise(target))
    elif path is not None and (content := _text(fields, CONTENT)) is not None:
        kind = Kind.CREATE if _names(name, command, "create") else Kind.REWRITE
        yield _block(kind, path, "", content, raw)
    elif command and _names(name, "", "bash", "shell", "exec", "run", "terminal", "command"):
        yield ShellSuggestion(command, 0)


_TARGET = ("destination", "newpath", "to", "target", "dest", "newname")
_SOURCE = ("source", "oldpath", "from", "src")


def _names(name: str, command: str, *words: str) -> bool:
    return any(word in name or word in command for word in words)


def _block(
    kind: Kind, path: str | None, old: str, new: str, raw: str, *,
    inline: bool = False, everywhere: bool = False, hints: Hints = NO_HINTS, destination: str | None = None,
) -> Block:  # fmt: skip
    path = normalise(path) if path is not None else None
    return Block(
        "tool-call", kind, path, old, new, raw=raw, inline=inline, replace_all=everywhere, hints=hints,
        destination=destination,
    )  # fmt: skip


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _first(fields: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((fields[name] for name in names if name in fields), None)


def _text(fields: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    found = next((fields[name] for name in names if isinstance(fields.get(name), str)), None)
    return found.replace("\r\n", "\n") if isinstance(found, str) else None


def _path(fields: Mapping[str, object], path: str | None) -> str | None:
    return _text(fields, PATH) or path
