"""Files that changed meanwhile: nothing is lost, both sides are shown, and the user's choice is what is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from loop_parts import block
from page_server import Page

EIGHT = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")
MARKED = (
    b"<<<<<<< file\nleaves at half past eight\n=======\nleaves at seven\n>>>>>>> reply\n"
    b"returns at nine\nwaits at eleven\n"
)
TEN = block("ferry.txt", "waits at ten\n", "waits at eleven\n")


def change(page: Page, old: bytes, new: bytes, path: str = "ferry.txt") -> None:
    file = page.root / path
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new))


@pytest.fixture
def stale(page: Page) -> Page:
    """The reply wants seven where the user wrote half past eight meanwhile; its other edit does not clash."""
    page.paste(EIGHT + TEN)
    change(page, b"leaves at eight", b"leaves at half past eight")
    page.post("/api/turns/t1/replan")
    return page


def test_a_change_elsewhere_does_not_matter(page: Page) -> None:
    page.paste(EIGHT)
    change(page, b"waits at ten", b"waits at noon")
    page.post("/api/turns/t1/replan")
    page.apply()
    assert page.text("ferry.txt") == b"leaves at seven\nreturns at nine\nwaits at noon\n"


def test_a_file_that_changed_under_the_plan_is_not_written(page: Page) -> None:
    page.paste(EIGHT)
    change(page, b"returns at nine", b"returns at one")
    before = page.text("ferry.txt")
    assert page.error("POST", "/api/turns/t1/apply", {"plan": 1}, 409) == "changed"
    assert page.text("ferry.txt") == before
    assert page.turn()["plan"]["version"] == 2
    page.apply()
    assert page.text("ferry.txt") == before.replace(b"eight", b"seven")


def test_both_sides_are_shown(stale: Page) -> None:
    turn = stale.turn()
    assert [e["state"] for e in turn["edits"]] == ["failed", "fits"]
    assert (turn["edits"][0]["result"]["code"], turn["plan"]["conflicts"]) == ("stale", ["ferry.txt"])
    sides = stale.get("/api/turns/t1/conflict?path=ferry.txt")
    assert sides["base"].startswith("leaves at eight\n")
    assert sides["file"].startswith("leaves at half past eight\n")
    assert sides["reply"] == "leaves at seven\nreturns at nine\nwaits at eleven\n"
    assert sides["merged"].startswith(
        "<<<<<<< file\nleaves at half past eight\n=======\nleaves at seven\n>>>>>>> reply\n"
    )
    assert (sides["clean"], sides["clashes"], sides["edits"]) == (None, [{"start": 1, "end": 1}], [1, 2])


@pytest.mark.parametrize(
    ("choice", "text", "after"),
    [
        ("file", None, b"leaves at half past eight\nreturns at nine\nwaits at eleven\n"),
        ("reply", None, b"leaves at seven\nreturns at nine\nwaits at eleven\n"),
        ("text", "leaves at half past seven\n", b"leaves at half past seven\n"),
        (
            "markers",
            None,
            MARKED,
        ),
    ],
)
def test_what_is_chosen_is_shown_and_written(stale: Page, choice: str, text: str | None, after: bytes) -> None:
    digest = stale.get("/api/turns/t1/conflict?path=ferry.txt")["digest"]
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": choice, "text": text, "digest": digest})
    turn = stale.turn()
    assert [e["state"] for e in turn["edits"]] == ["fits", "fits"]
    assert (turn["plan"]["conflicts"], turn["plan"]["files"][0]["resolved"]) == ([], True)
    assert stale.get("/api/turns/t1/file?path=ferry.txt")["after"].encode() == after
    assert stale.apply(edits=[1])["edits"] == [1, 2]
    assert stale.text("ferry.txt") == after
    stale.post("/api/undo")
    assert stale.text("ferry.txt").startswith(b"leaves at half past eight\n")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("noon\nb\n\nc\n", b"noon\r\nb\n\r\nc\r\n"),
        ("noon\nnew\nb\nc\nlast\n", b"noon\r\nnew\r\nb\nc\r\nlast\r\n"),
        ("noon\nb\n\nc", b"noon\r\nb\n\r\nc"),
        ("noon\r\nb\n\r\nc\r\n", b"noon\r\nb\n\r\nc\r\n"),
    ],
)
def test_a_text_from_a_field_keeps_the_line_ends_of_the_file(page: Page, text: str, after: bytes) -> None:
    (page.root / "ferry.txt").write_bytes(b"one\r\nb\n\r\nc\r\n")
    page.paste(block("ferry.txt", "one\n", "two\n"))
    change(page, b"one", b"half")
    page.post("/api/turns/t1/replan")
    page.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "text", "text": text})
    page.apply()
    assert page.text("ferry.txt") == after


def test_an_edit_that_is_left_out_after_the_choice_is_not_written(stale: Page) -> None:
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "reply"})
    stale.post("/api/turns/t1/skip", edits=[2])
    assert stale.states() == ["fits", "left-out"]
    assert stale.apply()["edits"] == [1]
    assert stale.text("ferry.txt") == b"leaves at seven\nreturns at nine\nwaits at ten\n"


def test_an_edit_that_is_changed_by_hand_after_the_choice_is_written_as_it_is_then(stale: Page) -> None:
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "reply"})
    changed = {"path": "ferry.txt", "search": "waits at ten\n", "replace": "waits at twelve\n"}
    assert stale.post("/api/turns/t1/edit", edit=2, **changed)["edit"]["state"] == "fits"
    stale.apply()
    assert stale.text("ferry.txt") == b"leaves at seven\nreturns at nine\nwaits at twelve\n"


@pytest.mark.parametrize("choice", ["file", "reply", "markers"])
def test_an_edit_that_lands_on_neither_side_is_not_settled_with_the_others(page: Page, choice: str) -> None:
    page.paste(EIGHT + TEN + block("ferry.txt", "sleeps at two\nsnores loudly\n", "sleeps at three\n"))
    change(page, b"leaves at eight", b"leaves at half past eight")
    page.post("/api/turns/t1/replan")
    page.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": choice})
    turn = page.turn()
    assert [edit["state"] for edit in turn["edits"]] == ["fits", "fits", "failed"]
    assert (turn["edits"][2]["result"]["code"], turn["edits"][2]["repairable"]) == ("no-match", True)
    assert page.apply()["edits"] == [1, 2]
    assert b"sleeps" not in page.text("ferry.txt")
    assert page.states() == ["written", "written", "failed"]
    page.post("/api/undo", {"edits": [1]})
    assert page.text("ferry.txt") == b"leaves at half past eight\nreturns at nine\nwaits at ten\n"


def test_a_choice_is_taken_back(stale: Page) -> None:
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "reply"})
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": None})
    assert stale.states() == ["failed", "fits"]


def test_a_choice_is_void_when_the_file_changes_again(stale: Page) -> None:
    digest = stale.get("/api/turns/t1/conflict?path=ferry.txt")["digest"]
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "reply", "digest": digest})
    change(stale, b"half past eight", b"a quarter to eight")
    stale.post("/api/turns/t1/replan")
    assert stale.states() == ["failed", "fits"]
    wanted = {"path": "ferry.txt", "choice": "reply", "digest": digest}
    assert stale.error("POST", "/api/turns/t1/resolve", wanted, 409) == "changed"


def test_keeping_the_file_as_it_is_leaves_nothing_to_write(stale: Page) -> None:
    text = stale.text("ferry.txt").decode()
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "text", "text": text})
    assert (stale.states(), stale.turn()["state"]) == (["left-out", "left-out"], "done")


def test_the_edit_without_a_conflict_can_go_first(stale: Page) -> None:
    stale.apply(edits=[2])
    assert stale.text("ferry.txt") == b"leaves at half past eight\nreturns at nine\nwaits at eleven\n"
    assert stale.states() == ["failed", "written"]
    assert stale.turn()["plan"]["conflicts"] == ["ferry.txt"]
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "reply"})
    stale.apply()
    assert stale.text("ferry.txt") == b"leaves at seven\nreturns at nine\nwaits at eleven\n"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"path": "ferry.txt", "choice": "dance"}, 400, "bad-request"),
        ({"path": "ferry.txt", "choice": "text"}, 400, "bad-request"),
        ({"path": "nothing.txt", "choice": "reply"}, 404, "not-found"),
    ],
)
def test_what_cannot_be_chosen(stale: Page, body: dict[str, object], status: int, code: str) -> None:
    assert stale.error("POST", "/api/turns/t1/resolve", body, status) == code
    assert stale.error("GET", "/api/turns/t1/conflict?path=kiosk.py", None, 422) == "usage"


def test_an_undo_that_clashes_with_later_work_changes_nothing(page: Page) -> None:
    page.paste(EIGHT)
    page.apply()
    change(page, b"leaves at seven", b"leaves at dawn")
    before = page.text("ferry.txt")
    assert page.error("POST", "/api/undo", {}, 409) == "journal"
    assert page.text("ferry.txt") == before


OWN = "leaves at half past seven\nreturns at nine\nwaits at eleven\n"


@pytest.fixture
def settled(page: Page) -> Callable[..., Page]:
    """Settle the conflict of one file and write it, with an edit of another file."""

    def settle(**how: str | None) -> Page:
        page.paste(EIGHT + TEN + block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n"))
        change(page, b"leaves at eight", b"leaves at dusk")
        page.post("/api/turns/t1/replan")
        page.post("/api/turns/t1/resolve", {"path": "ferry.txt", **how})
        page.apply()
        assert page.states() == ["written"] * 3
        return page

    return settle


def take_back(page: Page, edit: int) -> None:
    written = page.turn()["edits"][edit - 1]["written"]
    page.post("/api/undo", {"operation": written["operation"], "edits": [written["edit"]]})


@pytest.mark.parametrize("edit", [1, 2])
@pytest.mark.parametrize(("choice", "text"), [("file", None), ("reply", None), ("markers", None), ("text", OWN)])
def test_a_settled_file_is_taken_back_by_any_of_its_edits(
    settled: Callable[..., Page], choice: str, text: str | None, edit: int
) -> None:
    page = settled(choice=choice, text=text)
    take_back(page, edit)
    assert page.text("ferry.txt") == b"leaves at dusk\nreturns at nine\nwaits at ten\n"
    assert b"PRICE = 5\n" in page.text("kiosk.py"), "the operation's other file stays"
    assert page.states() == ["failed", "fits", "written"]
    assert page.turn()["plan"]["conflicts"] == ["ferry.txt"], "it can be settled again"
    page.post("/api/redo")
    assert page.states() == ["written"] * 3


def test_the_other_edit_of_the_operation_is_taken_back_alone(settled: Callable[..., Page]) -> None:
    page = settled(choice="reply")
    take_back(page, 3)
    assert page.text("ferry.txt").startswith(b"leaves at seven\n")
    assert b"PRICE = 4\n" in page.text("kiosk.py")
    assert page.states() == ["written", "written", "fits"]


def test_what_no_reply_can_say_is_not_taken_back_by_halves(stale: Page) -> None:
    mixed = "leaves at dawn\r\nreturns at nine\nwaits at eleven\n"
    stale.post("/api/turns/t1/resolve", {"path": "ferry.txt", "choice": "text", "text": mixed})
    stale.apply()
    written = stale.turn()["edits"][0]["written"]
    undone = {"operation": written["operation"], "edits": [written["edit"]]}
    problem = stale.ask("POST", "/api/undo", undone, 409)["error"]
    assert "cannot be planned again" in problem["message"]
    assert stale.text("ferry.txt") == mixed.encode()
    stale.post("/api/undo")
    assert stale.text("ferry.txt").startswith(b"leaves at half past eight\n")
