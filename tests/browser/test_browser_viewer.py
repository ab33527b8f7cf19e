"""The viewer: it opens where something changes, and is read on there, however the plan or the file changes meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import card, paste, stand_still, wait_for_state
from replies import edit
from served import OpenPage, Serve

LINES = [f"value_{n} = compute({n})\n" for n in range(2_000)]
MANY = "\n".join(edit("big.py", LINES[n], LINES[n].replace("compute", "count")) for n in range(10, 2_000, 40))

TOP = """() => {
  const place = document.querySelector('.viewer .cm-mergeView') ?? document.querySelector('.viewer .cm-scroller');
  const box = place.getBoundingClientRect();
  const at = document.elementFromPoint(box.right - 40, box.top + 10);
  return at.closest('.cm-line, .cm-deletedLine, .cm-collapsedLines')?.textContent ?? '';
}"""
SCROLL = """() => {
  const place = document.querySelector('.viewer .cm-mergeView') ?? document.querySelector('.viewer .cm-scroller');
  place.scrollTop += 600;
}"""


@pytest.mark.parametrize("layout", ["Unified", "Side by side"])
def test_a_plan_that_changes_leaves_the_viewer_where_it_is(
    folder: Path, serve: Serve, open_page: OpenPage, layout: str
) -> None:
    (folder / "big.py").write_text("".join(LINES))
    page = open_page(serve(), reduced_motion="reduce")
    paste(page, MANY)
    wait_for_state(page, 50, "fits")
    card(page, 25).locator(".path-button").click()
    page.locator(".viewer label", has_text=layout).click()
    page.locator(".viewer .cm-line.target").wait_for()
    page.evaluate(SCROLL)
    stand_still(page)
    top = page.evaluate(TOP)
    assert top.startswith("value_1")
    for n, takes_part in ((3, False), (3, True), (25, False)):
        page.evaluate("document.querySelector('.viewer .cm-editor').setAttribute('old', '')")
        page.get_by_role("checkbox", name=f"Edit {n}, take part").set_checked(takes_part)
        wait_for_state(page, n, "fits" if takes_part else "left-out")
        page.locator(".viewer .cm-editor:not([old])").first.wait_for()  # it is made anew once the file was fetched
        stand_still(page)  # its heights are known some frames later
        assert page.evaluate(TOP) == top


def test_a_file_that_changes_is_read_on_where_one_was(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "big.py").write_text("".join(LINES))
    page = open_page(serve(), reduced_motion="reduce")
    paste(page, "See `big.py:300`.\n" + edit("big.py", LINES[10], "value_10 = 10\nvalue_10 = 11\n"))
    wait_for_state(page, 1, "fits")
    page.get_by_role("button", name="big.py:300").click()
    page.get_by_text("value_299 = compute(299)", exact=True).wait_for()
    page.evaluate(SCROLL)
    stand_still(page)
    before = int(page.evaluate(TOP).split(" ")[0].removeprefix("value_"))
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    page.get_by_text("2,001 lines").wait_for()
    stand_still(page)
    assert page.evaluate(TOP).startswith(f"value_{before - 1} "), "the same line number, one line further down"


def test_a_file_opens_at_its_first_change(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "big.py").write_text("".join(LINES))
    page = open_page(serve(), reduced_motion="reduce")
    changed = [line.replace("compute", "count") if n % 40 == 0 else line for n, line in enumerate(LINES)]
    paste(page, "big.py\n```python\n" + "".join(changed) + "```\n")
    wait_for_state(page, 1, "fits")
    for link in (page.locator(".file-links button"), card(page, 1).locator(".path-button")):
        link.click()
        page.locator(".viewer .cm-changedLine").first.wait_for()
        assert page.evaluate(TOP) == "value_0 = compute(0)"
        assert page.locator(".viewer .target").count() == 0, "there is no need to point at a whole file"
        page.keyboard.press("Escape")


def test_thousands_of_changes_are_told_apart(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "big.py").write_text("".join(LINES))
    page = open_page(serve(), reduced_motion="reduce")
    changed = [line.replace("compute", "count") if n % 2 == 0 else line for n, line in enumerate(LINES)]
    paste(page, "big.py\n```python\n" + "".join(changed) + "```\n")
    wait_for_state(page, 1, "fits")
    card(page, 1).locator(".path-button").click()
    page.locator(".viewer .cm-changedLine").first.wait_for()
    assert page.locator(".viewer .cm-line:not(.cm-changedLine)").first.inner_text() == "value_1 = compute(1)"


@pytest.mark.parametrize("layout", ["Unified", "Side by side"])
def test_a_change_far_behind_the_start_of_its_line_is_in_sight(
    folder: Path, serve: Serve, open_page: OpenPage, layout: str
) -> None:
    long = ["first = [" + ", ".join(str(n) for n in range(1_000)) + "]\n"] * 2
    (folder / "long.py").write_text("a = 1\n" + long[0] + "b = 2\n" + long[1].replace("first", "second"))
    page = open_page(serve(), reduced_motion="reduce")
    page.evaluate("layout => localStorage.setItem('dovetail.diff-mode', layout)", LAYOUTS[layout])
    page.reload()
    paste(
        page, edit("long.py", f"b = 2\nsecond{long[1][5:]}", f"b = 2\nsecond{long[1][5:].replace(' 900,', ' 900000,')}")
    )
    wait_for_state(page, 1, "fits")
    card(page, 1).locator(".path-button").click()
    page.wait_for_function(IN_SIGHT)
    page.evaluate("document.querySelector('.viewer .cm-scroller').scrollLeft = 0")
    page.evaluate("(document.querySelector('.viewer .cm-mergeView') ?? document.body).scrollTop = 0")
    page.keyboard.press("]")
    page.wait_for_function(IN_SIGHT)


LAYOUTS = {"Unified": "unified", "Side by side": "split"}
IN_SIGHT = """() => [...document.querySelectorAll('.viewer .cm-changedText')].some(one => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
    && one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
})"""


def test_lines_are_those_that_the_cards_count(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "mixed.txt").write_bytes("one\r\ntwo\rstill two\n\n👩\u200d💻\nfour\n}\nsix\n".encode())
    page = open_page(serve())
    paste(page, edit("mixed.txt", "four\n}\nsix\n", "FOUR\n}\nSIX\n"))
    wait_for_state(page, 1, "fits")
    assert card(page, 1).locator(".where").inner_text() == "lines 5–7"
    card(page, 1).locator(".path-button").click()
    for layout in LAYOUTS:
        page.locator(".viewer label", has_text=layout).click()
        page.locator(f".viewer-place.{LAYOUTS[layout]} .cm-changedLine").last.wait_for()
        shown = page.locator(".viewer .cm-content").last.locator(".cm-line")
        assert [line.strip() for line in shown.all_inner_texts()][:4] == ["one", "twoU+000Dstill two", "", "👩\u200d💻"]
        changed = page.locator(".viewer .cm-content").last.locator(".cm-changedLine")
        assert [line.strip() for line in changed.all_inner_texts()] == ["FOUR", "SIX"], (
            "what stands between is the same"
        )
    (folder / "mixed.txt").write_bytes((folder / "mixed.txt").read_bytes().replace(b"four", b"vier"))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    card(page, 1).get_by_role("button", name="Resolve it by hand").click()
    page.get_by_role("button", name="Take the reply’s").click()
    page.get_by_role("button", name="Use this result").click()
    page.locator(".banner-bar").get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    assert (folder / "mixed.txt").read_bytes() == "one\r\ntwo\rstill two\n\n👩\u200d💻\nFOUR\n}\nSIX\n".encode()


def test_a_file_that_is_gone_is_shown_as_gone(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "note.txt").write_text("one\ntwo\n")
    page = open_page(serve())
    paste(page, edit("note.txt", "one\n", "1\n"))
    for now in ("one\n", "other\n"):
        (folder / "note.txt").write_text(now)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        wait_for_state(page, 1, "fits" if now == "one\n" else "failed")
        if now == "one\n":
            card(page, 1).locator(".path-button").click()
        else:
            card(page, 1).get_by_role("button", name="Resolve it by hand").click()
            page.get_by_role("button", name="Use this result").wait_for()
        (folder / "note.txt").unlink()
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        page.locator(".viewer .empty", has_text="There is no file note.txt.").wait_for()
        assert page.locator(".notice").count() == 0
