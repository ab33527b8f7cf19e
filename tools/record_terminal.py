"""Draws the terminals of the docs: `python -m uv run --group docs tools/record_terminal.py [SCENE…]`.

Each scene is a folder of its own and commands that really run in it; what they print is drawn as docs/images/SCENE.svg.
The agent's part is played by the events that Claude Code hands to its hooks.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs/images"
COLUMNS = 100
LOAD = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)  # rich would load its fonts from elsewhere

FARES = """\
ADULT = 12
CHILD = 6


def fare(age):
    if age < 14:
        return CHILD
    return ADULT
"""
SHELL = """\
Two commands do it:

```bash
sed -i 's/ADULT = 12/ADULT = 14/' fares.py
cat > rates.md <<'EOF'
# Rates
Adults pay 14, children 6.
EOF
```
"""


class Terminal:
    """A folder, and what somebody typed and saw there."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "ferry"
        self.root.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DOVETAIL_", "XDG_"))}
        kept.pop("NO_COLOR", None)
        path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
        who = {f"GIT_{role}_{field}": "you" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
        colour = {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        self.environment = {**kept, **who, **colour, "HOME": str(folder), "PATH": path}
        self.seen = ""
        self.request = 0  # of the agent

    def run(self, command: str, given: str = "") -> str:
        """Run a command of a shell without showing it."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=self.environment,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def type(self, command: str, note: str = "") -> None:
        """Run a command and show it, with what it prints."""
        remark = f"  \x1b[2m# {note}\x1b[0m" if note else ""
        self.seen += f"\x1b[1;32m$\x1b[0m \x1b[1m{command}\x1b[0m{remark}\n{self.run(command).rstrip()}\n\n"

    def put(self, name: str, text: str) -> None:
        """Write a file."""
        (self.root / name).write_text(text, encoding="utf-8")

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.run(f"git add -A && git commit -qm '{message}'")


def _event(terminal: Terminal, name: str, **fields: object) -> None:
    common = {"session_id": "5a6621ff", "transcript_path": "/log.jsonl", "cwd": str(terminal.root)}
    event = {**common, "hook_event_name": name, "prompt_id": str(terminal.request), **fields}
    terminal.run("dovetail hook", json.dumps(event))


def _asks(terminal: Terminal, request: str) -> None:
    terminal.request += 1
    _event(terminal, "UserPromptSubmit", prompt=request)


def _works(terminal: Terminal, call: str, tool: str, asked: dict[str, object], act: Callable[[], object]) -> None:
    """Do one call of the agent, with the events before and after it."""
    _event(terminal, "PreToolUse", tool_name=tool, tool_input=asked, tool_use_id=call)
    act()
    _event(terminal, "PostToolUse", tool_name=tool, tool_input=asked, tool_use_id=call, tool_response="")


def agent(terminal: Terminal) -> None:
    """Take back what an agent did."""
    terminal.put("fares.py", FARES)
    terminal.put("notes.txt", "Nobody sails on Sundays.\n")
    terminal.run("git init -q")
    terminal.commit("first")
    path = str(terminal.root / "fares.py")
    dearer = FARES.replace("12", "14")
    _asks(terminal, "Raise the fare for adults.")
    _works(terminal, "toolu_1", "Edit", {"file_path": path}, lambda: terminal.put("fares.py", dearer))
    _event(terminal, "Stop", stop_hook_active=False)
    _asks(terminal, "Move the notes to NEWS.md.")
    command = "git mv notes.txt NEWS.md"
    _works(terminal, "toolu_2", "Bash", {"command": command}, lambda: terminal.run(command))
    _event(terminal, "Stop", stop_hook_active=False)
    terminal.put("fares.py", dearer.replace("CHILD = 6", "CHILD = 7"))  # the user's own
    terminal.type("dovetail log")
    terminal.type("dovetail why fares.py:1")
    terminal.type("dovetail undo --session")
    terminal.type("head -2 fares.py; ls", "your own change of line 2 stays")


def shell(terminal: Terminal) -> None:
    """See what a reply's commands would change."""
    terminal.put("fares.py", FARES)
    terminal.put("reply.md", SHELL)
    terminal.type("sed -n 4,8p reply.md", "a model's reply: commands, no edits")
    terminal.type("dovetail apply reply.md --commands edits --yes")


def merge(terminal: Terminal) -> None:
    """Merge two changes of one line."""
    terminal.put("fares.py", FARES)
    terminal.run("git init -q -b main")
    terminal.commit("first")
    terminal.run("git checkout -qb rename")
    terminal.put("fares.py", FARES.replace("def fare(age)", "def price(age)"))
    terminal.commit("rename")
    terminal.run("git checkout -q main")
    terminal.put("fares.py", FARES.replace("fare(age)", "fare(age, day=None)"))
    terminal.commit("argument")
    terminal.type("git merge -q rename", "one side renamed fare, the other gave it an argument")
    terminal.run("git merge --abort")
    terminal.type("dovetail merge-driver install")
    terminal.type("git merge -q rename && sed -n 5p fares.py")


SCENES = {"agent": agent, "shell-edits": shell, "merge": merge}


def drawn(scene: str) -> str:
    """The scene's terminal as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(Path(folder))
        SCENES[scene](terminal)
        seen = terminal.seen.replace(folder, "~").rstrip("\n")
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(seen + "\n "))  # rich cuts the last line's foot off
    from rich._export_format import CONSOLE_SVG_FORMAT

    svg = console.export_svg(title="", theme=MONOKAI, code_format=LOAD.sub("", CONSOLE_SVG_FORMAT), unique_id=scene)
    return svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace")


def main() -> None:
    """Draw the scenes named, or all."""
    for scene in sys.argv[1:] or SCENES:
        (TARGET / f"{scene}.svg").write_text(drawn(scene), encoding="utf-8")
        print(TARGET / f"{scene}.svg")


if __name__ == "__main__":
    if shutil.which("git") is None:
        sys.exit("git is not installed")
    main()
