"""Turns one call, its name and fields, into the edit that it states. Every front end (JSON, tags, Python) ends here.

An edit is one of these, whatever its fields are called (`names` has the table)::

    {path, old, new [, replace_all]} | {path, patch} | {patch}
    {path, content}                  with no other field, or in a call of a known name

or names its place (`places`).

Only a call whose whole name is known deletes, moves or writes a file, and only if no other field limits it to a part of
the file. A call that seems to edit and has none of these forms is malformed; an object that is no call is no edit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from dovetail.formats import faults
from dovetail.formats.calls import names
from dovetail.formats.calls.names import CallEffect, effect_of, squashed, words
from dovetail.formats.diffs.signs import PatchKind, begins_patch, patch_kind
from dovetail.formats.fences import unfenced
from dovetail.formats.paths.forms import normalise
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, ShellSuggestion
from dovetail.model.codes import Code
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.text import closed, sent_to_lf
from dovetail.text.pattern import pattern

_MORE_CONTENT: Mapping[CallEffect | None, tuple[str, ...]] = {
    CallEffect.WRITE: ("newcontent",),
    CallEffect.CREATE: ("newcontent",),
    CallEffect.SKETCH: ("changes",),
}
"""Fields that hold a file's text only in calls with this effect."""
_NAMED = pattern(r"\w+")
_LEAVES_OUT = pattern(r"(?:\.{3}|…) *existing\b|(?m:^[ \t]*\{\{ ?\.{3} ?\}\}[ \t]*$)")
_UNKNOWN_HINT = "Send path, old_string and new_string; or the whole file, as write_file with path and content."


class PatchText(NamedTuple):
    """Text in another format inside a field, and the path beside it.

    in_code: a program hands it to a tool, with paths relative to `folder`.
    cut: why the provider ended the answer early, at the end of this text; None if it did not.
    """

    text: str
    path: str | None
    in_code: bool = False
    folder: str = ""
    cut: str | None = None


class ReplyText(NamedTuple):
    """Text beside a model's calls, read as a reply of its own. cut: why the provider ended it early, or None."""

    text: str
    cut: str | None = None


Item = Block | PatchText | ReplyText | ShellSuggestion


@dataclass(frozen=True)
class Call:
    """One object that may state an edit.

    name: the called tool's name; None for an object that is no call.
    raw_fields: its fields under their own names; `fields` has them under squashed names.
    around: the path that an enclosing object names.
    strange: it stands in an object of no known shape, which may be any data.
    """

    name: str | None
    raw_fields: Mapping[str, object]
    around: str | None = None
    strange: bool = False

    @cached_property
    def fields(self) -> Mapping[str, object]:
        """The fields under their squashed names."""
        return {squashed(key): value for key, value in self.raw_fields.items()}

    @cached_property
    def own_path(self) -> str | None:
        """The path that the object itself names, or None."""
        return self.text(names.PATH)

    @property
    def path(self) -> str | None:
        """Its own path, else that of an enclosing object, else None."""
        return self.own_path or self.around

    @cached_property
    def tool(self) -> str | None:
        """The name that tells what it does: an editor's command (`create`) if there is one, else the call's name."""
        # `str_replace_based_edit_tool` with `"command": "create"`; a shell's `ls -l` is not one word.
        command = self.fields.get("command")
        return command if isinstance(command, str) and _NAMED.fullmatch(command) else self.name

    def text(self, fields: tuple[str, ...]) -> str | None:
        r"""Return the text of the first of these fields that holds one, with LF line ends, or None."""
        for name in fields:
            if isinstance(found := self.fields.get(name), str):
                return sent_to_lf(found) if "\r" in found else found
        return None

    def number(self, fields: tuple[str, ...]) -> int | None:
        """Return the first of these fields that holds a number from 1 on, as an `int`, or None."""
        for name in fields:
            value = self.fields.get(name)
            # `True` is an int to Python, and no count.
            if value is not None and not isinstance(value, bool):
                text = str(value)
                if text.isdecimal() and len(text) < 10 and int(text):
                    return int(text)
        return None

    def only(self, *fields: str) -> bool:
        """Return whether each field is one of `fields`, changes nothing, or is off (None or false)."""
        # An unknown field may mean "only lines 3 to 9", so a call with one deletes and moves nothing, and an object
        # without a name writes nothing.
        known = {*fields, *names.REMARKS, "command", "overwrite"}
        return all(key in known or _off(value) for key, value in self.fields.items())

    def is_partial(self) -> bool:
        """Return whether a field says that only a part of the file is meant, or that the text is encoded."""
        if str(self.fields.get("mode", "")).lower() in ("a", "append", "insert"):
            return True
        if str(self.fields.get("encoding", "")).lower() == "base64":
            return True
        return any(
            names.PART_WORDS.intersection(words(key)) and squashed(key) not in names.WHOLE_ANYWAY and not _off(value)
            for key, value in self.raw_fields.items()
        )


def holds_file(tool: str, field: str) -> bool:
    """Return whether a field of this name holds a file's whole text in a call of `tool`."""
    return squashed(field) in (*names.CALLED_CONTENT, *_MORE_CONTENT.get(effect_of(tool), ()))


def edit_of(call: Call) -> Item | None:
    """Return the edit of an object without calls inside, a malformed block if it only seems to be one, or None."""
    if any(isinstance(value, dict) and name in names.PATH for name, value in call.fields.items()):
        return None  # a schema, which says what a path is
    effect = effect_of(call.tool)
    # Old and new texts first, as they are the most specific: a call may have a `content` or `diff` beside them.
    item = _replacement(call, effect) or _patch(call, effect) or _file(call, effect)
    if call.strange and effect is None:  # any data may hold a path and a text
        quotes = isinstance(item, Block) and item.path is not None and item.search
        return item if quotes or isinstance(item, PatchText | ShellSuggestion) else None
    if item is None and _seems_to_edit(call, effect):
        what = "The edit" if call.tool is None else f"The call `{call.tool[:60]}`"
        return malformed(call, f"{what} does not say a change that Dovetail knows.", _UNKNOWN_HINT)
    return item


def _replacement(call: Call, effect: CallEffect | None) -> Block | None:
    """Return the edit that replaces one text by another, or None if the call lacks one of them, or renames a symbol."""
    old, new = call.text(names.OLD), call.text(names.NEW)
    if call.path is None and call.fields.keys().isdisjoint(names.SURE):
        return None  # such fields may be any data's
    # Renaming a symbol touches each place of its use, of which the call names none.
    if old is None or effect in (CallEffect.DELETE, CallEffect.RENAME) or (call.tool and "rename" in words(call.tool)):
        return None
    if (
        new is None
        # `str_replace` without a new text deletes the old one, unless a new one is there that is no text.
        and effect is CallEffect.REPLACE
        and call.path is not None
        and not any(map(call.fields.get, names.NEW))
    ):
        new = ""
    if new is None:
        return None
    patterns = [key for key in names.PATTERNS if key in call.fields and not _off(call.fields[key])]
    if patterns or call.fields.get("mode") == "regex":
        return malformed(
            call, "The call looks for a pattern.", "Write the text to be replaced as it stands in the file."
        )
    count, line = call.number(names.COUNTS), call.number(names.LINES)
    # A flag decides, be it false; a count alone means all places only if it is more than one.
    flags = [call.fields[key] for key in names.EVERYWHERE if key in call.fields]
    everywhere = any(value in (True, "true", "True") for value in flags) if flags else (count or 0) > 1
    hints = Hints(line=line) if line is not None else NO_HINTS
    times = count if everywhere else None
    return block_of(call, Kind.EDIT, old, new, hints=hints, inline=bool(old), replace_all=everywhere, times=times)


def _patch(call: Call, effect: CallEffect | None) -> PatchText | None:
    """Return the patch that a field holds, or None."""
    patch = call.text(names.PATCH)
    # Hunks alone, and the path in a field beside them: they become a patch of one section, for the patch's reader.
    if patch is not None and call.own_path is not None and begins_patch(patch) is PatchKind.HUNKS:
        verb, target = "Add" if effect is CallEffect.CREATE else "Update", call.text(names.MOVES)
        move = f"*** Move to: {target}\n" if target else ""
        return PatchText(f"*** {verb} File: {call.own_path}\n{move}{patch}", None)
    if patch is not None and patch_kind(patch) is not None:
        return PatchText(patch, call.path)
    content = call.text(names.CONTENT) if effect is None and call.name is not None and call.path is not None else None
    if (
        content is not None and begins_patch(content) is PatchKind.BLOCKS
    ):  # a tool named for its blocks: search_replace, edit_blocks
        return PatchText(content, call.path)
    return None


def _file(call: Call, effect: CallEffect | None) -> Block | None:
    """Return the edit of a whole file that a call of a known name states, or an object with only a path and a content;
    else None."""
    path = call.own_path
    if effect is CallEffect.RENAME:
        return _rename(call)
    if path is None:
        return None
    if effect is CallEffect.DELETE:
        return block_of(call, Kind.DELETE) if call.only(*names.PATH) else None
    if effect is None and call.name is None and "command" not in call.fields and call.only(*names.PATH, *names.CONTENT):
        content = call.text(names.CONTENT)
        return block_of(call, Kind.REWRITE, new=content) if content is not None else None
    content = call.text((*names.CALLED_CONTENT, *_MORE_CONTENT.get(effect, ())))
    if effect not in (CallEffect.WRITE, CallEffect.CREATE, CallEffect.SKETCH) or content is None or call.is_partial():
        return None
    writes = effect is CallEffect.WRITE and call.fields.get("overwrite") is not False
    if effect is CallEffect.SKETCH:
        # Without a mark for omitted lines the text may be the changed piece alone: then it may only make a file, as
        # writing it would cut an existing one down.
        writes = _LEAVES_OUT.search(content) is not None or call.fields.get("mode") in ("write", "overwrite")
    text = unfenced(content, path)
    text = closed(text) if any(call.fields.get(key) is True for key in names.LAST_NEWLINES) else text
    return block_of(call, Kind.REWRITE if writes else Kind.CREATE, new=text)


def _rename(call: Call) -> Block | None:
    """Return the move of a file, or None. `new_name` is a path only if the old path has no folder, or it has one."""
    source = call.text(names.SOURCE) or call.text(tuple(f for f in names.PATH if f not in names.TARGET))
    # All but `new_name`, then that alone.
    target, name = call.text(names.TARGET[:-1]), call.text(names.TARGET[-1:])
    if target is None and name is not None and source is not None and ("/" in name or "/" not in normalise(source)):
        target = name
    if source is None or target is None or not call.only(*names.PATH, *names.SOURCE, *names.TARGET):
        return None
    return replace(block_of(call, Kind.RENAME), path=normalise(source), destination=normalise(target))


def _seems_to_edit(call: Call, effect: CallEffect | None) -> bool:
    """Return whether an object that is no edit must be reported: a call that seems to edit, or half an edit."""
    half = any(key in names.SURE and not isinstance(value, Mapping) for key, value in call.fields.items())
    if call.tool is None:
        return half and call.path is not None
    if names.reads(call.tool):
        return False
    if effect is not None:
        return True
    if effect_of(call.tool.removesuffix("s")) is not None:  # delete_files, with a list of paths
        return any(isinstance(call.fields.get(f"{key}s"), list) for key in names.PATH)
    if call.name is None:
        return half and call.path is not None
    has_text = half or call.text(names.CALLED_CONTENT) is not None
    return call.own_path is not None and (has_text or names.may_edit(call.tool))


def malformed(call: Call, message: str, hint: str) -> Block:
    """Return the call as a block that is never applied; the caller sets its line."""
    return faults.spoil(block_of(call, Kind.EDIT), Diagnostic(Code.MALFORMED, message, line=0, hint=hint))


def block_of(
    call: Call, kind: Kind, old: str = "", new: str = "", *, hints: Hints = NO_HINTS, inline: bool = False,
    replace_all: bool = False, times: int | None = None,
) -> Block:  # fmt: skip
    """Return a block for the call's path; its line is set later."""
    path, raw = normalise(call.path) if call.path is not None else None, json.dumps(call.raw_fields, ensure_ascii=False)
    return Block(
        "tool-call", kind, path, old, new, raw, hints=hints, inline=inline, replace_all=replace_all, times=times
    )


def _off(value: object) -> bool:
    return value is None or value is False or value in ("false", "False")
