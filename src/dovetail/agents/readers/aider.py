"""aider's chat history: the replies as text, and aider's own lines after ``> ``.

Those name the files that edits were applied to and that were made for them, and, in the next request, the edits that
failed. A history has no folder, time or model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.readers.calls import LoggedCall, Record, effect_of
from dovetail.agents.session_log import CallOutcome
from dovetail.formats import parse

START = "# aider chat started at"
_REQUEST = re.compile(r"(?m)^#### (.*)$")
_APPLIED = re.compile(r"(?m)^> Applied edit to (.+?)\s*$")
# > notes.py
# > Create new file? (Y)es/(N)o [Yes]: y
# An answer that is left empty is a yes.
_CREATED = re.compile(r"(?m)^> (.+?)\s*\n> Create new file\?.*\[Yes\]: *(?:y|yes|a|all)?\s*$", re.IGNORECASE)
_OWN = re.compile(r"(?m)^> .*$")
_FAILED = re.compile(r"(?i)failed to (?:match|apply)|not found in|does not conform to the edit format")


def read(text: str) -> Record:
    """Return the record of a history, with each reply as a call."""
    return Record("", list(_calls(text)))


def subagent_logs(_path: Path, _session: str, _named: Sequence[str]) -> list[Path]:
    """Return no logs: aider has no sub-agents."""
    return []


def _calls(text: str) -> Iterator[LoggedCall]:
    # request, reply, request, reply, …: the next request names the edits that failed.
    pieces = _REQUEST.split(text)[1:]
    for at in range(0, len(pieces), 2):
        reply, following = pieces[at + 1], pieces[at + 2] if at + 2 < len(pieces) else ""
        applied = dict.fromkeys(_APPLIED.findall(reply))
        call = LoggedCall("reply", _OWN.sub("", reply))
        if applied:
            call.outcome = CallOutcome.WRITTEN
            made = [path for path in _CREATED.findall(reply) if path in applied]
            call.effects = [
                effect_of(path, after=whole, created=True) for path in made if (whole := _whole(reply, path))
            ]
            call.only = tuple(applied)
        elif _FAILED.search(following):
            call.outcome = CallOutcome.REFUSED
        yield call


def _whole(reply: str, path: str) -> str | None:
    """Return the text that a reply gives a new file, in one block or several; None if it edits an existing one."""
    blocks = [block for block in parse(_OWN.sub("", reply)).blocks if block.path == path]
    return "".join(block.replace for block in blocks) if blocks and not any(b.search.strip() for b in blocks) else None
