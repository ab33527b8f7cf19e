"""Sketches real files and merges the sketches: each must give the file that it means, or be refused with its reason.

    python bench/sketches.py [FILE…]

A sketch is a listing that leaves lines out with marks. Without FILE, six files of six languages are sketched, of 300
lines and more, that an environment for development has. Of each, the definitions nearest to the middle are changed in
the ways that models write; what the file must be then is made from its own lines. The exit status is 1 where one
comes out WRONG.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import dovetail
from dovetail.model.language import Definition
from dovetail.syntax import default_language

HERE = Path(__file__).parents[1]
INSTALLED = Path(sysconfig.get_path("purelib"))
FILES = (
    Path(sysconfig.get_path("stdlib")) / "argparse.py",
    INSTALLED / "importlinter/ui/static/explorer.js",
    HERE / "page/src/panels/review_file.tsx",
    INSTALLED / "mypyc/lib-rt/list_ops.c",
    HERE / "page/src/style/chat.css",
    HERE / "src/dovetail/schema/dovetail.json",
)
SHORTEST, LONGEST = 4, 30  # lines of a definition that is sketched


class Words(NamedTuple):
    """What a language's sketches say: the mark for lines left out, a line for a body, a definition, an import."""

    mark: str
    line: str
    definition: str
    imported: str = ""


SCRIPT = Words(
    "// ... existing code ...",
    'console.debug("sketched");',
    "function sketched(value) {\n  return value;\n}",
    'import { sketched } from "./sketched.js";',
)
LANGUAGES = {
    ".py": Words(
        "# ... existing code ...", 'trace("sketched")', "def sketched(value):\n    return value", "import sketched"
    ),
    ".js": SCRIPT,
    ".tsx": SCRIPT,
    ".c": Words(
        "/* ... existing code ... */",
        'trace("sketched");',
        "int sketched(int value)\n{\n    return value;\n}",
        '#include "sketched.h"',
    ),
    ".css": Words("/* ... existing styles ... */", "outline: 0;", ".sketched {\n  color: red;\n}"),
    ".json": Words("// ... existing keys ...", '"sketched": true,', ""),
}


class Sketch(NamedTuple):
    """A listing, and the file's lines as it means them; `afterwards` may be any of several."""

    text: Sequence[str]
    afterwards: Sequence[Sequence[str]]


def line_in_whole(lines: Sequence[str], one: Definition, words: Words) -> Sketch:
    """All of a definition, with a line more at its beginning."""
    new, mark = indented(lines, one, words.line), words.mark
    head, rest = lines[one.first_line : one.body_line], lines[one.body_line : one.last_line + 1]
    return Sketch([mark, "", *head, new, *rest, "", mark], [with_lines(lines, one.body_line, [new])])


def line_below_head(lines: Sequence[str], one: Definition, words: Words) -> Sketch:
    """A definition's head, a line, and a mark for the rest."""
    new, end = indented(lines, one, words.line), lines[one.last_line]
    closing = [end] if end.strip()[:1] in ("}", "]", ")") else []
    inside = new[: len(new) - len(new.lstrip())] + words.mark
    text = [words.mark, *lines[one.first_line : one.body_line], new, inside, *closing, words.mark]
    return Sketch(text, [with_lines(lines, one.body_line, [new])])


def line_above_end(lines: Sequence[str], one: Definition, words: Words) -> Sketch | None:
    """A definition's head, a mark, and a line above the one that closes it."""
    if lines[one.last_line].strip()[:1] not in ("}", "]", ")"):
        return None
    new, head = indented(lines, one, words.line), lines[one.first_line : one.body_line]
    inside = new[: len(new) - len(new.lstrip())] + words.mark
    text = [words.mark, *head, inside, new, lines[one.last_line], words.mark]
    return Sketch(text, [with_lines(lines, one.last_line, [new])])


def definition_behind(lines: Sequence[str], one: Definition, words: Words) -> Sketch | None:
    """All of a definition and a new one below it."""
    if not words.definition or lines[one.first_line][:1].isspace():
        return None
    end, new = one.last_line + 1, words.definition.split("\n")
    gap = next((n for n, line in enumerate(lines[end:]) if line.strip()), 0)
    text = [words.mark, "", *lines[one.first_line : end], *[""] * gap, *new, "", words.mark]
    return Sketch(text, [with_lines(lines, end, [*[""] * gap, *new])])


def import_on_top(lines: Sequence[str], one: Definition, words: Words) -> Sketch | None:
    """An import above the first mark, and a definition with a line more; the import goes below one of the file, or on
    top of a file that has none."""
    if not words.imported:
        return None
    whole = line_in_whole(lines, one, words)
    begins = (words.imported.split()[0], "from ")
    imports = [n for n, line in enumerate(lines) if line.startswith(begins)]
    below = range(imports[0] + 1, one.first_line) if imports else ()
    after = [with_lines(whole.afterwards[0], at, [words.imported]) for at in below]
    if not imports:
        after = [with_lines(whole.afterwards[0], 0, [words.imported, *gap]) for gap in ([], [""])]
    return Sketch([words.imported, *whole.text], after)


KINDS: tuple[Callable[[Sequence[str], Definition, Words], Sketch | None], ...] = (
    line_in_whole,
    line_below_head,
    line_above_end,
    definition_behind,
    import_on_top,
)


def indented(lines: Sequence[str], one: Definition, line: str) -> str:
    """A line as deep as the first of a definition's body."""
    first = next(row for row in lines[one.body_line :] if row.strip())
    return first[: len(first) - len(first.lstrip())] + line


def with_lines(lines: Sequence[str], at: int, new: Sequence[str]) -> list[str]:
    """The lines with others above one of them."""
    return [*lines[:at], *new, *lines[at:]]


def chosen(path: Path, text: str) -> Iterator[Definition]:
    """The definitions that may be sketched, nearest the middle first: short ones, by names that stand once."""
    known = default_language().definitions(path.name, text) or ()
    names = [one.name for one in known]
    lines = text.split("\n")
    middle = len(lines) // 2
    for one in sorted(known, key=lambda one: abs(one.first_line - middle)):
        named = one.kind != "class" and names.count(one.name) == 1 and one.body_line > one.first_line
        if lines[one.body_line - 1].rstrip().endswith("=>"):
            continue  # an expression is its body: no line can be put into it
        if named and SHORTEST <= one.last_line - one.first_line + 1 <= LONGEST:
            yield one


def verdict(path: Path, text: str, sketch: Sketch) -> tuple[str, str]:
    """What becomes of a sketch of a file, and the reason where it is refused."""
    reply = f"{path.name}\n````\n" + "\n".join(sketch.text) + "\n````\n"
    applied = dovetail.apply(reply, {path.name: text})
    if not applied.ok:
        return "refused", "; ".join(str(result.reason) for result in applied.failed)
    after = (applied.files.get(path.name, text) or "").split("\n")
    return ("right", "") if after in [list(lines) for lines in sketch.afterwards] else ("WRONG", "")


def main(argv: Sequence[str] | None = None) -> int:
    """Sketch each file in each way, print what comes of it, and say whether one came out WRONG."""
    parser = argparse.ArgumentParser(description="Merge sketches of real files.")
    parser.add_argument("files", nargs="*", type=Path, help="files to sketch, of a language that is known")
    options = parser.parse_args(argv)
    totals: dict[str, int] = {"right": 0, "refused": 0, "WRONG": 0}
    for path in options.files or FILES:
        if not path.exists():
            print(f"{path} is not here; it is left out.")
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        for kind in KINDS:
            made = ((one, kind(lines, one, LANGUAGES[path.suffix])) for one in chosen(path, text))
            one, sketch = next(((one, sketch) for one, sketch in made if sketch is not None), (None, None))
            if one is None or sketch is None:
                continue
            what, reason = verdict(path, text, sketch)
            totals[what] += 1
            name = kind.__name__.replace("_", " ")
            print(f"{what:<8} {path.name} ({len(lines)} lines), {one.qualified}: {name}  {reason}".rstrip())
    print(", ".join(f"{count} {what}" for what, count in totals.items()))
    return 1 if totals["WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())
