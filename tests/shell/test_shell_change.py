from __future__ import annotations

import pytest

from dovetail.shell import changes_files, may_change


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("sed -n 1,5p a | head -3", False),
        ("sed -i s/a/b/ a", True),
        ("cat a > b", True),
        ("cat a 2>&1 >/dev/null", False),
        ("npx tsc --noEmit 2>&1 | head -20", False),
        ("npx prettier --write a 2>&1", True),
        ("cd src && pytest -q && ruff check .", False),
        ("ruff check --fix .", True),
        ("python3 tidy.py a", True),
        ("python3 -c 'print(open(\"a\").read())'", False),
        ("python3 - <<'EOF'\nopen('a', 'w').write('b')\nEOF", True),
        ("git commit -F - <<'EOF'\nIt's > this\nEOF", False),
        ("git checkout a", True),
        ('echo "$(rm a)"', True),
        ("echo 'open", True),
        ("find . \\( -name a \\) -print", False),
        ("find . -name a -delete", True),
        ("npm run test", False),
        ("cat a 2>&1 > b.txt", True),
        ("cat a >&2 2>&-", False),
        ("yq -i '.a=1' f.yaml", True),
        ("yq .a f.yaml", False),
        ("sort -o a a", True),
        ("sort -u -k1,1 --reverse a", False),
        ("curl -o x https://example.com", True),
        ("curl -sSLO https://example.com", True),
        ("curl -sS -o /dev/null -XPOST https://example.com", False),
        ("wget https://example.com", True),
        ("awk -i inplace '{print}' f", True),
        ("awk '{print > \"out\"}' f", True),
        ("awk '$1 > 5 {print $2}' f", False),
        ("find . -fprint x", True),
        ("find . -type f -print0", False),
        ("gh pr checkout 3", True),
        ("gh pr view 3", False),
        ("eslint . --fix=true", True),
        ("eslint . --fix=false", False),
        ("npm run deploy", True),
        ("ls > /dev/null 2>&1", False),
        ("pytest -q 2>&1 | tail -5", False),
        ("git status", False),
        ("ls > out", True),
        ("sed -ni 1p a", True),
        ("cd x && rm y", True),
        ("gofmt -w a.go", True),
        ("ed -s app.py <<E\nw\nE", True),
        ("sort -u a -o a", True),
        ("install -m 644 a b", True),
        ("bash -lc 'rm a'", True),
        ("bash -lc 'ls a | head'", False),
        ("python3 -c \"import os; os.system('rm a')\"", True),
        ("python3 -c \"import shutil; shutil.move('a', 'b')\"", True),
        ("ls  # what is there\nrm a", True),
        ("ls  # don't\ncat a#b '#c'", False),
        ("echo $((1 << 3))\nrm a", True),
        ("cat <<A <<B\nrm\nA\nrm\nB\nls", False),
        ("cat <<< word\nrm a\nword", True),
        ("uniq a", False),
        ("uniq a b", True),
        (". ./set-up.sh", True),
        ("cat a\n" * 12_000, True),
    ],
)
def test_which_commands_may_change(text: str, may: bool) -> None:
    assert may_change(text) is may


@pytest.mark.parametrize(
    "text",
    [
        "./gradlew test",
        "bundle exec rspec",
        "npm install",
        "make",
        "python3 tidy.py a",
        "python3 -c 'print([n for n in range(9) if n > 3])'",
        "psql -c 'select 1'",
        "docker compose up -d",
        "cat > /tmp/try.py <<E\nx = 1\nE\npython3 /tmp/try.py",
        "curl -o x https://example.com",
        "gh pr checkout 3",
    ],
)
def test_a_program_that_nobody_knows_may_change_files_and_is_no_edit(text: str) -> None:
    assert may_change(text)
    assert not changes_files(text)


@pytest.mark.parametrize(
    "text",
    [
        "rm a",
        "sed -i s/a/b/ a",
        "cat a > b",
        "ls | xargs rm",
        "bash <<'E'\nrm a\nE",
        "bash -c 'rm a'",
        "eval 'rm a'",
        'echo "$(rm a)"',
        "fix() { sed -i s/a/b/ a; }\nfix",
        "git -C ../other merge main",
        "python3 - <<'E'\nopen('a', 'w').write('b')\nE",
        "python3 -c \"import os; os.system('rm a')\"",
        "ls | while read f; do perl -pi -e 's/`a:/`b:/' $f; done",
        "npx prettier --write a",
        "cargo fmt",
        "python -m black .",
        "mv a b && make",
    ],
)
def test_what_is_known_to_change_files(text: str) -> None:
    assert changes_files(text)
