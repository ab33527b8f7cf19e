"""Files that commands of a reply would write."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code, Severity

FILE = "cat > src/a.py <<'EOF'\nx = '$1'\n\n  y\nEOF\n"


def fenced(commands: str, language: str = "bash") -> str:
    return f"Run this:\n\n```{language}\n{commands}```\n"


def written(reply: str) -> list[tuple[str | None, str]]:
    return [(block.path, block.replace) for block in parse(reply, format="whole").blocks]


WRITES = {
    "in quotes": FILE,
    "between other commands": f"mkdir -p src\n{FILE}python src/a.py\n",
    "the other way round": FILE.replace("cat > src/a.py <<'EOF'", 'cat << "EOF" > ./src/a.py'),
    "by tee": FILE.replace("cat > src/a.py <<", "sudo tee src/a.py > /dev/null <<"),
    "by tee, the other way round": FILE.replace("cat > src/a.py <<'EOF'", "tee 'src/a.py' <<\\EOF >/dev/null"),
    "at a prompt": f"$ {FILE}",
    "with tabs before it": FILE.replace("<<", "<<-").replace("\n", "\n\t"),
}


@pytest.mark.parametrize("commands", WRITES.values(), ids=WRITES.keys())
def test_what_a_command_writes_is_told_of_and_an_edit_where_it_is_asked_for(commands: str) -> None:
    reply = fenced(commands)
    parsed = parse(reply)
    (note,) = parsed.diagnostics
    assert (note.code, note.severity, "`src/a.py`" in note.message) == (Code.NO_BLOCKS, Severity.NOTE, True)
    assert parsed.blocks == ()
    assert written(reply) == [("src/a.py", "x = '$1'\n\n  y\n")]
    assert parse(reply, format="whole").shell_suggestions == parsed.shell_suggestions != ()


def test_each_file_is_written() -> None:
    second = FILE.replace("src/a.py", "b.txt").replace("EOF", "END")
    reply = fenced(FILE + second)
    assert written(reply) == [("src/a.py", "x = '$1'\n\n  y\n"), ("b.txt", "x = '$1'\n\n  y\n")]
    assert [block.line for block in parse(reply, format="whole").blocks] == [5, 10]


def test_a_fence_in_a_list_loses_its_indentation() -> None:
    reply = "".join(f"   {line}\n" for line in f"```sh\n{FILE}```".split("\n"))
    assert written(f"1. Run:\n{reply}") == [("src/a.py", "x = '$1'\n\n  y\n")]
    (suggestion,) = parse(reply).shell_suggestions
    assert suggestion.command == FILE.rstrip("\n")


OTHERS = {
    "what the shell expands": FILE.replace("'EOF'", "EOF"),
    "no end": FILE.removesuffix("EOF\n"),
    "behind its end": FILE.replace(">", ">>"),
    "in another folder": f"cd sub\n{FILE}",
    "in another folder, on one line": f"mkdir -p sub && cd sub\n{FILE}",
    "a path that the shell expands": FILE.replace("src/a.py", '"$HOME/a.py"'),
    "to a program": FILE.replace("cat > src/a.py", "python3 -"),
}


@pytest.mark.parametrize("commands", OTHERS.values(), ids=OTHERS.keys())
def test_other_commands_are_commands(commands: str) -> None:
    assert parse(fenced(commands)).diagnostics == ()
    assert written(fenced(commands)) == []


def test_it_is_none_in_another_language_nor_beside_an_edit_of_the_file() -> None:
    assert written(fenced(FILE, "python")) == []
    edit = "src/a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
    assert parse(fenced(FILE) + edit).diagnostics == ()
    assert parse(f"<think>\n{fenced(FILE)}</think>\n").diagnostics == ()
