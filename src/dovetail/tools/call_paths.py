"""Resolves the paths of an agent's calls, which are relative to the folder in which the agent runs."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from pathlib import Path

from dovetail.model.errors import UsageError
from dovetail.text.path_spelling import is_absolute


@dataclass(frozen=True, slots=True)
class CallPaths:
    """The paths of one agent's calls.

    root: the folder outside of which nothing is read or written. runs_in: the folder in which the agent runs, the root
    or one below it. Both are absolute and without links.
    """

    root: Path
    runs_in: Path

    def __post_init__(self) -> None:
        if not self.runs_in.is_relative_to(self.root):
            raise UsageError(f"`{self.runs_in}` is not below `{self.root}`.", hint="Name a folder of the root.")

    @property
    def root_in_words(self) -> str:
        """A sentence that tells the model which folder paths are relative to."""
        if self.runs_in == self.root:
            return f"Paths count from {self.root}; nothing outside of it is read or written."
        return f"Paths count from {self.runs_in}; nothing outside of {self.root} is read or written."

    def shown(self, path: str) -> str:
        """Turn a path relative to the root into one relative to the agent's folder."""
        folder = self._folder
        return path if folder == "." else posixpath.relpath(path, folder)

    @property
    def _folder(self) -> str:
        return self.runs_in.relative_to(self.root).as_posix()

    def from_root(self, path: str) -> str:
        """Turn a path of a call into one relative to the root; one outside of it is returned unchanged.

        The workspace refuses the latter.
        """
        plain = path.replace("\\", "/") if os.sep == "\\" else path
        if Path(plain).is_absolute():
            for at in (Path(plain), Path(os.path.realpath(Path(plain).parent)) / Path(plain).name):  # or by a link
                if at.is_relative_to(self.root):
                    return at.relative_to(self.root).as_posix()
            return path
        # `../lib/a.py` from `app` is `lib/a.py`; a path that leaves the root is unchanged, so that the refusal quotes
        # it as the model wrote it.
        here = posixpath.normpath(posixpath.join(self._folder, plain))
        return path if not plain or is_absolute(plain) or f"{here}/".startswith("../") else here
