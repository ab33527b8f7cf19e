"""Text that was read in another encoding, or lost letters, on its way through the model."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits
from dovetail.text.encodings import reread

PAGE = """\
// ─── Anfang ──────────
open(door);

// ─── Schluss → Ende ──
close(door);
say('Tür größer “zu”');
"""
ENCODINGS = ("cp1252", "cp437", "cp850", "cp1251")


def misread(text: str, encoding: str) -> str:
    """UTF-8 as somebody sees it who takes it for another encoding; bytes that are no sign there are controls."""

    def sign(byte: int) -> str:
        try:
            return bytes([byte]).decode(encoding)
        except UnicodeDecodeError:
            return chr(byte)

    return "".join(sign(byte) for byte in text.encode())


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_search_that_was_misread_lands_and_new_lines_are_read_anew(encoding: str, end: str) -> None:
    file = PAGE.replace("\n", end)
    search = misread("// ─── Schluss → Ende ──\nclose(door);\n", encoding)
    replace = misread("// ─── Schluss → Ende ──\nlock(door);\n// ─── Neu: Gruß ───────────\nlist();\n", encoding)
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert outcome.tier is Tier.FORM
    new = f"lock(door);{end}// ─── Neu: Gruß ───────────{end}list();{end}"
    assert apply_edits(file, outcome.edits) == file.replace(f"close(door);{end}", new)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_changed_line_that_was_misread_is_the_files(encoding: str) -> None:
    search = misread("say('Tür größer “zu”');\n", encoding)
    outcome = locate(Document(PAGE), Needle(search, "say('zu');\n"))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(PAGE, outcome.edits) == PAGE.replace("Tür größer “zu”", "zu")


def test_what_the_file_itself_has_misread_is_content() -> None:
    file = f"{misread(PAGE, 'cp1252')}{PAGE}"
    search = misread("close(door);\nsay('Tür größer “zu”');\n", "cp1252")
    replace = misread("close(door);\nsay('Tür kleiner');\n", "cp1252")
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert outcome.tier is Tier.EXACT
    assert apply_edits(file, outcome.edits).endswith(PAGE)


def test_the_encoding_is_the_one_that_reads_the_new_lines_too() -> None:
    """`ś` is `┼ø` in one encoding, and no text in another that reads all of the search."""
    search, replace = "say('hasło')\n", "say('hasło ośle')\n"
    told = reread(misread(search, "cp850"), misread(replace, "cp850"), search)
    assert told == (search, replace)
    assert reread(misread(search, "cp437"), misread(replace, "cp850"), search) == told


def test_new_lines_that_two_encodings_read_otherwise_are_not_read() -> None:
    search, replace = misread("say('hasło')\n", "cp850"), misread("say('že')\n", "cp850")
    assert misread("ŝ", "cp437") in replace
    assert reread(search, replace, "say('hasło')\n") == (search, replace)


def test_new_signs_that_are_no_bytes_are_content() -> None:
    told = reread(misread("say('größer')\n", "cp1252"), "say('größer → ✓')\n", "say('größer')\n")
    assert told == ("say('größer')\n", "say('größer → ✓')\n")


def test_signs_that_only_look_misread_stay() -> None:
    told = ("Â»so«\n", "Â»so« und\n")
    assert reread(*told, "»nie«\n") == told
    assert reread("Ã¼ber\n", "Ã¼ber alles\n", "nichts davon\n") == ("Ã¼ber\n", "Ã¼ber alles\n")


@pytest.mark.parametrize("lost", ["\ufffd", "\ufffd\ufffd"])
def test_letters_that_were_lost_are_the_files(lost: str) -> None:
    search = PAGE[PAGE.index("close(door)") :].replace("größer", f"gr{lost}{lost}er").replace("Tür", f"T{lost}r")
    replace = search.replace("close(door)", "lock(door)") + f"say('gr{lost}{lost}er');\n"
    outcome = locate(Document(PAGE), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert outcome.tier is Tier.FORM
    assert apply_edits(PAGE, outcome.edits) == PAGE.replace("close(door)", "lock(door)") + "say('größer');\n"


NOT_TOLD = {
    "two lines that may be meant": ("say('Größe');\nsay('Grüße');\n", "say('Gr\ufffd\ufffde');\n", "say('x');\n"),
    "too little is left": ("say('öäü');\n", "say('\ufffd\ufffd\ufffd');\n", "say('x');\n"),
    "new lines lost others": ("say('Größe');\nrun(1);\n", "say('Gr\ufffd\ufffde');\nrun(1);\n", "say('M\ufffdhe');\nrun(1);\n"),
    "no line is like it": ("say('Größe');\n", "say('Gr\ufffd\ufffde', 1);\n", "say('x');\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_TOLD)
def test_letters_that_the_file_does_not_tell_are_no_match(name: str) -> None:
    file, search, replace = NOT_TOLD[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome
