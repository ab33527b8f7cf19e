"""Records the events that real coding agents hand to hooks, for `tests/hooks/test_hooks_recorded.py`.

    hook_streams.py DRIVER AGENTS [--only claude …] [--out tests/hooks/recorded] [--keep DIR]

DRIVER is a folder with a scripted model (`model.py`), the agents' settings and tools (`clients.py`), and what turns
steps into answers of the model (`drive.py`); AGENTS one with the agents as npm installs them. The agents are real, and
work in a small project; Dovetail records them meanwhile. Of each agent one file is written, with a JSON value a line:

    agent, version, files, undone   the project at first, and its files with the user's edits alone
    event                           what a hook was handed, `@ROOT@` in the place of the project's path
    files                           files that changed since the last line: their text, `base64:…`, or null

What is to stand in the log is not in it: the test says that, as a person reads it from the steps below.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/hooks"))

from fake_agent import files, git, put

BEDS = "beans = 3\npeas = 2\nkale = 1\n\n\ndef rows():\n    return beans + peas + kale\n"
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "execution_count": None, "id": "a1", "metadata": {}, "outputs": [], "source": ["x = 1"]}
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PROJECT: dict[str, str | bytes] = {
    "beds.py": BEDS,
    "notes/seeds.md": "# Seeds\n\nSow in May.\n",
    "plan.ipynb": json.dumps(NOTEBOOK, indent=1) + "\n",
    "photo.bin": bytes(range(192, 256)),
    ".gitignore": "*.log\n",
    "crlf.txt": "one\r\ntwo\r\nthree\r\n",
}
STEPS: list[tuple[Any, ...]] = [
    ("read", "beds.py"),
    ("edit", "beds.py", "beans = 3", "beans = 4"),
    ("user", "beds.py", "kale = 1", "kale = 9"),  # between two calls
    ("user", "mine.txt", None, "mine\n"),
    ("shell", "sed -i 's/peas = 2/peas = 5/' beds.py; printf '\\001' >> photo.bin; echo noise > build.log"),
    ("write", "src/new.py", "a = 1\n"),
    ("shell", "git mv notes/seeds.md notes/sowing.md"),
    ("shell", "echo wrong > half.txt; exit 3"),
    ("shell", "sed -i 's/two/zwei/' crlf.txt && rm half.txt"),
    ("read", "plan.ipynb"),
    ("notebook", "plan.ipynb", "a1", "x = 1", "x = 2"),
    ("task", [
        ("write", "src/sub.py", "s = 1\n"),
        ("shell", "echo s > src/sub.txt; git add -A; git stash; git stash pop"),
    ]),
    ("wait", 4),  # Codex does not wait for a sub-agent
    ("shell", "echo SECRET=1 > .env; git add -A; git -c user.name=a -c user.email=a@example.org commit -qm all"),
    ("prompt",),
    ("user", "crlf.txt", "three", "drei"),
    ("read", "beds.py"),
    ("edit", "beds.py", "    return beans + peas + kale", "    return beans + peas"),
    ("both", ("shell", "sleep 0.6; echo a > one.txt"), ("shell", "sleep 0.9; echo b > two.txt")),
    ("background", "sleep 1; echo late > late.txt"),
    ("wait", 2),
    ("shell", "rm src/new.py"),
]  # fmt: skip
PROMPTS = ("Plant more beans.", "Now the rest, please.")
_LONGEST = 120  # characters of what a tool said

HOOK = """#!{python}
import fcntl, json, os, subprocess, sys
sys.path.insert(0, {tests!r})
from fake_agent import files
from pathlib import Path
if sys.argv[1:] == ["hook"]:
    raw = sys.stdin.buffer.read()
    with open({lines!r}, "ab") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        found = {{path: data.hex() for path, data in files(Path({root!r})).items()}}
        out.write(json.dumps({{"tree": found, "event": json.loads(raw)}}).encode() + b"\\n")
    done = subprocess.run([{dovetail!r}, "hook"], input=raw, capture_output=True)
    sys.stdout.buffer.write(done.stdout)
    sys.exit(done.returncode)
os.execv({dovetail!r}, [{dovetail!r}, *sys.argv[1:]])
"""


def told(data: bytes | None) -> str | None:
    """A file's bytes as JSON has them."""
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data or b"").decode()


def short(value: Any) -> Any:  # noqa: ANN401 - JSON of an agent
    """What a tool said, in few characters."""
    if isinstance(value, dict):
        return {name: short(inside) for name, inside in value.items()}
    if isinstance(value, list):
        return [short(inside) for inside in value[:3]]
    return value[:_LONGEST] if isinstance(value, str) else value


def without_machine(text: str, work: Path) -> str:
    """The text without paths of this machine."""
    text = text.replace(str(work / "project"), "@ROOT@").replace(str(work / "home"), "@HOME@")
    text = re.sub(r'("[a-z_]*transcript_path": )"[^"]*"', r'\1"@HOME@/log.jsonl"', text)
    return re.sub(rf'{tempfile.gettempdir()}/[^"\s]*', "@TEMP@", text)


def drive(agent: str, driver: Path, agents: Path, work: Path, steps: list[tuple[Any, ...]]) -> tuple[str, list[Any]]:
    """Let an agent work; its version, and the lines that were recorded."""
    sys.path.insert(0, str(driver))
    clients, driving, model_module = (import_module(name) for name in ("clients", "drive", "model"))

    project, lines = work / "project", work / "lines"
    for folder in ("project", "home", "bin", "requests"):
        (work / folder).mkdir(parents=True)
    for path, data in PROJECT.items():
        put(project, path, data)
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")

    def before(turn: dict[str, Any]) -> None:
        for path, old, new in turn.get("user", ()):
            text = (project / path).read_bytes().decode() if old is not None else ""
            put(project, path, text.replace(old, new) if old is not None else new)

    model = model_module.Model({"main": []}, work / "requests", before)
    client = clients.CLIENTS[agent](agent, agents.absolute(), work, model.port, False)
    model.script = driving.turns(client, steps)
    hook = work / "bin/dovetail"
    dovetail = shutil.which("dovetail") or sys.exit("`dovetail` is not in PATH")
    tests = str(Path(__file__).parents[1] / "tests/hooks")
    hook.write_text(
        HOOK.format(python=sys.executable, tests=tests, lines=str(lines), root=str(project), dovetail=dovetail)
    )
    hook.chmod(0o755)
    client.configure()
    installed = client.run(dovetail, "hook", "install", agent, "--yes")
    for path in (work / "home").rglob("*"):
        if path.is_file() and dovetail.encode() in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(dovetail.encode(), str(hook).encode()))
    version = driving.bounded([client.bin, "--version"], client, 60)[1].split()
    for n in range(1 + sum(step[0] == "prompt" for step in steps)):
        status, said = driving.bounded(client.command(PROMPTS[n % len(PROMPTS)], n > 0), client, 400)
        if status != 0:
            sys.exit(f"{agent} ended with {status}: {said[-500:]} {installed.stderr}")
    if left := {name: len(script) - model.used.get(name, -1) - 1 for name, script in model.script.items()}:
        print(f"{agent}: answers that were not asked for: {left}")
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    return next(word for word in version if word[:1].isdigit()), found


def stream(agent: str, version: str, found: list[Any], work: Path) -> str:
    """The lines as they are kept."""
    first = {path: data if isinstance(data, bytes) else data.encode() for path, data in PROJECT.items()}
    undone = dict(first)
    for kind, path, old, new in (step for step in STEPS if step[0] == "user"):
        assert kind == "user"
        undone[path] = undone[path].replace(old.encode(), new.encode()) if old is not None else new.encode()
    kept = [
        {
            "agent": agent,
            "version": version,
            "files": {path: told(data) for path, data in first.items()},
            "undone": {path: told(data) for path, data in undone.items() if first.get(path) != data},
        }
    ]
    tree = first
    for line in [*found, {"tree": {path: data.hex() for path, data in files(work / "project").items()}}]:
        now = {path: bytes.fromhex(data) for path, data in line["tree"].items()}
        changed = {path: told(now.get(path)) for path in sorted(tree | now) if tree.get(path) != now.get(path)}
        kept += [{"files": changed}] if changed else []
        tree = now
        if "event" in line:
            event = {name: short(value) if name == "tool_response" else value for name, value in line["event"].items()}
            kept.append({"event": event})
    return "".join(without_machine(json.dumps(line), work) + "\n" for line in kept)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver", type=Path)
    parser.add_argument("agents", type=Path)
    parser.add_argument("--only", nargs="*", default=["claude", "codex", "opencode"])
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "tests/hooks/recorded")
    parser.add_argument("--keep", type=Path, help="leave what the agents worked in there")
    args = parser.parse_args()
    for agent in args.only:
        work = Path(tempfile.mkdtemp(prefix=f"streams-{agent}-", dir=args.keep))
        version, found = drive(agent, args.driver, args.agents, work, STEPS)
        text = stream(agent, version, found, work)
        (args.out / f"{agent}.jsonl").write_text(text, "utf-8")
        print(f"{agent} {version}: {len(found)} events, {len(text):,} bytes")
        environment = {"HOME": str(work / "home"), "PATH": str(work / "bin")}
        subprocess.run([str(work / "bin/dovetail"), "log", "-C", str(work / "project")], env=environment, check=False)
        if args.keep is None:
            shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
