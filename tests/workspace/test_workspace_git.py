"""Staging and committing an operation, and nothing of the user's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from workspace_acts import commit_texts, git

from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Operation, Workspace


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user of git with no settings but a name."""
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\n\tname = U\n\temail = u@example.org\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q")
    for name in ("a", "b", "dirty", "staged", "sub/c"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"{name}\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "start")
    (root / "dirty").write_text("mine\n")
    (root / "staged").write_text("mine\n")
    git(root, "add", "staged")
    return root


def apply(root: Path, texts: dict[str, str | None], renames: dict[str, str] | None = None) -> Operation:
    with Workspace.open(root) as ws:
        return commit_texts(ws, texts, renames)


def status(root: Path) -> list[str]:
    return git(root, "status", "--porcelain").splitlines()


def test_the_journal_is_no_part_of_the_status(repository: Path) -> None:
    before = status(repository)
    apply(repository, {"a": "A\n"})
    assert status(repository) == [" M a", *before]


def test_a_commit_holds_the_operation_and_nothing_else(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n", "new/n": "n\n", "b": None, "moved": "c\n"}, {"moved": "sub/c"})
        staged = ws.git_commit(operation.id, "Change a\n\nBecause.")
    assert staged.commit == git(repository, "rev-parse", "HEAD").strip()
    changed = git(repository, "show", "--name-status", "--no-renames", "--format=", "HEAD").split()
    assert changed == ["M", "a", "D", "b", "A", "moved", "A", "new/n", "D", "sub/c"]
    message = git(repository, "log", "-1", "--format=%B").strip()
    assert message == f"Change a\n\nBecause.\n\nDovetail-Operation: {operation.id}"
    assert status(repository) == [" M dirty", "M  staged"]


def test_the_trailer_joins_the_trailers_that_are_there(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n"})
        ws.git_commit(operation.id, "x\n\nSigned-off-by: U <u@example.org>\n")
    body = git(repository, "log", "-1", "--format=%(trailers:only)").split("\n")
    assert body[:2] == ["Signed-off-by: U <u@example.org>", f"Dovetail-Operation: {operation.id}"]


MESSAGES = [
    "subject\n\nbody\n\n---\nnotes",
    "s\n\nReviewed-by: U\n---\nSee: there",
    "s\n\n---",
    "---",
    "Fix: the door",
    "one\ntwo: three",
    "\n\n s \n\n",
    "s\n\n# no comment",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_the_trailer_is_one_whatever_the_message_holds(repository: Path, message: str) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n"})
        ws.git_commit(operation.id, message)
    only = "--format=%(trailers:key=Dovetail-Operation,valueonly)"
    assert git(repository, "log", "-1", only).strip() == operation.id
    kept = [line for line in git(repository, "log", "-1", "--format=%B").split("\n") if operation.id not in line]
    assert [line for line in kept if line] == [line for line in message.strip().split("\n") if line]


DIRTY = [
    ("dirty", "had changes of your own"),
    ("staged", "had staged changes"),
    ("untracked", "was not tracked"),
    ("x.log", "is ignored by git"),
    ("inner/f", "repository of its own"),
]


@pytest.mark.parametrize(("path", "why"), DIRTY)
def test_a_path_that_was_dirty_before_is_refused(repository: Path, path: str, why: str) -> None:
    (repository / "untracked").write_text("u")
    (repository / ".git/info/exclude").write_text("*.log\n")
    (repository / "inner").mkdir()
    git(repository / "inner", "init", "-q")
    before = status(repository)
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n", path: "by the reply\n"})
        head = git(repository, "rev-parse", "HEAD")
        with pytest.raises(WorkspaceError, match=why):
            ws.git_commit(operation.id, "x")
        assert git(repository, "rev-parse", "HEAD") == head
        staged = ws.git_add(operation.id)
    assert staged.paths == ("a",)
    assert why in staged.refused[path]
    after = status(repository)
    assert "M  a" in after
    assert [line for line in after if line[0] not in " ?" and line != "M  a"] == ["M  staged"] or path == "staged"
    assert [line for line in before if line not in after] in ([], ["M  staged"], ["?? inner/"])


def test_what_the_user_changed_after_the_operation_is_not_taken(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n"})
        (repository / "a").write_text("A\nmine\n")
        ws.git_commit(operation.id, "x")
    assert git(repository, "show", "HEAD:a") == "A\n"
    assert status(repository) == [" M a", " M dirty", "M  staged"]


def test_adding_stages_versions_and_deletions(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": None, "b": "B\n", "new": "n\n"})
        staged = ws.git_add(operation.id)
    assert (staged.paths, staged.commit, staged.refused) == (("a", "b", "new"), None, {})
    assert status(repository) == ["D  a", "M  b", " M dirty", "A  new", "M  staged"]


@pytest.mark.parametrize("act", ["commit", "add"])
def test_a_file_that_becomes_a_folder_is_one_in_git_too(repository: Path, act: str) -> None:
    (repository / "q").write_text("q\n")
    git(repository, "add", "q")
    git(repository, "commit", "-qm", "q")
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"q": None, "q/x": "x\n"})
        if act == "commit":
            ws.git_commit(operation.id, "a folder")
            assert git(repository, "show", "--name-status", "--format=").split() == ["D", "q", "A", "q/x"]
        else:
            ws.git_add(operation.id)
        tracked = git(repository, "ls-files").split()
        assert "q/x" in tracked
        assert "q" not in tracked


def test_the_first_commit_of_a_repository(root: Path) -> None:
    git(root, "init", "-q")
    (root / "mine").write_text("m")
    git(root, "add", "mine")
    with Workspace.open(root) as ws:
        operation = commit_texts(ws, {"a": "A\n"})
        ws.git_commit(operation.id, "first")
    assert git(root, "ls-tree", "--name-only", "HEAD").split() == ["a"]
    assert status(root) == ["A  mine"]


def test_a_root_below_the_top(repository: Path) -> None:
    with Workspace.open(repository / "sub") as ws:
        operation = commit_texts(ws, {"c": "C\n", "d": "d\n"})
        ws.git_commit(operation.id, "x")
    assert git(repository, "show", "--name-only", "--format=", "HEAD").split() == ["sub/c", "sub/d"]
    assert status(repository) == [" M dirty", "M  staged"]


def test_line_ends_that_git_converts_are_not_dirty(repository: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")
    (repository / "a").write_bytes(b"a\r\n")
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\r\n"})
        ws.git_commit(operation.id, "x")
    assert git(repository, "cat-file", "blob", "HEAD:a") == "A\n"
    assert (repository / "a").read_bytes() == b"A\r\n"


@pytest.mark.parametrize("safe", ["false", "true"])
@pytest.mark.parametrize("name", ["a", "moved"])
def test_line_ends_that_git_has_as_they_are_stay_so(repository: Path, name: str, safe: str) -> None:
    (repository / "a").write_bytes(b"1\r\n2\n3\r\n")
    git(repository, "config", "core.autocrlf", "false")
    git(repository, "commit", "-qam", "as it is")
    git(repository, "config", "core.autocrlf", "true")
    git(repository, "config", "core.safecrlf", safe)
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {name: "one\r\n2\n3\r\n"}, {name: "a"} if name != "a" else {})
        ws.git_commit(operation.id, "x")
    done = subprocess.run(["git", "cat-file", "-p", f"HEAD:{name}"], cwd=repository, check=True, capture_output=True)
    assert done.stdout == b"one\r\n2\n3\r\n"
    (repository / name).touch()
    git(repository, "add", name)  # it keeps them, too
    assert not [line for line in status(repository) if line.endswith((" a", " moved"))]


def test_modes_are_committed(repository: Path) -> None:
    (repository / "run.sh").write_text("x\n")
    (repository / "run.sh").chmod(0o755)
    git(repository, "add", "run.sh")
    git(repository, "commit", "-qm", "x", "--", "run.sh")
    apply(repository, {"run.sh": "y\n"})
    with Workspace.open(repository) as ws:
        ws.git_commit(ws.log()[-1].id, "x")
    assert git(repository, "ls-tree", "HEAD", "run.sh").startswith("100755")


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("bits", [0o755, 0o644])
def test_a_mode_that_the_user_changed_is_not_swept_in(repository: Path, bits: int, renamed: bool) -> None:
    """Neither the new mode nor, where the file is renamed, under its new name."""
    run = repository / "run.sh"
    run.write_text("x\n")
    run.chmod(bits ^ 0o111)
    git(repository, "add", "run.sh")
    git(repository, "commit", "-qm", "x", "--", "run.sh")
    run.chmod(bits)
    head = git(repository, "rev-parse", "HEAD")
    with Workspace.open(repository) as ws:
        texts, renames = ({"go.sh": "y\n"}, {"go.sh": "run.sh"}) if renamed else ({"run.sh": "y\n"}, {})
        operation = commit_texts(ws, {"a": "A\n", **texts}, renames)
        with pytest.raises(WorkspaceError, match=r"`run\.sh` had its mode changed by you, from 100"):
            ws.git_commit(operation.id, "x")
        assert git(repository, "rev-parse", "HEAD") == head
        staged = ws.git_add(operation.id)
    assert (staged.paths, set(staged.refused)) == (("a",), {"run.sh", *texts})
    assert status(repository)[0] == "M  a"
    assert git(repository, "diff", "--cached", "--name-only").split() == ["a", "staged"]


def test_a_rename_does_not_stage_what_the_user_wrote(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        staged = ws.git_add(commit_texts(ws, {"moved": "mine\nmore\n"}, {"moved": "dirty"}).id)
    assert staged.paths == ()
    assert staged.refused["moved"] == "`moved` was renamed. `dirty` had changes of your own."


def test_where_git_heeds_no_modes_the_committed_one_stays(repository: Path) -> None:
    """In a file that was edited, and in one that was renamed."""
    git(repository, "config", "core.fileMode", "off")
    git(repository, "reset", "-q")
    git(repository, "update-index", "--chmod=+x", "a", "b")
    git(repository, "commit", "-qm", "x")
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n", "moved": "b\n"}, {"moved": "b"})
        ws.git_commit(operation.id, "x")
    modes = {line.split()[-1]: line.split()[0] for line in git(repository, "ls-tree", "HEAD").splitlines()}
    assert (modes["a"], modes["moved"]) == ("100755", "100755")


def test_a_file_behind_a_link_is_committed_where_it_is(repository: Path) -> None:
    (repository / "link").symlink_to("a")
    operation = apply(repository, {"link": "A\n"})
    with Workspace.open(repository) as ws:
        assert ws.git_commit(operation.id, "x").paths == ("a",)
    assert git(repository, "show", "--name-only", "--format=", "HEAD").split() == ["a"]


@pytest.mark.parametrize("name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/x", "index.lock"])
def test_nothing_is_committed_while_git_waits_for_the_user(repository: Path, name: str) -> None:
    operation = apply(repository, {"a": "A\n"})
    (repository / ".git" / name).parent.mkdir(exist_ok=True)
    (repository / ".git" / name).write_text(git(repository, "rev-parse", "HEAD"))
    with Workspace.open(repository) as ws, pytest.raises(WorkspaceError, match="is under way"):
        ws.git_commit(operation.id, "x")


def test_a_hook_that_refuses_is_heard(repository: Path) -> None:
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngit diff --cached --name-only >&2\nexit 1\n")
    hook.chmod(0o755)
    operation = apply(repository, {"a": "A\n"})
    before = status(repository)
    with Workspace.open(repository) as ws, pytest.raises(WorkspaceError, match=r"git commit failed: a$"):
        ws.git_commit(operation.id, "x")
    assert status(repository) == before


def test_a_hook_may_take_longer_than_git_itself(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Projects run their tests in one."""
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nsleep 1.5\n")
    hook.chmod(0o755)
    operation = apply(repository, {"a": "A\n"})
    monkeypatch.setattr("dovetail.workspace.git.PATIENCE", 1.0)
    with Workspace.open(repository) as ws:
        assert ws.git_commit(operation.id, "x").paths == ("a",)


@pytest.mark.parametrize("made", ["a", "fresh"])
def test_what_a_hook_adds_to_the_commit_is_in_the_index_too(repository: Path, made: str) -> None:
    """Else the next commit would take it back."""
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho formatted >> {made} && git add {made}\n")
    hook.chmod(0o755)
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n", "b": None, "n": "n\n"})
        ws.git_commit(operation.id, "x")
    assert git(repository, "show", f"HEAD:{made}").endswith("formatted\n")
    assert status(repository) == [" M dirty", "M  staged"]


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    top = tmp_path / os.fsdecode(b"top-\xff")
    root = top / os.fsdecode(b"sub-\xfe")
    try:
        root.mkdir(parents=True)
    except OSError:
        pytest.skip("the file system takes text only")
    git(top, "init", "-q")
    for name in ("a", "b"):
        (root / name).write_text(f"{name}\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "start")
    with Workspace.open(root) as ws:
        assert ws.git_commit(commit_texts(ws, {"a": "A\n", "b": None}).id, "x").paths == ("a", "b")
        assert ws.git_add(commit_texts(ws, {"a": "AA\n", "n": "n\n"}).id).paths == ("a", "n")
    assert [line[:3] for line in status(top)] == ["M  ", "A  "]


def test_run_from_a_hook_it_still_finds_the_right_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other-index"))
    with Workspace.open(repository) as ws:
        assert "a" in ws.tree()
        operation = commit_texts(ws, {"a": "A\n"})
        assert ws.git_add(operation.id).paths == ("a",)


def test_undo_touches_neither_index_nor_commits(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"a": "A\n", "b": "B\n"})
        ws.git_commit(operation.id, "x")
        head = git(repository, "rev-parse", "HEAD")
        ws.undo()
    assert git(repository, "rev-parse", "HEAD") == head
    assert status(repository) == [" M a", " M b", " M dirty", "M  staged"]


def test_outside_a_repository_git_says_no(root: Path) -> None:
    operation = apply(root, {"a": "A\n"})
    with Workspace.open(root) as ws, pytest.raises(WorkspaceError, match="not a git repository"):
        ws.git_add(operation.id)


def test_without_git_files_are_listed_and_a_commit_says_what_is_missing(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = apply(repository, {"a": "A\n"})
    monkeypatch.setenv("PATH", os.devnull)
    with Workspace.open(repository) as ws:
        assert "a" in ws.tree()
        with pytest.raises(WorkspaceError, match="git cannot be run"):
            ws.git_commit(operation.id, "x")


def test_where_the_index_cannot_follow_the_hint_can_be_copied_into_a_shell(repository: Path) -> None:
    """Names that a shell or git would take for more than one word, or for a pattern."""
    names = ["a b", "it's", "$HOME", "app/[slug]/*.txt", "-n"]
    hook = repository / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch .git/index.lock\n")
    hook.chmod(0o755)
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, dict.fromkeys(names, "n\n"))
        with pytest.raises(WorkspaceError, match="the index could not follow") as refused:
            ws.git_commit(operation.id, "x")
    (repository / ".git/index.lock").unlink()
    (repository / "app/[slug]/s.txt").write_text("mine\n")
    git(repository, "add", "app/[slug]/s.txt")
    command = str(refused.value.hint).removeprefix("Run `").removesuffix("`")
    subprocess.run(["sh", "-c", command], cwd=repository.parent, check=True, capture_output=True)
    assert status(repository) == ["A  app/[slug]/s.txt", " M dirty", "M  staged"]


def test_more_paths_than_a_command_takes(repository: Path) -> None:
    resource = pytest.importorskip("resource")
    names = {f"{'d' * 200}/{'e' * 200}/{'f' * 200}/{'n' * 200}{n}": "n\n" for n in range(400)}
    limits = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, limits[1]))  # a quarter of it is for arguments
    try:
        with Workspace.open(repository) as ws:
            operation = commit_texts(ws, names)
            assert len(ws.git_commit(operation.id, "x").paths) == 400
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, limits)
    assert status(repository) == [" M dirty", "M  staged"]


def with_a_hook(root: Path, folder: str = ".git/hooks") -> Path:
    """A hook of the user's own that leaves a mark when it runs."""
    hook = root / folder / "pre-commit"
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ../ran\n")
    hook.chmod(0o755)
    return root.parent / "ran"


RUN_BY_HOOKS = {
    ".pre-commit-config.yaml": "repos: []\n",
    "web/lefthook.yml": "pre-commit:\n  commands: {}\n",
    ".husky/pre-commit": "touch ../ran\n",
    "package.json": '{"scripts": {"test": "touch ../ran"}}\n',
}


@pytest.mark.parametrize("path", RUN_BY_HOOKS)
def test_a_commit_whose_hooks_would_run_what_was_written_is_not_made(repository: Path, path: str) -> None:
    ran, head = with_a_hook(repository), git(repository, "rev-parse", "HEAD")
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {path: RUN_BY_HOOKS[path], "a": "A\n"})
        with pytest.raises(WorkspaceError, match=f"would run `{path}`") as refused:
            ws.git_commit(operation.id, "x")
    assert refused.value.code == "git-hooks"
    assert git(repository, "rev-parse", "HEAD") == head and not ran.exists()
    assert (repository / path).read_text() == RUN_BY_HOOKS[path]


def test_a_hook_in_the_folder_that_the_settings_name_is_not_run_by_the_operation_that_wrote_it(
    repository: Path,
) -> None:
    git(repository, "config", "core.hooksPath", "tools/hooks")
    ran = with_a_hook(repository, "tools/hooks")
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"tools/hooks/commit-msg": "touch ../ran\n"})
        with pytest.raises(WorkspaceError, match="would run `tools/hooks/commit-msg`"):
            ws.git_commit(operation.id, "x")
    assert not ran.exists()


def test_the_same_files_are_committed_where_no_hook_runs_them(repository: Path) -> None:
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {".pre-commit-config.yaml": "repos: []\n"})
        assert ws.git_commit(operation.id, "x").commit is not None


def test_a_package_whose_commands_stay_is_committed_with_the_hooks(repository: Path) -> None:
    ran = with_a_hook(repository)
    (repository / "package.json").write_text('{"scripts": {"test": "jest"}}\n')
    git(repository, "add", "package.json")
    git(repository, "commit", "-qm", "package", "--no-verify", "--", "package.json")
    with Workspace.open(repository) as ws:
        operation = commit_texts(ws, {"package.json": '{"scripts": {"test": "jest"}, "private": true}\n'})
        assert ws.git_commit(operation.id, "x").commit is not None
    assert ran.exists()
