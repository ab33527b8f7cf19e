"""Judges what an engine did with a case, against every result that is known to be right.

Owns the verdicts and how a file is compared; knows neither the engine nor where cases come from. Its rule: a file is
right, or untouched, or WRONG, and one wrong file makes the case WRONG, however many others are right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

Files = Mapping[str, str]
Case = Mapping[str, Any]
Answer = Mapping[str, Any]


class Verdict(StrEnum):
    """What a case came to, in the order in which tables show it."""

    RIGHT = "right"  # every file is as one truth has it
    PART = "part"  # some files are right, the rest untouched
    REFUSED = "refused"  # nothing was changed where a change was due
    HELD = "held"  # refused, where the case allows that
    WRONG = "WRONG"  # something was written that is not the truth
    ANSWERED = "answered"  # changed, where no truth is known: the reply cannot reach it, or the tool of the day refused
    MISSING = "missing"  # no answer


BEST_FIRST = (Verdict.RIGHT, Verdict.PART, Verdict.REFUSED, Verdict.WRONG)

UNREACHABLE = "retried-open"


def files_after(case: Case, answer: Answer) -> dict[str, str]:
    """Every file that exists after the answer: those it names as it has them, the others as they were."""
    named: Mapping[str, str | None] = answer.get("files") or {}
    return {path: text for path, text in {**case["files"], **named}.items() if text is not None}


def truths_of(case: Case) -> Sequence[Files]:
    """Every right result. A case that wants none is right where nothing changed."""
    for key in ("truths", "want"):
        if key in case:
            return case[key] or [case["files"]]
    return [case["truth"]]


def comparable(text: str | None, compare: str) -> str | None:
    """Return what of a text is compared.

    compare: ``exact``; ``loose-end`` (without a byte order mark, blanks on blank lines, and blank lines at the end: the
    tools that recorded the truth disagree about these); ``no-blanks``.
    """
    if text is None or compare == "exact":
        return text
    if compare == "no-blanks":
        return "".join(text.split())
    return re.sub(r"(?m)^[ \t]+$", "", text.removeprefix("\ufeff")).rstrip()


def against(before: Files, truth: Files, after: Files, ignore: frozenset[str], compare: str) -> Verdict:
    """Judge one result against one truth."""
    paths = (set(before) | set(truth) | set(after)) - ignore

    def same(one: Files, other: Files, path: str) -> bool:
        return comparable(one.get(path), compare) == comparable(other.get(path), compare)

    right = {path for path in paths if same(after, truth, path)}
    if any(after.get(path) != before.get(path) for path in paths - right):
        return Verdict.WRONG
    if right == paths:
        return Verdict.RIGHT
    due = {path for path in paths if not same(before, truth, path)}
    return Verdict.PART if due & right else Verdict.REFUSED


def judge(case: Case, answer: Answer | None) -> Verdict:
    """Judge an answer against the truth that is kindest to it."""
    if answer is None or "error" in answer:
        return Verdict.MISSING
    after = files_after(case, answer)
    unchanged = after == case["files"]
    if case.get("kind") == UNREACHABLE:
        return Verdict.REFUSED if unchanged else Verdict.ANSWERED
    if case.get("open") and unchanged:
        return Verdict.HELD
    ignore = frozenset(case.get("ignore", ()))
    compare = case.get("compare", "loose-end" if case.get("loose_end") else "exact")
    found = {against(case["files"], truth, after, ignore, compare) for truth in truths_of(case)}
    best = next(verdict for verdict in BEST_FIRST if verdict in found)
    if case.get("open") and best is not Verdict.RIGHT:
        return Verdict.ANSWERED
    return Verdict.HELD if best is Verdict.REFUSED and case.get("refuse_ok") else best
