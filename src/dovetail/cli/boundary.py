"""Runs a command line: finds its command, and turns the errors that it raises into a message and an exit status.

Errors that Dovetail raises and those of the operating system are shown as code, sentence and next step. Anything else
is a defect of Dovetail, and its traceback is left to be seen and reported.
"""

from __future__ import annotations

import gc
import itertools
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from dovetail.cli import arguments, output
from dovetail.cli.output import Exit
from dovetail.cli.screen import Screen, visible
from dovetail.model.errors import DovetailError, UsageError, said_by_system

_MODULES = {
    "undo": "journal",
    "redo": "journal",
    "log": "journal",
    "show": "journal",
    "prompt": "context",
    "leftovers": "check",
    "merge_driver": "git_merge",
    "resolve": "git_merge",
}
"""Command to module, for commands whose module has another name."""


def run(argv: Sequence[str]) -> int:
    """Run one command line to its exit status. Only the command's own module is loaded."""
    # Not parsed, as the error of a command line that cannot be parsed is to be JSON, too.
    as_json = "--json" in itertools.takewhile(lambda word: word != "--", argv)
    status: int | None = None
    try:
        output.make_ready()
        try:
            args = arguments.parse(argv)
        except SystemExit as leaving:  # the parser raises it after help
            status = int(leaving.code or 0)
        else:
            name: str = args.command
            word = name.replace("-", "_")
            module = import_module(f"dovetail.cli.{_MODULES.get(word, word)}")
            gc.freeze()  # what is loaded stays; see `console`
            gc.enable()
            status = int(getattr(module, f"{word}_command")(args))
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        with suppress(OSError):
            sys.stderr.write("\nInterrupted.\n" + "".join(f"{visible(note)}\n" for note in _notes_of(stop)))
        return Exit.INTERRUPTED
    except BrokenPipeError:  # the reader of the output has gone
        return Exit.REFUSED if status is None else status
    except DovetailError as error:
        _report(error, error.code, error.message, error.hint, as_json=as_json)
        return Exit.USAGE if isinstance(error, UsageError) else Exit.REFUSED
    except OSError as error:
        _report(error, "system", said_by_system(error), None, as_json=as_json)
        return Exit.REFUSED
    finally:
        output.flush_or_discard()
    return status


def _notes_of(error: BaseException) -> Sequence[str]:
    """Return the notes on an error: what the command wrote or completed before it failed."""
    return getattr(error, "__notes__", ())


def _report(error: Exception, code: str, message: str, hint: str | None, *, as_json: bool) -> None:
    output.flush_or_discard()  # the error may be the output's own
    with suppress(OSError):
        if as_json:
            sys.stdout.write(json.dumps({"error": {"code": code, "message": message, "hint": hint}}) + "\n")
    with suppress(OSError):
        screen = Screen.of(sys.stderr)
        screen.error(code, message, hint)
        for note in _notes_of(error):
            screen.line(note)
