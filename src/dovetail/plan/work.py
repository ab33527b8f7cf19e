"""The work in progress of one walk through a reply: the imagined files, the results so far, the edits that wait.

Edits of a file wait here until something other than an edit needs that file, or the reply ends; then they are landed
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dovetail.match import AlreadyApplied
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult
from dovetail.plan.edits.locator import Locator
from dovetail.plan.files.holding import holders
from dovetail.plan.files.shelf import Sheet, Shelf
from dovetail.plan.request import Request, quotes
from dovetail.plan.waiting import Afterwards, land_waiting


@dataclass
class Work:
    """What the kinds of blocks work on. `results` and `warnings` are kept by the block's number; `blocks` are all of
    the reply's, by theirs."""

    shelf: Shelf
    blocks: Mapping[int, Block] = field(default_factory=dict)
    results: dict[int, BlockResult] = field(default_factory=dict)
    warnings: dict[int, tuple[Diagnostic, ...]] = field(default_factory=dict)
    _asked: tuple[Sheet, int, Afterwards] | None = None

    @property
    def locator(self) -> Locator:
        """Who knows where an edit lands in a text."""
        return self.shelf.locator

    def warn(self, n: int, warnings: tuple[Diagnostic, ...]) -> None:
        """Keep warnings for a block's result."""
        if warnings:
            self.warnings[n] = (*self.warnings.get(n, ()), *warnings)

    def finished(self) -> tuple[BlockResult, ...]:
        """Land what still waits, and give every result with its warnings, in order."""
        for sheet in self.shelf.waiting():
            self.land(sheet)
        return tuple(self._with_warnings(result) for _, result in sorted(self.results.items()))

    def _with_warnings(self, result: BlockResult) -> BlockResult:
        kept = self.warnings.get(result.n)
        return replace(result, warnings=(*kept, *result.warnings)) if kept else result

    def ahead(self, sheet: Sheet) -> Sheet:
        """A file as it is with the edits that wait for it, which go on waiting."""
        if not sheet.waiting:
            return sheet
        _, text, seen = self._afterwards(sheet)
        return replace(sheet, text=text, seen=seen)

    def _afterwards(self, sheet: Sheet) -> Afterwards:
        """What comes of the edits that wait for a file; asked twice where a block looks first and then goes on."""
        asked = self._asked
        if asked is None or asked[0] is not sheet or asked[1] != len(sheet.waiting):
            asked = self._asked = sheet, len(sheet.waiting), land_waiting(sheet, sheet.waiting, self.locator)
        return asked[2]

    def land(self, sheet: Sheet) -> None:
        """Land the edits that wait for a file, and move it if they say so."""
        if not sheet.waiting:
            return
        results, text, seen = self._afterwards(sheet)
        sheet.waiting, self._asked = [], None
        if text != (sheet.text or ""):
            self.shelf.write(sheet, text)
        sheet.seen = seen
        done = [result for result in results if result.status is not Status.FAILED]
        if sheet.destination is not None and any(result.block.destination is not None for result in done):
            self.shelf.move(sheet, sheet.destination)
            results = [_moved(result) for result in results]
        sheet.destination = None
        for result in results:
            self.results[result.n] = self._explained(result)

    def overwritten(self, n: int, path: str, text: str) -> None:
        """Warn of what earlier blocks did to a file, where block `n` puts a whole `text` in its place without it."""
        for earlier in self.results.values():
            applied = earlier.path == path and earlier.status is Status.APPLIED
            if applied and not self._survives(Request(earlier.n, earlier.block, path), text):
                message = f"Block {n} of the reply replaced the whole file afterwards."
                hint = "Check that nothing of this edit is missed."
                self.warn(earlier.n, (Diagnostic(Code.OVERWRITTEN, message, Severity.WARNING, path, hint=hint),))

    def _survives(self, request: Request, text: str) -> bool:
        """Whether a text has what a block asked for; a file that was deleted or moved is not missed."""
        if request.block.kind is not Kind.EDIT:
            return request.block.kind in (Kind.DELETE, Kind.RENAME)
        return isinstance(self.locator.find(self.locator.document(text), request).outcome, AlreadyApplied)

    def _explained(self, result: BlockResult) -> BlockResult:
        """A miss, with the other file that has its search text, where exactly one does."""
        if result.code is not Code.NO_MATCH or result.path is None or not quotes(result.block):
            return result
        holding, text = holders(result.block, self.shelf)
        others = [path for path in holding if path != result.path]
        if len(others) != 1:
            return result
        message = f"The {text} stands in `{others[0]}`."
        said = Diagnostic(Code.FOUND_ELSEWHERE, message, Severity.NOTE, others[0])
        return replace(result, hint=f"{message} If that is the file, name it.", warnings=(*result.warnings, said))


def _moved(result: BlockResult) -> BlockResult:
    """A block that moves its file has done something, even where its lines stood already."""
    if result.block.destination is None or result.status is Status.FAILED:
        return result
    return replace(result, status=Status.APPLIED)
