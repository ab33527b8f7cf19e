"""Programs that make, move, copy and remove whole files and folders."""

from __future__ import annotations

import posixpath
from functools import partial

from dovetail.shell.options import split_options
from dovetail.shell.run import Done, Program, Shell
from dovetail.shell.syntax import NotReadError


def _tee(shell: Shell, words: list[str], given: str) -> Done:
    options, paths, _ = split_options(words, "a")
    for path in paths:
        if not path.startswith("/dev/"):
            shell.write(path, given, adds="a" in options)
    return Done(0, given)


def remove(shell: Shell, words: list[str], __: str) -> Done:
    """`rm`: files, and with `-r` folders."""
    options, paths, _ = split_options(words, "rfRv")
    deep, forced, failed = bool({"r", "R"} & set(options)), "f" in options, False
    for path in paths:
        key = shell.key(path.rstrip("/") or path)
        # The root, the folder that the shell stands in, or one above it.
        if not key or key == shell.folder or (shell.folder or "").startswith(f"{key}/"):
            raise NotReadError(f"`rm {path}`")
        files = shell.files
        if key in files.paths and not path.endswith("/"):
            shell.change(key)
            files.remove(key)
        elif files.is_folder(key):
            if not deep:
                failed = True
                continue
            for file in files.below(key):
                shell.change(file)
                files.remove(file)
            files.remove_folder(key)
        elif not forced:
            failed = True
    return Done(None if failed and _may_be_there(shell, paths) else int(failed))


def _may_be_there(shell: Shell, paths: list[str]) -> bool:
    """Return whether a path may exist unknown to us: outside of the root only what the command made is known."""
    return any(shell.key(path).startswith("/") for path in paths)


def _rmdir(shell: Shell, words: list[str], __: str) -> Done:
    _, paths, _ = split_options(words, "pv")
    if any(shell.files.below(shell.key(path)) for path in paths):
        return Done(1)
    for path in paths:
        shell.files.remove_folder(shell.key(path))
    return Done(0)


def _mkdir(shell: Shell, words: list[str], __: str) -> Done:
    options, paths, _ = split_options(words, "pv")
    code: int | None = 0
    for path in paths:
        key = shell.key(path)
        # `mkdir` without `-p` fails if the folder exists, or its parent does not; an empty parent is not known.
        if key in shell.files.paths or ("p" not in options and shell.files.is_folder(key)):
            code = 1
        elif "p" not in options and (key.startswith("/") or not shell.files.is_folder(posixpath.dirname(key))):
            code = None
        if code == 0:
            if shell.unsure:
                raise NotReadError(f"the exit code that decides about `{key}`")
            shell.files.make_folder(key)
    return Done(code)


def _touch(shell: Shell, words: list[str], __: str) -> Done:
    _, paths, _ = split_options(words, "")
    for path in paths:
        key = shell.key(path)
        if not shell.files.is_file(key) and not shell.files.is_folder(key):
            shell.change(key)
            shell.files.write(key, "")
    return Done(0)


def transfer(shell: Shell, words: list[str], __: str = "", *, copies: bool, tracked: bool = False) -> Done:
    """`mv` and `cp`: files or folders to another name, or into a folder."""
    options, paths, _ = split_options(words, "frRavp" if copies else "fv")
    files = shell.files
    if len(paths) < 2:
        raise NotReadError("`cp` or `mv` without a target")
    *sources, last = paths
    target = shell.key(last)
    into = files.is_folder(target) and target not in files.paths
    # The target must be a folder, and none is known: an empty one would take the file in, a missing one fail.
    if (len(sources) > 1 or last.endswith("/")) and not into:
        if (not tracked and target in files.paths) or target.startswith("/"):
            return Done(1)
        raise NotReadError(f"the folder `{last}`, of which nothing is known,")
    code = 0
    for source in sources:
        if posixpath.basename(source.rstrip("/")) in (".", ".."):
            raise NotReadError(f"`{source}`, whose files go without its name,")
        key = shell.key(source)
        to = posixpath.join(target, posixpath.basename(key)) if into else target
        if files.is_file(key):
            # `git mv` does not overwrite without `-f`; `mv` does.
            if key == to or (tracked and to in files.paths and "f" not in options) or files.is_folder(to):
                code = 1
                continue
            shell.change(to)
            if copies:
                files.write(to, files.read(key))
            else:
                files.move(key, to)
        elif files.is_folder(key) and (not copies or {"r", "R", "a"} & set(options)):
            # A folder into itself, over another, or into one that is there: `mv` and `cp` differ by system.
            if to == key or to.startswith(f"{key}/") or files.is_folder(to) or to in files.paths or not key:
                raise NotReadError(f"`{source}`, a folder that goes to another")
            for file in files.below(key):
                shell.change(file)
                name = f"{to}{file[len(key) :]}"
                if copies:
                    files.write(name, files.read(file))
                else:
                    files.move(file, name)
            files.make_folder(to)
            if not copies:
                files.remove_folder(key)
        else:
            code = 1
    return Done(code)


FILE_PROGRAMS: dict[str, Program] = {
    "tee": _tee, "rm": remove, "rmdir": _rmdir, "mkdir": _mkdir, "touch": _touch,
    "mv": partial(transfer, copies=False), "cp": partial(transfer, copies=True),
}  # fmt: skip
