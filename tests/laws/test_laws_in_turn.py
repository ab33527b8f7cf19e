"""A reply comes to what its blocks come to when they are made one after the other, and goes back in any part.

The other way of making them is as plain as can be: lines are found by what they say, since each says something else.
"""
# ruff: noqa: S311 — seeded, so that a seed is a case

from __future__ import annotations

from itertools import count
from pathlib import Path
from random import Random

import pytest

from dovetail.formats import parse, render
from dovetail.model.blocks import Block, Kind
from dovetail.model.errors import JournalError
from dovetail.model.snapshot import Snapshot, one_above
from dovetail.plan import plan
from dovetail.session.apply.applying import commit, prepare
from dovetail.session.apply.operations import redo, undo
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS

PATHS = ("a.py", "a.py/in/g.py", "b.py", "docs/c.txt", "pkg.py", "pkg.py/d.py", "pkg.py/in.py", "pkg.py/in.py/e.py")
FORMATS = ("diff", "diff-fenced", "sections", "udiff")
Files = dict[str, str]


class InTurn:
    """Blocks, each written against the files as those before it left them. `now` is what they all come to."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.form = FORMATS[seed % len(FORMATS)]
        self.ids = count(1)
        self.now: Files = {}
        for _ in range(3):
            self.now[self.rng.choice(self._free())] = self._lines(self.rng.randint(1, 12))
        self.first = dict(self.now)
        acts = (self._edit, self._edit, self._edit, self._edit, self._move, self._create, self._delete, self._rename)
        self.blocks = [self.rng.choice(acts)() for _ in range(self.rng.randint(2, 9))]

    def _lines(self, size: int) -> str:
        return "".join(f"name_{n} = call_{n * 7}({self.rng.choice('abc')}{n})\n" for n in self._some(size))

    def _some(self, size: int) -> list[int]:
        return [next(self.ids) for _ in range(size)]

    def _free(self, leaving: str = "") -> list[str]:
        """Where a file can be made, once the one at `leaving` is gone: a name is a file's or a folder's, never both."""
        stays = self.now.keys() - {leaving}
        return [path for path in PATHS if path not in self.now and not any(one_above(path, at) for at in stays)]

    def _there(self) -> str:
        return self.rng.choice(sorted(self.now))

    def _change(self, path: str) -> tuple[str, str]:
        """Quote one to four lines, and keep, replace or drop each; not all are kept."""
        lines = self.now[path].splitlines(keepends=True)
        at = self.rng.randrange(len(lines))
        quoted = lines[at : at + self.rng.randint(1, 4)]
        new = [self.rng.choice([line, self._lines(self.rng.randint(1, 2)), ""]) for line in quoted]
        new[self.rng.randrange(len(new))] = self._lines(1)
        search, replace = "".join(quoted), "".join(new)
        self.now[path] = self.now[path].replace(search, replace)
        return search, replace

    def _edit(self) -> Block:
        path = self._there()
        return Block(self.form, Kind.EDIT, path, *self._change(path))

    def _move(self) -> Block:
        path = self._there()
        if not (free := self._free(path)):
            return self._delete()
        target, change = self.rng.choice(free), self._change(path)
        self.now[target] = self.now.pop(path)
        return Block("apply-patch", Kind.EDIT, path, *change, destination=target)

    def _rename(self) -> Block:
        path = self._there()
        if not (free := self._free(path)):
            return self._delete()
        target = self.rng.choice(free)
        self.now[target] = self.now.pop(path)
        return Block("apply-patch", Kind.RENAME, path, "", "", destination=target)

    def _create(self) -> Block:
        if not (free := self._free()):
            return self._delete()
        path, text = self.rng.choice(free), self._lines(self.rng.randint(1, 4))
        self.now[path] = text
        form, kind = self.rng.choice([("sections", Kind.CREATE), ("diff", Kind.EDIT)])
        return Block(form, kind, path, "", text)

    def _delete(self) -> Block:
        if len(self.now) == 1:
            return self._create()
        path = self._there()
        del self.now[path]
        return Block("apply-patch", Kind.DELETE, path, "", "")


def come_to(files: Files, blocks: list[Block]) -> Files:
    made = plan(blocks, Snapshot.of(files))
    assert not made.failed, [result.reason for result in made.results]
    after = {**files, **{change.path: change.after for change in made.changes}}
    return {path: text for path, text in after.items() if text is not None}


@pytest.mark.parametrize("seeds", [range(at, at + 100) for at in range(0, 400, 100)])
def test_a_reply_comes_to_what_its_blocks_come_to_in_turn(seeds: range) -> None:
    for turn in map(InTurn, seeds):
        assert come_to(turn.first, turn.blocks) == turn.now


def on_disk(root: Path) -> Files:
    found = (path for path in root.rglob("*") if path.is_file() and ".dovetail" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in found}


@pytest.mark.parametrize("seed", range(40))
def test_what_is_taken_back_in_parts_leaves_what_the_rest_comes_to(tmp_path: Path, seed: int) -> None:
    turn = InTurn(seed)
    reply = "\n".join(render([block], block.format) for block in turn.blocks)
    blocks = dict(enumerate(parse(reply).blocks, 1))
    for path, text in turn.first.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    prepared = prepare(tmp_path, reply, DEFAULT_REPLY_OPTIONS)
    with prepared.workspace:
        operation = commit(prepared).operation
    assert operation is not None
    assert on_disk(tmp_path) == turn.now
    for n in turn.rng.sample(sorted(blocks), len(blocks)):
        before = on_disk(tmp_path)
        try:
            undo_edits(tmp_path, operation.id, [n], DEFAULT_REPLY_OPTIONS)
        except JournalError:
            assert on_disk(tmp_path) == before
            continue
        del blocks[n]
        assert on_disk(tmp_path) == come_to(turn.first, list(blocks.values()))
    before = on_disk(tmp_path)
    if before != turn.first:
        undo(tmp_path, operation.id)
        assert on_disk(tmp_path) == turn.first
        redo(tmp_path)
        assert on_disk(tmp_path) == before
