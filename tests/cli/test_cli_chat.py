"""`dovetail chat` on a real terminal, with a real server: talking, deciding, interrupting, leaving, going on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_shell import Person, at_terminal, dovetail
from loop_parts import FERRY, GOOD, KIOSK, MENDED, MISQUOTED, answer, block, lay
from provider_server import Act, Answer, ProviderServer, anthropic_events, openai_events, serving, split

CHEAPER = block("kiosk.py", "PRICE = 5\n", "PRICE = 3\n")
SLOW = Answer([*openai_events("Let me think.\n\n", GOOD)[:3], 30.0])


def chat(root: Path, server: ProviderServer, *words: str) -> Person:
    addresses = {"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}
    return at_terminal(root, "chat", "--model", "tiny", "--no-map", *words, extra=addresses)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    return lay(tmp_path)


@pytest.mark.parametrize("said", ["/api/users answers 500.", "/kiosk.py: line 3 fails", "/var/log/c.log says so"])
def test_a_request_may_begin_with_a_path(root: Path, said: str) -> None:
    with serving(answer("Fine.")) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type(said)
        person.wait_for("Fine.")
        assert server.seen[0].body["messages"][-1]["content"].startswith(said)  # type: ignore[index]


def state_of(terminal: int) -> list[object]:
    """What a shell would find the terminal set to."""
    return termios.tcgetattr(terminal)


def test_a_request_is_streamed_located_shown_and_written(root: Path) -> None:
    with serving(answer(f"Dearer tickets.\n\n{GOOD}Done.\n")) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Tickets cost 5 now.")
        said = person.wait_for("(Enter: none)")
        assert "Dearer tickets.\n" in said
        assert "edit 1  fits exact high  kiosk.py:3" in said
        assert "+PRICE = 5" in said
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("a")
        person.wait_for("To take it back: /undo\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5")
        person.type("/diff")
        person.wait_for("+PRICE = 5")
        person.type("/undo")
        person.wait_for("To reverse this: /redo\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("/redo")
        person.wait_for("To reverse this: /undo\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5")
        person.type("/undo")
        person.wait_for("Took back operation")
        person.type("/quit")
        person.wait_for("--resume")
        assert person.leave() == 0


def test_a_model_that_thinks_before_it_speaks_is_said_to(root: Path) -> None:
    """Anthropic's protocol on a terminal: thoughts are no part of the reply, and what is seen meanwhile is not empty."""
    events = anthropic_events("Dearer tickets.\n\n", GOOD, thinking="The price is a constant.\n")
    thinking, rest = events[:5], events[5:]
    with (
        serving(Answer([b"".join(thinking), 0.3, b"".join(rest)])) as server,
        chat(root, server, "--model", "anthropic/tiny", "kiosk.py") as person,
    ):
        person.wait_for("> ")
        person.type("Tickets cost 5 now.")
        person.wait_for("Reading the files …")
        person.wait_for("anthropic/tiny thinks …")
        said = person.wait_for("(Enter: none)")
        assert "The price is a constant." not in said
        person.type("a")
        person.wait_for("Wrote 1 file")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5")
        assert server.seen[0].path == "/v1/messages"


def test_lines_that_are_pasted_at_once_are_one_request(root: Path) -> None:
    with serving(answer("Fine.")) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.paste("It fails:\n\nValueError: 3\n")
        person.type("")
        person.wait_for("Fine.")
        assert server.seen[0].body["messages"][-1]["content"].startswith("It fails:\n\nValueError: 3\n")  # type: ignore[index]
        assert len(server.seen) == 1


def test_a_request_of_several_lines_comes_back_from_the_history_as_one(root: Path) -> None:
    pasted, typed = "Dearer tickets,\nand kinder words.", "First this,\nthen that."
    with serving(answer("Fine.")) as server:
        with chat(root, server) as person:
            person.wait_for("> ")
            person.paste(pasted)
            person.type("")
            person.wait_for("out\n> ")
            person.type("First this,\\")
            person.wait_for(". ")
            person.type("then that.")
            person.wait_for("out\n> ")
            person.type("/quit")
            assert person.leave() == 0
        assert (root / ".dovetail" / "chats" / "lines").stat().st_mode & 0o777 == 0o600
        with chat(root, server) as person:
            person.wait_for("> ")
            for ups in (2, 4):  # before them come /quit, and then the one that was sent again
                person.type("\x1b[A" * ups)
                person.wait_for("out\n> ")
    sent = [seen.body["messages"][-1]["content"] for seen in server.seen]  # type: ignore[index]
    assert [said.startswith(text) for said, text in zip(sent, (pasted, typed, typed, pasted), strict=True)] == [
        True
    ] * 4


def test_what_was_typed_before_the_plan_was_shown_does_not_agree_to_it(root: Path) -> None:
    with serving(answer(GOOD)) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Tickets cost 5 now.\na")
        person.wait_for("(Enter: none)")
        person.type("n")
        person.wait_for("Nothing was written.\n")
        assert (root / "kiosk.py").read_text() == KIOSK


def test_a_file_that_the_model_edits_is_not_added_for_what_was_typed_before(root: Path) -> None:
    with (
        serving(answer(block("ferry.txt", FERRY, "None.\n")), answer("Fine.")) as server,
        chat(root, server, "kiosk.py") as person,
    ):
        person.wait_for("> ")
        person.type("No ferries.\ny")
        person.wait_for("(Enter: no)")
        person.type("n")
        person.wait_for("Nothing was written.\n> ")
        assert len(server.seen) == 1


def test_a_failed_edit_is_repaired_in_sight(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), answer(MENDED)) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Be kinder.")
        said = person.wait_for("(Enter: none)")
        assert "Back to the model, with what is wrong: 1 edit." in said
        assert "the message" in said
        assert "  2  left out not-selected  kiosk.py  The model sent it again, as edit 3.\n  3  fits" in said
        person.type("a")
        person.wait_for("Wrote 1 file")
        person.type("/tokens")
        said = person.wait_for("would have taken")
        assert "repair     1 request" in said
        person.type("/quit")
        assert person.leave() == 0
    assert "Good day" in (root / "kiosk.py").read_text()


def test_ctrl_c_in_mid_stream_leaves_files_and_terminal_as_they_were(root: Path) -> None:
    with serving(SLOW, answer(GOOD)) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        before = state_of(person.terminal)
        person.type("Dearer.")
        person.wait_for("Let me think.")
        person.interrupt()
        person.wait_for("Stopped. Nothing was written.\n> ")
        assert server.wait_until_closed()
        assert state_of(person.terminal) == before
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("Again.")  # the conversation goes on
        person.wait_for("(Enter: none)")
        person.type("a")
        person.wait_for("Wrote 1 file")
        person.type("/quit")
        assert person.leave() == 0
        assert state_of(person.terminal)[3] == before[3] | termios.ECHO | termios.ICANON


def test_edits_of_a_reply_that_broke_off_can_be_applied(root: Path) -> None:
    """The connection breaks in the second edit, and where that one is asked for again there is no answer."""
    broken = Answer([*openai_events("Two changes.\n\n", GOOD, MENDED[: len(MENDED) // 2], stop=None)[:-1], Act.DROP])
    refused = Answer([b"{}"], status=400, headers={"Content-Type": "application/json"})
    with serving(broken, refused, answer("Fine.")) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer and kinder.")
        said = person.wait_for("(Enter: none)")
        assert "Cut short in edit 2, which is not applied.\n" in said
        assert "closed the connection in the middle of the answer.\n" in said
        assert "next  What had arrived whole can be applied. Ask again for what is missing.\n" in said
        assert "1 edit failed. Apply the other in 1 file?" in said
        assert "no-divider" not in said, "one thing is said of what was cut short"
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("a")
        person.wait_for("To take it back: /undo\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5")
        person.type("Thanks.")
        person.wait_for("Fine.")
        person.type("/quit")
        assert person.leave() == 0


def test_a_reply_that_broke_off_before_an_edit_was_whole_is_an_error(root: Path) -> None:
    broken = Answer([*openai_events("One change.\n\n", GOOD[: len(GOOD) // 2], stop=None)[:-1], Act.DROP])
    with serving(broken, answer("Fine.")) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        said = person.wait_for("next  Ask again.\n> ")
        assert said.count("Cut short in edit 1, which is not applied.\n") == 1
        assert said.count("closed the connection in the middle of the answer.\n") == 1
        assert (root / "kiosk.py").read_text() == KIOSK


def test_ctrl_c_in_a_repair_stops_the_repair_alone(root: Path) -> None:
    first = "The price is in, and the greeting is to come.\n\n" + GOOD + MISQUOTED
    with serving(answer(first), SLOW, answer("Fine.")) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer and kinder.")
        person.wait_for("Let me think.")
        person.interrupt()
        said = person.wait_for("(Enter: none)")
        assert server.wait_until_closed()
        assert "1 edit still fails. You stopped the repair.\n" in said
        assert "+PRICE = 5" in said
        person.type("a")
        person.wait_for("Wrote 1 file")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5")
        person.type("Thanks.")
        person.wait_for("Fine.")
        person.type("/quit")
        assert person.leave() == 0


def test_ctrl_c_in_a_repair_and_at_the_question_behind_it_writes_nothing(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), SLOW) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer and kinder.")
        person.wait_for("Let me think.")
        person.interrupt()
        person.wait_for("(Enter: none)")
        person.interrupt()
        person.wait_for("Stopped. Nothing was written.\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("/quit")
        assert person.leave() == 0


@pytest.mark.parametrize("key", ["interrupt", "hang_up"])
def test_no_answer_to_the_question_writes_nothing(root: Path, key: str) -> None:
    with serving(answer(GOOD)) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("(Enter: none)")
        getattr(person, key)()
        person.wait_for("Nothing was written.")
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("/quit")
        assert person.leave() == 0


def test_a_file_saved_while_the_question_stands_is_no_obstacle(root: Path) -> None:
    with serving(answer(GOOD)) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("(Enter: none)")
        (root / "kiosk.py").write_text(KIOSK + "# mine\n")
        person.type("a")
        said = person.wait_for("(Enter: none)")
        assert "`kiosk.py` has changed since it was read; nothing was written. The edits are planned again.\n" in said
        assert "+PRICE = 5" in said
        person.type("a")
        person.wait_for("Wrote 1 file")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5") + "# mine\n"
        person.type("/quit")
        assert person.leave() == 0


KILLED = """
import os, signal, sys
from dovetail.model.results import FileChange
from dovetail.workspace import Workspace
def die(step):
    if step == "replace":
        os.kill(os.getpid(), signal.SIGKILL)
with Workspace.open(sys.argv[1], step=die) as ws:
    ws.commit([FileChange(sys.argv[2], None, "other\\n")], ws.snapshot([sys.argv[2]], tree=frozenset()))
"""


def test_what_another_process_left_half_done_is_made_whole_and_told(root: Path) -> None:
    kill = [sys.executable, "-c", KILLED, str(root)]
    with serving(answer(GOOD), answer("Nothing more.")) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("(Enter: none)")
        subprocess.run([*kill, "one.txt"], check=False, timeout=180)
        assert not (root / "one.txt").exists()
        person.type("a")
        assert "An interrupted apply (" in person.wait_for("\n> ")
        assert (root / "one.txt").exists()
        person.type("Anything else?")
        assert "An interrupted" not in person.wait_for("\n> ")
        subprocess.run([*kill, "two.txt"], check=False, timeout=180)
        person.type("/undo")
        assert "An interrupted apply (" in person.wait_for("\n> ")
        assert (root / "two.txt").exists()
        person.type("/quit")
        assert person.leave() == 0


def test_ctrl_c_at_the_prompt_clears_it(root: Path) -> None:
    with serving(answer(GOOD)) as server, chat(root, server) as person:
        person.wait_for("> ")
        os.write(person.terminal, b"half a thou")
        person.wait_for("half a thou")
        time.sleep(0.3)  # Python's readline loses a signal that comes while it draws, until the next key
        person.interrupt()
        person.wait_for("To leave: /quit, or Ctrl-D\n> ")
        person.hang_up()
        assert person.leave() == 0
        assert not server.seen


def test_files_come_and_go(root: Path) -> None:
    with serving(answer("Fine.")) as server, chat(root, server) as person:
        person.wait_for("No file is in the chat.")
        person.type("/add kiosk.py ferry.txt")
        person.wait_for("  ferry.txt\n")
        person.type("/read-only ferry.txt")
        person.wait_for("ferry.txt  read-only")
        person.type("/drop kiosk.py")
        person.wait_for("ferry.txt  read-only")
        person.type("/add nowhere.py")
        person.wait_for("There is no file `nowhere.py`.")
        for command in ("/add kiosk.py nowhere.py", "/read-only kiosk.py nowhere.py"):
            person.type(command)
            person.wait_for("There is no file `nowhere.py`.")
            person.type("/add")
            assert "kiosk.py" not in person.wait_for("read-only\n> "), "all are taken, or none"
        person.type("/add ../outside.py")
        person.wait_for("is outside the root")
        person.type("/format nonsense")
        person.wait_for("There is no format 'nonsense'.")
        person.type("/format udiff")
        person.wait_for("The model is taught udiff.")
        person.type("/model other")
        person.wait_for("The model is other.")
        person.type("/architect on")
        person.wait_for("plans in prose first")
        person.type("/architect off")
        person.wait_for("writes edits at once")
        person.type("/map 300")
        person.wait_for("of at most 300 tokens")
        person.type("/map off")
        person.wait_for("The model is shown no map.")
        person.type("/a")
        person.wait_for("/a may mean /add or /architect.")
        person.type("/undo 20260101-000000")
        person.wait_for(
            "/undo takes no argument; nothing was done.\nnext  Other operations than the last: dovetail undo"
        )
        person.type("/nonsense")
        person.wait_for("There is no command /nonsense.\nnext  See /help; to say it to the model, begin with")
        person.type("/help")
        assert "/read-only" in person.wait_for("goes on with the next.")
        person.type("What is \\")
        person.type("this?")
        person.wait_for("Fine.")
        messages = server.seen[0].body["messages"]
        assert server.seen[0].body["model"] == "other"
        assert messages[-1]["content"].startswith("What is \nthis?")
        assert any("These files are for reference." in m["content"] and FERRY in m["content"] for m in messages)
        assert not any(KIOSK in m["content"] for m in messages)
        person.type("/quit")
        assert person.leave() == 0


def test_an_edit_of_a_file_that_is_only_read_tells_how_to_let_it_be_edited(root: Path) -> None:
    later = block("ferry.txt", "leaves at eight\n", "leaves at ten\n")
    with serving(answer(later)) as server, chat(root, server, "--read-only", "ferry.txt") as person:
        person.wait_for("> ")
        person.type("Later.")
        assert "next      Let it be edited, then ask again: /add ferry.txt\n" in person.wait_for("was written.\n> ")
        person.type("/add ferry.txt")
        person.wait_for("  ferry.txt\n> ")
        person.type("Later.")
        person.wait_for("(Enter: none)")
        person.type("a")
        person.wait_for("Wrote 1 file")
        person.type("/quit")
        assert person.leave() == 0


def test_a_conversation_is_gone_on_with(root: Path) -> None:
    with serving(answer(GOOD), answer(CHEAPER)) as server:
        with chat(root, server, "kiosk.py") as person:
            person.wait_for("> ")
            person.type("Dearer.")
            person.wait_for("(Enter: none)")
            person.type("a")
            person.wait_for("/undo\n> ")
            person.hang_up()
            assert person.leave() == 0
        with chat(root, server, "--resume") as person:
            said = person.wait_for("> ")
            assert "Going on after 1 turn." in said
            assert "  kiosk.py" in said
            person.type("No, cheaper.")
            person.wait_for("(Enter: none)")
            person.type("a")
            person.wait_for("/undo\n> ")
            person.hang_up()
            assert person.leave() == 0
        said = [message["content"] for message in server.seen[1].body["messages"]]
        assert "Dearer." in said
        assert GOOD in said
    assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 3")


def test_a_turn_with_several_replies_is_one_turn_when_it_is_gone_on_with(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), answer(MENDED)) as server:
        with chat(root, server, "kiosk.py") as person:
            person.wait_for("> ")
            person.type("Dearer, and more polite.")
            person.wait_for("(Enter: none)")
            person.type("a")
            person.wait_for("/undo\n> ")
            person.hang_up()
            assert person.leave() == 0
        with chat(root, server, "--resume") as person:
            assert "Going on after 1 turn." in person.wait_for("> ")


def test_what_was_typed_after_the_last_turn_is_in_force_again(root: Path) -> None:
    with serving(answer(GOOD), answer(block("ferry.txt", "leaves at eight\n", "leaves at ten\n"))) as server:
        with chat(root, server, "kiosk.py", "ferry.txt") as person:
            person.wait_for("> ")
            person.type("Dearer.")
            person.wait_for("(Enter: none)")
            person.type("n")
            person.wait_for("> ")
            for said in ("/read-only ferry.txt", "/drop kiosk.py", "/format whole", "/architect on", "/architect off"):
                person.type(said)
            person.type("/model other")
            person.wait_for("The model is other.")
            person.type("/quit")
            assert person.leave() == 0
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        with at_terminal(root, "chat", "--resume", extra=where) as person:
            said = person.wait_for("> ")
            assert "other, whole." in said
            assert "ferry.txt  read-only" in said
            assert "kiosk.py" not in said
            person.type("Go on.")
            person.wait_for("is in the conversation for reading only")
            person.type("/quit")
            assert person.leave() == 0
        messages = server.seen[1].body["messages"]
        assert server.seen[1].body["model"] == "other"
        assert not any(KIOSK in message["content"] for message in messages[1:])
        assert "I did not apply your last edits." in messages[-1]["content"]
        with at_terminal(root, "chat", "--resume", "--model", "third", "--format", "udiff", extra=where) as person:
            assert "third, udiff." in person.wait_for("> ")
    assert (root / "ferry.txt").read_text() == FERRY


def test_a_command_is_written_as_its_change_after_a_yes_of_its_own(root: Path) -> None:
    command = "```sh\nsed -i 's/PRICE = 4/PRICE = 5/' kiosk.py\n```\n"
    with serving(answer(command)) as server, chat(root, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("Dovetail runs no command. Write what they would change, in 1 file?")
        person.type("y")
        person.wait_for("/undo\n> ")
        assert "PRICE = 5" in (root / "kiosk.py").read_text()
        person.type("/undo")
        person.wait_for("> ")
    assert (root / "kiosk.py").read_text() == KIOSK


def test_a_conversation_is_replayed_to_the_same_bytes_without_a_model(tmp_path: Path) -> None:
    first, second = lay(tmp_path / "one"), lay(tmp_path / "two")
    ferry = block("ferry.txt", "leaves at eight\n", "leaves at ten\n")
    script = (answer(GOOD + MISQUOTED), answer(MENDED), SLOW, answer(CHEAPER + ferry))
    with serving(*script) as server, chat(first, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer, kinder.")
        person.wait_for("(Enter: none)")
        person.type("a")
        person.wait_for("/undo\n> ")
        person.type("Stop this one.")
        person.wait_for("Let me think.")
        person.interrupt()
        person.wait_for("written.\n> ")
        person.type("Cheaper, later.")
        person.wait_for("not in the chat")
        person.type("y")
        person.wait_for("(Enter: none)")
        person.type("e")
        person.wait_for("Apply edit 1?")
        person.type("n")
        person.wait_for("Apply edit 2?")
        person.type("y")
        person.wait_for("Wrote")
        person.type("/save talk.jsonl")
        person.wait_for("--replay talk.jsonl")
        person.type("/quit")
        assert person.leave() == 0
    after = {name: (first / name).read_bytes() for name in ("kiosk.py", "ferry.txt")}
    assert after["ferry.txt"] == FERRY.replace("eight", "ten").encode()
    assert b"PRICE = 5" in after["kiosk.py"]
    unasked = dovetail(second, "chat", "--replay", str(first / "talk.jsonl"))
    assert (unasked.returncode, "Nothing was written: there is no terminal" in unasked.stderr) == (2, True)
    with at_terminal(second, "chat", "--replay", str(first / "talk.jsonl")) as person:
        person.wait_for("(Enter: no)")
        person.type("")
        assert person.leave() == 1
    assert (second / "kiosk.py").read_text() == KIOSK
    done = dovetail(second, "chat", "--replay", str(first / "talk.jsonl"), "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Replayed 2 turns, 1 that broke off passed over." in done.stdout
    assert {name: (second / name).read_bytes() for name in after} == after
    (second / "kiosk.py").write_text("other\n")
    again = dovetail(second, "chat", "--replay", str(first / "talk.jsonl"), "--yes")
    assert again.returncode == 1


def test_the_transcript_is_private_and_holds_no_key(root: Path) -> None:
    with serving(answer(GOOD)) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-secret-1"}
        with at_terminal(root, "chat", "--model", "tiny", "--no-map", "kiosk.py", extra=extra) as person:
            person.wait_for("> ")
            person.type("Dearer.")
            person.wait_for("(Enter: none)")
            person.type("n")
            person.wait_for("Nothing was written.\n> ")
            person.hang_up()
            person.leave()
        assert server.seen[0].headers["authorization"] == "Bearer sk-secret-1"
    folder = root / ".dovetail" / "chats"
    files = list(folder.iterdir())
    assert {file.stat().st_mode & 0o077 for file in [folder, *files]} == {0}
    assert not any("sk-secret-1" in file.read_text() for file in files)
    records = [json.loads(line) for line in next(folder.glob("*.jsonl")).read_text().splitlines()]
    assert [r["kind"] for r in records] == [
        "chat", "options", "held", "turn", "reply", "approved", "heard", "held", "end",
    ]  # fmt: skip


def test_without_a_terminal_it_says_so(root: Path) -> None:
    done = dovetail(root, "chat", "--model", "tiny")
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert not (root / ".dovetail").exists()


def test_an_error_of_the_provider_does_not_end_the_chat(root: Path) -> None:
    refused = Answer([b'{"error": {"message": "bad key"}}'], status=401, headers={"Content-Type": "application/json"})
    with serving(refused, answer("Fine.")) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type("Hello?")
        person.wait_for("error wrong-key")
        person.type("Hello again.")
        person.wait_for("out\n> ")
        person.hang_up()
        assert person.leave() == 0


def test_control_characters_of_a_model_are_shown_not_obeyed(root: Path) -> None:
    words = "wipe \x1b[2J this\x07\n"
    with serving(Answer(split(b"".join(openai_events(words)), 9))) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type("Hello.")
        said = person.wait_for("out\n> ")
        assert "wipe \u241b[2J this\u2407\n" in said
        assert "\x1b[2J" not in said
        person.hang_up()
        assert person.leave() == 0


def test_a_chosen_place_counts_more_than_the_hints_of_the_reply(root: Path) -> None:
    (root / "twice.txt").write_text("same\nother\nsame\n")
    reply = "twice.txt\n<<<<<<< EDIT\n-------\nsame\n=======\nnew\n-------\n>>>>>>>\n"
    with serving(answer(reply)) as server, chat(root, server, "twice.txt") as person:
        person.wait_for("> ")
        person.type("Change it.")
        person.wait_for("(Enter: skip)")
        person.type("1")
        person.wait_for("(Enter: none)")
        person.type("a")
        person.wait_for("/undo\n> ")
        person.hang_up()
        assert person.leave() == 0
    assert (root / "twice.txt").read_text() == "new\nother\nsame\n"


def test_a_path_with_blanks_can_be_added_and_dropped(root: Path) -> None:
    (root / "to do.txt").write_text("x\n")
    (root / "what's new.txt").write_text("x\n")
    with serving(answer(GOOD)) as server, chat(root, server) as person:
        person.wait_for("> ")
        for typed, listed in (
            ("/add to do.txt", "  to do.txt\n"),
            ("/add 'to do.txt' kiosk.py", "  kiosk.py\n"),
            ("/add what's new.txt", "  what's new.txt\n"),
            ("/drop to do.txt", "  kiosk.py\n  what's new.txt\n"),
        ):
            person.type(typed)
            assert listed in person.wait_for("\n> ")
        person.type("/quit")
        person.leave()


def test_a_dumb_terminal_gets_lines_and_nothing_that_moves_the_cursor(root: Path) -> None:
    with serving(answer(f"Dearer tickets.\n\n{GOOD}", size=3)) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1", "TERM": "dumb"}
        with at_terminal(root, "ask", "Dearer.", "kiosk.py", "--model", "tiny", "--yes", extra=extra) as person:
            assert person.leave() == 0
            assert "Dearer tickets.\n\n  edit 1  fits exact high  kiosk.py:3\n" in person.seen
            assert "\x1b" not in person.seen
            assert "\r" not in person.seen


def test_a_conversation_that_cannot_be_saved_says_what_to_do(root: Path) -> None:
    with serving(answer(GOOD)) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type("/save nowhere/talk.jsonl")
        assert "next  Name a file in a folder that exists." in person.wait_for("\n> ")
        person.type("/quit")
        person.leave()


def test_a_replayed_undo_takes_back_nothing_but_the_replay_s_own(tmp_path: Path) -> None:
    first, second = lay(tmp_path / "one"), lay(tmp_path / "two")
    with serving(answer(GOOD)) as server, chat(first, server, "kiosk.py") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("(Enter: none)")
        person.type("a")
        person.wait_for("/undo\n> ")
        person.type("/undo")
        person.wait_for("\n> ")
        person.type("/save talk.jsonl")
        person.wait_for("\n> ")
        person.type("/quit")
        person.leave()
    own = block("ferry.txt", "leaves at eight\n", "leaves at ten\n")
    assert dovetail(second, "apply", "--yes", stdin=own).returncode == 0
    later = FERRY.replace("eight", "ten")
    done = dovetail(second, "chat", "--replay", str(first / "talk.jsonl"), "--yes")
    assert (done.returncode, (second / "kiosk.py").read_text()) == (0, KIOSK)
    lines = (first / "talk.jsonl").read_text().splitlines(keepends=True)
    (second / "undo.jsonl").write_text(lines[0] + "".join(line for line in lines if '"kind":"undo"' in line))
    done = dovetail(second, "chat", "--replay", "undo.jsonl", "--yes")
    assert (done.returncode, "took nothing back" in done.stdout) == (1, True)
    assert (second / "ferry.txt").read_text() == later


@pytest.mark.parametrize("record", ['{"kind":"turn"}', '{"kind":"undo"}', '{"kind":"written","operation":1}'])
def test_a_transcript_with_a_record_that_lacks_something_is_refused(root: Path, record: str) -> None:
    (root / "talk.jsonl").write_text('{"kind":"chat","version":1}\n' + record + "\n")
    done = dovetail(root, "chat", "--replay", "talk.jsonl", "--yes")
    assert (done.returncode, done.stderr.startswith("error usage  Line 2 of ")) == (2, True)


def test_a_missing_key_is_said_before_anything_is_typed(root: Path) -> None:
    without = dict.fromkeys(("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "")
    with at_terminal(root, "chat", "--model", "tiny", "--no-map", extra=without) as person:
        assert "There is no key for https://api.openai.com/v1." in person.wait_for("> ")
        person.type("/quit")
        assert person.leave() == 0
