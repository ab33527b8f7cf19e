"""One file of the user's: reading it with all that shows whether it changed, and replacing its bytes.

Owns reading a whole file, staging a new version beside it, and writing in place. A staged file gets the mode bits,
owner and extended attributes of the old one. A file is written in place if one of these cannot be set, it has further
hard links, its folder takes no new names, or it is a mount point.

Owns, too, writing the files of a new project: all or none, never over existing ones, and unknown to the journal.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from dovetail.model.codes import Code
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.workspace.directory import Directory, read_all, write_all
from dovetail.workspace.jail import OpenedPath
from dovetail.workspace.operation import Version, digest_of

LARGEST = 256 << 20  # bytes; nobody edits larger files by replies

# Attributes that vouch for a file's bytes or give them rights. Linux drops them when a file is written, and so do we.
_NOT_CARRIED = {"security.capability", "security.ima", "security.evm"}
_ACCESS_LIST = "system.posix_acl_access"  # a folder may give one to its new files

Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file as it was read. `digest` is the sha-256 of `data`, hex; `attributes` are the extended ones."""

    data: bytes
    digest: str
    info: os.stat_result
    writable: bool
    attributes: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def mode(self) -> int:
        """Permission bits."""
        return stat.S_IMODE(self.info.st_mode)

    @property
    def version(self) -> Version:
        """The file's digest, mode, owner and attributes, as the journal keeps them."""
        owner = (self.info.st_uid, self.info.st_gid) if hasattr(os, "chown") else None
        return Version(self.digest, self.mode, owner, self.attributes)

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode, the same under all names of the file; None if the system does not give them."""
        return (self.info.st_dev, self.info.st_ino) if self.info.st_ino else None


def signature(info: os.stat_result) -> Signature:
    """Return the parts of a file's stat of which at least one changes whenever it is written or replaced."""
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def read(place: OpenedPath, path: str) -> FileOnDisk | None:
    """Return the file at `place`; None if there is none. Raises `WorkspaceError`. `path` is for messages."""
    if place.info is None:
        return None
    check_size(place.info.st_size, path)
    try:
        fd = place.directory.open_file(place.name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"`{path}` cannot be read: {error.strerror}."
        raise WorkspaceError(message, code=Code.UNREADABLE, hint="Check its permissions.") from error
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise WorkspaceError(f"`{path}` is no regular file.", code="outside-root")
        data = read_all(fd)
        attributes = _attributes(fd)
    finally:
        os.close(fd)
    # The superuser may write anything, but a file without any write permission counts as read-only even then.
    writable = bool(info.st_mode & 0o222) and place.directory.writable(place.name)
    return FileOnDisk(data, digest_of(data), info, writable, attributes)


def check_size(size: int, path: str) -> None:
    """Raise `WorkspaceError` for a file of more than `LARGEST` bytes, which could not be read again."""
    if size > LARGEST:
        raise WorkspaceError(f"`{path}` is larger than {LARGEST >> 20} MB.", code=Code.BINARY)


def read_exactly(place: OpenedPath, path: str) -> FileOnDisk | None:
    """Return the file like `read`; None also if its name differs in case from the one asked for."""
    return read(place, path) if place.spelling == place.name else None


def is_fixed(place: OpenedPath, mounts: Collection[str]) -> bool:
    """Return whether no file may be made, removed, renamed or replaced at a place. mounts: all mount points."""
    return place.directory.is_fixed(place.info) or os.path.join(place.directory.path, place.name) in mounts  # noqa: PTH118


def needs_writing_in_place(place: OpenedPath, found: FileOnDisk, mounts: Collection[str]) -> bool:
    """Return whether replacing the file would lose other names, its owner or its attributes, or cannot be done."""
    version = found.version
    return found.info.st_nlink > 1 or givable(version) != version or is_fixed(place, mounts)


def givable(version: Version) -> Version:
    """Return the version without the owner and attributes that this user may not set; the superuser may set any.

    Without its owner it has no set-user-ID either: the file would run as the wrong user.
    """
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        return version
    # Only the superuser may set `security.*` (such as Samba's), but for SELinux labels.
    allowed = {
        key: value
        for key, value in version.attributes.items()
        if not key.startswith("security.") or key == "security.selinux"
    }
    user, group = version.owner or (os.geteuid(), os.getegid())
    if user == os.geteuid() and group in (os.getegid(), *os.getgroups()):
        return replace(version, attributes=allowed)
    mode = None if version.mode is None else version.mode & ~(stat.S_ISUID | stat.S_ISGID)
    return Version(version.digest, mode, None, allowed)


def stage(directory: Directory, temp: str, data: bytes, like: Version | None, mode: int | None) -> int:
    """Write a new version to the file `temp` in `directory`, flush it, and return its mode bits.

    like: gives owner, mode and attributes. mode: overrides the mode of `like`; without both, the umask decides.
    Raises `OSError`, also if `temp` exists.
    """
    if mode is None and like is not None:
        mode = like.mode
    # Private until its owner and mode are set: the text may be a secret.
    fd = directory.open_file(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
    try:
        write_all(fd, data)
        if like is not None:
            now = os.fstat(fd)
            if like.owner is not None and (now.st_uid, now.st_gid) != like.owner:
                os.fchown(fd, *like.owner)
            has = _attributes(fd)
            if _ACCESS_LIST in has and _ACCESS_LIST not in like.attributes:
                os.removexattr(fd, _ACCESS_LIST)
            for key, value in like.attributes.items():
                if has.get(key) != value:  # an equal label of the system's is left, as nobody may set it
                    os.setxattr(fd, key, value)
        if mode is not None and hasattr(os, "fchmod"):  # after the access list, as setting that changes the mode
            os.fchmod(fd, mode)
        os.fsync(fd)
        return stat.S_IMODE(os.fstat(fd).st_mode)
    finally:
        os.close(fd)


def _attributes(fd: int) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    try:
        return {key: os.getxattr(fd, key) for key in os.listxattr(fd) if key not in _NOT_CARRIED}
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS, errno.ENODATA):
            return {}
        raise


def write_in_place(directory: Directory, name: str, data: bytes, mode: int | None) -> None:
    """Overwrite a file's bytes, so its inode stays. mode: its new permission bits; None keeps the old ones.

    Space is claimed first, so a full disk changes nothing.
    """
    fd = directory.open_file(name, os.O_WRONLY)
    try:
        was = os.fstat(fd)
        if len(data) > was.st_size:
            _claim(fd, was.st_size, len(data))
        write_all(fd, data)
        os.ftruncate(fd, len(data))
        # `mode` has permission bits alone; set-user-ID and the like stay as the file has them.
        wanted = stat.S_IMODE(was.st_mode) if mode is None else mode | stat.S_IMODE(was.st_mode) & ~0o777
        # The system takes off set-user-ID where anybody but root writes.
        if stat.S_IMODE(os.fstat(fd).st_mode) != wanted and hasattr(os, "fchmod"):
            with suppress(PermissionError):  # another user's file loses the bit, as it should
                os.fchmod(fd, wanted)
        os.fsync(fd)
    finally:
        os.close(fd)


def _claim(fd: int, size: int, wanted: int) -> None:
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(fd, size, wanted - size)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
            return
        with suppress(OSError):
            os.ftruncate(fd, size)
        raise


def is_torn(data: bytes, before: bytes, after: bytes) -> bool:
    """Return whether `data` is what an interrupted `write_in_place` leaves.

    Each block is that of `before`, that of `after`, still zeros, or that of `after` up to some byte and of `before`
    from there, as a write may end early. The bytes behind the end of a shorter `after` stay until the file is cut.
    """
    # The file first grows to its new size, then is written over, then cut: so its length is always between both.
    if not min(len(before), len(after)) <= len(data) <= max(len(before), len(after)):
        return False
    block = 512  # what a disk writes whole
    # Both as long as the longer one: claimed space reads as zeros, and the rest of `before` stands until it is cut.
    old, new = before.ljust(len(after), b"\0"), after + before[len(after) :]
    for at in range(0, len(data), block):
        piece = data[at : at + block]
        was, wanted = old[at : at + len(piece)], new[at : at + len(piece)]
        written = len(os.path.commonprefix([piece, wanted]))  # noqa: RUF071 - of bytes, not of paths
        if piece not in (was, wanted) and any(piece) and piece[written:] != was[written:]:
            return False
    return True


class ProjectFile(NamedTuple):
    """A file's bytes, and whether it gets the executable bits."""

    data: bytes
    executable: bool = False


def write_new(root: Path, files: Mapping[str, ProjectFile]) -> None:
    """Write files, by path below `root`, which is made if it is missing.

    Raises `UsageError` if one exists already, `OSError` if one cannot be written; then all that was made is removed.
    """
    there = [path for path in sorted(files) if os.path.lexists(root / path)]
    if there:
        raise UsageError(f"`{there[0]}` exists already.", hint="Use an empty folder; nothing is written over.")
    written: list[Path] = []
    folders = [] if root.exists() else [root]
    root.mkdir(parents=True, exist_ok=True)
    try:
        for path, file in files.items():
            target = root / path
            for folder in _missing_folders(root, target.parent):
                folder.mkdir()
                folders.append(folder)
            mode = 0o777 if file.executable else 0o666
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(target, flags, mode), "wb") as out:
                written.append(target)
                out.write(file.data)
    except BaseException:
        for done in reversed(written):
            done.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise


def _missing_folders(root: Path, folder: Path) -> list[Path]:
    """Return the missing folders from the root to `folder`, outermost first. Raises `UsageError` if one is a link."""
    way = [folder, *folder.parents]
    way = way[way.index(root) :: -1]
    linked = next((at for at in way if at.is_symlink()), None)
    if linked is not None:
        raise UsageError(f"{linked} is a link.", hint="Use an empty folder.")
    return [at for at in way if not at.exists()]
