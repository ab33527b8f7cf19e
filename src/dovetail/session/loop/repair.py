"""What to tell a model about edits that failed, and when to stop telling it.

The order of steps: the diagnosis of the failed edits, at most N times; the definitions around the places they speak
of; each file whole; the user. A round that fails the same way as the one before ends it at once. Composes messages
out of `llm.repair`'s texts and asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dovetail.context import enclosing
from dovetail.llm.repair import Excerpt, Failure, Others, repair_message, whole_message, wider_message
from dovetail.model.codes import Code, Status
from dovetail.session.loop.correction import failure_of, likely_lines, lines_between
from dovetail.session.loop.steps import End, Step
from dovetail.syntax import language_of

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult
    from dovetail.session.applying.apply import Prepared

USERS_OWN = frozenset({Code.READ_ONLY, Code.UNREADABLE, Code.NOT_IN_CHAT, Code.BINARY, Code.ENCODING})
"""Failures that no other wording of the edit would mend."""

_AROUND = 15  # lines shown at either side of a place that no definition encloses
_LONGEST_DEFINITION = 200


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The next step, and its message."""

    step: Step
    message: str
    failures: tuple[BlockResult, ...]


def repairable(prepared: Prepared) -> tuple[BlockResult, ...]:
    """The failures that the model may mend."""
    return tuple(result for result in prepared.plan.failed if result.code not in USERS_OWN)


class Escalation:
    """The steps of one turn after its first reply: which comes next, and when to stop.

    most: how often the diagnosis goes back before the last resorts; with 0 nothing is asked again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._steps = _steps(most)
        self._before: Sequence[BlockResult] = ()
        self._whole: set[str] = set()

    def next(self, prepared: Prepared, failures: Sequence[BlockResult], first: int) -> FollowUp | End:
        """What to ask for these failures, or why to stop. `first` numbers the newest reply's first block."""
        if self._most <= 0:
            return End.ROUNDS
        if same_failures(self._before, failures):
            return End.REPEATED
        self._before = failures
        match next(self._steps, None):
            case Step.REPAIR:
                return repair(prepared, failures, first)
            case Step.WIDER:
                return wider(prepared, failures, first)
            case _:
                return self._each_file(prepared, failures)

    def _each_file(self, prepared: Prepared, failures: Sequence[BlockResult]) -> FollowUp | End:
        """The last resort: the next failing file, whole, once."""
        asked = whole(prepared, failures, self._whole)
        if asked is None:
            return End.ROUNDS
        self._whole.update(result.path for result in asked.failures if result.path is not None)
        return asked


def same_failures(before: Sequence[BlockResult], now: Sequence[BlockResult]) -> bool:
    """Whether edits failed the same way twice: for the same files, at the same lines, over the same words."""
    return bool(now) and {_way(result) for result in before} == {_way(result) for result in now}


def _way(result: BlockResult) -> tuple[object, ...]:
    nearest = result.nearest
    if nearest is not None and nearest.line is not None:
        return (result.path, result.code, nearest.line, nearest.expected, nearest.found)
    return (result.path, result.code, result.block.search, result.block.replace if not result.block.search else "")


def _steps(most: int) -> Iterator[Step]:
    yield from (Step.REPAIR for _ in range(most))
    yield Step.WIDER


def repair(prepared: Prepared, failures: Sequence[BlockResult], first: int = 1) -> FollowUp:
    """Ask for failed edits again. `first` is the number of the newest reply's first block; the model counts from 1."""
    markers, texts = prepared.markers, prepared.texts
    told = [failure_of(known, texts.get(known.path or ""), markers) for known in _told(prepared, failures, first)]
    total = len(prepared.parsed.blocks) - first + 1 + sum(result.n < first for result in failures)
    landed = any(result.status in (Status.APPLIED, Status.ALREADY_APPLIED) for result in prepared.plan.results)
    others = Others.HELD if landed else Others.NONE
    return FollowUp(Step.REPAIR, repair_message(told, total, others), tuple(failures))


def wider(prepared: Prepared, failures: Sequence[BlockResult], first: int = 1) -> FollowUp:
    """Ask again, with more of the files."""
    excerpts = list(dict.fromkeys(shown for result in failures for shown in _excerpts(prepared, result)))
    told = [Failure(known) for known in _told(prepared, failures, first)]
    return FollowUp(Step.WIDER, wider_message(told, excerpts), tuple(failures))


def whole(prepared: Prepared, failures: Sequence[BlockResult], done: Collection[str]) -> FollowUp | None:
    """Ask for the first failing file, whole, that was not asked for yet; None where there is none."""
    for path in dict.fromkeys(result.path for result in failures):
        if path is None or path in done or (text := prepared.texts.get(path)) is None:
            continue
        mine = tuple(result for result in failures if result.path == path)
        return FollowUp(Step.WHOLE, whole_message(path, text, language_of(path) or ""), mine)
    return None


def _told(prepared: Prepared, failures: Sequence[BlockResult], first: int) -> list[BlockResult]:
    """The failures by their numbers in the newest reply; those that it left out are counted behind its own."""
    mine = [replace(result, n=result.n - first + 1) for result in failures if result.n >= first]
    others = (result for result in failures if result.n < first)
    behind = len(prepared.parsed.blocks) - first + 2
    return [*mine, *(replace(result, n=n) for n, result in enumerate(others, start=behind))]


def _excerpts(prepared: Prepared, result: BlockResult) -> Iterator[Excerpt]:
    """The definitions, or else the lines, around the places that a failure speaks of."""
    text = prepared.texts.get(result.path or "")
    if result.path is None or text is None:
        return
    for line in _places(result, text):
        found = enclosing(result.path, text, line)
        if found is not None and found.last_line - found.first_line < _LONGEST_DEFINITION:
            name = ".".join(n for n in (found.class_name, found.function_name) if n) or "it"
            yield Excerpt(result.path, found.first_line, found.last_line, found.code, name)
        else:
            yield lines_between(result.path, text, line - _AROUND, line + _AROUND)


def _places(result: BlockResult, text: str) -> tuple[int, ...]:
    if result.places:
        return result.places[:3]
    nearest = result.nearest
    if nearest is not None:
        return (nearest.line if nearest.line is not None else nearest.start,)
    likely = likely_lines(result, text)
    return (likely.start,) if likely is not None else (1,)
