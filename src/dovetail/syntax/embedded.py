"""Scripts and styles inside of markup: which grammar reads them, and how a piece of such a file is made whole.

A piece that is cut out of a file may begin or end inside of a script or a style, and show its tags or not. The tags
that it lacks are put around it, so that it is read as it is in its file; where nothing tells what it is, it is markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from dovetail.syntax.parsing import Source

MARKUP = ("html", "vue", "svelte")

_TAG = re.compile(r"<(/?)(script|style|template)\b[^<>]*>")
_INNER = ("script", "style")
_MARKUP_LINE = re.compile(r"(?m)^[ \t]*</?[A-Za-z!]|</[A-Za-z]|/>|-->|<!--")
_STYLE_LINE = re.compile(
    r"(?m)^[ \t]*(?:[.#&:][\w-][^()=;{}\n]*|@(?:media|include|mixin|font-face)\b[^{}\n]*)"
    r"\{\s*(?:[\w-]+\s*:[^{}]*\}\s*)?$"
)
_SCRIPT_LINE = re.compile(r"(?m)(?:[;{,(]|=>)[ \t]*$|^[ \t]*(?:import|export|const|let|var|return)\b")
_LANG = re.compile(r"\blang\s*=\s*['\"]?(\w+)")
_TYPE = re.compile(r"\btype\s*=\s*['\"]?([\w/+.-]+)")
_SCRIPT_TYPES = ("module", "text/javascript", "application/javascript", "text/ecmascript", "text/typescript")
_SCRIPTS = {"ts": "typescript", "tsx": "tsx", "jsx": "tsx", "js": "javascript"}


def whole(text: str) -> tuple[str, str]:
    """The tags to put before and behind a piece of markup that begins or ends inside of a script or a style."""
    tags = [(found[1] == "/", found[2]) for found in _TAG.finditer(text)]
    before = behind = ""
    if tags and tags[0][0] and tags[0][1] in _INNER:
        before = f"<{tags[0][1]}>"
    if tags and not tags[-1][0] and tags[-1][1] in _INNER:
        behind = f"</{tags[-1][1]}>"
    if not tags and not _MARKUP_LINE.search(text):
        name = "style" if _STYLE_LINE.search(text) else "script" if _SCRIPT_LINE.search(text) else ""
        before, behind = (f"<{name}>", f"</{name}>") if name else ("", "")
    return before, behind


def language_inside(source: Source, node: Node) -> str | None:
    """The language of a text that is not markup, told by the tag before it; None where that is not known."""
    tag = node.prev_sibling
    head = source.slice(tag) if tag is not None else ""
    lang = _LANG.search(head)
    if head.startswith("<style"):
        return "css" if lang is None or lang[1] in ("css", "postcss") else None
    if not head.startswith("<script") or ((kind := _TYPE.search(head)) is not None and kind[1] not in _SCRIPT_TYPES):
        return None
    plain = "javascript" if source.language == "html" else "typescript"
    return _SCRIPTS.get(lang[1]) if lang is not None else plain
