"""Which file a block means.

An exact path is itself. Everything else is a guess: it is reported, it applies only to edits that quote text, and it
never creates. A guess that the name does not settle needs the search text, to the letter, in that file and no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.plan.files.holding import holders, holds, takers
from dovetail.plan.files.names import is_bare, leads_to, names_another, names_of, odd_names, phrases_of
from dovetail.plan.files.paths import by_name, guesses, is_absolute, leaves, outside, tidy
from dovetail.plan.files.shelf import Sheet, Shelf
from dovetail.plan.request import quotes

_ON_ITS_OWN = "Write the file's path, in backticks, on a line of its own before the block."


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
    hint: str | None
    path: str | None = None


def resolve(block: Block, shelf: Shelf) -> Resolved | Unresolved:
    """Find the file that a block means, as things stand now in the reply."""
    names = names_of(block, shelf.tree)
    if names and names[0] in shelf.snapshot.refused:
        reason = shelf.snapshot.refused[names[0]]
        return Unresolved(Code.OUTSIDE_ROOT, reason, "Name a file inside the root.", names[0])
    if not names:
        return _by_text(block, shelf)
    if not quotes(block):  # what quotes nothing goes where it is told
        return _told(block, names, shelf)
    if block.rivals and (decided := _among_rivals(block, names[0], shelf)) is not None:
        return decided
    existing = [name for name in names if name in shelf.tree.paths and name not in shelf.snapshot.refused]
    if len(names) > 1 and (named := _named_with_text(block, names[0], existing, shelf)) is not None:
        return named
    if existing[:1] == names[:1]:
        return Resolved(names[0])
    found = _absent(block, names, shelf)
    if isinstance(found, Unresolved) and existing and not guesses(names[0], shelf.tree):
        return _guessed(names[0], existing[0])
    return found


def _told(block: Block, names: list[str], shelf: Shelf) -> Resolved | Unresolved:
    """Where a block that quotes nothing is told to go, if it is told so beyond doubt."""
    name, tree = names[0], shelf.tree
    if block.rivals:
        return _several(name, "`, `".join(block.rivals))
    if (odd := odd_names(block, tree)) and name not in odd:
        return _several(name, "`, `".join(odd))
    if odd or (is_bare(block, name) and name not in tree.paths):
        reason = f"The block quotes nothing, and nothing says that `{name}` is a file's name."
        return Unresolved(Code.NO_PATH, reason, _ON_ITS_OWN, name)
    phrases = phrases_of(block, name)
    if name in tree.paths:
        whole = not block.mentioned or is_bare(block, name) or name in phrases_of(block, block.path or "")
        if whole or _fills(block, shelf.at(name)):
            return Resolved(name)
        # a sentence may speak of any file
        reason = f"The block quotes nothing, and `{name}` is only mentioned above it."
        return Unresolved(Code.NO_PATH, reason, _ON_ITS_OWN, name)
    for phrase in phrases:
        if tree.is_folder(phrase.rpartition("/")[0]) and not names_another(phrase):
            return Resolved(phrase)
        if block.kind is Kind.REWRITE or not leads_to(phrase, name):
            return _several(name, phrase)
    return _absent(block, names, shelf)


def _among_rivals(block: Block, name: str, shelf: Shelf) -> Resolved | Unresolved | None:
    """Of the path in force and those named since, the one that takes the search; None where none does."""
    having = takers(block, name, shelf)
    if len(having) > 1:
        both = "`, `".join(having[:-1])
        reason = f"The search text fits in `{both}` and `{having[-1]}`, and the reply names them both above the block."
        return Unresolved(Code.AMBIGUOUS, reason, _ON_ITS_OWN, name)
    if not having:
        return None
    return _also_named(having[0]) if having[0] != name else Resolved(name)


def _named_with_text(block: Block, first: str, existing: list[str], shelf: Shelf) -> Resolved | None:
    """Of several files that a block may name, the one that has its search text; None where the text does not decide."""
    meant = by_name(first, shelf.tree) if shelf.moved_to(first) is None else first
    if meant is not None and holds(block, meant, shelf):
        return Resolved(first) if meant == first else _guessed(first, meant)
    having = [name for name in existing if holds(block, name, shelf)]
    return _also_named(having[0]) if len(having) == 1 else None


def _also_named(path: str) -> Resolved:
    return _warned(path, f"Taken to be meant for `{path}`, which the reply names too and which has the search text.")


def _absent(block: Block, names: list[str], shelf: Shelf) -> Resolved | Unresolved:
    """The first name does not exist."""
    name = names[0]
    moved = shelf.moved_to(name)
    if leaves(name):
        return Unresolved(Code.OUTSIDE_ROOT, outside(name), "Name the file by its path from the root.", name)
    if block.destination is not None and (target := tidy(block.destination, shelf.tree.paths)) in shelf.tree.paths:
        return Resolved(name if block.kind is Kind.RENAME else target)
    if moved is not None and moved in shelf.tree.paths and quotes(block):
        return _guessed(name, moved, "this reply moves it there")
    if quotes(block):
        return _guess(block, names, shelf)
    if is_absolute(name):
        reason = f"`{name}` is an absolute path; nothing is created or replaced by one."
        return Unresolved(Code.OUTSIDE_ROOT, reason, "Name the file by its path from the root.", name)
    return Resolved(name)


def _guess(block: Block, names: list[str], shelf: Shelf) -> Resolved | Unresolved:
    absent = [name for name in names if name not in shelf.tree.paths]
    for path in (by_name(name, shelf.tree) for name in absent):
        if path is not None:
            return _guessed(names[0], path)
    found = [path for name in absent for path in guesses(name, shelf.tree)]
    holding, text = holders(block, shelf)
    if len(holding) == 1 and holding[0] in found:
        return _guessed(names[0], holding[0], f"the {text} stands there alone")
    reason, hint = shelf.absence(names[0]), "Create it with an empty search, or name a file that exists."
    if not found and is_absolute(names[0]):
        reason = f"`{names[0]}` is an absolute path, and no file under the root is meant by it."
        hint = "Name the file by its path from the root."
    if len(holding) == 1:
        hint = f"The {text} stands in `{holding[0]}`; if that is the file, name it."
    elif is_bare(block, names[0]):
        hint = _ON_ITS_OWN
    elif found:
        hint = "Is it one of these: " + ", ".join(f"`{path}`" for path in found[:3]) + "?"
    if is_bare(block, names[0]):
        return Unresolved(Code.NO_PATH, f"Nothing says that `{names[0]}` is a file's name.", hint, names[0])
    return Unresolved(Code.FILE_MISSING, reason, hint, names[0])


def _fills(block: Block, sheet: Sheet) -> bool:
    """Whether the block takes nothing from its file, and adds nothing to a text: the file is blank, as where a sentence
    names one to be created, or is what the block makes of it, as after the reply was applied."""
    if sheet.text is None:
        return False
    standing = sheet.text.strip().splitlines()
    made = (reading.replace.strip().splitlines() for reading in block.readings)
    return standing in made or (block.kind is Kind.EDIT and not standing)


def _several(name: str, other: str) -> Unresolved:
    """What quotes nothing has no text to decide between two names."""
    reason = f"The block quotes nothing, and may be meant for `{name}` or `{other}`."
    return Unresolved(Code.NO_PATH, reason, _ON_ITS_OWN, name)


def _by_text(block: Block, shelf: Shelf) -> Resolved | Unresolved:
    hint = "Write the file's path on the line before the block."
    if not quotes(block):
        return Unresolved(Code.NO_PATH, "The block names no file.", hint)
    holding, text = holders(block, shelf)
    if len(holding) == 1:
        return _warned(holding[0], f"The block names no file; taken to be `{holding[0]}`, which alone has the {text}.")
    many = f", and the {text} stands in {len(holding)} files" if holding else ""
    return Unresolved(Code.NO_PATH, f"The block names no file{many}.", hint)


def _guessed(name: str, path: str, why: str = "") -> Resolved:
    return _warned(path, f"`{name}` does not exist; taken to be `{path}`" + (f", since {why}." if why else "."))


def _warned(path: str, message: str) -> Resolved:
    """A path that the block does not plainly say."""
    return Resolved(path, (Diagnostic(Code.PATH_GUESSED, message, Severity.WARNING, path),))
