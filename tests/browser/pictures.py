"""Takes pictures of the real page.

`python tests/browser/pictures.py OUT` takes every scene at three widths, light and dark. `--docs OUT` takes those of the
docs. `--only WORD` takes the scenes whose names hold the word. Run it where the fonts are that a reader should see, and
compress what goes into the docs (`pngquant --ext .png --force`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "llm"))  # the scripted provider

import chromium
from reading import stand_still
from scenes import SCENES, Scene, staged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

WIDTHS = {1440: 900, 1024: 768, 390: 844}
THEMES = ("light", "dark")
DOCS = {
    "page": ("viewer", "light"),
    "page-review-dark": ("left-out", "dark"),
    "page-failed": ("failed", "light"),
    "review": ("agent", "light"),
}
"""Each picture of the docs: its scene and its theme."""


def main() -> None:
    """Take what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--only", default="")
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=list(chromium.FLAGS))
        if wanted.docs:
            for name, (scene, theme) in DOCS.items():
                with _opened(browser, SCENES[scene]) as page:
                    _shot(page, wanted.out / f"{name}.png", 1280, theme, height=800)
        else:
            for name in (name for name in SCENES if wanted.only in name):
                with _opened(browser, SCENES[name]) as page:
                    for width, height in WIDTHS.items():
                        for theme in THEMES:
                            _shot(page, wanted.out / f"{name}-{width}-{theme}.png", width, theme, height)
        browser.close()


@contextmanager
def _opened(browser: Browser, scene: Scene) -> Iterator[Page]:
    with tempfile.TemporaryDirectory() as scratch, staged(scene, Path(scratch) / "shop") as served:
        rights = ["clipboard-read", "clipboard-write"]
        context = browser.new_context(
            viewport={"width": 1280, "height": 860}, reduced_motion="reduce", permissions=rights
        )
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_selector("main .composer")
        scene.act(page, served.root)
        yield page
        context.close()


def _shot(page: Page, path: Path, width: int, theme: str, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    stand_still(page)
    page.screenshot(path=path)


if __name__ == "__main__":
    main()
