"""Finds the file that the lines around a block name, by existing files first and by forms second.

The nearest line that is a name and nothing else counts, whether such a file exists or not, and goes before the file of
the block before. A name inside the sentence right above counts for blocks that quote text, if such a file exists. If
the lines name nothing, the file of the block before is in force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice

from dovetail.formats.around import TEXT_LINES
from dovetail.formats.paths.forms import Form, form_of, has_known_end, in_line, layers, names_in, peeled, without_remark
from dovetail.formats.paths.words import COMMANDS, LEADS
from dovetail.model.blocks import Around, Block, Kind, quotes
from dovetail.model.snapshot import from_root
from dovetail.place.tree import Tree, by_name, tidy
from dovetail.text.pattern import pattern

# Forms of a line that is a name and nothing else, some with a remark: `src/a.py`, `My Notes.md`, `a.py (new)`.
_ALONE = frozenset((Form.STRONG, Form.SPACED, Form.REMARKED, Form.QUOTED))
_TITLE_WORD = pattern(r"[A-Z][a-z]*")


def with_files(blocks: Mapping[int, Block], existing: Iterable[str]) -> dict[int, Block]:
    """Return the blocks of a reply, by number, each with the file that the lines around it name.

    Files count that exist, or that blocks before it create. A block whose lines name none gets that of the block
    before.
    """
    tree = Tree(frozenset(existing))
    found: dict[int, Block] = {}
    # A block without lines of its own has, by its form, the path of the block before it. If the files gave that block
    # another path than its form did, this one takes that too.
    instead: tuple[str | None, str] | None = None  # the path in force by form, and the one in its place
    for n, block in blocks.items():
        around = block.around
        if around is not None and not block.draft:
            if (path := _named(around, block, tree)) is not None:
                instead = block.path, path
                block = block.with_path(path)
            elif not around.in_force:
                instead = None
            elif instead is not None and instead[0] == block.path:
                block = replace(block, path=instead[1])
        found[n] = block
        # a block that quotes nothing creates its file, so that later lines may name it
        made = block.destination or (None if quotes(block) or block.kind is Kind.DELETE else block.path)
        if made is not None and not block.draft and block.malformed is None:
            tree.add(tidy(made, tree.paths))
    return found


def _named(around: Around, block: Block, tree: Tree) -> str | None:
    """Return the path that the nearest lines name; None if the block keeps the path it has by their form."""
    asked = quotes(block)
    sentence: str | None = None
    for at, line in enumerate(_lines(around)):
        # the files first: a line that is an existing path counts, whatever its form
        if (path := _existing(line, block.root, tree, asked=asked)) is not None:
            return path
        if any(candidate.form in _ALONE for candidate in in_line(line)):
            # a name alone that no file has: lines further up belong to something else, and do not count
            return block.path if asked and not around.in_force else None  # no other that the reply names is meant
        # the sentence right above names a file: further up only a line that is a name alone goes before it
        if sentence is not None:
            continue
        lone = _lone_name(line, asked=asked, right_above=at == 0)
        if lone is not None and (path := by_name(lone, tree)) is not None:
            return path
        sentence = _only_name(line, block.root, tree) if at == 0 else None
        if sentence is None and lone is not None and lone != block.path:
            return lone
    return sentence if asked else None


def _lines(around: Around) -> Iterator[str]:
    """Return the lines that may name the file, nearest first: in the fence, its info string, above it."""
    info = (around.info,) if around.info and form_of(around.info) is not Form.LANGUAGE else ()
    inside = [line for line in around.inside if line.strip()][:TEXT_LINES]
    above = islice(filter(str.strip, around.above), TEXT_LINES - len(inside))
    return chain(inside, info, above)


def _existing(line: str, root: str, tree: Tree, *, asked: bool) -> str | None:
    """Return the existing file that a whole line names, in any decoration, or None. asked: the block quotes text, so a
    remark may follow the name."""
    text = line
    for layer in layers(line):
        text = layer.text
        if (path := from_root(tidy(text, tree.paths), root)) in tree.paths:
            return path
    if not asked:
        return None
    path = from_root(tidy(without_remark(text)[0], tree.paths), root)
    return path if path in tree.paths else None


def _only_name(line: str, root: str, tree: Tree) -> str | None:
    """Return the one existing file that a sentence names, with blanks in its name or not; None for none or several."""
    names: set[str] = set()
    for text in names_in(line):
        words = text.split(" ")
        # "See the file my notes.md": the longest end that is a file's name, before `notes.md`
        ends = (" ".join(words[first:]) for first in range(len(words)))
        paths = (from_root(tidy(end, tree.paths), root) for end in ends)
        names.update(path for path in (next((path for path in paths if path in tree.paths), None),) if path is not None)
    # `my notes.md` is one name, though `notes.md` exists as well
    whole = {name for name in names if not any(other.endswith(f" {name}") for other in names)}
    return whole.pop() if len(whole) == 1 else None


def _lone_name(line: str, *, asked: bool, right_above: bool) -> str | None:
    """Return the name that is all of a line and does not look like a file's (``deploy``, ``what?.md``), or None.

    A word before a colon, or with only its first letter a capital, may be an ordinary word, and is none; further up
    only back-ticks or quotes make a word a name. A block that quotes no text creates a file of such a name only if that
    has a file's ending.
    """
    text, named, _ = peeled(line)
    form = form_of(text, named=named)
    if not named and (not right_above or line.rstrip().endswith((":", "."))):
        return None
    if form is Form.PHRASE:
        words = text.split()
        plain = text[0].isalnum() and LEADS.isdisjoint(text.lower().split()) and words[0] not in COMMANDS
        return text if plain and not any("." in word and has_known_end(word) for word in words[:-1]) else None
    if not asked or form not in (Form.WORD, Form.ODD, Form.NAMED):
        return None
    return None if " " in text or (form is Form.WORD and _TITLE_WORD.fullmatch(text)) else text
