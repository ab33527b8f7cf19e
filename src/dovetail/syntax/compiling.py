"""Asks this interpreter's compiler about Python: it finds what the grammar accepts (a stray `return`, mixed tabs).

Nothing is run: the text is compiled and the code is thrown away. Old and new versions of Python differ, so an error in
a new file counts only if every version has it; in one that is edited, where its old text compiled.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from dovetail.syntax.guard import may_parse
from dovetail.text.pattern import pattern

_IN_EVERY_VERSION = pattern(r"outside (?:async )?(?:function|loop)|not properly in loop|only allowed in async")
_COMPILING = Lock()  # `warnings.catch_warnings` changes the filters of all threads


class CompileError(NamedTuple):
    """A line, from 1, and whether every version of Python refuses it."""

    line: int
    lasting: bool


def new_compile_error(path: str, before: str | None, after: str) -> int | None:
    """Return the first line of `after`, from 1, that newly does not compile; None if none does, or it is uncertain."""
    error = _compile_error(path, after)
    if error is None:
        return None
    if before is None or not before.strip():
        return error.line if error.lasting else None
    return error.line if _compile_error(path, before) is None else None


def compiles(path: str, text: str) -> bool:
    """Return whether this interpreter compiles a text, or a piece of one."""
    return _compile_error(path, text) is None


@lru_cache(maxsize=16)
def _compile_error(path: str, text: str) -> CompileError | None:
    if not may_parse(text.encode("utf-8", "surrogatepass"), "python"):
        return None
    with _COMPILING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            # Newer syntax fails only in an older version. Wrong depth, and a `return` outside of functions, fail in
            # every one.
            lasting = isinstance(error, IndentationError) or _IN_EVERY_VERSION.search(error.msg or "") is not None
            return CompileError(error.lineno or 1, lasting)
        except Exception:  # the compiler failed on the text's size or depth, which shows no error in it
            return None
    return None
