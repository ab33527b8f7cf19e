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

_PATH = {"type": "string", "description": "Path of the file, relative to the project's root."}


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
        "Read a text file of the project. Before each line stand its number, a hash of it, and a bar. Read a file "
        "before you edit it: if it changes afterwards, your edits are merged with the change, or refused.",
        {
            "path": _PATH,
            "first_line": {"type": "integer", "minimum": 1, "description": "First line to read. Default: 1."},
            "last_line": {"type": "integer", "minimum": 1, "description": "Last line to read. Default: the last."},
        },
        ("path",),
        read_only=True,
        destructive=False,
    ),
    Tool(
        "edit_file",
        "Edit a file",
        "Replace a text of a file by another. The old text must be copied from the file and must occur once, unless "
        "replace_all is true. Include some unchanged lines around the change to make it unique.",
        {
            "path": _PATH,
            "old_string": {"type": "string", "description": "The text to replace, copied from the file."},
            "new_string": {"type": "string", "description": "The text to put in its place. Empty to delete."},
            "replace_all": {"type": "boolean", "description": "Replace every occurrence. Default: false."},
        },
        ("path", "old_string", "new_string"),
    ),
    Tool(
        "write_file",
        "Write a file",
        "Create a file, or replace all of its text. Send the whole text: lines that are left out are lost.",
        {"path": _PATH, "content": {"type": "string", "description": "The whole text of the file."}},
        ("path", "content"),
    ),
    Tool(
        "insert_lines",
        "Insert lines",
        "Insert lines behind a line of a file that you have read with read_file.",
        {
            "path": _PATH,
            "insert_line": {
                "type": "string",
                "description": "The line behind which the text goes, with its number and hash as read_file shows them, "
                "for example 12:9f. 0: at the beginning.",
            },
            "insert_text": {"type": "string", "description": "The lines to insert."},
        },
        ("path", "insert_line", "insert_text"),
        idempotent=False,
    ),
    Tool(
        "apply_patch",
        "Apply a patch",
        "Apply a patch in the format `*** Begin Patch` … `*** End Patch`, or a unified diff. It may add, change, move "
        "and delete several files. All of it is written, or nothing.",
        {"patch": {"type": "string", "description": "The patch."}},
        ("patch",),
    ),
    Tool(
        "apply_edits",
        "Apply edits",
        "Apply every edit in a text, in any common edit format: SEARCH/REPLACE blocks, patches, diffs, whole files. "
        "All of them are written, or nothing.",
        {"text": {"type": "string", "description": "The text with the edits, and the path of each file."}},
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
                "description": "Name of the tool.",
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
        {"operation": {"type": "string", "description": "Id of the operation. Default: the newest."}},
        idempotent=False,
    ),
    Tool("redo", "Redo", "Make the change again that was taken back last.", {}, idempotent=False),
    Tool(
        "history",
        "Show the history",
        "List the operations that these tools carried out, newest first, with their ids and files.",
        {"limit": {"type": "integer", "minimum": 1, "description": "Most operations to list. Default: 20."}},
        read_only=True,
        destructive=False,
    ),
)
"""Every tool that there is, in the order in which models are shown them."""

BY_NAME = {tool.name: tool for tool in TOOLS}

RESULT_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean", "description": "Whether all that was asked for is done."},
        "operation": {"type": ["string", "null"], "description": "Id of what was written, for undo."},
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "change": {"enum": ["created", "modified", "renamed", "deleted"]},
                },
                "required": ["path", "change"],
            },
        },
        "edits": {"type": "array", "items": {"type": "object"}, "description": "What became of each edit."},
        "diff": {"type": "string", "description": "Of a preview: what would be written, as a patch."},
        "operations": {"type": "array", "items": {"type": "object"}, "description": "Of the history."},
    },
    "required": ["ok"],
}
"""The structured result of every tool, as JSON Schema."""


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
    hints = {
        "title": tool.title,
        "readOnlyHint": tool.read_only,
        "destructiveHint": tool.destructive,
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "outputSchema": RESULT_SCHEMA,
        "annotations": hints,
    }


_SHAPES: dict[str, Callable[[Tool], Schema]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
}

PROVIDERS = tuple(_SHAPES)


def definitions(provider: str, tools: Sequence[str] | None = None) -> list[Schema]:
    """The definitions of some tools in a provider's shape, ready to be sent with a request.

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
    """The tool of a name. Raises `UsageError` if there is none."""
    tool = BY_NAME.get(name)
    if tool is None:
        close = get_close_matches(name, BY_NAME, 1)
        hint = f"Did you mean {close[0]}?" if close else f"The tools are: {', '.join(BY_NAME)}"
        raise UsageError(f"There is no tool {name!r}.", hint=hint)
    return tool
