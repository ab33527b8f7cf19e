"""Lines of a whole-file reply that stand for lines left out: ``// ... existing code ...`` and their like.

Owns what counts as such a mark. A comment that only happens to hold dots, or a line that the file has too, is content.
"""

from __future__ import annotations

from dovetail.match.lines.line import says
from dovetail.model.patterns import late
from dovetail.model.text import split_lines

_LEADERS = ("//", "#", "--", "/*", "<!--", "{/*", ";", "%", "*", '"""', "'''", "(*", "REM ", "!")
_CLOSERS = ("*/}", "*/", "-->", '"""', "'''", "*)")
_DOTS = late(r"\.{3,}|…|\. \. \.")
_LEFT_OUT = late(
    r"(?i)\b(existing|rest|unchanged|remaining|remains?|same|previous|other|original|omitted|unmodified|above|before|code|"
    r"content|contents|methods?|functions?|imports?|lines?|file|class|implementation|props|fields|keep)\b"
)
_SAID_SO = late(
    r"(?i)\b(rest|remainder|remaining|existing|other|previous|all)\b.*\b(unchanged|same|omitted|as before|as is|here)\b"
    r"|\b(rest of (the|your|this) (code|file|class|function|method|content|implementation))\b"
)
_NEXT = (
    r"(?:(?:the |my |a )?(?:next|following|second|third) (?:answer|block|comment|message|part|reply|response)s?"
    r"|part \w+)"
)
_TO_BE_CONTINUED = (
    r"to be continued|fortsetzung folgt|wird fortgesetzt|à suivre|continuará|continua|wordt vervolgd"
    r"|ciąg dalszy nastąpi|продолжение следует|далі буде|devam edecek|devamı var|còn tiếp|bersambung"
    r"|未完待[续續]|(?:次に)?(?:続く|つづく)|(?:다음에 )?계속됩니다|다음에 계속|يتبع|ادامه دارد"
)
_GOES_ON = late(
    rf"(?i)\W*(?:{_TO_BE_CONTINUED}|(?:is |will be )?continue[sd](?: (?:in|on|with) {_NEXT}| below)?"
    rf"|continue (?:in|with) {_NEXT}|(?:the )?(?:rest|remainder) (?:is |comes |follows )?in {_NEXT}"
    r"|(?:(?:code|content|file|listing|output|response|text) )?truncated(?: here)?)\W*"
)
_SENTENCE = late(r"\w+ \w+ \w+")  # and no list of names
_ASIDE = late(r"[*_]{0,3}(?:\(.*\)|\[.*\]|<[^<>]*>)[*_]{0,3}|(?:\.{3}|\u2026).*")
LONGEST = 200  # characters of such a remark
_PLAIN_DOTS = ("...", "…")
_GAP = late(r"⋮(?: lines? \d+(?:-\d+)?)?")  # what stands for lines left out in an excerpt that models are shown
_ELLIPSIS_IS_CODE = (".py", ".pyi")


def elisions(new: str, before: str, path: str = "") -> tuple[int, ...]:
    """Lines of `new`, from 0, that stand for lines left out. A line that the file has too is content."""
    content = {line.strip() for line in split_lines(before)}
    bare = not dots_are_code(path)
    return tuple(
        index
        for index, line in enumerate(split_lines(new))
        if line.strip() not in content and _stands_for_lines(line.strip(), bare=bare)
    )


def unfinished(new: str, before: str) -> int | None:
    """The last line of `new`, from 0, where it is no text but says that more of it is to come, or was cut off; whatever
    it says, where what is above it is how the file begins."""
    lines, was = split_lines(new.rstrip()), split_lines(before)
    last = lines[-1].strip() if lines else ""
    leader, said = remark(last)
    if len(last) > LONGEST or not (leader or _ASIDE.fullmatch(last)) or last in map(str.strip, was):
        return None
    told = not leader and _SENTENCE.search(said) is not None
    return len(lines) - 1 if _GOES_ON.fullmatch(said) or (told and _begins(lines[:-1], was)) else None


def _begins(lines: list[str], was: list[str]) -> bool:
    """Whether lines are how a file begins, some perhaps changed: the last that says something is there once, nothing
    that is behind it there is among them, and half of them stand there."""
    said = [line for line in lines if says(line)]
    if not said or was.count(said[-1]) != 1:
        return False
    lost = {line for line in was[was.index(said[-1]) + 1 :] if says(line)}
    known = set(was)
    return bool(lost) and lost.isdisjoint(said) and 2 * sum(line in known for line in said) >= len(said)


def dots_are_code(path: str) -> bool:
    """Whether three dots alone say something in the language of a path."""
    return path.endswith(_ELLIPSIS_IS_CODE)


def _stands_for_lines(line: str, *, bare: bool) -> bool:
    if line in _PLAIN_DOTS:
        return bare
    leader, said = remark(line)
    if said.startswith("⋮"):
        return _GAP.fullmatch(said) is not None
    dots = _DOTS.search(said)
    words = _DOTS.sub(" ", said).strip(" ,.:[]()")
    if not leader:
        whole = said.startswith(_PLAIN_DOTS) and said.endswith(_PLAIN_DOTS)
        return whole and _LEFT_OUT.search(words) is not None
    if dots is not None and (dots.start() == 0 or dots.end() == len(said)):
        return not words or _LEFT_OUT.search(words) is not None
    return len(said) <= LONGEST and len(said.split()) <= 12 and _SAID_SO.search(said) is not None


def remark(line: str) -> tuple[str, str]:
    """How a comment begins ("" for a line that is none), and what it says between its marks."""
    leader = next(filter(line.startswith, _LEADERS), "")
    said = line.removeprefix(leader).strip()
    for closer in _CLOSERS if said.endswith(_CLOSERS) else ():
        said = said.removesuffix(closer).strip()
    return leader, said.strip("/#*-!;%<>() \t")
