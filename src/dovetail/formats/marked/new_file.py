r"""The `NEW_FILE` block of `sections`: a file's whole text, for a file that is not there yet.

Grammar::

    block = "<<<<<<< NEW_FILE" divider? line* ">>>>>>> NEW_FILE"

A divider on the first line stands behind a search that is empty, unless it is drawn over a title.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import unfenced
from dovetail.formats.marked.machine import MarkedBlock
from dovetail.formats.marked.readings import dedented
from dovetail.model.blocks import Kind, Reading

if TYPE_CHECKING:
    from dovetail.formats.events import Part
    from dovetail.formats.marked.machine import Role
    from dovetail.model.blocks import Block


_END = r"(?i)[ \t]*(?:>RUN|(?:&gt;)RUN)[ \t]*NEW_FILE>?[ \t]*\n?$"


class NewFile(MarkedBlock):
    """One new file. There is no divider to wait for."""

    format = "sections"
    needs_divider = False
    divided = True
    part: Part = "replace"

    def end_marker(self) -> str:
        """With its own word."""
        return f"{'>' * self.scanner.grammar.markers.usual} NEW_FILE"

    def role(self, text: str) -> Role | None:
        """Only its own markers count."""
        grammar = self.scanner.grammar
        if grammar.compiled(_END).match(text):
            return "end"
        start = grammar.start(text)
        return "start" if start is not None and start.family == "new-file" else None

    def build(self, body: str, raw: str) -> Block:
        """A creation; where the whole block is indented, without that indentation."""
        body = dedented(body, self.start.indent) or body
        text = (Reading("", unfenced(self._text(body), self.place.path)),)
        return self.place.block(self.format, text, raw, self.first, kind=Kind.CREATE)

    def _text(self, body: str) -> str:
        """The file's text."""
        first, _, rest = body.partition("\n")
        under = rest.split("\n", 2)[1:2]
        over = bool(under) and under[0].rstrip() == first.rstrip()
        return rest if self.scanner.grammar.is_divider(first) and not over else body
