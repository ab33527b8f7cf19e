"""Comments that alone stand where code stood: ``// existing inputs``, ``# no changes needed for now``.

There are more words for lines that are left out than any list holds, so the effect decides. The idea: a comment does
nothing, and so takes no code's place. Where several lines of code vanish and only a new comment is there instead, it
stands for them; so it does where all that is left of an edit or a file is comments. One who takes code away says that
it goes, or leaves it there as a comment.

Owns that judgement of two texts. What the words of a line say is read in `omitted`; documents have no code, and their
comments are no concern.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from dovetail.formats.lines.fences import DOCUMENTS
from dovetail.match import Document
from dovetail.plan.texts.pairs import is_version
from dovetail.text.comments import comment_in, is_comment
from dovetail.text.line import bare, closes, says
from dovetail.text.linediff import Hunk, diff

_SEVERAL = 2  # lines of code that vanish
_MOST = 10_000  # pairs of lines that are compared; a stretch with more is written anew
_STEM = 4  # letters by which a word is known
_MARKS = frozenset("#/-*<;%")  # what a comment begins with
_WORD = re.compile(r"[^\W\d_]{4,}")
_GLUED = re.compile(r"#(?!include|define|if|else|end|pragma|undef|\[)[^{]*$|\*\s")  # comments in some languages
_MEANS = re.compile(r"#[!{('\"]|\*\s|--[^\s-]")  # what is code, or a line of a list, in others
_GOES = re.compile(
    r"(?i)\b(?:(?:re)?moved|deleted|dropped|gone|replaced|disabled?|deprecated|obsolete|unused|extracted|inlined|merged"
    r"|migrated|superseded|empty|no longer|instead|elsewhere|handled (?:by|in)|commented out|ignore|no-?op"
    r"|spdx|copyright|licen[cs]ed?)\b|^\W*(?:todo|fixme)\b"
)
_NO_SENTENCE = re.compile(r"[\"'`=:(){}\[\]<>;_]")
_STOP = re.compile(r"(?m)\w[.!?]$")


def only_comments(before: Sequence[str], new: Sequence[str], path: str, file: Document | None = None) -> int | None:
    """The first line of `new`, from 0, that says anything, where it has nothing but comments and `before` has code.

    Comments that are lines of the file are content.
    """
    first = next((i for i, line in enumerate(new) if says(line)), None)
    if first is None or not _comments(new[: first + 1], path):
        return None
    said = [i for i, line in enumerate(new) if says(line)]
    gone = [line.strip() for line in before if says(line)]
    comments = _comments(new, path)
    code = len(gone) > len(_may_be_comments(gone, path))
    told = [new[i].strip() for i in said]
    if (
        not code
        or not comments.issuperset(said)
        or _accounted(told, gone)
        or (file is not None and file.line_set.issuperset(told))
    ):
        return None
    return said[0]


def stand_in(before: Sequence[str], new: Sequence[str], path: str, file: Document | None = None) -> int | None:
    """The line of `new`, from 0, that is a comment and alone where several lines of code of `before` stood.

    The next line is one that stays: a comment above a line that is new, or has changed, is about that line. One of
    several lines explains something, and one that is a line of the file is content.
    """
    if len(set(before).difference(new)) < _SEVERAL:  # as in most edits
        return None
    was, now = bare(before), bare(new)
    had = set(was)
    gone = {line for line in had.difference(now) if says(line)}
    if len(gone) < _SEVERAL:
        return None
    comments = _comments(new, path)
    fresh = {i for i in comments if now[i] not in had and says(now[i])}
    if not fresh:
        return None
    remarks = _may_be_comments(before, path)
    code = {line for i, line in enumerate(was) if i not in remarks}
    for hunk in diff(was, now):
        if fresh.isdisjoint(range(hunk.b1, hunk.b2)) or (hunk.a2 - hunk.a1) * (hunk.b2 - hunk.b1) > _MOST:
            continue
        said, lost = _end(was, now, hunk, comments)
        left = [line for line in lost if line in gone]
        fewer = len(said) < sum(line in code for line in left)
        told = [now[i] for i in said if i in fresh]
        alone = len(told) == len(said) == 1 and not _accounted(told, left, now[hunk.b2 : hunk.b2 + 1])
        if fewer and alone and not (file is not None and told[0] in file.line_set):
            return said[0]
    return None


def aside(before: Sequence[str], new: Sequence[str], marks: Collection[int], path: str) -> int | None:
    """The line of `new`, some of whose lines are `marks`, that says what is to become of lines left out: a mark that
    says what goes, or a new comment with no code below it before a mark. It is for a reader, who would follow it."""
    had, comments = set(bare(before)), _comments(new, path)
    hidden = True  # what is below is the text's end, or stands for lines of the file
    for i in range(len(new) - 1, -1, -1):
        if i in marks:
            hidden = True
            if _GOES.search(comment_in(new[i].strip())[1]):
                return i
        elif says(new[i]):
            if hidden and i in comments and new[i].strip() not in had:
                return i
            hidden = hidden and i in comments
    return None


def _end(was: Sequence[str], now: Sequence[str], hunk: Hunk, comments: Collection[int]) -> tuple[list[int], list[str]]:
    """The comments that a hunk ends with, by number, and the lines that go there."""
    said = [i for i in range(hunk.b1, hunk.b2) if says(now[i])]
    above = next((i for i in reversed(said) if i not in comments), None)
    if above is None:
        return said, list(was[hunk.a1 : hunk.a2])
    at = next((k for k in range(hunk.a1, hunk.a2) if is_version(was[k], now[above])), None)
    return ([], []) if at is None else ([i for i in said if i > above], list(was[at + 1 : hunk.a2]))


def _accounted(comments: Sequence[str], gone: Sequence[str], below: Sequence[str] = ()) -> bool:
    """Whether comments say that code goes, or speak for the whole file; stood on lines of it; or are about what the
    line below is about, or a comment at an end of the code that goes; or that is no code, but a text in a string."""
    told = [comment_in(line.strip())[1] for line in comments]
    if any(map(_GOES.search, told)) or not {comment_in(line)[1] for line in gone}.isdisjoint(told):
        return True
    remarks = _may_be_comments(gone)
    if _are_sentences([line for i, line in enumerate(gone) if i not in remarks]):
        return True
    if any(line.endswith(comment.strip()) for line in gone for comment in comments):
        return True
    heads = [
        *(line for line in below if not closes(line)),
        *(line for line in (*gone[:1], *gone[-1:]) if _may_be_comments([line])),
    ]
    return any(_topics(line) & _topics(said) for line in heads for said in told)


def _are_sentences(lines: Sequence[str]) -> bool:
    text = "\n".join(lines)
    return text[:1].isupper() and _STOP.search(text) is not None and _NO_SENTENCE.search(text) is None


def _topics(line: str) -> set[str]:
    """How the longer words of a line begin."""
    return {word[:_STEM].lower() for word in _WORD.findall(line)}


def _may_be_comments(lines: Sequence[str], path: str = "") -> set[int]:
    """The lines that are comments, or may be such in some language."""
    return _comments(lines, path) | {i for i, line in enumerate(lines) if _GLUED.match(line.strip().removeprefix("{"))}


def _comments(lines: Sequence[str], path: str = "") -> set[int]:
    """The lines that are comments in whatever language."""
    found: set[int] = set()
    closer = ""
    for i, line in enumerate([] if path.lower().endswith(DOCUMENTS) else lines):
        text = line.strip().removeprefix("{")
        if not closer and text[:1] in _MARKS and text.startswith(("/*", "<!--")):
            closer = "*/" if text.startswith("/*") else "-->"
        if closer:
            if not says(text.partition(closer)[2]):
                found.add(i)
            closer = "" if closer in text else closer
        elif text[:1] in _MARKS and is_comment(text) and not _MEANS.match(text):
            found.add(i)
    return found
