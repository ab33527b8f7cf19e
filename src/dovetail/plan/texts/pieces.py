"""Listings that show a piece of their file: as it stands there, with changes, or with what is to be done with it.

Written as the file's whole text, a piece would delete the rest. The idea: a text is known for a piece by what it shares
with its file, by what it uses and lacks of it, by what it says of itself, or by another text of the same file that has
nothing of it. One that may be all that is to be left of the file is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from dovetail.formats.lines.fences import DOCUMENTS
from dovetail.match import Document
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code
from dovetail.model.language import Language
from dovetail.model.text import Span, split_lines
from dovetail.plan.outcomes import Rejected
from dovetail.plan.texts.members import STYLES, missing
from dovetail.plan.texts.names import Moved, is_left_over, leaning
from dovetail.plan.texts.omitted import marked
from dovetail.text.comments import comment_in
from dovetail.text.line import said_lines, says
from dovetail.text.linediff import diff
from dovetail.text.omission import LONGEST

_EXCERPT_FROM = 5  # lines a file must have before less than half of it is a piece and no new text
_PIECE_FROM = 8  # lines a file must have before a piece of it is known that has changes
_APART_FROM = 2  # lines that each of two texts must have before they are pieces because they share none
_WHAT = r"(?: (?:code|version|function|method|lines?))?"
_TOLD = re.compile(
    r"(?i)(?:(?:add|append|insert|prepend|put|place|include|change|replace|update|modify|find)\b.*"
    r"\b(?:this|these|that|the following|here|below|above|after|before|at|in|into|inside|to|with|your)\b.*"
    r"|(?:in|inside|within|at the (?:top|end|bottom) of)\b.*"
    rf"|(?:old|new|before|after|original|updated|current){_WHAT})\W*"
)
_POINTS = re.compile(
    r"(?i)(?!.*\b(?:all|contents?|entire|everything|files?|whole)\b)"
    r".*\b(?:this|these|the following|here|below|above)\b.*"
    rf"|(?:old|before|original|current){_WHAT}\W*"
)
"""What such a remark says of the lines below it, and neither of what a program does nor of a whole file."""
_THEN = re.compile(
    rf"(?i)(?:(?:the )?(?:new|after|updated|modified|fixed|changed|improved|replacement){_WHAT}"
    r"|(?:(?:change|replace|update) (?:it |this |that |them )?)?(?:to|with|by|into)"
    r"(?: (?:this|these|that|the following))?)\W*"
)
"""What stands over the new lines, where those above are the old ones."""
_MEMBER = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"[ \t]*:")
_JSON = (".json", ".jsonc", ".json5")
_DECLARATION = re.compile(r"[a-z][\w-]*[ \t]*:[^{};]*;")
_PAGE = re.compile(r"(?i)<html[\s>]|<!doctype html")
_ELEMENT = re.compile(r"\s*<[A-Za-z]")
_IMAGES = ("dockerfile", "containerfile")
_BASE = re.compile(r"(?im)^[ \t]*FROM[ \t]")
_PHP = re.compile(r"\s*<\?php\b")
_IN_MODULES = (".cs", ".erl", ".ex", ".exs", ".go", ".groovy", ".hs", ".java", ".jl", ".kt", ".scala")
_MODULE = re.compile(r"(?m)^(?:-module\([^)]*\)|(?:defmodule|module|namespace|package)[ ]+(?!Main\b)[\w.]+)")
_SHELL = re.compile(r"#!.*sh\b")
_SEVERAL = 2  # definitions a file must have before a text can lack most of them
_FIRST_WORD = re.compile(r"\s*(\"{3}|'{3}|[#@<.]*\w+|\S+)")
_COMMENTS = frozenset({"#", "//", "/*", "/**", "*", "*/", "--", "<!--", ";", "%"})


def excerpt(before: str, new: str) -> Span | None:
    """Where `new`, as it is, stands in `before` as less than half of it; None where it is more, or other text."""
    was, now = said_lines(before), said_lines(new)
    if not now or len(was) < _EXCERPT_FROM or 2 * len(now) >= len(was):
        return None
    return max(Document(before).whole_lines(new.strip("\n") + "\n"), default=None)


def only_a_piece(path: str, before: str, new: str, language: Language, moved: Moved) -> Rejected | None:
    """Why a listing is a piece of its file, and no new text of it; None where it may be one. `moved` tells of a line
    whether the reply puts it into another file.

    It is a piece where all of it is indented and the file is not; where it lacks a page's frame, or most members of a
    file that consists of such; where a comment says what is to be done with it, and it is short, keeps little of the
    file, or shows what comes in another's place; where it has nothing of the file's beginning and uses a name from
    there, or is short and lacks most definitions; where it has less than half of the file's lines, is mostly made of
    lines that stand together there, and has none of the first or ends with one of the file's first half.
    """
    was = [(number, line.strip()) for number, line in enumerate(split_lines(before), 1) if says(line)]
    now = said_lines(new)
    hint = "Send the whole text, or the changed lines as an edit."
    why = _lacking(path, before, new) or leaning(path, before, new, len(was), moved) or _among(path, was, now)
    if why is None and 2 * len(now) <= len(was):
        why = _amid(path, before, new, language)
        hint = "Send the changed lines as an edit, or say above the listing that it is the complete file."
    if why is None:
        return None
    return Rejected(Code.ELIDED, f"{why}; written, it would delete most of the file.", hint)


def _lacking(path: str, before: str, new: str) -> str | None:
    """What is around the file's text, or in it, and not in a piece of it."""
    lines = [line for line in split_lines(new) if line.strip()]
    if lines and said_lines(before) and all(line[:1] in " \t" for line in lines) and not _all_indented(before):
        return f"Every line of the new text of `{path}` is indented, as in a piece of the file"
    if path.lower().endswith(_JSON) and _MEMBER.match(new.lstrip()) and before.lstrip()[:1] == "{":
        return f"The new text of `{path}` begins inside an object"
    if path.lower().endswith(STYLES) and _DECLARATION.match(new.lstrip()) and "{" in before:
        return f"The new text of `{path}` begins inside a rule"
    if frame := _unframed(path.rpartition("/")[2].lower(), before, new):
        return f"The new text of `{path}` lacks {frame}, which the file has"
    lacks = missing(path, before, new)
    return _without(path, lacks) if lacks else None


def _without(path: str, lacks: Sequence[str]) -> str:
    more = f" and {len(lacks) - 1} more" if len(lacks) > 1 else ""
    return f"The new text of `{path}` lacks {lacks[0]}{more}, which the file has"


def _amid(path: str, before: str, new: str, language: Language) -> str | None:
    """What a file defines at its margin and a short text lacks, if that is most, and the text does not begin as the
    file does: with a word that the file has above its definitions, or with what one definition around the others has.
    A beginning of which little is used is left over, and is that of no text.
    """
    had = language.definitions(path, before) or ()
    outermost = {found.name: found for found in reversed(had) if "." not in found.qualified}
    has = language.definitions(path, new) or ()
    kept = {found.name for found in has}
    gone = [name for name in outermost if name not in kept][::-1]
    if len(had) < _SEVERAL or 2 * len(gone) <= len(outermost):
        return None
    first = min(found.first_line for found in outermost.values()) + (len(outermost) == 1)
    heads = _first_words(split_lines(before)[:first])
    begins = split_lines(new)[: has[0].first_line + 1 if has else None]
    if not path.lower().endswith(DOCUMENTS):
        heads -= _COMMENTS
    if not heads.isdisjoint(_first_words(begins)) and not is_left_over(path, before, new):
        return None
    return _without(path, gone)


def _first_words(lines: Sequence[str]) -> set[str]:
    return {found[1] for line in lines if says(line) and (found := _FIRST_WORD.match(line)) is not None}


def _among(path: str, was: Sequence[tuple[int, str]], now: list[str]) -> str | None:
    """Where lines stand among the file's, each with its number, if a comment or their share of them tells a piece."""
    short, told = 2 * len(now) < len(was), _told(path, {line for _, line in was}, now)
    if not (short or told):
        return None
    gone = {i for hunk in diff([line for _, line in was], now) for i in range(hunk.a1, hunk.a2)}
    kept = [i for i in range(len(was)) if i not in gone]
    if told and (short or _shows_piece(path, told, keeps_little=2 * len(kept) < len(was))):
        return f"The new text of `{path}` begins with what is to be done with a piece of the file"
    if not short or len(was) < _PIECE_FROM or not kept or 2 * len(kept) < len(now):
        return None
    if kept[0] == 0 and (now[-1] != was[kept[-1]][1] or 2 * kept[-1] >= len(was)):
        return None
    if kept[-1] - kept[0] >= 2 * len(now):
        return None
    first, last = was[kept[0]][0], was[kept[-1]][0]
    shown = f"line {first}" if first == last else f"lines {first} to {last}"
    return f"The new text shows {shown} of `{path}` with changes"


def _unframed(name: str, before: str, new: str) -> str:
    """What a page has around it, or a program says of itself, and elements or lines of it do not; "" where nothing is
    lacking. A template may take the place of a page. Elements alone are no program, and few lines of a shell's are no
    script.
    """
    if name.startswith(_IMAGES) and _BASE.search(before) and not _BASE.search(new):
        return "FROM"
    if _ELEMENT.match(new) and _PAGE.search(before) and not _PAGE.search(new):
        return "<html>"
    if name.endswith((".jsx", ".tsx", ".js", ".ts")) and _ELEMENT.match(new) and not _ELEMENT.match(before):
        return next(iter(said_lines(before)), "")
    if name.endswith(_IN_MODULES) and (module := _MODULE.search(before)) is not None and not _MODULE.search(new):
        return module[0]
    if _SHELL.match(before) and not new.startswith("#!") and 2 * len(said_lines(new)) <= len(said_lines(before)):
        return split_lines(before)[0]
    return "<?php" if _PHP.match(before) and "<" not in new.lstrip()[:1] and "<?" not in new else ""


def _told(path: str, had: set[str], now: list[str]) -> list[str]:
    """What the comments in the lines `now` say that are not in `had`, if they begin with one on what is to be done; a
    comment that names the file may come before."""
    if not had or not now:
        return []
    first = 1 if len(now) > 1 and now[0].endswith(path.rpartition("/")[2]) and comment_in(now[0])[0] else 0
    told = _remarked(now[first])
    if not told or now[first] in had or not _TOLD.fullmatch(told):
        return []
    return [words for line in now[first:] if line not in had and (words := _remarked(line))]


def _shows_piece(path: str, told: list[str], *, keeps_little: bool) -> bool:
    """Whether such comments are of a piece, however long it is.

    A program may begin with what it does. So the first must speak of what stands beside it, or another say that its
    lines come in the place of those.
    """
    if path.lower().endswith(DOCUMENTS):
        return False
    return (keeps_little and _POINTS.fullmatch(told[0]) is not None) or any(map(_THEN.fullmatch, told[1:]))


def _remarked(line: str) -> str:
    """What a line says that is a comment, without the signs before it; "" for any other."""
    leader, said = comment_in(line)
    return said.lstrip("".join(c for c in said if not c.isalnum())) if leader and len(said) <= LONGEST else ""


def apart(blocks: Mapping[int, Block]) -> dict[int, int]:
    """For each listing of a file of which the reply has another that shares hardly a line with it, that one's number.

    Neither can be all of the file where the other is. One that leaves lines out says what it is itself.
    """
    listings: dict[str | None, list[int]] = {}
    for n, block in blocks.items():
        if block.format == "whole" and block.kind is Kind.REWRITE and not (block.draft or block.malformed):
            listings.setdefault(block.path, []).append(n)
    found: dict[int, int] = {}
    for path, numbers in listings.items():
        texts = [blocks[n].replace for n in numbers]
        if len(texts) < 2 or any(marked(text, "", path or "") for text in texts):
            continue
        said = [(n, Counter(said_lines(text))) for n, text in zip(numbers, texts, strict=True)]
        for (one, lines), (other, others) in pairwise(said):
            shorter = min(lines.total(), others.total())
            if shorter >= _APART_FROM and 2 * (lines & others).total() < shorter:
                found.setdefault(one, other)
                found[other] = one
    return found


def one_of_two(path: str, other: int) -> Rejected:
    """Why a listing is not written that has hardly a line of another of its file, block `other`."""
    reason = (
        f"Block {other} of the reply shows `{path}` too, and hardly a line stands in both; each may be a piece of it."
    )
    return Rejected(Code.ELIDED, reason, "Send the file's whole text once, or the changed lines as edits.")


def _all_indented(text: str) -> bool:
    return all(line[:1] in " \t" for line in split_lines(text) if line.strip())
