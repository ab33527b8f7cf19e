"""Beginnings over HTTP: the sample, conversations, another format, the provider of a session."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_server import Page, page_over
from provider_server import Answer, openai_events, serving


def edit(path: str, search: str, replace: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


REPLY = "ferry.txt\n<<<<<<< SEARCH\nwaits at ten\n=======\nwaits at eleven\n>>>>>>> REPLACE\n"


def test_the_sample_is_another_folder_and_leaves_nothing(page: Page) -> None:
    before = {
        path: path.read_bytes() for path in page.root.rglob("*") if path.is_file() and ".dovetail" not in path.parts
    }
    turn = page.ask("POST", "/api/sample", {})["turn"]
    state = page.ask("GET", "/api/state")
    sample = Path(state["root"])
    assert state["sample"]
    assert sample != page.root
    assert [edit["state"] for edit in state["turns"][0]["edits"]] == ["fits"] * 3 + ["failed"] * 2
    assert page.ask("POST", "/api/sample", {}, status=409)["error"]["code"] == "in-use"
    page.ask("POST", f"/api/turns/{turn}/apply", {"plan": state["turns"][0]["plan"]["version"]})
    assert (sample / "tests" / "test_tea.py").is_file()
    page.ask("POST", "/api/sample/leave", {})
    assert not sample.exists()
    state = page.ask("GET", "/api/state")
    assert (state["root"], state["sample"], state["turns"]) == (str(page.root), False, [])
    assert before == {path: path.read_bytes() for path in before}


def test_a_reply_is_read_again_unless_it_was_written(page: Page) -> None:
    first = page.ask("POST", "/api/turns", {"kind": "paste", "reply": REPLY})["turn"]
    second = page.ask("POST", f"/api/turns/{first}/read", {"format": "diff"})["turn"]
    turns = {turn["id"]: turn for turn in page.ask("GET", "/api/state")["turns"]}
    assert turns[first]["state"] == "declined"
    page.ask("POST", f"/api/turns/{second}/apply", {"plan": turns[second]["plan"]["version"]})
    page.ask("POST", f"/api/turns/{second}/read", {"format": "auto"})
    turns = {turn["id"]: turn for turn in page.ask("GET", "/api/state")["turns"]}
    assert turns[second]["state"] == "done"
    page.ask("POST", f"/api/turns/{first}/read", {"format": "no-such"}, status=400)


def test_a_new_conversation_forgets_the_turns_and_no_file(page: Page) -> None:
    page.ask("POST", "/api/turns", {"kind": "paste", "reply": REPLY})
    page.ask("POST", "/api/held", {"add": ["ferry.txt"]})
    page.ask("POST", "/api/conversations", {})
    state = page.ask("GET", "/api/state")
    assert state["turns"] == []
    assert state["held"]["editable"] == ["ferry.txt"]
    assert page.ask("GET", "/api/conversations") == {"conversations": []}
    page.ask("POST", "/api/conversations/none", {}, status=422)


def test_a_new_address_gets_no_key_that_was_given_for_another(root: Path) -> None:
    models = Answer([b'{"data": [{"id": "b"}, {"id": "a"}, {"name": "none"}]}'])
    with serving(models, models, models) as provider, page_over(root) as page:
        address = f"{provider.url}/v1"
        page.ask(
            "POST", "/api/provider", {"provider": "openai", "key": "key-of-one", "address": "http://127.0.0.1:9/v1"}
        )
        page.ask("POST", "/api/provider", {"provider": "openai", "address": address})
        assert page.ask("GET", "/api/models?provider=openai") == {"models": ["a", "b"]}
        page.ask("POST", "/api/provider", {"provider": "openai", "key": "key-of-two"})
        page.ask("GET", "/api/models?provider=openai")
        page.ask("POST", "/api/provider", {"provider": "openai", "address": "not an address"}, status=422)
        page.ask("GET", "/api/models?provider=openai")
        assert [seen.headers.get("authorization") for seen in provider.seen] == [None, *["Bearer key-of-two"] * 2]
        state = page.ask("GET", "/api/state")
        assert "key-of-two" not in str(state)
        assert address not in str(state)


@pytest.mark.parametrize("body", [b"{}", b"[]", b"no json"])
def test_a_provider_without_a_list_of_models_is_told(root: Path, body: bytes) -> None:
    with serving(Answer([body])) as provider, page_over(root) as page:
        page.ask("POST", "/api/provider", {"provider": "openai", "address": f"{provider.url}/v1"})
        assert "no list of models" in page.ask("GET", "/api/models?provider=openai", status=422)["error"]["message"]


def test_a_conversation_is_gone_on_with(root: Path) -> None:
    with serving(Answer(openai_events("It floats."))) as provider, page_over(root) as page:
        page.ask("POST", "/api/provider", {"provider": "openai", "address": f"{provider.url}/v1"})
        page.ask("POST", "/api/settings", {"model": "tiny-1"})
        page.ask("POST", "/api/turns", {"kind": "ask", "request": "What is a ferry?"})
        page.until(lambda: page.state()["running"] is None)
        page.ask("POST", "/api/conversations", {})
        (kept,) = page.ask("GET", "/api/conversations")["conversations"]
        assert (kept["title"], kept["turns"], kept["open"]) == ("What is a ferry?", 1, False)
        page.ask("POST", f"/api/conversations/{kept['id']}", {})
        (turn,) = page.ask("GET", "/api/state")["turns"]
        assert turn["rounds"][0]["items"][0]["text"].strip() == "It floats."
        assert page.ask("GET", "/api/conversations")["conversations"][0]["open"]


def test_a_conversation_comes_back_with_its_edits_as_cards(root: Path) -> None:
    """Each is planned against the files as they are: one was written, one was not, one is too late."""
    fits = edit("ferry.txt", "returns at nine\n", "returns at ten\n")
    first = edit("kiosk.py", "PRICE = 4\n", "PRICE = 5\n") + fits + edit("ferry.txt", "waits at ten\n", "waits\n")
    answers = [
        Answer(openai_events(text)) for text in (first, "Gladly.", edit("kiosk.py", "PRICE = 5\n", "PRICE = 6\n"))
    ]
    with serving(*answers) as provider, page_over(root) as page:
        page.post("/api/provider", {"provider": "openai", "address": f"{provider.url}/v1"})
        page.post("/api/settings", model="tiny-1")
        page.post("/api/held", add=["kiosk.py", "ferry.txt"])
        for n, request in enumerate(("Change it.", "Thank you."), 1):
            page.post("/api/turns", kind="ask", request=request)
            page.ends(f"t{n}")
        page.apply("t1", edits=[1])
        page.post("/api/conversations")
        (root / "ferry.txt").write_text("leaves at eight\nreturns at nine\n")
        (kept,) = page.get("/api/conversations")["conversations"]
        page.post(f"/api/conversations/{kept['id']}")
        turn, thanks = page.state()["turns"]
        assert (turn["request"], turn["state"], thanks["state"]) == ("Change it.", "open", "done")
        assert page.states(turn["id"]) == ["stands-already", "fits", "failed"]
        page.apply(turn["id"], edits=[2])
        assert b"returns at ten" in page.text("ferry.txt")
        page.post("/api/turns", kind="ask", request="And once more.")
        assert page.ends("t5")["edits"][0]["state"] == "fits"
        assert str(provider.seen[-1].body).count("returns at ten") >= 1, "the model knows what it said"


def test_an_edit_that_was_mended_or_cut_short_comes_back_so(root: Path) -> None:
    """What a repair replaced is replaced, under the message that asked for it; what came in half cannot be written."""
    misquoted = edit("kiosk.py", "PRICE = 44\nCOINS = 2\n", "PRICE = 5\nCOINS = 2\n")
    whole, half = edit("ferry.txt", "leaves at eight\n", "leaves at six\n"), "new.txt\n```text\nfirst line\n"
    script = (
        Answer(openai_events(misquoted)),
        Answer(openai_events(edit("kiosk.py", "PRICE = 4\n", "PRICE = 5\n"))),
        Answer(openai_events(whole + half, stop="length")),
    )
    with serving(*script) as provider, page_over(root) as page:
        page.post("/api/provider", {"provider": "openai", "address": f"{provider.url}/v1"})
        page.post("/api/settings", model="tiny-1")
        page.post("/api/held", add=["kiosk.py", "ferry.txt"])
        page.post("/api/turns", kind="ask", request="Dearer.")
        mended = page.ends("t1")
        page.post("/api/settings", max_rounds=0)
        page.post("/api/turns", kind="ask", request="Earlier.")
        cut = page.ends("t2")
        page.post("/api/conversations")
        (kept,) = page.get("/api/conversations")["conversations"]
        transcript = root / ".dovetail" / "chats" / f"{kept['id']}.jsonl"
        earlier = re.sub(r'("turn","time":)"[^"]*"', r'\1"2026-01-02T03:04:05Z"', transcript.read_text())
        transcript.write_text(earlier)
        page.post(f"/api/conversations/{kept['id']}")
        first, second = page.state()["turns"]
    for before, after in ((mended, first), (cut, second)):
        assert after["request"] == before["request"]
        assert after["time"] == "2026-01-02T03:04:05Z", "when it was asked"
        assert [one["state"] for one in after["edits"]] == [one["state"] for one in before["edits"]]
        for name in ("step", "message", "repairs", "model", "truncated"):
            assert [one[name] for one in after["rounds"]] == [one[name] for one in before["rounds"]], name
    assert [one["state"] for one in first["edits"]] == ["superseded", "fits"]
    assert second["rounds"][0]["truncated"]
