"""Repairs edits whose text was decoded in a wrong encoding: ``â†’`` for an arrow, or letters lost to ``\ufffd``.

Search and replacement were misread if the file has none of the search's foreign signs, and if these, as bytes of some
encoding, are UTF-8 for signs of which the file has one. Then both are read anew; if two encodings say different things,
neither is. A lost letter is taken from the only line of the file that is the search's but for such letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from dovetail.model.text import split_lines
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_READ_AS = ("cp1252", "cp437", "cp850", "cp1251")
_FOREIGN = pattern(r"[^\x00-\x7f]+")
_LOST = "\ufffd"
_LOSSES = pattern("\ufffd+")
# A word with lost letters anywhere in it: `na\ufffdve`.
_WORD = pattern("[\\w\ufffd]*\ufffd[\\w\ufffd]*")
_MOST_LOSSES = 8  # in a line: more could be read in very many ways
_SHOWN = 3  # letters that a line must have for each lost one, so that no other line can be meant


def reread(search: str, replace: str, file: str) -> tuple[str, str]:
    """Return search and replacement as they were before they were misread, or unchanged if the search shows nothing."""
    if search.isascii():
        return search, replace
    runs = set(_FOREIGN.findall(search))
    new = {run for run in _FOREIGN.findall(replace) if run not in file and any(_decoded(run, e) for e in _READ_AS)}
    found: set[tuple[str, str]] = set()
    for encoding in () if any(run in file for run in runs) else _READ_AS:
        decoded = {run: _decoded(run, encoding) for run in runs | new}
        # `â†’` read as cp1252 is `→` in UTF-8. It counts if the file has a `→`, and nothing of the search as it is
        # written.
        if None not in decoded.values() and any((decoded[run] or run) in file for run in runs):
            found.add((_anew(search, encoding, file), _anew(replace, encoding, file)))
    if len(found) == 1:
        search, replace = found.pop()
    return _restored(search, replace, file) if _LOST in search and _LOST not in file else (search, replace)


def _decoded(run: str, encoding: str) -> str | None:
    """Return `run`, encoded in `encoding`, decoded as UTF-8; None if it cannot be."""
    try:
        # Bytes that stand for no sign were read as controls.
        read_as = ("latin-1" if "\x80" <= sign < "\xa0" else encoding for sign in run)
        return b"".join([sign.encode(name) for sign, name in zip(run, read_as, strict=True)]).decode()
    except UnicodeError:
        return None


def _anew(text: str, encoding: str, file: str) -> str:
    def decoded(run: re.Match[str]) -> str:
        found = _decoded(run[0], encoding)
        return run[0] if found is None or run[0] in file else found

    return _FOREIGN.sub(decoded, text)


def _restored(search: str, replace: str, file: str) -> tuple[str, str]:
    """Return search and replacement with their lost letters restored, or unchanged.

    They are restored if each line of the search that lost letters fits one line of the file, and these lines supply
    all that the replacement lost.
    """
    whole: dict[str, str] = {}
    words: dict[str, str] = {}
    alike = _by_what_is_left(split_lines(file))
    for line in {line.strip() for line in split_lines(search) if _LOST in line}:
        pattern = _pattern(line)
        found = [match for text in alike[_left(line)] if pattern is not None and (match := pattern.fullmatch(text))]
        # With fewer letters left than three for each lost one, `r\ufffds` could be any word.
        if len(found) != 1 or _SHOWN * sum(map(len, found[0].groups())) > sum(map(str.isalnum, line)):
            return search, replace
        whole[line] = found[0][0]
        lost = iter(found[0].groups())
        for word in _WORD.findall(line):
            decoded = _refilled(word, lost)
            # A word that would be restored in two ways stays as it is.
            words[word] = decoded if words.get(word, decoded) == decoded else word
    restored = tuple(_restored_text(text, whole, words) for text in (search, replace))
    return (restored[0], restored[1]) if _LOST not in restored[0] + restored[1] else (search, replace)


def _refilled(word: str, lost: Iterator[str]) -> str:
    return _LOSSES.sub(lambda _: next(lost), word)


def _pattern(line: str) -> re.Pattern[str] | None:
    """Return a pattern that matches a line as it was, each loss a group; None if it lost letters in many places.

    A letter is lost as one sign or several, so no more letters are lost than there are signs.
    """
    losses = [len(loss) for loss in _LOSSES.findall(line)]
    if len(losses) > _MOST_LOSSES:
        return None
    kept = map(re.escape, _LOSSES.split(line))
    # Lost letters were not ASCII, for those survive any reading.
    groups = (f"([^\\x00-\\x7f]{{1,{size}}}?)" for size in losses)
    return re.compile("".join(chain.from_iterable(zip_longest(kept, groups, fillvalue=""))))


def _by_what_is_left(lines: Iterable[str]) -> Mapping[str, set[str]]:
    """Lines without blanks at their ends, by what is left of them without their foreign letters."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        if not line.isascii():
            found[_left(line.strip())].add(line.strip())
    return found


def _left(line: str) -> str:
    return _FOREIGN.sub(_LOST, line)


def _restored_text(text: str, whole: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Return a text with its damaged lines and words replaced from `whole` and `words`."""

    def line_of(line: str) -> str:
        stripped = line.strip()
        if stripped in whole:
            return line.replace(stripped, whole[stripped])
        return _WORD.sub(lambda word: words.get(word[0], word[0]) if len(word[0].strip(_LOST)) else word[0], line)

    return "\n".join(line_of(line) if _LOST in line else line for line in text.split("\n"))
