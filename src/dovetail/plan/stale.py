"""Lands edits in files that changed since the model saw them.

An edit is located in the text that the model saw. One whose own region is untouched since is made where that region
is now, as it is; the others are carried over by a three-way merge (base = seen, ours = the file, theirs = the seen text
with those edits). A true conflict is decided by the policy, and by default refused with both sides.

A diff only says which lines are equal. If a line was changed and a copy of the old line is further on, the copy is
taken for the line; `_moved_in_doubt` notices that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from dovetail.match import AlreadyApplied, Ambiguous, Clash, Document, Match, merge
from dovetail.model.blocks import searches
from dovetail.model.codes import Code, Conflicts, Severity, Status, Tier
from dovetail.model.diagnostics import Diagnostic, Difference
from dovetail.model.language import Language
from dovetail.model.results import BlockResult, Effect, Lines
from dovetail.model.text import Edit, IndexedText, OverlappingEditsError, Span, apply_edits, split_lines, to_lf
from dovetail.plan.landings import Afterwards, Landed, Landing, Present, Refused, one_version_later
from dovetail.plan.locator import Locator
from dovetail.plan.offsets import OffsetMap, Replaced, Versions
from dovetail.plan.pending import side_of
from dovetail.plan.report import landed
from dovetail.plan.request import Dropped, EditRequest, Rejected, Unchanged, Written
from dovetail.plan.sequence import land_in_sequence
from dovetail.text.diff import diff
from dovetail.text.languages import layout_is_grammar
from dovetail.text.line import worded_lines
from dovetail.text.similarity import ratio

_MARKER = 7
_SHOWN = 160  # characters of each side of a conflict in a message
_ALIKE = 0.6  # from this similarity to the quoted line on, an added line may be its new form
_TELLING = 2  # lines with words; so many are not elsewhere by chance


def land_stale(seen: str, text: str, requests: Sequence[EditRequest], locator: Locator) -> Afterwards:
    """Land edits in the text that the model saw, and carry them over to the file's text.

    Three kinds land in the file's text itself, after the rest: edits not found in the seen text, edits that append, and
    edits that quote the file as it is now and not as it was seen.
    """
    results: dict[int, BlockResult] = {}
    quotes_now = {request.n for request in requests if _quotes_now(request, seen, text, locator)}
    # Each round lands and carries over what is left. Edits in a true conflict leave it, to fail or to be looked for
    # in the file as it is now, and each conflict names one at least, so the rounds end.
    while True:
        waiting = (request for request in requests if request.n not in results and request.n not in quotes_now)
        trying = [request for request in waiting if request.behind is None]
        landings, versions = land_in_sequence(locator.document(seen), trying, locator)
        carried = _carry((trying[0].path or "") if trying else "", landings, versions, text, locator.policy.conflicts)
        if isinstance(carried, Carried):
            break
        for clash, numbers in carried.clashes:
            conflicting = [request for request in trying if request.n in numbers]
            if not clash.ours:  # the user deleted the lines; if they are elsewhere now, they were moved there
                quotes_now.update(r.n for r in conflicting if _has_to_the_letter(r, text, locator, _TELLING))
            failed = {r.n: _conflict(r, clash, text) for r in conflicting if r.n not in quotes_now}
            results = failed | results
    placed = {n: landing for n, landing in landings.items() if not isinstance(landing, Refused)}
    # not found in the seen text, or kept for the file as it is now: landed last, in the result of the carried edits
    late = [request for request in requests if request.n not in results and request.n not in placed]
    behind, newest = land_in_sequence(locator.document(carried.text), late, locator)
    # version 0 is the file's text, 1 has the carried edits, and what landed behind them counts from there
    text_versions = newest.preceded_by(locator.document(text), carried.edits)
    for request in requests:
        if request.n in placed:
            results[request.n] = _carried_result(
                request, placed[request.n], versions, carried, text_versions, locator.language
            )
        elif request.n in behind:
            result = landed(request, one_version_later(behind[request.n]), text_versions, locator.language)
            results[request.n] = _overtaken(result, locator.document(seen))
    return Afterwards([results[request.n] for request in requests], newest.document.raw, versions.document.raw)


def _quotes_now(request: EditRequest, seen: str, text: str, locator: Locator) -> bool:
    """Return whether the file now has the exact search in one place, or the edit already, and the seen text does not
    have it exactly: the model knows the file as it is, from another tool or from a formatter's report.

    If the seen text has it exactly, too, its place there counts: the one in the file may be a copy.
    """
    before = locator.find_or_miss(locator.document(seen), request).outcome
    if isinstance(before, Match | Ambiguous) and before.tier is Tier.EXACT:
        return False
    return _has_to_the_letter(request, text, locator)


def _has_to_the_letter(request: EditRequest, text: str, locator: Locator, least: int = 0) -> bool:
    """Return whether a text has the exact search in one place, or has the edit already.

    least: how many lines with words the search must have to count.
    """
    if any(len(worded_lines(search)) < least for search in searches(request.block)):
        return False
    now = locator.find_or_miss(locator.document(text), request).outcome
    return isinstance(now, AlreadyApplied) or (isinstance(now, Match) and now.tier is Tier.EXACT and not now.others)


def _overtaken(result: BlockResult, seen: Document) -> BlockResult:
    """Return a miss, as stale if its first line that differs was added or deleted since the model saw the file.

    Only here is the seen text known; elsewhere a line that differs counts as misremembered by the model.
    """
    nearest = result.nearest
    if nearest is None or nearest.difference is not Difference.MISREMEMBERED:
        return result
    lines, at = split_lines(nearest.corrected), (nearest.line or 0) - nearest.start
    came = 0 <= at < len(lines) and lines[at].strip() not in seen.line_set
    went = nearest.found is None and nearest.expected is not None and nearest.expected.strip() in seen.line_set
    return replace(result, nearest=replace(nearest, difference=Difference.STALE)) if came or went else result


def _carried_result(
    request: EditRequest,
    landing: Landed | Present,
    versions: Versions,
    carried: Carried,
    text_versions: Versions,
    language: Language,
) -> BlockResult:
    """Return the result of an edit that landed in the seen text, with line numbers of the file's own text.

    `text_versions` begins with the file's text, and has that with the carried edits as version 1.
    """

    def places_of(seen: Span) -> tuple[Span, Span]:
        here = carried.origin.outer(seen)
        return here, text_versions.forward(text_versions.maps[0].outer(here), 1)

    def changed(here: Span) -> bool:
        met = text_versions.maps[0].outer(here)
        return here.of(text_versions.first.raw) != met.of(carried.text)

    here, after = places_of(versions.back(landing.span, landing.origin))
    lines, new_lines = text_versions.first.line_range(here), text_versions.document.line_range(after)
    result = _at(landed(request, landing, versions, language), lines, new_lines)
    if isinstance(landing, Present):
        return result
    changes = tuple(places_of(versions.change(edit, landing.made_in)[0]) for edit in landing.edits)
    regions_seen = _regions_of(landing, versions)
    places = [carried.origin.outer(place) for place in regions_seen]
    if not any(map(changed, places)):
        result = replace(result, status=Status.STANDS_ALREADY, effect=None)
        return _dropped(result, carried.clashes, [was for was, _ in changes], text_versions.first)
    result = replace(result, effect=Effect(text_versions.first, text_versions.document, after, changes))
    if not any(map(carried.origin.touches, regions_seen)):
        return result
    message = "The file changed here since the model saw it; the edit was merged with that change."
    if any(clash.ours.touches(at) for clash in carried.clashes for at in places):
        message = "The file changed the same lines since the model saw it; the conflict was settled as asked."
    warning = Diagnostic(Code.MERGED, message, Severity.WARNING, request.path, lines[0])
    return replace(result, warnings=(*result.warnings, warning))


def _at(result: BlockResult, lines: Lines, new_lines: Lines) -> BlockResult:
    return replace(result, start=lines[0], end=lines[1], new_start=new_lines[0], new_end=new_lines[1])


def _dropped(result: BlockResult, clashes: Sequence[Clash], changes: Sequence[Span], file: IndexedText) -> BlockResult:
    """Return the result of an edit that changed nothing, as left out if a conflict kept the user's side there."""
    clash = next((clash for clash in clashes for span in changes if _touch(clash.ours, span)), None)
    if clash is None:
        return result
    reason, hint = _kept_message(clash, file.raw)
    return replace(result, status=Status.LEFT_OUT, code=Code.STALE, reason=reason, hint=hint, tier=None, score=None)


def _touch(one: Span, other: Span) -> bool:
    """Return whether two spans share a character, or touch if one is empty."""
    return one.meets(other) if len(one) and len(other) else one.touches(other)


def _conflict(request: EditRequest, clash: Clash, text: str) -> BlockResult:
    return request.failed(
        Rejected(Code.STALE, *_conflict_message(clash, text)), IndexedText(text).line_range(clash.ours)
    )


class Carried(NamedTuple):
    """The merge. `edits` turn the file's text into `text`; `origin` maps the seen text to the file's text."""

    text: str
    edits: tuple[Edit, ...]
    origin: OffsetMap
    clashes: tuple[Clash, ...] = ()


class Conflicting(NamedTuple):
    """True conflicts, each with the numbers of the blocks that take part in it."""

    clashes: tuple[tuple[Clash, tuple[int, ...]], ...]


def in_ends_of(seen: str, text: str) -> str:
    """Return `seen` with the line ends of `text`, that of the last line included, so that only lines differ."""
    if text and seen and seen[-1] not in "\r\n" and text[-1] in "\r\n":
        seen += "\n"
    elif text and text[-1] not in "\r\n" and split_lines(seen)[-1:] not in ([], [""]):
        seen = seen.removesuffix("\n").removesuffix("\r")
    return apply_edits(text, merge(text, text, seen).edits) if "\r" in text or "\r" in seen else seen


def _carry(
    path: str, landings: Mapping[int, Landing], versions: Versions, text: str, conflicts: Conflicts
) -> Carried | Conflicting:
    """Carry the landings in the seen text (version 0), each by its block's number, over to `text`."""
    seen, file = versions.first.raw, IndexedText(text)
    origin = _offsets_between(versions.first, file)
    hits = {n: landing for n, landing in landings.items() if isinstance(landing, Landed)}
    regions = {n: _regions_of(landing, versions) for n, landing in hits.items()}
    touched = [n for n, own in regions.items() if any(map(origin.touches, own))]
    # a line comparison may have taken a copy for the region: see `_moved_in_doubt`
    doubtful = {
        n: region
        for n, own in regions.items()
        for region in own
        if n not in touched and _moved_in_doubt(region, versions.first, file, origin)
    }
    if doubtful:
        region = next(iter(doubtful.values()))
        return Conflicting(((Clash(origin.inner(region), region.of(seen), ""), tuple(doubtful)),))
    apart = all(landing.origin == 0 for landing in hits.values())  # none depends on another: each is carried over alone
    # Apart, only edits of regions that the user touched need the merge; all others keep their bytes and move with
    # their lines (`_alone`). If one depends on another, their whole result is merged.
    theirs = versions.document.raw
    if apart:
        theirs = apply_edits(seen, dict.fromkeys(edit for n in touched for edit in hits[n].hit.edits))
    merged = merge(seen, text, theirs, layout=layout_is_grammar(path))
    edits = [*merged.edits, *(_alone([hits[n] for n in hits if n not in touched], seen, text, origin) if apart else ())]
    if merged.clashes and conflicts is Conflicts.REFUSE:
        # edits of untouched regions take part in a conflict only if no touched one does
        among = {n: [origin.outer(region) for region in regions[n]] for n in touched or regions}
        return Conflicting(tuple((clash, _involved(clash, among)) for clash in merged.clashes))
    edits += [_resolved(clash, text, conflicts) for clash in merged.clashes if conflicts is not Conflicts.OURS]
    edits.sort(key=attrgetter("span"))
    try:
        return Carried(apply_edits(text, edits), tuple(edits), origin, merged.clashes)
    # an edit of an untouched region overlaps a merged one: neither order of the two is right
    except OverlappingEditsError:
        whole = Clash(Span(0, len(text)), seen, versions.document.raw)
        return Conflicting(((whole, tuple(regions)),))


def _regions_of(landing: Landed, versions: Versions) -> list[Span]:
    """Return the spans of version 0 that an edit is about: its place, and any further ones at which it changes text."""
    place = versions.back(landing.span, landing.origin)
    changed = (versions.back(edit.span, landing.origin) for edit in landing.hit.edits)
    return [place, *(span for span in changed if not place.holds(span))]


def carry_whole(
    path: str, seen: str, text: str, new: Written, conflicts: Conflicts
) -> Written | Unchanged | Dropped | Rejected:
    """Merge a whole new text, written against `seen`, with what the user changed since; `text` is the file's now."""
    merged = merge(seen, text, new.after, layout=layout_is_grammar(path))
    if merged.clashes and conflicts is Conflicts.REFUSE:
        reason, hint = _conflict_message(merged.clashes[0], text)
        return Rejected(Code.STALE, reason, hint)
    resolved = [_resolved(clash, text, conflicts) for clash in merged.clashes if conflicts is not Conflicts.OURS]
    after = apply_edits(text, [*merged.edits, *resolved])
    if after == text:
        return Dropped(*_kept_message(merged.clashes[0], text)) if merged.clashes else Unchanged(Span(0, len(text)))
    message = "The file changed since the model saw it; the new text was merged with that change."
    warning = Diagnostic(Code.MERGED, message, Severity.WARNING, path)
    return new._replace(after=after, seen=new.after, warnings=(*new.warnings, warning))


def _conflict_message(clash: Clash, text: str) -> tuple[str, str]:
    """Return a message about a conflict, with both sides, and a hint."""
    start, end = IndexedText(text).line_range(clash.ours)
    lines, them = (f"Lines {start} to {end}", "them") if end > start else (f"Line {start}", "it")
    reason = (
        f"{lines} changed since the model saw the file, and the edit changes {them} differently: "
        f"the file has {_short(clash.ours.of(text))}, the edit wants {_short(clash.theirs)}."
    )
    return reason, "Make the change in the file as it is now, or set `conflicts` to ours, theirs or markers."


def _kept_message(clash: Clash, text: str) -> tuple[str, str]:
    """Return a message about the dropped side of a conflict, and a hint."""
    reason, _ = _conflict_message(clash, text)
    return f"{reason} The file's own lines were kept, as asked.", "Make the change in the file as it is now."


def _short(text: str) -> str:
    lines = " / ".join(line.strip() for line in IndexedText(text).lines if line.strip())
    if not lines:
        return "nothing"
    return f"`{lines if len(lines) <= _SHOWN else lines[: _SHOWN - 1] + '…'}`"


def _alone(landings: Iterable[Landed], seen: str, text: str, origin: OffsetMap) -> list[Edit]:
    """Return the edits of untouched regions, in offsets of the file's text, without those made there since."""
    # Of insertions at one point the one that quotes the line above goes first (`side_of`). One whose text stands
    # right there now was made by the user meanwhile, unless the seen text had it too: then it is wanted twice.
    found = [
        (side_of(edit.span.start, landing.span), Edit(span, edit.text))
        for landing in landings
        for edit in landing.hit.edits
        for span in (_carried(edit.span, landing.span, origin),)
        if len(span) or not _stands_at(text, span.start, edit.text) or _stands_at(seen, edit.span.start, edit.text)
    ]
    return list(dict.fromkeys(edit for _, edit in sorted(found, key=lambda item: (item[1].span, item[0]))))


def _stands_at(text: str, at: int, new: str) -> bool:
    """Return whether inserted lines are already right above or right below offset `at`."""
    return text.startswith(new, at) or text.endswith(new, 0, at)


def _carried(span: Span, region: Span, origin: OffsetMap) -> Span:
    """Map an edit's span to the file's text. An insertion stays beside the lines that its block quotes (`region`)."""
    if len(span):
        return origin.inner(span)
    at = origin.forward(span.start, right=span.start != region.end)
    return Span(at, at)


def _involved(clash: Clash, regions: Mapping[int, list[Span]]) -> tuple[int, ...]:
    """Return the blocks that have a region in the conflict, or all blocks if none has."""
    found = [n for n, own in regions.items() if any(map(clash.ours.touches, own))]
    return tuple(found or regions)


def _resolved(clash: Clash, text: str, conflicts: Conflicts) -> Edit:
    end = IndexedText(text).main_end
    theirs = clash.theirs.replace("\n", end)
    if conflicts is Conflicts.THEIRS:
        return Edit(clash.ours, theirs)
    ours = clash.ours.of(text)
    if ours and not to_lf(ours).endswith("\n"):
        ours += end
    open_, middle, close = "<" * _MARKER + " file", "=" * _MARKER, ">" * _MARKER + " reply"
    return Edit(clash.ours, f"{open_}{end}{ours}{middle}{end}{theirs}{close}{end}")


def _offsets_between(seen: IndexedText, text: IndexedText) -> OffsetMap:
    """Return the map from offsets of `seen` to offsets of `text`, by lines; line ends may differ."""
    return OffsetMap(_replaced(seen, text))


def _replaced(seen: IndexedText, text: IndexedText) -> Iterator[Replaced]:
    done = 0
    offset = 0
    for hunk in diff(seen.lines, text.lines):
        yield from _end_replaced(seen, text, range(done, hunk.a1), offset)
        yield Replaced(seen.span(hunk.a1, hunk.a2), len(text.span(hunk.b1, hunk.b2)))
        done, offset = hunk.a2, hunk.b2 - hunk.a2
    yield from _end_replaced(seen, text, range(done, len(seen)), offset)


def _end_replaced(seen: IndexedText, text: IndexedText, lines: range, offset: int) -> Iterator[Replaced]:
    """Return replacements of the line ends, for equal lines whose ends differ in length."""
    if not lines:
        return
    here, there = seen.span(lines.start, lines.stop), text.span(lines.start + offset, lines.stop + offset)
    if len(here) == len(there):
        return
    for line in lines:
        end = text.end_of(line + offset)
        # CR LF became LF, or the reverse: all text after it moves by one character
        if len(seen.end_of(line)) != len(end):
            yield Replaced(Span(seen.content_end(line), seen.starts[line + 1]), len(end))


def _moved_in_doubt(region: Span, seen: IndexedText, text: IndexedText, offsets: OffsetMap) -> bool:
    """Return whether an unchanged region may be a copy, while the original next to it was changed.

    So it may be if both its neighbours are new ones, and lines like its own were added there.
    """
    # The file had `return 1`; the user made it `return 2` and pasted the old form further down. For a comparison of
    # lines the copy is the original, and the edit would change the copy.
    if len(region) == 0:
        return False
    first, last = seen.line_at(region.start), seen.line_at(region.end - 1)
    now = offsets.inner(region)
    here, there = text.line_at(now.start), text.line_at(max(now.start, now.end - 1))
    above = _next_line(seen, range(first - 1, -1, -1)), _next_line(text, range(here - 1, -1, -1))
    below = _next_line(seen, range(last + 1, len(seen))), _next_line(text, range(there + 1, len(text)))
    if any(had is not None and had == has for had, has in (above, below)):
        return False
    quoted = _next_line(seen, range(first, last + 1))
    return quoted is not None and any(ratio(quoted, line) >= _ALIKE for line in _came_in(region, text, offsets))


def _next_line(text: IndexedText, lines: range) -> str | None:
    """Return the first line that is not blank."""
    return next((content for line in lines if (content := text.lines[line].strip())), None)


def _came_in(region: Span, text: IndexedText, offsets: OffsetMap) -> Iterator[str]:
    """Return the lines of the changes that border on a region and brought in more than they took away."""
    moved = 0
    for one in offsets.replaced:
        start = one.span.start + moved
        moved += one.length - len(one.span)
        if one.length > len(one.span) and (one.span.end == region.start or one.span.start == region.end):
            yield from IndexedText(text.raw[start : start + one.length]).lines
