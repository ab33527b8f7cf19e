"""What a file's whole text got or lost on its way from the model, as far as the file shows it.

Line numbers, the blanks that a terminal pads lines with, and letters of another encoding come off; tabs that became
blanks come back where the text means nothing without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import DOCUMENTS
from dovetail.model.text import split_lines
from dovetail.plan.syntax_check import new_error
from dovetail.text.line import padded

if TYPE_CHECKING:
    from dovetail.model.language import Language


def as_meant(path: str, before: str, new: str, language: Language) -> str:
    """A file's whole new text as it was before; `before` is the old one."""
    from dovetail.match.tiers import wrapping
    from dovetail.text import encodings  # as the tiers are loaded: few replies hold a whole text

    bare = wrapping.without_own_numbers(new, before)
    new = new if bare is None else bare
    lines = split_lines(new)
    if before and not path.lower().endswith(DOCUMENTS) and padded(lines, split_lines(before)):  # Markdown breaks lines
        new = "".join(f"{line.rstrip()}\n" for line in lines)
    new = _with_tabs(path, before, new, language)
    return encodings.reread(new, new, before)[1]


def _with_tabs(path: str, before: str, new: str, language: Language) -> str:
    """`new` with tabs for the blanks that lines begin with, where it does not parse with these and does with those.

    A tab became as many as a line has that the file begins with one, or else as the least deep line; lines that are no
    multiple of that stay."""
    if "\n\t" not in before or "\n\t" in new or new_error(path, before, new, language) is None:
        return new
    lines = split_lines(new)
    depths = [len(line) - len(line.lstrip(" ")) for line in lines]
    pairs = list(zip(lines, depths, strict=True))
    tabbed = set(split_lines(before))
    known = (depth for line, depth in pairs if depth and f"\t{line[depth:]}" in tabbed)
    step = next(known, None) or min(filter(None, depths), default=1)
    tabs = "".join((line if depth % step else "\t" * (depth // step) + line[depth:]) + "\n" for line, depth in pairs)
    return tabs if new_error(path, before, tabs, language) is None else new
