"""Where this user's own files lie: settings, and the key of the journals.

Owns what counts as such a place. A path that is not absolute would be looked up in the folder somebody stands in, which
a repository fills, so it is no path here: neither an XDG variable's, nor a home that nobody knows (`~`).
"""

from __future__ import annotations

import os
from pathlib import Path

from dovetail.workspace.root import find_root


def user_folder(variable: str, default: str) -> Path | None:
    """The folder that `variable` names, else `default` under the user's home; None where neither is absolute."""
    for named in (os.environ.get(variable, ""), os.path.join(os.path.expanduser("~"), default)):  # noqa: PTH111, PTH118
        if os.path.isabs(named):  # noqa: PTH117 - `Path` takes "" for the current folder
            return Path(named)
    return None


def lies_in_project(path: Path, root: Path) -> bool:
    """Whether a path leads, links followed, into the work tree of `root`: what lies there comes with the project.

    Raises `WorkspaceError` where there is no such root.
    """
    real, top = path.resolve(), find_root(root)
    return real == top or top in real.parents
