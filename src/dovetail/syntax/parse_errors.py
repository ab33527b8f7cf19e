"""Finds the lines where a text does not parse: its grammar's errors, and some that only compilers find.

Grammars take blanks between any two tokens, so most of them let a line end stand at either end of a quoted string, and
some anywhere in it. Some take each sign that is not ASCII for a letter, so a word in curly quotes is a name.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from dovetail.syntax.parsing import Source

_MOST_LINES = 1_000
_LINE_STRINGS = {
    **dict.fromkeys(("c", "cpp", "csharp", "java", "kotlin"), "string_literal"),
    **dict.fromkeys(("javascript", "typescript", "tsx", "lua", "python"), "string"),
    "css": "string_value",
    "go": "interpreted_string_literal",
    "scss": "string_value",
    "swift": "line_string_literal",
}
"""Languages whose quoted strings end with their line, each with the node that is such a string."""
# The opening mark of a string of one line, behind its letters (`f"`); not `"""`, which may go over many.
_ONE_QUOTE = pattern(r"[A-Za-z]*([\"'])(?!\1\1)")
_CURLY_QUOTE = re.compile(rb"\xe2\x80[\x98\x99\x9c\x9d]")
_NAME_TYPES = frozenset(("identifier", "property_identifier", "name"))


def error_lines(source: Source) -> tuple[int, ...]:
    """Return the numbers, from 1, of the lines where something unexpected begins or something expected is missing.

    At most the first 1,000, in order, each once. Subtrees without an error are not entered.
    """
    lines = set(islice(_let_pass(source), _MOST_LINES))
    cursor, left, going = source.tree.walk(), _MOST_LINES, True
    while going and left and (node := cursor.node) is not None:
        if node.is_error or node.is_missing:
            lines.add(node.start_point.row + 1)
            left -= 1
        if node.has_error and cursor.goto_first_child():
            continue
        while going and not cursor.goto_next_sibling():
            going = cursor.goto_parent()
    return tuple(sorted(lines)[:_MOST_LINES])


def _let_pass(source: Source) -> Iterator[int]:
    """Yield the lines, from 1, of strings that a line end cuts, and of names that contain a curly quote."""
    data, start = source.data, 0
    if (kind := _LINE_STRINGS.get(source.language)) is not None:
        for row, line in enumerate(data.split(b"\n"), 1):
            end = start + len(line)
            # An odd number of marks may be a string that the line end cuts (or an apostrophe in a comment): only then
            # the tree is asked what stands at the end of the line.
            if (line.count(b'"') % 2 or line.count(b"'") % 2) and not line.rstrip(b"\r").endswith(b"\\"):
                string = _node_at(source, end)
                if string is not None and string.type == kind and _ends_with_its_line(source, string):
                    yield row
            start = end + 1
    for sign in _CURLY_QUOTE.finditer(data):
        name = _node_at(source, sign.start())
        if name is not None and name.type in _NAME_TYPES:
            yield name.start_point.row + 1


def _node_at(source: Source, offset: int) -> Node | None:
    """Return the smallest node that holds a byte; the string itself, if that node is a string's content."""
    node = source.root.descendant_for_byte_range(offset, offset + 1)
    # Inside of a string the smallest node is its content.
    within = node is not None and node.type.endswith(("_content", "_fragment"))
    return node.parent if node is not None and within else node


def _ends_with_its_line(source: Source, string: Node) -> bool:
    parent = string.parent
    # JSX lets strings of attributes go over lines.
    attribute = parent is not None and parent.type == "jsx_attribute"
    return not attribute and _ONE_QUOTE.match(source.slice(string)) is not None
