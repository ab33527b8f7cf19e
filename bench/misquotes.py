"""Edits quoted as models misquote: what the edit does not change, told wrong.

A misquote takes an edit and gives another that means the same, or None where it has nothing to bite on. So the truth
of every misquote is the truth of the edit: an engine lands it there, or refuses.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from edits import Fate, Line, Lines, Scenario, indent_of

Misquote = Callable[[Scenario, Random], "Scenario | None"]


def anywhere(change: Callable[[str], str]) -> Misquote:
    """A misquote of every line, new ones too: the way the whole block was written down."""

    def misquote(case: Scenario, _: Random) -> Scenario | None:
        quoted = replace(case, edit=tuple(replace(line, text=change(line.text)) for line in case.edit))
        return None if quoted.search == case.search else quoted

    return misquote


def some_kept(change: Callable[[str, Random], str]) -> Misquote:
    """A misquote of one to three kept lines."""

    def misquote(case: Scenario, rng: Random) -> Scenario | None:
        places = [
            at for at, line in enumerate(case.edit) if line.fate is Fate.KEPT and change(line.text, rng) != line.text
        ]
        if not places:
            return None
        chosen = set(rng.sample(places, min(len(places), rng.randrange(1, 4))))
        edit = [replace(ln, text=change(ln.text, rng)) if at in chosen else ln for at, ln in enumerate(case.edit)]
        return replace(case, edit=tuple(edit))

    return misquote


def apart(case: Scenario) -> list[int]:
    """Where kept lines stand that touch no changed one, nor either end."""
    fates = [line.fate for line in case.edit]
    inner = range(1, len(fates) - 1)
    return [at for at in inner if {fates[at - 1], fates[at], fates[at + 1]} == {Fate.KEPT}]


def moves(case: Scenario) -> bool:
    """Whether the edit moves lines deeper."""
    gone, new = ({line.text.strip() for line in case.edit if line.fate is fate} for fate in (Fate.GONE, Fate.NEW))
    return not gone.isdisjoint(new - {""})


def shifted(case: Scenario, rng: Random) -> Scenario | None:
    """Every line the same number of columns to the right, or to the left."""
    width = min((len(indent_of(line.text)) for line in case.edit if line.text.strip()), default=0)
    step = rng.choice([by for by in (-width, -width // 2, 2, 4, 8) if by])
    if moves(case) and step not in (2, 8):
        return None  # a shift by the step of the edit itself could not be told from it
    tabs = any(line.text.startswith("\t") for line in case.edit)
    return anywhere(lambda text: moved(text, step, "\t" if tabs else " "))(case, rng)


def moved(text: str, step: int, blank: str) -> str:
    """A line `step` blanks further to the right; blank lines stay."""
    if not text.strip():
        return text
    return blank * step + text if step > 0 else text[-step:]


def clamped(case: Scenario, rng: Random) -> Scenario | None:
    """Every line further to the left than kept ones can go: what has no room stays at the margin.

    Not where the edit itself moves lines: then nobody could tell one from the other.
    """
    step = rng.choice((2, 4))
    if moves(case):
        return None
    changed = [line.text for line in case.edit if line.fate is not Fate.KEPT and line.text.strip()]
    if any(len(indent_of(text)) < step for text in changed):
        return None
    return anywhere(lambda text: text[min(step, len(indent_of(text))) :])(case, rng)


def shifted_in_search(case: Scenario, rng: Random) -> Scenario | None:
    """The first lines of the search further to the right, or the last ones; the replacement has all of them right."""
    if moves(case) or len(case.edit) < 2:
        return None
    at, first, step = rng.randrange(1, len(case.edit)), rng.random() < 0.5, rng.choice((2, 4, 8))
    blank = "\t" if any(line.text.startswith("\t") for line in case.edit) else " "
    lines = enumerate(case.edit)
    misread = [replace(ln, text=moved(ln.text, step, blank)) if (i < at) is first else ln for i, ln in lines]
    quoted = replace(case, misread=tuple(misread))
    return None if quoted.search == case.search else quoted


def retabbed(case: Scenario, rng: Random) -> Scenario | None:
    """Tabs for spaces, or spaces for tabs, in front of every line.

    Not where no line of the file has either: then none tells what a new line would begin with.
    """
    return anywhere(_retabbed)(case, rng) if any(map(indent_of, case.text.splitlines())) else None


def _retabbed(text: str) -> str:
    indent = indent_of(text)
    if "\t" in indent:
        return "    " * indent.count("\t") + text.lstrip()
    return "\t" * (len(indent) // 4) + " " * (len(indent) % 4) + text.lstrip()


def restepped(case: Scenario, rng: Random) -> Scenario | None:
    """Every line twice as deep, or half.

    Not where what is quoted stands at one depth, and new lines at others: then a shift would say the same.
    """
    indents = [indent_of(line.text) for line in case.edit if line.text.strip()]
    quoted = {indent_of(line.text) for line in case.edit if line.text.strip() and line.fate is not Fate.NEW}
    if any("\t" in indent for indent in indents) or moves(case) or (len(quoted) == 1 and set(indents) != quoted):
        return None
    halved = rng.random() < 0.5 and all(len(indent) % 2 == 0 for indent in indents)

    def change(text: str) -> str:
        indent = indent_of(text)
        return text[len(indent) // 2 :] if halved else indent + text

    return anywhere(change)(case, rng)


def spaced(text: str, rng: Random) -> str:
    """A line outside of whose quotes a run of blanks is longer, or missing beside punctuation."""
    if any(mark in text for mark in "\"'`"):
        return text
    body = text.lstrip()
    pairs = ((" = ", "="), (", ", ","), (" + ", "+"), (": ", ":  "), (" ", "  "))
    fitting = [pair for pair in pairs if pair[0] in body]
    if not fitting:
        return text
    old, new = fitting[0] if len(fitting) == 1 else rng.choice(fitting)
    return indent_of(text) + body.replace(old, new, 1)


def trailing(text: str, rng: Random) -> str:
    """A line with blanks behind it."""
    return text + " " * rng.randrange(1, 4)


def more_blank_lines(case: Scenario, rng: Random) -> Scenario | None:
    """A blank line more between two kept lines, where the edit changes none of the blank ones."""
    places = apart(case)
    if not places or any(not line.text.strip() and line.fate is not Fate.KEPT for line in case.edit):
        return None
    at = rng.choice(places)
    return replace(case, edit=(*case.edit[:at], Line(Fate.KEPT, ""), *case.edit[at:]))


def fewer_blank_lines(case: Scenario, rng: Random) -> Scenario | None:
    """A blank line less."""
    places = [at for at in apart(case) if not case.edit[at].text.strip()]
    return without(case, rng.choice(places), 1) if places else None


def without(case: Scenario, at: int, count: int, stand_in: tuple[Line, ...] = ()) -> Scenario:
    """The edit with some lines left out."""
    return replace(case, edit=(*case.edit[:at], *stand_in, *case.edit[at + count :]))


def forgotten(case: Scenario, rng: Random) -> Scenario | None:
    """A kept line left out that touches no changed one."""
    places = [at for at in apart(case) if case.edit[at].text.strip()]
    return without(case, rng.choice(places), 1) if places else None


def wrapped(case: Scenario, rng: Random) -> Scenario | None:
    """A kept line broken in two behind a comma between brackets, as a formatter does."""
    commas = {at: re.search(r"^[^\"'`]*\([^()\"'`]*?,(?= )", case.edit[at].text) for at in apart(case)}
    places = [at for at, comma in commas.items() if comma is not None]
    if not places:
        return None
    at = rng.choice(places)
    text = case.edit[at].text
    end = commas[at].end()  # type: ignore[union-attr]
    broken = (Line(Fate.KEPT, text[:end]), Line(Fate.KEPT, f"{indent_of(text)}        {text[end:].lstrip()}"))
    return without(case, at, 1, broken)


ELISIONS = (
    "...",
    "# ...",
    "// ...",
    "// ... existing code ...",
    "# ... rest of the code ...",
    "// ... [existing code] ...",
    "# [... rest of the code ...]",
)


def elided(case: Scenario, rng: Random) -> Scenario | None:
    """A run of three or more kept lines told as one that stands for them."""
    places = apart(case)
    runs = [(at, size) for at in places for size in (3, 4, 5) if all(at + more in places for more in range(size))]
    if not runs:
        return None
    at, size = rng.choice(runs)
    return without(case, at, size, (Line(Fate.KEPT, indent_of(case.edit[at].text) + rng.choice(ELISIONS)),))


def wrong_letter(text: str, rng: Random) -> str:
    """A line with one letter another."""
    places = [at for at, letter in enumerate(text) if letter.isascii() and letter.isalpha()]
    if not places:
        return text
    at = rng.choice(places)
    other = rng.choice("abcdefghijklmnopqrstuvwxyz".replace(text[at].lower(), ""))
    return text[:at] + other + text[at + 1 :]


def letter(case: Scenario, rng: Random) -> Scenario | None:
    """One wrong letter in one kept line, in search and replacement alike."""
    places = [
        at for at, line in enumerate(case.edit) if line.fate is Fate.KEPT and wrong_letter(line.text, rng) != line.text
    ]
    if not places:
        return None
    at = rng.choice(places)
    return replace(case, edit=tuple(misspelt(case.edit, at, rng)))


def letter_in_search(case: Scenario, rng: Random) -> Scenario | None:
    """One wrong letter in one kept line of the search, which the replacement has right."""
    places = [at for at in apart(case) if wrong_letter(case.edit[at].text, rng) != case.edit[at].text]
    if not places:
        return None
    return replace(case, misread=tuple(misspelt(case.edit, rng.choice(places), rng)))


def misspelt(edit: Lines, at: int, rng: Random) -> list[Line]:
    """The edit with one letter wrong in one line."""
    return [
        replace(line, text=wrong_letter(line.text, rng)) if index == at else line for index, line in enumerate(edit)
    ]


def numbered(case: Scenario, rng: Random) -> Scenario | None:
    """The file's line numbers in front of every line; new lines count on."""
    mark = rng.choice((" | ", "| ", ": ", "\t"))
    width = rng.choice((0, 4))
    found, number = [], case.edit[0].number
    for line in case.edit:
        number = line.number or number + 1
        found.append(replace(line, text=f"{number:>{width}}{mark}{line.text}"))
    return replace(case, edit=tuple(found))


def curly(text: str) -> str:
    """Straight quotes and hyphens as a typesetter has them; curly ones straight."""
    if any(mark in text for mark in "“”‘’–"):
        return text.translate(str.maketrans("“”‘’–", "\"\"''-"))
    return re.sub(r'"([^"]*)"', r"“\1”", text)


def no_break(text: str, rng: Random) -> str:
    """A line with one of its spaces a no-break space."""
    places = [at for at, letter in enumerate(text) if letter == " " and text[:at].strip()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + "\u00a0" + text[at + 1 :]


def misread(case: Scenario, rng: Random) -> Scenario | None:
    """Every line as somebody sees it who takes it for another encoding."""
    encoding = rng.choice(("cp1252", "cp437", "cp850", "cp1251"))

    def sign(byte: int) -> str:
        try:
            return bytes([byte]).decode(encoding)
        except UnicodeDecodeError:
            return chr(byte)

    return anywhere(lambda text: "".join(map(sign, text.encode())))(case, rng)


def lost(text: str) -> str:
    """A line whose foreign letters no encoding could read."""
    return re.sub(r"[^\x00-\x7f]", "\ufffd", text)


def escaped_quotes(text: str) -> str:
    """Double quotes with a backslash, as inside a string."""
    return text.replace('"', '\\"')


_IN_DOUBLE = re.compile(r"\"{3}|\"((?:[^\"\\\n]|\\.)*)\"")


def in_single_quotes(case: Scenario, rng: Random) -> Scenario | None:
    """Every string in single quotes for double ones, where that means the same and the edit quotes no single one."""
    if any("'" in line.text for line in case.edit):
        return None

    def requoted(found: re.Match[str]) -> str:
        text = found[1]
        return found[0] if text is None or set(text) & set("\\`$#{}") else f"'{text}'"

    return anywhere(lambda text: _IN_DOUBLE.sub(requoted, text))(case, rng)


MISQUOTES: dict[str, Misquote] = {
    "none": lambda case, _: case,
    "trailing space": some_kept(trailing),
    "indentation shifted": shifted,
    "indentation clamped": clamped,
    "indentation of some lines of the search": shifted_in_search,
    "tabs and spaces": retabbed,
    "steps of another width": restepped,
    "blanks inside lines": some_kept(spaced),
    "blank line added": more_blank_lines,
    "blank line missing": fewer_blank_lines,
    "entities": anywhere(lambda text: html.escape(text, quote=False)),
    "entities and quotes": anywhere(html.escape),
    "quotes escaped": anywhere(escaped_quotes),
    "curly quotes": some_kept(lambda text, _: curly(text)),
    "single quotes for double": in_single_quotes,
    "no-break space": some_kept(no_break),
    "read in another encoding": misread,
    "letters lost": anywhere(lost),
    "line numbers": numbered,
    "one wrong letter": letter,
    "one wrong letter in the search": letter_in_search,
    "a line forgotten": forgotten,
    "a line wrapped": wrapped,
    "a run elided": elided,
}


def two_at_once(case: Scenario, rng: Random) -> Scenario | None:
    """Two of the others, one on top of the other; a search misread alone does not go with a second."""
    kinds = [kind for kind in MISQUOTES if kind not in (*ALONE, BOTH)]
    first, second = rng.sample(kinds, 2)
    once = MISQUOTES[first](case, rng)
    return None if once is None else MISQUOTES[second](once, rng)


BOTH = "two at once"
ALONE = ("one wrong letter in the search", "indentation of some lines of the search")
MISQUOTES[BOTH] = two_at_once


def strayed(truth: Scenario, quoted: Scenario) -> bool:
    """Whether half of the misquote stands in the file word for word, so that it names another place or no change."""
    changed = quoted.search != truth.search
    return changed and (quoted.search in truth.text or (quoted.replace != "" and quoted.replace in truth.text))
