"""A fence around a file's text that shows edits as examples, under its own path: edits of another file, behind text; or
in a long fence, edits in shorter ones.

Refuses to take a whole reply for one, which some models put into a fence of its own, or an edit in two fences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.listings import whole

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.place import Place


def holds_example(fence: Fence, path: str, inside: Place, *, behind_text: bool) -> bool:
    """Whether an edit's start is an example, in `fence`, which holds the file `path`; in a long fence it stands in a
    shorter one.

    `inside` is what names the file of the edit, and `behind_text` whether the file's text stands before it.
    """
    if not fence.long:
        return behind_text and _is_of_another_file(inside, path)
    return _is_of_another_file(inside, path) or (behind_text and _is_around_a_file(fence, path))


def has_text(before: str) -> bool:
    """Whether more stands before an edit than its path and its fence."""
    lines = before.split("\n")
    return any(line.strip() and not fences.is_fence_line(line) and not whole.names_file(line) for line in lines)


def _is_of_another_file(inside: Place, path: str) -> bool:
    if not inside.own or inside.mentioned or inside.path is None:
        return False
    return inside.path.rpartition("/")[2] != path.rpartition("/")[2]


def _is_around_a_file(fence: Fence, path: str) -> bool:
    """Whether the fence is around a document or code; a reply is Markdown, for a file of whatever kind."""
    return path.lower().endswith(fences.DOCUMENTS) or fence.language not in (fences.MARKDOWN | {""})
