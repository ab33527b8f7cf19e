"""The shape of a text: which lines belong together.

A scope is a run of lines that one node of the tree spans, from its first line to its last. Nodes inside one line are
never entered, so the cost follows the number of lines and not of nodes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dovetail.syntax import kinds
from dovetail.syntax.parsing import first_children, first_row, header_row, last_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from dovetail.syntax.parsing import Source


class Scope(NamedTuple):
    """Lines `first` to `last`, from 0, both included; `header` is the last line of its header."""

    first: int
    header: int
    last: int


class Outline:
    """The scopes of a text of `lines` lines, outer before inner, each pair of first and last line once."""

    def __init__(self, scopes: list[Scope], lines: int) -> None:
        self.scopes = scopes
        self._parents, self._innermost = _nest(scopes, lines)
        self._starting: dict[int, Scope] = {}
        for scope in scopes:
            self._starting.setdefault(scope.first, scope)

    def around(self, line: int) -> Iterator[Scope]:
        """The scopes that hold a line, innermost first."""
        index = self._innermost[line] if 0 <= line < len(self._innermost) else -1
        while index >= 0:
            yield self.scopes[index]
            index = self._parents[index]

    def starting(self, line: int) -> Scope | None:
        """The largest scope that begins on a line."""
        return self._starting.get(line)

    def inside(self, scope: Scope) -> Iterator[Scope]:
        """The scopes that lie inside another, in order."""
        for other in self.scopes:
            if scope.first <= other.first and other.last <= scope.last and other is not scope:
                yield other


def _nest(scopes: list[Scope], lines: int) -> tuple[list[int], list[int]]:
    """Return for each scope the index of the one around it, for each line that of the innermost one; -1 for none."""
    parents: list[int] = []
    innermost: list[int] = []
    opened: list[int] = []
    for index, scope in enumerate(scopes):
        # Scopes come sorted: by first line, the longer one first. `opened` is the stack of those around the line
        # reached.
        _fill(innermost, scopes, opened, scope.first)
        # Scopes may share a line: at `} else {` one ends and the next begins, and the first does not hold the second.
        while opened and scopes[opened[-1]].last < scope.last:
            opened.pop()
        parents.append(opened[-1] if opened else -1)
        opened.append(index)
    _fill(innermost, scopes, opened, lines)
    return parents, innermost


def _fill(innermost: list[int], scopes: list[Scope], opened: list[int], until: int) -> None:
    """Append the innermost open scope of each line before `until`, closing scopes that end."""
    for line in range(len(innermost), until):
        while opened and scopes[opened[-1]].last < line:
            opened.pop()
        innermost.append(opened[-1] if opened else -1)


def outline(source: Source) -> Outline:
    """Return the scopes of a text; the text as a whole is none."""
    lines = source.data.count(b"\n") + (not source.data.endswith(b"\n") and bool(source.data))
    spans: set[tuple[int, int]] = set()
    headers: dict[int, int] = {}  # first row to last row of a header, where the grammar marks the body
    parts: dict[int, int] = {}  # first row to last row of parameters, conditions and the like, which belong to a header
    for node in _long_nodes(source):
        first, last = first_row(node), min(last_row(node), lines - 1)
        kind = node.type
        holds_a_row = kind in kinds.LIST_TYPES
        if _in_header(kind):
            parts[first] = min(last, parts.get(first, last))
        elif not holds_a_row and (header := header_row(node)) is not None:
            headers[first] = min(header, headers.get(first, header))
        if first < last and not (holds_a_row and _is_list(node)) and not node.is_error:
            spans.add((first, last))
    # Where a node with a body begins on a line, its header counts, and not the end of parameters that begin there too.
    parts |= headers
    scopes = [
        Scope(first, parts[first] if parts.get(first, last) < last else first, last)
        for first, last in sorted(spans, key=lambda span: (span[0], -span[1]))
    ]
    return Outline(scopes, lines)


def _long_nodes(source: Source) -> Iterator[Node]:
    """Nodes of more than one line, the root left out."""
    cursor = source.tree.walk()
    down = cursor.goto_first_child()
    while down:
        node = cursor.node
        # Only nodes of several lines are entered: nothing inside of one line has more.
        if node is not None and node.start_point.row < node.end_point.row:
            yield node
            if cursor.goto_first_child():
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


@lru_cache(maxsize=4096)
def _in_header(kind: str) -> bool:
    return kinds.IN_HEADER.search(kind) is not None


def _is_list(node: Node) -> bool:
    """Return whether a node of `LIST_TYPES` begins with no opening token, so that its first line is no header."""
    first = next(first_children(node, 1), None)
    return first is None or first.type not in kinds.OPENINGS
