"""A name that is given as a file's, in a field, an attribute or a head of its own, and what else stands in it.

Owns what comes off such a name: the signs of a sentence, line numbers, a remark. What is left must end as files do;
else the text is taken as it stands, and it may be no name at all. Names have blanks, brackets and dashes too, so a text
that ends as a file's name is one, and the text as a whole stays a candidate wherever words come off.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from dovetail.formats.lines.decoration import Remark, remark_of, without_remark
from dovetail.formats.lines.paths import Form, form_of, has_known_end, normalise

_SIGNS = " ,;"
_PLAIN = re.compile(r"\w[\w-]*(?:[./][\w-]+)*\.[A-Za-z]{1,5}")
_COMMENT = re.compile(r"\s+(?:#|//|<-+|←)\s*(?P<said>.*)$|\s+(?:[-=]+>|→|\*{1,3})$")
_BLANK = re.compile(r"<[^<>/]+>")  # what a form has to be filled in
_ARROW = re.compile(r"\s(?:[-=]+>|→)\s")


class Given(NamedTuple):
    """What a text gives as a file's name. `path` is the name; `whole` the text with all that stands behind it, and
    `remark` what that says."""

    path: str
    whole: str
    remark: Remark = Remark.NONE


@lru_cache(maxsize=256)
def given(text: str) -> Given:
    """The name that a text gives; that of most is the text."""
    if _PLAIN.fullmatch(text):
        return Given(text, text)
    whole = normalise(text)
    plain = whole.rstrip(_SIGNS) if has_known_end(whole.rstrip(_SIGNS)) else whole
    comment = _COMMENT.search(plain)
    if comment is not None:
        short, remark = normalise(plain[: comment.start()]), remark_of(comment["said"] or "")
    elif form_of(plain, named=True) >= Form.SPACED:
        return Given(plain, plain)
    else:
        short, remark = without_remark(plain)
    return Given(short, plain, remark) if _is_name(short) else Given(plain, plain)


def is_no_name(text: str) -> bool:
    """Whether a name given as a file's can only be words, as an example has them in its place: ``File path here``,
    ``<dir>/a.py``; or two names, of which one takes the place of the other."""
    words = " " in text and "/" not in text and form_of(text, named=True) is Form.NONE
    arrow = _ARROW.search(text)
    return words or _BLANK.search(text) is not None or (arrow is not None and _is_name(text[: arrow.start()]))


def _is_name(text: str) -> bool:
    return has_known_end(text) and form_of(text, named=True) >= Form.SPACED
