"""The edits whose landing is timed, each with the result that is right."""
# ruff: noqa: S311 — seeded, so that every run times the same texts

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from textwrap import dedent, indent

from code_samples import code, name_of, units

SEED = 20
METHODS = 20  # of a class


@dataclass(frozen=True, slots=True)
class Single:
    """One block in one file; `truth` is None where it belongs nowhere."""

    name: str
    text: str
    search: str
    replace: str
    truth: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """Many blocks over many files, and the reply that says them."""

    name: str
    files: dict[str, str]
    blocks: list[tuple[str, str, str]]
    truth: dict[str, str]

    @property
    def text(self) -> str:
        """The reply."""
        return "".join(block_text(*block) for block in self.blocks)


def block_text(path: str, search: str, replace: str) -> str:
    """One block as a model writes it."""
    return f"\n{path}\n```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"


def changed(block: str) -> str:
    """The block with one line changed and one added."""
    lines = block.splitlines(keepends=True)
    at = next(index for index, line in enumerate(lines) if "continue" in line)
    lines[at : at + 1] = [lines[at].replace("continue", "break"), lines[at].replace("continue", "# no further")]
    return "".join(lines)


def exact(block: str) -> tuple[str, str]:
    """Search and replacement as they should be."""
    return block, changed(block)


def shifted(block: str) -> tuple[str, str]:
    """Both halves four columns too far to the right."""
    return tuple("".join("    " + line for line in half.splitlines(keepends=True)) for half in exact(block))  # type: ignore[return-value]


def typo(block: str) -> tuple[str, str]:
    """One letter wrong in a line of the search that the edit has no business with."""
    search, replace = exact(block)
    return search.replace("for item in items", "for item in itens"), replace


QUOTES: dict[str, Callable[[str], tuple[str, str]]] = {"exact": exact, "shifted": shifted, "typo": typo}


def function_block(text: str, share: float) -> str:
    """Ten lines: the function that stands at a share of the text's length."""
    start = text.index("\ndef ", int(len(text) * share)) + 1
    return "".join(text[start:].splitlines(keepends=True)[:10])


def singles(lines: int) -> list[Single]:
    """A ten-line block in a file of about `lines` lines: exact, shifted, with a typo, and nowhere."""
    text = code("python", lines, Random(SEED))
    block = function_block(text, 0.7)
    truth = text.replace(block, changed(block))
    found = [Single(name, text, *quote(block), truth) for name, quote in QUOTES.items()]
    stranger = "".join(units("typescript", 2, Random(SEED), first=10**6)).splitlines(keepends=True)[:10]
    return [*found, Single("no match", text, "".join(stranger), "".join(stranger[:5]), None)]


def nested(lines: int) -> list[Single]:
    """Methods of classes: a block quoted as it stands, and one that begins at the margin, as models quote a method."""
    functions = code("python", lines, Random(SEED)).split("\ndef ")[1:]
    classes = []
    for first in range(0, len(functions), METHODS):
        body = "\n".join(f"def {one.rstrip()}\n" for one in functions[first : first + METHODS])
        classes.append(f"class Part{first}:\n{indent(body, '    ')}\n")
    text = "".join(classes)
    start = text.index("\n    def ", int(len(text) * 0.7)) + 1
    block = "".join(text[start:].splitlines(keepends=True)[:10])
    truth = text.replace(block, changed(block))
    margin = tuple(dedent(half) for half in exact(block))
    return [
        Single("method, exact", text, *exact(block), truth),
        Single("method, shifted", text, margin[0], margin[1], truth),
    ]


def reply(kind: str, blocks: int = 200, files: int = 20, lines: int = 500) -> Reply:
    """`blocks` blocks over `files` files of about `lines` lines, each block quoted in one way."""
    texts = {f"src/{name_of(number)}.py": code("python", lines, Random(number)) for number in range(files)}
    truth, stated = dict(texts), []
    each = blocks // files
    for path, text in texts.items():
        for number in range(each):
            block = function_block(text, number / each)
            stated.append((path, *QUOTES[kind](block)))
            truth[path] = truth[path].replace(block, changed(block))
    return Reply(f"{blocks} blocks over {files} files, {kind}", texts, stated, truth)
