"""Function calls written as Python: ``[edit(path="a.py", old_string="x", new_string="y")]``, ``print(api.edit(…))``.

Read as a syntax tree and never run; arguments are constants with a name, and lists and dictionaries of such. A call
that stands where it would have to run (in a loop, under a condition) is malformed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.calls import shapes
from dovetail.formats.calls.tool_call import give_all, give_broken
from dovetail.formats.calls.tool_names import names_tool, squashed, tool_in
from dovetail.formats.lines.vocabulary import PATH

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from dovetail.formats.calls.call_edits import Item
    from dovetail.formats.scan.scanner import Scanner

LONGEST = 1 << 20


def items_in(text: str, line: int) -> tuple[list[tuple[Item, int]], int]:
    """Every edit in the calls that a text begins with, up to its last bracket, each with its line; and the offset of
    what stands behind them, 0 where there are none."""
    import ast
    import warnings

    stop = max(text.rfind("]"), text.rfind(")")) + 1
    source = text[:stop].lstrip()
    line += text.count("\n", 0, stop - len(source))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes that Python does not know
            body = ast.parse(source).body if stop <= LONGEST else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], 0
    said = {call for one in body if isinstance(one, ast.Expr | ast.Assign) for call in _calls(one.value)}
    every = [node for one in body for node in ast.walk(one) if isinstance(node, ast.Call) and _is_tool(node)]
    found = [(item, line + call.lineno - 1) for call in every for item in _edits(call, plain=call in said)]
    return found, stop if body else 0


def in_fence(scanner: Scanner, content: str, line: int) -> bool:
    """Read the calls of a closed fence; says whether it held edits. What is no Python is malformed if it names one."""
    found, stop = items_in(content, line)
    give_all(scanner, found)
    rest = content[stop:]
    return give_broken(scanner, rest, line + content.count("\n", 0, stop), tool_in(rest)) or bool(found)


def _is_tool(call: ast.Call) -> bool:
    """Whether a call is a tool's, and not one of a program's own functions."""
    return names_tool(_dotted(call.func)) or any(squashed(word.arg or "") in PATH for word in call.keywords)


def _edits(call: ast.Call, *, plain: bool) -> Iterator[Item]:
    """The edits of a call; of one that is not `plain`, as it may run or not, none that could be read."""
    arguments = {word.arg: _constant(word.value) for word in call.keywords if word.arg is not None and plain}
    return shapes.of_call(_dotted(call.func), arguments)


def _dotted(function: ast.expr) -> str:
    """The name of what is called, as it is written."""
    import ast

    parts: list[str] = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    parts.append(function.id if isinstance(function, ast.Name) else "")
    return ".".join(reversed(parts))


def _calls(value: ast.expr) -> Iterator[ast.Call]:
    """The calls that an expression is: one, a list of them, or those that it prints."""
    import ast

    match value:
        case ast.Call(func=ast.Name(id="print"), args=inner) | ast.List(elts=inner) | ast.Tuple(elts=inner):
            for one in inner:
                yield from _calls(one)
        case ast.Call():
            yield value
        case ast.Await(value=inner):
            yield from _calls(inner)
        case _:
            pass


def _constant(value: ast.expr) -> object:
    """What an argument says; None where it is to be computed."""
    import ast

    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
