"""The tools that a model is offered, as one table, and the shapes in which each provider wants them.

To add a tool, add its row here and its function in `toolbox`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from dovetail.model.errors import UsageError

Schema = dict[str, Any]


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _number(description: str) -> Schema:
    return {"type": "integer", "minimum": 1, "description": description}


_PATH = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    fields: JSON Schema of each argument, by name; those in `required` must be given.
    read_only: it changes no file. destructive: it may replace or remove what was there.
    idempotent: the same call again changes nothing more.
    """

    name: str
    title: str
    description: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    read_only: bool = False
    destructive: bool = True
    idempotent: bool = True

    @property
    def parameters(self) -> Schema:
        """The arguments as one JSON Schema."""
        return {
            "type": "object",
            "properties": dict(self.fields),
            "required": list(self.required),
            "additionalProperties": False,
        }


TOOLS = (
    Tool(
        "read_file",
        "Read a file",
        "Read a text file, with line numbers. Read a file before you edit it: if it changes afterwards, your edits are "
        "merged with the change, or refused.",
        {"path": _PATH, "first_line": _number("Default: 1."), "last_line": _number("Default: the last.")},
        ("path",),
        read_only=True,
        destructive=False,
    ),
    Tool(
        "edit_file",
        "Edit a file",
        "Replace a text of a file. Copy old_string from the file, with enough of the lines around to make it unique.",
        {
            "path": _PATH,
            "old_string": _text("The text to replace."),
            "new_string": _text("What to put in its place. Empty to delete."),
            "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
        },
        ("path", "old_string", "new_string"),
    ),
    Tool(
        "write_file",
        "Write a file",
        "Create a file, or replace all of its text: lines that are left out are lost.",
        {"path": _PATH, "content": _text("The whole text.")},
        ("path", "content"),
    ),
    Tool(
        "insert_lines",
        "Insert lines",
        "Insert lines behind a line of a file that you have read with read_file.",
        {
            "path": _PATH,
            "insert_line": _text(
                "The line behind which the text goes, with its number and hash as read_file shows them, for example "
                "12:9f. 0: at the beginning."
            ),
            "insert_text": _text("The lines to insert."),
        },
        ("path", "insert_line", "insert_text"),
        idempotent=False,
    ),
    Tool(
        "apply_patch",
        "Apply a patch",
        "Apply a patch, `*** Begin Patch` … `*** End Patch` or a unified diff, to one or several files: all of it or "
        "nothing.",
        {"patch": _text("The patch.")},
        ("patch",),
    ),
    Tool(
        "apply_edits",
        "Apply edits",
        "Apply all edits in a text, or none, in any common format: SEARCH/REPLACE blocks, patches, diffs, whole files.",
        {"text": _text("The edits, with the path of each file.")},
        ("text",),
    ),
    Tool(
        "preview",
        "Preview a change",
        "Show as a diff what another tool would change, and write nothing.",
        {
            "tool": {
                "type": "string",
                "enum": ["edit_file", "write_file", "insert_lines", "apply_patch", "apply_edits"],
            },
            "arguments": {"type": "object", "description": "Its arguments."},
        },
        ("tool", "arguments"),
        read_only=True,
        destructive=False,
    ),
    Tool(
        "undo",
        "Undo",
        "Take back the newest change that these tools made, or the one named, byte for byte.",
        {"operation": _text("Id of the operation. Default: the newest.")},
        idempotent=False,
    ),
    Tool("redo", "Redo", "Make the change again that was taken back last.", {}, idempotent=False),
    Tool(
        "history",
        "Show the history",
        "List the operations that these tools carried out, newest first, with their ids and files.",
        {"limit": _number("Most operations to list. Default: 20.")},
        read_only=True,
        destructive=False,
    ),
)
"""Every tool that there is, in the order in which models are shown them."""

BASIC = ("read_file", "edit_file", "write_file", "apply_patch", "apply_edits", "preview", "undo")
"""The tools that are enough for every change; each definition costs tokens in each request."""

BY_NAME = {tool.name: tool for tool in TOOLS}


def _openai(tool: Tool) -> Schema:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _responses(tool: Tool) -> Schema:
    return {"type": "function", **_openai(tool)["function"]}


def _anthropic(tool: Tool) -> Schema:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _gemini(tool: Tool) -> Schema:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}


def _mcp(tool: Tool) -> Schema:
    """Return a tool in MCP's shape, without fields that have MCP's default."""
    hints: Schema = {"title": tool.title, "openWorldHint": False}
    if tool.read_only:
        hints["readOnlyHint"] = True
    elif tool.idempotent:
        hints["idempotentHint"] = True
    schema = {key: value for key, value in tool.parameters.items() if key != "additionalProperties"}
    return {"name": tool.name, "description": tool.description, "inputSchema": schema, "annotations": hints}


_SHAPES: dict[str, Callable[[Tool], Schema]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
}

PROVIDERS = tuple(_SHAPES)


def definitions(provider: str, tools: Sequence[str] | None = None) -> list[Schema]:
    """Return the definitions of some tools in a provider's shape, ready to be sent with a request.

    provider: ``openai`` (Chat Completions), ``openai-responses``, ``anthropic`` (Messages), ``gemini`` (function
    declarations), or ``mcp``.
    tools: names of the tools; None for all of them.

    Raises `UsageError` for a provider or a tool that does not exist.
    """
    shape = _SHAPES.get(provider)
    if shape is None:
        raise UsageError(f"There is no provider {provider!r}.", hint=f"Take one of: {', '.join(PROVIDERS)}")
    return [shape(tool_named(name)) for name in (BY_NAME if tools is None else tools)]


def tool_named(name: str) -> Tool:
    """Return the tool of a name. Raises `UsageError` if there is none."""
    tool = BY_NAME.get(name)
    if tool is None:
        close = get_close_matches(name, BY_NAME, 1)
        hint = f"Did you mean {close[0]}?" if close else f"The tools are: {', '.join(BY_NAME)}"
        raise UsageError(f"There is no tool {name!r}.", hint=hint)
    return tool
