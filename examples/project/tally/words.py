"""Words and how often they occur."""

from collections import Counter


def words(text: str) -> list[str]:
    """The words of a text, in order."""
    return text.lower().split()


def count(text: str) -> Counter[str]:
    """How often each word occurs."""
    return Counter(words(text))
