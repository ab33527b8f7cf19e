"""Attributes changes to agents' calls: from looks at files, and the calls open between them, to changes with an origin.

Pure: values in, values out. A change between two looks at a file belongs to the open native edit that names the file;
else to the one command that was open; else to all that were open, as one change. With no call open it is the user's,
and is left out. An event that does not look at a file leaves what is known of it, so calls may overlap in any order.

`Trail` carries what is known from one batch of events to the next. Sides of files are lists as in `spool.tree`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dovetail.workspace.operation import Origin, OutsideChange, Version

Side = list[Any] | None
_MOST_SESSIONS = 100  # whose requests are remembered


@dataclass(slots=True)
class Trail:
    """What is known of a root between two batches of events.

    calls: the open calls, by name. known: each file's side at the last look, as long as a call is open.
    bases: by base, the sides in it of files that have differed from it. sessions: by session, oldest first, the first
    words of its requests, by request, in order. taken: names of events that are in the journal and perhaps still in the
    spool. last_id: the journal's newest operation after that batch.
    """

    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    known: dict[str, Side] = field(default_factory=dict)
    bases: dict[str, dict[str, Side]] = field(default_factory=dict)
    sessions: dict[str, dict[str, str]] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)
    last_id: str = ""

    @classmethod
    def of(cls, record: object) -> Trail:
        """Return the trail of a JSON value that `record` gave; an empty one for any other value."""
        if not isinstance(record, dict) or not record.keys() <= set(cls.__match_args__):
            return cls()
        return cls(**record)

    @property
    def record(self) -> dict[str, Any]:
        """The trail as a JSON object."""
        return {name: getattr(self, name) for name in self.__match_args__}

    def request(self, event: Mapping[str, Any]) -> str:
        """Note the request of an event, and return its name; "" if its session has none yet.

        An event that names no request, and a sub-agent's that names an unknown one, belongs to the session's newest.
        The event with a request's first words (`words`) sets them.
        """
        session, name = event["session"], event["request"]
        requests = self.sessions.pop(session, {})
        self.sessions[session] = requests  # the newest session stands last
        for old in list(self.sessions)[:-_MOST_SESSIONS]:
            del self.sessions[old]
        if not name or (event["thread"] and name not in requests):
            return next(reversed(requests), "")
        requests.setdefault(name, "")
        if event.get("words") and not requests[name]:
            requests[name] = event["words"]
        return str(name)

    def origin(self, names: Iterable[str], calls: Mapping[str, Mapping[str, Any]]) -> Origin:
        """Return the origin of a change that some calls made together; agent, session and request are the first's."""
        made = [calls[name] for name in names]
        first = made[0]
        requests = self.sessions.get(first["session"], {})
        numbers = list(requests)
        request = first["request"]
        return Origin(
            first["agent"],
            first["session"],
            numbers.index(request) + 1 if request in requests else None,
            requests.get(request, ""),
            ", ".join(dict.fromkeys(call["tool"] for call in made)),
            tuple(dict.fromkeys(call["call"] for call in made)),
        )


@dataclass(slots=True)
class _ChangeSoFar:
    """A change of some calls, as its files are collected. key: the first event that shows it, and the calls; unique."""

    calls: tuple[str, ...]
    key: str
    time: str
    origin: Origin
    files: dict[str, tuple[Side, Side]] = field(default_factory=dict)


def attribute(trail: Trail, events: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, OutsideChange]]:
    """Return the changes that events show, oldest first, as (key, change), and update the trail.

    events: by name; the names sort as the events came.
    """
    changes: list[_ChangeSoFar] = []
    for name in sorted(events):
        event = events[name]
        request = trail.request(event)
        seen = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(event["time"]))
        for path, old, new in _differences(trail, event):
            owners = _owners(trail, path)
            if owners:
                change = _change_for(changes, owners, path, old)
                if change is None:
                    change = _ChangeSoFar(owners, f"{name} {' '.join(owners)}", seen, trail.origin(owners, trail.calls))
                    changes.append(change)
                change.files[path] = (change.files[path][0] if path in change.files else old, new)
        if event.get("opens"):
            trail.calls[event["opens"]] = {**event["call"], "request": request}
        for closed in event["closes"]:
            trail.calls.pop(closed, None)
        if not trail.calls:
            trail.known.clear()
            trail.bases.clear()
    return [(change.key, found) for change in changes if (found := _outside(change)) is not None]


def _differences(trail: Trail, event: Mapping[str, Any]) -> list[tuple[str, Side, Side]]:
    """Return (path, old side, new side) of files that an event sees changed, and note in the trail what it sees."""
    was: Mapping[str, Side] = event["was"]
    looks: dict[str, Side] = dict(event["files"])
    base = event.get("base")
    if base and "tree" in event:
        known_base = trail.bases.setdefault(base, {})
        known_base.update({path: side for path, side in was.items() if path not in known_base})
        # `tree` has only what differs from the base now. A file that differed earlier and is missing from it is as in
        # the base again. What the event looked at by name counts most.
        looks = {**known_base, **event["tree"], **looks}
    found: list[tuple[str, Side, Side]] = []
    for path, side in looks.items():
        # For any other file no earlier side is known to compare with.
        if path in trail.known or path in was:
            old = trail.known.get(path, was.get(path))
            if old != side:
                found.append((path, old, side))
        trail.known[path] = side
    return found


def _owners(trail: Trail, path: str) -> tuple[str, ...]:
    """Return the names of the calls that a change of a file since the last look is attributed to; () for the user."""
    # An edit names its file, a command only may have changed it: with both open, the change is the edit's.
    naming = [name for name, call in trail.calls.items() if path in call["paths"]]
    return tuple(naming or [name for name, call in trail.calls.items() if call["tree"]])


def _change_for(changes: list[_ChangeSoFar], owners: tuple[str, ...], path: str, old: Side) -> _ChangeSoFar | None:
    """Return the change of the same calls that a file's change continues; None if another one of it came in between."""
    for change in reversed(changes):
        if change.calls == owners:
            # The two sides must join: if the file was another one meanwhile, somebody else wrote in between.
            return change if path not in change.files or change.files[path][1] == old else None
        if path in change.files:
            return None
    return None


def _outside(change: _ChangeSoFar) -> OutsideChange | None:
    """Return a change as it is recorded; None if all its files are back as they were."""
    files: dict[str, tuple[Version | None, Version | None]] = {}
    not_covered: list[str] = []
    for path, (old, new) in change.files.items():
        if old == new:
            continue
        if all(side is None or side[2] for side in (old, new)):
            files[path] = (_version(old), _version(new))
        else:
            not_covered.append(path)
    if not files and not not_covered:
        return None
    return OutsideChange(change.origin, change.time, files, tuple(sorted(not_covered)))


def _version(side: Side) -> Version | None:
    return None if side is None else Version(side[0], side[1])
