"""Events that real agents handed to hooks, handed over again: what then stands in the log, and is there after undo.

The streams were recorded by `bench/hook_streams.py`, with the agents named in their first lines. What must stand in the
log was read from the steps there, call by call; what the user wrote is in no operation.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from fake_agent import files, git, put, recorded

from dovetail.hooks import event
from dovetail.session.apply import operations
from dovetail.session.apply.why import why
from dovetail.workspace import Operation
from dovetail.workspace.journal.undo import Intent

STREAMS = Path(__file__).with_name("recorded")
FIRST = [
    (1, ("beds.py",)),
    (1, ("beds.py", "photo.bin"), ("build.log",)),
    (1, ("src/new.py",)),
    (1, ("notes/seeds.md", "notes/sowing.md")),
    (1, ("half.txt",)),
    (1, ("crlf.txt", "half.txt")),
    (1, ("plan.ipynb",)),
    (1, ("src/sub.py",)),
    (1, ("src/sub.txt",)),
    (1, (), (".env",)),
]
TOGETHER = [(2, ("one.txt", "two.txt"))]  # two commands at once: one operation that names both
IN_TURN = [(2, ("one.txt",)), (2, ("two.txt",))]
LATE = [(2, ("late.txt",))]
EDIT, LAST = [(2, ("beds.py",))], [(2, ("src/new.py",))]
EXPECTED = {
    "claude": [*FIRST, *EDIT, *IN_TURN, *LATE, *LAST],
    "codex": [*FIRST, *EDIT, *TOGETHER, *LATE, *LAST],
    # A shell puts the command into the background there, and the call ends: what comes later may be anybody's.
    "opencode": [*FIRST, *EDIT, *TOGETHER, *LAST],
}
WORDS = ("Plant more beans.", "Now the rest, please.")
# Of each line of a file, words of the call that wrote it; None where that was no call.
WROTE = {
    "beds.py": ["beans = 4", "peas = 5", None, None, None, None, "    return beans + peas"],
    "crlf.txt": [None, "s/two/zwei/", None],
    "notes/sowing.md": [None, None, None],
    "src/sub.py": ["s = 1"],
    "src/sub.txt": ["echo s > src/sub.txt"],
    "one.txt": ["echo a > one.txt"],
    "two.txt": ["echo b > two.txt"],
    "late.txt": ["echo late > late.txt"],
}
REMOVED = {"half.txt": "rm half.txt", "src/new.py": "rm src/new.py", "notes/seeds.md": "git mv"}


def bytes_of(text: str | None) -> bytes | None:
    if text is None or not text.startswith("base64:"):
        return None if text is None else text.encode()
    return base64.b64decode(text.removeprefix("base64:"))


class Stream:
    """A recorded stream in a root: `play` hands over its events, and changes the files as the agent and the user did."""

    def __init__(self, agent: str, root: Path) -> None:
        first, *self.lines = (STREAMS / f"{agent}.jsonl").read_text("utf-8").splitlines()
        self.head: dict[str, Any] = json.loads(first)
        self.root = root
        self.first = {path: bytes_of(text) or b"" for path, text in self.head["files"].items()}
        for path, data in self.first.items():
            put(root, path, data)
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "first")
        self.last: dict[str, bytes] = {}

    def play(self, times: int = 1) -> None:
        for line in self.lines:
            value = json.loads(line.replace("@ROOT@", str(self.root)))
            for path, text in value.get("files", {}).items():
                put(self.root, path, bytes_of(text))
            for _ in range(times if "event" in value else 0):
                before = files(self.root)
                event.take(value["event"])
                assert files(self.root) == before
        self.last = files(self.root)

    def asks_why(self) -> None:
        """Each line is the call's that wrote it, and each file that is gone the call's that removed it."""
        events = [json.loads(line)["event"] for line in self.lines if line.startswith('{"event"')]
        asked = {event["tool_use_id"]: json.dumps(event["tool_input"]) for event in events if event.get("tool_use_id")}

        def is_by(writer: object, words: str | None) -> bool:
            if writer is None or words is None:
                return writer is words
            assert isinstance(writer, Operation) and writer.origin is not None
            return any(words in asked[call] for call in writer.origin.calls)

        for path, wanted in WROTE.items():
            if path != "late.txt" or (2, ("late.txt",)) in EXPECTED[self.head["agent"]]:
                lines = {n: one.writer for one in why(self.root, path).written for n in range(one.start, one.end + 1)}
                assert [is_by(lines[n], words) for n, words in enumerate(wanted, 1)] == [True] * len(lines), path
        for path, words in REMOVED.items():
            assert is_by(why(self.root, path).removed_by, words), path

    @property
    def undone(self) -> dict[str, bytes]:
        """The first files with the user's edits; what is not kept stays as it is."""
        theirs = {path: bytes_of(text) or b"" for path, text in self.head["undone"].items()}
        kept_out = {path: self.last[path] for path in (".env", "build.log")}
        if (2, ("late.txt",)) not in EXPECTED[self.head["agent"]]:
            kept_out["late.txt"] = self.last["late.txt"]
        return {**self.first, **theirs, **kept_out}


@pytest.fixture
def stream(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stream:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Stream(agent, tmp_path / "project")


# `times`: as several installs hand them over.
@pytest.mark.parametrize(("agent", "times"), [("claude", 2), ("codex", 1), ("opencode", 1)])
def test_each_change_stands_once_in_the_log_and_all_can_be_taken_back(stream: Stream, agent: str, times: int) -> None:
    stream.play(times)
    found = recorded(stream.root)
    seen: list[tuple[Any, ...]] = []
    for operation in found:
        origin = operation.origin
        assert origin is not None and origin.prompt is not None
        assert (origin.agent, origin.words.strip('"')) == (agent, WORDS[origin.prompt - 1])  # opencode quotes them
        assert origin.calls and origin.tool
        lost = (operation.not_covered,) if operation.not_covered else ()
        seen.append((origin.prompt, operation.paths, *lost))
    assert sorted(seen, key=repr) == sorted(EXPECTED[agent], key=repr)
    assert len({operation.origin.session for operation in found if operation.origin}) == 1

    stream.asks_why()
    operations.undo_by_intent(stream.root, Intent(prompt=2))
    now = files(stream.root)
    assert {path for path in stream.last if stream.last[path] != now.get(path)} >= {"one.txt", "two.txt", "beds.py"}
    assert b"kale = 9" in now["beds.py"] and b"beans = 4" in now["beds.py"] and b"drei" in now["crlf.txt"]
    operations.redo(stream.root)
    assert files(stream.root) == stream.last
    operations.undo_by_intent(stream.root, Intent(session=""))
    assert files(stream.root) == stream.undone
    operations.redo(stream.root)
    assert files(stream.root) == stream.last
