"""YAML: texts in either quotes, wherever they are broken, and blocks, however deep they stand."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

from dovetail.syntax.layout.strings import BROKEN

if TYPE_CHECKING:
    from dovetail.syntax.layout.laid_out import LaidOut


_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def said(laid: LaidOut, at: int) -> str | None:
    """A text in quotes of either kind, wherever it is broken; a block of lines, however deep it stands."""
    token = laid.tokens[at]
    text = token.text
    if token.kind != "string":
        return None
    if text[0] in "|>":
        head, _, body = text.partition("\n")
        return head + "\n" + dedent(body)
    if "\n" in text and not _BLANK_LINE.search(text) and "\\" not in text:
        text = BROKEN.sub(" ", text)
    marked = text[0] in "'\"" and not any(sign in text[1:-1] for sign in "'\"\\")
    return f'"{text[1:-1]}"' if marked else text
