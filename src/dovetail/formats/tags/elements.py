r"""Tags whose attributes name a file, as builders of websites and prompts made at home have them.

Grammar::

    element = "<" name attribute* ">" text "</" name ">"  |  "<" name attribute+ "/>"
    name    = "file"  |  prefix "-" ("write" | "create" | "delete" | "rename")  |  "write_file" and its like
            | "edit"  |  "change"  |  another of `ELEMENTS`  |  any that speaks of a change, or of a block or a file
    attribute = field "=" text in quotes                 a path, and what `call_edits` reads beside it
    text    = children  |  hunk+  |  the file's own, where the name is none of the last line

The path stands in an attribute, or in a tag of its own (`children`). A file's text is the whole of it; one fence or a
CDATA section around it is the reply's. Where it holds blocks, or fences beside other text, the tag only names their
path, and so does one that is not closed before the next begins. What can be neither is malformed: a program's text does
not begin with a tag, and a name that only speaks of a change does not say what the text is. Of a block or a file in
other words nobody knows whether it is shown or meant, so it is told of in a note. A closing tag stands alone on its
line, or ends one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.calls import shapes
from dovetail.formats.calls.tool_call import give
from dovetail.formats.calls.tool_names import Act, seems_to_edit, squashed
from dovetail.formats.lines import fences
from dovetail.formats.lines.paths import Form, form_of, has_known_end, normalise
from dovetail.formats.lines.vocabulary import ELEMENTS, FILE_CALLS, FILE_TEXTS, INSERTS, OLD_TEXTS, OTHERS
from dovetail.formats.scan import faults
from dovetail.formats.tags import children
from dovetail.formats.tags.tagged import Tagged, unwrapped, whole_text
from dovetail.model.blocks import Block, Kind

if TYPE_CHECKING:
    from dovetail.formats.calls.call_edits import Item
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.scanner import GiveBack, Scanner

_OPENING = re.compile(
    r"[ \t]*<(?P<tag>(?:[a-z]{2,12}-(?P<verb>write|create|delete|rename))"
    rf"|(?P<call>{FILE_CALLS})"
    rf"|(?:{ELEMENTS})(?![\w-])|(?P<other>{OTHERS}))(?P<given>{children.ATTRIBUTES})\s*(?P<alone>/)?>",
    re.IGNORECASE,
)
_NAMES_FILE = frozenset(("path", "filepath", "file", "filename", "name", "originalfilepath", "from"))
_PLAIN = ("path", "filepath", "filename")
_BEGUN = re.compile(
    r"\s*(?:<(?:file_?)?path>(?P<path>[^<>\n]{1,400})</[\w-]{1,40}>\s*)?<(?:content|contents|code)>", re.IGNORECASE
)
_CALLS = {None: "write_file", Act.CREATE: "create_file", Act.DELETE: "delete_file", Act.RENAME: "move_file"}
_WRITES = ("write_file", "create_file")
_WHOLE = (Kind.REWRITE, Kind.CREATE)
_PAGE_TAG = re.compile(r"\s*<(?:code|line|search|summary|title)[\s>]", re.IGNORECASE)
_PATCHES = (".diff", ".patch")
_MAY_HOLD_TAGS = (*fences.MARKUP, *fences.DOCUMENTS)
_ALONE = re.compile(r"[ \t]*:?[ \t]*(?:$|<)")
_HUNK = re.compile(r"\s*(?:@@|--- \S[^\n]*\n\+\+\+ )")
_FILE_TEXT = re.compile(rf"(?mi)^[ \t]*</?(?:{FILE_TEXTS})>")
_PAIR = re.compile(rf"(?mi)^[ \t]*<(?:{OLD_TEXTS})(?:\s[^<>\n]{{0,400}})?>")
_HALF = re.compile(rf"(?mi)^[ \t]*</(?:{OLD_TEXTS})>[ \t]*\n\s*<[\w-]{{2,20}}>[ \t]*$")
"""The end of an old text and the beginning of a new one."""
_TAG_FIRST = re.compile(r"\s*</?[a-z][\w-]{0,39}(?:\s[^<>\n]{0,400})?>", re.IGNORECASE)
_TAGLESS = (*fences.PROGRAMS, ".cfg", ".ini", ".json", ".toml", ".yaml", ".yml")
"""Ends of files whose text never begins with a tag."""


class Opening:
    """The opening tag of an element, whose name is `tag`.

    verb: the name, where it says what becomes of the file, as the text says of any other. other: the name, where it is
    in no table. alone: the tag is closed in itself. stop: where it ends on its line.
    """

    def __init__(self, match: re.Match[str]) -> None:
        self.tag: str = match["tag"].lower()
        self.verb: str | None = match["call"] or match["verb"]
        self.other: str | None = match["other"]
        self.fields = children.attributes(match["given"])
        self.path = next((value for key, value in self.fields.items() if squashed(key) in _NAMES_FILE), None)
        self.alone = match["alone"] is not None
        self.stop = match.end()

    @property
    def block(self) -> bool:
        """Whether its name speaks of a block or a file, and of no change."""
        return self.other is not None and not seems_to_edit(self.other)

    def names_file(self) -> bool:
        """Whether it names a file, or may hold its path."""
        if self.other is not None:
            may_hold = not (self.block and self.alone) and children.role_of(self.other) not in children.HALVES
            return may_hold and self.path is not None and has_known_end(self.path)
        if self.path is None:
            return self.verb is None and not self.alone
        return not self.path.strip() or form_of(self.path) >= (Form.WORD if self._is_plain(self.path) else Form.QUOTED)

    def _is_plain(self, path: str) -> bool:
        """Whether an attribute says plainly that a word is a path, and the word does not say that again."""
        keys = {squashed(key) for key, value in self.fields.items() if value == path}
        return not keys.isdisjoint(_PLAIN) and not squashed(path).startswith(_PLAIN)


def opening(scanner: Scanner, text: str) -> Opening | None:
    """The element that a line begins, if that names a file, or may hold its path. What no tag ends was tried once."""
    match = _OPENING.match(text)
    found = Opening(match) if match is not None else None
    if found is None or (found.verb is None and not _ALONE.match(text, found.stop)):
        return None  # the second is a sentence about the tag
    tried = not found.alone and found.tag in scanner.tried.unclosed
    return found if found.names_file() and not tried else None


def _may_be_tags(path: str, text: str) -> bool:
    """Whether a file's own text may be made of such tags as edits are told in: in XML any, in a page those of HTML."""
    page = _PAGE_TAG.match(text) is not None
    return fences.ends_as(path, fences.XML) or (page and fences.ends_as(path, _MAY_HOLD_TAGS))


class Element(Tagged):
    """One element, kept whole until its tag closes. `around`: its text says what becomes of the file, not its name.

    In a fence, which may show an example, it only counts with edits that quote their file.
    """

    def __init__(self, scanner: Scanner, line: int, opening: Opening, fence: Fence | None) -> None:
        tag = re.escape(opening.tag)
        super().__init__(scanner, line, opening.stop, "" if opening.alone else rf"</{tag}>[ \t]*$", rf"<{tag}[\s>]")
        self.opening = opening
        self.fence = fence
        self.tag = opening.tag
        self.is_file, self.around = self.tag == "file", opening.verb is None
        self.path = opening.path or ""
        said = children.Said(None).given(opening.fields)._replace(path=self.path or None)
        if opening.verb is not None:
            said = said.doing(squashed(opening.verb).removesuffix("file"))
        if opening.other is not None:
            said = said._replace(act=None)  # what goes may be a part of the file
        self.said, self.name = said, _CALLS[said.act]

    def line(self, text: str, line: int) -> GiveBack | None:
        """The opening line, every line that may close the element, and every one that may begin the next."""
        if not (self.kept and self._begins_again(text)):
            return super().line(text, line)
        self.kept.append(text)
        self._tell_cut_off()
        return self.back()

    def _begins_again(self, text: str) -> bool:
        """Whether a line opens the next of such elements; in a file's text a tag without attributes is the file's."""
        match = _OPENING.match(text)
        return match is not None and match["tag"].lower() == self.tag and bool(match["given"] or not self.path)

    def end(self) -> GiveBack | None:
        """The reply ends inside."""
        self._tell_cut_off()
        self.scanner.tried.unclosed.add(self.tag)
        return self.back()

    def _tell_cut_off(self) -> None:
        """No tag closes it: the tag of edits may only name their file; any other element was cut off, and so was a
        file's where its text follows at once."""
        text = "".join(self.pieces).removeprefix("\n")
        if (path := self._cut_off(text)) is not None and self.fence is None:
            fault = faults.NO_END.at(self.first, format="tool-call")
            named = normalise(path) if path else None
            self.scanner.spoiled("tool-call", named, "".join(self.kept), self.first, fault)

    def _cut_off(self, text: str) -> str | None:
        """The file whose text was cut off, "" where none is named; None where the tag may only name it, or edits in it
        count by themselves."""
        begun = _BEGUN.match(text)
        if self.opening.other is not None:
            return self.path if text.strip() and not (self.opening.block or self._holds_edits(text)) else None
        if self.around and not self.is_file:
            return None
        if begun is not None:
            return begun["path"] or self.path
        if self.is_file and (text[:1].strip() in ("", "`", "~") or self._holds_edits(text)):
            return None
        return self.path or None

    def close(self) -> GiveBack | None:
        """Give the edits, or the lines back."""
        scanner, given = self.scanner, "".join(self.pieces)
        text = unwrapped(given)
        content = whole_text(given)
        found = self._by_children(text) if text == given else None  # in a CDATA section tags are the file's
        if found is None and self.fence is None:
            found = [(item, 0) for item in self._by_text(content)]
        if not found:
            self._note(content)
            if self.kept[-1].lstrip().startswith("</"):
                scanner.tried.text.add(self.first + given.count("\n"))
            return self.back()
        scanner.recent.clear()
        for item, at in found:
            whole = isinstance(item, Block) and item.kind in _WHOLE
            give(scanner, item, self.first + at, "whole" if self.is_file and whole else "tool-call")
        return None

    def _note(self, content: str) -> None:
        """Keep what is to be said of a tag with fences beside other text, or a block of its file."""
        if self.fence is None and (self.opening.block or self._shows(content)):
            note = faults.TAGGED if self._shows(content) else faults.IN_BLOCK
            self.scanner.notes.take(note, self.first, normalise(self.path))

    def _by_children(self, text: str) -> list[tuple[Item, int]] | None:
        """What the tags inside say; nothing where they edit a file that only the lines above may name, and are read
        again for themselves. None where there are none."""
        found = children.items(text, self.said)
        if not found:
            return None
        blocks = [item for item, _ in found if isinstance(item, Block)]
        if any(block.path is None for block in blocks):
            return found if self.is_file and self.fence is None and _PAIR.search(text) is None else []
        edits = all(block.kind is Kind.EDIT and block.malformed is None for block in blocks)
        if self.fence is not None or self.opening.block:
            return found if edits else []
        if not edits and self.path and _may_be_tags(self.path, text):
            why = "its tags may be the reply's, or the file's own; put the file's text into a CDATA section"
            return [(children.unread(self.said, why), 0)] if any(block.kind in _WHOLE for block in blocks) else found
        return found

    def _by_text(self, content: str) -> list[Item]:
        """What a file's own text says, or hunks; nothing where edits of another form stand in it."""
        path = self.path
        if self._holds_edits(content):
            return []
        bare = fences.unfenced(content, path)
        hunks = self.around and _HUNK.match(bare) and not fences.ends_as(path, (*_PATCHES, *fences.DOCUMENTS))
        if self.opening.block and not hunks:
            return []
        why = self._against(content, hunks=bool(hunks)) if path else self._against_nameless(content)
        if why is not None:
            return [children.unread(self.said, why)]
        if not path:
            return []
        if self.name not in _WRITES:
            return self._called(self.name)
        if hunks:
            return self._called("apply_patch", diff=bare)
        empty = not bare.strip()
        if empty and (self.opening.alone or (self.around and not self.is_file)):
            return []
        if empty:
            name = "create_file"  # no more is said than that it is there
        elif self.tag in INSERTS.split("|"):
            name = f"{self.tag}_text"
        else:
            name = self.name if self.is_file or not self.around else "edit_file"
        return self._called(name, content=content)

    def _against(self, content: str, *, hunks: bool) -> str | None:
        """Why a file's text cannot be read; None where it can."""
        if self.opening.other is not None and not hunks:
            return f"the tag `{self.opening.other}` does not say what its text is"
        if self.said.act in (Act.DELETE, Act.RENAME) and content.strip():
            return "it has a text, and its file goes"
        if self.name not in _WRITES:
            return None
        if not fences.ends_as(self.path, _MAY_HOLD_TAGS) and _HALF.search(content):
            return "its text holds tags of an edit, and not all of them"
        if fences.ends_as(self.path, _TAGLESS) and _TAG_FIRST.match(content):
            return "its text begins with a tag, as no such file does"
        return None

    def _against_nameless(self, content: str) -> str | None:
        """Why a text without a path cannot be read; None where it need not be, as nothing says that a file is meant."""
        if self.is_file and _FILE_TEXT.search(content):
            return "its tags cannot be told apart"
        return "it names no file" if self.opening.path is not None else None

    def _called(self, name: str, **more: str | None) -> list[Item]:
        """What a call of this name does with the tag's attributes, of which none may mean a part of the file."""
        given = {("path" if key == "name" else key): value for key, value in self.opening.fields.items()}
        given = {key: value for key, value in given.items() if squashed(key) not in children.ACT_NAMES}
        return list(shapes.of_call(name, {**given, **more}))

    def _holds_edits(self, content: str) -> bool:
        """Whether blocks or pairs stand in it, or fences and other text beside them."""
        lines = content.strip().split("\n")
        if any(self.scanner.grammar.start(line) is not None for line in lines if line.lstrip()[:1] in "<&-«\U0001f7e7"):
            return True
        if not fences.ends_as(self.path, _MAY_HOLD_TAGS) and _PAIR.search(content):
            return True
        return self._shows(content)

    def _shows(self, content: str) -> bool:
        """Whether fences stand in it, and other text beside them; in a document they are its own."""
        if not self.path or fences.ends_as(self.path, fences.DOCUMENTS):
            return False
        lines = content.strip().split("\n")
        return any(map(fences.is_fence_line, lines)) and fences.unfenced(content, self.path) == content
