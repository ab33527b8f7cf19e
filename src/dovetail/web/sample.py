"""A sample project and a reply about it: what a first visit can try before anything of one's own is at stake.

The reply has what replies have: edits that fit, one whose indentation is off, a new file, one that fits two places, and
one that quotes what the file does not say.
"""

from __future__ import annotations

from pathlib import Path

FILES = {
    "README.md": "# Kettle\n\nA small library that boils water.\n",
    "kettle/boiler.py": '''"""Heats water."""

BOILING = 100  # degrees


class Boiler:
    """Water at a temperature."""

    def __init__(self, litres):
        self.litres = litres
        self.degrees = 20

    def heat(self, degrees):
        """Heat by some degrees, up to boiling."""
        self.degrees += degrees
        self.report()

    def cool(self, degrees):
        """Cool by some degrees."""
        self.degrees -= degrees
        self.report()

    def report(self):
        print("now at", self.degrees)
''',
    "kettle/tea.py": '''"""Makes tea."""

from kettle.boiler import BOILING, Boiler

STEEP = {"green": 120, "black": 240}  # seconds


def brew(kind, litres=1):
    """Return how long a tea has to steep."""
    boiler = Boiler(litres)
    boiler.heat(BOILING)
    return STEEP[kind]
''',
}

_BLOCK = "{path}\n```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"

REPLY = "\n".join(
    [
        "Water never gets hotter than **`BOILING`**, and an unknown tea says so. Five edits:\n",
        _BLOCK.format(
            path="kettle/boiler.py",
            search='    """Heat by some degrees, up to boiling."""\n    self.degrees += degrees\n',
            replace='    """Heat by some degrees, up to boiling."""\n'
            "    self.degrees = min(self.degrees + degrees, BOILING)\n",
        ),
        _BLOCK.format(
            path="kettle/tea.py",
            search="    return STEEP[kind]\n",
            replace="    if kind not in STEEP:\n"
            '        raise ValueError(f"no tea is called {kind!r}")\n'
            "    return STEEP[kind]\n",
        ),
        "A test for both:\n",
        _BLOCK.format(
            path="tests/test_tea.py",
            search="",
            replace="from kettle.tea import brew\n\n\ndef test_black_tea_takes_four_minutes():\n"
            '    assert brew("black") == 240\n',
        ),
        "`report` is quieter with a log. This edit fits *two* places, so you choose one:\n",
        _BLOCK.format(path="kettle/boiler.py", search="        self.report()\n", replace="        self.log()\n"),
        "And this one quotes a line that the file does not have:\n",
        _BLOCK.format(
            path="kettle/boiler.py",
            search='    def report(self, out):\n        print("currently at", self.degrees)\n',
            replace="    def report(self, out):\n        print(self.degrees, file=out)\n",
        ),
    ]
)


def write_sample(folder: Path) -> None:
    """Write the project into an empty folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
