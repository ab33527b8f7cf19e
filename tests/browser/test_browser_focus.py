"""Nobody who uses the keyboard loses the place: where a control goes away, the focus goes to what stood around it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reading import card, paste, stand_still, wait_for_state
from replies import FIVE, TILL, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

FAILS = edit("till.py", "def receipt(price_list):\n    lines = []\n", "def receipt(prices, width):\n    lines = []\n")
TWICE = edit("twice.py", "    start()\n", "    begin()\n")

WHERE = """() => {
  const at = document.activeElement;
  if (at === document.body) return 'nowhere';
  return at.dataset.n ? `edit ${at.dataset.n}` : at.id || at.getAttribute('aria-label') || at.textContent.trim();
}"""


def where(page: Page) -> str:
    """What has the focus, once the page stands still."""
    stand_still(page)
    return str(page.evaluate(WHERE))


def enter(page: Page, button: Locator) -> None:
    button.focus()
    page.keyboard.press("Enter")


@pytest.fixture
def page(folder: Path, serve: Serve, open_page: OpenPage) -> Page:
    shop(folder)
    (folder / "twice.py").write_text("def a():\n    start()\n\n\ndef b():\n    start()\n")
    page = open_page(serve(), reduced_motion="reduce")
    paste(page, FIVE + FAILS + TWICE)
    wait_for_state(page, 7, "failed")
    return page


def test_an_act_leaves_the_focus_on_its_card(page: Page) -> None:
    enter(page, card(page, 1).get_by_role("button", name="Apply"))
    wait_for_state(page, 1, "written")
    assert where(page) == "edit 1"
    page.keyboard.press("j")
    assert where(page) == "edit 2"
    enter(page, card(page, 2).get_by_role("button", name="Skip"))
    wait_for_state(page, 2, "left-out")
    assert where(page) == "edit 2"
    enter(page, card(page, 6).get_by_role("button", name="Skip"))
    wait_for_state(page, 6, "left-out")
    assert where(page) == "edit 6"
    enter(page, card(page, 1).get_by_role("button", name="Undo"))
    wait_for_state(page, 1, "fits")
    assert where(page) == "edit 1"


def test_what_concerns_the_whole_reply_leaves_it_there(page: Page) -> None:
    enter(page, page.get_by_role("button", name="Discard").first)
    page.get_by_role("button", name="Think again").first.wait_for()
    assert where(page) == "What to do with the edits"
    enter(page, page.get_by_role("button", name="Think again").first)
    enter(page, page.get_by_role("button", name="Apply 5 edits").first)
    wait_for_state(page, 5, "written")
    assert where(page) == "What to do with the edits"


def test_a_chosen_place_keeps_the_focus(page: Page) -> None:
    card(page, 7).get_by_role("radio").nth(1).focus()
    page.keyboard.press("Space")
    wait_for_state(page, 7, "fits")
    assert where(page).endswith("7-line-6")
    enter(page, card(page, 7).get_by_role("button", name="Undecided again"))
    wait_for_state(page, 7, "failed")
    assert where(page) == "edit 7"


@pytest.mark.parametrize(("key", "there"), [("v", "review-t1-edit-3"), ("h", "tab-history"), ("t", "tab-tokens")])
def test_a_key_leads_to_what_it_opens_and_escape_leads_back(page: Page, key: str, there: str) -> None:
    card(page, 3).focus()
    page.keyboard.press(key)
    page.wait_for_function("id => document.activeElement.id === id", arg=there)
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert where(page) == "edit 3"


def test_who_left_the_field_is_not_led_back_into_it(page: Page) -> None:
    page.focus("#composer-text")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.wait_for_function(
        "() => document.activeElement.id === 'review-t1-edit-5'"
    )  # the first of the tree's first file
    page.keyboard.press("Escape")
    assert where(page) == "nowhere"
    page.keyboard.press("j")
    assert where(page).startswith("edit ")


def test_the_files_and_the_viewer_take_the_focus_and_give_it_back(page: Page) -> None:
    card(page, 3).focus()
    page.keyboard.press("f")
    assert where(page) in {"README.md", "web"}
    page.keyboard.press("Escape")
    assert where(page) == "edit 3"
    page.keyboard.press("o")
    page.wait_for_function("() => document.activeElement.classList.contains('cm-content')")
    page.keyboard.press("Escape")
    assert where(page) == "edit 3"


def test_applying_a_file_in_the_review_stays_at_the_file(page: Page) -> None:
    page.get_by_role("button", name="Review").last.click()
    group = page.locator(".file-group", has=page.get_by_role("heading", name="till.py"))
    enter(page, group.get_by_role("button", name=re.compile("^Apply 3")))
    wait_for_state(page, 1, "written")
    stand_still(page)
    assert group.evaluate("it => it === document.activeElement")


def test_a_plan_that_changes_leaves_the_focus_in_the_viewer_where_it_is(page: Page, folder: Path) -> None:
    card(page, 1).locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-content")
    box = page.locator(".edit-chips").get_by_role("checkbox").first
    box.focus()
    page.keyboard.press("Space")
    wait_for_state(page, 1, "left-out")
    stand_still(page)
    assert box.evaluate("it => it === document.activeElement")
    assert (folder / "till.py").read_text() == TILL


def test_editing_by_hand_ends_at_its_card(page: Page) -> None:
    card(page, 6).focus()
    page.keyboard.press("e")
    page.wait_for_function("() => document.activeElement.classList.contains('cm-content')")
    page.keyboard.press("Escape")
    page.wait_for_selector(".by-hand-form", state="detached")
    assert where(page) == "edit 6"


def test_editing_by_hand_ends_when_the_edit_is_applied(page: Page) -> None:
    card(page, 1).focus()
    page.keyboard.press("e")
    page.wait_for_function("() => document.activeElement.classList.contains('cm-content')")
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 1, "written")
    page.wait_for_selector(".by-hand-form", state="detached")
    card(page, 1).get_by_role("button", name="Undo").click()
    wait_for_state(page, 1, "fits")
    assert page.locator(".by-hand-form").count() == 0


def test_what_is_pressed_in_an_input_method_does_nothing_else(page: Page) -> None:
    """Firefox names the keys with which a character is put together: Escape, an arrow, Enter."""
    card(page, 6).focus()
    page.keyboard.press("e")
    page.wait_for_function("() => document.activeElement.classList.contains('cm-content')")
    page.evaluate(COMPOSE, "Escape")
    assert where(page) == "Search"
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    assert where(page) in {"README.md", "web"}
    page.get_by_role("searchbox", name="Filter files").focus()
    page.evaluate(COMPOSE, "ArrowDown")
    assert where(page) == "Filter files"


COMPOSE = """key => document.activeElement.dispatchEvent(
  new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true }),
)"""

KEYS = """keys => {
  for (const key of keys) {
    const at = document.querySelector('dialog') ?? document.body;
    at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }
}"""


def test_a_key_right_behind_the_escape_from_a_dialog_is_heard(page: Page) -> None:
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    page.evaluate(KEYS, ["Escape", "h"])
    page.get_by_role("tab", name="History", selected=True).wait_for()
    page.locator("dialog").wait_for(state="detached")
    page.keyboard.press(",")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    stand_still(page)
    assert page.get_by_role("dialog", name="Keys").is_visible(), "the close of the first does not close the next"
