"""Carries out each kind of block on the overlay of files: edit, rewrite, create, delete, rename.

Each action takes the run, the request, and the file; it returns the block's result, or why it fails, or None if the
edit waits for the file's others. Edits of a file wait until something other than an edit needs that file, or the reply
ends; then they are landed together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from dovetail.match import AlreadyApplied, Document, Match, Unplaced, merge_sketch
from dovetail.model.blocks import Block, CellTarget, Kind, quotes, searches
from dovetail.model.codes import Code, Conflicts, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult
from dovetail.model.text import IndexedText, apply_edits
from dovetail.model.work import TooMuchWorkError, spend
from dovetail.place.choose import holders
from dovetail.place.tree import tidy
from dovetail.plan.land import land_edits
from dovetail.plan.landings import Afterwards
from dovetail.plan.listings import Listing, Quote, Unclear, Whole, read_listing
from dovetail.plan.locator import Locator
from dovetail.plan.overlay import Overlay, OverlayFile, objection_to_creating, objection_to_writing
from dovetail.plan.report import landed_apart
from dovetail.plan.request import Appended, Dropped, EditRequest, Rejected, Unchanged, Written, too_large
from dovetail.plan.stale import carry_whole
from dovetail.plan.targets import targeted
from dovetail.plan.whole import created, not_all, put, replaced
from dovetail.text.notebook import NOTEBOOK


@dataclass
class PlanRun:
    """The state of one walk through a reply, which the actions below change.

    results, warnings: by the block's number. blocks: all blocks of the reply, by number.
    """

    overlay: Overlay
    locator: Locator
    blocks: Mapping[int, Block] = field(default_factory=dict)
    results: dict[int, BlockResult] = field(default_factory=dict)
    warnings: dict[int, tuple[Diagnostic, ...]] = field(default_factory=dict)
    _asked: tuple[OverlayFile, int, Afterwards] | None = None  # a file, its number of waiting edits, their outcome

    def warn(self, n: int, warnings: tuple[Diagnostic, ...]) -> None:
        """Add warnings to block `n`'s result, which may not exist yet."""
        self.warnings[n] = (*self.warnings.get(n, ()), *warnings)

    def finished(self) -> tuple[BlockResult, ...]:
        """Land the edits that still wait, and return every result with its warnings, in order."""
        for file in self.overlay.waiting():
            self.land(file)
        for n, warnings in self.warnings.items():
            if n in self.results:
                result = self.results[n]
                self.results[n] = replace(result, warnings=(*warnings, *result.warnings))
        return tuple([result for _, result in sorted(self.results.items())])

    def ahead(self, file: OverlayFile) -> OverlayFile:
        """Return a file as it would be with its waiting edits, which go on waiting."""
        if not file.waiting:
            return file
        _, text, seen = self._afterwards(file)
        return replace(file, text=text, seen=seen)

    def _afterwards(self, file: OverlayFile) -> Afterwards:
        """Return the outcome of a file's waiting edits, cached until one more waits: `ahead` and `land` need it."""
        asked = self._asked
        if asked is None or asked[0] is not file or asked[1] != len(file.waiting):
            try:
                after = land_edits(file.text, file.outdated_text, file.waiting, self.locator)
            except TooMuchWorkError:
                # they are landed together, so none of them has an outcome of its own
                after = Afterwards(
                    [request.failed(too_large()) for request in file.waiting], file.text or "", file.seen
                )
            asked = self._asked = file, len(file.waiting), after
        return asked[2]

    def land(self, file: OverlayFile) -> None:
        """Land the edits that wait for a file, and move it if they say so."""
        if not file.waiting:
            return
        results, text, seen = self._afterwards(file)
        file.waiting, self._asked = [], None
        if text != (file.text or ""):
            self.overlay.write(file, text)
        # after `write`, which resets it
        file.seen = seen
        moves = [r.block.destination is not None and r.status is not Status.FAILED for r in results]
        # one edit that lands and asks for it moves the file; if all that ask for it fail, the file stays
        if file.destination is not None and any(moves):
            self.overlay.move(file, file.destination)
            results = [_moved(result) for result in results]
        file.destination = None
        for result in results:
            missed = result.code is Code.NO_MATCH and quotes(result.block)
            self.results[result.n] = self._explained(result) if missed else result

    def warn_of_overwritten(self, n: int, path: str, text: str) -> None:
        """Warn about earlier blocks whose changes to a file are missing in the whole `text` that block `n` writes."""
        spend(len(self.results))
        for earlier in self.results.values():
            applied = earlier.path == path and earlier.status is Status.FITS
            if applied and not self._survives(EditRequest(earlier.n, earlier.block, path), text):
                message = f"Edit {n} replaced the whole file afterwards."
                hint = "Check that nothing of this edit is missed."
                self.warn(earlier.n, (Diagnostic(Code.OVERWRITTEN, message, Severity.WARNING, path, hint=hint),))

    def _survives(self, request: EditRequest, text: str) -> bool:
        """Return whether a text still has a block's change; a deletion or a move counts as surviving."""
        if request.block.kind is not Kind.EDIT:
            return request.block.kind in (Kind.DELETE, Kind.RENAME)
        return isinstance(self.locator.find(self.locator.document(text), request).outcome, AlreadyApplied)

    def _explained(self, result: BlockResult) -> BlockResult:
        """Return a miss with a note on the other file that has its search text, if exactly one does."""
        try:
            holding, text = holders(result.block, self.overlay)
        except TooMuchWorkError:
            return result
        others = [path for path in holding if path != result.path]
        if len(others) != 1:
            return result
        message = f"The {text} stands in `{others[0]}`."
        note = Diagnostic(Code.FOUND_ELSEWHERE, message, Severity.NOTE, others[0])
        return replace(result, hint=f"{message} If that is the file, name it.", warnings=(*result.warnings, note))


def _moved(result: BlockResult) -> BlockResult:
    """Return the result of a block that moves its file as fitting, even if its lines were there already."""
    if result.block.destination is None or result.status is Status.FAILED:
        return result
    return replace(result, status=Status.FITS)


def edit(run: PlanRun, request: EditRequest, file: OverlayFile) -> BlockResult | Rejected | None:
    """Replace a part of a file's text; with an empty search, create the file or append to it."""
    block = request.block
    if isinstance(block.target, CellTarget):
        run.land(file)  # cells share their commas
    if block.target is not None or file.path.endswith(NOTEBOOK):
        placed = targeted(request, file, run.locator)
        match placed:
            case Rejected():
                return placed
            case Unchanged(span=span):
                lines = IndexedText(file.text or "").line_range(span)
                return request.result(Status.STANDS_ALREADY, lines=lines, new_lines=lines)
            case EditRequest(block=block):
                request = placed
    if block.destination is not None and (objection := _not_movable(run, block, file)) is not None:
        return objection
    # Of several readings of a block some may quote nothing. If the file has text, those that quote are looked for; if
    # not, the reading without a search fills it.
    if quotes(block) or ((file.text or "").strip() and searches(block)):
        _wait(run, request, file)
        return None
    if not (file.text or "").strip():
        run.land(file)  # no earlier edit lands in what fills a blank file
    if (objection := objection_to_writing(file, run.overlay)) is not None:
        return objection
    document = run.locator.document(file.text) if file.text is not None else None
    new = next(reading.replace for reading in block.readings if not block.quotes(reading))
    new = _as_new(block, new) if file.text is None else new
    there = run.overlay.snapshot.files.get(file.path)
    # this reply created the file: only blanks were there before, and it was not moved here
    fresh = file.source is None and not (there is not None and (there.text or "").strip())
    outcome = put(file.path, document, new, block.format, fresh=fresh)
    if isinstance(outcome, Written):
        run.warn_of_overwritten(request.n, file.path, outcome.after)
    if isinstance(outcome, Appended):
        run.warn(request.n, outcome.warnings)
        _wait(run, replace(request, behind=new), file)
        return None
    return _written(run, request, file, outcome)


def rewrite(run: PlanRun, request: EditRequest, file: OverlayFile) -> BlockResult | Rejected | None:
    """Replace a file's whole text."""
    block = request.block
    if (objection := _not_movable(run, block, file)) is not None:
        return objection
    now = run.ahead(file)
    if (objection := objection_to_writing(now, run.overlay)) is not None:
        return objection
    outcome = _merged(run, request, now) or _rewritten(run, block, now)
    if isinstance(outcome, BlockResult):
        run.land(file)
        run.overlay.write(file, outcome.effect.after.raw if outcome.effect is not None else now.text)
        return outcome
    if isinstance(outcome, Written):
        run.land(file)
        run.warn_of_overwritten(request.n, file.path, outcome.after)
    return _after_edits(run, request, file, outcome)


def _merged(run: PlanRun, request: EditRequest, file: OverlayFile) -> BlockResult | Unchanged | Rejected | None:
    """Return the outcome of a text that shows only parts of its file; None if it is the whole file."""
    block, locator = request.block, run.locator
    if file.text is None or Code.ELIDED in locator.policy.accept or not (file.text.strip() and block.replace.strip()):
        return None
    document = locator.document(file.text)
    match _read(run, document, block, file):
        # Writing a part as the whole would delete the rest. If the comparison is undecided (`part` is False) and the
        # reply announces the text as the whole file (not `shown`), it is taken as that: see the end.
        case Unclear(reason=reason, part=part) if part or block.shown:
            hint = "Quote lines of the file above and below each change, or send the whole text."
            return Rejected(Code.ELIDED, f"The text shows parts of `{file.path}`. {reason}", hint)
        case Quote(first=first, end=end):
            return Unchanged(document.span(first, end))
        case Match(edits=(), span=span):
            return Unchanged(span)
        case Match(edits=edits) as hit:
            return landed_apart(request, hit, document, Document(apply_edits(file.text, edits)))
    return None


def _read(run: PlanRun, document: Document, block: Block, file: OverlayFile) -> Listing | None:
    """Return how a whole text relates to its file. A call's text is the whole, unless it has omission marks."""
    language, path = run.locator.language, file.path
    if block.format == "whole":
        others = [other.replace for other in run.blocks.values() if other.path != block.path]
        # The model worked on the text that it saw. If the listing is the whole of that text, it is merged with the
        # changes made since; else it is compared with the file as it is now.
        seen = [document] if file.outdated_text is None else [run.locator.document(file.outdated_text), document]
        read = (read_listing(d, block.replace, path, language, declared=not block.shown, others=others) for d in seen)
        first = next(read)
        return first if isinstance(first, Whole) else next(read, first)
    sketch = merge_sketch(document, block.replace, path, language)
    return Unclear(sketch.reason, part=True) if isinstance(sketch, Unplaced) else sketch


def _rewritten(run: PlanRun, block: Block, file: OverlayFile) -> Written | Unchanged | Dropped | Rejected:
    """Return the new text, merged with changes to the file since the model saw it."""
    seen = file.outdated_text
    if file.text is None or seen is None:
        return replaced(file.text, block.replace)
    outcome = replaced(seen, block.replace)
    if not isinstance(outcome, Written):
        return outcome
    return carry_whole(file.path, seen, file.text, outcome, run.locator.policy.conflicts)


def create(run: PlanRun, request: EditRequest, file: OverlayFile) -> BlockResult | Rejected | None:
    """Create a file, which must not exist with another text."""
    now = run.ahead(file)
    if (objection := objection_to_writing(now, run.overlay)) is not None:
        return objection
    new = _as_new(request.block, request.block.replace)
    return _after_edits(run, request, file, created(file.path, now.text, new))


def _as_new(block: Block, text: str) -> str:
    """Return a new file's text, without a last line end if the block says so."""
    return text.removesuffix("\n") if block.last_end is False else text


def delete(run: PlanRun, request: EditRequest, file: OverlayFile) -> BlockResult | Rejected | None:
    """Remove a file. The text that the block quotes must be all that the file has, or had before this reply."""
    now = run.ahead(file)
    if now.text is None:
        hint = "If it was already deleted, leave the edit out."
        return Rejected(Code.FILE_MISSING, run.overlay.absence(file.path), hint)
    first = run.overlay.snapshot.files.get(file.path)
    # the block may quote any version; if all differ, the refusal is about the first: the file as it is now
    versions = (now.text,) if first is None else (now.text, first.text, first.seen)
    objections = [not_all(file.path, text, request.block.search) for text in versions if text is not None]
    if (objection := objections[0]) is not None and None not in objections:
        return objection
    if now.outdated_text is not None and run.locator.policy.conflicts is not Conflicts.THEIRS:
        reason = f"`{file.path}` changed since the model saw it, and would be lost with that change."
        return Rejected(Code.STALE, reason, "Look at the change, then delete it yourself.")
    end = len(IndexedText(now.text))
    run.land(file)
    run.overlay.write(file, None)
    return request.result(Status.FITS, lines=(1, end))


def rename(run: PlanRun, request: EditRequest, file: OverlayFile) -> BlockResult | Rejected | None:
    """Move a file to a path at which no file is."""
    source, target = file.path, _target(run, request.block)
    if file.text is None and target in run.overlay.tree.paths:
        return request.result(Status.STANDS_ALREADY, reason=f"`{source}` is gone and `{target}` is there.")
    if file.text is None:
        return Rejected(Code.FILE_MISSING, run.overlay.absence(source), "Name a file that exists.")
    if target == source:
        return request.result(Status.STANDS_ALREADY, Code.NOTHING_TO_CHANGE, "Both names are the same.")
    # `besides`: the source is gone by then, so `a` may become `a/b`, and `readme` become `README`
    if (objection := objection_to_creating(target, run.overlay, besides=source)) is not None:
        return objection
    run.land(file)
    run.overlay.move(file, target)
    return request.result(Status.FITS)


ACTIONS: dict[Kind, Callable[[PlanRun, EditRequest, OverlayFile], BlockResult | Rejected | None]] = {
    Kind.EDIT: edit,
    Kind.REWRITE: rewrite,
    Kind.CREATE: create,
    Kind.DELETE: delete,
    Kind.RENAME: rename,
}


def _target(run: PlanRun, block: Block) -> str:
    target = tidy(block.destination or "", run.overlay.tree.paths)
    return run.overlay.snapshot.aliases.get(target, target)


def _destination(run: PlanRun, block: Block, file: OverlayFile) -> str | None:
    """Return where an edited file is to be moved; None if it stays."""
    target = _target(run, block) if block.destination is not None else file.path
    return target if target != file.path else None


def _not_movable(run: PlanRun, block: Block, file: OverlayFile) -> Rejected | None:
    """Return why an edited file cannot be moved to the block's destination, or None."""
    target = _destination(run, block, file)
    if target in (None, file.destination):
        return None
    objection = objection_to_creating(target, run.overlay, besides=file.path)
    if objection is None and file.destination is not None:
        reason = f"Another edit moves `{file.path}` to `{file.destination}`."
        objection = Rejected(Code.FILE_EXISTS, reason, "Move each file once.")
    return objection


def _wait(run: PlanRun, request: EditRequest, file: OverlayFile) -> None:
    """Keep an edit until its file's others are known; note the file's destination if the edit has one."""
    file.waiting.append(request)
    if request.block.destination is not None:
        file.destination = _destination(run, request.block, file) or file.destination


def _after_edits(
    run: PlanRun, request: EditRequest, file: OverlayFile, outcome: Written | Unchanged | Dropped | Rejected
) -> BlockResult | Rejected:
    """Land a file's waiting edits, then write its whole text; if that is refused, the edits go on waiting."""
    if not isinstance(outcome, Rejected):
        run.land(file)
    return _written(run, request, file, outcome)


def _written(
    run: PlanRun, request: EditRequest, file: OverlayFile, outcome: Written | Unchanged | Dropped | Rejected
) -> BlockResult | Rejected:
    """Write a whole text, and move the file if the block says so; return the result, or why not."""
    before, target = file.text, _destination(run, request.block, file)
    match outcome:
        case Written(after=after, seen=seen, warnings=warnings):
            run.overlay.write(file, after, seen)
            result = replace(request.wrote(before, after), warnings=warnings)
        case Unchanged(span=span):
            lines = IndexedText(before or "").line_range(span)
            empty = request.block.kind is Kind.EDIT and request.changes_nothing
            reason = "The block has no text to look for and none to put in its place." if empty else None
            code = Code.NOTHING_TO_CHANGE if empty else None
            result = request.result(Status.STANDS_ALREADY, code, reason, lines=lines, new_lines=lines)
        case Dropped(reason=reason, hint=hint):
            return request.result(Status.LEFT_OUT, Code.STALE, reason, hint)
        case Rejected():
            return outcome
    # a text that is there already changes nothing, but the move does
    if target is None:
        return result
    run.overlay.move(file, target)
    return replace(result, status=Status.FITS)
