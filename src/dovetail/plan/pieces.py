"""Listings that show a piece of their file: as it stands there, with changes, or with what is to be done with it.

Written as the file's whole text, a piece would delete the rest. The idea: a text is known for a piece by what it shares
with its file, by what it uses and lacks of it, or by what it says of itself. One that may be all that is to be left of
the file is none.
"""

from __future__ import annotations

from collections import Counter

from dovetail.match import Document
from dovetail.match.linediff import diff
from dovetail.match.lines import says
from dovetail.model.codes import Code
from dovetail.model.patterns import late
from dovetail.model.text import Span, Text, split_lines
from dovetail.plan.marks import LONGEST, remark
from dovetail.plan.outcomes import Rejected

_EXCERPT_FROM = 5  # lines a file must have before less than half of it is a piece and no new text
_PIECE_FROM = 8  # lines a file must have before a piece of it is known that has changes
_TOLD = late(
    r"(?i)(?:(?:add|append|insert|prepend|put|place|include|change|replace|update|modify|find)\b.*"
    r"\b(?:this|these|that|the following|here|below|above|after|before|at|in|into|inside|to|with|your)\b.*"
    r"|(?:in|inside|within|at the (?:top|end|bottom) of)\b.*"
    r"|(?:old|new|before|after|original|updated|current)(?: (?:code|version|function|method|lines?))?)\W*"
)
_BRINGS_IN = late(
    r"(?P<all>import|use|using|from\b.*\bimport)\b(?P<names>(?:(?!\bfrom\b)[^\"'#])*)"
    r"|(?:(?:export|default|pub|public|static|async|abstract|final)[ ]+)*"
    r"(?:(?:def|class|function|func|fn|const|let|var|val|type|interface|struct|enum)[ ]+(?P<name>[^\W\d]\w*)"
    r"|(?P<set>[^\W\d]\w*)[ ]*(?::[ ]*[\w.\[\], ]+)?:?=(?!=))"
)
"""A line at the margin that brings in names, or defines one."""
_NAME = late(r"[^\W\d]\w*+")
_USED = late(
    rf"(?<![\w.$]){_NAME.pattern}(?=\.\w)|(?<=[^\w.$\s]){_NAME.pattern}(?=[(\[])"
    rf"|(?:(?<=\breturn )|(?<=\bawait )|(?<=\bnew )|(?<=\bnot )|(?<=\bin )|(?<=\band )|(?<=\bor )|(?<=[^\w\s][ ]))"
    rf"{_NAME.pattern}(?=[(\[])|(?:(?<=\$\{{)|(?<=[@<]))\b{_NAME.pattern}"
)
"""A name that stands for something known: what is said of it defines nothing."""
_EVERYTHING = late(r"(?m)^[ \t]*(?:from\b.*\bimport|import|use|using)\b.*\*")
_MEMBER = late(r"\"(?:[^\"\\\n]|\\.)*\"[ \t]*:")
_JSON = (".json", ".jsonc", ".json5")


def excerpt(before: str, new: str) -> Span | None:
    """Where `new`, as it is, stands in `before` as less than half of it; None where it is more, or other text."""
    was, now = said_lines(before), said_lines(new)
    if not now or len(was) < _EXCERPT_FROM or 2 * len(now) >= len(was):
        return None
    return max(Document(before).whole_lines(new.strip("\n") + "\n"), default=None)


def only_a_piece(path: str, before: str, new: str) -> Rejected | None:
    """Why a listing is a piece of its file, and no new text of it; None where it may be one.

    It is a piece where all of it is indented and the file is not; where it is short and a comment says what is to be
    done with it; where it has nothing of the file's beginning and uses a name from there; where it has less than half
    of the file's lines, is mostly made of lines that stand together there, and has none of the first or ends with one
    of the file's first half.
    """
    was = [(number, line.strip()) for number, line in enumerate(split_lines(before), 1) if says(line)]
    lines = [line for line in split_lines(new) if line.strip()]
    now = said_lines(new)
    if lines and was and all(line[:1] in " \t" for line in lines) and not _all_indented(before):
        return _piece(f"Every line of the new text of `{path}` is indented, as in a piece of the file")
    if path.lower().endswith(_JSON) and _MEMBER.match(new.lstrip()) and before.lstrip()[:1] == "{":
        return _piece(f"The new text of `{path}` begins inside an object")
    if len(now) < len(was) and (found := _leans(before, new)) is not None:
        name, line = found
        return _piece(
            f"The new text uses `{name}` from line {line} of `{path}`, and has nothing of the file down to there"
        )
    if 2 * len(now) >= len(was):
        return None
    leader, said = remark(lines[0].strip()) if lines else ("", "")
    if leader and len(said) <= LONGEST and _TOLD.fullmatch(said) and now[0] not in {line for _, line in was}:
        return _piece(f"The new text of `{path}` begins with what is to be done with a piece of the file")
    gone = {i for hunk in diff([line for _, line in was], now) for i in range(hunk.a1, hunk.a2)}
    kept = [i for i in range(len(was)) if i not in gone]
    if len(was) < _PIECE_FROM or not kept or 2 * len(kept) < len(now):
        return None
    if kept[0] == 0 and (now[-1] != was[kept[-1]][1] or 2 * kept[-1] >= len(was)):
        return None
    if kept[-1] - kept[0] >= 2 * len(now):
        return None
    first, last = was[kept[0]][0], was[kept[-1]][0]
    shown = f"line {first}" if first == last else f"lines {first} to {last}"
    return _piece(f"The new text shows {shown} of `{path}` with changes")


def _leans(before: str, new: str) -> tuple[str, int] | None:
    """A name that the file's beginning brings in, and its line there, where `new` has none of the lines down to that
    one and uses the name, and nothing in it can be what defines it."""
    if _EVERYTHING.search(new):
        return None
    had = {line.strip() for line in split_lines(new)}
    said, used = Counter(_NAME.findall(new)), Counter(_USED.findall(new))
    for number, line in enumerate(split_lines(before), 1):
        if says(line) and line.strip() in had:
            return None
        for name in _brought_in(line):
            if 0 < used[name] == said[name]:
                return name, number
    return None


def _brought_in(line: str) -> list[str]:
    """The names that a line at the margin brings in or defines."""
    found = _BRINGS_IN.match(line)
    if found is None:
        return []
    return _NAME.findall(found["names"]) if found["all"] else [found["name"] or found["set"]]


def _piece(reason: str) -> Rejected:
    hint = "Send the whole text, or the changed lines as an edit."
    return Rejected(Code.ELIDED, f"{reason}; written, it would delete most of the file.", hint)


def _all_indented(text: str) -> bool:
    return all(line[:1] in " \t" for line in split_lines(text) if line.strip())


def said_lines(text: str) -> list[str]:
    """The lines that hold a letter or a digit, without the blanks around them."""
    return [line.strip() for line in Text(text).lines if says(line)]
