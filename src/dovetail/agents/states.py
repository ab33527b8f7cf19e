"""Files as they were after each edit of a log, and edits taken back on the files as they are today.

What a tool wrote down (whole texts, hunks with their numbers) is used to the byte. Where a log has nothing of an edit,
the call itself is planned, forwards or reversed, as any reply is; there only exact places count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dovetail.agents.hunks import NumberedHunk, patched
from dovetail.agents.logs import FileEffect, LoggedEdit
from dovetail.match import merge
from dovetail.model.blocks import Block, Hints, Kind, Parsed, Reading
from dovetail.model.codes import Code, Occurrence, OnFailure, Tier
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.policy import Policy
from dovetail.model.text import apply_edits
from dovetail.session.apply.library import plan_for

Texts = Mapping[str, str | None]
"""Path to text; None for a file that is not there."""

Text = str | None | Diagnostic
"""A file's text, None where it is not there, or why nobody can tell."""

_EXACT = Policy(on_failure=OnFailure.BLOCK, occurrence=Occurrence.UNIQUE, tiers=(Tier.EXACT,))
_HINT = "Leave this edit out, or name the commit or folder with the files before the session: --base"
_FIRST = replace(_EXACT, occurrence=Occurrence.FIRST)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What taking edits back comes to.

    texts: the files that change, by path.
    problems: why an edit cannot be taken back; then nothing is to be written.
    """

    texts: Texts
    problems: tuple[Diagnostic, ...] = ()


def states_after(edits: Sequence[LoggedEdit], n: int, base: Texts | None, today: Texts) -> TakenBack:
    """The files of a session as they were after edit `n`, from 1; after 0, as they were before the first.

    base: every file as it was before the session; None where nobody has them.
    today: the files as they are now, for those of which neither the log nor `base` has a whole text.
    """
    done = [edit for edit in edits if edit.ok]
    texts: dict[str, str | None] = {}
    problems: list[Diagnostic] = []
    for path in dict.fromkeys(path for edit in done for path in _paths(edit)):
        text = _state(path, [edit for edit in done if path in _paths(edit)], n, base, today)
        if isinstance(text, Diagnostic):
            problems.append(text)
        else:
            texts[path] = text
    return TakenBack(texts, tuple(problems))


def take_back(edits: Sequence[LoggedEdit], chosen: Iterable[int], base: Texts | None, today: Texts) -> TakenBack:
    """Take edits back on the files as they are today, the last one first; all of them, or none.

    chosen: the numbers of the edits. An edit that the agent's tool refused changed nothing, and needs nothing.
    base: every file as it was before the session; None where nobody has them.
    today: the files that may change, None for those that are not there. Any other file is left alone.
    """
    wanted = frozenset(chosen)
    done = [edit for edit in edits if edit.ok]
    texts = dict(today)
    problems: list[Diagnostic] = []
    for edit in reversed([edit for edit in done if edit.n in wanted]):
        for path in filter(today.__contains__, _paths(edit)):
            text = _before(path, texts[path], edit)
            if isinstance(text, Diagnostic) and base is not None:
                before = _state(path, [one for one in done if path in _paths(one)], edit.n - 1, base, {})
                after = _after(path, before, edit) if not isinstance(before, Diagnostic) else before
                text = _without(path, texts[path], before, after, edit)
            if isinstance(text, Diagnostic):
                problems.append(text)
            else:
                texts[path] = text
    if problems:
        return TakenBack({}, tuple(problems))
    return TakenBack({path: text for path, text in texts.items() if text != today.get(path)})


def _state(path: str, edits: Sequence[LoggedEdit], n: int, base: Texts | None, today: Texts) -> Text:
    """One file after edit `n`, from the nearest whole text that the log has; else from `base`; else from today's."""
    past, rest = [edit for edit in edits if edit.n <= n], [edit for edit in edits if edit.n > n]
    for known in range(len(past) - 1, -1, -1):
        effect = _effect(past[known], path)
        if effect is not None and effect.has_after:
            return _forward(path, effect.after, past[known + 1 :])
        if effect is not None and effect.has_before:
            return _forward(path, effect.before, past[known:])
    if base is not None:
        return _forward(path, base.get(path), past)
    for known, edit in enumerate(rest):
        effect = _effect(edit, path)
        if effect is not None and effect.has_before:
            return _backward(path, effect.before, rest[:known])
    return _backward(path, today.get(path), rest)


def _paths(edit: LoggedEdit) -> tuple[str, ...]:
    moved = [effect.moved_to for effect in edit.effects if effect.moved_to]
    return tuple(dict.fromkeys([*edit.paths, *moved]))


def _effect(edit: LoggedEdit, path: str) -> FileEffect | None:
    """What the log has of an edit on a file; of a move, the old path is gone and the new one is there."""
    found = [effect for effect in edit.effects if path in (effect.path, effect.moved_to)]
    return found[-1] if found else None


def _forward(path: str, text: Text, edits: Sequence[LoggedEdit]) -> Text:
    for edit in edits:
        text = _after(path, text, edit)
    return text


def _backward(path: str, text: Text, edits: Sequence[LoggedEdit]) -> Text:
    for edit in reversed(edits):
        text = _before(path, text, edit)
    return text


def _after(path: str, text: Text, edit: LoggedEdit) -> Text:
    """A file after an edit: as the log has it, or as the call comes out."""
    if isinstance(text, Diagnostic):
        return text
    effect = _effect(edit, path)
    if effect is not None and effect.has_after:
        return effect.after
    after = patched(text, effect.hunks) if effect is not None and effect.hunks and text is not None else None
    if after is not None:
        return after
    return _planned(path, text, [block for block in edit.blocks if block.path == path], _FIRST, edit)


def _before(path: str, text: Text, edit: LoggedEdit) -> Text:
    """A file without an edit: by what the log has of it, or by the call reversed."""
    if isinstance(text, Diagnostic):
        return text
    effect = _effect(edit, path)
    if effect is not None and effect.has_before:
        return _without(path, text, effect.before, _after(path, effect.before, edit), edit)
    if effect is not None and effect.hunks and text is not None:
        reverse = tuple(hunk.reverse for hunk in effect.hunks)
        before = patched(text, reverse)
        if before is not None:
            return before
        return _planned(path, text, [_block(path, hunk) for hunk in reverse], _EXACT, edit)
    blocks = [_reversed(block) for block in reversed(edit.blocks) if block.path == path]
    known = [block for block in blocks if block is not None]
    return _planned(path, text, known, _EXACT, edit) if known and len(known) == len(blocks) else _unknown(path, edit)


def _without(path: str, text: Text, before: Text, after: Text, edit: LoggedEdit) -> Text:
    """A file with a whole change taken out of it; what was changed since is merged."""
    if isinstance(after, Diagnostic) or isinstance(before, Diagnostic) or text == after:
        return after if isinstance(after, Diagnostic) else before
    if text is None or before is None or after is None or isinstance(text, Diagnostic):
        return _not_there(path, edit)
    merged = merge(after, text, before)
    return _not_there(path, edit) if merged.clashes else apply_edits(text, merged.edits)


def _block(path: str, hunk: NumberedHunk) -> Block:
    return Block("udiff", Kind.EDIT, path, "".join(hunk.old), "".join(hunk.new), hints=Hints(line=hunk.old_at + 1))


def _reversed(block: Block) -> Block | None:
    """The edit that takes a block back; None if the log does not have what it replaced."""
    if block.kind is not Kind.EDIT or not block.replace.strip() or not block.search or block.replace_all:
        return None
    readings = (Reading(block.replace, block.search),)
    return replace(block, search=block.replace, replace=block.search, readings=readings, hints=Hints(), follows=False)


def _planned(path: str, text: str | None, blocks: Sequence[Block], policy: Policy, edit: LoggedEdit) -> Text:
    files = {path: text} if text is not None else {}
    plan = plan_for(Parsed(tuple(blocks)), files, policy)
    if plan.failed:
        return _not_there(path, edit)
    changes = {change.path: change.after for change in plan.changes}
    return changes.get(path, text)


def _not_there(path: str, edit: LoggedEdit) -> Diagnostic:
    message = f"Edit {edit.n} cannot be followed in `{path}`: its lines were changed by something else."
    return Diagnostic(
        Code.CONFLICT, message, path=path, hint="Leave this edit out, or give the files before the session."
    )


def _unknown(path: str, edit: LoggedEdit) -> Diagnostic:
    message = f"The log does not have what edit {edit.n} replaced in `{path}`."
    return Diagnostic(Code.FILE_MISSING, message, path=path, hint=_HINT)
