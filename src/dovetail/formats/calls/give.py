"""Passes what calls contain to the sink: blocks, patches and replies inside them, and commands to be listed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.around import Place
from dovetail.formats.calls import json_text
from dovetail.formats.calls.call import Item, PatchText, ReplyText
from dovetail.formats.calls.names import may_edit
from dovetail.formats.calls.values import unread_change
from dovetail.formats.diffs.signs import patch_kind
from dovetail.formats.faults import Fault
from dovetail.formats.paths.forms import normalise
from dovetail.formats.sink import Sink
from dovetail.model.blocks import Block, ShellSuggestion
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.scanner import Scanner

# Formats that a patch field may hold. No calls: a patch may quote one.
_PATCHES = frozenset(("angle", "dash", "udiff", "apply-patch", "tags"))
_ENDS = pattern(r"(?:^|\n)[ \t]*(?:`{3,}|~{3,}|\*{3} ?End Patch|[>+]{5,9}[ \w]*|»{3}[ \w]*|</[\w:-]+>)\s*$")
"""A last line that ends an edit or the fence around it."""
_NO_BLOCKS = Fault(
    "The call's text looks like a patch and holds no edit.", "Send the change as path, old_string and new_string."
)


def give_all(scanner: Scanner, found: Iterable[tuple[Item, int]], name: str = "tool-call") -> None:
    """Pass items to the sink, each with its line of the reply; `name` is the format that they were read in."""
    for item, line in found:
        match item:
            case Block():
                kind = name if item.target is None else item.format
                if (kind, line) != (item.format, item.line) or item.malformed is not None:
                    fault = replace(item.malformed, line=line) if item.malformed is not None else None
                    item = replace(item, format=kind, line=line, malformed=fault)
                nameless = item.path is None and item.malformed is None
                scanner.sink.whole(item, faults.no_path(line, name) if nameless else None)
            case ShellSuggestion():
                scanner.sink.suggest(replace(item, line=line, origin="tool-call"))
            case PatchText(text, path, in_code, folder, cut):
                inner = Sink()
                scanner.inside(text, line, Place(path or None), machines=_PATCHES, sink=inner)
                _spoil_last(inner, text, line, cut)
                for at, block in enumerate(inner.blocks) if folder else ():  # the patch is applied there
                    names = (
                        name and normalise(posixpath.join(folder, name)) for name in (block.path, block.destination)
                    )
                    inner.blocks[at] = replace(block, path=next(names), destination=next(names))
                _give_parsed(scanner, inner, line, "code-mode" if in_code else None)
                if not inner.blocks and patch_kind(text) is not None:
                    scanner.spoiled("tool-call", path, text, line, _NO_BLOCKS.at(line))
            case ReplyText(text, cut):
                inner = Sink()
                scanner.inside(text, line, machines=scanner.wanted, sink=inner, inner=False)
                inner.settle_drafts()
                _spoil_last(inner, text, line, cut)
                if cut is not None:
                    scanner.sink.diagnose(faults.CUT_ANSWER.at(line, reason=cut))
                _give_parsed(scanner, inner, line)


def _spoil_last(inner: Sink, text: str, line: int, cut: str | None) -> None:
    """Mark the edit that a text ends with as cut off, if the provider ended the text early and no end line follows."""
    if cut is None or not inner.blocks or _ENDS.search(text) is not None:
        return
    last = inner.blocks[-1]
    # The first line behind the last block, counted in `text`.
    behind = last.line - line + last.raw.rstrip("\n").count("\n") + 1
    if not "".join(text.split("\n")[behind:]).strip():
        inner.blocks[-1] = faults.spoil(last, last.malformed or faults.CUT_BY_PROVIDER.at(last.line, reason=cut))


def _give_parsed(scanner: Scanner, inner: Sink, line: int, name: str | None = None) -> None:
    """Pass all that was read in a value's text to the sink, at the value's line; blocks in the format `name`, or their
    own."""
    parsed = inner.parsed
    for block in parsed.blocks:
        fault = block.malformed and replace(block.malformed, line=line)
        scanner.sink.whole(replace(block, format=name or block.format, line=line, malformed=fault))
    of_blocks = [block.malformed for block in parsed.blocks]
    for diagnostic in parsed.diagnostics:
        # A malformed block brings its own diagnostic with it when the sink takes it.
        if diagnostic not in of_blocks:
            scanner.sink.diagnose(replace(diagnostic, line=line))
    for block in () if scanner.sink.draft else inner.unread:
        fault = block.malformed and replace(block.malformed, line=line)
        scanner.sink.unread.append(replace(block, line=line, malformed=fault))
    for suggestion in parsed.shell_suggestions:
        scanner.sink.suggest(replace(suggestion, line=line))
    for action in parsed.database_actions:
        scanner.sink.database(replace(action, line=line))


def note_unread(scanner: Scanner, value: object, line: int) -> None:
    """Note a value that gave no edit as unread, if it seems to hold a change."""
    if scanner.notes.enabled and (found := unread_change(value)) is not None:
        path = normalise(found.path) if found.path is not None else None
        scanner.notes.take(faults.UNREAD, line, path, found.text, "tool-call", what=found.what)


def give_broken(scanner: Scanner, text: str, line: int, tool: str | None = None) -> bool:
    """Report invalid JSON as a malformed block if it, or the call of `tool` that it belongs to, seems to be an edit;
    return whether it does."""
    found = json_text.names_edit(text) or (tool is not None and may_edit(tool))
    if found:
        scanner.spoiled("tool-call", json_text.path_in(text), text, line, json_text.no_json(text, line))
    return found
