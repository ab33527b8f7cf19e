"""`python -m tally FILE...`."""

import sys
from pathlib import Path

from tally.report import Report
from tally.words import count


def main(names: list[str]) -> None:
    """Print the words of all files together."""
    text = " ".join(Path(name).read_text() for name in names)
    sys.stdout.write(f"{Report(count(text))}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
