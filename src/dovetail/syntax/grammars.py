"""Loads compiled grammars: each from the wheel of its own language, once in a process, when first asked for.

The wheels of the common languages come with Dovetail, those of the others with the extra ``languages``. They are
imported like any other package: nothing is unpacked, downloaded, or loaded from a folder that others can write.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from tree_sitter import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMED_ALIKE = (
    "bash c cpp css go html java javascript json markdown python ruby rust toml yaml "
    "dart elixir haskell hcl julia kotlin lua make nix powershell scala sql swift zig"
)
GRAMMARS: dict[str, tuple[str, str]] = {
    **{language: (f"tree_sitter_{language}", "language") for language in _NAMED_ALIKE.split()},
    "csharp": ("tree_sitter_c_sharp", "language"),
    "jsonc": ("tree_sitter_json", "language"),
    "ocaml": ("tree_sitter_ocaml", "language_ocaml"),
    "php": ("tree_sitter_php", "language_php"),
    "php_only": ("tree_sitter_php", "language_php_only"),
    "svelte": ("tree_sitter_html", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "vue": ("tree_sitter_html", "language"),
    "xml": ("tree_sitter_xml", "language_xml"),
}
"""The languages that a grammar reads: the module of its wheel, and the function that gives the grammar."""


@cache
def grammar(language: str) -> Language | None:
    """Return the compiled grammar of a language, or None where none is installed."""
    if language not in GRAMMARS:
        return None
    module, function = GRAMMARS[language]
    try:
        return Language(getattr(importlib.import_module(module), function)())
    except (ImportError, AttributeError, ValueError):
        return None


def node_kinds(language: Language) -> Iterator[str]:
    """Yield the names of all visible, named kinds of nodes that a grammar has, each once."""
    seen: set[str] = set()
    for index in range(language.node_kind_count):
        if language.node_kind_is_named(index) and language.node_kind_is_visible(index):
            kind = language.node_kind_for_id(index)
            if kind is not None and kind not in seen:
                seen.add(kind)
                yield kind
