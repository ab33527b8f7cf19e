"""The reference says what the server answers: every address, every event, every state, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dovetail.web.routes import GETS, POSTS
from dovetail.web.turns import EditState, TurnState

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs" / "reference" / "http.md").read_text(encoding="utf-8")
SOURCES = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src" / "dovetail" / "web").glob("*.py"))
NAMED = {"{turn}": "T", "{operation}": "ID", "{template}": "NAME", "{question}": "q2", "{conversation}": "ID"}


@pytest.mark.parametrize("path", [*GETS, *POSTS])
def test_every_address_is_in_the_reference(path: str) -> None:
    for name, shown in NAMED.items():
        path = path.replace(name, shown)
    spelled = f"({re.escape(path)}|`{re.escape(path.removeprefix('/api/turns/T'))})[`?]"
    assert re.search(spelled, REFERENCE)


def test_every_event_is_in_the_reference_and_no_other() -> None:
    published = set(re.findall(r'publish\(\s*"([a-z-]+)"', SOURCES)) | {"reset"}
    table = REFERENCE.partition("## Events")[2].partition("PieceEvent (")[0]
    told = {
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])
    }
    assert told == published


@pytest.mark.parametrize("word", [*TurnState, *EditState])
def test_every_state_is_in_the_reference(word: str) -> None:
    assert f'"{word}"' in REFERENCE
