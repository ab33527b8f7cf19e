"""Decides which listings of a reply are edits, by comparing each with the file that the lines above it name.

A listing below a sentence may be anything: a file's new text, a part of it, a quote, an example. The lines above say
which file it is about, in whatever words; `listings` says what it is to that file. A file that does not exist is made
where the line right above leads to its text. Of two listings of which the first quotes the file, and the second is its
like, the second takes the first one's place. Words count only where they say that a text is not meant for the file.
A person may say which file a listing is for; comparing still tells what it is to that file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from dovetail.formats.fences import NO_FILES, SCRIPTS, SHELLS
from dovetail.formats.paths.forms import Form, has_known_end, in_line
from dovetail.formats.paths.words import LIBRARIES
from dovetail.match import Document
from dovetail.model.blocks import Block, Hints, Kind, Parsed
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import UsageError
from dovetail.model.language import Language
from dovetail.model.snapshot import Snapshot
from dovetail.model.text import closed, split_lines
from dovetail.place.mentioned import existing_in
from dovetail.place.tree import Tree, by_name, leaves_root, tidy
from dovetail.plan.listings import Quote, Unclear, Whole, leaves_little_of, read_listing
from dovetail.plan.meant import is_not_meant, speaks_for_it
from dovetail.text.languages import is_document, known_languages, language_of
from dovetail.text.line import distinctive
from dovetail.text.path_spelling import is_absolute
from dovetail.text.pattern import pattern

_LINES_ABOVE = 4
"""Lines of text above a listing that may name its file; its own heading may stand over a sentence or two."""
_SENTENCE = pattern(r"(?<=[.!?;])\s+(?=\S)|(?<=[。！？；])")
# Stands right before the name: "in your a.py", "su actual a.py", "copied from the old a.py".
_OWN = pattern(
    r"(?i)\b(?:your|votre|vos|ton|tes|tu|tus|su|sus|dein\w*|ihr\w*|seu|sua|teu|tuo|vostro|reference)\W+(?:\w+\W+)?$|[你您]的\W*$"
    r"|\b(?:from|aus|desde|depuis|из)\W+(?:\w+\W+){0,2}$"
)
"""What makes a file the reader's, or a source: there is one already."""
_WORD = pattern(r"[^\W_]+")
_LEADS = pattern(r"[:：]\W*$|^\s{0,3}#{1,6}\s|^\W*\*\*.+\*\*\W*$|\)\W*$|`\W*$")
"""How a line ends or looks that leads to the text below it."""
_LIKE = 0.5  # share of a quote's words in the text that replaces it
_PLAIN_TEXT = frozenset(("", "text", "txt", "plaintext", "plain"))
_KIN = ({"javascript", "typescript", "tsx", "jsx"}, {"json", "jsonc", "json5"}, {"c", "cpp", "objc"}, {"css", "scss"})
"""Languages that fences name for one another."""
_NO_NAMES: Mapping[int, str] = {}
_NOT_ASKED = "The words above the listing say that it is not `{path}` as that is to be."
_NOT_SAID = "No words above the listing say that it is to be in `{path}`."


class _Named(NamedTuple):
    """A file named in a line; `exists` says whether it is there."""

    path: str
    exists: bool
    line: str


class _Quoted(NamedTuple):
    """A listing whose lines its file already has, and their place there."""

    path: str
    at: Quote
    block: Block


def with_listings(
    parsed: Parsed, snapshot: Snapshot, language: Language, used: Mapping[int, str] = _NO_NAMES
) -> Parsed:
    """Return the reply with the listings that are edits added after its blocks; quotes are left out.

    used: the files that a person chose for listings, by the line in which each begins; these come after all
    others, in this order, so that the choice changes no other edit's number.
    """
    if not any(block.is_listing for block in parsed.unread):
        return parsed
    reader = _Reader(snapshot, language)
    edits: list[Block] = []
    unread: list[Block] = []
    notes: set[Diagnostic | None] = set()
    chosen = {block.line: block for block in parsed.unread if block.is_listing and block.line in used}
    for block in parsed.unread:
        read = reader.read(block)
        if block.is_listing and block.line in chosen:
            continue
        match read:
            case Block(shown=True) as edit:
                edits.append(edit)
                notes.add(block.malformed)
            case Block() as other:
                unread.append(other)
                notes |= {block.malformed} - {other.malformed}
            case None:
                notes.add(block.malformed)
    for line in filter(chosen.__contains__, used):
        edit = reader.as_file(chosen[line], used[line])
        (edits if edit.malformed is None else unread).append(edit)
        notes.add(chosen[line].malformed)
    found = tuple(note for note in parsed.diagnostics if note not in notes)
    return replace(parsed, blocks=(*parsed.blocks, *edits), unread=tuple(unread), diagnostics=found)


def listing_for(parsed: Parsed, snapshot: Snapshot, language: Language, path: str) -> int | None:
    """Return the line of the only listing that can be used as the file at `path`; None if no listing needs a file.

    Listings that are edits anyway do not count. Of several, those count that name no other file, whose fence may hold
    the file's language, and that do not only quote it. Raises `UsageError` if not exactly one is left, or if that one
    has no place in the file.
    """
    reader = _Reader(snapshot, language)
    listings: list[Block] = []
    elsewhere: set[int] = set()
    quotes: set[int] = set()
    edited = {block.path for block in parsed.blocks if not block.draft}
    for block in parsed.unread:
        read = reader.read(block)
        if not block.is_listing:
            continue
        if read is not None and read.malformed is None:
            edited.add(read.path)
            continue
        listings.append(block)
        named = reader.named(block)
        elsewhere |= {block.line} if named is not None and named.path != path else set()
        quotes |= {block.line} if read is None or reader.quotes(block, path) else set()
    if not listings and path in edited:
        return None
    if not listings:
        hint = "Leave out --as: edits name their files." if parsed.has_edits else "Check that all of it was copied."
        raise UsageError(f"The reply has no listing to use as `{path}`.", hint=hint)
    # a test that would leave none is skipped: a reply may have only quotes of the file
    likely: Sequence[Block] = [block for block in listings if block.line not in elsewhere] or listings
    likely = [block for block in likely if _fits(block.fence, path)] or likely
    likely = [block for block in likely if block.line not in quotes] or likely
    if len(likely) > 1:
        lines = [f"{n} (line {block.line})" for n, block in enumerate(listings, 1) if block in likely]
        several = f"{', '.join(lines[:-1])} and {lines[-1]}"
        hint = "Put the one that you mean, with its fence, into a reply of its own."
        raise UsageError(f"Any of the reply's listings {several} may be `{path}`.", hint=hint)
    read = reader.as_file(likely[0], path)
    if read.malformed is not None:
        hint = "Have the change sent as a search/replace block, or all of the file."
        raise UsageError(f"Line {read.line} of the reply: {read.malformed.message}", hint=hint)
    return read.line


class _Reader:
    """Reads the listings of one reply in order. quoted: the last one, if it is a quote."""

    def __init__(self, snapshot: Snapshot, language: Language) -> None:
        self.snapshot = snapshot
        self.language = language
        self.tree = Tree(snapshot.paths)
        self.quoted: _Quoted | None = None

    def read(self, block: Block) -> Block | None:
        """Return a listing as an edit, or as unread with the reason; None for a quote or if nothing is to report."""
        before, self.quoted = self.quoted, None
        if not block.is_listing:
            return block
        named = self.named(block)
        if block.format == "udiff":
            return self._change_by_signs(block, named.path, named.line) if named is not None else block
        text = block.replace
        # a first line `# src/a.py` is nearer to the text than any line above
        if (on_first := self._on_first_line(text)) is not None:
            named, text = on_first, text.partition("\n")[2]
        if named is None:
            return self._in_place_of(before, block, None) or block
        if not named.exists:
            return self._new_file(block, named, text)
        file = self.snapshot.files.get(named.path)
        if file is None or file.text is None or block.kind is not Kind.REWRITE:
            return replace(block, path=named.path)
        if not file.text.strip():
            return self._new_file(block, named, text)
        document = Document(file.text)
        found = read_listing(document, text, named.path, self.language)
        if isinstance(found, Quote):
            self.quoted = _Quoted(named.path, found, block)
            return None
        if isinstance(found, Unclear):
            return self._in_place_of(before, block, named) or self._told(block, named, document, found)
        # the comparison found an edit; the words above can only reject it, or leave it open
        if is_not_meant(named.line, named.path):
            return _unread(block, named.path, _NOT_ASKED.format(path=named.path))
        if not speaks_for_it(named.line, named.path, text):
            return _unread(block, named.path, _NOT_SAID.format(path=named.path))
        return replace(block, path=named.path, replace=text, malformed=None, shown=True)

    def as_file(self, block: Block, path: str) -> Block:
        """Return a listing as an edit of the file that a person chose for it, or the reason why it has no place there.

        It is read first like any listing below the file's name, then as one announced as all of the file's text.
        """
        file = self.snapshot.files.get(path)
        if block.format == "udiff":
            edit = self._change_by_signs(block, path, above="")
            return edit if edit.shown else _unread(block, path, f"Its signs are no change of `{path}`.")
        edit = replace(block, kind=Kind.REWRITE, path=path, malformed=None, shown=True)
        if file is None or not (file.text or "").strip():
            return edit if block.kind is Kind.REWRITE else _unread(block, path, f"It is not all of `{path}`.")
        document = Document(file.text or "")
        reason = ""
        # First as a listing that may be a part, which merges small pieces; then as the whole text, which a part of
        # the file must not become (`leaves_little_of`).
        for declared in (False, True):
            found = read_listing(document, block.replace, path, self.language, declared=declared)
            if isinstance(found, Whole) and block.kind is not Kind.REWRITE:
                reason = f"It is not all of `{path}`, and nothing says where in it it belongs."
            elif isinstance(found, Whole) and leaves_little_of(document, block.replace):
                reason = (
                    f"In the place of `{path}` it would leave little of it, and nothing says where it belongs there."
                )
            elif isinstance(found, Unclear):
                reason = f"Nothing says where in `{path}` the listing belongs. {found.reason}"
            else:
                return replace(edit, shown=not declared)
        return _unread(block, path, reason)

    def quotes(self, block: Block, path: str) -> bool:
        """Return whether the file at `path` has all of a listing in one run."""
        text = file.text if (file := self.snapshot.files.get(path)) is not None else None
        found = read_listing(Document(text), block.replace, path, self.language) if text else None
        return isinstance(found, Quote)

    def named(self, block: Block) -> _Named | None:
        """Return the file that a listing is for, by the nearest line above it that names one.

        A file that does not exist counts only in the line right above.
        """
        # rows of a table name many files, and introduce no listing
        lines = [line for line in block.above if line.strip() and line.lstrip()[:1] != "|"][:_LINES_ABOVE]
        for n, line in enumerate(lines):
            names = list(existing_in(line, self.tree))
            if len(names) == 1:
                return _Named(names[0], exists=True, line=line)
            new = [] if names else list(_new_names(line, self.tree))
            # several names: nothing says which of them is meant, and a line further up is about something else
            if names or len(new) > 1:
                return None
            if new and n == 0 and _LEADS.search(line):
                return _Named(new[0], exists=False, line=line)
            if new:
                return None
        return None

    def _on_first_line(self, text: str) -> _Named | None:
        """Return the file whose path is all of a listing's first line."""
        line, _, rest = text.partition("\n")
        for best in in_line(line)[:1] if rest.strip() else ():
            if best.form is Form.STRONG and has_known_end(best.path) and line.strip() != best.path:
                path = by_name(tidy(best.path, self.tree.paths), self.tree)
                if path is None and "." not in best.path:
                    break  # a heading of a document
                return _Named(path or best.path, exists=path is not None, line=line)
        return None

    def _new_file(self, block: Block, named: _Named, text: str) -> Block | None:
        """Return a listing as a new file; None if its text is not that of such a file."""
        # named on the listing's own first line, or by a sentence that leads to more than one line of text
        sure = named.line in block.replace or (_is_new(named) and len(split_lines(text.strip())) > 1)
        meant = block.kind is Kind.REWRITE and sure and _fits(block.fence, named.path)
        meant = meant and not is_not_meant(named.line, named.path)
        return replace(block, path=named.path, replace=text, malformed=None, shown=True) if meant else None

    def _in_place_of(self, before: _Quoted | None, block: Block, named: _Named | None) -> Block | None:
        """Return an edit that replaces the quote right above a listing by the listing, if the two are alike."""
        if before is None or (named is not None and named.path != before.path) or block.fence != before.block.fence:
            return None
        lines = [line for line in block.above if line.strip()]
        old, new = (set(_WORD.findall(text)) for text in (before.block.replace, block.replace))
        # "Before:", a quote, "After:", its like: one line between the two, and half of the quote's words again
        if len(lines) > 1 or len(old & new) < _LIKE * len(old):
            return None
        return replace(
            block, kind=Kind.EDIT, path=before.path, search=closed(before.block.replace), readings=(), malformed=None,
            hints=Hints(line=before.at.first + 1), shown=True,
        )  # fmt: skip

    def _change_by_signs(self, block: Block, path: str, above: str) -> Block:
        """Return lines with diff signs as an edit of the file that the line above them names."""
        block, file = replace(block, path=path), self.snapshot.files.get(path)
        lines = [line for line in split_lines(block.raw) if line]
        if file is None or file.text is None or is_not_meant(above, path):
            return block
        if any(line[0] not in "+- " for line in lines) or not any(
            line[1:].strip() for line in lines if line[0] in "- "
        ):
            return block
        document = Document(file.text)
        # `- old` is the line ` old` in a diff, and `old` for whoever puts a blank behind the sign. What the file has
        # decides; if it has neither, the second is likelier.
        spaced = all(line[1:2] in (" ", "") for line in lines)  # one more behind the sign
        for first in (1, 2) if spaced else (1,):
            old, new = (closed("\n".join(line[first:] for line in lines if line[0] in signs)) for signs in ("- ", "+ "))
            if first == 1 + spaced or next(document.whole_lines(old), None) is not None:
                break
        return replace(block, kind=Kind.EDIT, search=old, replace=new, readings=(), malformed=None, shown=True)

    def _told(self, block: Block, named: _Named, document: Document, found: Unclear) -> Block | None:
        """Return a listing without a place as unread, if it shares a line or its language with its file."""
        shares = any(distinctive(line) and line.strip() in document.line_set for line in split_lines(block.replace))
        if not (shares or _is_of(block.fence, named.path)):
            return None
        return _unread(block, named.path, f"Nothing says where in `{named.path}` the listing belongs. {found.reason}")


def _unread(block: Block, path: str, message: str) -> Block:
    """Return a listing that a plan reports as unread, with the reason."""
    fault = block.malformed
    return replace(block, path=path, malformed=replace(fault, message=message) if fault is not None else None)


def _new_names(line: str, tree: Tree) -> Iterator[str]:
    """Return the paths in a line that do not exist and can be created."""
    for candidate in in_line(line):
        path = tidy(candidate.path, tree.paths)
        known = "/" in path or (has_known_end(path) and path not in LIBRARIES)
        if candidate.form >= Form.MENTION and known and not is_absolute(path) and not leaves_root(path):
            yield path


def _is_new(named: _Named) -> bool:
    """Return whether a sentence may lead to a new file: its last one names it, and not as the reader's own."""
    name = named.path.rpartition("/")[2]
    last = _SENTENCE.split(named.line.strip())[-1]
    before, found, _ = last.partition(name)
    return bool(found) and not name.endswith(".log") and _OWN.search(before) is None


def _canonical(word: str) -> str | None:
    return word if word in known_languages() else language_of(f"x.{word}") or language_of(word)


def _fits(word: str, path: str) -> bool:
    """Return whether a fence with a language's word may hold the text of a file at a path."""
    if word in SHELLS:
        return path.endswith(SCRIPTS)
    if word in NO_FILES:
        return False
    if word in _PLAIN_TEXT:
        return word == "" or is_document(path) or language_of(path) is None
    own, wanted = _canonical(word), language_of(path)
    return None in (own, wanted) or own == wanted or any({own, wanted} <= kin for kin in _KIN)


def _is_of(word: str, path: str) -> bool:
    """Return whether a fence says that it holds the language of a file."""
    return word not in _PLAIN_TEXT and _fits(word, path)
