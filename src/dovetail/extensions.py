"""Rows that other installed packages add to Dovetail's tables, through entry points.

===================  ==================================  ======================================
group                what an entry point names           the table
===================  ==================================  ======================================
``dovetail.formats``  `dovetail.formats.AddedFormat`      `formats/table.py`
``dovetail.guards``   `dovetail.guards.Guard`             `guards/table.py`
``dovetail.logs``     `dovetail.agents.LogFormat`         `agents/readers/table.py`
===================  ==================================  ======================================

Each table loads its rows once, when it is first used: by then all of Dovetail that a row may import is loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import TypeVar

from dovetail.model.errors import UsageError

_Row = TypeVar("_Row")


def added(group: str, kind: type[_Row]) -> Iterator[tuple[str, _Row]]:
    """Yield the name and the row of each entry point of a group, packages in the order of their names.

    Raises `UsageError`, which names the package, for a row that cannot be loaded or is of another kind.
    """
    for folder in _declaring():
        # Loaded only where it is needed: it takes longer to load than all else of a small command.
        from importlib.metadata import Distribution

        for entry in Distribution.at(folder).entry_points.select(group=group):
            package = os.path.basename(folder).partition("-")[0]
            try:
                row = entry.load()
            except Exception as error:  # whatever the other package raises when it is imported
                reason = f"`{entry.value}`, which the package `{package}` adds to Dovetail, cannot be loaded: {error}"
                raise UsageError(reason, hint="Mend that package, or uninstall it.") from error
            if not isinstance(row, kind):
                reason = f"`{entry.value}`, which the package `{package}` adds to `{group}`, is no {kind.__name__}."
                raise UsageError(reason, hint="Mend that package, or uninstall it.")
            yield entry.name, row


@cache
def _declaring() -> tuple[str, ...]:
    """Return the metadata folders of installed packages that have an entry point in a group of Dovetail's.

    The current folder does not count, though `python -m` puts it on the path: a repository that somebody works in
    could name code there that would run.
    """
    found: dict[str, str] = {}
    for place in sys.path:
        try:
            if not place or os.path.samefile(place, os.curdir):
                continue
            names = os.listdir(place)
        except OSError:  # a zip file, or nothing
            continue
        for name in names:
            if name.endswith(".dist-info") and name not in found:
                folder = os.path.join(place, name)
                try:
                    with open(os.path.join(folder, "entry_points.txt"), encoding="utf-8") as file:
                        if "[dovetail." in file.read():
                            found[name] = folder
                except (OSError, UnicodeDecodeError):
                    continue
    return tuple(found[name] for name in sorted(found))
