"""A policy takes its choices as members or as the words that people type."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import get_args

import pytest

from dovetail.model import policy
from dovetail.model.codes import Conflicts, Occurrence, OnFailure, Tier
from dovetail.model.errors import UsageError
from dovetail.model.policy import DEFAULT_POLICY, Policy

WORDS = {
    OnFailure: policy.OnFailureWord,
    Occurrence: policy.OccurrenceWord,
    Conflicts: policy.ConflictsWord,
    Tier: policy.TierWord,
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
