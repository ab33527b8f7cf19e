"""Judges every edit of a plan: by the guards, and by whether its match is as sure as the policy wants.

Decides what follows from a guard's finding: the edit is refused, or its result has a warning. The first line that no
longer parses is found once per file, and blamed on one edit of that file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from dovetail.guards import Echo, Impact, all_guards, edited_region, whole_regions
from dovetail.model.blocks import Block, Kind, Reading
from dovetail.model.codes import Code, NewErrors, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, Effect, FileChange
from dovetail.model.text import IndexedText
from dovetail.plan.request import Rejected
from dovetail.text.line import distinctive, worded_lines


class Shortened(NamedTuple):
    """An edit to plan again as `block`: without some of its new lines, or with plain signs, and with a warning.

    If the edit was shortened before, it gets `refusal` instead.
    """

    block: Block
    warning: Diagnostic
    refusal: Rejected


def judge(
    results: Sequence[BlockResult],
    changes: Sequence[FileChange],
    language: Language,
    policy: Policy,
    ascii_only: Set[str] = frozenset(),
) -> tuple[tuple[BlockResult, ...], dict[int, Rejected], dict[int, Shortened]]:
    """Return the results with the guards' warnings, and by edit number the refusals and the shortened edits.

    ascii_only: paths of the files whose encoding is not known.
    """
    errors = _new_errors(results, changes, language, policy)
    by_path = {change.path: change for change in changes}
    lost: dict[str, frozenset[str]] = {}
    refused: dict[int, Rejected] = {}
    shortened: dict[int, Shortened] = {}
    judged: list[BlockResult] = []
    for result in results:
        why: Rejected | Shortened | None = None
        # an edit that is made already has no effect to judge, but another edit of the reply may undo it
        if result.status is Status.STANDS_ALREADY and result.path in by_path:
            why = _taken_away(result, by_path[result.path], lost)
        elif result.status is Status.FITS and result.effect is not None:
            # an unsure place is refused first: what the guards would say about it does not matter
            why = _unsure(result, policy)
            if why is None and result.path in ascii_only:
                why = _inside_character(result)
            if why is None:
                result, why = _judged(result, result.effect, errors.get(result.n), language, policy)
        if isinstance(why, Shortened):
            shortened[result.n] = why
        elif why is not None:
            refused[result.n] = why
        judged.append(result)
    return tuple(judged), refused, shortened


def _judged(
    result: BlockResult, effect: Effect, error: int | None, language: Language, policy: Policy
) -> tuple[BlockResult, Rejected | Shortened | None]:
    """Run the guards on one edit. `error` is the line that does not parse any more because of it."""
    before, after = effect.before.raw, effect.after.raw
    if effect.whole:
        regions = whole_regions(before, after)
    else:
        regions = tuple([edited_region(before, after, was, now) for was, now in effect.spans])
    impact = Impact(
        result.path or "",
        None if effect.creates else before,
        after,
        regions,
        [line for region in regions for line in region.added],
        search="" if effect.whole else result.block.search,
        sent=result.block.replace,
        whole=effect.whole,
        listing=result.block.format == "whole",
        error=error,
        language=language,
    )
    new = "\n".join(impact.added)
    lowered = new.lower()
    # the first refusal wins, so the table's order is the order of importance; warnings add up
    for guard in all_guards():
        if not guard.concerns(impact, new, lowered) or (finding := guard.check(impact)) is None:
            continue
        strict = guard.code is Code.NEW_SYNTAX_ERROR and policy.new_errors is NewErrors.REFUSE
        if (guard.refuses or strict) and guard.code not in policy.accept:
            refusal = Rejected(guard.code, finding.reason, finding.hint)
            # only an edit without the repeated lines can be meant: plan once more without them
            if finding.echo is not None and (shorter := _without(result.block, finding.echo)) is not None:
                return result, Shortened(shorter, _left_out(guard.code, result, finding.echo), refusal)
            # likewise, signs that only look like signs of code can only be meant as those
            if finding.plain is not None and (plain := _in_plain_signs(result.block, finding.plain)) is not None:
                reason, hint = f"{finding.reason} It is written with plain ones.", "Check these lines."
                mended = Diagnostic(guard.code, reason, Severity.WARNING, result.path, finding.line, hint)
                return result, Shortened(plain, mended, refusal)
            return result, refusal
        warning = Diagnostic(guard.code, finding.reason, Severity.WARNING, result.path, finding.line, finding.hint)
        result = replace(result, warnings=(*result.warnings, warning))
    return result, None


def _without(block: Block, echo: Echo) -> Block | None:
    """Return a block without new lines that the file has beside it; None if some reading of it does not hold them."""
    texts = [echo.left_out(reading.replace) for reading in block.readings]
    if block.parts is not None or block.target is not None or block.kind is not Kind.EDIT or block.replace_all:
        return None
    readings = tuple(Reading(r.search, text) for r, text in zip(block.readings, texts, strict=True) if text is not None)
    if len(readings) < len(texts) or any(reading.search == reading.replace for reading in readings):
        return None
    return replace(block, replace=readings[0].replace, readings=readings)


def _in_plain_signs(block: Block, plain: Callable[[str], str]) -> Block | None:
    """Return a block with each new line made plain; None if it names its place by other means than its text."""
    if block.parts is not None or block.target is not None:
        return None
    texts = ["\n".join(map(plain, reading.replace.split("\n"))) for reading in block.readings]
    if texts == [reading.replace for reading in block.readings]:
        return None
    readings = tuple(Reading(r.search, text) for r, text in zip(block.readings, texts, strict=True))
    return replace(block, replace=texts[0], readings=readings)


def _left_out(code: Code, result: BlockResult, echo: Echo) -> Diagnostic:
    where, side = ("begins", "above") if echo.first else ("ends", "below")
    line = next((line.strip() for line in echo.lines if distinctive(line)), "")
    line = line or next((line.strip() for line in echo.lines if line.strip()), "")
    reason = f"The new text {where} with what stands right {side} the edit, which is not added once more: {line[:120]}"
    return Diagnostic(code, reason, Severity.WARNING, result.path, hint="Check that the lines are meant once.")


def _unsure(result: BlockResult, policy: Policy) -> Rejected | None:
    """Return the refusal of an edit whose match is less sure than the policy wants."""
    if result.tier is None or result.tier.confidence.at_least(policy.min_confidence):
        return None
    at = f"line {result.start}" if result.start == result.end else f"lines {result.start} to {result.end}"
    reason = (
        f"The edit fits {at} only at the tier `{result.tier}`, whose confidence is {result.tier.confidence}, "
        f"and `{policy.min_confidence}` is asked for."
    )
    return Rejected(Code.LOW_CONFIDENCE, reason, "Copy the search text from the file, letter for letter.")


def _inside_character(result: BlockResult) -> Rejected | None:
    """Return the refusal of an edit that begins or ends right after a byte beyond ASCII, in a file whose encoding is
    not
    known: in some encodings, what looks like an ASCII sign there is the second half of a character."""
    effect = result.effect
    if effect is None:
        return None
    before, after = effect.before.raw, effect.after.raw
    borders = [(before, at) for was, _ in effect.spans for at in (was.start, was.end)]
    for text, at in (*borders, (after, effect.region.start)):
        if 0 < at < len(text) and not text[at - 1].isascii() and text[at] not in "\r\n":
            line = IndexedText(text).line_at(at) + 1
            reason = f"The edit begins or ends inside line {line}, right behind a byte that is not ASCII."
            return Rejected(Code.ENCODING, reason, "Quote whole lines, or name the file's encoding with --encoding.")
    return None


def _taken_away(result: BlockResult, change: FileChange, lost: dict[str, frozenset[str]]) -> Rejected | None:
    """Return the refusal of an edit counted as made already, if another edit of the reply takes its lines away again.

    lost: the lines with words that each change takes from its file; filled in when first needed.
    """
    if result.code is not None or result.block.kind is not Kind.EDIT:
        return None
    if change.path not in lost:
        lost[change.path] = frozenset(worded_lines(change.before or "")).difference(worded_lines(change.after or ""))
    line = next((line for line in worded_lines(result.block.replace) if line in lost[change.path]), None)
    if line is None:
        return None
    reason = f"The change is in the file already, and another edit of the reply takes it away: {line}"
    return Rejected(Code.CONFLICT, reason, "Make one edit of the two.")


def _new_errors(
    results: Sequence[BlockResult], changes: Sequence[FileChange], language: Language, policy: Policy
) -> Mapping[int, int]:
    """Return the first line that no longer parses, by the number of each edit to blame for it. Where the policy
    refuses syntax errors, all of each text is parsed."""
    blamed: dict[int, int] = {}
    for change in changes if language is not NO_SYNTAX else ():
        if change.after is None:
            continue
        effects = [result.effect for result in results if result.path == change.path and result.effect is not None]
        # The effect of a rewrite, or of edits that were landed on their own, counts characters of other texts than
        # these: what changed is not known then, and all of the text is parsed.
        alike = all(e.before.raw == change.before and e.after.raw == change.after and not e.whole for e in effects)
        known = alike and policy.new_errors is not NewErrors.REFUSE
        changed = [now for effect in effects for _, now in effect.spans] if known else []
        line = language.new_error(change.path, change.before, change.after, changed)
        if line is not None:
            blamed |= dict.fromkeys(_blamed(results, change.path, line), line)
    return blamed


def _blamed(results: Sequence[BlockResult], path: str, line: int) -> tuple[int, ...]:
    """Return the edits whose new lines hold the error; if none does, those that border on it, or else all."""
    there = [r for r in results if r.path == path and r.status is Status.FITS]
    ranges = [(r.n, r.new_start, r.new_end) for r in there if r.new_start is not None and r.new_end is not None]
    # a bracket that an edit leaves open is reported at the line below it
    for margin in (0, 1):
        hits = tuple(n for n, first, last in ranges if first - margin <= line <= max(first, last) + margin)
        if hits:
            return hits
    return tuple(r.n for r in there)
