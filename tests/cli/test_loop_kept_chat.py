"""What a conversation on disk is worth to the person: full disks, undo after a pause, a folder that is gone, two at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli_shell import COMMAND, dovetail, environment
from loop_parts import GOOD, KIOSK, answer, lay
from provider_server import serving

DEARER = KIOSK.replace("PRICE = 4", "PRICE = 5")
LONG = "That is dearer.\n" * 4_000 + "\n"

# No file may grow beyond the first argument; the others are the command.
_BOUNDED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_disk_that_is_full_behind_the_write_hides_nothing(tmp_path: Path) -> None:
    one, two = lay(tmp_path / "one"), lay(tmp_path / "two")
    with serving(answer(LONG + GOOD, size=4_000, piece=40_000)) as server:
        words = ["ask", "Dearer.", "kiosk.py", "--yes", "--model", "tiny", "--no-map"]
        where = {"OPENAI_BASE_URL": f"{server.url}/v1"}
        assert dovetail(one, *words, extra=where).returncode == 0
        kept = next((one / ".dovetail" / "chats").glob("*.jsonl")).read_bytes()
        bound = kept.index(b'{"kind":"written"') + 10
        command = [sys.executable, "-c", _BOUNDED, str(bound), *COMMAND, *words]
        done = subprocess.run(
            command, cwd=two, env=environment(two, **where), capture_output=True, text=True, timeout=60, check=False
        )
    assert (two / "kiosk.py").read_text() == DEARER
    operation = dovetail(two, "log").stdout.split()[0]
    assert done.returncode == 1
    assert "Wrote 1 file as operation" in done.stderr
    assert operation in done.stderr
    assert f"as operation {operation}" in done.stdout
