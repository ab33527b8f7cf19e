"""What a test does at the page again and again: paste, ask, look at an edit, wait until nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


NEWEST = "() => [...document.querySelectorAll('.turn')].at(-1)?.id ?? null"


def paste(page: Page, reply: str) -> None:
    """Paste a reply and have it read; returns when its summary stands."""
    before = page.evaluate(NEWEST)
    page.get_by_text("Paste a reply", exact=True).first.click()
    page.evaluate("text => navigator.clipboard.writeText(text)", reply)
    page.focus("#composer-text")
    page.keyboard.press("Control+v")
    page.keyboard.press("Control+Enter")
    page.wait_for_function(f"before => ({NEWEST})() !== before", arg=before)


def ask(page: Page, request: str) -> None:
    """Ask the model; returns at once."""
    page.locator(".composer").get_by_text("Ask", exact=True).first.click()
    page.fill("#composer-text", request)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(f".request:has-text({request[:20]!r})")


def held(page: Page, paths: Sequence[str] = ("till.py", "web/stock.ts")) -> None:
    """Take files into the chat, by keyboard in the tree."""
    page.locator(".top-bar").get_by_role("button", name="Files").click()
    for path in paths:
        page.get_by_role("searchbox", name="Filter files").fill(path)
        page.get_by_role("treeitem", name=path).focus()
        page.keyboard.press("+")
        page.get_by_role("treeitem", name=f"{path}, in the chat").wait_for()
    page.get_by_role("button", name="Close the files").click()


def card(page: Page, n: int, turn: int = -1) -> Locator:
    """The card of an edit, by default of the last turn."""
    return page.locator(".turn").nth(turn).locator(f'article.edit[data-n="{n}"]')


def wait_for_state(page: Page, n: int, state: str, turn: int = -1) -> None:
    """Wait until an edit is in a state."""
    page.locator(".turn").nth(turn).locator(f'article.edit[data-n="{n}"][data-state="{state}"]').wait_for()


def states(page: Page, turn: int = -1) -> list[str]:
    """The states of a turn's edits, in their order."""
    cards = page.locator(".turn").nth(turn).locator("article.edit")
    return [str(one.get_attribute("data-state")) for one in cards.all()]


def stand_still(page: Page) -> None:
    """Wait until nothing has changed, scrolled or taken the focus for eight frames, and no transition runs."""
    page.evaluate(STILL)


STILL = """async () => {
  let frames = 0;
  const again = () => (frames = 0);
  const watch = new MutationObserver(again);
  watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const heard = ['scroll', 'focusin', 'focusout', 'load'];
  heard.forEach(name => document.addEventListener(name, again, true));
  const moves = () => document.getAnimations().some(one => one.playState === 'running' && one.effect.getTiming().iterations !== Infinity);
  while (frames < 8) {
    await new Promise(requestAnimationFrame);
    frames = moves() ? 0 : frames + 1;
  }
  watch.disconnect();
  heard.forEach(name => document.removeEventListener(name, again, true));
}"""
