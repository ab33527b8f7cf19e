"""Checks that an agent's own tool makes an edit as it is meant: its old text stands exactly once in the file.

Owns the quick look before each edit. It loads nothing; whatever it is not sure about is the engine's to judge (`mend`).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OLD_AND_NEW = (("old_string", "new_string"), ("oldString", "newString"), ("oldText", "newText"), ("old_str", "new_str"))
"""What tools call the two texts of an edit."""

_LARGEST = 4 << 20  # bytes of a file that is looked at


def is_exact(changes: Any, asked: dict[str, Any], folder: str) -> bool:  # noqa: ANN401 - as the table has it
    """Return whether an edit needs no help. `changes` is the table's word on the tool, `folder` where paths begin."""
    if isinstance(changes, dict):
        return _is_exact_patch(str(asked.get(changes["patch"]) or ""), folder)
    path = next((asked[field] for field in changes if field in asked), None)
    edits = edits_of(asked)
    olds = [old for edit in edits for name, _ in OLD_AND_NEW if isinstance(old := edit.get(name), str) and old]
    # An edit without old text writes all of its file, or a call is not of a form that is known here.
    if not isinstance(path, str) or len(olds) < len(edits):
        return True
    text = _text_of(os.path.join(folder, path))
    if text is None or "\r" in text:
        return True
    every = bool(asked.get("replaceAll", asked.get("replace_all")))
    return all((places := text.count(old)) == 1 or (places > 1 and every) for old in olds)


def edits_of(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The edits that a call lists, or the call itself, which is one."""
    listed = asked.get("edits")
    edits = [edit for edit in listed if isinstance(edit, dict)] if isinstance(listed, list) else []
    return edits or [asked]


def _is_exact_patch(patch: str, folder: str) -> bool:
    """Return whether each hunk of a patch has old lines that stand once in its file, behind those of the one before."""
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
