"""Names of files that other programs run: a short table of files that a careful reader would look at.

*Held* files are run unasked, when a folder is entered, an agent or an editor starts, or git is used; of these, *hooks*
are run by git or a program that git's hooks start. All others are run when somebody asks for it, and are only reported.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import NamedTuple

from dovetail.text.pattern import pattern


class RunKind(StrEnum):
    """How a file comes to be run."""

    UNASKED = "unasked"
    HOOK = "hook"
    ASKED = "asked"


class Runner(NamedTuple):
    """The program that runs a file, as a phrase, and how it comes to be run."""

    program: str
    kind: RunKind

    @property
    def held(self) -> bool:
        """Whether an agent's edit of the file must wait for a person."""
        return self.kind is not RunKind.ASKED


# `.pre-commit-config.yaml`, `lefthook.yml`, `.huskyrc.js`, `lint-staged.config.mjs`, `.simple-git-hooks.cjs`
_HOOK_SETTINGS = (
    r"\.pre-commit-(?:config|hooks)\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.overcommit\.yml"
    r"|\.huskyrc[^/]*|\.lintstagedrc[^/]*|lint-staged\.config\.\w+|\.?simple-git-hooks\.\w+"
)
_TABLE = tuple(
    (pattern(rf"(?i)(?:.*/)?(?:{names})"), Runner(program, kind))
    for names, program, kind in (
        (r"\.claude/(?:settings[^/]*\.json|hooks/.+)", "Claude Code", RunKind.UNASKED),
        (r"\.mcp\.json|\.cursor/(?:mcp|hooks)\.json|\.vscode/mcp\.json", "the agent that starts here", RunKind.UNASKED),
        (r"\.envrc", "direnv", RunKind.UNASKED),
        (r"\.vscode/tasks\.json", "Visual Studio Code", RunKind.UNASKED),
        (r"(?:\.husky|\.git-?hooks)/.+", "git", RunKind.HOOK),
        (_HOOK_SETTINGS, "git's hooks", RunKind.HOOK),
        (r"\.github/workflows/[^/]+\.ya?ml", "GitHub Actions", RunKind.ASKED),
        (r"\.gitlab-ci\.yml", "GitLab CI", RunKind.ASKED),
        (r"(?:gnu)?makefile", "make", RunKind.ASKED),
    )
)
_PACKAGE = pattern(r"(?i)(?:.*/)?package\.json")
_SCRIPTS = ("scripts", "husky", "lint-staged", "pre-commit", "simple-git-hooks")
"""Fields of a `package.json` that hold commands."""


def run_of(path: str, before: str | None, after: str | None) -> Runner | None:
    """Return what runs a changed file, or None if nothing in the table does.

    path: relative to the root, with ``/``. before, after: its texts; a `package.json` counts if its commands differ.
    """
    for names, run in _TABLE:
        if names.fullmatch(path) is not None:
            return run
    if _PACKAGE.fullmatch(path) is not None and _commands(before) != _commands(after):
        return Runner("npm and git's hooks", RunKind.ASKED)
    return None


def _commands(text: str | None) -> object:
    """Return the fields of a `package.json` that hold commands; its text if it is not a JSON object."""
    try:
        fields = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
    return {key: fields.get(key) for key in _SCRIPTS} if isinstance(fields, dict) else text
