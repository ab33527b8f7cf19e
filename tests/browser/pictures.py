"""Takes the pictures of the docs from the real page: `python tests/browser/pictures.py docs/images`.

Run it where the fonts are that a reader should see, and compress what it writes (`pngquant --ext .png --force`).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import chromium
from reading import paste, wait_for_state
from replies import FIVE, TILL, edit, shop
from served import serving_folder

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZE = {"width": 1280, "height": 800}
FAILS = edit(
    "till.py",
    'def receipt(price_list):\n    """The lines of a receipt."""\n    lines = []\n',
    'def receipt(prices, width=8):\n    """Lines of a receipt."""\n    lines = []\n',
)


def main(out: Path) -> None:
    """Write every picture."""
    from playwright.sync_api import sync_playwright

    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        root = Path(scratch) / "shop"
        root.mkdir()
        shop(root)
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=list(chromium.FLAGS))
        context = browser.new_context(
            viewport=SIZE, reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"]
        )
        page = context.new_page()
        with serving_folder(root) as served:
            page.goto(served.address)
            page.wait_for_selector(".composer")
            _take(page, root, out)
        browser.close()


def _take(page: Page, root: Path, out: Path) -> None:
    def shot(name: str) -> None:
        page.wait_for_timeout(400)
        page.screenshot(path=out / f"{name}.png")

    paste(page, FIVE)
    wait_for_state(page, 5, "ready")
    _to_top(page)
    page.locator('article.edit[data-n="2"] .path-button').click()
    page.wait_for_selector(".viewer .cm-content")
    shot("page")
    page.emulate_media(color_scheme="dark")
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("checkbox", name="Edit 2").uncheck()
    wait_for_state(page, 2, "skipped")
    shot("page-review-dark")
    page.emulate_media(color_scheme="light")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard").first.click()
    paste(page, FAILS)
    wait_for_state(page, 1, "failed")
    page.locator(".turn").last.scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.turn:last-child').scrollIntoView()")
    shot("page-failed")
    assert (root / "till.py").read_text() == TILL


def _to_top(page: Page) -> None:
    page.evaluate("document.querySelector('.chat-log').scrollTop = 0")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
