"""Which characters mark an edit in a reply: one value, set once, read by every format.

Marker lines are matched with trailing blanks cut; a marker may run from `shortest` to `longest` characters, and the
lines of one block need not agree in length.
"""

from __future__ import annotations

from dovetail.model.dataclasses import dataclass

_KNOWN = 7


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

    @property
    def usual(self) -> int:
        """How long a marker is written: 7 characters, as everybody knows them, or the nearest length that is read."""
        return min(max(_KNOWN, self.shortest), self.longest)

    @property
    def start(self) -> str:
        """The line that opens an edit, as it is taught and written."""
        return f"{'<' * self.usual} {self.search_words[0]}"

    @property
    def divider(self) -> str:
        """The line between search and replacement."""
        return "=" * self.usual

    @property
    def end(self) -> str:
        """The line that closes an edit."""
        return f"{'>' * self.usual} {self.replace_words[0]}"


DEFAULT_MARKERS = Markers()
