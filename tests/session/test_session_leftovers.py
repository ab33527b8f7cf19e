"""What replies leave in staged files; lines that the last commit has are meant to be there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dovetail.cli import main
from dovetail.session.apply.leftovers import StagedFile, leftovers

LEFT = {
    "a marker of an edit": ("app.py", "a = 1\n<<<<<<< SEARCH\n", 2),
    "the end of one": ("app.py", ">>>>>>> REPLACE\n", 1),
    "a merge conflict": ("app.py", "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> other\n", 1),
    "a patch": ("app.py", "a = 1\n*** End Patch\n", 2),
    "lines left out": ("app.py", "def a():\n    # ... existing code ...\n", 2),
    "lines left out in words": ("app.ts", "function a() {\n  // rest of the code unchanged\n}\n", 2),
    "a model's token": ("app.py", "a = 1\n<|im_end|>\n", None),
    "a tag of its reasoning": ("app.py", "</think>\na = 1\n", None),
}
MEANT = {
    "an ellipsis": ("app.py", "def a(): ...\n\n\nclass B:\n    ...\n"),
    "a page about edits": ("docs/edits.md", "```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n"),
    "a heading in .rst": ("docs/a.rst", "Title\n=======\n"),
    "spread arguments": ("app.js", "call(...rest);\n"),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_a_reply_left_is_found(what: str) -> None:
    path, text, line = LEFT[what]
    found = leftovers(StagedFile(path, None, text))
    assert found and found[0].line == line
    assert leftovers(StagedFile(path, text, f"{text}b = 2\n")) == []


@pytest.mark.parametrize("what", MEANT)
def test_what_is_meant_is_let_through(what: str) -> None:
    path, text = MEANT[what]
    assert leftovers(StagedFile(path, None, text)) == []


def test_the_command_looks_at_what_is_staged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not at what stands in the folder besides; with a name, at that file alone."""

    def git(*words: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "app.py").write_text("a = 1\n")
    (tmp_path / "data.bin").write_bytes(b"\xff\xfe\x00")
    git("add", "-A")
    here = ["-C", str(tmp_path), "leftovers"]
    assert main(here) == 0
    (tmp_path / "app.py").write_text("a = 1\n# ... rest of the file ...\n")
    assert main(here) == 0
    git("add", "-A")
    assert main(here) == 1
    assert "app.py" in capsys.readouterr().out
    assert main([*here, "data.bin"]) == 0
    assert main(["-C", str(tmp_path.parent), "leftovers"]) == 2
