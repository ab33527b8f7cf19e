"""Function calls written as Python: ``[edit(path="a.py", old_string="x", new_string="y")]``, ``print(api.edit(…))``.

Read as a syntax tree and never run; arguments are constants with a name, and lists and dictionaries of such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats import calls
from dovetail.formats.tool_call import give, give_broken
from dovetail.model.patterns import late

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from dovetail.formats.call_edits import Item
    from dovetail.formats.scanner import Scanner

LONGEST = 1 << 20
_NAME = late(r"[\[(\s]*(?:\w{1,80}\s{0,9}=\s{0,9})?(?:print\()?([a-zA-Z_][\w.]{0,80})\(")


def name_in(text: str) -> str | None:
    """The name of the call that a text begins with."""
    found = _NAME.match(text)
    return found[1] if found is not None else None


def items_in(text: str, line: int) -> tuple[list[tuple[Item, int]], int]:
    """Every edit in the calls that a text begins with, up to its last bracket, each with its line; and the offset of
    what stands behind them, 0 where there are none."""
    import ast
    import warnings

    stop = max(text.rfind("]"), text.rfind(")")) + 1
    if name_in(text) is None or stop > LONGEST:
        return [], 0
    source = text[:stop].lstrip()
    line += text.count("\n", 0, stop - len(source))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes that Python does not know
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], 0
    said = [call for one in body if isinstance(one, ast.Expr | ast.Assign) for call in _calls(one.value)]
    return [(item, line + call.lineno - 1) for call in said for item in _edits(call)], stop


def in_fence(scanner: Scanner, content: str, line: int) -> bool:
    """Read the calls of a closed fence; says whether it held edits. Calls that cannot be read are malformed where their
    first seems to edit."""
    found, stop = items_in(content, line)
    if not found and not content[stop:].strip():
        return False
    for item, at in found:
        give(scanner, item, at)
    if not found or content[stop:].strip():
        return give_broken(scanner, content[stop:], line + content.count("\n", 0, stop), name_in(content[stop:]))
    return True


def _edits(call: ast.Call) -> Iterator[Item]:
    arguments = {word.arg: _constant(word.value) for word in call.keywords if word.arg is not None}
    return calls.edits_in({"name": _dotted(call.func), "arguments": arguments}, None)


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
        case ast.Call(func=ast.Name(id="print"), args=inner):
            for one in inner:
                yield from _calls(one)
        case ast.Call():
            yield value
        case ast.List(elts=inner) | ast.Tuple(elts=inner):
            for one in inner:
                yield from _calls(one)
        case _:
            pass


def _constant(value: ast.expr) -> object:
    """What an argument says; None where it is to be computed."""
    import ast

    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
