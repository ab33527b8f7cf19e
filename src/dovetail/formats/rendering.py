"""Blocks → reply text, in any format that can say them.

Invariant: what is rendered parses back, by detection alone, to the same kinds, paths, searches and replacements; a
text that would not is never returned. Every rendering is checked so, which costs one parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dovetail.formats.calls import artifact, json_call
from dovetail.formats.diffs import apply_patch, udiff
from dovetail.formats.lines.fences import is_fence_line
from dovetail.formats.listings import whole
from dovetail.formats.marked import anchored, guillemet
from dovetail.formats.marked import search_replace_text as pairs
from dovetail.formats.stream import parse
from dovetail.formats.table import AUTO, machines_for
from dovetail.model.blocks import Block, Kind
from dovetail.model.errors import RenderError, UsageError
from dovetail.model.handed import check_markers, several
from dovetail.model.markers import DEFAULT_MARKERS, Markers

_EACH: dict[str, Callable[[Block, str, Markers], str]] = {
    "diff": pairs.diff,
    "diff-fenced": pairs.diff_fenced,
    "editor-diff": pairs.diff,
    "editor-diff-fenced": pairs.diff_fenced,
    "edit-fence": pairs.edit_fence,
    "anchored": anchored.render,
    "guillemet": guillemet.render,
    "whole": whole.render,
}
"""Formats in which each block is a text of its own."""
_ALL: dict[str, Callable[[list[Block], str, Markers], str]] = {
    "sections": pairs.sections,
    "artifact": artifact.render,
    "udiff": udiff.render,
    "apply-patch": apply_patch.render,
    "tool-call": json_call.render,
    "cline": pairs.cline,
    "roo": pairs.roo,
}
_KINDS = {
    "sections": (Kind.EDIT, Kind.CREATE),
    "artifact": (Kind.EDIT, Kind.REWRITE),
    "whole": (Kind.REWRITE,),
    "udiff": (Kind.EDIT, Kind.CREATE, Kind.DELETE, Kind.RENAME),
    "apply-patch": (Kind.EDIT, Kind.CREATE, Kind.DELETE, Kind.RENAME),
    "tool-call": (Kind.EDIT, Kind.REWRITE, Kind.DELETE, Kind.RENAME),
    "cline": (Kind.EDIT, Kind.REWRITE),
    "roo": (Kind.EDIT, Kind.REWRITE),
}
"""What each format can say; one that is not here, edits alone."""


def render(
    blocks: Iterable[Block],
    format: str,  # noqa: A002 - the user's own word
    *,
    fence: str = "```",
    markers: Markers = DEFAULT_MARKERS,
) -> str:
    """Write blocks as a reply in a format. What is written reads back as the same paths, searches and replacements.

    format: the name of a format; not ``auto``.
    fence: the shortest fence that may be used; a longer one is taken where a text holds such a fence itself.
    markers: those that the text will be read with.

    Raises `RenderError` where the format cannot say a block, and `UsageError` for a format that does not exist and for
    arguments of the wrong type.
    """
    check_markers(markers)
    machines_for(format)
    if format == AUTO:
        raise UsageError("A rendering needs one format.", hint="Name the format to render in.")
    if not _is_fence(fence):
        raise UsageError(f"{fence!r} is no fence.", hint="Hand in a run of three or more backticks or tildes.")
    listed = several(blocks, Block, "blocks", "Hand in blocks, for example: dovetail.parse(reply).blocks")
    for block in listed:
        _check_sayable(block, format)
    if not listed:
        return ""
    if format in _EACH:
        text = "\n".join(_EACH[format](block, fence, markers) for block in listed)
    else:
        text = _ALL[format](listed, fence, markers)
    if _essence(parse(text, markers=markers).blocks) != _essence(listed):
        raise RenderError(
            f"The format {format} cannot say these blocks: their lines look like its markers.",
            hint="Render them as tool-call.",
        )
    return text


def _is_fence(given: object) -> bool:
    return isinstance(given, str) and is_fence_line(given) and len(set(given)) == 1


def _check_sayable(block: Block, name: str) -> None:
    if block.malformed is not None:
        raise RenderError("A malformed block cannot be rendered.")
    if block.path is None:
        raise RenderError("A block without a path cannot be rendered.", hint="Give the block a path first.")
    if block.last_end is not None and name != "udiff":
        raise RenderError(f"The format {name} does not say how the file's last line ends.")
    if block.kind not in _KINDS.get(name, (Kind.EDIT,)):
        raise RenderError(f"The format {name} cannot say a block of the kind {block.kind}.")
    if block.destination is not None and block.kind is not Kind.RENAME and name != "apply-patch":
        raise RenderError(f"The format {name} cannot say an edit that moves its file.")
    whole = not block.inline and all(t == "" or t.endswith("\n") for t in (block.search, block.replace))
    if not whole and name != "tool-call":
        raise RenderError(f"The format {name} says whole lines, and the block's text ends inside one.")


def _essence(blocks: Sequence[Block]) -> list[tuple[Kind, str | None, str, str, str | None, bool]]:
    return [(b.kind, b.path, b.search, b.replace, b.destination, b.malformed is None) for b in blocks]
