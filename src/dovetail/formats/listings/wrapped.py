"""A fence around a whole reply, as some models put theirs into one: what follows is read as the reply that it is.

It is one where nothing stands before it, and a fence opens in it. Elsewhere a fence that holds files' texts in fences
of their own shows an example, or so it must be taken, and that is said: a listing quotes nothing by which its file
could refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.listings import whole
from dovetail.formats.scan.sink import Sink
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.listings.fenced import Fenced
    from dovetail.formats.scan.scanner import Scanner


def is_around_reply(fenced: Fenced, inner: Fence) -> bool:
    """Whether the fence `inner` opens in one that is around the reply, before which nothing stands."""
    scanner, outer = fenced.scanner, fenced.fence
    if fenced.within is not None or scanner.inner or scanner.sink.draft:
        return False
    if outer.language not in fences.HOLD_REPLIES or outer.close or fenced.above.file is not None:
        return False
    if fenced.pieces and _is_labelled(fenced.pieces[0].partition("\n")[0]):
        return False
    return not inner.bare or (outer.long and inner.mark[0] == outer.mark[0])


def _is_labelled(first: str) -> bool:
    """Whether a document's first line says in a comment which file it is."""
    return whole.labelled(first) is not None or (first.lstrip().startswith("<!--") and whole.names_file(first))


def tell(scanner: Scanner, fence: Fence, content: str, line: int) -> bool:
    """Tell of the edits in the fences that `content` holds, from the reply's line `line` on; whether there are any."""
    if scanner.inner or scanner.sink.draft or fence.language not in fences.HOLD_REPLIES:
        return False
    if not any(map(fences.is_fence_line, content.splitlines())):
        return False
    return tell_example(scanner, content, line, "a fence inside a fence", "the outer fence", line - 1)


def tell_example(scanner: Scanner, content: str, line: int, where: str, frame: str, told: int) -> bool:
    """Tell, at the line `told`, of the first edit in `content`, from the line `line` on; whether there is one."""
    sink = Sink()
    scanner.inside(content, line, machines=scanner.wanted, sink=sink)
    for block in sink.blocks[:1]:
        of = f" of `{block.path}`" if block.path is not None else ""
        message = f"An edit{of} stands in {where}, and is taken for an example."
        hint = f"Where it is meant, send it without {frame}."
        scanner.sink.diagnose(Diagnostic(Code.NO_BLOCKS, message, Severity.WARNING, line=told, hint=hint))
    return bool(sink.blocks)
