"""Runs git as a subprocess and reads its plumbing: which files exist, and where the work tree begins.

The environment that a git hook leaves behind is dropped, no program that a repository names for watching files is
started, and paths are never patterns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from dovetail.model.errors import UsageError, WorkspaceError

PATIENCE = 60.0  # seconds, for a git that runs nothing but itself
_FETCHING = 300  # seconds

# Set by a git that runs us from a hook, they would turn every command to another repository.
_LOCAL = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS", "GIT_INTERNAL_SUPER_PREFIX",
}  # fmt: skip
_ALWAYS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}


def run(
    folder: Path,
    *args: str,
    data: bytes = b"",
    extra: Mapping[str, str] | None = None,
    hooks: bool = False,
) -> bytes:
    """Run git in `folder` and return what it prints. Raises `WorkspaceError` with git's own words.

    hooks: whether the user's own programs run within it, a whole test suite perhaps; those have what time they need.
    """
    import subprocess  # a root outside git is spared it

    environment = {key: value for key, value in os.environ.items() if key not in _LOCAL} | _ALWAYS | dict(extra or {})
    command: Sequence[str] = ["git", "-c", "core.fsmonitor=false", *args]
    patience = None if hooks else PATIENCE
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, input=data, capture_output=True, timeout=patience, check=True
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip() or f"it ended with status {error.returncode}"
        raise WorkspaceError(f"git {args[0]} failed: {said}", code="git") from error
    except subprocess.TimeoutExpired as error:
        raise WorkspaceError(f"git {args[0]} did not answer within {PATIENCE:.0f} s.", code="git") from error
    except OSError as error:
        raise WorkspaceError("git cannot be run.", code="git", hint="Install git, or leave it out.") from error
    return done.stdout


def ask(folder: Path, *args: str, data: bytes = b"", extra: Mapping[str, str] | None = None) -> str | None:
    """What git prints, without the line end; None where it ends with another status than 0."""
    try:
        return os.fsdecode(run(folder, *args, data=data, extra=extra)).removesuffix("\n")
    except WorkspaceError:
        return None


def listed(folder: Path) -> list[str] | None:
    """Files that git tracks and that exist, and untracked ones that it does not ignore; None where git cannot say."""
    try:
        data = run(folder, "ls-files", "-z", "-t", "--cached", "--others", "--deleted", "--exclude-standard")
    except WorkspaceError:
        return None
    entries = [os.fsdecode(line) for line in data.split(b"\0") if line]
    gone = {entry[2:] for entry in entries if entry.startswith("R ")}
    # What a sparse checkout leaves out is tracked and not there, unless the user put a file in its place.
    skipped = (entry[2:] for entry in entries if entry.startswith("S "))
    gone.update(path for path in skipped if not os.path.lexists(folder / path))
    # A nested repository is listed as one folder, with a slash.
    return [entry[2:] for entry in entries if entry[2:] not in gone and not entry.endswith("/")]


def clone(source: str, target: Path) -> None:
    """Fetch a repository's newest state alone; no submodule, no hook, no program that an address names.

    Raises `UsageError` where it cannot be had.
    """
    import subprocess  # as above

    command = ["git", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null"]
    command += ["clone", "--quiet", "--depth=1", "--no-recurse-submodules", "--", source, str(target)]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_FETCHING, env=environment)
    except subprocess.CalledProcessError as error:
        raise UsageError(
            f"git cannot clone {source}: {_reason(error.stderr.decode('utf-8', 'replace'))}",
            hint="Check the address, and that you may read there.",
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot clone {source}.", hint="Is git installed, and the address right?") from error


def _reason(said: str) -> str:
    """The first of git's lines that is no mere warning; advice that fits everything stands behind it."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith(("warning:", "hint:"))]
    return lines[0].rstrip(".") + "." if lines else "no reason given."
