"""Runs the command in a Python from which everything is taken that Windows does not have.

The standard library is loaded before, as it is made for the system that runs it. What remains is what Dovetail itself
does without descriptors of folders, without users, modes and POSIX locks.
"""

from __future__ import annotations

import argparse  # noqa: F401 - loaded before the system is another
import asyncio  # noqa: F401
import importlib.abc
import os
import signal
import socket  # noqa: F401
import ssl  # noqa: F401
import stat  # noqa: F401
import subprocess  # noqa: F401
import sys
import tempfile  # noqa: F401
import webbrowser  # noqa: F401

import filelock

POSIX_MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}
POSIX_NAMES = [
    "O_CLOEXEC",
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "chown",
    "copy_file_range",
    "ctermid",
    "fchdir",
    "fchmod",
    "fchown",
    "fdatasync",
    "fork",
    "forkpty",
    "fstatvfs",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getpgid",
    "getpgrp",
    "getuid",
    "getxattr",
    "killpg",
    "lchown",
    "listxattr",
    "mkfifo",
    "mknod",
    "openpty",
    "pathconf",
    "posix_fallocate",
    "posix_spawn",
    "pread",
    "preadv",
    "pwrite",
    "pwritev",
    "removexattr",
    "sched_getaffinity",
    "sendfile",
    "setsid",
    "setuid",
    "setxattr",
    "statvfs",
    "sync",
    "sysconf",
    "tcgetpgrp",
    "ttyname",
    "uname",
]
POSIX_SIGNALS = (
    "SIGALRM SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGTSTP SIGUSR1 SIGWINCH alarm pthread_sigmask setitimer"
)


class NoPosixModules(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in POSIX_MODULES:
            raise ModuleNotFoundError(name, name=name)


def main() -> int:
    filelock.FileLock = filelock.SoftFileLock  # type: ignore[misc]  # the other one is of this system
    for module, names in ((os, POSIX_NAMES), (signal, POSIX_SIGNALS.split())):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name in ("supports_dir_fd", "supports_effective_ids", "supports_fd", "supports_follow_symlinks"):
        setattr(os, name, set())
    for name in POSIX_MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, NoPosixModules())
    sys.platform = "win32"
    from dovetail.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
