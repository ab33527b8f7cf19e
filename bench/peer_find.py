"""Adapters for recorded cases that say where a text is found.

A peer's place may begin and end inside a line where Dovetail's is whole lines, so blanks and line ends at both ends of
a place are not compared. What is looked for is asked as the deletion of it: where it may be changed is the question.
"""

from __future__ import annotations

from itertools import accumulate

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, Needle, Neighbours, NoMatch, locate
from dovetail.model.blocks import Hints
from dovetail.model.text import Span
from peer_engine import REFUSED, Adapter, Case, Comparison, language

Places = list[tuple[int, int]]


def core(text: str, start: int, end: int) -> tuple[int, int]:
    """A place without the blanks at its ends."""
    piece = text[start:end]
    bare = piece.strip()
    begin = start + len(piece) - len(piece.lstrip())
    return begin, begin + len(bare)


def ask(text: str, needle: Needle, neighbours: Neighbours | None = None) -> tuple[Places, str]:
    """Every place where `needle` is found at the strictest tier that finds it, and what was said."""
    outcome = locate(Document(text), needle, neighbours=neighbours or Neighbours(), language=language(), path="file")
    match outcome:
        case Match(span=span, tier=tier):
            return spans(text, (span,)), f"match at {tier}"
        case Ambiguous(places=places, tier=tier):
            return spans(text, places), f"ambiguous at {tier}"
        case AlreadyApplied():
            return [], "already applied"
        case NoMatch(reason=reason):
            return [], reason


def spans(text: str, found: tuple[Span, ...]) -> Places:
    """Places without blanks at their ends."""
    return [core(text, span.start, span.end) for span in found]


def characters(text: str, offset: int) -> int:
    """An offset counted as JavaScript counts, in characters."""
    return len(text.encode("utf-16-le")[: 2 * offset].decode("utf-16-le", errors="ignore"))


def one(places: Places) -> object:
    """The place, where there is exactly one."""
    return places[0] if len(places) == 1 else REFUSED


def find(case: Case) -> Comparison:
    """The one place of a search."""
    text = next(iter(case["files"].values()))
    places, what = ask(text, Needle(case["search"], "", inline=True))
    expect = case["expect"]
    if "error" in expect:
        return Comparison(REFUSED, one(places), what)
    start = characters(text, expect["start"]) if "start" in expect else text.find(expect["text"])
    end = characters(text, expect["end"]) if "end" in expect else start + len(expect["text"])
    return Comparison(core(text, start, end), one(places), what)


def find_all(case: Case) -> Comparison:
    """Every place of a search."""
    text = next(iter(case["files"].values()))
    places, what = ask(text, Needle(case["search"], "", inline=True))
    expected = [(characters(text, start), characters(text, end)) for start, end, _ in case["expect"]["matches"]]
    return Comparison([core(text, start, end) for start, end in expected], places, what)


def seek(case: Case) -> Comparison:
    """The line where a run of lines begins, at or behind a line."""
    text = "".join(line + "\n" for line in case["lines"])
    starts = [0, *accumulate(len(line) + 1 for line in case["lines"])]
    pattern = "".join(line + "\n" for line in case["pattern"])
    behind = Neighbours(after=starts[min(case["start"], len(starts) - 1)]) if case["start"] else None
    places, what = ask(text, Needle(pattern, "", hints=Hints(at_end=case["eof"])), behind)
    index = case["expect"]["index"]
    expected = REFUSED if index is None else core(text, starts[min(index, len(starts) - 1)], len(text))[0]
    got = one(places)
    return Comparison(expected, got[0] if isinstance(got, tuple) else got, what)


ADAPTERS: dict[str, Adapter] = {"find": find, "find_all": find_all, "seek": seek}
