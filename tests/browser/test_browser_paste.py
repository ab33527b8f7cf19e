"""A pasted reply: read, looked at, applied whole or in part, taken back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reading import card, paste, stand_still, states, wait_for_state
from replies import FIVE, MOVES, TILL, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Route

LANDS = ["fits"] * 5


def test_a_pasted_reply_is_shown_and_then_applied(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    assert states(page) == LANDS
    assert (folder / "till.py").read_text() == TILL, "nothing is written before it is wanted"
    assert str(card(page, 1).locator(".row.removed code").text_content()).strip() == "RATE = 0.2"
    assert card(page, 1).locator(".row.added .mark").all_inner_texts() == ["19"]
    assert "Exact match" in card(page, 2).inner_text()
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "written")
    assert "RATE = 0.19" in (folder / "till.py").read_text()
    assert (folder / "web/prices.ts").read_text() == "export const RATE = 0.19;\n"
    assert "5 written" in page.locator(".banner-bar").inner_text()


def test_a_command_that_would_change_a_file_is_named(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """Alone it is shown as what it would change, with a yes of its own; beside edits, or not understood, it is told of."""
    shop(folder)
    page = open_page(serve())
    command = "```sh\nsed -i 's/item/thing/' web/stock.ts\n```\n"
    said = "The command sed would change web/stock.ts. Dovetail runs no commands."
    paste(page, command.replace("stock.ts", "stock.ts && ./mend.sh"))
    page.locator(".turn-note", has_text=said).wait_for()
    assert page.get_by_text("No edit was found in this reply.").count() == 0
    paste(page, f"{FIVE}\n{command}")
    wait_for_state(page, 5, "fits")
    assert page.locator(".turn-note", has_text=said).count() == 2
    paste(page, command)
    shown = page.locator(".offer", has_text="What the commands would change")
    assert "thing" in shown.locator(".row.added").first.inner_text()
    assert "thing" not in (folder / "web/stock.ts").read_text()
    shown.get_by_role("button", name="Write these changes").click()
    wait_for_state(page, 1, "written")
    assert shown.count() == 0
    assert "thing" in (folder / "web/stock.ts").read_text()


def test_two_edits_of_five_are_accepted(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Review").last.click()
    for n in (2, 3, 5):
        page.get_by_role("checkbox", name=f"Edit {n}").uncheck()
        wait_for_state(page, n, "left-out")
    page.locator(".review").get_by_role("button", name="Apply 2 edits").click()
    wait_for_state(page, 4, "written")
    assert states(page) == ["written", "left-out", "left-out", "written", "left-out"]
    assert (folder / "till.py").read_text() == TILL.replace("0.2\n", "0.19\n", 1)
    assert "item.count >= 1" in (folder / "web/stock.ts").read_text()
    assert not (folder / "web/prices.ts").exists()


def test_one_file_is_applied_and_then_one_edit(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Review").last.click()
    page.locator(".file-group", has_text="stock.ts").get_by_role("button", name="Apply 1 edit").click()
    wait_for_state(page, 4, "written")
    assert (folder / "till.py").read_text() == TILL
    page.keyboard.press("Escape")
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    assert states(page) == ["written", "fits", "fits", "written", "fits"]


def test_undo_takes_back_one_edit_and_then_all(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 1, "written")
    card(page, 1).get_by_role("button", name="Undo").click()
    wait_for_state(page, 1, "fits")
    assert "RATE = 0.2\n" in (folder / "till.py").read_text()
    assert ":.2f" in (folder / "till.py").read_text()
    page.keyboard.press("Escape")
    page.locator(".top-bar").get_by_role("button", name="History").click()
    page.locator(".history").get_by_role("button", name="Undo", exact=True).click()
    wait_for_state(page, 5, "fits")
    assert (folder / "till.py").read_text() == TILL
    assert not (folder / "web/prices.ts").exists()
    page.locator(".history").get_by_role("button", name="Redo", exact=True).click()
    wait_for_state(page, 5, "written")
    assert (folder / "web/prices.ts").exists()


def test_a_reply_that_is_applied_already_says_so(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "written")
    paste(page, FIVE)
    wait_for_state(page, 5, "stands-already")
    assert states(page) == ["stands-already"] * 5
    assert "5 stand already" in page.locator(".banner-bar").last.inner_text()


def test_a_failed_edit_is_mended_by_hand(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(
        page,
        edit("till.py", "def receipt(price_list):\n    lines = []\n", "def receipt(prices, width):\n    lines = []\n"),
    )
    wait_for_state(page, 1, "failed")
    failure = card(page, 1).locator(".failure")
    beside = failure.locator(".beside").inner_text()
    assert "def receipt(price_list):" in beside
    assert "The file has, line" in beside
    assert "price_list" in failure.locator(".mark").all_inner_texts(), "only what differs is marked"
    card(page, 1).get_by_role("button", name="Edit by hand").click()
    search = card(page, 1).get_by_role("textbox", name="Search")
    search.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("def receipt(prices):\n", delay=1)
    replacement = card(page, 1).get_by_role("textbox", name="Replace by")
    replacement.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("def receipt(prices, width=8):\n", delay=1)
    wait_for_state(page, 1, "fits")
    page.get_by_role("button", name="Done").click()
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    assert (folder / "till.py").read_text() == TILL.replace("def receipt(prices):", "def receipt(prices, width=8):")


def test_an_edit_by_hand_is_cancelled(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "RATE = 0.3\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "failed")
    card(page, 1).get_by_role("button", name="Edit by hand").click()
    search = card(page, 1).get_by_role("textbox", name="Search")
    search.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("RATE = 0.2\n")
    wait_for_state(page, 1, "fits")
    card(page, 1).locator(".in-sight .cm-line", has_text="RATE = 0.2").wait_for()
    page.get_by_role("button", name="Cancel").click()
    wait_for_state(page, 1, "failed")
    assert card(page, 1).locator(".by-hand-form").count() == 0
    assert card(page, 1).locator(".tag", has_text="by hand").count() == 0


def test_places_are_told_apart(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    body = "    step()\n" * 9
    (folder / "twice.py").write_text(f"def first():\n{body}\n\ndef second():\n{body}")
    page = open_page(serve())
    paste(page, edit("twice.py", body, body.replace("step", "stride")))
    wait_for_state(page, 1, "failed")
    places = card(page, 1).locator(".places label")
    places.nth(1).locator(".hit").first.wait_for()
    names = [name.inner_text() for name in card(page, 1).locator(".place-line").all()]
    assert names == ["In first, line 2", "In second, line 14"]
    shown = [re.sub(r"(?m)^\d+", "", place.locator("code").inner_text()) for place in places.all()]
    assert shown[0] != shown[1], "no two boxes are equal"


def test_the_change_is_made_in_the_nearest_code_and_nothing_else_of_the_reply(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    misquoted = 'def receipt(prices):\n    """Makes it."""\n    lines = []\n    lines.append("sum")\n'
    paste(page, edit("till.py", f"{misquoted}    return lines\n", f"{misquoted}    return lines[:80]\n"))
    wait_for_state(page, 1, "failed")
    card(page, 1).get_by_role("button", name="Make its change here").click()
    wait_for_state(page, 1, "fits")
    assert "by hand" in card(page, 1).locator(".edit-head").inner_text()
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    head, _, tail = TILL.rpartition("    return lines\n")
    assert (folder / "till.py").read_text() == f"{head}    return lines[:80]\n{tail}"


def test_where_the_nearest_code_differs_on_the_changed_lines_there_is_only_the_hand(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    said = '    """Sums up all the prices, with a tax."""\n    result = 1\n'
    paste(page, edit("till.py", said, '    """Total."""\n    result = 0\n'))
    wait_for_state(page, 1, "failed")
    assert card(page, 1).get_by_role("button", name="Make its change here").count() == 0
    card(page, 1).get_by_role("button", name="Edit by hand").click()
    page.wait_for_selector(".by-hand-form")
    card(page, 1).locator(".in-sight .cm-line", has_text="result = 0").wait_for()


def test_a_card_shows_the_files_own_lines_and_the_replys_behind_a_switch(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    (folder / "f.py").write_text("# head\n\ndef alpha(x):\n    y = x+1\n    return y\n")
    page = open_page(serve())
    paste(page, edit("f.py", "def alpha(x):\n  y = x + 1\n", "def alpha(x):\n  y = x + 2\n"))
    wait_for_state(page, 1, "fits")
    shown = card(page, 1).locator(".diff-rows")
    assert [row.strip() for row in shown.locator(".removed, .added").all_inner_texts()] == ["y = x+1", "y = x+2"]
    assert shown.locator(".added").get_attribute("data-new") == "4"
    switch = card(page, 1).get_by_role("button", name="As the reply says")
    switch.click()
    assert switch.get_attribute("aria-pressed") == "true"
    assert [row.strip() for row in shown.locator(".removed, .added").all_inner_texts()] == ["y = x + 1", "y = x + 2"]
    assert card(page, 1).locator(".diff.no-numbers").count() == 1


def test_a_last_line_that_gets_its_end_is_told_from_what_it_was(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    (folder / "names.txt").write_text("one\ntwo")
    page = open_page(serve())
    paste(page, edit("names.txt", "two\n", "two\nthree\n"))
    wait_for_state(page, 1, "fits")
    rows = card(page, 1).locator(".row")
    assert [row.strip() for row in rows.all_inner_texts()] == ["two no line end", "two", "three no line end"]
    page.get_by_role("button", name="Apply 1 edit").click()
    wait_for_state(page, 1, "written")
    page.locator(".top-bar").get_by_role("button", name="History").click()
    page.locator(".operation-head").click()
    page.locator(".operation-body .line-end").nth(1).wait_for()


def test_an_ambiguous_edit_is_given_its_place(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "twice.py").write_text("def a():\n    start()\n\n\ndef b():\n    start()\n")
    page = open_page(serve())
    paste(page, edit("twice.py", "    start()\n", "    begin()\n"))
    wait_for_state(page, 1, "failed")
    page.get_by_role("radio", name="Line 6").check()
    wait_for_state(page, 1, "fits")
    page.get_by_role("button", name="Apply 1 edit").first.click()
    wait_for_state(page, 1, "written")
    assert (folder / "twice.py").read_text() == "def a():\n    start()\n\n\ndef b():\n    begin()\n"


def test_an_edit_that_fits_many_places_is_given_any_of_them(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "many.py").write_text("".join(f"def a{n}():\n    start()\n" for n in range(20)))
    page = open_page(serve())
    paste(page, edit("many.py", "    start()\n", "    begin()\n"))
    places = card(page, 1).get_by_role("group", name="Where does it go?")
    assert places.get_by_role("radio").count() == 12
    places.get_by_role("button", name="Show 8 more places").click()
    places.get_by_role("radio", name="Line 40").check()
    wait_for_state(page, 1, "fits")


def test_the_choice_of_a_place_stays_where_it_is(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "twice.py").write_text("def a():\n    start()\n\n\ndef b():\n    start()\n")
    page = open_page(serve())
    paste(page, edit("twice.py", "    start()\n", "    begin()\n"))
    wait_for_state(page, 1, "failed")
    places = card(page, 1).get_by_role("group", name="Where does it go?")
    places.get_by_text("def b():").wait_for()
    assert "4\n5def b():\n6    start()" in places.inner_text(), "a blank line is one of the lines around it"
    places.get_by_role("radio", name="Line 6").focus()
    page.keyboard.press("Space")
    wait_for_state(page, 1, "fits")
    labels = [label.split("\n")[0] for label in places.locator("label").all_inner_texts()]
    assert labels == ["In a, line 2", "In b, line 6"]
    assert places.get_by_role("radio", name="Line 6").is_checked()
    page.wait_for_function("() => document.activeElement?.id.endsWith('-line-6')")


def test_without_a_model_failed_edits_are_taken_to_another_chat_page(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "def receipt(price_list):\n", "def receipt(prices, width=8):\n"))
    wait_for_state(page, 1, "failed")
    failed = card(page, 1)
    assert failed.get_by_role("button", name="Retry").count() == 0
    failures = page.locator(".banner").get_by_role("group", name="What failed")
    assert failures.get_by_text("No model is named.").count() == 1, "it is said once, not at every card"
    failed.get_by_role("button", name="Copy the message for a model").click()
    failed.get_by_role("button", name="Copied").wait_for()
    assert "till.py" in page.evaluate("() => navigator.clipboard.readText()")
    page.focus("#composer-text")
    page.get_by_role("button", name="Use another chat page").click()
    page.get_by_role("dialog", name="Use another chat page").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("c")
    page.get_by_role("dialog", name="Use another chat page").get_by_role("button", name="Add files").click()
    page.get_by_role("tree", name="Files").wait_for()
    page.keyboard.press("n")
    page.get_by_role("dialog", name="Start from a template").wait_for()


def test_a_file_that_changes_after_the_plan_is_never_overwritten(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    (folder / "till.py").write_text(TILL.replace("RATE = 0.2\n", "RATE = 0.25  # by hand\n"))
    # The page may have looked at the file first and planned again: then the button is another one.
    page.evaluate(
        "() => [...document.querySelectorAll('button')].find(one => /^Apply 5/.test(one.textContent))?.click()"
    )
    wait_for_state(page, 1, "failed")
    assert "by hand" in (folder / "till.py").read_text()
    assert not (folder / "web/prices.ts").exists(), "nothing at all was written"


def test_a_settled_edit_says_so_and_can_be_settled_again(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "fits")
    (folder / "till.py").write_text(TILL.replace("RATE = 0.2\n", "RATE = 0.25\n"))
    wait_for_state(page, 1, "failed")  # it is planned again by itself
    card(page, 1).get_by_role("button", name="Resolve it by hand").click()
    page.get_by_role("button", name="Keep the file").click()
    wait_for_state(page, 1, "left-out")
    said = card(page, 1).locator(".edit-note")
    assert said.inner_text().startswith("You kept the file as it is.")
    said.get_by_role("button", name="Resolve it again").click()
    page.get_by_role("button", name="Take the reply", exact=True).click()
    wait_for_state(page, 1, "fits")
    page.locator(".viewer .cm-changedLine").get_by_text("RATE = 0.19").wait_for()
    assert said.inner_text().startswith("You resolved its conflict. The viewer shows what will be written.")
    card(page, 1).get_by_text("As the reply says").wait_for()
    page.get_by_role("button", name="Apply 1 edit").first.click()
    wait_for_state(page, 1, "written")
    assert (folder / "till.py").read_text() == TILL.replace("RATE = 0.2\n", "RATE = 0.19\n")
    assert said.inner_text() == "You resolved its conflict. The viewer shows what was written."


def test_the_merged_result_that_is_shown_is_the_one_that_is_used(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "fits")
    (folder / "till.py").write_text(TILL.replace("0.2", "0.21"))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    settle = card(page, 1).get_by_role("button", name="Resolve it by hand")
    settle.click()
    merged = page.get_by_role("textbox", name="Merged result of till.py")
    merged.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("RATE = 0.5")
    settle.click()  # what opened it, once more
    page.wait_for_function("() => document.activeElement.ariaLabel === 'Merged result of till.py'")
    assert merged.inner_text().strip() == "RATE = 0.5"
    page.get_by_role("button", name="Use this result").click()
    page.get_by_role("button", name="Apply this file").click()
    page.locator(".banner-bar").get_by_text("1 written").wait_for()
    assert (folder / "till.py").read_text().strip() == "RATE = 0.5"


def test_both_sides_are_those_of_now(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "fits")
    for rate in ("0.21", "0.22"):  # the second one while the first is on the screen
        (folder / "till.py").write_text(TILL.replace("0.2", rate))
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        if rate == "0.21":
            card(page, 1).get_by_role("button", name="Resolve it by hand").click()
        page.locator(".merged").get_by_text(f"RATE = {rate}").wait_for()
    (folder / "till.py").write_text(TILL)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    page.get_by_role("button", name="Apply this file").wait_for()  # there is nothing to settle any more
    (folder / "till.py").write_text(TILL.replace("0.2", "0.23"))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    card(page, 1).get_by_role("button", name="Resolve it by hand").click()
    page.get_by_role("button", name="Keep the file").click()
    page.locator(".viewer.conflict").wait_for(state="detached")
    assert page.get_by_role("alert").count() == 0


def test_a_reply_is_sent_once_and_what_is_typed_meanwhile_stays(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    page.get_by_text("Paste a reply", exact=True).first.click()
    page.fill("#composer-text", FIVE)
    waiting: list[Route] = []
    page.route("**/api/turns", lambda route: waiting.append(route))
    page.focus("#composer-text")
    for _ in range(2):
        page.keyboard.press("Control+Enter")
    page.keyboard.type("and then")
    page.wait_for_function("() => document.querySelector('#composer-text').value.endsWith('and then')")
    while not waiting:
        stand_still(page)  # the request is on its way
    stand_still(page)
    assert len(waiting) == 1, "the second press sent nothing"
    waiting[0].continue_()
    wait_for_state(page, 5, "fits")
    page.wait_for_function("() => document.querySelector('#composer-text').value === 'and then'")
    assert page.locator(".turn").count() == 1


def test_a_long_reply_that_is_pasted_in_two_parts_is_read_whole(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    page.get_by_text("Paste a reply", exact=True).first.click()
    page.focus("#composer-text")
    filler = "Some words about it.\n" * 4_000
    page.keyboard.type("First:")
    first, second = edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"), edit("README.md", "# Shop\n", "# Store\n")
    for part in (f"\n{first}{filler}", f"{second}{filler}"):
        page.evaluate("text => navigator.clipboard.writeText(text)", part)
        page.keyboard.press("Control+v")
    page.keyboard.press("Control+Enter")
    wait_for_state(page, 2, "fits")
    assert page.locator(".turn").inner_text().count("First:") == 1


def test_a_command_is_copied_and_not_run(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.locator(".turn .command").get_by_role("button", name="Copy").click()
    page.get_by_text("Copied the command.").wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == "git mv till.py shop_till.py"
    assert (folder / "till.py").exists()


def test_a_file_without_text_is_no_new_file(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "empty.py").touch()
    page = open_page(serve())
    paste(page, edit("empty.py", "", "A = 1\n") + edit("new.py", "", "B = 2\n"))
    wait_for_state(page, 2, "fits")
    tags = [card(page, n).locator(".edit-head .tag").all_inner_texts() for n in (1, 2)]
    assert tags == [[], ["new file"]]
    page.get_by_role("button", name="Apply 2 edits").first.click()
    wait_for_state(page, 2, "written")
    assert [card(page, n).locator(".edit-head .tag").count() for n in (1, 2)] == [0, 1]


def test_a_rename_is_one_change_of_one_file(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, MOVES)
    wait_for_state(page, 2, "fits")
    assert card(page, 1).locator(".path-button .path").all_inner_texts() == ["till.py", "shop/cash.py"]
    assert card(page, 1).locator(".row.removed, .row.added").count() == 2
    files = page.locator(".file-links li")
    assert [one.replace("\n", " ") for one in files.all_inner_texts()] == [
        "README.md → becomes docs/README.md",
        "till.py → becomes shop/cash.py +1 −1",
    ]
    page.get_by_role("button", name="Review").last.click()
    group = page.locator(".file-group", has_text="shop/cash.py")
    assert group.locator(".tag").all_inner_texts() == ["renamed"]
    group.locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-deletedChunk")
    head = page.locator(".viewer-head")
    assert head.locator(".path").all_inner_texts() == ["till.py", "shop/cash.py"]
    assert page.locator(".viewer .cm-deletedChunk").inner_text().strip() == "RATE = 0.2"
    assert page.locator(".edit-chips").get_by_text("#1").count() == 1
    page.get_by_role("button", name="Apply this file").click()
    wait_for_state(page, 1, "written")
    assert states(page) == ["written", "fits"]
    assert (folder / "shop/cash.py").read_text() == TILL.replace("0.2\n", "0.19\n", 1)
    page.locator(".top-bar").get_by_role("button", name="History").click()
    page.locator(".operation").wait_for()
    assert page.locator(".operation-paths .path").all_inner_texts() == ["till.py", "shop/cash.py"]
    page.locator(".operation-head").click()
    change = page.get_by_role("region", name="shop/cash.py", exact=True)
    change.wait_for()
    assert change.locator(".tag").all_inner_texts() == ["renamed"]
    assert change.locator(".row.removed, .row.added").count() == 2
    card(page, 1).get_by_role("button", name="Undo").click()
    wait_for_state(page, 1, "fits")
    assert (folder / "till.py").read_text() == TILL


def test_a_deletion_that_fails_does_not_say_that_the_file_goes(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    cut = "".join(f"-{line}\n" for line in TILL.splitlines()[:4])
    paste(page, f"```diff\n--- a/till.py\n+++ /dev/null\n@@ -1,4 +0,0 @@\n{cut}```\n")
    wait_for_state(page, 1, "failed")
    assert card(page, 1).locator(".edit-note").inner_text() == "It would remove the file."
    paste(page, "*** Begin Patch\n*** Delete File: till.py\n*** End Patch\n")
    wait_for_state(page, 1, "fits")
    assert card(page, 1).locator(".edit-note").inner_text() == "The file is removed."


def test_a_file_below_a_sentence_is_an_edit(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    listing = TILL.replace("RATE = 0.2\n", "RATE = 0.19\n")
    reply = f"Here is the updated `till.py`:\n\n```python\n{listing}```\n"
    paste(page, reply)
    wait_for_state(page, 1, "fits")
    page.get_by_role("button", name="Apply").first.click()
    wait_for_state(page, 1, "written")
    assert (folder / "till.py").read_text() == listing


def test_a_rename_whose_change_is_there_shows_no_change(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    (folder / "till.py").write_text(TILL.replace("RATE = 0.2\n", "RATE = 0.19\n"))
    page = open_page(serve())
    paste(page, MOVES)
    wait_for_state(page, 1, "fits")
    assert card(page, 1).locator(".row").count() == 0
    said = "It moves to shop/cash.py. What else the edit says is in the file already."
    assert card(page, 1).locator(".edit-note").inner_text() == said
    page.get_by_role("button", name="Apply 2 edits").click()
    wait_for_state(page, 2, "written")
    assert card(page, 1).locator(".edit-note").inner_text() == said
    page.locator(".top-bar").get_by_role("button", name="History").click()
    head = page.locator(".operation-head")
    assert " ".join(head.inner_text().split()).startswith("Applied README.md → becomes docs/README.md and 1 more file")


def test_the_history_offers_no_undo_of_what_is_undone(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n") + edit("README.md", "# Shop\n", "# The shop\n"))
    page.get_by_role("button", name="Apply 2 edits").first.click()
    wait_for_state(page, 2, "written")
    page.locator(".top-bar").get_by_role("button", name="History").click()
    page.locator(".operation-head").click()
    page.get_by_role("button", name="Undo this edit 1").click()
    wait_for_state(page, 1, "fits")
    edits = page.locator(".operation-edits li")
    edits.nth(0).get_by_text("undone").wait_for()
    assert [line.get_by_role("button").count() for line in edits.all()] == [0, 1]
    assert page.locator(".operation-head").last.get_by_text("1 edit undone").is_visible()
    assert page.get_by_role("button", name="Undo all of it").count() == 1
    page.get_by_role("button", name="Undo this edit 2").click()
    edits.nth(1).get_by_text("undone").wait_for()
    assert page.get_by_role("button", name="Undo all of it").count() == 0, "nothing of it is left"
    assert page.locator(".operation.undone").count() == 1, "it says so as a whole"
    assert page.locator(".top-bar").get_by_role("button", name="Undo the newest operation").is_disabled()
    assert (folder / "till.py").read_text() == TILL
    page.locator(".history").get_by_role("button", name="Redo", exact=True).click()
    page.get_by_role("button", name="Undo this edit 2").wait_for()
    assert edits.nth(0).get_by_role("button").count() == 0


@pytest.mark.parametrize("end", ["", "\n\n"])
def test_a_listing_of_a_whole_file_is_shown_once(folder: Path, serve: Serve, open_page: OpenPage, end: str) -> None:
    shop(folder)
    page = open_page(serve())
    listing = TILL.replace("RATE = 0.2\n", "RATE = 0.19\n") + end
    paste(page, f"I lower the rate.\n\n**till.py**\n\n```python\n{listing}```\n\nThat is all.\n")
    wait_for_state(page, 1, "fits")
    assert page.locator(".prose").all_inner_texts() == ["I lower the rate.", "That is all."]
    assert card(page, 1).get_by_text("RATE = 0.19").count() == 1
    paste(page, "patch\n```\n*** Begin Patch\n*** Delete File: till.py\n*** End Patch\n```\n")
    wait_for_state(page, 1, "fits")
    card(page, 1).locator(".path-button").click()
    page.locator(".viewer").get_by_text("deleted").wait_for()
    assert "LF" not in page.locator(".viewer-head").inner_text(), "a file that goes has no line ends to speak of"


def test_a_reload_shows_the_end_of_what_was_pasted(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    lines = [f"value_{n} = compute({n})\n" for n in range(6_000)]
    (folder / "big.py").write_text("".join(lines))
    page = open_page(serve(), 1440, 900)
    paste(page, FIVE)
    changed = [line.replace("compute", "count") if n % 4 == 0 else line for n, line in enumerate(lines)]
    paste(page, "big.py\n```python\n" + "".join(changed) + "```\n")
    wait_for_state(page, 1, "fits")
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    for _ in range(3):
        page.reload()
        wait_for_state(page, 1, "written")
        stand_still(page)
        assert page.locator(".chat-log").evaluate("e => e.scrollHeight - e.scrollTop - e.clientHeight") < 2


def test_the_history_tells_what_cannot_be_read(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    for old, new in (("0.2", "0.19"), ("0.19", "0.18"), ("0.18", "0.17")):
        paste(page, edit("till.py", f"RATE = {old}\n", f"RATE = {new}\n"))
        page.locator(".turn").last.get_by_role("button", name="Apply 1 edit").first.click()
        wait_for_state(page, 1, "written")
    log = folder / ".dovetail/log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(line[1:] if 4 <= n < 7 else line for n, line in enumerate(lines)))
    page.reload()
    page.locator(".top-bar").get_by_role("button", name="History").click()
    page.locator(".journal-damaged").wait_for()
    assert "1 operation cannot be read" in page.locator(".journal-damaged").inner_text()
    assert [line.get_attribute("class") for line in page.locator(".operations > li").all()] == [
        "operation done",
        "operation-lost",
        "operation done",
    ]
