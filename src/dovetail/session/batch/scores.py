"""Scores a reply or a trajectory by comparing the files that it leaves with those that are wanted.

Owns the verdict on files, the parts of a score and their weighted sum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from dovetail.context import estimate
from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.arguments import check_text, check_texts
from dovetail.model.codes import ALL_TIERS, Code, Confidence, OnFailure, Status, Tier
from dovetail.model.errors import UsageError
from dovetail.model.policy import READS_CALLS, Policy
from dovetail.model.results import FileChange, Plan
from dovetail.session.apply.library import make_plan
from dovetail.syntax import default_language

Texts = Mapping[str, str | None]
Compare = Literal["exact", "loose-end", "no-blanks"]


class FilesVerdict(StrEnum):
    """How files compare with those that were wanted.

    right: every file is as wanted.
    part: some of the files that were to change are as wanted, the others as they were.
    refused: nothing is wrong, and nothing that was wanted is there.
    wrong: a file was changed, and not to what was wanted.
    """

    RIGHT = "right"
    PART = "part"
    REFUSED = "refused"
    WRONG = "WRONG"


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts of a score.

    right: every file is as wanted; a share of the files earns a share of it.
    wrong: a file was changed, and not to what was wanted.
    found, landed: the reply has an edit; all of its edits fit. A share of the edits earns a share of `landed`. Both
    count only as far as the files are not right yet, so that they never add to a right result.
    doubtful: an edit landed at a tier of low confidence.
    new_errors: a file newly does not parse, and is not as wanted.
    tokens: for each 1,000 tokens of the reply.
    """

    right: float = 1.0
    wrong: float = -1.0
    found: float = 0.1
    landed: float = 0.2
    doubtful: float = -0.05
    new_errors: float = -0.1
    tokens: float = 0.0


DEFAULT_WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a reply or a trajectory, and its parts.

    value: the weighted sum of the parts: with the default weights 1.0 for a right result, 0.0 for a reply without an
    edit, about -1.0 for a wrong write.
    found: how many edits the reply has. `unread` counts parts that look like a change and could not be read as one.
    landed: how many of the edits fit and change something, those included that another edit's failure holds back. An
    edit that is there already is not counted: doing nothing must not pay.
    tier: the loosest tier at which an edit landed; None if none searched.
    verdict: None without a truth.
    share: of the files that were to change, the share that is as wanted, from 0 to 1; None without a truth.
    new_errors: how many files newly do not parse, and are not as wanted.
    tokens: the length of the reply; an estimate unless it was given.
    steps: what the reply would do, edit by edit; of a trajectory the same for each call.
    """

    value: float
    found: int
    unread: int
    landed: int
    tier: Tier | None
    verdict: FilesVerdict | None
    share: float | None
    new_errors: int
    tokens: int
    steps: tuple[Plan, ...] = field(compare=False, repr=False)

    @property
    def plan(self) -> Plan:
        """The plan of the reply; of a trajectory that of its last call."""
        return self.steps[-1]

    @property
    def right(self) -> bool | None:
        """True if every file is as wanted; None without a truth."""
        return None if self.verdict is None else self.verdict is FilesVerdict.RIGHT

    @property
    def wrong(self) -> bool | None:
        """True if a file was changed, and not to what was wanted; None without a truth."""
        return None if self.verdict is None else self.verdict is FilesVerdict.WRONG

    @property
    def parts(self) -> dict[str, float]:
        """The parts as numbers, as loggers take them. What only a truth can tell is left out without one."""
        verdicts = {} if self.verdict is None else {"right": float(self.right or 0), "wrong": float(self.wrong or 0)}
        whole = self.found + self.unread
        return {
            **verdicts,
            "found": float(self.found > 0),
            "landed": self.landed / whole if whole else 0.0,
            "new_errors": float(self.new_errors),
            "tokens": float(self.tokens),
        }


def score(
    reply: str,
    files: Texts | str,
    truth: Texts | Sequence[Texts] | str | None = None,
    *,
    weights: Weights = DEFAULT_WEIGHTS,
    policy: Policy = READS_CALLS,
    format: str = AUTO,  # noqa: A002 - the user's own word
    compare: Compare = "exact",
    tokens: int | None = None,
    root: str = "",
) -> Score:
    """Plan a reply in memory and score it. Writes nothing.

    files: path to text, of all files that exist. None in place of a text stands for a file that does not exist, as
    columns of a dataset have it. `files` and `truth` may also be such an object as JSON.
    truth: path to text, of all files that should exist afterwards: a file that is not in it should be gone. Several
    right results are a list; an empty list means that nothing may change. Without a truth, only the edits are judged.
    policy, format: as `dovetail.apply` takes them. By default a reply of which one edit fails writes nothing.
    compare: `exact`; `loose-end` (blanks on blank lines and blank lines at the end do not count); `no-blanks`.
    tokens: the length of the reply, if it is known.
    root: the folder that absolute paths of the reply count from.

    Raises `UsageError` for arguments of the wrong type, never for what is wrong with the reply.
    """
    check_text(reply)
    before = present_files(files, "files")
    wanted = None if truth is None else truths_of(truth, before)
    plan = make_plan(parse(reply, format=format).relative_to(root), before, policy, root=root)
    length = estimate(reply) if tokens is None else tokens
    return score_steps([plan], before, wanted, weights=weights, policy=policy, compare=compare, tokens=length)


def score_steps(
    steps: Sequence[Plan],
    before: Mapping[str, str],
    wanted: Sequence[Texts] | None,
    *,
    weights: Weights = DEFAULT_WEIGHTS,
    policy: Policy = READS_CALLS,
    compare: Compare = "exact",
    tokens: int = 0,
) -> Score:
    """Score plans that were made one after another, each on the files that the one before it leaves.

    before: the files before the first. wanted: every right result, None if none is known.
    """
    after: dict[str, str | None] = dict(before)
    for plan in steps:
        after.update({change.path: change.after for change in plan.changes})
    verdict, share = (None, None) if wanted is None else compare_files(before, after, wanted, compare)
    results = [result for plan in steps for result in plan.results]
    edits = [result for result in results if not result.block.draft and result.code is not Code.UNREAD]
    held = Code.OTHER_FAILED if policy.on_failure is OnFailure.ALL else None  # else such an edit was not located
    landed = [r for r in edits if r.status is Status.FITS or r.code is held is not None]
    tiers = [result.tier for result in landed if result.tier is not None]
    changes = _changes(steps, before, after)
    scored = Score(
        value=0.0,
        found=len(edits),
        unread=sum(len(plan.unread) for plan in steps),
        landed=len(landed),
        tier=max(tiers, key=ALL_TIERS.index, default=None),
        verdict=verdict,
        share=share,
        new_errors=sum(_breaks(change, before, wanted or ()) for change in changes),
        tokens=tokens,
        steps=tuple(steps),
    )
    return replace(scored, value=_value(scored, weights))


def _changes(steps: Sequence[Plan], before: Texts, after: Texts) -> Sequence[FileChange]:
    """Return the changes of files by all steps; of a single step its own, which include renames."""
    if len(steps) == 1:
        return steps[0].changes
    return [FileChange(path, before.get(path), text) for path, text in after.items() if text != before.get(path)]


def compare_files(
    before: Texts,
    after: Texts,
    truths: Sequence[Texts],
    compare: Compare = "exact",
    ignore: Collection[str] = (),
) -> tuple[FilesVerdict, float]:
    """Compare files with the most favourable truth: return the verdict, and the share of right files, from 0 to 1.

    The share is that of the files that should change and are as wanted.
    before, after, truths: path to text, of all files that exist. A file is as wanted, or as it was, or wrong, and one
    wrong file makes the verdict wrong.
    compare: as `score` takes it. ignore: paths that do not count.
    """
    judged = [_against(before, after, truth, compare, frozenset(ignore)) for truth in truths or (before,)]
    return min(judged, key=lambda one: (list(FilesVerdict).index(one[0]), -one[1]))


def comparable(text: str | None, compare: str) -> str | None:
    """Return a text without what `compare` ignores; see `score`. A byte-order mark counts in `exact` alone."""
    if text is None or compare == "exact":
        return text
    if compare == "no-blanks":
        return "".join(text.split())
    return re.sub(r"(?m)^[ \t]+$", "", text.removeprefix("\ufeff")).rstrip()


def _against(
    before: Texts, after: Texts, truth: Texts, compare: str, ignore: frozenset[str]
) -> tuple[FilesVerdict, float]:
    paths = (set(before) | set(truth) | set(after)) - ignore

    def same(one: Texts, other: Texts, path: str) -> bool:
        return comparable(one.get(path), compare) == comparable(other.get(path), compare)

    right = {path for path in paths if same(after, truth, path)}
    due = {path for path in paths if not same(before, truth, path)}
    share = len(due & right) / len(due) if due else 1.0
    if any(after.get(path) != before.get(path) for path in paths - right):
        return FilesVerdict.WRONG, share
    if right == paths:
        return FilesVerdict.RIGHT, 1.0
    return (FilesVerdict.PART if share else FilesVerdict.REFUSED), share


def _value(scored: Score, weights: Weights) -> float:
    """Return the weighted sum. Weights for edits that fit count only for the share of files that is not right yet."""
    whole = scored.found + scored.unread
    effort = weights.found * (scored.found > 0) + weights.landed * (scored.landed / whole if whole else 0.0)
    if scored.wrong:
        value = weights.wrong
    else:
        share = scored.share or 0.0
        value = weights.right * share + effort * (1.0 - share)
    if scored.tier is not None and scored.tier.confidence is Confidence.LOW:
        value += weights.doubtful
    return value + weights.new_errors * (scored.new_errors > 0) + weights.tokens * scored.tokens / 1000


def _breaks(change: FileChange, before: Texts, truths: Sequence[Texts]) -> bool:
    """Return whether a file has a new syntax error anywhere, and is not as wanted."""
    if change.after is None or any(truth.get(change.path) == change.after for truth in truths):
        return False
    earlier = before.get(change.source) if change.source is not None else change.before
    return default_language().new_error(change.path, earlier, change.after, ()) is not None


def _decoded(value: object, name: str) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        hint = 'For example: {"app.py": "print(1)\\n"}'
        raise UsageError(f"`{name}` is a text and no JSON: {error}.", hint=hint) from None


def present_files(files: object, name: str) -> dict[str, str]:
    """Return path to text of the files that exist, from a mapping or its JSON. Raises `UsageError` for other types.

    A None in place of a text stands for no file. name: of the argument, for the message.
    """
    files = _decoded(files, name)
    present = {path: text for path, text in files.items() if text is not None} if isinstance(files, Mapping) else {}
    check_texts(present if isinstance(files, Mapping) else files, name)
    return present


def truths_of(truth: object, before: Texts) -> list[Texts]:
    """Return every right result of `truth`: one mapping or a list of them, or JSON; `before` for an empty list."""
    truth = _decoded(truth, "truth")
    return [present_files(one, "truth") for one in (truth if isinstance(truth, list | tuple) else [truth])] or [before]
