"""Merges keys into a data file: JSON, YAML, TOML, settings of one line each. Each key is replaced at its own path.

The text is read line by line: a key is below the keys above it that are less indented; braces do not count. A line that
is no key (an item of a list, a line of a longer text) belongs to the key above it, which is then replaced as a whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.comments import parted
from dovetail.text.line import deep, indent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# Matches `key: v`, `"key": v`, `key = v`, `export KEY=v`. Not `a:b` or `http://x` (no blank behind the colon), not
# `- name: x` (an item of a list belongs to the key above), not `a, b: c`.
_KEY = re.compile(
    r"[ \t]*+(?:export )?(?P<quote>[\"']?)(?P<key>[^\s\"'#\[\]{}:=,-][^\"'{}\[\]:=,]*?)(?P=quote)[ \t]*(?:=|:(?=\s|$))"
)
_TABLE = re.compile(r"\[(?P<key>[^\[\]]+)\]\s*(?:#.*)?$")
# `key: |` and `- run: >-` begin a text of several lines, as does `key = """one`, where no quotes close it.
_LONG_TEXT = re.compile(r"[:=]\s+(?:[|>][-+\d]*(?:\s+#.*)?|(?P<quotes>\"{3}|'{3})(?:(?!(?P=quotes)).)*)$")
_SIGNS = re.compile(r"[\s{}\[\](),;]*$")
_LONGEST = 2_000  # characters of a line with a comment behind its code
_COMMENT = ("#", "//", ";")

Path = tuple[str, ...]


class Entry(NamedTuple):
    """A key with its lines from `first` to `end` (exclusive), all that is below it included.

    whole: a line below it is no key. nested: there are keys below it.
    """

    first: int
    end: int
    whole: bool
    nested: bool


def entries(lines: Sequence[str]) -> dict[Path, Entry] | None:
    """Return the keys of a text, by their paths; None if one occurs twice, or a line belongs to none."""
    found: dict[Path, Entry] = {}
    above: list[tuple[int, Path]] = []
    table: Path = ()
    # closer: the quotes that end a text of several lines, or `|` for YAML's, which a line not deeper than `begun` ends;
    # begun: the depth of the line that begins it
    closer, begun = "", 0
    for n, line in enumerate(lines):
        text = line.strip()
        if closer and (closer != "|" or not text or deep(line) > begun):
            closer = "" if closer != "|" and closer in text else closer
            for level, (_, path) in enumerate(above if text else ()):
                whole = found[path].whole or level == len(above) - 1
                found[path] = found[path]._replace(end=n + 1, whole=whole)
            continue
        long = _LONG_TEXT.search(text)
        closer, begun = (long["quotes"] or "|") if long is not None else "", deep(line)
        if not text or text.startswith(_COMMENT):
            continue
        if (head := _TABLE.match(text)) is not None and not deep(line) and not line.rstrip().endswith(","):
            # -1: no key is less deep than its table, so the table stays below all that follow.
            table, above = (f"[{head['key'].strip()}]",), [(-1, (f"[{head['key'].strip()}]",))]
            if table in found:
                return None
            found[table] = Entry(n, n + 1, whole=False, nested=False)
            continue
        depth = deep(line)
        signs = _SIGNS.match(text) is not None
        # A `}` as deep as a key ends that key's value and belongs to it; any other line so deep stands beside the key.
        while above and above[-1][0] >= depth + signs:
            above.pop()
        key = None if signs else _KEY.match(line)
        own = (*(above[-1][1] if above else table), key["key"].strip()) if key is not None else None
        if own is not None and own in found:
            return None
        if own is None and not above and not signs:
            return None
        for level, (_, path) in enumerate(above):
            entry, last = found[path], level == len(above) - 1
            found[path] = Entry(
                entry.first, n + 1, entry.whole or (last and own is None and not signs), entry.nested or own is not None
            )
        if own is not None:
            found[own] = Entry(n, n + 1, whole=False, nested=False)
            above.append((depth, own))
    return found


def merged(rows: Sequence[str], lines: Sequence[str]) -> list[str] | str:
    """Return the file's `rows` with the values that `lines` has for their keys, or a sentence why they cannot be
    merged.

    A key that the file does not have goes after the one above it in `lines`.
    """
    mine, theirs = entries(lines), entries(rows)
    if not mine or not theirs:
        return "Not all of its lines are keys that stand there once."
    pieces: dict[int, tuple[int, list[str]]] = {}
    added: dict[int, list[str]] = {}
    above: dict[Path, int] = {}
    # JSON separates entries with commas. An object with a single entry has none yet: its `{` shows that it is JSON.
    comma = any(map(_has_comma, rows)) or rows[0].strip() == "{"
    for path, entry in mine.items():
        if any(path[:n] in mine and (path[:n] not in theirs or mine[path[:n]].whole) for n in range(1, len(path))):
            continue  # a key above it is put there as a whole
        there = theirs.get(path)
        own = list(lines[entry.first : entry.end])
        if there is None:
            if path[:-1] not in above:
                return f"Nothing says where `{path[-1]}` belongs."
            at = above[path[:-1]]
            shift_to = next(theirs[p] for p in theirs if theirs[p].end == at and p[:-1] == path[:-1])
            added.setdefault(at, []).extend(_as_deep(own, rows[shift_to.first]))
            continue
        above[path[:-1]] = there.end
        if entry.nested and not entry.whole:
            if not there.nested or there.whole:
                return f"`{path[-1]}` has another form there."
            continue
        if there.end - there.first > entry.end - entry.first:
            return f"It would take lines of `{path[-1]}` away."
        if (items := _items(rows[there.first : there.end])) and not items & _items(own):
            return f"It shows no item that `{path[-1]}` has, so they may be meant beside these."
        pieces[there.first] = there.end, _as_deep(own, rows[there.first])
    return _put_together(rows, pieces, added, comma=comma)


def _items(lines: Sequence[str]) -> set[str]:
    """Return the lines below a key whose value is a list on lines of its own; none for another value."""
    below = [line.strip().rstrip(",") for line in lines[1:] if _SIGNS.match(line) is None]
    listed = lines[0].rstrip().endswith("[") or (below and below[0].startswith("- "))
    return set(below) if listed else set()


def _as_deep(lines: Sequence[str], row: str) -> list[str]:
    """Return lines with the indentation of the first replaced by that of a row."""
    old, new = indent_of(lines[0]), indent_of(row)
    return [new + line.removeprefix(old) if line.strip() else line for line in lines]


def _put_together(
    rows: Sequence[str], pieces: dict[int, tuple[int, list[str]]], added: dict[int, list[str]], *, comma: bool
) -> list[str]:
    """Return the rows with some replaced by `pieces`, and with lines `added` before others; commas as JSON needs them.

    pieces: first row to (end row, exclusive, and new lines). added: row to the lines before it.
    """
    after: list[str] = []
    at = 0
    while at <= len(rows):
        if new := added.get(at):
            # The newest entry ends as the one above it did: with a comma inside an object, without one at its end.
            last = _has_comma(after[-1])
            if comma:
                after[-1], new[-1] = _with_comma(after[-1], comma=True), _with_comma(new[-1], comma=last)
            after += new
        if at == len(rows):
            break
        if at in pieces:
            end, own = pieces[at]
            if comma:
                own[-1] = _with_comma(own[-1], comma=_has_comma(rows[end - 1]))
            after += own
            at = end
        else:
            after.append(rows[at])
            at += 1
    return after


def _has_comma(line: str) -> bool:
    return line.rstrip().endswith(",") or (len(line) <= _LONGEST and parted(line)[0].endswith(","))


def _with_comma(line: str, *, comma: bool) -> str:
    """Return a line with or without a comma at the end of its code, before any comment."""
    code, comment = parted(line) if len(line) <= _LONGEST else (line.rstrip(), "")
    return code.removesuffix(",") + ("," if comma else "") + comment
