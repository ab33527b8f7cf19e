"""The benchmark of sketches: it tells a right merge from a wrong one, and its sketches of this repository land."""

from __future__ import annotations

from pathlib import Path

import pytest

import sketches

ROOT = Path(__file__).parents[2]
TEXT = "import os\n\n\ndef load(path):\n    text = read(path)\n    keep(text)\n    return text\n"


def test_sketches_of_real_files_are_right_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    files = [ROOT / "page/src/panels/review_file.tsx", ROOT / "page/src/style/chat.css", Path(sketches.__file__)]
    assert sketches.main([str(path) for path in files]) == 0
    *_, totals = capsys.readouterr().out.splitlines()
    assert int(totals.split()[0]) >= 12
    assert totals.endswith(" 0 WRONG")


def test_a_merge_that_gives_another_file_is_wrong() -> None:
    path = Path("load.py")
    one = next(sketches.chosen(path, TEXT))
    made = sketches.line_in_whole(TEXT.split("\n"), one, sketches.LANGUAGES[".py"])
    assert sketches.verdict(path, TEXT, made) == ("right", "")
    assert sketches.verdict(path, TEXT, made._replace(afterwards=[["other"]])) == ("WRONG", "")
