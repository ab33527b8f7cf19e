"""Replies whose later edits write what the earlier ones made: each quotes the file as it was, and says it as it will be.

A model that works from the file that it was shown tells the second of two edits of one stretch with the first one's
lines in it. Made once, they are the file that it meant; written twice, they are a fault that nobody sees.
"""

from __future__ import annotations

import random

import pytest

from dovetail.model.blocks import Block, Kind
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

NAMES = "abcdefgh"


def reply(rng: random.Random, lines: list[str]) -> tuple[list[Block], str]:
    """Two to four edits of a file, and the file that is meant."""
    new, blocks = list(lines), []
    for at in sorted(rng.sample(range(len(lines)), rng.randint(2, 4))):
        low, high = max(0, at - rng.randint(0, 2)), min(len(lines), at + 1 + rng.randint(0, 2))
        changed = lines[at].replace("use", "spend")
        new[at] = rng.choice([changed, changed, f"{lines[at]}rest({at})\n", ""])
        blocks.append(Block("diff", Kind.EDIT, "f", "".join(lines[low:high]), "".join(new[low:high])))
    return blocks, "".join(new)


@pytest.mark.parametrize("seed", range(200))
def test_what_two_edits_say_is_written_once(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a case that can be made again
    lines = [f"use({name}, 1)\n" for name in rng.sample(NAMES, len(NAMES))]
    blocks, meant = reply(rng, lines)
    text = "".join(lines)
    done = plan(blocks, Snapshot.of({"f": text}))
    after = done.changes[0].after if done.changes else text
    assert done.failed or after == meant


@pytest.mark.parametrize("seed", range(200))
def test_lines_that_repeat_raise_nothing(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a case that can be made again
    lines = [f"use({name}, 1)\n" for name in rng.choices(NAMES[:3], k=len(NAMES))]
    blocks, _ = reply(rng, lines)
    assert len(plan(blocks, Snapshot.of({"f": "".join(lines)})).results) == len(blocks)
