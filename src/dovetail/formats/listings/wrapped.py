"""A fence around a whole reply, as some models put theirs into one: it is read as the reply that it is.

It is one where nothing stands before it. Elsewhere a fence that holds files' texts in fences of their own shows an
example, or so it must be taken, and that is said: a listing quotes nothing by which its file could refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.scan.sink import Sink
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.scanner import Scanner


def give(scanner: Scanner, fence: Fence, content: str, line: int, *, alone: bool) -> bool:
    """Whether `content`, from the reply's line `line` on, is a reply with edits; they are given, or told of."""
    if scanner.inner or scanner.draft or fence.language not in (fences.MARKDOWN | {""}):
        return False
    if not any(map(fences.is_fence_line, content.splitlines())):
        return False
    sink = scanner.sink if alone else Sink()
    before = len(sink.blocks)
    scanner.inside(content, line, None, machines=scanner.wanted, sink=sink)
    found = sink.blocks[before:]
    if found and not alone:
        scanner.sink.diagnose(_example(line - 1, found[0].path))
    return bool(found)


def _example(line: int, path: str | None) -> Diagnostic:
    of = f" of `{path}`" if path is not None else ""
    return Diagnostic(
        Code.NO_BLOCKS,
        f"An edit{of} stands in a fence inside a fence, and is taken for an example.",
        Severity.WARNING,
        line=line,
        hint="Where it is meant, send it without the outer fence.",
    )
