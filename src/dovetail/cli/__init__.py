"""The command line: options in, use cases asked, values drawn, an exit status out.

It owns words on a terminal: no file is read or written here except the reply itself, the file of `--retry`, and those
that `batch` names. Only the module of the command at hand is loaded, and for the version none.
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
        with suppress(OSError):  # the boundary meets it again, and reports it
            sys.stdout.write(f"dovetail {__version__}\n")
            sys.stdout.flush()
            return 0
    if arguments == ["hook"]:  # an agent waits for it, once for each event
        from dovetail.hooks.event import run as take_event

        return take_event()
    try:
        from dovetail.cli.boundary import run  # the version needs nothing of it

        return run(arguments)
    except KeyboardInterrupt:  # before the boundary handles it, or after
        return 130
