"""How properties are tried: anew each time by people, alike each time where a build must not depend on luck."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("alike", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("alike")
