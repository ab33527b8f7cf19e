"""Laws of landing, on random edits of generated code: right or refused, and not one byte more."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from code_samples import STYLES
from dovetail.formats import parse
from dovetail.match import Ambiguous, Document, Match, Needle, locate
from dovetail.model.codes import ALL_TIERS, Status, Tier
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.model.text import IndexedText, apply_edits, join_lines
from dovetail.plan import plan
from dovetail.syntax import default_language
from edits import Fate, Scenario, only_moves, scenario
from misquotes import MISQUOTES, strayed
from twins import TWINS, sibling, twin

styles = st.sampled_from(sorted(STYLES))
randoms = st.randoms(use_true_random=True)
few = st.lists(
    st.sampled_from(("first = 1", "second = 2", "  third(3)", "  }", "}", "# note", "end", "", "  ")), max_size=7
)


@st.composite
def loosely(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """Lines told with blank ones more or fewer, with other blanks, or not at all."""
    told: list[str] = []
    for line in lines:
        told += draw(st.sampled_from(([line], [line, ""], [line.replace(" ", "  ")], [line] if line else [], [])))
    return told


def landed(case: Scenario, text: str | None = None) -> Plan:
    """The plan of a case's reply."""
    files = {case.path: case.text if text is None else text}
    return plan(parse(case.reply), Snapshot.of(files), DEFAULT_POLICY, default_language())


def after(case: Scenario) -> str | None:
    """The file after the reply."""
    return {change.path: change.after for change in landed(case).changes}.get(case.path, case.text)


@pytest.mark.parametrize("kind", MISQUOTES)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)  # few lines can be wrapped
@given(styles, randoms)
def test_misquoting_what_an_edit_does_not_change_never_changes_the_result(kind: str, style: str, rng: Random) -> None:
    case = scenario(style, rng)
    quoted = MISQUOTES[kind](case, rng)
    assume(quoted is not None and not strayed(case, quoted))
    assert quoted is not None
    assert after(quoted) in (case.truth, case.text)


@pytest.mark.parametrize("kind", [*TWINS, "sibling"])
@settings(max_examples=25, deadline=None)
@given(styles, randoms)
def test_a_twin_is_never_taken_for_a_typo(kind: str, style: str, rng: Random) -> None:
    case = sibling(style, rng) if kind == "sibling" else twin(scenario(style, rng), rng, kind)
    assume(case is not None)
    assert case is not None
    assert after(case) == case.text


odd_lines = st.text(st.sampled_from("ab \t\f\v\u2028\u00a0é\x00="), max_size=6)
ends = st.sampled_from(["\n", "\r\n"])


@st.composite
def odd_texts(draw: st.DrawFn) -> str:
    """A text of few letters with mixed line ends, form feeds, and perhaps no last newline."""
    lines = draw(st.lists(st.tuples(odd_lines, ends), min_size=1, max_size=12))
    text = "".join(line + end for line, end in lines)
    last = draw(st.sampled_from(["", "last", "\f"]))
    return text + last


@settings(max_examples=200, deadline=None)
@given(odd_texts(), st.data(), odd_lines)
def test_no_byte_outside_an_edits_span_changes(text: str, data: st.DataObject, new: str) -> None:
    lines = IndexedText(text).lines
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first + 1, len(lines)))
    search = "".join(line + "\n" for line in lines[first:last])
    outcome = locate(Document(text), Needle(search, new + "\n"))
    if isinstance(outcome, Match):
        span, changed = outcome.span, apply_edits(text, outcome.edits)
        assert all(span.start <= edit.span.start and edit.span.end <= span.end for edit in outcome.edits)
        assert changed.startswith(text[: span.start])
        assert changed.endswith(text[span.end :])


@settings(max_examples=100, deadline=None)
@given(styles, randoms, st.sampled_from(sorted(MISQUOTES)))
def test_a_looser_tier_never_overrides_a_stricter_one(style: str, rng: Random, kind: str) -> None:
    case = scenario(style, rng)
    quoted = MISQUOTES[kind](case, rng) or case
    needle, document = Needle(quoted.search, quoted.replace), Document(quoted.text)
    everything = locate(document, needle, path=case.path, language=default_language())
    if not isinstance(everything, Match | Ambiguous):
        return
    upto = ALL_TIERS[: ALL_TIERS.index(everything.tier) + 1]
    assert locate(Document(quoted.text), needle, tiers=upto, path=case.path, language=default_language()) == everything
    stricter = tuple(tier for tier in upto if tier is not everything.tier)
    if stricter:
        assert not isinstance(locate(document, needle, tiers=stricter, path=case.path), Match)


@settings(max_examples=60, deadline=None)
@given(styles, randoms)
def test_a_search_that_stands_once_lands_exactly(style: str, rng: Random) -> None:
    case = scenario(style, rng)
    assume(case.text.count(case.search) == 1 and case.search != case.replace)
    outcome = locate(Document(case.text), Needle(case.search, case.replace))
    assert isinstance(outcome, Match)
    assert outcome.tier is Tier.EXACT
    assert apply_edits(case.text, outcome.edits) == case.truth


@settings(max_examples=60, deadline=None)
@given(styles, randoms, st.sampled_from(sorted(MISQUOTES)))
def test_applied_twice_changes_nothing_the_second_time(style: str, rng: Random, kind: str) -> None:
    case = scenario(style, rng)
    quoted = MISQUOTES[kind](case, rng)
    assume(quoted is not None and not strayed(case, quoted))
    assert quoted is not None
    done = landed(quoted)
    assume(all(result.status is Status.FITS for result in done.results))
    after = done.changes[0].after or ""
    assume(quoted.search not in after)  # else the reply names this place anew
    assume(any(line.fate is Fate.KEPT and line.text.strip() for line in case.edit))
    assume(not only_moves(quoted.edit))  # where no line tells how deep the others stood
    again = landed(quoted, after)
    assert not again.changes, [result.reason for result in again.results]


@settings(max_examples=300, deadline=None)
@given(few, st.data())
def test_any_edit_of_lines_that_stand_there_but_for_blanks_is_made_or_refused(
    file: list[str], data: st.DataObject
) -> None:
    search = data.draw(loosely(file))
    replace = data.draw(loosely(search))
    outcome = locate(Document(join_lines(file)), Needle(join_lines(search), join_lines(replace)))
    if isinstance(outcome, Match):
        apply_edits(join_lines(file), outcome.edits)  # raises where they overlap
