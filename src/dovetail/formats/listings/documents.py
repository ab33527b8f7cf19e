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
    from dovetail.formats.listings.fenced import Fenced
    from dovetail.formats.scan.place import Place


def holds_example(fenced: Fenced, text: str) -> bool | None:
    """Whether the start of an edit, the line `text` of an open fence, is an example; None where a later one will say.

    In a long fence an example stands in a shorter one.
    """
    fence, behind_text = fenced.fence, _has_text("".join(fenced.pieces))
    if behind_text and fenced.in_string(text):
        return True
    if fence.long and fenced.within is None:
        return None
    if fenced.above.file is None or not (behind_text or fence.long):
        return False
    path = fenced.above.file.path or ""
    if _is_of_another_file(fenced.scanner.place(fence), path):
        return True
    return fence.long and behind_text and _is_around_a_file(fence, path)


def _has_text(before: str) -> bool:
    """Whether more stands before an edit than its path and its fence."""
    lines = before.split("\n")
    return any(line.strip() and not fences.is_fence_line(line) and not whole.names_file(line) for line in lines)


def _is_of_another_file(inside: Place, path: str) -> bool:
    if not inside.own or inside.mentioned or inside.path is None:
        return False
    return inside.path.rpartition("/")[2] != path.rpartition("/")[2]


def _is_around_a_file(fence: Fence, path: str) -> bool:
    """Whether the fence is around a document or code; a reply is Markdown, for a file of whatever kind."""
    return fences.ends_as(path, fences.DOCUMENTS) or fence.language not in fences.HOLD_REPLIES
