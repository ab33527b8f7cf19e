"""Which characters mark an edit in a reply: one value, set once, read by every format.

Marker lines are matched with trailing blanks cut; a marker may run from `shortest` to `longest` characters, and the
lines of one block need not agree in length.
"""

from __future__ import annotations

from dovetail.model.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Markers:
    """Words, lengths and fences. The defaults are what the formats' own prompts teach.

    `search_words` and `replace_words` follow the opening and closing runs; each pair of words at one index belongs
    together. `fences` are further pairs that wrap code, besides runs of backticks and tildes.
    """

    shortest: int = 5
    longest: int = 9
    search_words: tuple[str, ...] = ("SEARCH", "ORIGINAL")
    replace_words: tuple[str, ...] = ("REPLACE", "UPDATED")
    fences: tuple[tuple[str, str], ...] = (
        ("<source>", "</source>"),
        ("<code>", "</code>"),
        ("<pre>", "</pre>"),
        ("<codeblock>", "</codeblock>"),
        ("<sourcecode>", "</sourcecode>"),
    )


DEFAULT_MARKERS = Markers()
