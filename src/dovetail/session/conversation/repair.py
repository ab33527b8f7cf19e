"""Decides what to ask a model about failed edits, and when to stop.

The order of steps: the diagnosis of the failed edits, at most N times; the definitions around their places; each file
whole; then the user decides. A round that fails the same way as the one before is the last with a diagnosis. After a
reply with code and no edit the model is asked for edits once. `llm.retry_texts` has the texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from dovetail.context import enclosing
from dovetail.formats.fences import NO_FILES
from dovetail.llm.retry_texts import (
    LONGEST_MESSAGE,
    Excerpt,
    Failure,
    Others,
    form_message,
    repair_message,
    whole_message,
    wider_message,
)
from dovetail.model.codes import Code, Status
from dovetail.model.results import BlockResult
from dovetail.session.apply.applying import Prepared
from dovetail.session.apply.correction import failure_of, lines_between
from dovetail.session.conversation.rounds import Step
from dovetail.session.conversation.turn_events import End
from dovetail.syntax import language_of
from dovetail.text.languages import known_languages

_AROUND = 15  # lines shown at either side of a place that no definition encloses
_LONGEST_DEFINITION = 200  # lines
_MAX_PLACES = 3  # of an ambiguous edit


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The next step, its message, and the failures that it is about."""

    step: Step
    message: str
    failures: tuple[BlockResult, ...]


class Escalation:
    """The steps of one turn after its first reply: which comes next, and when to stop.

    most: how often the diagnosis is sent before the last resorts; with 0 nothing is asked again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked = 0
        self._before: Sequence[BlockResult] = ()
        self._whole: set[str] = set()

    def next(self, prepared: Prepared, failures: Sequence[BlockResult], first: int) -> FollowUp | End:
        """Return what to ask about these failures, or why to stop. first: the newest reply's first block's number."""
        if self._most <= 0:
            return End.ROUNDS
        repeated = same_failures(self._before, failures)
        # Steps count through: up to `most` the diagnosis, `most + 1` the definitions, above that one whole file each.
        if repeated and self._asked < self._most:
            self._asked = self._most  # the diagnosis does not help, so more of the file is shown
        self._before = failures
        self._asked += 1
        if self._asked <= self._most:
            return ask_again(prepared, failures, first)
        if self._asked == self._most + 1:
            excerpts = list(dict.fromkeys(shown for result in failures for shown in _excerpts(prepared, result)))
            again = [Failure(known) for known in _numbered(prepared, failures, first)]
            return FollowUp(Step.WIDER, wider_message(again, excerpts), tuple(failures))
        follow_up = _ask_for_file(prepared, failures, self._whole)
        if follow_up is None:
            return End.REPEATED if repeated else End.ROUNDS
        self._whole.update(result.path for result in follow_up.failures if result.path is not None)
        return follow_up


def same_failures(before: Sequence[BlockResult], now: Sequence[BlockResult]) -> bool:
    """Return whether edits failed the same way twice: for the same files, at the same lines, over the same words."""
    return bool(now) and {_signature(result) for result in before} == {_signature(result) for result in now}


def _signature(result: BlockResult) -> tuple[object, ...]:
    nearest = result.nearest
    if nearest is not None and nearest.line is not None:
        return (result.path, result.code, nearest.line, nearest.expected, nearest.found)
    return (result.path, result.code, result.block.search, result.block.replace if not result.block.search else "")


def ask_again(prepared: Prepared, failures: Sequence[BlockResult], first: int = 1) -> FollowUp:
    """Ask for failed edits again, with their diagnosis. `first` is the number of the newest reply's first block."""
    markers, texts = prepared.markers, prepared.texts
    known = _numbered(prepared, failures, first)
    again = (failure_of(result, texts.get(result.path or ""), markers) for result in known)
    unread = sum(result.code is Code.UNREAD for result in failures)
    # The edits as the model counts them: those of its newest reply, and behind them older failures that it left out.
    total = len(prepared.parsed.blocks) - first + 1 + unread + sum(result.n < first for result in failures)
    released = {result.n for result in failures}
    kept = (result for result in prepared.plan.results if result.n not in released)
    landed = any(result.status in (Status.FITS, Status.STANDS_ALREADY) for result in kept)
    others = Others.HELD if landed else Others.NONE
    return FollowUp(Step.REPAIR, repair_message(again, total, others, numbers=[r.n for r in known]), tuple(failures))


def ask_for_edits(prepared: Prepared, asked: Collection[int], reminder: str) -> FollowUp | None:
    """Ask for the listings of a reply without edits as edits; None if no listing may be meant as one.

    asked: the lines of listings that the person was asked about already. reminder: how edits are written.
    """
    told = {result.block.line: result.reason or "" for result in prepared.plan.missed}
    code = (block.line for block in prepared.parsed.unread if block.is_listing and _names_language(block.fence))
    about = {line: told.get(line, "") for line in sorted({*told, *code}) if line not in asked}
    if not about:
        return None
    missed = tuple(result for result in prepared.plan.missed if result.block.line in about)
    return FollowUp(Step.FORM, form_message(tuple(about.items()), reminder), missed)


def _names_language(word: str) -> bool:
    """Return whether a fence's info word is a language of files, not a shell's."""
    return word not in NO_FILES and (word in known_languages() or language_of(f"x.{word}") is not None)


def _ask_for_file(prepared: Prepared, failures: Sequence[BlockResult], done: Collection[str]) -> FollowUp | None:
    """Ask for the whole of the first failing file that was not asked for yet and fits into a message; else None."""
    for path in dict.fromkeys(result.path for result in failures):
        if path is None or path in done or (text := prepared.texts.get(path)) is None:
            continue
        if len(text) > LONGEST_MESSAGE:
            continue
        mine = tuple(result for result in failures if result.path == path)
        return FollowUp(Step.WHOLE, whole_message(path, text, language_of(path) or ""), mine)
    return None


def _numbered(prepared: Prepared, failures: Sequence[BlockResult], first: int) -> list[BlockResult]:
    """Return the failures numbered as in the newest reply; those of earlier replies are numbered after its blocks."""
    mine = [replace(result, n=result.n - first + 1) for result in failures if result.n >= first]
    others = (result for result in failures if result.n < first)
    count = len(prepared.parsed.blocks) - first + 1
    return [*mine, *(replace(result, n=n) for n, result in enumerate(others, start=count + 1))]


def _excerpts(prepared: Prepared, result: BlockResult) -> Iterator[Excerpt]:
    """Yield the definitions around the places of a failure, or the lines there if there is none, or too long a one."""
    text = prepared.texts.get(result.path or "")
    if result.path is None or text is None:
        return
    if result.places:
        lines = result.places[:_MAX_PLACES]
    else:
        near = result.nearest
        lines = (1 if near is None else near.line or near.start,)
    for line in lines:
        found = enclosing(result.path, text, line)
        if found is not None and found.last_line - found.first_line < _LONGEST_DEFINITION:
            name = ".".join(n for n in (found.class_name, found.function_name) if n) or "it"
            yield Excerpt(result.path, found.first_line, found.last_line, found.code, name)
        else:
            yield lines_between(result.path, text, line - _AROUND, line + _AROUND)
