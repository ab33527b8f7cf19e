"""The editor that the OpenAI Agents SDK asks to carry out the model's patches.

::

    from agents import Agent, ApplyPatchTool
    from dovetail.adapters.openai_agents import DovetailEditor

    agent = Agent(name="Editor", tools=[ApplyPatchTool(editor=DovetailEditor("/path/to/project"))])
"""

from __future__ import annotations

import os

from agents.editor import ApplyPatchOperation, ApplyPatchResult

from dovetail.tools import Toolbox
from dovetail.tools.provider_calls import read


class DovetailEditor:
    """Carries out the operations of `apply_patch` on a folder: each whole or not at all, recorded in the journal.

    workspace: a folder, or the `Toolbox` of the conversation.
    """

    def __init__(self, workspace: Toolbox | str | os.PathLike[str]) -> None:
        self.toolbox = workspace if isinstance(workspace, Toolbox) else Toolbox(workspace)

    def create_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Create a file."""
        return self._carry_out(operation)

    def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Change a file, and move it if the operation says so."""
        return self._carry_out(operation)

    def delete_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Delete a file."""
        return self._carry_out(operation)

    def _carry_out(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        fields = {name: getattr(operation, name, None) for name in ("type", "path", "diff", "move_to")}
        call = {"type": "apply_patch_call", "operation": {k: v for k, v in fields.items() if v}}
        result = self.toolbox.run(read(call))
        return ApplyPatchResult(status="completed" if result.ok else "failed", output=result.text)
