"""The list of rules is kept as the code is, and a rule that is off is off."""

from __future__ import annotations

import importlib

import pytest

import ablate
from dovetail.guards.table import GUARDS
from verdicts import Verdict

CASE = {
    "id": "exact",
    "files": {"a.py": "one = 1\ntwo = 2\n"},
    "reply": "a.py\n<<<<<<< SEARCH\ntwo = 2\n=======\ntwo = 3\n>>>>>>> REPLACE\n",
    "truth": {"a.py": "one = 1\ntwo = 3\n"},
}
RULES = ablate.listed_rules()


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in RULES])
def test_every_listed_rule_is_in_the_code(rule: ablate.Rule) -> None:
    assert rule.functions or rule.data
    for name in rule.functions:
        assert not ablate.function_named(name).__code__.co_freevars
    for name in rule.data:
        module, _, attribute = name.partition(":")
        assert hasattr(importlib.import_module(module), attribute)


def test_every_guard_is_in_a_rule() -> None:
    listed = {name for rule in RULES for name in rule.functions}
    assert {f"{guard.check.__module__}:{guard.check.__name__}" for guard in GUARDS} <= listed


def test_a_rule_without_which_a_case_fails_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablate, "_CASES", [CASE])
    monkeypatch.setattr(ablate, "_WATCHED", {})
    whole_lines = [rule for rule in RULES if rule.group == "tier"]
    off = ablate.Rule("all tiers", "tier", tuple(name for rule in whole_lines for name in rule.functions), "empty")
    (effect,) = ablate.effects([off], jobs=1)
    assert effect.ran == 1
    assert effect.changed == (("exact", Verdict.RIGHT, Verdict.REFUSED),)
