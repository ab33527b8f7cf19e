"""Decides which file a block means, and which files a plan may need to read.

An exact path is itself. Everything else is a guess: it is reported, it applies only to edits that quote text, and it
never creates. A guess that the name does not settle needs the search text, to the letter, in that file and no other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from dovetail.formats.paths.forms import has_known_end, is_word
from dovetail.formats.paths.words import LEADS
from dovetail.match import Document
from dovetail.model.blocks import Block, Kind, Parsed, quotes, searches
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import Snapshot
from dovetail.model.work import STEPS_PER_REPLY, TooMuchWorkError, limited
from dovetail.place.mentioned import named_files
from dovetail.place.named import with_files
from dovetail.place.tree import OUTSIDE_HINT, Tree, by_name, elsewhere, guesses, leaves_root, reason_outside, tidy
from dovetail.shell import changes_files
from dovetail.shell.named import files_named
from dovetail.text.comments import defines
from dovetail.text.line import distinctive
from dovetail.text.path_spelling import is_absolute
from dovetail.text.pattern import pattern

SMALL_TREE = 256
# Matches at the start alone: `path/to/`, `/absolute/path/to/your/`, `your-project/`; not `src/path/to/` or
# `mypath/to/`, which are folders like any other.
_PLACEHOLDER = pattern(
    r"/?(?:(?:absolute|full|your|the)[/_-])?path[/_-]to/(?:your/|the/)?|/?your[/_-](?:project|repo)/"
)
# Finds `./parts/` and `Header` in `import H from "./parts/Header.js"`; a package (`from "react"`) is none.
_IMPORT = pattern(r"""['"](\.{1,2}/(?:[\w.-]+/)*)([\w-]+)(?:\.\w+)?['"]""")
_NAME_IT = "If another file is meant, name it by its path from the root."
_ON_ITS_OWN = "Write the file's path, in backticks, on a line of its own before the block."


class Files(Protocol):
    """The files as changed by the plan so far.

    root: the folder that the reply's absolute paths of existing files begin with, if all agree; else None.
    """

    tree: Tree
    snapshot: Snapshot
    root: str | None

    def document(self, path: str) -> Document | None:
        """Return the text that a file has now, or None if there is none."""

    def documents(self) -> Iterator[tuple[str, Document]]:
        """Yield path and text of every file that can be read now."""

    def takes(self, block: Block, path: str) -> bool:
        """Return whether an edit lands in the file at a path as it is now."""

    def moved_to(self, path: str) -> str | None:
        """Return where this reply moved the file at a path, or None."""

    def absence(self, path: str) -> str:
        """Return a sentence that says that no file is at a path."""


class Resolved(NamedTuple):
    """The path that a block means; no file need exist there yet."""

    path: str
    warnings: tuple[Diagnostic, ...] = ()


class Unresolved(NamedTuple):
    """The failure of a block whose path cannot be determined, or is never touched."""

    code: Code
    reason: str
    hint: str | None
    path: str | None = None


def resolve(block: Block, files: Files) -> Resolved | Unresolved:
    """Find the file that a block means, given the blocks before it.

    The order of the checks matters. Paths that may never be touched are refused before anything is guessed. Then the
    text decides between names, as a search that only one file contains is surer than any wording. Last come guesses at
    a name that no file has.
    """
    # Nearly all blocks end here: their lines name one path, and a file has it.
    plain = not (block.path_candidates or block.rivals or block.mentioned)
    if plain and block.path in files.tree.paths and block.path not in files.snapshot.refused:
        return Resolved(block.path)
    names = names_of(block, files.tree)
    if names and names[0] in files.snapshot.refused:
        reason = files.snapshot.refused[names[0]]
        return Unresolved(Code.OUTSIDE_ROOT, reason, OUTSIDE_HINT, names[0])
    if not names:
        return _by_text(block, files)
    # A path outside of the root must not be taken for a file inside that has the same ending.
    if is_absolute(names[0]) and elsewhere(names[0], block.root):
        reason = f"`{names[0]}` lies outside of the root, `{block.root}`."
        return Unresolved(Code.OUTSIDE_ROOT, reason, OUTSIDE_HINT, names[0])
    if not quotes(block):  # without quoted text only the path decides
        return _destination_of(block, names, files)
    # The path in force is from the block before, and lines since then name other files: the one of all these that
    # contains the search is meant.
    if block.rivals and (decided := _among_rivals(block, names[0], files)) is not None:
        return decided
    # Several names: the surest if its file holds the search, else the one file that does.
    existing = [name for name in names if name in files.tree.paths and name not in files.snapshot.refused]
    if len(names) > 1 and (named := _named_with_text(block, names[0], existing, files)) is not None:
        return named
    if existing[:1] == names[:1]:
        return Resolved(names[0])
    # The surest name is no existing file. It may be misspelt, or the unique ending of a path; if not, a less sure name
    # that exists is taken.
    found = _absent(block, names, files)
    if isinstance(found, Unresolved) and existing and not guesses(names[0], files.tree):
        return _guessed(names[0], existing[0])
    return found


def _destination_of(block: Block, names: list[str], files: Files) -> Resolved | Unresolved:
    """Resolve a block that quotes nothing, if it names its file beyond doubt."""
    name, tree = names[0], files.tree
    if block.rivals:
        return _several(name, "`, `".join(block.rivals))
    if _is_bare(block, name) and name not in tree.paths:
        reason = f"The block quotes nothing, and nothing says that `{name}` is a file's name."
        return Unresolved(Code.NO_PATH, reason, _ON_ITS_OWN, name)
    # `Create the file notes.txt` names `notes.txt`, and by its form perhaps `file notes.txt` too
    phrases = _phrases_of(block, name)
    if name in tree.paths:
        # a name on a line of its own, or all of a phrase: it stands there to name the file
        whole = not block.mentioned or _is_bare(block, name) or name in _phrases_of(block, block.path or "")
        if whole or _fills_file(block, files.document(name)):
            return Resolved(name)
        # a sentence may speak of any file
        reason = f"The block quotes nothing, and `{name}` is only mentioned above it."
        return Unresolved(Code.NO_PATH, reason, _ON_ITS_OWN, name)
    for phrase in phrases:
        if _is_path_with_blanks(phrase):
            return Resolved(phrase)
        # `docs/the new notes.md`, where `docs` exists: no sentence begins with a folder of this project
        if tree.is_folder(phrase.rpartition("/")[0]) and not _names_another(phrase):
            return Resolved(phrase)
        # `name` or all of the phrase, with no text to decide: only words that lead to a name rule the phrase out
        if block.kind is Kind.REWRITE or not _leads_to(phrase, name):
            return _several(name, phrase)
    return _absent(block, names, files)


def _among_rivals(block: Block, name: str, files: Files) -> Resolved | Unresolved | None:
    """Choose the one of the path in force and those named since that takes the search; None if none does."""
    having = _takers(block, name, files)
    if len(having) > 1:
        both = "`, `".join(having[:-1])
        reason = f"The search text fits in `{both}` and `{having[-1]}`, and the reply names them both above the block."
        return Unresolved(Code.AMBIGUOUS, reason, _ON_ITS_OWN, name)
    if not having:
        return None
    return _also_named(having[0]) if having[0] != name else Resolved(name)


def _named_with_text(block: Block, first: str, existing: list[str], files: Files) -> Resolved | None:
    """Choose the one of several named files that contains the search; None if the text does not decide."""
    # a name that this reply moved away means nothing else now, however another file ends
    meant = by_name(first, files.tree) if files.moved_to(first) is None else first
    if meant is not None and _holds(block, meant, files):
        return Resolved(first) if meant == first else _guessed(first, meant)
    having = [name for name in existing if _holds(block, name, files)]
    return _also_named(having[0]) if len(having) == 1 else None


def named_in(blocks: Iterable[Block], tree: Tree) -> set[str]:
    """Return the existing files that the blocks name, or that the text above blocks without their own path names."""
    names = (name for block in blocks for name in (block.path, *block.named) if name is not None)
    return {path for name in names if (path := by_name(tidy(name, tree.paths), tree)) is not None}


def misplaced(results: Sequence[BlockResult], tree: Tree) -> dict[int, Block]:
    """Return the blocks, by number and with their path removed, that were placed in a wrong file.

    They have no path of their own and did not match in their file, and their text stands in one other file alone, which
    the reply names. Of 1,912 real replies and reports this turns one report right, and changes no other.
    """
    # only blocks whose file was taken from the lines above: a path of the block's own is never overruled
    missed = [r for r in results if r.code is Code.NO_MATCH and r.block.named]
    telling = [r for r in missed if any(map(distinctive, r.block.search.split("\n")))]
    named = named_in((r.block for r in results), tree) if telling else set()
    return {
        r.n: r.block.with_path(None)
        for r in telling
        for note in r.warnings
        if note.code is Code.FOUND_ELSEWHERE and note.path in named
    }


def _also_named(path: str) -> Resolved:
    return _warned(path, f"Taken to be meant for `{path}`, which the reply names too and which has the search text.")


def _absent(block: Block, names: list[str], files: Files) -> Resolved | Unresolved:
    """Resolve a block whose first name is no existing file."""
    name = names[0]
    moved = files.moved_to(name)
    # no folder `path/to` may be created because a prompt's example had one
    if not quotes(block) and (folder := _PLACEHOLDER.match(name)) and not files.tree.is_folder(folder[0].rstrip("/")):
        reason = f"`{folder[0]}` only stands for a folder, and no file under the root is named as `{name}` goes on."
        return Unresolved(Code.NO_PATH, reason, "Name the file by its path from the root.", name)
    if leaves_root(name):
        return Unresolved(Code.OUTSIDE_ROOT, reason_outside(name), OUTSIDE_HINT, name)
    # the move was made already: the rename stays with its old name, an edit goes on at the new one
    if block.destination is not None and (target := tidy(block.destination, files.tree.paths)) in files.tree.paths:
        return Resolved(name if block.kind is Kind.RENAME else target)
    if moved is not None and moved in files.tree.paths and quotes(block):
        return _guessed(name, moved, "this reply moves it there")
    if quotes(block):
        return _guess(block, names, files)
    if is_absolute(name):
        # the reply's edits of existing files prove where its root is, so a new file may be made below it
        below = name.removeprefix(f"{files.root}/") if files.root is not None else name
        if below != name:
            return _warned(
                below, f"`{name}` is taken to be `{below}`: the reply's other paths begin with `{files.root}`."
            )
        path = by_name(name, files.tree) if block.kind is Kind.REWRITE else None
        if path is not None and _is_root(name.removesuffix(path), block.root):
            return _guessed(name, path)
        reason = f"`{name}` is an absolute path; nothing is created or replaced by one."
        return Unresolved(Code.OUTSIDE_ROOT, reason, OUTSIDE_HINT, name)
    return Resolved(name)


def _guess(block: Block, names: list[str], files: Files) -> Resolved | Unresolved:
    absent = [name for name in names if name not in files.tree.paths]
    for path in (by_name(name, files.tree) for name in absent):
        if path is not None:
            return _guessed(names[0], path)
    found = [path for name in absent for path in guesses(name, files.tree)]
    holding, text = holders(block, files)
    # only one file has the text, and its name is like the given one, or the reply names that file, too
    if len(holding) == 1 and holding[0] in (*found, *named_in((block,), files.tree)):
        return _guessed(names[0], holding[0], f"the {text} stands there alone")
    reason, hint = files.absence(names[0]), "Name a file that exists, or send all of its text as a new file."
    if not found and is_absolute(names[0]):
        reason = f"`{names[0]}` is an absolute path, and no file under the root is meant by it."
        hint = OUTSIDE_HINT
    if len(holding) == 1:
        hint = f"The {text} stands in `{holding[0]}`; if that is the file, name it."
    elif _is_bare(block, names[0]):
        hint = _ON_ITS_OWN
    elif found:
        hint = "Is it one of these: " + ", ".join(f"`{path}`" for path in found[:3]) + "?"
    if _is_bare(block, names[0]):
        return Unresolved(Code.NO_PATH, f"Nothing says that `{names[0]}` is a file's name.", hint, names[0])
    return Unresolved(Code.FILE_MISSING, reason, hint, names[0])


def _fills_file(block: Block, document: Document | None) -> bool:
    """Return whether the block overwrites nothing: its file is blank, or has the block's text already, as after the
    reply was applied."""
    if document is None:
        return False
    present = document.lf.strip().splitlines()
    wanted = (reading.replace.strip().splitlines() for reading in block.readings)
    return present in wanted or (block.kind is Kind.EDIT and not present)


def _several(name: str, other: str) -> Unresolved:
    """Return the failure of a block that quotes nothing and may mean either of two names."""
    reason = f"The block quotes nothing, and may be meant for `{name}` or `{other}`."
    return Unresolved(Code.NO_PATH, reason, _ON_ITS_OWN, name)


def _by_text(block: Block, files: Files) -> Resolved | Unresolved:
    """Resolve a block without a path to the only file that has its text.

    For blocks between markers this turns one report right, of 5,100 real replies, calls and reports, and changes no
    other.
    """
    hint = "Write the file's path on the line before the block."
    if not quotes(block):
        return Unresolved(Code.NO_PATH, "The block names no file.", hint)
    holding, text = holders(block, files)
    if len(holding) == 1:
        return _warned(holding[0], f"The block names no file; taken to be `{holding[0]}`, which alone has the {text}.")
    many = f", and the {text} stands in {len(holding)} files" if holding else ""
    return Unresolved(Code.NO_PATH, f"The block names no file{many}.", hint)


def _is_root(folder: str, root: str) -> bool:
    """Return whether an absolute folder may be the root on another machine: it has the root's name, or no parent."""
    names = folder.strip("/").split("/")
    return len(names) == 1 or names[-1] == root.rpartition("/")[2]


def _guessed(name: str, path: str, why: str = "") -> Resolved:
    if is_absolute(name) and name.endswith(f"/{path}") and not why:
        return _warned(path, f"`{name}` is an absolute path; taken to be `{path}`, the file that it ends with.")
    return _warned(path, f"`{name}` does not exist; taken to be `{path}`" + (f", since {why}." if why else "."))


def _warned(path: str, message: str) -> Resolved:
    """Return a guessed path, with a warning."""
    return Resolved(path, (Diagnostic(Code.PATH_GUESSED, message, Severity.WARNING, path, hint=_NAME_IT),))


class Holders(NamedTuple):
    """The files that have a block's text, and which text that is: ``search text`` or ``new text``."""

    paths: tuple[str, ...]
    text: str


def _holds(block: Block, path: str, files: Files) -> bool:
    """Return whether the file at a path contains the search, letter for letter."""
    document = files.document(path)
    return document is not None and _is_in(document, searches(block), inline=block.inline)


def holders(block: Block, files: Files) -> Holders:
    """Return the files that contain the search, letter for letter; if none does, those that contain the replacement.

    A file that contains the whole edit with its markers, such as a saved reply, does not count.
    """
    # a new text of one word (`}`, `pass`) stands in any file
    replacements = [reading.replace for reading in block.readings if len(reading.replace.split()) > 1]
    for texts, what in ((searches(block), "search text"), (replacements, "new text")):
        having = ((p, d.lf) for p, d in files.documents() if _is_in(d, texts, inline=block.inline))
        found = tuple(path for path, lf in having if not block.raw or block.raw not in lf)
        if found:
            return Holders(found, what)
    return Holders((), "new text")


def _takers(block: Block, name: str, files: Files) -> list[str]:
    """Return those of the files that a block may mean that take its search: letter for letter, else at any tier.

    The block has no path of its own: `name` is in force, and the reply named others (`rivals`) since. Empty if no other
    file than `name` is possible.
    """
    tree = files.tree
    named = (by_name(tidy(other, tree.paths), tree) for other in (name, *block.rivals))
    paths = [path for path in dict.fromkeys(named) if path is not None and path not in files.snapshot.refused]
    if paths in ([], [name]):
        return []
    # a looser tier finds something in many files, so it is tried only if no file has the search letter for letter
    return [path for path in paths if _holds(block, path, files)] or [
        path for path in paths if files.takes(block, path)
    ]


def _is_in(document: Document, texts: Sequence[str], *, inline: bool) -> bool:
    """Return whether a document contains one of the texts, letter for letter, as whole lines unless `inline`."""
    if inline:
        return any(text in document.lf for text in texts)
    return any(next(document.whole_lines(text), None) is not None for text in texts)


def names_of(block: Block, tree: Tree) -> list[str]:
    """Return the cleaned paths that a block may mean, best first."""
    stated = (() if block.path is None else (block.path,)) + block.path_candidates
    tidied = [tidy(name, tree.paths) for name in stated]
    # a path that exists is itself, whatever it looks like
    names = [n if n in tree.paths else _without_placeholder(_without_at(n, tree), tree) for n in tidied]
    return list(dict.fromkeys(names))


def _is_bare(block: Block, name: str) -> bool:
    """Return whether the name is only a word above the block, and a path only if such a file exists."""
    return block.mentioned and name == block.path and is_word(name)


def _phrases_of(block: Block, name: str) -> list[str]:
    """Return the candidates with blanks that end with the name of a mentioned path; each may be the whole name."""
    return [text for text in block.path_candidates if block.mentioned and text.endswith(f" {name}")]


def _leads_to(phrase: str, name: str) -> bool:
    """Return whether a phrase is only lead-in words before a name: ``Create the file name``."""
    return all(word.strip(",:;.").lower() in LEADS for word in phrase.removesuffix(name).split())


def _is_path_with_blanks(phrase: str) -> bool:
    """Return whether a phrase is hardly a sentence: it begins with a folder, and has no lead-in word."""
    words = phrase.split()
    first = words[0].partition("/")
    return (
        bool(first[0] and first[2]) and LEADS.isdisjoint(word.lower() for word in words) and not _names_another(phrase)
    )


def root_of(blocks: Iterable[Block], tree: Tree) -> str | None:
    """Return the folder that the reply takes for the root: the beginning of its absolute paths of existing files, in
    edits that quote text. None if these disagree, or there are none."""
    prefixes: set[str] = set()
    for block in blocks:
        proves = block.path is not None and not block.draft and quotes(block)
        name = tidy(block.path or "", tree.paths) if proves else ""
        if is_absolute(name) and (path := by_name(name, tree)) is not None and name != path:
            prefixes.add(name.removesuffix(f"/{path}"))
    return prefixes.pop() if len(prefixes) == 1 else None


def _names_another(phrase: str) -> bool:
    """Return whether a word before the last of a phrase is a file's name, so that the whole phrase is none."""
    return any("." in word and has_known_end(word) for word in phrase.split()[:-1])


def imported_paths(blocks: Iterable[Block], tree: Tree) -> dict[str, Resolved]:
    """Return, by name, the paths of new files that a listing names without a folder: where the reply's other files
    import them from (``./parts/Header``), if all agree on the folder."""
    named = [block for block in blocks if block.path is not None and not block.draft]
    new = {block.path for block in named if block.format == "whole" and "/" not in (block.path or "/")}
    if not (new := {name for name in new if name is not None and name not in tree.paths}):
        return {}
    folders: dict[str, set[str]] = {}
    for block in named:
        folder = (block.path or "").rpartition("/")[0]
        for found in _IMPORT.finditer(block.replace) if folder else ():
            folders.setdefault(found[2], set()).add(_joined(folder, found[1]))
    paths: dict[str, Resolved] = {}
    for name in new:
        if len(having := folders.get(name.partition(".")[0], set())) == 1 and (folder := next(iter(having))):
            path = f"{folder}/{name}"
            paths[name] = _warned(path, f"`{name}` is taken to be `{path}`, from where the reply imports it.")
    return paths


def _joined(folder: str, relative: str) -> str:
    """Return the folder that `relative` names from `folder`; "" if it leaves the root."""
    parts = folder.split("/")
    # `src/pages` and `../parts/` give `src/parts`
    for part in relative.strip("/").split("/"):
        if part == ".." and not parts:
            return ""
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _without_placeholder(name: str, tree: Tree) -> str:
    """Return a name without a placeholder folder from a prompt (``path/to/``), if that names an existing file."""
    found = _PLACEHOLDER.match(name)
    if found is None or tree.is_folder(found[0].rstrip("/")):
        return name
    return by_name(name[found.end() :], tree) or name


def _without_at(name: str, tree: Tree) -> str:
    """Return a name without the ``@`` of a chat's mention, unless that is part of it, by the files that exist."""
    plain = name.removeprefix("@")
    folder = plain.rpartition("/")[0]
    if plain == name or name in tree.paths or tree.is_folder(name.partition("/")[0]):
        return name
    return plain if by_name(plain, tree) is not None or not folder or tree.is_folder(folder) else name


def wanted_paths(blocks: Parsed | Sequence[Block], tree: Collection[str]) -> tuple[str, ...]:
    """Return the paths that a snapshot for these blocks should hold, in order and once each.

    tree: the files that exist, relative to the root. Named paths are returned even if `tree` lacks them, as it may
    leave out ignored files; the caller skips those that do not exist. Guesses are existing paths only, at most 16 for
    each name.
    If a block names no existing file, its text has to be searched for: then all of a tree of at most `SMALL_TREE` paths
    is returned.
    """
    known, shown = (blocks.blocks, blocks.unread) if isinstance(blocks, Parsed) else (tuple(blocks), ())
    existing = Tree(tree)
    # the same first step as in the plan, or the snapshot would lack files that the lines above name
    known = tuple(with_files(dict(enumerate(known)), tree).values())
    of_shown = (by_name(tidy(block.path, existing.paths), existing) for block in shown if block.path is not None)
    wanted = dict.fromkeys(path for path in of_shown if path is not None)
    wanted.update(dict.fromkeys(path for block in shown if block.is_listing for path in named_files(block, existing)))
    unknown: dict[str, None] = {}
    for said in blocks.shell_suggestions if isinstance(blocks, Parsed) else ():
        if changes_files(said.command):
            wanted.update(dict.fromkeys(files_named(said.command, existing.paths)))
    wanted.update(dict.fromkeys(found.path for found in imported_paths(known, existing).values()))
    nameless = (block for block in shown if block.is_listing and block.path is None)
    search_all = any(map(defines, (line for block in nameless for line in block.replace.split("\n"))))
    for block in known:
        if block.draft:
            continue
        names = names_of(block, existing)
        if block.malformed is not None:
            wanted.update(dict.fromkeys(name for name in names[:1] if name in existing.paths))
            continue
        if block.destination is not None:
            names.append(tidy(block.destination, existing.paths))
        # a block that quotes text and names no existing file is found by its text: in near names, then in a small tree
        absent = quotes(block) and not any(name in existing.paths for name in names)
        others = [tidy(name, existing.paths) for name in block.rivals]
        wanted.update(dict.fromkeys(name for name in (*names, *others) if not leaves_root(name)))
        if quotes(block):
            alone = (by_name(name, existing) for name in (*names, *others) if name not in existing.paths)
            wanted.update(dict.fromkeys(path for path in alone if path is not None))
            wanted.update(dict.fromkeys(sorted(named_in((block,), existing)) if block.named else ()))
        if absent:
            unknown.update(dict.fromkeys(names))
            search_all = True
    with limited(STEPS_PER_REPLY), suppress(TooMuchWorkError):  # the plan repeats this, and reports the edit
        for name in unknown:
            wanted.update(dict.fromkeys(guesses(name, existing)))
    if search_all and len(existing.paths) <= SMALL_TREE:
        wanted.update(dict.fromkeys(sorted(existing.paths)))
    return tuple(wanted)
