"""Records a chat as text: `dovetail chat` on a real terminal, over a copy of examples/project.

Usage: python tools/record_chat.py [OUT]    (default: docs/chat-recording.txt)

The model's part is played by a server on loopback that answers from a script, streamed in pieces; all else is real: the
terminal, the command, the files, the journal. What a terminal would show at the end is written, so lines that were
drawn over are left out.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "llm"))

from provider_server import Answer, openai_events, serving, split  # type: ignore[import-not-found, unused-ignore]  # noqa: E402  # found on the path set above

PATIENCE = 30.0

FIRST = '''\
Two causes: `words` splits at blanks only, so punctuation stays on the words; and `lines` asks for the widest of no
words at all.

tally/words.py
```python
<<<<<<< SEARCH
from collections import Counter


def words(text: str) -> list[str]:
    """The words of a text, in order."""
    return text.lower().split()
=======
import re
from collections import Counter


def words(text: str) -> list[str]:
    """The words of a text, in order, without punctuation."""
    return re.findall(r"[^\\W\\d_]+(?:['’][^\\W\\d_]+)?", text.lower())
>>>>>>> REPLACE
```

tally/report.py
```python
<<<<<<< SEARCH
        longest = max(len(entry) for entry in self.entries)
        rows = []
        for entry, number in self.entries.most_common(self.limit):
=======
        longest = max((len(entry) for entry in self.entries), default=0)
        rows = []
        for entry, number in self.entries.most_common(self.limit):
>>>>>>> REPLACE
```
'''

SECOND = """\
The table is called `counts`, and its column `width`:

tally/report.py
```python
<<<<<<< SEARCH
        width = max(len(word) for word in self.counts)
=======
        width = max((len(word) for word in self.counts), default=0)
>>>>>>> REPLACE
```
"""

# What the person waits for, and what they then type.
SCRIPT = (
    ("> ", "Punctuation sticks to the words, and an empty file crashes the report. Mend both."),
    ("(Enter: none)", "a"),
    ("/undo\n> ", "/tokens"),
    ("would have taken", "/undo"),
    ("Took back", "/quit"),
)


def answer(text: str) -> Answer:
    """A reply that streams, a few characters an event."""
    events = openai_events(*(text[at : at + 6] for at in range(0, len(text), 6)))
    return Answer(split(b"".join(events), 400))


def plain(raw: str) -> str:
    """What came, without the signs that ask the terminal to tell what is pasted."""
    for code in ("\x1b[?2004h", "\x1b[?2004l"):
        raw = raw.replace(code, "")
    return raw.replace("\r\n", "\n")


def shown(raw: str) -> Iterator[str]:
    """The lines that a terminal would show at the end."""
    for line in plain(raw).split("\n"):
        yield line.rpartition("\r\x1b[K")[2].replace("\r", "")


def converse(terminal: int) -> str:
    """Type the script's lines, each when what it answers has been shown; everything that was shown."""
    seen, at = "", 0
    for awaited, typed in SCRIPT:
        until = time.monotonic() + PATIENCE
        while awaited not in plain(seen[at:]):
            if time.monotonic() > until or not select.select([terminal], [], [], PATIENCE)[0]:
                raise TimeoutError(f"{awaited!r} did not come: {seen[at:]}")
            seen += os.read(terminal, 65536).decode()
        at = len(seen)
        time.sleep(0.2)
        os.write(terminal, typed.encode() + b"\n")
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            return seen
        if not piece:
            return seen
        seen += piece.decode()


def record(folder: Path) -> str:
    """Chat over a copy of the example, and give what was shown."""
    project = folder / "project"
    shutil.copytree(ROOT / "examples" / "project", project)
    words = ["chat", "--model", "some-model", "--no-map", "tally/words.py", "tally/report.py"]
    with serving(answer(FIRST), answer(SECOND)) as server:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "PYTHONPATH")}
        environ = {**kept, "OPENAI_BASE_URL": f"{server.url}/v1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "110"}
        environ["XDG_CONFIG_HOME"] = str(folder)
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "dovetail", *words]
        with subprocess.Popen(
            command, cwd=project, stdin=theirs, stdout=theirs, stderr=theirs, env=environ, start_new_session=True
        ) as process:
            os.close(theirs)
            try:
                raw = converse(ours)
            finally:
                process.kill()
                os.close(ours)
    lines = [line.rstrip() for line in shown(raw)]
    return f"$ dovetail {' '.join(words)}\n" + "\n".join(lines).strip("\n") + "\n"


def main() -> int:
    """Write the recording."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "chat-recording.txt"
    with tempfile.TemporaryDirectory() as folder:
        text = record(Path(folder))
    out.write_text(text, encoding="utf-8")
    print(f"Wrote {out}: {text.count(chr(10))} lines.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
