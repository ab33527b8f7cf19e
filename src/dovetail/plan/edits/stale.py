"""Edits of a file that has changed since the model saw it.

The idea: the edits land in the text that the model saw. One whose own region the user left alone is made in the
file's text as it is; the others are carried over by a three-way merge (base = seen, ours = the file, theirs = the
seen text with those edits). A true conflict is decided by the policy, and by default refused with both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

from dovetail.match import Clash, merge
from dovetail.model.codes import Code, Conflicts, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.text import Edit, OverlappingEditsError, Span, Text, apply_edits, split_lines, to_lf
from dovetail.plan.edits.drift import Drift
from dovetail.plan.edits.landings import Landed, Landing
from dovetail.plan.edits.moved import drift_between, moved_in_doubt
from dovetail.plan.edits.pending import side_of
from dovetail.plan.edits.versions import Versions, line_range
from dovetail.plan.outcomes import Dropped, Rejected, Unchanged, Written

_MARKER = 7
_SHOWN = 160  # characters of each side of a conflict in a message


@dataclass(frozen=True, slots=True)
class Carried:
    """The merge. `edits` turn the file's text into `text`; `origin` maps the seen text to the file's text."""

    text: str
    edits: tuple[Edit, ...]
    origin: Drift
    clashes: tuple[Clash, ...] = ()


@dataclass(frozen=True, slots=True)
class Torn:
    """True conflicts, each with the numbers of the blocks that take part in it."""

    clashes: tuple[tuple[Clash, tuple[int, ...]], ...]


def in_ends_of(seen: str, text: str) -> str:
    """`seen` with the line ends of `text`, that of the last line included, so that the two differ in lines only."""
    if text and seen and seen[-1] not in "\r\n" and text[-1] in "\r\n":
        seen += "\n"
    elif text and text[-1] not in "\r\n" and split_lines(seen)[-1:] not in ([], [""]):
        seen = seen.removesuffix("\n").removesuffix("\r")
    return apply_edits(text, merge(text, text, seen).edits) if "\r" in text or "\r" in seen else seen


def carry(landings: Mapping[int, Landing], versions: Versions, text: str, conflicts: Conflicts) -> Carried | Torn:
    """Carry what landed in the seen text (version 0), each by its block's number, over to `text`."""
    seen, file = versions.first.raw, Text(text)
    origin = drift_between(versions.first, file)
    hits = {n: landing for n, landing in landings.items() if isinstance(landing, Landed)}
    regions = {n: spoken_of(landing, versions) for n, landing in hits.items()}
    touched = [n for n, own in regions.items() if any(map(origin.touches, own))]
    doubtful = {
        n: region
        for n, own in regions.items()
        for region in own
        if n not in touched and moved_in_doubt(region, versions.first, file, origin)
    }
    if doubtful:
        region = next(iter(doubtful.values()))
        return Torn(((Clash(origin.inner(region), region.of(seen), ""), tuple(doubtful)),))
    apart = all(landing.origin == 0 for landing in hits.values())  # none depends on another: each is carried over alone
    theirs = versions.document.raw
    if apart:
        theirs = apply_edits(seen, dict.fromkeys(edit for n in touched for edit in hits[n].hit.edits))
    merged = merge(seen, text, theirs)
    edits = [*merged.edits, *(_alone([hits[n] for n in hits if n not in touched], origin) if apart else ())]
    if merged.clashes and conflicts is Conflicts.REFUSE:
        among = {n: [origin.outer(region) for region in regions[n]] for n in touched or regions}
        return Torn(tuple((clash, _involved(clash, among)) for clash in merged.clashes))
    edits += [_settled(clash, text, conflicts) for clash in merged.clashes if conflicts is not Conflicts.OURS]
    edits.sort(key=attrgetter("span"))
    try:
        return Carried(apply_edits(text, edits), tuple(edits), origin, merged.clashes)
    except OverlappingEditsError:
        whole = Clash(Span(0, len(text)), seen, versions.document.raw)
        return Torn(((whole, tuple(regions)),))


def spoken_of(landing: Landed, versions: Versions) -> list[Span]:
    """The text of version 0 that an edit speaks of: its place, and the further ones at which it changes something."""
    place = versions.back(landing.span, landing.origin)
    changed = (versions.back(edit.span, landing.origin) for edit in landing.hit.edits)
    return [place, *(span for span in changed if not place.holds(span))]


def carry_whole(
    path: str, seen: str, text: str, new: Written, conflicts: Conflicts
) -> Written | Unchanged | Dropped | Rejected:
    """Merge a whole new text, written against `seen`, with what the user changed since; `text` is the file's now."""
    merged = merge(seen, text, new.after)
    if merged.clashes and conflicts is Conflicts.REFUSE:
        reason, hint = said(merged.clashes[0], text)
        return Rejected(Code.STALE, reason, hint)
    settled = [_settled(clash, text, conflicts) for clash in merged.clashes if conflicts is not Conflicts.OURS]
    after = apply_edits(text, [*merged.edits, *settled])
    if after == text:
        return Dropped(*kept(merged.clashes[0], text)) if merged.clashes else Unchanged(Span(0, len(text)))
    message = "The file changed since the model saw it; the new text was merged with that change."
    said_so = Diagnostic(Code.MERGED, message, Severity.WARNING, path)
    return replace(new, after=after, seen=new.after, warnings=(*new.warnings, said_so))


def said(clash: Clash, text: str) -> tuple[str, str]:
    """A conflict in words, with both sides, and the next step."""
    start, end = line_range(Text(text), clash.ours)
    lines, them = (f"Lines {start} to {end}", "them") if end > start else (f"Line {start}", "it")
    reason = (
        f"{lines} changed since the model saw the file, and the edit changes {them} differently: "
        f"the file has {_short(clash.ours.of(text))}, the edit wants {_short(clash.theirs)}."
    )
    return reason, "Show the model the file as it is now, or set `conflicts` to ours, theirs or markers"


def kept(clash: Clash, text: str) -> tuple[str, str]:
    """What dropping one side of a conflict came to, in words, and the next step."""
    reason, _ = said(clash, text)
    return f"{reason} The file's own lines were kept, as asked.", "Show the model the file as it is now."


def _short(text: str) -> str:
    lines = " / ".join(line.strip() for line in Text(text).lines if line.strip())
    if not lines:
        return "nothing"
    return f"`{lines if len(lines) <= _SHOWN else lines[: _SHOWN - 1] + '…'}`"


def _alone(landings: Iterable[Landed], origin: Drift) -> list[Edit]:
    """The edits of untouched regions, told in the file's text."""
    found = [
        (side_of(edit.span.start, landing.span), Edit(_carried(edit.span, landing.span, origin), edit.text))
        for landing in landings
        for edit in landing.hit.edits
    ]
    return list(dict.fromkeys(edit for _, edit in sorted(found, key=lambda item: (item[1].span, item[0]))))


def _carried(span: Span, region: Span, origin: Drift) -> Span:
    """An insertion stays with the lines that its block quotes, whatever the user put beside it."""
    if len(span):
        return origin.inner(span)
    at = origin.forward(span.start, right=span.start != region.end)
    return Span(at, at)


def _involved(clash: Clash, regions: Mapping[int, list[Span]]) -> tuple[int, ...]:
    """The blocks of which a region meets the clash; all of them where none does."""
    found = [n for n, own in regions.items() if any(map(clash.ours.touches, own))]
    return tuple(found or regions)


def _settled(clash: Clash, text: str, conflicts: Conflicts) -> Edit:
    end = Text(text).main_end
    theirs = clash.theirs.replace("\n", end)
    if conflicts is Conflicts.THEIRS:
        return Edit(clash.ours, theirs)
    ours = clash.ours.of(text)
    if ours and not to_lf(ours).endswith("\n"):
        ours += end
    open_, middle, close = "<" * _MARKER + " file", "=" * _MARKER, ">" * _MARKER + " reply"
    return Edit(clash.ours, f"{open_}{end}{ours}{middle}{end}{theirs}{close}{end}")
