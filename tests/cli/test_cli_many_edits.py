"""Replies of very many edits: what is shown of them costs time in proportion to their number."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dovetail.cli import boundary

BROKEN = "<<<<<<< SEARCH\n"
NOWHERE = "```\n<<<<<<< SEARCH\nlost {n}\n=======\nfound {n}\n>>>>>>> REPLACE\n```\n"


@pytest.mark.parametrize("block", [BROKEN, NOWHERE], ids=["broken", "nowhere"])
@pytest.mark.parametrize("command", [["check"], ["apply", "--dry-run"], ["apply", "--dry-run", "--json"]], ids=" ".join)
def test_what_is_shown_of_many_edits_takes_a_linear_number_of_calls(
    command: list[str], block: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")

    def calls(number: int) -> int:
        reply = tmp_path / f"reply-{number}.md"
        reply.write_text("a.py\n" + "".join(block.replace("{n}", str(n)) for n in range(number)))
        count = 0

        def counted(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            boundary.run([*command, str(reply), "-C", str(tmp_path)])
        finally:
            sys.setprofile(None)
        assert len(capsys.readouterr().out) > 20 * number
        return count

    calls(10)
    assert calls(800) < 16 * calls(100)  # 8 times as many; in the square of it, 64 times
