"""Finds what the browser tests need, and says what is missing where something is."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

FLAGS = (
    "--no-sandbox",  # containers run tests as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
)

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "src/dovetail/web/static/index.html"
AXE = ROOT / "page/node_modules/axe-core/axe.min.js"


def executable() -> str | None:
    """A Chromium of the system; the one without windows of its own, where it is there, opens a page in a third of the time."""
    named = os.environ.get("CHROMIUM")
    names = (named,) if named else ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def missing() -> str | None:
    """What to do before these tests can run; None where nothing is missing."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: python -m uv sync --group browser"
    if importlib.util.find_spec("uvicorn") is None:
        return "the server's libraries are not installed: python -m uv sync --extra web"
    if executable() is None:
        return "no Chromium found: apt-get install chromium-headless-shell, or name one in CHROMIUM"
    if not BUILT.is_file():
        return "the page is not built: cd page && npm ci && npm run build"
    return None
