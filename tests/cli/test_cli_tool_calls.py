"""`ask` and `chat` with `--edits-by tools`: a model that calls tools, over both protocols."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli_shell import at_terminal, dovetail
from loop_parts import KIOSK, lay
from provider_server import (
    Answer,
    ProviderServer,
    anthropic_calls,
    anthropic_events,
    openai_calls,
    openai_events,
    serving,
)

READ = ("read_file", '{"path": "ferry.txt"}')
PRICE = ("edit_file", json.dumps({"path": "kiosk.py", "old_string": "PRICE = 4", "new_string": "PRICE = 5"}))
AFTER = KIOSK.replace("PRICE = 4", "PRICE = 5")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lay(tmp_path)


def addresses(server: ProviderServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}


def ask(root: Path, server: ProviderServer, *words: str) -> subprocess.CompletedProcess[str]:
    return dovetail(root, "ask", "Dearer.", "kiosk.py", "--no-map", *words, extra=addresses(server))


@pytest.mark.parametrize("model", ["tiny", "anthropic/tiny"])
def test_ask_answers_the_calls_and_writes_when_agreed(root: Path, model: str) -> None:
    calls, words = (openai_calls, openai_events) if model == "tiny" else (anthropic_calls, anthropic_events)
    script = Answer(calls("Let me look.", READ)), Answer(calls(PRICE)), Answer(words("It costs 5."))
    with serving(*script) as server:
        done = ask(root, server, "--yes", "--edits-by", "tools", "--model", model)
    assert done.returncode == 0, done.stderr
    assert "Let me look.\n" in done.stdout
    assert "edit 1  fits exact high  kiosk.py:3" in done.stdout
    assert "It costs 5.\n" in done.stdout
    assert (root / "kiosk.py").read_text() == AFTER
    assert "2:9e|returns at nine" in json.dumps(server.seen[1].body)
    assert dovetail(root, "undo", "--yes").returncode == 0
    assert (root / "kiosk.py").read_text() == KIOSK


def test_the_setting_offers_tools_and_the_option_wins(root: Path) -> None:
    (root / "dovetail.toml").write_text('edits-by = "tools"\nmodel = "tiny"\n')
    with serving(Answer(openai_events("Fine."))) as server:
        ask(root, server)
        ask(root, server, "--edits-by", "text")
        assert ["tools" in seen.body for seen in server.seen] == [True, False]
    (root / "dovetail.toml").write_text('edits-by = "hand"\n')
    assert "'hand' is none of text, tools" in dovetail(root, "ask", "Dearer.").stderr


def test_a_turn_that_only_reads_says_that_there_is_no_edit(root: Path) -> None:
    with serving(Answer(openai_calls(READ)), Answer(openai_events("It leaves at eight."))) as server:
        done = ask(root, server, "--yes", "--edits-by", "tools", "--model", "tiny")
    assert done.returncode == 3
    assert "It leaves at eight.\n" in done.stdout


def test_calls_without_an_end_are_a_plain_error(root: Path) -> None:
    with serving(Answer(openai_calls(PRICE)), Answer(openai_calls(READ))) as server:
        done = ask(root, server, "--yes", "--edits-by", "tools", "--model", "tiny")
    assert done.returncode == 1
    assert "did not come to an end" in done.stderr
    assert (root / "kiosk.py").read_text() == KIOSK


def test_chat_shows_the_plan_of_all_calls_and_asks_once(root: Path) -> None:
    greeting = ("edit_file", json.dumps({"path": "kiosk.py", "old_string": '"Hello, "', "new_string": '"Hi, "'}))
    script = [Answer([*openai_calls(PRICE, stop=None), 0.3, *openai_calls(stop="tool_calls")[1:]])]
    script += [
        Answer(openai_calls(greeting)),
        Answer(openai_events("Done.\n")),
        Answer(openai_events("You are welcome.\n")),
    ]
    with (
        serving(*script) as server,
        at_terminal(
            root, "chat", "--model", "tiny", "--no-map", "--edits-by", "tools", "kiosk.py", extra=addresses(server)
        ) as person,
    ):
        assert "tiny, tools." in person.wait_for("> ")
        person.type("Dearer, and shorter.")
        person.wait_for("a call of edit_file, ")
        said = person.wait_for("(Enter: none)")
        assert "Apply these 2 edits in 1 file?" in said
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("a")
        person.wait_for("To take it back: /undo\n> ")
        assert (root / "kiosk.py").read_text() == AFTER.replace('"Hello, "', '"Hi, "')
        person.type("/undo")
        person.wait_for("To reverse this: /redo\n> ")
        assert (root / "kiosk.py").read_text() == KIOSK
        person.type("Thanks.")
        person.wait_for("You are welcome.")
        person.type("/quit")
        person.wait_for("--resume")
        assert person.leave() == 0
    sent = json.dumps(server.seen[3].body["messages"])
    assert sent.count('"role": "tool"') == 2
