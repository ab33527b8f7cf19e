r"""Calls that name a place in the file and do not quote it: the formats `line-call`, `symbol-call`, `notebook-call`.

Grammar (fields as in `names`)::

    line     = {path, insert_line, new}                      the new lines go behind that line; 0 is the file's start
             | {path, new}                                   in a call that appends, at the file's end
             | {path, first [, last], new}                   in a call of a known tool, or beside an `op`
             | {op, pos [, end], lines} | {op: {first, last, new}} | {loc: "append" | "prepend" | {op: place}, lines}
    place    = number | number "#" hash | number ":" hash
    symbol   = {path, name_path, body}                           of the tools of `SYMBOL_ACTS`
    notebook = {path, cell_id | cell_number, new_source, edit_mode}
    patch    = ("[" path "#" tag "]" (head row*)*)*              row: "+" and a line of the new text
    head     = "SWAP" n [".=" m] ":" | "DEL" n [".=" m] | "INS.PRE" n ":" | "INS.POST" n ":" | "INS.HEAD:" | "INS.TAIL:"

Lines count from 1. Some tools that call the file `relative_path` count from 0, so calls with that field and line
numbers are malformed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, cast

from dovetail.formats.calls import names
from dovetail.formats.calls.call import Call, block_of, malformed
from dovetail.formats.calls.names import CallEffect, effect_of, squashed
from dovetail.model.blocks import Block, CellTarget, Kind, LineTarget, SymbolTarget, Target
from dovetail.model.text import closed, join_lines, sent_to_lf, split_lines
from dovetail.text.pattern import pattern

# `12`, `"12"`, `12#VK`, `12:ab`, and a line as an editor shows it: `>> 12:ab| x = 1`
_REFERENCE = pattern(r"[>+\- ]*(\d{1,9})(?: ?[#:] ?([A-Za-z0-9]{2,8}))?(?:[|:│].*)?\s*", re.DOTALL)
# `[src/a.py#1f3c]` or `¶src/a.py#1f3c`
_SECTION = pattern(r"(?:\[(?P<bracketed>[^\[\]#\n]+)(?:#\w{1,8})?\]|¶(?P<pilcrow>[^#\n]+)(?:#\w{1,8})?)[ \t]*")
# `SWAP 3.=5:`, `SWAP 3-5`, `DEL 7`, `INS.PRE 4:`, `INS.POST 4:`, `INS.HEAD:`, `INS.TAIL:`
_HEAD = pattern(
    r"(?P<verb>SWAP|DEL|INS\.PRE|INS\.POST) (?P<first>\d{1,9})(?:[ ]?(?:\.=|\.\.|-)[ ]?(?P<last>\d{1,9}))?:?[ \t]*"
    r"|(?P<edge>INS\.HEAD|INS\.TAIL):?[ \t]*"
)
_IS_PATCH = pattern(rf"(?m)^{_SECTION.pattern}\n+{_HEAD.pattern}$")
_SERVERS = pattern(r"__|[.:/]")
"""Between a server's name and its tool's."""
_OPERATIONS = ("op", "operation", "type", "action", "command", "mode")
_WHOLE = (CallEffect.WRITE, CallEffect.SKETCH, CallEffect.REPLACE)
"""Effects of calls that replace lines if they also name lines."""
_UNKNOWN_LINE = "The call does not say which lines it means."
_SAY_LINES = "Send path, old_string and new_string; or start_line, end_line and the new lines."


class _NamedPlace(NamedTuple):
    line: int
    hash: str | None


def place_of(call: Call) -> Block | None:
    """Return the edit of a call that names its place, or None if it names none."""
    tool = squashed(_SERVERS.split(call.tool or "")[-1])
    if tool in names.NOTEBOOK_TOOLS and call.path is not None:
        return _notebook(call)
    if (act := names.SYMBOL_ACTS.get(tool)) is not None:
        return _symbol(call, act)
    # A call that quotes an old text needs no line.
    return _line(call) if call.path is not None and call.text(names.OLD) is None else None


def patch_of(call: Call) -> list[Block]:
    """Return the edits of a patch by line numbers in one of a call's fields."""
    text = call.text((*names.PATCH, "_input"))
    return list(_sections(call, text)) if text is not None and _IS_PATCH.search(text) is not None else []


def _named(call: Call, kind: str, target: Target, new: str = "") -> Block:
    return replace(block_of(call, Kind.EDIT, new=new), format=kind, target=target)


def _line(call: Call) -> Block | None:
    """Return an edit by line, known by its tool's name, its operation, or the field that its operation is; or None."""
    fields = call.fields
    act = names.LINE_ACTS.get(squashed(call.tool or "").rpartition(".")[2].rpartition("/")[2])
    at_end = squashed(call.tool or "") in names.APPENDS
    # `replace` and `edit` are edits by line only if something else says lines; `edit_lines` says so itself.
    by_name = act is not None and ("line" in squashed(call.tool or "") or at_end)
    for word in (fields.get(key) for key in _OPERATIONS):
        if act is None and isinstance(word, str):
            act = names.LINE_ACTS.get(squashed(word))
            by_name = act is not None and "line" in squashed(word)
    # `{"loc": {"after": "5#VK"}, …}` or `{"set": {"first": 5, …}}`: the operation is a field's name.
    inner = fields.get("loc", fields)
    if isinstance(inner, str) and inner in ("append", "prepend"):
        act, by_name = names.LINE_ACTS[inner], True
    elif isinstance(inner, Mapping):
        flat = [(names.LINE_ACTS[squashed(key)], value) for key, value in inner.items()
                if squashed(key) in names.LINE_ACTS and isinstance(value, Mapping | str)]  # fmt: skip
        if len(flat) == 1 and ("loc" in fields or isinstance(flat[0][1], Mapping)):
            act, value = flat[0]
            inside = value if isinstance(value, Mapping) else {"pos": value}
            fields = {**fields, **{squashed(key): one for key, one in inside.items()}}
    first, last = _place(fields, names.FIRST_LINES), _place(fields, names.LAST_LINES)
    hashed = first is not None and first.hash is not None
    # `start_line` and `end_line` beside a text may be a search's; with a field or a tool that only edits have they are
    # an edit's.
    edits = not fields.keys().isdisjoint(names.SURE) or effect_of(call.tool) in _WHOLE
    adds = act in ("after", "before") and (first is not None or isinstance(fields.get("lines"), list))
    # `insert_line` counts the lines above the new text, 0 for the file's start, so the action is always "after".
    if (below := _place(fields, ("insertline",))) is not None:
        act, first, by_name = "after", below, True
    elif act in (None, "replace") and edits and first is not None and last is not None:
        act, by_name = "replace", True
    elif not (by_name or hashed or adds):
        return None
    new = _lines_in(fields)
    # Reported only if the call surely edits lines; any other is passed on to `edit_of`.
    if act is None or (new is None and act != "delete"):
        return malformed(call, _UNKNOWN_LINE, _SAY_LINES) if (by_name and not at_end) or hashed else None
    if "relativepath" in fields or (first is not None and first.line == 0 and act != "after"):
        return malformed(call, "Nothing says whether the call counts lines from 0 or from 1.", _SAY_LINES)
    target = _target(act, first, last)
    if target is None:
        return malformed(call, _UNKNOWN_LINE, _SAY_LINES)
    return _named(call, "line-call", target, "" if act == "delete" else new or "")


def _target(act: str, first: _NamedPlace | None, last: _NamedPlace | None) -> LineTarget | None:
    """Return the range of lines that an action replaces or inserts at, or None if it lacks a line that it needs.

    A range with `last` = `first` - 1 is empty: the new lines go before `first`. `first` is None at the file's end.
    """
    places = dict.fromkeys(place for place in (first, last) if place is not None)
    hashes = tuple((place.line, place.hash) for place in places if place.hash is not None)
    if act in ("after", "before"):
        if first is None or first.line < 0:
            return LineTarget(None, 0) if act == "after" else LineTarget(1, 0)
        # Behind line 5 is before line 6.
        line = first.line + (act == "after")
        return LineTarget(line, line - 1, hashes)
    if first is None:
        return None
    return LineTarget(first.line, last.line if last is not None else first.line, hashes)


def _place(fields: Mapping[str, object], keys: tuple[str, ...]) -> _NamedPlace | None:
    """Return the line that the first of these fields names, with its hash, or None."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return _NamedPlace(value, None)
        if isinstance(value, str) and (found := _REFERENCE.fullmatch(value)) is not None:
            return _NamedPlace(int(found[1]), found[2])
    return None


def _lines_in(fields: Mapping[str, object]) -> str | None:
    """Return the new lines, closed by LF, from a text or a list of lines; "" for a null field, None for no field."""
    for key in names.NEW_LINES:
        value = fields.get(key)
        if isinstance(value, str):
            return closed(sent_to_lf(value))
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            return "".join(closed(sent_to_lf(line)) if line else "\n" for line in value)
    return "" if any(key in fields and fields[key] is None for key in names.NEW_LINES) else None


def _symbol(call: Call, act: str) -> Block:
    name, body = call.text(names.SYMBOLS), call.text(names.SYMBOL_BODIES)
    if call.path is None or not name or body is None:
        hint = "Send relative_path, name_path and body; or path, old_string and new_string."
        return malformed(call, "The call does not say which definition of which file it means.", hint)
    action = cast("Literal['replace', 'before', 'after']", act)
    return _named(call, "symbol-call", SymbolTarget(name, action), closed(body))


def _notebook(call: Call) -> Block:
    mode = names.CELL_ACTS.get((call.text(names.CELL_MODES) or "replace").lower())
    id_, number = call.text(names.CELL_IDS), _place(call.fields, names.CELL_NUMBERS)
    # The new source, whole lines; a list may hold it line by line.
    source = call.text(names.CELL_SOURCES)
    listed = next((v for key in names.CELL_SOURCES if isinstance(v := call.fields.get(key), list)), None)
    if source is None and listed is not None and all(isinstance(line, str) for line in listed):
        source = join_lines([line for piece in listed for line in split_lines(piece) or [""]])
    source = closed(source) if source is not None else None
    edge = {"top": 0, "bottom": -1}.get((id_ or "").lower())
    if mode is None or (source is None and mode != "delete") or not (id_ or number or mode == "insert"):
        hint = "Send the cell's id, its new source, and edit_mode replace, insert or delete."
        return malformed(call, "The call does not say which cell changes, or how.", hint)
    cell: str | int = edge if edge is not None else id_ or (number.line if number is not None else 0)
    action: Literal["replace", "delete", "before", "after"]
    if mode != "insert":
        action = "delete" if mode == "delete" else "replace"
    else:
        action = "after" if id_ and edge != 0 else "before"  # a new cell takes a number, or follows an id
    return _named(call, "notebook-call", CellTarget(cell, action, call.text(names.CELL_LANGUAGES)), source or "")


def _sections(call: Call, text: str) -> Iterator[Block]:
    """Yield the edits of a patch by line numbers; all edits of one file count lines in the same text."""
    path: str | None = None
    head: re.Match[str] | None = None
    rows: list[str] = []
    index = 0

    def edit() -> Iterator[Block]:
        nonlocal index
        if head is None:
            return
        inner = replace(call, raw_fields={"path": path or "", "patch": "".join(f"{row}\n" for row in (head[0], *rows))})
        last = _NamedPlace(int(head["last"]), None) if head["last"] else None
        first = _NamedPlace(int(head["first"]), None) if head["first"] else None
        act = {"SWAP": "replace", "DEL": "delete", "INS.PRE": "before", "INS.POST": "after", "INS.HEAD": "before"}
        target = _target(act.get(head["verb"] or head["edge"], "after"), first, last)
        # A row without its plus may be the patch's next head, misspelt: to write it would put that into the file.
        unmarked = next((row for row in rows if row and not row.startswith("+")), None)
        if unmarked is not None or target is None:
            yield malformed(
                inner, f"The patch has a row without a plus: {unmarked}", "Begin each new line with a plus."
            )
            return
        new = "".join(f"{row.removeprefix('+')}\n" for row in rows if row)
        yield _named(inner, "line-call", replace(target, index=index), new)
        index += 1

    for line in text.split("\n"):
        section, found = _SECTION.fullmatch(line), _HEAD.fullmatch(line.rstrip())
        if section is not None or found is not None:
            yield from edit()
            head, rows = found, []
            if section is not None:
                path, index = section["bracketed"] or section["pilcrow"], 0
        elif head is not None:
            rows.append(line)
        elif line.strip():
            yield malformed(call, f"The patch has a line outside of its edits: {line[:60]}", _SAY_LINES)
    yield from edit()
