"""Patterns of the tags in which models write function calls: around a call, of tools, and around texts in it.

`calls.names` has the effects of calls and the names of their fields.
"""

from __future__ import annotations

CALL_TAGS = (
    "search_and_replace|insert_content|str_replace|edit_file|write_file|rewrite_file|create_file|delete_file"
    "|move_file|rename_file|(?:lov|dyad)-(?:write|delete|rename|search-replace)"
)
"""Calls whose fields are tags, or attributes of the call's tag."""
ATTRIBUTES = r"(?:[ \t]+[\w-]{1,40}=(?:\"[^\"<>\n]{0,400}\"|'[^'<>\n]{0,400}')){1,9}[ \t]*/?"
TOOLS = rf"replace_in_file|write_to_file|apply_diff|{CALL_TAGS}|tool_call"
SPACE = r"(?:\w{1,20}:|\uff5c\w{1,20}\uff5c|\|\w{1,20}\|)"
"""The name space of a tag."""
WRAPPED = rf"(?:<{SPACE}?(?:function|tool)_calls?>[ \t]*)?"
CALL_ENDS = (
    rf"function(?:_calls?)?|tool_calls|invoke|parameter|arg_value|payload|file|diff|contents?|file_text"
    rf"|(?:old|new)_(?:string|str|text)|{TOOLS}"
)
"""Names of tags that close a call or a text in it."""
NO_SENTENCE = r"(?![ \t]*(?:[^\s<]+[ \t]+){2}[^\s<])"
"""After a tool's tag: three words make it a sentence about the tool, so no call begins."""
OLD_TEXTS = (
    "old(?:[_-]?(?:string|str|text|content|code|lines))?|search(?:[_-]?(?:text|block))?|find|target[_-]?content"
    "|original(?:[_-]?(?:code|text))?"
)
"""Tags around the text that an edit quotes."""
