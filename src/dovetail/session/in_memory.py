"""Plan a reply against files in memory, with the same paths refused as on a disk.

A program may hold its files under any spelling of their paths, with ``./`` in front or from the disk's root. They are
planned under their plain paths, and the plan names them as the program does.
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
    """What a reply does to `files` (path to text). `seen` has the texts that the model saw, by path, if they differ.

    Raises `UsageError` if two of the paths are spellings of one.
    """
    names: dict[str, str] = {}
    for name in files:
        other = names.setdefault(_plain(name), name)
        if other != name:
            raise UsageError(f"`{other}` and `{name}` are the same file.", hint="Give each file once.")
    if all(path == name for path, name in names.items()):
        return plan(parsed, snapshot_of(files, wanted_paths(parsed, files), seen), policy, default_language())
    plain = {name: path for path, name in names.items()}

    def with_plain_paths(block: Block) -> Block:
        path, target = (plain.get(name, name) if name is not None else None for name in (block.path, block.destination))
        return replace(block, path=path, destination=target)

    parsed = replace(parsed, blocks=tuple(map(with_plain_paths, parsed.blocks)))
    policy = policy if policy.only is None else replace(policy, only=tuple(map(_plain, policy.only)))
    texts = {path: files[name] for path, name in names.items()}
    known = {_plain(name): text for name, text in (seen or {}).items()}
    snapshot = snapshot_of(texts, wanted_paths(parsed, texts), known)
    return _renamed(plan(parsed, snapshot, policy, default_language()), names)


def snapshot_of(files: Mapping[str, str], wanted: Iterable[str], seen: Mapping[str, str] | None = None) -> Snapshot:
    """The snapshot of `files` (path to text) for a reply that wants the paths `wanted`.

    `seen` has the texts that the model saw, by path, if they are not what the files say now.
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


def _plain(name: str) -> str:
    """A path from a root, without ``.`` and doubled slashes; one that climbs, or is none, unchanged."""
    path = name.replace("\\", "/")
    root = _ROOT.match(path)
    parts = path[root.end() if root is not None else 0 :].split("/")
    return name if ".." in parts else "/".join(part for part in parts if part not in ("", ".")) or name


def _renamed(planned: Plan, names: Mapping[str, str]) -> Plan:
    """The plan with paths spelled as the program does."""

    def spelled(path: str | None) -> str | None:
        return path if path is None else names.get(path, path)

    results = tuple(
        replace(r, path=spelled(r.path), warnings=tuple(replace(w, path=spelled(w.path)) for w in r.warnings))
        for r in planned.results
    )
    changes = tuple(replace(c, path=names.get(c.path, c.path), source=spelled(c.source)) for c in planned.changes)
    return replace(planned, results=results, changes=changes)
