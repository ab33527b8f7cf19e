"""`python -m dovetail` is the command `dovetail`."""

from __future__ import annotations

import sys

from dovetail.cli import main

if __name__ == "__main__":
    sys.exit(main())
