"""How the file spells what an edit takes along.

A hunk brings new lines, and not all of them are new: lines inside a run that is one change, lines that the edit moves
to another place, the words of a line of which it changes one. Those the reply has quoted from the file, and they are
written as the file has them. Depth is not asked here: lines come indented (`reindent`).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.match.landing.substitute import ended
from dovetail.match.landing.tokens import merge_line
from dovetail.text.diff import common
from dovetail.text.folding import with_entities_of
from dovetail.text.line import distinctive, full, padded, squeeze
from dovetail.text.strings import marked, other_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dovetail.match.landing.fit import Fit
    from dovetail.text.diff import Hunk


class UnclearError(Exception):
    """Nothing tells."""


class Spelling:
    """The file's spelling of what a change quotes, for one alignment."""

    def __init__(self, fit: Fit) -> None:
        self._rows, self._change, self._alignment, self._pairs = fit.rows, fit.change, fit.alignment, fit.pairs

    def of(self, hunk: Hunk, lines: Sequence[str]) -> list[str]:
        """The new lines of a hunk, indented, as the file would have them; blank ones that it has between them are kept,
        and quoted ones that it has not are left out.

        Within lines that are rewritten one for one it is the file's spelling of all that the edit does not change.
        """
        lines = [line.rstrip() for line in lines] if self._padded else lines
        quoted = [self._quoted(hunk.b1 + n, line) for n, line in enumerate(lines)]
        kept = [line if found is None else found for line, found in zip(lines, quoted, strict=True)]
        absent: set[int] = set()
        for i, k in common(self._change.old(hunk), self._change.new(hunk)):
            partner = self._alignment.lines[hunk.a1 + i]
            if partner is None and not kept[k].strip():
                absent.add(k)
            elif partner is not None and kept[k].rstrip() == self._rows[partner].rstrip():
                kept[k] = self._rows[partner]
        absent |= {k for k, line in enumerate(kept) if not line.strip() and self._is_imagined(hunk.b1 + k)}
        if absent or hunk.a2 - hunk.a1 != len(lines):
            new = [self._as_around(line) if quoted[k] is None else line for k, line in enumerate(kept)]
            self._end(hunk, new)
            return [line for k, line in enumerate(new) if k not in absent]
        if any(self._shares_rows(i) for i in hunk.old):
            return self._with_blank_lines(hunk, [marked(line, self._marks) for line in kept])
        carried = [self._carried(hunk.a1 + n, line) if quoted[n] is None else line for n, line in enumerate(kept)]
        return self._with_blank_lines(hunk, carried)

    def _quoted(self, index: int, line: str) -> str | None:
        """A new line as the file has it, where the search quotes it, its depth aside; None where it does not."""
        row = self._told.get(_body(self._change.replace[index]))
        if not (row and row.strip()):  # there is no such line, or it is a blank one
            return row
        return line[: len(line) - len(line.lstrip())] + row

    def _is_imagined(self, index: int) -> bool:
        """Whether a blank line of the replacement is one of those that the search imagines between the lines around."""
        if not self._imagined:
            return False
        new = self._change.replace
        above, below = full(new[:index]), full(new[index:])
        if not (above and below):
            return False
        first, last = above[-1], index + below[0]
        return self._imagined.get((new[first].strip(), new[last].strip())) == last - first - 1

    @cached_property
    def _imagined(self) -> Mapping[tuple[str, str], int]:
        """The pairs of lines that the search sets apart wherever it has them, and the file nowhere, with how many blank
        lines the search has between them.
        """
        apart: dict[tuple[str, str], set[int]] = {}
        search, lines = self._change.search, self._alignment.lines
        for i, below in pairwise(full(search)):
            beside = lines[i] is not None and self._alignment.reach(i)[1] == lines[below]
            apart.setdefault((search[i].strip(), search[below].strip()), set()).add(below - i - 1 if beside else 0)
        return {pair: blanks for pair, (blanks, *others) in apart.items() if blanks and not others}

    @cached_property
    def _told(self) -> dict[str, str]:
        """What the search quotes with other blanks than the file, as that has it, where all such lines are one there.

        Of lines that any other may be like (`distinctive`) only those that the file ends without blanks, and blank ones
        that the search quotes with some: a new one is no copy of a line that happens to have blanks.
        """
        bodies = [(_body(wanted), _body(row)) for wanted, row in self._pairs]
        if all(wanted == row for wanted, row in bodies):
            return {}
        rows: dict[str, set[str]] = {}
        for wanted, row in bodies:
            rows.setdefault(wanted, set()).add(row)
        return {
            wanted: row
            for wanted, found in rows.items()
            for row in found
            if len(found) == 1
            and row != wanted
            and squeeze(row) == squeeze(wanted)
            and (distinctive(wanted) or row == row.rstrip() or wanted.isspace())
        }

    @cached_property
    def _padded(self) -> bool:
        """Whether the blanks that the reply's lines end with are none of the file's."""
        return padded((*self._change.search, *self._change.replace), (row for _, row in self._pairs))

    @cached_property
    def _marks(self) -> Mapping[str, str]:
        """The marks that the file has around the strings that the search quotes in others."""
        return other_marks(self._pairs)

    def _as_around(self, line: str) -> str:
        """A line that is new, with the file's marks; and with its entities, where it is an element and has no code."""
        if line.lstrip()[:1] == "<" and self._pairs and not any(sign in line for sign in ("{", "&&")):
            wanted, rows = ("\n".join(lines) for lines in zip(*self._pairs, strict=True))
            line = with_entities_of(rows, wanted, line)[1]
        return marked(line, self._marks)

    def _end(self, hunk: Hunk, lines: list[str]) -> None:
        """End the last new line as the file ends the last line that it comes for, where the search has that otherwise.

        What stands behind it there asks for a comma, or for none.
        """
        old, new = self._change.last_text(hunk.a1, hunk.a2), full(lines)
        partner = self._alignment.lines[old] if old is not None else None
        if old is not None and new and partner is not None:
            lines[new[-1]] = ended(self._change.search[old], lines[new[-1]], self._rows[partner])

    def _carried(self, index: int, line: str) -> str:
        """What becomes of a line of the search, with what the edit leaves alone as the file has it."""
        partner, wanted = self._alignment.lines[index], self._change.search[index]
        if partner is None or wanted.strip() == self._rows[partner].strip():
            return marked(line, self._marks)
        row = self._rows[partner]
        before, after = (marked(text, self._marks) for text in with_entities_of(row, wanted, line))
        made = merge_line(before, after, row)
        if made is None:
            raise UnclearError(partner)
        return made

    def _shares_rows(self, index: int) -> bool:
        """Whether the file has a line of the search on several lines, or on one with others."""
        if not self._alignment.ends:
            return False
        partner = self._alignment.lines[index]
        return partner is None or self._alignment.reach(index) != (partner, partner + 1)

    def _with_blank_lines(self, hunk: Hunk, lines: Sequence[str]) -> list[str]:
        """Lines that are rewritten one for one, with the file's blank lines between them that the search forgot."""
        if not lines or None in self._alignment.lines[hunk.a1 : hunk.a2]:
            return list(lines)
        kept: list[str] = []
        end = self._alignment.reach(hunk.a1)[0]
        for i, line in enumerate(lines, hunk.a1):
            first, behind = self._alignment.reach(i)
            kept += [*self._rows[end:first], line]
            end = behind
        return kept


def _body(line: str) -> str:
    """A line without its indentation; a blank line as it is."""
    return line.lstrip() or line
