"""A coding agent as its hooks see it: events with the fields that real ones have, and files changed in between."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dovetail.hooks import event
from dovetail.session.apply import operations
from dovetail.workspace import Label, Operation, Workspace
from dovetail.workspace.journal.undo import Intent

Act = Callable[[], object]
FARES = "ADULT = 12\nCHILD = 6\n\n\ndef fare(age):\n    if age < 14:\n        return CHILD\n    return ADULT\n"


def git(root: Path, *args: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)


class Agent:
    """`claude` or `codex`, at work in a root. Each event is handed over `times` times, as by several installs."""

    def __init__(self, root: Path, name: str = "claude", session: str = "s1", times: int = 1) -> None:
        self.root, self.name, self.session, self.times = root, name, session, times
        self.request, self.thread, self.folder = "", "", root

    def event(self, name: str, **fields: Any) -> None:
        common = {
            "session_id": self.session,
            "transcript_path": "/log.jsonl",
            "cwd": str(self.folder),
            "hook_event_name": name,
        }
        request = {"prompt_id": self.request} if self.name == "claude" else {"turn_id": self.request, "model": "m"}
        thread = {"agent_id": self.thread, "agent_type": "general"} if self.thread else {}
        for _ in range(self.times):
            event.take({**common, **request, **thread, **fields})

    def prompt(self, request: str, text: str = "Change it.") -> None:
        self.request = request
        self.event("UserPromptSubmit", prompt=text)

    def before(self, tool: str, call: str, **asked: Any) -> None:
        self.event("PreToolUse", tool_name=tool, tool_input=asked, tool_use_id=call)

    def after(self, tool: str, call: str, *, failed: bool = False, response: Any = "", **asked: Any) -> None:
        name = "PostToolUseFailure" if failed and self.name == "claude" else "PostToolUse"
        self.event(name, tool_name=tool, tool_input=asked, tool_use_id=call, tool_response=response)

    def batch(self, *calls: str) -> None:
        if self.name == "claude":
            self.event("PostToolBatch", tool_calls=[{"tool_name": "x", "tool_use_id": call} for call in calls])

    def shell(self, call: str, act: Act, *, failed: bool = False, **more: Any) -> None:
        """A command that does `act`."""
        self.before("Bash", call, command="work")
        act()
        self.after("Bash", call, failed=failed, command="work", **more)
        self.batch(call)

    def edit(self, call: str, path: str, text: str | bytes | None) -> None:
        """An edit by the agent's own tool; None removes the file."""
        if self.name == "claude":
            tool, asked = "Write", {"file_path": str(self.root / path)}
        else:
            tool, asked = "apply_patch", {"command": f"*** Begin Patch\n*** Update File: {path}\n*** End Patch"}
        self.before(tool, call, **asked)
        put(self.root, path, text)
        self.after(tool, call, **asked)
        self.batch(call)

    def stop(self, running: list[dict[str, str]] | None = None) -> None:
        more = {"background_tasks": running or []} if self.name == "claude" else {}
        self.event("Stop", stop_hook_active=False, **more)


def put(root: Path, path: str, text: str | bytes | None) -> None:
    file = root / path
    if text is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file())
    named = {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
    return {path: data for path, data in named.items() if not path.startswith((".git/", ".dovetail/"))}


def recorded(root: Path) -> list[Operation]:
    with Workspace.open(root) as workspace:
        return [operation for operation in workspace.log() if operation.label is Label.RECORDED]


def told(root: Path) -> list[tuple[str, str, tuple[str, ...]]]:
    """Of each recorded operation the calls, the request, and the paths."""
    found = []
    for operation in recorded(root):
        origin = operation.origin
        assert origin is not None
        found.append(("+".join(origin.calls), str(origin.prompt), operation.paths))
    return found


def check_back_and_forth(root: Path, first: dict[str, bytes], session: str = "s1") -> None:
    """Taking the session back gives `first`, and bringing it again what is there now."""
    last = files(root)
    operations.undo_by_intent(root, Intent(session=session))
    assert files(root) == first
    operations.redo(root)
    assert files(root) == last
