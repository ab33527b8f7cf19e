"""Draws how an edit travels from a reply to a file: `python tools/draw_travel.py` writes docs/images/travel.svg."""

from __future__ import annotations

from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "docs/images/travel.svg"
STEPS = (
    ("Reply", "19 formats, mixed,", "whole or streamed"),
    ("Blocks", "a path, a search,", "a replacement"),
    ("Place", "exact first, then", "eight looser tiers"),
    ("Merge", "only what changes,", "token by token"),
    ("Plan", "guards look at it,", "you look at it"),
    ("Files", "all or none, with", "both versions kept"),
)
WIDTH, HEIGHT, GAP, TOP, LEFT = 148, 76, 26, 66, 14
BACK = (
    (2, 0, "fails: the retry message says what differs", -1),
    (5, 5, "undo: the exact bytes, or a merge with your changes", 1),
)
HEAD = """\
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; text-anchor: middle }
.name { font-weight: 600; font-size: 15px }
.box { fill: #eef2ff; stroke: #4f5fd0 }
.way { fill: none; stroke: #4f5fd0; stroke-width: 1.6 }
.note { fill: #57606a }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .box { fill: #1d2440; stroke: #8b98ff }
  .way { stroke: #8b98ff }
  .note { fill: #9da7b3 }
}
</style>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0L8 4L0 8z" fill="#6b78e5"/></marker></defs>"""


def drawn() -> str:
    """The picture as SVG."""
    total = 2 * LEFT + len(STEPS) * WIDTH + (len(STEPS) - 1) * GAP
    label = "How an edit travels: " + ", ".join(name for name, *_ in STEPS)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} 206" role="img" aria-label="{label}">'
    parts = [head, HEAD]
    for n, (name, *lines) in enumerate(STEPS):
        x = LEFT + n * (WIDTH + GAP)
        middle = x + WIDTH / 2
        parts.append(f'<rect class="box" x="{x}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" rx="9"/>')
        parts.append(f'<text class="name" x="{middle}" y="{TOP + 24}">{name}</text>')
        for row, line in enumerate(lines):
            parts.append(f'<text class="note" x="{middle}" y="{TOP + 44 + 17 * row}">{line}</text>')
        if n:
            parts.append(f'<path class="way" marker-end="url(#a)" d="M{x - GAP} {TOP + HEIGHT / 2}H{x - 2}"/>')
    for start, end, text, side in BACK:
        apart = 34 if start == end else 0
        first, last = (LEFT + n * (WIDTH + GAP) + WIDTH / 2 for n in (start, end))
        edge, far = (TOP, TOP - 26) if side < 0 else (TOP + HEIGHT, TOP + HEIGHT + 26)
        way = f"M{first + apart} {edge}V{far}H{last - apart}V{edge}"
        parts.append(f'<path class="way" stroke-dasharray="5 4" marker-end="url(#a)" d="{way}"/>')
        middle = min(max((first + last) / 2, 180), total - 180)
        parts.append(f'<text x="{middle}" y="{far - 9 if side < 0 else far + 20}">{text}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    TARGET.write_text(drawn(), encoding="utf-8")
