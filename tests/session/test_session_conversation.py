"""A turn of a conversation: what is asked, what is repaired, what is written, and when it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from loop_parts import FERRY, GOOD, KIOSK, MENDED, MISQUOTED, Later, Scene, Somebody, answer, block, run, scene, text_of
from provider_server import Act, Answer, openai_events

from dovetail.context import estimate
from dovetail.llm.errors import BrokenStreamError, ModelError
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.errors import ChangedError
from dovetail.session.apply import operations
from dovetail.session.apply.applying import Prepared
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.conversation import MAX_ADDED, MAX_CHANGED
from dovetail.session.conversation.participants import Approval, Why
from dovetail.session.conversation.rounds import Step
from dovetail.session.conversation.turn_events import (
    Answered,
    Cost,
    Declined,
    EditsWritten,
    End,
    Joined,
    Located,
    Noted,
    NotRead,
    Outdated,
    Piece,
    PlanReady,
    Repairing,
    Sent,
    Stopped,
    TurnEvent,
)


def test_an_edit_is_located_while_it_streams_and_written_once(tmp_path: Path) -> None:
    with scene(tmp_path, f"Dearer.\n\n{GOOD}") as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
    assert text_of(at.events) == f"Dearer.\n\n{GOOD}"
    located = at.of(Located)
    assert [(event.n, event.result.status, event.result.start) for event in located] == [(1, Status.FITS, 3)]
    order = [type(event) for event in at.events]
    assert order.index(Located) < order.index(Answered) < order.index(PlanReady) < order.index(EditsWritten)
    assert outcome.written
    assert operations.log(tmp_path).operations[0].id == outcome.committed.operation.id


@pytest.mark.parametrize(("size", "piece"), [(1, 1), (3, 7), (10_000, 10_000)])
def test_pieces_of_any_size_come_to_the_same(tmp_path: Path, size: int, piece: int) -> None:
    with scene(tmp_path, answer(GOOD, size=size, piece=piece)) as at:
        assert at.ask().written
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")


def test_nothing_is_written_before_the_person_agrees(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD, person=Somebody(approves=None)) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK
        assert outcome.declined
        assert not operations.log(tmp_path).operations
        at.ask("Again.")
        assert at.sent(1)[-1]["content"].startswith("I did not apply your last edits.\n\nAgain.")


def test_chosen_edits_alone_are_written(tmp_path: Path) -> None:
    other = block("kiosk.py", "    return price\n", "    return price + 1\n")
    with scene(tmp_path, GOOD + other, person=Somebody(approves=Approval(frozenset({2}), OnFailure.BLOCK))) as at:
        at.ask()
        assert at.read("kiosk.py") == KIOSK.replace("return price", "return price + 1")


def test_a_failed_edit_goes_back_alone_and_all_is_one_operation(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + MISQUOTED, MENDED) as at:
        outcome = at.ask()
        after = KIOSK.replace("PRICE = 4", "PRICE = 5").replace('"Hello, "', '"Good day, "')
        assert at.read("kiosk.py") == after
        message = at.sent(1)[-1]["content"]
        assert "1 of your 2 edits" in message
        assert "def greet(name):" in message
        assert "The file has changed" not in message  # it has not, the model misremembers
        assert "PRICE" not in message
        assert at.sent(1)[-2] == {"role": "assistant", "content": GOOD + MISQUOTED}
        assert [event.step for event in at.of(Sent)] == [Step.REQUEST, Step.REPAIR]
        assert len(operations.log(tmp_path).operations) == 1
        operations.undo(tmp_path)
        assert at.read("kiosk.py") == KIOSK
    sent_again = outcome.prepared.plan.results[1]
    assert (sent_again.status, sent_again.reason) == (Status.LEFT_OUT, "The model sent it again, as edit 3.")


@pytest.mark.parametrize("again", [(), (MISQUOTED.replace("who", "whom"),)])
def test_one_edit_of_a_repaired_turn_can_be_taken_back(tmp_path: Path, again: tuple[str, ...]) -> None:
    from dovetail.session.apply.undo_edits import undo_edits
    from dovetail.session.settings import DEFAULT_REPLY_OPTIONS

    with scene(tmp_path, GOOD + MISQUOTED, *again, MENDED) as at:
        at.ask()
        undo_edits(tmp_path, None, [3 + len(again)], DEFAULT_REPLY_OPTIONS)
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")


def test_a_deletion_that_the_journal_knows_is_not_sent_back(tmp_path: Path) -> None:
    with scene(tmp_path, block("kiosk.py", "PRICE = 4\n", "")) as at:
        assert at.ask().written
        again = at.ask("Again.")
        assert len(at.server.seen) == 2
        assert [result.status for result in again.prepared.plan.results] == [Status.STANDS_ALREADY]
        assert not again.written


def test_the_same_failure_twice_goes_on_with_more_of_the_file(tmp_path: Path) -> None:
    with scene(tmp_path, MISQUOTED) as at:
        outcome = at.ask()
        assert [event.step for event in at.of(Sent)] == [Step.REQUEST, Step.REPAIR, Step.WIDER, Step.WHOLE]
        assert at.read("kiosk.py") == KIOSK
    assert outcome.stopped is not None
    assert outcome.stopped.end is End.REPEATED


def misquote(word: str) -> str:
    return block("kiosk.py", f"def greet({word}):\n    words = {word}\n", "def greet(name):\n    words = name\n")


def test_rounds_then_wider_then_whole_then_the_person(tmp_path: Path) -> None:
    wrong = [misquote(word) for word in ("ada", "bea", "cleo", "dora", "elsa", "fay")]
    with scene(tmp_path, *wrong, max_rounds=3) as at:
        outcome = at.ask()
        steps = [event.step for event in at.of(Sent)]
        assert steps == [Step.REQUEST, *[Step.REPAIR] * 3, Step.WIDER, Step.WHOLE]
        assert "lines 11 to 13, all of greet" in at.sent(4)[-1]["content"]
        assert KIOSK in at.sent(5)[-1]["content"]
        assert at.read("kiosk.py") == KIOSK
    assert outcome.stopped is not None
    assert outcome.stopped.end is End.ROUNDS


def test_a_file_that_comes_whole_takes_the_place_of_its_edits(tmp_path: Path) -> None:
    new = KIOSK.replace("PRICE = 4", "PRICE = 6").replace("Hello", "Good day")
    whole = f"kiosk.py\n```python\n{new}```\n"
    with scene(tmp_path, GOOD + misquote("ada"), misquote("bea"), misquote("cleo"), whole, max_rounds=1) as at:
        outcome = at.ask()
        assert [event.step for event in at.of(Sent)] == [Step.REQUEST, Step.REPAIR, Step.WIDER, Step.WHOLE]
        assert at.read("kiosk.py") == new
    assert outcome.stopped is None
    assert not outcome.prepared.plan.failed


def test_no_rounds_means_no_second_request(tmp_path: Path) -> None:
    with scene(tmp_path, MISQUOTED, max_rounds=0) as at:
        assert at.ask().stopped.end is End.ROUNDS
        assert len(at.server.seen) == 1


def test_a_repair_that_says_nothing_stops(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + MISQUOTED, "I cannot.") as at:
        outcome = at.ask()
        assert outcome.stopped.end is End.SILENT
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")  # the person agreed to the others


PART = "In `kiosk.py`:\n\n```python\n    price = count * PRICE + 1\n    return round(price)\n```\n"


def test_code_that_is_no_edit_is_asked_for_as_edits_once(tmp_path: Path) -> None:
    with scene(tmp_path, PART, GOOD) as at:
        outcome = at.ask()
        assert [event.step for event in at.of(Sent)] == [Step.REQUEST, Step.FORM]
        message = at.sent(1)[-1]["content"]
        assert "Line 3 of the reply: Nothing says where in `kiosk.py`" in message
        assert at.sent(0)[-1]["content"].endswith(
            message[message.index("again as an edit") :].partition("\n\n")[2].strip()
        )
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
    assert outcome.stopped is None


@pytest.mark.parametrize("again", ["Nothing is to be changed.", PART])
def test_a_model_without_an_edit_is_not_asked_a_third_time(tmp_path: Path, again: str) -> None:
    with scene(tmp_path, PART, again) as at:
        outcome = at.ask()
        assert len(at.server.seen) == 2
    assert outcome.prepared is None
    assert [result.path for result in outcome.unread] == ["kiosk.py"]


def test_prose_and_commands_are_not_asked_for_as_edits(tmp_path: Path) -> None:
    with scene(tmp_path, "It prints:\n\n```text\n4\n```\n\nRun it:\n\n```bash\npython kiosk.py\n```\n") as at:
        at.ask()
        assert len(at.server.seen) == 1


def test_a_listing_is_used_as_its_file_if_the_person_says_so(tmp_path: Path) -> None:
    whole = "Not to be used as `kiosk.py` yet:\n\n```python\n" + KIOSK.replace("PRICE = 4", "PRICE = 6") + "```\n"
    with scene(tmp_path, whole, person=Somebody(uses=True)) as at:
        outcome = at.ask()
        assert len(at.server.seen) == 1
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 6")
        assert at.of(Piece)[-1].events, "the edit is drawn"
    assert outcome.prepared.listings == {3: "kiosk.py"}


def test_consent_beforehand_writes_all_or_nothing(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + MISQUOTED, "I cannot.", person=Somebody(approves=Approval())) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK
        assert not outcome.written


def test_a_repair_that_cannot_be_asked_for_keeps_what_landed(tmp_path: Path) -> None:
    refused = Answer([b'{"error": {"message": "no"}}'], status=400, headers={"Content-Type": "application/json"})
    with scene(tmp_path, answer(GOOD + MISQUOTED), refused) as at:
        outcome = at.ask()
        assert outcome.stopped.end is End.MODEL
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")


def test_two_failures_of_which_one_comes_again_leave_the_other(tmp_path: Path) -> None:
    other = block("kiosk.py", "def total(cost):\n    price = cost\n", "def total(cost):\n    price = 2\n")
    with scene(tmp_path, other + MISQUOTED, MENDED, "No more.") as at:
        outcome = at.ask()
        failed = [result.n for result in outcome.prepared.plan.failed]
        assert failed == [1]
        message = at.sent(2)[-1]["content"]
        assert message.startswith("1 of your 2 edits could not be applied. The others fit")
        assert "### Edit 2, kiosk.py\n" in message, "the first one is that of the last reply, which landed"
        assert "def total(count):" in message
        assert "greet" not in message


def test_edits_of_several_replies_that_fail_have_numbers_of_their_own(tmp_path: Path) -> None:
    other = block("kiosk.py", "def total(number):\n    price = number\n", "def total(number):\n    price = 0\n")
    again = MISQUOTED.replace("who", "whom")
    with scene(tmp_path, MISQUOTED + other, GOOD + again, MISQUOTED) as at:
        at.ask()
        message = at.sent(2)[-1]["content"]
    assert message.startswith("2 of your 3 edits")
    assert [line for line in message.splitlines() if line.startswith("###")] == [
        "### Edit 2, kiosk.py",
        "### Edit 3, kiosk.py",
    ]


@pytest.mark.parametrize("again", [GOOD, block("quay.py", "", "boats = 2\n")])
def test_an_edit_that_the_model_forgot_to_send_again_still_fails(tmp_path: Path, again: str) -> None:
    with scene(tmp_path, GOOD + MISQUOTED, again, person=Somebody(approves=Approval(None, OnFailure.ALL))) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK
    assert [result.n for result in outcome.prepared.plan.failed] == [2]
    assert outcome.stopped.end is End.REPEATED


def test_a_reply_cut_short_is_said_and_its_last_edit_is_sent_again(tmp_path: Path) -> None:
    cut = answer(GOOD + MENDED[:70], stop="length")
    with scene(tmp_path, cut, MENDED) as at:
        outcome = at.ask()
        assert at.of(Answered)[0].cut == (2,)
        assert any("length limit" in event.text for event in at.of(Noted))
        assert "cut short" in at.sent(1)[-1]["content"]
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5").replace('"Hello, "', '"Good day, "')
    assert outcome.stopped is None


@pytest.mark.parametrize(
    ("on_failure", "written"),
    [(OnFailure.ALL, False), (OnFailure.FILE, True), (OnFailure.BLOCK, True)],
)
def test_an_edit_cut_short_holds_back_the_others_as_any_failed_one_does(
    tmp_path: Path, on_failure: OnFailure, written: bool
) -> None:
    cut = answer(GOOD + MENDED[:70], stop="length")
    with scene(tmp_path, cut, person=Somebody(approves=Approval(None, on_failure)), max_rounds=0) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == (KIOSK.replace("PRICE = 4", "PRICE = 5") if written else KIOSK)
    assert [r.code for r in outcome.prepared.plan.results] == [None if written else Code.OTHER_FAILED, Code.MALFORMED]
    assert "cut short" in outcome.prepared.plan.results[1].reason


def test_a_whole_file_cut_short_is_never_written(tmp_path: Path) -> None:
    cut = answer(f"kiosk.py\n```python\n{KIOSK[:60]}", stop="length")
    with scene(tmp_path, cut, max_rounds=0, format="whole") as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK
        assert outcome.prepared.plan.failed[0].code is Code.MALFORMED


@pytest.mark.parametrize("stop", ["content_filter", "error", "abort", None])
def test_an_edit_that_only_an_early_end_closed_is_never_written(tmp_path: Path, stop: str | None) -> None:
    cut = answer("```diff\n--- kiosk.py\n+++ kiosk.py\n@@ @@\n-PRICE = 4\n+PRICE = 5\n```\n"
                 "--- kiosk.py\n+++ kiosk.py\n@@ @@\n-    return words\n+    return ", stop=stop)  # fmt: skip
    with scene(tmp_path, cut, max_rounds=0, format="udiff") as at:
        outcome = at.ask()
        assert at.of(Answered)[0].cut == (2,)
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
        assert any("may be incomplete" in event.text for event in at.of(Noted))
    assert [r.code for r in outcome.prepared.plan.failed] == [Code.MALFORMED]


def test_an_edit_of_a_read_only_file_fails_and_is_not_sent_back(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD, held=ChatFiles((), ("kiosk.py",))) as at:
        outcome = at.ask()
        assert outcome.prepared.plan.failed[0].code is Code.READ_ONLY
        assert outcome.stopped.end is End.YOURS
        assert len(at.server.seen) == 1
        assert at.read("kiosk.py") == KIOSK


FERRY_EDIT = block("ferry.txt", "leaves at eight\n", "leaves at ten\n")


def test_an_edit_of_a_file_that_is_not_in_the_chat_waits_for_the_person(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + FERRY_EDIT, person=Somebody(adds=["ferry.txt"])) as at:
        at.ask()
        assert at.person.asked == [("ferry.txt", Why.EDITED)]
        assert at.read("ferry.txt") == FERRY.replace("eight", "ten")
        assert at.conversation.files.editable == ("kiosk.py", "ferry.txt")
    assert at.of(Located)[1].result.code is Code.NOT_IN_CHAT


def test_an_edit_of_a_file_that_the_person_keeps_out_is_left_out(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + FERRY_EDIT) as at:
        outcome = at.ask()
        assert at.read("ferry.txt") == FERRY
        assert at.read("kiosk.py") != KIOSK
        assert outcome.stopped.end is End.YOURS
        assert [result.code for result in outcome.prepared.plan.failed] == [Code.NOT_IN_CHAT]


def test_a_file_that_was_kept_out_is_not_asked_about_again_in_the_turn(tmp_path: Path) -> None:
    ferry = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")
    with scene(tmp_path, GOOD + MISQUOTED + ferry, MENDED + ferry) as at:
        at.ask()
        assert at.person.asked == [("ferry.txt", Why.EDITED)]


def test_a_new_file_needs_no_permission_to_be_in_the_chat(tmp_path: Path) -> None:
    with scene(tmp_path, block("quay/map.py", "", "x = 1\n")) as at:
        at.ask()
        assert at.person.asked == []
        assert at.read("quay/map.py") == "x = 1\n"


def test_a_model_that_asks_for_a_file_is_asked_again_with_it(tmp_path: Path) -> None:
    with scene(tmp_path, "Please add `ferry.txt` to the chat.", FERRY_EDIT, person=Somebody(adds=["ferry.txt"])) as at:
        outcome = at.ask("Let it leave at ten.")
        assert at.person.asked == [("ferry.txt", Why.ASKED)]
        assert at.of(Joined)[0].added
        assert outcome.written
        again = [message["content"] for message in at.sent(1)]
        assert any(FERRY in content for content in again)
        assert "Let it leave at ten." in again
        assert again[-1].startswith("You are shown `ferry.txt` now.")


def all_of(at: Scene, n: int) -> str:
    return "\n".join(message["content"] for message in at.sent(n))


LONG = "".join(f"def step_{n}(cargo):\n    load(cargo)\n    return {n}\n\n\n" for n in range(200))


def test_of_a_long_file_the_model_sees_what_the_request_names(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(LONG)
    with scene(tmp_path, "Fine.", held=ChatFiles(("steps.py",)), file_tokens=300) as at:
        at.ask("Let step_150 return 7.")
        shown = all_of(at, 0)
        assert "def step_150(cargo):\n    load(cargo)\n    return 150\n" in shown
        assert "return 149" not in shown
        assert "Only parts of steps.py are shown." in shown


def test_a_model_that_asks_for_more_of_a_file_gets_all_of_it_for_the_turn(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(LONG)
    edit = block("steps.py", "    return 77\n", "    return 7\n")
    person = Somebody(adds=["steps.py"])
    held = ChatFiles((), ("steps.py", "ferry.txt"))
    words = ("I need more of `steps.py`.", edit, "Fine.")
    with scene(tmp_path, *words, person=person, held=held, file_tokens=300) as at:
        outcome = at.ask("Let the step return 7.")
        assert person.asked == [("steps.py", Why.WHOLE)]
        assert "return 77" not in all_of(at, 0)
        assert "return 77" in all_of(at, 1)
        assert not outcome.written  # it is still for reading only
        assert at.conversation.files == held
        at.ask("Thanks.")
        assert "return 78" not in all_of(at, 2)


def test_a_model_that_asks_for_more_in_vain_is_not_asked_again(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(LONG)
    with scene(tmp_path, "Show me all of steps.py.", held=ChatFiles(("steps.py",)), file_tokens=300) as at:
        outcome = at.ask("Let the step return 7.")
        assert outcome.wanted == ("steps.py",)
        assert len(at.server.seen) == 1


def test_a_reply_of_which_nothing_is_read_as_an_edit_is_noted(tmp_path: Path) -> None:
    listing = "Then, in kiosk.py, add this:\n\n```python\nFEE = PRICE * 2\n```\n"
    with scene(tmp_path, listing) as at:
        assert not at.ask("Greet kindly.").written
        (unread,) = at.of(NotRead)[-1].results
        assert "`kiosk.py`" in unread.reason
        assert unread.hint is not None


def test_a_listing_of_a_function_is_an_edit_of_its_file(tmp_path: Path) -> None:
    listing = "In kiosk.py, greet like this:\n\n```python\ndef greet(name):\n    return name\n```\n"
    with scene(tmp_path, listing) as at:
        assert at.ask("Greet kindly.").written
        assert "def greet(name):\n    return name\n" in (at.root / "kiosk.py").read_text()


def test_a_model_that_asks_in_vain_is_not_asked_again(tmp_path: Path) -> None:
    with scene(tmp_path, "I need ferry.txt for that.") as at:
        outcome = at.ask()
        assert outcome.wanted == ("ferry.txt",)
        assert outcome.prepared is None
        assert len(at.server.seen) == 1


def test_a_file_that_cannot_be_shown_is_told_of_and_not_asked_about(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    person = Somebody(adds=["logo.png", "ferry.txt"])
    with scene(tmp_path, "Show me `logo.png` and `ferry.txt`.", GOOD, person=person) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
    assert [path for path, _ in person.asked] == ["ferry.txt"]
    assert "`logo.png`" in at.of(Noted)[0].text
    assert outcome.wanted == ()


def test_a_file_that_is_removed_while_the_question_stands_ends_no_turn(tmp_path: Path) -> None:
    class Removing(Somebody):
        def add_file(self, path: str, why: Why) -> bool:
            (tmp_path / path).unlink()
            return super().add_file(path, why)

    reply = GOOD + block("ferry.txt", "leaves at eight\n", "leaves at seven\n")
    with scene(tmp_path, reply, person=Removing(adds=["ferry.txt"]), max_rounds=0) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
    assert outcome.prepared is not None
    assert [result.code for result in outcome.prepared.plan.failed] == [Code.NOT_IN_CHAT]


def test_nothing_is_added_that_is_not_sent(tmp_path: Path) -> None:
    names = [f"quay{n}.py" for n in range(MAX_ADDED + 2)]
    for name in names:
        (tmp_path / name).write_text("x = 1\n")
    person = Somebody(adds=names)
    with scene(tmp_path, *(f"Show me `{name}`." for name in names), person=person) as at:
        outcome = at.ask()
    assert [path for path, _ in person.asked] == names[:MAX_ADDED]
    assert len(at.server.seen) == MAX_ADDED + 1
    assert outcome.wanted == (names[MAX_ADDED],)
    assert f"`{names[MAX_ADDED]}`" in at.of(Noted)[-1].text


def test_an_architect_plans_and_an_editor_writes(tmp_path: Path) -> None:
    with scene(tmp_path, "Raise PRICE in kiosk.py to 5.", GOOD, architect=True, editor_model="small") as at:
        at.ask("Dearer tickets, please.")
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
        first, second = (at.server.seen[n].body for n in (0, 1))
        assert (first["model"], second["model"]) == ("tiny", "small")
        assert at.sent(1)[-1]["content"].startswith("Raise PRICE in kiosk.py to 5.")
        assert "Dearer tickets" not in str(second)
        assert any(KIOSK in message["content"] for message in at.sent(1))
    assert [event.step for event in at.of(Sent)] == [Step.PLAN, Step.EDITS]


def test_without_a_plan_nobody_is_asked_for_edits(tmp_path: Path) -> None:
    with scene(tmp_path, "\n", GOOD, architect=True) as at:
        outcome = at.ask()
        assert (len(at.server.seen), outcome.prepared) == (1, None)
        assert at.read("kiosk.py") == KIOSK


def test_an_edit_in_a_plan_is_no_edit(tmp_path: Path) -> None:
    with scene(tmp_path, f"Like so:\n\n{GOOD}", "Nothing to do.", architect=True) as at:
        outcome = at.ask()
        assert outcome.prepared is None
        assert at.read("kiosk.py") == KIOSK
        assert not at.of(Located)


def test_an_ambiguous_edit_goes_back_with_its_places_where_nobody_chooses(tmp_path: Path) -> None:
    with scene(tmp_path, block("ferry.txt", "x\n", "y\n"), "Hm.", held=ChatFiles(("ferry.txt",))) as at:
        (tmp_path / "ferry.txt").write_text("x\na\nx\nb\n")
        outcome = at.ask()
        assert outcome.stopped.failures[0].places == (1, 3)
        assert "1 and 3" in at.sent(1)[-1]["content"]
        assert at.read("ferry.txt") == "x\na\nx\nb\n"


def test_one_edit_takes_the_place_of_two_that_change_the_same_lines(tmp_path: Path) -> None:
    first = block("ferry.txt", "one\ntwo\n", "one\nzwei\n") + block("ferry.txt", "two\nthree\n", "deux\nthree\n")
    merged = block("ferry.txt", "one\ntwo\nthree\n", "one\nzwei, deux\nthree\n")
    with scene(tmp_path, first, merged, held=ChatFiles(("ferry.txt",))) as at:
        (tmp_path / "ferry.txt").write_text("one\ntwo\nthree\n")
        at.ask()
        asked = at.sent(1)[-1]["content"]
        assert "### Edit 1, ferry.txt\nEdit 2 changes the same lines differently." in asked
        assert "### Edit 2, ferry.txt\nEdit 1 changes the same lines differently." in asked
        assert "Do not send them again" not in asked
        assert at.read("ferry.txt") == "one\nzwei, deux\nthree\n"


def test_an_edit_whose_lines_no_other_takes_is_kept_beside_its_rival(tmp_path: Path) -> None:
    first = block("ferry.txt", "one\ntwo\n", "eins\nzwei\n") + block("ferry.txt", "two\nthree\n", "deux\ntrois\n")
    with scene(tmp_path, first, block("ferry.txt", "three\n", "trois\n"), held=ChatFiles(("ferry.txt",))) as at:
        (tmp_path / "ferry.txt").write_text("one\ntwo\nthree\n")
        at.ask()
        assert at.read("ferry.txt") == "eins\nzwei\ntrois\n"


def test_places_settle_an_ambiguity_before_the_model_is_asked(tmp_path: Path) -> None:
    reply = block("ferry.txt", "x\n", "y\n")
    person = Somebody(chosen={1: 3})
    with scene(tmp_path, reply, person=person, held=ChatFiles(("ferry.txt",))) as at:
        (tmp_path / "ferry.txt").write_text("x\na\nx\nb\n")
        outcome = at.ask()
        assert at.read("ferry.txt") == "x\na\ny\nb\n"
        assert len(at.server.seen) == 1
        assert outcome.written


TWICE = block("ferry.txt", "x\n", "y\n")


def test_the_model_is_not_asked_about_a_place_that_the_person_chooses_later(tmp_path: Path) -> None:
    reply = TWICE + block("ferry.txt", "aa\n", "c\n")
    with scene(tmp_path, reply, block("ferry.txt", "a\n", "c\n"), person=Later(), held=ChatFiles(("ferry.txt",))) as at:
        (tmp_path / "ferry.txt").write_text("x\na\nx\nb\n")
        outcome = at.ask()
        assert at.of(Repairing)[0].failures[0].n == 2
        assert "edit 1," not in at.sent(1)[-1]["content"].lower()
        assert (outcome.stopped.end, [r.n for r in outcome.stopped.failures]) == (End.YOURS, [1])
        assert at.read("ferry.txt") == "x\nc\nx\nb\n"


@pytest.mark.parametrize("again", [TWICE, block("ferry.txt", "x\nb\n", "y\nb\n")])
def test_an_edit_that_comes_again_unasked_stands_once(tmp_path: Path, again: str) -> None:
    """Twice, two edits that fit two places would share them, and nobody chose that."""
    reply, second = TWICE + block("ferry.txt", "aa\n", "c\n"), block("ferry.txt", "a\n", "c\n") + again
    with scene(tmp_path, reply, second, person=Later(), held=ChatFiles(("ferry.txt",))) as at:
        (tmp_path / "ferry.txt").write_text("x\na\nx\nb\n")
        outcome = at.ask()
        assert outcome.rounds.superseded == {1: 4, 2: 3}
        assert at.read("ferry.txt") == ("x\nc\nx\nb\n" if again == TWICE else "x\nc\ny\nb\n")


def test_a_file_edited_in_the_meantime_keeps_both_changes(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD) as at:
        events = at.conversation.ask("Dearer.")
        for event in events:
            if isinstance(event, Located):
                (tmp_path / "kiosk.py").write_text(KIOSK.replace("Hello", "Hi"))
        assert at.read("kiosk.py") == KIOSK.replace("Hello", "Hi").replace("PRICE = 4", "PRICE = 5")


def test_a_change_inside_an_edit_s_own_lines_is_merged_with_it(tmp_path: Path) -> None:
    edit = block(
        "kiosk.py",
        'def greet(name):\n    words = "Hello, " + name\n    return words\n',
        'def greet(name, warm):\n    words = "Hello, " + name\n    return words\n',
    )
    with scene(tmp_path, edit) as at:
        for event in at.conversation.ask("Warmer."):
            if isinstance(event, Located):
                (tmp_path / "kiosk.py").write_text(KIOSK.replace("return words", "return words.strip()"))
        assert at.read("kiosk.py") == KIOSK.replace("return words", "return words.strip()").replace(
            "greet(name)", "greet(name, warm)"
        )
        assert len(at.server.seen) == 1


def saving(at: Scene, *texts: str) -> list[TurnEvent]:
    """A turn during which the file is saved with the next text whenever the plan is shown."""
    waiting, told = list(texts), []
    for event in at.conversation.ask("Dearer."):
        told.append(event)
        if isinstance(event, PlanReady) and waiting:
            (at.root / "kiosk.py").write_text(waiting.pop(0))
    return told


def test_a_file_edited_while_the_person_thinks_keeps_both_changes(tmp_path: Path) -> None:
    mine = "# mine\n" + KIOSK.replace("Hello", "Hi")
    with scene(tmp_path, GOOD) as at:
        told = [type(event) for event in saving(at, mine)]
        assert at.read("kiosk.py") == mine.replace("PRICE = 4", "PRICE = 5")
        assert len(at.server.seen) == 1
        assert [len(shown.plan.changes) for shown in at.person.shown] == [1, 1]
    assert told[-4:] == [PlanReady, Outdated, PlanReady, EditsWritten]


def test_an_edit_whose_lines_changed_while_the_person_thinks_is_not_written(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD) as at:
        told = saving(at, "other\n")
        assert at.read("kiosk.py") == "other\n"
    assert isinstance(told[-1], Declined)
    assert told[-1].prepared.plan.failed


def test_a_file_that_never_stays_as_it_is_ends_the_turn(tmp_path: Path) -> None:
    texts = [f"# {n}\n{KIOSK}" for n in range(9)]
    with scene(tmp_path, GOOD) as at:
        with pytest.raises(ChangedError):
            saving(at, *texts)
        assert at.read("kiosk.py") == texts[MAX_CHANGED]
        assert not operations.log(tmp_path).operations


def test_a_place_is_chosen_anew_where_the_lines_moved(tmp_path: Path) -> None:
    @dataclass
    class Choosing(Somebody):
        """Takes the last of the places."""

        def places(self, prepared: Prepared) -> Mapping[int, int]:
            return {result.n: result.places[-1] for result in prepared.ambiguous}

    with scene(tmp_path, block("kiosk.py", "x = 1\n", "x = 2\n"), person=Choosing()) as at:
        (tmp_path / "kiosk.py").write_text("x = 1\na = 1\nx = 1\nb = 1\n")
        saving(at, "c = 1\nd = 1\nx = 1\na = 1\nx = 1\nb = 1\n")
        assert at.read("kiosk.py") == "c = 1\nd = 1\nx = 1\na = 1\nx = 2\nb = 1\n"


def test_a_stream_that_breaks_writes_nothing_and_is_remembered(tmp_path: Path) -> None:
    events = openai_events("I will ", "do ", GOOD)[:-2]
    with scene(tmp_path, Answer([*events, Act.CLOSE])) as at:
        with pytest.raises(BrokenStreamError):
            at.ask("Dearer.")
        assert at.read("kiosk.py") == KIOSK
        assert [message.content for message in at.conversation.history] == ["Dearer.", f"I will do {GOOD}"]


def test_a_turn_that_is_abandoned_writes_nothing(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD) as at:
        events = at.conversation.ask("Dearer.")
        for event in events:
            if isinstance(event, PlanReady):
                break
        events.close()
        assert at.read("kiosk.py") == KIOSK
        assert at.server.wait_until_closed()


def test_a_request_that_is_refused_raises(tmp_path: Path) -> None:
    refused = Answer([b"{}"], status=401, headers={"Content-Type": "application/json"})
    with scene(tmp_path, refused) as at:
        with pytest.raises(ModelError):
            at.ask()
        assert at.conversation.history == []


def test_history_holds_every_turn_and_files_are_shown_anew(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD, "Fine now.") as at:
        at.ask("Dearer.")
        at.ask("Is it?")
        said = [message["content"] for message in at.sent(1)]
        assert said.index("Dearer.") < said.index(GOOD) < len(said) - 1
        assert any("PRICE = 5" in content and "version=" in content for content in said)
        assert not any("PRICE = 4\n\n\ndef" in content for content in said)


def test_the_ledger_tells_each_request_and_what_repair_saved(tmp_path: Path) -> None:
    long = KIOSK + "".join(f"\n\ndef filler_{n}():\n    return {n}\n" for n in range(200))
    with scene(tmp_path, GOOD + MISQUOTED, answer(MENDED, usage=False), file_tokens=None) as at:
        (tmp_path / "kiosk.py").write_text(long)
        at.ask()
        first, second = at.conversation.ledger.entries
        assert (first.input, first.output, first.saved) == (900, 50, 0)
        assert second.usage is None
        assert second.input == second.sent > second.message > 0
        assert second.again > 2000
        total = at.conversation.ledger.total
        assert (total.requests, total.repairs, total.saved) == (2, 1, second.again - second.message)
    assert len(at.of(Cost)) == 2
    assert at.of(Repairing)[0].message == at.sent(1)[-1]["content"]
    assert not at.of(Stopped)


def test_a_file_that_joined_in_the_turn_is_one_that_repair_need_not_send(tmp_path: Path) -> None:
    with scene(tmp_path, MISQUOTED, MENDED, person=Somebody(adds=["kiosk.py"]), held=ChatFiles()) as at:
        at.ask()
        first, second = at.conversation.ledger.entries
    assert first.again == 0
    assert second.again > estimate(KIOSK)


def test_a_budget_leaves_out_history_and_says_so(tmp_path: Path) -> None:
    with scene(tmp_path, "word " * 400) as at:
        at.ask("Once.")
        tokens = at.of(Sent)[0].tokens
        at.conversation.options = type(at.conversation.options)("tiny", map_tokens=0, budget=tokens + 50)
        _, events = run(at.conversation.ask("Twice."))
        assert any("history" in event.text for event in events if isinstance(event, Noted))
        assert all(event.tokens <= tokens + 50 for event in events if isinstance(event, Sent))


def test_a_listing_of_a_reply_before_the_last_can_be_taken_back_alone(tmp_path: Path) -> None:
    from dovetail.session.apply.undo_edits import undo_edits
    from dovetail.session.settings import DEFAULT_REPLY_OPTIONS

    part = "In `kiosk.py`:\n\n```python\ndef total(count):\n    return count * PRICE\n```\n"
    with scene(tmp_path, MISQUOTED + part, MENDED) as at:
        outcome = at.ask()
        assert [result.n for result in outcome.prepared.landed] == [2, 3]
        after = at.read("kiosk.py")
        undo_edits(tmp_path, None, [2], DEFAULT_REPLY_OPTIONS)
        assert at.read("kiosk.py") == after.replace("    return count", "    price = count").replace(
            "count * PRICE\n", "count * PRICE\n    return price\n"
        )
