"""Blocks → text for the formats of the search/replace family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import longer_than
from dovetail.formats.lines.paths import as_line
from dovetail.model.blocks import Block, Kind
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.model.markers import Markers


def body(search: str, replacement: str, markers: Markers) -> str:
    """An edit between its marker lines."""
    return f"{markers.start}\n{search}{markers.divider}\n{replacement}{markers.end}\n"


def _body(block: Block, markers: Markers) -> str:
    return body(block.search, block.replace, markers)


def _only_edits(blocks: Sequence[Block], name: str) -> None:
    for block in blocks:
        if block.kind is not Kind.EDIT or block.inline:
            raise RenderError(f"The format {name} can say edits of whole lines only.")


def _fenced(name: str, inside: bool, info: str = "") -> Callable[[list[Block], str, Markers], str]:
    def render(blocks: list[Block], fence: str, markers: Markers) -> str:
        _only_edits(blocks, name)
        parts = []
        for block in blocks:
            marks = longer_than(_body(block, markers), fence)
            path = as_line(block.path or "")
            head = f"{marks}{info}\n{path}\n" if inside else f"{path}\n{marks}{info}\n"
            parts.append(f"{head}{_body(block, markers)}{marks}\n")
        return "\n".join(parts)

    return render


render_diff = _fenced("diff", inside=False)
render_diff_fenced = _fenced("diff-fenced", inside=True)


def render_edit_fence(blocks: list[Block], fence: str, markers: Markers) -> str:
    """The path in the info string of each block's fence."""
    _only_edits(blocks, "edit-fence")
    parts = []
    for block in blocks:
        marks = longer_than(_body(block, markers), fence)
        parts.append(f"{marks}edit:{block.path}\n{_body(block, markers)}{marks}\n")
    return "\n".join(parts)


def render_sections(blocks: list[Block], fence: str, markers: Markers) -> str:
    """A heading for each run of blocks of one file; creations as `NEW_FILE`."""
    del fence
    parts: list[str] = []
    last: str | None = None
    for block in blocks:
        if block.inline or block.kind not in (Kind.EDIT, Kind.CREATE):
            raise RenderError(f"The format sections cannot say a block of the kind {block.kind}.")
        head = f"### File: {block.path}\n" if block.path != last else ""
        last = block.path
        new = f"{'<' * markers.usual} NEW_FILE\n{block.replace}{'>' * markers.usual} NEW_FILE\n"
        parts.append(head + (new if block.kind is Kind.CREATE else _body(block, markers)))
    return "\n".join(parts)


def render_cline(blocks: list[Block], fence: str, markers: Markers) -> str:
    """One tool call for each block."""
    del fence
    parts = []
    for block in blocks:
        match block.kind:
            case Kind.EDIT if not block.inline:
                dashes, pluses = "-" * markers.usual, "+" * markers.usual
                edit = f"{dashes} SEARCH\n{block.search}{markers.divider}\n{block.replace}{pluses} REPLACE\n"
                parts.append(
                    f"<replace_in_file>\n<path>{block.path}</path>\n<diff>\n{edit}</diff>\n</replace_in_file>\n"
                )
            case Kind.REWRITE:
                content = f"<content>\n{block.replace}</content>\n"
                parts.append(f"<write_to_file>\n<path>{block.path}</path>\n{content}</write_to_file>\n")
            case _:
                raise RenderError(f"The format cline cannot say this block of the kind {block.kind}.")
    return "\n".join(parts)


def render_roo(blocks: list[Block], fence: str, markers: Markers) -> str:
    """One tool call for each block, with its line where it has one, and markers in its content escaped."""
    del fence
    _only_edits(blocks, "roo")
    parts = []
    for block in blocks:
        rule = "-" * markers.usual
        hint = f":start_line:{block.hints.line}\n{rule}\n" if block.hints.line is not None else ""
        edit = body(hint + _escaped(block.search, markers), _escaped(block.replace, markers), markers)
        parts.append(f"<apply_diff>\n<path>{block.path}</path>\n<diff>\n{edit}</diff>\n</apply_diff>\n")
    return "\n".join(parts)


def _escaped(text: str, markers: Markers) -> str:
    heads = (*(sign * markers.shortest for sign in "<=>-"), ":start_line:", ":end_line:")
    return "\n".join("\\" + line if line.startswith(heads) else line for line in text.split("\n"))
