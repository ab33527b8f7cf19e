"""Guards: lines that would stand twice at the edge of an edit.

The new lines begin with the lines right above the edit, or end with those right below it: the model repeated a
decorator, an import or the head of the next function, which its search does not cover. Such an echo is left out, with a
warning. If lines that close a block, or keys of data, are repeated, the edit may be meant for another place, or its
search should cover more of the file: then it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dovetail.guards.finding import Echo, Finding
from dovetail.guards.impact import Impact, Region
from dovetail.model.text import IndexedText, split_lines, to_lf
from dovetail.text.comments import defines
from dovetail.text.line import deep, distinctive
from dovetail.text.pattern import pattern

_ENDS = pattern(
    r"\W*(?:</|(?:fi|done|esac)\b|(?:[@#]|\{%-?\s*)end"
    r"|end(?:if|unless|for|foreach|while|until|do|switch|case|select|try|with|function|func|fun|sub|proc|procedure|task"
    r"|module|package|program|class|interface|macro|block|type|struct|generate|begin)?\b)"
)
"""Lines that close a block, which may stand twice where two blocks end: a closing word, or one in a template's tag."""
_CLOSERS = (
    (pattern(r"\s*[})\]]+[;,]?\s*"), pattern(r"[{(\[]"), pattern(r"[})\]]")),
    (pattern(r"\s*</[\w.:-]+>\s*"), pattern(r"<\w"), pattern(r"</|/>")),
    (pattern(r"\s*\{%-?\s*end\w+\s*-?%\}\s*"), pattern(r"\{%-?\s*(?!end)"), pattern(r"\{%-?\s*end")),
    (pattern(r"\s*(?:end|fi|done|esac);?\s*"), pattern(r"(?m)^\s*\w+\b.*\w"), pattern(r"\b(?:end|fi|done|esac)\b")),
)
"""Ways to close a block: the pattern of a line that does only that, of an opening, and of a closing."""
_DATA = pattern(
    r"(?i)(?:^|/)(?:[^/]+\.(?:json|ya?ml|toml|ini|cfg|conf|properties|env)|\.env[^/]*|requirements[^/]*\.txt)$"
)
"""Files in which a key may occur only once."""
# Matches `"port": 1`, `export PORT=1`, `a.b = 1`; not `- a: b`, since items of a list repeat their keys.
_KEY = pattern(r"""\s*(?:export\s+)?(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.\-\[\]]+)\s*[:=]""")
_HEADING = pattern(r"#{1,6}\s+\S")
_DEFINED = 3  # the least lines of a definition
_CLOSING = 4  # the most lines at an edge that are left out to see if the text parses then
_MOST = 40  # the most lines of a repetition that are compared, and regions of one edit that are checked


def repeated_lines(impact: Impact) -> Finding | None:
    """Find new lines that repeat the lines right above or below the edit."""
    if impact.whole or impact.before is None:
        return None
    for region in impact.regions:
        echo = _repeated(impact, region) if region.added else None
        if echo is None:
            continue
        line = _telling(impact, echo.lines)
        # the line was in the file before the reply, and not twice in a row, as in a table of numbers
        if line is not None and line in impact.before and f"{line}\n{line}\n" not in to_lf(impact.before):
            several = [one.strip() for one in echo.lines if one.strip()]
            what = "this line" if len(several) < 2 else f"{len(several)} lines"
            shown = line.strip() if len(several) < 2 else f"`{several[0]}` to `{several[-1]}`"
            reason = f"After the edit {what} would stand twice in a row, once from the edit: {shown}"
            # It is left out only if nothing else can be meant. A key below the edit may be meant for another table, of
            # two regions one may be right, and an edit that is nothing but the echo has no other purpose.
            held = not echo.first and _key(impact, echo.lines[-1])
            sure = not held and len(impact.regions) == 1 and len(echo.lines) < len(region.added)
            known = line in split_lines(impact.search)  # an edit that quotes the line and sends it twice may mean it
            which = ("the line", "it") if len(several) < 2 else ("the lines", "them")
            hint = f"Quote {which[0]} in the search, or leave {which[1]} out of the new lines."
            return Finding(reason, hint, echo=echo if sure and not known else None)
    return None


def repeated_closer(impact: Impact) -> Finding | None:
    """Find a last new line that closes a block that no new line opens, above the same line of the file."""
    regions = impact.regions[:_MOST] if impact.before is not None and not impact.whole else ()
    # an extra brace is refused and never left out: the search may have been meant to cover more of the file
    for count, region in enumerate(regions):
        last = region.added[-1] if region.added else ""
        below = split_lines(impact.after[region.end : region.end + len(last) + 2])
        # the line stood there twice before, or does not stand there twice now
        if not last.strip() or last not in below[:1] or last in region.removed[-1:]:
            continue
        for line, opening, closing in _CLOSERS:
            if line.fullmatch(last) and _unopened(impact, count, opening, closing):
                reason = f"After the edit this closing line would stand twice in a row: {last.strip()}"
                return Finding(reason, "Quote the line in the search, or leave it out of the new lines.")
    return None


def _unopened(impact: Impact, at: int, opening: re.Pattern[str], closing: re.Pattern[str]) -> bool:
    """Return whether the last new line of a region closes a block that no new line above opens, and the removed lines
    close fewer than the new ones."""
    *above, last = [line for region in impact.regions[: at + 1] for line in region.added]
    # deeper lines are closed by lines of their own; only lines as deep as the last one, or less deep, may open it
    beside = [line for line in above if line.strip() and deep(line) <= deep(last)]
    if any(len(opening.findall(line)) > len(closing.findall(line)) for line in beside):
        return False
    came, went = ("\n".join(lines) for lines in (impact.added, impact.removed))
    return len(closing.findall(came)) > len(closing.findall(went))


def repeated_deeper(impact: Impact) -> Finding | None:
    """Find a last new definition that is also right below the edit, less deep: it was moved into a class, and the old
    one stayed."""
    for region in impact.regions[:_MOST] if impact.before is not None and not impact.whole else ():
        new = [line for line in region.added if line.strip()][-_MOST:]
        room = sum(map(len, new)) + 2 * len(new)
        below = [line for line in split_lines(impact.after[region.end : region.end + room]) if line.strip()]
        for count in range(_DEFINED, min(len(new), len(below)) + 1):
            head, *body = new[-count:]
            first, *rest = below[:count]
            named = defines(first.strip()) and _named(head) == _named(first) and deep(head) > deep(first)
            if named and list(map(str.strip, body)) == list(map(str.strip, rest)):
                reason = f"After the edit this definition would stand twice, once from the edit: {first.strip()}"
                return Finding(reason, "Quote all of it in the search, or leave it out of the new lines.")
    return None


def _named(head: str) -> str:
    """Return a definition's first line up to its parameters, to which a class may add."""
    return head.partition("(")[0].strip()


def doubled_text(impact: Impact) -> Finding | None:
    """Find a whole text that is one text twice."""
    lines = split_lines(impact.after)
    half = len(lines) // 2
    if half > 1 and list(lines[:half]) == list(lines[half:]) and any(map(distinctive, lines)):
        reason = f"The new text for `{impact.path}` is the same {half} lines twice."
        return Finding(reason, "Send the text once.")
    return None


def repeated_ends(impact: Impact) -> Finding | None:
    """Find new lines, such as closing ones, that are also beside the edit and cause a new syntax error."""
    after, ended = impact.after, f"{impact.after}\n"
    for region in impact.regions:
        text = IndexedText(after[region.start : region.end])
        added = [text.raw[text.start_of(n) : text.start_of(n + 1)] for n in range(len(text))]
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


def _key(impact: Impact, line: str) -> bool:
    """Return whether a line sets a key, in a file that may have each key only once."""
    return _DATA.search(impact.path) is not None and _KEY.match(line) is not None


def _telling(impact: Impact, lines: Sequence[str]) -> str | None:
    """Return the first of some lines that is not written twice in a row on purpose, or None."""
    for line in lines:
        if distinctive(line) and not _ENDS.match(line):
            return line
        if _key(impact, line) or (impact.prose and _HEADING.match(line)):
            return line
    return None


def _repeated(impact: Impact, region: Region) -> Echo | None:
    """Return the longest run of first or last new lines that also stands right beside the edit, or None."""
    after = impact.after
    size = min(len(region.added), _MOST)
    room = sum(map(len, region.added)) + 2 * len(region.added) + 2
    below = split_lines(after[region.end : region.end + room])[:size]
    above = split_lines(after[max(0, region.start - room) : region.start])[-size:]
    added, removed = list(region.added), list(region.removed)
    for count in range(size, 0, -1):
        # `!= removed`: lines that the edit removes and adds again stood twice before, and are no echo
        if added[-count:] == below[:count] != removed[-count:]:
            echo = Echo(tuple(below[:count]), first=False)
        elif added[:count] == above[-count:] != removed[:count]:
            echo = Echo(tuple(above[-count:]), first=True)
        else:
            continue
        if _telling(impact, echo.lines) is not None:
            return echo
    return None
