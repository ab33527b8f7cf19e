"""`dovetail ask`, without and with a terminal: what it prints, writes and returns."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli_shell import COMMAND, at_terminal, dovetail, environment
from loop_parts import FERRY, GOOD, KIOSK, MENDED, MISQUOTED, answer, block, lay
from provider_server import Answer, ProviderServer, openai_events, serving

from dovetail import schema


def closed(document: dict[str, Any]) -> dict[str, Any]:
    """The schema, allowing no key that it does not name."""
    ask = document["$defs"]["ask"]
    return {**document, "$defs": {**document["$defs"], "ask": {**ask, "additionalProperties": False}}}


AFTER = KIOSK.replace("PRICE = 4", "PRICE = 5")
SLOW = Answer([*openai_events("Let me think.\n\n", GOOD)[:3], 30.0])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lay(tmp_path)


def ask(root: Path, server: ProviderServer, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    extra = {"OPENAI_BASE_URL": f"{server.url}/v1"}
    return dovetail(root, "ask", *words, "--model", "tiny", "--no-map", stdin=stdin, extra=extra)


def test_with_consent_it_writes(root: Path) -> None:
    with serving(answer(f"Dearer.\n\n{GOOD}")) as server:
        done = ask(root, server, "Tickets cost 5.", "kiosk.py", "--yes")
    assert done.returncode == 0, done.stderr
    assert "Dearer.\n" in done.stdout
    assert "edit 1  fits exact high  kiosk.py:3" in done.stdout
    assert "To take it back: dovetail undo" in done.stdout
    assert (root / "kiosk.py").read_text() == AFTER
    assert "\r" not in done.stdout
    assert "```" not in done.stdout  # what only wraps an edit is left out
    assert dovetail(root, "undo").returncode == 0
    assert (root / "kiosk.py").read_text() == KIOSK


@pytest.mark.parametrize(
    "words",
    [
        ("Dearer.", "--model", "tiny", "--yes", "kiosk.py", "ferry.txt"),
        ("Dearer.", "kiosk.py", "--model", "tiny", "--yes", "ferry.txt"),
        ("--yes", "Dearer.", "--model", "tiny", "kiosk.py", "ferry.txt"),
    ],
)
def test_options_may_stand_before_files(root: Path, words: tuple[str, ...]) -> None:
    with serving(answer(GOOD)) as server:
        done = dovetail(root, "ask", *words, "--no-map", extra={"OPENAI_BASE_URL": f"{server.url}/v1"})
        sent = json.dumps(server.seen[0].body)
    assert done.returncode == 0, done.stderr
    assert all(json.dumps(text)[1:-1] in sent for text in (KIOSK, FERRY)), "both files are shown to the model"
    assert (root / "kiosk.py").read_text() == AFTER


def test_an_option_that_does_not_exist_is_named_with_files_behind_it(root: Path) -> None:
    done = dovetail(root, "ask", "Dearer.", "--modle", "tiny", "kiosk.py")
    assert done.returncode == 2
    assert "Unrecognized arguments: --modle" in done.stderr
    assert "Did you mean --model?" in done.stderr


def test_without_consent_or_terminal_it_shows_and_exits_2(root: Path) -> None:
    with serving(answer(GOOD)) as server:
        done = ask(root, server, "Dearer.", "kiosk.py")
    assert done.returncode == 2
    assert "+PRICE = 5" in done.stdout
    assert "Add --yes, or --dry-run." in done.stderr
    assert (root / "kiosk.py").read_text() == KIOSK


def test_a_dry_run_leaves_no_trace(root: Path) -> None:
    (root / "other.py").write_text("def other():\n    pass\n")
    command = ("ask", "Dearer.", "kiosk.py", "--dry-run", "--model", "tiny", "--map-tokens", "500")
    with serving(answer(GOOD), answer(GOOD)) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        done = dovetail(root, *command, extra=extra)
        assert (done.returncode, done.stdout.endswith("\nDry run: nothing was written.\n")) == (0, True)
        assert (root / "kiosk.py").read_text() == KIOSK
        assert not (root / ".dovetail").exists()
        (root / ".dovetail").mkdir()
        assert dovetail(root, *command, extra=extra).returncode == 0
        assert not list((root / ".dovetail").iterdir())
        assert "def other" in str(server.seen[1].body["messages"])


def test_failed_edits_hold_back_the_others(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), answer("I cannot.")) as server:
        done = ask(root, server, "Dearer.", "kiosk.py", "--yes")
    assert done.returncode == 1
    assert "The model sent no edit in place of what failed." in done.stdout
    assert (root / "kiosk.py").read_text() == KIOSK
    with serving(answer(GOOD + MISQUOTED), answer("I cannot.")) as server:
        done = ask(root, server, "Dearer.", "kiosk.py", "--yes", "--on-failure", "block")
    assert done.returncode == 1
    assert (root / "kiosk.py").read_text() == AFTER


@pytest.mark.parametrize(
    ("words", "after"), [((), AFTER), (("--on-failure", "all"), KIOSK), (("--on-failure", "file"), AFTER)]
)
def test_the_policy_of_the_settings_is_in_force_and_an_option_wins(
    root: Path, words: tuple[str, ...], after: str
) -> None:
    (root / "dovetail.toml").write_text('on-failure = "block"\n')
    with serving(answer(GOOD + MISQUOTED), answer("I cannot.")) as server:
        assert ask(root, server, "Dearer.", "kiosk.py", "--yes", *words).returncode == 1
    assert (root / "kiosk.py").read_text() == after


@pytest.mark.parametrize("word", ["all", "block"])
def test_a_stated_policy_is_in_force_at_a_terminal_too(root: Path, word: str) -> None:
    (root / "dovetail.toml").write_text(f'on-failure = "{word}"\n')
    with serving(answer(GOOD + MISQUOTED), answer("I cannot.")) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        with at_terminal(root, "ask", "Dearer.", "kiosk.py", "--model", "tiny", "--no-map", extra=extra) as person:
            if word == "all":
                person.wait_for("A failed edit holds back the others.")
            else:
                person.wait_for("(Enter: none)")
                person.type("a")
            assert person.leave() == 1
    assert (root / "kiosk.py").read_text() == (KIOSK if word == "all" else AFTER)


def test_rounds_of_repair_are_shown_with_their_cost(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), answer(MENDED)) as server:
        done = ask(root, server, "Dearer, kinder.", "kiosk.py", "--yes")
    assert done.returncode == 0, done.stdout
    assert "Back to the model, with what is wrong: 1 edit." in done.stdout
    assert "; the message " in done.stdout


def test_no_edit_is_status_3_and_a_wanted_file_is_told(root: Path) -> None:
    with serving(answer("All is well.")) as server:
        assert ask(root, server, "Is it?", "kiosk.py", "--yes").returncode == 3
    with serving(answer("Please add `ferry.txt`.")) as server:
        done = ask(root, server, "Change it.", "kiosk.py", "--yes")
    assert done.returncode == 1
    assert "ferry.txt" in done.stdout
    assert len(server.seen) == 1


def test_edits_that_a_model_only_thought_of_are_told_of(root: Path) -> None:
    """A local model whose reasoning is never closed says all it says in it."""
    with serving(answer(f"<think>\nDearer.\n\n{GOOD}")) as server:
        done = ask(root, server, "Dearer.", "kiosk.py", "--yes")
    assert (done.returncode, (root / "kiosk.py").read_text()) == (3, KIOSK)
    assert "All edits are in the model's reasoning, as drafts.\nnext  Ask for them in the answer.\n" in done.stdout
    again = dovetail(root, "apply", "-", "--yes", stdin=f"<think>\n{GOOD}")
    assert (again.returncode, again.stdout.splitlines()[-1].endswith("to have one, take it out of there.")) == (3, True)
    assert dovetail(root, "apply", "-", "--yes", stdin=GOOD).returncode == 0


def test_read_only_files_are_shown_and_not_changed(root: Path) -> None:
    with serving(answer(block("ferry.txt", "leaves at eight\n", "leaves at ten\n"))) as server:
        done = ask(root, server, "Later.", "kiosk.py", "--read-only", "ferry.txt", "--yes")
        assert any(FERRY in message["content"] for message in server.seen[0].body["messages"])
    assert done.returncode == 1
    assert "failed read-only" in done.stdout
    assert "next      Name it as a file to edit: ferry.txt\n" in done.stdout
    assert (root / "ferry.txt").read_text() == FERRY


def test_json_is_one_object(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), answer(MENDED)) as server:
        done = ask(root, server, "Dearer, kinder.", "kiosk.py", "--yes", "--json")
    record = json.loads(done.stdout)
    jsonschema.validate(record, closed(schema.load("ask")))
    assert (record["command"], record["exit"], record["written"]) == ("ask", 0, True)
    assert [result["status"] for result in record["results"]] == ["written", "left-out", "written"]
    assert [reply["text"] for reply in record["replies"]] == [GOOD + MISQUOTED, MENDED]
    assert [request["step"] for request in record["requests"]] == ["request", "repair"]
    assert record["requests"][0]["input"] == 900
    assert record["stopped"] is None
    assert record["changes"][0]["diff"].startswith("--- a/kiosk.py")


def test_commands_have_a_yes_of_their_own_and_are_not_run(root: Path) -> None:
    """At a terminal they are shown as what they would change; beforehand only `--commands` agrees to that."""
    command = "```sh\nsed -i 's/PRICE = 4/PRICE = 5/' kiosk.py && make test\n```\n"
    with serving(answer(command)) as server:
        done = ask(root, server, "Dearer.", "kiosk.py", "--yes")
        assert (done.returncode, "ask with --commands edits" in done.stdout) == (3, True)
        assert (root / "kiosk.py").read_text() == KIOSK
        words = ("ask", "Dearer.", "kiosk.py", "--model", "tiny", "--no-map")
        with at_terminal(root, *words, extra={"OPENAI_BASE_URL": f"{server.url}/v1"}) as person:
            said = person.wait_for("(Enter: no)")
            assert "+PRICE = 5" in said
            assert "Dovetail runs no command. Write what they would change, in 1 file?" in said
            person.type("")
            assert person.leave() == 1
        assert (root / "kiosk.py").read_text() == KIOSK
        assert ask(root, server, "Dearer.", "kiosk.py", "--yes", "--commands", "edits").returncode == 0
    assert (root / "kiosk.py").read_text() == AFTER


def test_json_of_a_reply_without_an_edit_has_its_commands(root: Path) -> None:
    """The command is listed, and a file that it would change is named."""
    command = "sed -i 's/4/5/' kiosk.py"
    with serving(answer(f"Run this:\n\n```sh\n{command}\n```\n"), answer("Run it.")) as server:
        done = ask(root, server, "Dearer.", "kiosk.py", "--yes", "--json")
    record = json.loads(done.stdout)
    jsonschema.validate(record, closed(schema.load("ask")))
    assert (record["exit"], record["written"]) == (3, False)
    assert [suggestion["command"] for suggestion in record["shell_suggestions"]] == [command]
    assert [(result["path"], result["code"]) for result in record["results"]] == [("kiosk.py", "unread")]


def test_a_request_comes_from_standard_input(root: Path) -> None:
    with serving(answer(GOOD)) as server:
        done = ask(root, server, "-", "kiosk.py", "--yes", stdin="Tickets\ncost 5.\n")
        assert server.seen[0].body["messages"][-1]["content"].startswith("Tickets\ncost 5.\n\nReminder")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Change it.", "nowhere.py"], "There is no file"),
        (["Change it.", "../outside.py"], "outside the root"),
        ([""], "The request is empty."),
        ([], "The following arguments are required: REQUEST.\n"),
        (["Change it.", "--format", "nonsense"], "There is no format 'nonsense'."),
        (["Change it.", "--yes", "--dry-run"], "not allowed with argument --yes"),
        (["Change it.", "--max-rounds", "-1"], "--max-rounds -1 is no number of rounds."),
    ],
)
def test_bad_use_asks_no_model(root: Path, words: list[str], said: str) -> None:
    with serving(answer(GOOD)) as server:
        done = ask(root, server, *words)
        assert done.returncode == 2
        assert said in done.stderr
        assert not server.seen


def test_no_model_named_is_bad_use_and_the_settings_may_name_one(root: Path) -> None:
    done = dovetail(root, "ask", "Change it.", "kiosk.py")
    assert done.returncode == 2
    assert "No model is named." in done.stderr
    (root / "dovetail.toml").write_text('model = "local"\nedit-format = "whole"\nmap-tokens = 0\nmax-tokens = 900\n')
    with serving(answer(f"kiosk.py\n```python\n{AFTER}```\n")) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        assert dovetail(root, "ask", "Dearer.", "kiosk.py", "--yes", extra=extra).returncode == 0
        asked = server.seen[0].body
        assert (asked["model"], asked["max_tokens"]) == ("local", 900)
    assert (root / "kiosk.py").read_text() == AFTER


def test_addresses_and_keys_stand_in_the_users_own_file_alone(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    with serving(answer(GOOD)) as server:
        table = f'[openai]\nbase_url = "{server.url}/v1"\nkey = "sk-own"\n'
        (root / "dovetail.toml").write_text(table)
        done = dovetail(root, "ask", "Dearer.", "kiosk.py", "--model", "tiny", "--yes")
        assert done.returncode == 2
        assert "lead your keys" in done.stderr
        (root / "dovetail.toml").unlink()
        config = home / "dovetail" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text('model = "tiny"\n' + table)
        extra = {"XDG_CONFIG_HOME": str(home)}
        assert dovetail(root, "ask", "Dearer.", "kiosk.py", "--yes", "--no-map", extra=extra).returncode == 0
        assert server.seen[0].headers["authorization"] == "Bearer sk-own"


def test_a_reader_that_leaves_early_stops_no_write_that_was_agreed_to(root: Path) -> None:
    slowly = [piece for event in openai_events("Dearer tickets.\n", GOOD, "Done.\n") for piece in (event, 0.1)]
    for consent, after in (("--dry-run", KIOSK), ("--yes", AFTER)):
        with serving(Answer(slowly)) as server:
            words = [*COMMAND, "ask", "Dearer.", "kiosk.py", "--model", "tiny", "--no-map", consent]
            there = environment(root, OPENAI_BASE_URL=f"{server.url}/v1", PYTHONUNBUFFERED="1")
            with subprocess.Popen(words, cwd=root, env=there, stdout=subprocess.PIPE, start_new_session=True) as left:
                assert left.stdout is not None
                left.stdout.readline()
                left.stdout.close()
                assert left.wait(180) == (0 if consent == "--yes" else 1)
        assert (root / "kiosk.py").read_text() == after


def test_at_a_terminal_it_asks(root: Path) -> None:
    with serving(answer(GOOD)) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        words = ("ask", "Dearer.", "kiosk.py", "--model", "tiny", "--no-map")
        with at_terminal(root, *words, extra=extra) as person:
            person.wait_for("(Enter: none)")
            assert (root / "kiosk.py").read_text() == KIOSK
            person.type("")
            assert person.leave() == 1
        assert (root / "kiosk.py").read_text() == KIOSK
        with at_terminal(root, *words, extra=extra) as person:
            person.wait_for("(Enter: none)")
            person.type("a")
            assert person.leave() == 0
    assert (root / "kiosk.py").read_text() == AFTER


def test_an_interrupt_in_a_repair_asks_about_what_came_before(root: Path) -> None:
    with serving(answer(GOOD + MISQUOTED), SLOW) as server:
        extra = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        words = ("ask", "Dearer.", "kiosk.py", "--model", "tiny", "--no-map")
        with at_terminal(root, *words, extra=extra) as person:
            person.wait_for("Let me think.")
            person.interrupt()
            said = person.wait_for("(Enter: none)")
            assert "You stopped the repair." in said
            person.type("a")
            assert person.leave() == 1  # an edit still fails
    assert (root / "kiosk.py").read_text() == AFTER


@pytest.mark.parametrize("before", [[], [GOOD + MISQUOTED]], ids=["in the first reply", "in a repair"])
def test_an_interrupt_of_one_who_is_not_asked_writes_nothing(root: Path, before: list[str]) -> None:
    with serving(*map(answer, before), SLOW) as server:
        process = subprocess.Popen(
            [*COMMAND, "ask", "Dearer.", "kiosk.py", "--model", "tiny", "--no-map", "--yes"],
            cwd=root,
            env=environment(root, OPENAI_BASE_URL=f"{server.url}/v1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        until = time.monotonic() + 180
        while len(server.seen) <= len(before) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=180)
        assert process.returncode == 130
        assert server.wait_until_closed()
    assert (root / "kiosk.py").read_text() == KIOSK


def test_a_template_is_copied_then_edited(tmp_path: Path) -> None:
    edit = block("index.html", "        <h2>About</h2>\n", "        <h2>About ferries</h2>\n")
    with serving(answer(edit)) as server:
        done = ask(tmp_path, server, "A small static website about ferries.", "--template", "auto", "--yes")
        assert done.returncode == 0, done.stdout + done.stderr
        shown = " ".join(message["content"] for message in server.seen[0].body["messages"])
        assert "style.css" in shown
    assert "Copied the template static-site: 3 files." in done.stderr
    assert "<h2>About ferries</h2>" in (tmp_path / "index.html").read_text()
    assert (tmp_path / "style.css").is_file()
    with serving(answer(edit)) as server:
        again = ask(tmp_path, server, "The same again.", "--template", "static-site", "--yes")
        assert again.returncode == 2
        assert "exists already" in again.stderr
        assert not server.seen


def test_a_model_chooses_the_template_where_words_do_not(tmp_path: Path) -> None:
    edit = block("src/App.tsx", '      <Counter label="Clicks" />\n', '      <Counter label="Boats" />\n')
    with serving(answer("vite-react"), answer(edit)) as server:
        done = ask(tmp_path, server, "Something that counts boats.", "--template", "auto", "--yes")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "starter templates" in server.seen[0].body["messages"][0]["content"]
    assert 'label="Boats"' in (tmp_path / "src" / "App.tsx").read_text()


def test_a_template_is_not_copied_where_nobody_can_agree(tmp_path: Path) -> None:
    with serving(answer("Fine.")) as server:
        done = ask(tmp_path, server, "About ferries.", "--template", "static-site")
        assert (done.returncode, server.seen) == (2, [])
        assert "  index.html\n" in done.stdout
        assert "Nothing was written: there is no terminal to ask on." in done.stderr
        done = ask(tmp_path, server, "About ferries.", "--template", "static-site", "--json")
        assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "usage")
    assert not list(tmp_path.iterdir())


def test_a_template_whose_turn_failed_is_gone_on_with(tmp_path: Path) -> None:
    refused = Answer([b'{"error": {"message": "bad key"}}'], status=401, headers={"Content-Type": "application/json"})
    edit = block("index.html", "        <h2>About</h2>\n", "        <h2>About ferries</h2>\n")
    words = ("About ferries.", "--template", "static-site", "--yes")
    with serving(refused, answer(edit)) as server:
        assert ask(tmp_path, server, *words).returncode == 1
        (tmp_path / "style.css").unlink()
        done = ask(tmp_path, server, *words)
        assert done.returncode == 0, done.stderr
    assert "Copied the template static-site: 1 file. There already: 2 files." in done.stderr
    assert "<h2>About ferries</h2>" in (tmp_path / "index.html").read_text()
    assert (tmp_path / "style.css").is_file()
