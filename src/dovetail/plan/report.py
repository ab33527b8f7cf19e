"""Turns the outcome of an edit into the result that people and programs read.

The wording and codes of results are here. Line numbers count from 1: `start` and `end` in the file before,
`new_start` and `new_end` in the file after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from dovetail.match import Ambiguous, Match, NoMatch, nearest_text
from dovetail.match.landing.change import Change
from dovetail.match.landing.invariant import left
from dovetail.model.blocks import Parts
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.language import Definition, Language
from dovetail.model.results import BlockResult, Effect
from dovetail.model.text import IndexedText, Span, split_lines
from dovetail.model.work import TooMuchWorkError
from dovetail.plan.landings import Landed, Landing, Present, Refused
from dovetail.plan.locator import Locator
from dovetail.plan.offsets import Versions
from dovetail.plan.request import EditRequest, Rejected
from dovetail.text.document import lines_that_tell_apart

_QUOTING = frozenset((Code.NO_MATCH, Code.LOW_CONFIDENCE, Code.MALFORMED))
"""Failures of an edit that quotes text of its file."""
_SHOWN_PLACES = 8
_NO_DEFINITION = Definition("", "", "", 0, 0, 0)
_MOST_DISTINGUISHED = 4  # places; for more, the sentence would be too long


def landed(request: EditRequest, landing: Landing, versions: Versions, language: Language) -> BlockResult:
    """Return the result of an edit of a file's text. `language` is for naming the definitions around unclear places."""
    match landing:
        case Landed():
            return _applied(request, landing, versions, language)
        case Present():
            return _present(request, landing, versions)
        case Refused():
            return _refused(request, landing, versions.first, language)


def landed_apart(
    request: EditRequest, hit: Match, before: IndexedText, after: IndexedText, moved: int = 0
) -> BlockResult:
    """Return the result of an edit that no other edit of its text touches.

    after: the text with all edits. moved: by how many characters the edits above have moved this one.
    """
    changes: list[tuple[Span, Span]] = []
    start = hit.span.start + moved
    for edit in sorted(hit.edits):
        first = edit.span.start + moved
        changes.append((edit.span, Span(first, first + len(edit.text))))
        moved += len(edit.text) - len(edit.span)
    region = Span(start, hit.span.end + moved)
    start_line, end_line = before.line_range(hit.span)
    new_start, new_end = after.line_range(region)
    return BlockResult(
        request.n,
        request.block,
        request.path,
        Status.FITS,
        tier=hit.tier,
        score=hit.score,
        start=start_line,
        end=end_line,
        new_start=new_start,
        new_end=new_end,
        effect=Effect(before, after, region, tuple(changes)),
    )


def with_nearest(result: BlockResult, text: str | None, locator: Locator) -> BlockResult:
    """Return a miss that was decided without a search in its file, with the piece of the file's text nearest to what
    it quotes.

    A sketch that is not merged is looked for as a whole, and so is a block that cannot be read: `nearest` then names a
    region and no differing line. A block that cannot be read and quotes nothing has none if the likeness is faint.
    """
    block = result.block
    sketched = result.code is Code.ELIDED and not block.search.strip()
    if text is None or result.nearest is not None or not (sketched or result.code in _QUOTING):
        return result
    quoted = block.search if block.search.strip() else block.replace if sketched else ""
    misread = result.code is Code.MALFORMED and not quoted
    search = block.raw if misread else quoted
    try:
        nearest = nearest_text(locator.document(text), search, block.replace) if search.strip() else None
    except TooMuchWorkError:
        return result
    # the whole block was compared, with its markers, so a faint likeness means nothing
    if nearest is not None and misread and not nearest.is_alike:
        nearest = None
    # the compared text is not a search: the region may be shown, but no line of it is called wrong
    elif nearest is not None and (sketched or result.code is Code.MALFORMED):
        nearest = replace(nearest, line=None, expected=None, found=None, sure=False)
    return replace(result, nearest=nearest)


def _applied(request: EditRequest, landing: Landed, versions: Versions, language: Language) -> BlockResult:
    hit, searched = landing.hit, request.behind is None
    span, origin, made_in = landing.span, landing.origin, landing.made_in
    after = versions.widened(versions.forward(span, origin, made_in), made_in, landing.edits)
    changes = tuple(versions.change(edit, made_in) for edit in landing.edits)
    result = request.result(
        Status.FITS,
        lines=versions.first.line_range(versions.back(span, origin)),
        new_lines=versions.document.line_range(after),
        effect=Effect(versions.first, versions.document, after, changes),
    )
    if not searched:
        return result
    result = replace(result, tier=hit.tier, score=hit.score)
    if landing.lines and not request.block.replace_all:
        around, where = _described(landing.lines, request.path or "", versions.first.raw, language)
        result = replace(result, places=landing.lines, enclosing=around)
        if not hit.first:
            return result
        first = _named(result.places[:1], result.enclosing[:1])
        message = f"The search text stands at {where}; {first} was taken."
        hint = "If another place is meant, quote a line beside it."
        warning = Diagnostic(Code.FIRST_OF_SEVERAL, message, Severity.WARNING, request.path, result.places[0], hint)
        return replace(result, warnings=(warning,))
    return result


def _present(request: EditRequest, landing: Present, versions: Versions) -> BlockResult:
    code = reason = None
    if landing.duplicate_of is not None:
        code, reason = Code.DUPLICATE, f"Edit {landing.duplicate_of} makes the same change."
    elif request.changes_nothing:
        code = Code.NOTHING_TO_CHANGE
        reason = "The search and the replacement are the same text, and it is in the file."
    lines = versions.first.line_range(versions.back(landing.span, landing.origin))
    new_lines = versions.document.line_range(versions.forward(landing.span, landing.origin))
    block, rows = request.block, versions.document.lines[new_lines[0] - 1 : new_lines[1]]
    change = Change.of(split_lines(block.search), split_lines(block.replace))
    # The file has its new lines, and also a line that it deletes: it was half made, or this is a copy of its place.
    # Calling it done would silently leave that line in the file.
    if not (block.inline or block.replace_all or len(block.readings) > 1) and left(change, rows):
        reason = "What the edit brings stands in the file, and so does a line that it takes away."
        return request.failed(
            Rejected(Code.CONFLICT, reason, "Copy the lines to be changed from the file as it is now.")
        )
    return request.result(Status.STANDS_ALREADY, code, reason, lines=lines, new_lines=new_lines)


def _refused(request: EditRequest, landing: Refused, file: IndexedText, language: Language) -> BlockResult:
    if landing.blocker is not None:
        reason = f"Edit {landing.blocker} changes the same lines differently."
        failed = request.failed(Rejected(Code.CONFLICT, reason, "Make one edit of the two."))
        return replace(failed, rival=landing.blocker)
    match landing.found.outcome:
        case Ambiguous(tier=tier):
            around, where = _described(landing.lines, request.path or "", file.raw, language)
            result = request.failed(_ambiguous(landing.lines, where, len(landing.found.readings), request, file))
            return replace(result, tier=tier, places=landing.lines, enclosing=around)
        case NoMatch(nearest=nearest) as missed:
            return replace(request.failed(_missed(request, missed, file)), nearest=nearest)
        case _:
            return request.failed(Rejected(Code.CONFLICT, "An earlier edit changes the place of this one."))


@lru_cache(maxsize=8)  # thousands of edits may be refused for the same places
def _described(lines: tuple[int, ...], path: str, text: str, language: Language) -> tuple[tuple[str, ...], str]:
    """Return for each line (from 1) the name of the innermost definition around it, "" if there is none; and
    all of them in words."""
    known = language.definitions(path, text) or ()
    names: dict[int, str] = {}
    around, done = [_NO_DEFINITION], 0  # definitions around the line, the innermost last
    # One walk down the file for all lines. `around` is a stack: `_NO_DEFINITION` at the bottom, the innermost open
    # definition on top. Definitions count lines from 0, `line` counts from 1.
    for line in sorted(set(lines)):
        while done < len(known) and known[done].first_line < line:
            if len(around) == 1 or known[done].first_line != around[-1].first_line:
                around.append(known[done])
            done += 1
        while len(around) > 1 and around[-1].last_line + 1 < line:
            around.pop()
        names[line] = around[-1].qualified
    enclosing = tuple([names[line] for line in lines])
    return enclosing, _named(lines, enclosing)


def _named(lines: Sequence[int], around: Sequence[str]) -> str:
    """Return ``lines 3 and 9, both in `run` `` or ``line 3 in `run` and line 9 in `stop` ``; the first few."""
    names = set(around)
    if len(names) <= 1:
        lead = f"lines {_listed([str(line) for line in lines])}" if len(lines) > 1 else f"line {lines[0]}"
        return lead + (f" in `{around[0]}`" if names != {""} and around else "")
    return _listed([f"line {n} in `{name}`" if name else f"line {n}" for n, name in zip(lines, around, strict=True)])


def _ambiguous(lines: tuple[int, ...], where: str, readings: int, request: EditRequest, file: IndexedText) -> Rejected:
    if readings > 1:
        reason = f"The block can be read in {readings} ways, and the file has the text of each, at {where}."
        hint = "Write the block with markers of another length, so that its divider is plain."
    elif len(lines) == 1:
        reason, hint = f"Line {lines[0]} holds the search text more than once.", "Quote more of the line."
    else:
        reason = f"The search text stands at {where}."
        own = [file.lines[line - 1].strip() for line in lines]
        within = request.block.inline and "\n" not in request.block.search.strip("\n")
        # a run of characters inside lines that differ
        if within and len(lines) == len(set(own)) <= _MOST_DISTINGUISHED:
            shown = "; ".join(f"line {line} is `{text}`" for line, text in zip(lines, own, strict=True))
            hint = f"Quote the whole line: {shown}."
        else:
            hint = f"Quote a neighbouring line that only the right place has.{_distinguished(lines, request, file)}"
    return Rejected(Code.AMBIGUOUS, reason, hint)


def _distinguished(lines: tuple[int, ...], request: EditRequest, file: IndexedText) -> str:
    """Return a sentence on the line that each of a few places has alone; "" if none has one."""
    height = request.block.search.count("\n")
    alone = lines_that_tell_apart(file.lines, lines, height) if len(lines) <= _MOST_DISTINGUISHED else ()
    near = zip(lines, alone, strict=False)
    clauses = [f"line {line} it is line {at}, `{file.lines[at - 1].strip()}`" for line, at in near]
    return f" For {'; for '.join(clauses)}." if clauses else ""


def _missed(request: EditRequest, missed: NoMatch, file: IndexedText) -> Rejected:
    """Return the refusal, with the failed part of an anchored block, or what an edit without a change may mean."""
    parts = request.block.parts
    if request.changes_nothing:
        reason = "The search and the replacement are the same text, and the file does not have it."
        return Rejected(missed.code, reason, "Say in the replacement what should stand there.")
    part = _failing_part(file, parts) if missed.code is Code.NO_MATCH and parts is not None else None
    return part or Rejected(missed.code, missed.reason, missed.hint)


def _listed(places: Sequence[str]) -> str:
    shown = list(places[:_SHOWN_PLACES])
    if len(places) > _SHOWN_PLACES:
        return ", ".join(shown) + f" and {len(places) - _SHOWN_PLACES} more"
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)


def _failing_part(document: IndexedText, parts: Parts) -> Rejected | None:
    """Describe the first part that is not where it should be; None if all are there, in another order or apart."""
    # Each part is searched for after every place of the part before it, so that a leading anchor that the file has
    # twice is no failure by itself. Empty parts match everywhere.
    leading, old, trailing = (split_lines(part) for part in (parts.leading, parts.old, parts.trailing))
    ends = _ends(document.lines, leading, range(len(document) + 1))
    if leading and not ends:
        reason = f"The leading anchor is not in the file: {_missing(document.lines, leading)}"
        return Rejected(Code.ANCHOR_MISSING, reason, "Copy the anchor from the file as it is now.")
    behind = _ends(document.lines, old, ends)
    if old and not behind:
        where = f"behind the leading anchor, at line {ends[0] + 1}" if leading else "in the file"
        reason = (
            f"The old lines are not {where}: {_missing(document.lines[ends[0] :] if leading else document.lines, old)}"
        )
        return Rejected(Code.OLD_DIFFERS, reason, "Copy the old lines from the file as it is now.")
    if trailing and not _ends(document.lines, trailing, behind):
        where = f"behind the old lines, at line {behind[0] + 1}" if leading or old else "in the file"
        rest = document.lines[behind[0] :] if leading or old else document.lines
        reason = f"The trailing anchor is not {where}: {_missing(rest, trailing)}"
        return Rejected(Code.TRAILING_DIFFERS, reason, "Copy the trailing anchor from the file as it is now.")
    return None


def _ends(lines: Sequence[str], part: Sequence[str], starts: Sequence[int]) -> list[int]:
    """Return, for each of `starts` at which the part is, the index of the line after it."""
    size = len(part)
    return [start + size for start in starts if list(lines[start : start + size]) == list(part)]


def _missing(lines: Sequence[str], part: Sequence[str]) -> str:
    """Return the first line of a part that differs from the line at its place, counted from where the file has the
    part's first line, or else from the first of `lines`; the first with text if none differs."""
    shown = [line.strip() for line in part]
    start = lines.index(part[0]) if part[0] in lines else 0
    apart = (line for n, line in enumerate(shown) if line and list(lines[start + n : start + n + 1]) != [part[n]])
    return next(apart, next(filter(None, shown), ""))
