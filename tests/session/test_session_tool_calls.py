"""Edits by tools: the model is offered them, each call is answered, and the person decides on all of it at the end."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from loop_parts import FERRY, GOOD, KIOSK, Scene, Somebody, lay, scene
from provider_server import Act, Answer, Part, anthropic_calls, anthropic_events, openai_calls, openai_events

from dovetail.llm.errors import BrokenStreamError, ModelError
from dovetail.llm.tool_definitions import definitions
from dovetail.llm.values import Role
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.session.apply import operations
from dovetail.session.apply.applying import Prepared
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.session.conversation.call_answers import OFFERED
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_record import read
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import MAX_CALLS
from dovetail.session.conversation.participants import Approval, Why
from dovetail.session.conversation.recording import replay
from dovetail.session.conversation.rounds import Step
from dovetail.session.conversation.saved_chat import Participants, SavedChat, resume_chat
from dovetail.session.conversation.turn_events import End, Located, Noted, Sent
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS

OPENAI, ANTHROPIC = "tiny", "anthropic/tiny"
BOTH = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])


def edit(old: str, new: str, path: str = "kiosk.py") -> Part:
    return ("edit_file", json.dumps({"path": path, "old_string": old, "new_string": new}))


def call(name: str, **arguments: object) -> Part:
    return (name, json.dumps(arguments))


PRICE = edit("PRICE = 4", "PRICE = 5")
MISQUOTED = edit(
    '    words = "Hello, " + who\n    return words\n', '    words = "Good day, " + who\n    return words\n'
)
MENDED = edit('"Hello, "', '"Good day, "')
AFTER = KIOSK.replace("PRICE = 4", "PRICE = 5")


def calling(
    root: Path, model: str, *replies: tuple[Part, ...] | Answer, **options: object
) -> AbstractContextManager[Scene]:
    """A conversation by tools with a model that answers as scripted. A reply of words alone ends its turn."""
    calls, words = (openai_calls, openai_events) if model == OPENAI else (anthropic_calls, anthropic_events)

    def answer(parts: tuple[Part, ...]) -> Answer:
        talks = all(isinstance(part, str) for part in parts)
        return Answer(words(*map(str, parts)) if talks else calls(*parts))

    script = [reply if isinstance(reply, Answer) else answer(reply) for reply in replies]
    return scene(root, *script, model=model, edits_by="tools", **options)


def told(at: Scene, n: int) -> list[str]:
    """What request `n`, from 0, answers to the calls of the reply before, in both protocols alike."""
    messages: list[dict[str, Any]] = at.server.seen[n].body["messages"]  # type: ignore[assignment]
    found: list[str] = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            asked = [c["id"] for c in message.get("tool_calls") or ()]
            asked += [p["id"] for p in message["content"] or () if isinstance(p, dict) and p["type"] == "tool_use"]
            break
        parts = message["content"] if isinstance(message["content"], list) else [message]
        found[:0] = [part["content"] for part in parts if part.get("tool_call_id") or part.get("tool_use_id")]
    assert len(asked) == len(found)
    return found


@BOTH
def test_calls_are_answered_and_written_together_when_the_person_agrees(tmp_path: Path, model: str) -> None:
    with calling(tmp_path, model, ("First the price.", PRICE), (MENDED,), ("Done.",)) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == AFTER.replace('"Hello, "', '"Good day, "')
        assert [event.step for event in at.of(Sent)] == [Step.REQUEST, Step.CALLS, Step.CALLS]
        assert told(at, 1) == ["kiosk.py: edit 1 fits, line 3."]
        assert told(at, 2) == ["kiosk.py: edit 1 fits, line 12."]
        offered = definitions("openai" if model == OPENAI else "anthropic", OFFERED)
        assert [seen.body["tools"] for seen in at.server.seen] == [offered] * 3
        assert "SEARCH" not in json.dumps(at.server.seen[0].body)
    assert outcome.written
    assert not at.of(Noted)
    assert len(operations.log(tmp_path).operations) == 1
    operations.undo(tmp_path)
    assert (tmp_path / "kiosk.py").read_text() == KIOSK


@BOTH
def test_nothing_is_written_before_the_person_agrees(tmp_path: Path, model: str) -> None:
    class Looking(Somebody):
        def approve(self, prepared: Prepared) -> Approval | None:
            assert (tmp_path / "kiosk.py").read_text() == KIOSK
            assert len(prepared.plan.changes) == 1
            return None

    with calling(tmp_path, model, (PRICE,), (MENDED,), ("Done.",), ("Sorry.",), person=Looking()) as at:
        assert at.ask().declined
        assert at.read("kiosk.py") == KIOSK
        at.ask("Again.")
        assert "I did not apply your last edits.\\n\\nAgain." in json.dumps(at.server.seen[3].body)
        assert told_of_history(at, 3) == ["kiosk.py: edit 1 fits, line 3.", "kiosk.py: edit 1 fits, line 12."]


def told_of_history(at: Scene, n: int) -> list[str]:
    text = json.dumps(at.server.seen[n].body)
    return [line for line in ("kiosk.py: edit 1 fits, line 3.", "kiosk.py: edit 1 fits, line 12.") if line in text]


@BOTH
def test_several_calls_of_one_reply_are_answered_one_by_one(tmp_path: Path, model: str) -> None:
    new = call("write_file", path="till.py", content="OPEN = True\n")
    patch = call(
        "apply_patch",
        patch="*** Begin Patch\n*** Update File: kiosk.py\n@@\n-    return price\n+    return price + 1\n*** Delete File: ferry.txt\n*** End Patch",
    )
    held = ChatFiles(("kiosk.py", "ferry.txt"))
    with calling(tmp_path, model, (PRICE, new, patch), ("Done.",), held=held) as at:
        at.ask()
        first, second, third = told(at, 1)
        assert first == "kiosk.py: edit 1 fits, line 3."
        assert second == "till.py: edit 1 fits, line 1."
        assert third.splitlines() == ["kiosk.py: edit 1 fits, line 8.", "ferry.txt: edit 2 fits."]
        assert at.read("kiosk.py") == AFTER.replace("return price", "return price + 1")
        assert at.read("till.py") == "OPEN = True\n"
        assert not (tmp_path / "ferry.txt").exists()
        located = [(event.n, event.result.status) for event in at.of(Located)]
        assert located == [(n, Status.FITS) for n in (1, 2, 3, 4)]


@BOTH
def test_the_next_call_finds_the_files_with_the_edits_before(tmp_path: Path, model: str) -> None:
    grown = edit('"""Sells ferry tickets."""\n', '"""Sells ferry tickets."""\n\nimport math\n')
    again = edit("import math\n", "import math\n\nTAX = 2\n")
    read = call("read_file", path="kiosk.py", first_line=1, last_line=7)
    with calling(tmp_path, model, (grown,), (again, read), (edit("TAX = 2", "TAX = 3"),), ("Done.",)) as at:
        at.ask()
        assert told(at, 2)[0] == "kiosk.py: edit 1 fits, lines 3 to 5."
        lines = [line.partition("|")[2] for line in told(at, 2)[1].splitlines()[:7]]
        assert lines == ['"""Sells ferry tickets."""', "", "import math", "", "TAX = 2", "", "PRICE = 4"]
        text = at.read("kiosk.py")
    assert text == KIOSK.replace('tickets."""\n', 'tickets."""\n\nimport math\n\nTAX = 3\n')


def test_an_edit_means_the_text_as_it_is_after_the_edits_before(tmp_path: Path) -> None:
    """In the file as it was, it would be sure of a place; behind a call that puts its text in elsewhere it is not."""
    doubled = edit("returns at nine\n", "returns at nine\nleaves at eight\n", "ferry.txt")
    again = edit("leaves at eight\n", "arrives at eight\n", "ferry.txt")
    with calling(tmp_path, OPENAI, (doubled,), (again,), ("Done.",), held=ChatFiles(("ferry.txt",))) as at:
        outcome = at.ask()
        assert "The search text stands at lines 1 and 3." in told(at, 2)[0]
        assert outcome.prepared.plan.results[1].code is Code.AMBIGUOUS
        assert at.read("ferry.txt") == FERRY + "leaves at eight\n"


@BOTH
def test_lines_by_number_and_hash_are_those_of_the_file_that_was_read(tmp_path: Path, model: str) -> None:
    grown = edit('tickets."""\n', 'tickets."""\n\nimport math\n')
    with calling(tmp_path, model, (grown,), (call("read_file", path="kiosk.py", first_line=5, last_line=5),)) as at:
        events = at.conversation.ask("Change it.")
        while len(at.server.seen) < 3:
            next(events)
        head = told(at, 2)[0].partition("|")[0]
        events.close()
    assert head.startswith("5:")
    insert = call("insert_lines", path="kiosk.py", insert_line=head, insert_text="TAX = 2\n")
    with calling(tmp_path, model, (grown,), (insert,), ("Done.",)) as at:
        at.ask()
        text = at.read("kiosk.py")
    assert text == KIOSK.replace('tickets."""\n', 'tickets."""\n\nimport math\n').replace("4\n", "4\nTAX = 2\n")


@BOTH
def test_a_call_that_fails_is_told_what_is_wrong_and_mended(tmp_path: Path, model: str) -> None:
    with calling(tmp_path, model, (PRICE, MISQUOTED), (MENDED,), ("Done.",)) as at:
        outcome = at.ask()
        fits, failed = told(at, 1)
        assert fits == "kiosk.py: edit 1 fits, line 3."
        assert failed.startswith("Your edit could not be applied.")
        assert 'words = "Hello, " + name' in failed
        assert told(at, 2) == ["kiosk.py: edit 1 fits, line 12."]
        assert at.read("kiosk.py") == AFTER.replace('"Hello, "', '"Good day, "')
    assert outcome.stopped is None
    assert [r.status for r in outcome.prepared.plan.results] == [Status.FITS, Status.LEFT_OUT, Status.FITS]


@BOTH
def test_the_same_failing_call_twice_ends_the_turn_and_keeps_what_fits(tmp_path: Path, model: str) -> None:
    with calling(tmp_path, model, (PRICE, MISQUOTED), (MISQUOTED,), ("Done.",)) as at:
        outcome = at.ask()
        assert len(at.server.seen) == 2
        assert at.read("kiosk.py") == AFTER
        assert outcome.stopped.end is End.REPEATED
        at.ask("Thanks.")  # the calls that nobody answered are words in the history
        assert "tool_use" not in json.dumps(at.server.seen[2].body["messages"][-2:])
        assert "str_replace" not in json.dumps(at.server.seen[2].body["tools"])


def test_a_model_that_gives_up_on_a_failed_call_is_not_asked_again(tmp_path: Path) -> None:
    with calling(tmp_path, OPENAI, (PRICE, MISQUOTED), ("I cannot.",)) as at:
        outcome = at.ask()
        assert len(at.server.seen) == 2
        assert outcome.stopped.end is End.SILENT
        assert at.read("kiosk.py") == AFTER


def test_no_more_failing_rounds_than_were_asked_for(tmp_path: Path) -> None:
    wrong = [(edit(f"nothing like {word}", "x"),) for word in ("ada", "bea", "cleo")]
    with calling(tmp_path, OPENAI, *wrong, max_rounds=1) as at:
        outcome = at.ask()
        assert len(at.server.seen) == 2
        assert outcome.stopped.end is End.ROUNDS


@BOTH
def test_calls_without_an_end_are_an_error_and_write_nothing(tmp_path: Path, model: str) -> None:
    with calling(tmp_path, model, (PRICE,), (call("read_file", path="kiosk.py"),)) as at:
        with pytest.raises(ModelError, match="did not come to an end") as raised:
            at.ask()
        assert raised.value.code == "too-many-calls"
        assert len(at.server.seen) == MAX_CALLS + 1
        assert at.read("kiosk.py") == KIOSK
        assert "I did not apply your last edits." in at.conversation.notes


@BOTH
def test_tools_that_do_not_exist_and_arguments_that_are_none(tmp_path: Path, model: str) -> None:
    odd = (call("launch", target="moon"), ("edit_file", '{"path": "kiosk.py", "old_str'), call("edit_file", path="a"))
    more = (
        call("read_file", path="kiosk.py", lines=3),
        call("read_file", path="none.py"),
        call("undo"),
        ("read_file", "["),
    )
    with calling(tmp_path, model, (*odd, *more), ("Oh.",), max_rounds=2) as at:
        at.ask()
        unknown, broken, empty, extra, missing, undo, none = told(at, 1)
        assert unknown.startswith("There is no tool 'launch'.\nThe tools are: apply_patch, ")
        assert "no JSON" in broken
        assert "does not say a change" in empty
        assert extra.startswith("`read_file` has no argument 'lines'.")
        assert missing.startswith("There is no file `none.py`")
        assert undo.startswith("There is no tool 'undo'.")
        assert none == "The arguments are no JSON object.\nSend the call again with one JSON object as arguments."
        assert at.read("kiosk.py") == KIOSK
        assert not at.person.asked


@BOTH
def test_calls_of_other_agents_tools_are_understood(tmp_path: Path, model: str) -> None:
    other = call(
        "str_replace_based_edit_tool", command="str_replace", path="kiosk.py", old_str="PRICE = 4", new_str="PRICE = 5"
    )
    with calling(tmp_path, model, (other,), ("Done.",)) as at:
        at.ask()
        assert told(at, 1) == ["kiosk.py: edit 1 fits, line 3."]
        assert at.read("kiosk.py") == AFTER


@BOTH
def test_files_are_read_that_are_not_ignored_and_edited_when_the_person_adds_them(tmp_path: Path, model: str) -> None:
    (tmp_path / ".gitignore").write_text("secret.txt\n")
    (tmp_path / "secret.txt").write_text("key\n")
    (tmp_path / "link.txt").symlink_to(tmp_path.parent / "outside.txt")
    (tmp_path.parent / "outside.txt").write_text("key\n")
    paths = "./ferry.txt", "secret.txt", "../outside.txt", ".git/config", str(tmp_path / "secret.txt"), "link.txt"
    reads = tuple(call("read_file", path=path) for path in paths)
    ferry = edit("eight", "seven", "ferry.txt")
    for adds, text in (((), FERRY), (("ferry.txt",), FERRY.replace("eight", "seven"))):
        with calling(tmp_path, model, reads, (ferry,), ("Done.",), person=Somebody(adds=adds)) as at:
            at.ask()
            shown, *refused, link = told(at, 1)
            assert "key" not in link
            assert [line.partition("|")[2] for line in shown.splitlines()] == FERRY.splitlines()
            assert all(answer.startswith("There is no file `") for answer in refused)
            assert at.person.asked == [("ferry.txt", Why.EDITED)]
            assert at.read("ferry.txt") == text
            held = told(at, 2)[0]
    assert held == "ferry.txt: edit 1 fits, line 1."


def test_an_ignored_file_that_an_edit_named_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("secret.txt\n")
    (tmp_path / "secret.txt").write_text("password = hunter2\n")
    tries = edit("password = x", "password = y", "secret.txt"), edit("password", "word", "secret.txt")
    read, made = call("read_file", path="secret.txt"), call("write_file", path="new.txt", content="made\n")
    with calling(tmp_path, OPENAI, (*tries, made), (read, call("read_file", path="new.txt")), ("Done.",)) as at:
        at.ask()
        answers = [*told(at, 1), *told(at, 2)]
    assert not any("hunter2" in answer for answer in answers)
    assert answers[-2].startswith("There is no file `secret.txt` that may be shown.")
    assert "made" in answers[-1]


def test_an_edit_that_the_person_holds_back_is_not_asked_for_again(tmp_path: Path) -> None:
    with calling(tmp_path, OPENAI, (edit("eight", "seven", "ferry.txt"),), ("Done.",)) as at:
        outcome = at.ask()
        answer = told(at, 1)[0]
    assert answer.startswith("ferry.txt: edit 1 is left out: `ferry.txt` exists and is not in the conversation.")
    assert answer.endswith("That is for the user to decide; do not send it again.")
    assert outcome.stopped.end is End.YOURS


@BOTH
def test_a_stream_that_breaks_inside_arguments(tmp_path: Path, model: str) -> None:
    cut = ("edit_file", '{"path": "kiosk.py", "old_string": "return pr')
    stream = openai_calls if model == OPENAI else anthropic_calls
    broken = Answer([*stream(MENDED, cut, stop=None), 0.05, Act.DROP])
    with calling(tmp_path, model, broken) as at, pytest.raises(BrokenStreamError):
        at.ask()
    assert (tmp_path / "kiosk.py").read_text() == KIOSK
    with calling(tmp_path, model, (PRICE,), broken, ("Done.",)) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == AFTER  # of the whole reply before
    assert outcome.stopped.end is End.MODEL
    operations.undo(tmp_path)

    class Going(Somebody):
        def use_arrived(self) -> bool:
            return True

    with calling(tmp_path, model, broken, ("Done.",), person=Going(), max_rounds=0) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK.replace('"Hello, "', '"Good day, "')
    assert [r.code for r in outcome.prepared.plan.results] == [None, Code.MALFORMED]


@BOTH
def test_a_call_that_the_limit_cuts_is_answered(tmp_path: Path, model: str) -> None:
    cut = ("edit_file", '{"path": "kiosk.py", "old_string": "return pr')
    stream, limit = (openai_calls, "length") if model == OPENAI else (anthropic_calls, "max_tokens")
    with calling(tmp_path, model, Answer(stream(PRICE, cut, stop=limit)), (MENDED,), ("Done.",)) as at:
        at.ask()
        fits, failed = told(at, 1)
        assert fits == "kiosk.py: edit 1 fits, line 3."
        assert "The reply was cut short before this edit was complete." in failed
        assert at.read("kiosk.py") == AFTER.replace('"Hello, "', '"Good day, "')


def test_edits_in_words_count_as_well(tmp_path: Path) -> None:
    with calling(tmp_path, OPENAI, (MENDED,), (GOOD,)) as at:
        at.ask()
        assert at.read("kiosk.py") == AFTER.replace('"Hello, "', '"Good day, "')


@BOTH
def test_one_edit_of_a_turn_by_calls_can_be_taken_back(tmp_path: Path, model: str) -> None:
    """The journal knows in which files each edit was located: here the second is sure only behind the first."""
    first, second = edit("a\nb\n", "c\nb\n", "ferry.txt"), edit("a\n", "d\n", "ferry.txt")
    held = ChatFiles(("ferry.txt",))
    with calling(tmp_path, model, (first,), (second,), ("Done.",), held=held) as at:
        (at.root / "ferry.txt").write_text("a\nb\na\n")
        at.ask()
        assert at.read("ferry.txt") == "c\nb\nd\n"
        undo_edits(tmp_path, None, [2], DEFAULT_REPLY_OPTIONS)
        assert at.read("ferry.txt") == "c\nb\na\n"


def test_edits_are_chosen_as_ever(tmp_path: Path) -> None:
    person = Somebody(approves=Approval(frozenset({2}), OnFailure.BLOCK))
    with calling(tmp_path, OPENAI, (PRICE,), (MENDED,), ("Done.",), person=person) as at:
        at.ask()
        assert at.read("kiosk.py") == KIOSK.replace('"Hello, "', '"Good day, "')


def test_in_architect_mode_the_editor_alone_has_tools(tmp_path: Path) -> None:
    with calling(tmp_path, OPENAI, ("Raise PRICE in kiosk.py to 5.",), (PRICE,), ("Done.",), architect=True) as at:
        at.ask()
        assert at.read("kiosk.py") == AFTER
        assert ["tools" in seen.body for seen in at.server.seen] == [False, True, True]


def test_a_history_of_calls_is_text_for_a_model_without_tools(tmp_path: Path) -> None:
    with calling(tmp_path, OPENAI, (PRICE,), ("Done.",), ("Fine.",)) as at:
        at.ask()
        at.conversation.options = replace(at.conversation.options, edits_by="text")
        at.ask("More.")
        roles = [(message["role"], "tool_calls" in message) for message in at.sent(2)]
        assert not any(calls for _, calls in roles)
        assert {role for role, _ in roles} == {"system", "user", "assistant"}
        assert '{"name": "edit_file"' in json.dumps(at.sent(2)).replace("\\", "")
    assert [message.role for message in at.conversation.history] == [Role.USER, Role.ASSISTANT] * 3


@BOTH
def test_a_conversation_by_calls_is_replayed_and_gone_on_with(tmp_path: Path, model: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    turns = (PRICE, MISQUOTED, call("read_file", path="ferry.txt")), (MENDED,), ("Done.",), ("Fine.",)
    with calling(root, model, *turns) as at:
        chat = SavedChat.begin(
            at.conversation.workspace, Participants(at.conversation.model, at.person), at.conversation.options
        )
        chat.add("kiosk.py")
        list(chat.ask("Dearer."))
        written = at.read("kiosk.py")
        history_then = list(chat.conversation.history)
        chat.close()
        before = resume_chat(root)
        assert list(before.history) == [replace(message, stable=False) for message in history_then]
        assert before.options["edits_by"] == "tools"
        again = SavedChat.resume(
            at.conversation.workspace, Participants(at.conversation.model, at.person), at.conversation.options, before
        )
        list(again.ask("Thanks."))
        assert told(at, 3) == []
        again.close()
        assert '"Good day' in json.dumps(at.server.seen[3].body).replace("\\", "")
    other = lay(tmp_path)
    for _ in replay(other, read(chat.record.file), Options("replay")):
        pass
    assert (other / "kiosk.py").read_text() == written == AFTER.replace('"Hello, "', '"Good day, "')
