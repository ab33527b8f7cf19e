"""Commands of the user's own that are run behind an apply."""

from __future__ import annotations

import io
from pathlib import Path

from dovetail.cli.programs import first_failure
from dovetail.cli.screen import Screen


def test_a_linter_gets_no_file_for_an_option(tmp_path: Path) -> None:
    (tmp_path / "-rf").write_text("x")
    failed = first_failure(Screen.of(io.StringIO()), tmp_path, ["printf '%s\\n' >&2; false"], [], ["-rf", "gone"])
    assert failed is not None and failed.line.endswith(" ./-rf")
