"""Asking the model from the page: a scripted provider on loopback, the real conversation, every tab told."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from loop_parts import answer, block
from page_server import Json, Page, page_over
from provider_server import Answer, ProviderServer, openai_events, serving

from dovetail.model.errors import LockedError
from dovetail.session.apply import operations
from dovetail.session.apply.applying import Prepared
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_record import ChatRecord, listed
from dovetail.session.conversation.conversation import FEWER, MORE, NOT_APPLIED, UNDONE
from dovetail.session.conversation.saved_chat import read_back, resume_chat
from dovetail.web import planning

GOOD = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")
MISQUOTED = block("kiosk.py", "def greet(who):\n    say(who)\n", "def greet(who):\n    shout(who)\n")
MENDED = block("kiosk.py", '    return "Hello, " + name\n', '    return "Good day, " + name\n')


@contextmanager
def chatting(
    root: Path, *script: Answer, held: tuple[str, ...] = ("ferry.txt", "kiosk.py")
) -> Iterator[tuple[Page, ProviderServer]]:
    with serving(*script) as server, page_over(root, provider=server.url) as page:
        page.post("/api/held", add=list(held))
        yield page, server


def messages(server: ProviderServer, n: int) -> list[str]:
    sent = server.seen[n].body["messages"]
    assert isinstance(sent, list)
    return [message["content"] for message in sent]


def ask(page: Page, request: str = "Change it.") -> str:
    return str(page.post("/api/turns", kind="ask", request=request)["turn"])


def test_what_the_page_changes_after_a_turn_is_gone_on_with(root: Path) -> None:
    with chatting(root, answer(GOOD)) as (page, _):
        page.ends(ask(page))
        page.post("/api/held", read_only=["ferry.txt"], drop=["kiosk.py"])
        page.post("/api/settings", format="whole")
        before = read_back(ChatRecord(root, listed(root)[-1]))
    assert before.files == ChatFiles((), ("ferry.txt",))
    assert before.options["format"] == "whole"


def test_what_the_page_wrote_after_a_turn_is_gone_on_with(root: Path) -> None:
    with chatting(root, answer(GOOD + MENDED)) as (page, _):
        page.ends(ask(page))
        assert read_back(ChatRecord(root, listed(root)[-1])).notes == ("I did not apply your last edits.",)
        page.apply(edits=[1])
        assert read_back(ChatRecord(root, listed(root)[-1])).notes == (
            "Of your last edits I applied edit 1 and left out edit 2.",
        )
        page.apply(edits=[2])
        assert read_back(ChatRecord(root, listed(root)[-1])).notes == ()
        page.post("/api/undo")
        assert read_back(ChatRecord(root, listed(root)[-1])).notes == (
            "Of your last edits I applied edit 1 and left out edit 2.",
        )


FERRY_REST = "returns at nine\nwaits at ten\n"
REFUSED = Answer([b'{"error": {"message": "No."}}'], status=400, headers={"Content-Type": "application/json"})


def test_the_page_goes_on_answering_while_a_models_turn_is_planned(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go_on, plan_turn = threading.Event(), threading.Event(), planning.plan_turn

    def wait(*arguments: object) -> Prepared:
        begun.set()
        assert may_go_on.wait(60)
        return plan_turn(*arguments)  # type: ignore[arg-type]

    with chatting(root, answer(GOOD + MENDED)) as (page, _):
        monkeypatch.setattr(planning, "plan_turn", wait)
        try:
            ask(page)
            assert begun.wait(60)
            assert (page.state()["running"], page.turn()["state"], page.turn()["plan"]) == ("t1", "running", None)
            assert page.error("POST", "/api/turns", {"kind": "ask", "request": "And?"}, 409) == "busy"
            page.post("/api/held", drop=["kiosk.py"])
        finally:
            may_go_on.set()
        page.ends("t1")
        assert page.states() == ["fits", "failed"], "the file left the conversation while the turn was planned"


def test_an_undo_in_a_terminal_that_nobody_looked_at_is_told(root: Path) -> None:
    with chatting(root, answer(GOOD), answer("Fine.")) as (page, server):
        page.ends(ask(page))
        page.apply()
        operations.undo(root)
        page.ends(ask(page, "And now?"))
        assert messages(server, 1)[-1].startswith(f"{UNDONE}\n\nAnd now?")
        assert page.states("t1") == ["fits"]


def test_an_edit_that_was_there_already_is_not_called_left_out(root: Path) -> None:
    with chatting(root, answer(GOOD), answer(GOOD), answer("Fine.")) as (page, server):
        page.ends(ask(page))
        page.apply()
        page.ends(ask(page, "Again."))
        assert page.states("t2") == ["stands-already"]
        page.ends(ask(page, "And now?"))
        assert messages(server, 2)[-1].startswith("And now?")


def test_a_request_that_failed_told_nothing(root: Path) -> None:
    with chatting(root, answer(GOOD), REFUSED, answer("Fine.")) as (page, server):
        for request in ("Earlier.", "And?", "And now?"):
            page.ends(ask(page, request))
        assert messages(server, 2)[-1].startswith(f"{NOT_APPLIED}\n\nAnd now?")
        assert not any("And?" in said for said in messages(server, 2)), "it was never answered"


def test_what_is_done_later_with_earlier_edits_is_told_once(root: Path) -> None:
    with chatting(root, answer(GOOD + MENDED), *(answer("Fine.") for _ in range(5))) as (page, server):
        page.ends(ask(page))
        page.apply(edits=[1])
        told = ["Of your last edits I applied edit 1 and left out edit 2.", "", MORE, "", FEWER]
        for n, sentence in enumerate(told, start=1):
            if sentence == MORE:
                page.apply(edits=[2])
            elif sentence == FEWER:
                page.post("/api/undo")
            page.ends(
                ask(page, "And now?"),
            )
            said = messages(server, n)[-1].partition("And now?")[0].strip()
            assert said == sentence


def test_edits_of_a_reply_that_was_stopped_are_known_not_to_stand(root: Path) -> None:
    begun = openai_events(GOOD, "More: ", stop=None)[:-1]
    with chatting(root, Answer([*begun, 30.0]), answer("Fine.")) as (page, server):
        turn = ask(page)
        page.until(lambda: "More" in str(page.turn(turn)["rounds"]))
        page.post(f"/api/turns/{turn}/cancel")
        page.ends(turn)
        page.ends(ask(page, "And now?"))
        assert messages(server, 1)[-1].startswith(f"{NOT_APPLIED}\n\nAnd now?")


def test_a_terminal_does_not_go_on_with_the_page_s_conversation_while_it_is_open(root: Path) -> None:
    with chatting(root, answer("Fine.")) as (page, _):
        page.ends(ask(page, "Hello."))
        with pytest.raises(LockedError) as refused:
            resume_chat(root)
        assert refused.value.hint
    resume_chat(root).record.close()


def test_a_folder_that_was_removed_while_the_page_is_open_is_made_again(root: Path) -> None:
    with chatting(root, answer("Fine."), answer(GOOD)) as (page, _):
        page.ends(ask(page, "Hello."))
        shutil.rmtree(root / ".dovetail")
        page.post("/api/held", add=["kiosk.py"], drop=["ferry.txt"])
        page.post("/api/held", add=["ferry.txt"])
        assert page.ends(ask(page))["state"] == "open"
        page.apply("t2")
        assert page.text("ferry.txt").startswith(b"leaves at seven")
        shutil.rmtree(root / ".dovetail" / "chats")
        (root / ".dovetail" / "chats").write_text("in the way\n")
        refused = page.ends(ask(page))["error"]
        assert refused["code"] == "workspace"
        assert f"{root}/.dovetail/chats" in refused["message"]
        assert refused["hint"]


def test_a_reply_streams_and_waits_for_the_user(root: Path) -> None:
    with chatting(root, answer("I change it:\n\n" + GOOD)) as (page, _), page.listening(after=0) as events:
        turn = page.ends(ask(page))
        names = [heard.name for heard in events.until("running")] + [heard.name for heard in events.until("running")]
        assert turn["state"] == "open"
        assert [e["state"] for e in turn["edits"]] == ["fits"]
        assert page.text("ferry.txt").startswith(b"leaves at eight")
        assert names.count("piece") > 20
        assert names.index("round") < names.index("piece") < names.index("fates") < names.index("answered")
        assert names.index("answered") < names.index("plan")
        assert turn["rounds"][0]["items"][0]["text"] == "I change it:\n\nferry.txt\n"
        page.apply()
        assert page.text("ferry.txt").startswith(b"leaves at seven")
        assert page.state()["ledger"]["total"]["requests"] == 1


def test_what_is_streamed_adds_up_to_what_is_kept(root: Path) -> None:
    """A tab that folds the pieces has the same round as one that loads the state."""
    reply = "Look:\n\n" + GOOD + "\nand `git rm old.txt`, and\n\n" + MENDED + "the end"
    with chatting(root, answer(reply, size=3)) as (page, _), page.listening(after=0) as events:
        turn = page.ends(ask(page))
        heard = events.until("answered")
        items: list[dict[str, object]] = []
        lines: dict[int, str] = {}
        for piece in (event["events"] for event in (h.data for h in heard if h.name == "piece")):
            for part in piece:
                match part:
                    case {"k": "text", "text": text, "code": code} if (
                        items and items[-1]["k"] == "text" and items[-1]["code"] == code
                    ):
                        items[-1]["text"] = f"{items[-1]['text']}{text}"
                    case {"k": "opened", "n": n}:
                        items.append({"k": "edit", "n": n})
                    case {"k": "lines", "n": n, "text": text}:
                        lines[n] = lines.get(n, "") + text
                    case {"k": "closed", "edit": edit}:
                        assert lines[edit["n"]] == edit["search"] + edit["replace"]
                    case _:
                        items.append(part)
        assert items == turn["rounds"][0]["items"]
        assert [h.data["tail"] for h in heard if h.name == "piece"][-1] == ""
        assert {h.data["tail"] for h in heard if h.name == "piece"} >= {"Loo", "the end"}


def test_failed_edits_go_back_by_themselves_and_are_told_apart(root: Path) -> None:
    with chatting(root, answer(GOOD + MISQUOTED), answer(MENDED)) as (page, server):
        turn = page.ends(ask(page))
        assert [e["state"] for e in turn["edits"]] == ["fits", "superseded", "fits"]
        assert [(r["step"], r["repairs"]) for r in turn["rounds"]] == [("request", []), ("repair", [2])]
        assert turn["rounds"][1]["message"] == messages(server, 1)[-1]
        page.apply()
        assert b"Good day" in page.text("kiosk.py")
        assert page.text("ferry.txt").startswith(b"leaves at seven")
        page.post("/api/undo")
        assert b"Hello" in page.text("kiosk.py")
        assert page.text("ferry.txt").startswith(b"leaves at eight")


def test_a_failed_edit_is_retried_when_the_user_wants_it(root: Path) -> None:
    with chatting(root, answer(GOOD + MISQUOTED), answer(MENDED)) as (page, _):
        page.post("/api/settings", max_rounds=0)
        turn = page.ends(ask(page))
        assert [e["state"] for e in turn["edits"]] == ["fits", "failed"]
        assert turn["stopped"]["why"] == "rounds"
        assert turn["stopped"]["said"] == "The model is not asked more often; `max-rounds` says how often."
        page.post("/api/turns/t1/retry", edits=[2])
        turn = page.ends()
        assert [e["state"] for e in turn["edits"]] == ["fits", "superseded", "fits"]
        assert turn["rounds"][1]["step"] == "retry"
        page.apply(paths=["kiosk.py"])
        assert b"Good day" in page.text("kiosk.py")


COMMAND = "Or remove it:\n\n```bash\ngit rm kiosk.py\n```\n"


def test_what_a_reply_without_an_edit_adds_to_the_plan_is_told_to_every_tab(root: Path) -> None:
    """The plan that writes the same is the same version, and may be applied by who has it on the screen."""
    with chatting(root, answer(GOOD + MISQUOTED), answer(COMMAND)) as (page, _):
        page.post("/api/settings", max_rounds=0)
        before = page.ends(ask(page))["plan"]
        with page.listening(after=page.state()["seq"]) as events:
            page.post("/api/turns/t1/retry", edits=[2])
            heard = events.until("running") + events.until("running")
            told = [event.data["plan"] for event in heard if event.name == "plan"]
            after = page.ends()["plan"]
            assert told == [after]
            assert [s["command"] for s in after["shell_suggestions"]] == ["git rm kiosk.py"]
            assert after["version"] == before["version"]
            page.post("/api/turns/t1/apply", plan=before["version"], edits=[1])
    assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_a_plan_that_comes_out_the_same_is_not_told_again(root: Path) -> None:
    with chatting(root, answer(COMMAND + GOOD)) as (page, _):
        page.ends(ask(page))
        with page.listening(after=page.state()["seq"]) as events:
            page.post("/api/turns/t1/replan")
            page.post("/api/turns/t1/skip", edits=[1])
            assert [event.name for event in events.until("plan")].count("plan") == 1


def test_a_pasted_edit_is_retried_too_with_what_was_pasted(root: Path) -> None:
    with chatting(root, answer(MENDED), held=()) as (page, server):
        page.paste(GOOD + MISQUOTED)
        page.post("/api/turns/t1/retry")
        turn = page.ends()
        assert [e["state"] for e in turn["edits"]] == ["fits", "superseded", "fits"]
        assert page.state()["held"]["editable"] == ["kiosk.py"]
        assert any(MISQUOTED in message for message in messages(server, 0))
        page.apply()
        assert b"Good day" in page.text("kiosk.py")


def test_the_next_request_tells_what_became_of_the_last_edits(root: Path) -> None:
    with chatting(root, answer(GOOD + MENDED), answer("Well."), answer("Well.")) as (page, server):
        page.ends(ask(page))
        page.apply(edits=[1])
        page.ends(ask(page, "And now?"))
        assert "Of your last edits I applied edit 1 and left out edit 2." in messages(server, 1)[-1]
        page.ends(ask(page, "Still there?"))
        assert "last edits" not in messages(server, 2)[-1]


def test_cancelling_leaves_the_files_and_says_so(root: Path) -> None:
    begun = openai_events("I begin:\n\n", GOOD, stop=None)[:-1]
    with chatting(root, Answer([*begun, 30.0])) as (page, server), page.listening(after=0) as events:
        turn = ask(page)
        events.until("fates")
        page.post(f"/api/turns/{turn}/cancel")
        ended = page.ends(turn)
        assert (ended["state"], ended["error"]["code"]) == ("cancelled", "cancelled")
        assert [e["path"] for e in ended["edits"]] == ["ferry.txt"]
        assert server.wait_until_closed()
        assert page.error("POST", f"/api/turns/{turn}/apply", {"plan": 0}, 409) == "no-plan"
        assert page.error("POST", f"/api/turns/{turn}/cancel", {}, 409) == "not-running"
        assert page.text("ferry.txt").startswith(b"leaves at eight")


def test_a_second_request_waits_for_the_first(root: Path) -> None:
    with chatting(root, Answer([*openai_events("Slow", stop=None)[:-1], 30.0])) as (page, _):
        turn = ask(page)
        assert page.error("POST", "/api/turns", {"kind": "ask", "request": "More"}, 409) == "busy"
        assert page.error("POST", f"/api/turns/{turn}/replan", {}, 409) == "busy"
        pasted = page.paste(GOOD)
        assert pasted["state"] == "open"
        page.apply(pasted["id"])
        page.post(f"/api/turns/{turn}/cancel")
        page.ends(turn)
        assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_a_provider_that_fails_is_told_with_the_next_step(root: Path) -> None:
    refusal = Answer([b'{"error": {"message": "no such key"}}'], 401, {"Content-Type": "application/json"}, "length")
    with chatting(root, refusal) as (page, _):
        turn = page.ends(ask(page))
        assert turn["state"] == "failed"
        assert turn["error"]["code"] == "wrong-key"
        assert turn["error"]["hint"]


def test_a_retry_that_breaks_off_leaves_the_turn_as_it_was(root: Path) -> None:
    refusal = Answer([b"{}"], 401, {"Content-Type": "application/json"}, "length")
    with chatting(root, answer(GOOD + MISQUOTED), refusal) as (page, _):
        page.post("/api/settings", max_rounds=0)
        before = page.ends(ask(page))
        page.post("/api/turns/t1/retry")
        after = page.ends()
        assert after["state"] == "open"
        assert [e["state"] for e in after["edits"]] == ["fits", "failed"]
        assert len(after["rounds"]) == len(before["rounds"])
        assert after["notes"]
        page.apply()
        assert page.text("ferry.txt").startswith(b"leaves at seven")


@pytest.mark.parametrize("agrees", [True, False])
def test_a_file_that_the_model_asks_for_is_offered(root: Path, agrees: bool) -> None:
    with chatting(root, answer("May I see kiosk.py?\n"), answer(MENDED), held=("ferry.txt",)) as (page, server):
        turn = ask(page)
        question = page.until(lambda: next(iter(page.state()["questions"]), None))
        assert (question["kind"], question["path"], question["why"]) == ("add-file", "kiosk.py", "asked")
        page.post(f"/api/questions/{question['id']}", answer=agrees)
        ended = page.ends(turn)
        assert page.state()["questions"] == []
        assert len(server.seen) == 1 + agrees
        assert ended["wanted"] == ([] if agrees else ["kiosk.py"])
        assert page.state()["held"]["editable"] == (["ferry.txt", "kiosk.py"] if agrees else ["ferry.txt"])
        assert [e["state"] for e in ended["edits"]] == (["fits"] if agrees else [])


def asked(page: Page) -> Json:
    """The question that the turn waits for."""
    return page.until(lambda: next(iter(page.state()["questions"]), None))


def test_an_edit_outside_the_chat_is_left_out_with_its_file_until_it_is_taken_back_in(root: Path) -> None:
    with chatting(root, answer(MENDED), held=("ferry.txt",)) as (page, _):
        turn = ask(page)
        page.post(f"/api/questions/{asked(page)['id']}", answer=False)
        ended = page.ends(turn)
        assert [(e["state"], e["skip"]) for e in ended["edits"]] == [("left-out", True)]
        assert (ended["state"], ended["plan"]["waiting"]) == ("done", [])
        page.post("/api/turns/t1/skip", edits=[1], skip=False)
        assert page.turn()["edits"][0]["result"]["code"] == "not-in-chat"
        assert page.turn()["plan"]["waiting"] == ["kiosk.py"]
        page.post("/api/held", add=["kiosk.py"])
        assert page.states() == ["fits"]
        page.apply()
        assert b"Good day" in page.text("kiosk.py")


def test_a_file_that_is_added_to_the_chat_answers_the_question_about_it(root: Path) -> None:
    (root / "more.txt").write_bytes(b"one\n")
    reply = GOOD + MENDED + block("more.txt", "one\n", "two\n")
    with chatting(root, answer(reply), held=("ferry.txt",)) as (page, server):
        turn = ask(page)
        assert asked(page)["path"] == "kiosk.py"
        page.post("/api/held", add=["more.txt"])
        assert asked(page)["path"] == "kiosk.py", "another file leaves it open"
        page.post("/api/held", add=["kiosk.py"])
        ended = page.ends(turn)
        assert (page.state()["questions"], len(server.seen)) == ([], 1)
        assert [e["state"] for e in ended["edits"]] == ["fits"] * 3


@pytest.mark.parametrize("cancelled", [False, True])
def test_all_questions_stand_there_at_once(root: Path, cancelled: bool) -> None:
    (root / "more.txt").write_bytes(b"one\n")
    reply = GOOD + MENDED + block("more.txt", "one\n", "two\n")
    with chatting(root, answer(reply), held=("ferry.txt",)) as (page, _):
        turn = ask(page)
        first, second = page.until(lambda: questions if len(questions := page.state()["questions"]) == 2 else None)
        assert (first["path"], second["path"]) == ("kiosk.py", "more.txt")
        if cancelled:
            page.post(f"/api/turns/{turn}/cancel")
        else:
            page.post(f"/api/questions/{second['id']}", answer=True)
            page.post(f"/api/questions/{first['id']}", answer=False)
        ended = page.ends(turn)
        assert page.state()["questions"] == []
        if not cancelled:
            assert [e["state"] for e in ended["edits"]] == ["fits", "left-out", "fits"]


def test_a_file_that_the_model_asks_for_may_be_added_for_reading(root: Path) -> None:
    with chatting(root, answer("May I see kiosk.py?\n"), answer(GOOD), held=("ferry.txt",)) as (page, server):
        turn = ask(page)
        assert asked(page)["path"] == "kiosk.py"
        page.post("/api/held", read_only=["kiosk.py"])
        assert [e["state"] for e in page.ends(turn)["edits"]] == ["fits"]
        assert page.state()["held"] == {"editable": ["ferry.txt"], "read_only": ["kiosk.py"]}
        assert "def greet(name)" in "".join(messages(server, 1))


def test_a_file_added_after_it_was_left_out_counts(root: Path) -> None:
    """Two questions: the first is answered with no, then its file is added while the second is open."""
    (root / "more.txt").write_bytes(b"one\n")
    with chatting(root, answer(MENDED + block("more.txt", "one\n", "two\n")), held=()) as (page, _):
        turn = ask(page)
        page.post(f"/api/questions/{asked(page)['id']}", answer=False)
        page.until(lambda: asked(page)["path"] == "more.txt")
        assert [e["state"] for e in page.turn(turn)["edits"]] == ["left-out", "failed"]
        page.post("/api/held", add=["kiosk.py"])
        page.post(f"/api/questions/{asked(page)['id']}", answer=False)
        assert [e["state"] for e in page.ends(turn)["edits"]] == ["fits", "left-out"]


def test_a_file_that_was_left_out_is_not_asked_for_again(root: Path) -> None:
    outside = block("kiosk.py", "def greet(name):\n", "def greet(who):\n")
    wrong = block("ferry.txt", "sails at eight\n", "leaves at seven\n")
    with chatting(root, answer(outside + wrong), answer(GOOD), held=("ferry.txt",)) as (page, server):
        turn = ask(page)
        page.post(f"/api/questions/{asked(page)['id']}", answer=False)
        assert [e["state"] for e in page.ends(turn)["edits"]] == ["left-out", "superseded", "fits"]
        assert len(server.seen) == 2


def test_stopping_while_a_question_is_open_keeps_the_plan(root: Path) -> None:
    with chatting(root, answer(GOOD + MENDED), held=("ferry.txt",)) as (page, _):
        turn = ask(page)
        question = asked(page)
        for body in ({}, {"answer": None}, {"answer": "no"}):
            assert page.error("POST", f"/api/questions/{question['id']}", body, 400) == "bad-request"
        page.post(f"/api/turns/{turn}/cancel")
        ended = page.ends(turn)
        assert (ended["state"], ended["error"]) == ("open", None)
        assert [e["state"] for e in ended["edits"]] == ["fits", "failed"]
        assert ended["plan"]["waiting"] == ["kiosk.py"]
        assert page.error("POST", f"/api/questions/{question['id']}", {"answer": True}, 404) == "not-found"
        page.apply()
        assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_stopping_a_repair_keeps_what_came_before_it(root: Path) -> None:
    slow = Answer([*openai_events(MENDED[:40], stop=None)[:-1], 30.0])
    with chatting(root, answer(GOOD + MISQUOTED), slow) as (page, _):
        turn = ask(page)
        page.until(lambda: len(page.turn(turn)["rounds"]) == 2 and len(page.turn(turn)["edits"]) == 3)
        page.post(f"/api/turns/{turn}/cancel")
        ended = page.ends(turn)
        assert (ended["state"], len(ended["rounds"])) == ("open", 1)
        assert [e["state"] for e in ended["edits"]] == ["fits", "failed"]
        assert ended["notes"][0]["text"] == "Stopped. The answer that was arriving is left out."
        page.apply()
        assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_stopping_a_second_repair_keeps_the_first_one(root: Path) -> None:
    slow = Answer([*openai_events("Now then:\n", stop=None)[:-1], 30.0])
    again = block("kiosk.py", "def greet(whom):\n    say(whom)\n", "def greet(whom):\n    shout(whom)\n")
    with chatting(root, answer(GOOD + MISQUOTED), answer(again), slow) as (page, _):
        turn = ask(page)
        page.until(lambda: len(page.turn(turn)["rounds"]) == 3)
        page.post(f"/api/turns/{turn}/cancel")
        assert [e["state"] for e in page.ends(turn)["edits"]] == ["fits", "superseded", "failed"]


def test_what_arrived_of_a_stopped_reply_is_planned_when_the_user_wants_it(root: Path) -> None:
    begun = openai_events("Look:\n\n" + GOOD + "\n" + MENDED[:-30], stop=None)[:-1]
    with chatting(root, Answer([*begun, 30.0])) as (page, _):
        turn = ask(page)
        page.until(lambda: len(page.turn(turn)["edits"]) == 2)
        page.post(f"/api/turns/{turn}/cancel")
        ended = page.ends(turn)
        assert (ended["state"], ended["plan"]) == ("cancelled", None)
        page.post(f"/api/turns/{turn}/arrived")
        taken = page.turn(turn)
        assert (taken["state"], [e["state"] for e in taken["edits"]]) == ("open", ["fits", "failed"])
        assert taken["edits"][1]["result"]["code"] == "malformed"
        assert taken["rounds"][0]["items"][0]["text"] == "Look:\n\nferry.txt\n"
        assert page.text("ferry.txt").startswith(b"leaves at eight"), "nothing is applied by itself"
        page.apply()
        assert page.text("ferry.txt").startswith(b"leaves at seven")
        assert page.error("POST", f"/api/turns/{turn}/arrived", {}, 409) == "nothing-arrived"


def test_what_arrived_is_held_against_the_files_that_the_model_saw(root: Path) -> None:
    begun = openai_events(GOOD, "And then", stop=None)[:-1]
    with chatting(root, Answer([*begun, 30.0])) as (page, _):
        turn = ask(page)
        page.until(lambda: page.turn(turn)["edits"] and page.turn(turn)["edits"][0]["diff"] is not None)
        page.post(f"/api/turns/{turn}/cancel")
        page.ends(turn)
        (root / "ferry.txt").write_bytes(page.text("ferry.txt").replace(b"leaves at eight", b"leaves at nine"))
        page.post(f"/api/turns/{turn}/arrived")
        assert page.turn(turn)["plan"]["conflicts"] == ["ferry.txt"]


def test_nothing_is_taken_of_a_turn_without_a_whole_edit(root: Path) -> None:
    refusal = Answer([b"{}"], 401, {"Content-Type": "application/json"}, "length")
    with chatting(root, refusal) as (page, _):
        turn = page.ends(ask(page))["id"]
        assert page.error("POST", f"/api/turns/{turn}/arrived", {}, 409) == "nothing-arrived"
        pasted = page.paste(GOOD)["id"]
        assert page.error("POST", f"/api/turns/{pasted}/arrived", {}, 409) == "nothing-arrived"


SAME = b"a\nsame\nb\nsame\nc\n"
OTHER = block("twice.txt", "same\n", "other\n")


def test_a_turn_ends_without_waiting_for_a_place(root: Path) -> None:
    (root / "twice.txt").write_bytes(SAME)
    with chatting(root, answer(OTHER + GOOD), held=("twice.txt", "ferry.txt")) as (page, server):
        ended = page.ends(ask(page))
        assert ended["stopped"]["said"] == "What still fails is yours to decide, so the model is not asked about it."
        assert (page.states(), page.state()["questions"], len(server.seen)) == (["failed", "fits"], [], 1)
        assert ended["edits"][0]["result"]["places"] == [2, 4]
        page.apply()
        assert page.text("twice.txt") == SAME, "nothing is written for it"
        page.post("/api/turns/t1/place", edit=1, line=4)
        assert page.states() == ["fits", "written"]
        page.apply()
        assert page.text("twice.txt") == b"a\nsame\nb\nother\nc\n"


SLOW = Answer([*openai_events("Now then:\n", stop=None)[:-1], 30.0])


def at_second_reply(page: Page, request: str = "Change it.") -> str:
    """Ask; returns while the model's second reply arrives."""
    turn = ask(page, request)
    page.until(lambda: len(page.turn(turn)["rounds"]) == 2)
    return turn


def test_places_are_chosen_while_the_model_mends_another_edit(root: Path) -> None:
    (root / "twice.txt").write_bytes(SAME)
    (root / "more.txt").write_bytes(SAME)
    reply = OTHER + MISQUOTED + block("more.txt", "same\n", "more\n") + GOOD
    held = ("twice.txt", "more.txt", "kiosk.py", "ferry.txt")
    with chatting(root, answer(reply), SLOW, held=held) as (page, server):
        at_second_reply(page)
        assert page.states() == ["failed", "failed", "failed", "fits"]
        for n, line in ((1, 3), (2, 1), (9, 2)):
            code = page.error("POST", "/api/turns/t1/place", {"edit": n, "line": line}, 404 if n == 9 else 400)
            assert code == ("not-found" if n == 9 else "bad-request")
        page.post("/api/turns/t1/place", edit=3, line=4)
        page.post("/api/turns/t1/place", edit=1, line=4)
        page.post("/api/turns/t1/place", edit=1, line=2)
        assert page.states() == ["fits", "failed", "fits", "fits"]
        assert page.turn()["edits"][0]["hunks"][0]["old_start"] == 2
        page.post("/api/turns/t1/apply", edits=[1, 4])
        assert page.text("twice.txt") == b"a\nother\nb\nsame\nc\n"
        assert page.error("POST", "/api/turns/t1/place", {"edit": 1, "line": 4}, 409) == "settled"
        page.post("/api/undo")
        assert page.states() == ["fits", "failed", "fits", "fits"]
        page.post("/api/turns/t1/skip", edits=[3])
        page.post("/api/turns/t1/place", edit=3, line=2)
        assert page.states()[2] == "left-out"
        page.post("/api/turns/t1/skip", edits=[3], skip=False)
        page.post("/api/turns/t1/place", edit=3, line=4)
        assert page.states()[2] == "fits"
        page.post("/api/turns/t1/place", edit=1, line=None)
        assert page.states()[0] == "failed"
        page.post("/api/turns/t1/cancel")
        ended = page.ends()
        assert "twice.txt" not in messages(server, 1)[-1], "the model is asked about the other one"
        assert ([e["state"] for e in ended["edits"]], ended["edits"][2]["place"]) == (
            ["failed", "failed", "fits", "fits"],
            4,
        )
        page.apply()
        assert (page.text("twice.txt"), page.text("more.txt")) == (SAME, b"a\nsame\nb\nmore\nc\n")


def test_what_was_decided_meanwhile_holds_where_the_model_breaks_off(root: Path) -> None:
    (root / "twice.txt").write_bytes(SAME)
    begun = Answer([*openai_events(GOOD, OTHER, MENDED[:45], stop=None)[:-1], 30.0])
    with chatting(root, begun, SLOW, held=("twice.txt", "kiosk.py", "ferry.txt")) as (page, _):
        turn = ask(page)
        page.until(lambda: len(page.turn(turn)["edits"]) == 3)
        page.post(f"/api/turns/{turn}/skip", edits=[1])
        page.post(f"/api/turns/{turn}/place", edit=2, line=4)
        page.post(f"/api/turns/{turn}/cancel")
        page.ends(turn)
        page.post(f"/api/turns/{turn}/arrived")
        assert page.states(turn)[:2] == ["left-out", "fits"]
        page.post(f"/api/turns/{turn}/retry", edits=None)
        page.until(lambda: len(page.turn(turn)["rounds"]) == 2)
        page.post(f"/api/turns/{turn}/skip", edits=[1], skip=False)
        page.post(f"/api/turns/{turn}/place", edit=2, line=2)
        page.post(f"/api/turns/{turn}/cancel")
        page.ends(turn)
        assert page.states(turn)[:2] == ["fits", "fits"]
        page.apply(turn)
        assert page.text("twice.txt") == b"a\nother\nb\nsame\nc\n"
        assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_a_question_ends_with_its_turn(root: Path) -> None:
    with chatting(root, answer("May I see kiosk.py?\n"), held=()) as (page, _):
        turn = ask(page)
        question = page.until(lambda: next(iter(page.state()["questions"]), None))
        page.post(f"/api/turns/{turn}/cancel")
        assert page.ends(turn)["state"] == "cancelled"
        assert page.error("POST", f"/api/questions/{question['id']}", {"answer": True}, 404) == "not-found"


def test_an_architect_plans_in_prose_first(root: Path) -> None:
    with chatting(root, answer("First the time.\n" + MISQUOTED), answer(GOOD)) as (page, _):
        page.post("/api/settings", architect=True)
        turn = page.ends(ask(page))
        assert [r["step"] for r in turn["rounds"]] == ["plan", "edits"]
        assert turn["rounds"][0]["items"][0]["text"] == "First the time.\n" + MISQUOTED
        assert [(e["n"], e["round"], e["state"]) for e in turn["edits"]] == [(1, 1, "fits")]
        page.apply()
        assert page.text("ferry.txt").startswith(b"leaves at seven")


def test_without_a_model_the_page_says_so_and_pastes_still_work(page: Page) -> None:
    settings = page.state()["settings"]
    assert (settings["ready"], settings["problem"]["code"]) == (False, "no-model")
    assert page.error("POST", "/api/turns", {"kind": "ask", "request": "Hi"}, 409) == "no-model"
    assert page.post("/api/settings", model="tiny-1")["problem"]["code"] == "no-key"
    assert page.paste(GOOD)["edits"][0]["state"] == "fits"
    assert page.error("POST", "/api/turns/t1/retry", {}, 409) == "no-key"


class Broken:
    """A model with a defect of ours."""

    def stream(self, request: object, **_: object) -> object:
        raise ValueError("a defect")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_defect_ends_the_turn_and_not_the_server(root: Path) -> None:
    with chatting(root, answer(GOOD)) as (page, _):
        works, page.session.model = page.session.model, Broken()  # type: ignore[assignment]  # that is its defect
        turn = page.ends(ask(page))
        assert (turn["state"], turn["error"]["code"]) == ("failed", "defect")
        page.session.model, page.session.chat = works, None
        assert page.ends(ask(page))["state"] == "open"


def test_a_folder_that_vanishes_ends_the_turn_and_not_the_server(root: Path) -> None:
    begun = openai_events("I begin:\n\n", stop=None)[:-1]
    with chatting(root, Answer([*begun, 0.5, *openai_events(GOOD)])) as (page, _):
        turn = ask(page)
        page.until(lambda: page.turn(turn)["rounds"])
        root.rename(root.with_name("elsewhere"))
        running = page.session.running
        assert running is not None
        assert running.thread is not None
        running.thread.join(120)
        assert page.session.turns[turn].state == "failed"
        assert page.session.running is None
        root.with_name("elsewhere").rename(root)
        assert page.state()["turns"][0]["error"]["message"]


def test_an_edit_that_waits_for_its_file_waits_no_longer_wherever_the_file_joins(root: Path) -> None:
    with chatting(root, answer(MENDED), answer("Fine."), held=()) as (page, _):
        first = ask(page)
        question = page.until(lambda: page.state()["questions"])[0]["id"]
        page.post(f"/api/questions/{question}", answer=False)
        page.ends(first)
        page.post(f"/api/turns/{first}/skip", edits=[1], skip=False)
        assert page.turn(first)["plan"]["waiting"] == ["kiosk.py"]
        pasted = page.paste(MISQUOTED)["id"]
        page.post(f"/api/turns/{pasted}/retry")
        assert page.turn(first)["plan"]["waiting"] == []
        assert page.states(first) == ["fits"]
        page.ends(pasted)


def test_a_file_that_a_later_turn_asks_for_lets_an_earlier_edit_land(root: Path) -> None:
    with chatting(root, answer(MENDED), answer("Show me `kiosk.py`."), answer("Fine."), held=()) as (page, _):
        first = ask(page)
        question = page.until(lambda: page.state()["questions"])[0]["id"]
        page.post(f"/api/questions/{question}", answer=False)
        page.ends(first)
        page.post(f"/api/turns/{first}/skip", edits=[1], skip=False)
        second = ask(page)
        question = page.until(lambda: page.state()["questions"])[0]["id"]
        page.post(f"/api/questions/{question}", answer=True)
        page.ends(second)
        assert page.states(first) == ["fits"]


SAILS = "leaves at eight\n", "leaves at nine\n"


def test_a_reply_about_failed_edits_is_held_against_what_the_model_saw_then(root: Path) -> None:
    """Its file is saved while it streams: on the same line both sides stand against each other, as with any reply."""
    slow = Answer([*openai_events("Words.\n", stop=None)[:-1], 0.5, *openai_events(block("ferry.txt", *SAILS))])
    first = block("ferry.txt", "waits at two\n", "waits at ten\n") + block("ferry.txt", "leaves at six\n", SAILS[1])
    with chatting(root, answer(first), slow) as (page, _):
        page.post("/api/settings", max_rounds=0)
        turn = ask(page)
        page.ends(turn)
        page.post(f"/api/turns/{turn}/retry", edits=[2])
        page.until(lambda: "Words" in str(page.turn(turn)["rounds"]))
        (root / "ferry.txt").write_text("leaves at ten\n" + FERRY_REST)
        assert page.ends(turn)["plan"]["conflicts"] == ["ferry.txt"]
        sides = page.get(f"/api/turns/{turn}/conflict?path=ferry.txt")
        assert (sides["base"][:15], sides["file"][:13]) == ("leaves at eight", "leaves at ten")


def test_a_failed_retry_leaves_both_sides_as_they_were(root: Path) -> None:
    with chatting(root, answer(block("ferry.txt", *SAILS)), REFUSED) as (page, _):
        page.post("/api/settings", max_rounds=0)
        turn = ask(page)
        page.ends(turn)
        (root / "ferry.txt").write_text("leaves at ten\n" + FERRY_REST)
        page.post("/api/look")
        assert page.turn(turn)["plan"]["conflicts"] == ["ferry.txt"]
        page.post(f"/api/turns/{turn}/retry")
        assert page.ends(turn)["plan"]["conflicts"] == ["ferry.txt"]


def test_what_was_written_before_a_retry_can_be_taken_back_and_made_again(root: Path) -> None:
    rest = block("ferry.txt", "returns at six\n", "returns at ten\n")
    mended = block("ferry.txt", "returns at nine\n", "returns at ten\n")
    with chatting(root, answer(block("ferry.txt", *SAILS) + rest), answer(mended)) as (page, _):
        page.post("/api/settings", max_rounds=0)
        turn = ask(page)
        page.ends(turn)
        page.apply(turn, edits=[1])
        page.post(f"/api/turns/{turn}/retry")
        page.ends(turn)
        assert page.states(turn) == ["written", "superseded", "fits"]
        page.post("/api/undo")
        assert page.states(turn) == ["fits", "superseded", "fits"]
        page.apply(turn)
        assert page.text("ferry.txt") == b"leaves at nine\nreturns at ten\nwaits at ten\n"


def test_what_the_models_commands_would_change_is_written_after_a_yes(root: Path) -> None:
    commands = answer("Run:\n\n```bash\nsed -i 's/eight/seven/' ferry.txt && npm test\n```\n")
    with chatting(root, commands, answer("You are welcome.")) as (page, server):
        turn = ask(page)
        page.ends(turn)
        plan = page.turn(turn)["plan"]
        assert [file["path"] for file in plan["commands"]["files"]] == ["ferry.txt"]
        assert page.turn(turn)["state"] == "open"
        page.post(f"/api/turns/{turn}/commands", plan=plan["version"])
        assert page.text("ferry.txt").startswith(b"leaves at seven")
        assert page.states(turn) == ["written"]
        page.ends(ask(page, "Thanks."))
        assert not messages(server, 1)[-1].startswith(NOT_APPLIED)
