"""The JSON that Dovetail reads and prints, as a schema (JSON Schema, draft 2020-12) that ships with it.

Keys are only ever added, and the words of an enumeration never change their meaning.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from dovetail.model.errors import UsageError

DOCUMENTS = (
    "apply",
    "ask",
    "check",
    "undo",
    "log",
    "show",
    "new",
    "templates",
    "prompt",
    "formats",
    "transcript",
    "case",
    "answer",
    "error",
)
"""The names that `load` takes: the output of commands, the lines of `batch`, and the error object.

`new` and `prompt` print `templates` and `formats` if they are given no name.
"""


def load(document: str) -> dict[str, Any]:
    """Return the schema of one document, complete in itself. Raises `UsageError` for a name not in `DOCUMENTS`."""
    if document not in DOCUMENTS:
        raise UsageError(f"There is no schema of {document!r}.", hint=f"Choose one of: {', '.join(DOCUMENTS)}")
    shipped = json.loads(files(__package__).joinpath("dovetail.json").read_text(encoding="utf-8"))
    return {**shipped, "$ref": f"#/$defs/{document}"}
