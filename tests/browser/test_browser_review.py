"""The review: all files of a reply on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from provider_server import Answer, openai_events, serving
from reading import paste, wait_for_state
from replies import FIVE, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG = "".join(f"line {n}\n" for n in range(1, 201))


def rows(page: Page, path: str) -> int:
    """How many lines of a file are shown."""
    return page.locator(".file-group", has_text=path).locator(".row").count()


def test_folded_lines_open_by_twenty(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "long.txt").write_text(LONG)
    page = open_page(serve())
    paste(page, edit("long.txt", "line 100\n", "line one hundred\n"))
    wait_for_state(page, 1, "ready")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.locator(".review .row.added").wait_for()
    assert rows(page, "long.txt") == 3 + 2 + 3
    page.get_by_role("button", name="20 lines above").first.click()
    assert rows(page, "long.txt") == 28
    page.get_by_role("button", name="20 lines below").first.click()
    assert rows(page, "long.txt") == 48
    assert page.locator('.review .row[data-new="77"]').count() == 1
    assert page.locator('.review .row[data-new="123"]').count() == 1
    page.get_by_text("Side by side").click()
    assert page.locator(".review .pair").count() == 47, "what goes stands beside what comes"


def test_a_file_and_an_edit_have_a_box(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "ready")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    whole = page.get_by_role("checkbox", name="All edits of till.py")
    page.get_by_role("checkbox", name="Edit 2").uncheck()
    page.locator('.edit-bar[data-n="2"].skipped').wait_for()
    assert whole.evaluate("box => box.indeterminate"), "some of its edits take part"
    whole.check()
    page.locator('.edit-bar[data-n="2"].ready').wait_for()
    whole.uncheck()
    for n in (1, 2, 3):
        page.locator(f'.edit-bar[data-n="{n}"].skipped').wait_for()
    page.locator(".review").get_by_role("button", name="Apply 2 edits").click()
    wait_for_state(page, 5, "applied")
    assert "RATE = 0.2\n" in (folder / "till.py").read_text()
    assert (folder / "web" / "prices.ts").is_file()


def test_keys_walk_from_edit_to_edit_across_files(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "ready")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.locator(".edit-bar").nth(4).wait_for()
    walked = []
    for _ in range(5):
        page.keyboard.press("j")
        walked.append(page.evaluate("document.activeElement.dataset.n"))
    assert walked == ["1", "2", "3", "4", "5"]
    page.keyboard.press("k")
    page.keyboard.press("s")
    page.locator('.edit-bar[data-n="4"].skipped').wait_for()
    page.keyboard.press("Shift+A")
    wait_for_state(page, 5, "applied")
    assert "count > 0" in (folder / "web" / "stock.ts").read_text()


@pytest.mark.parametrize("key", [True, False])
def test_a_comment_on_a_line_goes_to_the_model(folder: Path, serve: Serve, open_page: OpenPage, *, key: bool) -> None:
    shop(folder)
    with serving(Answer(openai_events("As you wish."))) as provider:
        page = open_page(serve(provider=f"{provider.url}/v1"))
        paste(page, FIVE)
        wait_for_state(page, 5, "ready")
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        page.locator(".edit-bar").nth(4).wait_for()
        if key:
            page.keyboard.press("j")
            page.keyboard.press("m")
        else:
            page.locator('.review .row.added[data-new="3"]').click(position={"x": 40, "y": 8})
        page.wait_for_selector("form.line-comment")
        page.wait_for_function("() => document.activeElement.tagName === 'TEXTAREA'")
        page.keyboard.insert_text("Read it from the settings.")
        page.keyboard.press("Control+Enter")
        page.locator("div.line-comment").get_by_text("Read it from the settings.").wait_for()
        page.get_by_role("button", name="Send 1 comment").click()
        page.get_by_text("As you wish.").wait_for()
        sent = str(provider.seen[-1].body)
    assert "till.py, line 3 after the edits, `RATE = 0.19`: Read it from the settings." in sent
    assert page.locator(".review").count() == 0
