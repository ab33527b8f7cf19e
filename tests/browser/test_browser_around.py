"""What is around the edits: templates, files, settings, what other chat pages need, a server that goes away."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from provider_server import Answer, openai_events, serving
from reading import ask, card, paste, states, wait_for_state
from replies import FIVE, TILL, edit, shop
from served import OpenPage, Serve, serving_folder

from dovetail.cli.serve import private_redirect

if TYPE_CHECKING:
    from playwright.sync_api import Route


def test_a_template_begins_a_project(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.get_by_role("button", name="Start from a template").click()
    page.get_by_role("button", name=re.compile("Use it *static-site")).click()
    page.get_by_role("dialog", name=re.compile("files are there")).wait_for()
    page.get_by_role("button", name="See the files").click()
    page.get_by_role("treeitem").first.wait_for()
    written = {file.name for file in folder.rglob("*") if file.is_file() and ".dovetail" not in file.parts}
    assert "index.html" in written
    assert page.get_by_role("treeitem", name="index.html").count() == 1


def test_files_are_found_by_any_part_of_their_path(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    page.keyboard.press("f")
    page.get_by_role("treeitem", name="web").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="web/stock.ts").wait_for()
    page.get_by_role("searchbox", name="Filter files").fill("read me".replace(" ", ""))
    page.get_by_role("treeitem", name="till.py").wait_for(state="detached")
    assert page.get_by_role("treeitem").all_inner_texts() == ["README.md"]


def test_what_has_the_focus_among_the_files_is_what_keys_are_about(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    page = open_page(serve())
    page.locator(".top-bar").get_by_role("button", name="Files").click()
    page.get_by_role("treeitem", name="till.py").focus()
    page.keyboard.press("+")
    page.get_by_role("treeitem", name="till.py, in the chat").wait_for()
    page.locator(".files .filter").fill("stock")
    page.keyboard.press("ArrowDown")
    page.locator(".tree [role=treeitem]:focus").wait_for()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.locator(".viewer .cut-path[title='web/stock.ts']").wait_for()


def test_a_file_named_in_prose_opens_at_its_line(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, "Look at till.py:14 first, never at missing.py.\n\n" + edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "fits")
    assert page.locator(".mention").all_inner_texts() == ["till.py:14"]
    page.locator(".mention").click()
    assert page.locator(".viewer .cm-line.target").inner_text() == "def receipt(prices):"


def test_a_name_that_opens_its_file_is_copied_with_the_text(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """Firefox leaves what stands in a button out, unless it is told otherwise."""
    shop(folder)
    page = open_page(serve())
    paste(page, "Look at till.py first.\n\n" + edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "fits")
    for name in (".mention", ".path-button"):
        assert page.locator(name).first.evaluate("it => getComputedStyle(it).userSelect") == "text"
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.prose'))")
    assert page.evaluate("getSelection().toString()") == "Look at till.py first."


def test_an_edit_of_an_older_turn_is_led_to(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    for n in range(8):
        paste(page, edit(f"note{n}.txt", "", "a\n"))
        wait_for_state(page, 1, "fits")
        card(page, 1).get_by_role("button", name="Apply").click()
        wait_for_state(page, 1, "written")
    assert page.locator(".turn").first.locator("article.edit").count() == 0, "older turns are folded"
    page.keyboard.press("v")
    page.get_by_label("Turn").select_option(value="t1")
    page.locator(".review .line-link").click()
    page.wait_for_function("() => document.activeElement.id === 't1-edit-1'")
    assert page.locator(".turn").first.locator("article.edit").is_visible()


def test_a_badge_leads_to_its_lines(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 3, "written")
    card(page, 3).locator(".badge-button").click()
    page.wait_for_selector(".viewer .cm-line.target")
    assert ":.2f" in page.locator(".viewer .cm-line.target").inner_text()
    page.get_by_role("combobox", name="File").select_option("web/stock.ts")
    page.get_by_text("item.count >= 1").last.wait_for()


def test_instructions_for_another_chat_page_are_copied(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.get_by_role("button", name="Use another chat page").click()
    page.get_by_role("button", name="Copy the instructions", exact=True).click()
    page.get_by_text("Copied the instructions.").wait_for(state="attached")
    assert "SEARCH" in str(page.evaluate("navigator.clipboard.readText()"))


def test_what_has_to_be_fetched_is_promised_while_the_press_is_answered(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    """To some browsers the wait for a server ends the press, and nothing may be copied after it."""
    page = open_page(serve())
    page.evaluate(HEAR_PROMISES)
    asked: list[Route] = []
    page.route("**/api/context", lambda route: asked.append(route))
    page.get_by_role("button", name="Use another chat page").click()
    page.get_by_role("button", name="Copy a map of the folder").click()
    page.wait_for_function("() => window.promised === 1")
    asked[0].fulfill(json={"text": "the map", "tokens": 2})
    page.get_by_text("Copied a map of the folder.").wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == "the map"
    page.get_by_role("button", name="Copy a map of the folder").click()
    page.wait_for_function("() => window.promised === 2")
    asked[1].fulfill(status=500, json={"error": {"code": "system", "message": "No map today.", "hint": None}})
    page.get_by_role("dialog").get_by_text("No map today.").wait_for()
    assert page.get_by_text("does not let this page write").count() == 0
    assert page.evaluate("navigator.clipboard.readText()") == "the map"


HEAR_PROMISES = """() => {
  window.promised = 0;
  for (const name of ['write', 'writeText']) {
    const act = navigator.clipboard[name];
    navigator.clipboard[name] = function (what) { window.promised++; return act.call(this, what); };
  }
}"""


def test_a_model_is_named_in_the_settings(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.locator(".composer").get_by_text("Ask", exact=True).first.click()
    assert page.get_by_role("button", name="Ask", exact=True).is_disabled()
    page.get_by_role("button", name=re.compile("settings")).first.click()
    page.get_by_role("textbox", name="Model", exact=True).fill("tiny-2")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.locator(".model-button", has_text="tiny-2").wait_for()


def test_a_server_that_ends_is_told(folder: Path, open_page: OpenPage) -> None:
    shop(folder)
    with serving_folder(folder) as served:
        page = open_page(served)
        paste(page, FIVE)
        wait_for_state(page, 5, "fits")
    page.get_by_text("Reconnecting…").wait_for()
    page.get_by_role("button", name="Apply 5 edits").first.click()
    page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()
    assert (folder / "till.py").read_text() == TILL


def test_a_provider_that_fails_is_told(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(Answer([b'{"error": {"message": "No such model."}}'], status=404, headers={})) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "Anything.")
        page.locator(".turn.failed .turn-note.error").wait_for()
        assert "No such model" in page.locator(".turn.failed").inner_text()


def test_commands_and_findings_are_drawn_as_they_stream(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    reply = "First:\n\n```bash\nmkdir -p web/img\n```\n\nThen `git rm old.txt`.\n"
    with serving(Answer(openai_events(*reply))) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "What now?")
        page.locator(".turn.done").wait_for()
    commands = page.locator(".turn .command pre").all_inner_texts()
    assert commands == ["mkdir -p web/img", "git rm old.txt"]
    assert not (folder / "web/img").exists(), "nothing was run"


def test_a_server_that_was_started_again_is_told_of_alone(folder: Path, open_page: OpenPage) -> None:
    shop(folder)
    with serving_folder(folder) as served:
        page = open_page(served)
        paste(page, FIVE)
        wait_for_state(page, 5, "fits")
    page.get_by_role("button", name="Apply 5 edits").first.click()
    page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()
    with serving_folder(folder, port=int(served.origin.rpartition(":")[2])):
        page.get_by_text("The server was started again.").wait_for()
        assert page.get_by_text("The server does not answer.").count() == 0, "it does, and knows this page no more"


def test_a_private_file_leads_to_the_page_and_another_port_cannot_use_its_cookie(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    served = serve()
    page = open_page(served)
    page.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    file = private_redirect(served.address)
    try:
        page.goto(file.as_uri())
        page.locator("main .composer").wait_for()
    finally:
        file.unlink()
    assert page.url == f"{served.origin}/"
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    (cookie,) = page.context.cookies()
    stolen = {"Cookie": f"{cookie['name']}={cookie['value']}"}
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(urllib.request.Request(f"{served.origin}/api/state", headers=stolen))  # noqa: S310
    page.reload()
    wait_for_state(page, 5, "fits")


def test_a_tab_of_an_earlier_session_applies_nothing_of_the_next(folder: Path, open_page: OpenPage) -> None:
    """The turn is kept under its name, with the same plan: the old tab may write it only when it shows the new session."""
    shop(folder)
    with serving_folder(folder) as served:
        page = open_page(served)
        paste(page, FIVE)
        wait_for_state(page, 5, "fits")
    with serving_folder(folder, port=int(served.origin.rpartition(":")[2])) as again:
        page.get_by_text("The server was started again.").wait_for()
        other = page.context.new_page()
        other.goto(again.address)
        other.locator("main .composer").wait_for()
        paste(other, edit("README.md", "# Shop\n", "# Store\n"))
        wait_for_state(other, 1, "fits")
        page.get_by_role("button", name="Apply 5 edits").first.click()
        page.locator(".notice").get_by_text("this is its new session").wait_for()
        wait_for_state(page, 1, "fits", turn=1)
        assert [states(page, turn) for turn in (0, 1)] == [["fits"] * 5, ["fits"]]
        assert (folder / "till.py").read_text() == TILL
        assert (folder / "README.md").read_text().startswith("# Shop\n")
        page.locator(".turn").first.get_by_role("button", name="Apply 5 edits").first.click()
        wait_for_state(page, 5, "written", turn=0)
    assert "RATE = 0.19" in (folder / "till.py").read_text()


def test_a_file_that_cannot_be_shown_says_why(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 64)
    page = open_page(serve())
    page.keyboard.press("f")
    page.get_by_role("treeitem", name="logo.png").click()
    page.locator(".viewer").get_by_text("binary").wait_for()
    assert page.get_by_text("Reading the file").count() == 0


def test_a_file_that_is_not_there_says_so_in_its_place(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("nowhere.py", "x = 1\n", "x = 2\n"))
    card(page, 1).get_by_role("button", name="nowhere.py").first.click()
    page.locator(".viewer").get_by_text("There is no file").wait_for()
    assert page.get_by_role("alert").count() == 0
