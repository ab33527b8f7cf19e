"""Shell commands that a reply suggests. They are listed; nothing runs them."""

from __future__ import annotations

from collections.abc import Iterator

from dovetail.formats import faults
from dovetail.formats.paths.forms import normalise
from dovetail.model.blocks import Block, Kind, ShellSuggestion
from dovetail.shell import changes_files
from dovetail.text.pattern import pattern

_QUOTES = r"""'[^']{0,1000}+'|"(?:[^"\\]|\\[\s\S]){0,1000}+\""""
_QUOTED = pattern(_QUOTES)
# `sed -i s/a/b/ a.py`, `perl -pi -e …`, `sg run -U …`, `cat > a.py <<EOF`; not `sed -n 1p a.py`, not `cat a.py`. Quoted
# text counts as one piece, as it may hold `;` and `|`.
_IN_PLACE = pattern(
    r"(?m)(?:^|&&|;)[ \t]*(?:sudo[ \t]+)?(?:(sed|perl|ruby|gawk)[ \t](?=[^|;&\n]*?-(?:\w*i|-in-place)\b)"
    r"|(ast-grep|sg)[ \t](?:run[ \t])?(?=[^|;&\n]*?[ \t](?:-U|--update-all)\b)|(cat|tee)\b(?=[^|;&\n]*<<))"
    rf"((?:{_QUOTES}|\\\n|[^'\"|;&\n])++)"
)
# `rm old.py`, `git mv a.py b.py`; not the bare `rm` of a sentence.
_INLINE = pattern(r"`(?:\$ )?((?:git[ \t]+(?:rm|mv)|mkdir[ \t]+-p|rm|mv)[ \t]++(?!-?\s*`)[^`\n]{1,500})`")
_WORD = pattern(r"(?<!\S)[\w./~-]+(?!\S)")
# `$ ls`, `PS C:\\> dir`, `me@host:~/x$ ls`: lines without a prompt between two are output.
_PROMPT = pattern(r"(?m)^[ \t]*(?:\$|PS [^>\n]*>|[A-Z]:\\[^>\n]*>|[\w.-]+@[\w.-]+:[^$#\n]*[$#])[ \t]+")


def in_prose(text: str, line: int) -> Iterator[tuple[ShellSuggestion, int]]:
    """Yield commands in code spans (``git rm``, ``git mv``, ``mkdir -p``, ``rm``, ``mv``), each with the offset after
    its line. `line` is the number of the text's first line."""
    seen = at = stop = 0
    for match in _INLINE.finditer(text):
        seen += text.count("\n", at, match.start())
        at = match.start()
        # Several commands on one line share the offset behind it, so that its text is given once.
        if at >= stop:
            stop = text.find("\n", match.end()) + 1 or len(text)
        yield ShellSuggestion(match[1].strip(), line + seen, "inline"), stop


def in_fence(text: str, line: int) -> Iterator[ShellSuggestion]:
    """Yield the command of a shell fence: one suggestion, or one for each prompt if the fence shows a session."""
    if not text.strip():
        return
    prompts = list(_PROMPT.finditer(text))
    if not prompts:
        blank = text[: len(text) - len(text.lstrip())]
        yield ShellSuggestion(text.strip("\n"), line + blank.count("\n"), "fence")
        return
    seen = at = 0
    for match in prompts:
        seen += text.count("\n", at, match.end())
        at = match.end()
        stop = match.end()
        while True:
            stop = text.find("\n", stop)
            stop = len(text) if stop < 0 else stop
            # A backslash at the line's end: the command goes on.
            if not text[:stop].endswith("\\") or stop >= len(text):
                break
            stop += 1
        if command := text[match.end() : stop].strip():
            yield ShellSuggestion(command, line + seen, "fence")


def edits_in(suggestion: ShellSuggestion) -> Iterator[Block]:
    """Yield unread blocks for the edits that a command makes (``sed -i``, ``cat > a.py <<EOF``), one for each file that
    it names; a command in a call that changes files is one block."""
    if suggestion.origin == "tool-call":
        if changes_files(suggestion.command):
            text, line = suggestion.command, suggestion.line
            yield Block("tool-call", Kind.EDIT, None, "", text, text, line, malformed=faults.COMMAND.at(line))
        return
    for found in _IN_PLACE.finditer(suggestion.command):
        command = found[1] or found[2] or found[3]
        for word in dict.fromkeys(_WORD.findall(_QUOTED.sub("''", found[4]))):
            if not word.startswith("-"):
                path = normalise(word)
                why = faults.IN_PLACE.at(suggestion.line, command=command, path=path)
                yield Block("shell", Kind.EDIT, path, "", found[0], found[0], suggestion.line, malformed=why)
