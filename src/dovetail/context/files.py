"""Files as a model is shown them: with language and hash, whole, or as an excerpt beyond a limit of tokens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.context.excerpt import excerpt
from dovetail.context.tokens import Counter, estimate
from dovetail.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE_LIMIT = 4_000
"""Tokens of one file, unless more are asked for."""


@dataclass(frozen=True, slots=True)
class FileView:
    """What is shown of one file.

    text: all of it, or with `excerpt` set the parts that fit, gaps said in lines of their own.
    language: the word behind the fence, "" where it is unknown.
    digest: identity of the bytes it was read from (sha-256, hex); by it a stale edit is told.
    tokens: what the counter said of `text`.
    """

    path: str
    text: str
    language: str
    digest: str
    excerpt: bool
    tokens: int


def show_file(
    path: str,
    text: str,
    *,
    digest: str = "",
    limit: int | None = FILE_LIMIT,
    interest: Iterable[int] = (),
    count: Counter = estimate,
) -> FileView:
    """Show a file whole where it counts at most `limit` tokens (None: always), else as an excerpt.

    digest: of the bytes on disk; without one, that of the text in UTF-8. interest: lines, from 0, that an excerpt
    shows first.
    """
    language = language_of(path)
    digest = digest or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    tokens = count(text, language)
    if limit is None or tokens <= limit:
        return FileView(path, text, language or "", digest, excerpt=False, tokens=tokens)
    cut = excerpt(path, text, limit, interest=interest, count=count)
    return FileView(path, cut, language or "", digest, excerpt=True, tokens=count(cut, language))
