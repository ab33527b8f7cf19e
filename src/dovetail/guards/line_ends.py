r"""Guard: line ends written out as ``\n``, outside of strings.

It stops none of 4,100 real replies and calls; of the reported cases 26, all rightly.
"""

from __future__ import annotations

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.text.comments import is_comment
from dovetail.text.pattern import pattern

# Strings, and regular expressions, of which `s/a/\n/` has two parts; not `// comment` or `a / b`.
_STRINGS = pattern(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`"
    r"|(?<!/)/(?![/*\s])(?:[^/\\]|\\.)++/(?:(?:[^/\\\s]|\\.)*+/)?"
)
_WRITTEN = pattern(r"(?<!\\)\\n")
# A `\n` that the text is about (`split at \n and strip`, `[^\r\n]+`, roff's `\n(.C`): a blank stands before it, or one
# blank or a sign that begins no line after it.
_SPOKEN_OF = pattern(r"(?:(?<=\s)|(?<=\\r))\\n(?!\\n)|(?<!\\)\\n(?=\ \S|[])}>(\[,.;:?+*|'\"/])")


def written_line_ends(impact: Impact) -> Finding | None:
    r"""Find a new line that is several lines in one, with the two characters ``\n`` in place of each line end."""
    if _WRITTEN.search(_STRINGS.sub('""', f"{impact.before or ''}\n{impact.search}")):
        return None
    # a whole text with several lines was not written as one line
    if impact.whole and sum(map(bool, map(str.strip, impact.added))) > 1:
        return None
    for line in impact.added:
        if r"\n" in line:
            first, *parts = _WRITTEN.split(_SPOKEN_OF.sub("", _STRINGS.sub('""', line)))
            # In a comment, words may follow the `\n`; if the comment swallowed a line, that line's indentation follows.
            if len(parts) == 1 and is_comment(first):
                parts = [part for part in parts if part[:1].isspace() or is_comment(part)]
            # One `\n` before a small letter may be TeX's `\nabla`. Several, one before anything else, or one at the
            # end of the line can only be line ends.
            if len(parts) > 1 or any(not part[:1].islower() for part in parts):
                reason = rf"The new text for `{impact.path}` has line ends written out as `\n`: {line.strip()[:120]}"
                return Finding(reason, "Send the lines as lines.")
    return None
