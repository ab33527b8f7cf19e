"""Guards: signs that only look like those of code: no-break blanks, and letters of another script in a name.

They come from chat programs and from models that were shown such text. In indentation, and in a name whose other
letters are Latin, only the plain sign can be meant: it is written instead, with a warning.

Of 4,100 real replies and calls they bear on none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.text.comments import is_comment, parted
from dovetail.text.languages import is_program, language_of
from dovetail.text.pattern import pattern
from dovetail.text.strings import strings

if TYPE_CHECKING:
    from collections.abc import Callable

# U+FF01 to U+FF5E are the full-width ASCII signs, each 0xFEE0 above the plain one; letters and digits may be meant so.
_SIGNS = {0x3002: ".", 0x3001: ",", 0x2212: "-", 0x2013: "-"} | {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code - 0xFEE0).isalnum()
}
_BLANKS = dict.fromkeys((0x00A0, 0x2007, 0x202F, 0x3000), " ")
_PLAIN = _SIGNS | _BLANKS
# Cyrillic, then Greek letters that look like Latin ones; not `λ`, `Δ` or `μ`, which names of code have.
_LETTERS = str.maketrans("аеорсухіјѕАВЕКМНОРСТХІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsABEKMHOPCTXIJSoABEZHIKMNOPTYX")
_ALIKE = "".join(map(chr, _LETTERS))
# `сount` with a Cyrillic first letter, `userІd`; not `сон` or `café`.
_MIXED = pattern(rf"(?<!\w)(?=\w*[{_ALIKE}])(?=\w*[A-Za-z])[A-Za-z0-9_{_ALIKE}]+(?!\w)")
_IDEOGRAPH = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DEEP = pattern(r"\s+")
_LED = pattern(r"[^\S\n]*([\u00a0\u2007\u202f\u3000])")
_LONGEST = 2_000  # the longest line, in characters, that is changed
TRIGGER = pattern(rf"(?m)^[^\S\n]*[\u00a0\u2007\u202f\u3000]|(?<=[A-Za-z0-9_])[{_ALIKE}]|[{_ALIKE}](?=[A-Za-z0-9_])")
BLANK = pattern(r"[\u00a0\u2007\u202f\u3000\u200b\u2060]")


def strange_signs(impact: Impact) -> Finding | None:
    """Find a new line of code that is indented with no-break blanks, or has a name with letters of two scripts."""
    if not (is_program(impact.path) or language_of(impact.path) == "yaml"):
        return None
    for line in impact.added:
        blanks, name = _LED.match(line), next(iter(_MIXED.findall(_outside(line))), None)
        if blanks is not None and not impact.had(blanks[1]):
            what = "is indented with blanks that do not break"
        elif name is not None and not impact.had(name):
            what = f"has letters of two scripts in `{name}`"
        else:
            continue
        reason = f"A new line for `{impact.path}` {what}: {line.strip()[:120]}"
        return Finding(reason, f"Send the line again: {plain_names(line).strip()[:120]}", plain=plain_names)
    return None


def strange_blanks(impact: Impact) -> Finding | None:
    """Find a no-break or invisible blank in a new line of code, outside of its strings and comments."""
    for line in impact.added if is_program(impact.path) else ():
        code = _outside(line) if BLANK.search(line) and "<" not in line else ""
        sign = BLANK.search(code)
        if sign is not None and not impact.had(sign[0]) and not _IDEOGRAPH.search(code):
            reason = (
                f"The new text for `{impact.path}` has the sign U+{ord(sign[0]):04X} in its code: {line.strip()[:120]}"
            )
            return Finding(reason, "Check whether a plain blank is meant.")
    return None


def plain_names(line: str) -> str:
    """Return a line with plain blanks in its indentation, and Latin letters in names outside strings and comments."""
    depth = _DEEP.match(line)
    if depth is not None:
        line = depth[0].translate(_BLANKS) + line[depth.end() :]
    return _in_code(line, lambda code: _MIXED.sub(lambda name: name[0].translate(_LETTERS), code))


def plain_signs(line: str) -> str:
    """Return the same, with plain blanks and signs in its code too, unless that has words of a wide-sign script."""
    line = plain_names(line)
    return line if _IDEOGRAPH.search(_outside(line)) else _in_code(line, lambda code: code.translate(_PLAIN))


def _in_code(line: str, change: Callable[[str], str]) -> str:
    """Return a line with `change` applied to its code, without strings and comments."""
    if len(line) > _LONGEST or is_comment(line.strip()):
        return line
    code = parted(line)[0]
    kept: list[str] = []
    at = 0
    for one in strings(code):
        kept += change(code[at : one.start]), code[one.start : one.end]
        at = one.end
    return "".join([*kept, change(code[at:]), line[len(code) :]])


def _outside(line: str) -> str:
    """Return a line's code without strings and comments."""
    kept: list[str] = []

    def keep(code: str) -> str:
        kept.append(code)
        return code

    _in_code(line, keep)
    return "".join(kept)
