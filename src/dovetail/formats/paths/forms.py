r"""Reads which path a line names, and how sure that is by its form. No file is looked at; `place` does that.

A line's decoration is taken off layer by layer, from the outside in: bullets, comment signs, symbols, labels,
emphasis, quotes, brackets, links, tags. The rest gives *candidates*, each with a `Form`; if a name can be read in two
ways, both are kept. A sentence, a lone brace or a language name is never a sure candidate, and a text with blanks may
be a sentence, unless it is marked as a name. A text that is a path only if such a file exists, such as a bare word or
``C#.md``, is a candidate of a low form.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from enum import Enum, IntEnum
from functools import lru_cache
from typing import NamedTuple

from dovetail.formats.paths.words import COMMANDS, EXTENSIONS, FRESH, KNOWN_NAMES, LANGUAGES, PIECES, QUOTING, TEMPLATES
from dovetail.text.languages import is_document
from dovetail.text.pattern import pattern

LONGEST_LINE = 400
"""The longest line, in characters, that may name a path."""
BLANKS = " \t\n\r\f\v\u00a0\u202f\u3000\u200b\u200e\u200f\u2060\ufeff"
"""Blanks that may surround a name and are no part of it; some are invisible."""

_QUOTES = {"“": "”", "„": "“", "‘": "’", "‚": "‘", "«": "»", "»": "«", "「": "」", "『": "』", "《": "》"}
_BRACKETS = {"[": "]", "<": ">", "(": ")", "（": "）", "【": "】"}
_SIGNS = "“”„‘’‚«»「」『』《》（）【】"
_STOPS = "：，、。；！？"
_SCRIPT = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# `File: a.py`, `**File 2:** a.py`, `Updated: a.py`, `New file path: a.py`; not `Profile: a.py`.
_LABEL = pattern(
    r"[*_]{0,2}(?:(?:new |full |target |updated |modified |changed |edited |revised )?"
    r"(?:filename|file ?name|file ?path|file|path)|(?:新建|修改|更新|新規)?"
    r"(?:文件|檔案|ファイル|파일)(?:名|路径|路徑|パス|명)?|файл|datei|fichier|archivo|arquivo|created?|updated?|modified|changed|edited|added|new)"
    r"(?:\s*#?\d{1,3})?\s*[*_]{0,2}[:：]\s*(?:[*_]{2}\s*)?",
    re.IGNORECASE,
)
_BULLET = pattern(r"(?:[-*+•]|\d{1,3}[.)])\s+")
# `# a.py`, `// a.py`, `-- a.sql`, `<!-- a.html -->`: models name a listing's file in its first comment.
_COMMENT = pattern(r"(?:#{1,6}|//+|--|;+|%|/\*+|<!--|\"\"\")\s*")
_COMMENT_ENDS = ("*/", "-->", '"""')
# `🔧 src/a.py`, `→ a.py`: signs that are not drawn as letters. Not before `/` or `.`, where they
# begin a name.
_SYMBOL = pattern(rf"[^\w\s\x00-\x7f{_SIGNS}](?:[^\w\x00-\x7f{_SIGNS}]|[ \t])*(?![/.])")
_EMPHASIS_PAIRS = ("***", "**", "*", "`", '"', "'")
_MARKS = ("*", "`", '"', "'")
_UNDERSCORED = pattern(r"(__?)([^\s_](?:.*[^\s_])?|__.*[^\s_])\1$")
_WITH_END = pattern(r"\.[^\W_]{1,15}[*`\"']*$")
# `[a.py](src/a.py)`, with one pair of brackets inside: `[app/[id].tsx](app/[id].tsx)`.
_LINK = pattern(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\]){1,300})\]\(((?:[^()\s]|\([^()\s]*\)){1,300})\)")
# `<file path="src/a.py">`, `<document filename='a.py'>`, `<file name="a.py">`; `<path>a.py</path>`;
# `<details><summary>Updated: a.py</summary>`. A `name` counts in `<file` alone: elsewhere it is a form's or a meta
# tag's.
_TAG = pattern(
    r"(?i)<[a-z][\w:.-]*\s(?:[^<>]*\s)?(?:file_?-?path|file_?-?name|path|file|(?<=<file )name)\s*=\s*"
    r"(?:\"([^\"<>]+)\"|'([^'<>]+)')[^<>]*>$"
    r"|<(?:file_?-?path|file_?-?name|path|file)>([^<>]+)</(?:file_?-?path|file_?-?name|path|file)>$"
    r"|(?:<[a-z][^<>]*>[ \t]*)*<summary>[^<>]*: ([^<>\s]+)</summary>$"
)
_PLAIN = pattern(r"[\w./\\][\w./\\-]*\w$")
# `a.py (updated)`, `a.py [excerpt]`, `a.py - lines 3 to 9`: a blank before the sign, as names have dashes, too.
_REMARK = pattern(r"\s+(?:\(([^()]*)\)|\[([^\[\]]*)\]|[-–—]\s(.*))$")
# `a.py:12`, `a.py:12-20`, `a.py#L3-L9`
_LINE_NUMBERS = pattern(r"(?<=[\w)\]])(?::\d+(?:[-:–]\d+)?|#L\d+(?:-L?\d+)?)$")
_FILE_ADDRESS = pattern(r"file:///(?=[A-Za-z]:/)|file://(?=/)", re.IGNORECASE)
_RANGE = pattern(r"\bL?\d+\s*(?:[-–]|to)\s*L?\d+\b|\bL\d+\b")

# A letter behind the dot: `a.py`, `x.tar`. With a digit only `.7z`, `.mp3`, `.mp4` and a manual's pages (`git.1`);
# `v1.2` is ruled out by `_VERSION`.
_EXTENSION = pattern(r"[\w)\]}$@+~\u0300-\u109f-]\.[A-Za-z][A-Za-z0-9_+-]{0,14}$|[\w-]\.(?:7z|mp[34]|[1-9])$")
_LONGEST_END = 17  # characters of what that finds
_VERSION = pattern(r"v?\d+(?:\.\d+)+")  # no page of a manual, as `git.1` is
_DOTFILE = pattern(r"\.[A-Za-z][\w.-]*$")
_FORBIDDEN = pattern(r"[|`\x00-\x1f]|://|&&|\$\(|\.\.\.")
_ODD = pattern(rf"[<>\"?*;={{}}%|“”„«»《》{_STOPS}]")
# In a path these signs are part of the name; without them `...` and braces mean that it is no path.
_FILLED_IN = pattern(r"\[\[?\.\.\.\w{1,80}\]?\]|\{\{[^{}\n]{1,80}\}\}")  # ``[...slug]`` and ``{{ name }}``
# Between a name and a script that sets no blanks: `更新后的app.py`, `「app.py」を`.
_JOINED = pattern(
    rf"(?<=[{_SCRIPT}])[“「『《]|[”」』》](?=[{_SCRIPT}{_STOPS}])|(?<=[A-Za-z])(?=[，、。；！？{_SCRIPT}])"
    rf"|(?<=[{_SCRIPT}])(?=[A-Za-z_.@/])"
)
_SCRIPT_IN_PATH = pattern(rf"[{_SCRIPT}]/|/[{_SCRIPT}]")
_ASCII_NAME = pattern(r"[A-Za-z_.@/][A-Za-z0-9_./@+-]*\.[A-Za-z][A-Za-z0-9]*")
_ROOTED = pattern(r"(?:[A-Za-z]:|~)?/(?=[^/\s])")
# `src/app/main.zzz`: with folders an extension that nobody knows is enough, in a code span.
_FOLDER_AND_END = pattern(r"[\w.@()\[\]$-]+(?:[/\\][\w@()\[\]$-]+)+\.[A-Za-z]\w{1,14}")
_FOLDERS = pattern(
    r"(?:[A-Za-z]:)?[\w./@+()\[\]$~\u0300-\u109f-]+"
)  # with accents and vowel signs, which are no letters
_CAPITALS = pattern(r"[A-Z]+(?:/[A-Z]+)+")
# `.gitignore`, `.eslintrc.json`, `.env.local`: hidden files that a sentence may name; not `.then`, `.length`.
_HIDDEN = pattern(r"\.(?:[\w-]*(?:ignore|rc|config|attributes|modules|version)|env)(?:\.[\w-]+)*")
_WORD = pattern(r"[\w.+@/~-]+")
_SAID_NAMES = frozenset(name for name in KNOWN_NAMES if name.endswith("file"))
_NAMING = pattern(r"\.\S|\Bfile", re.IGNORECASE)  # a word without these is no name in a sentence
_AROUND = "()[]\"',:;!?*" + _SIGNS + _STOPS
_CODE_SPAN = pattern(r"`([^`\n]{1,300})`")
_BOLD = pattern(r"\*\*([^*\n]{1,300})\*\*")


class Form(IntEnum):
    """How surely a text is a path, by its form; higher is surer.

    ODD has signs that are rare in names, LANGUAGE and WORD are a line's only word, PHRASE has blanks: each is a path
    only if such a file exists. MENTION is a plain word of a sentence, INSIDE is marked there as code or bold. NAMED is
    a word that is marked as a name. A QUOTED path has a remark that a piece of the file follows, a REMARKED one another
    remark. SPACED has blanks or is a bare word, and is marked as a name; or it has a remark that its text is new.
    STRONG has a file's ending, or folders.
    """

    NONE = 0
    ODD = 1
    LANGUAGE = 2
    PHRASE = 3
    MENTION = 4
    WORD = 5
    NAMED = 6
    INSIDE = 7
    QUOTED = 8
    REMARKED = 9
    SPACED = 10
    STRONG = 11


class Remark(Enum):
    """The remark after a path: none, that its text is new, another, or that a piece is quoted. It caps the form."""

    NONE = Form.NONE
    FRESH = Form.SPACED
    OTHER = Form.REMARKED
    QUOTING = Form.QUOTED


class Candidate(NamedTuple):
    """A path that a line may name."""

    path: str
    form: Form


class Peeled(NamedTuple):
    """A line without its decoration. named: quotes or a label mark the rest as a name. labelled: the label is a
    file's."""

    text: str
    named: bool = False
    labelled: bool = False


def normalise(path: str) -> str:
    r"""Return `path` with ``/`` as separator, without ``./``, doubled slashes, and quotes or emphasis around it. A
    leading slash or drive stays."""
    path = path.strip(BLANKS)
    # Emphasis, backticks or quotes around all of it, one pair at a time.
    while path[:1] in _MARKS and (inner := next((text for mark, text in _marked(path) if mark not in text), None)):
        path = inner.strip()
    path = _FILE_ADDRESS.sub("", path.replace("\\", "/"))
    lead = "/" if path.startswith("/") else ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return lead + "/".join(parts)


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the emphasis, backticks or quotes around the whole of a text, longest first, each with the text inside."""
    if text[:1] in _MARKS and text[:1] == text[-1:]:
        for mark in _EMPHASIS_PAIRS:
            inner = text[len(mark) : -len(mark)]
            if inner and text == mark + inner + mark:
                yield mark, inner


def peeled(line: str) -> Peeled:
    """Return a line without all its decoration; one that is too long to name a path is only stripped."""
    return deque(layers(line), 1)[0]


def layers(line: str) -> Iterator[Peeled]:
    """Yield the stripped line, and then the rest after each layer of decoration; the last has none."""
    text, named, labelled = line.strip(BLANKS), False, False
    yield Peeled(text)
    if len(text) > LONGEST_LINE:
        return
    if text[:1] == "<" and (tag := _TAG.match(text)) is not None:
        yield Peeled(tag[tag.lastindex or 1].strip(), named=True, labelled=True)
        return
    # Each turn takes off a bullet, a comment sign, a symbol, a label and a pair of quotes; the next turn takes off
    # what these enclosed. A plain name needs no turn.
    while not _PLAIN.match(text) or _without_underscores(text) != text:
        before = text
        for peel in (_BULLET, _COMMENT, _SYMBOL):
            if match := peel.match(text):
                text = text[match.end() :].strip(BLANKS)
        text = _without_underscores(text)
        if (":" in text or "：" in text) and (label := _LABEL.match(text)):
            text, named, labelled = text[label.end() :].strip(BLANKS), True, True
        for end in _COMMENT_ENDS:
            text = text.removesuffix(end).rstrip()
        text, quoted = _unwrapped(text.rstrip(":,\\" + _STOPS).rstrip(BLANKS))
        named = named or quoted
        if text == before:
            return
        yield Peeled(text, named, labelled)


def _unwrapped(text: str) -> tuple[str, bool]:
    """Take off one pair of emphasis, quotes or brackets around the whole text; return whether it was a quote."""
    for mark, inner in _marked(text):
        return inner.strip(), mark in "`\"'" and mark not in inner and not _is_command(inner)
    if (link := _LINK.fullmatch(text)) is not None:
        return _linked(link[1].strip(), link[2]), False
    if len(text) > 2:
        left, right = text[0], text[-1]
        if _QUOTES.get(left) == right:
            return text[1:-1].strip(BLANKS), True
        if _BRACKETS.get(left) == right and _is_one_pair(text, left, right):
            return text[1:-1].strip(BLANKS), False
    return text.lstrip("*`\"'").rstrip("*`\"'") if text[:1] in "*`" or text[-1:] in "*`" else text, False


def _is_one_pair(text: str, left: str, right: str) -> bool:
    """Return whether the sign that ends a text closes the one that begins it, unlike in ``[a]/[b]``."""
    depth = 0
    for char in text[1:-1]:
        depth += (char == left) - (char == right)
        if depth < 0:
            return False
    return depth == 0


def _without_underscores(text: str) -> str:
    """Return a text without ``_`` or ``__`` around it, if the text inside has a file's ending; any other text
    unchanged, as names have underscores, too, such as ``__tests__/__mocks__``."""
    match = _UNDERSCORED.match(text) if text[:1] == "_" == text[-1:] else None
    if match is None:
        return text
    name = match[2].rpartition("/")[2]
    known = name != match[2] and name.lower() in KNOWN_NAMES
    return match[2] if known or _WITH_END.search(name) else text


def _is_command(text: str) -> bool:
    """Return whether a text begins with a command's name: ``python main.py``."""
    return (text.split()[:1] or [""])[0].lower() in COMMANDS


def _linked(text: str, target: str) -> str:
    """Return the path of a Markdown link: its target, or its text if the target is an address or another name."""
    plain = text.strip("`*")
    other = "." in plain and target.rpartition("/")[2] != plain.rpartition("/")[2]
    return text if other or ":" in target or target.startswith("#") else target


def without_remark(text: str) -> tuple[str, Remark]:
    """Return an undecorated text without line numbers and a remark after it, and the remark that it had."""
    match = _REMARK.search(text)
    remark = Remark.NONE
    if match is not None:
        behind = match[match.lastindex or 0]
        text = peeled(text[: match.start()]).text
        words = set(re.findall(r"[^\W\d_]+", behind.lower()))
        fresh = words & FRESH and not words & PIECES
        remark = Remark.QUOTING if words & QUOTING or _RANGE.search(behind) else Remark.FRESH if fresh else Remark.OTHER
    shorter = _LINE_NUMBERS.sub("", text) if text[-1:].isdigit() else text
    return shorter, Remark.QUOTING if shorter != text else remark


def form_of(text: str, *, named: bool = False, labelled: bool = False) -> Form:
    """Return the form of an undecorated text. named: its line marks it as a name. labelled: as a file's name."""
    if "[..." in text or "{{" in text:
        # `app/[...slug].tsx` is judged as `app/x.tsx`.
        text = _FILLED_IN.sub("x", text)
    if not text or len(text) > LONGEST_LINE or not any(map(str.isalpha, text)):
        return Form.NONE
    slashed = text.replace("\\", "/")
    # `C#.md` has a sign that names hardly ever have. Its end makes it a candidate, the label `File:` a sure one.
    odd = Form.NONE if not has_known_end(slashed) else Form.SPACED if labelled else Form.ODD
    if _FORBIDDEN.search(text) or _ODD.search(text):
        return odd if "`" not in text and "://" not in text else Form.NONE
    ends = _EXTENSION.search(slashed[-_LONGEST_END:]) or _DOTFILE.match(slashed.rpartition("/")[2])
    has_extension = ends is not None and not _VERSION.fullmatch(text)
    if " " in text or "\t" in text:
        # Sentences end as files do, too; and `$ cat a.py` is a command.
        if not has_extension or slashed.startswith(("$ ", "> ", "% ")):
            return Form.NONE
        if named or _ROOTED.match(slashed):
            return Form.SPACED
        return Form.PHRASE if "/" in slashed or has_known_end(slashed) else Form.NONE
    lowered = text.lower()
    # `dockerfile` after a fence is a language, `Dockerfile` is a file; so languages are checked before endings.
    if lowered in LANGUAGES and text not in ("Dockerfile", "Makefile"):
        return Form.SPACED if labelled else Form.LANGUAGE
    if has_extension or lowered in KNOWN_NAMES or _has_folders(slashed):
        return Form.STRONG
    if not _WORD.fullmatch(text) or text.endswith((".", "/")):
        return odd
    return Form.SPACED if labelled else Form.NAMED if named else Form.WORD


def _has_folders(slashed: str) -> bool:
    """Return whether all pieces of a text with slashes are words: ``src/app/Makefile``. Not ``AND/OR`` or
    ``html/css``."""
    if "/" not in slashed or slashed.endswith("/") or not _FOLDERS.fullmatch(slashed):
        return False
    words = slashed.lower().split("/")
    # `AND/OR`, `html/css`; not `docker/Makefile`, whose last word is a file's name.
    either = _CAPITALS.fullmatch(slashed) is not None or all(word in LANGUAGES for word in words)
    return not either or words[-1] in KNOWN_NAMES


def has_known_end(text: str) -> bool:
    """Return whether a name has a known file's ending or name; a method's name has a dot, too."""
    name = text.replace("\\", "/").rpartition("/")[2].lower()
    if name in KNOWN_NAMES or _DOTFILE.match(name):
        return True
    stem, _, end = name.rpartition(".")
    return end in EXTENSIONS or stem in _SAID_NAMES or (end in TEMPLATES and has_known_end(stem))


def is_word(name: str) -> bool:
    """Return whether a name is a language or a bare word, with no sign that it is a file's."""
    return form_of(name) in (Form.LANGUAGE, Form.WORD)


def in_line(line: str) -> tuple[Candidate, ...]:
    """Return every path that a line may name, surest first; none for a closing tag or a line that is too long."""
    stripped = line.strip()
    if len(stripped) > LONGEST_LINE or stripped.startswith("</"):
        return ()
    if (parted := spaced(stripped)) == stripped:
        return _in_line(stripped)
    # a file may have all of the line for a name
    whole = Candidate(normalise(peeled(stripped).text), Form.WORD)
    return tuple(sorted((whole, *_in_line(parted)), key=lambda candidate: -candidate.form))


def spaced(line: str) -> str:
    """Return a line with blanks set around an ASCII name in a script without blanks; a document's name (`说明v2.md`)
    may contain that script, and is left alone."""
    name = _ASCII_NAME.search(line) if len(line) <= LONGEST_LINE and not line.isascii() else None
    if name is None or not has_known_end(name[0]) or is_document(name[0]) or _SCRIPT_IN_PATH.search(line):
        return line
    return _JOINED.sub(" ", line)


def says_path(line: str) -> bool:
    """Return whether a line is a path, perhaps with a remark after it."""
    return any(candidate.form >= Form.QUOTED for candidate in in_line(line))


@lru_cache(maxsize=1024)
def _in_line(stripped: str) -> tuple[Candidate, ...]:
    found: dict[str, Form] = {}

    def add(text: str, form: Form) -> None:
        # A path found twice keeps its surer form.
        if form is not Form.NONE and (path := normalise(text)):
            found[path] = max(found.get(path, Form.NONE), form)
            if form is Form.PHRASE:  # its last word may be the name, and the rest a sentence
                last = _trimmed(text.split()[-1])
                add(last, Form.MENTION if form_of(last) is not Form.NONE else Form.NONE)

    cleaned, named, labelled = peeled(stripped)
    add(cleaned, form_of(cleaned, named=named, labelled=labelled))
    if "\\" in cleaned and any(form is not Form.ODD for form in found.values()):
        found.setdefault(cleaned, Form.WORD)  # where a backslash is part of the name
    shorter, remark = without_remark(cleaned)
    if shorter != cleaned:
        # A remark caps the form: `a.py (excerpt)` is no surer than QUOTED, whatever the name looks like.
        add(shorter, min(form_of(shorter, named=named, labelled=labelled), remark.value))
    # The line is no path itself, so it may be a sentence that has one.
    if not any(form >= Form.QUOTED for form in found.values()):
        for text, form in _inside(stripped):
            add(text, form)
    if stripped != cleaned and " " not in stripped.rstrip(":"):
        whole = form_of(stripped)  # what was peeled off may be part of the name
        add(stripped, Form.WORD if whole > Form.ODD else Form.ODD if has_known_end(stripped) else Form.NONE)
    ranked = sorted(found.items(), key=lambda item: -item[1])
    return tuple(Candidate(path, form) for path, form in ranked)


def _inside(text: str) -> Iterator[tuple[str, Form]]:
    """Yield the texts that may be paths in a sentence: code spans, bold text and links, or else its words."""
    links, unlinked = _LINK.findall(text), _LINK.sub(" ", text)
    # Links are taken out first: `[`a.py`](src/a.py)` is one name, and its code span is not a second.
    code = [_LINE_NUMBERS.sub("", span.strip().rstrip(":")) for span in _CODE_SPAN.findall(unlinked)]
    other = [_LINE_NUMBERS.sub("", span.strip()) for span in _BOLD.findall(unlinked)]
    other += [_linked(*link).strip("`*") for link in links]
    for span in code:
        if has_known_end(span) or _FOLDER_AND_END.fullmatch(span):
            # `src/my file.py` in a code span is one path; `python src/a.py` is a command.
            form = form_of(span, named="/" in span and not _is_command(span))
            yield span, Form.INSIDE if form >= Form.SPACED else form if form is Form.PHRASE else Form.NONE
    for span in filter(has_known_end, other):
        yield span, Form.INSIDE if form_of(span) is Form.STRONG else Form.NONE
    # Where a sentence marks its names, an unmarked word is none; and without a dot or `…file` no word is.
    if code or other or not _NAMING.search(text):
        return
    for word in map(_trimmed, text.split()):
        # It ends as a file that we know, or has no other meaning: `.then` is a method, `.gitignore` a file.
        if word.startswith("."):
            said = _HIDDEN.fullmatch(word) is not None or ("/" in word and has_known_end(word))
        else:
            said = has_known_end(word) if "." in word else word.lower() in _SAID_NAMES
        if said and form_of(word) is Form.STRONG:
            yield word, Form.MENTION


def names_in(text: str) -> Iterator[str]:
    """Yield the texts in a sentence that are names if such files exist: code, bold and links, or else runs of words."""
    text = spaced(text)
    links, unlinked = _LINK.findall(text), _LINK.sub(" ", text)
    marked = [*_CODE_SPAN.findall(unlinked), *_BOLD.findall(unlinked), *(_linked(*link).strip("`*") for link in links)]
    yield from (_LINE_NUMBERS.sub("", span.strip().rstrip(":")) for span in marked)
    if not marked:
        words = text.split()
        # Up to three words before it may belong to a name with blanks; the files tell.
        named = (at for at, word in enumerate(words) if _NAMING.search(word) or "/" in word)
        yield from (" ".join((*words[max(0, at - 3) : at], _trimmed(words[at]))) for at in named)


def _trimmed(word: str) -> str:
    """Return a word of a sentence without the signs around it; a leading dot stays, as it may be a hidden file's."""
    return _without_underscores(word.lstrip(_AROUND).rstrip(_AROUND + "."))


def as_line(path: str | None) -> str:
    """Return the plainest line that is read back as this path: bare, in backticks, or after ``File:``."""
    plain = path or ""
    read = ((line, next(iter(in_line(line)), None)) for line in (plain, f"`{plain}`", f"File: {plain}"))
    return next((line for line, c in read if c is not None and c.path == path and c.form >= Form.QUOTED), plain)
