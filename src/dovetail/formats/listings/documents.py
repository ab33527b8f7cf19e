"""A fence around a document that shows edits as examples: a long one, under its own path, with shorter ones in it.

Refuses to take a whole reply for one, which some models put into a fence of its own, or an edit in two fences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.listings import whole

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.place import Place


def holds_example(fence: Fence, path: str, before: str, inside: Place) -> bool:
    """Whether an edit's start is an example. It stands in a shorter fence, in `fence`, which holds the file `path`.

    `before` is what the fence holds up to there, and `inside` what names the file of the edit.
    """
    if not fence.long:
        return False
    return _is_of_another_file(inside, path) or (_has_text(before) and _is_around_a_file(fence, path))


def _is_of_another_file(inside: Place, path: str) -> bool:
    if not inside.own or inside.mentioned or inside.path is None:
        return False
    return inside.path.rpartition("/")[2] != path.rpartition("/")[2]


def _is_around_a_file(fence: Fence, path: str) -> bool:
    """Whether the fence is around a document or code; a reply is Markdown, for a file of whatever kind."""
    return path.lower().endswith(fences.DOCUMENTS) or fence.language not in (fences.MARKDOWN | {""})


def _has_text(before: str) -> bool:
    """Whether more stands before the edit than its path and its fence."""
    lines = before.split("\n")
    return any(line.strip() and not fences.is_fence_line(line) and not whole.names_file(line) for line in lines)
