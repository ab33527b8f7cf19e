"""What agents did, reviewed and taken back: by edit, file, request, session and line, the person's own work kept."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from page_server import Json, Page

from dovetail.hooks.notes import take_notes
from dovetail.workspace import Operation, Origin, OutsideChange, Version, Workspace
from dovetail.workspace.operation import digest_of


def record(
    root: Path, path: str, text: str, request: int, *, call: str | None = "c1", session: str = "s1", asked: str = ""
) -> Operation:
    """Have an agent change a file, and record that."""
    kept: dict[str, bytes] = {}

    def version() -> Version | None:
        file = root / path
        if not file.exists():
            return None
        data = file.read_bytes()
        kept[digest_of(data)] = data
        return Version(digest_of(data), 0o644)

    before = version()
    (root / path).write_text(text, encoding="utf-8")
    calls = () if call is None else (call,)
    words = asked or f"Request {request}."
    origin = Origin("claude", session, request, words, None if call is None else "Edit", calls)
    with Workspace.open(root) as workspace:
        change = OutsideChange(origin, f"2998-01-02T03:04:{len(workspace.log()):02}Z", {path: (before, version())})
        return workspace.record([change], kept.__getitem__)[0]


LINES = [f"line {n}" for n in range(1, 31)]


def lines(**changed: str) -> str:
    return "".join(f"{changed.get(f'l{n}', line)}\n" for n, line in enumerate(LINES, 1))


@pytest.fixture
def made(page: Page) -> list[Operation]:
    """Two requests of a session: three edits of one file, one of another, one whose call is not known."""
    root = page.root
    (root / "long.txt").write_text(lines())
    return [
        record(root, "long.txt", lines(l2="two", l20="twenty"), 1, call="c1"),
        record(root, "ferry.txt", "leaves at seven\n", 1, call="c2"),
        record(root, "long.txt", lines(l2="two", l10="ten", l20="twenty"), 2, call="c3"),
        record(root, "long.txt", lines(l2="two", l10="ten", l20="twenty", l29="last"), 2, call=None),
    ]


def files(page: Page, query: str = "session=s1") -> dict[str, Json]:
    return {file["path"]: file for file in page.get(f"/api/recorded?{query}")["files"]}


def test_sessions_are_listed_by_request(page: Page, made: list[Operation]) -> None:
    (session,) = page.get("/api/agents")["sessions"]
    assert (session["agent"], session["session"], session["paths"]) == ("claude", "s1", ["long.txt", "ferry.txt"])
    told = [(r["number"], r["words"], len(r["operations"]), r["untold"]) for r in session["requests"]]
    assert told == [(1, "Request 1.", 2, 0), (2, "Request 2.", 2, 1)]


def test_the_changes_of_a_session_are_reviewed_by_file_and_call(page: Page, made: list[Operation]) -> None:
    found = files(page)
    long = found["long.txt"]
    assert (long["added"], long["removed"]) == (4, 4)
    assert [(e["prompt"], e["tool"], e["told"], len(e["hunks"])) for e in long["edits"]] == [
        (1, "Edit", True, 2),
        (2, "Edit", True, 1),
        (2, None, False, 1),
    ], "what has no call that is known stands under none"
    assert list(files(page, "session=s1&prompt=1")) == ["ferry.txt", "long.txt"]
    assert page.error("GET", "/api/recorded?session=other", None, 409) == "journal"


def back(page: Page, *, dry_run: bool = False, **what: object) -> Json:
    return page.post("/api/recorded/undo", {**what, "dry_run": dry_run})


def test_an_edit_is_taken_back_and_brought_back(page: Page, made: list[Operation]) -> None:
    done = back(page, operations=[made[0].id])
    assert page.text("long.txt").decode() == lines(l10="ten", l29="last")
    assert [file["own"] for file in done["files"]] == [{"added": 2, "removed": 2}], "later changes stay"
    first = files(page)["long.txt"]["edits"][0]
    assert first["taken_by"] == done["operation"]["id"]
    page.post("/api/undo", operation=first["taken_by"])
    assert page.text("long.txt").decode() == lines(l2="two", l10="ten", l20="twenty", l29="last")
    assert files(page)["long.txt"]["edits"][0]["taken_by"] is None


def test_before_a_session_is_taken_back_it_is_said_what_of_ones_own_stays(page: Page, made: list[Operation]) -> None:
    mine = lines(l2="two", l10="ten", l15="mine", l20="twenty", l29="last")
    (page.root / "long.txt").write_text(mine)
    would = back(page, session="s1", dry_run=True)
    assert {file["path"]: file["own"] for file in would["files"]} == {
        "ferry.txt": None,
        "long.txt": {"added": 1, "removed": 1},
    }
    assert page.text("long.txt").decode() == mine, "nothing is written before that is agreed to"
    back(page, session="s1")
    assert page.text("long.txt").decode() == lines(l15="mine")
    assert page.text("ferry.txt").startswith(b"leaves at eight\n")
    page.post("/api/undo", operation=files(page)["ferry.txt"]["edits"][0]["taken_by"])
    assert page.text("long.txt").decode() == mine, "one step brings all of it back"


def test_a_file_or_a_request_is_taken_back_alone(page: Page, made: list[Operation]) -> None:
    back(page, session="s1", paths=["ferry.txt"])
    assert page.text("ferry.txt").startswith(b"leaves at eight\n")
    assert [edit["taken_by"] is None for edit in files(page)["long.txt"]["edits"]] == [True, True, True]
    back(page, session="s1", prompt=2)
    assert page.text("long.txt").decode() == lines(l2="two", l20="twenty")


def test_chosen_lines_of_an_edit_are_taken_back(page: Page, made: list[Operation]) -> None:
    (page.root / "long.txt").write_text(lines(l2="two", l10="ten", l15="mine", l20="twenty", l29="last"))
    page.post("/api/recorded/lines", operation=made[0].id, path="long.txt", chunks=[1])
    assert page.text("long.txt").decode() == lines(l2="two", l10="ten", l15="mine", l29="last")
    page.post("/api/undo")
    assert b"twenty\n" in page.text("long.txt")
    assert page.error("POST", "/api/recorded/lines", {"operation": made[0].id, "path": "no", "chunks": [0]}, 422)


def test_what_cannot_be_merged_is_refused_whole(page: Page, made: list[Operation]) -> None:
    (page.root / "long.txt").write_text(lines(l2="also two", l10="ten", l20="twenty", l29="last"))
    assert page.error("POST", "/api/recorded/undo", {"session": "s1"}, 409) == "journal"
    assert page.text("ferry.txt") == b"leaves at seven\n", "nothing of it is written"


def test_what_cannot_be_merged_is_left_where_that_is_agreed_to(page: Page, made: list[Operation]) -> None:
    mine = lines(l2="also two", l10="ten", l20="twenty", l29="last")
    (page.root / "long.txt").write_text(mine)
    would = back(page, session="s1", dry_run=True, except_conflicts=True)
    assert [file["path"] for file in would["files"]] == ["ferry.txt"]
    (left,) = would["left"]
    assert left["path"] == "long.txt"
    assert left["text"].startswith("`long.txt` was edited since request 2 of claude (")
    back(page, session="s1", except_conflicts=True)
    assert page.text("ferry.txt").startswith(b"leaves at eight\n")
    assert page.text("long.txt").decode() == mine
    found = files(page)
    assert [edit["taken_by"] is None for path in ("ferry.txt", "long.txt") for edit in found[path]["edits"]] == [
        False,
        *[True] * 3,
    ]


def test_commits_of_a_range_are_reviewed_in_the_same_way(page: Page) -> None:
    root = page.root

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@example.com", *words], cwd=root, check=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Begin")
    (root / "ferry.txt").write_text("leaves at six\n")
    git("commit", "-qam", "Leave\u2028earlier")
    (root / "new.txt").write_text("new\n")
    git("add", "new.txt")
    git("commit", "-qm", "Add a file")
    found = files(page, "commits=HEAD~2..HEAD")
    assert {path: [edit["words"] for edit in file["edits"]] for path, file in found.items()} == {
        "ferry.txt": ["Leave\u2028earlier"],
        "new.txt": ["Add a file"],
    }
    assert page.ask("GET", "/api/recorded?commits=no..where", None, 422)["error"]["code"] == "git"


def test_the_agent_is_left_a_note_until_what_was_taken_back_is_brought_again(page: Page, made: list[Operation]) -> None:
    root = str(page.root)
    take_notes(root, "s1")  # what other tests left for a session of this name
    page.post("/api/recorded/undo", session="s1", prompt=1, dry_run=True)
    assert take_notes(root, "s1") == [], "nothing was taken back"
    back = page.post("/api/recorded/undo", operations=[made[1].id])
    page.post("/api/undo", operation=back["operation"]["id"])
    assert take_notes(root, "s1") == [], "it stands again"
    page.post("/api/recorded/undo", operations=[made[1].id])
    page.post("/api/recorded/lines", operation=made[0].id, path="long.txt", chunks=[0])
    said = take_notes(root, "s1")
    assert [text.rpartition(": ")[2] for text in said] == ["ferry.txt.", "long.txt."]
    assert take_notes(root, "s1") == []
