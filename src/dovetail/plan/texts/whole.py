"""Whole texts: what a reply may put where a file is, or is not.

Owns the decisions between creating, replacing, appending, deleting and refusing. A new text takes the line ends and the
last newline of the one it replaces, so that only lines which differ change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from dovetail.match import Document, merge
from dovetail.model.codes import Code, Severity, Tier
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.text import Span, apply_edits, split_lines
from dovetail.plan.outcomes import Appended, Rejected, Unchanged, Written
from dovetail.plan.syntax_check import new_error
from dovetail.plan.texts.elided import Spliced, UnclearError, splice
from dovetail.plan.texts.no_text import no_text
from dovetail.plan.texts.omitted import comments_alone, marked, omissions, omits
from dovetail.plan.texts.on_its_way import as_meant
from dovetail.plan.texts.standing import Meaning, meanings
from dovetail.text.languages import dots_are_code
from dovetail.text.line import said_lines, says
from dovetail.text.linediff import diff

APPENDING = frozenset(
    {"diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "edit-fence", "artifact", "apply-patch"}
)

_EMPTY_AS_A_RULE = (".", "__init__.", "py.typed")
"""What the names of files begin with that have no text as a rule."""
_APPENDS_BY_RULE = frozenset({"apply-patch"})
_SHRUNK_FROM = 10  # lines a file must have before a much shorter one is worth a word
_REWRITE_SHARE = 0.5  # of the file's lines in a text that is put behind it: more is a rewrite
_KNOWN_SHARE = 0.8  # of the text's lines that the file already has: more is a rewrite
_KNOWN_FROM = 8
_SEVERAL = 3  # lines more that vanish than come, and the most that come, beside a line that is no code
_SAYS_SOMETHING = 5  # characters of a line at the margin that no other part of the file would begin with


def shaped(new: str, before: str) -> str:
    r"""`new` (lines closed by ``\n``) with the line ends and the last newline that `before` has."""
    if "\r" in before:
        merged = merge(before, before, new)
        new = apply_edits(before, merged.edits)
    lines = split_lines(before)
    unended = bool(lines) and before[-1] not in "\r\n"
    if unended and new[-1:] in ("\n", "\r") and split_lines(new)[-1:] == lines[-1:]:
        return new.removesuffix("\n").removesuffix("\r")
    return new


def replaced(path: str, before: str | None, new: str, language: Language = NO_SYNTAX) -> Written | Unchanged | Rejected:
    """Put a file's whole new text in place of the one it has; one that was completed must parse if the old one did."""
    bare = as_meant(path, before or "", new, language)
    tier, new = (Tier.FORM if bare != new else None), bare
    if (objection := no_text(path, before, new)) is not None:
        return objection
    marks = marked(new, before or "", path)
    if before is None and marks:
        reason = f"Line {marks[0] + 1} of the new text stands for lines of `{path}`, which does not exist."
        return Rejected(Code.ELIDED, reason, "Send the whole text of the new file.")
    if before is None:
        return Written(new)
    warnings = []
    try:
        completed = _completed(path, before, new, marks)
        if completed is None and (line := _no_code(path, before, new, language)) is not None:
            raise UnclearError(line, "it is no code, and stands where several lines stood")
    except UnclearError as unclear:
        return _unclear(f"Line {unclear.line + 1} of the new text leaves lines out, and {unclear.reason}.")
    if completed is not None:
        new, tier = completed.text, Tier.ELISION
        if (error := new_error(path, before, new, language)) is not None:
            return _unclear(
                f"The new text leaves lines out, and with the file's in their place line {error} is broken."
            )
        warnings.append(_said(Code.MERGED, path, f"{completed.kept} lines that the new text leaves out were kept."))
    after = shaped(new, before)
    if after == before:
        return Unchanged(Span(0, len(before)))
    was, now = said_lines(before), said_lines(after)
    if len(was) >= _SHRUNK_FROM and 2 * len(now) < len(was):
        warnings.append(
            _said(Code.SHRUNK, path, f"The new text has {len(now)} lines where the old one had {len(was)}.")
        )
    return Written(after, tuple(warnings), tier)


def _completed(path: str, before: str, new: str, marks: Sequence[int]) -> Spliced | None:
    """`new` with the lines that it leaves out, `marks` standing for some of them; None where it leaves out none.

    Raises `UnclearError`.
    """
    was, now = split_lines(before), split_lines(new)
    read = meanings(was, now, python=dots_are_code(path), stands=partial(omits, path=path))
    if (line := min(_lines(read, Meaning.UNCLEAR), default=None)) is not None:
        raise UnclearError(line, "it may be meant as it stands")
    omitted = omissions(was, now, path, doubtful=_lines(read, Meaning.UNKNOWN))
    omitted = tuple(omission for omission in omitted if read.get(omission.line) is not Meaning.CONTENT)
    for omission in omitted:
        if not omission.alone:
            raise UnclearError(omission.line, "what else stands on it would replace them")
    dots = _lines(read, Meaning.STANDS_FOR_LINES)
    said = sorted({*dots, *(omission.line for omission in omitted)})
    if not said and (alone := comments_alone(was, now, path, everywhere=not marks)) is not None:
        raise UnclearError(alone, "only comments stand there instead")
    if not marks and not said:
        return None
    from dovetail.plan.texts.stand_ins import aside  # few whole texts leave lines out

    if (told := aside(was, now, {*marks, *said}, path)) is not None:
        raise UnclearError(told, "it says what is to become of lines that are not shown")
    spliced = splice(before, new, sorted({*marks, *said}))
    if said and not spliced.kept:
        raise UnclearError(said[0], "nothing says which")
    if dots and split_lines(spliced.text) == was:
        raise UnclearError(dots[0], "nothing else changes, so it may be meant as it stands")
    return spliced


def _no_code(path: str, before: str, new: str, language: Language) -> int | None:
    """The first line of a new text that does not parse, from 0, where the file's did and it stands, with few beside it,
    where several more lines stood: a word to a reader, as of a tool that cuts off what it shows, whatever it says."""
    hunks = diff(split_lines(before), split_lines(new))
    short = [range(h.b1, h.b2) for h in hunks if h.b2 - h.b1 <= _SEVERAL <= h.a2 - h.a1 - (h.b2 - h.b1)]
    error = new_error(path, before, new, language) if short else None
    return error - 1 if error is not None and any(error - 1 in lines for lines in short) else None


def _lines(read: Mapping[int, Meaning], meaning: Meaning) -> list[int]:
    return [line for line, said in read.items() if said is meaning]


def created(path: str, before: str | None, new: str) -> Written | Unchanged | Rejected:
    """Make a file that is not there; over a blank one it is made too."""
    if before is None or not before.strip():
        return replaced(path, before, new) if before != new else Unchanged(Span(0, len(new)))
    if split_lines(new) == split_lines(before):  # a last newline more or less is no other text
        return Unchanged(Span(0, len(before)))
    return Rejected(
        Code.FILE_EXISTS,
        f"`{path}` already exists with other text.",
        "Edit the file with a search and its replacement, or delete it first.",
    )


def not_all(path: str, text: str, quoted: str) -> Rejected | None:
    """Why a deletion that quotes the file's lines must not take place: they are others, or not all. Blanks at their
    ends, and blank lines behind them all, may differ."""
    lines, has = _trimmed(quoted), _trimmed(text)
    if not lines or lines == has:
        return None
    known = {"", *has}
    missing = next((line for line in lines if line not in known), None)
    reason = f"The deletion does not quote all lines of `{path}`, one after the other."
    if missing is not None:
        reason = f"The deletion quotes a line that `{path}` has not got: {missing.strip()}"
    return Rejected(Code.NO_MATCH, reason, "Quote all lines of the file as it is, or none of them.")


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in split_lines(text.removeprefix("\ufeff").rstrip())]


def put(
    path: str, document: Document | None, new: str, block_format: str, *, fresh: bool = False
) -> Written | Unchanged | Appended | Rejected:
    """What an edit with an empty search does to a file: create, fill, or put behind its end.

    `fresh`: this reply made the file.
    """
    before = document.raw if document is not None else None
    if document is not None and not new.strip():
        return Unchanged(Span(0, 0))
    if document is None and not new.strip() and not path.rpartition("/")[2].startswith(_EMPTY_AS_A_RULE):
        reason = f"The block has no text to look for and none to put in its place, and `{path}` does not exist."
        return Rejected(Code.MALFORMED, reason, "Write the lines that the file is to have.")
    blank = document is not None and not document.raw.strip()
    if document is None or not document.raw or (blank and block_format not in APPENDING):
        return created(path, before, new)
    if shaped(new, document.raw) == document.raw:
        return Unchanged(Span(0, len(document.raw)))
    standing = max(document.whole_lines(new), default=None)
    if standing is not None and block_format in APPENDING:
        return Unchanged(standing)
    most = not blank and is_rewrite(document.raw, new)
    if most or (fresh and block_format not in _APPENDS_BY_RULE and _says_again(document.raw, new)):
        return Rejected(
            Code.FILE_EXISTS,
            f"`{path}` already has {'most' if most else 'some'} of these lines; behind its end they would stand twice.",
            "Quote the lines to be changed, or replace the file as a whole.",
        )
    if block_format not in APPENDING:
        hint = "Quote the line before the place where the new lines belong."
        return Rejected(Code.FILE_EXISTS, f"`{path}` already exists, and the edit quotes none of its lines.", hint)
    said = _said(Code.APPENDED, path, "The edit quotes no line of the file; its text was put behind the end.")
    return Appended(() if blank or block_format in _APPENDS_BY_RULE else (said,))


def is_rewrite(before: str, new: str) -> bool:
    """Whether `new` says most of `before` again, or says little else. Lines without a word do not count."""
    was, now = Counter(said_lines(before)), Counter(said_lines(new))
    both = (was & now).total()
    if both > _REWRITE_SHARE * was.total():
        return True
    return now.total() >= _KNOWN_FROM and both >= _KNOWN_SHARE * now.total()


def _says_again(before: str, new: str) -> bool:
    """Whether a line at the margin of `new` stands at that of `before`, as in two versions of one file and not in two
    parts of it."""
    lines = {line for line in split_lines(before) if line[:1].strip() and says(line)}
    return any(line in lines and len(line) >= _SAYS_SOMETHING for line in split_lines(new))


def _said(code: Code, path: str, message: str) -> Diagnostic:
    return Diagnostic(code, message, Severity.WARNING, path)


def _unclear(reason: str) -> Rejected:
    return Rejected(Code.ELIDED, reason, "Send the whole text, or the changed lines as edits.")
