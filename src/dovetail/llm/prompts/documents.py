"""The prompts' texts as they lie in the package.

Owns the shape of a document: front matter between two ``---`` lines (``key: value``), then text, or sections that
begin with ``# name``. Opens the package's own data and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_SECTION = re.compile(r"^# ([a-z][a-z -]*)\n", re.MULTILINE)
_ROOT = "dovetail.llm.prompts"


@dataclass(frozen=True, slots=True)
class Document:
    """Front matter and sections; text before the first section is the section ``""``."""

    meta: Mapping[str, str]
    sections: Mapping[str, str]


def folder(*names: str) -> Traversable:
    """A folder or file of the package's data."""
    place = files(_ROOT)
    for name in names:
        place = place / name
    return place


@cache
def piece(*names: str) -> str:
    """A shared text, without the blank lines around it; names as in ``piece("pieces", "sizing")``."""
    return _read(folder(*names[:-1], names[-1] + ".md")).strip("\n")


@cache
def format_document(name: str) -> Document:
    """What is known of one format; a document that says ``like: NAME`` takes from that one what it does not say."""
    own = parse(_read(folder("formats", f"{name}.md")))
    if "like" not in own.meta:
        return own
    base = format_document(own.meta["like"])
    return Document({**base.meta, **own.meta}, {**base.sections, **own.sections})


def parse(text: str) -> Document:
    """Read a document."""
    meta: dict[str, str] = {}
    if text.startswith("---\n"):
        head, _, text = text.removeprefix("---\n").partition("\n---\n")
        for line in head.splitlines():
            key, _, value = line.partition(":")
            meta[key.strip()] = value.strip()
    parts = _SECTION.split(text)
    sections = {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    if opening := parts[0].strip("\n"):
        sections[""] = opening
    return Document(meta, sections)


def _read(place: Traversable) -> str:
    return place.read_text(encoding="utf-8")
