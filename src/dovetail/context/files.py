"""Files as a model is shown them: with language and hash, whole, or as an excerpt beyond a limit of tokens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.context.excerpt import excerpt
from dovetail.context.fence import fence_for
from dovetail.context.tokens import Counter, estimate
from dovetail.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FILE_LIMIT = 4_000
"""Tokens of one file, unless more are asked for."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """One file in a message.

    text: all of it, or with `excerpt` set the parts that fit, gaps said in lines of their own.
    language: the word behind the fence, "" where it is unknown.
    digest: identity of the bytes it was read from (sha-256, hex); by it a stale edit is told.
    tokens: what the counter said of `text`.
    """

    path: str
    text: str
    language: str
    digest: str
    read_only: bool
    excerpt: bool
    tokens: int


def show_file(
    path: str,
    text: str,
    *,
    digest: str = "",
    read_only: bool = False,
    limit: int | None = FILE_LIMIT,
    interest: Iterable[int] = (),
    count: Counter = estimate,
) -> ShownFile:
    """Show a file whole where it counts at most `limit` tokens (None: always), else as an excerpt.

    digest: of the bytes on disk; without one, that of the text in UTF-8. interest: lines, from 0, that an excerpt
    shows first.
    """
    language = language_of(path)
    digest = digest or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    tokens = count(text, language)
    if limit is None or tokens <= limit:
        return ShownFile(path, text, language or "", digest, read_only, excerpt=False, tokens=tokens)
    cut = excerpt(path, text, limit, interest=interest, count=count)
    return ShownFile(path, cut, language or "", digest, read_only, excerpt=True, tokens=count(cut, language))


def fit_files(files: Sequence[ShownFile], budget: int, count: Counter = estimate) -> tuple[ShownFile, ...]:
    """The first files whose message (see `show_message`) counts at most `budget` tokens."""
    for kept in range(len(files), 0, -1):
        if count(show_message(files[:kept]), None) <= budget:
            return tuple(files[:kept])
    return ()


def show_message(files: Sequence[ShownFile]) -> str:
    """Files as text, editable ones first, each under its path in a fence longer than any in them; "" for none."""
    fence = fence_for(file.text for file in files)
    editable = [file for file in files if not file.read_only]
    read_only = [file for file in files if file.read_only]
    parts = []
    if editable:
        parts += ["These files may be edited. This is what they hold now.", *(_shown(f, fence) for f in editable)]
    if read_only:
        parts += ["These files are for reference only and cannot be edited.", *(_shown(f, fence) for f in read_only)]
    return "\n\n".join(parts) + "\n" if parts else ""


def _shown(file: ShownFile, fence: str) -> str:
    note = "\n(parts of it; lines that begin with ⋮ say which are left out)" if file.excerpt else ""
    end = "" if not file.text or file.text.endswith(("\n", "\r")) else "\n"
    return f"{file.path}{note}\n{fence}{file.language}\n{file.text}{end}{fence}"
