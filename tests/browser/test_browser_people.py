"""For everybody: by keyboard alone, with a screen reader, in a narrow window, in either theme."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import chromium
import pytest
from provider_server import Answer, openai_events, serving
from reading import ask, card, paste, stand_still, states, wait_for_state
from replies import FIVE, TILL, edit, shop
from scenes import SCENES, staged
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAILS = edit("till.py", "def receipt(price_list):\n    lines = []\n", "def receipt(prices, width):\n    lines = []\n")
TWICE = edit("twice.py", "    start()\n", "    begin()\n")


def test_everything_by_keyboard(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    keys = page.keyboard
    keys.press("p")
    page.wait_for_function("() => document.activeElement.id === 'composer-text'")
    keys.insert_text(FIVE)
    keys.press("Control+Enter")
    wait_for_state(page, 5, "fits")
    keys.press("Escape")
    for _ in range(5):
        keys.press("k")
    page.wait_for_function("() => document.activeElement.dataset.n === '1'")
    keys.press("j")
    page.wait_for_function("() => document.activeElement.dataset.n === '2'")
    keys.press("s")
    wait_for_state(page, 2, "left-out")
    keys.press("k")
    keys.press("a")
    wait_for_state(page, 1, "written")
    keys.press("o")
    page.wait_for_selector(".viewer .cm-content")
    page.wait_for_function("() => document.activeElement.classList.contains('cm-content')")
    keys.press("d")
    page.wait_for_selector(".cm-mergeView")
    keys.press("Escape")
    page.wait_for_selector(".panel", state="detached")
    keys.press("Shift+A")
    wait_for_state(page, 5, "written")
    assert states(page) == ["written", "left-out", "written", "written", "written"]
    keys.press("z")
    wait_for_state(page, 5, "fits")
    keys.press("h")
    page.get_by_role("tab", name="History", selected=True).wait_for()
    keys.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    keys.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def blur(page: Page) -> None:
    """As if nothing had been clicked."""
    page.evaluate("document.activeElement.blur()")


def test_a_key_leaves_no_edit_out_that_is_written(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    page.wait_for_function("() => document.activeElement.dataset.n === '1'")
    for key in "su":
        page.keyboard.press(key)
        stand_still(page)
    wait_for_state(page, 1, "fits")


def test_the_focus_walks_through_controls_and_is_seen(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    blur(page)
    unseen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        unseen += page.evaluate(FOCUS_UNSEEN)
    assert unseen == []


FOCUS_UNSEEN = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return [];
  const marks = [at, at.closest('label'), at.closest('.composer')].filter(Boolean).map(one => getComputedStyle(one));
  const seen = marks.some(style => (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none');
  return seen ? [] : [at.outerHTML.slice(0, 120)];
}"""


@pytest.mark.parametrize("size", [(1440, 900), (420, 800)])
def test_what_has_the_focus_is_not_behind_the_bar(
    folder: Path, serve: Serve, open_page: OpenPage, size: tuple[int, int]
) -> None:
    shop(folder)
    page = open_page(serve(), *size)
    paste(page, FIVE + FAILS)
    paste(page, FIVE + FAILS)
    wait_for_state(page, 6, "failed")
    page.evaluate("document.querySelector('.chat-log').scrollTop = 0")
    page.locator(".chat-log").focus()
    hidden = []
    for _ in range(70):
        page.keyboard.press("Tab")
        hidden += page.evaluate(FOCUS_BEHIND)
    assert hidden == []


def test_who_presses_a_button_of_the_bar_stays_where_he_reads(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.evaluate("document.querySelector('.chat-log').scrollTop = 40")
    stand_still(page)
    page.locator(".banner-bar .primary").click()
    wait_for_state(page, 5, "written")
    stand_still(page)
    assert page.evaluate("document.querySelector('.chat-log').scrollTop") == 40


FOCUS_BEHIND = """() => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect();
  if (at.closest('.chat-turns') === null || box.height > 60) return [];
  return [box.top + 2, box.bottom - 2].flatMap(y => {
    const seen = document.elementFromPoint(box.left + box.width / 2, y);
    return seen !== null && (at.contains(seen) || seen.contains(at)) ? [] : [at.outerHTML.slice(0, 120)];
  });
}"""


def test_single_keys_can_be_switched_off(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    stand_still(page)
    assert page.locator(".panel").count() == 0


def test_what_arrives_is_told(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    page.evaluate(HEAR)
    paste(page, FIVE + FAILS)
    page.wait_for_function("() => window.heard.join(' ').includes('5 fit, 1 failed')")
    page.get_by_role("button", name="Apply 5 edits").first.click()
    page.wait_for_function("() => window.heard.join(' ').includes('Wrote 5 edits.')")


def test_an_edit_that_waits_for_its_file_is_not_told_as_failed(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(Answer(openai_events(edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n")))) as provider:
        page = open_page(serve(provider=provider.url))
        page.evaluate(HEAR)
        ask(page, "Lower the rate.")
        page.wait_for_function("() => window.heard.join(' ').includes('Edit 1 waits.')")
        page.get_by_role("button", name="Stop").first.click()
        page.wait_for_function("() => window.heard.join(' ').includes('Edits: 1 waits.')")
        assert "failed" not in page.evaluate("window.heard.join(' ')")


HEAR = """() => {
  window.heard = [];
  const voice = document.querySelector('[role="status"][aria-live="polite"]');
  new MutationObserver(() => window.heard.push(voice.textContent)).observe(voice, { childList: true, characterData: true, subtree: true });
}"""


@pytest.mark.parametrize("name", SCENES)
def test_axe_finds_nothing(tmp_path: Path, open_page: OpenPage, name: str) -> None:
    with staged(SCENES[name], tmp_path / "shop") as served:
        page = open_page(served, reduced_motion="reduce")
        SCENES[name].act(page, served.root)
        in_both_themes(page)


def test_axe_finds_nothing_in_several_turns(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """What each of them has does not pass for a part of the page of its own."""
    shop(folder)
    with serving(Answer(openai_events(FIVE + FAILS))) as provider:
        page = open_page(serve(provider=provider.url), reduced_motion="reduce")
        paste(page, FIVE + FAILS)
        page.evaluate(HOLD)
        ask(page, "Once more.")
        page.locator(".progress").wait_for(state="detached", timeout=30_000)
        wait_for_state(page, 5, "fits")
        assert violations(page) == []


HOLD = """() => fetch('/api/held', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Dovetail-Key': localStorage.getItem('dovetail.key') },
  body: JSON.stringify({ add: ['till.py', 'web/stock.ts'] }),
})"""


def test_axe_finds_nothing_while_a_reply_streams(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    events = openai_events(*(FIVE[at : at + 8] for at in range(0, len(FIVE), 8)))
    with serving(Answer([*events[:70], 8.0, *events[70:]])) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "Round the totals.")
        page.wait_for_selector("article.edit")
        stand_still(page)
        assert violations(page) == []


def test_axe_finds_nothing_in_a_conversation(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """A file that is asked for, an edit that was sent again, a conflict to be settled."""
    shop(folder)
    wrong = edit("till.py", "def receipt(price_list):\n    rows = list()\n", "def receipt(prices, width=8):\n")
    right = edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n")
    with serving(Answer(openai_events(wrong)), Answer(openai_events(right))) as provider:
        page = open_page(serve(provider=provider.url), reduced_motion="reduce")
        ask(page, "Lower the rate.")
        question = page.get_by_role("group", name="A question")
        question.wait_for()
        in_both_themes(page)
        question.get_by_role("button", name="Add it to the chat").click()
        wait_for_state(page, 2, "fits")
        in_both_themes(page)
    (folder / "till.py").write_text(TILL.replace("RATE = 0.2\n", "RATE = 0.25\n"))
    page.get_by_role("button", name="Apply 1 edit").first.click()
    page.get_by_role("button", name="Resolve it").first.click()
    page.get_by_role("group", name="Conflict 1 of 1").wait_for()
    in_both_themes(page)


def in_both_themes(page: Page) -> None:
    """Nothing is found, be the colours light or dark."""
    for theme, rules in (("light", ()), ("dark", ("color-contrast",))):  # in the dark all else is the same
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        stand_still(page)
        assert violations(page, *rules) == [], theme


def violations(page: Page, *rules: str) -> list[str]:
    """What axe has against the page as it is now, by all its rules or some.

    It is put in from disk, past the page's own policy.
    """
    if not chromium.AXE.is_file():
        pytest.skip("axe-core is not installed: cd page && npm ci")
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(chromium.AXE.read_text())
    only = {"runOnly": list(rules)} if rules else {}
    found = page.evaluate("only => axe.run(document, { resultTypes: ['violations'], ...only })", only)
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("width", [320, 360, 768])
def test_nothing_runs_over_a_narrow_window(folder: Path, serve: Serve, open_page: OpenPage, width: int) -> None:
    shop(folder)
    page = open_page(serve(), width=width, height=740, reduced_motion="reduce")
    fits(page, "first")
    paste(page, FIVE + FAILS)
    wait_for_state(page, 6, "failed")
    fits(page, "reply")
    page.get_by_role("button", name="Review", exact=True).first.click()
    fits(page, "review")
    page.locator(".file-group .path-button").first.click()
    page.wait_for_selector(".viewer .cm-content")
    fits(page, "viewer")
    page.get_by_role("button", name="Close the panel").click()
    card(page, 6).get_by_role("button", name="Edit by hand").click()
    page.wait_for_selector(".by-hand-form .cm-content")
    fits(page, "by hand")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "written")
    assert (folder / "till.py").read_text() != TILL


def fits(page: Page, state: str) -> None:
    """No control lies outside the window, but inside what scrolls sideways by itself."""
    outside = page.evaluate(OUTSIDE)
    assert (state, outside) == (state, [])


OUTSIDE = """() => [...document.querySelectorAll('button, input, select, textarea, h1, h2, h3, h4, p')].filter(one => {
  const box = one.getBoundingClientRect();
  if (box.width < 2 || one.closest('.diff-scroll, .cm-scroller, .table-scroll, pre, .spoken, .segmented, .skip-link')) return false;
  if (one.closest('.panel, .files, dialog') === null && document.querySelector('.panel')) return false;
  return box.right > innerWidth + 1 || box.left < -1;
}).map(one => one.outerHTML.slice(0, 100))"""


def test_the_theme_is_switched_and_kept(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve(), color_scheme="light")

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = ground()
    page.emulate_media(color_scheme="dark")
    dark = ground()
    assert light != dark
    button = page.get_by_role("button", name=re.compile("^Colours"))
    button.click()
    assert ground() == light
    page.reload()
    page.wait_for_selector(".composer")
    assert ground() == light


DRAWN = """selector => {
  const style = getComputedStyle(document.querySelector(selector));
  return [style.fontFeatureSettings, style.fontVariantLigatures];
}"""


def test_code_shows_its_own_characters(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE + FAILS)
    wait_for_state(page, 6, "failed")
    card(page, 1).locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-line")
    for drawn in (".viewer .cm-line", ".diff-rows code", ".beside code", ".command pre", ".path"):
        assert page.evaluate(DRAWN, drawn) == ["normal", "none"], f"{drawn} has no ligatures"


def test_all_keys_are_seen_at_once(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve())
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    body = page.locator(".modal-body")
    assert body.evaluate("it => it.scrollHeight <= it.clientHeight")
