"""Puts the built page into the wheel and the sdist; the only step of packaging that is not declared.

Packaging fails if the page cannot be built, because a package without it looks complete until `dovetail serve` is run.
Where the machine has no Node, one comes from the package index. With `DOVETAIL_WITHOUT_PAGE=1` the page is left out.
An installation for development (editable) builds nothing: `dovetail serve` builds the page when it is first wanted.

This module is both the build backend, which is hatchling with one more requirement, and hatchling's hook.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling import build as hatchling
from hatchling.build import *  # noqa: F403 - all that a frontend may call
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_Settings = dict[str, Any] | None


def get_requires_for_build_sdist(config_settings: _Settings = None) -> list[str]:
    """Return hatchling's requirements, and Node if the page is to be built and the machine has none."""
    return [*hatchling.get_requires_for_build_sdist(config_settings), *_node_requirements()]


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """Return hatchling's requirements, and Node if the page is to be built and the machine has none."""
    return [*hatchling.get_requires_for_build_wheel(config_settings), *_node_requirements()]


class PageHook(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is private to hatchling
    """Runs before files are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface's
        """Build the page if it is missing or older than its sources. Raises `SystemExit`."""
        build = _build_module()
        if version == "editable" or not _is_wanted(build):
            return
        try:
            build.build(self.app.display_info)
        except build.BuildError as error:
            raise SystemExit(
                f"The page cannot be built. {error.message}\nnext  {error.hint}\n"
                "To install Dovetail without its page, set DOVETAIL_WITHOUT_PAGE=1."
            ) from None


def _node_requirements() -> list[str]:
    build = _build_module()
    if not _is_wanted(build):
        return []
    try:
        build.npm_command()
    except build.BuildError:
        return [build.NODE_REQUIREMENT]
    return []


def _is_wanted(build: ModuleType) -> bool:
    return not os.environ.get("DOVETAIL_WITHOUT_PAGE") and not build.is_current()


def _build_module() -> ModuleType:
    """Load `dovetail.web.build` by its place: the package is not installed while it is built."""
    place = Path(__file__).parent / "src" / "dovetail" / "web" / "build.py"
    spec = importlib.util.spec_from_file_location("page_build", place)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
