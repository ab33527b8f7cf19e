r"""Blocks: the edits of a reply as parsed, with everything that their format can state.

A block is what was parsed, not what will happen; no file has been looked at.

Texts of line-based formats hold whole lines, each closed by ``\n``: no line at all is ``""``, one blank line is
``"\n"``. Only a block with `inline` set searches for a run of characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

from dovetail.model.diagnostics import Diagnostic
from dovetail.model.snapshot import from_root

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind(StrEnum):
    """What a block asks for.

    edit: to replace `search` by `replace`; an empty search creates the file.
    rewrite: to make `replace` the file's whole text, whether the file exists or not.
    create: the same for a file that does not exist, or has this very text.
    delete: to remove the file.
    rename: to move the file to `destination`, its text unchanged. (An edit or a rewrite may have a destination, too.)
    """

    EDIT = "edit"
    REWRITE = "rewrite"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to split a block's lines into search and replace."""

    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class Parts:
    """The four parts of an `anchored` or `guillemet` block, in file order."""

    leading: str
    old: str
    new: str
    trailing: str = ""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a block says about its place besides its text. Hints settle ambiguity; only a scope may rule a place out.

    `line` is the 1-based line where the search should begin. `scope` holds the `@@` headers, outermost first; where the
    search is `within` it, no other definition is meant: a diff's header only names what stands above. `at_start` and
    `at_end` say that the search touches the file's start or end.
    """

    line: int | None = None
    scope: tuple[str, ...] = ()
    within: bool = False
    at_start: bool = False
    at_end: bool = False


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class LineTarget:
    """Lines of the text that the model saw, by their numbers from 1.

    first, last: the lines that the new ones replace; `last` is `first` - 1 where they go above `first`. `first` is None
    where they go behind the last line.
    hashes: numbers of lines, each with the hash that the model saw beside it.
    index: how many line edits stand before it in its call; all of them count lines in the same text.
    """

    first: int | None
    last: int
    hashes: tuple[tuple[int, str], ...] = ()
    index: int = 0


@dataclass(frozen=True, slots=True)
class SymbolTarget:
    """A definition by the path of its name, as ``Class/method``; a leading ``/`` makes it the whole path.

    action: whether the new text replaces the definition or goes ``before`` or ``after`` it.
    """

    name: str
    action: Literal["replace", "before", "after"]


@dataclass(frozen=True, slots=True)
class CellTarget:
    """A cell of a notebook.

    cell: its id, or its number from 0 in the notebook that the model saw; -1 is the last one.
    action: what to do with it; ``before`` and ``after`` add a cell there.
    language: ``markdown``, or any other word for code; None where nothing is said.
    """

    cell: str | int
    action: Literal["replace", "delete", "before", "after"]
    language: str | None = None


Target = LineTarget | SymbolTarget | CellTarget


class Around(NamedTuple):
    """The text around a block that may name its file, as it stands there: nothing is judged.

    inside: the lines between its fence's opening and the block, the nearest first; info: what the fence's opening says.
    above: the lines above the fence, or above a block without one, the nearest first, blank ones too.
    in_force: by form alone they name nothing surer than the path in force, which `path` then is.
    """

    inside: tuple[str, ...] = ()
    info: str = ""
    above: tuple[str, ...] = ()
    in_force: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Block:
    """One edit as a reply states it.

    format: the name of the format it was read in, as users type it.
    kind: what it asks for.
    path: the file it names, cleaned of decoration, with ``/`` as separator; None if the reply names none.
    search, replace: those of the first reading; with `parts`, the parts joined. Whole lines, each with its ``\\n``,
    unless `inline`.
    raw: its text in the reply, from its first to its last marker, without the lines of path and fence.
    line: the line of the reply, from 1, where `raw` begins.
    readings: the ways to split it into search and replacement, best first: at least one, at most 16.
    parts: the anchors with the old and new lines, of `anchored` and `guillemet` alone.
    hints: what it says about its place besides its text.
    target: the place that it names, where it quotes none of the file's text; `replace` is what it puts there.
    inline: the search is a run of characters that may begin and end inside a line.
    replace_all: every place takes the replacement.
    times: how many places there must be with `replace_all`; None where the edit does not say.
    last_end: whether the file's last line is to have a line end. It counts only where the search reaches the file's
    end, or the file is new. None where nothing is said, and the end stays as it is.
    destination: the new path of a renamed file (an edit or rewrite may carry one too).
    draft: it stands in a reasoning section and is not meant to be applied.
    malformed: why it did not parse; such a block is never applied.
    """

    format: str
    kind: Kind
    path: str | None
    search: str
    replace: str
    raw: str = ""
    line: int = 1
    readings: tuple[Reading, ...] = ()
    parts: Parts | None = None
    hints: Hints = NO_HINTS
    target: Target | None = None
    inline: bool = False
    replace_all: bool = False
    times: int | None = None
    last_end: bool | None = None
    destination: str | None = None
    draft: bool = False
    malformed: Diagnostic | None = None

    # What the formats note for `place` and `plan`. No part of the public interface.

    # Other texts that may be its path, best first, without `path`.
    path_candidates: tuple[str, ...] = ()
    # `path` was taken from a sentence above the block. It counts only if the search stands in that file.
    mentioned: bool = False
    # Paths that the reply names between `path` and the block. The files decide which one is meant.
    rivals: tuple[str, ...] = ()
    # Where the block carries no path of its own: `path` and all paths that the text above it names. If the file at
    # `path` does not contain the search and just one of the others does, the block is for that one.
    named: tuple[str, ...] = ()
    # The lines around it, where its format leaves it to them to name the file.
    around: Around | None = None
    # The folder from which its paths are given, where that is known.
    root: str = ""
    # Its format keeps the file's order, and it is not the first of its file section: it stands behind the one before.
    follows: bool = False
    # The words above a listing say that it shows a file, or what the reader may write. Beside edits that quote their
    # file it is none.
    quoted: bool = False
    # The words above it say that it takes an earlier block's place ("Wait, let me update that block").
    corrects: bool = False
    # Prose, and not only a path, stands between the block before it and this one.
    introduced: bool = False
    # The lines above a listing, or a block that is introduced, the nearest first.
    above: tuple[str, ...] = ()
    # The language that a listing's fence names.
    fence: str = ""
    # The reply does not clearly announce this listing as a file's text; comparing it with the file decides.
    shown: bool = False

    def __repr__(self) -> str:
        return f"<Block {self.format} {self.kind} {self.path or '(no file)'}, line {self.line} of the reply>"

    def at_line(self, line: int) -> Block:
        """Return the same block with one hint only: its search begins at `line`, from 1."""
        return replace(self, hints=Hints(line=line))

    def with_path(self, path: str | None) -> Block:
        """Return the same block for the file at `path`, or for no file, without its other clues to a path."""
        return replace(self, path=path, path_candidates=(), mentioned=False, rivals=(), named=(), around=None)

    def relative_to(self, root: str) -> Block:
        """Return the same block with absolute paths under the folder `root` made relative to it."""
        return replace(self.with_paths(lambda path: from_root(path, root)), around=self.around, root=root)

    def with_paths(self, renamed: Callable[[str], str]) -> Block:
        """The same block, each path that it names or may name turned into another.

        The lines around it name paths as they were: where a relative one becomes another, they count no more.
        """
        return replace(
            self,
            path=renamed(self.path) if self.path is not None else None,
            destination=renamed(self.destination) if self.destination is not None else None,
            path_candidates=tuple(map(renamed, self.path_candidates)),
            rivals=tuple(map(renamed, self.rivals)),
            # any relative name will do to see whether relative ones change
            around=self.around if renamed("file") == "file" else None,
        )

    @property
    def is_listing(self) -> bool:
        """Whether the block's form, a listing or a diff, is also used for examples in replies."""
        return self.format in ("whole", "udiff")

    def quotes(self, reading: Reading) -> bool:
        """Return whether a reading's search has text to find: more than blanks, or with `inline` than line ends."""
        return bool(reading.search.strip("\r\n" if self.inline else None))

    def __post_init__(self) -> None:
        if not self.readings:
            object.__setattr__(self, "readings", (Reading(self.search, self.replace),))


def quotes(block: Block) -> bool:
    """Return whether the block is an edit that names its place, or quotes text of the file in each of its readings."""
    return block.kind is Kind.EDIT and (block.target is not None or all(map(block.quotes, block.readings)))


def searches(block: Block) -> list[str]:
    """Return the searches of the block's readings, without those that have no text to find."""
    return [reading.search for reading in block.readings if block.quotes(reading)]


@dataclass(frozen=True, slots=True)
class ShellSuggestion:
    """A command that the reply suggests. Dovetail lists it and never runs it.

    `origin` says where it stood: ``fence``, ``inline``, ``tool-call``, or the artifact action's type. `folder` is where
    it starts, where the call says it.
    """

    command: str
    line: int
    origin: str = "fence"
    folder: str = ""


@dataclass(frozen=True, slots=True)
class DatabaseAction:
    """A `supabase` action of an artifact: `operation` is ``migration`` or ``query``, `sql` its content."""

    operation: str
    sql: str
    line: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply says: its edits, what else it asks for, and what is wrong with it, each in the reply's order.

    Commands and database actions are listed; Dovetail runs none of them. `unread` holds what may be a change and is
    read as none, such as a listing below a sentence: the new text where it is known, and in `malformed` what to write
    instead. A plan compares it with the files.
    """

    blocks: tuple[Block, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    shell_suggestions: tuple[ShellSuggestion, ...] = ()
    database_actions: tuple[DatabaseAction, ...] = field(default=())
    unread: tuple[Block, ...] = ()

    @property
    def has_edits(self) -> bool:
        """Whether the reply has a block that is not a draft."""
        return any(not block.draft for block in self.blocks)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that blocks name, each once, in the reply's order."""
        return tuple(dict.fromkeys(b.path for b in self.blocks if b.path is not None))

    def relative_to(self, root: str) -> Parsed:
        """Return the same reply with absolute paths under the folder `root` made relative to it."""
        folder = root.replace("\\", "/").rstrip("/")
        blocks, unread = (tuple(b.relative_to(folder) for b in some) for some in (self.blocks, self.unread))
        return replace(self, blocks=blocks, unread=unread) if folder else self

    def with_paths(self, renamed: Callable[[str], str]) -> Parsed:
        """Return the same reply with `renamed` applied to each path that a block names."""
        blocks, unread = (tuple(b.with_paths(renamed) for b in some) for some in (self.blocks, self.unread))
        return replace(self, blocks=blocks, unread=unread)

    def by_file(self) -> dict[str | None, tuple[Block, ...]]:
        """The blocks by the path that each names; those that name none are under None."""
        groups: dict[str | None, list[Block]] = {}
        for block in self.blocks:
            groups.setdefault(block.path, []).append(block)
        return {path: tuple(blocks) for path, blocks in groups.items()}
