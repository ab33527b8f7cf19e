"""Finds the existing files that a listing may be about: those that the lines above it, or its first line, name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.paths.forms import Form, in_line
from dovetail.place.tree import Tree, by_name, tidy
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.model.blocks import Block

# The insides of `code`, **bold** and [links](url), for names that have no usual form: `Dockerfile.old~`.
_SPANS = pattern(r"`([^`\n]{1,300})`|\*\*([^*\n]{1,300})\*\*|\[([^\[\]\n]{1,300})\]\(")


def named_files(block: Block, tree: Tree) -> Iterator[str]:
    """Yield the existing files that a listing may be about, the nearest line's first; some may come twice."""
    for line in (*block.above, block.replace.partition("\n")[0]):
        yield from existing_in(line, tree)


def existing_in(line: str, tree: Tree) -> Iterator[str]:
    """Yield the existing files that a line names, each once."""
    texts = [next(filter(None, span.groups())) for span in _SPANS.finditer(line)]
    said = in_line(line)
    names = dict.fromkeys([*(c.path for c in said if c.form >= Form.MENTION), *texts])
    paths = [by_name(tidy(name, tree.paths), tree) for name in names]
    # a bare word is a name only where it is all of a path: `deploy` is the file `deploy`, never `bin/deploy`
    paths += [c.path for c in said if c.form < Form.MENTION and c.path in tree.paths]
    yield from dict.fromkeys(path for path in paths if path is not None)
