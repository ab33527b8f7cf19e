"""A backend for deepagents whose edits and writes are Dovetail's.

::

    from deepagents import create_deep_agent
    from dovetail.adapters.deep_agents import DovetailBackend

    agent = create_deep_agent(model=model, backend=DovetailBackend("/path/to/project"))
"""

from __future__ import annotations

import os

from deepagents.backends.filesystem import FilesystemBackend
from deepagents.backends.protocol import EditResult, WriteResult

from dovetail.tools import Toolbox
from dovetail.tools.provider_calls import read

_ALL = 10_000_000  # lines


class DovetailBackend(FilesystemBackend):
    """Reads like `FilesystemBackend`, in a root that is ``/`` for the model; writes are operations of the journal.

    workspace: a folder, or the `Toolbox` of the conversation.
    """

    def __init__(self, workspace: Toolbox | str | os.PathLike[str]) -> None:
        self.toolbox = workspace if isinstance(workspace, Toolbox) else Toolbox(workspace)
        super().__init__(root_dir=self.toolbox.root, virtual_mode=True)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Replace a text; the result of a failed edit has the message that helps to correct it."""
        path = file_path.lstrip("/")
        found = self.read(file_path, limit=_ALL).file_data if replace_all else None
        fields = {"path": path, "old_string": old_string, "new_string": new_string, "replace_all": replace_all}
        error = self._error("edit_file", fields)
        if error is not None:
            return EditResult(error=error)
        return EditResult(path=file_path, occurrences=max(1, found["content"].count(old_string)) if found else 1)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Create a file, or replace all of its text."""
        error = self._error("write_file", {"path": file_path.lstrip("/"), "content": content})
        return WriteResult(path=file_path) if error is None else WriteResult(error=error)

    def _error(self, name: str, arguments: dict[str, object]) -> str | None:
        """Carry out a call; return None if it is done, else the message for the model."""
        result = self.toolbox.run(read({"name": name, "arguments": arguments}))
        return None if result.ok else result.text
