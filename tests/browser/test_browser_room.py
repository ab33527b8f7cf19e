"""Little room and other people's settings: a low window, a narrow column, the system's own colours, the folded lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from provider_server import serving
from reading import card, paste, stand_still, wait_for_state
from replies import FIVE, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

MISS = edit("till.py", "def nowhere(at, all):\n    return at, all\n", "def found():\n    return None\n")


def test_a_low_window_leaves_the_conversation_its_half(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """As with a zoom of 200 % on a screen of 1440 by 900."""
    shop(folder)
    page = open_page(serve(), 720, 450)
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.locator(".turn-head").click()
    page.locator(".composer.unused").wait_for()
    page.evaluate("document.querySelector('.chat-log').scrollTop = 300")
    bar = page.locator(".banner-bar").bounding_box()
    log = page.locator(".chat-log").bounding_box()
    assert bar is not None
    assert log is not None
    assert bar["y"] - log["y"] > 225, "what is read has more room than what is there to act"


@pytest.mark.parametrize("width", [360, 720, 1440])
def test_acts_stand_at_the_right_where_they_wrap(folder: Path, serve: Serve, open_page: OpenPage, width: int) -> None:
    shop(folder)
    (folder / "a-folder-with-a-name" / "and-another-one").mkdir(parents=True)
    long = "a-folder-with-a-name/and-another-one/a_module_with_a_rather_long_name_of_its_own.py"
    page = open_page(serve(), width, reduced_motion="reduce")  # the viewer slides in
    paste(page, FIVE + edit(long, "", "x = 1\n") + MISS)
    wait_for_state(page, 7, "failed")
    card(page, 6).locator(".path-button").click()
    page.locator(".viewer .cm-content").wait_for()
    assert _right_gap(page, ".viewer-head", ".viewer-acts") < 16
    page.keyboard.press("Escape")
    assert _right_gap(page, ".banner-bar", ".plan-acts") < 16


def _right_gap(page: Page, around: str, acts: str) -> float:
    outer, inner = page.locator(around).bounding_box(), page.locator(f"{around} {acts}").bounding_box()
    assert outer is not None
    assert inner is not None
    return outer["x"] + outer["width"] - inner["x"] - inner["width"]


def test_an_edit_that_is_changed_by_hand_is_seen_with_its_verdict(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve(), 1440, 900)
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.evaluate("document.querySelector('.chat-log').scrollTop = 0")
    card(page, 5).get_by_role("button", name="Edit edit 5 by hand").click(position={"x": 4, "y": 4})
    page.wait_for_selector(".by-hand-form .cm-content >> nth=1")
    stand_still(page)
    verdict, bar = page.locator(".by-hand-foot").bounding_box(), page.locator(".banner-bar").bounding_box()
    assert verdict is not None
    assert bar is not None
    assert verdict["y"] + verdict["height"] <= bar["y"]


def test_a_field_that_is_written_in_is_in_sight_where_not_all_of_its_form_is(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve(), 640, 400)
    paste(
        page, edit("till.py", "    result = 1\n    for price in list:\n        result += price\n    return 5\n", "x\n")
    )
    wait_for_state(page, 1, "failed")
    card(page, 1).get_by_role("button", name="Edit by hand").click()
    page.locator(".by-hand-form .cm-content:focus").wait_for()
    stand_still(page)
    field, log = page.locator(".by-hand-form :focus").bounding_box(), page.locator(".chat-log").bounding_box()
    assert field is not None
    assert log is not None
    assert log["y"] - 1 <= field["y"] <= log["y"] + log["height"] - 20


def test_at_four_times_the_size_the_bar_does_not_lie_over_the_edits(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve(), 320, 256)
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.locator(".turn-head").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.chat-log').scrollTop = 100")
    bar, composer = page.locator(".banner-bar").bounding_box(), page.locator(".composer").bounding_box()
    assert bar is not None
    assert composer is not None
    assert bar["y"] > composer["y"], "it is further down"


def test_what_is_chosen_is_seen_in_the_systems_colours(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve(), forced_colors="active")
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.locator(".top-bar").get_by_role("button", name="Review").click()
    for chosen, other in [
        (".segmented label.on", ".segmented label:not(.on)"),
        ('.tab[aria-selected="true"]', '.tab[aria-selected="false"]'),
        ('.top-bar [aria-pressed="true"]', '.top-bar [aria-pressed="false"]'),
    ]:
        looks = [_looks(page, selector) for selector in (chosen, other)]
        assert looks[0] != looks[1], f"{chosen} looks like the others"
    page.locator('.top-bar [aria-pressed="true"]').hover()
    stand_still(page)
    assert _looks(page, '.top-bar [aria-pressed="true"]') == _looks(page, ".segmented label.on"), "pointed at, too"
    page.keyboard.press("Escape")
    card(page, 1).locator(".path-button").click()
    marks = [
        page.locator(f".viewer {line} .cm-deletedText").first for line in (".cm-deletedLine:not(.whole)", ".whole")
    ]
    assert [mark.evaluate(OUTLINE) for mark in marks] == ["solid", "none"], "what changed in a line, not a whole one"


OUTLINE = "mark => getComputedStyle(mark).outlineStyle"


def _looks(page: Page, selector: str) -> object:
    return page.locator(selector).first.evaluate("e => getComputedStyle(e).backgroundColor")


def test_fifty_failures_leave_what_to_do_in_sight(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, MISS * 50)
    wait_for_state(page, 50, "failed")
    page.locator(".top-bar").get_by_role("button", name="Review").click()
    failures = page.locator(".panel").get_by_role("group", name="What failed")
    copying = failures.get_by_role("button", name="Copy the message for a model").bounding_box()
    assert copying is not None
    assert copying["y"] < 500
    page.locator('.review .edit-bar[data-n="50"] .line-link').focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.dataset.n === '50'")


def test_folded_lines_are_opened_by_keyboard(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    (folder / "long.py").write_text("".join(f"line_{n} = {n}\n" for n in range(60)))
    page = open_page(serve())
    paste(page, edit("long.py", "line_30 = 30\n", "line_30 = 31\n"))
    card(page, 1).locator(".path-button").click()
    folds = page.locator(".cm-collapsedLines")
    folds.nth(1).wait_for()
    page.locator(".viewer .cm-content").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "button"
    page.keyboard.press("Enter")
    page.get_by_text("line_3 = 3", exact=True).wait_for()
    assert folds.count() == 1
    assert page.evaluate("document.activeElement.classList.contains('cm-content')"), "the focus stays in the viewer"


@pytest.mark.parametrize("size", [(1280, 860), (360, 740), (720, 450)])
def test_many_files_in_the_chat_leave_room_to_write(
    folder: Path, serve: Serve, open_page: OpenPage, size: tuple[int, int]
) -> None:
    for n in range(40):
        (folder / f"package_{n}").mkdir()
        (folder / f"package_{n}" / "a_module.py").write_text("x = 1\n")
    with serving() as provider:
        page = open_page(serve(provider=provider.url), *size)
        page.evaluate(HOLD_ALL)
        page.focus("#composer-text")
        page.locator(".held").get_by_text("40 files").wait_for()
        composer = page.locator(".composer").bounding_box()
        assert composer is not None
        assert composer["height"] < 240
        page.get_by_role("button", name="Remove package_39/a_module.py from the chat").click()
        page.locator(".held").get_by_text("39 files").wait_for()


HOLD_ALL = """() => fetch('/api/held', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Dovetail-Key': localStorage.getItem('dovetail.key') },
  body: JSON.stringify({ add: [...Array(40).keys()].map(n => `package_${n}/a_module.py`) }),
})"""
