"""Lets the page's tests use the scripted provider of the room `llm`, and what the tests of `session` say with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
sys.path += [str(_TESTS / "llm"), str(_TESTS / "session"), str(Path(__file__).parent)]

from page_server import Page, page_over  # noqa: E402  # its imports need the folders above


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with three files."""
    folder = tmp_path / "kiosk"
    (folder / "docs").mkdir(parents=True)
    (folder / "kiosk.py").write_bytes(b'PRICE = 4\n\n\ndef greet(name):\n    return "Hello, " + name\n')
    (folder / "ferry.txt").write_bytes(b"leaves at eight\nreturns at nine\nwaits at ten\n")
    (folder / "docs" / "notes.md").write_bytes(b"# Notes\r\n\r\nThe till is broken.\r\n")
    return folder


@pytest.fixture
def page(root: Path) -> Iterator[Page]:
    """A server over it, with no model to ask."""
    with page_over(root) as served:
        yield served
