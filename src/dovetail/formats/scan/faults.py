"""What can be wrong with a block, and what would be one if it was asked for, each with what to write instead.

What only one machine can find wrong stands with that machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Severity
from dovetail.model.dataclasses import replace
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from dovetail.model.blocks import Block
    from dovetail.model.markers import Markers

Fault = Diagnostic
_LONGEST = 60
_QUOTE = "Send a search/replace block that quotes the lines of the file."
_UNSAYABLE = late("[\0\ud800-\udfff]")


def malformed(message: str, line: int, hint: str, code: Code = Code.MALFORMED) -> Fault:
    """What is wrong with a block, for which the block is never applied."""
    return Diagnostic(code, message, line=line, hint=hint)


def spoil(block: Block, fault: Fault) -> Block:
    """The block, marked as malformed."""
    return replace(block, malformed=replace(fault, path=block.path))


def no_divider(format: str, line: int) -> Fault:  # noqa: A002
    """The block has no line between search and replacement."""
    return malformed(
        f"The {format} block has no divider between its search and its replacement.",
        line,
        "Write a divider line between the lines to find and the lines to put there, even where one half is empty.",
        Code.NO_DIVIDER,
    )


def no_end(format: str, line: int) -> Fault:  # noqa: A002
    """The block was opened and never ended."""
    return malformed(
        f"The {format} block is not ended; the reply may have been cut off.",
        line,
        "Ask for the block again, complete with its end marker.",
        Code.NO_END,
    )


def nested_start(format: str, line: int, at: int, *, divided: bool) -> Fault:  # noqa: A002
    """Another block starts before this one had its divider, or behind that and before it ended."""
    lacks = "is not ended" if divided else "has no divider"
    return malformed(
        f"The {format} block {lacks} before the next one starts in line {at}.",
        line,
        "End each block with its end marker before the next one starts.",
        Code.NESTED_START,
    )


def fence_between(format: str, line: int, at: int) -> Fault:  # noqa: A002
    """The fence ends behind the divider and begins again above the new lines."""
    return malformed(
        f"The fence of the {format} block ends in line {at} and begins again, so that text stands in its replacement.",
        line,
        "Write both halves in one fence, with nothing between the divider and the new lines.",
    )


def marker_in_content(format: str, line: int, at: int, text: str, end: str) -> Fault:  # noqa: A002
    """Behind the divider stands a line that looks like a marker, and it cannot be told whether it is content."""
    return malformed(
        f"The {format} block would write {_short(text)}, line {at} of the reply, which looks like a marker.",
        line,
        f"Write the block's end marker alone on its line, with nothing before or behind it, like this: {end}",
        Code.NO_END,
    )


def several_texts(format: str, line: int, markers: Markers) -> Fault:  # noqa: A002
    """The search is empty, and more than one divider may stand before the new text."""
    return malformed(
        f"The {format} block quotes nothing and has several dividers, so that its new text may begin behind any.",
        line,
        f"Write one divider. A new file that holds such lines belongs between {_new_file(markers)}.",
    )


def unsayable(block: Block) -> Fault | None:
    """A NUL or half a surrogate pair in the new text, with which a file would be no text; None where there is none."""
    for reading in block.readings:
        text = reading.replace
        found = _UNSAYABLE.search(text) if "\0" in text or not text.isascii() else None
        if found is not None:
            message = f"The new text of the block holds U+{ord(found[0]):04X}, which no text file can."
            return malformed(message, block.line, "Write the text without it, or as the language's own escape.")
    return None


def misspelt(line: int, text: str, markers: Markers) -> Fault:
    """A line looks like a marker and is none, so that what it begins is no block."""
    if any(sign in text for sign in "«»\U0001f7e7\U0001f7e9"):
        three = "««« EDIT, ═══════ REPL, »»» EDIT END"
    else:
        three = f"{markers.start}, {markers.divider}, {markers.end}"
    return malformed(
        f"{_short(text)} looks like the marker of an edit, and is none.",
        line,
        "Write the markers like this, each alone on its line: " + three + ". "
        f"The text of a new file that holds such lines belongs between {_new_file(markers)}.",
    )


def in_tags(line: int, text: str) -> Fault:
    """A file's text holds tags such as edits stand in."""
    hint = "Write the two tags of an edit right under each other, below the file's path; or send the file without them."
    return malformed(f"{_short(text)} looks like the tag of an edit, and the file has no such line.", line, hint)


def no_start(line: int, markers: Markers) -> Fault:
    """A divider and an end marker stand there, and nothing says where the block begins."""
    hint = f"Write {markers.start} on a line of its own before the old lines."
    return malformed("A block ends here that has no start marker.", line, hint)


def bare_diff(line: int) -> Fault:
    """Lines are marked as changed, and nothing says that they are a diff."""
    hint = (
        "Open their fence with ```diff under the file's path, and quote a line of the file beside the changed ones; or "
        "send the file's new text without marks."
    )
    return malformed("The lines look like a diff, and do not say where they belong.", line, hint)


def piece(word: str, line: int) -> Fault:
    """A listing whose fence says that it is a piece of its file."""
    return malformed(f"The fence says `{word}`, and not where in its file the lines belong.", line, _QUOTE)


def unread_diff(line: int) -> Fault:
    """A diff fence has a hunk, and lines above it that are no head."""
    hint = "Write the lines --- path and +++ path, without blanks before them, directly above the hunk's line @@."
    return malformed("The diff has a line @@ that stands under no path.", line, hint)


def not_unified(line: int) -> Fault:
    """A diff fence has a hunk of a context diff, or of one without any context."""
    hint = "Send a unified diff (diff -u), with the lines --- path, +++ path and @@, or a search/replace block."
    return malformed("The diff is not a unified one.", line, hint)


def no_path(format: str, line: int) -> Fault:  # noqa: A002
    """Nothing names the file."""
    return malformed(
        f"Nothing says which file the {format} block belongs to.",
        line,
        "Write the file's path alone on the line before the block.",
        Code.NO_PATH,
    )


def closed_by_fence(format: str, line: int) -> Diagnostic:  # noqa: A002
    """The fence ended where the end marker should stand; the block is taken as it is."""
    return Diagnostic(
        Code.NO_END,
        f"The {format} block has no end marker; it was taken to end here.",
        Severity.WARNING,
        line=line,
        hint="Check the end of the replacement before you apply it.",
    )


def stray(line: int, text: str) -> Diagnostic:
    """A marker stands where no block is open."""
    return Diagnostic(
        Code.STRAY_MARKER,
        f"The marker {text.strip()!r} belongs to no block.",
        Severity.WARNING,
        line=line,
        hint="Check that the block above it is complete.",
    )


def draft_end(line: int, *, surely: bool) -> Diagnostic:
    """A reasoning section is closed that was never opened, below blocks: drafts, where `surely` and others follow."""
    drafts = "where edits follow, those above are drafts" if surely else "the edits above it may be drafts"
    return Diagnostic(
        Code.DRAFT,
        f"A reasoning section ends here that never began; {drafts}.",
        Severity.WARNING,
        line=line,
        hint="Look at the edits above this line before you apply them.",
    )


def _new_file(markers: Markers) -> str:
    return f"{'<' * markers.usual} NEW_FILE and {'>' * markers.usual} NEW_FILE"


def _short(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _unasked(message: str, line: int, hint: str) -> Diagnostic:
    return Diagnostic(Code.NO_BLOCKS, message, Severity.NOTE, line=line, hint=hint)


def only_mentioned(path: str, line: int, *, inside: bool = False) -> Diagnostic:
    """A listing that would be an edit if its file was named on a line of its own above it."""
    named = (
        f"A listing names `{path}` on its first line alone."
        if inside
        else f"A sentence names `{path}` above a listing."
    )
    return _unasked(
        f"{named} It may be an example or a part of that file, so it is no edit.",
        line,
        "If it is all of the file's text, read the reply with --format whole.",
    )


def only_tagged(path: str, line: int) -> Diagnostic:
    """A tag around a file's text that holds listings and other text."""
    return _unasked(
        f"A tag names `{path}` around listings and other text. They may be examples, so they are no edit.",
        line,
        "If the listing is all of the file's text, read the reply with --format whole.",
    )


def only_in_block(path: str, line: int) -> Diagnostic:
    """A tag around a block of a file, or a file, in other words than those that say that it is written."""
    message = f"A tag names `{path}` around a text. It may show that file or a part of it, so it is no edit."
    return _unasked(message, line, _QUOTE)


def only_commanded(path: str, line: int) -> Diagnostic:
    """A file that a command of the reply would write."""
    return _unasked(
        f"A command of the reply writes `{path}`. Commands are listed and never run, so it is no edit.",
        line,
        "If the file is to be written, read the reply with --format whole.",
    )


def only_session(path: str, line: int) -> Diagnostic:
    """A listing under a path that begins as what a shell, an interpreter or a compiler prints."""
    return _unasked(
        f"The listing under `{path}` begins as a session at a prompt or an error does, so it is no edit.",
        line,
        "If it is all of the file's text, read the reply with --format whole.",
    )


def unread(what: str, line: int) -> Diagnostic:
    """Something by which an edit seems to be meant, in a form that is none of the formats."""
    hint = (
        "If it is an edit, ask for it as a search/replace block, or as a JSON object with path, old_string, new_string."
    )
    return _unasked(f"This seems to be {what}, which is not read.", line, hint)


def only_told(block: Block) -> Diagnostic:
    """An old and a new listing that would be an edit if they were asked for."""
    return _unasked(
        f"Two listings show lines of `{block.path}` and what comes there. They may be an example, so they are no edit.",
        block.line,
        "If they are to be applied, read the reply with --format diff.",
    )


def only_suggested(line: int) -> Diagnostic:
    """A suggestion of a code review, which replaces the lines that it stands under there."""
    message = "A suggestion says which lines it replaces only in the review that it comes from, so it is no edit."
    return _unasked(message, line, _QUOTE)


def only_shown(path: str | None, line: int) -> Diagnostic:
    """Changed lines that would be an edit if their file was named on a line of its own above them."""
    named, hint = "Nothing names the file of changed lines.", "write its path on the line above their fence."
    if path:
        named, hint = f"A sentence names `{path}` above changed lines.", "read the reply with --format udiff."
    return _unasked(
        f"{named} They may be an example, so they are no edit.",
        line,
        f"If they are to be applied, {hint}",
    )
