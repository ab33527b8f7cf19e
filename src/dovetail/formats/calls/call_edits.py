r"""The fields of one function call → its edit.

Grammar (field names are matched without case, underscores and hyphens)::

    edit = {path, old, new [, replace_all]} | {path, insert_line, new} | {path, patch} | {patch}
         | {path, content}                          nothing beside the two, or a call of a known name

Only a call whose whole name is known deletes, moves or writes a file, and only where no other field says that it means
a part of it. A call that seems to edit and is none of these is malformed; an object that is no call is no edit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from dovetail.formats.calls.tool_names import Act, act_of, reads, seems_to_edit, squashed, words
from dovetail.formats.lines.fences import unfenced
from dovetail.formats.lines.names import listed
from dovetail.formats.lines.paths import normalise
from dovetail.formats.lines.vocabulary import (
    CONTENT,
    COUNTS,
    DRY_RUNS,
    EVERYWHERE,
    LINES,
    LOOSE_CONTENT,
    NEW,
    NEW_BESIDE_PATH,
    OLD,
    OLD_BESIDE_PATH,
    PATCH,
    PATH,
    PATTERNS,
    SURE,
)
from dovetail.formats.scan import faults
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, ShellSuggestion
from dovetail.model.codes import Code
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.text import closed

_MORE_CONTENT = {Act.WRITE: ("newcontent",), Act.CREATE: ("newcontent",), Act.SKETCH: ("changes",)}
"""Fields that hold a file's text in the calls that do this, and in no others."""
_INSERTED = ("insertstr", "inserttext", *LOOSE_CONTENT)
_COMMANDS = ("command", "cmd", "script")
_QUOTING = frozenset((*OLD_BESIDE_PATH, *PATCH, *_COMMANDS))
_SOURCE = ("source", "oldpath", "from", "src", "sourcepath", "sourcefile", "oldfilepath", "frompath",
           "originalfilepath")  # fmt: skip
_TARGET = ("destination", "newpath", "to", "target", "dest", "destinationpath", "targetpath", "newfilepath", "topath")
_ASIDE = frozenset(("command", "explanation", "reason", "description", "instruction", "instructions", "overwrite"))
_PARTS = listed(  # words of fields that mean a part of the file
    """after anchor append before cell column end endline index insert line lineno linenumber lines offset
    position range section selection start startline symbol"""
)
_WHOLE_ANYWAY = frozenset(("addlastlinenewline", "linecount", "lineending", "lineendings", "totallines"))
_HUNKS = re.compile(r"\s*@@|[+](?!\+)")
_BEGIN_PATCH = "*** Begin Patch"
_PATCH_SIGNS = ("***", "@@", "SEARCH", "<<< ORIGINAL")
_WRITING = ("write", "overwrite")
_LEAVES_OUT = re.compile(r"(?:\.{3}|…) *existing\b")
_SHELLS = ("bash", "shell", "exec", "run", "terminal", "command")


class Patch(NamedTuple):
    """Text in another format inside a field, and the path beside it."""

    text: str
    path: str | None


class Said(NamedTuple):
    """What a model said beside its calls: a reply of its own."""

    text: str


Item = Block | Patch | Said | ShellSuggestion


class Around(NamedTuple):
    """What stands around a value: the path it names, and how many others. `listed`: it stands in a list of edits;
    `strange`: in an object of no known shape, which may be any data."""

    path: str | None = None
    depth: int = 0
    listed: bool = False
    strange: bool = False

    def inside(self, *, listed: bool = False, strange: bool = False) -> Around:
        """What stands around a value inside this one."""
        return Around(self.path, self.depth + 1, listed, strange)


class Call(NamedTuple):
    """One object that may say an edit.

    name: what is called; None for an object that is no call.
    fields, given: its fields under their squashed names, and as they are.
    """

    name: str | None
    fields: Mapping[str, object]
    given: Mapping[str, object]
    around: Around = Around()

    @property
    def own(self) -> str | None:
        """The path that the object itself names."""
        return text_of(self.fields, PATH)

    @property
    def path(self) -> str | None:
        """Its own path, or the one around it."""
        return self.own or self.around.path

    @property
    def said(self) -> str | None:
        """The name that tells what it does: that of an editor's command goes before the editor's own."""
        command = self.fields.get("command")
        return command if isinstance(command, str) and re.fullmatch(r"\w+", command) else self.name

    @property
    def act(self) -> Act | None:
        """What it does to a file, where its name says so."""
        return act_of(self.said) if self.said is not None else None

    def only(self, *fields: str) -> bool:
        """Whether it has no field but these and such as change nothing."""
        known = {*fields, *_ASIDE}
        return all(key in known or _off(value) for key, value in self.fields.items())

    @property
    def partial(self) -> bool:
        """Whether a field says that a part of the file is meant, or text in code."""
        if str(self.fields.get("mode", "")).lower() in ("a", "append", "insert"):
            return True
        if str(self.fields.get("encoding", "")).lower() == "base64":
            return True
        return any(
            _PARTS.intersection(words(key)) and squashed(key) not in _WHOLE_ANYWAY and not _off(value)
            for key, value in self.given.items()
        )


def text_of(fields: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    r"""The first field of `names` that holds text, with ``\n`` for its line ends."""
    found = next((fields[name] for name in names if isinstance(fields.get(name), str)), None)
    return found.replace("\r\n", "\n") if isinstance(found, str) else None


def holds_file(call: str, field: str) -> bool:
    """Whether a field of this name holds a file's whole text in a call of that name."""
    return squashed(field) in _contents(act_of(call))


def _contents(act: Act | None) -> tuple[str, ...]:
    return (*LOOSE_CONTENT, *(_MORE_CONTENT.get(act, ()) if act is not None else ()))


def leaves_out(content: str) -> bool:
    """Whether a mark stands in a file's text for lines of it. Without one it may be the piece that changes, and only a
    file that is not there has no other."""
    return _LEAVES_OUT.search(content) is not None


def asks_to_show(call: Call) -> bool:
    """Whether a call is to be shown and not made."""
    return any(call.fields.get(key) in (True, "true") for key in DRY_RUNS)


def edit_of(call: Call) -> Item | None:
    """The edit that an object with no calls inside says, if it says one; a malformed block where it only seems to."""
    if call.around.strange and call.act is None and call.fields.keys().isdisjoint(_QUOTING):
        return None
    if any(isinstance(call.fields.get(name), Mapping) for name in PATH):
        return None  # a schema, which tells what a path is
    said = _insertion(call) or _replacement(call) or _patch(call) or _file(call) or _command(call)
    if call.around.strange and call.act is None:
        quotes = isinstance(said, Block) and said.path is not None and said.search
        return said if quotes or isinstance(said, Patch | ShellSuggestion) else None
    return said or _listing(call) or _unknown(call)


def _insertion(call: Call) -> Block | None:
    line, new = call.fields.get("insertline"), text_of(call.fields, NEW)
    text = new if new is not None else text_of(call.fields, _INSERTED)
    if not isinstance(line, int) or text is None:
        return None
    return _block(call, Kind.EDIT, new=closed(text), hints=Hints(line=line + 1))


def _replacement(call: Call) -> Block | None:
    """A text by another. A call that renames a name does more than that, wherever the name stands."""
    olds, news = (OLD, NEW) if call.path is None else (OLD_BESIDE_PATH, NEW_BESIDE_PATH)
    old, new = text_of(call.fields, olds), text_of(call.fields, news)
    if old is None or call.act in (Act.DELETE, Act.RENAME) or (call.said and "rename" in words(call.said)):
        return None
    if new is None and call.act is Act.REPLACE and call.path is not None and not any(map(call.fields.get, NEW)):
        new = ""
    if new is None:
        return None
    if any(not _off(call.fields.get(key)) for key in PATTERNS):
        return malformed(
            call, "The call looks for a pattern.", "Write the text to be replaced as it stands in the file."
        )
    count, line = _number(call, COUNTS), _number(call, LINES)
    said = [call.fields[key] for key in EVERYWHERE if key in call.fields]
    everywhere = any(value in (True, "true") for value in said) if said else (count or 0) > 1
    block = _block(call, Kind.EDIT, old, new, inline=bool(old), everywhere=everywhere)
    hints = Hints(line=line) if line is not None else NO_HINTS
    return replace(block, hints=hints, times=count if everywhere else None)


def _number(call: Call, names: tuple[str, ...]) -> int | None:
    """The first field of `names` that holds a number from 1 on."""
    values = (str(call.fields[name]) for name in names if not isinstance(call.fields.get(name, True), bool))
    return next((int(text) for text in values if text.isdecimal() and 0 < len(text) < 10 and int(text)), None)


def _patch(call: Call) -> Patch | None:
    """A patch in a field, or as a shell's command is given one."""
    patch = text_of(call.fields, PATCH)
    if patch is not None and call.own is not None and _HUNKS.match(patch):
        verb = "Add" if call.act is Act.CREATE else "Update"
        return Patch(f"*** {verb} File: {call.own}\n{patch}", None)
    if patch is not None and any(map(patch.__contains__, _PATCH_SIGNS)):
        return Patch(patch, call.path)
    for key in _COMMANDS:
        command = call.fields.get(key)
        for text in command if isinstance(command, list) else [command]:
            if isinstance(text, str) and _BEGIN_PATCH in text:
                return Patch(text.replace("\r\n", "\n"), None)
    return None


def _file(call: Call) -> Block | None:
    """What a call of a known name does to a file as a whole."""
    content = text_of(call.fields, _contents(call.act))
    content = None if content is None else unfenced(content, call.own)
    match call.act:
        case Act.DELETE if call.own is not None and call.only(*PATH):
            return _block(call, Kind.DELETE)
        case Act.RENAME:
            return _rename(call)
        case Act.WRITE if call.own is not None and content is not None and not call.partial:
            kind = Kind.CREATE if call.fields.get("overwrite") is False else Kind.REWRITE
            return _block(call, kind, new=content)
        case Act.CREATE if call.own is not None and content is not None and not call.partial:
            return _block(call, Kind.CREATE, new=content)
        case Act.SKETCH if call.own is not None and content is not None and not call.partial:
            whole = leaves_out(content) or call.fields.get("mode") in _WRITING
            return _block(call, Kind.REWRITE if whole else Kind.CREATE, new=content)
    return None


def _rename(call: Call) -> Block | None:
    """A file's move. A bare new name is a path only where the old path is one too."""
    source = text_of(call.fields, _SOURCE) or text_of(call.fields, tuple(f for f in PATH if f not in _TARGET))
    target, name = text_of(call.fields, _TARGET), text_of(call.fields, ("newname",))
    if target is None and name is not None and source is not None and ("/" in name or "/" not in normalise(source)):
        target = name
    if source is None or target is None or not call.only(*PATH, *_SOURCE, *_TARGET, "newname"):
        return None
    return _block(call, Kind.RENAME, path=source, destination=normalise(target))


def _listing(call: Call) -> Block | None:
    """A path and a content, and nothing that could say what else is meant."""
    content = text_of(call.fields, CONTENT)
    if call.name is not None or "command" in call.fields or not call.only(*PATH, *CONTENT):
        return None
    if call.own is None or content is None:
        return None
    return _block(call, Kind.REWRITE, new=content)


def _command(call: Call) -> ShellSuggestion | None:
    command = text_of(call.fields, _COMMANDS)
    shell = call.name is not None and any(word in call.name.lower() for word in _SHELLS)
    return ShellSuggestion(command, 0) if command and shell else None


def _unknown(call: Call) -> Block | None:
    """What must not pass unsaid: a call that seems to edit, and an object with half an edit in it."""
    if not _seems_to_edit(call):
        return None
    what = "The edit" if call.said is None else f"The call `{call.said[:60]}`"
    return malformed(
        call,
        f"{what} does not say a change that Dovetail knows.",
        "Send path, old_string and new_string; or the whole file, as write_file with path and content.",
    )


def _seems_to_edit(call: Call) -> bool:
    sure = any(key in SURE and not isinstance(value, Mapping) for key, value in call.fields.items())
    if call.said is not None and reads(call.said):
        return False
    if call.name is None:
        return sure and call.path is not None
    if call.act is not None:
        return True
    if call.said is not None and act_of(call.said.removesuffix("s")) is not None:
        return any(isinstance(call.fields.get(f"{key}s"), list) for key in PATH)
    speaks = call.said is not None and seems_to_edit(call.said)
    return call.own is not None and (speaks or sure or text_of(call.fields, LOOSE_CONTENT) is not None)


def malformed(call: Call, message: str, hint: str) -> Block:
    """The call as a block that is never applied; its line is set by who knows it."""
    return faults.spoil(_block(call, Kind.EDIT), Diagnostic(Code.MALFORMED, message, line=0, hint=hint))


def _block(
    call: Call, kind: Kind, old: str = "", new: str = "", *, inline: bool = False, everywhere: bool = False,
    hints: Hints = NO_HINTS, destination: str | None = None, path: str | None = None,
) -> Block:  # fmt: skip
    path = path or call.path
    raw = json.dumps(call.given, ensure_ascii=False)
    return Block(
        "tool-call", kind, normalise(path) if path is not None else None, old, new, raw=raw, inline=inline,
        replace_all=everywhere, hints=hints, destination=destination,
    )  # fmt: skip


def _off(value: object) -> bool:
    return value is None or value is False or value == "false"
