"""Runs the rewards inside TRL, verifiers and inspect_ai: tests/rewards, in an environment of its own.

    python tools/check_training.py [--environment DIR]

The environment holds PyTorch, about 1.8 GB, and is deleted afterwards unless DIR names it; then it is used again.
Nothing is loaded from a model hub.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tests" / "rewards" / "requirements.txt"


def main() -> int:
    """Make the environment, run the tests in it, and return their exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--environment", type=Path, metavar="DIR", help="keep the environment here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        environment = options.environment or Path(scratch) / "environment"
        python = environment.absolute() / "bin" / "python"
        began = time.monotonic()
        install(environment, python)
        print(f"== installed: {time.monotonic() - began:.1f} s", flush=True)
        offline = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
        tests = [python, "-m", "pytest", "tests/rewards", "-q", "-rs", "-p", "no:cacheprovider"]
        return subprocess.run(tests, cwd=ROOT, env=offline, check=False).returncode


def install(environment: Path, python: Path) -> None:
    """Install PyTorch with pip, which knows where its user has a CPU build, and the rest with uv, which is faster."""
    lines = (line.partition("#")[0].strip() for line in REQUIREMENTS.read_text("utf-8").splitlines())
    torch = [line for line in lines if line.startswith("torch")]
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *torch], check=True)
    uv: list[str | Path] = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    # Dovetail as a package: inspect_ai finds no scorer by name in an editable install of another distribution name.
    subprocess.run([*uv, "--requirement", REQUIREMENTS, "--reinstall-package", "dovetail-edits", ROOT], check=True)


if __name__ == "__main__":
    sys.exit(main())
