"""What single quoted lines tell of depths: how deep the reply put each, and how deep the file has it.

Where all of them are proof together, every depth of the reply has one in the file (`law`). Short of that they tell of
their own depths alone, some of them doubtfully, and `reindent` must ask line by line.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.landing.law import Counting
from dovetail.text.line import deep, distinctive, indent_of, mark, says, width

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dovetail.match.landing.fit import Fit


class Placed(NamedTuple):
    """A line, how deep the reply put it, and how deep the file has it or will have.

    at, row: of a line that the reply quotes, its place in the search and in the file.
    """

    line: str
    model: str
    file: str
    at: int = -1
    row: int = -1


class Depths:
    """The quoted lines of an edit that tell of depths.

    silent: indices of those that do not, as the file may have them as they were or as they are to be.
    """

    def __init__(self, fit: Fit, silent: Collection[int] = ()) -> None:
        self._replace = fit.replace
        self.references = [
            Placed(line, indent_of(line), indent_of(row), *at)
            for at, (line, row) in zip(fit.alignment.pairs, fit.pairs, strict=True)
            if at[0] not in silent and line.strip() and row.strip()
        ]
        self.counting = Counting(sorted({(ref.model, ref.file) for ref in self.references}), fit)

    @cached_property
    def _by_model(self) -> dict[str, list[Placed]]:
        """The quoted lines by how deep the reply put them."""
        found: dict[str, list[Placed]] = {}
        for ref in self.references:
            found.setdefault(ref.model, []).append(ref)
        return found

    @cached_property
    def same(self) -> bool:
        """Whether the reply indents as the file does."""
        return all(ref.model == ref.file for ref in self.references)

    @cached_property
    def written(self) -> bool:
        """Whether the replacement indents as the file does, and the search alone does not.

        Its shallowest line is as deep as the file's, no line stands in it as the search has it, and of those that it
        has in common with the search but for their blanks none is shallower than the file has it. Where none is in
        common that tells, no line of the search may be as deep: then the replacement would count as the search does.
        """
        new = [line for line in self._replace if line.strip()]
        margin = _margin(ref.file for ref in self.references)
        if not new or _margin(map(indent_of, new)) != margin or _margin(ref.model for ref in self.references) == margin:
            return False
        texts = [ref.line.strip() for ref in self.references]
        if texts == [line.strip() for line in new] or not {ref.line for ref in self.references}.isdisjoint(new):
            return False
        told = any(line.strip() in texts and distinctive(line) for line in new)
        if not told and any(ref.model == margin for ref in self.references):
            return False
        least: dict[str, int] = {}
        for ref in self.references:
            least[ref.line.strip()] = min(width(ref.file), least.get(ref.line.strip(), width(ref.file)))
        return all(deep(line) >= least.get(line.strip(), 0) for line in new)

    @cached_property
    def unclear(self) -> bool:
        """Whether new lines that indent as the file does may as well count as the search does: no line of the
        replacement stands where the file has it, and the search has a law, or the first stands elsewhere than the
        file's first that is quoted."""
        found = {(ref.line.strip(), ref.file) for ref in self.references}
        first = next(line for line in self._replace if line.strip())
        if not found.isdisjoint((line.strip(), indent_of(line)) for line in self._replace):
            return False
        return self.counting.proven or indent_of(first) != self.references[0].file

    def torn(self, model: str) -> bool:
        """Whether the file has at several depths what the reply put at this one.

        A list's entries may stand as deep as what they hang on, or deeper, and so may a comment's lines behind a star,
        which lose their one blank easily: they are asked apart from other lines.
        """
        found = {(mark(ref.line), width(ref.file)) for ref in self._by_model.get(model, ())}
        return len({mark for mark, _ in found}) < len(found)

    def alike(self, line: str) -> list[Placed]:
        """The quoted lines that the reply put as deep as `line`; where the file has entries elsewhere, of its mark."""
        found = self._by_model.get(indent_of(line), [])
        if len({width(ref.file) for ref in found}) == 1 or self.torn(indent_of(line)):
            return found
        return [ref for ref in found if mark(ref.line) == mark(line)]

    def doubted(self, ref: Placed) -> bool:
        """Whether other lines need not stand where this quoted one does, though the reply put them as deep.

        The reply put it at the margin, and may have put deeper lines there as well; or it tells little, no other that
        says something stands as it does, and all that tell more stand where the reply put them. Or the file has as deep
        a line that the reply put less deep: one of the two is another line than the reply means. What the law of all
        quoted lines says as well is not doubted.
        """
        if self.counting.lawful(ref.line) == ref.file:
            return False
        if ref.model in self._merged and not mark(ref.line):
            return True
        if not ref.model and self.counting.moved_left >= width(ref.file) + (self.counting.step or 1):
            return True
        alike = [other for other in self._by_model[ref.model] if other.file == ref.file]
        if sum(says(other.line) for other in alike) > 1:
            return False
        told = [other for other in self.references if distinctive(other.line)]
        return ref.model != ref.file and bool(told) and all(other.model == other.file for other in told)

    @cached_property
    def _merged(self) -> frozenset[str]:
        """The depths of the reply that the file does not keep deeper than less deep ones."""
        plain = [ref for ref in self.references if not mark(ref.line)]
        pairs = sorted({(width(ref.model), width(ref.file), ref.model) for ref in plain})
        deepest, merged = -1, set[str]()
        for _, group in groupby(pairs, key=itemgetter(0)):
            alike = list(group)
            merged |= {model for _, file, model in alike if file <= deepest}
            deepest = max(deepest, *(file for _, file, _ in alike))
        return frozenset(merged)


def _margin(indents: Iterable[str]) -> str:
    """The shallowest of some indentations."""
    return min(indents, key=width)
