"""A policy takes its choices as members or as the words that people type."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import get_args

import pytest

from dovetail.guards import GUARDS
from dovetail.model import policy
from dovetail.model.codes import (
    GUARD_CODES,
    Code,
    Confidence,
    Conflicts,
    NewErrors,
    Occurrence,
    OnFailure,
    Tier,
)
from dovetail.model.errors import UsageError
from dovetail.model.policy import DEFAULT_POLICY, Policy

WORDS = {
    OnFailure: policy.OnFailureWord,
    Occurrence: policy.OccurrenceWord,
    Conflicts: policy.ConflictsWord,
    Tier: policy.TierWord,
    Confidence: policy.ConfidenceWord,
    NewErrors: policy.NewErrorsWord,
}


@pytest.mark.parametrize("members", WORDS)
def test_the_words_that_are_typed_are_the_members(members: type[StrEnum]) -> None:
    assert get_args(WORDS[members]) == tuple(members)


def test_words_become_members() -> None:
    said = Policy("block", "first", ["exact", Tier.FUZZY], "ours", ["src"])
    meant = Policy(OnFailure.BLOCK, Occurrence.FIRST, (Tier.EXACT, Tier.FUZZY), Conflicts.OURS, ("src",))
    assert said == meant
    assert hash(said) == hash(meant)
    assert said.on_failure is OnFailure.BLOCK
    assert said.tiers is not None
    assert said.tiers[0] is Tier.EXACT


def test_the_defaults_are_members() -> None:
    assert Policy() == DEFAULT_POLICY
    assert (DEFAULT_POLICY.on_failure, DEFAULT_POLICY.tiers, DEFAULT_POLICY.only) == (OnFailure.ALL, None, None)


WRONG = {
    "on_failure": ("blok", "'blok' is no value of the policy's `on_failure`.", "Choose one of: all, file, block"),
    "occurrence": ("", "'' is no value of the policy's `occurrence`.", "Choose one of: unique, first"),
    "conflicts": (
        None,
        "None is no value of the policy's `conflicts`.",
        "Choose one of: refuse, markers, ours, theirs",
    ),
    "min_confidence": (
        "sure",
        "'sure' is no value of the policy's `min_confidence`.",
        "Choose one of: high, medium, low",
    ),
    "new_errors": ("no", "'no' is no value of the policy's `new_errors`.", "Choose one of: warn, refuse"),
    "tiers": ("exact", "The policy's `tiers` takes several.", "Write tiers=('exact',)"),
    "only": ("src", "The policy's `only` takes several.", "Write only=('src',)"),
}


@pytest.mark.parametrize("field", WRONG)
def test_a_word_that_is_none_is_refused_with_those_that_are(field: str) -> None:
    given, message, hint = WRONG[field]
    for make in (Policy, lambda **changes: replace(DEFAULT_POLICY, **changes)):
        with pytest.raises(UsageError) as refused:
            make(**{field: given})  # type: ignore[operator]
        assert (refused.value.message, refused.value.hint) == (message, hint)


def test_one_wrong_tier_among_good_ones_is_named() -> None:
    for given in ({"tiers": 5}, {"only": 5}):
        with pytest.raises(UsageError, match="takes several"):
            Policy(**given)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="The policy's `tiers` names none"):
        Policy(tiers=())
    with pytest.raises(UsageError, match="'vague' is no value of the policy's `tiers`"):
        Policy(tiers=["exact", "vague"])  # type: ignore[list-item]


def test_a_policy_accepts_only_what_guards_find() -> None:
    assert {guard.code for guard in GUARDS} | {Code.ADDED_GUARD} == GUARD_CODES  # which another package's has
    assert Policy(accept=["masked-value"]).accept == (Code.MASKED_VALUE,)
    with pytest.raises(UsageError, match=r"'no-match' is no value of the policy's `accept`\.") as raised:
        Policy(accept=["no-match"])
    assert "masked-value" in (raised.value.hint or "")


def test_careful_is_the_strictest_of_both() -> None:
    careful = Policy.careful()
    assert (careful.min_confidence, careful.new_errors) == (Confidence.HIGH, NewErrors.REFUSE)
    assert replace(careful, min_confidence="low", new_errors="warn") == DEFAULT_POLICY


def test_confidence_is_ordered() -> None:
    sure = [tier for tier in Tier if tier.confidence.at_least(Confidence.MEDIUM)]
    assert Tier.EXACT in sure
    assert Tier.FORM in sure
    assert Tier.FUZZY not in sure
    assert Confidence.HIGH.at_least(Confidence.HIGH)
    assert not Confidence.MEDIUM.at_least(Confidence.HIGH)
