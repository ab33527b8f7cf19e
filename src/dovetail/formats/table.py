"""The one table of formats: names as users type them, and which machines each of them needs.

`editor-diff` and `editor-diff-fenced` are their twins in all but the name (their prompts ask for no shell commands);
they are given as a block's format only when asked for.
"""

from __future__ import annotations

from dovetail.model.errors import UsageError

MACHINES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "edit-fence"), frozenset({"angle"})),
    "sections": frozenset({"angle", "new-file"}),
    "artifact": frozenset({"artifact"}),
    "anchored": frozenset({"anchored"}),
    "guillemet": frozenset({"guillemet"}),
    "whole": frozenset({"whole"}),
    "udiff": frozenset({"udiff"}),
    "apply-patch": frozenset({"apply-patch"}),
    "tool-call": frozenset({"tool-call"}),
    "cline": frozenset({"dash", "angle", "tags"}),
    "roo": frozenset({"angle", "tags"}),
}

FORMATS: tuple[str, ...] = tuple(MACHINES)
AUTO = "auto"
DIFF = "diff"
WHOLE = "whole"
EVERY_MACHINE = frozenset().union(*MACHINES.values())
_TWINS = {"diff": "editor-diff", "diff-fenced": "editor-diff-fenced"}


def machines_for(format: object) -> frozenset[str]:  # noqa: A002 - the user's own word
    """The machines that parse `format`; all of them for ``auto``. Raises `UsageError` for a name that is none."""
    if format == AUTO:
        return EVERY_MACHINE
    if not isinstance(format, str) or format not in MACHINES:
        raise UsageError(f"There is no format {format!r}.", hint=f"Choose one of: auto, {', '.join(FORMATS)}")
    return MACHINES[format]


def named(found: str, asked: str) -> str:
    """The name of a block found in the place of `found`, where the user asked for `asked`."""
    if asked.startswith("editor-"):
        return _TWINS.get(found, found)
    return asked if asked in ("cline", "roo") else found
