"""A plugin of `llm`: the tools `Dovetail_…` for its models, and the command ``llm apply``.

::

    llm -T 'Dovetail("/path/to/project")' "Greet in Dutch."     # the model reads and edits with the tools
    llm "Fix the bug in hello.py …" && llm apply                # or applies the edits of the last response
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import click

import llm
from dovetail.tools import Toolbox
from dovetail.tools.provider_calls import read


class Dovetail(llm.Toolbox):
    """The tools of one conversation on one folder."""

    def __init__(self, folder: str = ".") -> None:
        self._box = Toolbox(folder)

    def read_file(self, path: str, first_line: int = 1, last_line: int = 0) -> str:
        """Read a text file. Before each line stand its number, a hash of it, and a bar. last_line 0: to the end."""
        lines = {"first_line": first_line, **({"last_line": last_line} if last_line else {})}
        return self._call("read_file", path=path, **lines)

    def edit_file(self, path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        """Replace a text of a file, copied from it and standing there once, by another."""
        return self._call("edit_file", path=path, old_string=old_string, new_string=new_string, replace_all=replace_all)

    def write_file(self, path: str, content: str) -> str:
        """Create a file, or replace all of its text."""
        return self._call("write_file", path=path, content=content)

    def apply_edits(self, text: str) -> str:
        """Apply every edit in a text, in any common edit format: all of them, or none."""
        return self._call("apply_edits", text=text)

    def undo(self) -> str:
        """Take back the newest change, byte for byte."""
        return self._call("undo")

    def _call(self, name: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        return self._box.run(read({"name": name, "arguments": arguments})).text


@llm.hookimpl
def register_tools(register: Any) -> None:  # noqa: ANN401 - of `llm`
    """Offer the tools to `llm`'s models."""
    register(Dovetail)


@llm.hookimpl
def register_commands(cli: click.Group) -> None:
    """Add ``llm apply``."""

    @cli.command(name="apply", context_settings={"ignore_unknown_options": True})
    @click.argument("options", nargs=-1, type=click.UNPROCESSED)
    def apply_command(options: tuple[str, ...]) -> None:
        """Apply the edits of the last response; OPTIONS are those of `dovetail apply`."""
        logged = subprocess.run([sys.executable, "-m", "llm", "logs", "-r", "-n", "1"], capture_output=True, check=True)
        done = subprocess.run(
            [sys.executable, "-m", "dovetail", "apply", "-", *options], input=logged.stdout, check=False
        )
        sys.exit(done.returncode)
