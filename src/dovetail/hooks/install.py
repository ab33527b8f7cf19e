"""Installs Dovetail's hooks in the settings of agents, removes them, and reports where they are.

Owns Dovetail's entries in the settings files of other programs. The bytes before installing are kept, so that removing
restores them if nobody changed the file since; else only Dovetail's entries are removed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.hooks.event import table
from dovetail.hooks.notes import state_folder
from dovetail.model.errors import UsageError
from dovetail.spool.spool import Spool

# /usr/bin/dovetail hook 2>/dev/null || exit 0, or python3 -m dovetail hook …; of any Dovetail, to replace an older one
_COMMAND = re.compile(r"\bdovetail\S* hook 2>/dev/null \|\| exit 0$")
_KEPT = "hooks-installed.json"
_OWN_FILE = ("plugin", "list")
"""Forms of settings whose file has nothing but Dovetail's entries."""
_FAULTS = 5  # how many of the newest faults `status` shows


def agents() -> Mapping[str, Mapping[str, Any]]:
    """Return the rows of the table, by the agent's short name."""
    return table()


def row_of(agent: str) -> Mapping[str, Any]:
    """Return an agent's row. Raises `UsageError` for an unknown agent."""
    known = agents()
    if agent not in known:
        raise UsageError(f"`{agent}` is no agent that is known.", hint=f"Known are: {', '.join(known)}")
    return known[agent]


def program() -> str:
    """Return the command that starts this Dovetail, quoted for a shell."""
    started = shutil.which(sys.argv[0]) if sys.argv else None
    if started is None or not Path(started).name.startswith("dovetail"):
        started = shutil.which("dovetail")
    if started is None:
        return f"{shlex.quote(sys.executable)} -m dovetail"
    return shlex.quote(str(Path(started).absolute()))


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """A planned change of an agent's settings file: its bytes before and after, None for no file."""

    agent: str
    path: Path
    before: bytes | None
    after: bytes | None


def settings_path(agent: str, root: Path | None) -> Path:
    """Return the path of an agent's settings: the project's if a root is given, else the user's.

    Raises `UsageError` for an unknown agent, and for one that has hooks in projects only.
    """
    settings = row_of(agent)["settings"]
    if root is not None:
        return root / str(settings["project"])
    if "user" not in settings:
        raise UsageError(f"{row_of(agent)['name']} has hooks in projects only.", hint="Add --project.")
    (variable, folder), name = settings["user"]
    named = os.environ.get(variable, "") if variable else ""
    return (Path(named) if os.path.isabs(named) else Path.home() / folder) / str(name)  # noqa: PTH117


def plan_install(agent: str, root: Path | None) -> SettingsChange:
    """Plan the settings file with Dovetail's hooks. Raises `UsageError` if the file cannot be read."""
    row, path = row_of(agent), settings_path(agent, root)
    before = _read(path)
    if row["settings"]["form"] == "plugin":
        plugin = "".join(Path(__file__).with_name(name).read_text("utf-8") for name in row["settings"]["plugin"])
        words = shlex.split(program())
        after = plugin.replace('"@PROGRAM@", ["hook"]', "").replace('"@PROGRAM@"', json.dumps(words[0]))
        after = after.replace('["hook"]', json.dumps([*words[1:], "hook"]))
        return SettingsChange(agent, path, before, after.encode())
    form = row["settings"]
    unit, most = form["timeout"]
    handler: dict[str, Any] = {"type": "command", "command": f"{program()} hook 2>/dev/null || exit 0"}
    if form["form"] == "list":
        listed = [
            {
                "name": f"dovetail-{event}", "trigger": event,
                **({"matcher": form["matcher"]} if "Tool" in event else {}),
                "action": handler, unit: most, "enabled": True,
            }
            for event in row["events"]
        ]  # fmt: skip
        return SettingsChange(agent, path, before, _written({"version": form["version"], "hooks": listed}, before))
    # Entries of an earlier install are removed, so that installing twice gives one entry for each event.
    settings = _without(_parse(path, before))
    hooks = settings.setdefault("hooks", {})
    handler[unit] = most
    for event in row["events"]:
        entry: dict[str, Any] = handler
        if "version" not in form:  # then handlers are in groups, each with a matcher
            matcher = form["matcher"] if "Tool" in event and "Batch" not in event else None
            entry = {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
        hooks.setdefault(event, []).append(entry)
    if "version" in form:
        settings = {"version": form["version"], **settings}
    return SettingsChange(agent, path, before, _written(settings, before))


def plan_remove(agent: str, root: Path | None) -> SettingsChange:
    """Plan the settings file without Dovetail's hooks. Raises `UsageError` if the file cannot be read."""
    row, path = row_of(agent), settings_path(agent, root)
    before = _read(path)
    kept = _kept().get(str(path))
    # Nobody has changed the file since it was written here, so it gets its earlier bytes back.
    if before is not None and kept is not None and kept["wrote"] == hashlib.sha256(before).hexdigest():
        after = None if kept["before"] is None else base64.b64decode(kept["before"])
    elif before is None or row["settings"]["form"] in _OWN_FILE:
        after = None
    else:
        settings = _parse(path, before)
        cleaned = _without(settings)
        after = before if cleaned == settings else _written(cleaned, before)
    return SettingsChange(agent, path, before, after)


def write(change: SettingsChange, *, keep: bool) -> None:
    """Write a settings file. keep: remember its bytes before, for removing; else forget them. Raises `OSError`."""
    known = _kept()
    path = change.path
    if keep and change.after is not None:
        earlier = known.get(str(path))
        was = change.before
        if earlier is not None and was is not None and earlier["wrote"] == hashlib.sha256(was).hexdigest():
            first = earlier["before"]  # if it is installed twice, the bytes before the first time are kept
        else:
            first = None if was is None else base64.b64encode(was).decode()
        known[str(path)] = {"before": first, "wrote": hashlib.sha256(change.after).hexdigest()}
    else:
        known.pop(str(path), None)
    if change.after is None:
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()
    elif change.after != change.before:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()  # in many homes settings are links, which must stay links
        staged = target.with_name(f"{target.name}.dovetail~")
        staged.write_bytes(change.after)
        if target.exists():
            shutil.copymode(target, staged)
        staged.replace(target)
    folder = state_folder()
    if folder is not None:
        Path(folder, _KEPT).write_text(json.dumps(known, indent=1), "utf-8")


def is_installed(agent: str, root: Path | None) -> bool:
    """Return whether the settings have Dovetail's hooks. Raises `UsageError` if they cannot be read."""
    settings = row_of(agent)["settings"]
    if root is None and "user" not in settings:
        return False
    path = settings_path(agent, root)
    data = _read(path)
    if data is None:
        return False
    return settings["form"] in _OWN_FILE or _without(_parse(path, data)) != _parse(path, data)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read: {error.strerror}.", hint="Look at its permissions.") from error


def _parse(path: Path, data: bytes | None) -> dict[str, Any]:
    try:
        value = json.loads(data) if data is not None and data.strip() else {}
    except ValueError:
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("hooks", {}), dict):
        raise UsageError(f"`{path}` is not the JSON that it should be.", hint="Mend it, or add the hooks by hand.")
    return value


def _written(settings: dict[str, Any], like: bytes | None) -> bytes | None:
    """Return settings as JSON, indented like the file before (`like`); None for empty ones without a file before."""
    if not settings and like is None:
        return None
    # The blanks before the first key that begins a line.
    indent = re.search(rb"\n([ \t]+)\"", like or b"")
    step: str | int = 2 if indent is None else indent[1].decode()
    return (json.dumps(settings, indent=step, ensure_ascii=False) + "\n").encode()


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without Dovetail's hooks."""
    hooks: dict[str, Any] = {}
    for event, groups in settings.get("hooks", {}).items():
        left = [_without_ours(group) for group in groups] if isinstance(groups, list) else groups
        left = [group for group in left if group is not None] if isinstance(left, list) else left
        if left or not groups:
            hooks[event] = left
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    if not hooks and settings.get("hooks"):
        return rest
    return {key: hooks if key == "hooks" else value for key, value in settings.items()}


def _without_ours(group: Any) -> Any:  # noqa: ANN401 - JSON of another program
    if isinstance(group, dict) and _COMMAND.search(str(group.get("command"))):
        return None
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    left = [h for h in group["hooks"] if not (isinstance(h, dict) and _COMMAND.search(str(h.get("command"))))]
    return group if len(left) == len(group["hooks"]) else {**group, "hooks": left} if left else None


def _kept() -> dict[str, Any]:
    folder = state_folder()
    try:
        known = json.loads(Path(folder or "", _KEPT).read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """Where an agent has the hooks.

    tried: the version that this was tried with, or None. places: of `user` and `project`. last_event: the time of the
    last event, UTC, ISO 8601; None if none came yet.
    """

    agent: str
    name: str
    tried: str | None
    places: tuple[str, ...]
    last_event: str | None


@dataclass(frozen=True, slots=True)
class HooksStatus:
    """The state of each agent's hooks, the newest faults, and how many events wait for the journal."""

    agents: tuple[AgentStatus, ...]
    faults: tuple[str, ...]
    waiting: int
    open_calls: int


def status(root: Path) -> HooksStatus:
    """Return the state of hooks in a root. Raises `UsageError` if settings cannot be read."""
    folder = state_folder()
    spool = Spool.find(str(root))
    found: list[AgentStatus] = []
    for agent, row in agents().items():
        places = tuple(word for word, at in (("user", None), ("project", root)) if is_installed(agent, at))
        seen: str | None = None
        with suppress(OSError):
            at = Path(folder or "", f"seen-{agent}").stat().st_mtime
            seen = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        found.append(AgentStatus(agent, row["name"], row["tried"], places, seen))
    faults: Sequence[str] = ()
    with suppress(OSError):
        faults = Path(folder or "", "hooks.log").read_text("utf-8", "replace").splitlines()[-_FAULTS:]
    waiting, begun = (len(spool.names(name)) if spool is not None else 0 for name in ("events", "open"))
    return HooksStatus(tuple(found), tuple(faults), waiting, begun)
