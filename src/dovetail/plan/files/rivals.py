"""Which file a block without a path of its own means, where the reply named another since the one in force.

Both are readings, and the files decide: where only one of them takes the search, it is that one; where several do,
none is taken.
"""

from __future__ import annotations

from dovetail.match import NoMatch
from dovetail.model.blocks import Block
from dovetail.plan.edits.locator import Locator, Request
from dovetail.plan.files.holding import holds
from dovetail.plan.files.paths import by_name, tidy
from dovetail.plan.files.shelf import Shelf


def takers(block: Block, name: str, shelf: Shelf, locator: Locator) -> list[str]:
    """Which of the files that a block may mean take its search, to the letter or else at all; `name` is in force.

    Empty where nothing but `name` comes into question.
    """
    tree = shelf.tree
    named = (by_name(tidy(other, tree.paths), tree) for other in (name, *block.rivals))
    paths = [path for path in dict.fromkeys(named) if path is not None and path not in shelf.snapshot.refused]
    if paths in ([], [name]):
        return []
    return [path for path in paths if holds(block, path, shelf, locator)] or [
        path for path in paths if _lands(block, path, shelf, locator)
    ]


def _lands(block: Block, path: str, shelf: Shelf, locator: Locator) -> bool:
    text = shelf.at(path).text
    if text is None:
        return False
    request = Request.of(0, block, locator.policy)
    return not isinstance(locator.find(locator.document(text), request, path).outcome, NoMatch)
