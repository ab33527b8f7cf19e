"""Edits of a file that has changed since the model saw it.

The idea: the edits land in the text that the model saw. One whose own region the user left alone is made in the
file's text as it is; the others are carried over by a three-way merge (base = seen, ours = the file, theirs = the
seen text with those edits). A true conflict is decided by the policy, and by default refused with both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dovetail.match import Clash, merge
from dovetail.model.codes import Conflicts
from dovetail.model.text import Edit, OverlappingEditsError, Span, Text, apply_edits, to_lf
from dovetail.plan.drift import Drift
from dovetail.plan.moved import drift_between, moved_in_doubt
from dovetail.plan.sequence import Landed, Landing, side_of
from dovetail.plan.versions import Versions

_MARKER = 7


@dataclass(frozen=True, slots=True)
class Carried:
    """The merge. `edits` turn the file's text into `text`; `origin` maps the seen text to the file's text."""

    text: str
    edits: tuple[Edit, ...]
    origin: Drift
    clashes: tuple[Clash, ...] = ()


@dataclass(frozen=True, slots=True)
class Torn:
    """True conflicts, each with the indices of the landings that take part in it."""

    clashes: tuple[tuple[Clash, tuple[int, ...]], ...]


def in_ends_of(seen: str, text: str) -> str:
    """`seen` with the line ends of `text`, so that the two differ in lines only."""
    return apply_edits(text, merge(text, text, seen).edits) if "\r" in text or "\r" in seen else seen


def carry(landings: Sequence[Landing], versions: Versions, text: str, conflicts: Conflicts) -> Carried | Torn:
    """Carry what landed in the seen text (version 0) over to `text`."""
    seen = versions.first.raw
    origin = drift_between(Text(seen), Text(text))
    regions = {i: _region(landing, versions) for i, landing in enumerate(landings) if isinstance(landing, Landed)}
    touched = frozenset(i for i, region in regions.items() if origin.touches(region))
    doubtful = tuple(
        i for i, r in regions.items() if i not in touched and moved_in_doubt(r, versions.first, Text(text), origin)
    )
    if doubtful:
        return Torn(((Clash(_through(origin, regions[doubtful[0]]), _cut(seen, regions[doubtful[0]]), ""), doubtful),))
    apart = versions.latest <= 1  # no edit depends on another, so each can be carried over alone
    theirs = apply_edits(seen, _edits(landings, touched)) if apart else versions.document.raw
    merged = merge(seen, text, theirs)
    edits = [*merged.edits, *(_alone(landings, touched, origin) if apart else ())]
    if merged.clashes and conflicts is Conflicts.REFUSE:
        among = touched or frozenset(regions)
        return Torn(tuple((clash, _involved(clash, regions, among, origin)) for clash in merged.clashes))
    edits += [_settled(clash, text, conflicts) for clash in merged.clashes if conflicts is not Conflicts.OURS]
    try:
        return Carried(apply_edits(text, edits), tuple(edits), origin, merged.clashes)
    except OverlappingEditsError:
        whole = Clash(Span(0, len(text)), seen, versions.document.raw)
        return Torn(((whole, tuple(regions)),))


def _alone(landings: Sequence[Landing], touched: frozenset[int], origin: Drift) -> list[Edit]:
    """The edits of untouched regions, told in the file's text."""
    found = [
        (side_of(edit.span.start, landing.span), Edit(_carried(edit.span, landing.span, origin), edit.text))
        for index, landing in enumerate(landings)
        if isinstance(landing, Landed) and index not in touched
        for edit in landing.edits
    ]
    return list(dict.fromkeys(edit for _, edit in sorted(found, key=lambda item: (item[1].span, item[0]))))


def _carried(span: Span, region: Span, origin: Drift) -> Span:
    """An insertion stays with the lines that its block quotes, whatever the user put beside it."""
    if len(span):
        return _through(origin, span)
    at = origin.forward(span.start, right=span.start != region.end or len(region) == 0)
    return Span(at, at)


def _through(origin: Drift, span: Span) -> Span:
    """An untouched span, told in the file's text."""
    start = origin.forward(span.start, right=True)
    return Span(start, max(start, origin.forward(span.end, right=False)))


def _cut(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _edits(landings: Sequence[Landing], chosen: frozenset[int]) -> list[Edit]:
    found = [edit for i in sorted(chosen) if isinstance(landing := landings[i], Landed) for edit in landing.edits]
    return list(dict.fromkeys(found))


def _region(landing: Landed, versions: Versions) -> Span:
    return versions.back(landing.span, landing.origin)


def _involved(clash: Clash, regions: dict[int, Span], among: frozenset[int], origin: Drift) -> tuple[int, ...]:
    """The landings whose region meets the clash; all of them where none does."""
    found = []
    for index in sorted(among):
        start, end = origin.forward(regions[index].start, right=False), origin.forward(regions[index].end, right=True)
        if start <= clash.ours.end and clash.ours.start <= end:
            found.append(index)
    return tuple(found) or tuple(sorted(among))


def _settled(clash: Clash, text: str, conflicts: Conflicts) -> Edit:
    end = Text(text).main_end
    theirs = clash.theirs.replace("\n", end)
    if conflicts is Conflicts.THEIRS:
        return Edit(clash.ours, theirs)
    ours = text[clash.ours.start : clash.ours.end]
    if ours and not to_lf(ours).endswith("\n"):
        ours += end
    open_, middle, close = "<" * _MARKER + " file", "=" * _MARKER, ">" * _MARKER + " reply"
    return Edit(clash.ours, f"{open_}{end}{ours}{middle}{end}{theirs}{close}{end}")
