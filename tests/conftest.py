"""What holds for all tests: how properties are tried, where keys are kept, and that Ctrl-C means something.

Properties are tried anew each time by people, and alike each time where a build must not depend on luck. A shell's
background job, and all that it starts, has Ctrl-C ignored; here it is heard as at a terminal.
"""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

from hypothesis import settings

collect_ignore = ["cases"]  # files of golden cases, some of them called like tests

settings.register_profile("alike", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("alike")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The key of the journals is no test's to leave in somebody's home.
_STATE = tempfile.TemporaryDirectory(prefix="dovetail-state-")
os.environ["XDG_STATE_HOME"] = _STATE.name
_KEY = Path(_STATE.name) / "dovetail" / "key"
_KEY.parent.mkdir(mode=0o700)
_KEY.write_bytes(os.urandom(32))
_KEY.chmod(0o600)
