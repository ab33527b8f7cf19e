"""Puts the built page into the wheel and the sdist; the only step of packaging that is not declared.

A page that is there is taken as it is. Where it is not, it is built if Node is to be had, and left out with a word if
not: everything but `dovetail serve` works without it. Installing a checkout for development builds nothing, for that
happens on every machine that runs the tests; `dovetail serve` then builds the page when it is first wanted.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is private to hatchling
    """Runs before files are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface's
        """Build the page where it is missing."""
        if version == "editable":
            return
        build = _build_module(Path(self.root))
        if build.is_built():
            return
        try:
            build.build(self.app.display_info)
        except build.BuildError as error:
            self.app.display_warning(f"Packaged without the page. {error.message} {error.hint}")


def _build_module(root: Path) -> ModuleType:
    """`dovetail.web.build`, loaded by its place: the package is not installed while it is built."""
    place = root / "src" / "dovetail" / "web" / "build.py"
    spec = importlib.util.spec_from_file_location("page_build", place)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
