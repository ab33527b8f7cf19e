"""Late patterns: compiled when first used, and every one that a module has compiles."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import dovetail
from dovetail.model.patterns import late


def _patterns() -> dict[str, object]:
    """The late patterns of all modules, by their full names."""
    found = pkgutil.walk_packages(dovetail.__path__, "dovetail.")
    modules = [module.name for module in found if not module.name.endswith("__main__")]
    return {
        f"{module}.{name}": value
        for module in modules
        for name, value in vars(importlib.import_module(module)).items()
        if type(value) is late
    }


@pytest.mark.parametrize("pattern", [pytest.param(pattern, id=name) for name, pattern in _patterns().items()])
def test_every_pattern_of_a_module_compiles(pattern: re.Pattern[str]) -> None:
    assert pattern.groups >= 0


def test_a_pattern_answers_as_the_compiled_one() -> None:
    pattern, compiled = late(r"(?P<word>a+)b", re.IGNORECASE), re.compile(r"(?P<word>a+)b", re.IGNORECASE)
    text = "xAab aab"
    assert pattern.search(text, 1)["word"] == compiled.search(text, 1)["word"]  # type: ignore[index]
    assert pattern.match(text) is None
    assert pattern.fullmatch("ab")
    assert [m.span() for m in pattern.finditer(text)] == [m.span() for m in compiled.finditer(text)]
    assert pattern.findall(text) == compiled.findall(text)
    assert pattern.sub("-", text) == compiled.sub("-", text)
    assert pattern.split(text) == compiled.split(text)
    assert (pattern.groups, pattern.groupindex, pattern.flags) == (1, {"word": 1}, compiled.flags)


def test_what_is_no_pattern_is_said_when_it_is_used() -> None:
    pattern = late("(")
    with pytest.raises(re.error):
        pattern.search("")


def test_bytes_have_patterns_too() -> None:
    assert late(rb"\d+").findall(b"1 22") == [b"1", b"22"]
