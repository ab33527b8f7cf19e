"""The public names; see `__init__.py`."""

from dovetail import errors as errors
from dovetail import rewards as rewards
from dovetail import schema as schema
from dovetail import tools as tools
from dovetail.formats import Stream, check, parse, render
from dovetail.formats import events as events
from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import (
    Code,
    Occurrence,
    OnFailure,
    Status,
    Tier,
)
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import DovetailError
from dovetail.model.markers import Markers
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.model.snapshot import Snapshot
from dovetail.session.apply.correction import retry_message
from dovetail.session.apply.library import (
    Applied,
    Preview,
    apply,
    apply_async,
    make_plan,
    make_plan_async,
    preview,
    redo,
    undo,
    undo_to,
)
from dovetail.workspace import Workspace

__version__: str

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
