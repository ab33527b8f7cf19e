"""Git as Dovetail uses it: listing files, cloning, and staging or committing an operation.

Git is run as a subprocess. The environment that a git hook leaves behind is dropped, and paths are never patterns. No
program that a repository names is started: no hook, no watcher, no pager, and no fetch of what a partial clone lacks.
Two functions that the user asks for do start some: `stage_operation` runs the filters that convert a file for git's
store, as `git add` does, and `commit_operation` runs those and the hooks of a commit.

An operation is staged or committed with its own versions from the journal, never with what is in the files by now. A
path that the user had staged, changed (its text or its mode) or never tracked before the operation is refused. A commit
is made through an index of its own, so whatever else the user has staged stays staged.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.model.results import FileChange
from dovetail.spool.git_program import ALWAYS, LOCAL, NO_FETCH, SAFE
from dovetail.workspace.operation import Shown, Staged

PATIENCE = 60.0  # seconds, for a git that runs nothing but itself
_FETCHING = 300  # seconds

_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")

TRAILER = "Dovetail-Operation"
_AT_ONCE = 200  # paths for one command: even of the longest ones, so many fit into every system's limit
_OURS = ("-c", "user.name=Dovetail", "-c", "user.email=dovetail@localhost")

_COMMIT_HOOKS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "reference-transaction",
    "post-index-change", "pre-auto-gc",
)  # fmt: skip
_IN_PROGRESS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "index.lock": "git command",
}


def run(
    folder: Path,
    *args: str,
    data: bytes = b"",
    extra: Mapping[str, str] | None = None,
    hooks: bool = False,
) -> bytes:
    """Run git in `folder` and return what it prints. Raises `WorkspaceError` with git's own words.

    data: git's standard input. extra: variables added to the environment.
    hooks: run the repository's hooks, too. They may run a test suite, so there is no time limit then.
    """
    environment = {key: value for key, value in os.environ.items() if key not in LOCAL} | ALWAYS | dict(extra or {})
    command = [*SAFE, *(() if hooks else _NO_HOOKS), *args]
    try:
        status, printed, complaint = _run_git(command, environment, None if hooks else PATIENCE, folder, data)
    except TimeoutError as error:
        raise WorkspaceError(f"git {args[0]} did not answer within {PATIENCE:.0f} s.", code="git") from error
    except OSError as error:
        raise WorkspaceError("git cannot be run.", code="git", hint="Install git, or leave it out.") from error
    if status != 0:
        reason = complaint.strip() or f"it ended with status {status}"
        raise WorkspaceError(f"git {args[0]} failed: {reason}", code="git")
    return printed


def run_anyhow(folder: Path, *args: str) -> bytes:
    """Run git and return what it prints, whatever its exit status: that of `merge-file` is the number of conflicts.

    Raises `WorkspaceError` if git cannot be run.
    """
    environment = {key: value for key, value in os.environ.items() if key not in LOCAL} | ALWAYS
    try:
        return _run_git([*SAFE, *_NO_HOOKS, *args], environment, PATIENCE, folder, b"")[1]
    except (TimeoutError, OSError) as error:
        raise WorkspaceError("git cannot be run.", code="git", hint="Install git, or leave it out.") from error


def _run_git(
    args: Sequence[str], environment: Mapping[str, str], patience: float | None, folder: Path | None, data: bytes | None
) -> tuple[int, bytes, str]:
    """Run git; returns its exit status, its output, and its error output. Raises `TimeoutError` or `OSError`."""
    import subprocess  # 20 ms, which a root outside git is spared

    try:
        done = subprocess.run(
            ["git", *args], cwd=folder, env=environment, input=data, capture_output=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def ask(folder: Path, *args: str, data: bytes = b"", extra: Mapping[str, str] | None = None) -> str | None:
    """Run git and return what it prints, without the last line end; None if it fails or cannot be run."""
    try:
        return os.fsdecode(run(folder, *args, data=data, extra=extra)).removesuffix("\n")
    except WorkspaceError:
        return None


def listed(folder: Path) -> list[str] | None:
    """Files that git tracks and that exist, and untracked ones that it does not ignore; None where git cannot say."""
    try:
        data = run(
            folder, "ls-files", "-z", "-t", "--cached", "--others", "--deleted", "--exclude-standard", extra=NO_FETCH
        )
    except WorkspaceError:
        return None
    # `H a.py`: a letter (H tracked, R gone from the folder, S left out by a sparse checkout, ? untracked), then the
    # path.
    entries = [os.fsdecode(line) for line in data.split(b"\0") if line]
    gone = {entry[2:] for entry in entries if entry.startswith("R ")}
    # What a sparse checkout leaves out is tracked and not there, unless the user put a file in its place.
    skipped = (entry[2:] for entry in entries if entry.startswith("S "))
    gone.update(path for path in skipped if not os.path.lexists(folder / path))
    # A nested repository is listed as one folder, with a slash.
    return [entry[2:] for entry in entries if entry[2:] not in gone and not entry.endswith("/")]


def hooks_folder(folder: Path) -> Path | None:
    """Return the folder, links resolved, from which git takes the hooks of a repository; None where git cannot say."""
    try:
        named = os.fsdecode(run(folder, "rev-parse", "--git-path", "hooks", hooks=True)).removesuffix("\n")
    except WorkspaceError:
        return None
    return Path(os.path.realpath(folder / named))


def tracks(folder: Path, path: str) -> bool:
    """Return whether git tracks anything at a path below `folder`; False where git cannot say."""
    return bool(ask(folder, "ls-files", "--", path, extra=NO_FETCH))


def clone(source: str, target: Path) -> None:
    """Clone a repository's newest commit into `target`, without submodules, hooks, or programs that an address names.

    Raises `UsageError` if git cannot clone it.
    """
    command = ["-c", "protocol.ext.allow=never", *_NO_HOOKS]
    command += ["clone", "--quiet", "--depth=1", "--no-recurse-submodules", "--", source, str(target)]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        status, _, complaint = _run_git(command, environment, _FETCHING, None, None)
    except OSError as error:
        raise UsageError(f"git cannot clone {source}.", hint="Is git installed, and the address right?") from error
    if status != 0:
        raise UsageError(
            f"git cannot clone {source}: {_reason(complaint)}", hint="Check the address, and that you may read there."
        )


def _reason(complaint: str) -> str:
    """Return the first line of git's error output that is neither a warning nor a hint, with a full stop."""
    lines = [
        line.strip() for line in complaint.splitlines() if line.strip() and not line.startswith(("warning:", "hint:"))
    ]
    return lines[0].rstrip(".") + "." if lines else "no reason given."


class _GitFile(NamedTuple):
    """Both versions of a file to stage: bytes, or None for no file.

    old_mode, mode: the permission bits of both. source: the path it was renamed from, links resolved.
    """

    before: bytes | None
    after: bytes | None
    old_mode: int | None = None
    mode: int | None = None
    source: str | None = None


class _GitEntry(NamedTuple):
    mode: str
    sha: str


def _sides_of(shown: Shown) -> dict[str, _GitFile]:
    """Both versions of an operation's files, by path, links resolved."""
    records = {record.path: record for record in shown.operation.files}
    return {
        records[path].real: _GitFile(
            versions.before,
            versions.after,
            *records[path].modes,
            records[source].real if (source := records[path].source) in records else source,
        )
        for path, versions in shown.versions.items()
    }


def _plain(data: bytes, like: str) -> str:
    """Return git's id for these bytes, unconverted. like: an id of the repository, which shows the algorithm."""
    algorithm = "sha1" if len(like) == 40 else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _git_mode(bits: int) -> str:
    """Return git's mode of a regular file, which depends only on whether its owner may execute it."""
    return "100755" if bits & 0o100 else "100644"


def stage_operation(root: Path, shown: Shown) -> Staged:
    """Stage the versions that an operation wrote. A path that was dirty before it is left out, and named in `refused`.

    Raises `WorkspaceError` if git fails.
    """
    files = _sides_of(shown)
    repository = _Repository(root, files)
    refused = repository.dirty()
    clean = [path for path in files if path not in refused]
    repository.stage(clean)
    return Staged(tuple(clean), None, refused)


def commit_operation(root: Path, shown: Shown, message: str) -> Staged:
    """Commit exactly the versions that an operation wrote, on the checked-out branch; the user's hooks run.

    Raises `WorkspaceError` if a path was dirty before the operation, a merge or rebase is under way, or the hooks of
    the commit would run what the operation wrote.
    """
    files = _sides_of(shown)
    repository = _Repository(root, files)
    repository.check_nothing_in_progress()
    repository.check_hooks()
    refused = repository.dirty()
    if refused:
        raise WorkspaceError(
            "Not committed. " + " ".join(refused.values()), code="git-dirty", hint="Commit those files by hand."
        )
    try:
        commit = repository.commit(message, shown.operation.id)
    except BaseException:
        repository.follow_head()  # git may have been stopped in a hook after it made the commit
        raise
    try:
        repository.follow(commit)
    except WorkspaceError as error:
        raise WorkspaceError(
            f"Committed as {commit[:12]}, but the index could not follow. {error.message}",
            code="git",
            hint=f"Run `{_unstaging(repository, files)}`",
        ) from error
    return Staged(tuple(files), commit)


def committed_operations(root: Path) -> frozenset[str]:
    """Return the ids of operations in the trailers of the checked-out branch's commits. Raises `WorkspaceError`."""
    if ask(root, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return frozenset()
    names = run(root, "log", "--fixed-strings", f"--grep={TRAILER}: ", f"--format=%(trailers:key={TRAILER},valueonly)")
    return frozenset(os.fsdecode(names).split())


class Commit(NamedTuple):
    """A commit: its name, when it was made (UTC, ISO 8601), and the first line of its message."""

    id: str
    time: str
    subject: str


MOST_COMMITS = 200
"""The most commits of a range that are read: the newest."""


def committed_changes(root: Path, wanted: str) -> list[tuple[Commit, FileChange]]:
    """Return the changes that the commits of a range made to text files under a root, oldest first.

    wanted: a range as git has it, `main..HEAD`. Raises `UsageError` for an option in its place, `WorkspaceError` if git
    fails.
    """
    if wanted.startswith("-"):
        raise UsageError(f"`{wanted}` is no range of commits.", hint="Write it as main..HEAD")
    every = f"--max-count={MOST_COMMITS}"
    told = run(root, "log", "--reverse", "--no-merges", every, "--format=%H%x00%cI%x00%s", wanted, "--")
    found: list[tuple[Commit, FileChange]] = []
    for line in filter(None, told.decode("utf-8", "replace").split("\n")):
        commit = Commit(*line.split("\0", 2))
        names = run(root, "diff-tree", "--root", "-r", "-z", "--name-only", "--no-commit-id", "--relative", commit.id)
        for name in filter(None, names.decode("utf-8", "surrogateescape").split("\0")):
            before, after = (_text_at(root, f"{at}:./{name}") for at in (f"{commit.id}^", commit.id))
            if before != after:
                found.append((commit, FileChange(name, before, after)))
    return found


def _text_at(root: Path, name: str) -> str | None:
    """Return the text of a blob by its name for git (`COMMIT:./PATH`); None if there is none, or it is not UTF-8."""
    try:
        return run(root, "cat-file", "blob", name).decode("utf-8")
    except (WorkspaceError, UnicodeDecodeError):
        return None


def _unstaging(repository: _Repository, files: Iterable[str]) -> str:
    """Return the `git reset` command that unstages files, to be copied into a shell in any folder."""
    paths = (repository.prefix + path for path in files)
    return shlex.join(["git", "-C", str(repository.top), "--literal-pathspecs", "reset", "--", *paths])


class _Repository:
    """One repository and the files of one operation in it. Git is run at the top, with paths relative to it."""

    def __init__(self, root: Path, files: Mapping[str, _GitFile]) -> None:
        self.top = Path(os.fsdecode(run(root, "rev-parse", "--show-toplevel")).removesuffix("\n"))
        self.prefix = ask(root, "rev-parse", "--show-prefix") or ""
        self.files = files
        self.head_id = ask(self.top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        self.head = self._entries("ls-tree", "-z", "HEAD") if self.head_id is not None else {}
        self.with_modes = ask(self.top, "config", "--type=bool", "--get", "core.fileMode") != "false"

    def _at(self, path: str) -> str:
        return self.prefix + path

    def dirty(self) -> dict[str, str]:
        """Return, by path, a sentence for each file that was not as in HEAD before the operation."""
        index = self._entries("ls-files", "-z", "--stage")
        ignored = self._ignored([path for path in self.files if path not in self.head])
        renamed: dict[str, str | None] = {}
        reasons = {
            path: self._why_dirty(path, self.head.get(path), index.get(path), ignored=path in ignored)
            for path in self.files
        }
        # A renamed file has the user's earlier changes under its old name in it: staging it would stage those, too.
        for path, sides in self.files.items():
            if reasons[path] is None and sides.source is not None and (reason := reasons.get(sides.source)) is not None:
                renamed[path] = f"`{path}` was renamed. {reason}"
        return {path: reason for path, reason in (reasons | renamed).items() if reason is not None}

    def _why_dirty(
        self, path: str, committed: _GitEntry | None, staged: _GitEntry | None, *, ignored: bool
    ) -> str | None:
        before = self.files[path].before
        if self._in_other_repository(path):
            return f"`{path}` lies in a repository of its own."
        if staged != committed:
            return f"`{path}` had staged changes."
        if committed is None:
            if before is not None:
                return f"`{path}` was not tracked."
            return f"`{path}` is ignored by git." if ignored else None
        sha, bits = committed.sha, self.files[path].old_mode
        # git's filters are run only if the unconverted bytes differ
        if before is None or (_plain(before, sha) != sha and self._hash(path, before) != sha):
            return f"`{path}` had changes of your own."
        if bits is not None and self.with_modes and (mode := _git_mode(bits)) != committed.mode:
            return f"`{path}` had its mode changed by you, from {committed.mode} to {mode}."
        return None

    def _ignored(self, paths: Iterable[str]) -> set[str]:
        asked = os.fsencode("".join(self._at(path) + "\0" for path in paths))
        # `check-ignore` never reads its arguments as patterns, and fails where literal paths are asked for.
        plain = {"GIT_LITERAL_PATHSPECS": "0"}
        answer = ask(self.top, "check-ignore", "-z", "--stdin", data=asked, extra=plain) if asked else None
        return {path.removeprefix(self.prefix) for path in (answer or "").split("\0")} - {""}

    def _in_other_repository(self, path: str) -> bool:
        folders = Path(self._at(path)).parents
        return any((self.top / folder / ".git").exists() for folder in folders if folder != Path())

    def stage(self, paths: Iterable[str], index: Mapping[str, str] | None = None) -> None:
        """Put the versions that the operation wrote of `paths` into an index.

        index: environment variables that name another index than the user's own.
        """
        chosen = tuple(paths)
        kept = [line for path in chosen if (line := self._index_line(path)) is not None]
        gone = [self._at(path) for path in chosen if self.files[path].after is None]
        if gone:  # first: a folder may take the name of one
            removed = os.fsencode("".join(path + "\0" for path in gone))
            run(self.top, "update-index", "-z", "--force-remove", "--stdin", data=removed, extra=index)
        if kept:
            run(self.top, "update-index", "-z", "--add", "--index-info", data=os.fsencode("".join(kept)), extra=index)

    def _index_line(self, path: str) -> str | None:
        sides = self.files[path]
        if sides.after is None:
            return None
        old = self.head.get(path) or self.head.get(sides.source or "")
        mode = old.mode if old is not None else "100644"
        if sides.mode is not None and self.with_modes:
            mode = _git_mode(sides.mode)
        return f"{mode} {self._stored(path, sides.after, sides.source or path, old)}\t{self._at(path)}\0"

    def _stored(self, path: str, data: bytes, source: str, old: _GitEntry | None) -> str:
        """Write a version into git's store, converted as git's rules say, and return its id.

        source: the path that it was renamed from, or its own. old: HEAD's entry of it; None if there is none.
        A file that git has unconverted, for example with CRLF, stays so, as with `git add`: converting it would change
        more than the operation did.
        """
        before = self.files[source].before if source in self.files else None
        if old is not None and before is not None and _plain(before, old.sha) == old.sha:
            stored = self._may_hash(path, data)
            # Git has the earlier bytes as they are, although its rules would convert them by now.
            if stored != _plain(data, old.sha) and self._may_hash(source, before) != old.sha:
                return run(self.top, "hash-object", "-w", "--no-filters", "--stdin", data=data).decode().strip()
        return self._hash(path, data, "-w")

    def _may_hash(self, path: str, data: bytes) -> str | None:
        """Return the id that a version would have, converted; None if git refuses to convert it."""
        return ask(self.top, "hash-object", "--stdin", f"--path={self._at(path)}", data=data)

    def commit(self, message: str, operation_id: str) -> str:
        """Commit HEAD's files with those of the operation replaced; return the commit's id."""
        trailer = f"{TRAILER}: {operation_id}"
        body = os.fsencode(message.strip()) + b"\n"
        # `--no-divider`: a line of dashes in the message begins no patch, as it would in a mail. Git runs outside of
        # the repository here, as its settings may name a program for each trailer.
        outside = {"GIT_DIR": os.devnull}
        text = run(self.top, "interpret-trailers", "--no-divider", "--trailer", trailer, data=body, extra=outside)
        # HEAD's files with the operation's versions put in, whatever else the user's own index has staged.
        with self._own_index() as index:
            run(self.top, "read-tree", self.head_id or "--empty", extra=index)
            self.stage(self.files, index)
            run(self.top, "commit", "--quiet", "--file=-", data=text, extra=index, hooks=True)
        return run(self.top, "rev-parse", "HEAD").decode().strip()

    @contextmanager
    def _own_index(self) -> Iterator[Mapping[str, str]]:
        """Yield environment variables that make git use a new index beside the user's; remove it at the end."""
        named = run(self.top, "rev-parse", "--git-path", f"dovetail-index-{os.urandom(8).hex()}")
        index = self.top / os.fsdecode(named).removesuffix("\n")
        try:
            yield {"GIT_INDEX_FILE": str(index)}
        finally:
            for left in (index, index.with_name(f"{index.name}.lock")):
                with suppress(OSError):
                    left.unlink()

    def follow(self, commit: str) -> None:
        """Bring the paths that a commit changed up to date in the user's index: else they would show as staged reverts.

        A hook may have added to the commit, so that is done for all its paths. What the user has staged stays staged.
        """
        before = self.head_id or run(self.top, "hash-object", "-t", "tree", "--stdin").decode().strip()
        run(self.top, "read-tree", "-i", "-m", before, commit)

    def follow_head(self) -> None:
        """Call `follow` for HEAD if it has moved; ignore errors of git."""
        now = ask(self.top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if now is not None and now != self.head_id:
            with suppress(WorkspaceError):
                self.follow(now)

    def check_nothing_in_progress(self) -> None:
        """Raise `WorkspaceError` while a merge, rebase or the like is under way, which a commit would conclude."""
        for name, what in _IN_PROGRESS.items():
            at = ask(self.top, "rev-parse", "--git-path", name)
            if at is not None and (self.top / at).exists():
                raise WorkspaceError(
                    f"Not committed: a {what} is under way.", code="git-busy", hint="Finish it, then commit by hand."
                )

    def check_hooks(self) -> None:
        """Raise `WorkspaceError` if the commit would run a hook, or a file for hooks, that the operation wrote."""
        from dovetail.guards.run_names import RunKind, run_of  # with the guards behind it, which only a commit needs

        folder = hooks_folder(self.top)
        if folder is None or not any((folder / name).exists() for name in _COMMIT_HOOKS):
            return
        for path, sides in self.files.items():
            run_by = run_of(path, *((data or b"").decode("utf-8", "replace") for data in (sides.before, sides.after)))
            commands = run_by is not None and (run_by.kind is RunKind.HOOK or path.lower().endswith("package.json"))
            if commands or Path(os.path.realpath(self.top / self._at(path))).is_relative_to(folder):
                raise WorkspaceError(
                    f"Not committed: the hooks of the commit would run `{path}`, which this operation wrote.",
                    code="git-hooks",
                    hint="Read the file, then commit by hand.",
                )

    def _hash(self, path: str, data: bytes, *flags: str) -> str:
        return run(self.top, "hash-object", *flags, "--stdin", f"--path={self._at(path)}", data=data).decode().strip()

    def _entries(self, *command: str) -> dict[str, _GitEntry]:
        """Return the operation's files in HEAD or the index, by path; the id of one in conflict is "conflict".

        command: `ls-tree` or `ls-files --stage`, with its options.
        """
        paths = [self._at(path) for path in self.files]
        batches = (paths[at : at + _AT_ONCE] for at in range(0, len(paths), _AT_ONCE))
        lines = b"".join(run(self.top, *command, "--", *batch) for batch in batches)
        entries: dict[str, _GitEntry] = {}
        for line in lines.decode("utf-8", "surrogateescape").split("\0"):
            facts, _, path = line.partition("\t")
            if path:
                mode, *rest = facts.split(" ")  # ls-tree: type, sha; ls-files: sha, stage
                sha = rest[1] if command[0] == "ls-tree" else rest[0] if rest[1] == "0" else "conflict"
                entries[path.removeprefix(self.prefix)] = _GitEntry(mode, sha)
        return entries


def begin_repository(folder: Path, paths: Iterable[str], message: str) -> str | None:
    """Make a repository in a folder, commit some files, and return the commit's id. Raises `WorkspaceError`."""
    run(folder, "init", "--quiet", "--initial-branch=main")
    run(folder, "add", "--force", "--", *paths)
    known = ask(folder, "config", "user.email") and ask(folder, "config", "user.name")
    who = () if known else _OURS
    run(folder, *who, "commit", "--quiet", "--no-verify", "-m", message)
    return ask(folder, "rev-parse", "HEAD")
