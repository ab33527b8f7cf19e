"""Edits that name their place instead of quoting it: lines by number, definitions by name, cells of a notebook.

Each becomes an edit that quotes, with as many of the lines above it as make the quote unique in the text that the
model saw; from there on it is landed, merged and checked like any other. A line number is trusted if that text is
known, or if the hashes in the call fit the lines; the first line and the end of a file need no proof. Anything else
fails as `unproven-place` (decision 16).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.match import certain
from dovetail.model.blocks import Block, CellTarget, Hints, LineTarget, Reading, SymbolTarget
from dovetail.model.codes import Code
from dovetail.model.language import Definition
from dovetail.model.text import Edit, IndexedText, apply_edits, join_lines, split_lines
from dovetail.plan.request import EditRequest, Rejected, Unchanged
from dovetail.text.comments import is_comment
from dovetail.text.line import closes, has_words, indent_of
from dovetail.text.line_hashes import fits
from dovetail.text.notebook import Cell, Notebook

if TYPE_CHECKING:
    from dovetail.plan.locator import Locator
    from dovetail.plan.overlay import OverlayFile

_QUOTE = "Quote the lines that are to change, as old_string and new_string."
_MOST_NAMES = 12  # names that a message lists
_DECORATOR = ("@", "#[", "[")
_WORD = re.compile(r"\w+")
_COUNTED_CELL = re.compile(r"cell-(\d{1,6})")


def targeted(request: EditRequest, file: OverlayFile, locator: Locator) -> EditRequest | Unchanged | Rejected:
    """Return the request as one that quotes the place that its block names; `Unchanged` if the new text is there
    already.

    A block that names no place may quote a cell of the notebook `file` as it is shown.
    """
    block, text = request.block, file.outdated_text or file.text
    if block.target is None:
        quoted = _quoted_cell(block, text) if text is not None else None
        return replace(request, block=quoted) if quoted is not None else request
    if text is None:
        return Rejected(Code.FILE_MISSING, f"`{file.path}` does not exist.", "Name a file that exists.")
    match block.target:
        # a blank file has no line to quote; text put at its start or end is all of it
        case LineTarget() as target if not text.strip() and target.first in (1, None) and not target.last:
            return replace(request, block=replace(block, target=None))
        case LineTarget() as target:
            found = _lines(request, target, text, file, locator)
        case SymbolTarget() as target:
            found = _symbol(block, target, IndexedText(text), file.path, locator)
        case CellTarget() as target:
            found = _cell(block, target, text, file)
    return replace(request, block=found) if isinstance(found, Block) else found


def _quoting(block: Block, text: IndexedText, top: int, bottom: int, new: Sequence[str]) -> Block | Unchanged:
    """Return the block as an edit that replaces lines `top` to `bottom` (exclusive) by new ones.

    It quotes further lines, those above first, until the quote has words and is unique in the text.
    """
    lines = text.lines
    # an insertion whose lines stand right below its place, or right above it, was made already
    for start in (top, top - len(new)) if top == bottom and any(map(has_words, new)) else ():
        if start >= 0 and list(lines[start : start + len(new)]) == list(new):
            return Unchanged(text.span(start, start + len(new)))
    whole = f"\n{join_lines(lines)}"
    first, last, more = top, bottom, 0
    while (first, last) != (0, len(lines)):
        search = "".join(f"{line}\n" for line in lines[first:last])
        if any(map(has_words, lines[first:last])) and times(whole, search) == 1:
            break
        # 1, 2, 4, … more lines: finds a unique quote in few attempts, each of which reads the text
        more = more * 2 or 1
        first, last = (max(0, first - more), last) if first else (first, min(len(lines), last + more))
    search = "".join(f"{line}\n" for line in lines[first:last])
    after = "".join(f"{line}\n" for line in (*lines[first:top], *new, *lines[bottom:last]))
    return replace(block, search=search, replace=after, readings=(Reading(search, after),), hints=Hints(line=first + 1))


def times(whole: str, search: str) -> int:
    """Count whole lines in a text that begins with a line end: 0, 1, or 2 for more often.

    Two places may share the line end between them; `str.count` would count only the first.
    """
    first = whole.find(f"\n{search}")
    if first < 0:
        return 0
    return 1 if whole.find(f"\n{search}", first + 1) < 0 else 2


def _lines(
    request: EditRequest, target: LineTarget, text: str, file: OverlayFile, locator: Locator
) -> Block | Unchanged | Rejected:
    lines, path = IndexedText(text).lines, file.path
    first = target.first if target.first is not None else len(lines) + 1
    last = target.last if target.first is not None else len(lines)
    if not 0 < first <= len(lines) + 1 or not first - 1 <= last <= len(lines):
        reason = f"The edit names line {max(first, last)}, and the last line of `{path}` is {len(lines)}."
        return Rejected(Code.UNPROVEN_PLACE, reason, _QUOTE)
    wrong = next((n for n, hash_ in target.hashes if n > len(lines) or not fits(hash_, lines[n - 1], n)), None)
    if wrong is not None:
        now = f": `{lines[wrong - 1].strip()}`" if wrong <= len(lines) else ", which ends above it"
        reason = f"The hash that the call has for line {wrong} is not that of line {wrong} in `{path}`{now}."
        return Rejected(Code.UNPROVEN_PLACE, reason, f"Read the file as it is now. {_QUOTE}")
    # above line 1 or behind the last line is the same place in any text; all else has to be proven
    if target.first not in (1, None) or last >= first:
        # the hash of a brace or a blank line fits in many places and proves nothing
        hashed = any(has_words(lines[n - 1]) for n, _ in target.hashes)
        if not hashed and file.seen is None:
            where = f"Only a line's number says where in `{path}` the edit belongs, and nobody knows"
            return Rejected(Code.UNPROVEN_PLACE, f"{where} which text the model counted in.", _QUOTE)
        # the edits of one call count in the same text: the `index` ones before this one move nothing for it
        earlier = [one for one in file.waiting if one.n < request.n - target.index]
        if not hashed and (mover := _mover(earlier, first, text, locator)) is not None:
            reason = f"Edit {mover.n} moves lines above line {first}, and the call may count before it or behind it."
            return Rejected(
                Code.UNPROVEN_PLACE, reason, f"Send edits by line from the file's end to its start. {_QUOTE}"
            )
    return _quoting(request.block, IndexedText(text), first - 1, last, split_lines(request.block.replace))


def _mover(earlier: Sequence[EditRequest], line: int, text: str, locator: Locator) -> EditRequest | None:
    """Return the first of the earlier edits that may change how many lines are above a line."""
    for request in earlier:
        block = request.block
        # the line count stays: no line below it moves
        if block.search.count("\n") == block.replace.count("\n") and request.behind is None:
            continue
        place = certain(locator.find(locator.document(text), request).outcome) if request.behind is None else None
        if request.behind is None and (place is None or locator.document(text).line_at(place.start) + 1 < line):
            return request
    return None


def _symbol(
    block: Block, target: SymbolTarget, text: IndexedText, path: str, locator: Locator
) -> Block | Unchanged | Rejected:
    known = locator.language.definitions(path, text.raw)
    if known is None:
        reason = f"The edit names `{target.name}`, and Dovetail cannot read the definitions of `{path}`."
        return Rejected(Code.UNPROVEN_PLACE, reason, _QUOTE)
    found = _named(target.name, known)
    if len(found) != 1:
        if found:
            places = ", ".join(f"{d.qualified.replace('.', '/')} in line {d.first_line + 1}" for d in found)
            reason = f"`{path}` has several definitions of that name: {places}."
            return Rejected(Code.AMBIGUOUS, reason, "Write the whole path of the name, as Class/method.")
        names = dict.fromkeys(f"`{d.qualified.replace('.', '/')}`" for d in known if d.kind != "other")
        shown = f" It has {', '.join(list(names)[:_MOST_NAMES])}." if names else ""
        reason = f"`{path}` has no definition `{target.name}` of a function or a class.{shown}"
        return Rejected(Code.NO_MATCH, reason, _QUOTE)
    one, lines = found[0], text.lines
    indent = indent_of(lines[one.first_line])
    if target.action == "replace":
        top, bottom = one.first_line, one.last_line + 1
        new = split_lines(block.replace.strip("\n"))
        if not new:
            return Rejected(Code.MALFORMED, f"The edit has no text for `{target.name}`.", "Send its whole definition.")
        # the new text leaves decorators out, as language servers do, and does not ask for their removal
        if lines[top].lstrip().startswith(_DECORATOR) and not new[0].lstrip().startswith(_DECORATOR):
            top = _below_decorators(lines, one)
        # Of `export const run = () => 0;` a language server takes `run = () => 0` for the definition: a new text that
        # begins with `run` or `const run` keeps what stands before that, and the semicolon at the end.
        head = _kept_head(lines[top], new[0], one.name)
        if head and lines[bottom - 1].endswith(";") and not new[-1].endswith(";"):
            new[-1] += ";"
        inner = next((indent_of(line) for line in lines[top + 1 : bottom] if line.strip()), indent)
        new = _at_depth(new, indent, inner)
        new[0] = indent + head + new[0].lstrip()
        return _quoting(block, text, top, bottom, new)
    at = one.last_line + 1
    if target.action == "before":
        at = one.first_line
        # the comment right above belongs to the definition, so new lines go above that
        while at and is_comment(lines[at - 1]) and indent_of(lines[at - 1]) == indent:
            at -= 1
    new = _at_depth(split_lines(block.replace.strip("\n")), indent, indent)
    blank = [""] * _blanks_beside(lines, one)
    return _quoting(block, text, at, at, [*blank, *new] if target.action == "after" else [*new, *blank])


def _named(name: str, known: Sequence[Definition]) -> list[Definition]:
    """Return the functions and classes of a path of names; ``name[1]`` is the second of that name."""
    parts = [part for part in re.split(r"[/.]|::", name.strip()) if part]
    index = re.fullmatch(r"(.+)\[(\d{1,3})\]", parts[-1]) if parts else None
    if index is not None:
        parts[-1] = index[1]
    found = [d for d in known if d.kind != "other" and parts and d.qualified.split(".")[-len(parts) :] == parts]
    if name.startswith("/"):
        found = [d for d in found if d.qualified.split(".") == parts]
    return found[int(index[2]) :][:1] if index is not None else found


def _below_decorators(lines: Sequence[str], one: Definition) -> int:
    """Return a definition's first line after its decorators, which may go on over several lines."""
    indent = indent_of(lines[one.first_line])
    for line in range(one.first_line + 1, max(one.body_line, one.first_line + 1)):
        stripped = lines[line].lstrip()
        if (
            stripped
            and indent_of(lines[line]) == indent
            and not stripped.startswith(_DECORATOR)
            and not closes(stripped)
        ):
            return line
    return one.first_line


def _kept_head(old: str, new: str, name: str) -> str:
    """Return the start of a definition's first line, before its name and before the new text's beginning: a language
    server does not count ``export const`` as part of a function that is a value."""
    old, first = old.lstrip(), _WORD.match(new.lstrip())
    stop = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", old)
    if first is None or stop is None:
        return ""
    at = next((word.start() for word in _WORD.finditer(old, 0, stop.end()) if word[0] == first[0]), 0)
    return old[:at]


def _at_depth(new: list[str], indent: str, inner: str) -> list[str]:
    """Return a definition's new lines at its depth: all are indented if all are at the margin, or only the first if
    only that is. `inner` is the indentation of the old definition's body."""
    full = [line for line in new if line.strip()]
    if not full or not indent or indent_of(full[0]):
        return new
    rest = [indent_of(line) for line in full[1:]]
    ends = bool(rest) and rest[-1] == indent and closes(full[-1].strip())
    # `def get(self):` at the margin and its body at the file's depth: only the first line was moved. Else all of it
    # was written at the margin, and all of it moves.
    if rest and all(lead.startswith(indent) for lead in rest) and (rest[0] == inner or ends):
        return [indent + new[0], *new[1:]]
    return [indent + line if line.strip() else line for line in new]


def _blanks_beside(lines: Sequence[str], one: Definition) -> int:
    """Return how many blank lines are between a definition and the text below it, or else above it; at least one."""
    below = next((i for i in range(one.last_line + 1, len(lines)) if lines[i].strip()), None)
    # below the last member of a class is a `}`, so the blank lines there say nothing
    if below is not None and not closes(lines[below].strip()):
        return max(1, below - one.last_line - 1)
    above = next((i for i in range(one.first_line - 1, -1, -1) if lines[i].strip()), None)
    return max(1, one.first_line - above - 1) if above is not None else 1


def _cell(block: Block, target: CellTarget, text: str, file: OverlayFile) -> Block | Unchanged | Rejected:
    try:
        notebook = Notebook(text)
        cell = _cell_meant(target.cell, notebook.cells)
        if isinstance(cell, Rejected):
            return cell
        edge = cell is None or (target.action, target.cell) in (("before", 0), ("after", -1))
        if isinstance(target.cell, int) and not edge and file.seen is None:
            reason = (
                f"Only a number says which cell of `{file.path}` is meant, and nobody knows what the model counted."
            )
            return Rejected(Code.UNPROVEN_PLACE, reason, "Name the cell by its id.")
        kind = "markdown" if target.language in ("markdown", "md") else target.language and "code"
        source = block.replace.removesuffix("\n")
        if target.action == "delete" and cell is not None:
            edit = notebook.deleted(cell)
        elif target.action == "replace" and cell is not None:
            if kind not in (None, cell.type):
                reason = f"The edit makes a {kind} cell of a {cell.type} cell."
                return Rejected(Code.OLD_DIFFERS, reason, "Delete the cell, and insert one of the other type.")
            edit = notebook.replaced(cell, source)
        else:
            at = notebook.cells.index(cell) + (target.action == "after") if cell is not None else 0
            there = notebook.cells[min(at, len(notebook.cells) - 1)] if notebook.cells else None
            if there is not None and (there.type, there.text) == (kind or "code", source):
                return Unchanged(there.span)
            edit = notebook.added(at, kind or "code", source)
    except ValueError:
        return Rejected(Code.OLD_DIFFERS, f"`{file.path}` is no notebook that can be read.", "Mend its JSON first.")
    return _quoting_lines_of(block, text, edit)


def _quoting_lines_of(block: Block, text: str, edit: Edit) -> Block | Unchanged:
    """Return the block as an edit that quotes the lines which another edit of the text changes."""
    lines, after = IndexedText(text), IndexedText(apply_edits(text, [edit]))
    top, bottom = lines.line_at(edit.span.start), lines.line_at(edit.span.end)
    return _quoting(block, lines, top, bottom + 1, after.lines[top : len(after) - (len(lines) - bottom - 1)])


def _quoted_cell(block: Block, text: str) -> Block | None:
    """Return a block that quotes a cell's source as an edit of the notebook's JSON; None unless it quotes just one.

    Of 5,100 real replies, calls and reports this turns one report right, and changes no other.
    """
    search = f"\n{block.search}"
    if block.inline or not block.search.strip() or block.search in text:
        return None
    try:
        notebook = Notebook(text)
    except ValueError:
        return None
    sources = [(cell, f"\n{cell.text}\n") for cell in notebook.cells if cell.source is not None]
    holding = [(cell, source) for cell, source in sources if search in source]
    if len(holding) != 1 or times(holding[0][1], block.search) != 1:
        return None
    cell, source = holding[0]
    edit = notebook.replaced(cell, source.replace(search, f"\n{block.replace}", 1)[1:].removesuffix("\n"))
    found = _quoting_lines_of(block, text, edit)
    return found if isinstance(found, Block) else None


def _cell_meant(name: str | int, cells: Sequence[Cell]) -> Cell | Rejected | None:
    """Return the cell of an id or number; None for the start or end of a notebook without cells."""
    # reversed, so that of several cells with one id the first counts
    ids: Mapping[str | None, Cell] = {cell.id: cell for cell in reversed(cells)}
    if isinstance(name, str):
        counted = _COUNTED_CELL.fullmatch(name)
        if name in ids:
            return ids[name]
        # `cell-3` is how readers show the fourth cell of a notebook without ids; beside real ids it is missing
        if counted is None or set(ids) - {None}:
            listed = ", ".join(f"`{cell.id}`" for cell in cells if cell.id is not None)
            hint = f"Name one of its cells: {listed}." if listed else "Name a cell by its number, as cell-0."
            return Rejected(Code.NO_MATCH, f"The notebook has no cell with the id `{name}`.", hint)
        name = int(counted[1])
    if not cells and name in (0, -1):
        return None
    if not -1 <= name < len(cells):
        return Rejected(Code.NO_MATCH, f"The notebook has {len(cells)} cells, counted from 0.", "Name one of them.")
    return cells[name]
