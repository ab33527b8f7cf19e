"""Blocks → text for the formats of the search/replace family."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import around, tongue
from dovetail.formats.lines.paths import as_line
from dovetail.model.blocks import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dovetail.model.markers import Markers


def between_markers(search: str, replacement: str, markers: Markers) -> str:
    """An edit between its marker lines."""
    return f"{markers.start}\n{search}{markers.divider}\n{replacement}{markers.end}\n"


def diff(block: Block, fence: str, markers: Markers) -> str:
    """The path above the fence."""
    edit = between_markers(block.search, block.replace, markers)
    return f"{as_line(block.path)}\n{around(edit, fence, tongue(block))}"


def diff_fenced(block: Block, fence: str, markers: Markers) -> str:
    """The path on the fence's first line."""
    edit = between_markers(block.search, block.replace, markers)
    return around(f"{as_line(block.path)}\n{edit}", fence, tongue(block))


def edit_fence(block: Block, fence: str, markers: Markers) -> str:
    """The path in the fence's info string."""
    return around(between_markers(block.search, block.replace, markers), fence, f"edit:{block.path}")


def sections(blocks: list[Block], _fence: str, markers: Markers) -> str:
    """A heading for each run of blocks of one file; creations as `NEW_FILE`."""
    left, right = "<" * markers.usual, ">" * markers.usual

    def said(block: Block) -> str:
        if block.kind is Kind.CREATE:
            return f"{left} NEW_FILE\n{block.replace}{right} NEW_FILE\n"
        return between_markers(block.search, block.replace, markers)

    files = groupby(blocks, lambda block: block.path)
    return "\n".join(f"### File: {path}\n" + "\n".join(map(said, run)) for path, run in files)


def runs(blocks: list[Block]) -> Iterator[tuple[Kind, str | None, list[Block]]]:
    """Blocks of one kind and one file that follow each other, which one element holds."""
    for (kind, path), run in groupby(blocks, lambda block: (block.kind, block.path)):
        yield kind, path, list(run)


def cline(blocks: list[Block], _fence: str, markers: Markers) -> str:
    """A tool call for each run of blocks of one file."""
    dashes, pluses = "-" * markers.usual, "+" * markers.usual

    def edit(block: Block) -> str:
        return f"{dashes} SEARCH\n{block.search}{markers.divider}\n{block.replace}{pluses} REPLACE\n"

    return _calls(blocks, "replace_in_file", edit)


def roo(blocks: list[Block], _fence: str, markers: Markers) -> str:
    """The same, each block with its line where it has one, and markers in its content escaped."""
    rule = "-" * markers.usual

    def edit(block: Block) -> str:
        hint = f":start_line:{block.hints.line}\n{rule}\n" if block.hints.line is not None else ""
        return between_markers(hint + _escaped(block.search, markers), _escaped(block.replace, markers), markers)

    return _calls(blocks, "apply_diff", edit)


def _calls(blocks: list[Block], name: str, edit: Callable[[Block], str]) -> str:
    """The call `name` for edits, and `write_to_file` for whole texts."""
    calls: list[str] = []
    for kind, path, run in runs(blocks):
        head = f"<path>{path}</path>\n"
        if kind is Kind.REWRITE:
            calls += (f"<write_to_file>\n{head}<content>\n{b.replace}</content>\n</write_to_file>\n" for b in run)
        else:
            edits = "\n".join(map(edit, run))
            calls.append(f"<{name}>\n{head}<diff>\n{edits}</diff>\n</{name}>\n")
    return "\n".join(calls)


def _escaped(text: str, markers: Markers) -> str:
    heads = (*(sign * markers.shortest for sign in "<=>-"), ":start_line:", ":end_line:")
    return "\n".join("\\" + line if line.startswith(heads) else line for line in text.split("\n"))
