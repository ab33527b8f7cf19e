"""What a model is told about its edits that failed, step by step: the diagnosis, then more of the file, then all of it.

Owns the order and choice of texts, which are data (``prompts/repair.md``). Takes values: the results of planning, an
edit that would fit where the caller can render one, excerpts. Says as little as teaches: the first line that differs,
the file's own text there, and to send these edits again and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from dovetail.llm.fences import Fence, fence_around
from dovetail.llm.prompts.documents import folder, format_document, parse
from dovetail.llm.prompts.rendering import fill, filled
from dovetail.model.diagnostics import Difference, Nearest
from dovetail.model.results import BlockResult


class Others(Enum):
    """What became of the edits that did not fail."""

    APPLIED = "others applied"
    MIXED = "others mixed"
    HELD = "others held"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines `start` to `end`, from 1, of a file as it is; `name` is the definition that they are, if they are one."""

    path: str
    start: int
    end: int
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """One edit that failed.

    corrected: an edit, in the reply's format, that would fit; None where none is known.
    lines: of the file, to quote from: around the region that is most like it, or else where its words are.
    """

    result: BlockResult
    corrected: str | None = None
    lines: Excerpt | None = None


def repair_message(failures: Sequence[Failure], total: int, others: Others = Others.HELD) -> str:
    """The message of the first rounds. `total` counts all edits of the reply."""
    opening = " ".join(_opening(len(failures), total, others))
    told: set[Excerpt] = set()
    about = (_about(failure, told) for failure in failures)
    return _joined([opening, *about, _again(len(failures))])


def is_repair_message(text: str) -> bool:
    """Whether a text begins as `repair_message` does."""
    openings = (_texts()[name] for name in ("opening one", "opening some"))
    return any(filled(opening, "[0-9]+").match(text) for opening in openings)


def wider_message(failures: Sequence[Failure], excerpts: Sequence[Excerpt]) -> str:
    """The next step: each failure in a sentence, and the definitions around the places they speak of."""
    about = [f"{_heading(failure.result)}\n{failure.result.reason or ''}".rstrip() for failure in failures]
    return _joined([_text("wider"), *about, *map(_excerpt, excerpts), _again(len(failures))])


def whole_message(path: str, text: str, language: str = "") -> str:
    """The last step: the file itself, and to send it back whole."""
    fence = fence_around([text])
    form = fill(format_document("whole").sections["form"], {"open": fence.opening, "close": fence.right})
    said = _text("whole", path=path), form, f"{_text('whole text', path=path)}\n{fence.around(text, language)}"
    return _joined(list(said))


def _opening(failed: int, total: int, others: Others) -> list[str]:
    if total <= 1:
        return [_text("opening one")]
    opening = _text("opening some", failed=str(failed), total=str(total))
    return [opening, _text(others.value)] if others is not Others.NONE and failed < total else [opening]


def _again(failed: int) -> str:
    return _text("again one" if failed == 1 else "again some")


def _about(failure: Failure, told: set[Excerpt]) -> str:
    """What there is to say of one edit; an excerpt that was `told` of another is not repeated."""
    result, lines = failure.result, failure.lines
    said = [_heading(result), result.reason or "", result.hint or ""]
    nearest = result.nearest
    if nearest is not None:
        said += [_kind(nearest, failure.corrected), _first_difference(nearest)]
    if failure.corrected is not None:
        said += [_text("corrected"), failure.corrected.rstrip("\n")]
    if lines is not None and lines not in told:
        told.add(lines)
        heading = _text("likely" if nearest is None else "region", start=str(lines.start), end=str(lines.end))
        said.append(f"{heading}\n{_quoted(lines.text)}")
    return "\n".join(part for part in said if part)


def _heading(result: BlockResult) -> str:
    path = result.path or result.block.path
    return _text("heading path", n=str(result.n), path=path) if path else _text("heading", n=str(result.n))


def _kind(nearest: Nearest, corrected: str | None) -> str:
    """The kind of difference, unless the lines that follow say all of it.

    An edit that still has something to change cannot be in the file as a whole.
    """
    if nearest.difference is Difference.MISREMEMBERED:
        return ""
    if nearest.difference is Difference.ALREADY_APPLIED and corrected is not None:
        return _text("difference partly-applied")
    return _text(f"difference {nearest.difference.value}")


def _first_difference(nearest: Nearest) -> str:
    """The first line that differs, as it was quoted and as it is."""
    match nearest:
        case Nearest(line=int(line), expected=str(quoted), found=str(found)):
            return f"{_text('differs', line=str(line))}\n{_line(quoted)}\n{_text('file has')}\n{_line(found)}"
        case Nearest(line=int(line), expected=None, found=str(found)):
            return f"{_text('missing', line=str(line))}\n{_line(found)}"
        case Nearest(expected=str(quoted)):
            return f"{_text('surplus')}\n{_line(quoted)}"
    return ""


def _excerpt(excerpt: Excerpt) -> str:
    which = "definition" if excerpt.name else "lines"
    heading = _text(which, path=excerpt.path, start=str(excerpt.start), end=str(excerpt.end), name=excerpt.name)
    return f"{heading}\n{_quoted(excerpt.text)}"


def _line(line: str) -> str:
    """One line, which may be blank: its end is what shows that it is there."""
    return _quoted(f"{line}\n")


def _quoted(text: str) -> str:
    fence: Fence = fence_around([text])
    return fence.around(text)


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _text(name: str, /, **values: str) -> str:
    return fill(_texts()[name], values)


@cache
def _texts() -> Mapping[str, str]:
    return parse(folder("repair.md").read_text(encoding="utf-8")).sections
