"""Reads the settings about recording, under `[record]`: for hooks, which load nothing else, and for the journal.

The user's own file decides. A project's file can only ask for more care: more files of which no bytes are kept, no
mending of edits, a longer memory. Invalid values are ignored here; `session.settings` reports them.
"""

from __future__ import annotations

import os

from dovetail.spool.places import user_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXCLUDED = (".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
"""Patterns of file names of which only a digest is kept, unless the user's setting replaces them."""

BOUNDS = {"max-megabytes": (64, 1, 1000), "max-operations": (20_000, 10, 1_000_000), "max-days": (30, 1, 3650)}
"""Limits of the journal by the setting's name: (default, smallest value, largest value)."""

_LARGEST = 1_000_000  # bytes of a settings file


def excluded_in(root: str) -> tuple[str, ...]:
    """Return the patterns that hold in a root: the user's list replaces `EXCLUDED`, a project's adds to either."""
    own, project = (_names(table.get("exclude")) for table in _tables(root))
    return (*(EXCLUDED if own is None else own), *(project or ()))


def mends_in(root: str) -> bool:
    """Return whether edits that an agent's own tool fails at are mended or explained; True unless a file says no."""
    return all(table.get("mend") is not False for table in _tables(root))


def tells_in(root: str) -> bool:
    """Return whether the model is told after an edit what became of it: the user's setting, else the project's."""
    own, project = _tables(root)
    return own.get("tell", project.get("tell")) is True


def bound_in(root: str, name: str) -> int:
    """Return a limit of `BOUNDS`: the user's value or the default; the project's if that is larger."""
    # 0 stands for no valid value: no limit is that small.
    own, project = (table[name] if is_bound(name, table.get(name)) else 0 for table in _tables(root))
    return max(own or BOUNDS[name][0], project)


def is_bound(name: str, value: object) -> bool:
    """Return whether a value of a setting is a whole number within the range that `BOUNDS` allows."""
    _, least, most = BOUNDS[name]
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _names(value: object) -> tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None


def _tables(root: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the table `[record]` of the user's file and that of the project's; empty ones where it is missing."""
    folder = user_folder("XDG_CONFIG_HOME", ".config")
    own = _table(os.path.join(folder, "dovetail", "config.toml")) if folder is not None else None
    project = _table(os.path.join(root, "dovetail.toml"))
    if project is None:
        project = _table(os.path.join(root, "pyproject.toml"), "tool", "dovetail")
    return own or {}, project or {}


def _table(path: str, *above: str) -> dict[str, Any] | None:
    """Return the table `record` of a settings file, inside the tables `above`; None if the file cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return None
    # Most settings files say nothing about recording, and are not parsed: that costs each event of an agent.
    if not all(word.encode() in data for word in (*above, "record")):
        return {}
    try:
        import tomllib  # which few pay for

        from dovetail.text.toml_bounds import too_much

        text = data.decode()
        if too_much(text) is not None:
            return {}
        table: Any = tomllib.loads(text)
        for name in (*above, "record"):
            table = table.get(name, {})
        return table if isinstance(table, dict) else {}
    except (ValueError, AttributeError):
        return {}
