r"""Parses a reply in pieces into events and blocks. A whole reply is one piece.

Owns decoding, line ends, and the cutting into whole lines; the machines do everything else. ``\r\n`` and ``\r\r\n``
count as ``\n``; in a reply without ``\n`` each ``\r`` is a line end. Bytes that are not UTF-8 are refused.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from dovetail.formats.grammar import grammar_of
from dovetail.formats.prose import Prose
from dovetail.formats.scanner import Scanner
from dovetail.formats.sink import Sink
from dovetail.formats.table import AUTO
from dovetail.model.arguments import check_markers, check_text
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.text import closed, sent_to_lf

if TYPE_CHECKING:
    from collections import Counter

    from dovetail.formats.events import Event
    from dovetail.model.blocks import Parsed


class Stream:
    """Takes a reply piece by piece. However a reply is cut, the blocks and diagnostics are the same.

    format, markers: as `parse` takes them.
    events: if False, `feed` and `close` return no events, which halves the cost; `parsed` is the same.

    A stream belongs to one thread. After `close` nothing more may be fed.
    """

    def __init__(
        self,
        *,
        format: str = AUTO,  # noqa: A002 - the user's own word
        markers: Markers = DEFAULT_MARKERS,
        events: bool = True,
    ) -> None:
        """Raises `UsageError` for a format that does not exist, and unless `markers` is a `Markers`."""
        check_markers(markers)
        self._sink = Sink(with_events=events)
        self._scanner = Scanner(grammar_of(markers), format, self._sink, Prose)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._partial: list[str] = []
        self._held_ends = ""
        self._begun = False
        self._any_line = False
        self._closed = False

    def feed(self, piece: str | bytes) -> list[Event]:
        """Take the next piece, and return the events that are certain now.

        A piece of bytes is UTF-8 and may end inside a character, if the next piece is bytes, too. Raises `UsageError`
        for anything but `str` and `bytes`, for bytes that are not UTF-8 (none of them is taken), and after `close`.
        """
        if self._closed:
            raise UsageError("The stream is closed.", hint="Begin a stream for each reply.")
        if isinstance(piece, bytes):
            self._decoder = self._decoder or codecs.getincrementaldecoder("utf-8")()
            try:
                piece = self._decoder.decode(piece)
            except UnicodeDecodeError as error:
                raise _no_text(f"is no UTF-8 at byte {error.start}") from None
        elif not isinstance(piece, str):
            raise UsageError(
                f"The piece is of the type {type(piece).__name__}, and is to be a text or bytes.",
                hint="Hand in what arrived.",
            )
        text = piece if self._begun else piece.removeprefix("\ufeff")
        self._begun = self._begun or bool(piece)
        text, self._held_ends = self._held_ends + text, ""
        if "\r" in text:
            if text.endswith("\r"):  # one or two CRs may begin a line end that the next piece completes; three do not
                held = min(3, len(text) - len(text.rstrip("\r")))
                text, self._held_ends = text[:-held], text[-held:]
            text = sent_to_lf(text)
        # All whole lines go to the scanner. What follows the last line end is kept in a list and joined once: a reply
        # may come character by character.
        stop = text.rfind("\n") + 1
        self._partial.append(text[:stop] if stop else text)
        if stop:
            lines = "".join(self._partial)
            self._partial = [text[stop:]] if stop < len(text) else []
            self._any_line = True
            self._scanner.feed(lines)
        return self._sink.drain()

    def close(self) -> list[Event]:
        """End the reply, and return the remaining events. Closing again returns none.

        Raises `UsageError` if the bytes end inside a character; what came before it is in `parsed`.
        """
        if self._closed:
            return []
        self._closed = True
        rest = "".join(self._partial) + self._held_ends
        self._partial = []
        # The whole reply has no ``\n``: its ``\r`` are line ends, as old Macs wrote them.
        if not self._any_line:
            rest = rest.replace("\r", "\n")
        if rest:
            self._scanner.unended = not rest.endswith("\n")
            self._scanner.feed(closed(rest))
        self._scanner.end()
        if self._sink.drafted_to:
            self._sink.settle_drafts()
        if self._decoder is not None and self._decoder.getstate()[0]:
            raise _no_text("breaks off inside a character")
        return self._sink.drain()

    @property
    def parsed(self) -> Parsed:
        """Everything found so far; complete after `close`."""
        return self._sink.parsed

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many markers were seen, by format and role: ``start``, ``divider``, ``end``."""
        return self._sink.counts


def _no_text(what: str) -> UsageError:
    hint = "Decode it first, for example: piece.decode('utf-16')"
    return UsageError(f"The reply {what}.", code="reply-encoding", hint=hint)


def whole_stream(reply: str, format: str, markers: Markers) -> Stream:  # noqa: A002
    """Return the closed stream of a whole reply, without events. Raises `UsageError` as `parse` does."""
    check_text(reply)
    stream = Stream(format=format, markers=markers, events=False)
    stream.feed(reply)
    stream.close()
    return stream


def parse(reply: str, *, format: str = AUTO, markers: Markers = DEFAULT_MARKERS) -> Parsed:  # noqa: A002
    """Parse a whole reply into its blocks, suggestions and diagnostics, in the reply's order.

    format: the name of the only format that is read; ``auto`` reads all, and a reply may mix them.
    markers: other marker words, lengths and fences.

    Raises `UsageError` for a format that does not exist, and for a reply that is not a `str`. A fault in the reply is
    never raised: it is a diagnostic, or `Block.malformed`.
    """
    return whole_stream(reply, format, markers).parsed
