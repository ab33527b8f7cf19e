"""Guard: text of the reply, such as wrappers, prefixes or a model's tokens, that would end up in the file.

Examples are fences, the closing tags of a call, the signs of a diff, the markers of a merge conflict, line numbers, and
tokens such as `<|im_end|>`: they get into a file if a reply is cut out wrongly.

So do the notices of a program that shows a part of a file (`[Showing lines 1-20 of 60]`), alone on their lines, and in
code a line that ends in one (`b...[truncated]`).
It stops none of 4,100 real replies and calls; of the reported cases 34, all rightly.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.model.text import split_lines, to_lf
from dovetail.text.languages import is_markup, is_program, language_of
from dovetail.text.pattern import pattern

_CUT = (
    r"showing lines|more lines|lines? (?:omitted|not shown|truncated|hidden)|file continues|ctrl\+o"
    r"|\b(?:file|output|results?|contents?|response|text)\b[^\n]{0,20}\b(?:truncated|clipped)\b"
    r"|[\[(<] ?(?:truncated|clipped) ?[\])>]|(?:truncated|clipped) \d+ \w+"
    r"|system-reminder|lines \d+ ?(?:to|-) ?\d+ (?:of|omitted)"
)
TRIGGER = pattern(
    rf"(?i:{_CUT}|file_metadata )|"
    r"<[|｜/a-z]|<0x|▁|^\s*(?:```|~~~|[<>=]{5,9}(?: |$)|\+|L?\d+\s*(?:#|:|\||→|\t))",
    re.MULTILINE,
)
_TOKEN = pattern(
    r"<[|｜][A-Za-z_][\w▁ ]*[|｜]>|</?think(?:ing)?>"
    r"|</(?:antml:)?(?:invoke|parameter|function_calls|tool_call|tool_use|file_content|new_string|old_string|new_str)>"
)
_WRAPPER = pattern(r"</?(code|content|document|file|source)\b[^<>\n]*>")
_DECLARED = pattern(r"(?i)<\?xml\b|<!doctype\b|<html\b")
# A tokenizer's pieces of words, unless quotes contain nothing else; not the blocks of a bar chart.
_PIECE = pattern(
    r"(?<![\"'`])(?:<0x[0-9A-F]{2}>|(?<![▂-█])▁(?![▁-█]))|(?:<0x[0-9A-F]{2}>|(?<![▂-█])▁(?![▁-█]))(?![\"'`])"
)
# Whole lines: `[Showing lines 1-20 of 60]`, `... 40 more lines omitted ...`, `lines 1 to 20 of 60`; not `# more
# lines`, or `print("lines omitted")`, which have no brackets or dots around.
_NOTICE = pattern(
    rf"(?i)\s*(?:(?:#|//|--|/\*) ?)?(?:[\[(<…]|\.{{3}}|-{{3}})(?=[^\n]{{0,200}}(?:{_CUT}))"
    r"[^`;\n]{0,200}(?:[\])>…\n]|\.{3}|-{3}|\"\s?/>)\s*(?:\*/)?\s*"
    r"|\s*lines \d+ to \d+ of \d+\.?\s*|\s*</?system-reminder>.*|<file_metadata [^\n]{0,200}/>"
)
_QUOTED = pattern(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\\n]|\\.)*+`")
_TICKED = pattern(r"`([^`\n]{1,80})`")
# `b...[truncated]`, `x = 1 … <output clipped 20 chars>`; not `[truncated]` without dots before it.
_CUT_LINE = pattern(r"(?i).*(?:\.{3}|…) ?[\[(<] ?(?:\w+ )?(?:truncated|clipped)(?: \d+ \w+)? ?[\])>]\s*")
_LAST_TAG = pattern(r"</([\w.:-]+)>\s*\Z")
# Tags that a page's last file closes and its first file opens.
_FOOTER = pattern(r"html|body|main|div|section|article|table|tbody|ul|ol|form|footer|header|nav")
_FENCE = pattern(r"\s*(?:`{3,}|~{3,8}(?!~))\S*\s*")  # more tildes underline
# `5#VK:def f()`, `12:a3|x`: numbers with a hash, as some tools show files; not `12: x`, which is the next pattern's.
_HASHED = pattern(r"\s*\d+(?:#[A-Z]{2}|:[0-9a-f]{2})[|:]")
# `  12<tab>x`, `12→x`, `L12: y`, `12 | x`; not `12 x`.
_NUMBERED = pattern(r"\s*L?(\d+)\s*[|→\t:]")
_COLUMNS = (".tsv", ".tab", ".psv")
_DIGITS = 8  # digits from which on a number is no line number
_COUNTED_FROM = 3  # the least number of numbered lines, and the largest step between them
_CONFLICT = (pattern(r"<{5,9} ?\S*.*"), pattern(r">{5,9} ?\S*.*"))


def foreign_text(impact: Impact) -> Finding | None:
    """Find text that belongs to the reply and not to the file."""
    what = _foreign(impact)
    if what is None:
        return None
    return Finding(f"The new text for `{impact.path}` {what}.", "Send the text of the file and nothing else.")


def _foreign(impact: Impact) -> str | None:
    added = [line for line in impact.added if line.strip()]
    text = "\n".join(added)
    token = _token(impact, text) or (_wrapper(impact, added) if added else None)
    if token is not None:
        return f"holds `{token}`, which the file does not have"
    notice = next((line for line in added if _NOTICE.fullmatch(line) is not None), None)
    if notice is not None and not impact.had(notice.strip()):
        return f"holds a notice of whoever showed the file: {notice.strip()[:120]}"
    closing = _LAST_TAG.search(text)
    footer = closing is not None and is_markup(impact.path) and _FOOTER.fullmatch(closing[1]) is not None
    if closing and not footer and f"<{closing[1]}" not in impact.after and not impact.had(closing[0].strip()):
        return f"ends with `{closing[0].strip()}`, which nothing opens"
    # in a document fences, numbers and signs may be what the text is about
    if impact.prose or not added:
        return None
    cut = next((line for line in added if _CUT_LINE.fullmatch(line) and not impact.had(line.strip())), None)
    if cut is not None:
        return f"has a line that was cut off: {cut.strip()[:120]}"
    before = to_lf(f"{impact.before or ''}\n{impact.search}")
    fences = list(map(_FENCE.fullmatch, added))
    # an odd fence at the end was never opened; a pair around everything wraps what it replaces
    odd = sum(map(bool, fences)) % 2 == 1
    fenced = fences[-1] and (odd or (fences[0] and impact.removed)) and "```" not in before and "~~~" not in before
    if fenced and not (impact.well_formed and language_of(impact.path) == "python"):  # where no back-tick quotes
        return "stands in a fence, or ends with one"
    hashed = [line for line in added if _HASHED.match(line)]
    if hashed and not any(map(_HASHED.match, before.split("\n"))) and ("#" in hashed[0] or len(hashed) == len(added)):
        return f"bears the numbers of a listing: {hashed[0].strip()}"
    if _counted(added) and not any(map(_NUMBERED.match, before.split("\n"))):
        # numbers are the file's own in columns, or if it is well-formed with them: `404: "gone"`; but `L4:` is a Go
        # label
        own = impact.path.lower().endswith(_COLUMNS) or (added[0].lstrip()[0] != "L" and impact.well_formed)
        if not own:
            return f"bears line numbers: {added[0].strip()}"
    sent = impact.sent.split("\n")
    if all(any(map(sign.fullmatch, sent)) for sign in _CONFLICT) and "<<<<<" not in before and not impact.well_formed:
        return "holds the markers of a conflict or of an edit"
    if _signed(added, before):
        return f"bears the signs of a diff: {added[0].strip()}"
    return None


def _token(impact: Impact, text: str) -> str | None:
    """Return a token that begins or ends the new text, or is outside of strings in code that no longer parses; or None.

    Elsewhere the text may be about it, as in a prompt or a tokenizer. A piece of a word counts anywhere.
    """
    known: set[str] = set()
    bare = set(_TOKEN.findall(_QUOTED.sub("", text))) if impact.error is not None else set[str]()
    for found in chain(_TOKEN.finditer(text), _PIECE.finditer(text)):
        if not known:  # collected once, as searching a text for each of thousands of tokens would be slow
            had = f"{impact.before or ''}\n{impact.search}"
            known = {*_TOKEN.findall(had), *_PIECE.findall(had), *_TICKED.findall(text), ""}
        token = found[0]
        # a closing tag whose opening one is in the file, too, is the file's markup; one in back-ticks is only mentioned
        if token in known or (token[:2] == "</" and f"<{token[2:-1]}" in impact.after):
            continue
        at_edge = found.start() == len(text) - len(text.lstrip()) or found.end() == len(text.rstrip())
        if at_edge or token in bare or _PIECE.match(text, found.start()):
            return token
    return None


def _wrapper(impact: Impact, added: list[str]) -> str | None:
    """Return a tag that is alone on the first or the last new line and not the file's own, or None.

    In markup, and in well-formed code, a tag is the file's own, unless it encloses a text that declares itself a
    document.
    """
    for line in (added[0], added[-1]):
        found = _WRAPPER.fullmatch(line)
        if found is None or impact.had(line) or (line[1] == "/" and f"<{line[2:-1]}" in impact.after):
            continue
        own = is_markup(impact.path) or (is_program(impact.path) and impact.well_formed)
        if not own or (len(added) > 1 and _DECLARED.match(added[1].lstrip()) is not None):
            return line
    return None


def _counted(lines: list[str]) -> bool:
    """Return whether each of several lines begins with the next number, blank lines left out."""
    numbers = [int(found[1]) for found in map(_NUMBERED.match, lines) if found is not None and len(found[1]) < _DIGITS]
    if len(lines) < _COUNTED_FROM or len(numbers) < len(lines):
        return False
    return all(0 < b - a <= _COUNTED_FROM for a, b in pairwise(numbers))


def _signed(lines: list[str], before: str) -> bool:
    """Return whether every line has a sign of a diff, and the file has no line with a plus."""
    signs = {line[0] for line in lines}
    # a file that has lines with a plus (a patch, a list) may get more of them
    if not {"+"} <= signs <= {"+", "-"} or "\n+" in f"\n{before}" or all(line[1:2].isdigit() for line in lines):
        return False
    had = set(split_lines(before))
    return signs == {"+"} or any(line[0] == "-" and line[1:] in had for line in lines)
