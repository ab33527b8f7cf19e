"""What a conversation on disk is worth to the person: full disks, undo after a pause, a folder that is gone, two at once."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_shell import COMMAND, at_terminal, dovetail, environment
from loop_parts import GOOD, KIOSK, MENDED, answer, lay
from provider_server import serving

DEARER = KIOSK.replace("PRICE = 4", "PRICE = 5")
LONG = "That is dearer.\n" * 4_000 + "\n"

# No file may grow beyond the first argument; the others are the command.
_BOUNDED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_disk_that_is_full_behind_the_write_hides_nothing(tmp_path: Path) -> None:
    one, two = lay(tmp_path / "one"), lay(tmp_path / "two")
    with serving(answer(LONG + GOOD, size=4_000, piece=40_000)) as server:
        words = ["ask", "Dearer.", "kiosk.py", "--yes", "--model", "tiny", "--no-map"]
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        assert dovetail(one, *words, extra=where).returncode == 0
        kept = next((one / ".dovetail" / "chats").glob("*.jsonl")).read_bytes()
        bound = kept.index(b'{"kind":"written"') + 10
        command = [sys.executable, "-c", _BOUNDED, str(bound), *COMMAND, *words]
        done = subprocess.run(
            command, cwd=two, env=environment(two, **where), capture_output=True, text=True, timeout=180, check=False
        )
    assert (two / "kiosk.py").read_text() == DEARER
    operation = dovetail(two, "log").stdout.split()[0]
    assert done.returncode == 1
    assert "Wrote 1 file as operation" in done.stderr
    assert operation in done.stderr
    assert f"as operation {operation}" in done.stdout


def test_undo_goes_by_the_journal_and_not_by_memory(tmp_path: Path) -> None:
    root, both = lay(tmp_path), DEARER.replace("Hello", "Good day")
    with serving(answer(GOOD), answer(MENDED)) as server:
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        with at_terminal(root, "chat", "kiosk.py", "--model", "tiny", "--no-map", extra=where) as person:
            person.wait_for("> ")
            for _ in range(2):
                person.type("Dearer, kinder.")
                person.wait_for("(Enter: none)")
                person.type("a")
                person.wait_for("/undo\n> ")
            assert (root / "kiosk.py").read_text() == both
            assert dovetail(root, "undo").returncode == 0  # the newer one, at another terminal
            person.type("/diff")
            assert "+PRICE = 5" in person.wait_for("\n> ")
            assert dovetail(root, "redo").returncode == 0
            person.type("/diff")
            assert "Good day" in person.wait_for("\n> ")
            person.type("/quit")
            assert person.leave() == 0
        with at_terminal(root, "chat", "--resume", extra=where) as person:
            person.wait_for("\n> ")
            for after in (DEARER, KIOSK):
                person.type("/undo")
                assert "Took back operation" in person.wait_for("\n> ")
                assert (root / "kiosk.py").read_text() == after
            for command in ("/undo", "/diff"):
                person.type(command)
                assert "This chat has written nothing that is not undone." in person.wait_for("\n> ")
            person.type("/quit")
            assert person.leave() == 0


def test_a_chat_goes_on_where_its_folder_was_removed(tmp_path: Path) -> None:
    root = lay(tmp_path)
    with serving(answer("Fine."), answer(GOOD)) as server:
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        with at_terminal(root, "chat", "kiosk.py", "--model", "tiny", extra=where) as person:
            person.wait_for("> ")
            person.type("Hello.")
            person.wait_for("out\n> ")
            shutil.rmtree(root / ".dovetail")
            person.type("Dearer.")
            person.wait_for("(Enter: none)")
            person.type("a")
            person.wait_for("/undo\n> ")
            shutil.rmtree(root / ".dovetail")
            (root / ".dovetail").write_text("in the way\n")
            for said in ("Cheaper.", "/add ferry.txt", "/model other"):
                person.type(said)
                told = person.wait_for("\n> ")
                assert f"{root}/.dovetail/chats" in told
                assert "\nnext  " in told
            person.type("/add")
            assert "ferry.txt" not in person.wait_for("\n> ")
            person.type("/quit")
            assert person.leave() == 0
    assert (root / "kiosk.py").read_text() == DEARER


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_a_closed_terminal_loses_no_reply(tmp_path: Path, how: signal.Signals) -> None:
    root = lay(tmp_path)
    with serving(answer(f"Dearer tickets.\n\n{GOOD}"), answer("Fine.")) as server:
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        with at_terminal(root, "chat", "kiosk.py", "--model", "tiny", "--no-map", extra=where) as person:
            person.wait_for("> ")
            person.type("Tickets cost 5.")
            person.wait_for("(Enter: none)")
            person.process.send_signal(how)
            person.leave()
        with at_terminal(root, "chat", "--resume", extra=where) as person:
            greeting = person.wait_for("\n> ")
            assert "Going on after 1 turn." in greeting
            assert "its reply is in the conversation, none of its edits was written." in greeting
            person.type("And now?")
            person.wait_for("out\n> ")
            person.hang_up()
            assert person.leave() == 0
        messages = server.seen[1].body["messages"]
        assert isinstance(messages, list)
    said = [message["content"] for message in messages]
    assert "Tickets cost 5." in said
    assert f"Dearer tickets.\n\n{GOOD}" in said
    assert said[-1].startswith("I did not apply your last edits.\n\nAnd now?")
    assert (root / "kiosk.py").read_text() == KIOSK


def test_two_terminals_do_not_share_a_conversation(tmp_path: Path) -> None:
    root = lay(tmp_path)
    with serving(answer("Fine.")) as server:
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        words = ["chat", "--model", "tiny", "--no-map"]
        with at_terminal(root, *words, extra=where) as one:
            one.wait_for("\n> ")
            kept = next((root / ".dovetail" / "chats").glob("*.jsonl")).stem
            for resume in ([], [kept]):
                with at_terminal(root, *words, "--resume", *resume, extra=where) as two:
                    assert two.leave() == 1
                    assert f"error locked  Conversation {kept} is open in process {one.process.pid}.\n" in two.seen
                    assert "\nnext  " in two.seen
            one.type("/quit")
            assert one.leave() == 0
        with at_terminal(root, *words, "--resume", extra=where) as two:
            two.wait_for("\n> ")
            two.type("/quit")
            assert two.leave() == 0
    assert {file.suffix for file in (root / ".dovetail" / "chats").iterdir()} <= {".jsonl", ""}
