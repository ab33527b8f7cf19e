"""The review by keys alone, and real replies in it: how many keys they take, and pictures of them.

`python tests/browser/walking.py REPLIES.jsonl` walks over the replies with files of seven or more: each has an `id`, a
`reply`, and `before`, the text of each file by its path (null: none). `--least N` takes those with N files and more,
`--pictures OUT` takes a picture of each review at three widths, light and dark.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1] / "llm"))  # the scripted provider

import chromium
from reading import paste, stand_still
from served import serving_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS = {1440: 900, 1024: 768, 390: 844}

AT = "() => document.activeElement?.closest('.review-edit')?.querySelector('.edit-bar')?.dataset.n ?? null"
IN_SIGHT = """() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect(); // of the bar, or of all where that was lost
  return top >= 0 && bottom <= innerHeight;
}"""
BARS = "() => [...document.querySelectorAll('.review .edit-bar')].map(bar => [bar.dataset.n, bar.dataset.state])"
CARDS = "() => [...document.querySelectorAll('.turn:last-of-type article.edit:not([data-state=superseded])')].length"


def open_review(page: Page) -> None:
    """Open the review by its key; the focus is on an edit then."""
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.wait_for_function(f"() => ({AT})() !== null")


def walk(page: Page) -> list[str]:
    """Go through the review by `j` alone, from its first edit until the focus stays; the numbers of the edits."""
    while page.evaluate(AT) != page.evaluate(BARS)[0][0]:
        page.keyboard.press("k")
    found: list[str] = [page.evaluate(AT)]
    while True:
        page.keyboard.press("j")
        n = page.evaluate(AT)
        if n == found[-1]:
            return found
        page.wait_for_function(IN_SIGHT)  # what is drawn above it as it comes near may move it
        found.append(n)


def decide(page: Page) -> int:
    """Decide every edit by keys: what fits is written, what fails is left out; the number of keys.

    One that needs another first is refused, and the keys come back to it.
    """
    keys = 0
    while left := {n: state for n, state in page.evaluate(BARS) if state in ("fits", "failed")}:
        state = left.get(page.evaluate(AT))
        keys += 1
        assert keys < 200, f"these stay undecided: {left}"
        if state is None:
            page.keyboard.press("j")
            continue
        with page.expect_response(lambda got: got.url.endswith(("/apply", "/skip"))):
            page.keyboard.press("a" if state == "fits" else "s")
        stand_still(page)
    return keys


def main() -> int:
    """Walk over what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("replies", type=Path)
    parser.add_argument("--least", type=int, default=7)
    parser.add_argument("--most", type=int, default=20, help="replies")
    parser.add_argument("--pictures", type=Path)
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    lines = (json.loads(line) for line in args.replies.read_text(encoding="utf-8").splitlines())
    cases = [case for case in lines if sum(text is not None for text in case["before"].values()) >= args.least]
    wrong = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=list(chromium.FLAGS))
        for case in cases[: args.most]:
            edits, walked, keys = _reviewed(browser, case, args.pictures)
            wrong += walked != edits
            print(f"{case['id']}: {len(case['before'])} files, {edits} edits, {walked} walked, {keys} keys decide them")
        browser.close()
    return 1 if wrong else 0


def _reviewed(browser: Browser, case: dict[str, Any], pictures: Path | None) -> tuple[int, int, int]:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "project"
        root.mkdir()
        for path, text in case["before"].items():
            file = root / path
            if text is not None and file.resolve().is_relative_to(root.resolve()):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
        with serving_folder(root) as served:
            rights = ["clipboard-read", "clipboard-write"]
            context = browser.new_context(
                viewport={"width": 1440, "height": 900}, reduced_motion="reduce", permissions=rights
            )
            page = context.new_page()
            page.goto(served.address)
            page.wait_for_selector("main .composer")
            paste(page, case["reply"])
            edits = int(page.evaluate(CARDS))
            open_review(page)
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                _take(page, pictures, case["id"])
            walked = walk(page)
            for _ in walked:
                page.keyboard.press("k")
            keys = decide(page)
            context.close()
    return edits, len(set(walked)) if len(set(walked)) == len(walked) else -1, keys


def _take(page: Page, out: Path, name: str) -> None:
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        page.wait_for_selector("article.edit")
        open_review(page)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            stand_still(page)
            page.screenshot(path=out / f"{name}-{width}-{theme}.png")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.reload()
    page.wait_for_selector("article.edit")
    open_review(page)


if __name__ == "__main__":
    sys.exit(main())
