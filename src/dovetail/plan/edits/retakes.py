"""Edits with one search at one place, of which a later one keeps a line that an earlier one changes.

Models quote a stretch twice to change a line of it each time; then both changes are meant. They also write an edit
again to correct it, and then the first one was not. Nothing tells which, so both are made, and it is worth a warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dovetail.match import Needle
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult
from dovetail.model.text import Span, split_lines
from dovetail.plan.edits.landings import Landing, Refused
from dovetail.plan.request import Request, searches
from dovetail.text.linediff import diff

_Hunk = tuple[int, int, tuple[str, ...]]


def with_retakes(
    results: list[BlockResult], requests: Sequence[Request], landings: Mapping[int, Landing]
) -> list[BlockResult]:
    """The results of some edits, with a warning on each later one that may have been meant to take another's place."""
    earlier = _retakes(requests, landings) if len(requests) > 1 else {}
    return [_warned(result, earlier[result.n]) if result.n in earlier else result for result in results]


def _warned(result: BlockResult, earlier: int) -> BlockResult:
    message = f"Block {earlier} has the same search, and changes a line that this block keeps."
    hint = f"If this block was to take the place of block {earlier}, take that one out."
    warning = Diagnostic(Code.SAME_SEARCH, message, Severity.WARNING, result.path, result.new_start, hint)
    return replace(result, warnings=(*result.warnings, warning))


def _retakes(requests: Sequence[Request], landings: Mapping[int, Landing]) -> dict[int, int]:
    """The numbers of such later blocks, each with that of the first block of which it keeps a line."""
    there: dict[Span, list[Request]] = {}
    for request in requests:
        landing = landings[request.n]
        if request.behind is None and not isinstance(landing, Refused) and landing.origin == 0:
            there.setdefault(landing.span, []).append(request)
    groups: dict[tuple[Span, tuple[str, ...]], dict[tuple[Needle, ...], int]] = {}
    for place, several in there.items():
        for request in several if len(several) > 1 else ():
            groups.setdefault((place, tuple(searches(request.block))), {}).setdefault(request.needles, request.n)
    found: dict[int, int] = {}
    for group in groups.values():
        made: dict[_Hunk, int] = {}
        for needles, n in group.items() if len(group) > 1 else ():
            own = _hunks(needles[0])
            left_out = [earlier for hunk, earlier in made.items() if hunk not in own]
            if left_out:
                found[n] = min(left_out)
            made = {**dict.fromkeys(own, n), **made}
    return found


def _hunks(needle: Needle) -> list[_Hunk]:
    """What an edit does to lines of its search: the first that goes, one behind the last, and what comes instead."""
    old, new = split_lines(needle.search), split_lines(needle.replace)
    return [(hunk.a1, hunk.a2, tuple(new[hunk.b1 : hunk.b2])) for hunk in diff(old, new) if hunk.a1 < hunk.a2]
