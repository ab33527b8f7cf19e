"""Whether a file can be made at a path, and whether the one that is there can be touched.

Owns the refusals that need no text. A new path that differs from an existing one only in upper and lower case is
refused, since on many disks both are one file.
"""

from __future__ import annotations

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code
from dovetail.model.paths import folders_above
from dovetail.plan.files.paths import is_absolute, leaves, outside
from dovetail.plan.files.shelf import Sheet, Shelf
from dovetail.plan.outcomes import Rejected

_PROBLEM_HINTS: dict[Code, str] = {
    Code.BINARY: "Leave binary files to other tools.",
    Code.ENCODING: "Convert the file to UTF-8 first.",
    Code.UNREADABLE: "Check its permissions.",
    Code.READ_ONLY: "Make the file editable first.",
    Code.NOT_IN_CHAT: "Add the file to the conversation.",
    Code.OUTSIDE_ROOT: "Name a file inside the root.",
}


def untouchable(sheet: Sheet, shelf: Shelf) -> Rejected | None:
    """Why the file at a sheet's path cannot be edited at all; None where it can, or where nothing is there."""
    file, path = shelf.snapshot.files.get(sheet.path), sheet.path
    if file is not None and file.problem is not None:
        hint = _PROBLEM_HINTS.get(file.problem, "Leave the file alone.")
        return Rejected(file.problem, file.detail or f"`{path}` cannot be edited.", hint)
    if sheet.text is None and path in shelf.tree.paths:
        return Rejected(Code.FILE_MISSING, f"`{path}` exists, but its text was not read.", "Read the file first.")
    return None


def takes_name(block: Block) -> bool:
    """Whether a block is to take a file's name from it: a deletion, a rename, an edit that moves its file."""
    return block.kind in (Kind.DELETE, Kind.RENAME) or block.destination is not None


def unmovable(sheet: Sheet, block: Block, shelf: Shelf) -> Rejected | None:
    """Why a block cannot take the name from the file at a sheet's path; None where it can, or does not want to."""
    file = shelf.snapshot.files.get(sheet.path)
    if file is None or sheet.text is None or not takes_name(block):
        return None
    if file.link:
        reason = f"`{sheet.path}` is a link; Dovetail deletes and renames files only."
        return Rejected(Code.READ_ONLY, reason, "Remove the link by hand.")
    return _fixed(sheet.path, shelf)


def two_names(path: str, block: Block, shelf: Shelf) -> Rejected | None:
    """Why a block cannot be made beside those that name the same file otherwise; None where it can.

    What is written is written once, under whichever name; what is to become of the file without one of its names, while
    others change it, no order of blocks tells.
    """
    for twin, taken in shelf.twins(path):
        if taken or takes_name(block):
            reason = f"`{twin}` and `{path}` are one file, which is deleted or renamed where nothing else changes it."
            return Rejected(Code.READ_ONLY, reason, "Change it under one name, or in a reply of its own.")
    return None


def _fixed(path: str, shelf: Shelf) -> Rejected | None:
    if path not in shelf.snapshot.fixed:
        return None
    reason = f"Its folder does not let `{path}` be made, renamed or removed."
    return Rejected(Code.READ_ONLY, reason, "Look at the folder's permissions, and at what is mounted there.")


def uncreatable(sheet: Sheet, shelf: Shelf) -> Rejected | None:
    """Why a sheet cannot be given a text; None where it can, or has one."""
    return not_creatable(sheet.path, shelf) if sheet.text is None else None


def not_creatable(path: str, shelf: Shelf, besides: str = "") -> Rejected | None:
    """Why nothing can be made at `path`; `besides` is a path that will be gone by then."""
    refused = shelf.snapshot.refused.get(path)
    if refused is not None:
        return Rejected(Code.OUTSIDE_ROOT, refused, "Name a file inside the root.")
    if leaves(path) or is_absolute(path):
        return Rejected(Code.OUTSIDE_ROOT, outside(path), "Name the file by its path from the root.")
    tree = shelf.tree
    if path in tree.paths:
        return Rejected(Code.FILE_EXISTS, f"`{path}` already exists.", "Take another name, or delete it first.")
    held = next((below for below in tree.below(path) if below != besides), None)
    if held is not None:
        reason = f"`{path}` is a folder that holds `{held}`."
        return Rejected(Code.FILE_EXISTS, reason, "Name a file in it, or have all that it holds moved or deleted.")
    for name in (path, *folders_above(path)):
        for twin in () if tree.is_folder(name) else (*tree.in_other_case(name), *tree.folders_in_other_case(name)):
            if twin != besides:
                reason = f"`{twin}` exists, and `{name}` differs from it only in upper and lower case."
                return Rejected(Code.FILE_EXISTS, reason, f"If that is meant, name it `{twin}`")
    for folder in folders_above(path):
        if folder in tree.paths and folder != besides and folder not in shelf.snapshot.folders:
            reason = f"`{folder}` is a file, not a folder."
            return Rejected(Code.FILE_EXISTS, reason, "Take another folder, or have that file moved or deleted.")
    return _fixed(path, shelf)
