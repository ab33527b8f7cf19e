r"""What stands above a fence, and which file that says it holds: its text, or changes of it.

A path counts where it stands directly before the fence (one blank line may come between under a heading or bold name)
or in its info string; a path that is only mentioned in a sentence turns no example into a write, unless the sentence
says that the file is created. Where the line says more than its path, the listing replaces no file, and where it says
that a piece of the file follows, it is none. Nor does the last item of a list of paths name the listing below it,
unless it ends in a colon; nor does a title, or code, that is a name in no folder and ends as no file that is known:
``### Array.map``. Shell, console, diff and output fences are never listings, but for a script named like one.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.lines.creating import creates
from dovetail.formats.lines.decoration import bare
from dovetail.formats.lines.info import shows_piece
from dovetail.formats.lines.names import OTHERS
from dovetail.formats.lines.paths import Form, form_of, has_known_end, in_line
from dovetail.formats.scan.place import Place, locate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.scanner import Scanner

_LISTED = frozenset((Form.PHRASE, Form.REMARKED, Form.SPACED, Form.STRONG))
_SCRIPTS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_ALL = re.compile(
    r"\b(?:complete|entire|full|whole|vollständige[nrs]?|compl[eè]te?|complet[oa]|полн\w+)\b[^.!?]{0,40}"
    r"\b(?:code|contents?|files?|script|text|version|datei|fichier|archivo|arquivo|файл\w*)\b|\bfrom scratch\b"
    r"|完整的?(?:文件|代码|檔案|程式碼)",
    re.IGNORECASE,
)
_SENTENCES = 3  # lines above a listing that may speak of it
_MARKDOWN_NAME = re.compile(r"\.(?:mdx?|markdown|rst|txt|adoc)\b")


class Above:
    """The `lines` above a fence."""

    def __init__(self, scanner: Scanner, fence: Fence, lines: Sequence[str]) -> None:
        self.scanner = scanner
        self.fence = fence
        self.lines = lines

    @cached_property
    def place(self) -> Place:
        """What they say."""
        return locate(self.scanner, self.lines, None)

    @cached_property
    def file(self) -> Place | None:
        """The file whose text the fence may hold."""
        return self._file(self.fence, lenient=False)

    @cached_property
    def mentioned_file(self) -> Place | None:
        """The same, or one that a sentence names."""
        return self._file(self.fence, lenient=True)

    def changed_file(self, *, lenient: bool = False) -> Place | None:
        """The file whose changes a diff fence may hold; `lenient`: also one that a sentence names."""
        return self._file(fences.Fence(self.fence.mark, self.fence.path or ""), lenient=lenient)

    @cached_property
    def holds_fences(self) -> bool:
        """Whether the fence is around Markdown, which holds fences of its own."""
        if self.fence.close:
            return False
        if self.fence.language in fences.MARKDOWN or fences.ends_as(self.fence.path, fences.DOCUMENTS):
            return True
        near = next(filter(str.strip, reversed(self.lines)), "").lower()
        return _MARKDOWN_NAME.search(near) is not None and any(c.path.endswith(fences.DOCUMENTS) for c in in_line(near))

    def says_all(self) -> bool:
        """Whether the nearest lines say that the listing is all of its file."""
        said = [line for line in self.lines if line.strip()][-_SENTENCES:]
        return any(map(_ALL.search, said))

    def _file(self, fence: Fence, *, lenient: bool) -> Place | None:
        """Where a listing in `fence` belongs: its info string, else the line before; None if it is no listing."""
        place, above = None, self.place
        if shows_piece(fence.info):
            return None
        if fence.path is not None and form_of(fence.path) is not Form.LANGUAGE:
            others = (above.path, *above.candidates) if above.path is not None and above.own else ()
            place = Place(fence.path, tuple(p for p in others if p != fence.path), own=True)
        elif above.own and above.path is not None:
            form, told = self._directly(above.path)
            if form is not Form.QUOTED and (lenient or told or (form in _LISTED and not self._ends_list())):
                asked = lenient and form not in (Form.LANGUAGE, Form.WORD)
                place = above._replace(mentioned=not asked and form not in (Form.SPACED, Form.STRONG))
        return None if place is None or place.path is None or _is_excluded(fence, place.path) else place

    def _directly(self, path: str) -> tuple[Form | None, bool]:
        """How the nearest line, at most one blank line away, names `path`, and whether it says that the file is made.

        It is a phrase where the path is its last word, and the line may be a path with blanks in its folders. What may
        be no file's name counts as one inside a sentence.
        """
        for distance, line in enumerate(reversed(self.lines)):
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

    def _ends_list(self) -> bool:
        """Whether the nearest line is the last item of a list of paths, and no more than that."""
        said = [line.rstrip() for line in self.lines if line.strip()][-2:]
        if len(said) < 2 or said[1].endswith((":", "：")) or not all(map(_ITEM.match, said)):
            return False
        return any(named.form in _LISTED for named in in_line(said[0]))


def _may_be_other(line: str, path: str) -> bool:
    """Whether a line that is no plain path, nor labelled as a file's, may name something else: a method, a library."""
    if "/" in path or (has_known_end(path) and path not in OTHERS):
        return False
    return line.strip().rstrip(":") != path and not bare(line).labelled


def _is_excluded(fence: Fence, path: str) -> bool:
    if fence.language in fences.SHELLS:
        return not fences.ends_as(path, _SCRIPTS)
    shows_data = fence.language in fences.DATA and fences.ends_as(path, fences.PROGRAMS)
    return shows_data or fence.language in fences.NO_FILES
