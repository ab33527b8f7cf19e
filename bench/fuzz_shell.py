"""Commands made at random, followed by Dovetail and run by a real bash in a folder of their own: the files must agree.

usage: python bench/fuzz_shell.py [NUMBER] [SEED]

Each command is a straight line of writes, moves, `sed`, `perl` and Python over five small files. Where Dovetail does
not follow one, nothing is compared; how many those are is printed, too. Each difference is printed with its seed.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dovetail.shell import NotReadError, follow

FILES = {
    "a.txt": "one\ntwo\nthree\nfour\nfive\n",
    "b.txt": "alpha beta\nbeta gamma\n\nlast",
    "src/c.py": "import os\n\nDEBUG = False\nURL = 'http://a.b/c'\n\n\ndef main():\n    return os.sep\n",
    "src/d e.md": "# Title\n\n- one\n- two\n",
    "empty": "",
    "dir/y": "y",
    "src/src/z": "z",
    "src/dir/z": "z",
    "src/src/dir/z": "z",
}
MADE = {f"{top}{below}" for top in ("lib", "dir2") for below in ("", "/src", "/dir", "/src/dir")}
"""Folders that a command may make."""
NAMES = [*FILES, "new.txt", "src/new.py", "missing", "dir/x"]
WORDS = ["one", "two", "beta", "DEBUG", "e", "a.b", "os", "[x]", "o*", "^t", "e$", "/c", "x", "fiv"]
NEW = ["ONE", "&&", "<&>", "\\1", "a\\/b", "1 2", "$5", "'", "", "\\t", "\\n", "é", "\\\\", "!"]


def quoted(rng: random.Random, text: str) -> str:
    """The text as one word of a shell, in one of its ways."""
    way = rng.randrange(4)
    if way == 0 and text and all(sign.isalnum() or sign in "./_-" for sign in text):
        return text
    if way == 1 and not any(sign in text for sign in '"$`\\!'):
        return f'"{text}"'
    if way == 2 and text.isascii() and "\n" not in text:
        return "".join(f"\\{sign}" if not sign.isalnum() else sign for sign in text) or "''"
    return "'" + text.replace("'", "'\\''") + "'"


def name(rng: random.Random) -> str:
    """A file's name, as one word."""
    return quoted(rng, rng.choice(NAMES))


def text(rng: random.Random) -> str:
    """A text of some lines."""
    lines = [" ".join(rng.choice(WORDS + NEW) for _ in range(rng.randrange(4))) for _ in range(rng.randrange(4))]
    return "".join(f"{line}\n" for line in lines)


def write(rng: random.Random) -> str:
    """A here-document, `echo` or `printf`, to a file."""
    sign, target = rng.choice([">", ">>", "> ", ">> "]), name(rng)
    match rng.randrange(6):
        case 0:
            return f"cat {sign}{target} <<'EOF'\n{text(rng)}EOF"
        case 1:
            return f"cat <<EOF {sign}{target}\n{text(rng).replace('$5', '$V')}EOF"
        case 2:
            return f"echo {rng.choice(['', '-n ', '-e '])}{quoted(rng, rng.choice(NEW + WORDS))} {sign}{target}"
        case 3:
            form = rng.choice(["%s\\n", "%s", "[%s] %s\\n", "x\\ty\\n", "%%\\n", "%d\\n"])
            values = " ".join(rng.choice(["7", "12", "0"]) for _ in range(rng.randrange(3)))
            return f"printf '{form}' {values} {sign}{target}"
        case 4:
            return f"tee {rng.choice(['', '-a '])}{target} <<'X' > /dev/null\n{text(rng)}X"
    return f"cat {name(rng)} {name(rng)} {sign}{target}"


def substitution(rng: random.Random) -> str:
    """An `s` of sed."""
    sign = rng.choice("//|#,@")
    old, new = (rng.choice(some).replace(sign, "\\" + sign) for some in (WORDS, NEW))
    return f"s{sign}{old}{sign}{new}{sign}{rng.choice(['', 'g', '2', 'I', 'gp', 'p'])}"


def sed(rng: random.Random) -> str:
    """A `sed -i`."""
    address = rng.choice(
        ["", "", "", "2", "$", "2,3", "/two/", "/one/,/three/", "2!", "1~2", "/t/,+1", "0,/e/", "3,2", "2,/e/"]
    )
    command = rng.choice(
        [substitution(rng)] * 5 + ["d", "p", "a new line", "i before", "c changed", "y/abc/xyz/", "{s/o/0/;s/e/3/}"]
    )
    script = address + command
    if rng.random() < 0.2:
        script += "; " + substitution(rng) if command[:1] not in ("a", "i", "c") else "\n" + substitution(rng)
    options = rng.choice(["-i", "-i", "-E -i", "-i -e", "-n -i", "-i.bak", "-ri"])
    return f"sed {options} {quoted(rng, script)} {name(rng)}"


def perl(rng: random.Random) -> str:
    """A `perl -pi`."""
    old, new = rng.choice(WORDS).replace("/", "\\/"), rng.choice(["X", "$&", "<$1>", "a b", ""])
    old = f"({old})" if "$1" in new else old
    options, flags = rng.choice(["-pi -e", "-i -pe", "-0777 -pi -e"]), rng.choice(["", "g", "gi", "m"])
    return f"perl {options} 's/{old}/{new}/{flags}' {name(rng)}"


def python(rng: random.Random) -> str:
    """A script of Python's."""
    path, to = (rng.choice(NAMES) for _ in range(2))
    old, new = (rng.choice(some) for some in (WORDS, NEW))
    change = rng.choice(
        [
            f"s = s.replace({old!r}, {new!r})",
            f"s = s.replace({old!r}, {new!r}, 1)",
            f"assert {old!r} in s\ns = s.replace({old!r}, {new!r})",
            "s = re.sub(r'(\\w)e', r'\\1E', s, count=2)",
            f"i = s.index({old!r})\ns = s[:i] + {new!r} + s[i:]",
            f"s = '\\n'.join(l for l in s.split('\\n') if {old!r} not in l)",
            f"if {old!r} in s:\n    s += {new!r}\nelse:\n    s = {new!r} + s",
            f"for a, b in [({old!r}, {new!r}), ('e', 'E')]:\n    s = s.replace(a, b)",
            f"lines = s.splitlines(keepends=True)\nlines.insert(1, {new!r} + '\\n')\ns = ''.join(lines)",
        ]
    )
    read, put = rng.choice(
        [
            (f"p = {path!r}\ns = open(p).read()", "open(p, 'w').write(s)"),
            (f"from pathlib import Path\np = Path({path!r})\ns = p.read_text()", "p.write_text(s)"),
            (
                f"with open({path!r}) as f:\n    s = f.read()",
                f"with open({to!r}, {rng.choice(['w', 'a'])!r}) as f:\n    f.write(s)",
            ),
        ]
    )
    return f"python3 - <<'PY'\nimport re\n{read}\n{change}\n{put}\nPY"


def other(rng: random.Random) -> str:
    """Programs for whole files, loops and conditions."""
    return rng.choice(
        [
            f"rm {rng.choice(['', '-f '])}{name(rng)}",
            f"mv {name(rng)} {name(rng)}",
            f"cp {name(rng)} {name(rng)}",
            f"mv {name(rng)} src/",
            "rm -rf src",
            f"touch {name(rng)}",
            "mkdir -p dir",
            "cp -r src dir2",
            "mv src lib",
            f"V={quoted(rng, rng.choice(NEW))}",
            "cd src",
            "cd ..",
            "for f in *.txt; do sed -i 's/e/E/' \"$f\"; done",
            f"for w in one two; do echo $w >> {name(rng)}; done",
            f"if [ -f {name(rng)} ]; then echo yes >> log; else echo no >> log; fi",
            f"if grep -q one {name(rng)}; then rm a.txt; fi",
            f"(cd src && {write(rng)}\n)".replace("src/", "")
            .replace("dir/", "")
            .replace("src\\/", "")
            .replace("dir\\/", ""),
            "set -e",
            "true",
            "false",
            f"head -n 2 {name(rng)} > part",
            f"tail -n +2 {name(rng)} > part",
            f"cat {name(rng)} | sed 's/o/0/g' > piped",
            f"grep -v one {name(rng)} > kept",
            f'echo "$(cat {name(rng)})" >> out',
            "> a.txt",
            "exit 1",
            f"[ -f {name(rng)} ] && echo there >> log",
            f"[ ! -s {name(rng)} ] || rm b.txt",
            f"grep -qF {quoted(rng, rng.choice(WORDS))} {name(rng)} || echo {quoted(rng, rng.choice(NEW))} >> log",
            f"grep -qx 'one' {name(rng)} && sed -i 's/one/1/' a.txt",
            'for f in src/*; do cp "$f" dir/; done',
            f'for f in {name(rng)} {name(rng)}; do echo "$f" >> "$f"; done',
            f"command rm {name(rng)}",
            f"sort {name(rng)} > {name(rng)}",
            f"mkdir -p lib/src && mv {name(rng)} lib/src/",
            f"cp {name(rng)}{{,.bak}}",
            f"sed -n '2p;$p' {name(rng)} > part",
            f'V=$(head -n 1 {name(rng)}); echo "<$V>" $V >> log',
            "cat <<-E > log\n\t\tx $V\n\ty\n\tE",
            f'python3 -c "import os; os.rename({rng.choice(NAMES)!r}, {rng.choice(NAMES)!r})"',
            f'python3 -c "import os; os.remove({rng.choice(NAMES)!r})" && echo gone >> log',
            f"python3 -c \"import os; os.makedirs('dir', exist_ok={rng.choice([True, False])})\" || touch failed",
            f'python3 -c "print(len(open({rng.choice(NAMES)!r}).read()))" && touch ok',
            f"{{ cat {name(rng)}; echo end; }} > part && mv part {name(rng)}",
            "rmdir dir; rm -r dir src/dir; mkdir dir",
            "test -d src && V=yes; echo $V >> log",
            "rm [ab].txt",
            "set -e; { false; echo on > log; } || echo off > log",
            "V=$(false; echo out); echo $V >> log",
            f"cmp {name(rng)} a.txt || echo differ >> log",
            "cp -R src/. dir",
            "perl -pi -e 's/[[:space:]]+$/;/' a.txt b.txt",
            (
                "git apply <<'E'\n--- a/a.txt\n+++ b/a.txt\n"
                f"@@ -{rng.randrange(1, 6)} +1 @@\n-{rng.choice(['one', 'five'])}\n+x\nE"
            ),
        ]
    )


def command(rng: random.Random) -> str:
    """A straight line of commands."""
    made, before = "", ""
    for _ in range(rng.randrange(1, 6)):
        one = rng.choice([write, sed, sed, perl, python, other, other])(rng)
        made += before + one
        here = "\n" in one
        before = "\n" if here else rng.choice(["\n", "; ", " && ", " && ", " || "])
        if made.rstrip().endswith(("&&", "||", ";")):
            made += " "
    return made + "\n"


def run(script: str) -> dict[str, str] | None:
    """The files that a real bash leaves."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in FILES.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(content)
        try:
            environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "LC_ALL": "C.UTF-8"}
            subprocess.run(
                ["bash", "-c", script], cwd=root, env=environment, capture_output=True, timeout=10, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        return {
            path.relative_to(root).as_posix(): path.read_bytes().decode()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


def main() -> int:
    """Compare; returns 1 if anything differs."""
    number, seed = (int(word) for word in (*sys.argv[1:3], *("1000", "0")[len(sys.argv) - 1 :]))
    if shutil.which("bash") is None:
        sys.exit("There is no bash.")
    same, refused, differing = 0, 0, 0
    for at in range(seed, seed + number):
        script = command(random.Random(at))  # noqa: S311 - the same for the same seed
        try:
            changes = follow(script, FILES, FILES)
        except NotReadError:
            refused += 1
            continue
        folders = {str(Path(path).parent) for path in FILES} | MADE
        if any(change.text is not None and str(Path(change.path).parent) not in folders for change in changes):
            refused += 1  # a folder of which nothing is known is taken to be there
            continue
        after = dict(FILES)
        for change in changes:
            if change.text is None and (change.origin is None):
                after.pop(change.path, None)
        for change in changes:
            if change.text is not None:
                after[change.path] = change.text
        real = run(script)
        if real is None or real == after:
            same += 1
            continue
        differing += 1
        print(f"--- seed {at}\n{script}")
        for path in sorted(real.keys() | after.keys()):
            if real.get(path) != after.get(path):
                print(f"  {path}: bash {real.get(path)!r}, followed {after.get(path)!r}")
    print(f"{same} the same, {refused} not followed, {differing} different")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
