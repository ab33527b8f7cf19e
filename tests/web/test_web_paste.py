"""A pasted reply on the page: read, shown, decided on edit by edit, written, taken back. The server, asked over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from loop_parts import block
from page_server import Page

from dovetail.session.apply import operations
from dovetail.session.apply.applying import Prepared
from dovetail.web import planning

FERRY = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")
TILL = block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n")
MISS = block("kiosk.py", "nowhere to be found\n", "x = 1\n")
NEW = block("new.txt", "", "here\n")


def test_pasting_writes_nothing_and_tells_where_each_edit_lands(page: Page) -> None:
    turn = page.paste("Here:\n\n" + FERRY + TILL + MISS)
    assert [(e["n"], e["path"], e["state"]) for e in turn["edits"]] == [
        (1, "ferry.txt", "fits"),
        (2, "kiosk.py", "fits"),
        (3, "kiosk.py", "failed"),
    ]
    first = turn["edits"][0]
    assert (first["result"]["tier"], first["result"]["confidence"], first["result"]["start"]) == ("exact", "high", 1)
    assert [line["s"] + line["t"] for line in first["diff"][0]["lines"]] == ["-leaves at eight", "+leaves at seven"]
    assert turn["edits"][2]["result"]["code"] == "no-match"
    assert turn["plan"]["counts"]["fits"] == 2
    assert [(f["path"], f["added"], f["removed"], f["edits"]) for f in turn["plan"]["files"]] == [
        ("ferry.txt", 1, 1, [1]),
        ("kiosk.py", 1, 1, [2]),
    ]
    assert [file.name for file in (page.root / ".dovetail").iterdir() if file.is_dir()] == ["turns"]
    assert page.text("ferry.txt").startswith(b"leaves at eight")


def test_all_that_lands_is_written_at_once(page: Page) -> None:
    page.paste(FERRY + TILL + MISS)
    done = page.apply()
    assert done["edits"] == [1, 2]
    assert page.states() == ["written", "written", "failed"]
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
    assert [n for n, state in enumerate(page.states(), 1) if state == "written"] == written
    if len(written) < 2:
        page.apply()
    assert page.states() == ["written", "written"]
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
    assert page.states() == ["left-out", "fits"]
    page.post("/api/turns/t1/skip", edits=[1], skip=False)
    assert page.states() == ["fits", "fits"]
    page.post("/api/turns/t1/skip", edits=[1, 2])
    assert page.turn()["state"] == "done"
    assert (
        page.error("POST", "/api/turns/t1/apply", {"plan": page.turn()["plan"]["version"]}, 409) == "nothing-to-write"
    )


def test_of_many_places_some_are_listed_and_each_may_be_chosen(page: Page) -> None:
    (page.root / "twice.txt").write_bytes(b"same\n" * 50)
    turn = page.paste(block("twice.txt", "same\n", "other\n"))
    result = turn["edits"][0]["result"]
    assert (result["places"], result["place_count"]) == (list(range(1, 21)), 50)
    page.post("/api/turns/t1/place", edit=1, line=42)
    assert page.turn()["edits"][0]["place"] == 42


def test_a_place_is_chosen_among_several(page: Page) -> None:
    (page.root / "twice.txt").write_bytes(b"a\nsame\nb\nsame\nc\n")
    turn = page.paste(block("twice.txt", "same\n", "other\n"))
    assert turn["edits"][0]["result"]["code"] == "ambiguous"
    assert turn["edits"][0]["result"]["places"] == [2, 4]
    assert page.error("POST", "/api/turns/t1/place", {"edit": 1, "line": 3}, 400) == "bad-request"
    page.post("/api/turns/t1/place", edit=1, line=4)
    assert (page.states(), page.turn()["edits"][0]["place"]) == (["fits"], 4)
    page.post("/api/turns/t1/place", edit=1, line=None)
    assert page.states() == ["failed"]
    page.post("/api/turns/t1/place", edit=1, line=4)
    page.apply()
    assert page.text("twice.txt") == b"a\nsame\nb\nother\nc\n"


def test_a_failed_edit_is_changed_by_hand_and_undone_alone(page: Page) -> None:
    page.paste(FERRY + MISS)
    answer = page.post("/api/turns/t1/edit", edit=2, path="kiosk.py", search="PRICE = 4", replace="PRICE = 6")
    assert answer["edit"]["state"] == "fits"
    assert answer["edit"]["original"]["search"] == "nowhere to be found\n"
    assert answer["plan"]["counts"]["fits"] == 2
    page.apply()
    assert page.text("kiosk.py").startswith(b"PRICE = 6\n")
    written = page.turn()["edits"][1]["written"]
    page.post("/api/undo", operation=written["operation"], edits=[written["edit"]])
    assert page.text("kiosk.py").startswith(b"PRICE = 4\n")
    assert page.text("ferry.txt").startswith(b"leaves at seven")
    assert page.states() == ["written", "fits"]


def test_a_change_by_hand_is_given_up(page: Page) -> None:
    page.paste(TILL)
    page.post("/api/turns/t1/edit", edit=1, path="kiosk.py", search="gone", replace="")
    assert page.states() == ["failed"]
    edit = page.post("/api/turns/t1/edit", edit=1, original=True)["edit"]
    assert (edit["state"], edit["original"], edit["search"]) == ("fits", None, "PRICE = 4\n")


def test_undo_and_redo_bring_a_turn_back_and_forth(page: Page) -> None:
    before = page.text("ferry.txt")
    page.paste(FERRY + NEW)
    page.apply()
    assert page.text("new.txt") == b"here\n"
    page.post("/api/undo")
    assert page.text("ferry.txt") == before
    assert not (page.root / "new.txt").exists()
    assert (page.states(), page.turn()["state"]) == (["fits", "fits"], "open")
    assert page.state()["journal"]["redo"] is True
    page.post("/api/redo")
    assert page.states() == ["written", "written"]
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
    assert (shown["turn"], shown["results"][0]["status"], shown["reply"]) == ("t1", "written", FERRY)
    assert page.error("GET", "/api/operations/nothing", None, 409) == "journal"
    assert page.error("POST", "/api/undo", {"edits": [7]}, 409) == "journal"


def test_what_another_edit_kept_from_landing_is_not_applied_in_its_place(page: Page) -> None:
    rival = block("ferry.txt", "leaves at eight\nreturns at nine\n", "leaves at noon\nreturns at one\n")
    page.paste(FERRY + rival + block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n"))
    assert page.states() == ["fits", "failed", "fits"]
    assert page.apply(edits=[3])["edits"] == [3]
    assert page.text("ferry.txt").startswith(b"leaves at eight\n")
    assert page.states() == ["fits", "failed", "written"]


def test_an_undo_of_no_edit_takes_back_nothing(page: Page) -> None:
    page.paste(FERRY)
    operation = page.apply()["operation"]
    assert page.error("POST", "/api/undo", {"operation": operation, "edits": []}, 400) == "bad-request"
    assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_declining_leaves_everything_and_may_be_thought_over(page: Page) -> None:
    page.paste(FERRY)
    page.post("/api/turns/t1/decline")
    assert page.turn()["state"] == "declined"
    plan = page.turn()["plan"]["version"]
    assert page.error("POST", "/api/turns/t1/apply", {"plan": plan}, 409) == "declined"
    page.post("/api/turns/t1/reopen")
    assert page.turn()["state"] == "open"
    page.apply()
    assert page.states() == ["written"]


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


MISQUOTED = "leaves at dawn\nreturns at noon\nwaits at ten\n"


def test_a_failed_edit_says_how_it_reads_on_the_nearest_code(page: Page) -> None:
    (edit,) = page.paste(block("ferry.txt", MISQUOTED, MISQUOTED.replace("ten", "eleven")))["edits"]
    assert (edit["state"], edit["carried"]["search"]) == ("failed", edit["result"]["nearest"]["corrected"])
    assert edit["differs"] == "84% alike, the text is not quite what the file says"
    answer = page.post("/api/turns/t1/edit", {"edit": 1, "path": "ferry.txt", **edit["carried"]})
    assert (answer["edit"]["state"], answer["edit"]["carried"]) == ("fits", None)
    before = page.text("ferry.txt")
    page.apply()
    assert page.text("ferry.txt") == before.replace(b"ten", b"eleven")


def test_a_failed_edit_whose_own_lines_differ_is_not_offered_there(page: Page) -> None:
    (edit,) = page.paste(block("ferry.txt", MISQUOTED, MISQUOTED.replace("dawn", "dusk")))["edits"]
    assert edit["result"]["nearest"] is not None
    assert edit["carried"] is None


def test_a_plan_that_comes_out_the_same_is_still_the_one_that_was_seen(page: Page) -> None:
    version = page.paste(FERRY + TILL)["plan"]["version"]
    (page.root / "other.txt").write_text("new\n")
    page.post("/api/look")
    page.post("/api/turns/t1/replan")
    page.post("/api/turns/t1/apply", {"plan": version, "edits": None, "paths": None})
    assert page.states() == ["written", "written"]


def test_a_plan_that_comes_out_another_is_another(page: Page) -> None:
    version = page.paste(FERRY)["plan"]["version"]
    (page.root / "ferry.txt").write_text("a first line\n" + page.text("ferry.txt").decode())
    with page.listening(page.state()["seq"]) as events:
        page.post("/api/look")
        assert events.until("plan")[-1].data["plan"]["version"] == version + 1
    assert page.error("POST", "/api/turns/t1/apply", {"plan": version}, 409) == "plan-changed"


@pytest.mark.parametrize("notices", ["state", "look", "undo"])
def test_what_a_terminal_took_back_is_noticed_in_a_turn_that_is_done(page: Page, notices: str) -> None:
    page.paste(FERRY + TILL)
    page.apply()
    with page.listening(page.state()["seq"]) as events:
        operations.undo(page.root)
        if notices == "undo":
            assert page.error("POST", "/api/undo", {}, 409) == "journal"
        elif notices == "look":
            page.post("/api/look")
        else:
            page.state()
        assert [fate["state"] for fate in events.until("plan")[-1].data["fates"]] == ["fits", "fits"]
        assert events.until("journal")[-1].data["redo"] is True
    assert page.turn()["state"] == "open"


def rows(edit: dict[str, Any], *, part: str = "hunks") -> list[str]:
    return [line["s"] + line["t"] for hunk in edit[part] or () for line in hunk["lines"]]


def test_what_is_drawn_of_an_edit_is_what_its_file_has_and_will_have(page: Page) -> None:
    loose = block("ferry.txt", "leaves  at eight\nreturns  at nine\n", "leaves  at eight\nreturns  at noon\n")
    drawn = ["leaves at eight", "-returns at nine", "+returns at noon"]
    edit, miss = page.paste(loose + MISS)["edits"]
    assert [row.strip() for row in rows(edit)] == drawn
    assert rows(edit, part="diff")[0] == " leaves  at eight"
    assert miss["hunks"] is None
    page.apply(edits=[1])
    assert [row.strip() for row in rows(page.turn()["edits"][0])] == drawn
    page.post("/api/undo")
    page.post("/api/turns/t1/skip", edits=[1])
    assert [row.strip() for row in rows(page.turn()["edits"][0])] == drawn, "what was left out is still shown"


def test_an_edit_says_whether_it_makes_its_file(page: Page) -> None:
    (page.root / "empty.txt").touch()
    page.paste(block("empty.txt", "", "one\n") + block("new.txt", "", "two\n") + block("new.txt", "", "three\n"))
    assert [edit["creates"] for edit in page.turn()["edits"]] == [False, True, False]
    page.post("/api/turns/t1/skip", {"edits": [2], "skip": True})
    page.post("/api/turns/t1/skip", {"edits": [2], "skip": False})
    page.apply()
    assert [edit["creates"] for edit in page.turn()["edits"]] == [False, True, False]


MOVES = (
    "*** Begin Patch\n*** Update File: ferry.txt\n*** Move to: docs/ferry.txt\n"
    "@@\n-leaves at eight\n+leaves at seven\n*** End Patch\n"
)


@pytest.mark.parametrize("name", ["ferry.txt", "docs/ferry.txt"])
def test_a_rename_is_one_change_by_either_name(page: Page, name: str) -> None:
    old = page.text("ferry.txt").decode()
    page.paste(MOVES)
    (file,) = page.turn()["plan"]["files"]
    assert (file["path"], file["source"], file["change"]) == ("docs/ferry.txt", "ferry.txt", "renamed")
    assert (file["added"], file["removed"], file["edits"]) == (1, 1, [1])
    for written in (False, True):
        if written:
            assert page.apply(paths=[name])["edits"] == [1]
        shown = page.get(f"/api/turns/t1/file?path={name}")
        assert (shown["path"], shown["source"], shown["change"]) == ("docs/ferry.txt", "ferry.txt", "renamed")
        assert (shown["before"], shown["after"]) == (old, old.replace("eight", "seven"))
        assert [edit["n"] for edit in shown["edits"]] == [1]
    (operation,) = page.get("/api/log")["operations"]
    assert operation["renamed"] == {"docs/ferry.txt": "ferry.txt"}
    (change,) = page.get(f"/api/operations/{operation['id']}")["changes"]
    assert (change["path"], change["source"], change["change"]) == ("docs/ferry.txt", "ferry.txt", "renamed")


def test_taking_back_the_edit_of_a_rename_is_a_rename_too(page: Page) -> None:
    (page.root / "ferry.txt").chmod(0o755)
    page.paste(MOVES)
    page.apply()
    (change,) = page.post("/api/undo", {"edits": [1]})["changes"]
    assert (change["path"], change["source"], change["change"]) == ("ferry.txt", "docs/ferry.txt", "renamed")
    assert (page.root / "ferry.txt").stat().st_mode & 0o777 == 0o755


def test_the_journal_tells_which_edits_were_taken_back(page: Page) -> None:
    page.paste(FERRY + block("new.txt", "", "two\n"))
    operation = page.apply()["operation"]
    undone = []
    for act in ({"edits": [2]}, {"edits": [1]}, None):
        page.post("/api/undo", act) if act is not None else page.post("/api/redo")
        undone.append(page.get(f"/api/operations/{operation}")["operation"]["undone"])
    assert undone == [[2], [1, 2], [2]]
    assert page.get("/api/log")["operations"][-1]["undone"] == [2]


def test_the_journal_tells_what_cannot_be_read(page: Page) -> None:
    for n, text in enumerate((FERRY, block("new.txt", "", "two\n"), block("newer.txt", "", "three\n")), 1):
        page.paste(text)
        page.apply(f"t{n}")
    log = page.root / ".dovetail/log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(line[1:] if 4 <= n < 7 else line for n, line in enumerate(lines)))
    told = page.get("/api/log")
    assert told["lost"] == 1
    assert [(one["paths"], one["lost"]) for one in told["operations"]] == [(["newer.txt"], 0), (["ferry.txt"], 1)]


def test_an_operation_whose_edits_are_all_taken_back_is_not_undone_again(page: Page) -> None:
    page.paste(FERRY)
    first = page.apply()["operation"]
    page.paste(block("new.txt", "", "two\n") + block("other.txt", "", "three\n"))
    second = page.apply("t2")["operation"]
    for n in (1, 2):
        assert page.state()["journal"]["undo"] == second
        page.post("/api/undo", {"operation": second, "edits": [n]})
    assert page.state()["journal"]["undo"] == first
    shown = page.get(f"/api/operations/{second}")["operation"]
    assert shown["state"] == "undone"
    page.post("/api/undo")
    assert page.state()["journal"]["undo"] is None
    assert page.error("POST", "/api/undo", {}, 409) == "journal"
    by_label = [(one["label"], one["state"], one["paths"] == []) for one in page.get("/api/log")["operations"]]
    assert by_label[-2:] == [("apply", "undone", False)] * 2
    assert all(not empty for _, _, empty in by_label)
    page.post("/api/redo")
    page.post("/api/redo")
    assert page.state()["journal"]["undo"] == second, "an edit of it is there again"


class SlowPlan:
    """Has the next plan wait until the test lets it be made; those after it do not wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        self._plan_turn = planning.plan_turn
        monkeypatch.setattr(planning, "plan_turn", self._wait)
        monkeypatch.setattr(planning, "plan_touched", lambda *_: None)  # what is quick is not planned in part here

    def _wait(self, *arguments: object) -> Prepared:
        if not self.begun.is_set():
            self.begun.set()
            assert self.may_go_on.wait(60)
        return self._plan_turn(*arguments)  # type: ignore[arg-type]

    @contextmanager
    def of(self, act: Callable[[], object]) -> Iterator[None]:
        """Begin an act; its plan is being made in the body."""
        acting = threading.Thread(target=act)
        acting.start()
        try:
            assert self.begun.wait(60)
            yield
        finally:
            self.may_go_on.set()
            acting.join()


ACTS: dict[str, tuple[Callable[[Page], object], list[str]]] = {
    "look": (lambda page: page.post("/api/look"), ["fits", "fits"]),
    "skip": (lambda page: page.post("/api/turns/t1/skip", edits=[2]), ["fits", "left-out"]),
    "paste": (lambda page: page.paste(TILL), ["fits", "fits"]),
    "replan": (lambda page: page.post("/api/turns/t1/replan"), ["fits", "fits"]),
}


@pytest.mark.parametrize("name", ACTS)
def test_the_page_goes_on_answering_while_it_plans(page: Page, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    act, states = ACTS[name]
    version = page.paste(FERRY + TILL)["plan"]["version"]
    with SlowPlan(monkeypatch).of(lambda: act(page)):
        assert page.states() == ["fits", "fits"]
        assert page.get("/api/file?path=ferry.txt")["text"] == page.text("ferry.txt").decode()
        if name == "skip":  # it is not planned yet, and not written any more
            assert page.error("POST", "/api/turns/t1/apply", {"plan": version}, 409) == "plan-changed"
    assert page.states() == states
    assert page.apply()["edits"] == [n for n, state in enumerate(states, 1) if state == "fits"]


def test_what_is_decided_while_a_turn_is_planned_counts(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    page.paste(FERRY + TILL)
    with SlowPlan(monkeypatch).of(lambda: page.post("/api/turns/t1/skip", edits=[1])):
        page.post("/api/turns/t1/skip", edits=[2])
        assert page.states() == ["left-out", "left-out"]
    assert page.states() == ["left-out", "left-out"]


def test_a_plan_of_files_that_were_written_meanwhile_counts_no_more(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = page.paste(FERRY)["plan"]["version"]
    with SlowPlan(monkeypatch).of(lambda: page.post("/api/look")):
        page.post("/api/turns/t1/apply", {"plan": version})
    assert page.states() == ["written"]


DEARER = "Run:\n\n```bash\nsed -i 's/PRICE = 4/PRICE = 5/' kiosk.py && rm ferry.txt\n```\n"


def test_what_commands_would_change_is_shown_and_written_after_a_yes_of_its_own(page: Page) -> None:
    turn = page.paste(DEARER)
    assert (turn["edits"], turn["state"], turn["plan"]["diagnostics"]) == ([], "open", [])
    shown = turn["plan"]["commands"]["files"]
    assert [(file["path"], file["change"], file["added"]) for file in shown] == [
        ("ferry.txt", "deleted", 0),
        ("kiosk.py", "modified", 1),
    ]
    assert "PRICE = 5" in [line["t"] for line in shown[1]["hunks"][0]["lines"] if line["s"] == "+"]
    assert page.text("kiosk.py").startswith(b"PRICE = 4")
    version = turn["plan"]["version"]
    page.post("/api/turns/t1/commands", {"plan": version + 1}, 409)
    done = page.post("/api/turns/t1/commands", {"plan": version})
    assert page.text("kiosk.py").startswith(b"PRICE = 5")
    assert not (page.root / "ferry.txt").exists()
    turn = page.turn()
    assert (done["edits"], page.states(), turn["plan"]["commands"], turn["state"]) == (
        [1, 2],
        ["written"] * 2,
        None,
        "done",
    )
    assert [item["n"] for item in turn["rounds"][0]["items"] if item["k"] == "edit"] == [1, 2]
    page.post("/api/undo", {"operation": done["operation"]})
    assert page.text("kiosk.py").startswith(b"PRICE = 4")
    assert page.states() == ["fits", "fits"]


def test_commands_that_are_not_understood_are_listed_with_the_reason(page: Page) -> None:
    turn = page.paste("```bash\nsed -i s/4/5/ kiosk.py && ./mend.sh\n```\n")
    assert turn["plan"]["commands"] is None
    assert turn["plan"]["shell_suggestions"] and turn["plan"]["diagnostics"]
    page.post("/api/turns/t1/commands", {"plan": turn["plan"]["version"]}, 409)


def test_a_listing_that_is_no_edit_can_be_used_as_its_file(page: Page) -> None:
    kiosk = (page.root / "kiosk.py").read_text()
    new = kiosk.replace("PRICE = 4", "PRICE = 6")
    turn = page.paste(FERRY + f"Not to be used as `kiosk.py` yet:\n\n```python\n{new}```\n")
    (listing,) = turn["plan"]["listings"]
    assert (listing["path"], listing["change"], listing["added"], listing["removed"]) == ("kiosk.py", "modified", 1, 1)
    assert [line["s"] + line["t"] for line in listing["hunks"][0]["lines"] if line["s"] != " "] == [
        "-PRICE = 4",
        "+PRICE = 6",
    ]
    where = {"line": listing["line"], "path": "kiosk.py"}
    assert page.error("POST", "/api/turns/t1/listing", {**where, "path": "ferry.txt"}, 404) == "not-found"
    assert page.post("/api/turns/t1/listing", where) == {"edit": 2}
    assert page.states() == ["fits", "fits"]
    assert page.turn()["plan"]["listings"] == []
    assert page.error("POST", "/api/turns/t1/listing", where, 404) == "not-found"
    operation = page.apply()["operation"]
    assert (page.root / "kiosk.py").read_text() == new
    page.post("/api/undo", operation=operation, edits=[2])
    assert (page.root / "kiosk.py").read_text() == kiosk
