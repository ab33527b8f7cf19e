r"""Files that the commands of a shell fence write from here-documents: ``cat > src/a.py <<'EOF'`` … ``EOF``.

Grammar::

    document = command line* word
    command  = ["sudo"] ("cat" ">" path "<<" word | "cat" "<<" word ">" path | "tee" path [">" "/dev/null"] "<<" word)

Commands are listed and never run (rule 10 of the formats), so such a file is written only where the user asks for the
format `whole`; else a note tells of it. What the shell would put in the place of ``$name``, it alone knows: a document
that holds such a thing, and whose word is not in quotes, is no file's text, and neither is one behind a ``cd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines.paths import normalise
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATH = r"""(?:"[^"\n$`\\]+"|'[^'\n]+'|[\w./@+-]+)"""
_WORD = r"""<<(?P<tabs{0}>-?)[ \t]*(?P<quote{0}>['"\\]?)(?P<word{0}>\w+)['"]?"""
_COMMAND = late(
    r"[ \t]*(?:\$[ ]+)?(?:sudo[ ]+)?(?:"
    rf"cat[ \t]*>[ \t]*(?P<path1>{_PATH})[ \t]*{_WORD.format(1)}"
    rf"|cat[ \t]*{_WORD.format(2)}[ \t]*>[ \t]*(?P<path2>{_PATH})"
    rf"|tee[ \t]+(?P<path3>{_PATH})(?:[ \t]*>[ \t]*/dev/null)?[ \t]*{_WORD.format(3)}(?:[ \t]*>[ \t]*/dev/null)?"
    r")[ \t]*"
)
_MOVES = late(r"(?:.*[;&|])?[ \t]*(?:cd|pushd|popd)\b")
_EXPANDED = late(r"[$`\\]")


class Document(NamedTuple):
    """A file that a command writes; `line` is the first of its text, from 0 in the fence."""

    path: str
    text: str
    line: int


def documents(content: str) -> Iterator[Document]:
    """The files that the commands of a shell fence write, in their order."""
    lines = iter(enumerate(content.split("\n")))
    for number, line in lines:
        if _MOVES.match(line):
            return
        if (command := _COMMAND.fullmatch(line)) is None:
            continue
        kind = next(kind for kind in "123" if command[f"path{kind}"])
        blank = "\t" if command[f"tabs{kind}"] else ""
        text: list[str] = []
        for _, below in lines:
            if below.lstrip(blank).rstrip(" ") == command[f"word{kind}"]:
                break
            text.append(below.lstrip(blank) + "\n")
        else:
            return
        if command[f"quote{kind}"] or not any(map(_EXPANDED.search, text)):
            yield Document(normalise(command[f"path{kind}"].strip("'\"")), "".join(text), number + 1)
