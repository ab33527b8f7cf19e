"""Checks that an agent's own tool will make an edit as it is meant: its old text is in the file exactly once.

Owns the quick check before each edit. It loads nothing; edits that do not pass are judged by the engine (`mend`).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OLD_AND_NEW = (("old_string", "new_string"), ("oldString", "newString"), ("oldText", "newText"), ("old_str", "new_str"))
"""The names of the two texts of an edit in the input of tools."""

_LARGEST = 4 << 20  # bytes of a file that is looked at


def is_exact(changes: Any, asked: dict[str, Any], folder: str) -> bool:  # noqa: ANN401 - as the table has it
    """Return whether an edit needs no help, also if that cannot be checked.

    changes: the table's entry on the tool. asked: the tool's input. folder: the folder that its paths are relative to.
    """
    if isinstance(changes, dict):
        return _is_exact_patch(str(asked.get(changes["patch"]) or ""), folder)
    path = next((asked[field] for field in changes if field in asked), None)
    edits = edits_of(asked)
    olds = [old for edit in edits for name, _ in OLD_AND_NEW if isinstance(old := edit.get(name), str) and old]
    # An edit without old text writes the whole file, or the call has an unknown form.
    if not isinstance(path, str) or len(olds) < len(edits):
        return True
    text = _text_of(os.path.join(folder, path))
    if text is None or "\r" in text:
        return True
    every = bool(asked.get("replaceAll", asked.get("replace_all")))
    return all((places := text.count(old)) == 1 or (places > 1 and every) for old in olds)


def edits_of(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the edits that a call lists; the call itself if it is a single edit."""
    listed = asked.get("edits")
    edits = [edit for edit in listed if isinstance(edit, dict)] if isinstance(listed, list) else []
    return edits or [asked]


def _is_exact_patch(patch: str, folder: str) -> bool:
    """Return whether the old lines of each hunk of a patch are in its file once, after those of the hunk before."""
    text: str | None = None
    old: list[str] = []
    at = 0
    for line in [*patch.replace("\r\n", "\n").removesuffix("\n").split("\n"), "@@"]:
        if line.startswith(("@@", "*** ")):
            if old and text is not None:
                # With line ends around it, so that only whole lines match; `text` has one in front for its first line.
                lines = "\n" + "\n".join(old) + "\n"
                if text.count(lines) != 1 or text.find(lines) < at:
                    return False
                # Before the last line end: it is also the first one of a hunk that follows at once.
                at = text.find(lines) + len(lines) - 1
            old = []
            if line.startswith("*** Update File: "):
                text = _text_of(os.path.join(folder, line[17:].strip()))
                if text is None or "\r" in text:
                    return True
                text, at = f"\n{text}" if text.endswith("\n") else f"\n{text}\n", 0
            elif line.startswith(("*** Add File: ", "*** Delete File: ")):
                text = None
            elif line.startswith("@@ ") and text is not None and text.find(line[3:].strip(), at) < 0:
                return False
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
