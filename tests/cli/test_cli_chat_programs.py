"""Commands of the user's own in a chat: `/run`, what runs after an apply, commits; and `/clear`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cli_shell import at_terminal, dovetail
from loop_parts import GOOD, KIOSK, answer, block, lay
from provider_server import ProviderServer, serving
from test_cli_ask import ask
from test_cli_chat import chat

CHEAPER = block("kiosk.py", "PRICE = 5\n", "PRICE = 3\n")
BREAKING = block("kiosk.py", "PRICE = 4\n", 'PRICE = "five"\n')
MENDING = block("kiosk.py", 'PRICE = "five"\n', "PRICE = 5\n")
CHECK = "python3 -c 'import kiosk; print(kiosk.total(2) + 1)'"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lay(tmp_path)


@pytest.fixture
def repository(root: Path) -> Path:
    for words in (
        ["init", "-q"], ["config", "user.email", "a@example.org"], ["config", "user.name", "A"], ["add", "kiosk.py"],
        ["commit", "-qm", "begin"],
    ):  # fmt: skip
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def subjects(root: Path) -> list[str]:
    log = subprocess.run(["git", "log", "--format=%s"], cwd=root, check=True, capture_output=True, text=True)
    return log.stdout.splitlines()


def last_request(server: ProviderServer, n: int = -1) -> str:
    return str(server.seen[n].body["messages"][-1]["content"])  # type: ignore[index]


def test_the_output_of_a_command_goes_with_the_next_request_if_the_person_agrees(root: Path) -> None:
    with serving(answer("I see."), answer("Now I do.")) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type("/run echo secret; exit 3")
        assert "secret\nIt ended with status 3." in person.wait_for("(Enter: no)")
        person.type("")
        person.wait_for("> ")
        person.type("Why?")
        person.wait_for("out\n> ")
        assert "secret" not in last_request(server)
        person.type("/run printf 'a\\033[31mb'; exit 4")
        assert "\x1b[31m" not in person.wait_for("(Enter: no)")
        person.type("y")
        person.wait_for("> ")
        person.type("And now?")
        person.wait_for("Now I do.")
        sent = last_request(server)
        assert "exit 4`; it ended with status 4." in sent
        assert sent.index("status 4") < sent.index("And now?")


def test_of_a_long_output_the_model_is_sent_the_end(root: Path) -> None:
    with serving(answer("Fine.")) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type("/run seq 1 20000")
        person.wait_for("(Enter: no)")
        person.type("y")
        person.wait_for("> ")
        person.type("Well?")
        person.wait_for("Fine.")
        sent = last_request(server)
        assert "characters of its output are left out" in sent
        assert "\n20000\n" in sent
        assert len(sent) < 21_000


def test_ctrl_c_ends_a_command_and_not_the_chat(root: Path) -> None:
    with serving(answer("Fine.")) as server, chat(root, server) as person:
        person.wait_for("> ")
        person.type("/run printf 'be%s\\n' gun; sleep 60")
        person.wait_for("begun")
        person.interrupt()
        person.wait_for("(Enter: no)")
        person.type("n")
        person.wait_for("> ")
        person.type("/quit")
        person.wait_for("--resume")
        assert person.leave() == 0


def test_what_fails_after_a_write_goes_back_to_the_model(root: Path) -> None:
    words = ("kiosk.py", "--test", CHECK)
    with serving(answer(BREAKING), answer(MENDING)) as server, chat(root, server, *words) as person:
        person.wait_for("> ")
        person.type("Tickets cost five.")
        person.wait_for("(Enter: none)")
        person.type("a")
        said = person.wait_for("(Enter: none)")
        assert "TypeError" in said
        assert "ended with status 1.\nIts output goes to the model." in said
        assert "TypeError" in last_request(server)
        assert "Edit the files so that it succeeds." in last_request(server)
        person.type("a")
        person.wait_for("\n11\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK.replace("PRICE = 4", "PRICE = 5")
        assert len(server.seen) == 2


def test_what_goes_on_failing_is_told_with_the_next_request(root: Path) -> None:
    words = ("kiosk.py", "--max-rounds", "0", "--lint", "echo looked at; false")
    with serving(answer(GOOD), answer("Fine.")) as server, chat(root, server, *words) as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("(Enter: none)")
        person.type("a")
        assert "\nlooked at\n" in person.wait_for("your next request tells it of this.\n> ")
        person.type("What now?")
        person.wait_for("Fine.")
        assert "echo looked at; false ./kiosk.py`; it ended with status 1." in last_request(server)


def test_each_operation_is_committed_by_itself_and_once(repository: Path) -> None:
    with serving(answer(GOOD), answer(CHEAPER)) as server, chat(repository, server, "kiosk.py") as person:
        person.wait_for("> ")
        for request in ("Dearer.", "Cheaper."):
            person.type(request)
            person.wait_for("(Enter: none)")
            person.type("a")
            person.wait_for("To take it back: /undo\n> ")
        person.type("/commit Change the price")
        person.wait_for("> ")
        assert subjects(repository) == ["Change the price", "Change the price", "begin"]
        person.type("/commit")
        person.wait_for("This chat has written nothing that is not committed.")
    status = subprocess.run(["git", "status", "--short", "-uno"], cwd=repository, capture_output=True, text=True)
    assert status.stdout == ""


def test_a_chat_commits_each_turn_where_it_is_asked_to(repository: Path) -> None:
    with serving(answer(GOOD)) as server, chat(repository, server, "kiosk.py", "--commit") as person:
        person.wait_for("> ")
        person.type("Dearer.")
        person.wait_for("(Enter: none)")
        person.type("a")
        assert "\nCommitted as " in person.wait_for(".\n> ")
    assert subjects(repository) == ["Apply edits to kiosk.py", "begin"]


def test_ask_commits(repository: Path) -> None:
    with serving(answer(GOOD)) as server:
        done = ask(repository, server, "Dearer.", "kiosk.py", "--yes", "--commit", "-m", "Raise the price")
    assert done.returncode == 0, done.stderr
    assert "Committed as " in done.stdout
    assert subjects(repository) == ["Raise the price", "begin"]


def test_outside_of_git_nothing_is_asked(root: Path) -> None:
    with serving() as server:
        done = ask(root, server, "Dearer.", "kiosk.py", "--yes", "--commit")
    assert done.returncode == 2
    assert "is in no git work tree" in done.stderr
    assert server.seen == []


def test_a_reply_without_edits_has_its_commands_listed(root: Path) -> None:
    with serving(answer("Remove it:\n\n```sh\ngit rm old.py\n```\n")) as server:
        done = ask(root, server, "Remove old.py.", "kiosk.py", "--yes")
    assert done.returncode == 3
    assert "Commands that the reply suggests" in done.stdout
    assert "$ git rm old.py" in done.stdout


def test_a_cleared_chat_begins_anew_with_its_files(root: Path) -> None:
    with serving(answer("One."), answer("Two."), answer("Three.")) as server:
        with chat(root, server, "kiosk.py") as person:
            person.wait_for("> ")
            person.type("First words.")
            person.wait_for("out\n> ")
            person.type("/clear")
            person.wait_for("  kiosk.py\n> ")
            person.type("Second words.")
            person.wait_for("out\n> ")
            person.type("/clear")
            person.wait_for("  kiosk.py\n> ")
            person.type("/quit")
            person.leave()
        assert "First words." not in str(server.seen[1].body)
        assert "PRICE = 4" in str(server.seen[1].body)
        address = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        with at_terminal(root, "chat", "--model", "tiny", "--no-map", "--resume", extra=address) as person:
            assert "Going on after" not in person.wait_for("> ")
            person.type("Third words.")
            person.wait_for("Three.")
        assert "Second words." not in str(server.seen[2].body)
    assert dovetail(root, "log").returncode == 0
