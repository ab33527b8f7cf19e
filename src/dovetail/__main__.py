"""`python -m dovetail` is the command `dovetail`."""

from __future__ import annotations

import sys

from dovetail.cli import console

if __name__ == "__main__":
    sys.exit(console())
