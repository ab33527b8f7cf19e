"""Several commands that change other lines of one file at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cli_shell import dovetail


def test_ten_commands_at_once_all_land(tmp_path: Path) -> None:
    lines = [f"value_{n} = {n}" for n in range(100)]
    (tmp_path / "a.py").write_text("\n".join(lines) + "\n")
    changed = range(5, 100, 10)

    def apply(n: int) -> tuple[int, str]:
        reply = f"a.py\n```\n<<<<<<< SEARCH\nvalue_{n} = {n}\n=======\nvalue_{n} = 'new'\n>>>>>>> REPLACE\n```\n"
        done = dovetail(tmp_path, "apply", "-", "--yes", stdin=reply)
        return done.returncode, done.stdout + done.stderr

    with ThreadPoolExecutor(10) as pool:
        ended = list(pool.map(apply, changed))
    assert [status for status, _ in ended] == [0] * 10, ended
    wanted = [f"value_{n} = 'new'" if n in changed else line for n, line in enumerate(lines)]
    assert (tmp_path / "a.py").read_text().splitlines() == wanted
