"""A pasted reply: read, looked at, applied whole or in part, taken back."""

from __future__ import annotations

from pathlib import Path

from reading import card, paste, states, wait_for_state
from replies import FIVE, TILL, edit, shop
from served import OpenPage, Serve

LANDS = ["ready"] * 5


def test_a_pasted_reply_is_shown_and_then_applied(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "ready")
    assert states(page) == LANDS
    assert (folder / "till.py").read_text() == TILL, "nothing is written before it is wanted"
    assert str(card(page, 1).locator(".row.removed code").text_content()).strip() == "removed: RATE = 0.2"
    assert card(page, 1).locator(".row.added .mark").all_inner_texts() == ["19"]
    assert "Exact match" in card(page, 2).inner_text()
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "applied")
    assert "RATE = 0.19" in (folder / "till.py").read_text()
    assert (folder / "web/prices.ts").read_text() == "export const RATE = 0.19;\n"
    assert "5 applied" in page.locator(".banner-bar").inner_text()


def test_two_edits_of_five_are_accepted(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Review").last.click()
    for n in (2, 3, 5):
        page.get_by_role("checkbox", name=f"Edit {n}").uncheck()
        wait_for_state(page, n, "skipped")
    page.locator(".review").get_by_role("button", name="Apply 2 edits").click()
    wait_for_state(page, 4, "applied")
    assert states(page) == ["applied", "skipped", "skipped", "applied", "skipped"]
    assert (folder / "till.py").read_text() == TILL.replace("0.2\n", "0.19\n", 1)
    assert "item.count >= 1" in (folder / "web/stock.ts").read_text()
    assert not (folder / "web/prices.ts").exists()


def test_one_file_is_applied_and_then_one_edit(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Review").last.click()
    page.locator(".file-group", has_text="stock.ts").get_by_role("button", name="Apply 1 edit").click()
    wait_for_state(page, 4, "applied")
    assert (folder / "till.py").read_text() == TILL
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "applied")
    assert states(page) == ["applied", "ready", "ready", "applied", "ready"]


def test_undo_takes_back_one_edit_and_then_all(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 1, "applied")
    card(page, 1).get_by_role("button", name="Undo").click()
    wait_for_state(page, 1, "ready")
    assert "RATE = 0.2\n" in (folder / "till.py").read_text()
    assert ":.2f" in (folder / "till.py").read_text()
    page.keyboard.press("Escape")
    page.locator(".top-bar").get_by_role("button", name="History").click()
    page.locator(".history").get_by_role("button", name="Undo", exact=True).click()
    wait_for_state(page, 5, "ready")
    assert (folder / "till.py").read_text() == TILL
    assert not (folder / "web/prices.ts").exists()
    page.locator(".history").get_by_role("button", name="Redo", exact=True).click()
    wait_for_state(page, 5, "applied")
    assert (folder / "web/prices.ts").exists()


def test_a_reply_that_is_applied_already_says_so(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "applied")
    paste(page, FIVE)
    wait_for_state(page, 5, "already")
    assert states(page) == ["already"] * 5
    assert "5 already applied" in page.locator(".banner-bar").last.inner_text()


def test_a_failed_edit_is_mended_by_hand(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(
        page,
        edit("till.py", "def receipt(price_list):\n    lines = []\n", "def receipt(prices, width):\n    lines = []\n"),
    )
    wait_for_state(page, 1, "failed")
    failure = card(page, 1).locator(".failure")
    assert "def receipt(price_list):" in failure.locator(".searched").inner_text()
    assert "Nearest code" in failure.inner_text()
    card(page, 1).get_by_role("button", name="Edit by hand").click()
    search = card(page, 1).get_by_role("textbox", name="Search")
    search.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("def receipt(prices):\n", delay=1)
    replacement = card(page, 1).get_by_role("textbox", name="Replace by")
    replacement.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("def receipt(prices, width=8):\n", delay=1)
    wait_for_state(page, 1, "ready")
    page.get_by_role("button", name="Done").click()
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "applied")
    assert (folder / "till.py").read_text() == TILL.replace("def receipt(prices):", "def receipt(prices, width=8):")


def test_the_nearest_code_is_taken_instead(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(
        page,
        edit(
            "till.py",
            '    """Sums up all the prices, with a tax."""\n    result = 1\n',
            '    """Total."""\n    result = 0\n',
        ),
    )
    wait_for_state(page, 1, "failed")
    card(page, 1).get_by_role("button", name="Search for this instead").click()
    wait_for_state(page, 1, "ready")
    assert "by hand" in card(page, 1).locator(".edit-head").inner_text()


def test_an_ambiguous_edit_is_given_its_place(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "twice.py").write_text("def a():\n    start()\n\n\ndef b():\n    start()\n")
    page = open_page(serve())
    paste(page, edit("twice.py", "    start()\n", "    begin()\n"))
    wait_for_state(page, 1, "failed")
    page.get_by_role("radio", name="Line 6").check()
    wait_for_state(page, 1, "ready")
    page.get_by_role("button", name="Apply 1 edit").first.click()
    wait_for_state(page, 1, "applied")
    assert (folder / "twice.py").read_text() == "def a():\n    start()\n\n\ndef b():\n    begin()\n"


def test_a_file_that_changes_after_the_plan_is_never_overwritten(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "ready")
    (folder / "till.py").write_text(TILL.replace("RATE = 0.2\n", "RATE = 0.25  # by hand\n"))
    page.get_by_role("button", name="Apply 5 edits").first.click()
    page.get_by_role("alert").wait_for()
    wait_for_state(page, 1, "failed")
    assert "by hand" in (folder / "till.py").read_text()
    assert not (folder / "web/prices.ts").exists(), "nothing at all was written"


def test_a_command_is_copied_and_not_run(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.locator(".turn .command").get_by_role("button", name="Copy").click()
    page.get_by_text("Copied the command.").wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == "git mv till.py shop_till.py"
    assert (folder / "till.py").exists()
