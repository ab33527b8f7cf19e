r"""The format `whole`: a fence that holds a file's complete new text, with its path before it or in its info string.

Grammar::

    listing = path fence  |  fence-with-path        path: a line of its own, decorated or not, or ``Create `path`:``

In auto mode a listing is taken for one only where a path stands directly before the fence (one blank line may come
between under a heading or bold name) or in its info string; a path that is only mentioned in a sentence turns no
example into a write, unless the sentence says that the file is created. Where the line says more than its path, the
listing replaces no file, and where it says that a piece of the file follows, it is none. Nor does the last item of a
list of paths name the listing below it, unless it ends in a colon; nor does a title, or code, that is a name in no
folder and ends as no file that is known: ``### Array.map``. Shell, console, diff and output fences are never listings,
but for a script named like one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.lines.creating import creates
from dovetail.formats.lines.decoration import bare
from dovetail.formats.lines.info import shows_piece
from dovetail.formats.lines.names import OTHERS, listed
from dovetail.formats.lines.paths import Form, as_line, form_of, has_known_end, in_line, normalise
from dovetail.formats.scan import faults
from dovetail.formats.scan.place import Place
from dovetail.model.blocks import Block, Kind, Reading
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.lines.fences import Fence
    from dovetail.model.markers import Markers

SUGGESTION = "suggestion"
_PIECES = listed("""append before current delete excerpt insert old original partial prepend remove snippet
    suggestion""")
_LISTED = frozenset((Form.PHRASE, Form.REMARKED, Form.SPACED, Form.STRONG))
_SCRIPTS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")
_LABEL = late(
    r"\s*(?:(?:#|//|--|;|%|'|<!--|/\*)\s*filepath\s*:|%%(?:writefile|file)(?![ ]+-))"
    r"\s*(\S.{0,400}?)\s*(?:-->|\*/)?\s*$",
    re.IGNORECASE,
)
_SESSION = late(
    r"\s*(?:(?:\$|>>>|PS [^>\n]*>|[A-Z]:\\[^>\n]*>)[ ]\S|Traceback \(most recent call last\):"
    r"|(?:Uncaught )?[A-Z]\w*(?:Error|Exception): \S|E   +\S"
    r"|\S{1,300}?(?:\(\d+,\d+\)|:\d+(?::\d+)?): (?:fatal )?error\b)"
)
_TREE = late(r"\s*[\w./@ -]+\n\s*[├└]")
_MAY_BE_SESSIONS = (*fences.DOCUMENTS, ".doctest", ".log", ".out", ".pycon", ".session", ".yaml", ".yml")
_ITEM = late(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_ALL = late(
    r"\b(?:complete|entire|full|whole|vollständige[nrs]?|compl[eè]te?|complet[oa]|полн\w+)\b[^.!?]{0,40}"
    r"\b(?:code|contents?|files?|script|text|version|datei|fichier|archivo|arquivo|файл\w*)\b|\bfrom scratch\b"
    r"|完整的?(?:文件|代码|檔案|程式碼)",
    re.IGNORECASE,
)
_SENTENCES = 3  # lines above a listing that may speak of it
_MARKDOWN_NAME = late(r"\.(?:mdx?|markdown|rst|txt|adoc)\b")


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
    printed = _SESSION.match(content) is not None and not path.lower().endswith(_MAY_BE_SESSIONS)
    return printed or _TREE.match(content) is not None


def holds_fences(fence: Fence, lines: Sequence[str]) -> bool:
    """Whether a fence is around Markdown, which holds fences of its own; `lines` stand over it."""
    if fence.close:
        return False
    if fence.language in fences.MARKDOWN or fences.ends_as(fence.path, fences.DOCUMENTS):
        return True
    near = next(filter(str.strip, reversed(lines)), "").lower()
    return _MARKDOWN_NAME.search(near) is not None and any(c.path.endswith(fences.DOCUMENTS) for c in in_line(near))


def place_for(fence: Fence, above: Place, lines: Sequence[str], *, lenient: bool) -> Place | None:
    """Where the listing in `fence` belongs: its info string, else the line before; None if it is no listing.

    `lines` stand above the fence, and `above` is what they say; `lenient` also takes a path inside a sentence.
    """
    place = None
    if shows_piece(fence.info):
        return None
    if fence.path is not None and form_of(fence.path) is not Form.LANGUAGE:
        others = (above.path, *above.candidates) if above.path is not None and above.own else ()
        place = Place(fence.path, tuple(p for p in others if p != fence.path), own=True)
    elif above.own and above.path is not None:
        form, told = _directly_above(lines, above.path)
        if form is not Form.QUOTED and (lenient or told or (form in _LISTED and not _ends_list(lines))):
            asked = lenient and form not in (Form.LANGUAGE, Form.WORD)
            place = above._replace(mentioned=not asked and form not in (Form.SPACED, Form.STRONG))
    return None if place is None or place.path is None or _is_excluded(fence, place.path) else place


def _directly_above(lines: Sequence[str], path: str) -> tuple[Form | None, bool]:
    """How the nearest line, at most one blank line away, names `path`, and whether it says that the file is made.

    It is a phrase where the path is its last word, and the line may be a path with blanks in its folders. What may be
    no file's name counts as one inside a sentence.
    """
    for distance, line in enumerate(reversed(lines)):
        if line.strip():
            forms = {c.path: c.form for c in in_line(line)}
            phrased = any(f is Form.PHRASE and "/" in p and p.endswith(f" {path}") for p, f in forms.items())
            form = Form.PHRASE if phrased else forms.get(path)
            if form in _LISTED and _may_be_other(line, path):
                return Form.INSIDE, False
            return form, form is Form.INSIDE and creates(line, path)
        if distance:
            break
    return None, False


def _may_be_other(line: str, path: str) -> bool:
    """Whether a line that is no plain path, nor labelled as a file's, may name something else: a method, a library."""
    if "/" in path or (has_known_end(path) and path not in OTHERS):
        return False
    return line.strip().rstrip(":") != path and not bare(line).labelled


def _ends_list(lines: Sequence[str]) -> bool:
    """Whether the nearest line is the last item of a list of paths, and no more than that."""
    said = [line.rstrip() for line in lines if line.strip()][-2:]
    if len(said) < 2 or said[1].endswith((":", "：")) or not all(map(_ITEM.match, said)):
        return False
    return any(named.form in _LISTED for named in in_line(said[0]))


def listing(place: Place, fence: Fence, content: str, line: int, *, cut_off: bool) -> Block:
    """The block of a listing; `line` is its first content line. One that is cut off is malformed, and so is one whose
    fence says that it is a piece of its file."""
    text = (Reading("", fence.without_indent(content)),)
    block = place.block("whole", text, content, line, kind=Kind.REWRITE)
    if fence.language in _PIECES:
        return faults.spoil(block, faults.PIECE.at(line, word=fence.language))
    return faults.spoil(block, faults.NO_END.at(line, format="whole") if cut_off else None)


def says_all(lines: Sequence[str]) -> bool:
    """Whether the lines right above a listing say that it is all of its file."""
    said = [line for line in lines if line.strip()][-_SENTENCES:]
    return any(map(_ALL.search, said))


def _is_excluded(fence: Fence, path: str) -> bool:
    if fence.language in fences.SHELLS:
        return not path.lower().endswith(_SCRIPTS)
    shows_data = fence.language in fences.DATA and path.lower().endswith(fences.PROGRAMS)
    return shows_data or fence.language in fences.NO_FILES


def render(block: Block, fence: str, _markers: Markers) -> str:
    """The file under its path, in a fence longer than any inside."""
    marks = fences.longer_than(block.replace, fence)
    return f"{as_line(block.path)}\n{marks}\n{block.replace}{marks}\n"
