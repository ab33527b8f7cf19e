"""Every option that `--help` names, every code that an error may have and every agent that is known is in a page."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from dovetail.agents import read_log
from dovetail.agents.readers.table import FORMATS
from dovetail.cli.arguments import COMMANDS, build
from dovetail.hooks import install
from dovetail.model.codes import Code
from dovetail.model.errors import UsageError

_ROOT = Path(__file__).parents[2]
_PAGES = "\n".join(page.read_text() for page in sorted((_ROOT / "docs").rglob("*.md")))
_CODE = re.compile(r"\bcode(?:: str)? ?= ?\"([a-z-]+)\"")


def _parser(command: str) -> argparse.ArgumentParser:
    subparsers = next(a for a in build(only=command)._actions if isinstance(a, argparse._SubParsersAction))
    parser: argparse.ArgumentParser = subparsers.choices[command]
    return parser


def _options(command: str) -> set[str]:
    return {name for action in _parser(command)._actions for name in action.option_strings if name.startswith("--")}


def _section(page: str, heading: str) -> str:
    """A page's part under one heading of the second level."""
    text = (_ROOT / "docs" / page).read_text()
    return next(part for part in re.split(r"(?m)^## ", text) if part.startswith(f"{heading}\n"))


_WHERE = {
    "ask": [("chat.md", "ask"), ("reference/chat.md", "Options of ask and chat")],
    "chat": [("chat.md", "Conversations are kept"), ("reference/chat.md", "Options of ask and chat")],
    "prompt": [("reference/chat.md", "prompt and context")],
    "context": [("reference/chat.md", "prompt and context")],
    "apply": [("cli.md", "apply"), ("reference/apply.md", "Options")],
    "check": [("cli.md", "check"), ("reference/apply.md", "Options")],
    "undo": [("cli.md", "undo, redo, log, show")],
    "redo": [("cli.md", "undo, redo, log, show")],
    "log": [("cli.md", "undo, redo, log, show")],
    "show": [("cli.md", "undo, redo, log, show")],
    "batch": [("cli.md", "batch")],
}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_stands_in_a_page(command: str) -> None:
    where = "\n".join(_section(*place) for place in _WHERE[command]) if command in _WHERE else _PAGES
    written = where + _section("cli.md", "Where")
    assert not {name for name in _options(command) if not re.search(rf"{name}(?![\w-])", written)} - {"--help"}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_stands_in_the_list(command: str) -> None:
    listed = (_ROOT / "docs" / "cli.md").read_text().partition("\n## ")[0]
    assert re.search(rf"\b{command}\b", listed)


def test_every_code_stands_in_a_page() -> None:
    codes = {str(code) for code in Code}
    for file in (_ROOT / "src" / "dovetail").rglob("*.py"):
        codes.update(_CODE.findall(file.read_text()))
    assert len(codes) > 50
    assert not {code for code in codes if f"`{code}`" not in _PAGES}


def test_every_agent_with_hooks_is_in_its_pages_and_the_help() -> None:
    agents = list(install.agents())
    for page in ("under-your-agent.md", "reference/hooks.md"):
        text = (_ROOT / "docs" / page).read_text()
        assert [agent for agent in agents if f"`{agent}`" not in text] == [], page
    (told,) = (action.help for action in _parser("hook")._actions if action.dest == "agents")
    assert str(told).split(", ") == agents


def test_every_agent_whose_log_is_read_is_in_its_page_and_the_hint() -> None:
    with pytest.raises(UsageError) as raised:
        read_log("{}")
    for text in ((_ROOT / "docs" / "transcripts.md").read_text(), str(raised.value.hint)):
        assert [row.agent for row in FORMATS if row.agent.replace("-", " ") not in text.lower()] == []
