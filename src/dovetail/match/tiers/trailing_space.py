"""Tier `trailing-space`: blanks at line ends, blank lines that hold blanks, blank lines at the block's ends."""

from __future__ import annotations

from dovetail.match.lines.blanks import agree_but_at_ends as belongs

__all__ = ["belongs"]
