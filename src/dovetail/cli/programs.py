"""A command of the user's own that is run in the terminal: its output is shown as it comes, and kept for the model.

Only what was typed, on the command line or in the chat, is run; no setting and no reply names a command.
"""

from __future__ import annotations

import codecs
import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.llm.prompts.texts import fence_around

_MOST_KEPT = 20_000
"""The number of characters, from the end of an output, that a model is sent."""

_PATIENCE = 5  # seconds that an interrupted command has to end


@dataclass(frozen=True, slots=True)
class FinishedCommand:
    """A command that ended. status: its exit status, negative for a signal. output: the end of its output.
    left_out: the number of characters before that end.
    """

    line: str
    status: int
    output: str
    left_out: int = 0

    @property
    def outcome(self) -> str:
        """How it ended, for a sentence."""
        return f"ended with status {self.status}" if self.status >= 0 else f"was ended by signal {-self.status}"

    def for_model(self, *, mend: bool = False) -> str:
        """Return the message about it for a model. With `mend` it asks for edits after which the command succeeds."""
        body = self.output.rstrip("\n") or "(no output)"
        cut = f" The first {self.left_out:,} characters of its output are left out." if self.left_out else ""
        request = "\n\nEdit the files so that it succeeds." if mend else ""
        return f"I ran `{self.line}`; it {self.outcome}.{cut}\n\n{fence_around([body]).around(body)}{request}"


def run_command_line(screen: Screen, folder: Path, line: str) -> FinishedCommand:
    """Run a line in the user's shell and show what it prints. Ctrl-C ends the command alone.

    Raises `OSError` where there is no shell.
    """
    screen.line(Styled(f"$ {line}", TextStyle.FAINT))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    kept, total, unfinished = "", 0, ""
    with subprocess.Popen(  # noqa: S602 - the user's own line, in the user's own shell
        line, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        with suppress(KeyboardInterrupt):  # the terminal sends it to the command as well
            while piece := os.read(process.stdout.fileno(), 1 << 16):
                text = decoder.decode(piece)
                total += len(text)
                kept = (kept + text)[-_MOST_KEPT:]
                *lines, unfinished = (unfinished + text).split("\n")
                for shown in lines:
                    screen.line(shown.removesuffix("\r"))
        if unfinished:
            screen.line(unfinished)
        try:
            status = process.wait(_PATIENCE)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            status = process.wait()
    return FinishedCommand(line, status, kept, total - len(kept))


def first_failure(
    screen: Screen, folder: Path, lint: Sequence[str], test: Sequence[str], paths: Iterable[str]
) -> FinishedCommand | None:
    """Run the commands that follow a write; return the first that fails, None if none does.

    lint: commands that take the written files behind their own words, as paths that no program takes for an option.
    test: commands that are run as they are.
    """
    there = [f"./{path}" for path in paths if (folder / path).exists()]
    lines = [f"{line} {shlex.join(there)}" for line in lint if there]
    for line in (*lines, *test):
        done = run_command_line(screen, folder, line)
        if done.status != 0:
            return done
    return None
