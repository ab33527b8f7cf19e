"""What the engine takes for each piece of a streamed reply.

Usage: loop.py [--pieces N] [--edits N] [--lines N] [--format NAME]

Makes a reply of edits over a few files, streams it in N pieces as a provider would (a few characters each), and times
every piece from the moment it is there to the last event that comes of it: scanning, planning where a block closes,
nothing of the network. Prints percentiles and the share of pieces above 0.2 ms.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from itertools import pairwise

from dovetail.formats import render
from dovetail.model.blocks import Block, Kind
from dovetail.model.snapshot import Snapshot
from dovetail.session.conversation.turn_events import Located
from dovetail.session.conversation.turn_messages import LiveReply
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS

BOUND = 0.0002
WORDS = "tide quay ferry ticket lamp rope harbour signal crew deck anchor chart buoy pilot cargo".split()  # noqa: SIM905


def source(rng: random.Random, lines: int, name: str) -> str:
    """A module of small functions, no two lines of substance alike."""
    out = [f'"""Part {name}."""', ""]
    n = 0
    while len(out) < lines:
        n += 1
        a, b, c = (rng.choice(WORDS) for _ in range(3))
        out += [f"def {a}_{name}_{n}({b}, {c}):", f"    {b}_{n} = {b} + {rng.randrange(1000)}"]
        out += [f"    return {b}_{n} * {c}", "", ""]
    return "\n".join(out) + "\n"


def edits(rng: random.Random, files: dict[str, str], count: int, format_name: str) -> str:
    """A reply with prose and edits, each of a few lines at a place of its own."""
    places = [(path, at) for path, text in files.items() for at, line in enumerate(text.split("\n")) if "def " in line]
    parts = ["Here is what I would change."]
    for path, at in rng.sample(places, count):
        lines = files[path].split("\n")[at : at + 3]
        search = "\n".join(lines) + "\n"
        new = [*lines[:-1], f"    # {' '.join(rng.choice(WORDS) for _ in range(12))}", *lines[-1:]]
        block = Block(format_name, Kind.EDIT, path, search, "\n".join(new) + "\n")
        parts.append(" ".join(rng.choice(WORDS) for _ in range(rng.randrange(10, 40))).capitalize() + ".")
        parts.append(render([block], format_name).strip("\n"))
    return "\n\n".join(parts) + "\n"


def cut(text: str, pieces: int) -> list[str]:
    """The text in as many pieces, nearly equal."""
    marks = [len(text) * n // pieces for n in range(pieces + 1)]
    return [text[a:b] for a, b in pairwise(marks)]


def main() -> None:
    """Stream once to warm up, once to measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=80)
    parser.add_argument("--lines", type=int, default=1_000)
    parser.add_argument("--format", default="diff")
    asked = parser.parse_args()
    rng = random.Random(7)  # noqa: S311 - a sample
    files = {f"src/part_{n}.py": source(rng, asked.lines, str(n)) for n in range(4)}
    reply = edits(rng, files, asked.edits, asked.format)
    pieces = cut(reply, asked.pieces)
    print(f"{len(pieces):,} pieces of {len(reply) / len(pieces):.1f} characters, {asked.edits} edits in 4 files")
    for name in ("cold", "again"):
        measure(name, files, pieces)


def measure(name: str, files: dict[str, str], pieces: list[str]) -> None:
    """Time each piece of one stream."""
    known = Snapshot.of(files)
    live = LiveReply(known, DEFAULT_REPLY_OPTIONS, lambda _: known)
    times: list[float] = []
    landed = closing = 0
    gc.collect()
    for piece in pieces:
        began = time.perf_counter()
        found = [event for event in live.feed(piece) if isinstance(event, Located)]
        times.append(time.perf_counter() - began)
        landed += sum(event.result.tier is not None for event in found)
        closing += bool(found)
    began = time.perf_counter()
    landed += sum(isinstance(event, Located) and event.result.tier is not None for event in live.close())
    last = time.perf_counter() - began
    ranked = sorted(times)
    shown = "  ".join(
        f"p{p:g} {ranked[min(len(ranked) - 1, int(len(ranked) * p / 100))] * 1e3:.3f}" for p in (50, 90, 99, 99.9, 100)
    )
    above = sum(value > BOUND for value in times)
    print(f"{name:<6} ms per piece: {shown}  end {last * 1e3:.3f}; above 0.2 ms: {above} ({above / len(times):.2%})")
    print(f"       {landed} edits landed, {closing} pieces closed one; engine in all {sum(times) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
