"""Makes a clone whose repository brings a journal with an operation that is ready to be completed.

The journal is a real one: another user's process wrote it in his own repository, and died before the first file was put
in place. By hand only the permission bits are changed.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zlib
from pathlib import Path

REPLY = "a.py\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n"

_STAGES_AND_DIES = """
import os, signal, sys
from pathlib import Path
from dovetail.model.results import FileChange
from dovetail.workspace import Workspace

def step(word):
    if word == "replace":
        os.kill(os.getpid(), signal.SIGKILL)

def write(ws, texts):
    snapshot = ws.snapshot(texts, tree=frozenset())
    ws.commit([FileChange(path, None, text) for path, text in texts.items()], snapshot, reply=sys.argv[2])

with Workspace.open(Path(sys.argv[1])) as ws:
    write(ws, {"done.txt": "what an undo would remove\\n"})
with Workspace.open(Path(sys.argv[1]), step=step) as ws:
    write(ws, {".envrc": "export PATH=evil\\n", "bin/tool": "#!/bin/sh\\n"})
"""


def git(folder: Path, *words: str) -> None:
    """Run git with an identity of its own."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def hostile_clone(folder: Path) -> Path:
    """A clone that a user made of somebody else's repository."""
    origin = folder / "origin"
    origin.mkdir()
    git(origin, "init", "-q")
    (origin / "a.py").write_text("a = 1\n")
    theirs = str(folder / "another-users")
    others = {**os.environ, "XDG_STATE_HOME": theirs, "TMPDIR": theirs}
    subprocess.run([sys.executable, "-c", _STAGES_AND_DIES, str(origin), REPLY], env=others, check=False)
    for staged in [*origin.glob(".dovetail-*"), *origin.glob("bin/.dovetail-*")]:
        staged.unlink()
    log = origin / ".dovetail/log"
    lines = [json.loads(line[9:]) for line in log.read_bytes().splitlines()]
    assert lines[-1]["do"] == "ready"
    lines[-1]["modes"]["bin/tool"] = 0o4755
    bodies = [json.dumps(line, separators=(",", ":")).encode() for line in lines]
    log.write_bytes(b"".join(b"%08x %s\n" % (zlib.crc32(body), body) for body in bodies))
    git(origin, "add", "-f", ".")
    git(origin, "commit", "-qm", "Begin")
    clone = folder / "clone"
    git(folder, "clone", "-q", str(origin), str(clone))
    return clone


HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit", "post-index-change",
    "post-merge", "post-rewrite", "pre-commit", "prepare-commit-msg", "reference-transaction",
)  # fmt: skip
PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy",
    "core.alternateRefsCommand", "pager.ls-files", "pager.rev-parse", "alias.ls-files", "diff.external",
    "credential.helper", "gpg.program", "filter.theirs.clean", "filter.theirs.smudge", "filter.theirs.process",
    "sequence.editor", "interactive.diffFilter", "trailer.theirs.command", "trailer.theirs.cmd",
)  # fmt: skip


def booby_trapped(folder: Path) -> Path:
    """A repository as an archive brings it, whose own settings name a program wherever git takes one.

    Each program, and each hook, leaves its name in `folder/ran`.
    """
    root = folder / "trapped"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.py").write_text("a = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Begin")
    (folder / "ran").mkdir()
    for name in HOOKS:
        hook = root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\n: >{folder}/ran/{name}\n")
        hook.chmod(0o755)
    for name in PROGRAMS:
        git(root, "config", name, f": >{folder}/ran/{name}; cat; false")
    # A partial clone fetches what it lacks, by a program if the address says so.
    git(root, "config", "core.repositoryFormatVersion", "1")
    git(root, "config", "extensions.partialClone", "theirs")
    git(root, "config", "protocol.ext.allow", "always")
    git(root, "config", "remote.theirs.url", f"ext::sh -c :%>{folder}/ran/fetch")
    git(root, "config", "remote.theirs.promisor", "true")
    (root / ".gitattributes").write_text("* filter=theirs\n")
    return root


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in a folder but git's own, with its mode; the journal, too."""
    found = (path for path in folder.rglob("*") if path.relative_to(folder).parts[0] != ".git")
    return {
        path.relative_to(folder).as_posix(): (stat.S_IMODE(path.lstat().st_mode), _data(path)) for path in sorted(found)
    }


def _data(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
