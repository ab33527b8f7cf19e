"""One root's spool: events in the order they came, the open calls, and the bytes that both refer to.

Owns the folder `spool/NAME` in the user's state folder. An event is one file, written whole or not at all. Bytes are
kept once under their sha-256. Each open call has a file, so that later events know of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
import zlib
from contextlib import suppress

from dovetail.spool.places import is_private, state_folders, user_of

TYPE_CHECKING = False  # `typing` takes longer to load than the rest of this module
if TYPE_CHECKING:
    from typing import Any

MOST_EVENTS = 20_000  # in a spool; with more, the journal has taken none for a long time
MOST_BYTES = 64 << 20  # of the bytes kept in a spool
_OLDEST = 30 * 86_400  # seconds: a spool that was not written to for so long is forgotten
_LEVEL = 1  # of compression: the journal packs again what it takes


class Spool:
    """The spool of one root. `path` is its folder, which `make` creates."""

    def __init__(self, state: str, root: str, user: int) -> None:
        self.state, self.root, self._user = state, root, user
        self.path = os.path.join(state, "spool", hashlib.sha256(os.fsencode(root)).hexdigest()[:24])

    @classmethod
    def find(cls, root: str) -> Spool | None:
        """Return the spool of a root (an absolute path without links); None if it has none."""
        try:
            user = user_of(root)
        except OSError:  # the root is gone, and whoever reads or writes there says so
            return None
        for state, _, _ in state_folders(root, user):
            spool = cls(state, root, user)
            if os.path.isdir(spool.path) and spool._is_ours():
                return spool
        return None

    @classmethod
    def make(cls, root: str) -> Spool:
        """Return the spool of a root; make its folder if it is missing. Raises `OSError` if no place can be used."""
        found = cls.find(root)
        if found is not None:
            return found
        user = user_of(root)
        for state, may_make, owner in state_folders(root, user):
            spool = cls(state, root, user)
            try:
                if may_make:
                    os.makedirs(os.path.dirname(state), exist_ok=True)
                    _make_private(state, owner)
                if not spool._is_ours():
                    continue
                _make_private(os.path.dirname(spool.path), None)
                _make_private(spool.path, None)
                for name in ("events", "open", "objects", "bases"):
                    _make_private(os.path.join(spool.path, name), None)
                spool.write("root", os.fsencode(root))
            except OSError:
                continue
            return spool
        raise OSError(f"There is no folder of the user's own for what is seen in {root}.")

    def _is_ours(self) -> bool:
        """Return whether the state folder, and the spool as far as it exists, belong to the user and are no links."""
        for path in (self.state, os.path.dirname(self.path), self.path):
            try:
                info = os.lstat(path)
            # The spool may still be missing, the state folder may not.
            except FileNotFoundError:
                return path != self.state
            except OSError:
                return False
            if not stat.S_ISDIR(info.st_mode) or not is_private(info, self._user):
                return False
        return True

    # Small files, each whole or not there.

    def write(self, name: str, data: bytes) -> None:
        """Write a file by its path below the spool, replacing an older one. Raises `OSError`."""
        path = os.path.join(self.path, name)
        # `names` passes over what ends in `~`: a file that is still being written.
        staged = f"{path}.{os.getpid()}~"
        fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(fd, "wb") as out:
                out.write(data)
                if hasattr(os, "geteuid") and os.geteuid() == 0 and self._user > 0:
                    os.fchown(fd, self._user, -1)  # root's work for the folder's owner is the owner's
            os.replace(staged, path)
        except BaseException:
            self.discard(f"{name}.{os.getpid()}~")
            raise

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes; None if it cannot be read."""
        try:
            with open(os.path.join(self.path, name), "rb") as file:
                return file.read()
        except OSError:
            return None

    def read_json(self, name: str) -> Any:  # noqa: ANN401 - JSON
        """Return a JSON file's value; None if the file is missing or no JSON."""
        data = self.read(name)
        try:
            return None if data is None else json.loads(data)
        except ValueError:
            return None

    def write_json(self, name: str, value: object) -> None:
        """Write a value as a JSON file, replacing an older one. Raises `OSError`."""
        self.write(name, json.dumps(value, separators=(",", ":")).encode())

    def age(self, name: str) -> float:
        """Return how many seconds ago a file was written; 0 if it is gone."""
        try:
            return time.time() - os.stat(os.path.join(self.path, name)).st_mtime
        except OSError:
            return 0.0

    def forget_others(self) -> None:
        """Remove other roots' spools that were not written to for 30 days: those roots may be gone."""
        above = os.path.dirname(self.path)
        with suppress(OSError):
            for name in os.listdir(above):
                path = os.path.join(above, name)
                if path != self.path and time.time() - os.stat(path).st_mtime > _OLDEST:
                    import shutil

                    shutil.rmtree(path, ignore_errors=True)

    def discard(self, name: str) -> None:
        """Remove a file if it exists."""
        with suppress(OSError):
            os.unlink(os.path.join(self.path, name))

    def names(self, folder: str) -> list[str]:
        """Return the names of a folder's files, sorted, without those still being written; none if it is missing."""
        try:
            return sorted(name for name in os.listdir(os.path.join(self.path, folder)) if not name.endswith("~"))
        except OSError:
            return []

    # Events, and the calls that are open.

    def add_event(self, event: dict[str, Any]) -> None:
        """Append an event. Raises `OSError` if the journal has left `MOST_EVENTS` or more untaken."""
        if len(self.names("events")) >= MOST_EVENTS:
            raise OSError("The journal has taken no event for long; this one is not kept.")
        # Twenty digits, so that the names sort as the events came.
        self.write_json(os.path.join("events", f"{time.time_ns():020d}-{os.getpid()}"), event)

    def open_calls(self) -> dict[str, dict[str, Any]]:
        """Return the calls that have begun and not ended, by `call_name`, in no particular order."""
        calls = {name: self.read_json(os.path.join("open", name)) for name in self.names("open")}
        return {name: call for name, call in calls.items() if isinstance(call, dict)}

    def open_call(self, name: str, call: dict[str, Any]) -> None:
        """Note that a call has begun, or replace what was noted about it. `name` is from `call_name`."""
        self.write_json(os.path.join("open", name), call)

    def close_call(self, name: str) -> None:
        """Note that a call has ended."""
        self.discard(os.path.join("open", name))

    # Bytes.

    def keep(self, data: bytes) -> str:
        """Keep bytes, and return their sha-256, hex."""
        digest = hashlib.sha256(data).hexdigest()
        name = os.path.join("objects", digest)
        try:
            os.utime(os.path.join(self.path, name))  # so that tidying up does not remove it as old
        except OSError:
            self.write(name, zlib.compress(data, _LEVEL))
        return digest

    def holds(self, digest: str) -> bool:
        """Return whether the bytes of a digest are kept."""
        return os.path.exists(os.path.join(self.path, "objects", digest))

    def bytes_of(self, digest: str) -> bytes | None:
        """Return the bytes of a digest; None if they are not kept, or damaged."""
        packed = self.read(os.path.join("objects", digest))
        try:
            data = None if packed is None else zlib.decompress(packed)
        except zlib.error:
            return None
        return data if data is not None and hashlib.sha256(data).hexdigest() == digest else None


def call_name(session: str, call: str) -> str:
    """Return the name of an open call's file, from the agent's ids of the session and the call."""
    return hashlib.sha256(f"{session}\0{call}".encode("utf-8", "replace")).hexdigest()[:24]


def _make_private(path: str, owner: int | None) -> None:
    """Make a folder that only the user may enter; the superuser gives it to `owner` (None: to its parent's owner)."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        theirs = os.stat(os.path.dirname(path)).st_uid if owner is None else owner
        if theirs != 0:
            os.chown(path, theirs, -1, follow_symlinks=False)
