"""Changes for every face to draw in its own way: hunks of lines, of a file or of one edit; renames; patches.

Lines are compared as merges compare them. Words inside a changed line are compared by `difflib`, not as `match` does:
it prefers long runs, so that a mark reads as one change, and it loads in a fraction of the time, which every shown edit
would cost. The cost is bounded: too large texts are compared from both ends alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from dovetail.model.results import Effect, FileChange
from dovetail.model.text import Edit, IndexedText, Span, apply_edits
from dovetail.text import diff as linediff
from dovetail.text.line import shared, shared_end
from dovetail.text.pattern import pattern
from dovetail.workspace.operation import FileRecord, renames_of

CONTEXT_LINES = 3
_PAIRED = 0.5  # two lines less alike than this are a removal and an addition, not one changed line
_MAX_PAIRS = 400  # pairs of lines compared in one hunk; above, lines pair off in order
_LONGEST = 2_000  # characters of a line that is compared word by word
_MAX_EQUAL = 400_000  # pairs of equal words in one hunk; rows of noughts and ones have more
_MAX_IN_A_PAIR = 100_000  # the same in two lines; above, they are compared from both ends alone
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts without blanks between words: a whole line would be one word, so each of their characters is one."""
_MARK = r"[\u0300-\u036f\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"  # accents, variants, colours of skin
# A flag is two letters of its own; a sign takes the marks behind it along, as a thumb its colour of skin.
_SIGN = rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[^\w\s]|[{_UNSPACED}]){_MARK}*"  # the first are flags
# `foo_1 + bar` is foo_1, blank, +, blank, bar. U+200D joins signs to one: a family is one sign of several people.
_WORDS = pattern(rf"(?:[^\W{_UNSPACED}]|{_MARK})+|\s+|{_SIGN}(?:\u200d{_SIGN})*")


class DiffLine(NamedTuple):
    """One line of a hunk: `sign` is ``" "``, ``"-"`` or ``"+"``.

    end: the line end as the file has it, ``""`` for a last line without one. marks: the spans of `text` that changed,
    if the line is one side of a changed pair.
    """

    sign: str
    text: str
    end: str
    marks: tuple[Span, ...] = ()


class DiffHunk(NamedTuple):
    """Changed lines with their context. Starts count from 1; for a count of 0 it is the line before, as in a patch."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[DiffLine, ...]

    @property
    def header(self) -> str:
        """The ``@@`` line of a patch."""
        return f"@@ -{_range(self.old_start, self.old_count)} +{_range(self.new_start, self.new_count)} @@"


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def diff(before: str, after: str, context: int = CONTEXT_LINES) -> tuple[DiffHunk, ...]:
    """Return the hunks between two texts, in order; none if they are equal. A changed line end is a changed line."""
    above, old, new = _where_they_differ(before, after, context)
    return tuple(_hunk(old, new, group, context, above) for group in _groups(_changed_lines(old, new), context))


def _changed_lines(old: IndexedText, new: IndexedText) -> list[linediff.Hunk]:
    return linediff.diff(
        *([text.raw[text.starts[n] : text.starts[n + 1]] for n in range(len(text))] for text in (old, new))
    )


def count_lines(change: FileChange) -> tuple[int, int]:
    """Return the numbers of lines added and removed, like `counts` of the hunks, without comparing words."""
    _, old, new = _where_they_differ(change.before or "", change.after or "", 0)
    changes = _changed_lines(old, new)
    return sum(hunk.b2 - hunk.b1 for hunk in changes), sum(hunk.a2 - hunk.a1 for hunk in changes)


def _where_they_differ(before: str, after: str, context: int) -> tuple[int, IndexedText, IndexedText]:
    """Return how many lines are above, and the part of each text from the first differing line to the last.

    context: lines that are added at either end. Only these parts are split into lines, as that takes many times the
    memory of a text.
    """
    head = shared(before, after)
    tail = shared_end(before, after, min(len(before), len(after)) - head)
    start, end = before.rfind("\n", 0, head) + 1, before.find("\n", len(before) - tail) + 1 or len(before)
    for _ in range(context):
        start = before.rfind("\n", 0, max(0, start - 1)) + 1 if start else 0
        end = before.find("\n", end) + 1 or len(before)
    # Above `start` and behind `end` both texts are the same, so one count of lines serves both.
    old, new = before[start:end], after[start : len(after) - (len(before) - end)]
    if any("\r" in text and "\n" not in text for text in (old, new)):  # in a text without LF each CR ends a line
        start, old, new = 0, before, after
    return before.count("\n", 0, start), IndexedText(old), IndexedText(new)


def diff_of(change: FileChange, context: int = CONTEXT_LINES) -> tuple[DiffHunk, ...]:
    """Return the hunks of a file's change; one that is not there counts as empty."""
    return diff(change.before or "", change.after or "", context)


def counts(hunks: Sequence[DiffHunk]) -> tuple[int, int]:
    """Return the numbers of lines added and removed."""
    signs = [line.sign for hunk in hunks for line in hunk.lines]
    return signs.count("+"), signs.count("-")


def _groups(changes: Sequence[linediff.Hunk], context: int) -> Iterator[list[linediff.Hunk]]:
    """Put changes whose context lines touch into one hunk."""
    group: list[linediff.Hunk] = []
    for change in changes:
        if group and change.a1 - group[-1].a2 > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: IndexedText, new: IndexedText, group: Sequence[linediff.Hunk], context: int, above: int) -> DiffHunk:
    first, last = group[0], group[-1]
    before, behind = min(context, first.a1), min(context, len(old) - last.a2)
    lines: list[DiffLine] = []
    at = first.a1 - before
    for change in group:
        lines.extend(_line(old, n, " ") for n in range(at, change.a1))
        lines.extend(_changed(old, new, change))
        at = change.a2
    lines.extend(_line(old, n, " ") for n in range(at, last.a2 + behind))
    old_start, new_start = first.a1 - before, first.b1 - before
    old_count, new_count = last.a2 + behind - old_start, last.b2 + behind - new_start
    # Starts are turned to count from 1; a side without lines keeps the number of the line before it.
    old_start, new_start = above + old_start + bool(old_count), above + new_start + bool(new_count)
    return DiffHunk(old_start, old_count, new_start, new_count, tuple(lines))


def _line(text: IndexedText, index: int, sign: str) -> DiffLine:
    return DiffLine(sign, text.lines[index], text.end_of(index))


def _changed(old: IndexedText, new: IndexedText, change: linediff.Hunk) -> list[DiffLine]:
    """Removed lines, then added ones; the changed characters of pairs are marked."""
    removed = [_line(old, n, "-") for n in range(change.a1, change.a2)]
    added = [_line(new, n, "+") for n in range(change.b1, change.b2)]
    pairs = _pairs([line.text for line in removed], [line.text for line in added])
    for i, k in pairs:
        gone, come = changed_characters(removed[i].text, added[k].text, _share(len(pairs)))
        removed[i] = removed[i]._replace(marks=gone)
        added[k] = added[k]._replace(marks=come)
    return removed + added


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of lines that are one line, changed; increasing on both sides, most alike in sum."""
    if len(old) * len(new) > _MAX_PAIRS or _equal(_words(old), _words(new)) > _MAX_EQUAL:
        least = min(len(old), len(new))
        return [(n, n) for n in range(least) if _likeness(old[n], new[n], _share(least)) >= _PAIRED]
    likeness = [[_likeness(was, now) for now in new] for was in old]
    return list(linediff.pairing([[one if one >= _PAIRED else 0.0 for one in row] for row in likeness]))


def _share(pairs: int) -> int:
    """Return the most pairs of equal words to compare in each of `pairs` pairs of lines, to bound a hunk's cost."""
    return min(_MAX_IN_A_PAIR, _MAX_EQUAL // max(pairs, 1))


def _words(lines: Iterable[str]) -> Iterator[str]:
    return (word for line in lines if len(line) <= _LONGEST for word in _words_of(line))


def _words_of(line: str) -> list[str]:
    """Return the words and single characters of a line; combining characters stay with the one before them."""
    return _WORDS.findall(line)


def _equal(was: Iterable[str], now: Iterable[str]) -> int:
    """Return the number of pairs of equal words, one from each side: what comparing them costs."""
    old, new = Counter(was), Counter(now)
    return sum(count * new[word] for word, count in old.items())


def _likeness(was: str, now: str, most: int = _MAX_IN_A_PAIR) -> float:
    if len(was) > _LONGEST or len(now) > _LONGEST:
        head, tail = _common_ends(was, now)
        return 2 * (head + tail) / (len(was) + len(now))
    old, new = _words_of(was), _words_of(now)
    differing = sum(i2 - i1 + k2 - k1 for i1, i2, k1, k2 in _differing(old, new, most))
    return 1 - differing / max(len(old) + len(new), 1)


def _differing(old: Sequence[str], new: Sequence[str], most: int) -> list[tuple[int, int, int, int]]:
    """Return the differing ranges of words, as (first, end) in both. Common ends are cut off if all is too much."""
    head, tail = (0, 0) if _equal(old, new) <= most else _common_ends(old, new)
    was, now = old[head : len(old) - tail], new[head : len(new) - tail]
    if _equal(was, now) > most:
        return [(head, head + len(was), head, head + len(now))]
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    return [(i1 + head, i2 + head, k1 + head, k2 + head) for tag, i1, i2, k1, k2 in steps if tag != "equal"]


def changed_characters(was: str, now: str, most: int = _MAX_IN_A_PAIR) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the spans of two versions of one line that differ, by words and single signs, neighbours joined."""
    if len(was) > _LONGEST or len(now) > _LONGEST:
        head, tail = _common_ends(was, now)
        return _joined([Span(head, len(was) - tail)]), _joined([Span(head, len(now) - tail)])
    old, new = _words_of(was), _words_of(now)
    old_at, new_at = ([0, *accumulate(map(len, words))] for words in (old, new))
    gone: list[Span] = []
    come: list[Span] = []
    for i1, i2, k1, k2 in _differing(old, new, most):
        gone.append(Span(old_at[i1], old_at[i2]))
        come.append(Span(new_at[k1], new_at[k2]))
    return _joined(gone), _joined(come)


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Join spans that touch, and leave out empty ones."""
    joined: list[Span] = []
    for span in spans:
        if not len(span):
            continue
        if joined and joined[-1].end == span.start:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)


def _common_ends(was: Sequence[str], now: Sequence[str]) -> tuple[int, int]:
    """Return how many characters or words two lines share at the start, and how many of the rest at the end."""
    least = min(len(was), len(now))
    head = next((n for n in range(least) if was[n] != now[n]), least)
    tail = next((n for n in range(least - head) if was[-1 - n] != now[-1 - n]), least - head)
    return head, tail


class EditWindow(NamedTuple):
    """The lines around an edit, without it and with it. `first` lines of the new file are above them.

    shifts: pairs of a line of `before`, from 0, and by how many lines further down the old file has it from there on.
    """

    before: str
    after: str
    first: int
    shifts: tuple[tuple[int, int], ...]


def edit_window(effect: Effect) -> EditWindow | None:
    """Return the lines to draw for one edit: its changes, and lines around them that it quotes; None for no change.

    The window's `before` is the file as the other edits of the plan leave it. Only the lines of the window are read, so
    that many edits of a long file stay cheap.
    """
    spans: list[tuple[Span, Span]] = []  # (old, new) of each change; overlapping ones are joined
    for was, now in sorted(dict.fromkeys(effect.spans), key=lambda pair: (pair[1], pair[0])):
        if spans and (now.start < spans[-1][1].end or was.start < spans[-1][0].end):
            old, new = spans.pop()
            was = Span(min(old.start, was.start), max(old.end, was.end))
            now = Span(new.start, max(new.end, now.end))
        spans.append((was, now))
    if not spans:
        return None
    text = effect.after
    first, end = _lines_of(text, Span(spans[0][1].start, spans[-1][1].end))
    quoted, behind = _lines_of(text, effect.region)
    first = min(first, max(quoted, first - CONTEXT_LINES))
    end = max(end, min(behind, end + CONTEXT_LINES))
    lines = text.span(first, end)
    after = text.raw[lines.start : lines.end]
    # Only this edit's changes are taken back in the window, so `before` keeps the other edits of the plan.
    back = [
        Edit(Span(now.start - lines.start, now.end - lines.start), effect.before.raw[was.start : was.end])
        for was, now in spans
    ]
    before = IndexedText(apply_edits(after, back))
    shifts: list[tuple[int, int]] = []
    grown = 0
    for (was, _), edit in zip(spans, back, strict=True):
        at = edit.span.start + grown
        line, _ = _lines_of(before, Span(at, at))
        shifts.append((line, _lines_of(effect.before, Span(was.start, was.start))[0] - line))
        grown += len(edit.text) - len(edit.span)
    return EditWindow(before.raw, after, first, tuple(shifts))


def hunks_of_edit(window: EditWindow) -> tuple[DiffHunk, ...]:
    """Return the hunks of one edit, with the line numbers of the file before and after."""
    hunks = []
    for hunk in diff(window.before, window.after):
        last = hunk.old_start + hunk.old_count
        # Each change above moves the lines below it, so the last shift before the hunk's end counts.
        known = [shift for line, shift in window.shifts if line < last] or [window.shifts[0][1]]
        hunks.append(hunk._replace(old_start=hunk.old_start + known[-1], new_start=hunk.new_start + window.first))
    return tuple(hunks)


def _lines_of(text: IndexedText, span: Span) -> tuple[int, int]:
    """Return the first line that a span touches, from 0, and the line after its last; equal if it is between lines."""
    first = len(text) if span.start == len(text.raw) and text.raw[-1:] in ("", "\n", "\r") else text.line_at(span.start)
    if span.end > span.start:
        return first, text.line_at(span.end - 1) + 1
    return first, first + (first < len(text) and span.start > text.start_of(first))


def renamed_paths(files: Sequence[FileRecord]) -> tuple[str, ...]:
    """Return the paths that an operation wrote, as texts for people; a rename is one: ``new (was old)``.

    A file whose permission bits alone changed shows them: ``run.sh (mode 755)``.
    """
    renames = renames_of(files)
    left = frozenset(renames.values())
    named = {path: f"{path} (was {source})" for path, source in renames.items()}
    for file in files:
        before, after = file.modes
        if file.digests[0] == file.digests[1] and before is not None and after is not None and before != after:
            named[file.path] = f"{file.path} (mode {after:o})"
    return tuple(named.get(file.path, file.path) for file in files if file.path not in left)


def with_renames_joined(changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """Return the changes in their order, those of a rename joined under the new name."""
    gone = {change.path: change.before for change in changes if change.after is None}
    left = {change.source for change in changes if change.before is None and change.after is not None} & gone.keys()
    return tuple(
        replace(change, before=gone[change.source]) if change.source is not None and change.source in left else change
        for change in changes
        if change.path not in left
    )


_BOM = "\ufeff"
# Control characters and quotes end a name; what looks like a date or a time after a blank is no part of one.
# `a"b`, and `notes 2024-01-02`; not `my file.py`
_TO_QUOTE = pattern(r'[\x00-\x1f\x7f"]| .*[-:].*\d$')
_ESCAPED = pattern(r'[\x00-\x1f\x7f"\\]')


def patch(change: FileChange, context: int = CONTEXT_LINES) -> str:
    r"""Return the change of one path as a patch that `git apply` accepts; "" if nothing changes.

    The patch describes the file as it is on disk, with its byte-order mark, and in git's lines, which end with ``\n``
    alone. For a UTF-16 file it has the text, as git has no line patches of such bytes. For a renamed file it has the
    creation alone; the old path has a change of its own. Source: git-diff(1), "Generating patch text with -p".
    """
    was, will_be = change.marks
    before, after = _with_mark(change.before, marked=was), _with_mark(change.after, marked=will_be)
    old = "/dev/null" if before is None else _patch_name("a/", change.path)
    new = "/dev/null" if after is None else _patch_name("b/", change.path)
    was_text, now_text = before or "", after or ""
    if was_text != now_text and any("\r" in text and "\n" not in text for text in (was_text, now_text)):
        gone, come = _git_lines("-", was_text), _git_lines("+", now_text)  # for git a CR alone ends no line
        hunks: tuple[DiffHunk, ...] = (
            DiffHunk(int(bool(gone)), len(gone), int(bool(come)), len(come), (*gone, *come)),
        )
    else:
        hunks = diff(was_text, now_text, context)
    if hunks:
        lines = (hunk.header + "\n" + "".join(map(_patch_line, hunk.lines)) for hunk in hunks)
        return "".join((f"--- {old}\n+++ {new}\n", *lines))
    if (before is None) == (after is None):
        return ""
    what = "new" if before is None else "deleted"
    # The blank line ends the head: git would take the head of a further patch for more of this one.
    return f"diff --git {_patch_name('a/', change.path)} {_patch_name('b/', change.path)}\n{what} file mode 100644\n\n"


def _with_mark(text: str | None, *, marked: bool) -> str | None:
    """Return a text with a byte-order mark if it is `marked`, else without one; None for no file."""
    if text is None:
        return None
    return _BOM + text if marked else text.removeprefix(_BOM)


def _git_lines(sign: str, text: str) -> tuple[DiffLine, ...]:
    *whole, rest = text.split("\n")
    lines = tuple(DiffLine(sign, line, "\n") for line in whole)
    return (*lines, DiffLine(sign, rest, "")) if rest else lines


def _patch_line(line: DiffLine) -> str:
    if line.end:
        return f"{line.sign}{line.text}{line.end}"
    return f"{line.sign}{line.text}\n\\ No newline at end of file\n"


def _patch_name(prefix: str, path: str) -> str:
    """Return a path as patches name it, in git's quotes if it needs them."""
    name = prefix + path
    if _TO_QUOTE.search(name) is None:
        return name
    escaped = _ESCAPED.sub(lambda sign: "\\" + sign[0] if sign[0] in '"\\' else f"\\{ord(sign[0]):03o}", name)
    return f'"{escaped}"'
