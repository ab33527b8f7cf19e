"""The review: all files of a reply on one page."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from provider_server import Answer, openai_events, serving
from reading import ask, held, paste, stand_still, wait_for_state
from replies import FIVE, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

LONG = "".join(f"line {n}\n" for n in range(1, 201))


def rows(page: Page, path: str) -> int:
    """How many lines of a file are shown."""
    return page.locator(".file-group", has_text=path).locator(".row").count()


def test_folded_lines_open_by_twenty(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "long.txt").write_text(LONG)
    page = open_page(serve())
    paste(page, edit("long.txt", "line 100\n", "line one hundred\n"))
    wait_for_state(page, 1, "fits")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.get_by_text("One column").click()
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
    wait_for_state(page, 5, "fits")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    whole = page.get_by_role("checkbox", name="All edits of till.py")
    page.get_by_role("checkbox", name="Edit 2").uncheck()
    page.locator('.edit-bar[data-n="2"].left-out').wait_for()
    assert whole.evaluate("box => box.indeterminate"), "some of its edits take part"
    whole.check()
    page.locator('.edit-bar[data-n="2"].fits').wait_for()
    whole.uncheck()
    for n in (1, 2, 3):
        page.locator(f'.edit-bar[data-n="{n}"].left-out').wait_for()
    page.locator(".review").get_by_role("button", name="Apply 2 edits").click()
    wait_for_state(page, 5, "written")
    assert "RATE = 0.2\n" in (folder / "till.py").read_text()
    assert (folder / "web" / "prices.ts").is_file()


AT = "() => document.activeElement.dataset.n ?? null"


def at_edit(page: Page, n: int, state: str) -> None:
    """Wait until the focus is on an edit's bar and the edit is in a state."""
    page.wait_for_function(f"n => ({AT})() === n", arg=str(n))
    page.locator(f'.edit-bar[data-n="{n}"][data-state="{state}"]').wait_for()


def test_keys_walk_over_every_edit_of_many_files_once(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    names = [f"part_{n:02}/{name}.py" for n in range(10) for name in ("one", "two")]
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(LONG)
    blocks = [edit(name, f"line {line}\n", f"line {line}!\n") for line in (20, 150) for name in reversed(names)]
    page = open_page(serve())
    paste(page, "\n".join([*blocks, edit("part_09/one.py", "no such line\n", "none\n")]))
    wait_for_state(page, 40, "fits")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.wait_for_function(f"() => ({AT})() !== null")
    walked = [page.evaluate(AT)]
    for _ in range(40):
        page.keyboard.press("j")
        walked.append(page.evaluate(AT))
    assert sorted(map(int, walked)) == list(range(1, 42)), "each of them once"
    files = page.evaluate("() => [...document.querySelectorAll('.file-group h3')].map(one => one.textContent)")
    assert files == sorted(files), "in the order of the tree"
    page.wait_for_function("() => document.activeElement.getBoundingClientRect().top > 0")
    page.wait_for_load_state("networkidle")
    stand_still(page)  # the files that the walk came by are drawn
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url))
    page.evaluate(CHANGED_FILES)
    page.keyboard.press("s")
    page.locator(".edit-bar.left-out").wait_for()
    stand_still(page)
    assert len([url for url in asked if "/file?" in url]) <= 1, "only the file that it touches is asked for again"
    assert page.evaluate("() => window.changed.size") == 1, "only the file that it touches is drawn again"


CHANGED_FILES = """() => {
  window.changed = new Set();
  const watch = new MutationObserver(all => all.forEach(one => {
    const element = one.target.nodeType === 1 ? one.target : one.target.parentElement;
    const group = element?.closest('.file-group');
    if (group) window.changed.add(group);
  }));
  watch.observe(document.querySelector('.review'), { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def test_each_state_of_an_edit_is_settled_by_keys(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    (folder / "twice.py").write_text("def one():\n    start()\n\n\ndef two():\n    start()\n")
    (folder / "list.txt").write_text("a\nb\nc\nd\n")
    page = open_page(serve())
    lines = edit("list.txt", "a\nb\nc\n", "A\nb\nC\n")
    paste(
        page,
        "\n".join(
            [FIVE, edit("till.py", "nowhere()\n", "x\n"), edit("twice.py", "    start()\n", "    go()\n"), lines]
        ),
    )
    wait_for_state(page, 8, "fits")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    at_edit(page, 5, "fits")  # web/prices.ts, the first of the tree
    page.keyboard.press("a")
    at_edit(page, 4, "fits")
    page.locator('.edit-bar[data-n="5"][data-state="written"]').wait_for()
    page.keyboard.press("s")
    at_edit(page, 8, "fits")
    page.locator('.edit-bar[data-n="4"][data-state="left-out"]').wait_for()
    assert page.locator(".row.added.aside", has_text="item.count >= 1").count() == 1, "left out, in its place"
    page.keyboard.press("l")
    page.locator(".choose-lines input").first.press("Space")
    page.locator('.edit-bar[data-n="8"]', has_text="1 of 2 changes").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.locator('.edit-bar[data-n="8"][data-state="written"]').wait_for()
    assert (folder / "list.txt").read_text() == "a\nb\nC\nd\n"
    at_edit(page, 6, "failed")
    page.keyboard.press("e")
    page.locator(".review .by-hand-form .cm-content").first.wait_for()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text('"""A small till."""\n')
    page.locator('.edit-bar[data-n="6"][data-state="fits"]').wait_for()
    page.keyboard.press("Escape")
    page.locator('.edit-bar[data-n="6"]').focus()
    page.keyboard.press("a")
    at_edit(page, 1, "fits")
    for n in (1, 2, 3):
        at_edit(page, n, "fits")
        page.keyboard.press("a")
    at_edit(page, 7, "failed")
    page.keyboard.press("2")
    at_edit(page, 7, "fits")
    page.keyboard.press("a")
    page.locator('.edit-bar[data-n="7"][data-state="written"]').wait_for()
    assert (folder / "twice.py").read_text().endswith("    go()\n")
    page.keyboard.press("u")
    at_edit(page, 7, "fits")
    assert (folder / "twice.py").read_text().count("start()") == 2
    assert (folder / "till.py").read_text().startswith("x\n")


def test_places_are_chosen_by_keys_while_all_else_is_decided(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """Two edits fit two places each; they are answered last to first, one while the model mends a third edit."""
    shop(folder)
    twice = "def one():\n    start()\n\n\ndef two():\n    start()\n"
    (folder / "first.py").write_text(twice)
    (folder / "last.py").write_text(twice)
    begin = ("    start()\n", "    begin()\n")
    wrong, mended = edit("till.py", "RATE = 0.21\n", "RATE = 0.19\n"), edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n")
    stock = edit("web/stock.ts", "  return null;\n", "  throw new Error(name);\n")
    readme = edit("README.md", "# Shop\n", "# The shop\n")
    reply = "\n".join([edit("first.py", *begin), wrong, stock, edit("last.py", *begin), readme])
    go_on, events = threading.Event(), openai_events("Once more:\n\n", mended)
    with serving(Answer(openai_events(reply)), Answer([*events[:2], go_on, *events[2:]])) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["first.py", "last.py", "till.py", "web/stock.ts", "README.md"])
        ask(page, "Begin.")
        page.get_by_text("Once more:").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        for n, state in ((1, "failed"), (2, "failed"), (4, "failed")):
            page.locator(f'.edit-bar[data-n="{n}"][data-state="{state}"]').wait_for()
        page.locator('.edit-bar[data-n="4"]').focus()
        page.keyboard.press("2")
        at_edit(page, 4, "fits")
        page.keyboard.press("1")
        page.locator(".review").get_by_text("You chose line 2").wait_for()
        page.keyboard.press("2")
        page.locator(".review").get_by_text("You chose line 6").wait_for()
        page.locator('.edit-bar[data-n="3"]').focus()
        page.keyboard.press("a")
        page.locator('.edit-bar[data-n="3"][data-state="written"]').wait_for()
        assert "throw new Error" in (folder / "web" / "stock.ts").read_text(), "written while a place is open"
        page.locator('.edit-bar[data-n="5"]').focus()
        page.keyboard.press("s")
        page.locator('.edit-bar[data-n="5"][data-state="left-out"]').wait_for()
        go_on.set()
        page.locator(".turn.open").wait_for(state="attached")
        page.locator('.edit-bar[data-n="6"][data-state="fits"]').wait_for()
        page.wait_for_load_state("networkidle")
        stand_still(page)
        page.evaluate(CHANGED_FILES)
        page.locator('.edit-bar[data-n="1"]').focus()
        page.keyboard.press("1")
        at_edit(page, 1, "fits")
        stand_still(page)
        assert page.evaluate("() => window.changed.size") == 1, "only its file is drawn again"
        for n, state in ((3, "written"), (4, "fits"), (5, "left-out"), (6, "fits")):
            assert page.locator(f'.edit-bar[data-n="{n}"]').get_attribute("data-state") == state, "as it was"
        page.keyboard.press("Shift+A")
        for n in (1, 4, 6):
            page.locator(f'.edit-bar[data-n="{n}"][data-state="written"]').wait_for()
        assert len(provider.seen) == 2
        sent = str(provider.seen[-1].body)
    assert sent.count("first.py") == sent.count("last.py"), "neither is in what the model was told of failures"
    assert (folder / "first.py").read_text() == twice.replace("start", "begin", 1)
    assert (folder / "last.py").read_text() == twice[:-12] + "    begin()\n"
    assert (folder / "till.py").read_text().count("RATE = 0.19\n") == 1
    assert (folder / "README.md").read_text().startswith("# Shop\n")


def test_one_place_chosen_for_two_edits_can_be_taken_back(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "list.txt").write_text("a\nsame\nb\nsame\nc\nsame\n")
    page = open_page(serve())
    paste(page, edit("list.txt", "same\n", "one\n") + edit("list.txt", "same\n", "two\n"))
    wait_for_state(page, 2, "failed")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    for n in (1, 2):
        page.locator(f'.edit-bar[data-n="{n}"]').focus()
        page.keyboard.press("2")
        page.locator(f'.edit-bar[data-n="{n}"][data-state="{"fits" if n == 1 else "failed"}"]').wait_for()
    second = page.locator(".review-edit").filter(has=page.locator('.edit-bar[data-n="2"]'))
    second.get_by_text("Edit 1 changes the same lines differently.").wait_for()
    second.get_by_role("button", name="Undecided again").click()
    page.locator('.edit-bar[data-n="1"][data-state="fits"]').wait_for()
    page.locator('.edit-bar[data-n="2"]').focus()
    page.keyboard.press("1")
    at_edit(page, 2, "fits")
    page.keyboard.press("Shift+A")
    page.locator('.edit-bar[data-n="2"][data-state="written"]').wait_for()
    assert (folder / "list.txt").read_text() == "a\ntwo\nb\none\nc\nsame\n"


@pytest.mark.parametrize("key", [True, False])
def test_a_comment_on_a_line_goes_to_the_model(folder: Path, serve: Serve, open_page: OpenPage, *, key: bool) -> None:
    shop(folder)
    with serving(Answer(openai_events("As you wish."))) as provider:
        page = open_page(serve(provider=provider.url))
        paste(page, FIVE)
        wait_for_state(page, 5, "fits")
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        page.locator(".edit-bar").nth(4).wait_for()
        if key:
            page.wait_for_function(f"() => ({AT})() !== null")
            page.keyboard.press("j")
            page.keyboard.press("j")
            page.keyboard.press("m")
        else:
            page.locator('.review .row.added[data-new="3"]').click(position={"x": 8, "y": 8})
        page.wait_for_selector("form.line-comment")
        page.wait_for_function("() => document.activeElement.tagName === 'TEXTAREA'")
        page.keyboard.insert_text("Read it from the settings.")
        page.keyboard.press("Control+Enter")
        page.locator("div.line-comment").get_by_text("Read it from the settings.").wait_for()
        page.get_by_role("button", name="Send 1 comment").click()
        page.locator(".review").get_by_text("Sent to the model.").wait_for()
        page.get_by_text("As you wish.").wait_for()
        sent = str(provider.seen[-1].body)
    assert "till.py, line 3 after the edits, `RATE = 0.19`: Read it from the settings." in sent


def test_a_comment_is_begun_on_an_edit_that_is_not_drawn_yet(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """The key is pressed before the file's lines are there: the comment waits for them."""
    names = [f"part_{n:02}.py" for n in range(30)]
    for name in names:
        (folder / name).write_text(LONG)
    page = open_page(serve())
    paste(page, "\n".join(edit(name, "line 100\n", "line one hundred\n") for name in names))
    wait_for_state(page, 30, "fits")
    late: list[Route] | None = []
    page.route(re.compile(r"/file\?"), lambda route: route.continue_() if late is None else late.append(route))
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.locator('.edit-bar[data-n="30"]').focus()
    page.keyboard.press("m")
    assert page.locator(".review .row").count() == 0, "nothing is drawn yet"
    held, late = late, None
    for route in held:
        route.continue_()
    page.locator("form.line-comment textarea:focus").wait_for()
    page.keyboard.insert_text("Why?")
    page.keyboard.press("Control+Enter")
    page.locator(".file-group", has_text="part_29.py").get_by_text("Why?").wait_for()


def test_a_long_word_begins_in_the_line_of_its_indent(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "long.py").write_text("if True:\n    x = 1\n")
    page = open_page(serve(), width=390, height=844)
    word = "response.raise_for_status_if_it_is_not_one_of_these_that_are_expected()"
    paste(page, edit("long.py", "    x = 1\n", f"    {word}\n"))
    wait_for_state(page, 1, "fits")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    row = page.locator(".review .row.added")
    row.wait_for()
    lines = row.evaluate("row => row.getBoundingClientRect().height / parseFloat(getComputedStyle(row).lineHeight)")
    assert round(lines) == 2, "75 characters, of which a line has about 40"
    assert row.locator("code").inner_text().strip() == word
