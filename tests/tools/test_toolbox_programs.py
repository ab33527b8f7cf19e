"""What a `Toolbox` gives the program around it: what came of a call, calls that are not its own, turns."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dovetail.model.errors import UsageError
from dovetail.session.apply import operations
from dovetail.session.apply.records import of_operation
from dovetail.tools import Recording, Toolbox, answer

BUOY = "red = 1\ngreen = 2\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "buoy.py").write_text(BUOY)
    return tmp_path


def edit(old: str, new: str, id_: str = "toolu_1") -> dict[str, Any]:
    fields = {"path": "buoy.py", "old_string": old, "new_string": new}
    return {"type": "tool_use", "id": id_, "name": "edit_file", "input": fields}


def of(name: str, **fields: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_9", "name": name, "input": fields}


def recorded(root: Path) -> list[dict[str, Any]]:
    return [of_operation(operation) for operation in operations.log(root).operations]


def test_an_answer_is_the_providers_object_and_says_what_was_written(root: Path) -> None:
    answered = Toolbox(root).answer(edit("red = 1", "red = 3"))
    assert answered is not None
    assert json.loads(json.dumps(answered)) == answered
    assert answered.keys() == {"type", "tool_use_id", "content", "is_error"}
    assert (answered.ok, answered.changed) == (True, ("buoy.py",))
    assert answered.operation == recorded(root)[0]["id"]
    assert [(landed["path"], landed["new_start"], landed["tier"]) for landed in answered.landed] == [
        ("buoy.py", 1, "exact")
    ]


@pytest.mark.parametrize("call", [edit("blue = 1", "blue = 2"), of("read_file", path="buoy.py"), of("history")])
def test_an_answer_says_that_nothing_was_written(root: Path, call: dict[str, Any]) -> None:
    answered = Toolbox(root).answer(call)
    assert answered is not None
    assert (answered.operation, answered.changed, answered.landed) == (None, (), ())


def test_an_answer_to_undo_says_what_was_taken_back(root: Path) -> None:
    box = Toolbox(root)
    box.answer(edit("red = 1", "red = 3"))
    answered = box.answer(of("undo"))
    assert answered is not None
    assert (answered.ok, answered.changed, answered.landed) == (True, ("buoy.py",), ())
    assert answered.operation == recorded(root)[0]["id"]


def test_a_call_of_an_unknown_tool_is_handed_back(root: Path) -> None:
    call = of("run_tests", path="buoy.py")
    for box in (Toolbox(root), Toolbox(root, tools=["read_file"]), root):
        assert answer(call, box) is None


def test_an_edit_by_a_tool_that_is_not_offered_is_refused_and_not_handed_back(root: Path) -> None:
    box = Toolbox(root, tools=["read_file"])
    for call in (edit("red = 1", "red = 3"), {**edit("red = 1", "red = 3"), "name": "str_replace"}):
        answered = box.answer(call)
        assert answered is not None and not answered.ok
    assert (root / "buoy.py").read_text() == BUOY


def test_the_callers_own_tools_are_handed_back_whatever_they_look_like(root: Path) -> None:
    box = Toolbox(root, others=["bash", "Edit"])
    assert box.answer(of("bash", command="cat > buoy.py <<'EOF'\nred = 9\nEOF\n")) is None
    assert box.answer({**edit("red = 1", "red = 3"), "name": "Edit"}) is None
    assert (root / "buoy.py").read_text() == BUOY


def test_calls_are_answered_in_a_thread(root: Path) -> None:
    box = Toolbox(root)

    async def run() -> list[bool]:
        calls = [edit("red = 1", "red = 3"), edit("green = 2", "green = 4")]
        answers = await asyncio.gather(*map(box.answer_async, calls))
        return [answered is not None and answered.ok for answered in answers]

    assert asyncio.run(run()) == [True, True]
    assert (root / "buoy.py").read_text() == "red = 3\ngreen = 4\n"


def test_the_journal_says_which_agents_call_it_was(root: Path) -> None:
    box = Toolbox(root, session="s-7", agent="harbour-bot")
    box.begin_turn("Paint the buoys.")
    box.answer(edit("red = 1", "red = 3", "toolu_4"))
    box.answer({"function": {"name": "apply_edits", "arguments": "{}"}, "id": "c1", "type": "function"})
    box.answer(of("write_file", path="new.py", content="x = 1\n"))
    told = [
        {key: one[key] for key in ("agent", "session", "prompt", "request", "tool", "call")} for one in recorded(root)
    ]
    shared = {"agent": "harbour-bot", "session": "s-7", "prompt": 1, "request": "Paint the buoys."}
    assert told == [
        {**shared, "tool": "write_file", "call": "toolu_9"},
        {**shared, "tool": "edit_file", "call": "toolu_4"},
    ]


def test_without_a_session_the_journal_names_no_agent(root: Path) -> None:
    box = Toolbox(root)
    box.answer(edit("red = 1", "red = 3"))
    assert recorded(root)[0]["agent"] is None
    for turn in (box.begin_turn, box.undo_turn):
        with pytest.raises(UsageError, match="no session"):
            turn()


def test_a_turn_is_taken_back_in_one_step(root: Path) -> None:
    box = Toolbox(root, session="s-7")
    box.begin_turn()
    box.answer(edit("red = 1", "red = 3"))
    box.begin_turn()
    box.answer(edit("green = 2", "green = 4"))
    box.answer(of("write_file", path="new.py", content="x = 1\n"))
    assert box.undo_turn().ok
    assert (root / "buoy.py").read_text() == "red = 3\ngreen = 2\n"
    assert not (root / "new.py").exists()
    assert box.seen.get("new.py") is None


@pytest.fixture
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of its own, outside of the project."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("git", [False, True])
def test_what_an_own_tool_changes_is_recorded_and_taken_back(root: Path, git: bool) -> None:
    if git:
        for words in ("init -q", "add -A", "-c user.name=a -c user.email=a@example.org commit -qm first"):
            subprocess.run(["git", *words.split()], cwd=root, check=True)
    box = Toolbox(root, session="s-7", agent="harbour-bot")
    box.begin_turn("First.")
    box.begin_turn("Paint the buoys.")
    box.answer(edit("green = 2", "green = 4"))
    with box.recording("bash", "toolu_8") as found:
        subprocess.run("sed -i s/1/3/ buoy.py; echo x = 1 > new.py", cwd=root, shell=True, check=True)  # noqa: S602
    assert found.changed == ("buoy.py", "new.py")
    newest = recorded(root)[0]
    assert (newest["id"],) == found.operations
    keys = ("label", "agent", "session", "prompt", "request", "tool", "call")
    assert [newest[key] for key in keys] == [
        "recorded", "harbour-bot", "s-7", 2, "Paint the buoys.", "bash", "toolu_8",
    ]  # fmt: skip
    assert box.undo_turn().ok
    assert (root / "buoy.py").read_text() == BUOY
    assert not (root / "new.py").exists()


@pytest.mark.usefixtures("state")
def test_an_own_tool_that_fails_is_recorded_all_the_same(root: Path) -> None:
    box = Toolbox(root, session="s-7")
    with pytest.raises(ZeroDivisionError), box.recording() as found:
        (root / "buoy.py").write_text("red = 9\n")
        1 / 0  # noqa: B018
    assert found.changed == ("buoy.py",)


@pytest.mark.usefixtures("state")
def test_an_own_tool_that_changes_nothing_leaves_no_operation(root: Path) -> None:
    box = Toolbox(root, session="s-7")
    with box.recording() as found:
        pass
    assert found == Recording()
    assert recorded(root) == []
    with pytest.raises(UsageError, match="no session"), Toolbox(root).recording():
        pass


@pytest.mark.usefixtures("state")
def test_an_edit_beside_an_own_tool_is_no_change_of_that_tool(root: Path) -> None:
    box = Toolbox(root, session="s-7")
    box.begin_turn()
    with box.recording("bash", "toolu_8") as found:
        (root / "new.py").write_text("x = 1\n")
        box.answer(edit("red = 1", "red = 3"))
    assert found.changed == ("new.py",)
    assert [(one["tool"], one["call"], one["prompt"]) for one in recorded(root)] == [
        ("edit_file", "toolu_1", 1),
        ("bash", "toolu_8", 1),
    ]
