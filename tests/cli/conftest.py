"""Lets the tests of the loop use the scripted provider, and what the tests of `session` say with it."""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path += [str(_TESTS / "llm"), str(_TESTS / "session")]
