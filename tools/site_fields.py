"""Shows on the site's page of Python names each class's fields and each function's arguments as a table.

Docstrings of the code name them as `path: the file it names` or `before, after: its text`, which reads well in `help`.
mkdocstrings makes tables of Google's sections alone, so here such lines become one.
"""

from __future__ import annotations

import re

from griffe import Class, Docstring, Extension, Function

LINE = re.compile(r"([\w-]+(?:, [\w-]+)*): (\S.*)")


class Fields(Extension):
    """What `mkdocs.yml` names: turns the lines into sections when the package has been read."""

    def on_class(self, *, cls: Class, **_: object) -> None:
        """Make a class's lines a section `Attributes`."""
        words = {str(member.value).strip("'\"") for member in cls.attributes.values()}  # an enumeration's own
        _rewrite(cls.docstring, "Attributes", {*cls.members, *(p.name for p in cls.parameters), *words})

    def on_function(self, *, func: Function, **_: object) -> None:
        """Make a function's lines a section `Args`."""
        _rewrite(func.docstring, "Args", {parameter.name for parameter in func.parameters})


def _rewrite(docstring: Docstring | None, section: str, names: set[str]) -> None:
    if docstring is None:
        return
    prose: list[str] = []
    rows: list[str] = []
    within: list[str] = []  # the names of the row that the next line may continue
    for line in docstring.value.splitlines():
        found = LINE.match(line)
        if found and set(found[1].split(", ")) <= names:
            within = found[1].split(", ")
            rows += [f"    {name}: {found[2]}" for name in within]
        elif within and line.strip() and not line.startswith("Raises "):
            rows[-len(within) :] = [f"{row}\n        {line.strip()}" for row in rows[-len(within) :]]
        else:
            within = []
            prose.append(line)
    if rows:
        docstring.value = "\n".join([*prose, "", f"{section}:", *rows, ""])
