"""Blocks → text for the formats of the search/replace family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import longer_than
from dovetail.formats.lines.paths import as_line
from dovetail.model.blocks import Block, Kind

if TYPE_CHECKING:
    from dovetail.model.markers import Markers


def between_markers(search: str, replacement: str, markers: Markers) -> str:
    """An edit between its marker lines."""
    return f"{markers.start}\n{search}{markers.divider}\n{replacement}{markers.end}\n"


def _in_fence(block: Block, fence: str, markers: Markers, *, info: str = "", inside: str = "") -> str:
    text = between_markers(block.search, block.replace, markers)
    marks = longer_than(text, fence)
    return f"{marks}{info}\n{inside}{text}{marks}\n"


def diff(block: Block, fence: str, markers: Markers) -> str:
    """The path above the fence."""
    return f"{as_line(block.path)}\n{_in_fence(block, fence, markers)}"


def diff_fenced(block: Block, fence: str, markers: Markers) -> str:
    """The path on the fence's first line."""
    return _in_fence(block, fence, markers, inside=f"{as_line(block.path)}\n")


def edit_fence(block: Block, fence: str, markers: Markers) -> str:
    """The path in the fence's info string."""
    return _in_fence(block, fence, markers, info=f"edit:{block.path}")


def sections(blocks: list[Block], _fence: str, markers: Markers) -> str:
    """A heading for each run of blocks of one file; creations as `NEW_FILE`."""
    parts: list[str] = []
    last: str | None = None
    for block in blocks:
        head = f"### File: {block.path}\n" if block.path != last else ""
        last = block.path
        if block.kind is Kind.CREATE:
            text = f"{'<' * markers.usual} NEW_FILE\n{block.replace}{'>' * markers.usual} NEW_FILE\n"
        else:
            text = between_markers(block.search, block.replace, markers)
        parts.append(head + text)
    return "\n".join(parts)


def cline(block: Block, _fence: str, markers: Markers) -> str:
    """A tool call."""
    head = f"<path>{block.path}</path>\n"
    if block.kind is Kind.REWRITE:
        return f"<write_to_file>\n{head}<content>\n{block.replace}</content>\n</write_to_file>\n"
    dashes, pluses = "-" * markers.usual, "+" * markers.usual
    edit = f"{dashes} SEARCH\n{block.search}{markers.divider}\n{block.replace}{pluses} REPLACE\n"
    return f"<replace_in_file>\n{head}<diff>\n{edit}</diff>\n</replace_in_file>\n"


def roo(block: Block, _fence: str, markers: Markers) -> str:
    """A tool call, with the block's line where it has one, and markers in its content escaped."""
    rule = "-" * markers.usual
    hint = f":start_line:{block.hints.line}\n{rule}\n" if block.hints.line is not None else ""
    edit = between_markers(hint + _escaped(block.search, markers), _escaped(block.replace, markers), markers)
    return f"<apply_diff>\n<path>{block.path}</path>\n<diff>\n{edit}</diff>\n</apply_diff>\n"


def _escaped(text: str, markers: Markers) -> str:
    heads = (*(sign * markers.shortest for sign in "<=>-"), ":start_line:", ":end_line:")
    return "\n".join("\\" + line if line.startswith(heads) else line for line in text.split("\n"))
