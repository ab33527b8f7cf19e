"""The messages about edits that failed, step by step: the diagnosis, then more of the file, then the whole file.

Owns the order and choice of texts, which are data (``prompts/repair.md``). Takes values: the results of planning,
corrected edits, excerpts. A message says no more than the model needs: the first line that differs, the file's text
there, and to send only these edits again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from dovetail.llm.prompts.texts import fence_around, fill, filled, format_document, sections
from dovetail.model.codes import Code
from dovetail.model.diagnostics import Difference, Nearest
from dovetail.model.results import BlockResult
from dovetail.text.line import shared

LONGEST_MESSAGE = 40_000
"""Characters of a message at most. It says which edits it leaves out."""
_LONGEST_TEXT = 6_000  # characters of one text that is quoted
_LONGEST_LINE = 2_000  # of one line, and of a sentence
_BEFORE_DIFFERENCE = 500  # characters of a long line that are shown before the first that differs
_LISTINGS = 12  # listings that are named, of a reply without an edit
_RESERVED = 1_500  # characters for the message's first and last words


class Others(Enum):
    """What happened to the edits that did not fail; the value is the name of the text that says it."""

    APPLIED = "others applied"
    MIXED = "others mixed"
    HELD = "others held"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines `start` to `end`, from 1, of a file as it is; `name` is set if they are a definition."""

    path: str
    start: int
    end: int
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """One edit that failed.

    corrected: an edit in the reply's format that would fit, None if unknown.
    lines: the file's lines around the nearest region.
    """

    result: BlockResult
    corrected: str | None = None
    lines: Excerpt | None = None


def repair_message(
    failures: Iterable[Failure],
    total: int,
    others: Others = Others.HELD,
    *,
    numbers: Sequence[int] | None = None,
    dropped: Sequence[int] = (),
) -> str:
    """Return the message of the first rounds: about as many failed edits as fit into it, and the numbers of the others.

    total: how many edits the reply has.
    others: what happened to the edits that neither failed nor were dropped.
    numbers: the numbers of all failed edits, if `failures` is lazy: then only as many are made as fit.
    dropped: the numbers of edits that fit, are not written, and are not kept for a later reply.
    """
    if numbers is None:
        failures = list(failures)
        numbers = [failure.result.n for failure in failures]
    opening = _text("opening one")
    if total > 1:
        opening = _text("opening some", failed=str(len(numbers)), total=str(total))
        if dropped:
            opening = f"{opening} {_text('others dropped', numbers=_in_runs(dropped))}"
        if others is not Others.NONE and len(numbers) + len(dropped) < total:
            opening = f"{opening} {_text(others.value)}"
    quoted: set[Excerpt] = set()  # an excerpt that two edits share is quoted once
    *parts, again = _with_room((_about(failure, quoted) for failure in failures), numbers)
    return _joined([opening, *parts, _text("again dropped") if dropped else again])


def _in_runs(numbers: Sequence[int]) -> str:
    """Rising numbers in words, as in "edits 1 to 4, 7": every run of them is its two ends."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ("edits " if len(numbers) > 1 else "edit ") + ", ".join(" to ".join(map(str, run)) for run in runs)


def is_repair_message(text: str) -> bool:
    """Return whether a text begins as `repair_message` does."""
    openings = (sections("repair")[name] for name in ("opening one", "opening some"))
    return any(filled(opening, "[0-9]+").match(text) for opening in openings)


def form_message(about: Sequence[tuple[int, str]], reminder: str) -> str:
    """Return the message about a reply that shows code and has no edit.

    about: each listing's line, and why it is no edit; "" if only its file is not known.
    """
    reasons = "\n".join(_cut(reason) or _text("no edits listing", line=str(line)) for line, reason in about[:_LISTINGS])
    return _joined([_text("no edits"), reasons, _text("no edits again"), reminder])


def wider_message(failures: Sequence[Failure], excerpts: Sequence[Excerpt]) -> str:
    """Return the message of the next step: each failure in a sentence, and the definitions around their places."""
    about = (f"{_heading(failure.result)}\n{_cut(failure.result.reason or '')}".rstrip() for failure in failures)
    *parts, again = _with_room(about, [failure.result.n for failure in failures], LONGEST_MESSAGE // 2)
    size = sum(map(len, parts)) + _RESERVED
    for excerpt in excerpts:
        place = {"path": excerpt.path, "start": str(excerpt.start), "end": str(excerpt.end), "name": excerpt.name}
        heading = _text("definition" if excerpt.name else "lines", **place)
        part = f"{heading}\n{_quoted(excerpt.text)}"
        size += len(part) + 2
        if size <= LONGEST_MESSAGE:
            parts.append(part)
    return _joined([_text("wider"), *parts, again])


def whole_message(path: str, text: str, language: str = "") -> str:
    """Return the message of the last step: the file, and the request to send it back whole."""
    fence = fence_around([text])
    form = fill(format_document("whole").sections["form"], {"open": fence.opening, "close": fence.right})
    file = f"{_text('whole text', path=path)}\n{fence.around(text, language)}"
    return _joined([_text("whole", path=path), form, file])


def _with_room(about: Iterable[str], numbers: Sequence[int], room: int = LONGEST_MESSAGE) -> list[str]:
    """Return the texts about the first edits, as many as have room, then which others failed, then what to send."""
    parts: list[str] = []
    size = _RESERVED
    # `about` is lazy: a correction is costly, and none is made beyond what has room. One always goes in, however long.
    for part in about:
        size += len(part) + 2
        if size > room and parts:
            break
        parts.append(part)
    left_out, last = numbers[len(parts) :], "again one" if len(numbers) == 1 else "again some"
    if left_out:
        parts.append(_text("left out", count=str(len(left_out)), first=str(left_out[0]), last=str(left_out[-1])))
    return [*parts, _text(last)]


def _about(failure: Failure, quoted: set[Excerpt]) -> str:
    """Return all there is to say about one edit, without an excerpt that is in `quoted` already."""
    result, lines = failure.result, failure.lines
    nearest = result.nearest if result.nearest is not None and result.nearest.is_alike else None
    hint = _text("stale") if result.code is Code.STALE else result.hint or ""
    parts = [_heading(result), _cut(result.reason or ""), _cut(hint)]
    if nearest is not None:
        parts += [_kind(nearest, failure.corrected), _first_difference(nearest)]
    if failure.corrected is not None:
        parts += [_text("corrected"), failure.corrected.rstrip("\n")]
    if lines is not None and lines not in quoted:
        quoted.add(lines)
        heading = _text("likely" if nearest is None else "region", start=str(lines.start), end=str(lines.end))
        parts.append(f"{heading}\n{_quoted(lines.text)}")
    return "\n".join(part for part in parts if part)


def _heading(result: BlockResult) -> str:
    path = _cut(result.path or result.block.path or "")
    return _text("heading path", n=str(result.n), path=path) if path else _text("heading", n=str(result.n))


def _kind(nearest: Nearest, corrected: str | None) -> str:
    """Return a sentence for the kind of difference; "" if the lines that are quoted next show it.

    A corrected edit has something left to change, so the edit is in the file only in part.
    """
    if nearest.difference is Difference.MISREMEMBERED:
        return ""
    if nearest.difference is Difference.ALREADY_APPLIED and corrected is not None:
        return _text("difference partly-applied")
    return _text(f"difference {nearest.difference.value}")


def _first_difference(nearest: Nearest) -> str:
    """Return the first line that differs, as the edit quotes it and as the file has it."""
    match nearest:
        case Nearest(line=int(line), expected=str(quoted), found=str(found)):
            differs, file_has = _text("differs", line=str(line)), _text("file has")
            # Both lines are cut at one place, so that they can be compared.
            start = max(0, shared(quoted, found) - _BEFORE_DIFFERENCE)
            quoted, found = (_cut(text, start if len(text) > _LONGEST_LINE else 0) for text in (quoted, found))
            return f"{differs}\n{_quoted(quoted, line=True)}\n{file_has}\n{_quoted(found, line=True)}"
        case Nearest(line=int(line), expected=None, found=str(found)):
            return f"{_text('missing', line=str(line))}\n{_quoted(found, line=True)}"
        case Nearest(expected=str(quoted)):
            return f"{_text('surplus')}\n{_quoted(quoted, line=True)}"
    return ""


def _quoted(text: str, *, line: bool = False) -> str:
    """Return a text between fences, cut to its limit. line: it is one line, without its line end."""
    text = _cut(text, most=_LONGEST_LINE if line else _LONGEST_TEXT)
    return fence_around([text]).around(f"{text}\n" if line else text)


def _cut(text: str, start: int = 0, most: int = _LONGEST_LINE) -> str:
    """Return at most `most` characters of a text from `start` on, with an ellipsis for each part left out."""
    before, after = "…" if start else "", "…" if len(text) - start > most else ""
    return f"{before}{text[start : start + most]}{after}"


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _text(name: str, /, **values: str) -> str:
    return fill(sections("repair")[name], values)
