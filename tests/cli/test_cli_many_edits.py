"""Replies of very many edits: what is shown of them costs time in proportion to their number."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dovetail.cli import boundary

BROKEN = "<<<<<<< SEARCH\n"
NOWHERE = "```\n<<<<<<< SEARCH\nlost {n}\n=======\nfound {n}\n>>>>>>> REPLACE\n```\n"


@pytest.mark.parametrize("block", [BROKEN, NOWHERE], ids=["broken", "nowhere"])
@pytest.mark.parametrize("command", [["check"], ["apply", "--dry-run"], ["apply", "--dry-run", "--json"]], ids=" ".join)
def test_what_is_said_of_many_edits_takes_linear_time(
    command: list[str], block: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")

    def seconds(number: int) -> float:
        reply = tmp_path / f"reply-{number}.md"
        reply.write_text("a.py\n" + "".join(block.replace("{n}", str(n)) for n in range(number)))
        began = time.process_time()
        boundary.run([*command, str(reply), "-C", str(tmp_path)])
        assert len(capsys.readouterr().out) > 20 * number
        return time.process_time() - began

    seconds(10)
    few = min(seconds(500) for _ in range(2))
    assert seconds(8000) < 48 * few  # 16 times as many; in the square of it, 256 times as long
