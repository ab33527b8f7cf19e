"""Renders blocks as reply text, in any format that can express them.

Invariant: rendered text parses back, with its format detected, to the same kinds, paths, searches and replacements.
Every rendering is checked for this, which costs one parse.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from dovetail.formats.diffs import hunks
from dovetail.formats.diffs.udiff import NOWHERE
from dovetail.formats.fences import around, is_fence_line, language_word
from dovetail.formats.paths.forms import as_line
from dovetail.formats.stream import parse
from dovetail.formats.table import AUTO, FAMILIES, REPLACE, SEARCH, TABLE, machines_for
from dovetail.model.arguments import check_markers, several
from dovetail.model.blocks import Block, CellTarget, Kind, LineTarget, Parts, SymbolTarget, Target
from dovetail.model.errors import RenderError, UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers

_PATCHES = ("apply-patch", "code-mode")


def render(
    blocks: Iterable[Block],
    format: str,  # noqa: A002 - the user's own word
    *,
    fence: str = "```",
    markers: Markers = DEFAULT_MARKERS,
) -> str:
    """Return blocks as a reply in a format, which parses back to the same paths, searches and replacements.

    format: the name of a format; not ``auto``.
    fence: the shortest fence that may be used; a longer one is used if a text contains such a fence itself.
    markers: those that the text will be read with.
    Raises `RenderError` if the format cannot express a block, and `UsageError` for a format that does not exist and for
    arguments of the wrong type.
    """
    check_markers(markers)
    machines_for(format)
    if format == AUTO:
        raise UsageError("A rendering needs one format.", hint="Name the format to render in.")
    value: object = fence
    if not isinstance(value, str) or not is_fence_line(value) or len(set(value)) != 1:
        raise UsageError(f"{fence!r} is no fence.", hint="Hand in a run of three or more backticks or tildes.")
    listed = several(blocks, Block, "blocks", "Hand in blocks, for example: dovetail.parse(reply).blocks")
    for block in listed:
        _check_sayable(block, format)
    if not listed:
        return ""
    text = _written(listed, format, fence, markers)
    # Content that looks like markers is found by reading the text back, so that no rule here can forget one.
    if _essence(parse(text, markers=markers).blocks) != _essence(listed):
        raise RenderError(
            f"The format {format} cannot say these blocks: their lines look like its markers.",
            hint="Render them as tool-call.",
        )
    return text


def _check_sayable(block: Block, name: str) -> None:
    if block.malformed is not None:
        raise RenderError("A malformed block cannot be rendered.")
    if block.path is None:
        raise RenderError("A block without a path cannot be rendered.", hint="Give the block a path first.")
    if block.last_end is not None and name != "udiff":
        raise RenderError(f"The format {name} does not say how the file's last line ends.")
    # A format that names places can say nothing else, and a format that quotes has no words for them.
    if (wanted := TABLE[name].target) is not type(block.target) and (wanted or block.target):
        raise RenderError(f"The format {name} cannot say where the edit belongs.")
    if block.kind not in TABLE[name].kinds:
        raise RenderError(f"The format {name} cannot say a block of the kind {block.kind}.")
    if block.destination is not None and block.kind is not Kind.RENAME and name not in _PATCHES:
        raise RenderError(f"The format {name} cannot say an edit that moves its file.")
    whole = not block.inline and all(t == "" or t.endswith("\n") for t in (block.search, block.replace))
    if not whole and name != "tool-call":
        raise RenderError(f"The format {name} says whole lines, and the block's text ends inside one.")


def _essence(blocks: Sequence[Block]) -> list[tuple[object, ...]]:
    return [(b.kind, b.path, b.search, b.replace, b.destination, _place(b), b.malformed is None) for b in blocks]


def _place(block: Block) -> Target | None:
    """Return the place that a block names, without `index`: the rendering decides which edits share a call."""
    target = block.target
    return replace(target, index=0) if isinstance(target, LineTarget) else target


def _written(blocks: list[Block], name: str, fence: str, markers: Markers) -> str:
    """Return the text of blocks that the format can express."""
    match name:
        case "sections":
            return _sections(blocks, markers)
        case "cline" | "roo":
            return _tool_tags(blocks, name, markers)
        case "artifact":
            return _artifact(blocks, markers)
        case "udiff":
            return _udiff(blocks, fence)
        case "apply-patch":
            return _patch(blocks)
        case "code-mode":
            code = f"const patch = {json.dumps(_patch(blocks), ensure_ascii=False)};\nawait tools.apply_patch(patch);\n"
            return json.dumps({"name": "exec", "input": code}, ensure_ascii=False) + "\n"
        case "tool-call" | "line-call" | "symbol-call" | "notebook-call":
            calls = _line_calls(blocks) if name == "line-call" else map(_call, blocks)
            entries = json.dumps([*calls], ensure_ascii=False, indent=2)
            return f"{fence}json\n{entries}\n{fence}\n"
        case _:
            return "\n".join(_alone(block, name, fence, markers) for block in blocks)


def _alone(block: Block, name: str, fence: str, markers: Markers) -> str:
    """Return the text of one block with its path, in a format that writes each block apart."""
    path = as_line(block.path)
    if name == "whole":
        return f"{path}\n{around(block.replace, fence, language_word(block))}"
    family = TABLE[name].writes
    edit = _edit(block, family, markers)
    match TABLE[name].path_at:
        case "info string":
            return around(edit, fence, f"edit:{block.path}")
        case "first line in the fence":
            return around(f"{path}\n{edit}", fence, language_word(block))
        case _ if family == "angle":
            return f"{path}\n{around(edit, fence, language_word(block))}"
        case _:
            return f"{path}\n{edit}"


def _edit(block: Block, family: str, markers: Markers) -> str:
    """Return an edit between the marker lines of a family."""
    row = FAMILIES[family]
    words = {SEARCH: markers.search_words[0], REPLACE: markers.replace_words[0]}

    def marker(part: tuple[str, str]) -> str:
        sign, word = part
        return f"{sign * (row.fixed or markers.usual)} {words.get(word, word.partition('|')[0])}".rstrip() + "\n"

    start, end = marker(row.start), marker(row.end)
    # The prompt of this format draws its divider longer than its other signs.
    divider = f"{'═' * 7} REPL\n" if family == "guillemet" else marker(row.divider)
    if row.body == "text":
        return f"{start}{block.replace}{end}"
    if row.body == "anchored":
        parts, rule = block.parts or Parts("", block.search, block.replace, ""), "-" * markers.usual + "\n"
        return f"{start}{parts.leading}{rule}{parts.old}{divider}{parts.new}{rule}{parts.trailing}{end}"
    return f"{start}{block.search}{divider}{block.replace}{end}"


def _runs(blocks: list[Block]) -> Iterator[tuple[Kind, str | None, list[Block]]]:
    """Group consecutive blocks of one kind and one path, which one element of the format holds."""
    for (kind, path), run in groupby(blocks, lambda block: (block.kind, block.path)):
        yield kind, path, list(run)


def _sections(blocks: list[Block], markers: Markers) -> str:
    """A heading for each run of blocks of one file; creations as `NEW_FILE`."""
    files = groupby(blocks, lambda block: block.path)
    families = {Kind.CREATE: "new-file", Kind.EDIT: "angle"}
    return "\n".join(
        f"### File: {path}\n" + "\n".join(_edit(block, families[block.kind], markers) for block in run)
        for path, run in files
    )


def _tool_tags(blocks: list[Block], name: str, markers: Markers) -> str:
    """A tool's tag for each run of edits of one file; in `roo` each edit with its line, where it has one."""
    tag = "replace_in_file" if name == "cline" else "apply_diff"

    def edit(block: Block) -> str:
        if name == "cline":
            return _edit(block, "dash", markers)
        hint = f":start_line:{block.hints.line}\n{'-' * markers.usual}\n" if block.hints.line is not None else ""
        halves = hint + _escaped(block.search, markers), _escaped(block.replace, markers)
        return f"{markers.start}\n{halves[0]}{markers.divider}\n{halves[1]}{markers.end}\n"

    calls: list[str] = []
    for kind, path, run in _runs(blocks):
        head = f"<path>{path}</path>\n"
        if kind is Kind.REWRITE:
            calls += (f"<write_to_file>\n{head}<content>\n{b.replace}</content>\n</write_to_file>\n" for b in run)
        else:
            edits = "\n".join(map(edit, run))
            calls.append(f"<{tag}>\n{head}<diff>\n{edits}</diff>\n</{tag}>\n")
    return "\n".join(calls)


def _escaped(text: str, markers: Markers) -> str:
    """Return a text for `roo`, with a backslash before lines that look like markers."""
    # The shortest run that is read as a marker, so that longer ones are escaped, too.
    heads = (*(sign * markers.shortest for sign in "<=>-"), ":start_line:", ":end_line:")
    return "\n".join("\\" + line if line.startswith(heads) else line for line in text.split("\n"))


def _artifact(blocks: list[Block], markers: Markers) -> str:
    """One artifact, an action for each run of edits of one file, and for each whole text."""
    out = ['<boltArtifact id="edits" title="Edits">\n']
    for kind, path, run in _runs(blocks):
        if kind is Kind.REWRITE:
            out += (f'<boltAction type="file" filePath="{path}">\n{block.replace}</boltAction>\n' for block in run)
        else:
            edits = "".join(_edit(block, "angle", markers) for block in run)
            out.append(f'<boltAction type="edit" filePath="{path}">\n{edits}</boltAction>\n')
    return "".join((*out, "</boltArtifact>\n"))


def _udiff(blocks: list[Block], fence: str) -> str:
    """One diff in a fence, a header for each run of blocks of one file."""
    out: list[str] = []
    last: str | None = None
    for block in blocks:
        if block.kind is Kind.RENAME:
            names = f"rename from {block.path}\nrename to {block.destination}\n"
            out.append(f"diff --git a/{block.path} b/{block.destination}\n{names}")
            last = None
            continue
        if block.kind is not Kind.EDIT or block.path != last:
            old = NOWHERE if block.kind is Kind.CREATE else f"a/{block.path}"
            new = NOWHERE if block.kind is Kind.DELETE else f"b/{block.path}"
            out.append(f"--- {old}\n+++ {new}\n")
        # Behind anything but an edit the next block needs a head of its own, be it of the same file.
        last = block.path if block.kind is Kind.EDIT else None
        scope, number = f" {block.hints.scope[-1]}" if block.hints.scope else "", block.hints.line
        counts = block.search.count("\n"), block.replace.count("\n")
        # Without a line number the head is `@@ @@`, or `@@ scope @@`.
        numbers = f"-{number},{counts[0]} +{number},{counts[1]} @@{scope}" if number else f"{scope.strip()} @@".lstrip()
        out.append(f"@@ {numbers}\n{hunks.render(block.search, block.replace, block.last_end)}")
    return around("".join(out), fence, "diff")


def _patch(blocks: list[Block]) -> str:
    """One patch, a section for each run of edits of one file."""
    out = ["*** Begin Patch\n"]
    last: tuple[str | None, str | None] | None = None
    for block in blocks:
        here = (block.path, block.destination)
        match block.kind:
            case Kind.CREATE:
                added = "".join(f"+{line}\n" for line in block.replace.split("\n")[:-1])
                out.append(f"*** Add File: {block.path}\n{added}")
            case Kind.DELETE:
                out.append(f"*** Delete File: {block.path}\n")
            case Kind.RENAME:
                out.append(f"*** Update File: {block.path}\n*** Move to: {block.destination}\n")
            case _:
                if here != last:
                    move = f"*** Move to: {block.destination}\n" if block.destination else ""
                    out.append(f"*** Update File: {block.path}\n{move}")
                out.append(_chunk(block))
        last = here if block.kind is Kind.EDIT else None
    return "".join((*out, "*** End Patch\n"))


def _chunk(block: Block) -> str:
    hints = block.hints
    # The reader calls such a chunk malformed, as the appliers of this format put it in different places.
    if not block.search.strip() and (hints.scope or block.search) and not hints.at_end:
        raise RenderError("The format apply-patch cannot say an insertion beside blank lines or under a scope alone.")
    heads = "".join(f"@@ {scope}\n" for scope in hints.scope) or "@@\n"
    # Without old lines and scope a chunk goes to the end anyway.
    tail = "*** End of File\n" if hints.at_end and (block.search or hints.scope) else ""
    return heads + hunks.render(block.search, block.replace) + tail


def _call(block: Block) -> dict[str, object]:
    """Return a block as JSON: an edit as an object with its fields, any other as a function call."""
    path: dict[str, object] = {"path": block.path}
    match block.target:
        case SymbolTarget(name, action):
            tool = {"replace": "replace_symbol_body", "before": "insert_before_symbol", "after": "insert_after_symbol"}
            fields = {"relative_path": block.path, "name_path": name, "body": block.replace}
            return {"name": tool[action], "arguments": fields}
        case CellTarget() as target:
            return {"name": "NotebookEdit", "arguments": _cell_fields(block, target)}
    match block.kind:
        case Kind.REWRITE:
            return {"name": "write_file", "arguments": path | {"content": block.replace}}
        case Kind.DELETE:
            return {"name": "delete_file", "arguments": path}
        case Kind.RENAME:
            return {"name": "move_file", "arguments": path | {"destination": block.destination}}
    entry = path | {"old_string": block.search, "new_string": block.replace}
    if block.replace_all:
        entry["replace_all"] = True
    if block.times is not None:
        entry["expected_replacements"] = block.times
    return entry


def _cell_fields(block: Block, target: CellTarget) -> dict[str, object]:
    """Return the fields of an edit of a cell. Raises `RenderError` for a new cell before an id or after a number."""
    mode = target.action if target.action in ("replace", "delete") else "insert"
    # By id a new cell goes after that cell, by number it takes the number: the other two cannot be expressed.
    if mode == "insert" and (target.action == "after") != (isinstance(target.cell, str) or target.cell < 0):
        raise RenderError("The format notebook-call cannot say where the new cell belongs.")
    key = "cell_number" if isinstance(target.cell, int) and target.cell >= 0 else "cell_id"
    cell = {key: "BOTTOM" if target.cell == -1 else target.cell}
    kind = {"cell_type": target.language} if target.language is not None else {}
    source = block.replace.removesuffix("\n")
    return {"notebook_path": block.path, **cell, **kind, "new_source": source, "edit_mode": mode}


def _line_calls(blocks: list[Block]) -> Iterator[dict[str, object]]:
    """Yield one call for each run of edits that stood in one call: their numbers count lines in the same text."""
    edits: list[dict[str, object]] = []
    last: str | None = None
    for block in blocks:
        if not isinstance(block.target, LineTarget):
            continue
        # `index` counts the edits of one call, so that 0 begins the next.
        if not edits or block.path != last or not block.target.index:
            edits = []
            yield {"name": "edit_lines", "arguments": {"path": block.path, "edits": edits}}
        edits.append(_line_edit(block, block.target))
        last = block.path


def _line_edit(block: Block, target: LineTarget) -> dict[str, object]:
    """Return an edit by line: its operation, its lines, each with its hash if it has one, and the new text."""
    hashes = dict(target.hashes)

    def line(number: int) -> int | str:
        return f"{number}#{hashes[number]}" if number in hashes else number

    new = {"lines": block.replace.split("\n")[:-1]}
    if target.first is None:
        return {"op": "append", **new}
    # A range with `last` = `first` - 1 is empty: the new lines go before `first`.
    if target.last >= target.first:
        where = {"start_line": line(target.first), "end_line": line(target.last)}
        return {"op": "replace_lines", **where, **new} if block.replace else {"op": "delete_lines", **where}
    # Above line 1 there is no line to insert after; and the hash is of the line that was named.
    if target.first == 1 or target.first in hashes:
        return {"op": "insert_before", "line": line(target.first), **new}
    return {"op": "insert_after", "line": line(target.first - 1), **new}
