r"""Decides what a closed fence without a block is: a call, a file's text, changed lines, commands, or an example.

Grammar of a listing (the format `whole`)::

    listing = path fence  |  fence-with-path        path: a line of its own, decorated or not

A path counts if it stands directly before the fence (one blank line may come between) or in its info string, and if its
line does not say that a piece of the file follows. All other listings are passed on with the lines above them: a plan
compares them with the files. Shell, console, diff and output fences are never listings, except for a script's file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.formats import chat_tokens as tokens
from dovetail.formats import faults, fences, suggestions
from dovetail.formats.around import Place
from dovetail.formats.calls import json_call, python_call
from dovetail.formats.calls.call import Call, PatchText
from dovetail.formats.calls.give import give_all
from dovetail.formats.calls.shell_call import editor_call, items_of_command
from dovetail.formats.calls.values import items_of_call
from dovetail.formats.fences import Fence
from dovetail.formats.paths.forms import Form, form_of, has_known_end, in_line, peeled, says_path
from dovetail.formats.paths.info import shows_piece
from dovetail.formats.paths.words import LIBRARIES
from dovetail.formats.table import WHOLE
from dovetail.model.blocks import Block, Kind, Reading
from dovetail.text.languages import is_document, is_program
from dovetail.text.listed import listed
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.scanner import Scanner

_OWN_LINE = frozenset((Form.PHRASE, Form.SPACED, Form.STRONG))
_PIECES = listed("append before current delete excerpt insert old original partial prepend remove snippet suggestion")
"""Words in the place of a fence's language that say that the lines are a piece of their file."""
_MARKDOWN_NAME = pattern(r"\.(?:mdx?|markdown|rst|txt|adoc)\b")
_TAGGED_CALL = pattern(rf"\s*(?:{tokens.CALL_OPENS})")
_HUNK = pattern(r"(?m)^[ \t]*@@(?:[ \t-]|$)")
_CHANGED = pattern(r"(?m)^[+-]")
_ADDED = pattern(r"(?m)^[+](.*\n)")
# "The current config:", "You can also write:" and the like: what follows quotes the file or advises its reader.
_SHOWS = pattern(
    r"\b(?:already|checks?|current(?:ly)?|existing|original|provided)\b"
    r"|\byou (?:can|could|may|might|must|need|should)\b|\byou['’]ll\b",
    re.IGNORECASE,
)
# `rule:` … `fix:` is a rule of ast-grep; `edit 12:15` … `end_of_edit` is an edit by a window of an editor.
_CODE_RULE, _CODE_FIX = pattern(r"(?m)^rule:[ \t]*$"), pattern(r"(?m)^(?:fix|rewriters):")
_WINDOW_EDIT = pattern(r"(?m)^edit \d+:\d+[ \t]*$")
YAML = frozenset(("yaml", "yml", ""))


def names_file(text: str) -> bool:
    """Return whether a line is nothing but a path. A closing tag is none."""
    if "\n" in (line := text.strip()) or line.startswith("</"):
        return False
    cleaned, named, labelled = peeled(text)
    return form_of(cleaned, named=named, labelled=labelled) >= Form.SPACED


class Above:
    """Reads from the `lines` above a fence and its info string which file it may hold."""

    def __init__(self, scanner: Scanner, fence: Fence, lines: Sequence[str]) -> None:
        self.scanner = scanner
        self.fence = fence
        self.lines = lines

    @cached_property
    def place(self) -> Place:
        """The place that these lines give a block below them."""
        return self.scanner.place(None, self.lines)

    @cached_property
    def file(self) -> Place | None:
        """The file whose text the fence may hold; None unless a line of its own or the info string names one."""
        return self._file(self.fence, lenient=False)

    @cached_property
    def mentioned_file(self) -> Place | None:
        """The same as `file`, but a name in a sentence counts, too."""
        return self._file(self.fence, lenient=True)

    def changed_file(self, *, lenient: bool = False) -> Place | None:
        """Return the file whose changes a diff fence may hold, or None; `lenient`: also one that a sentence names."""
        # The same fence without its language: `diff` is a language that holds no file, and would rule the path out.
        return self._file(Fence(self.fence.mark, self.fence.path or ""), lenient=lenient)

    @cached_property
    def holds_fences(self) -> bool:
        """Whether the fence is around Markdown, which may hold fences of its own."""
        if self.fence.close:
            return False
        if self.fence.language in fences.MARKDOWN or is_document(self.fence.path):
            return True
        near = next(filter(str.strip, reversed(self.lines)), "").lower()
        return _MARKDOWN_NAME.search(near) is not None and any(is_document(c.path) for c in in_line(near))

    @cached_property
    def shows(self) -> bool:
        """Whether the sentence above says that the fence quotes a file, or shows what the reader may write."""
        return _SHOWS.search(self.sentence) is not None

    @cached_property
    def sentence(self) -> str:
        """The nearest line above that is neither blank nor a path alone; "" if there is none."""
        return next((line for line in reversed(self.lines) if line.strip() and not names_file(line)), "")

    def _file(self, fence: Fence, *, lenient: bool) -> Place | None:
        """Return the file of a listing in `fence`, from the info string, else from the line above; None for no listing.

        lenient: a file that a sentence names counts, too.
        """
        place, above = None, self.place
        if shows_piece(fence.info):
            return None
        # The info string goes before the line above; the paths named there stay candidates.
        if fence.path is not None and form_of(fence.path) is not Form.LANGUAGE:
            others = (above.path, *above.candidates) if above.path is not None and above.own else ()
            place = Place(fence.path, tuple(p for p in others if p != fence.path), own=True)
            place = place._replace(around=above.around and above.around._replace(info=fence.path))
        elif above.own and above.path is not None:
            form = self._form_above(above.path)
            if form in _OWN_LINE or (lenient and form is not Form.QUOTED):
                # A whole text quotes no lines that could confirm its path, so a plan is strict with a path that is only
                # `mentioned`.
                asked = form in (Form.SPACED, Form.STRONG) or (lenient and form not in (Form.LANGUAGE, Form.WORD))
                place = above._replace(mentioned=not asked)
        if place is None or place.path is None:
            return None
        if fence.language in fences.SHELLS:
            return place if fences.ends_as(place.path, fences.SCRIPTS) else None
        # JSON below `src/api.py` is what the program takes or prints, not its text.
        shows_data = fence.language in fences.DATA and is_program(place.path)
        return None if shows_data or fence.language in fences.NO_FILES else place

    def _form_above(self, path: str) -> Form | None:
        """Return the form in which the nearest line, above at most one blank line, names `path`, or None. PHRASE if
        `path` is the end of a path with blanks; INSIDE for a name that may be no file's (``### Array.map``), unless it
        is the whole line."""
        line = next((one for one in reversed(self.lines[-2:]) if one.strip()), "")
        forms = {c.path: c.form for c in in_line(line)}
        # `src/my file.py`: what was taken for the path `file.py` is the end of a path with blanks.
        phrased = any(f is Form.PHRASE and "/" in p.split()[0] and p.endswith(f" {path}") for p, f in forms.items())
        form = Form.PHRASE if phrased else forms.get(path) if forms.get(path) is not Form.PHRASE else Form.MENTION
        # `### Array.map` and `Node.js` end as files do. On a line of their own they count only if nothing else stands
        # there.
        known = "/" in path or (has_known_end(path) and path not in LIBRARIES)
        plain = known or line.strip().rstrip(":") == path or peeled(line).labelled
        return form if form not in _OWN_LINE or plain else Form.INSIDE


def give_content(above: Above, text: str, line: int, *, cut_off: bool = False, unsure: bool = False) -> None:
    """Pass on what a closed fence holds. `line` is the reply's line of its first content line.

    cut_off: the reply ends in it. unsure: the fence's end is uncertain.
    """
    scanner, fence = above.scanner, above.fence
    # The surest reading first; a fence that none takes is noted as a possible example.
    if fence.language not in fences.SHELLS and text.count("\n") <= 2 and names_file(text.strip()):
        scanner.recent.add(text.strip() + "\n")  # the path alone in a fence of its own, the block in the next
        return
    # Before the listing: a call below a path would replace that file by the call's JSON.
    if "tool-call" in scanner.wanted and _give_calls(above, text, line):
        return
    if not text.strip() and scanner.notes.enabled and "whole" in scanner.wanted and (file := above.file) is not None:
        scanner.sink.diagnose(faults.EMPTY.at(line, path=file.path))
    if "whole" in scanner.wanted and text.strip():
        place = above.file
        # The user said that listings are files: then a name inside the fence or in a sentence is enough.
        if scanner.asked == WHOLE:
            inside = None if fence.language in fences.NO_FILES else _on_first_line(text)
            place = place or inside or above.mentioned_file
        if place is not None:
            block = listing(place, fence, text, line, cut_off=cut_off)
            block = replace(block, quoted=True) if above.shows else block
            scanner.sink.whole(block, faults.FENCES_INSIDE.at(line) if unsure else None)
            scanner.put_in_force(place)
            return
    if fence.language in fences.DIFFS and give_bare_diff(above, text, line):
        return
    if fence.language in fences.SHELLS:
        _give_commands(above, fence.without_indent(text), line)
    _note(above, text, line - 1, complete=not (cut_off or unsure))


def _give_commands(above: Above, text: str, line: int) -> None:
    """Pass on what a shell's fence holds: a call, in an agent's protocol; else a patch, or commands to be listed."""
    scanner = above.scanner
    # A shell fence is an offer to people, so only a patch counts; `COMMANDS` are fences that an agent runs.
    items = [*items_of_command(Call("bash", {"command": text}))]
    if above.fence.language not in fences.COMMANDS:
        items = [item for item in items if isinstance(item, PatchText) and "apply-patch" in scanner.wanted]
    give_all(scanner, [(item, line) for item in items])
    for suggestion in suggestions.in_fence(text, line) if not items else ():
        scanner.sink.suggest(suggestion)


def listing(place: Place, fence: Fence, text: str, line: int, *, cut_off: bool) -> Block:
    """Return the block of a listing; `line` is its first content line. It is malformed if it is cut off, or if its
    fence says that it is a piece of its file."""
    block = place.block("whole", (Reading("", fence.without_indent(text)),), text, line, kind=Kind.REWRITE)
    if fence.language in _PIECES:
        return faults.spoil(block, faults.PIECE.at(line, word=fence.language))
    return faults.spoil(block, faults.NO_END.at(line, format="whole") if cut_off else None)


def _give_calls(above: Above, text: str, line: int) -> bool:
    """Pass on the calls that a fence holds, in JSON, in tags, as an editor's command line or in Python; return whether
    it held any."""
    scanner, language = above.scanner, above.fence.language
    found, first = False, text.lstrip()[:1]
    if first in ("{", "[") and language in json_call.JSON:
        found = json_call.in_fence(scanner, text, line, above.place.path if above.place.own else None)
    # The file's own text may begin with such a tag, if the line above names a file.
    elif first == "<" and language in json_call.JSON and above.file is None and _TAGGED_CALL.match(text) is not None:
        before = len(scanner.sink.blocks)
        scanner.inside(text, line, machines=frozenset(("tool-call",)))
        found = len(scanner.sink.blocks) > before
    if not found and language in fences.SHELLS | {""} and (editor := editor_call(text)) is not None:
        give_all(scanner, [(item, line) for item in items_of_call(editor.name or "", editor.raw_fields)])
        found = True
    if not found and language == "tool_code":
        found = python_call.in_fence(scanner, text, line)
    return found


def give_bare_diff(above: Above, text: str, line: int) -> bool:
    """Report a diff fence without a readable diff as a malformed block if it seems to be an edit: it has an ``@@``
    line, or changed lines under a path. Return whether it does."""
    if "udiff" not in above.scanner.wanted:
        return False
    place = above.changed_file()
    path = place.path if place is not None else None
    # A line `@@` is a diff's, path or not; changed lines alone may be a list or an example, so those need a path.
    if _HUNK.search(text) is not None:
        fault = faults.UNREAD_DIFF.at(line)
    elif path is not None and _CHANGED.search(text) is not None:
        fault = faults.BARE_DIFF.at(line)
    else:
        return False
    above.scanner.spoiled("udiff", path, text, line, fault)
    return True


def _note(above: Above, text: str, line: int, *, complete: bool) -> None:
    """Note a listing or changed lines for which no line of its own names a file. complete: it may be a whole file."""
    scanner, notes = above.scanner, above.scanner.notes
    inside = (below for above_it, below in pairwise(text.split("\n")) if says_path(above_it)) if "```" in text else ()
    if any(map(fences.is_fence_line, inside)):
        notes.take(faults.UNREAD, line, what="a file's text in a fence inside a fence")
    if above.fence.language in YAML and _CODE_RULE.search(text) is not None and _CODE_FIX.search(text) is not None:
        notes.take(faults.UNREAD, line, None, text, "tool-call", what="a rule of a tool that rewrites code")
    if "\nend_of_edit" in text and _WINDOW_EDIT.search(text) is not None:
        notes.take(faults.UNREAD, line, None, text, "tool-call", what="an edit of the lines that an editor shows")
    if not notes.enabled or "whole" not in scanner.wanted or not text.strip():
        return
    lines, language = tuple(reversed(above.lines)), above.fence.language
    if above.fence.language in fences.DIFFS:
        place = above.changed_file(lenient=True)
        if _CHANGED.search(text) is not None:
            path, added = place.path if place else None, "".join(_ADDED.findall(text))
            fault = faults.SHOWN if place else faults.SHOWN_NAMELESS
            notes.take(
                fault, line, path, added, "udiff", raw=above.fence.without_indent(text), above=lines, fence=language
            )
        return
    # A listing that may go on, or says it is a piece, cannot be all of its file.
    kind = Kind.REWRITE if complete and above.fence.language not in _PIECES else Kind.EDIT
    plain = above.fence.without_indent(text)
    if (place := above.mentioned_file) is not None:
        notes.take(faults.MENTIONED, line, place.path, plain, asked=kind, above=lines, fence=language)
    elif (place := _on_first_line(text)) is not None and text.partition("\n")[0].strip() != place.path:
        notes.take(faults.NAMED_INSIDE, line, place.path, plain, asked=kind, above=lines, fence=language)
    elif above.fence.language not in fences.NO_FILES:
        notes.take(faults.NAMELESS, line, None, plain, asked=kind, above=lines, fence=language)


def _on_first_line(text: str) -> Place | None:
    """Return the file whose path is all of a listing's first line, or of its comment there; else None."""
    for best in in_line(text.partition("\n")[0])[:1]:
        if best.form is Form.STRONG and has_known_end(best.path):
            return Place(best.path, own=True)
    return None
