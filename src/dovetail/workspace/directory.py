"""An open folder, every call on the names in it, and the errors that the system's refusals become.

Owns the package's calls to the operating system. A name is one component, never a path, so no call here can walk
anywhere: links are not followed, and where the system has directory descriptors a folder that is moved or replaced
meanwhile is still the one that was checked. Where it has none (Windows), paths are used and the guarantee is weaker.

Owns, too, `Step`: the callback between two acts with which tests stop a process at every moment.
"""

# pathlib cannot act relative to a descriptor.
# ruff: noqa: PTH116, PTH118, PTH208

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.names import compose, fold

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

HAS_DESCRIPTORS = {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.readlink} <= os.supports_dir_fd

_ALWAYS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# A FIFO without a writer would block the open for ever.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_MOUNT_POINT_TAG = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)
_CLOSED = -1  # no descriptor, and no word to act by the path
# In `/proc/self/mountinfo` a space is `\040`, a backslash `\134`.
_ESCAPED = re.compile(rb"\\([0-3][0-7]{2})")
_PATIENCE = 1.0  # seconds
_PAUSE = 0.02
_NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EROFS}


class Directory:
    """A folder held open. `path` is for messages, and for acting where the system has no descriptors."""

    __slots__ = ("fd", "path")

    def __init__(self, path: str, fd: int | None) -> None:
        self.path = path
        self.fd = fd

    @classmethod
    def open(cls, path: str, *, descriptors: bool = HAS_DESCRIPTORS) -> Directory:
        """Open the folder that a user named; links on the way are the user's own. Raises `OSError`."""
        if descriptors:
            return cls(path, os.open(path, _FOLDER))
        if not stat.S_ISDIR(os.stat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return cls(path, None)

    def close(self) -> None:
        """Close the descriptor; a second call does nothing. Every other call on a closed folder fails."""
        if self.fd is not None and self.fd != _CLOSED:
            fd, self.fd = self.fd, _CLOSED
            close_quietly(fd)

    def __enter__(self) -> Directory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _at(self, name: str) -> str:
        return name if self.fd is not None else os.path.join(self.path, name)

    def duplicate(self) -> Directory:
        """Return the same folder with a descriptor of its own."""
        return type(self)(self.path, None if self.fd is None else os.dup(self.fd))

    def child(self, name: str) -> Directory:
        """Open the folder `name`, which must not be a link. Raises `OSError`."""
        path = os.path.join(self.path, name)
        if self.fd is not None:
            return type(self)(path, os.open(name, _FOLDER | _ALWAYS, dir_fd=self.fd))
        info = os.lstat(path)
        if not stat.S_ISDIR(info.st_mode) or getattr(info, "st_reparse_tag", 0) == _MOUNT_POINT_TAG:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return type(self)(path, None)

    def lstat(self, name: str) -> os.stat_result | None:
        """Return the stat of `name`, of the link itself if it is one; None if nothing has that name."""
        try:
            return os.lstat(self._at(name)) if self.fd is None else os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def spelling(self, name: str, info: os.stat_result) -> str:
        """Return the name as the folder lists it: it may differ from `name` in case if the file system ignores case.

        info: the stat of `name`. A name that differs only in how accented letters are composed (NFC or NFD) is returned
        as given: macOS stores either, and people type one.
        """
        # A cheap question first: where `NAME` is not the same file as `name`, case counts, and no name has to be
        # listed.
        other = self.lstat(name.swapcase())
        if name == name.swapcase() or other is None or (other.st_dev, other.st_ino) != (info.st_dev, info.st_ino):
            return name
        composed = {compose(twin): twin for twin in self.names() if fold(twin) == fold(name)}
        return name if compose(name) in composed else next(iter(composed.values()), name)

    def readlink(self, name: str) -> str:
        """Return a link's target as it is written."""
        return os.readlink(self._at(name), dir_fd=self.fd)

    def names(self) -> list[str]:
        """Return every name in the folder as it is now, in no order."""
        if self.fd is None:
            return os.listdir(self.path)
        os.lseek(self.fd, 0, os.SEEK_SET)  # else btrfs lists the names of an earlier listing
        return os.listdir(self.fd)

    def open_file(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a file, which must not be a link, and return its descriptor. mode: of a file that this creates."""
        return os.open(self._at(name), flags | _ALWAYS | _NO_WAIT, mode, dir_fd=self.fd)

    def open_private(self, name: str, flags: int) -> int:
        """Open one of Dovetail's files like `open_file`; if the superuser creates it, the folder's owner gets it."""
        fd = self.open_file(name, flags)
        self.leave_to_owner(fd)
        return fd

    def make_private_folder(self, name: str) -> None:
        """Make one of Dovetail's folders, private, and leave it to this folder's owner."""
        self.make(name, 0o700)
        with self.child(name) as folder:
            self.leave_to_owner(folder.fd)

    def leave_to_owner(self, fd: int | None) -> None:
        """Give an open file or folder to this folder's owner, who could not use it else; only the superuser can."""
        if fd is None or self.fd is None or os.geteuid() != 0:
            return
        mine, theirs = os.fstat(fd), os.fstat(self.fd)
        if mine.st_uid != theirs.st_uid:
            with suppress(PermissionError):  # a file system on which root may not
                os.fchown(fd, theirs.st_uid, theirs.st_gid)

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder; the umask applies."""
        os.mkdir(self._at(name), mode, dir_fd=self.fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._at(name), dir_fd=self.fd)

    def unlink(self, name: str) -> None:
        """Remove a name that is no folder."""
        self._patiently(lambda: os.unlink(self._at(name), dir_fd=self.fd))

    def discard(self, name: str) -> None:
        """Remove a name that is no folder, if it exists."""
        with suppress(FileNotFoundError):
            self.unlink(name)

    def replace(self, name: str, new: str, target: Directory | None = None) -> None:
        """Rename atomically to `new`, in `target` if that is given; a file of that name is replaced."""
        there = target or self
        self._patiently(lambda: os.replace(self._at(name), there._at(new), src_dir_fd=self.fd, dst_dir_fd=there.fd))

    def _patiently(self, act: Callable[[], None]) -> None:
        """Call `act`. On Windows retry for a second: a virus scanner or an editor may hold the file for a moment."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                act()
                return
            except PermissionError:
                # A folder without a descriptor is one on Windows; elsewhere waiting would change nothing.
                if self.fd is not None or time.monotonic() >= until:
                    raise
                time.sleep(_PAUSE)

    def rename_to_new(self, name: str, new: str, target: Directory | None = None) -> None:
        """Rename like `replace`, but replace nothing: raise `FileExistsError` if the new name is taken."""
        there = target or self
        try:
            # A rename would replace a file that was made since the last look. Making a hard link fails if the name is
            # taken.
            os.link(self._at(name), there._at(new), src_dir_fd=self.fd, dst_dir_fd=there.fd, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            # A file system without hard links: look, then rename, with an instant between the two.
            if there.lstat(new) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from None
            self.replace(name, new, there)
        else:
            self.unlink(name)

    def writable(self, name: str = ".") -> bool:
        """Return whether permissions and mount let this user write `name`, or into the folder."""
        effective = os.access in os.supports_effective_ids
        return os.access(self._at(name), os.W_OK, dir_fd=self.fd, effective_ids=effective)

    def is_fixed(self, info: os.stat_result | None) -> bool:
        """Return whether no name may be made in this folder, or the file of `info` may not be removed or replaced.

        info: the stat of a file in it, or None to ask about new names.
        """
        if not self.writable():
            return True
        if info is None or self.fd is None or os.geteuid() == 0:
            return False
        folder = os.fstat(self.fd)  # in a sticky one such as /tmp, only a file's owner or the folder's may remove it
        return bool(folder.st_mode & stat.S_ISVTX) and os.geteuid() not in (info.st_uid, folder.st_uid)

    def sync(self) -> None:
        """Flush the folder's names to the disk, if the system can."""
        if self.fd is None:
            return
        try:
            os.fsync(self.fd)
        except OSError as error:
            if error.errno not in _NO_SYNC:
                raise


def mount_points() -> frozenset[str]:
    """Return the absolute paths of mount points, mounted single files included; empty without `/proc`."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return frozenset()
    fields = (line.split(b" ") for line in lines)
    return frozenset(
        os.fsdecode(_ESCAPED.sub(lambda sign: bytes([int(sign[1], 8)]), field[4])) for field in fields if len(field) > 4
    )


def close_quietly(fd: int) -> None:
    """Close a descriptor whose writes, if any, were flushed; ignore errors, which would change nothing by then."""
    with suppress(OSError):
        os.close(fd)


def read_all(fd: int) -> bytes:
    """Read an open file from its position to its end."""
    pieces: list[bytes] = []
    while piece := os.read(fd, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def read_regular(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file. Raises `OSError` for anything else, a link too, and for over `most` bytes."""
    fd = os.open(path, os.O_RDONLY | _ALWAYS | _NO_WAIT)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return read_all(fd)
    finally:
        close_quietly(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however many calls it takes. Raises `OSError`."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def sync_fully(fd: int) -> None:
    """Flush a file to the disk itself; on macOS `fsync` alone stops at the drive's cache."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with suppress(OSError):  # not every file system of macOS knows it
            fcntl.fcntl(fd, full)
            return
    os.fsync(fd)


_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def explain(error: OSError, outcome: str = "") -> WorkspaceError:
    """Return a system's error as a `WorkspaceError`. outcome: what became of the files in a few words; "" for none."""
    reason = error.strerror or str(error)
    name = f" (`{error.filename}`)" if isinstance(error.filename, str) else ""
    end = f"; {outcome}." if outcome else "."
    if error.errno in _NO_SPACE:
        return WorkspaceError(
            f"There is no space left to write{name}: {reason}{end}",
            code="disk-full",
            hint="Free some space and run it again.",
        )
    return WorkspaceError(
        f"The system refuses: {reason}{name}{end}", hint="Check that the file and its folder are there and yours."
    )


@contextmanager
def errors_about(path: str) -> Iterator[None]:
    """Name `path`, in place of the system's own paths, in an `OSError` of the block."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = path, None
        raise


Step = Callable[[str], None]


def no_step(_: str) -> None:
    """Do nothing: the `Step` of all but tests."""
