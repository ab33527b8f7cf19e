"""The straight way of an exact edit gives what the long one gives."""

from itertools import product

import pytest

from dovetail.match import Document, Needle, Outcome, locate
from dovetail.match.tiers import exact
from dovetail.model.blocks import Hints

LINES = ("", "a = 1\n", "b = 2\n", "    c = 3\n", "a = 1\n    c = 3\n")


def test_the_straight_way_lands_as_the_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [head + tail for head, tail in product(LINES, repeat=2)]
    texts += [text.replace("\n", "\r\n") for text in texts[:10]] + [text.removesuffix("\n") for text in texts]
    needles = [
        Needle(search, replace, last_end=last_end, replace_all=replace_all)
        for search, replace in product(LINES, repeat=2)
        for last_end, replace_all in ((None, False), (True, False), (None, True))
        if search
    ]
    needles += [needle._replace(hints=Hints(line=2)) for needle in needles[::6]]

    def outcomes() -> list[Outcome]:
        return [locate(Document(text), needle) for text in texts for needle in needles]

    short = outcomes()
    monkeypatch.setattr(exact, "straight", lambda *_: None)
    assert short == outcomes()


def test_most_edits_go_straight(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    monkeypatch.setattr("dovetail.match.ladder.decide", None)
    assert locate(Document(text), Needle("b = 2\n", "b = 4\n")).places[0].start == len("a = 1\n")
