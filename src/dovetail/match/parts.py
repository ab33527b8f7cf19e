"""Merges a part of a file into it: definitions, keys or rules that the file has, each at its name.

A definition that the file has once is replaced as a whole, at the file's indentation. Of a class that is shown with
some of its members only these are replaced. Lines between definitions must be the file's own, imports, or values of
names
that the file has once: any other has no place, and nothing is merged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.entries import entries, merged
from dovetail.match.outcome import Match
from dovetail.match.sketch import HEADER, IMPORT, MODULE, Unplaced, shown_and_gone, with_tabs_of
from dovetail.model.codes import Tier
from dovetail.model.text import Span, apply_edits, split_lines
from dovetail.text.comments import comment_rows, is_comment, parted
from dovetail.text.diff import common, diff
from dovetail.text.languages import language_of, source_language
from dovetail.text.line import closes, deep, distinctive, indent_of
from dovetail.text.line_edits import rewrite
from dovetail.text.omission import Mark, mark_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dovetail.model.language import Definition, Language
    from dovetail.text.document import Document

# The name in `export const a: T = 1`, `self.a: int = 2`. Not in `a == b` or `a += 1`.
_VALUE = re.compile(r"(?:(?:export|const|let|var|static|final|public|private|val)\s+)*([\w.$]+)\s*(?::[^=]+)?=(?!=)")
_LEAVES = re.compile(r"(?:return|raise|throw)\b")
_ATTRIBUTES = ("@", "#[", "[")
_HAS_METHODS = frozenset(
    ("typescript", "tsx", "javascript", "java", "csharp", "php", "kotlin", "dart", "scala", "swift")
)
"""Languages in which a method alone does not parse: it is read inside of a class."""
_SMALL = 4  # a definition must keep at least one in so many of its lines
_TAIL = 3
"""A part is cut off if the file has at least so many lines after the last kept one, and more than so many times the
part's lines there."""
_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'")
_INLINE_COMMENT = re.compile(r"/\*.*?\*/")
# A definition without a statement, its blanks and comments aside: `f(a){}`, or `f(a):T;`, its signature alone. Not
# `f=(a)=>g(a);`.
_HOLLOW = re.compile(r"[^{}]*[^={}]\{\}|(?!.*=>)[^{}]*\)(?::[^(){}=]+)?;")
# The same of Python, behind the head: `"""a"""...`.
_HOLLOW_BODY = re.compile(r"(?:(?P<quotes>\"{3}|'{3}).*?(?P=quotes))?(?:pass|\.{3})?")
_LONGEST = 200  # lines of a statement
_LONG = 12  # lines of a definition from which on it must not shrink too much


class _Piece(NamedTuple):
    """Lines that replace the file's from `first` to `end` (exclusive)."""

    first: int
    end: int
    lines: list[str]


class _NoPlaceError(Exception):
    """A line of the part has no place in the file; the text says why."""


def merge_parts(document: Document, text: str, path: str, language: Language) -> Match | Unplaced | None:
    """Return the match that merges a part into a file, or why it has no place; None if they share no name."""
    lines = with_tabs_of(document.rows, split_lines(text))
    if is_data(path):
        after = merged(document.rows, lines)
        return Unplaced(after) if isinstance(after, str) else _match(document, after, path, language)
    marks = {n: deep(lines[n]) for n in _marks_in(document, text, path)}
    lines = ["" if n in marks else line for n, line in enumerate(lines)]
    part = _Part(document, lines, path, language, marks)
    if not part.pairs:
        return None
    try:
        after = part.merged()
    except _NoPlaceError as why:
        return Unplaced(str(why))
    gone = shown_and_gone(document.rows, lines, after)
    return _match(document, after, path, language) if gone is None else Unplaced(gone)


def has_marks(document: Document, text: str, path: str) -> bool:
    """Return whether a part surely leaves lines out; marks by words alone may be plain comments."""
    return any(mark is not Mark.WORDS for mark in _marks_in(document, text, path).values())


def _marks_in(document: Document, text: str, path: str) -> dict[int, Mark]:
    """Return the omission marks of a part, by line, except lines that the file itself has."""
    row = source_language(path)
    if row is None or row.kind == "document":
        return {}
    found = ((n, line, mark_in(line, path)) for n, line in enumerate(split_lines(text)))
    return {n: mark for n, line, mark in found if mark is not None and line.strip() not in document.line_set}


def names_in(text: str, path: str, language: Language) -> list[str]:
    """Return the names that a file's text defines, except inside functions; for a data file, its keys."""
    if is_data(path):
        return [".".join(keys) for keys in entries(split_lines(text)) or ()]
    names: dict[str, None] = {}
    end = -1
    for d in language.definitions(path, text) or ():
        if d.first_line > end:
            names[d.name] = None
            end = d.last_line if d.kind in ("function", "method") else end
    return list(names)


def is_data(path: str) -> bool:
    """Return whether a file holds data, values by name, and no code."""
    row = source_language(path)
    return path.rpartition("/")[2].startswith(".env") or (row is not None and row.kind == "data")


def _match(document: Document, after: Sequence[str], path: str, language: Language) -> Match | Unplaced:
    """Return the smallest edits that turn the file's rows into `after`, if the result parses or the file did not."""
    hunks = diff([row.rstrip() for row in document.rows], [line.rstrip() for line in after])
    edits = tuple(rewrite(document, h.a1, h.a2, after[h.b1 : h.b2]) for h in hunks)
    errors = language.errors(path, apply_edits(document.raw, edits))
    if errors and language.errors(path, document.raw) == ():
        return Unplaced(f"Merged into the file, it does not parse at line {errors[0]}.")
    span = Span(edits[0].span.start, edits[-1].span.end) if edits else Span(0, len(document.raw))
    return Match(span, Tier.SYNTAX, edits)


def put_lines(document: Document, rows: range, lines: Sequence[str], path: str, language: Language) -> Match | Unplaced:
    """Replace `rows` of the file by lines, indented so that their first is as deep as the first of these rows."""
    own = _as_deep(with_tabs_of(document.rows, list(lines)), lines[0], document.rows[rows.start])
    return _match(document, [*document.rows[: rows.start], *own, *document.rows[rows.stop :]], path, language)


class _ParsedText:
    """A text with its definitions. `offset`: how many lines were added above it so that it could be parsed."""

    def __init__(self, lines: Sequence[str], found: Sequence[Definition], offset: int = 0) -> None:
        self.lines = lines
        self.offset = offset
        self.definitions = [d for d in found if d.first_line >= offset and d.last_line - offset < len(lines)]
        self.comments = comment_rows(lines)

    def first(self, d: Definition) -> int:
        """Return the first line of a definition, which may be a decorator."""
        return d.first_line - self.offset

    def end(self, d: Definition) -> int:
        """Return one past its last line that is not blank."""
        end = d.last_line - self.offset + 1
        while end > self.first(d) + 1 and not self.lines[end - 1].strip():
            end -= 1
        return end

    def head(self, d: Definition) -> int:
        """Return the line that names it, below its decorators."""
        span = range(self.first(d), self.end(d))
        own = (n for n in span if d.name in self.lines[n] and not self.lines[n].lstrip().startswith(_ATTRIBUTES))
        return next(own, self.first(d))

    def top(self, d: Definition) -> int:
        """Return the first line of the comment right above it, else its own first line."""
        top = self.first(d)
        while top and self.lines[top - 1].strip() and top - 1 in self.comments:
            top -= 1
        return top

    def is_hollow(self, d: Definition) -> bool:
        """Return whether a function or class has no statement: its head alone, comments, or a stub's body."""
        if d.kind not in ("function", "method", "class"):
            return False
        rows = (n for n in range(self.head(d), self.end(d)) if n not in self.comments)
        lines = ["".join(_INLINE_COMMENT.sub("", parted(self.lines[n])[0]).split()) for n in rows]
        if lines and lines[0].startswith(("def", "asyncdef", "class")):
            body = next((n for n, line in enumerate(lines) if line.endswith(":")), None)
            if body is not None:
                return _HOLLOW_BODY.fullmatch("".join(lines[body + 1 :])) is not None
        return _HOLLOW.fullmatch("".join(lines)) is not None

    def children(self, outer: Definition | None) -> list[Definition]:
        """Return the definitions directly inside another one, or of the text for None."""
        first, end = (0, len(self.lines)) if outer is None else (self.first(outer), self.end(outer))
        found: list[Definition] = []
        for d in self.definitions:
            inside = first <= self.first(d) and self.end(d) <= end and d is not outer
            inside = inside and (outer is None or d.qualified.startswith(f"{outer.qualified}."))
            if inside and not (found and self.first(d) < self.end(found[-1])):
                found.append(d)
        return found


class _Part:
    """A part of a file, paired with that file.

    pairs: the part's definitions that the file has, each with the file's. marks: its omission marks by line, each with
    its depth.
    """

    def __init__(
        self, document: Document, lines: list[str], path: str, language: Language, marks: Mapping[int, int]
    ) -> None:
        self.document = document
        self.marks = marks
        self.theirs = _ParsedText(document.rows, language.definitions(path, document.raw) or ())
        self.mine = _parsed_text(lines, path, language)
        self.pairs: dict[Definition, Definition] = {}
        self.pieces: list[_Piece] = []
        self._pair(None, None)

    def _pair(self, own: Definition | None, theirs: Definition | None) -> None:
        for d in self.mine.children(own):
            found = self._same(d, theirs)
            if found is not None:
                self.pairs[d] = found
                self._pair(d, found)

    def _same(self, d: Definition, around: Definition | None) -> Definition | None:
        """Return the file's definition of the same name inside `around`: the only one, or of several the one with the
        same head; else None."""
        if around is not None:
            found = [other for other in self.theirs.children(around) if other.name == d.name]
        else:
            found = [other for other in self.theirs.definitions if other.qualified == d.qualified]
            found = found or [other for other in self.theirs.definitions if other.name == d.name]
        if len(found) > 1:
            head = self.mine.lines[self.mine.head(d)].strip()
            found = [other for other in found if self.theirs.lines[self.theirs.head(other)].strip() == head]
        return found[0] if len(found) == 1 else None

    def merged(self) -> list[str]:
        """Return the file's lines with the part merged in. Raises `_NoPlaceError`."""
        for d, found in self.pairs.items():
            if self.mine.is_hollow(d) and not self.theirs.is_hollow(found):
                raise _NoPlaceError(f"It shows no statement of `{d.name}`, which has some.")
        self._merge(None)
        self._merge_between(range(len(self.mine.lines)), self.mine.children(None))
        after: list[str] = []
        at = 0
        # An insertion (`end` is `first`) goes before the piece that replaces the line below it.
        for piece in sorted(self.pieces, key=lambda piece: (piece.first, piece.end)):
            if piece.first < at:
                raise _NoPlaceError("It has parts of one place twice.")
            after += [*self.document.rows[at : piece.first], *piece.lines]
            at = piece.end
        return [*after, *self.document.rows[at:]]

    def _merge(self, outer: Definition | None) -> None:
        """Merge the part's definitions inside `outer`, or the outermost ones, each at its name."""
        mine, theirs = self.mine, self.theirs
        above: Definition | None = None
        new: list[Definition] = []
        for d in mine.children(outer):
            found = self.pairs.get(d)
            if found is None:
                if above is None:
                    new.append(d)
                else:
                    self._add_below(d, above)
                continue
            # New definitions before the first one that the file has go above that; later ones follow the one above
            # them.
            for one in new:
                self._add_above(one, found)
            new.clear()
            above = found
            members = {other.name for other in theirs.children(found)}
            shown = {own.name for own in mine.children(d)}
            has_mark = self._has_mark(d)
            # A class with fewer members than the file's shows only those that change; one with all of them is complete.
            if d.kind in ("class", "other") and shown and (members - shown or has_mark):
                self._merge_class(d, found)
            elif has_mark:
                raise _NoPlaceError(f"It leaves out lines inside of `{d.name}`.")
            else:
                self._replace(d, found)
        if new:
            raise _NoPlaceError(f"Nothing says where `{new[0].name}` belongs.")

    def _has_mark(self, d: Definition) -> bool:
        """Return whether a definition has an omission mark inside it or right after its last line."""
        mine = self.mine
        end = mine.end(d)
        for n, depth in self.marks.items():
            behind = n >= end and depth > deep(mine.lines[mine.head(d)]) and not any(map(str.strip, mine.lines[end:n]))
            if mine.first(d) <= n < end or behind:
                return True
        return False

    def _merge_class(self, d: Definition, found: Definition) -> None:
        """Replace the members of a class that the part shows; the others stay."""
        mine, theirs = self.mine, self.theirs
        head, row = mine.head(d), theirs.head(found)
        if mine.lines[head].strip() != theirs.lines[row].strip():
            self.pieces.append(_Piece(row, row + 1, self._as_deep([mine.lines[head]], head, row)))
        inside = range(head + 1, mine.end(d))
        has = {theirs.lines[n].strip() for n in range(theirs.first(found), theirs.end(found))}
        covered = {n for one in mine.children(d) for n in range(mine.top(one), mine.end(one))}
        for n in inside:
            text = mine.lines[n].strip()
            if n not in covered and text and text not in has and not closes(text):
                raise _NoPlaceError(f"Nothing says where in `{d.name}` the line `{text}` belongs.")
        self._merge(d)

    def _replace(self, d: Definition, found: Definition) -> None:
        """Replace the file's definition, except decorators and comments that only the file has."""
        mine, theirs = self.mine, self.theirs
        first, row = mine.first(d), theirs.first(found)
        # A part without decorators keeps the file's: it replaces the definition from the head on. Its comment replaces
        # the file's, above the decorators, or is added there.
        if first == mine.head(d):
            row = theirs.head(found)
        if mine.top(d) < mine.first(d) and row > theirs.first(found):
            above = self._as_deep(mine.lines[mine.top(d) : mine.first(d)], mine.head(d), theirs.head(found))
            self.pieces.append(_Piece(theirs.top(found), theirs.first(found), above))
        if mine.top(d) < mine.first(d) and theirs.top(found) == theirs.first(found) == row:
            first = mine.top(d)
        elif mine.top(d) < mine.first(d) and row == theirs.first(found):
            first, row = mine.top(d), theirs.top(found)
        lines = self._as_deep(mine.lines[first : mine.end(d)], mine.head(d), theirs.head(found))
        end = row + _kept_to([text.strip() for text in theirs.lines[row : theirs.end(found)]], [*map(str.strip, lines)])
        if end - row >= _LONG and _SMALL * len(lines) < end - row:
            raise _NoPlaceError(f"It has {len(lines)} lines of `{d.name}`, of which the file has {end - row}.")
        self.pieces.append(_Piece(row, end, lines))

    def _add_below(self, d: Definition, above: Definition) -> None:
        """Add a new definition after the one above it, with as many blank lines between as in the part."""
        mine, at = self.mine, self.theirs.end(above)
        self._refuse_doubled(d)
        blank = _blank_above(mine.lines, mine.top(d))
        lines = self._as_deep(mine.lines[mine.top(d) : mine.end(d)], mine.head(d), self.theirs.head(above))
        self.pieces.append(_Piece(at, at, [*[""] * blank, *lines]))

    def _add_above(self, d: Definition, below: Definition) -> None:
        mine, at = self.mine, self.theirs.top(below)
        self._refuse_doubled(d)
        blank = _blank_above(
            [*mine.lines, ""], next(n for n in range(mine.end(d), len(mine.lines)) if mine.lines[n].strip())
        )
        lines = self._as_deep(mine.lines[mine.top(d) : mine.end(d)], mine.head(d), self.theirs.head(below))
        self.pieces.append(_Piece(at, at, [*lines, *[""] * blank]))

    def _refuse_doubled(self, d: Definition) -> None:
        if self.marks:
            raise _NoPlaceError(f"Nothing says where `{d.name}` belongs among the lines that it leaves out.")
        if any(other.name == d.name for other in self.theirs.definitions):
            raise _NoPlaceError(f"The file has `{d.name}` more than once, or elsewhere.")

    def _merge_between(self, rows: range, outermost: Sequence[Definition]) -> None:
        """Merge the lines beside definitions, which must be the file's own, imports, or values of its names."""
        mine = self.mine
        covered = {n for d in outermost for n in range(mine.top(d), mine.end(d))}
        has = {line.strip() for line in self.document.rows}
        new: list[range] = []
        end = 0
        for n in rows:
            text = mine.lines[n].strip()
            if n < end or n in covered or not text or n in mine.comments or is_comment(text):
                continue
            statement = _statement(mine.lines, n)
            # a statement that contains definitions (`module.exports = {`) is checked line by line
            if not covered.isdisjoint(statement):
                statement = range(n, n + 1)
            if {mine.lines[k].strip() for k in statement} <= has:
                continue
            if not self.marks.keys().isdisjoint(statement):
                raise _NoPlaceError(f"It leaves out lines below `{text}`.")
            end = statement.stop
            if IMPORT.match(text):
                new.append(statement)
            elif not self._take_value(statement):
                raise _NoPlaceError(f"Nothing says where the line `{text}` belongs.")
        for statement in new:
            self._import(mine.lines[statement.start : statement.stop])

    def _take_value(self, statement: range) -> bool:
        """Replace the file's only lines that set a name at this depth; return whether there are such lines."""
        n = statement.start
        value = _VALUE.match(self.mine.lines[n].strip())
        if value is None:
            return False
        rows = self.document.rows
        found = [
            k for k, row in enumerate(rows)
            if deep(row) == deep(self.mine.lines[n]) and (old := _VALUE.match(row.strip())) and old[1] == value[1]
        ]  # fmt: skip
        place = _statement(rows, found[0]) if len(found) == 1 else range(0)
        # A value on several lines is not replaced by one line, nor one that contains definitions.
        inside = any(self.theirs.first(d) in place[1:] for d in self.theirs.definitions)
        if not place or inside or (len(place) > 1) != (len(statement) > 1) or rows[place[-1]].rstrip()[-1:] in "{([,\\":
            return False
        self.pieces.append(_Piece(place.start, place.stop, list(self.mine.lines[n : statement.stop])))
        return True

    def _import(self, lines: Sequence[str]) -> None:
        """Add an import below the file's last one, or replace the one of the same module that imports less."""
        line = " ".join(lines)
        rows = self.document.rows
        first = min((self.theirs.first(d) for d in self.theirs.definitions), default=len(rows))
        docstring = _docstring(rows[:first])  # a sentence in it may begin as an import does
        there = [n for n in range(first) if n not in docstring and IMPORT.match(rows[n]) and not deep(rows[n])]
        module = MODULE.search(line)
        for n in there:
            old = _statement(rows, n)
            there_line = " ".join(rows[old.start : old.stop])
            if (
                module is not None
                and (other := MODULE.search(there_line)) is not None
                and other.groups() == module.groups()
            ):
                # The file's line goes only if the part's has all of its names.
                if not set(re.findall(r"\w+", there_line)) <= set(re.findall(r"\w+", line)):
                    raise _NoPlaceError(f"The file imports otherwise from there: `{rows[n].strip()}`.")
                self.pieces.append(_Piece(n, old.stop, list(lines)))
                return
        header = [n for n in range(first) if n in docstring or HEADER.match(rows[n])]
        at = there[-1] + 1 if there else header[-1] + 1 if header else 0
        if there:
            at = _statement(rows, there[-1]).stop  # `import {` … `} from "a"` goes over several lines
        if not there and at == docstring.stop > 0:
            blank = at < len(rows) and not rows[at].strip()
            self.pieces.append(_Piece(at, at, ["", *lines] if blank else ["", *lines, ""]))
        else:
            self.pieces.append(_Piece(at, at, [*lines] if there else [*lines, ""]))

    def _as_deep(self, lines: Sequence[str], head: int, row: int) -> list[str]:
        return _as_deep(lines, self.mine.lines[head], self.document.rows[row])


def _statement(lines: Sequence[str], n: int) -> range:
    """Return the lines of a statement from line `n` on: down to where its brackets are closed."""
    opened = 0
    for end in range(n, min(len(lines), n + _LONGEST)):
        code = _STRINGS.sub("", parted(lines[end])[0])
        opened += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if opened <= 0 and not code.endswith("\\"):
            return range(n, end + 1)
    return range(n, n + 1)


def _docstring(rows: Sequence[str]) -> range:
    """Return the rows of a module's docstring in triple quotes, above its code; an empty range for none."""
    first = next((n for n, row in enumerate(rows) if row.strip() and not is_comment(row.strip())), 0)
    quotes = rows[first][:3] if first < len(rows) else ""
    if quotes not in {'"""', "'''"}:
        return range(0)
    ends = (n for n in range(first, len(rows)) if quotes in rows[n][3 * (n == first) :])
    return range(first, next(ends, len(rows) - 1) + 1)


def _as_deep(lines: Sequence[str], head: str, row: str) -> list[str]:
    """Return lines shifted by the difference in indentation between their line `head` and the file's `row`."""
    old, new = indent_of(head), indent_of(row)
    if new.startswith(old):
        more = new[len(old) :]
        return [more + line if line.strip() else "" for line in lines]
    return [new + line.removeprefix(old) if line.strip() else "" for line in lines]


def _parsed_text(lines: list[str], path: str, language: Language) -> _ParsedText:
    """Return the part with its definitions, parsed without common indentation; methods alone are parsed in a class."""
    depth = min((len(indent_of(line)) for line in lines if line.strip()), default=0)
    plain = [line[depth:] for line in lines]
    found = language.definitions(path, "\n".join(plain)) or ()
    if any(d.name for d in found if d.kind != "other") or language_of(path) not in _HAS_METHODS:
        return _ParsedText(lines, found)
    found = (
        # Parsed inside a class, below one added line (two in PHP), which `offset` subtracts again.
        language.definitions(path, "\n".join([*(["<?php"] * path.endswith(".php")), "class _ {", *plain, "}"])) or ()
    )
    offset = 1 + path.endswith(".php")
    return _ParsedText(lines, [d for d in found if d.first_line >= offset], offset)


def _kept_to(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many of a definition's old lines the new ones replace: all, or those up to where the part ends."""
    kept = [pair for pair in common(old, new) if distinctive(old[pair[0]])]
    if len(kept) < _TAIL or _LEAVES.match(new[-1]):
        return len(old)
    last, own = kept[-1]
    # The part was cut off if the file has some more lines after the last kept one, and the part less than a third as
    # many. A part that ends in `return` ended on purpose.
    left = len([*filter(None, old[last + 1 :])])
    return last + 1 if left >= _TAIL and left > _TAIL * (len(new) - own - 1) else len(old)


def _blank_above(lines: Sequence[str], at: int) -> int:
    """Return how many blank lines stand right above a line."""
    first = at
    while first and not lines[first - 1].strip():
        first -= 1
    return at - first
