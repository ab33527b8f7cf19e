"""Lands the edits that wait for one file, in its text as it is or as the model saw it."""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.match import Clash, Document
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.dataclasses import dataclass, replace
from dovetail.model.diagnostics import Diagnostic, Difference
from dovetail.model.results import BlockResult, Made
from dovetail.model.text import Span, Text
from dovetail.plan.edits.drift import Drift
from dovetail.plan.edits.locator import Locator
from dovetail.plan.edits.retakes import retakes
from dovetail.plan.edits.sequence import Landed, Landing, Refused, Stands, land
from dovetail.plan.edits.stale import Carried, carry, in_ends_of, kept, said
from dovetail.plan.edits.versions import Versions, line_range
from dovetail.plan.files.shelf import Sheet, Task
from dovetail.plan.report import failed, landed, told_of_retakes

_QUOTES_A_FILE = 3  # lines of a search that is taken for a whole file's text


def land_waiting(sheet: Sheet, tasks: Sequence[Task], locator: Locator) -> tuple[list[BlockResult], str]:
    """The results of the tasks, and the file's text afterwards."""
    text = sheet.text or ""
    if sheet.file is not None and sheet.file.seen is not None and sheet.file.seen != text:
        return _land_stale(sheet.path, in_ends_of(sheet.file.seen, text), text, tasks, locator)
    requests = [task.request for task in tasks]
    landings, versions = land(locator.document(text), requests, locator, sheet.path)
    results = [landed(task, sheet.path, landing, versions) for task, landing in zip(tasks, landings, strict=True)]
    return told_of_retakes(results, retakes(requests, landings)), versions.document.raw


def filled(result: BlockResult, text: str) -> tuple[list[BlockResult], str]:
    """A file's only edit that was not found, made all the same where the file is blank and the edit quotes much.

    The model believed that something was there; in a blank file nothing is lost and no other place is possible.
    """
    block = result.block
    quoted = sum(1 for line in Text(block.search).lines if line.strip())
    if text.strip() or block.inline or quoted < _QUOTES_A_FILE or not block.replace.strip():
        return [result], text
    message = "The file is blank; the replacement became its text."
    warning = Diagnostic(Code.APPENDED, message, Severity.WARNING, result.path)
    applied = BlockResult(result.n, block, result.path, Status.APPLIED, start=1, end=0, warnings=(warning,))
    made = Made.whole(text, block.replace)
    return [replace(applied, new_start=1, new_end=len(made.after), made=made)], block.replace


def _land_stale(
    path: str, seen: str, text: str, tasks: Sequence[Task], locator: Locator
) -> tuple[list[BlockResult], str]:
    """Land in the seen text and carry over; what is not found there is landed in the file's text, behind the others,
    and so is what goes behind the end, which is the file's own."""
    torn: dict[int, BlockResult] = {}
    while True:
        trying = [task for task in tasks if task.n not in torn and task.request.behind is None]
        landings, versions = land(locator.document(seen), [task.request for task in trying], locator, path)
        carried = carry(landings, versions, text, locator.policy.conflicts)
        if isinstance(carried, Carried):
            break
        for clash, indices in carried.clashes:
            for index in indices:
                torn.setdefault(trying[index].n, _conflict(trying[index], path, clash, text))
    placed = {
        task.n: landing for task, landing in zip(trying, landings, strict=True) if not isinstance(landing, Refused)
    }
    late = [task for task in tasks if task.n not in torn and task.n not in placed]
    behind, newest = land(locator.document(carried.text), [task.request for task in late], locator, path)
    way = _Way(carried, Drift.of(carried.edits), Text(text), newest)
    results = dict(torn)
    for task in trying:
        if task.n in placed:
            results[task.n] = _carried_result(task, path, placed[task.n], versions, way)
    for task, landing in zip(late, behind, strict=True):
        results[task.n] = _overtaken(_late_result(task, path, landing, way), locator.document(seen))
    again = retakes([task.request for task in trying], landings)
    return told_of_retakes([results[task.n] for task in tasks], again), newest.document.raw


def _overtaken(result: BlockResult, seen: Document) -> BlockResult:
    """A miss, told as stale where its first line that differs is one that came or went since the model saw the file.

    Which text was seen is known here alone; elsewhere a line that differs is one that the model misremembers.
    """
    nearest = result.nearest
    if nearest is None or nearest.difference is not Difference.MISREMEMBERED:
        return result
    came = nearest.found is not None and nearest.found.strip() not in seen.line_set
    went = nearest.found is None and nearest.expected is not None and nearest.expected.strip() in seen.line_set
    return replace(result, nearest=replace(nearest, difference=Difference.STALE)) if came or went else result


@dataclass(frozen=True, slots=True)
class _Way:
    """From the seen text to the file's own, `was`, from there by `onto` to the text with the edits that were carried
    over, and on to that with the late ones: the newest of `late`."""

    carried: Carried
    onto: Drift
    was: Text
    late: Versions

    @property
    def now(self) -> Text:
        """The text with all edits."""
        return self.late.document

    def through(self, seen: Span) -> tuple[Span, Span]:
        """A span of the seen text in the file's own and in the newest."""
        here = self.carried.origin.outer(seen)
        return here, self.late.forward(self.onto.outer(here), 0)


def _carried_result(task: Task, path: str, landing: Landing, versions: Versions, way: _Way) -> BlockResult:
    """The result of an edit that landed in the seen text, told in the file's own lines."""
    result = replace(landed(task, path, landing, versions), made=None)
    region = _region(landing, versions)
    here, after = way.through(region)
    start, end = line_range(way.was, here)
    new_start, new_end = line_range(way.now, after)
    result = replace(result, start=start, end=end, new_start=new_start, new_end=new_end)
    if not isinstance(landing, Landed):
        return result
    carried, text = way.carried, way.was.raw
    own = tuple(way.through(versions.change(edit, landing.made_in)[0]) for edit in landing.edits)
    met = way.onto.outer(here)
    if text[here.start : here.end] == carried.text[met.start : met.end]:
        result = replace(result, status=Status.ALREADY_APPLIED)
        return _dropped(result, carried.clashes, [was for was, _ in own], text)
    result = replace(result, made=Made(way.was, way.now, after, own))
    if not carried.origin.touches(region):
        return result
    message = "The file changed here since the model saw it; the edit was merged with that change."
    if any(clash.ours.start <= here.end and here.start <= clash.ours.end for clash in carried.clashes):
        message = "The file changed the same lines since the model saw it; the conflict was settled as asked."
    warning = Diagnostic(Code.MERGED, message, Severity.WARNING, path, start)
    return replace(result, warnings=(*result.warnings, warning))


def _late_result(task: Task, path: str, landing: Landing, way: _Way) -> BlockResult:
    """The result of an edit that landed in the text with those that were carried over, told in the file's own lines."""
    result = landed(task, path, landing, way.late)
    if isinstance(landing, Refused):
        return result
    start, end = line_range(way.was, way.onto.back.outer(_region(landing, way.late)))
    return replace(result, start=start, end=end)


def _dropped(result: BlockResult, clashes: Sequence[Clash], changes: Sequence[Span], text: str) -> BlockResult:
    """What came to nothing, told as left out where that is because the user's side of a conflict was to be kept."""
    clash = next((clash for clash in clashes for span in changes if _touch(clash.ours, span)), None)
    if clash is None:
        return result
    reason, hint = kept(clash, text)
    return replace(result, status=Status.SKIPPED, code=Code.STALE, reason=reason, hint=hint, tier=None, score=None)


def _touch(one: Span, other: Span) -> bool:
    """Whether two spans share a character; an empty one need only touch."""
    if len(one) and len(other):
        return one.start < other.end and other.start < one.end
    return one.start <= other.end and other.start <= one.end


def _region(landing: Landing, versions: Versions) -> Span:
    match landing:
        case Landed(span=span, origin=origin) | Stands(span=span, origin=origin):
            return versions.back(span, origin)
        case Refused():
            return Span(0, 0)


def _conflict(task: Task, path: str, clash: Clash, text: str) -> BlockResult:
    start, end = line_range(Text(text), clash.ours)
    reason, hint = said(clash, text)
    return replace(failed(task.n, task.block, path, Code.STALE, reason, hint), start=start, end=end)
