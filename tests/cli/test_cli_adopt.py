"""`dovetail log --adopt`: a journal from another home becomes the user's, once he saw what undo would write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_shell import at_terminal, dovetail

BLOCK = "a.txt\n```\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n```\n"


@pytest.fixture
def elsewhere(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder with a journal of another home, and the variables of this one."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("1\n")
    homes = [{"XDG_STATE_HOME": str(tmp_path / name), "TMPDIR": str(tmp_path / name)} for name in ("one", "two")]
    for home in homes:
        Path(home["TMPDIR"]).mkdir()
    assert dovetail(root, "apply", "--yes", stdin=BLOCK, extra=homes[0]).returncode == 0
    return root, homes[1]


def test_it_is_shown_and_adopted(elsewhere: tuple[Path, dict[str, str]]) -> None:
    root, home = elsewhere
    refused = dovetail(root, "undo", extra=home)
    assert (refused.returncode, "dovetail log --adopt" in refused.stderr) == (1, True)
    asked = dovetail(root, "log", "--adopt", extra=home)
    assert (asked.returncode, "Add --yes" in asked.stderr) == (2, True)
    assert "+1" in asked.stdout
    assert dovetail(root, "undo", extra=home).returncode == 1
    done = dovetail(root, "log", "--adopt", "--yes", "--json", extra=home)
    assert (done.returncode, json.loads(done.stdout)["adopted"]) == (0, True)
    assert dovetail(root, "undo", extra=home).returncode == 0
    assert (root / "a.txt").read_text() == "1\n"


@pytest.mark.parametrize(("key", "status"), [("n", 1), ("y", 0)])
def test_a_person_is_asked(elsewhere: tuple[Path, dict[str, str]], key: str, status: int) -> None:
    root, home = elsewhere
    with at_terminal(root, "log", "--adopt", extra=home) as person:
        assert "would write" in person.wait_for("(Enter: no)")
        person.type(key)
        assert person.leave() == status
    assert dovetail(root, "undo", extra=home).returncode == 1 - (not status)
