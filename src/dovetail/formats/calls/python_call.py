"""Function calls written as Python: ``[edit(path="a.py", old_string="x", new_string="y")]``, ``print(api.edit(…))``.

Read as a syntax tree and never run; arguments are constants with a name, and lists and dictionaries of such. A call
that stands where it would have to run (in a loop, under a condition) is malformed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dovetail.formats.calls.give import give_all, give_broken
from dovetail.formats.calls.names import PATH, names_tool, squashed, tool_in
from dovetail.formats.calls.values import items_of_call

if TYPE_CHECKING:
    from dovetail.formats.calls.call import Item
    from dovetail.formats.scanner import Scanner

_LONGEST = 1 << 20


def items_in(text: str, line: int) -> tuple[list[tuple[Item, int]], int]:
    """Return every edit in the calls that a text begins with, up to its last bracket, each with its line; and the
    offset after them, 0 if it begins with none."""
    stop = max(text.rfind("]"), text.rfind(")")) + 1
    source = text[:stop].lstrip()
    # The blank lines that `lstrip` took off.
    line += text.count("\n", 0, stop - len(source))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes that Python does not know
            body = ast.parse(source).body if stop <= _LONGEST else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], 0
    # Calls that surely run, once. Of any other the arguments are left out, so that it becomes a malformed edit.
    plain = {call for one in body if isinstance(one, ast.Expr | ast.Assign) for call in _plain_calls(one.value)}
    found: list[tuple[Item, int]] = []
    for call in (node for one in body for node in ast.walk(one) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""
        if names_tool(name) or any(squashed(word.arg or "") in PATH for word in call.keywords):
            arguments = {word.arg: _constant(word.value) for word in call.keywords if word.arg and call in plain}
            found += ((item, line + call.lineno - 1) for item in items_of_call(name, arguments))
    return found, stop if body else 0


def in_fence(scanner: Scanner, content: str, line: int) -> bool:
    """Read the calls of a closed fence; return whether it held edits. Invalid Python that names one is malformed."""
    found, stop = items_in(content, line)
    give_all(scanner, found)
    rest = content[stop:]
    return give_broken(scanner, rest, line + content.count("\n", 0, stop), tool_in(rest)) or bool(found)


def _plain_calls(value: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls that an expression surely makes: itself, those in a list, or those that it prints or awaits."""
    match value:
        case ast.Call(func=ast.Name(id="print"), args=inner) | ast.List(elts=inner) | ast.Tuple(elts=inner):
            for one in inner:
                yield from _plain_calls(one)
        case ast.Call():
            yield value
        case ast.Await(value=inner):
            yield from _plain_calls(inner)


def _constant(value: ast.expr) -> object:
    """Return the value of a constant argument, or None for one that must be computed."""
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
