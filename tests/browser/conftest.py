"""A real Chromium, a real server, a folder on disk. Everything is skipped, with its reason, where a part is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import chromium
import pytest
from served import OpenPage, Serve, Served, serving_folder

sys.path.insert(0, str(Path(__file__).parents[1] / "llm"))  # the scripted provider is the same as there

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WHY_NOT = chromium.missing()
OPEN = "main .composer"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if WHY_NOT is not None and item.path.parent == here:
            item.add_marker(pytest.mark.skip(reason=WHY_NOT))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium.executable(), args=list(chromium.FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace: empty, and no git work tree."""
    root = tmp_path / "shop"
    root.mkdir()
    return root


@pytest.fixture
def serve(folder: Path) -> Iterator[Serve]:
    """Serve the folder: `serve()` or `serve(provider=address)`."""
    with ExitStack() as stack:

        def start(*, provider: str | None = None) -> Served:
            return stack.enter_context(serving_folder(folder, provider=provider))

        yield start


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open the page of a server in a fresh profile; a test fails where the page's own script did."""
    with ExitStack() as stack:
        errors: list[str] = []

        def start(
            served: Served, width: int = 1280, height: int = 860, *, strict: bool = True, **options: object
        ) -> Page:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                permissions=["clipboard-read", "clipboard-write"],
                **options,
            )
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(15_000)
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text) if strict and _is_refusal(said.text) else None)
            page.goto(served.address)
            page.wait_for_selector(OPEN)
            return page

        yield start
        assert errors == []


def _is_refusal(said: str) -> bool:
    """Whether the browser kept the page from something by its policy."""
    return "Content Security Policy" in said
