"""What the scanner holds whatever its machines do."""

from __future__ import annotations

from dovetail.formats.grammar import Grammar
from dovetail.formats.scanner import EveryLine, GiveBack, Scanner
from dovetail.formats.sink import Sink
from dovetail.model.markers import Markers

DECORATIONS = ["", "  \t", "# ", "//", "-- ", "<!-- ", "> ", "- ", "12) ", "\u0663. ", "**", "\\", "`", "* _`"]
RUNS = ["<", "&lt;", "＜", "< ", "«", "🟧", "-", ">", "&gt;", "＞", "> ", "»", "🟩", "+"]
WORDS = ["", " SEARCH", "  REPLACE", "\tSEARCH` ", " EDIT", " word"]


class Restless(EveryLine):
    """A machine that hands every line on to one like itself, as long as it may."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.kept: list[str] = []

    def line(self, text: str, line: int) -> GiveBack | None:
        if line not in self.scanner.tried.text:
            return GiveBack(text, line)
        self.kept.append(text)
        return None

    def end(self) -> GiveBack | None:
        return None


def test_a_line_that_no_machine_keeps_is_text_in_the_end() -> None:
    scanner = Scanner(Grammar(Markers()), "auto", Sink(), Restless)
    scanner.feed("one\ntwo\n")
    assert isinstance(scanner.state, Restless)
    assert scanner.state.kept == ["one\n", "two\n"]
