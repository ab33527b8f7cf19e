"""Whether an agent's own tool makes an edit as it is meant: its old text stands once in the file, to the letter.

Owns the quick look before each edit. It loads nothing; whatever it is not sure about is the engine's to judge (`mend`).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 4 << 20  # bytes of a file that is looked at


def is_exact(changes: Any, asked: dict[str, Any], folder: str) -> bool:  # noqa: ANN401 - as the table has it
    """Return whether an edit needs no help. `changes` is the table's word on the tool, `folder` where paths begin."""
    if isinstance(changes, dict):
        return _is_exact_patch(str(asked.get(changes["patch"]) or ""), folder)
    old, path = asked.get("oldString", asked.get("old_string")), next((asked.get(field) for field in changes), None)
    if not isinstance(old, str) or not old or not isinstance(path, str):
        return True  # it writes a file whole
    text = _text_of(os.path.join(folder, path))
    if text is None or "\r" in text:
        return True
    places = text.count(old)
    return places == 1 or (places > 1 and bool(asked.get("replaceAll", asked.get("replace_all"))))


def _is_exact_patch(patch: str, folder: str) -> bool:
    """Return whether each hunk of a patch has old lines that stand once in its file."""
    text: str | None = None
    old: list[str] = []
    for line in [*patch.splitlines(), "@@"]:
        if line.startswith(("@@", "*** ")):
            if old and text is not None and ("\n" + text).count("\n" + "\n".join(old) + "\n") != 1:
                return False
            old = []
            if line.startswith("*** Update File: "):
                text = _text_of(os.path.join(folder, line[17:].strip()))
                if text is None or "\r" in text:
                    return True
                text += "" if text.endswith("\n") else "\n"
            elif line.startswith(("*** Add File: ", "*** Delete File: ")):
                text = None
        elif line[:1] in (" ", "-", "") and text is not None:
            old.append(line[1:])
    return True


def _text_of(path: str) -> str | None:
    try:
        if os.stat(path).st_size > _LARGEST:
            return None
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError):
        return None
