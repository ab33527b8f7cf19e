"""Guard: lines that stand twice at the edge of an edit.

The new lines begin with the lines right above the edit, or end with those right below it: the model repeated a
decorator, an import or the head of the next function that its search does not cover.
It stops 4 of 4,100 real replies and calls, all rightly: the recorded result has the line twice, and is broken.
Lines that close blocks may well stand twice, so there a parse decides; that stops none.
"""

from __future__ import annotations

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact, Region
from dovetail.model.text import split_lines
from dovetail.text.line import distinctive
from dovetail.text.pattern import pattern

_ENDS = pattern(r"\W*(?:end|</|fi\b|done\b|esac\b)")  # what closes a block stands twice where two blocks end
_CLOSING = 4  # lines that close blocks and are tried without
_MOST = 40  # lines of a repetition that are compared


def repeated_lines(impact: Impact) -> Finding | None:
    """Find new lines that repeat the lines right above or below the edit."""
    if impact.whole or impact.before is None:
        return None
    for region in impact.regions:
        line = _repeated(impact.after, region) if region.added else None
        if line is not None and line in impact.before:  # and not brought by another edit of the reply
            reason = f"After the edit this line would stand twice in a row, once from the edit: {line.strip()}"
            return Finding(reason, "Quote the line in the search, or leave it out of the new lines.")
    return None


def repeated_ends(impact: Impact) -> Finding | None:
    """Find new lines that stand beside the edit too and whose absence mends a new syntax error, as closing lines do."""
    after, ended = impact.after, f"{impact.after}\n"
    for region in impact.regions:
        added = after[region.start : region.end].splitlines(keepends=True)
        for count in range(min(len(added), _CLOSING), 0, -1):
            first, last = "".join(added[:count]), "".join(added[-count:])
            spots = (
                (ended.startswith(last, region.end), region.end - len(last), region.end, last),
                (after.endswith(first, 0, region.start), region.start, region.start + len(first), first),
            )
            for repeats, start, end, lines in spots:
                if repeats and impact.parses(after[:start] + after[end:]):
                    twice = ", ".join(f"`{line.strip()}`" for line in lines.splitlines())
                    reason = f"After the edit {twice} would stand twice in a row, and the file would not parse."
                    return Finding(reason, "Quote these lines in the search, or leave them out of the new lines.")
    return None


def _repeated(after: str, region: Region) -> str | None:
    size = min(len(region.added), _MOST)
    room = sum(map(len, region.added)) + 2 * len(region.added) + 2
    below = split_lines(after[region.end : region.end + room])[:size]
    above = split_lines(after[max(0, region.start - room) : region.start])[-size:]
    added, removed = list(region.added), list(region.removed)
    for count in range(size, 0, -1):
        if added[-count:] == below[:count] != removed[-count:]:
            run = below[:count]
        elif added[:count] == above[-count:] != removed[:count]:
            run = above[-count:]
        else:
            continue
        found = next((line for line in run if distinctive(line) and not _ENDS.match(line)), None)
        if found is not None:
            return found
    return None
