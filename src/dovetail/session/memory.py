"""Files in memory: planned for as on a disk, and refused where no root would allow the path.

The idea: a program may hold its files by any spelling of their paths, with ``./`` in front or from the disk's root.
They are planned for by their plain one, and come back by the one that was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from dovetail.model.blocks import Block, Parsed
from dovetail.model.errors import JailError, UsageError
from dovetail.model.policy import Policy
from dovetail.model.results import Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan, wanted_paths
from dovetail.syntax import default_language
from dovetail.workspace.names import check_path

_ROOT = re.compile(r"(?:[A-Za-z]:|~)?/+")


def plan_for(parsed: Parsed, files: Mapping[str, str], policy: Policy, seen: Mapping[str, str] | None = None) -> Plan:
    """What a reply does to `files` (path to text). `seen` has the texts that the model saw, by path, where they differ.

    Raises `UsageError` where two of the paths are spellings of one.
    """
    given = _by_plain_path(files)
    if all(map(str.__eq__, given, given.values())):
        return plan(parsed, snapshot_of(files, wanted_paths(parsed, files), seen), policy, default_language())
    plain = {name: path for path, name in given.items()}
    parsed = replace(parsed, blocks=tuple(_plainly(block, plain) for block in parsed.blocks))
    policy = policy if policy.only is None else replace(policy, only=tuple(map(_plain, policy.only)))
    texts = {path: files[name] for path, name in given.items()}
    known = {_plain(name): text for name, text in (seen or {}).items()}
    snapshot = snapshot_of(texts, wanted_paths(parsed, texts), known)
    return _as_given(plan(parsed, snapshot, policy, default_language()), given)


def snapshot_of(files: Mapping[str, str], wanted: Iterable[str], seen: Mapping[str, str] | None = None) -> Snapshot:
    """The snapshot of `files` (path to text) for a reply that wants the paths `wanted`.

    `seen` has the texts that the model saw, by path, where they are not what the files say now.
    """
    refused: dict[str, str] = {}
    for path in wanted:
        try:
            check_path(path)
        except JailError as error:
            refused[path] = error.message
    known = seen or {}
    texts = {
        path: FileText(path, text, seen=known[path] if known.get(path, text) != text else None)
        for path, text in files.items()
        if path not in refused
    }
    return Snapshot(texts, frozenset(files), refused)


def _by_plain_path(names: Iterable[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name in names:
        other = given.setdefault(_plain(name), name)
        if other != name:
            raise UsageError(f"`{other}` and `{name}` are the same file.", hint="Give each file once.")
    return given


def _plain(name: str) -> str:
    """A path from a root, without ``.`` and doubled slashes; one that climbs, or is none, as it is."""
    root = _ROOT.match(name.replace("\\", "/"))
    parts = name[root.end() if root is not None else 0 :].replace("\\", "/").split("/")
    return name if ".." in parts else "/".join(part for part in parts if part not in ("", ".")) or name


def _plainly(block: Block, plain: Mapping[str, str]) -> Block:
    """A block that names a file as it was given names it by its plain path."""
    path, target = (plain.get(name, name) if name is not None else None for name in (block.path, block.destination))
    return block if (path, target) == (block.path, block.destination) else replace(block, path=path, destination=target)


def _as_given(made: Plan, given: Mapping[str, str]) -> Plan:
    """A plan whose paths are spelled as they came."""

    def spelled(path: str | None) -> str | None:
        return path if path is None else given.get(path, path)

    results = tuple(
        replace(r, path=spelled(r.path), warnings=tuple(replace(w, path=spelled(w.path)) for w in r.warnings))
        for r in made.results
    )
    changes = tuple(replace(c, path=given.get(c.path, c.path), source=spelled(c.source)) for c in made.changes)
    return replace(made, results=results, changes=changes)
