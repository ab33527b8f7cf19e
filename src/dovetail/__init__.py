"""Dovetail: the layer between a language model's replies and people's files.

::

    import dovetail

    applied = dovetail.apply(reply, {"app.py": text})
    applied.files   # {"app.py": new text}
    applied.retry   # the message to the model about edits that failed, or None

Modules: `errors` has the errors by name, `events` the events of a stream, `tools` the tools for agents, `rewards` the
scores, `schema` the schemas of all JSON.
Every name is loaded when it is first used, so that importing the package costs next to nothing; `__init__.pyi` tells
type checkers what they are.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

__all__ = [
    "Applied",
    "Block",
    "BlockResult",
    "Code",
    "Diagnostic",
    "DovetailError",
    "FileChange",
    "Kind",
    "Markers",
    "Occurrence",
    "OnFailure",
    "Parsed",
    "Plan",
    "Policy",
    "Preview",
    "Snapshot",
    "Status",
    "Stream",
    "Tier",
    "Workspace",
    "apply",
    "apply_async",
    "check",
    "errors",
    "events",
    "make_plan",
    "make_plan_async",
    "parse",
    "preview",
    "redo",
    "render",
    "retry_message",
    "rewards",
    "schema",
    "tools",
    "undo",
    "undo_to",
]

_HOMES = {
    "dovetail.formats": ("Stream", "check", "parse", "render"),
    "dovetail.model.blocks": ("Block", "Kind", "Parsed"),
    "dovetail.model.codes": ("Code", "Occurrence", "OnFailure", "Status", "Tier"),
    "dovetail.model.diagnostics": ("Diagnostic",),
    "dovetail.model.errors": ("DovetailError",),
    "dovetail.model.markers": ("Markers",),
    "dovetail.model.policy": ("Policy",),
    "dovetail.model.results": ("BlockResult", "FileChange", "Plan"),
    "dovetail.model.snapshot": ("Snapshot",),
    "dovetail.session.apply.library": (
        "Applied",
        "Preview",
        "apply",
        "apply_async",
        "make_plan",
        "make_plan_async",
        "preview",
        "redo",
        "undo",
        "undo_to",
    ),
    "dovetail.session.apply.correction": ("retry_message",),
    "dovetail.workspace": ("Workspace",),
}

_MODULES = {
    "errors": "dovetail.errors",
    "events": "dovetail.formats.events",
    "rewards": "dovetail.rewards",
    "schema": "dovetail.schema",
    "tools": "dovetail.tools",
}

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a public name on its first use."""
    if name in _MODULES:
        value: object = import_module(_MODULES[name])
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, as none of them is a global before its first use."""
    return [*__all__, "__version__"]
