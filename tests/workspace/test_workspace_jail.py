"""Where paths lead on a real disk, and where they must not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from workspace_acts import contents

from dovetail.model.errors import JailError, WorkspaceError
from dovetail.workspace.directory import Directory
from dovetail.workspace.jail import Jail


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def jail(request: pytest.FixtureRequest, root: Path) -> Jail:
    (root / "src/deep").mkdir(parents=True)
    (root / "src/deep/a.txt").write_text("a")
    (root.parent / "outside").mkdir()
    (root.parent / "outside/secret").write_text("secret")
    return Jail(Directory.open(str(root), descriptors=request.param))


def real(jail: Jail, path: str) -> str:
    with jail.locate(path) as place:
        return place.real


INSIDE = [
    # link, its target, the path asked for, where it leads
    ("l", "src/deep/a.txt", "l", "src/deep/a.txt"),
    ("l", "src", "l/deep/a.txt", "src/deep/a.txt"),
    ("src/l", "../src/./deep", "src/l/a.txt", "src/deep/a.txt"),
    ("src/deep/l", "../../src//deep/a.txt", "src/deep/l", "src/deep/a.txt"),
    ("l", "{root}/src/deep", "l/a.txt", "src/deep/a.txt"),
    ("l", "{root}/src/../src/deep/a.txt", "l", "src/deep/a.txt"),
    ("l", ".", "l/l/src/deep/a.txt", "src/deep/a.txt"),
    ("l", "src", "l/new.txt", "src/new.txt"),
    ("l", "src", "l/new/b.txt", "src/new/b.txt"),
]

OUTSIDE = [
    ("l", "../outside/secret", "l"),
    ("l", "../outside", "l/secret"),
    ("l", "../outside", "l/new.txt"),
    ("l", "{root}/../outside/secret", "l"),
    ("l", "/etc", "l/passwd"),
    ("l", "/", "l/etc/passwd"),
    ("src/l", "../../root/src/deep/a.txt", "src/l"),  # leaves, though it comes back
    ("l", "{root}x", "l"),
    ("l", "l", "l"),
    ("l", ".git/hooks", "l/pre-commit"),
    ("l", ".dovetail/log", "l"),
]


@pytest.mark.parametrize(("link", "target", "path", "leads_to"), INSIDE)
def test_a_link_that_stays_inside_is_followed(
    jail: Jail, root: Path, link: str, target: str, path: str, leads_to: str
) -> None:
    (root / link).symlink_to(target.format(root=root))
    assert real(jail, path) == leads_to


@pytest.mark.parametrize(("link", "target", "path"), OUTSIDE)
def test_a_link_that_leaves_or_leads_to_a_protected_place_is_refused(
    jail: Jail, root: Path, link: str, target: str, path: str
) -> None:
    (root / ".git/hooks").mkdir(parents=True)
    (root / ".dovetail").mkdir()
    (root / ".dovetail/log").write_text("")
    (root / link).symlink_to(target.format(root=root))
    with pytest.raises(JailError):
        real(jail, path)


@pytest.mark.parametrize("target", ["nowhere", "src/nowhere/x", "{root}/nowhere"])
def test_a_dangling_link_is_refused_even_inside(jail: Jail, root: Path, target: str) -> None:
    (root / "l").symlink_to(target.format(root=root))
    with pytest.raises(WorkspaceError, match="does not exist"):
        real(jail, "l")


def test_a_dangling_link_is_told_from_a_new_file_of_the_same_name(jail: Jail, root: Path) -> None:
    (root / "a").mkdir()
    (root / "b").mkdir()
    (root / "a/x").symlink_to("../b/x")
    with pytest.raises(WorkspaceError, match="does not exist"):
        real(jail, "a/x/new")


def test_two_links_in_a_loop_are_refused(jail: Jail, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(JailError, match="more than 40 links"):
        real(jail, "a")


def test_a_new_path_names_the_folders_it_needs(jail: Jail) -> None:
    with jail.locate("src/x/y/new.txt") as place:
        assert (place.real, place.missing, place.info) == ("src/x/y/new.txt", ("x", "y"), None)


def test_a_folder_is_no_file(jail: Jail, root: Path) -> None:
    (root / "l").symlink_to("src")
    for path in ("src", "src/deep", "l"):
        with pytest.raises(WorkspaceError, match="is a folder"):
            real(jail, path)


def test_nothing_stands_below_a_file(jail: Jail) -> None:
    with pytest.raises(WorkspaceError, match=r"`src/deep/a.txt` is no folder"):
        real(jail, "src/deep/a.txt/b")


def test_pipes_sockets_and_devices_are_refused_without_being_opened(jail: Jail, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)  # a socket's path is short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
    for name in ("pipe", "socket"):
        with pytest.raises(JailError, match=f"is a {name}"):
            real(jail, name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes device files")
def test_a_device_file_is_refused(jail: Jail, root: Path) -> None:
    try:
        os.mknod(root / "null", 0o20666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("this container makes no device files")
    with pytest.raises(JailError, match="is a device"):
        real(jail, "null")


def test_a_folder_swapped_for_a_link_in_between_leads_nowhere(root: Path) -> None:
    """The race: between two steps of the walk a checked folder becomes a link to the outside."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("outside")
    (root / "src").mkdir()
    (root / "src/a.txt").write_text("inside")

    class Swapping(Directory):
        def child(self, name: str) -> Directory:
            (root / "src").rename(root / "moved")
            (root / "src").symlink_to(outside)
            return super().child(name)

    with Directory.open(str(root)) as opened:
        jail = Jail(Swapping(opened.path, opened.fd))
        with pytest.raises(JailError, match="changed while it was opened"):
            jail.locate("src/a.txt")


def test_no_descriptor_stays_open(jail: Jail, root: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("counts descriptors in /proc")
    (root / "l").symlink_to(f"{root}/src")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("src/deep/a.txt", "l/deep/a.txt", "src/new/x"):
        with jail.locate(path):
            pass
    for path in ("src/deep", "src/deep/a.txt/x", "../x"):
        with pytest.raises(WorkspaceError):
            jail.locate(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


FEW_FILES = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Workspace
from workspace_acts import commit_texts
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
with Workspace.open(Path(sys.argv[1])) as ws:
    commit_texts(ws, {"a/" * 100 + "f": "f"})
    for path in ("s/up/" + "a/" * 95 + "f", "a/" * 101 + "f", "b/" * 1500 + "f"):
        try:
            commit_texts(ws, {path: "f"})
        except WorkspaceError as error:
            print(error.code)
    ws.undo()
"""


def test_the_deepest_path_there_may_be_needs_no_more_open_files_than_there_are(root: Path) -> None:
    """Else what was begun could be neither completed nor taken back."""
    pytest.importorskip("resource")
    (root / "s").mkdir()
    (root / "s/up").symlink_to("../" + "/".join(["a"] * 90))
    command = [sys.executable, "-c", FEW_FILES, str(root), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "outside-root\n" * 3), done.stderr
    assert contents(root) == {"s/": b"", "s/up": b""}


def test_a_folder_is_listed_from_its_begin_however_far_it_was_read(root: Path) -> None:
    (root / "earlier").touch()
    with Directory.open(str(root)) as folder, os.scandir(folder.fd) as entries:
        next(entries)
        (root / "later").touch()
        assert sorted(folder.names()) == ["earlier", "later"]


def test_a_hard_link_to_a_file_of_git_is_refused(jail: Jail, root: Path) -> None:
    (root / ".git/hooks").mkdir(parents=True)
    (root / ".git/hooks/pre-commit").write_text("true\n")
    (root / "notes.txt").hardlink_to(root / ".git/hooks/pre-commit")
    with pytest.raises(JailError, match="hard link to a file of Git's own folder"):
        real(jail, "notes.txt")
    (root / "twin.txt").hardlink_to(root / "src/deep/a.txt")
    assert real(jail, "twin.txt") == "twin.txt"
