"""The one boundary: a command line becomes a command, and whatever it raises a message and an exit status.

Errors that Dovetail raises and those of the operating system are shown as code, sentence and next step. Anything
else is a defect of Dovetail, and its traceback is left to be seen and reported.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from dovetail.cli import arguments, streams
from dovetail.cli.screen import Screen
from dovetail.cli.status import Exit
from dovetail.model.errors import DovetailError, UsageError, said_by_system

Command = Callable[[argparse.Namespace], Exit]

_HOMES = {"redo": "undo", "log": "journal", "show": "journal"}
"""The modules of commands that are not in one of their own name."""


def run(argv: Sequence[str]) -> int:
    """Run one command line to its exit status."""
    as_json = "--json" in itertools.takewhile(lambda word: word != "--", argv)
    status: int | None = None
    try:
        streams.make_ready()
        status = _status(argv)
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        return _interrupted(stop)
    except BrokenPipeError:  # whoever read the output has gone
        return Exit.REFUSED if status is None else status
    except DovetailError as error:
        return _report(error, error.code, error.message, error.hint, _status_of(error), as_json=as_json)
    except OSError as error:
        return _report(error, "system", said_by_system(error), None, Exit.REFUSED, as_json=as_json)
    finally:
        streams.let_go_where_full()
    return status


def _status(argv: Sequence[str]) -> int:
    try:
        stated = arguments.parse(argv)
    except SystemExit as leaving:  # how the parser ends after help
        return int(leaving.code or 0)
    return _command(stated.command)(stated)


def _interrupted(stop: KeyboardInterrupt) -> Exit:
    with suppress(OSError):
        sys.stderr.write("\nInterrupted.\n" + "".join(f"{note}\n" for note in _notes_of(stop)))
    return Exit.INTERRUPTED


def _notes_of(error: BaseException) -> Sequence[str]:
    """What stands whatever ended the command: what it wrote, what it made whole."""
    return getattr(error, "__notes__", ())


def _command(name: str) -> Command:
    command: Command = getattr(import_module(f"dovetail.cli.{_HOMES.get(name, name)}"), f"{name}_command")
    return command


def _status_of(error: DovetailError) -> Exit:
    return Exit.USAGE if isinstance(error, UsageError) else Exit.REFUSED


def _report(error: Exception, code: str, message: str, hint: str | None, status: Exit, *, as_json: bool) -> Exit:
    streams.let_go_where_full()  # what the error is about may be the output itself
    with suppress(OSError):
        if as_json:
            sys.stdout.write(json.dumps({"error": {"code": code, "message": message, "hint": hint}}) + "\n")
    with suppress(OSError):
        screen = Screen.of(sys.stderr)
        screen.error(code, message, hint)
        for note in _notes_of(error):
            screen.line(note)
    return status
