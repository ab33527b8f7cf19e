r"""A reply in pieces → events and blocks. A whole reply is one piece.

Owns decoding, line ends, what a chat's template leaves around a reply, and the cutting into whole lines; everything
else is the machines'. ``\r\n`` is ``\n``; a reply that has only ``\r`` is read with those as its line ends. Bytes that
are no UTF-8 are refused.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from dovetail.formats.lines.grammar import grammar_of
from dovetail.formats.lines.turn import held_from, without_first, without_last
from dovetail.formats.prose import Prose
from dovetail.formats.scan.scanner import Scanner
from dovetail.formats.scan.sink import Sink
from dovetail.formats.table import AUTO
from dovetail.model.errors import UsageError
from dovetail.model.handed import check_markers, check_text
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.text import closed

if TYPE_CHECKING:
    from collections import Counter

    from dovetail.formats.events import Event
    from dovetail.model.blocks import Parsed


class Stream:
    """Takes a reply piece by piece. Any split of one reply gives the same blocks and diagnostics.

    With `events` False nothing is told on the way, which costs half; what was found stands in `parsed` all the same.
    Not safe for use by several threads. After `close` nothing more may be fed.
    """

    def __init__(
        self,
        *,
        format: str = AUTO,  # noqa: A002 - the user's own word
        markers: Markers = DEFAULT_MARKERS,
        events: bool = True,
    ) -> None:
        """Raises `UsageError` for a format that does not exist, and for markers that are none."""
        check_markers(markers)
        self._sink = Sink(told=events)
        self._scanner = Scanner(grammar_of(markers), format, self._sink, Prose)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._partial: list[str] = []
        self._held_cr = False
        self._begun = False
        self._any_line = False
        self._any_text = False
        self._closed = False

    def feed(self, piece: str | bytes) -> list[Event]:
        """Take the next piece; gives what has become certain. Text and bytes may be mixed at character borders.

        Raises `UsageError` for what is neither, for bytes that are no UTF-8, of which nothing is taken then, and behind
        `close`.
        """
        if self._closed:
            raise UsageError("The stream is closed.", hint="Begin a stream for each reply.")
        if not isinstance(piece, str | bytes):
            raise UsageError(
                f"The piece is of the type {type(piece).__name__}, and is to be a text or bytes.",
                hint="Hand in what arrived.",
            )
        self._take(self._decoded(piece) if isinstance(piece, bytes) else piece)
        return self._sink.drain()

    def close(self) -> list[Event]:
        """The reply is over; gives the remaining events. Closing again gives none.

        Raises `UsageError` where the bytes end inside a character; all before it stands in `parsed`.
        """
        if self._closed:
            return []
        self._closed = True
        rest = "".join(self._partial) + ("\r" if self._held_cr else "")
        self._partial = []
        if not self._any_line:
            rest = rest.replace("\r", "\n")
        rest = without_last(rest if self._any_text else without_first(rest))
        if rest:
            self._scanner.unended = not rest.endswith("\n")
            self._scanner.feed(closed(rest))
        self._scanner.end()
        self._sink.settle_drafts()
        self._decoded(b"", final=True)
        return self._sink.drain()

    @property
    def parsed(self) -> Parsed:
        """Everything found so far; complete after `close`."""
        return self._sink.parsed

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many markers were seen, by format and role: ``start``, ``divider``, ``end``."""
        return self._sink.counts

    def _decoded(self, piece: bytes, *, final: bool = False) -> str:
        try:
            return self._decoder.decode(piece, final=final)
        except UnicodeDecodeError as error:
            where = "breaks off inside a character" if final else f"is no UTF-8 at byte {error.start}"
            hint = "Decode it first, for example: piece.decode('utf-16')"
            raise UsageError(f"The reply {where}.", code="reply-encoding", hint=hint) from None

    def _take(self, text: str) -> None:
        if not text:
            return
        if not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        if self._held_cr:
            text, self._held_cr = "\r" + text, False
        if "\r" in text:
            if text.endswith("\r"):
                text, self._held_cr = text[:-1], True
            text = text.replace("\r\n", "\n")
        stop = text.rfind("\n") + 1
        if not stop:
            self._partial.append(text)
            return
        self._partial.append(text[:stop])
        lines = "".join(self._partial)
        self._any_line = True
        if not self._any_text:
            self._any_text, lines = not lines.isspace(), without_first(lines)
        held = held_from(lines)
        self._partial = [lines[held:] + text[stop:]] if held < len(lines) or stop < len(text) else []
        self._scanner.feed(lines[:held])


def parse(reply: str, *, format: str = AUTO, markers: Markers = DEFAULT_MARKERS) -> Parsed:  # noqa: A002
    """Everything that `reply` says. Raises `UsageError` for a format that does not exist, and for what is no text."""
    check_text(reply)
    stream = Stream(format=format, markers=markers, events=False)
    stream.feed(reply)
    stream.close()
    return stream.parsed
