"""What holds for all tests: how properties are tried, and that Ctrl-C means something.

Properties are tried anew each time by people, and alike each time where a build must not depend on luck. A shell's
background job, and all that it starts, has Ctrl-C ignored; here it is heard as at a terminal.
"""

from __future__ import annotations

import os
import signal

from hypothesis import settings

settings.register_profile("alike", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("alike")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
