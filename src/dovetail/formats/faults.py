"""The faults of blocks, and notes about text that may be an edit: a table of messages and hints.

A fault that only one machine can find is defined there. `Notes` in `sink` decides whether a note is reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic

if TYPE_CHECKING:
    from dovetail.model.blocks import Block
    from dovetail.model.markers import Markers

_LONGEST = 60


class Fault(NamedTuple):
    """One kind of fault: its message, and a hint what to write instead, with facts as names in braces.

    A block with an error is malformed, and never applied.
    """

    message: str
    hint: str
    code: Code = Code.MALFORMED
    severity: Severity = Severity.ERROR

    def at(self, line: int, **facts: object) -> Diagnostic:
        """Return the diagnostic for a line of the reply, from 1, with `facts` filled into its texts."""
        message, hint = self.message.format(**facts), self.hint.format(**facts)
        return Diagnostic(self.code, message, self.severity, line=line, hint=hint)


def _warning(code: Code, message: str, hint: str) -> Fault:
    return Fault(message, hint, code, Severity.WARNING)


def _note(message: str, hint: str) -> Fault:
    return Fault(message, hint, Code.NO_BLOCKS, Severity.NOTE)


NO_DIVIDER = Fault(
    "The {format} block has no divider between its search and its replacement.",
    "Write a divider line between the lines to find and the lines to put there, even where one half is empty.",
    Code.NO_DIVIDER,
)
NO_END = Fault(
    "The {format} block is not ended; the reply may have been cut off.",
    "Ask for the block again, complete with its end marker.",
    Code.NO_END,
)
CUT_OFF = Fault(
    "The reply ends inside the {format} block, before its divider; it may have been cut off.",
    "Ask for the block again, complete with its divider and its end marker.",
    Code.NO_DIVIDER,
)
_NO_PATH = Fault(
    "Nothing says which file the {format} block belongs to.", "Write the file's path {where}.", Code.NO_PATH
)
_PATH_PLACES = {
    "tool-call": "in the call's field `path`",
    "artifact": "in the action's attribute `filePath`",
    "cline": "in a tag <path> above the blocks",
    "roo": "in a tag <path> above the blocks",
    "udiff": "in the lines --- and +++ above the hunk",
}
_END_FIRST = "End each block with its end marker before the next one starts."
NESTED_UNDIVIDED = Fault(
    "The {format} block has no divider before the next one starts in line {at}.", _END_FIRST, Code.NESTED_START
)
NESTED_UNENDED = Fault(
    "The {format} block is not ended before the next one starts in line {at}.", _END_FIRST, Code.NESTED_START
)
INSIDE = Fault(
    "The block may be an example inside the one that begins in line {at}.",
    "Write the markers of the block around it one character longer than those of the example.",
)
NO_ANCHORS = Fault(
    "The anchored block lacks a line of dashes before or behind its divider.",
    "Write a line of dashes between the leading anchor and the old lines, and one behind the new lines.",
)
NO_START = Fault(
    "A block ends here that has no start marker.", "Write {start} on a line of its own before the old lines."
)
MISSPELT = Fault(
    "{text} looks like the marker of an edit, and is none.",
    "Write the markers like this, each alone on its line: {three}",
)
MARKER_IN_CONTENT = Fault(
    "The {format} block would write {text}, which looks like its end marker.",
    "Write the block's end marker alone on its line, with nothing before or behind it.",
    Code.NO_END,
)
NO_NAME = Fault(
    "{text} is no file's name.", "Write the file's path, with the ending of its name and nothing else.", Code.NO_PATH
)
LINE_MISPLACED = Fault(
    "The roo block has a line marker in its replacement.",
    "Write :start_line: before the search only, or put a backslash before it where it is content.",
)
SEVERAL_TEXTS = Fault(
    "The {format} block quotes nothing and has several dividers, so that its new text may begin behind any.",
    "Write one divider. A new file that holds such lines belongs between {new_file}.",
)
_UNSAYABLE_TEXT = Fault(
    "The new text of the block holds U+{sign:04X}, which no text file can.",
    "Write the text without it, or as the language's own escape.",
)
BARE_DIFF = Fault(
    "The lines look like a diff, and do not say where they belong.",
    "Open their fence with ```diff under the file's path, and quote a line of the file beside the changed ones; or "
    "send the file's new text without marks.",
)
UNREAD_DIFF = Fault(
    "The diff has a line @@ that stands under no path.",
    "Write the lines --- path and +++ path, without blanks before them, directly above the hunk's line @@.",
)
_QUOTE = "Send a search/replace block that quotes the lines of the file."
FENCES_INSIDE = Fault(
    "The text holds fences like the one around it, and where it ends is not plain.",
    "Put a longer fence around it, of four backticks or more.",
)
PIECE = Fault("The fence says `{word}`, and not where in its file the lines belong.", _QUOTE)

CLOSED_BY_FENCE = _warning(
    Code.NO_END,
    "The {format} block has no end marker; it was taken to end here.",
    "Check the end of the replacement before you apply it.",
)
CUT_BY_PROVIDER = Fault(
    "The provider ended the answer early ({reason}), so that the edit at its end may be cut off.",
    "Ask for the edit again, with more tokens allowed for the answer.",
    Code.NO_END,
)
CUT_ANSWER = _warning(
    Code.NO_END,
    "The provider ended the answer early ({reason}); what it ends with may be cut off.",
    "Allow more tokens for the answer, and ask for the rest.",
)
STRAY = _warning(
    Code.STRAY_MARKER, "The marker {marker!r} belongs to no block.", "Check that the block above it is complete."
)
DRAFT_END = _warning(
    Code.DRAFT,
    "A reasoning section ends here that never began; {drafts}.",
    "Look at the edits above this line before you apply them.",
)

_COMPARE = "Apply the reply in its folder: a plan compares the listing with the file, and says what it is."
MENTIONED = _note(
    "A sentence names `{path}` above a listing. It may be that file, a part of it or an example.", _COMPARE
)
EMPTY = _note(
    "The listing of `{path}` is empty; it was taken for no text of the file.",
    "Send the file's text, or a call that writes or deletes the file.",
)
NAMED_INSIDE = _note(
    "A listing names `{path}` on its first line alone. It may be that file, a part of it or an example.", _COMPARE
)
NAMELESS = _note(
    "Nothing names the file of a listing that has lines of one. It may be an example, so it is no edit.",
    _QUOTE,
)
IN_PLACE = _note("The command `{command}` would change `{path}`. Dovetail runs no commands.", _QUOTE)
COMMAND = _note("The command would change files. Dovetail runs no commands, and reads this one as no edit.", _QUOTE)
TAGGED = _note(
    "A tag names `{path}` around listings and other text. They may be examples, so they are no edit.",
    "If the listing is all of the file's text, read the reply with --format whole.",
)
UNREAD = _note(
    "This seems to be {what}, which is not read.",
    "If it is an edit, ask for it as a search/replace block, or as a JSON object with path, old_string, new_string.",
)
SHOWN = _note(
    "A sentence names `{path}` above changed lines. They may be an example.",
    "Apply the reply in its folder: a plan looks for their place in the file.",
)
SHOWN_NAMELESS = _note(
    "Nothing names the file of changed lines. They may be an example, so they are no edit.",
    "If they are to be applied, write its path on the line above their fence.",
)


def no_path(line: int, name: str) -> Diagnostic:
    """Return the diagnostic for a block of the format `name` that names no file."""
    return _NO_PATH.at(line, format=name, where=_PATH_PLACES.get(name, "alone on the line before the block"))


def new_file(markers: Markers) -> str:
    """Return the markers around a new file's text, as a phrase for messages."""
    return f"{'<' * markers.usual} NEW_FILE and {'>' * markers.usual} NEW_FILE"


def misspelt(line: int, text: str, markers: Markers) -> Diagnostic:
    """Return the diagnostic for a line that looks like a marker and is none."""
    return MISSPELT.at(line, text=quoted(text), three=f"{markers.start}, {markers.divider}, {markers.end}")


def quoted(text: str) -> str:
    """Return a line in quotes for a message, shortened if it is long."""
    text = text.strip()
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def spoil(block: Block, fault: Diagnostic | None) -> Block:
    """Return the block marked as malformed by `fault`; unchanged if `fault` is None."""
    return block if fault is None else replace(block, malformed=replace(fault, path=block.path))


def unwritable(block: Block) -> Diagnostic | None:
    """Return the diagnostic for a block whose new text no file can hold (a NUL, half a surrogate pair), or None."""
    for reading in block.readings:
        sign = "\0" if "\0" in reading.replace else None
        try:
            reading.replace.encode()
        except UnicodeEncodeError as error:
            sign = reading.replace[error.start]
        if sign is not None:
            return _UNSAYABLE_TEXT.at(block.line, sign=ord(sign))
    return None
