"""A turn as plain JSON: what `ask --json` prints of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.results import Plan
from dovetail.session.chats.recording import reply_record
from dovetail.session.shown.record import Record, of_explained, of_plan

if TYPE_CHECKING:
    from dovetail.session.loop.ledger import Ledger, Spent
    from dovetail.session.loop.turn import Outcome


def of_outcome(outcome: Outcome, ledger: Ledger) -> Record:
    """What came of a turn, its replies, and what each request cost."""
    plan = outcome.prepared.plan if outcome.prepared is not None else Plan((), ())
    committed = outcome.committed
    operation = committed.operation if committed is not None else None
    stopped = outcome.stopped
    return {
        "written": outcome.written,
        "operation": operation.id if operation is not None else None,
        **of_plan(plan, committed.findings if committed is not None else ()),
        "replies": [reply_record(reply) for reply in outcome.replies],
        "requests": [of_spent(spent) for spent in ledger.entries],
        "saved": ledger.total.saved,
        "wanted": list(outcome.wanted),
        "stopped": None
        if stopped is None
        else {
            "why": str(stopped.end),
            "detail": stopped.detail,
            "failures": [of_explained(result) for result in stopped.failures],
        },
    }


def of_spent(spent: Spent) -> Record:
    """One request's cost; `message` and `again` are estimates, for repairs."""
    return {
        "step": str(spent.step),
        "model": spent.model,
        "sent": spent.sent,
        "received": spent.received,
        "input": spent.input,
        "output": spent.output,
        "counted": spent.usage is not None,
        "message": spent.message,
        "again": spent.again,
        "saved": spent.saved,
    }
