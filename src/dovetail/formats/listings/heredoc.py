r"""Files that the commands of a shell fence write from here-documents: ``cat > src/a.py <<'EOF'`` … ``EOF``.

Grammar::

    document = command line* word
    command  = ["sudo"] ("cat" ">" path "<<" word | "cat" "<<" word ">" path | "tee" path [">" "/dev/null"] "<<" word)

Commands are listed and never run (rule 10 of the formats), so such a file is written only where the user asks for the
format `whole`; else a note tells of it. What the shell would put in the place of ``$name``, it alone knows: a document
that holds such a thing, and whose word is not in quotes, is no file's text, and neither is one behind a ``cd``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines.paths import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"""<<(-?)[ \t]*(['"\\]?)(\w+)['"]?""")
_PATH = r"""("[^"\n$`\\]+"|'[^'\n]+'|[\w./@+-]+)"""
_COMMAND = re.compile(rf"(?:\$ +)?(?:sudo +)?(?:cat\s*>\s*{_PATH}|tee\s+{_PATH}(?:\s*>\s*/dev/null)?)")
"""A command without the word that its document ends with."""
_MOVES = re.compile(r"(?:.*[;&|])?[ \t]*(?:cd|pushd|popd)\b")
_EXPANDED = re.compile(r"[$`\\]")


class Heredoc(NamedTuple):
    """A file that a command writes; `line` is the first of its text, from 0 in the fence."""

    path: str
    text: str
    line: int


def heredocs(content: str) -> Iterator[Heredoc]:
    """The files that the commands of a shell fence write, in their order."""
    lines = iter(enumerate(content.split("\n")))
    for number, line in lines:
        if _MOVES.match(line):
            return
        word = _WORD.search(line)
        command = _COMMAND.fullmatch((line[: word.start()] + line[word.end() :]).strip()) if word is not None else None
        if word is None or command is None:
            continue
        tabs, quote, end = word.groups()
        blank = "\t" if tabs else ""
        text: list[str] = []
        for _, below in lines:
            if below.lstrip(blank).rstrip(" ") == end:
                break
            text.append(below.lstrip(blank) + "\n")
        else:
            return
        if quote or not any(map(_EXPANDED.search, text)):
            path = (command[1] or command[2]).strip("'\"")
            yield Heredoc(normalise(path), "".join(text), number + 1)
