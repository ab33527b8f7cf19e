"""What stands when the output fails: an error that comes behind a write says what was written, and how to undo it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dovetail.cli.streams import let_go_where_full
from dovetail.model.errors import DovetailError, said_by_system

if TYPE_CHECKING:
    from dovetail.workspace import Recovery


class OutputError(DovetailError):
    """The files are written, and what was to be said about it is not."""

    code = "output"


class Standing:
    """What was done, in a sentence without its period, and the next act; nothing until it is `said`."""

    def __init__(self, sentence: str | None = None, hint: str | None = None) -> None:
        self.sentence = sentence
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.sentence}. {self.hint}"


def tell_recovery(recovery: Recovery | None) -> None:
    """Say what was made whole on the way, beside an output that has no place for it."""
    if recovery is not None:
        sys.stderr.write(f"{recovery.message}\n")


@contextmanager
def standing(done: Standing) -> Iterator[None]:
    """Around all that is said of what may be `done`.

    A reader who left early (`| head`) changes nothing about it, and is no error. Raises `OutputError` where the output
    fails in another way; as it came where nothing was done yet.
    """
    try:
        yield
        sys.stdout.flush()
    except (KeyboardInterrupt, DovetailError) as stop:
        if done.sentence is not None:
            stop.add_note(str(done))
        raise
    except BrokenPipeError:
        if done.sentence is None:
            raise
        let_go_where_full()
    except OSError as error:
        if done.sentence is None:
            raise
        said = f"{done.sentence}; then the output failed: {said_by_system(error)}"
        raise OutputError(said, hint=done.hint) from error
