#!/usr/bin/env python3
"""Water for the garden."""

from __future__ import annotations

import json
from pathlib import Path

LIMIT = 40


class Pump:
    """Moves water."""

    def __init__(self, tank):
        self.tank = tank
        self.hours = 0

    def run(self, hours):
        self.hours += hours
        return self.tank.drain(hours * 2)


class Tank:
    """Holds water."""

    def __init__(self, litres):
        self.litres = litres

    def drain(self, litres):
        taken = min(litres, self.litres)
        self.litres -= taken
        return taken

    def fill(self, litres):
        self.litres += max(litres, 0)


def load(path):
    return json.loads(Path(path).read_text())


def save(path, tank):
    Path(path).write_text(json.dumps({"litres": tank.litres}))
