"""Whatever a reply says, it can be shown, recorded, sent back, and answered in a batch."""

from __future__ import annotations

import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from dovetail.cli.plan_view import draw_plan
from dovetail.cli.screen import Screen
from dovetail.cli.words import tally
from dovetail.session.apply import records
from dovetail.session.batch.cases import answer_line

FILES = {
    "app.py": "import os\n\n\ndef main(args):\n    print(args)\n    return 0\n\n\ndef other(args):\n    return 0\n",
    "notes.md": "# Notes\r\n\r\n- one\r\n- two",
}

PIECES = st.sampled_from(
    [
        "app.py\n",
        "notes.md\n",
        "../x.py\n",
        "new/file.txt\n",
        "### File: app.py\n",
        "```python\n",
        "````\n",
        "```\n",
        "<<<<<<< SEARCH\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "<<<<<<< NEW_FILE\n",
        ">>>>>>> NEW_FILE\n",
        "<<<<<<< EDIT\n",
        "-------\n",
        ">>>>>>>\n",
        "««« EDIT\n",
        "═══════ REPL\n",
        "»»» EDIT END\n",
        "--- a/app.py\n",
        "+++ b/app.py\n",
        "@@ -4,3 +4,3 @@\n",
        "*** Begin Patch\n",
        "*** Update File: app.py\n",
        "*** Delete File: notes.md\n",
        "*** End Patch\n",
        '{"path": "app.py", "old_string": "print(args)", "new_string": "print(len(args))"}\n',
        "    return 0\n",
        "    print(args)\n",
        "-    print(args)\n",
        "+    print(len(args))\n",
        "def main(args):\n",
        "def mian(args):\n",
        "- one\n",
        "...\n",
        "\x1b[2J\u202e\n",
        "\n",
        "x" * 500 + "\n",
    ]
)
REPLIES = st.lists(st.one_of(PIECES, PIECES, st.text(max_size=20)), max_size=30).map("".join)
POLICIES = st.builds(
    dovetail.Policy, st.sampled_from(list(dovetail.OnFailure)), st.sampled_from(list(dovetail.Occurrence))
)


@settings(max_examples=200, deadline=None)
@given(REPLIES, POLICIES)
def test_any_reply_can_be_shown_recorded_and_sent_back(reply: str, policy: dovetail.Policy) -> None:
    plan = dovetail.make_plan(reply, FILES, policy)
    for colour in (False, True):
        stream = io.StringIO()
        draw_plan(Screen(stream, colour=colour), plan)
        assert "\x1b[2J" not in stream.getvalue()
        assert "\u202e" not in stream.getvalue()
    assert tally(plan.results)
    json.dumps(records.of_plan(plan))
    message = dovetail.retry_message(plan.results)
    unread = any(result.code is dovetail.Code.UNREAD for result in plan.results)
    assert (message is None) is not (bool(plan.failed) or unread)


@settings(max_examples=50, deadline=None)
@given(REPLIES)
def test_a_batch_answers_any_reply_as_the_library_does(reply: str) -> None:
    answered = json.loads(answer_line(json.dumps({"id": 1, "files": FILES, "reply": reply})))
    applied = dovetail.apply(reply, FILES)
    assert answered["files"] == applied.files
    assert [r["status"] for r in answered["results"]] == [str(r.status) for r in applied.plan.results]
