"""What tools are called, and what a call of each name does: a table of whole names.

A name counts without case, underscores and hyphens, and without the prefix of a known server (`functions.`,
`mcp__filesystem__`). What is not in the table is never guessed at: `seems_to_edit` only tells which calls must not
pass unsaid.
"""

from __future__ import annotations

import re
from enum import StrEnum

from dovetail.formats.lines.names import listed


class Act(StrEnum):
    """What a call does to a file."""

    WRITE = "write"  # its content is the whole file
    CREATE = "create"  # the same, of a file that is not there
    SKETCH = "sketch"  # the whole file, with lines left out where a mark says so
    DELETE = "delete"
    RENAME = "rename"
    REPLACE = "replace"  # a text by another; without another by nothing
    PATCH = "patch"


_NAMES = {
    Act.WRITE: """write write_file file_write fs_write write_to_file write_text_file overwrite_file rewrite_file
        save_file""",
    Act.CREATE: "create create_file create_new_file create_text_file create_new_file_with_text new_file add_file",
    Act.SKETCH: "edit_file edit_existing_file insert_edit_into_file",
    Act.DELETE: "delete delete_file remove_file file_delete",
    Act.RENAME: "move rename move_file rename_file file_move file_rename move_or_rename_file",
    Act.REPLACE: "str_replace",
    Act.PATCH: "apply_patch apply_diff",
}
_ACTS = {name.replace("_", ""): act for act, names in _NAMES.items() for name in names.split()}
_SERVERS = listed("functions function tools tool defaultapi mcp filesystem fs files editor")
_JOINT = re.compile(r"__|[.:/]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CALLED = re.compile(r"[a-zA-Z_][\w.]{0,80}(?=\()")
_READS = listed("""
    analyze ask browse cat check diff execute explain fetch find get glob grep lint list ls open read run
    search show stat test think validate view
""")
_EDITS = listed("""
    add append apply change comment create delete edit erase extract fix inline insert modify move overwrite
    patch prepend put refactor remove rename replace rewrite save set substitute update write
""")
_NO_EDITS = frozenset(("createdirectory", "createfolder", "gitadd", "addtocontext"))
_STEMS = ("append", "delete", "insert", "modify", "overwrite", "prepend", "remove", "rename", "replace", "rewrite")


def squashed(name: str) -> str:
    """A name or a field without case, underscores, hyphens and blanks."""
    return re.sub(r"[\s_-]", "", name).lower()


def words(name: str) -> list[str]:
    """The words of a name in snake, camel or kebab case, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def act_of(name: str) -> Act | None:
    """What a call of this name does; None where the name does not say."""
    return _ACTS.get(_bare(name))


def seems_to_edit(name: str) -> bool:
    """Whether a name that may be in no table speaks of a change."""
    said = words(name)
    if reads(name) or _bare(name) in _NO_EDITS:
        return False
    return any(word in _EDITS or word.startswith(_STEMS) for word in said)


def may_edit(name: str) -> bool:
    """Whether a call of this name may be an edit, known or not: one that cannot be read must not pass unsaid."""
    return act_of(name) is not None or seems_to_edit(name)


def names_tool(name: str) -> bool:
    """Whether a name can only be a tool's, also among the functions of a program: a known one of several words, or one
    of a known server."""
    parts = [part for part in _JOINT.split(name) if part]
    return len(_parts(name)) < len(parts) or ("_" in name and act_of(name) is not None)


def tool_in(text: str) -> str | None:
    """The name of the first call in a text, as Python writes them, that can only be an edit."""
    return next((name for name in _CALLED.findall(text) if names_tool(name) and seems_to_edit(name)), None)


def reads(name: str) -> bool:
    """Whether a name begins with a word for looking, and does not go on to replace what it finds."""
    said = words("_".join(_parts(name)))
    return bool(said) and said[0] in _READS and "replace" not in said


def _bare(name: str) -> str:
    """The name alone: without known servers before it and a number behind it."""
    return squashed("".join(_parts(name)))


def _parts(name: str) -> list[str]:
    parts = [part for part in _JOINT.split(name) if part]
    while len(parts) > 1 and squashed(parts[0]) in _SERVERS:
        parts.pop(0)
    if len(parts) > 1 and parts[-1].isdigit():
        parts.pop()
    return parts
