"""Versions that a damaged log no longer leads to: they lie in the versions file between those that it names.

Each is a zlib stream that says itself where it ends, and is told by the digest of what comes out. So one damaged line
costs its own operation, and not the versions that later operations share with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from dovetail.workspace.files import digest_of

Span = tuple[int, int]
"""Offset and length in the versions file."""


def salvage(data: bytes, named: Iterable[Span]) -> dict[str, Span]:
    """The whole streams outside the `named` spans, by the digest of what they hold."""
    found: dict[str, Span] = {}
    at = 0
    for start, length in [*sorted(named), (len(data), 0)]:
        for span in _streams(data, at, start):
            found[digest_of(zlib.decompress(data[span[0] : sum(span)]))] = span
        at = max(at, start + length)
    return found


def _streams(data: bytes, at: int, end: int) -> Iterator[Span]:
    """Streams one behind the other; what is none, or torn, ends them."""
    while at < end:
        stream = zlib.decompressobj()
        try:
            stream.decompress(data[at:end])
        except zlib.error:
            return
        if not stream.eof:
            return
        length = end - at - len(stream.unused_data)
        yield at, length
        at += length
