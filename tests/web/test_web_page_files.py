"""The built page's files as they are sent: compressed for who takes that."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dovetail.web.app import PageFiles

SCRIPT = b"export const words = 'one two three';\n" * 100


@pytest.fixture
def page(tmp_path: Path) -> PageFiles:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "assets" / "page.js").write_bytes(SCRIPT)
    (tmp_path / "dot.svg").write_bytes(b"<svg/>")
    return PageFiles.read(tmp_path)


@pytest.mark.parametrize(
    ("accepted", "packed"), [("gzip, br", True), ("br, gzip;q=0.5", True), ("", False), ("br", False)]
)
def test_a_file_is_compressed_for_who_takes_that(page: PageFiles, accepted: str, packed: bool) -> None:
    answer = page.answer("assets/page.js", accepted)
    assert answer is not None
    body = bytes(answer.body)
    assert (answer.headers.get("content-encoding") == "gzip") is packed
    assert (gzip.decompress(body) if packed else body) == SCRIPT
    assert answer.headers["content-length"] == str(len(body))
    assert answer.headers["vary"] == "Accept-Encoding"


def test_what_gets_no_smaller_is_sent_as_it_is(page: PageFiles) -> None:
    answer = page.answer("dot.svg", "gzip")
    assert answer is not None
    assert bytes(answer.body) == b"<svg/>"
