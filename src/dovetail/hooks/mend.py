"""Mends an edit that an agent's own tool would refuse or make in a wrong place: rewrites it, or explains the failure.

Owns the engine's part in a hook, which is loaded for such an edit alone: the plan, the exact edit that gives the same
files, and the text for the model.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dovetail.hooks.exact import OLD_AND_NEW, edits_of
from dovetail.model.codes import Code, Status
from dovetail.model.results import FileChange, Plan
from dovetail.session.apply.applying import USERS_OWN, Prepared, prepare
from dovetail.session.conversation.call_answers import report
from dovetail.session.settings import load

_NOT_ABOUT_THE_TEXT = USERS_OWN | {Code.OUTSIDE_ROOT, Code.TOO_LARGE, Code.RUN_BY_OTHERS, Code.UNSEEN_LINES}
"""Codes of failures that are not about the edit's text: the agent and its user decide, and the edit is left alone."""

_MOST_LINES = 40  # lines of a place that are shown


class Mended(NamedTuple):
    """The decision about an edit: another input for the agent's tool (`asked`), or why it is refused; or neither.

    tier: the tier at which a rewritten edit matched.
    """

    asked: dict[str, Any] | None = None
    refused: str = ""
    tier: str = ""


def mend(root: str, tool: str, asked: dict[str, Any], patched: str, from_root: str, *, rewrites: bool = True) -> Mended:
    """Judge an edit of a tool.

    patched: the field of `asked` that has a patch, "" for an edit by old and new text. from_root: the folder that the
    edit's paths are relative to, relative to the root. rewrites: the agent takes another input; if not, an edit that
    would get one is refused with the lines of the file.
    """
    reply = str(asked[patched]) if patched else json.dumps({"name": tool, "arguments": dict(asked)})
    with _planned(root, reply, from_root) as prepared:
        plan = prepared.plan
        if not plan.results:
            return Mended()
        # In this order: failures that are not about the text, other failures, edits already applied, rewritable ones.
        if any(result.code in _NOT_ABOUT_THE_TEXT for result in plan.failed):
            return Mended()
        if plan.failed:
            return Mended(refused=_words(prepared))
        changes = [change for change in plan.changes if change.before != change.after or change.source]
        if not changes:  # the tool would only say that it does not find the old text
            done = any(result.status is Status.STANDS_ALREADY for result in plan.results)
            return Mended(refused=_words(prepared)) if done else Mended()
        # Agents' tools treat `\r\n` in different ways, so no rewritten text is sure to fit.
        if any("\r" in text for c in changes for text in (c.before, c.after) if text is not None):
            return Mended()
        if not rewrites:
            return Mended(refused=_words(prepared))
        tier = ", ".join(dict.fromkeys(str(result.tier) for result in plan.results if result.tier is not None))
        if patched:
            return Mended({**asked, patched: _patch(changes, from_root)}, tier=tier)
        # The tool edits one file, and does not make or remove any.
        (change, *others) = changes
        if others or change.before is None or change.after is None:
            return Mended()
        named = [f"/{value}".replace("\\", "/") for value in asked.values()]
        if not any(name.endswith(f"/{change.path}") for name in named):
            return Mended(refused=_words(prepared))  # it fits in another file than the one that is named
        old, new = _exact(change.before, change.after)
        edit = edits_of(asked)[0]
        names = next(names for names in OLD_AND_NEW if names[0] in edit)
        exact = dict(zip(names, (old, new), strict=True))
        return Mended({**asked, **exact} if edit is asked else {**asked, "edits": [exact]}, tier=tier)


def explain(root: str, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return a text for the model about edits that the agent's tool refused: where they fit, or what is nearest."""
    said: list[str] = []
    for tool, asked in calls:
        with _planned(root, json.dumps({"name": tool, "arguments": dict(asked)}), "") as prepared:
            if prepared.plan.results:
                said.append(_words(prepared))
    return "\n\n".join(said)


def _planned(root: str, reply: str, from_root: str) -> _Planned:
    return _Planned(root, reply, from_root)


class _Planned:
    """A context manager that plans a reply, and closes its workspace at the end."""

    def __init__(self, root: str, reply: str, from_root: str) -> None:
        def path_of(path: str) -> str:
            return f"{from_root}/{path}" if from_root and not path.startswith("/") else path

        self._prepared = prepare(Path(root), reply, load(Path(root)).reply, from_root=path_of)

    def __enter__(self) -> Prepared:
        return self._prepared

    def __exit__(self, *_: object) -> None:
        self._prepared.workspace.close()


def _words(prepared: Prepared) -> str:
    """Return a text for the model about a plan that is not carried out; for edits that fit, with the file's lines."""
    plan: Plan = prepared.plan
    texts = {path: file.text for path, file in prepared.snapshot.files.items() if file.text is not None}
    shown: list[str] = []
    for result in plan.results:
        if result.status is Status.FITS and result.start is not None and result.end is not None:
            lines = texts.get(result.path or "", "").split("\n")[result.start - 1 : result.end][:_MOST_LINES]
            shown += [f"{result.path} has at lines {result.start} to {result.end}:", *lines]
    if shown and not plan.failed:
        shown.append("Send the edit again, with these lines as old text.")
    return report(plan.results, written=False, markers=prepared.markers, texts=texts, held=False, after=shown)


def _exact(before: str, after: str) -> tuple[str, str]:
    """Return the fewest whole lines around a change that are in the text once, and their new lines, at least one."""
    old, new = before.split("\n"), after.split("\n")
    first, last, new_last = _changed(old, new)
    while True:
        # Lines are added at both ends until the old ones are in the file once and both sides have a line: with an empty
        # new text the line end of the deleted text would stay, as a blank line.
        text = "\n".join(old[first:last])
        if text and first < new_last and before.count(text) == 1:
            return text, "\n".join(new[first:new_last])
        if first == 0 and last == len(old):
            return before, after
        first, last, new_last = max(0, first - 1), min(len(old), last + 1), min(len(new), new_last + 1)


def _changed(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int]:
    """Return the index of the first differing line, and the end of the differing lines in `old` and in `new`."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    same = 0
    while same < min(len(old), len(new)) - first and old[-1 - same] == new[-1 - same]:
        same += 1
    return first, len(old) - same, len(new) - same


def _patch(changes: Sequence[FileChange], from_root: str) -> str:
    """Return a patch in the format of `apply_patch` that makes some changes; each hunk fits in one place only."""

    def named(path: str) -> str:
        return posixpath.relpath(path, from_root) if from_root else path

    gone = {change.source for change in changes}
    lines = ["*** Begin Patch"]
    for change in changes:
        if change.after is None:
            # A moved file's old path: `Move to` says so already.
            lines += [] if change.path in gone else [f"*** Delete File: {named(change.path)}"]
        elif change.source is None and change.before is None:
            added = change.after.removesuffix("\n").split("\n")
            lines += [f"*** Add File: {named(change.path)}", *(f"+{line}" for line in added)]
        else:
            source = change.source or change.path
            before = next((other.before for other in changes if other.path == source), None)
            lines.append(f"*** Update File: {named(source)}")
            lines += [f"*** Move to: {named(change.path)}"] if change.source is not None else []
            if before is not None and before != change.after:
                old, new = _exact(before.removesuffix("\n"), change.after.removesuffix("\n"))
                lines += ["@@", *(f"-{line}" for line in old.split("\n"))]
                lines += [f"+{line}" for line in new.split("\n")] if change.after else []
    return "\n".join([*lines, "*** End Patch"])
