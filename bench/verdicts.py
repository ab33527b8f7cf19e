"""Judges what an engine did with a case, against every result that is known to be right.

Owns the verdicts on cases; `dovetail.rewards` compares the files. A file is right, or untouched, or WRONG, and one
wrong file makes the case WRONG, however many others are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from dovetail.rewards import compare_files

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
    compare = case.get("compare", "loose-end" if case.get("loose_end") else "exact")
    found, _ = compare_files(case["files"], after, truths_of(case), compare, case.get("ignore", ()))
    best = Verdict(found)
    if case.get("open") and best is not Verdict.RIGHT:
        return Verdict.ANSWERED
    return Verdict.HELD if best is Verdict.REFUSED and case.get("refuse_ok") else best
