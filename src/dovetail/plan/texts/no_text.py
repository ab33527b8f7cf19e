"""New texts, of files and of edits, that are none: a remark, numbered lines, a diff, a fence, a text that lost letters.

A whole text quotes nothing by which its file could refuse it, and where a search stands to the letter nothing refuses
its replacement; so what the text says itself decides. Texts that break off are `broken_off`, pieces of a file that are
told as all of it `pieces`; lines that stand for others, where the rest is the file's text, are `marks`, `omitted` and
`standing`.
"""

from __future__ import annotations

import re
from collections import Counter

from dovetail.formats.lines.call_ends import leaked
from dovetail.formats.lines.fences import DOCUMENTS, PROGRAMS, XML, is_fence_line, unfenced
from dovetail.formats.lines.lookalike import looks_like_end, looks_like_start
from dovetail.model.codes import Code
from dovetail.model.text import Span, split_lines
from dovetail.plan.outcomes import Rejected, Unchanged, Written
from dovetail.plan.texts.broken_off import cut_short, unfinished
from dovetail.text.comments import comment_in
from dovetail.text.line import says
from dovetail.text.numbers import numbered
from dovetail.text.omission import LONGEST

_MAY_COUNT = (*DOCUMENTS, ".bas", ".csv", ".json", ".log", ".tsv", ".yaml", ".yml")
"""Ends of files whose lines may begin with numbers that count them: lists, tables, maps, quoted listings."""
_COUNTED_FROM = 2  # lines that bear numbers in a style that lists have not
_LISTED_FROM = 3  # and in one that they have
_NO_TEXTS = (
    *(".7z", ".avi", ".bmp", ".class", ".dll", ".docx", ".dylib", ".eot", ".exe", ".gif", ".gz", ".ico", ".jar"),
    *(".jpeg", ".jpg", ".mov", ".mp3", ".mp4", ".ogg", ".otf", ".pdf", ".png", ".pptx", ".pyc", ".so", ".tgz"),
    *(".tiff", ".ttf", ".wasm", ".wav", ".webm", ".webp", ".woff", ".woff2", ".xlsx", ".zip"),
)
"""Ends of files that hold no text."""
_WRAPPED = re.compile(r"[*_]{0,3}(?:\((.*)\)|\[(.*)\]|<([^<>/!?]*)>)[*_]{0,3}")
_TAGGED = re.compile(r"(?s)<([\w-]+)([^<>\n]*)>[ \t]*\n.*\n[ \t]*</\1>")
_FILE = r"(?:(?:this |the )?(?:file|content|contents)[: ]*)?"
_BE = r"(?:has been |have been |is |was |were |will be |should be |to be |can be |needs? to be )?"
_UNCHANGED = re.compile(
    rf"(?i){_FILE}{_BE}(?:unchanged|not changed|untouched|unmodified|the same|as is"
    r"|same as (?:the )?(?:before|above|original))"
    r"|no (?:further |other )?changes?(?: needed| required| necessary| made| here| to this file)?"
)
_GONE = re.compile(rf"(?i){_FILE}{_BE}(?:deleted|removed|delete|remove)(?: this file| the file| file)?")
_EMPTY = re.compile(rf"(?i){_FILE}{_BE}(?:left |intentionally )*(?:empty|blank)(?: file)?|no content")
_BINARY = re.compile(r"(?i)binary(?: (?:file|content|data|image))?(?: (?:omitted|not shown|here))?")
_NAMED = re.compile(
    r"(?i)(?:(?:insert|put|add|paste|place|your|the|full|complete|entire|whole|updated|new|original|existing|file) )+"
    r"(?:file )?(?:code|contents?|implementation|text)(?: of \S+)?(?: (?:goes|comes))?"
    r"(?: (?:here|as above|from above))?"
)
_DIFF_HEAD = re.compile(r"--- \S|diff --git |@@ -\d|Index: ")
_HUNK_HEAD = re.compile(r"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`")
_LINE_ENDS = re.compile(r"(?<!\\)\\n(?:[ ]{2,}|\\t|\\n|$)")
_OPERATOR = re.compile(r"[\w)\]] &(?:[lg]t;=?|amp;&amp;) ?[\w(!]")
_ENTITY = re.compile(r"&(?:[a-z]{2,6}|#x?[0-9A-Fa-f]{1,6});")
_COMMENTS = re.compile(r"(?m)(?:#|//|--|^\s*\*).*$")
_MOST_READ = 20_000  # characters of a line
_DEEPER = re.compile(r"\+(?:[ ]{2,}|\t)\S")
_WRAPPINGS_ARE_TEXT = (*DOCUMENTS, ".diff", ".patch")
"""Ends of files whose own text may stand in fences, bear signs or be a remark."""
_LOST = "\ufffd"
_SEND = "Send the file's whole text."
_IN_ITS_FORMAT = "Send the file's text and nothing else, or the edit in its own format."
_OTHER_TOOLS = "Leave binary files to other tools."


def no_text(path: str, before: str | None, new: str) -> Rejected | Unchanged | Written | None:
    """What becomes of `new` where it is no text that could take the place of `before`; None where it may be one."""
    if path.lower().endswith(_NO_TEXTS) and new.strip():
        return Rejected(Code.BINARY, f"The name of `{path}` is one of a file that holds no text.", _OTHER_TOOLS)
    if (said := _only_remark(new)) is not None and new.strip() != (before or "").strip():
        if before is not None and _UNCHANGED.fullmatch(said):
            return Unchanged(Span(0, len(before)))
        if before is None and _EMPTY.fullmatch(said):
            return Written("")
        hint = "To delete the file, delete it in a format that can." if _GONE.fullmatch(said) else _SEND
        return Rejected(Code.ELIDED, f"The new text of `{path}` is only a remark: {new.strip()}", hint)
    if (what := _instead(path, new)) is not None and _instead(path, before or "") is None:
        return Rejected(Code.MALFORMED, f"The new text of `{path}` is {what}.", _IN_ITS_FORMAT)
    if (objection := _runs_on(path, new, before or "")) is not None:
        return objection
    if _in_tag(path, new) and not _in_tag(path, before or ""):
        return Rejected(Code.MALFORMED, f"The new text of `{path}` is in a tag.", _IN_ITS_FORMAT)
    if not path.lower().endswith(_WRAPPINGS_ARE_TEXT) and _signed(before or "", new, whole=True):
        return Rejected(Code.MALFORMED, f"The new text of `{path}` bears the signs of a diff.", _IN_ITS_FORMAT)
    if not path.lower().endswith(_MAY_COUNT) and _counts_lines(new, before or ""):
        reason = f"Each line of the new text of `{path}` bears a line number."
        return Rejected(Code.MALFORMED, reason, "Send the text without line numbers; of a part of the file, an edit.")
    if (line := unfinished(before or "", new)) is not None:
        reason = f"Line {line + 1} of the new text of `{path}` says that the text goes on elsewhere."
        return Rejected(Code.ELIDED, reason, "Send the whole text in one piece, or the changed lines as edits.")
    if (cut := cut_short(before or "", new)) is not None:
        reason = f"The new text of `{path}` has only the ends of a long line, and between them: {cut}"
        return Rejected(Code.ELIDED, reason, "Send the changed lines as edits.")
    return _lost_letters(path, before or "", new)


def _lost_letters(path: str, before: str, new: str) -> Rejected | None:
    """Why a text must not take another's place that lost letters on its way: it brings in the sign of those that could
    not be read, and lacks letters beyond ASCII of the one before. A text may hold the sign, and a new file has no other
    that would show it."""
    if _LOST not in new or _LOST in before or not Counter(sign for sign in before if sign > "\x7f") - Counter(new):
        return None
    line = next(line.strip() for line in split_lines(new) if _LOST in line)
    reason = f"The new text for `{path}` has lost letters that stand in the old one: {line}"
    return Rejected(Code.MALFORMED, reason, "Send the text again, as UTF-8.")


def _runs_on(path: str, new: str, *beside: str) -> Rejected | None:
    """Why a text must not be written that goes on behind its end, with what closes the call or the fence around it."""
    tag = leaked(new, *beside)
    what = f"`{tag}`" if tag is not None else "a fence" if _ends_in_fence(path, new, *beside) else None
    if what is None:
        return None
    reason = f"The new text for `{path}` ends with {what}, which nothing in it opens."
    return Rejected(Code.MALFORMED, reason, "Send the text again, without what closes the call or the fence around it.")


def _ends_in_fence(path: str, new: str, *beside: str) -> bool:
    """Whether the last line of a program's text is a fence, and none that it could end stands there or `beside` it.

    A run of tildes may be what underlines a title."""
    above, _, last = new.rstrip().rpartition("\n")
    if not above or not last.lstrip().startswith("```") or not path.lower().endswith(PROGRAMS):
        return False
    return sum(map(is_fence_line, split_lines(above))) % 2 == 0 and not any("```" in other for other in beside)


def _in_tag(path: str, text: str) -> bool:
    """Whether one tag, on lines of its own, stands around a program's text, or one that names the file around any."""
    found = _TAGGED.fullmatch(text.strip())
    return found is not None and (path.lower().endswith(PROGRAMS) or path.rpartition("/")[2] in found[2])


def _instead(path: str, text: str) -> str | None:
    """What a text is instead of a file's: a diff, an edit, in a fence, one line with its line ends written out."""
    if path.lower().endswith(_WRAPPINGS_ARE_TEXT) or not text.strip():
        return None
    first, last = text.lstrip().partition("\n")[0], text.rstrip().rpartition("\n")[2]
    if _DIFF_HEAD.match(first) and _HUNK_HEAD.search(text):
        return "a diff"
    if looks_like_start(first) and looks_like_end(last):
        return "an edit, with its markers"
    if first[0] in "`~" and unfenced(text, path) != text:
        return "in a fence"
    if "\n" not in text.strip() and len(_LINE_ENDS.findall(_STRINGS.sub("", first[:_MOST_READ]))) > 1:
        return "one line, with its line ends written out"
    return None


def _only_remark(new: str) -> str | None:
    """What a text says that is one remark about the file; None for any other."""
    line = new.strip()
    if "\n" in line or not 0 < len(line) <= LONGEST:
        return None
    leader, said = comment_in(line)
    wrapped = _WRAPPED.fullmatch(line) or _WRAPPED.fullmatch(said)
    said = next(filter(None, wrapped.groups()), "") if wrapped is not None else said
    said = said.removesuffix(".").strip()
    kinds = [_UNCHANGED, _GONE]
    if leader or wrapped is not None:
        kinds += [_NAMED, _BINARY]
    if wrapped is not None:
        kinds.append(_EMPTY)
    plain = leader or wrapped is not None or " " in said or said.isupper() or line.endswith(".")
    return said if plain and any(kind.fullmatch(said) for kind in kinds) else None


def _counts_lines(text: str, file: str) -> bool:
    """Whether every line bears a number that counts them, from any number on, and none stands so in `file`."""
    found = numbered(text)
    if found is None or not found.even or found.lines < (_LISTED_FROM if found.style.of_lists else _COUNTED_FROM):
        return False
    return {line.strip() for line in split_lines(file)}.isdisjoint(line.strip() for line in split_lines(text) if line)


def no_replacement(path: str, search: str, replace: str, file: str, *, named: bool = False) -> Rejected | None:
    """Why an edit must not land whose new lines lost letters, or stand in a wrapping that its search and its file have
    not: a fence, the signs of a diff, line numbers, or brackets around a remark. None where they may be text, and for a
    search of a part of a line, beside which anything may stand. What closes the call around them is no text behind any
    search. Where each line is `named` that comes, none is a wrapping."""
    if (objection := _lost_letters(path, search, replace)) is not None or named:
        return objection
    name = path.lower()
    if not name.endswith(XML) and (objection := _runs_on(path, replace, search, file)) is not None:
        return objection
    if name.endswith(_WRAPPINGS_ARE_TEXT) or not replace.strip() or "\n" not in search:
        return None
    what = _instead(path, replace)
    if what is not None and _instead(path, search) is None and "\\n" not in _STRINGS.sub("", search):
        first = replace.strip().partition("\n")[0]
        sign = first[:3] if first[0] in "`~" else first
        if sign not in search and sign not in file:
            return Rejected(Code.MALFORMED, f"The new text for `{path}` is {what}.", _IN_ITS_FORMAT)
    if _signed(search, replace) and not any(line[:1] == "+" for line in split_lines(file)):
        return _wrapped(f"The new text for `{path}` bears the signs of a diff", "without them")
    if not name.endswith(_MAY_COUNT) and _counts_lines(replace, file) and numbered(search) is None:
        return _wrapped(f"Each line of the new text for `{path}` bears a line number", "without it")
    if name.endswith(PROGRAMS) and _escaped(search, replace, file):
        return _wrapped(f"The new text for `{path}` has its signs escaped (`&lt;`)", "as it is to stand in the file")
    wrapped = _WRAPPED.fullmatch(replace.strip()) is not None and _WRAPPED.fullmatch(search.strip()) is None
    if wrapped and _only_remark(replace) is not None and replace.strip() not in file:
        hint = "To delete the lines, leave the replacement empty; to keep them, leave out the edit."
        return Rejected(Code.MALFORMED, f"The new text for `{path}` is only a remark: {replace.strip()}", hint)
    return None


def _wrapped(reason: str, how: str) -> Rejected:
    return Rejected(Code.MALFORMED, f"{reason}, and the search does not.", f"Send the new lines {how}.")


def _escaped(search: str, replace: str, file: str) -> bool:
    """Whether new code has an operator written as entities, outside its strings and comments, and no such sign as it
    is; and its file has none, and the search no entity, which would come off both."""
    if "&" not in replace or _ENTITY.search(search) is not None:
        return False
    code, other = (_COMMENTS.sub("", _STRINGS.sub("", one)) for one in (replace, file))
    return _OPERATOR.search(code) is not None and not ("<" in code or ">" in code or _OPERATOR.search(other))


def _signed(before: str, text: str, *, whole: bool = False) -> bool:
    """Whether a text is lines of a diff without its head: new ones bear a sign, and one that bears the other stands
    without it in the text before, or none is without sign. A file may hold lines that begin with the sign.

    A `whole` text has blanks for the sign of lines that stay; in an edit's new lines they stand behind one, as before a
    line of code.
    """
    if text[:1] != "+" and "\n+" not in text:
        return False
    old, new = split_lines(before), [line for line in split_lines(text) if line.strip()]
    if any(line[:1] == "+" or (line[:1] == "-" and not whole) for line in old):
        return False
    had = {line.strip() for line in old if says(line)}
    if any(line[:1] == "-" and line[1:].strip() in had and line not in old for line in new):
        return True
    signs = "+- \t" if whole else "+"
    return (len(new) > 1 and all(line[0] in signs for line in new)) or (not whole and any(map(_DEEPER.match, new)))
