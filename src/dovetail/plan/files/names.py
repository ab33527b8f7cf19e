"""The names that a block gives its file, best first, where the files that exist have been asked.

Owns what only the files can tell of a name: whether words with blanks between them are one path or a sentence that
ends with one, whether a text that hardly looks like a name or a bare word is one, and whether an ``@`` in front belongs
to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from dovetail.formats.path_words import LEADS
from dovetail.formats.paths import Form, form_of, has_known_end, is_odd, is_word
from dovetail.model.blocks import Block
from dovetail.plan.files.paths import Tree, by_name, tidy


def names_of(block: Block, tree: Tree) -> list[str]:
    """The tidied names, best first."""
    given = (() if block.path is None else (block.path,)) + block.path_candidates
    names = [_without_at(tidy(name, tree.paths), tree) for name in given]
    if names and block.mentioned:
        names[:0] = _standing(phrases_of(block, names[0]), names[0], tree)
    names[:0] = [name for name in names[1:] if _is_file(name, tree) and not _is_spelling(name, names[0])]
    return list(dict.fromkeys(names))


def _is_file(name: str, tree: Tree) -> bool:
    """Whether a text that may be no name at all is a file's path."""
    word = form_of(name) is Form.WORD
    return (word or " " in name or is_odd(name)) and name in tree.paths


def _is_spelling(name: str, other: str) -> bool:
    """Whether one is the other with folders in front."""
    return name.endswith(f"/{other}") or other.endswith(f"/{name}")


def odd_names(block: Block, tree: Tree) -> list[str]:
    """What hardly looks like a name and is no file's, of the words that tell where a block goes."""
    path = block.path or ""
    given = (path, *block.path_candidates) if block.mentioned else block.path_candidates
    odd = (text for text in given if is_odd(text) and text not in tree.paths)
    return [text for text in odd if text == path or not _is_spelling(text, path)]


def is_bare(block: Block, name: str) -> bool:
    """Whether the name is no more than a word above the block, which only such a file can show to be a path."""
    return block.mentioned and name == block.path and is_word(name)


def phrases_of(block: Block, name: str) -> list[str]:
    """The texts with blanks that end with a name which the reply mentions; each may be the name as a whole."""
    return [text for text in block.path_candidates if block.mentioned and text.endswith(f" {name}")]


def leads_to(phrase: str, name: str) -> bool:
    """Whether a phrase is plainly a sentence that ends with a name: ``Create the file name``."""
    return all(word.strip(",:;.").lower() in LEADS for word in phrase.removesuffix(name).split())


def names_another(phrase: str) -> bool:
    """Whether a word inside a phrase is a file's name, too, so that all of it is none."""
    return any("." in word and has_known_end(word) for word in phrase.split()[:-1])


def _standing(phrases: list[str], name: str, tree: Tree) -> Iterator[str]:
    """The longest end of a phrase that is a file's path or its only name, where that is longer than `name`."""
    for phrase in phrases:
        words = phrase.split(" ")
        for first in range(len(words)):
            text = " ".join(words[first:])
            if len(text) > len(name) and by_name(text, tree) is not None:
                yield text
                break


def _without_at(name: str, tree: Tree) -> str:
    """A name without the ``@`` of a chat's mentions, unless there is such a file or folder, or none without it."""
    plain = name.removeprefix("@")
    folder = plain.rpartition("/")[0]
    if plain == name or name in tree.paths or tree.is_folder(name.partition("/")[0]):
        return name
    return plain if by_name(plain, tree) is not None or not folder or tree.is_folder(folder) else name
