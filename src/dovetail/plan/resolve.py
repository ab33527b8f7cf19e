"""Which file a block means.

An exact path is itself. Everything else is a guess: it is reported, it applies only to edits that quote text, and it
never creates. A guess that the name does not settle needs the search text, to the letter, in that file and no other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dovetail.match import Document
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Severity
from dovetail.model.dataclasses import dataclass
from dovetail.model.diagnostics import Diagnostic
from dovetail.plan.locator import Locator
from dovetail.plan.paths import guesses, is_absolute, leaves, tidy
from dovetail.plan.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Resolved:
    """The path a block means; nothing need be there yet."""

    path: str
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """No path can be made out, or one that is never touched."""

    code: Code
    reason: str
    hint: str
    path: str | None = None


def quotes(block: Block) -> bool:
    """Whether the block quotes text that its file must have."""
    return block.kind is Kind.EDIT and all(map(block.quotes, block.readings))


def resolve(block: Block, shelf: Shelf, locator: Locator) -> Resolved | Unresolved:
    """Find the file that a block means, as things stand now in the reply."""
    names = names_of(block, shelf.tree.paths)
    if names and names[0] in shelf.snapshot.refused:
        reason = shelf.snapshot.refused[names[0]]
        return Unresolved(Code.OUTSIDE_ROOT, reason, "Name a file inside the root.", names[0])
    if not names:
        return _by_text(block, shelf, locator)
    if not quotes(block):  # what quotes nothing goes where it is told
        if names[0] not in shelf.tree.paths:
            return _absent(block, names, shelf, locator)
        return _only_mentioned(names[0]) if block.mentioned else Resolved(names[0])
    existing = [name for name in names if name in shelf.tree.paths and name not in shelf.snapshot.refused]
    if len(names) > 1 and (named := _named_with_text(block, names[0], existing, shelf, locator)) is not None:
        return named
    if existing[:1] == names[:1]:
        return Resolved(names[0])
    found = _absent(block, names, shelf, locator)
    if isinstance(found, Unresolved) and existing and not guesses(names[0], shelf.tree):
        return Resolved(existing[0], (_guessed(names[0], existing[0]),))
    return found


def _named_with_text(block: Block, first: str, existing: list[str], shelf: Shelf, locator: Locator) -> Resolved | None:
    """Of several files that a block may name, the one that has its search text; None where the text does not decide."""
    having = [name for name in existing if _has_text(block, name, shelf, locator)]
    if first in having:
        return Resolved(first)
    if len(having) != 1:
        return None
    message = f"Taken to be meant for `{having[0]}`, which the reply names too and which has the search text."
    return Resolved(having[0], (Diagnostic(Code.PATH_GUESSED, message, Severity.WARNING, having[0]),))


def _has_text(block: Block, path: str, shelf: Shelf, locator: Locator) -> bool:
    text = shelf.at(path).text
    if text is None:
        return False
    searches = (reading.search for reading in block.readings if block.quotes(reading))
    return any(stands_in(locator.document(text), search, inline=block.inline) for search in searches)


def names_of(block: Block, existing: Collection[str]) -> list[str]:
    """The tidied names that a block gives its file, best first."""
    given = (() if block.path is None else (block.path,)) + block.path_candidates
    return list(dict.fromkeys(tidy(name, existing) for name in given))


def _absent(block: Block, names: list[str], shelf: Shelf, locator: Locator) -> Resolved | Unresolved:
    """The first name does not exist."""
    name = names[0]
    moved = shelf.moved_to(name)
    if leaves(name):
        return Unresolved(
            Code.OUTSIDE_ROOT, f"`{name}` leaves the root.", "Name the file by its path from the root.", name
        )
    if block.destination is not None and (target := tidy(block.destination, shelf.tree.paths)) in shelf.tree.paths:
        return Resolved(name if block.kind is Kind.RENAME else target)
    if moved is not None and moved in shelf.tree.paths and quotes(block):
        return Resolved(moved, (_guessed(name, moved, "this reply moves it there"),))
    if quotes(block):
        return _guess(block, names, shelf, locator)
    if is_absolute(name):
        reason = f"`{name}` is an absolute path; nothing is created or replaced by one."
        return Unresolved(Code.OUTSIDE_ROOT, reason, "Name the file by its path from the root.", name)
    return Resolved(name)


def _guess(block: Block, names: list[str], shelf: Shelf, locator: Locator) -> Resolved | Unresolved:
    absent = [name for name in names if name not in shelf.tree.paths]
    found = [guess for name in absent for guess in guesses(name, shelf.tree)]
    for guess in found:
        if guess.by_name:
            return Resolved(guess.path, (_guessed(names[0], guess.path),))
    holding = holders(block, shelf, locator)
    if len(holding) == 1 and any(guess.path == holding[0] for guess in found):
        return Resolved(holding[0], (_guessed(names[0], holding[0], "the search text stands there alone"),))
    hint = "Create it with an empty search, or name a file that exists."
    if len(holding) == 1:
        hint = f"The search text stands in `{holding[0]}`; if that is the file, name it."
    elif found:
        hint = "Is it one of these: " + ", ".join(f"`{guess.path}`" for guess in found[:3]) + "?"
    return Unresolved(Code.FILE_MISSING, f"`{names[0]}` does not exist.", hint, names[0])


def _only_mentioned(name: str) -> Unresolved:
    """A sentence may speak of any file; nothing is put into one, or in its place, for that."""
    reason = f"The block quotes nothing, and `{name}` is only mentioned above it."
    return Unresolved(Code.NO_PATH, reason, "Write the file's path on a line of its own before the block.", name)


def _by_text(block: Block, shelf: Shelf, locator: Locator) -> Resolved | Unresolved:
    hint = "Write the file's path on the line before the block."
    if not quotes(block):
        return Unresolved(Code.NO_PATH, "The block names no file.", hint)
    holding = holders(block, shelf, locator)
    if len(holding) == 1:
        message = f"The block names no file; taken to be `{holding[0]}`, which alone has the search text."
        return Resolved(holding[0], (Diagnostic(Code.PATH_GUESSED, message, Severity.WARNING, holding[0]),))
    many = f", and the search text stands in {len(holding)} files" if holding else ""
    return Unresolved(Code.NO_PATH, f"The block names no file{many}.", hint)


def _guessed(name: str, path: str, why: str = "") -> Diagnostic:
    message = f"`{name}` does not exist; taken to be `{path}`" + (f", since {why}." if why else ".")
    return Diagnostic(Code.PATH_GUESSED, message, Severity.WARNING, path)


def holders(block: Block, shelf: Shelf, locator: Locator) -> tuple[str, ...]:
    """The files in which the search stands to the letter; where none has it, those that have the replacement."""
    searches = [reading.search for reading in block.readings if block.quotes(reading)]
    found = tuple(_holding(searches, shelf, locator, inline=block.inline))
    if found:
        return found
    replacements = [reading.replace for reading in block.readings if len(reading.replace.split()) > 1]
    return tuple(_holding(replacements, shelf, locator, inline=block.inline))


def _holding(texts: list[str], shelf: Shelf, locator: Locator, *, inline: bool) -> Iterator[str]:
    for path, text in shelf.texts():
        document = locator.document(text)
        if any(stands_in(document, wanted, inline=inline) for wanted in texts):
            yield path


def stands_in(document: Document, wanted: str, *, inline: bool) -> bool:
    """Whether a text stands to the letter in a document, as whole lines unless `inline`."""
    if inline:
        return wanted in document.lf
    return next(document.whole_lines(wanted), None) is not None
