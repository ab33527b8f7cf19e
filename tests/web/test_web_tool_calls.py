"""The page with a model that edits by calling tools: what arrives, what is told, and what the page decides."""

from __future__ import annotations

import json
from pathlib import Path

from page_server import Page
from provider_server import Answer, openai_calls, openai_events
from test_web_ask import ask, chatting


def edit(path: str, old: str, new: str) -> tuple[str, str]:
    return ("edit_file", json.dumps({"path": path, "old_string": old, "new_string": new}))


SEVEN = edit("ferry.txt", "leaves at eight", "leaves at seven")
MISQUOTED = edit("kiosk.py", "def greet(who):\n    say(who)\n", "def greet(who):\n    shout(who)\n")
MENDED = edit("kiosk.py", '"Hello, "', '"Good day, "')
DONE = Answer(openai_events("Done."))


def by_tools(page: Page) -> None:
    assert page.post("/api/settings", edits_by="tools")["edits_by"] == "tools"


def test_calls_arrive_as_edits_and_are_written_by_the_page(root: Path) -> None:
    before = (root / "ferry.txt").read_bytes()
    script = Answer(openai_calls("I look.", SEVEN, MISQUOTED)), Answer(openai_calls(MENDED)), DONE
    with chatting(root, *script) as (page, server), page.listening(after=0) as events:
        by_tools(page)
        turn = page.ends(ask(page))
        assert [round_["step"] for round_ in turn["rounds"]] == ["request", "calls", "calls"]
        assert page.states() == ["fits", "superseded", "fits"]
        assert page.text("ferry.txt") == before
        pieces = [event.data for event in events.until("answered") if event.name == "piece"]
        assert any('\nedit_file {"path": "ferry' in piece["tail"] for piece in pieces)
        kinds = [event["k"] for piece in pieces for event in piece["events"]]
        assert kinds.count("closed") == 2
        assert pieces[-1]["tail"] == ""
        page.apply()
        assert page.text("ferry.txt") == before.replace(b"leaves at eight", b"leaves at seven")
        assert b"Good day" in page.text("kiosk.py")
        page.post("/api/undo")
        assert page.text("ferry.txt") == before
        told = json.dumps(server.seen[1].body["messages"])
    assert "ferry.txt: edit 1 fits, line 1." in told
    assert "Your edit could not be applied." in told


def test_edits_are_left_out_one_by_one(root: Path) -> None:
    with chatting(root, Answer(openai_calls(SEVEN)), Answer(openai_calls(MENDED)), DONE) as (page, _):
        by_tools(page)
        before = page.text("ferry.txt")
        page.ends(ask(page))
        page.apply(edits=[2])
        assert page.text("ferry.txt") == before
        assert page.states() == ["fits", "written"]


def test_a_failed_call_is_sent_again_when_the_page_asks_for_it(root: Path) -> None:
    script = (
        Answer(openai_calls(SEVEN, MISQUOTED)),
        Answer(openai_events("I cannot.")),
        Answer(openai_calls(MENDED)),
        DONE,
    )
    with chatting(root, *script) as (page, server):
        by_tools(page)
        assert page.ends(ask(page))["stopped"]["why"] == "silent"
        page.post("/api/turns/t1/retry", edits=[2])
        turn = page.ends()
        assert [round_["step"] for round_ in turn["rounds"]] == ["request", "calls", "retry", "retry"]
        assert page.states() == ["fits", "superseded", "fits"]
        assert len(server.seen) == 4


def test_what_came_before_calls_without_an_end_can_be_used(root: Path) -> None:
    with chatting(root, Answer(openai_calls(SEVEN)), Answer(openai_calls(("read_file", '{"path": "kiosk.py"}')))) as (
        page,
        _,
    ):
        by_tools(page)
        turn = page.ends(ask(page))
        assert (turn["state"], turn["error"]["code"]) == ("failed", "too-many-calls")


def test_a_call_that_nobody_offered_is_an_edit_on_the_page(root: Path) -> None:
    with chatting(root, Answer(openai_calls(SEVEN))) as (page, server):
        page.ends(ask(page))
        assert "tools" not in server.seen[0].body
        page.apply()
        assert b"seven" in page.text("ferry.txt")


def test_a_conversation_by_tools_comes_back_as_cards_in_one_turn(root: Path) -> None:
    """However the model is asked by then: its calls are edits, its answers no requests, and what it mended is mended."""
    script = Answer(openai_calls("I look.", SEVEN, MISQUOTED)), Answer(openai_calls(MENDED)), DONE
    with chatting(root, *script) as (page, _):
        by_tools(page)
        page.ends(ask(page))
        page.post("/api/conversations")
        page.post("/api/settings", edits_by="text")
        (kept,) = page.get("/api/conversations")["conversations"]
        page.post(f"/api/conversations/{kept['id']}")
        (turn,) = page.state()["turns"]
        assert [round_["step"] for round_ in turn["rounds"]] == ["request", "calls", "calls"]
        assert turn["rounds"][0]["items"][0]["text"].strip() == "I look."
        assert page.states(turn["id"]) == ["fits", "superseded", "fits"]
        page.apply(turn["id"])
        assert b"seven" in page.text("ferry.txt")
        assert b"Good day" in page.text("kiosk.py")
