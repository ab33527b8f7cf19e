"""Text that a reply shows beside its edits: a file's whole text, which is an edit, or unread text, which is a result.

Decides between them if the text seems to change a file that exists. A quotation changes nothing: all its lines are in
the file as it is, or as the reply leaves it. A listing without a path belongs to the only file that has several of its
lines. One with the path of a file that does not exist may be an example, unless it is a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dovetail.model.blocks import Block
from dovetail.model.codes import Code, Status
from dovetail.model.results import BlockResult
from dovetail.place.tree import by_name, tidy
from dovetail.plan.overlay import Overlay
from dovetail.plan.request import EditRequest
from dovetail.text.comments import defines
from dovetail.text.line import distinctive, worded_lines

_INSTEAD = "Send the change as a search/replace block that quotes lines of the file, or the whole file under its path."
_QUOTED = "The words above the listing say that it shows a file, or what you may write."
_NOT_MEANT = f"{_QUOTED} It has lines that the file does not have."
_SHARED = 2  # distinctive lines that a listing without a path must share with its file


def unread_results(shown: Mapping[int, Block], overlay: Overlay) -> Iterator[BlockResult]:
    """Return the results of the text that a reply shows, by number; `overlay` holds the files as the reply leaves them.

    A listing that quotes its file, or tells the reader what to write, always has a result.
    """
    known: dict[str, frozenset[str]] = {}

    def lines_of(path: str) -> frozenset[str]:
        if path not in known:
            texts = (overlay.snapshot.files[path].text or "", overlay.at(path).text or "")
            known[path] = frozenset(line for text in texts for line in worded_lines(text))
        return known[path]

    for n, block in shown.items():
        lines_shown = frozenset(worded_lines(block.replace))
        names = (tidy(name, overlay.tree.paths) for name in (block.path, *block.path_candidates) if name is not None)
        # the first of its names that is a file which was read; a path that does not exist may belong to any example
        existing = (path for name in names if (path := by_name(name, overlay.tree)) in overlay.snapshot.files)
        path = next(existing, None)
        if block.path is None and block.format != "tool-call" and any(map(defines, lines_shown)):
            # nothing names it: the file that has most of its distinctive lines, if it shares a definition with it
            shared = {path: [*filter(distinctive, lines_shown & lines_of(path))] for path in overlay.snapshot.files}
            likely = max(shared, key=lambda path: len(shared[path]), default="")
            path = likely if len(shared.get(likely, ())) >= _SHARED and any(map(defines, shared[likely])) else None
        request = EditRequest(n, block, path or block.path)
        # about no file, or a quotation: all its lines are in the file, before the reply or after it
        if (path is None and block.format != "tool-call") or (path and lines_shown <= lines_of(path)):
            if block.quoted:
                yield request.result(Status.LEFT_OUT, Code.DRAFT, _QUOTED)
            continue
        message = block.malformed.message if block.malformed is not None else _NOT_MEANT
        reason = f"Line {block.line} of the reply: {message}"
        own_hint = block.malformed.hint if block.malformed is not None and block.format == "tool-call" else None
        yield request.result(Status.LEFT_OUT, Code.UNREAD, reason, own_hint or _INSTEAD)
