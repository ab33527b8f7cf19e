"""The command line: options in, use cases asked, values drawn, an exit status out.

It owns words on a terminal: no file is read or written here except the reply itself, the file of `--retry`, and those
that `batch` names. Only the module of the command at hand is loaded, and for the version none.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType

from dovetail import __version__


def console() -> int:
    """Run this process's command line: `main`, with a quick start and a quick end.

    A small command spends most of its time on loading modules and on taking them apart again.
    """
    status: int | None = None

    def end() -> None:
        # The first that was registered is called last: threads have ended by now, and temporary files are gone.
        if status is not None:  # else an exception is on its way, and Python gives the status
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            except (AttributeError, OSError, ValueError):  # a closed stream, which Python reports
                return
            os._exit(status)

    atexit.register(end)
    gc.disable()  # until the command is loaded: nothing of a module is garbage
    # `dataclasses` imports `inspect` and uses it for classes without a docstring only. All of ours have one.
    sys.modules.setdefault("inspect", _WhenUsed("inspect"))
    status = main()
    return status


class _WhenUsed(ModuleType):
    """A module that is loaded when something of it is first asked for.

    `importlib.util.LazyLoader` does not help here: the next import statement asks its module for `__spec__`, and so
    loads it.
    """

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


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
        from dovetail.cli.boundary import run  # loaded here, as `--version` does without it

        return run(arguments)
    except KeyboardInterrupt:  # before the boundary handles it, or after
        return 130
