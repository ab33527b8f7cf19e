"""Guard: a new definition whose scope already has one of that name.

A model edits an older text and adds what somebody has added since, or adds a function to a file of which it has seen
only a part. The file after the whole reply is judged: nothing is reported if the old definition is removed, or the edit
quotes its head. If the signatures agree, the edit is refused: one of the two is dead, or the file does not compile.
Of 4,100 real replies and calls it stops 2, rightly: both add a function that stands further down or up; 3 others, which
are known to be right, bear a warning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.guards.finding import Finding
from dovetail.model.text import IndexedText, Span
from dovetail.model.work import spend
from dovetail.text.line import deep
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from dovetail.guards.impact import Impact
    from dovetail.model.language import Definition

# A keyword that defines (`def`, `fn`, `class`), or a `{` at a line's end behind a word, `)` or `=>`.
TRIGGER = pattern(
    r"(?m)\b(?:def|class|func|fn|function|interface|struct|enum|module|sub)\b|[)\w]\s*(?:=>\s*)?\{[^\S\n]*$"
)
_DECORATED = pattern(r"\s*(?:@|#\[)")
_PREPROCESSED = pattern(r"\s*#\s*(?:if|ifdef|ifndef|else|elif|endif)\b")
_OVERLOADS = pattern(r"(?i)\.(?:java|kts?|cc|cpp|cxx|hpp|hh|h|cs|swift|scala|groovy|exs?|erl|hs|ml|clj|f90|p[lm]|s?v)$")
"""Files of languages in which one name may have several definitions."""
_READ = 400  # characters of lines that are read in the time of one step
_DECLARED = 3  # lines of a declaration without a body, at most


def same_definition_twice(impact: Impact) -> Finding | None:
    """Find a new definition whose scope has an old one with the same name and signature."""
    for name, line, old, alike in _doubled(impact):
        if alike:
            reason = f"The edit adds `{name}` at line {line}, and line {old} defines it with the same signature."
            return Finding(reason, "Quote the definition that is there, and say what is to become of it.", line)
    return None


def name_defined_twice(impact: Impact) -> Finding | None:
    """Find a new definition whose scope has an old one of the same name, in a language where one of them counts."""
    for name, line, old, alike in _doubled(impact):
        if not alike and not _OVERLOADS.search(impact.path):
            reason = f"The edit adds `{name}` at line {line}, and line {old} defines it too."
            return Finding(reason, "Check that both are meant.", line)
    return None


def _doubled(impact: Impact) -> Iterator[tuple[str, int, int, bool]]:
    """Yield for each new definition whose scope has an old one of its name: the name, the heads of the new and the old
    one, by line from 1, and whether their signatures agree."""
    # an edit that quotes a head knows that definition, and may move or replace it
    quoted = {_bare(line) for line in (*impact.removed, *impact.search.split("\n"))}
    # the whole file is parsed only if its text shows that there may be a second definition
    if impact.whole or not impact.before or not _may_be_doubled(impact, quoted):
        return
    known = impact.language.definitions(impact.path, impact.after)
    text = IndexedText(impact.after)
    # lines of the file after the reply, from 0, that this edit brought
    came = {
        line
        for region in impact.regions
        if region.added
        for line in range(text.line_at(region.start), text.line_at(max(region.start, region.end - 1)) + 1)
    }
    scopes: dict[tuple[str, int], list[Definition]] = {}
    for one in known or ():
        if one.kind != "other":
            scopes.setdefault((one.qualified, _scope(one, known or ())), []).append(one)
    for same in scopes.values():
        heads = [(one, _head(text.lines, one)) for one in same] if len(same) > 1 else []
        new = [(one, head) for one, head in heads if head in came and _bare(text.lines[head]) not in quoted]
        old = [(one, head) for one, head in heads if head not in came and _bare(text.lines[head]) not in quoted]
        for one, head in new:
            for other, at in old:
                if not _both_meant(text.lines, (one, head), (other, at)):
                    alike = _signature(text.lines, one, head) == _signature(text.lines, other, at)
                    yield one.name, head + 1, at + 1, alike


def _may_be_doubled(impact: Impact, quoted: Set[str]) -> bool:
    """Return whether the name of an added definition is on an equally deep line of the same block, too.

    Only such a line can be the head of a second definition in its scope. True as well if that cannot be told without a
    parse of the whole file.
    """
    text, came = impact.after, [Span(region.start, region.end) for region in impact.regions if region.added]
    new = impact.language.definitions_near(impact.path, text, came)
    if new is None or "\n" not in text:
        return True
    starts: dict[str, list[int]] = {}  # where the lines that came begin
    for span in came:
        start = span.start
        for line in text[start : span.end].split("\n"):
            starts.setdefault(line.removesuffix("\r"), []).append(start)
            start += len(line) + 1
    for one, head in new:
        if one.kind == "other" or head not in starts or _bare(head) in quoted:
            continue
        blocks: list[Span] = []
        at = text.find(one.name)
        while at >= 0:
            spend(1)
            first, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = end if end >= 0 else len(text)
            at, line = text.find(one.name, end), text[first:end]
            if deep(line) == deep(head) and not any(s.start <= first < s.end for s in came):
                blocks = blocks or [_block(text, start, deep(head)) for start in starts[head]]
                if any(block.start <= first < block.end for block in blocks) and _bare(line) not in quoted:
                    return True
    return False


def _block(text: str, start: int, depth: int) -> Span:
    """Return the lines around the one that begins at the offset `start`, up to lines less deep than `depth`."""
    low = high = start
    while low and depth:
        above = text.rfind("\n", 0, low - 1) + 1
        line = text[above:low]
        if line.strip() and deep(line) < depth:
            break
        low = above
    while depth and 0 <= high < len(text):
        below = text.find("\n", high) + 1 or len(text)
        line = text[high:below]
        if line.strip() and deep(line) < depth:
            break
        high = below
    spend((high - low) // _READ)
    return Span(low, high) if depth else Span(0, len(text))


def _scope(one: Definition, known: Sequence[Definition]) -> int:
    """Return the first line of the innermost definition around one; -1 for none."""
    return max(
        (d.first_line for d in known if d.first_line < one.first_line and one.last_line <= d.last_line), default=-1
    )


def _head(lines: Sequence[str], one: Definition) -> int:
    """Return the line of a definition that has its name, below decorators."""
    named = re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)")
    rows = range(one.first_line, one.last_line + 1)
    return next((at for at in rows if named.search(lines[at]) and not _DECORATED.match(lines[at])), one.first_line)


def _signature(lines: Sequence[str], one: Definition, head: int) -> str:
    """Return a definition's text before its body, without blanks."""
    return _bare("".join(lines[head : max(head + 1, one.body_line)]).partition("{")[0])


def _bare(line: str) -> str:
    return "".join(line.split())


def _both_meant(lines: Sequence[str], one: tuple[Definition, int], other: tuple[Definition, int]) -> bool:
    """Return whether two definitions of a name may be in one scope: they have decorators (overloads, setters), or are
    in different branches, also of the preprocessor, or one is only declared."""
    (upper, first), (lower, second) = sorted((one, other), key=lambda pair: pair[1])
    # the name stands below the first line, as it does under a decorator: `@overload`, `@x.setter`
    if first > upper.first_line or second > lower.first_line:
        return True
    for definition, head in (one, other):
        if lines[definition.last_line].rstrip().endswith(";") and definition.last_line - head < _DECLARED:
            return True
    # a line less deep between the two (`else:`, `#ifdef`): they stand in two branches, of which one counts
    depth, between = deep(lines[first]), lines[first:second]
    branched = any(line.strip() and deep(line) < depth for line in between) or any(map(_PREPROCESSED.match, between))
    return branched or depth != deep(lines[second])
