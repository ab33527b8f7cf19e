"""Tools for agents, without any SDK: definitions that a model is offered, and answers to its calls.

::

    from dovetail.tools import Toolbox, definitions

    tools = definitions("openai")               # send these with the request
    box = Toolbox("/path/to/project")
    result = box.answer(call)                   # and this back, for each call of the model
"""

from __future__ import annotations

from dovetail.llm.tool_definitions import PROVIDERS, TOOLS, Tool, definitions
from dovetail.tools.provider_calls import Answer, ToolResult
from dovetail.tools.recording import Recording
from dovetail.tools.toolbox import Toolbox, answer

__all__ = ["PROVIDERS", "TOOLS", "Answer", "Recording", "Tool", "ToolResult", "Toolbox", "answer", "definitions"]
