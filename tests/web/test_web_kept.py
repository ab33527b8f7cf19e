"""Nothing is lost and nothing waits: a restart, decisions while a reply arrives, files changed outside, comments."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest
from loop_parts import answer, block
from page_server import Page, page_over
from provider_server import Answer, openai_events
from test_web_ask import GOOD, MENDED, MISQUOTED, ask, chatting, messages

from dovetail.session.apply import operations
from dovetail.web import kept_turns, streaming
from dovetail.web.watch import Watcher

LATER = block("ferry.txt", "waits at ten\n", "waits at noon\n")
TWICE = block("twice.txt", "start\n", "begin\n")


def kept(root: Path) -> list[Path]:
    return sorted((root / ".dovetail" / "turns").glob("*"))


def test_what_is_open_stands_there_after_a_restart_planned_anew(root: Path) -> None:
    (root / "twice.txt").write_bytes(b"start\nstart\n")
    with page_over(root) as page:
        page.paste(GOOD + MENDED + TWICE + LATER + MISQUOTED)
        page.apply(edits=[2])
        page.post("/api/turns/t1/skip", edits=[1])
        page.post("/api/turns/t1/place", edit=3, line=2)
        page.post("/api/turns/t1/edit", edit=4, path="ferry.txt", search="waits at ten\n", replace="waits at one\n")
        said = {"path": "ferry.txt", "line": 3, "side": "new", "quote": "waits", "text": "Really?"}
        page.post("/api/turns/t1/comment", said)
        before = page.turn()
    (file,) = kept(root)
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (root / "kiosk.py").write_bytes((root / "kiosk.py").read_bytes() + b"\n# more\n")
    with page_over(root) as page:
        after = page.turn()
        assert page.states() == ["left-out", "written", "fits", "fits", "failed"]
        assert after["comments"] == before["comments"]
        assert next(edit["hunks"] for edit in after["edits"]) == before["edits"][0]["hunks"] is not None
        assert after["edits"][3]["original"] == before["edits"][3]["original"]
        page.apply()
        assert page.text("twice.txt") == b"start\nbegin\n"
        assert page.text("ferry.txt").endswith(b"waits at one\n")
        page.post("/api/undo", operation=before["edits"][1]["written"]["operation"], edits=[2])
        assert page.states()[1] == "fits"
        page.post("/api/turns/t1/decline")
    assert kept(root) == [], "nothing is left to decide"


def test_a_turn_that_a_model_answered_is_kept_with_what_the_model_saw(root: Path) -> None:
    with chatting(root, answer(GOOD + MISQUOTED), answer(MENDED)) as (page, _):
        page.ends(ask(page))
        before = page.states()
    (root / "ferry.txt").write_bytes(b"leaves at nine\nreturns at nine\nwaits at ten\n")
    with page_over(root) as page:
        page.post("/api/held", add=["ferry.txt", "kiosk.py"])
        turn = page.turn()
        assert [round_["step"] for round_ in turn["rounds"]][-1] == "repair"
        assert before[0] == "fits"
        assert page.states()[0] == "failed"
        assert turn["plan"]["conflicts"] == ["ferry.txt"], "both sides changed the line that the model saw"


@pytest.mark.parametrize("damage", ["other key", "no record", "other edits"])
def test_what_is_not_ones_own_is_left_alone(root: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with page_over(root) as page:
        page.paste(GOOD)
    (file,) = kept(root)
    if damage == "other key":
        proof, fields = file.read_bytes().split(b"\n", 1)
        file.write_bytes(proof[::-1] + b"\n" + fields)
    elif damage == "no record":
        file.write_bytes(b"{}")
    else:
        monkeypatch.setattr(streaming, "placed", lambda *_: (_ for _ in ()).throw(ValueError))
    with page_over(root) as page:
        assert page.state()["turns"] == []


def test_no_more_are_kept_than_allowed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_turns, "MOST_KEPT", 2)
    with page_over(root) as page:
        for _ in range(3):
            page.paste(GOOD)
        assert len(kept(root)) == 2


def test_edits_are_decided_while_the_reply_arrives(root: Path) -> None:
    may_go_on = threading.Event()
    first, second = openai_events(GOOD + MENDED, LATER)[:2], openai_events(GOOD + MENDED, LATER)[2:]
    with chatting(root, Answer([*first, may_go_on, *second])) as (page, _):
        try:
            ask(page)
            page.until(lambda: page.states() == ["fits", "fits"] or None)
            assert page.error("POST", "/api/turns/t1/apply", {"edits": [3]}, 409) == "not-ready"
            written = page.post("/api/turns/t1/apply", edits=[1])
            page.post("/api/turns/t1/skip", edits=[2])
            assert page.text("ferry.txt").startswith(b"leaves at seven\n")
            assert page.states() == ["written", "left-out"]
            operations.undo(root, written["operation"])
            page.post("/api/look")
            assert page.states() == ["fits", "left-out"]
            page.post("/api/turns/t1/apply", edits=[1])
        finally:
            may_go_on.set()
        page.ends()
        assert page.states() == ["written", "left-out", "fits"]
        page.apply()
        assert page.text("ferry.txt") == b"leaves at seven\nreturns at nine\nwaits at noon\n"
        page.post("/api/undo", operation=page.turn()["edits"][0]["written"]["operation"], edits=[1])
        assert page.states() == ["fits", "left-out", "written"]


def test_a_file_that_is_changed_outside_is_seen_and_the_choices_stay(page: Page) -> None:
    page.paste(GOOD + LATER)
    page.post("/api/turns/t1/skip", edits=[2])
    watcher = Watcher(page.session)
    assert watcher.look() == []
    version = page.turn()["plan"]["version"]
    (page.root / "ferry.txt").write_bytes(b"# new\nleaves at eight\nreturns at nine\nwaits at ten\n")
    assert watcher.look() == ["t1"]
    assert watcher.look() == [], "it is seen once"
    assert page.states() == ["fits", "left-out"]
    refused = page.ask("POST", "/api/turns/t1/apply", {"plan": version}, 409)
    assert "changed outside" in refused["error"]["message"], "who sees an older plan is told why it is another"
    page.apply()
    assert page.text("ferry.txt").startswith(b"# new\nleaves at seven\n")


def test_a_file_that_changes_while_it_is_planned_is_seen(page: Page) -> None:
    page.paste(GOOD)
    (page.root / "ferry.txt").write_bytes(b"other\n")
    page.session.turns["t1"].planned_at = time.time() - 10
    assert Watcher(page.session).look() == ["t1"]
    assert page.states() == ["failed"]


def test_comments_belong_to_the_turn_and_one_tab_does_not_undo_another(page: Page) -> None:
    page.paste(GOOD)
    said = {"path": "ferry.txt", "line": 1, "side": "new", "quote": "leaves at seven", "text": "Six?"}
    assert page.post("/api/turns/t1/comment", said) == {"comment": 1}
    page.post("/api/turns/t1/comment", {**said, "id": 1, "before": "Six?", "text": "Half past six?"})
    lost = page.ask("POST", "/api/turns/t1/comment", {**said, "id": 1, "before": "Six?", "text": "Five?"}, 409)
    assert "Half past six?" in lost["error"]["message"], "who loses is told what stands there"
    page.post("/api/turns/t1/comment", id=1, before="Half past six?", text=None)
    assert page.turn()["comments"] == []


def test_the_answer_to_a_comment_takes_the_place_of_its_edit(root: Path) -> None:
    other = block("ferry.txt", "leaves at eight\n", "leaves at six\n")
    with chatting(root, answer(other), held=()) as (page, provider):
        page.paste(GOOD + LATER)
        said = {"path": "ferry.txt", "line": 1, "side": "new", "quote": "leaves at seven", "text": "Make it six."}
        page.post("/api/turns/t1/comment", said)
        page.post("/api/turns/t1/comments")
        turn = page.ends()
        sent = messages(provider, 0)
    assert any("leaves at seven" in message for message in sent), "the model got the reply"
    assert "- ferry.txt, line 1 after the edits, `leaves at seven`: Make it six." in sent[-1]
    assert page_states(turn) == ["superseded", "fits", "fits"]
    assert turn["comments"][0]["round"] == 1 == turn["edits"][2]["round"]


def page_states(turn: dict[str, list[dict[str, str]]]) -> list[str]:
    return [edit["state"] for edit in turn["edits"]]


def test_listings_and_commands_that_became_edits_are_edits_after_a_restart(root: Path) -> None:
    kiosk = (root / "kiosk.py").read_text()
    listing = f"Not to be used as `kiosk.py` yet:\n\n```python\n{kiosk.replace('PRICE = 4', 'PRICE = 6')}```\n"
    with page_over(root) as page:
        (found,) = page.paste(GOOD + listing)["plan"]["listings"]
        page.post("/api/turns/t1/listing", line=found["line"], path="kiosk.py")
        page.paste("Run:\n\n```bash\nsed -i 's/waits at ten/waits at one/' ferry.txt\n```\n")
        version = page.turn("t2")["plan"]["version"]
        done = page.post("/api/turns/t2/commands", {"plan": version})
        page.post("/api/undo", operation=done["operation"])
        assert [page.states("t1"), page.states("t2")] == [["fits", "fits"], ["fits"]]
    with page_over(root) as page:
        assert [page.states("t1"), page.states("t2")] == [["fits", "fits"], ["fits"]]
        page.apply("t1")
        assert b"PRICE = 6" in page.text("kiosk.py")
