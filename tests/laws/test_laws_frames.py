"""A reply that lost or garbled a line of its frame: no edit vanishes and nothing else is written.

The frame is every line that is neither the file's nor the edit's: markers, fences, headers, tags, paths. Whatever
happens to one of them, either all edits land as they were meant, or the reply is told to be broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from dovetail.formats import parse, render
from dovetail.model.blocks import Block, Hints, Kind
from dovetail.model.codes import Code, Status
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

FILES = {
    "src/a.py": "import os\n\n\ndef alpha(x):\n    old = 1\n    keep(x)\n    return x\n\n\ndef omega(y):\n    last = 3\n    return y\n",
    "src/b.py": "import re\n\n\ndef beta(z):\n    old = 2\n    return z\n",
}
HALVES = [
    ("src/a.py", "    old = 1\n    keep(x)\n", "    new = 1\n    keep(x)\n", 5),
    ("src/b.py", "    old = 2\n", "    new = 2\n    more(z)\n", 5),
    ("src/a.py", "    last = 3\n    return y\n", "    last = 4\n    return y\n", 11),
]
BARE = "udiff without a fence"
FORMATS = [
    *("diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "edit-fence", "sections", "artifact"),
    *("anchored", "guillemet", "whole", "udiff", BARE, "apply-patch", "cline", "roo"),
]
GARBLED: dict[str, Callable[[list[str], int], list[str]]] = {
    "left out": lambda lines, at: lines[:at] + lines[at + 1 :],
    "twice": lambda lines, at: [*lines[: at + 1], *lines[at:]],
    "halved": lambda lines, at: [*lines[:at], lines[at][: len(lines[at]) // 2] + "\n", *lines[at + 1 :]],
    "indented": lambda lines, at: [*lines[:at], f"  {lines[at]}", *lines[at + 1 :]],
    "with a colon": lambda lines, at: [*lines[:at], lines[at].rstrip("\n") + ":\n", *lines[at + 1 :]],
}


def edits(names: str) -> list[Block]:
    """The edits in one of their orders, or the files whole."""
    if names == "whole":
        return [Block("whole", Kind.REWRITE, path, "", text) for path, text in truth(3).items()]
    return [Block("diff", Kind.EDIT, path, old, new, hints=Hints(line)) for path, old, new, line in HALVES]


def said(name: str) -> str:
    """All edits in one format."""
    text = render(edits(name), "udiff" if name == BARE else name)
    return text.replace("```diff\n", "").replace("```\n", "") if name == BARE else text


def truth(count: int) -> dict[str, str]:
    """The files after the first edits."""
    files = dict(FILES)
    for path, old, new, _ in HALVES[:count]:
        files[path] = files[path].replace(old, new)
    return files


def planned(reply: str) -> tuple[dict[str, str | None], bool]:
    """The files after a reply, and whether it is reported that something is wrong with it, or was not read."""
    parsed = parse(reply)
    made = plan(parsed, Snapshot.of(FILES))
    failed = any(result.status is Status.FAILED for result in made.results)
    failed = failed or any(said.code is Code.NO_BLOCKS for said in parsed.diagnostics)
    return {**FILES, **{change.path: change.after for change in made.changes}}, failed


def frame(lines: list[str]) -> Iterator[int]:
    """Where the frame's lines are."""
    texts = {line for files in (FILES, truth(3)) for text in files.values() for line in text.splitlines()}
    content = texts | {f"{mark}{line}" for line in texts for mark in " +-"}
    return (at for at, line in enumerate(lines) if line.rstrip("\n") not in content)


@pytest.mark.parametrize("name", FORMATS)
def test_the_reply_as_it_is(name: str) -> None:
    assert planned(said(name)) == (truth(3), False)


@pytest.mark.parametrize("how", GARBLED)
@pytest.mark.parametrize("name", FORMATS)
def test_no_edit_is_lost_with_a_line_of_its_frame(name: str, how: str) -> None:
    lines = said(name).splitlines(keepends=True)
    for at in frame(lines):
        if name == "whole" and not lines[at].startswith("```"):
            continue  # a listing without a path is an example
        if name == "whole" and lines[at - 1].strip() in FILES:
            continue  # and so is a file's text without a fence
        after, told = planned("".join(GARBLED[how](lines, at)))
        assert told or after == truth(3), (at, lines[at])


@pytest.mark.parametrize("name", FORMATS)
def test_a_reply_that_is_cut_off_writes_whole_edits_or_nothing(name: str) -> None:
    lines = said(name).splitlines(keepends=True)
    wholes = [truth(count) for count in range(4)]
    if name == "whole":
        wholes = [FILES, {**FILES, "src/a.py": truth(3)["src/a.py"]}, truth(3)]
    for at in range(len(lines)):
        if name in ("udiff", BARE) and lines[at - 1][0] + lines[at][0] == "++":
            continue  # a hunk may end behind any added line, and an open fence is no error
        after, told = planned("".join(lines[:at]))
        assert told or after in wholes, (at, lines[at])


def call(path: str, old: str, new: str) -> str:
    fields = {"path": path, "old_string": f"\n{old}", "new_string": f"\n{new}"}
    inner = "".join(f'<parameter name="{name}">{text}</parameter>\n' for name, text in fields.items())
    return f'<invoke name="str_replace">\n{inner}</invoke>\n'


PAIRS: dict[str, Callable[[str, str, str], str]] = {
    "calls": call,
    "calls under their names": lambda path, old, new: (
        f"<edit_file>\n<path>{path}</path>\n<old_string>\n{old}</old_string>\n<new_string>\n{new}</new_string>\n</edit_file>\n"
    ),
}  # fmt: skip
WHOLES: dict[str, Callable[[str, str], str]] = {
    "calls that write": lambda path, text: (
        f"<write_file>\n<path>{path}</path>\n<content>\n{text}</content>\n</write_file>\n"
    ),
    "actions": lambda path, text: f'<boltAction type="file" filePath="{path}">\n{text}</boltAction>\n',
}
IN_TAGS = {
    **{name: "".join(say(path, old, new) for path, old, new, _ in HALVES) for name, say in PAIRS.items()},
    **{name: "".join(say(path, text) for path, text in truth(3).items()) for name, say in WHOLES.items()},
}


EXAMPLES = ("actions",)
"""What such a text without its tag may be, as a listing without its path."""


@pytest.mark.parametrize("how", GARBLED)
@pytest.mark.parametrize("name", IN_TAGS)
def test_no_edit_is_lost_with_a_tag_and_no_tag_is_written(name: str, how: str) -> None:
    reply = IN_TAGS[name]
    assert planned(reply) == (truth(3), False)
    lines = reply.splitlines(keepends=True)
    known = {line for files in (FILES, truth(3)) for text in files.values() for line in text.splitlines()}
    for at in frame(lines):
        after, told = planned("".join(GARBLED[how](lines, at)))
        written = {path: set((text or "").splitlines()) for path, text in after.items()}
        kept = all(
            set(FILES[path].splitlines()) & set(truth(3)[path].splitlines()) <= written[path] <= known for path in FILES
        )
        assert told or after == truth(3) or (kept and name in EXAMPLES), (at, lines[at])
