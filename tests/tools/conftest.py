"""Lets the tests of the tools use the scripted provider of the tests of `llm`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "llm"))
