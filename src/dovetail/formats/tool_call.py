r"""The format `tool-call`: edits in JSON, as function calls carry them.

Grammar (names are matched without case and underscores)::

    calls  = call | [call*] | {"tool_calls": calls} | {"choices": …} | {"message": …} | {"content": calls}
    call   = {"name", "arguments" | "input" | "parameters"} | {"function": call} | edit
    edit   = {path, old, new [, replace_all]} | {path, "edits": [{old, new}*]} | {path, content}
           | {path, insert_line, new} | {path, patch}  | {"patch"}

A search may begin and end inside a line. The whole reply, a fence, or single lines may be JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dovetail.formats import faults, json_lines
from dovetail.formats.paths import normalise
from dovetail.formats.place import Force
from dovetail.formats.scanner import GiveBack
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, ShellSuggestion
from dovetail.model.codes import Code
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner

import re as _re

PATH = ("path", "filepath", "file", "filename", "targetfile", "absolutepath", "relativepath", "uri", "targetpath")
OLD = ("oldstring", "oldstr", "oldtext", "old", "search", "find", "searchtext", "oldcontent")
NEW = ("newstring", "newstr", "newtext", "new", "replace", "replacement", "replacetext", "newcontent")
CONTENT = ("content", "contents", "filetext", "text", "codeedit", "body")
PATCH = ("patch", "diff", "patchtext", "input")
EDITS = ("edits", "replacements", "changes", "operations", "multiedits")
_ALL = ("replaceall", "allowmultiple", "all", "global")
_ARGUMENTS = ("arguments", "input", "parameters", "args", "params")
_LISTS = ("toolcalls", "calls", "choices", "messages", "output", "content", "tooluses")
_EVERY = _re.compile(r"\n")
DEEPEST = 40


class JsonLines:
    """A JSON value in a reply's text, line by line."""

    interest = _EVERY

    def __init__(self, scanner: Scanner, line: int) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.first = line
        self.pieces: list[str] = []
        self.balance = json_lines.Balance()

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Never called: every line is looked at."""
        return self.line(text, line)

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next line of the value."""
        self.pieces.append(text)
        self.balance.feed(text)
        if self.balance.broken:
            return self._back(line + 1)
        if self.balance.closed:
            body = "".join(self.pieces)
            found = blocks_in(self.scanner, body, self.first)
            if not found:
                return self._back(line + 1)
            self.scanner.state = self.parent
            self.scanner.recent.clear()
        return None

    def end(self) -> GiveBack | None:
        """The reply ends inside the value: no JSON, or cut off."""
        body = "".join(self.pieces)
        if looks_like_call(body) and not self.scanner.draft:
            self.scanner.sink.diagnose(bad_json(self.first))
        return self._back(self.scanner.number + 1)

    def _back(self, resume: int) -> GiveBack:
        self.scanner.json_from = resume
        self.scanner.as_text.add(self.first)
        self.scanner.state = self.parent
        return GiveBack("".join(self.pieces), self.first)


def may_be_calls(fence: Fence, content: str) -> bool:
    """Whether a closed fence may hold JSON."""
    return fence.language in _JSON and content.lstrip()[:1] in ("{", "[")


def in_fence(scanner: Scanner, content: str, line: int, path: str | None) -> bool:
    """Read the JSON of a closed fence; says whether it held edits."""
    if blocks_in(scanner, content, line, path):
        return True
    if looks_like_call(content) and next(json_lines.values(content), None) is None and not scanner.draft:
        scanner.sink.diagnose(bad_json(line))
    return False


_JSON = frozenset(
    ("", "json", "jsonc", "json5", "jsonl", "ndjson", "tool_call", "tool_calls", "tool_use", "tool", "function_call")
)


def bad_json(line: int) -> faults.Fault:
    """A value that names an edit and does not parse."""
    return faults.malformed(
        "This looks like a tool call and is no JSON.",
        line,
        "Send the call again as one JSON object, with line ends and quotes inside strings escaped.",
        Code.BAD_JSON,
    )


def looks_like_call(text: str) -> bool:
    """Whether a text that did not parse names the fields of an edit."""
    return (
        _re.search(r'"(?:old_?(?:string|str|text)|tool_calls|tool_use|arguments)"\s*:', text, _re.IGNORECASE)
        is not None
    )


def blocks_in(scanner: Scanner, text: str, line: int, path: str | None = None) -> bool:
    """Give the sink every edit in the JSON values of `text`; says whether there was any."""
    found = False
    seen = at = 0
    for value, offset in json_lines.values(text):
        seen += text.count("\n", at, offset)
        at = offset
        for item in _edits(value, path, 0):
            found = True
            _give(scanner, item, line + seen)
    return found


Item = Block | tuple[str, str | None] | ShellSuggestion


def _give(scanner: Scanner, item: Item, line: int) -> None:
    """One edit, patch text, or command."""
    from dataclasses import replace

    match item:
        case Block():
            block = replace(item, line=line, draft=scanner.draft)
            if block.path is None:
                block = faults.spoil(block, faults.no_path("tool-call", line))
            scanner.sink.counts["tool-call", "start"] += 1
            scanner.sink.whole(block)
        case ShellSuggestion(command):
            if not scanner.draft:
                scanner.sink.suggest(ShellSuggestion(command, line, "tool-call"))
        case (text, path):
            scanner.inside(text, line, Force(path, "diff") if path else None, machines=_PATCHES)


_PATCHES = frozenset(("angle", "dash", "udiff", "apply-patch", "tags"))


def _edits(value: object, path: str | None, depth: int) -> Iterator[Item]:
    """Every edit in a value, outermost first; `path` is the one around it."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        for inner, _ in json_lines.values(value):
            yield from _edits(inner, path, depth + 1)
    elif isinstance(value, list):
        for one in value:
            if not isinstance(one, str):
                yield from _edits(one, path, depth + 1)
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
        yield from _edits(inner, path, depth + 1)
        return
    here = _path(fields, path)
    if (nested := _first(fields, EDITS)) is not None and not isinstance(nested, str):
        yield from _edits(nested, here, depth + 1)
        return
    found = list(_leaf(fields, value, here, ""))
    yield from found
    if not found:
        for key in _LISTS:
            if isinstance(fields.get(key), (list, dict)):
                yield from _edits(fields[key], path, depth + 1)


def _call(name: str, arguments: object, path: str | None, depth: int) -> Iterator[Item]:
    """A function call: its arguments may be text that holds JSON, or a patch as it is."""
    if isinstance(arguments, str):
        decoded = next(json_lines.values(arguments), None)
        if decoded is None:
            if "*** " in arguments or "SEARCH" in arguments:
                yield (arguments, path)
            return
        arguments = decoded[0]
    if not isinstance(arguments, dict):
        yield from _edits(arguments, path, depth + 1)
        return
    fields = {key.replace("_", "").replace("-", "").lower(): item for key, item in arguments.items()}
    here = _path(fields, path)
    found = list(_leaf(fields, arguments, here, name))
    yield from found
    if not found and (nested := _first(fields, EDITS)) is not None:
        yield from _edits(nested, here, depth + 1)


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
        yield (patch, path)
    elif _names(name, command, "delete", "remove") and path is not None:
        yield _block(Kind.DELETE, path, "", "", raw)
    elif _names(name, command, "rename", "move") and (target := _text(fields, _TARGET)) is not None:
        yield _block(Kind.RENAME, path or _text(fields, _SOURCE), "", "", raw, destination=normalise(target))
    elif path is not None and (content := _text(fields, CONTENT)) is not None:
        yield _block(Kind.REWRITE, path, "", content, raw)
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


def render(blocks: list[Block], fence: str) -> str:
    """One call a line, each a function call of its own."""
    del fence
    return "".join(json.dumps(_as_call(block), ensure_ascii=False) + "\n" for block in blocks)


def _as_call(block: Block) -> dict[str, object]:
    if block.path is None or (block.destination is not None and block.kind is not Kind.RENAME):
        raise RenderError("The format tool-call cannot say a block without a path, or an edit that moves its file.")
    arguments: dict[str, object] = {"path": block.path}
    match block.kind:
        case Kind.EDIT:
            name = "str_replace"
            arguments |= {"old_string": block.search, "new_string": block.replace}
            if block.replace_all:
                arguments["replace_all"] = True
        case Kind.REWRITE:
            name = "write_file"
            arguments["content"] = block.replace
        case Kind.DELETE:
            name = "delete_file"
        case Kind.RENAME:
            name = "move_file"
            arguments["destination"] = block.destination
        case _:
            raise RenderError(f"The format tool-call cannot say a block of the kind {block.kind}.")
    return {"name": name, "arguments": arguments}
