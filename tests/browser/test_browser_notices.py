"""What goes wrong is said where one looks, covers nothing, and goes when it is past."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from provider_server import serving
from reading import paste, wait_for_state
from replies import FIVE, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Page, Route

BELOW = """() => {
  const strip = document.querySelector('.page-notices').getBoundingClientRect();
  return [...document.querySelectorAll('.chat, .panel, .files')].every(one => one.getBoundingClientRect().top >= strip.bottom - 1);
}"""


def refused(page: Page, folder: Path) -> None:
    """Undo what somebody has changed since, which is refused."""
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "written")
    changed = (folder / "till.py").read_text()
    (folder / "till.py").write_text(changed.replace("return round(", "return ROUND("))
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("z")
    page.get_by_role("alert").wait_for()
    (folder / "till.py").write_text(changed)


def test_a_notice_pushes_what_is_below_it(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve(), width=360, height=740, reduced_motion="reduce")
    refused(page, folder)
    page.keyboard.press("h")
    page.get_by_role("tab", name="History", selected=True).wait_for()
    assert page.evaluate(BELOW)
    page.keyboard.press("f")
    page.locator(".files").wait_for()
    assert page.evaluate(BELOW)


def test_it_quotes_code_speaks_to_the_page_and_goes_when_the_act_succeeds(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    refused(page, folder)
    notice = page.get_by_role("alert")
    assert notice.locator("code").first.inner_text() == "till.py"
    said = notice.inner_text()
    assert "`" not in said
    assert "dovetail" not in said
    assert "since the edits of" in said
    assert not re.search(r"\d{8}-\d{6}", said), "no id"
    page.keyboard.press("z")
    wait_for_state(page, 5, "fits")
    notice.wait_for(state="detached")
    told = page.locator(".notice.note")
    assert told.inner_text() == "Took back: till.py and 2 more."
    page.locator(".spoken", has_text="Took back: till.py and 2 more.").wait_for(state="attached")


def test_an_answer_that_comes_late_takes_no_newer_refusal_away(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """The files are written, and what stands on the screen is already undone in vain when the page learns of it."""
    shop(folder)
    page = open_page(serve())
    late: list[tuple[Route, APIResponse]] = []
    page.route("**/apply", lambda route: late.append((route, route.fetch())))
    refused(page, folder)
    ((route, answer),) = late
    route.fulfill(response=answer)
    page.locator(".spoken", has_text="Wrote 5 edits.").wait_for(state="attached")
    assert page.get_by_role("alert").locator("code").first.inner_text() == "till.py"


def test_a_bad_setting_is_said_beside_its_field(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.keyboard.press(",")
    field = page.get_by_label("Rounds of repair")
    field.fill("-3")
    page.keyboard.press("Tab")
    error = page.get_by_role("dialog").get_by_role("alert")
    assert error.inner_text() == "A whole number from 0 to 20."
    assert field.get_attribute("aria-describedby") == error.get_attribute("id")
    assert field.input_value() == "-3"
    field.fill("2")
    page.keyboard.press("Tab")
    error.wait_for(state="detached")
    assert page.locator(".notice").count() == 0


def test_what_a_dialog_is_refused_is_said_in_it(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.get_by_role("button", name="Start from a template").click()
    page.locator(".template").first.wait_for()
    problem = {"error": {"code": "workspace", "message": "The folder has `there.txt` by now.", "hint": None}}
    page.route("**/api/templates/*", lambda route: route.fulfill(status=409, json=problem))
    page.locator(".template").first.get_by_role("button", name="Use it").click()
    page.get_by_role("dialog").get_by_role("alert").first.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator(".notice").count() == 0


@pytest.mark.parametrize(("mode", "said"), [("Ask", "Lower the rate."), ("Paste a reply", "till.py: lower the rate.")])
def test_what_is_not_sent_is_said_at_the_composer_and_its_text_stays(
    folder: Path, serve: Serve, open_page: OpenPage, mode: str, said: str
) -> None:
    with serving() as provider:
        page = open_page(serve(provider=provider.url))
        problem = {"error": {"code": "busy", "message": "Another tab asks `tiny-1`.", "hint": "Wait for it."}}
        page.route("**/api/turns", lambda route: route.fulfill(status=409, json=problem))
        composer = page.locator(".composer")
        composer.get_by_text(mode, exact=True).first.click()
        field = page.locator("#composer-text")
        field.fill(said)
        page.keyboard.press("Control+Enter")
        error = composer.get_by_role("alert")
        error.wait_for()
        assert error.inner_text() == "Another tab asks tiny-1. Wait for it."
        assert field.get_attribute("aria-describedby") == error.get_attribute("id")
        assert field.input_value() == said
        assert page.locator(".notice").count() == 0
        page.unroute("**/api/turns")
        page.route("**/api/turns", lambda route: route.fulfill(json={"turn": "t1"}))
        page.keyboard.press("Control+Enter")
        error.wait_for(state="detached")
        assert field.input_value() == ""
