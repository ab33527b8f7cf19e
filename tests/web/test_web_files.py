"""Files, templates, settings and context on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_server import Page, page_over


def test_the_tree_leaves_out_what_is_ignored(page: Page) -> None:
    (page.root / ".gitignore").write_text("secret/\n")
    (page.root / "secret").mkdir()
    (page.root / "secret" / "key").write_text("k")
    tree = page.get("/api/tree")
    assert tree == {"paths": [".gitignore", "docs/notes.md", "ferry.txt", "kiosk.py"], "truncated": False}


def test_a_file_comes_with_its_identity_and_language(page: Page) -> None:
    file = page.get("/api/file?path=kiosk.py")
    assert (file["text"].encode(), file["language"], file["lines"]) == (page.text("kiosk.py"), "python", 5)
    assert len(file["digest"]) == 64
    assert page.get("/api/file?path=docs/notes.md")["text"].count("\r\n") == 3
    (page.root / "photo.png").write_bytes(b"\x89PNG\x00\x00")
    photo = page.get("/api/file?path=photo.png")
    assert (photo["text"], photo["problem"]) == (None, "binary")
    assert page.error("GET", "/api/file?path=gone.txt", None, 404) == "not-found"
    (page.root / "long.txt").write_text("x" * 4_000_001)
    long = page.get("/api/file?path=long.txt")
    assert (long["text"], long["problem"]) == (None, "too-large")


def test_files_join_the_chat_and_leave_it(page: Page) -> None:
    with page.listening(after=0) as events:
        assert page.post("/api/held", add=["kiosk.py"], read_only=["ferry.txt"]) == {
            "editable": ["kiosk.py"],
            "read_only": ["ferry.txt"],
        }
        assert events.until("held")[-1].data == page.state()["held"]
    page.post("/api/held", add=["ferry.txt"], drop=["kiosk.py"])
    assert page.state()["held"] == {"editable": ["ferry.txt"], "read_only": []}
    assert page.error("POST", "/api/held", {"drop": ["ferry.txt"], "add": ["gone"]}, 422) == "usage"
    assert page.state()["held"]["editable"] == ["ferry.txt"]


def test_settings_change_for_all_tabs_and_for_this_server_alone(page: Page) -> None:
    before = page.state()["settings"]
    after = page.post("/api/settings", format="udiff", occurrence="first", map_tokens=0, editor_model="small")
    assert {key for key in after if after[key] != before[key]} == {"format", "occurrence", "map_tokens", "editor_model"}
    assert page.state()["settings"] == after
    assert [path.name for path in page.root.iterdir() if path.name.startswith(".")] == []
    assert page.error("POST", "/api/settings", {"format": "diff", "shell": "yes"}, 400) == "bad-request"
    assert page.state()["settings"]["format"] == "udiff"


def test_what_teaches_a_model_and_shows_it_files_can_be_copied(page: Page) -> None:
    taught = page.get("/api/prompt?format=diff")
    assert "SEARCH" in taught["system"]
    assert taught["reminder"]
    page.post("/api/held", add=["ferry.txt"])
    shown = page.post("/api/context", map=True)
    assert "This is an outline of other files in the repository" in shown["text"]
    assert "leaves at eight" in shown["text"]
    assert shown["tokens"] > 0
    assert "PRICE = 4" in page.post("/api/context", paths=["kiosk.py"])["text"]


def test_a_template_begins_a_project_and_never_writes_over_one(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    with page_over(root) as page:
        listed = page.get("/api/templates")
        assert listed["empty"] is True
        name = listed["templates"][0]["name"]
        made = page.post(f"/api/templates/{name}", variables={})
        assert made["files"] == [path for path in page.get("/api/tree")["paths"] if path in made["files"]]
        assert set(page.state()["held"]["editable"]) <= set(made["files"])
        assert page.error("POST", f"/api/templates/{name}", {}, 422) == "usage"
        assert page.error("POST", "/api/templates/nothing", {}, 404) == "not-found"


@pytest.mark.parametrize("variables", [{"no_such": "x"}, {"folder": 4}])
def test_variables_that_do_not_fit_copy_nothing(page: Page, variables: dict[str, object]) -> None:
    name = page.get("/api/templates")["templates"][0]["name"]
    before = page.get("/api/tree")
    page.error("POST", f"/api/templates/{name}", {"variables": variables}, 422 if "no_such" in variables else 400)
    assert page.get("/api/tree") == before
