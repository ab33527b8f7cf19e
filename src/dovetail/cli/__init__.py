"""The command line: options in, use cases asked, values drawn, an exit status out.

Owns words on a terminal and nothing else: no file is read or written here except the reply itself and what `batch`
is told. `main` imports only what the command at hand needs, so that asking for the version costs no more than Python.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from dovetail import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, without the program's name, and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]) and sys.stdout is not None:
        with suppress(OSError):  # which the boundary meets again, and reports
            sys.stdout.write(f"dovetail {__version__}\n")
            sys.stdout.flush()
            return 0
    try:
        from dovetail.cli.boundary import run

        return run(arguments)
    except KeyboardInterrupt:  # before the boundary stood, or behind it
        return 130
