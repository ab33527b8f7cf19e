"""A reply that breaks off holds whole edits or malformed ones, and never a part of one as if it were all."""

from __future__ import annotations

from contextlib import suppress

import pytest

from dovetail.formats import parse, render
from dovetail.formats.table import FORMATS
from dovetail.model.blocks import Block, Kind
from dovetail.model.errors import RenderError

EDITS = [
    Block(
        "diff", Kind.EDIT, "src/a.py", "one = 1\ntwo = 2\nthree = 3\n", "one = 1\ntwo = two\n\nthree = 3\nfour = 4\n"
    ),
    Block("diff", Kind.EDIT, "src/b.py", "def f(x):\n    return x\n", "def f(x, y):\n    z = x + y\n    return z\n"),
]
FILES = [
    Block("whole", Kind.REWRITE, "src/a.py", "", "one = 1\n\ntwo = 2\n"),
    Block("whole", Kind.REWRITE, "src/b.py", "", "def f(x):\n    return x\n"),
]
HEADLESS = "src/a.py\n```diff\n one = 1\n-two = 2\n+two = two\n three = 3\n```\n\nsrc/b.py\n```diff\n-def f():\n+def f(x):\n     pass\n```\n"
WITHOUT_COUNTS = "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ ... @@\n one = 1\n-two = 2\n+two = two\n three = 3\n@@ ... @@\n-four\n+five\n six\n```\n"


def replies() -> dict[str, str]:
    """Two blocks in every format that can say them."""
    made = {
        "diff without a head": HEADLESS,
        "diff without counts": WITHOUT_COUNTS,
    }
    for name in FORMATS:
        for kind, blocks in (("edits", EDITS), ("files", FILES)):
            with suppress(RenderError):
                made[f"{name}, {kind}"] = render(blocks, name)
    return made


def said(reply: str) -> list[tuple[object, ...]]:
    """What the sound blocks of a reply say."""
    return [(b.kind, b.path, b.readings, b.parts) for b in parse(reply).blocks if b.malformed is None]


@pytest.mark.parametrize("reply", [pytest.param(reply, id=name) for name, reply in replies().items()])
def test_what_stands_in_a_reply_that_breaks_off_stands_in_the_whole(reply: str) -> None:
    whole = said(reply)
    assert len(whole) >= 2
    for stop in range(len(reply)):
        kept = said(reply[:stop])
        assert kept == whole[: len(kept)], reply[:stop]
