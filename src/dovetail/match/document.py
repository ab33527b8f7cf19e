"""A text indexed once for all the edits that are looked for in it."""

from __future__ import annotations

from dovetail.model.text import Text


class Document(Text):
    """A text and the indexes that tiers ask for, each built on first use."""
