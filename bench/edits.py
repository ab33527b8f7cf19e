"""Edits whose true result is known: a file, some of its lines changed, and the block that says so.

An edit is a list of lines, each kept, gone or new; its search is the kept and the gone, its replacement the kept and
the new. Randomness is handed in, so that a seed is a case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from random import Random

from code_samples import STYLES, units


class Fate(Enum):
    """What the edit does with a line."""

    KEPT = " "
    GONE = "-"
    NEW = "+"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without its end; `number` is its 1-based number in the file, 0 for a new one."""

    fate: Fate
    text: str
    number: int = 0


Lines = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A file, an edit of it, and what the edit makes of it.

    `search_only` holds what the search says in place of its own lines, where a misquote touches the search alone.
    """

    path: str
    text: str
    edit: Lines
    truth: str
    misread: Lines | None = None

    @property
    def search(self) -> str:
        """What the reply says stands in the file."""
        return joined(self.misread or self.edit, Fate.GONE)

    @property
    def replace(self) -> str:
        """What the reply wants there."""
        return joined(self.edit, Fate.NEW)

    @property
    def reply(self) -> str:
        """The reply that says so."""
        return f"{self.path}\n```\n<<<<<<< SEARCH\n{self.search}=======\n{self.replace}>>>>>>> REPLACE\n```\n"


def joined(lines: Lines, side: Fate) -> str:
    """One half of a block."""
    return "".join(line.text + "\n" for line in lines if line.fate in (Fate.KEPT, side))


def renumbered(text: str, rng: Random) -> str:
    """A line with one of its numbers or words another."""
    words = list(re.finditer(r"[A-Za-z]{3,}|\d+", text))
    if not words:
        return text + " # changed"
    word = rng.choice(words)
    other = str(rng.randrange(10_000, 99_999)) if word[0].isdigit() else f"{word[0]}_{rng.randrange(10, 99)}x"
    return text[: word.start()] + other + text[word.end() :]


def indent_of(text: str) -> str:
    """The blanks a line begins with."""
    return text[: len(text) - len(text.lstrip())]


def new_lines(like: str, rng: Random) -> list[Line]:
    """One to three lines that no file has, indented like a line."""
    count = rng.randrange(1, 4)
    return [Line(Fate.NEW, f"{indent_of(like)}fresh_{rng.randrange(10**6)} = {number}") for number in range(count)]


def _beside(lines: Lines, at: int) -> str:
    """The line whose indentation new ones behind `at` have: behind what opens a block, the first line in it."""
    text = lines[at].text
    opens = text.rstrip().endswith(("{", "(", "[", ":")) and at + 1 < len(lines)
    return lines[at + 1].text if opens and lines[at + 1].text.strip() else text


def step_of(texts: Iterable[str]) -> str:
    """By what the lines of a file grow deeper."""
    return "\t" if any(text.startswith("\t") for text in texts) else "    "


def deeper(lines: Sequence[Line], step: str) -> list[Line]:
    """Kept lines, all of them one step deeper."""
    gone = [replace(line, fate=Fate.GONE) for line in lines]
    return [*gone, *(Line(Fate.NEW, step + line.text if line.text.strip() else line.text) for line in lines)]


def only_moves(edit: Lines) -> bool:
    """Whether an edit changes nothing but how deep lines stand, and no line that it keeps tells how deep they stood.

    None does where there is none, or where the others alone have tabs.
    """
    kept, gone, new = ([line.text for line in edit if line.fate is fate and line.text.strip()] for fate in Fate)
    tabs = any(map(_tabbed, (*gone, *new))) and not any(map(_tabbed, kept))
    return list(map(str.strip, gone)) == list(map(str.strip, new)) and (tabs or not kept)


def _tabbed(text: str) -> bool:
    return "\t" in indent_of(text)


def rewritten(lines: Sequence[Line], rng: Random) -> list[Line]:
    """Kept lines, all of them replaced, some by themselves but for a word."""
    gone = [replace(line, fate=Fate.GONE) for line in lines]
    new = [Line(Fate.NEW, renumbered(line.text, rng)) for line in lines if line.text.strip() and rng.random() < 0.7]
    return [*gone, *new, *new_lines(lines[0].text, rng)]


def edited(kept: Sequence[Line], step: str, rng: Random) -> Lines:
    """Some lines with one or two places in them changed, deleted, moved a step deeper, rewritten, or followed by new
    ones."""
    lines = list(kept)
    for _ in range(rng.randrange(1, 3)):
        solid = [at for at, line in enumerate(lines) if line.fate is Fate.KEPT and line.text.strip()]
        if not solid:
            break
        at = rng.choice(solid)
        gone = replace(lines[at], fate=Fate.GONE)
        run = next((n for n, line in enumerate(lines[at:]) if line.fate is not Fate.KEPT), len(lines) - at)
        run = min(run, rng.randrange(1, 7))
        match rng.choice(("change", "change", "delete", "insert", "deeper", "rewrite")):
            case "change":
                lines[at : at + 1] = [gone, Line(Fate.NEW, renumbered(gone.text, rng))]
            case "delete":
                lines[at] = gone
            case "deeper":
                lines[at : at + run] = deeper(lines[at : at + run], step)
            case "rewrite":
                lines[at : at + run] = rewritten(lines[at : at + run], rng)
            case _:
                lines[at + 1 : at + 1] = new_lines(_beside(lines, at), rng)
    return tuple(lines)


def scenario(style: str, rng: Random) -> Scenario:
    """A file of one style and an edit of four to twenty of its lines."""
    text = "".join(units(style, rng.randrange(3, 30), rng, first=rng.randrange(500)))
    lines = text.splitlines()
    count = min(len(lines), rng.randrange(4, 21))
    first = rng.randrange(len(lines) - count + 1)
    kept = [Line(Fate.KEPT, lines[at], at + 1) for at in range(first, first + count)]
    return with_edit(f"src/file.{STYLES[style][0]}", lines, first, count, edited(kept, step_of(lines), rng))


def with_edit(path: str, lines: list[str], first: int, count: int, edit: Lines) -> Scenario:
    """The scenario of an edit that covers `count` lines from `first`, counted from 0."""
    truth = [*lines[:first], *joined(edit, Fate.NEW).splitlines(), *lines[first + count :]]
    return Scenario(path, as_text(lines), edit, as_text(truth))


def as_text(lines: Sequence[str]) -> str:
    """Lines, each closed."""
    return "".join(line + "\n" for line in lines)
