"""Files as they were after each edit of a log, and edits taken back on the files as they are today.

Texts and numbered hunks that a tool recorded are used exactly. For an edit without them the call itself is planned,
forwards or reversed, like any reply, but only exact matches count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dovetail.agents.hunks import NumberedHunk, patched
from dovetail.agents.session_log import FileEffect, LoggedEdit, RowKind
from dovetail.match import merge
from dovetail.model.blocks import Block, Hints, Kind, Parsed, Reading
from dovetail.model.codes import Code, Occurrence, OnFailure, Tier
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.policy import Policy
from dovetail.model.text import apply_edits
from dovetail.session.apply.library import plan_for
from dovetail.text.languages import layout_is_grammar

Texts = Mapping[str, str | None]
"""Path to text; None for no file."""

Text = str | None | Diagnostic
"""A file's text, None for no file, or why it is not known."""

_EXACT = Policy(on_failure=OnFailure.BLOCK, occurrence=Occurrence.UNIQUE, tiers=(Tier.EXACT,))
NEEDS_BASE = "Name the commit or folder with the files before the session: --base"
_FIRST = replace(_EXACT, occurrence=Occurrence.FIRST)


@dataclass(frozen=True, slots=True)
class States:
    """The files of a session as they were after one of its rows.

    texts: the known ones, by path. problems: why others are not known.
    doubtful: path of a known file → a row without effects in the log that may have changed it.
    """

    texts: Texts
    problems: tuple[Diagnostic, ...] = ()
    doubtful: Mapping[str, LoggedEdit] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The result of taking edits back.

    texts: the files that change, by path.
    problems: why an edit cannot be taken back; then nothing must be written.
    lost: files whose changes since the edits are lost, too.
    """

    texts: Texts
    problems: tuple[Diagnostic, ...] = ()
    lost: tuple[str, ...] = ()


class Timeline:
    """The files of a session after each of its rows.

    Two walks through the rows: forwards from the files before the session, and backwards from today's. A text that the
    log has at a row overrides the result of either walk. If the log writes ``\\n`` for a file with other line ends,
    those of today's file are used, or else of the one before the session.
    """

    def __init__(self, edits: Sequence[LoggedEdit], base: Texts | None, today: Texts | None) -> None:
        """base: every file as it was before the session. today: the files as they are now. None if not known."""
        self._edits = [_styled(edit, base or {}, today or {}) for edit in edits]
        paths = dict.fromkeys(path for edit in self._edits if edit.done for path in edit.paths)
        self.paths = tuple(paths)
        self._has_base = base is not None
        self._forwards = self._walk_forwards(paths, base)
        self._backwards = self._walk_backwards(paths, today)

    def at(self, n: int) -> States:
        """Return the files after row `n`, from 1; for 0 as they were before the first."""
        texts: dict[str, str | None] = {}
        problems, doubtful = [], {}
        for path in self.paths:
            known = self._known(path, n)
            if isinstance(known.text, Diagnostic):
                problems.append(known.text)
            else:
                texts[path] = known.text
                if known.doubt is not None:
                    doubtful[path] = known.doubt
        return States(texts, tuple(problems), doubtful)

    def _known(self, path: str, n: int) -> _Known:
        """Return what is known of a file after row `n`: from the forward walk, unless that passed a doubtful row."""
        one, other = self._forwards[n][path], self._backwards[n][path]
        # In this order: the only text there is; the forward walk if it is certain; the text if both walks agree; the
        # forward walk if both are in doubt; else the backward walk, also in doubt if its text is only today's.
        if isinstance(one.text, Diagnostic):
            return one if self._has_base and isinstance(other.text, Diagnostic) else other
        if one.doubt is None or isinstance(other.text, Diagnostic):
            return one
        if one.text == other.text:
            return _Known(one.text)
        if other.doubt is not None:
            return one
        return other if not other.from_today else _Known(other.text, one.doubt)  # somebody may have changed it since

    def _walk_forwards(self, paths: Iterable[str], base: Texts | None) -> list[dict[str, _Known]]:
        now = {path: _Known(unknown_before(path) if base is None else base.get(path)) for path in paths}
        walked = [now]
        for edit in self._edits:
            now = dict(now)
            if edit.done and not edit.is_told:
                # A command without effects in the log may have changed any file: each is in doubt until a row has its
                # text.
                now = {path: _Known(known.text, known.doubt or edit) for path, known in now.items()}
            for path in edit.paths if edit.done else ():
                # The file before the row is the file after the row before, so a text of the log is entered there, too.
                for effect in [effect for effect in edit.effects if path in effect.paths][:1]:
                    if effect.has_before and path == effect.path:
                        walked[-1][path] = now[path] = _Known(_agreed(effect.before, now[path].text))
            for path, text in after_row(edit, {path: known.text for path, known in now.items()}).items():
                now[path] = _Known(text, _doubt(edit, path, now[path].doubt, told=_tells(edit, path)))
            walked.append(now)
        return walked

    def _walk_backwards(self, paths: Iterable[str], today: Texts | None) -> list[dict[str, _Known]]:
        texts = {path: unknown_before(path) if today is None else today.get(path) for path in paths}
        now = {path: _Known(text, from_today=True) for path, text in texts.items()}
        walked = [now]
        for edit in reversed(self._edits):
            now = dict(now)
            if edit.done and not edit.is_told:  # a file that a later edit makes was most likely missing before, too
                doubt = {path: None if known.text is None else known.doubt or edit for path, known in now.items()}
                now = {path: known._replace(doubt=doubt[path]) for path, known in now.items()}
            for path in edit.paths if edit.done else ():
                # Backwards the last effect on a path is met first, and a moved file is met under its new name.
                for effect in [effect for effect in edit.effects if path in effect.paths][-1:]:
                    if effect.has_after and path == (effect.moved_to or effect.path):
                        walked[-1][path] = now[path] = _Known(_agreed(effect.after, now[path].text))
            for path, text in _before(edit, {path: known.text for path, known in now.items()}).items():
                told = _tells(edit, path, before=True)
                doubt_then = _doubt(edit, path, now[path].doubt, told=told)
                now[path] = _Known(text, doubt_then, from_today=now[path].from_today and not told)
            walked.append(now)
        return walked[::-1]


class _Known(NamedTuple):
    """What a walk knows of a file: its text, the last row without effects in the log that it passed (None for none),
    and whether the text is only known from today's file."""

    text: Text
    doubt: LoggedEdit | None = None
    from_today: bool = False


def _agreed(told: str | None, walked: Text) -> str | None:
    """Return the log's text; the walk's if it differs only in line ends."""
    if isinstance(walked, str) and told is not None and walked.replace("\r\n", "\n") == told.replace("\r\n", "\n"):
        return walked
    return told


def _doubt(edit: LoggedEdit, path: str, earlier: LoggedEdit | None, *, told: bool) -> LoggedEdit | None:
    """Return the row that leaves a file in doubt after a walk has passed `edit`; None if there is none.

    told: the log has the file's text at that row, which ends any doubt.
    """
    if told:
        return None
    return edit if edit.kind is RowKind.GAP and path in edit.paths else earlier


def _tells(edit: LoggedEdit, path: str, *, before: bool = False) -> bool:
    """Return whether the log has a file's whole text after a row; with `before`, the text before it."""
    effects = [effect for effect in edit.effects if path in effect.paths]
    return any(effect.has_before if before else effect.has_after for effect in effects)


def take_back(
    edits: Sequence[LoggedEdit], chosen: Iterable[int], base: Texts | None, today: Texts, *, force: int | None = None
) -> TakenBack:
    """Take edits back on the files as they are today, the last one first; all of them, or none.

    chosen: the numbers of the rows. Refused edits are skipped, as they changed nothing.
    base: every file as it was before the session; None if not known.
    today: the files that may change, None for no file. Any other file is left alone.
    force: number of a row; a file whose edits cannot be taken back becomes what it was after it, and loses later
    changes.
    """
    timeline = Timeline(edits, base, today)
    wanted = frozenset(chosen)
    texts: dict[str, Text] = dict(today)
    problems: dict[str, Diagnostic] = {}
    for edit in reversed(edits):
        if edit.n not in wanted or not edit.done:
            continue
        was, left = timeline.at(edit.n - 1).texts, timeline.at(edit.n).texts
        # Both paths of a move go back together or not at all; other files of the row go alone.
        for paths in _moves(edit):
            if not all(path in texts and path not in problems for path in paths):
                continue
            now = {path: texts[path] for path in paths}
            for path, text in _without(edit, paths, now, was, left).items():
                if isinstance(text, Diagnostic):
                    problems |= dict.fromkeys(paths, text)
                else:
                    texts[path] = text
    lost: list[str] = []
    if force is not None and problems:
        states = timeline.at(force)
        lost = [path for path in problems if path in states.texts]
        texts |= {path: states.texts[path] for path in lost}
        problems = {path: problem for path, problem in problems.items() if path not in states.texts}
    if problems:
        return TakenBack({}, tuple(dict.fromkeys(problems.values())))
    changed = {path: text for path, text in texts.items() if text != today.get(path)}
    return TakenBack(
        {path: text for path, text in changed.items() if not isinstance(text, Diagnostic)}, (), tuple(lost)
    )


def _moves(edit: LoggedEdit) -> list[tuple[str, ...]]:
    """Return the paths of a row's files: each alone, or with the path that it was moved to."""
    moved = {effect.path: effect.moved_to for effect in edit.effects if effect.moved_to is not None}
    alone = [path for path in edit.paths if path not in moved and path not in moved.values()]
    return [*((path, target) for path, target in moved.items()), *((path,) for path in alone)]


def _without(
    edit: LoggedEdit, paths: tuple[str, ...], now: Mapping[str, Text], was: Texts, left: Texts
) -> Mapping[str, Text]:
    """Return files without an edit, with later changes merged. was, left: the files before and after the edit."""
    path, target = paths[0], paths[-1]
    text = now[target]
    if isinstance(text, Diagnostic):
        return {path: text}
    # Without both whole texts there is nothing to merge: the hunks or the call itself are reversed.
    if not all(name in was and name in left for name in paths):
        return {name: found for name, found in _before(edit, now).items() if name in paths}
    before, after = was[path], left[target]
    if text == after:
        result: Text = before
    elif text is None or before is None or after is None:
        result = _not_there(path, edit)
    else:
        merged = merge(after, text, before, layout=layout_is_grammar(path), line_ends=True)
        result = _not_there(path, edit) if merged.clashes else apply_edits(text, merged.edits)
    return {path: result} if target == path or isinstance(result, Diagnostic) else {path: result, target: was[target]}


def after_row(edit: LoggedEdit, texts: Mapping[str, Text]) -> dict[str, Text]:
    """Return the files of `texts` that an edit changes, after it: as the log has them, or by planning the call."""
    out: dict[str, Text] = {}
    told: set[str] = set()
    for effect in edit.effects if edit.done else ():
        told.update(effect.paths)
        if not texts.keys() >= set(effect.paths):
            continue
        text = out.get(effect.path, texts[effect.path])
        if effect.has_before:
            text = _agreed(effect.before, text)
        if effect.has_after:
            text = _agreed(
                effect.after, patched(text, effect.hunks) if isinstance(text, str) and effect.hunks else None
            )
        elif edit.kind is not RowKind.GAP and not isinstance(text, Diagnostic):
            text = _changed(effect, text, edit)
        if effect.moved_to is not None:
            out[effect.path] = None
        out[effect.moved_to or effect.path] = text
    for path in edit.paths if edit.done else ():
        if path in texts and path not in told:
            text = texts[path]
            out[path] = text if isinstance(text, Diagnostic) else _called(path, text, edit)
    return out


def _changed(effect: FileEffect, text: str | None, edit: LoggedEdit) -> Text:
    """Return a text after an effect: by its hunks, or else by planning the call."""
    if effect.hunks and text is not None and (after := patched(text, effect.hunks)) is not None:
        return after
    if effect.moved_to is not None:
        return text if text is not None and not effect.hunks else _not_there(effect.path, edit)
    return _called(effect.path, text, edit)


def _called(path: str, text: str | None, edit: LoggedEdit) -> Text:
    return _planned(path, text, [block for block in edit.blocks if block.path == path], _FIRST, edit)


def _before(edit: LoggedEdit, texts: Mapping[str, Text]) -> dict[str, Text]:
    """Return the files that an edit changed, as they were before it. texts: the files after it.

    A text is the log's, or the result of reversing the log's hunks or the call.
    """
    out: dict[str, Text] = {}
    told: set[str] = set()
    for effect in reversed(edit.effects) if edit.done else ():
        told.update(effect.paths)
        if not texts.keys() >= set(effect.paths):
            continue
        target = effect.moved_to or effect.path
        text = out.get(target, texts[target])
        if effect.has_after:
            text = _agreed(effect.after, text)
        if effect.has_before:
            reverse = tuple(hunk.reverse for hunk in effect.hunks)
            text = _agreed(effect.before, patched(text, reverse) if isinstance(text, str) and reverse else None)
        elif edit.kind is not RowKind.GAP and not isinstance(text, Diagnostic):
            text = _reverted(effect, text, edit)
        if effect.moved_to is not None:
            out[target] = None
        out[effect.path] = text
    for path in edit.paths if edit.done else ():
        if path in texts and path not in told:
            text = texts[path]
            out[path] = text if isinstance(text, Diagnostic) else _uncalled(path, text, edit)
    return out


def _reverted(effect: FileEffect, text: str | None, edit: LoggedEdit) -> Text:
    """Return a text before an effect: by its hunks reversed, or else by the call reversed."""
    if effect.hunks and text is not None:
        reverse = tuple(hunk.reverse for hunk in effect.hunks)
        before = patched(text, reverse)
        if before is not None:
            return before
        # Lines above were added or removed since, so the hunk's lines are searched; its number is a hint, and the match
        # must be unique.
        elsewhere = _planned(effect.path, text, [_block(effect.path, hunk) for hunk in reverse], _EXACT, edit)
        if not isinstance(elsewhere, Diagnostic):
            return elsewhere
    if effect.moved_to is not None:
        return text if text is not None and not effect.hunks else _not_there(effect.path, edit)
    return _uncalled(effect.path, text, edit)


def _uncalled(path: str, text: str | None, edit: LoggedEdit) -> Text:
    blocks = [_reversed(block) for block in reversed(edit.blocks) if block.path == path]
    known = [block for block in blocks if block is not None]
    return _planned(path, text, known, _EXACT, edit) if known and len(known) == len(blocks) else _unknown(path, edit)


def _styled(edit: LoggedEdit, base: Texts, today: Texts) -> LoggedEdit:
    """Return a row whose texts have the line ends of their file, if the log writes ``\\n`` for them."""

    def ended(path: str, text: str | None) -> str | None:
        like = today.get(path) or base.get(path) or ""
        if text is None or "\r" in text or "\r\n" not in like or like.count("\n") != like.count("\r\n"):
            return text
        return text.replace("\n", "\r\n")

    if not any(effect.has_before or effect.has_after for effect in edit.effects):
        return edit
    effects = tuple(
        replace(e, before=ended(e.path, e.before), after=ended(e.moved_to or e.path, e.after)) for e in edit.effects
    )
    return replace(edit, effects=effects)


def _block(path: str, hunk: NumberedHunk) -> Block:
    return Block("udiff", Kind.EDIT, path, "".join(hunk.old), "".join(hunk.new), hints=Hints(line=hunk.old_at + 1))


def _reversed(block: Block) -> Block | None:
    """Return the edit that takes a block back; None if that cannot be known from the block."""
    # A deletion leaves no text to find, an insertion has none to bring back, and after `replace_all` some matches may
    # have been there before.
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
    return Diagnostic(Code.CONFLICT, message, path=path, hint=NEEDS_BASE)


def _unknown(path: str, edit: LoggedEdit) -> Diagnostic:
    message = f"The log does not have what edit {edit.n} replaced in `{path}`."
    return Diagnostic(Code.FILE_MISSING, message, path=path, hint=NEEDS_BASE)


def unknown_before(path: str) -> Diagnostic:
    """Return the finding that a file's text before the session is not known."""
    message = f"The log does not have `{path}` as it was before the session."
    return Diagnostic(Code.FILE_MISSING, message, path=path, hint=NEEDS_BASE)
