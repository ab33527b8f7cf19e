"""Guard: a whole text that drops the end of its file, or most of it.

A listing that breaks off, or shows the file's frame with only the new part in it, ends where the file goes on. So its
last change is a deletion down to the file's end, or to the lines that close the frame.
It stops 3 real listings over a file, all rightly. Of the real calls that write a file, whose text is the whole file by
contract, it would stop 7, all wrongly; so for calls it only checks whether next to nothing is left and part of that is
the file's, which stops none. Of the reported cases it stops 24, rightly. A listing of only one new definition must not
delete the file's others, however small the file is; that stops none.
"""

from __future__ import annotations

import re

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.match.parts import names_in
from dovetail.model.text import split_lines
from dovetail.text.comments import is_remark
from dovetail.text.languages import language_of
from dovetail.text.line import closes, has_words, worded_lines
from dovetail.text.notebook import NOTEBOOK
from dovetail.text.pattern import pattern

_FILE_FROM = 10  # lines that a file must have
_LOST_FROM = 5  # the least number of lines lost at its end
_LOST_SHARE = 0.2  # the share of the file's lines that must be lost, if its end is cut off
_FRAME_SHARE = 0.7  # the same, if the lines that close the file are kept
_CALL_FROM = 25  # lines that a file written by a call must have: a short one soon becomes another text
_CALL_SHARE = 0.2  # a call must leave less than this share of the file's lines
_COME = 2  # the most new lines in the place of the lost ones
_NAMED = 5  # names of lost definitions that are checked or listed
_IMPORTING = ("python", "javascript", "typescript", "tsx")
_FUNCTION = pattern(r"\s*(?:export\s+)?(?:async\s+)?(?:def|function)\s+(\w+)")


def lost_text(impact: Impact) -> Finding | None:
    """Find a whole text that ends where its file goes on."""
    before, after = impact.before or "", impact.after
    if impact.path.endswith(NOTEBOOK) and before.lstrip()[:1] == "{" != after.lstrip()[:1]:
        return Finding(
            f"The new text of `{impact.path}` is no notebook.", "Send the notebook's JSON, or an edit of a cell."
        )
    if not before.strip() or not impact.regions:
        return None
    # Only the last change counts: text that is lost further up is followed by lines that the model wrote, so it knew
    # that place and deleted on purpose.
    hint = "Send the whole text, or the changed lines as edits."
    last = impact.regions[-1]
    lost, come = sum(map(has_words, last.removed)), sum(map(has_words, last.added))
    size = len(worded_lines(before))
    if impact.listing and (name := _only_definition(impact)) is not None:
        reason = f"The new text is the definition `{name}` alone, and would delete all others of `{impact.path}`."
        return Finding(reason, "Send the whole text, or an edit that quotes the line above the new definition.")
    if size < _FILE_FROM or lost < _LOST_FROM:
        return None
    # `rest` is what the file keeps after the last change. An end is lost in two ways. Cut off: nothing is kept, and
    # next to nothing was added for the lost lines. Frame: the kept lines only close something (`}`, `</html>`), so the
    # text shows the file's frame around its new part.
    rest = [line for line in split_lines(after[last.end :]) if line.strip()]
    cut_off = impact.listing and not rest and come <= _COME and lost > _LOST_SHARE * size
    # A call's text is the whole file by contract and may be much shorter, so more must be lost, less added, and some of
    # the file left: a file that is emptied, or becomes another text, is meant so.
    few = impact.listing or (size >= _CALL_FROM and come < len(worded_lines(after)) < _CALL_SHARE * size)
    small = come == 0 or (not impact.listing and come <= _COME)
    frame = few and small and lost > _FRAME_SHARE * size and all(closes(line) or not has_words(line) for line in rest)
    if not (cut_off or frame):
        return None
    return Finding(f"The new text ends where `{impact.path}` goes on, and would delete {lost} lines at its end.", hint)


def broken_off(impact: Impact) -> Finding | None:
    """Find a whole text that is the beginning of its file, and stops where it does not parse.

    That happens if a reply reaches the model's limit in the middle of a file. A file that is meant to end earlier ends
    where it parses.
    """
    before, start = (impact.before or "").rstrip(), impact.after.rstrip()
    if not start or start == before or not before.startswith(start):
        return None
    number = len(split_lines(start))
    return Finding(
        f"The new text of `{impact.path}` is its first {number} lines, and breaks off there.",
        "Send the whole text, or the changed lines as edits.",
    )


def _only_definition(impact: Impact) -> str | None:
    """Return the name of the only definition of a text, if its file has several and none of that name; else None."""
    was, now = (impact.language.definitions(impact.path, text) or () for text in (impact.before or "", impact.after))
    filled = [n for n, line in enumerate(split_lines(impact.after)) if line.strip()]
    alone = bool(now) and (now[0].first_line, now[0].last_line) == (filled[0], filled[-1]) and now[0].kind != "other"
    several = sum("." not in d.qualified for d in was) > 1
    return now[0].name if alone and several and now[0].name not in {d.name for d in was} else None


def shrunk(impact: Impact) -> Finding | None:
    """Find a whole text with less than half of the file's lines, or with only a part of its names and no new one."""
    if impact.before is None or not impact.after.strip():
        return None
    was, now = len(worded_lines(impact.before)), len(worded_lines(impact.after))
    old, new = (names_in(text, impact.path, impact.language) for text in (impact.before, impact.after))
    gone = [name for name in old if name not in new]
    lacks = (
        f" It lacks {', '.join(f'`{name}`' for name in gone[:_NAMED])}{' and more' * (len(gone) > _NAMED)}."
        if gone
        else ""
    )
    part = bool(gone) and bool(new) and set(new) < set(old)
    if (was < _FILE_FROM or 2 * now >= was) and not part:
        return None
    return Finding(
        f"The new text has {now} lines where the old one had {was}.{lacks}", "Check that nothing is missing."
    )


def emptied(impact: Impact) -> Finding | None:
    """Find an edit that empties a file without deleting it."""
    if impact.after.strip() or not (impact.before or "").strip():
        return None
    return Finding(f"Nothing is left of `{impact.path}`.", "Check that it is meant; a file that is to go is deleted.")


def still_used(impact: Impact) -> Finding | None:
    """Find a removed function whose name the file still uses, but no longer defines or imports.

    Only for languages in which a name comes from its own file or an import.
    """
    if impact.before is None or language_of(impact.path) not in _IMPORTING:
        return None
    gone = [found[1] for line in impact.removed if (found := _FUNCTION.match(line)) is not None]
    for name in gone[:_NAMED]:
        lines = re.findall(rf"(?m)^.*(?<![\w.])(?:(?:self|this|cls)\.)?{name}(?!\w).*$", impact.after)
        comes = re.compile(
            rf"\b(?:def|function|class|import|const|let|var)\b.*\b{name}\b|^\W*{name}\W*$|\b{name}\s*=[^=]"
        )
        uses = [line.strip() for line in lines if not is_remark(line.strip())]
        if uses and not any(map(comes.search, lines)):
            reason = f"The edit takes `{name}` away, which is still used: {uses[0][:120]}"
            return Finding(reason, "Check that it is defined elsewhere.")
    return None
