"""A pasted reply on the page: read, shown, decided on edit by edit, written, taken back. The server, asked over HTTP."""

from __future__ import annotations

import pytest
from loop_parts import block
from page_server import Page

FERRY = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")
TILL = block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n")
MISS = block("kiosk.py", "nowhere to be found\n", "x = 1\n")
NEW = block("new.txt", "", "here\n")


def test_pasting_writes_nothing_and_tells_where_each_edit_lands(page: Page) -> None:
    turn = page.paste("Here:\n\n" + FERRY + TILL + MISS)
    assert [(e["n"], e["path"], e["state"]) for e in turn["edits"]] == [
        (1, "ferry.txt", "ready"),
        (2, "kiosk.py", "ready"),
        (3, "kiosk.py", "failed"),
    ]
    first = turn["edits"][0]
    assert (first["result"]["tier"], first["result"]["confidence"], first["result"]["start"]) == ("exact", "high", 1)
    assert [line["s"] + line["t"] for line in first["diff"][0]["lines"]] == ["-leaves at eight", "+leaves at seven"]
    assert turn["edits"][2]["result"]["code"] == "no-match"
    assert turn["plan"]["counts"]["ready"] == 2
    assert [(f["path"], f["added"], f["removed"], f["edits"]) for f in turn["plan"]["files"]] == [
        ("ferry.txt", 1, 1, [1]),
        ("kiosk.py", 1, 1, [2]),
    ]
    assert not (page.root / ".dovetail").exists()
    assert page.text("ferry.txt").startswith(b"leaves at eight")


def test_all_that_lands_is_written_at_once(page: Page) -> None:
    page.paste(FERRY + TILL + MISS)
    done = page.apply()
    assert done["edits"] == [1, 2]
    assert page.states() == ["applied", "applied", "failed"]
    assert page.text("kiosk.py").startswith(b"PRICE = 5\n")
    turn = page.turn()
    assert turn["state"] == "open"
    assert turn["edits"][0]["written"] == {"operation": done["operation"], "edit": 1}
    assert (turn["edits"][0]["result"]["tier"], turn["edits"][0]["result"]["new_start"]) == ("exact", 1)


@pytest.mark.parametrize(
    ("chosen", "written"),
    [
        ({"edits": [2]}, [2]),
        ({"paths": ["ferry.txt"]}, [1]),
        ({"edits": [1, 2], "paths": ["kiosk.py"]}, [2]),
        ({}, [1, 2]),
    ],
)
def test_some_may_be_written_and_the_rest_later(page: Page, chosen: dict[str, object], written: list[int]) -> None:
    page.paste(FERRY + TILL)
    assert page.apply(**chosen)["edits"] == written
    assert [n for n, state in enumerate(page.states(), 1) if state == "applied"] == written
    if len(written) < 2:
        page.apply()
    assert page.states() == ["applied", "applied"]
    assert page.turn()["state"] == "done"
    assert page.text("ferry.txt").startswith(b"leaves at seven")
    assert page.text("kiosk.py").startswith(b"PRICE = 5")


def test_an_edit_that_stands_on_another_is_not_written_without_it(page: Page) -> None:
    page.paste(FERRY + block("ferry.txt", "leaves at seven\n", "leaves at six\n"))
    assert page.error("POST", "/api/turns/t1/apply", {"plan": 1, "edits": [2]}, 409) == "edit-depends"
    assert page.text("ferry.txt").startswith(b"leaves at eight")
    page.apply(edits=[1])
    page.apply(edits=[2])
    assert page.text("ferry.txt").startswith(b"leaves at six\n")


def test_another_plan_than_the_one_that_was_seen_is_not_written(page: Page) -> None:
    page.paste(FERRY + TILL)
    page.post("/api/turns/t1/skip", edits=[2], skip=True)
    assert page.error("POST", "/api/turns/t1/apply", {"plan": 1}, 409) == "plan-changed"
    assert page.text("ferry.txt").startswith(b"leaves at eight")


def test_edits_are_left_out_and_taken_back_in(page: Page) -> None:
    page.paste(FERRY + TILL)
    page.post("/api/turns/t1/skip", edits=[1], skip=True)
    assert page.states() == ["skipped", "ready"]
    page.post("/api/turns/t1/skip", edits=[1], skip=False)
    assert page.states() == ["ready", "ready"]
    page.post("/api/turns/t1/skip", edits=[1, 2])
    assert page.turn()["state"] == "done"
    assert (
        page.error("POST", "/api/turns/t1/apply", {"plan": page.turn()["plan"]["version"]}, 409) == "nothing-to-write"
    )


def test_a_place_is_chosen_among_several(page: Page) -> None:
    (page.root / "twice.txt").write_bytes(b"a\nsame\nb\nsame\nc\n")
    turn = page.paste(block("twice.txt", "same\n", "other\n"))
    assert turn["edits"][0]["result"]["code"] == "ambiguous"
    assert turn["edits"][0]["result"]["places"] == [2, 4]
    page.post("/api/turns/t1/place", edit=1, line=4)
    assert (page.states(), page.turn()["edits"][0]["place"]) == (["ready"], 4)
    page.post("/api/turns/t1/place", edit=1, line=None)
    assert page.states() == ["failed"]
    page.post("/api/turns/t1/place", edit=1, line=4)
    page.apply()
    assert page.text("twice.txt") == b"a\nsame\nb\nother\nc\n"


def test_a_failed_edit_is_changed_by_hand_and_undone_alone(page: Page) -> None:
    page.paste(FERRY + MISS)
    answer = page.post("/api/turns/t1/edit", edit=2, path="kiosk.py", search="PRICE = 4", replace="PRICE = 6")
    assert answer["edit"]["state"] == "ready"
    assert answer["edit"]["original"]["search"] == "nowhere to be found\n"
    assert answer["plan"]["counts"]["ready"] == 2
    page.apply()
    assert page.text("kiosk.py").startswith(b"PRICE = 6\n")
    written = page.turn()["edits"][1]["written"]
    page.post("/api/undo", operation=written["operation"], edits=[written["edit"]])
    assert page.text("kiosk.py").startswith(b"PRICE = 4\n")
    assert page.text("ferry.txt").startswith(b"leaves at seven")
    assert page.states() == ["applied", "ready"]


def test_a_change_by_hand_is_given_up(page: Page) -> None:
    page.paste(TILL)
    page.post("/api/turns/t1/edit", edit=1, path="kiosk.py", search="gone", replace="")
    assert page.states() == ["failed"]
    edit = page.post("/api/turns/t1/edit", edit=1, original=True)["edit"]
    assert (edit["state"], edit["original"], edit["search"]) == ("ready", None, "PRICE = 4\n")


def test_undo_and_redo_bring_a_turn_back_and_forth(page: Page) -> None:
    before = page.text("ferry.txt")
    page.paste(FERRY + NEW)
    page.apply()
    assert page.text("new.txt") == b"here\n"
    page.post("/api/undo")
    assert page.text("ferry.txt") == before
    assert not (page.root / "new.txt").exists()
    assert (page.states(), page.turn()["state"]) == (["ready", "ready"], "open")
    assert page.state()["journal"]["redo"] is True
    page.post("/api/redo")
    assert page.states() == ["applied", "applied"]
    page.post("/api/undo")
    page.apply()
    assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_undo_can_be_looked_at_before(page: Page) -> None:
    page.paste(FERRY)
    page.apply()
    shown = page.post("/api/undo", dry_run=True)
    assert [line["s"] + line["t"] for line in shown["changes"][0]["hunks"][0]["lines"]][:2] == [
        "-leaves at seven",
        "+leaves at eight",
    ]
    assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_the_journal_tells_what_was_done_and_by_which_turn(page: Page) -> None:
    page.paste(FERRY)
    operation = page.apply()["operation"]
    assert [o["id"] for o in page.get("/api/log")["operations"]] == [operation]
    shown = page.get(f"/api/operations/{operation}")
    assert (shown["turn"], shown["results"][0]["status"], shown["reply"]) == ("t1", "applied", FERRY)
    assert page.error("GET", "/api/operations/nothing", None, 409) == "journal"
    assert page.error("POST", "/api/undo", {"edits": [7]}, 409) == "journal"


def test_declining_leaves_everything_and_may_be_thought_over(page: Page) -> None:
    page.paste(FERRY)
    page.post("/api/turns/t1/decline")
    assert page.turn()["state"] == "declined"
    page.post("/api/turns/t1/reopen")
    assert page.turn()["state"] == "open"
    page.apply()
    assert page.states() == ["applied"]


def test_the_viewer_has_both_texts_before_and_after_writing(page: Page) -> None:
    page.paste(FERRY)
    before = page.get("/api/turns/t1/file?path=ferry.txt")
    page.apply()
    after = page.get("/api/turns/t1/file?path=ferry.txt")
    assert (before["written"], after["written"]) == (False, True)
    assert before["before"] == after["before"]
    assert before["after"] == after["after"] == page.text("ferry.txt").decode()
    assert before["edits"][0]["start"] == after["edits"][0]["new_start"] == 1


def test_line_ends_are_kept_and_told(page: Page) -> None:
    page.paste(block("docs/notes.md", "The till is broken.\n", "The till works.\n"))
    lines = page.get("/api/turns/t1/file?path=docs/notes.md")["hunks"][0]["lines"]
    assert {line["e"] for line in lines} == {"\r\n"}
    page.apply()
    assert page.text("docs/notes.md") == b"# Notes\r\n\r\nThe till works.\r\n"


def test_marks_count_as_a_browser_counts(page: Page) -> None:
    (page.root / "emoji.txt").write_text("\U0001f600\U0001f600 old end\n", encoding="utf-8")
    turn = page.paste(block("emoji.txt", "\U0001f600\U0001f600 old end\n", "\U0001f600\U0001f600 new end\n"))
    gone, come = turn["edits"][0]["diff"][0]["lines"]
    assert (gone["m"], come["m"]) == ([[5, 8]], [[5, 8]])


def test_words_that_name_files_are_told(page: Page) -> None:
    turn = page.paste("See notes.md, `kiosk.py` and make.\n" + FERRY)
    assert turn["rounds"][0]["mentions"] == {
        "notes.md": "docs/notes.md",
        "kiosk.py": "kiosk.py",
        "ferry.txt": "ferry.txt",
    }


def test_a_reply_without_edits_has_nothing_to_decide(page: Page) -> None:
    turn = page.paste("Nothing to do here.\n")
    assert (turn["state"], turn["edits"], turn["plan"]["files"]) == ("done", [], [])


def test_the_message_for_another_chat_is_there(page: Page) -> None:
    assert "nowhere to be found" not in page.paste(TILL)["plan"]["counts"]
    assert page.turn("t1")["plan"]["retry"] is None
    assert page.paste(MISS)["plan"]["retry"] is not None
