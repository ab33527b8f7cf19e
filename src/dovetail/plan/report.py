"""Turns what happened to an edit into the result that people and programs read.

Owns the words and codes of results. Line numbers count from 1: `start` and `end` in the file before, `new_start` and
`new_end` in the file after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dovetail.match import Ambiguous, NoMatch
from dovetail.match.lines.elisions import omission
from dovetail.model.blocks import Block
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.dataclasses import replace
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult, Made
from dovetail.model.text import Span, Text
from dovetail.plan.edits.parts import failing_part
from dovetail.plan.edits.sequence import Landed, Landing, Refused, Stands
from dovetail.plan.edits.versions import Versions, line_range
from dovetail.plan.files.shelf import Task

_SHOWN_PLACES = 8


def failed(n: int, block: Block, path: str | None, code: Code, reason: str, hint: str | None = None) -> BlockResult:
    """A result for a block that does not land."""
    return BlockResult(n, block, path, Status.FAILED, code, reason, hint)


def skipped(n: int, block: Block, path: str | None, code: Code, reason: str, hint: str | None = None) -> BlockResult:
    """A result for a block that was left alone."""
    return BlockResult(n, block, path, Status.SKIPPED, code, reason, hint)


def landed(task: Task, path: str, landing: Landing, versions: Versions) -> BlockResult:
    """The result of an edit of a file's text."""
    match landing:
        case Landed():
            return _applied(task, path, landing, versions)
        case Stands():
            return _stands(task, path, landing, versions)
        case Refused():
            return _refused(task, path, landing, versions)


def _applied(task: Task, path: str, landing: Landed, versions: Versions) -> BlockResult:
    block, hit = task.block, landing.hit
    start, end = line_range(versions.first, versions.back(landing.span, landing.origin))
    after = versions.widened(landing.region, landing.made_in, landing.edits)
    new_start, new_end = line_range(versions.document, after)
    searched = task.request.behind is None
    warnings = _omission(block, path, new_start) if searched else ()
    places = landing.lines if searched and not block.replace_all else ()
    if places and hit.first:
        said = f"The search text stands at lines {_listed(places)}; the first was taken."
        warnings = (*warnings, Diagnostic(Code.FIRST_OF_SEVERAL, said, Severity.WARNING, path, places[0]))
    return BlockResult(
        task.n,
        block,
        path,
        Status.APPLIED,
        tier=hit.tier if searched else None,
        score=hit.score if searched else None,
        start=start,
        end=end,
        new_start=new_start,
        new_end=new_end,
        places=places,
        warnings=warnings,
        made=Made(versions.first, versions.document, after, _changes(landing, versions)),
    )


def told_of_retakes(results: Sequence[BlockResult], of: Mapping[int, int]) -> list[BlockResult]:
    """Results with a warning for each block of which `of` says whose place it may have been meant to take."""
    return [
        replace(result, warnings=(*result.warnings, _retake(result, of[result.n]))) if result.n in of else result
        for result in results
    ]


def _retake(result: BlockResult, earlier: int) -> Diagnostic:
    message = f"Block {earlier} has the same search, and changes a line that this block keeps."
    hint = f"If this block was to take the place of block {earlier}, take that one out."
    return Diagnostic(Code.SAME_SEARCH, message, Severity.WARNING, result.path, result.new_start, hint)


def _changes(landing: Landed, versions: Versions) -> tuple[tuple[Span, Span], ...]:
    return tuple(versions.change(edit, landing.made_in) for edit in landing.edits)


def _omission(block: Block, path: str, line: int | None) -> tuple[Diagnostic, ...]:
    """A warning where the new lines say that others are left out, and nothing of the search stood for those."""
    omitted = omission(block.search, block.replace)
    if omitted is None:
        return ()
    said = f"The new text says that lines are left out: {omitted}"
    return (Diagnostic(Code.ELIDED, said, Severity.WARNING, path, line, "Ask for those lines to be written out."),)


def _stands(task: Task, path: str, landing: Stands, versions: Versions) -> BlockResult:
    start, end = line_range(versions.first, versions.back(landing.span, landing.origin))
    new_start, new_end = line_range(versions.document, versions.forward(landing.span, landing.origin))
    code = reason = None
    if landing.twin is not None:
        code, reason = Code.DUPLICATE, f"Block {landing.twin} of the reply makes the same change."
    elif _changes_nothing(task.block):
        code, reason = (
            Code.NOTHING_TO_CHANGE,
            "The search and the replacement are the same text, and it is in the file.",
        )
    return BlockResult(
        task.n,
        task.block,
        path,
        Status.ALREADY_APPLIED,
        code,
        reason,
        start=start,
        end=end,
        new_start=new_start,
        new_end=new_end,
    )


def _refused(task: Task, path: str, landing: Refused, versions: Versions) -> BlockResult:
    if landing.blocker is not None:
        return failed(
            task.n,
            task.block,
            path,
            Code.CONFLICT,
            f"Block {landing.blocker} of the reply changes the same lines differently.",
            "Make one block of the two.",
        )
    match landing.found.outcome:
        case Ambiguous(tier=tier):
            readings = len(landing.found.readings)
            return replace(_ambiguous(task, path, landing.lines, readings), tier=tier, places=landing.lines)
        case NoMatch(code=code, reason=reason, hint=hint, nearest=nearest):
            result = failed(task.n, task.block, path, code, reason, hint)
            return replace(_worded(result, versions.first), nearest=nearest)
        case _:
            return failed(task.n, task.block, path, Code.CONFLICT, "An earlier block changes the place of this edit.")


def _ambiguous(task: Task, path: str, lines: tuple[int, ...], readings: int) -> BlockResult:
    if readings > 1:
        where = f"lines {_listed(lines)}" if len(lines) > 1 else f"line {lines[0]}"
        reason = f"The block can be read in {readings} ways, and the file has the text of each, at {where}."
        hint = "Write the block with markers of another length, so that its divider is plain."
    elif len(lines) == 1:
        reason, hint = f"Line {lines[0]} holds the search text more than once.", "Quote more of the line."
    else:
        reason = f"The search text stands at lines {_listed(lines)}."
        hint = "Quote a neighbouring line that only the right place has."
    return failed(task.n, task.block, path, Code.AMBIGUOUS, reason, hint)


def _worded(result: BlockResult, document: Text) -> BlockResult:
    """Say which part of an anchored block failed, and what an edit that changes nothing may have meant."""
    block = result.block
    if _changes_nothing(block):
        reason = "The search and the replacement are the same text, and the file does not have it."
        return replace(result, reason=reason, hint="Say in the replacement what should stand there.")
    if result.code is not Code.NO_MATCH or block.parts is None:
        return result
    part = failing_part(document, block.parts)
    return replace(result, code=part.code, reason=part.reason, hint=part.hint) if part is not None else result


def _changes_nothing(block: Block) -> bool:
    return block.last_end is None and all(reading.search == reading.replace for reading in block.readings)


def _listed(lines: tuple[int, ...]) -> str:
    shown = [str(line) for line in lines[:_SHOWN_PLACES]]
    if len(lines) > _SHOWN_PLACES:
        return ", ".join(shown) + f" and {len(lines) - _SHOWN_PLACES} more"
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)
