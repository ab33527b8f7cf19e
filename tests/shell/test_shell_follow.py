"""What a command leaves of the files: each row a command, and the files that differ afterwards."""

from __future__ import annotations

import pytest

from dovetail.shell import NotReadError, follow
from dovetail.shell.named import files_named

FILES = {
    "app.py": "import os\n\nDEBUG = False\nPORT = 80\n",
    "notes.md": "# Notes\n\n- red\n- blue",
    "lib/util.py": "def twice(n):\n    return n * 2\n",
    "lib/old.py": "x = 1\n",
    "page.txt": "a\x0cb\nc\n",
}
HERE = "cat > new.txt <<'EOF'\nhi $USER\nEOF\n"


def left(command: str, *, root: str = "/srv/shop", folder: str = "") -> dict[str, str | None]:
    """The files that a command changes."""
    found = follow(command, FILES, FILES, root=root, folder=folder)
    return {change.path: change.text for change in found}


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (HERE, {"new.txt": "hi $USER\n"}),
        ("cat <<A > a <<B\n1\nA\n2\nB", {"a": "2\n"}),
        ("cat > a <<'A' && cat > b <<'B'\n1\nA\n2\nB", {"a": "1\n", "b": "2\n"}),
        ("cat >> notes.md <<-E\n\tend\n\tE", {"notes.md": "# Notes\n\n- red\n- blueend\n"}),
        ("V=1; cat > a <<E\nv=$V \\$V `\nE".replace("`", "\\`"), {"a": "v=1 $V `\n"}),
        ("sed -i 's/False/True/' app.py", {"app.py": "import os\n\nDEBUG = True\nPORT = 80\n"}),
        ("sed -i '' 's/80/81/' app.py", {"app.py": "import os\n\nDEBUG = False\nPORT = 81\n"}),
        ("sed -i.bak -e '1d' -e 's/80/&&/' app.py", {"app.py.bak": FILES["app.py"], "app.py": "\nDEBUG = False\nPORT = 8080\n"}),
        (r"sed -i -E 's/^(\w+) = (.*)$/\2 -> \1/;/os/,/^$/d' app.py", {"app.py": "False -> DEBUG\n80 -> PORT\n"}),
        ("sed -i '$s/blue/green/' notes.md", {"notes.md": "# Notes\n\n- red\n- green"}),
        ("sed -i '/blue/,/x/c changed' notes.md", {"notes.md": "# Notes\n\n- red\n"}),
        ("sed -i '/red/a - more' notes.md", {"notes.md": "# Notes\n\n- red\n- more\n- blue"}),
        ("perl -pi -e 's/(\\w+) = /$1: int = /' lib/old.py", {"lib/old.py": "x: int = 1\n"}),
        ("cd lib && mv old.py new.py && sed -i 's/1/2/' new.py", {"lib/new.py": "x = 2\n", "lib/old.py": None}),
        ("rm -rf lib", {"lib/util.py": None, "lib/old.py": None}),
        ("git mv lib/old.py lib/x.py && git add -A && git commit -m 'a (b)'", {"lib/old.py": None, "lib/x.py": "x = 1\n"}),
        ("for f in lib/*.py; do echo '# end' >> \"$f\"; done; rm lib/util.py", {"lib/util.py": None, "lib/old.py": "x = 1\n# end\n"}),
        ("if grep -q nothing app.py; then rm app.py; else touch here; fi", {"here": ""}),
        ("false && rm app.py || echo 1 > one", {"one": "1\n"}),
        ("set -e\nfalse\nrm app.py", {}),
        ("exit 0\nrm app.py", {}),
        ("sed -n '3p' app.py | tr a b; head -n 1 app.py > first", {"first": "import os\n"}),
        ("head -n 1 page.txt > first", {"first": "a\x0cb\n"}),
        ("tail -n 1 page.txt > last", {"last": "c\n"}),
        ("python3 -c \"open('last', 'w').write(list(open('page.txt'))[-2])\"", {"last": "a\x0cb\n"}),
        ("echo 'rm app.py' # && rm app.py", {}),
        ("grep -rn '*** Begin Patch' . ; npm test", {}),
        ("cd /srv/shop/lib; rm /srv/shop/lib/old.py", {"lib/old.py": None}),
        ("python3 -c \"s = open('lib/old.py').read(); open('lib/old.py', 'w').write(s.replace('1', '2'))\"", {"lib/old.py": "x = 2\n"}),
        ("git apply <<'E'\n--- a/lib/old.py\n+++ b/lib/old.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\nE", {"lib/old.py": "x = 3\n"}),
        ("sort app.py > app.py", {"app.py": ""}),
        ("cat > /tmp/x <<E\n1\nE\nmv /tmp/x lib/old.py", {"lib/old.py": "1\n"}),
        ("python3 - <<E\nimport re\ns = open('lib/old.py').read()\nopen('a', 'w').write(re.sub('=', ':', s, 1) + str(re.split(' ', s, 1)))\nE", {"a": "x : 1\n['x', '= 1\\n']"}),
        ("python3 - <<E\nl = [1]; g = (v for v in l); l.append(4)\ndef f(n): return n + 1\ndef all_of(): return [f(n) for n in g]\nopen('a', 'w').write(str(all_of()))\nE", {"a": "[2, 5]"}),
        ("python3 - <<E\nl = [1]; m = l; l += [2]\nd = {'k': []}; e = d['k']; d['k'] += (3,)\nopen('a', 'w').write(str(m) + str(e))\nE", {"a": "[1, 2][3]"}),
        ("echo a > /tmp/x; echo b >> /tmp/x; echo c >> /tmp/log; mv /tmp/x lib/old.py", {"lib/old.py": "a\nb\n"}),
        ("tail -n +0 lib/old.py > b; head -n -0 lib/old.py > c", {"b": "x = 1\n", "c": "x = 1\n"}),
        ("printf 'a\\fb\\nc\\n' > a; head -n 1 a > b", {"a": "a\fb\nc\n", "b": "a\fb\n"}),
        ("{ echo y; cat notes.md; } > lib/old.py; head lib/old.py > a", {"lib/old.py": "y\n" + FILES["notes.md"], "a": "y\n" + FILES["notes.md"]}),
    ],
)  # fmt: skip
def test_followed(command: str, wanted: dict[str, str | None]) -> None:
    assert left(command) == wanted


PYTHON = """python3 - <<'PY'
import re, json
from pathlib import Path

def put(path, pairs):
    p = Path(path)
    s = p.read_text()
    for old, new in pairs:
        assert old in s, f"missing {old!r}"
        s = s.replace(old, new, 1)
    p.write_text(s)

put("app.py", [("False", "True"), ("80", "81")])
text = open("lib/util.py").read()
text = re.sub(r"(\\w+)\\(n\\)", lambda m: m.group(1).upper() + "(n)", text, count=1)
lines = [line for line in text.splitlines(keepends=True) if line.strip()]
with open("lib/util.py", "w", encoding="utf-8") as f:
    f.writelines(lines)
Path("data.json").write_text(json.dumps({"a": [1, 2]}, indent=2) + "\\n")
print("done")
PY
"""


def test_python_is_followed() -> None:
    assert left(PYTHON) == {
        "app.py": "import os\n\nDEBUG = True\nPORT = 81\n",
        "lib/util.py": "def TWICE(n):\n    return n * 2\n",
        "data.json": '{\n  "a": [\n    1,\n    2\n  ]\n}\n',
    }


def test_a_failed_assertion_leaves_what_was_written_before() -> None:
    script = "open('one', 'w').write('1')\nassert False\nopen('two', 'w').write('2')"
    assert left(f"python3 - <<'E'\n{script}\nE\necho 3 > three") == {"one": "1", "three": "3\n"}
    script = script.replace("assert False", "import re; re.sub('1', r'\\d', '1')")  # an escape that `re` does not know
    assert left(f"python3 - <<'E'\n{script}\nE\necho 3 > three") == {"one": "1", "three": "3\n"}


@pytest.mark.parametrize(
    "command",
    [
        "npm test && rm app.py",
        "prettier --write app.py",
        "./fix.sh; rm app.py",
        "sed -i 's/80/81/' app.py && git checkout -- app.py",
        "cd missing; rm app.py",
        'cd "$WORK" && rm app.py',
        "cd ~/shop && rm app.py",
        "rm app.py &",
        "rm() { true; }; rm app.py",
        "docker exec -i box sh <<E\nrm app.py\nE",
        "cat > ~/.bashrc <<E\nx\nE",
        "echo x > /etc/passwd",
        "echo $USER > name",
        "echo $(date) > now",
        "rm *.nothing",
        "eval 'rm app.py'",
        "while read f; do rm $f; done < list",
        "sed -i 's/a/b/e' app.py",
        "sed -i 's/\\(a*\\)*b/x/' app.py",
        "perl -pi -e 's/x/system(1)/e' app.py",
        "cat app.py | tee app.py",
        "cat > open <<EOF\nno end",
        "python3 -c \"import os; os.system('rm app.py')\"",
        "python3 -c \"__import__('os').remove('app.py')\"",
        "python3 -c \"open('app.py', 'w').write(''.__class__.__name__)\"",
        "python3 -c \"import re; open('a', 'w').write(re.sub('(a+)+$', '', 'a' * 27 + 'b'))\"",
        "python3 -c \"open('a', 'w').write('x' * 10**9)\"",
        "python3 fix.py",
        "python3 -c \"open('a', 'w').write('1'); {}[[]] = 1\"",
        "python3 - <<E\nopen('a', 'w').write('1')\nreturn\nE",
        "python3 - <<E\nd = {1: 2}\nfor k in d: d.pop(k); open('a', 'w').write('1')\nE",
        r"sed -i 's/o\|or/X/' app.py",
        "sed -i -E 's/i|im/X/' app.py",
        "{ echo y; sed -n p app.py; } > app.py",
        "(echo y; head -1 app.py) >> app.py",
        "{ echo y; echo z > app.py; } > app.py",
        "{ echo y; rm app.py; } > app.py",
        "{ echo y; exit 0; } > app.py",
        "sed s/80/81/ < app.py > app.py",
        "echo y | tee app.py > app.py",
        "python3 -c \"open('a', 'w').write(open('app.py').read())\" >> app.py",
        "echo b >> /tmp/f; cat /tmp/f > app.py",
        "python3 -c \"open('/tmp/f', 'a').write('b')\"; mv /tmp/f app.py",
        "echo b >> /srv/other/f",
        "python3 - <<E\nx = 0\n[(x := i) for i in [1, 2]]\nopen('a', 'w').write(str(x))\nE",
        "python3 - <<E\nx = 'o'\ndef f():\n    open('a', 'w').write(x)\n    x = 'n'\nf()\nE",
        "python3 - <<E\nimport re\nopen('a', 'w').write(re.sub('a', 'b', string='a'))\nE",
        "cp app.py{,.bak}",
    ],
)
def test_not_followed(command: str) -> None:
    with pytest.raises(NotReadError):
        left(command)


def test_an_augmented_assignment_works_out_its_target_once() -> None:
    script = """
calls = []
def place():
    calls.append(len(calls))
    return 'a'
counts = {'a': 1, 'b': [1]}
counts[place()] += 1
counts['b'] += [2]
open('out', 'w').write(f"{len(calls)} {counts['a']} {len(counts['b'])}")
"""
    assert left(f"python3 - <<'E'\n{script}E") == {"out": "1 2 2"}


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("rm [ab]pp.py", {"app.py": None}),
        ("rm ['a']pp.py", {"app.py": None}),
        ("echo '[ab]pp.py' > out", {"out": "[ab]pp.py\n"}),
        ("set -e; { false; echo b > q; } || echo a > p", {"q": "b\n"}),
        ("set -e; x=$(false; echo a); echo $x > p", {"p": "a\n"}),
        ("perl -pi -e 's/[[:digit:]]+$/1/' app.py", {"app.py": "import os\n\nDEBUG = False\nPORT = 1\n"}),
        ("python3 -c \"from pathlib import Path; open('p', 'w').write(str(Path('./a//b/../c')))\"", {"p": "a/b/../c"}),
    ],
)
def test_dark_corners(command: str, wanted: dict[str, str | None]) -> None:
    assert left(command) == wanted


@pytest.mark.parametrize(
    "command",
    [
        "cmp app.py notes.md || rm app.py",
        "cp -R lib/. web",
        "printf 'ä\\n' > u; sed -i 's/x*/-/2' u",
        "printf 'ä\\n' > u; perl -pi -e 's/x*?/-/g' u",
        "perl -pi -e 's/[[:word:]]/x/' app.py",
    ],
)
def test_dark_corners_that_are_not_followed(command: str) -> None:
    with pytest.raises(NotReadError):
        left(command)


def test_git_takes_a_hunk_without_an_unchanged_line_behind_it_for_the_end() -> None:
    def patched(hunk: str) -> dict[str, str | None]:
        return left(f"git apply <<'E'\n--- a/app.py\n+++ b/app.py\n{hunk}E")

    assert patched("@@ -3 +3 @@\n-DEBUG = False\n+DEBUG = True\n") == {}
    changed = {"app.py": "import os\n\nDEBUG = True\nPORT = 80\n"}
    assert patched("@@ -3,2 +3,2 @@\n-DEBUG = False\n+DEBUG = True\n PORT = 80\n") == changed


def test_where_a_command_starts() -> None:
    assert left("rm old.py", folder="lib") == {"lib/old.py": None}
    assert left("rm old.py", folder="/srv/shop/lib") == {"lib/old.py": None}
    with pytest.raises(NotReadError):
        left("rm old.py", folder="/srv/other")


def test_long_loops_end() -> None:
    with pytest.raises(NotReadError):
        left('python3 -c "while True: pass"; rm app.py')
    doubling = "x=aaaaaaaaaaaaaaaa; " + 'x="$x$x$x$x$x$x$x$x"; ' * 12 + "echo $x > a"
    with pytest.raises(NotReadError):
        left(doubling)


def test_files_that_a_command_may_read() -> None:
    tree = ["app.py", "lib/old.py", "lib/deep/x.py", "web/old.py", "web/app.css", "README.md"]
    assert files_named("sed -i s/a/b/ lib/old.py", tree) == ["lib/old.py", "web/old.py"]
    assert files_named("cd lib && rm -rf deep", tree) == ["lib/deep/x.py", "lib/old.py"]
    assert files_named("sed -i s/a/b/ web/*.css", tree) == ["web/app.css"]
    assert files_named("cat > new.md <<'E'\nSee lib/old.py\nE\nrm app.py", tree) == [
        "app.py",
        "new.md",
    ]  # where git ignores one


def test_a_pattern_that_could_take_long_is_not_followed() -> None:
    long = {"a": "a" * 100_000}
    for pattern in ("[^x]+x", "a+a+b", "(?:a|b)*c"):
        script = f"import re; s = open('a').read(); open('a', 'w').write(re.sub(r'{pattern}', '', s))"
        with pytest.raises(NotReadError):
            follow(f'python3 -c "{script}"', long, long)
