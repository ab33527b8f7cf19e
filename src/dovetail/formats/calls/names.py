"""The names of tools and their fields: one table that every front end of calls reads.

Names are compared without case, underscores, hyphens and blanks; a tool's also without a server before it
(`functions.`, `mcp__filesystem__`) and a number behind it. To teach Dovetail a tool or a field, add it here; a tool
that is a tag of its own, in `vocabulary`, too.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from dovetail.text.listed import listed
from dovetail.text.pattern import pattern


class CallEffect(StrEnum):
    """What a call does to a file."""

    WRITE = "write"  # its content is the whole file
    CREATE = "create"  # the same, for a file that does not exist yet
    SKETCH = "sketch"  # the whole file, with lines left out where a mark says so
    DELETE = "delete"
    RENAME = "rename"
    REPLACE = "replace"  # replaces one text by another, or deletes it if there is no other
    PATCH = "patch"


def _fields(names: str) -> tuple[str, ...]:
    return tuple(names.replace("_", "").split())


# In each of these tuples the first name that a call has wins, so the surer names stand first.
PATH = _fields(
    """path file_path file file_name target_file target_file_path absolute_path relative_path uri target_path
    notebook_path path_in_project"""
)
OLD = _fields(
    """old_string old_str old_text old search find search_text old_content old_code target_content expected_content
    original original_code original_text old_lines search_block before needle"""
)
NEW = _fields(
    """new_string new_str new_text new replace replacement replace_text new_content new_code replacement_content
    replace_with updated updated_code updated_text new_lines replace_block modified modified_code after repl"""
)
SURE = _fields("old_string old_str old_text old_content old_code new_string new_str new_text new_content new_code")
"""Names of old and new texts that only edits have; the other names count only beside a path."""
CONTENT = _fields("content contents file_text file_content file_contents stream_content")
CALLED_CONTENT = (*CONTENT, *_fields("text code_edit body code the_content code_content"))
"""Fields that hold a file's text in a call of a known name."""
PATCH = _fields("patch diff unified_diff patch_text patch_content input the_diff search_replace_blocks")
CODE = _fields("code input script source javascript js")
"""Fields that hold a program which calls tools."""
COMMANDS = _fields("command cmd script")
FOLDERS = _fields("workdir cwd working_directory work_dir")
"""Where a command runs."""
MOVES = _fields("move_to move_path")
EDITS = _fields(
    """edit edits replacements changes operations multi_edits replacement_chunks str_replace_entries replace_blocks
    actions modifications code_changes diffs files"""
)
"""Fields that hold one edit or a list of edits."""
NEW_FILES = _fields("new_files")
"""A list of files beside the edits."""
LAST_NEWLINES = _fields("add_last_newline add_last_line_newline")
"""Flags that ask for a line end at the end of a file's text, which the text field lacks."""
EVERYWHERE = _fields("replace_all allow_multiple allow_multiple_matches replace_multiple change_all all many global")
COUNTS = _fields("expected_replacements expected_count expected_occurrences instance_count count")
"""How many places an edit expects."""
LINES = _fields("line line_number start_line replace_begin_line_number")
"""Where the old text begins, from 1."""
DRY_RUNS = _fields("dry_run is_dry_run preview preview_only")
PATTERNS = _fields("regex is_regex use_regex regexp ignore_case case_insensitive")
SOURCE = _fields("source old_path from src source_path source_file old_file_path from_path original_file_path")
# `new_name` stays last: `call._rename` cuts it off by its position, as a name is not a path.
TARGET = _fields("destination new_path to target dest destination_path target_path new_file_path to_path new_name")
FIRST_LINES = _fields(
    """start_line line_start start from_line first_line begin_line line line_number lineno insert_line at_line
    after_line before_line start_anchor anchor pos first position"""
)
LAST_LINES = _fields("end_line line_end end to_line last_line end_anchor last")
NEW_LINES = (*NEW, *_fields("lines content text insert_text insert_str"))
"""Where an edit by line begins and ends, and what it puts there."""
SYMBOLS = _fields("name_path name_path_pattern symbol symbol_name symbol_path")
SYMBOL_BODIES = _fields("body new_body content code new_code new_content text")
CELL_IDS = _fields("cell_id")
CELL_NUMBERS = _fields("cell_number cell_index cell")
CELL_MODES = _fields("edit_mode edit_type mode action operation")
CELL_LANGUAGES = _fields("cell_type language type")
CELL_SOURCES = _fields("new_source new_code source content code new_content")
REMARKS = _fields(
    """explanation reason description instruction instructions commit_message message notes plan reasoning summary
    thoughts title language"""
)
"""Fields that change nothing."""
PART_WORDS = listed(
    """after anchor append before cell column end endline index insert line lineno linenumber lines offset position
    range section selection start startline symbol"""
)
"""Words in a field's name which show that the call means a part of the file, so that its text is not the whole."""
WHOLE_ANYWAY = frozenset((*LAST_NEWLINES, *_fields("line_count line_ending line_endings total_lines")))

_TOOLS = {
    CallEffect.WRITE: """write write_file file_write fs_write write_to_file write_text_file overwrite_file rewrite_file
        save_file lov_write dyad_write""",
    CallEffect.CREATE: """create create_file create_new_file create_text_file create_new_file_with_text new_file
        add_file""",
    CallEffect.SKETCH: "edit_file edit_existing_file insert_edit_into_file propose_code",
    CallEffect.DELETE: "delete delete_file remove_file file_delete lov_delete dyad_delete",
    CallEffect.RENAME: """move rename move_file rename_file file_move file_rename move_or_rename_file lov_rename
        dyad_rename""",
    CallEffect.REPLACE: "str_replace",
    CallEffect.PATCH: "apply_patch apply_diff",
}
_ACTS = {name.replace("_", ""): act for act, names in _TOOLS.items() for name in names.split()}
_APPENDS = "append append_file append_to_file append_text fs_append"
APPENDS = _fields(_APPENDS)
"""Calls that append a text to a file, or, if they name a line, insert it after that line."""
LINE_ACTS: dict[str, str] = {
    name.replace("_", ""): act
    for act, names in {
        "replace": """replace_lines replace_line set_line set_lines edit_lines edit_line update_lines update_line
            change_lines change_line replace_line_range replace_range edit_line_range replace replace_text range set
            swap edit update""",
        "delete": "delete_lines delete_line remove_lines remove_line delete remove del",
        "after": f"""insert_after_line insert_line_after insert_lines_after insert_after add_after append_lines
            {_APPENDS}""",
        "before": """insert_before_line insert_line_before insert_lines_before insert_before insert_at_line add_before
            prepend prepend_lines""",
    }.items()
    for name in names.split()
}
"""What an edit by line does, by the name of its tool, its operation, or the field around it."""
SYMBOL_ACTS = {"replacesymbolbody": "replace", "insertbeforesymbol": "before", "insertaftersymbol": "after"}
CELL_ACTS = {
    "replace": "replace", "edit": "replace", "update": "replace", "insert": "insert", "add": "insert",
    "delete": "delete", "remove": "delete",
}  # fmt: skip
NOTEBOOK_TOOLS = frozenset(
    _fields("notebook_edit notebook_edit_cell edit_notebook edit_notebook_file edit_notebook_cell notebook_edit_tool")
)
_SERVERS = listed("functions function tools tool defaultapi mcp filesystem fs files editor morph")
_READS = listed(
    """analyze ask browse cat check diff execute explain fetch find get glob grep lint list ls open read run search
    show stat test think validate view"""
)
_EDITS = listed(
    """add append apply change comment create delete edit erase extract fix inline insert modify move overwrite patch
    prepend put refactor remove rename replace rewrite save set substitute update write"""
)
_SHELLS = ("bash", "shell", "exec", "run", "terminal", "command")
_NO_EDITS = frozenset(("createdirectory", "createfolder", "gitadd", "addtocontext"))
_CALLED = pattern(r"[a-zA-Z_][\w.]{0,80}(?=\()")
# `mcp__filesystem__write_file`, `functions.edit:0`, `editor/create`
_JOINT = pattern(r"__|[.:/]")
# The longest name, in characters, that is cached: a reply may have thousands of fields with names of megabytes.
_KEPT = 160
# `editHTMLFile` → edit, html, file; `str_replace` → str, replace
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def squashed(name: str) -> str:
    """Return the name of a tool or a field without case, underscores, hyphens and blanks."""
    return _squashed(name) if len(name) <= _KEPT else _squashed.__wrapped__(name)


@lru_cache(maxsize=4096)
def _squashed(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def words(name: str) -> list[str]:
    """Return the words of a name in snake, camel or kebab case, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def effect_of(name: str | None) -> CallEffect | None:
    """Return what a call of this name does, or None if the name is unknown, or too long for a tool's."""
    return _effect_of(name) if name is not None and len(name) <= _KEPT else None


@lru_cache(maxsize=1024)
def _effect_of(name: str) -> CallEffect | None:
    return _ACTS.get(squashed("".join(_parts(name))))


def reads(name: str) -> bool:
    """Return whether a name begins with a word for reading or searching, and is not that of a search-and-replace."""
    found = words("_".join(_parts(name)))
    # `search_replace` and `find_and_replace` begin like a search, and edit.
    return bool(found) and found[0] in _READS and "replace" not in found


def may_edit(name: str) -> bool:
    """Return whether a call of this name, known or not, may be an edit, so that it is reported if unreadable."""
    if effect_of(name) is not None:
        return True
    if reads(name) or squashed("".join(_parts(name))) in _NO_EDITS:
        return False
    return not _EDITS.isdisjoint(words(name))


def runs_shell(name: str | None) -> bool:
    """Return whether a call of this name runs a command of a shell."""
    return name is not None and any(word in name.lower() for word in _SHELLS)


def names_tool(name: str) -> bool:
    """Return whether a name can only be a tool's, even among a program's own functions: a known name of several words,
    or one with a known server before it."""
    parts = [part for part in _JOINT.split(name) if part]
    # A bare `create` or `move` may be any function of a program.
    return len(_parts(name)) < len(parts) or ("_" in name and effect_of(name) is not None)


def tool_in(text: str) -> str | None:
    """Return the name of the first call in Python's notation in a text that can only be an edit, or None."""
    return next((name for name in _CALLED.findall(text) if names_tool(name) and may_edit(name)), None)


def _parts(name: str) -> list[str]:
    """Split a name into its parts, without known servers before it and a number behind it."""
    parts = [part for part in _JOINT.split(name) if part]
    # Known servers only: of `db.delete` the `delete` is no call that deletes files.
    while len(parts) > 1 and squashed(parts[0]) in _SERVERS:
        parts.pop(0)
    if len(parts) > 1 and parts[-1].isdigit():
        parts.pop()
    return parts
