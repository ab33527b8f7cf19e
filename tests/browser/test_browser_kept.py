"""A restart in mid-review, decisions while a reply arrives, what an agent did, and what the first load costs."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from provider_server import Answer, openai_events, serving
from reading import ask, paste, wait_for_state
from replies import FIVE, edit, shop
from served import OpenPage, Serve, serving_folder, serving_process
from test_browser_people import violations

sys.path += [str(Path(__file__).parents[1] / room) for room in ("web", "session")]

from test_web_recorded import lines, record  # its imports need the folders above

if TYPE_CHECKING:
    import pytest
    from playwright.sync_api import Page

AT = "() => document.activeElement.dataset.n ?? null"


def test_a_restart_in_mid_review_loses_nothing(folder: Path, open_page: OpenPage) -> None:
    shop(folder)
    with serving_process(folder) as served:
        page = open_page(served)
        paste(page, FIVE)
        wait_for_state(page, 5, "fits")
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        page.wait_for_function(f"() => ({AT})() === '5'")
        page.keyboard.press("a")
        page.locator('.edit-bar[data-n="5"][data-state="written"]').wait_for()
        page.keyboard.press("s")
        page.locator('.edit-bar[data-n="4"][data-state="left-out"]').wait_for()
    with serving_process(folder) as served:
        page = open_page(served)
        wait_for_state(page, 4, "left-out")
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        page.wait_for_function(f"() => ({AT})() === '1'")
        for n in (1, 2, 3):
            page.wait_for_function(f"n => ({AT})() === n", arg=str(n))
            page.keyboard.press("a")
        page.locator('.edit-bar[data-n="3"][data-state="written"]').wait_for()
        assert page.locator('.edit-bar[data-n="5"][data-state="written"]').count() == 1
    assert "RATE = 0.19\n" in (folder / "till.py").read_text()
    assert "item.count > 0" in (folder / "web" / "stock.ts").read_text()


def test_edits_are_decided_by_keys_while_the_reply_arrives(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    may_go_on = threading.Event()
    rate, other = edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"), edit("README.md", "# Shop\n", "# The shop\n")
    last = edit("web/stock.ts", "  count: number;\n", "  count: bigint;\n")
    events = openai_events(rate + other, last)
    with serving(Answer([*events[:2], may_go_on, *events[2:]])) as provider:
        page = open_page(serve(provider=provider.url))
        _hold(page, ["till.py", "README.md", "web/stock.ts"])
        ask(page, "Change it.")
        wait_for_state(page, 2, "fits")
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        try:
            page.wait_for_function(f"() => ({AT})() === '2'")  # README.md, before till.py
            page.keyboard.press("a")
            page.locator('.edit-bar[data-n="2"][data-state="written"]').wait_for()
            page.wait_for_function(f"() => ({AT})() === '1'")
            page.keyboard.press("s")
            page.locator('.edit-bar[data-n="1"][data-state="left-out"]').wait_for()
            assert (folder / "README.md").read_text().startswith("# The shop\n")
        finally:
            may_go_on.set()
        page.locator(".review-top").get_by_role("button", name="Apply 1 edit").wait_for()  # the turn has ended
        page.keyboard.press("Shift+A")
        page.locator('.edit-bar[data-n="3"][data-state="written"]').wait_for()
    assert "RATE = 0.2\n" in (folder / "till.py").read_text()


def _hold(page: Page, paths: list[str]) -> None:
    act = "paths => fetch('/api/held', { method: 'POST', headers: { 'Content-Type': 'application/json', 'Dovetail-Key': localStorage.getItem('dovetail.key') }, body: JSON.stringify({ add: paths }) })"
    page.evaluate(act, paths)
    page.locator(".held-file", has_text="README.md").wait_for(state="attached")


def test_what_an_agent_did_is_taken_back_by_keys(
    folder: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    (folder / "long.txt").write_text(lines())
    record(folder, "long.txt", lines(l2="two", l20="twenty"), 1, call="c1")
    record(folder, "long.txt", lines(l2="two", l10="ten", l20="twenty"), 2, call="c2")
    with serving_folder(folder) as served:
        page = open_page(served)
        page.keyboard.press("Escape")
        page.keyboard.press("h")
        page.get_by_role("button", name="Review the session of claude").click()
        page.locator(".edit-bar").nth(1).wait_for()
        page.locator('.edit-bar[data-n="2"]').focus()
        page.keyboard.press("s")
        page.locator('.edit-bar[data-n="2"][data-state="left-out"]').wait_for()
        assert (folder / "long.txt").read_text() == lines(l2="two", l20="twenty")
        page.locator('.edit-bar[data-n="2"]').focus()
        page.keyboard.press("u")
        page.locator('.edit-bar[data-n="2"][data-state="written"]').wait_for()
        (folder / "long.txt").write_text(lines(l2="two", l10="ten", l15="mine", l20="twenty"))
        page.get_by_role("button", name="Take all of it back").click()
        page.get_by_text("other changes there stay: +1 −1").wait_for()
        assert violations(page) == []
        page.keyboard.press("Enter")
        page.locator('.edit-bar[data-n="1"][data-state="left-out"]').wait_for()
        assert (folder / "long.txt").read_text() == lines(l15="mine")
        page.locator('.edit-bar[data-n="1"]').focus()
        page.keyboard.press("e")
        page.locator(".viewer .cm-content").wait_for()


def test_the_first_load_is_light(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """Nothing is loaded before it is shown: panels and editors follow with the first reply."""
    page = open_page(serve())
    usable = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate("() => performance.getEntriesByType('resource').map(one => [one.name, one.transferSize])")
    print(
        f"\nusable after {usable:.0f} ms; {len(loaded)} requests behind the page, {sum(size for _, size in loaded)} B"
    )
    assert len(loaded) + 2 <= 12, "with the page itself and the redirect to it"
    assert 10_000 < sum(size for _, size in loaded) < 150_000
    assert not any("editors" in name for name, _ in loaded)


def test_a_dropped_file_is_a_reply_and_back_closes_a_panel(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    page.evaluate(DROP, FIVE)
    page.wait_for_function("() => document.querySelector('#composer-text').value.includes('RATE = 0.19')")
    page.keyboard.press("Control+Enter")
    wait_for_state(page, 5, "fits")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.locator(".edit-bar").first.wait_for()
    page.go_back()
    page.locator(".panel").wait_for(state="detached")
    assert page.locator("article.edit").count() == 5, "it is still the same page"


DROP = """text => {
  const data = new DataTransfer();
  data.items.add(new File([text], 'reply.md', { type: 'text/markdown' }));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
