"""Guard: a mask (`***`, `<redacted>`, `ghp_S1...Pn2T`) that takes the place of a value.

It stops none of 4,100 real replies and calls; of the reported cases 1, rightly.
"""

from __future__ import annotations

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.text.pattern import pattern

TRIGGER = ("***", "redacted", "hidden", "masked", "secret", "removed", "...", "…", "xxxxxx", "•••")
_MASK = pattern(
    r"(?i)\*{3,}(?:\w+\*{3,})?|[<\[(](?:redacted|hidden|masked|secret|removed)[>\])]"
    r"|(?:(?:\.{3}|…)\s*)?\bredacted\b(?:\s*(?:\.{3}|…))?|(?<=\w)(?:\.{3}|…)(?=\w)|x{6,}|•{3,}"
)
_KEY = 32  # characters of a word that fills its line, as those of a key do


def masked_value(impact: Impact) -> Finding | None:
    """Find a line whose value is a mask, where the file has the same line with a value in its place."""
    removed = {*impact.removed, *("".join(map(str.strip, region.removed)) for region in impact.regions)}
    for line in impact.added if any(removed) else ():
        for found in _MASK.finditer(line):
            left, right = line[: found.start()], line[found.end() :]
            if found[0] in impact.search or (impact.prose and not left.strip()):
                continue
            value = next((r for r in removed if _has_value(r, left, right, found[0])), None)
            if value is not None:
                reason = f"The new text has a mask where the file has a value: {line.strip()}"
                return Finding(reason, "Leave the line as the file has it, or quote only the lines that change.")
    return None


def _has_value(line: str, left: str, right: str, mask: str) -> bool:
    """Return whether a line has characters of a word where another has a mask."""
    left = left if left.strip() else ""
    if not (line.startswith(left) and line.endswith(right) and len(line) > len(left) + len(right)):
        return False
    value = line[len(left) : len(line) - len(right)].strip("\"' ,;")
    least = 1 if left else _KEY
    return len(value) >= least and mask not in value and not any(map(str.isspace, value))
