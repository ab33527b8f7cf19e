"""What agents and prompts made at home call the parts of an edit: tags of a call, tags around a text, fields.

Owns these names, each once. A field counts without case, underscores and hyphens (`squashed` in `tool_names`), and a
tag is found by a pattern that allows for the same. What a call of a name does, `tool_names` says, and what a tag inside
another means, `children`.
"""

from __future__ import annotations

CALL_TAGS = (
    "search_and_replace|insert_content|str_replace|edit_file|write_file|rewrite_file|create_file|delete_file"
    "|move_file|rename_file"
)
"""Calls whose fields are tags."""
TOOLS = rf"replace_in_file|write_to_file|apply_diff|{CALL_TAGS}|tool_call"
SPACE = r"(?:\w{1,20}:|\uff5c\w{1,20}\uff5c)"
"""The name space of a tag."""
WRAPPED = rf"(?:<{SPACE}?(?:function|tool)_calls?>[ \t]*)?"
CALL_ENDS = (
    rf"function(?:_calls?)?|tool_calls|invoke|parameter|arg_value|payload|file|diff|contents?|file_text"
    rf"|(?:old|new)_(?:string|str|text)|{TOOLS}"
)
"""Tags around a call, or around a text in it, as they are written to close it."""
NO_SENTENCE = r"(?![ \t]*(?:[^\s<]+[ \t]+){2}[^\s<])"
"""Behind a tool's tag: three words are a sentence about the tool."""
INSERTS = "insert|append|prepend"
ELEMENTS = (
    r"file|(?:(?:code|file)[_-])?(?:edit|change|update)|(?:change|code|edit|modify|replace|update)[_-]?file"
    rf"|modify|modification|patch|diff|replace|search[_-]replace|edit[_-]block|{INSERTS}"
)
"""Tags that name a file, in an attribute or in a tag of their own, around edits of it."""
FILE_CALLS = r"(?:write|create|delete|move|remove|rename)(?:[_-]?file)?|new[_-]?file"
"""Tags that say by their name what becomes of the file in their attributes."""
OTHERS = r"[a-z][\w-]{0,39}"
"""Any other tag: its name may speak of a change, as `tool_names` knows, or it is around a text of the file it names."""
FILE_TEXTS = "contents?|code"
"""Tags around a file's whole text, beside one around its path."""


def _fields(names: str) -> tuple[str, ...]:
    return tuple(names.replace("_", "").split())


PATH = _fields(
    """path file_path file file_name target_file absolute_path relative_path uri target_path notebook_path
    path_in_project"""
)
_OLD = "old_string old_str old_text old search find search_text old_content old_code target_content"
OLD = _fields(_OLD)
_NEW = "new_string new_str new_text new replace replacement replace_text new_content new_code replacement_content"
NEW = _fields(_NEW)
SURE = _fields("old_string old_str old_text old_content old_code new_string new_str new_text new_content new_code")
"""Those that only an edit has."""
CONTENT = _fields("content contents file_text file_content file_contents")
LOOSE_CONTENT = (*CONTENT, *_fields("text code_edit body code the_content code_content"))
PATCH = _fields("patch diff patch_text input the_diff search_replace_blocks")
EVERYWHERE = _fields("replace_all allow_multiple allow_multiple_matches replace_multiple change_all all global")
COUNTS = _fields("expected_replacements expected_count expected_occurrences instance_count count")
"""How many places an edit expects."""
LINES = _fields("line line_number start_line")
"""Where its old text begins."""
DRY_RUNS = _fields("dry_run is_dry_run preview preview_only")
"""A call with one of these on asks to be shown what it would do."""
PATTERNS = _fields("regex is_regex use_regex regexp ignore_case case_insensitive")
_OLD_BESIDE_PATH = f"{_OLD} original original_code original_text old_lines search_block"
OLD_BESIDE_PATH = _fields(_OLD_BESIDE_PATH)
NEW_BESIDE_PATH = _fields(
    f"{_NEW} replace_with updated updated_code updated_text new_lines replace_block modified modified_code patched"
)
"""These and the old ones may be fields of any data; they are an edit's where it names its file."""
OLD_TEXTS = "|".join(_OLD_BESIDE_PATH.replace("_", "[_-]?").split())
"""Tags around the text that an edit quotes."""
