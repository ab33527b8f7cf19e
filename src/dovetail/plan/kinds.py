"""What each kind of block does to the imagined files: edit, rewrite, create, delete, rename.

Each takes the work, the request, and the sheet of its file; it gives the block's result, or why it fails, or None where
the edit waits for its file's others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Conflicts, Status
from dovetail.model.results import BlockResult
from dovetail.model.text import Text
from dovetail.plan.edits.stale import carry_whole
from dovetail.plan.edits.versions import line_range
from dovetail.plan.files.paths import tidy
from dovetail.plan.files.shelf import Sheet
from dovetail.plan.files.site import not_creatable, uncreatable
from dovetail.plan.outcomes import Appended, Dropped, Rejected, Unchanged, Written
from dovetail.plan.request import Request, quotes, searches
from dovetail.plan.whole import created, not_all, put, replaced
from dovetail.plan.work import Work


def edit(work: Work, request: Request, sheet: Sheet) -> BlockResult | Rejected | None:
    """Replace a piece of a file's text; with an empty search, make the file or add to it."""
    block = request.block
    if (objection := _not_movable(work, block, sheet)) is not None:
        return objection
    if quotes(block) or ((sheet.text or "").strip() and searches(block)):
        _have_wait(work, request, sheet)
        return None
    if not (sheet.text or "").strip():
        work.land(sheet)  # no earlier edit lands in what fills a blank file
    if (objection := uncreatable(sheet, work.shelf)) is not None:
        return objection
    document = work.locator.document(sheet.text) if sheet.text is not None else None
    new = next(reading.replace for reading in block.readings if not block.quotes(reading))
    new = _as_new(block, new) if sheet.text is None else new
    there = work.shelf.snapshot.files.get(sheet.path)
    fresh = sheet.source is None and not (there is not None and (there.text or "").strip())
    outcome = put(sheet.path, document, new, block.format, fresh=fresh)
    if isinstance(outcome, Written):
        work.overwritten(request.n, sheet.path, outcome.after)
    if isinstance(outcome, Rejected) and block.hints.line is not None:
        reason = f"Only a line's number says where in `{sheet.path}` the new lines belong, and numbers are not trusted."
        outcome = replace(outcome, reason=reason)
    if isinstance(outcome, Appended):
        work.warn(request.n, outcome.warnings)
        _have_wait(work, replace(request, behind=new), sheet)
        return None
    return _settled(work, request, sheet, outcome)


def rewrite(work: Work, request: Request, sheet: Sheet) -> BlockResult | Rejected | None:
    """Replace a file's whole text."""
    block = request.block
    if (objection := _not_movable(work, block, sheet)) is not None:
        return objection
    now = work.ahead(sheet)
    if block.doubt is not None and not block.doubt.settled_by(now.text):
        reason = f"Line {block.line} of the reply: {block.doubt.reason}"
        return Rejected(Code.MALFORMED, reason, block.doubt.hint)
    if (objection := uncreatable(now, work.shelf)) is not None:
        return objection
    outcome = _rewritten(work, block, now)
    if isinstance(outcome, Written):
        work.land(sheet)
        work.overwritten(request.n, sheet.path, outcome.after)
    return _behind_edits(work, request, sheet, outcome)


def _rewritten(work: Work, block: Block, sheet: Sheet) -> Written | Unchanged | Dropped | Rejected:
    """The new text; where the file changed since the model saw it, merged with that change."""
    seen = sheet.stale
    if sheet.text is None or seen is None:
        return replaced(sheet.text, block.replace)
    outcome = replaced(seen, block.replace)
    if not isinstance(outcome, Written):
        return outcome
    return carry_whole(sheet.path, seen, sheet.text, outcome, work.locator.policy.conflicts)


def create(work: Work, request: Request, sheet: Sheet) -> BlockResult | Rejected | None:
    """Make a file that must not be there with other text."""
    now = work.ahead(sheet)
    if (objection := uncreatable(now, work.shelf)) is not None:
        return objection
    new = _as_new(request.block, request.block.replace)
    return _behind_edits(work, request, sheet, created(sheet.path, now.text, new))


def _as_new(block: Block, text: str) -> str:
    """A new file's text, without a last line end where the block says so."""
    return text.removesuffix("\n") if block.last_end is False else text


def delete(work: Work, request: Request, sheet: Sheet) -> BlockResult | Rejected | None:
    """Remove a file. What the block quotes of it must be all that it has, or had before this reply."""
    now = work.ahead(sheet)
    if now.text is None:
        hint = "If it was already deleted, leave the edit out."
        return Rejected(Code.FILE_MISSING, work.shelf.absence(sheet.path), hint)
    first = work.shelf.snapshot.files.get(sheet.path)
    versions = (now.text,) if first is None else (now.text, first.text, first.seen)
    objections = [not_all(sheet.path, text, request.block.search) for text in versions if text is not None]
    if (objection := objections[0]) is not None and None not in objections:
        return objection
    if now.stale is not None and work.locator.policy.conflicts is not Conflicts.THEIRS:
        reason = f"`{sheet.path}` changed since the model saw it, and would be lost with that change."
        return Rejected(Code.STALE, reason, "Look at the change, then delete it yourself.")
    end = len(Text(now.text))
    work.land(sheet)
    work.shelf.write(sheet, None)
    return request.result(Status.APPLIED, lines=(1, end))


def rename(work: Work, request: Request, sheet: Sheet) -> BlockResult | Rejected | None:
    """Move a file to a path where nothing is."""
    source, target = sheet.path, _target(work, request.block)
    if sheet.text is None and target in work.shelf.tree.paths:
        return request.result(Status.ALREADY_APPLIED, reason=f"`{source}` is gone and `{target}` is there.")
    if sheet.text is None:
        return Rejected(Code.FILE_MISSING, work.shelf.absence(source), "Name a file that exists.")
    if target == source:
        return request.result(Status.ALREADY_APPLIED, Code.NOTHING_TO_CHANGE, "Both names are the same.")
    if (objection := not_creatable(target, work.shelf, besides=source)) is not None:
        return objection
    work.land(sheet)
    work.shelf.move(sheet, target)
    return request.result(Status.APPLIED)


KINDS: dict[Kind, Callable[[Work, Request, Sheet], BlockResult | Rejected | None]] = {
    Kind.EDIT: edit,
    Kind.REWRITE: rewrite,
    Kind.CREATE: create,
    Kind.DELETE: delete,
    Kind.RENAME: rename,
}


def _target(work: Work, block: Block) -> str:
    target = tidy(block.destination or "", work.shelf.tree.paths)
    return work.shelf.snapshot.aliases.get(target, target)


def _destination(work: Work, block: Block, sheet: Sheet) -> str | None:
    """Where an edited file is to move; None where it stays."""
    target = _target(work, block) if block.destination is not None else sheet.path
    return target if target != sheet.path else None


def _not_movable(work: Work, block: Block, sheet: Sheet) -> Rejected | None:
    """Why an edited file cannot move to where the block says."""
    target = _destination(work, block, sheet)
    if target in (None, sheet.destination):
        return None
    objection = not_creatable(target, work.shelf, besides=sheet.path)
    if objection is None and sheet.destination is not None:
        reason = f"Another block moves `{sheet.path}` to `{sheet.destination}`."
        objection = Rejected(Code.FILE_EXISTS, reason, "Move each file once.")
    return objection


def _have_wait(work: Work, request: Request, sheet: Sheet) -> None:
    """Keep an edit until its file's others are known, to move the file with them if it says so."""
    sheet.waiting.append(request)
    sheet.destination = _destination(work, request.block, sheet) or sheet.destination


def _behind_edits(
    work: Work, request: Request, sheet: Sheet, outcome: Written | Unchanged | Dropped | Rejected
) -> BlockResult | Rejected:
    """Settle a whole text behind the edits that wait for its file. One that fails is nothing to them: they wait on."""
    if not isinstance(outcome, Rejected):
        work.land(sheet)
    return _settled(work, request, sheet, outcome)


def _settled(
    work: Work, request: Request, sheet: Sheet, outcome: Written | Unchanged | Dropped | Rejected
) -> BlockResult | Rejected:
    """Write a whole text, and move the file if the block says so; or say why not."""
    before, target = sheet.text, _destination(work, request.block, sheet)
    match outcome:
        case Written(after=after, seen=seen, warnings=warnings, tier=tier):
            work.shelf.write(sheet, after, seen)
            result = replace(request.wrote(before, after), tier=tier, warnings=warnings)
        case Unchanged(span=span):
            lines = line_range(Text(before or ""), span)
            empty = request.block.kind is Kind.EDIT and request.changes_nothing
            reason = "The block has no text to look for and none to put in its place." if empty else None
            code = Code.NOTHING_TO_CHANGE if empty else None
            result = request.result(Status.ALREADY_APPLIED, code, reason, lines=lines, new_lines=lines)
        case Dropped(reason=reason, hint=hint):
            return request.result(Status.SKIPPED, Code.STALE, reason, hint)
        case Rejected():
            return outcome
    if target is None:
        return result
    work.shelf.move(sheet, target)
    return replace(result, status=Status.APPLIED)
