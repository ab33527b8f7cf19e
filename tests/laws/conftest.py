"""The laws' edits, misquotes and twins are the fuzzer's, so that both hold one definition of what is right."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
