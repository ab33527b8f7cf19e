"""The tags in which models write function calls: those around a call, those of tools, those around texts in it.

What a call of a name does, and what its fields are called, `calls.names` says.
"""

from __future__ import annotations

CALL_TAGS = (
    "search_and_replace|insert_content|str_replace|edit_file|write_file|rewrite_file|create_file|delete_file"
    "|move_file|rename_file|(?:lov|dyad)-(?:write|delete|rename|search-replace)"
)
"""Calls whose fields are tags, or attributes of their own one."""
ATTRIBUTES = r"(?:[ \t]+[\w-]{1,40}=(?:\"[^\"<>\n]{0,400}\"|'[^'<>\n]{0,400}')){1,9}[ \t]*/?"
TOOLS = rf"replace_in_file|write_to_file|apply_diff|{CALL_TAGS}|tool_call"
SPACE = r"(?:\w{1,20}:|\uff5c\w{1,20}\uff5c|\|\w{1,20}\|)"
"""The name space of a tag."""
WRAPPED = rf"(?:<{SPACE}?(?:function|tool)_calls?>[ \t]*)?"
CALL_ENDS = (
    rf"function(?:_calls?)?|tool_calls|invoke|parameter|arg_value|payload|file|diff|contents?|file_text"
    rf"|(?:old|new)_(?:string|str|text)|{TOOLS}"
)
"""Tags around a call, or around a text in it, as they are written to close it."""
NO_SENTENCE = r"(?![ \t]*(?:[^\s<]+[ \t]+){2}[^\s<])"
"""Behind a tool's tag: three words are a sentence about the tool."""
OLD_TEXTS = (
    "old(?:[_-]?(?:string|str|text|content|code|lines))?|search(?:[_-]?(?:text|block))?|find|target[_-]?content"
    "|original(?:[_-]?(?:code|text))?"
)
"""Tags around the text that an edit quotes."""
