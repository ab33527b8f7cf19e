"""Lands the edits that wait for a file, on the file as it is. Every edit of a text comes through here.

Most replies take the short way: each edit has one place, apart from the others, and all are made at once. What
overlaps, depends on an edit before it, or could stand in several places goes through `sequence`. Where the model saw
another text than the file has, `stale` lands the edits in that one and carries them over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from dovetail.match import Document, Match
from dovetail.model.codes import Code, Severity, Tier
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult
from dovetail.model.text import IndexedText, apply_edits
from dovetail.plan.landings import Afterwards
from dovetail.plan.locator import Locator
from dovetail.plan.report import landed, landed_apart
from dovetail.plan.request import EditRequest
from dovetail.plan.sequence import land_in_sequence
from dovetail.plan.stale import land_stale

_QUOTES_A_FILE = 3  # lines of a search that is taken for a whole file's text


def land_edits(text: str | None, seen: str | None, requests: Sequence[EditRequest], locator: Locator) -> Afterwards:
    """Land the edits that wait for a file, in the reply's order, and return their results and the file's new text.

    text: the file's text; None if there is no file. seen: the text that the model saw, if it is another.
    """
    exists, text = text is not None, text or ""
    if seen is not None:
        after = land_stale(seen, text, requests, locator)
    elif (apart := _land_each_in_place(locator.document(text), requests, locator)) is not None:
        return apart
    else:
        landings, versions = land_in_sequence(locator.document(text), requests, locator)
        results = [landed(request, landings[request.n], versions, locator.language) for request in requests]
        after = Afterwards(results, versions.document.raw)
    missed = len(requests) == 1 and after.results[0].code is Code.NO_MATCH
    return _filled(requests[0], text) or after if missed and exists else after


def _land_each_in_place(document: Document, requests: Sequence[EditRequest], locator: Locator) -> Afterwards | None:
    """Land edits that have one place each, apart from each other, and if several, all exact; None for other edits.

    A short cut: `sequence` would do the same.
    """
    hits: list[tuple[Match, EditRequest]] = []
    # An edit alone that takes too much work fails here (`TooMuchWorkError`), and `sequence` need not look for it
    # again.
    find = locator.find if len(requests) == 1 else locator.find_or_miss
    for request in requests:
        hit = find(document, request).outcome
        # a miss, several places, or nothing left to change: other edits, or the order of all, may decide
        if not isinstance(hit, Match) or hit.others or not hit.edits or request.behind is not None:
            return None
        # the match is loose, and an earlier edit may bring in the exact search; `sequence` checks that
        if len(requests) > 1 and (hit.tier is not Tier.EXACT or request.block.replace_all):
            return None
        hits.append((hit, request))
    ordered = sorted(hits, key=lambda one: (one[0].span.start, one[0].span.end))
    for (above, _), (below, request) in pairwise(ordered):
        # Overlapping regions, or two changes that meet at one point (new lines below `a` and new lines above the `b`
        # that follows it): `pending` decides what is shared and what comes first.
        if above.span.end > below.span.start or above.edits[-1].span.end == below.edits[0].span.start:
            return None
        # hunks of a patch are in the file's order; otherwise they may have been found at copies of their places
        if request.block.follows and ordered != hits:
            return None
    after = Document(apply_edits(document.raw, [edit for hit, _ in ordered for edit in hit.edits]))
    results: dict[int, BlockResult] = {}
    moved = 0
    for hit, request in ordered:
        results[request.n] = landed_apart(request, hit, document, after, moved)
        moved += sum(len(edit.text) - len(edit.span) for edit in hit.edits)
    return Afterwards([results[request.n] for request in requests], after.raw)


def _filled(request: EditRequest, text: str) -> Afterwards | None:
    """Land a file's only edit although its search was not found: the file is blank, and the edit quotes much.

    The model believed that the file had text; in a blank file nothing is lost and no other place is possible.
    """
    block, new = request.block, request.block.replace
    quoted = sum(1 for line in IndexedText(block.search).lines if line.strip())
    if text.strip() or block.inline or quoted < _QUOTES_A_FILE or not new.strip():
        return None
    message = "The file is blank; the replacement became its text."
    warning = Diagnostic(Code.APPENDED, message, Severity.WARNING, request.path)
    return Afterwards([replace(request.wrote(text, new), warnings=(warning,))], new)
