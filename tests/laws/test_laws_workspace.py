"""Laws of writing, in a real folder: what is undone is what it was, byte for byte."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from code_samples import STYLES
from dovetail.session.apply import applying, operations
from edits import scenario
from misquotes import MISQUOTES, strayed

ENCODERS = {
    "utf-8": lambda text: text.encode(),
    "utf-8 with BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "no last newline": lambda text: text.removesuffix("\n").encode(),
}


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(STYLES)),
    st.randoms(use_true_random=True),
    st.sampled_from(sorted(MISQUOTES)),
    st.sampled_from(sorted(ENCODERS)),
)
def test_undo_after_apply_is_identity(style: str, rng: Random, kind: str, written: str) -> None:
    case = scenario(style, rng)
    quoted = MISQUOTES[kind](case, rng)
    assume(quoted is not None and not strayed(case, quoted) and case.search != case.replace)
    assert quoted is not None
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        file = root / case.path
        file.parent.mkdir(parents=True)
        before = ENCODERS[written](case.text)
        file.write_bytes(before)
        file.chmod(0o640)
        done = applying.commit(applying.prepare(root, quoted.reply))
        assume(done.operation is not None)
        after = file.read_bytes()
        assert after != before
        operations.undo(root)
        assert file.read_bytes() == before
        assert file.stat().st_mode & 0o777 == 0o640
        operations.redo(root)
        assert file.read_bytes() == after
