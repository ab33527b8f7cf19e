"""Finds named definitions, scopes and errors in a text; the only package that knows tree-sitter.

It knows no edits. What it is given may be broken, hostile or huge: a text that could crash or stall a grammar is
refused with None, and the answer never depends on what happens to be installed beside Dovetail.
"""

from dovetail.syntax.reader import TreeSitterLanguage, default_language
from dovetail.text.languages import known_languages, language_of

__all__ = ["TreeSitterLanguage", "default_language", "known_languages", "language_of"]
