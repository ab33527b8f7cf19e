"""Blocks → text for the formats of the search/replace family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.fences import longer_than
from dovetail.model.blocks import Block, Kind
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _body(block: Block) -> str:
    return f"<<<<<<< SEARCH\n{block.search}=======\n{block.replace}>>>>>>> REPLACE\n"


def _only_edits(blocks: Sequence[Block], name: str) -> None:
    for block in blocks:
        if block.kind is not Kind.EDIT or block.inline:
            raise RenderError(f"The format {name} can say edits of whole lines only.")


def _fenced(name: str, inside: bool, info: str = "") -> Callable[[list[Block], str], str]:
    def render(blocks: list[Block], fence: str) -> str:
        _only_edits(blocks, name)
        parts = []
        for block in blocks:
            marks = longer_than(_body(block), fence)
            head = f"{marks}{info}\n{block.path}\n" if inside else f"{block.path}\n{marks}{info}\n"
            parts.append(f"{head}{_body(block)}{marks}\n")
        return "\n".join(parts)

    return render


render_diff = _fenced("diff", inside=False)
render_diff_fenced = _fenced("diff-fenced", inside=True)


def render_edit_fence(blocks: list[Block], fence: str) -> str:
    """The path in the info string of each block's fence."""
    _only_edits(blocks, "edit-fence")
    parts = []
    for block in blocks:
        marks = longer_than(_body(block), fence)
        parts.append(f"{marks}edit:{block.path}\n{_body(block)}{marks}\n")
    return "\n".join(parts)


def render_sections(blocks: list[Block], fence: str) -> str:
    """A heading for each run of blocks of one file; creations as `NEW_FILE`."""
    del fence
    parts: list[str] = []
    last: str | None = None
    for block in blocks:
        if block.inline or block.kind not in (Kind.EDIT, Kind.CREATE):
            raise RenderError(f"The format sections cannot say a block of the kind {block.kind}.")
        head = f"### File: {block.path}\n" if block.path != last else ""
        last = block.path
        new = f"<<<<<<< NEW_FILE\n{block.replace}>>>>>>> NEW_FILE\n"
        parts.append(head + (new if block.kind is Kind.CREATE else _body(block)))
    return "\n".join(parts)


def render_cline(blocks: list[Block], fence: str) -> str:
    """One tool call for each block."""
    del fence
    parts = []
    for block in blocks:
        match block.kind:
            case Kind.EDIT if not block.inline:
                body = f"------- SEARCH\n{block.search}=======\n{block.replace}+++++++ REPLACE\n"
                parts.append(
                    f"<replace_in_file>\n<path>{block.path}</path>\n<diff>\n{body}</diff>\n</replace_in_file>\n"
                )
            case Kind.REWRITE:
                body = f"<content>\n{block.replace}</content>\n"
                parts.append(f"<write_to_file>\n<path>{block.path}</path>\n{body}</write_to_file>\n")
            case _:
                raise RenderError(f"The format cline cannot say this block of the kind {block.kind}.")
    return "\n".join(parts)


def render_roo(blocks: list[Block], fence: str) -> str:
    """One tool call for each block, with its line where it has one, and markers in its content escaped."""
    del fence
    _only_edits(blocks, "roo")
    parts = []
    for block in blocks:
        hint = f":start_line:{block.hints.line}\n-------\n" if block.hints.line is not None else ""
        body = f"<<<<<<< SEARCH\n{hint}{_escaped(block.search)}=======\n{_escaped(block.replace)}>>>>>>> REPLACE\n"
        parts.append(f"<apply_diff>\n<path>{block.path}</path>\n<diff>\n{body}</diff>\n</apply_diff>\n")
    return "\n".join(parts)


_MARKERS = ("<<<<<", "=====", ">>>>>", "-----", ":start_line:", ":end_line:")


def _escaped(text: str) -> str:
    lines = text.split("\n")
    return "\n".join("\\" + line if line.startswith(_MARKERS) else line for line in lines)
