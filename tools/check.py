"""The one door for all checks, the same for people and for CI: formatting, lint, types, layers, tests.

Stops at the first check that fails and exits with its status. Arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

CHECKS = (
    ("formatting", ["ruff", "format", "--check", "."]),
    ("lint", ["ruff", "check", "."]),
    ("types", ["mypy"]),
    ("layers", ["lint-imports"]),
    # Two workers for a core, as many tests wait for a process or a server. A worker keeps to neighbouring tests: what
    # they share is made once.
    ("tests", [sys.executable, "-m", "pytest", "-n", str(2 * (os.cpu_count() or 1)), "--dist", "worksteal"]),
)


def main() -> int:
    """Run every check in order."""
    root = Path(__file__).resolve().parent.parent
    for name, command in CHECKS:
        began = time.monotonic()
        print(f"== {name}: {' '.join(Path(part).name for part in command)}", flush=True)
        extra = sys.argv[1:] if name == "tests" else []
        status = subprocess.run([*command, *extra], cwd=root, check=False).returncode
        if status:
            print(f"== {name} failed", file=sys.stderr)
            return status
        print(f"== {name}: {time.monotonic() - began:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
