"""Lands the edits that wait for one file, in its text as it is or as the model saw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from dovetail.match import Clash, Document
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic, Difference
from dovetail.model.results import BlockResult, Effect, Lines
from dovetail.model.text import Span, Text
from dovetail.plan.edits.landings import Landed, Refused, Stands, one_version_later
from dovetail.plan.edits.locator import Locator
from dovetail.plan.edits.sequence import land
from dovetail.plan.edits.stale import Carried, carry, kept, said, spoken_of
from dovetail.plan.edits.versions import Versions, line_range
from dovetail.plan.files.shelf import Sheet
from dovetail.plan.outcomes import Rejected
from dovetail.plan.report import landed
from dovetail.plan.request import Request

_QUOTES_A_FILE = 3  # lines of a search that is taken for a whole file's text


class Afterwards(NamedTuple):
    """What comes of edits that waited: their results, the file's text, and that one as the model takes it to be."""

    results: list[BlockResult]
    text: str
    seen: str | None = None


def land_waiting(sheet: Sheet, requests: Sequence[Request], locator: Locator) -> Afterwards:
    """Land the requests, in the reply's order."""
    text, seen = sheet.text or "", sheet.stale
    if seen is not None:
        after = _land_stale(seen, text, requests, locator)
    else:
        landings, versions = land(locator.document(text), requests, locator)
        results = [landed(request, landings[request.n], versions) for request in requests]
        after = Afterwards(results, versions.document.raw)
    missed = len(requests) == 1 and after.results[0].code is Code.NO_MATCH
    return _filled(requests[0], text) or after if missed and sheet.text is not None else after


def _filled(request: Request, text: str) -> Afterwards | None:
    """A file's only edit, which was not found, made all the same: the file is blank, and the edit quotes much.

    The model believed that something was there; in a blank file nothing is lost and no other place is possible.
    """
    block, new = request.block, request.block.replace
    quoted = sum(1 for line in Text(block.search).lines if line.strip())
    if text.strip() or block.inline or quoted < _QUOTES_A_FILE or not new.strip():
        return None
    message = "The file is blank; the replacement became its text."
    warning = Diagnostic(Code.APPENDED, message, Severity.WARNING, request.path)
    return Afterwards([replace(request.wrote(text, new), warnings=(warning,))], new)


def _land_stale(seen: str, text: str, requests: Sequence[Request], locator: Locator) -> Afterwards:
    """Land in the seen text and carry over; what is not found there is landed in the file's text, behind the others,
    and so is what goes behind the end, which is the file's own."""
    results: dict[int, BlockResult] = {}
    while True:
        trying = [request for request in requests if request.n not in results and request.behind is None]
        landings, versions = land(locator.document(seen), trying, locator)
        carried = carry(landings, versions, text, locator.policy.conflicts)
        if isinstance(carried, Carried):
            break
        for clash, numbers in carried.clashes:
            torn = (request for request in trying if request.n in numbers)
            results = {request.n: _conflict(request, clash, text) for request in torn} | results
    placed = {n: landing for n, landing in landings.items() if not isinstance(landing, Refused)}
    late = [request for request in requests if request.n not in results and request.n not in placed]
    behind, newest = land(locator.document(carried.text), late, locator)
    own = newest.preceded_by(locator.document(text), carried.edits)
    for request in requests:
        if request.n in placed:
            results[request.n] = _carried_result(request, placed[request.n], versions, carried, own)
        elif request.n in behind:
            result = landed(request, one_version_later(behind[request.n]), own)
            results[request.n] = _overtaken(result, locator.document(seen))
    return Afterwards([results[request.n] for request in requests], newest.document.raw, versions.document.raw)


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


def _carried_result(
    request: Request, landing: Landed | Stands, versions: Versions, carried: Carried, own: Versions
) -> BlockResult:
    """The result of an edit that landed in the seen text, told in the file's own lines.

    `own` begins with the file's text, and has that with the carried edits as version 1.
    """

    def told(seen: Span) -> tuple[Span, Span]:
        here = carried.origin.outer(seen)
        return here, own.forward(own.drifts[0].outer(here), 1)

    def changed(here: Span) -> bool:
        met = own.drifts[0].outer(here)
        return here.of(own.first.raw) != met.of(carried.text)

    here, after = told(versions.back(landing.span, landing.origin))
    lines, new_lines = line_range(own.first, here), line_range(own.document, after)
    result = _at(landed(request, landing, versions), lines, new_lines)
    if isinstance(landing, Stands):
        return result
    changes = tuple(told(versions.change(edit, landing.made_in)[0]) for edit in landing.edits)
    spoken = spoken_of(landing, versions)
    places = [carried.origin.outer(place) for place in spoken]
    if not any(map(changed, places)):
        result = replace(result, status=Status.ALREADY_APPLIED, effect=None)
        return _dropped(result, carried.clashes, [was for was, _ in changes], own.first)
    result = replace(result, effect=Effect(own.first, own.document, after, changes))
    if not any(map(carried.origin.touches, spoken)):
        return result
    message = "The file changed here since the model saw it; the edit was merged with that change."
    if any(clash.ours.touches(at) for clash in carried.clashes for at in places):
        message = "The file changed the same lines since the model saw it; the conflict was settled as asked."
    warning = Diagnostic(Code.MERGED, message, Severity.WARNING, request.path, lines[0])
    return replace(result, warnings=(*result.warnings, warning))


def _at(result: BlockResult, lines: Lines, new_lines: Lines) -> BlockResult:
    return replace(result, start=lines[0], end=lines[1], new_start=new_lines[0], new_end=new_lines[1])


def _dropped(result: BlockResult, clashes: Sequence[Clash], changes: Sequence[Span], file: Text) -> BlockResult:
    """What came to nothing, told as left out where that is because the user's side of a conflict was to be kept."""
    clash = next((clash for clash in clashes for span in changes if _touch(clash.ours, span)), None)
    if clash is None:
        return result
    reason, hint = kept(clash, file.raw)
    return replace(result, status=Status.SKIPPED, code=Code.STALE, reason=reason, hint=hint, tier=None, score=None)


def _touch(one: Span, other: Span) -> bool:
    """Whether two spans share a character; an empty one need only touch."""
    return one.meets(other) if len(one) and len(other) else one.touches(other)


def _conflict(request: Request, clash: Clash, text: str) -> BlockResult:
    return request.failed(Rejected(Code.STALE, *said(clash, text)), line_range(Text(text), clash.ours))
