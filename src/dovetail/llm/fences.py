"""What code stands between in a message: a run of backticks, or a pair of tags.

Invariant: text put between a fence made by `fence_around` cannot close it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dovetail.model.text import closed

_RUN = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Fence:
    """Opening and closing line. A run of backticks or tildes takes a language behind it, a tag does not."""

    left: str = "```"
    right: str = "```"

    @classmethod
    def of(cls, run: str) -> Fence:
        """A run stands for itself on both sides."""
        return cls(run, run)

    @property
    def for_commands(self) -> Fence:
        """Itself, or backticks in place of tags: commands are known by the word `bash` behind the fence."""
        return Fence() if self.left.startswith("<") else self

    def opening(self, language: str = "") -> str:
        """The first line."""
        return self.left if self.left.startswith("<") else self.left + language

    def around(self, text: str, language: str = "") -> str:
        """Text between the two lines; a missing last line end is added."""
        return f"{self.opening(language)}\n{closed(text)}{self.right}"


def fence_around(texts: Iterable[str]) -> Fence:
    """A run of backticks, one longer than the longest of 3 or more in any text."""
    longest = max((len(run) for text in texts for run in _RUN.findall(text)), default=2)
    return Fence.of("`" * (longest + 1))
