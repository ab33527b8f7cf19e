"""Commands of a reply: listed, or written as what they would change, where somebody agreed to that."""

from __future__ import annotations

import json
from pathlib import Path

import dovetail
from dovetail.model.codes import Code
from dovetail.model.policy import READS_CALLS, Policy
from dovetail.rewards import score
from dovetail.session.apply.applying import prepare, with_commands_read
from dovetail.session.batch.cases import answer, read_case

FILES = {"till.py": "price = 3\n", "lib/old.py": "x = 1\n"}


def call(command: str, **more: str) -> str:
    """A call of a shell's tool."""
    return json.dumps({"type": "tool_use", "name": "Bash", "input": {"command": command, **more}})


def folder_with_files(root: Path) -> Path:
    """The files, in a folder."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


def after(reply: str, **case: object) -> object:
    """The files that a case of a batch changes."""
    return answer(read_case({"id": 1, "files": FILES, "reply": reply, **case}))["files"]


def test_a_command_is_not_written_without_consent(tmp_path: Path) -> None:
    root = folder_with_files(tmp_path)
    applied = dovetail.apply(call("rm till.py"), root)
    assert [result.code for result in applied.plan.results] == [Code.UNREAD]
    assert "would change `till.py`" in (applied.plan.results[0].reason or "")
    assert (root / "till.py").exists()


def test_a_command_is_written_with_consent_and_taken_back(tmp_path: Path) -> None:
    root = folder_with_files(tmp_path)
    applied = dovetail.apply(
        call(f"cd {root}/lib && mv old.py new.py && rm ../till.py"), root, Policy(commands="edits")
    )
    assert applied.ok
    assert sorted(path.name for path in root.rglob("*.py")) == ["new.py"]
    dovetail.undo(root)
    assert {path: (root / path).read_text() for path in FILES} == FILES


def test_whoever_can_be_asked_sees_what_a_command_would_change(tmp_path: Path) -> None:
    prepared = prepare(folder_with_files(tmp_path), "Run:\n```bash\nsed -i s/3/4/ till.py\n```\n")
    with prepared.workspace:
        assert prepared.plan.changes == ()
        read = with_commands_read(prepared)
        assert read is not None
        assert [change.after for change in read.plan.changes] == ["price = 4\n"]


def test_no_command_writes_where_no_reply_may(tmp_path: Path) -> None:
    root = folder_with_files(tmp_path)
    (root / ".git" / "hooks").mkdir(parents=True)
    applied = dovetail.apply(call("echo 'rm -rf ~' > .git/hooks/pre-commit"), root, READS_CALLS)
    assert [result.code for result in applied.failed] == [Code.OUTSIDE_ROOT]
    assert list((root / ".git").rglob("*.*")) == []
    outside = dovetail.apply(call("echo 1 > /opt/out.txt; rm till.py"), root, READS_CALLS)
    assert [result.code for result in outside.plan.results] == [Code.UNREAD]
    assert (root / "till.py").exists()


def test_a_batch_reads_a_reply_that_is_a_call() -> None:
    assert after(call("sed -i s/3/4/ till.py")) == {"till.py": "price = 4\n"}
    assert after(call("sed -i s/3/4/ till.py"), policy={"commands": "list"}) == {}
    assert after("```bash\nrm till.py\n```\n") == {}
    assert after("```bash\nrm till.py\n```\n", policy={"commands": "edits"}) == {"till.py": None}


def test_a_batch_knows_where_commands_start() -> None:
    assert after(call("rm old.py"), root="/srv/shop", cwd="/srv/shop/lib") == {"lib/old.py": None}
    assert after(call("rm old.py", cwd="lib")) == {"lib/old.py": None}
    script = 'const r = await tools.exec_command({cmd: "rm old.py", workdir: "/srv/shop/lib", yield_time_ms: 1000});'
    assert after(json.dumps({"name": "exec", "input": script}), root="/srv/shop") == {"lib/old.py": None}
    typed = {"commands": [{"keystrokes": "cd lib\n"}, {"keystrokes": "rm old.py\n"}]}
    assert after(json.dumps(typed)) == {"lib/old.py": None}


def test_a_command_in_the_background_is_not_followed() -> None:
    background = json.dumps({"name": "Bash", "input": {"command": "rm till.py", "run_in_background": True}})
    assert after(background) == {}


def test_rewards_read_commands() -> None:
    scored = score(call("rm /srv/shop/till.py"), FILES, {"lib/old.py": "x = 1\n"}, root="/srv/shop")
    assert scored.right
