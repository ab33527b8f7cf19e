"""Prints one JSON object, for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any


def print_json(record: Mapping[str, Any]) -> None:
    """Write the record to standard output, indented, closed by a line end."""
    json.dump(record, sys.stdout, indent=2, ensure_ascii=True)
    sys.stdout.write("\n")
