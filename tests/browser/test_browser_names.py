"""A file's name is data too: wherever it stands, what cannot be seen in it is spelled out, and its end is seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reading import card, paste, wait_for_state
from replies import TILL, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVIL = "evil\u202etxt.py"
LONG = "packages/some-very-long-package-name/src/components/navigation/NavigationItemWithBadge.test.tsx"

RAW = r"""() => {
  const raw = /[\u202a-\u202e\u2066-\u2069]/;
  const said = [...document.querySelectorAll('*')].flatMap(one => [
    ...[...one.attributes].filter(a => raw.test(a.value)).map(a => `${one.tagName} ${a.name}`),
    ...[...one.childNodes].filter(n => n.nodeType === 3 && raw.test(n.data)).map(() => `${one.tagName}.${one.className}`),
  ]);
  return said;
}"""


@pytest.fixture
def page(folder: Path, serve: Serve, open_page: OpenPage) -> Page:
    shop(folder)
    (folder / EVIL).write_text("x = 1\ny = 2\n")
    (folder / LONG).parent.mkdir(parents=True)
    (folder / LONG).write_text("const a = 1;\n")
    page = open_page(serve(), reduced_motion="reduce")
    reply = edit(LONG, "const a = 1;\n", "const a = 2;\n") + edit(EVIL, "x = 1\n", "x = 2\n")
    paste(page, f"See `{EVIL}`.\n\n" + reply + edit(EVIL, "y = 3\n", "y = 4\n"))
    wait_for_state(page, 3, "failed")
    return page


def test_no_name_turns_the_text_around_it(page: Page) -> None:
    found = {"reply": page.evaluate(RAW)}
    card(page, 2).locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-content")
    found["viewer"] = page.evaluate(RAW)
    page.keyboard.press("v")
    found["review"] = page.evaluate(RAW)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.get_by_role("treeitem").first.wait_for()
    page.get_by_role("treeitem", name="evil").hover()
    page.get_by_role("treeitem", name="evil").locator(".tree-add").click()
    page.locator(".composer").get_by_text("Ask", exact=True).click()
    page.locator(".held-drop").wait_for()
    found["files"] = page.evaluate(RAW)
    card(page, 3).focus()
    page.keyboard.press("e")
    page.wait_for_selector(".by-hand-form .cm-content")
    found["by hand"] = page.evaluate(RAW)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Apply 2")).first.click()
    wait_for_state(page, 2, "written")
    page.keyboard.press("h")
    page.locator(".operation-head").first.click()
    page.locator(".operation-body").wait_for()
    found["history"] = page.evaluate(RAW)
    assert found == {state: [] for state in found}


def test_a_long_path_is_cut_on_its_left(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    card(page, 1).locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-content")
    box = page.locator(".file-choice .cut-path")
    assert box.evaluate("it => it.scrollWidth > it.clientWidth"), "it is cut"
    end = box.evaluate("""it => {
      const range = document.createRange();
      const name = it.querySelector('.path').lastChild;
      range.setStart(name, name.data.length - 4);
      range.setEnd(name, name.data.length);
      const end = range.getBoundingClientRect(), box = it.getBoundingClientRect();
      return end.width > 0 && end.right <= box.right + 1 && end.left >= box.left;
    }""")
    assert end, "its end is seen"
    page.get_by_label("File", exact=True).select_option(label="evil<U+202E>txt.py")
    page.locator(".file-choice .unseen").wait_for()


def test_what_is_copied_shows_it(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    paste(page, "Run:\n\n```bash\nls -l\n```\n")
    button = page.locator(".command .button")
    button.click()
    page.locator(".command").get_by_role("button", name="Copied").wait_for()
    page.locator(".command").get_by_role("button", name="Copy", exact=True).wait_for()


def test_what_is_typed_outlives_a_reload(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.keyboard.press("p")
    page.wait_for_function("() => document.activeElement.id === 'composer-text'")
    page.keyboard.insert_text("half a reply")
    page.reload()
    page.wait_for_selector(".composer")
    page.wait_for_function("() => document.getElementById('composer-text').value === 'half a reply'")


def test_the_composer_is_one_line_high_until_it_is_used(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve(), width=360, height=740)
    page.evaluate("document.activeElement.blur()")
    low = page.locator(".composer").evaluate("it => it.offsetHeight")
    page.focus("#composer-text")
    assert low < 60 < page.locator(".composer").evaluate("it => it.offsetHeight")


def test_one_sees_what_one_edits_towards(page: Page, folder: Path) -> None:
    paste(page, edit("till.py", "def receipt(price_list):\n", "def receipt(prices, width):\n"))
    wait_for_state(page, 1, "failed")
    card(page, 1).get_by_role("button", name="Edit by hand").click()
    page.wait_for_selector(".by-hand-form .cm-content")
    card(page, 1).locator(".in-sight .cm-line", has_text="def receipt(prices):").wait_for()
    page.locator(".by-hand-form .cm-content").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("def receipt(prices):\n")
    wait_for_state(page, 1, "fits")
    card(page, 1).locator(".by-hand-form + .diff .row.added:has-text('width')").wait_for()
    assert (folder / "till.py").read_text() == TILL
