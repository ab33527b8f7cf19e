r"""The format `whole`: a fence that holds a file's complete new text, with its path before it or in its info string.

Grammar::

    listing = path fence  |  fence-with-path        path: a line of its own, decorated or not, or ``Create `path`:``

Which file a fence holds, `above` says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.lines.decoration import bare
from dovetail.formats.lines.names import listed
from dovetail.formats.lines.paths import Form, as_line, form_of, normalise
from dovetail.formats.scan import faults
from dovetail.model.blocks import Block, Kind, Reading

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.place import Place
    from dovetail.model.markers import Markers

SUGGESTION = "suggestion"
_PIECES = listed("""append before current delete excerpt insert old original partial prepend remove snippet
    suggestion""")
_LABEL = re.compile(
    r"\s*(?:(?:#|//|--|;|%|'|<!--|/\*)\s*filepath\s*:|%%(?:writefile|file)(?![ ]+-))"
    r"\s*(\S.{0,400}?)\s*(?:-->|\*/)?\s*$",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"\s*(?:(?:\$|>>>|PS [^>\n]*>|[A-Z]:\\[^>\n]*>)[ ]\S|Traceback \(most recent call last\):"
    r"|(?:Uncaught )?[A-Z]\w*(?:Error|Exception): \S|E   +\S"
    r"|\S{1,300}?(?:\(\d+,\d+\)|:\d+(?::\d+)?): (?:fatal )?error\b)"
)
_TREE = re.compile(r"\s*[\w./@ -]+\n\s*[├└]")
_MAY_BE_SESSIONS = (*fences.DOCUMENTS, ".doctest", ".log", ".out", ".pycon", ".session", ".yaml", ".yml")


def names_file(text: str) -> bool:
    """Whether a line is nothing but a path. A closing tag is none."""
    if "\n" in (line := text.strip()) or line.startswith("</"):
        return False
    cleaned, named, labelled = bare(text)
    return form_of(cleaned, named=named, labelled=labelled) >= Form.SPACED


def labelled(content: str) -> tuple[str, str] | None:
    """The path that a listing's first line is labelled with, as ``// filepath: src/a.js`` or a notebook's
    ``%%writefile src/a.py``, and the lines below it."""
    first, _, rest = content.partition("\n")
    label = _LABEL.match(first)
    if label is None or form_of(path := normalise(label[1])) < Form.STRONG:
        return None
    return path, rest


def shows_session(content: str, path: str) -> bool:
    """Whether a listing begins as what a shell, an interpreter or a compiler prints, and its file is none that may hold
    that; no file begins as the tree of a folder does."""
    printed = _SESSION.match(content) is not None and not fences.ends_as(path, _MAY_BE_SESSIONS)
    return printed or _TREE.match(content) is not None


def listing(place: Place, fence: Fence, content: str, line: int, *, cut_off: bool) -> Block:
    """The block of a listing; `line` is its first content line. One that is cut off is malformed, and so is one whose
    fence says that it is a piece of its file."""
    text = (Reading("", fence.without_indent(content)),)
    block = place.block("whole", text, content, line, kind=Kind.REWRITE)
    if fence.language in _PIECES:
        return faults.spoil(block, faults.PIECE.at(line, word=fence.language))
    return faults.spoil(block, faults.NO_END.at(line, format="whole") if cut_off else None)


def render(block: Block, fence: str, _markers: Markers) -> str:
    """The file under its path, in a fence longer than any inside."""
    return f"{as_line(block.path)}\n{fences.around(block.replace, fence, fences.tongue(block))}"
