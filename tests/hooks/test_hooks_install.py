"""Hooks in the settings of agents: merged, shown first, and taken out exactly."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from fake_agent import Agent

from dovetail.cli import main
from dovetail.hooks import install

MINE = '{\n    "model": "x",\n    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}\n}'


@pytest.fixture
def settings(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(root)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return root / ".claude/settings.json"


def commands(settings: Path) -> list[str]:
    hooks = json.loads(settings.read_text())["hooks"]
    return [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]


def test_settings_are_merged_and_come_back_to_the_byte(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text(MINE)
    for _ in range(2):
        assert main(["hook", "install", "claude", "--project", "--yes"]) == 0
    ours = [command for command in commands(settings) if command != "mine"]
    assert len(ours) == len(install.row_of("claude")["events"])
    assert all(command.endswith("|| exit 0") for command in ours)
    assert json.loads(settings.read_text())["model"] == "x"
    assert main(["hook", "remove", "claude", "--project", "--yes"]) == 0
    assert settings.read_text() == MINE


def test_what_was_added_since_stays(settings: Path) -> None:
    assert main(["hook", "install", "claude", "--project", "--yes"]) == 0
    changed = json.loads(settings.read_text()) | {"model": "y"}
    settings.write_text(json.dumps(changed))
    assert main(["hook", "remove", "claude", "--project", "--yes"]) == 0
    assert json.loads(settings.read_text()) == {"model": "y"}


@pytest.mark.parametrize("agent", sorted(install.agents()))
def test_a_file_that_was_not_there_goes(agent: str, settings: Path, tmp_path: Path) -> None:
    for place in (["--project"],) if agent == "kiro" else ([], ["--project"]):
        assert main(["hook", "install", agent, *place, "--yes"]) == 0
        path = install.settings_path(agent, settings.parent.parent if place else None)
        assert path.exists()
        assert main(["hook", "remove", agent, *place, "--yes"]) == 0
        assert not path.exists()


def test_kiro_has_a_list_of_hooks_in_projects_alone(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "install", "kiro", "--yes"]) == 2
    assert "--project" in capsys.readouterr().err
    assert main(["hook", "install", "kiro", "--project", "--yes"]) == 0
    written = json.loads((settings.parent.parent / ".kiro/hooks/dovetail.json").read_text())
    assert [hook["trigger"] for hook in written["hooks"]] == list(install.row_of("kiro")["events"])
    assert all(hook["action"]["command"].endswith(" hook 2>/dev/null || exit 0") for hook in written["hooks"])


def test_settings_that_are_no_json_are_left_alone(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text("// mine\n{}")
    assert main(["hook", "install", "claude", "--project", "--yes"]) == 2
    assert settings.read_text() == "// mine\n{}"


def test_nothing_is_written_where_nobody_agrees(settings: Path) -> None:
    assert main(["hook", "install", "claude", "--project"]) == 2
    assert not settings.exists()


def test_a_command_that_cannot_start_is_no_fault_of_the_agent(settings: Path) -> None:
    assert main(["hook", "install", "claude", "--project", "--yes"]) == 0
    broken = commands(settings)[0].replace("dovetail", "no-such-dovetail")
    done = subprocess.run(broken, shell=True, capture_output=True, input=b"{}", check=False)  # noqa: S602
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_plugin_of_claude_code_has_the_same_hooks(settings: Path) -> None:
    assert main(["hook", "install", "claude", "--project", "--yes"]) == 0
    plugin = Path(__file__).parents[2] / "plugins/claude-code/hooks/hooks.json"
    installed, shipped = (json.loads(path.read_text())["hooks"] for path in (settings, plugin))
    for groups in installed.values():
        for group in groups:
            for hook in group["hooks"]:
                hook["command"] = "dovetail" + hook["command"][hook["command"].index(" hook ") :]
    assert installed == shipped


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_only_calls_that_may_change_files_start_a_hook(agent: str) -> None:
    row = install.row_of(agent)
    matcher = re.compile(row["settings"]["matcher"])
    assert all(matcher.fullmatch(tool.replace("*", "x")) for tool, changes in row["tools"].items() if changes)
    assert not any(matcher.fullmatch(tool) for tool in ("Read", "Agent", "collaborationspawn_agent", "update_plan"))


def test_status_says_when_the_last_event_came(root: Path, settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "status"]) == 0
    assert "no event seen yet" in capsys.readouterr().out
    agent = Agent(root)
    agent.prompt("p1")
    agent.before("Bash", "t1", command="x")
    assert main(["hook", "status", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    claude = next(each for each in said["agents"] if each["agent"] == "claude")
    assert claude["last_event"] and claude["places"] == []
    assert said["open_calls"] == 1
