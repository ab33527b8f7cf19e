"""Which characters mark an edit in a reply: one value, set once, read by every format.

Marker lines are matched with trailing blanks cut; a marker may run from `shortest` to `longest` characters, and the
lines of one block need not agree in length.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.model.errors import UsageError

_KNOWN = 7


@dataclass(frozen=True, slots=True)
class Markers:
    """How the marker lines of a reply are written. The defaults are what the formats' prompts teach.

    shortest, longest: how many characters a marker's run may have, as in ``<<<<<<<``.
    search_words, replace_words: the words behind the opening and the closing run. Words at the same index are a pair;
    the first pair is the one that is written and taught.
    fences: pairs of lines that enclose code, besides runs of backticks and tildes.

    Raises `UsageError` for lengths and words that no line could be read by.
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

    def __post_init__(self) -> None:
        """Raises `UsageError` for lengths and words that no line could be read by."""
        if not _are_lengths(self.shortest, self.longest):
            raise UsageError(
                f"Markers cannot run from {self.shortest!r} to {self.longest!r} characters.",
                hint="Give two numbers from 2 on, the smaller first.",
            )
        for name, words in (("search_words", self.search_words), ("replace_words", self.replace_words)):
            if not _are_words(words):
                raise UsageError(f"The markers' `{name}` are no tuple of words.", hint=f'Write {name}=("WORD",)')
        if len(self.search_words) != len(self.replace_words):
            raise UsageError("The markers' words are not in pairs.", hint="Give each search word its replace word.")

    @property
    def usual(self) -> int:
        """Number of characters in a written marker: 7, or the allowed length nearest to it."""
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


def _are_lengths(shortest: object, longest: object) -> bool:
    return isinstance(shortest, int) and isinstance(longest, int) and 1 < shortest <= longest


def _are_words(value: object) -> bool:
    return isinstance(value, tuple) and value != () and all(isinstance(word, str) and word.strip() for word in value)


DEFAULT_MARKERS = Markers()
