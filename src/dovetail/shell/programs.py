"""The programs that are followed, each as a function of its arguments and of what it reads.

A table names them. Those that only look may run anywhere; those that may change files themselves (tests, builds,
commits) only behind the last change. A program that stands in no table is not understood.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import partial

from dovetail.shell.change import LOOKS
from dovetail.shell.files import UNKNOWN
from dovetail.shell.patterns import compiled, from_posix
from dovetail.shell.perl import run_perl
from dovetail.shell.python import run_python
from dovetail.shell.run import Done, LeftError, Shell
from dovetail.shell.sed import run_sed
from dovetail.shell.syntax import NotReadError
from dovetail.text.listed import listed

Program = Callable[[Shell, list[str], str], Done]

_SUCCEED = listed("ls wc stat file du nl od md5sum sha1sum sha256sum shasum realpath tac rev strings less more bat")
"""Programs of `LOOKS` whose exit code is 0 where the files that they name are there."""
_RUNS = listed(
    """npm pnpm yarn bun npx bunx deno pytest tox nox cargo go make just task tsc eslint ruff mypy pyright flake8
    pylint biome vitest jest mocha gradle ./gradlew mvn ./mvnw dotnet swift rspec phpunit phpstan rubocop
    golangci-lint uv poetry hatch shellcheck clippy-driver ctest cmake curl gh mise hk prek pre-commit vite tsx
    playwright turbo"""
)
_GIT_LOOKS = listed(
    """status diff log show rev-parse ls-files remote blame grep describe config shortlog cat-file merge-base
    ls-remote reflog for-each-ref rev-list check-ignore add"""
)
_GIT_RUNS = listed("commit push tag fetch notes")
_LOOKS_UNLESS = {
    **dict.fromkeys(("awk", "gawk"), r"[>|]|system|getline|inplace|^-[fi]"),
    "find": r"^-(?:delete|exec|ok|fprint|fls)",
    "uniq": r"^[^-]",
}
"""Programs that only look, unless a word of theirs fits the pattern."""
_MOST_TEXT = 64 << 20
# Words that tell a tool to write: `npm run lint:fix`, `ruff format`, `-w`, `--output=x`, `npm install`. Signs before it
# were taken off.
_CHANGES = re.compile(
    r"(?:.*[:_-])?(?:fix|write|w|fmt|format|install|add|remove|rm|update|upgrade|init|generate|gen|codegen|tidy|get|mod"
    r"|snapshot|u|new|create|ci|i|link|clone|checkout|clean|sync|lock|version|publish|migrate|bless|apply|o|O|output)"
    r"(?:[=:].*)?\Z"
)
# Scripts of a project that by their names check or build: `test`, `test:unit`, `lint`. Any other may do anything.
_TASKS = re.compile(
    r"(?:.*[:_-])?(?:tests?|build|lint|typecheck|type-check|types|check|tsc|t|compile|verify|vet|unit)(?:[:_-].*)?\Z"
)


def program(name: str) -> Program | None:
    """The program of a name; None for one that is not followed."""
    # Where systems keep these programs; one in another folder may be another program.
    name = name.removeprefix("/usr/bin/").removeprefix("/bin/")
    if name in _TABLE:
        return _TABLE[name]
    if name in LOOKS:
        return _look if name in _SUCCEED else lambda *_: Done(None, UNKNOWN)
    if (writing := _LOOKS_UNLESS.get(name)) is not None:
        return lambda _, words, __: _look_unless(name, words, writing)
    if name in _RUNS:
        return lambda shell, words, _: _run(shell, name, words)
    return None


def _options(
    words: list[str], flags: str, valued: str = "", attached: str = ""
) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Short options, the other words, and the values of options; `attached` take what stands in their own word.

    Raises `NotReadError` for an option that is not named.
    """
    found: list[str] = []
    values: dict[str, list[str]] = {}
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others.extend(rest)
            break
        if not (word.startswith("-") and len(word) > 1):
            others.append(word)
            continue
        name, _, value = word.partition("=")
        word = _LONG[name] + value if name in _LONG else word
        for at, sign in enumerate(word[1:], start=2):
            if sign in valued or sign in attached:
                # `-i.bak` and `-i` (its value is ""), but `-e script` and `-escript`.
                behind = word[at:] if sign in attached else word[at:] or next(rest, None)
                if behind is None:
                    raise NotReadError(f"`{word}`")
                values.setdefault(sign, []).append(behind)
                break
            if sign not in flags:
                raise NotReadError(f"the option `{word.replace(UNKNOWN, '…')[:30]}`")
            found.append(sign)
    return found, others, values


def _look(shell: Shell, words: list[str], _: str) -> Done:
    """A program that only looks. Its exit code is 0 if all files that it names are there; else nobody knows."""
    for word in words:
        if word.startswith("-") or UNKNOWN in word:
            continue
        try:
            key = shell.key(word)
            if not (shell.files.is_file(key) or shell.files.is_folder(key)):
                return Done(None, UNKNOWN)
        except NotReadError:
            return Done(None, UNKNOWN)
    return Done(0 if words else None, UNKNOWN)


def _look_unless(name: str, words: list[str], writing: str) -> Done:
    """A program that only looks, as long as no word tells it to write."""
    if any(UNKNOWN in word or re.search(writing, word) for word in words):
        raise NotReadError(f"`{name}` that may write")
    return Done(None, UNKNOWN)


def _run(shell: Shell, name: str, words: list[str]) -> Done:
    """A test, a linter, a build: it may change files, though that is not its purpose.

    Raises `NotReadError` if a word tells it to write. Behind it no file may change.
    """
    plain = [word.lstrip("-") for word in words]
    checks = any(word in ("--check", "-check", "check", "--list-different", "--dry-run") for word in words)
    if any(UNKNOWN in word and word.startswith("-") for word in words):
        raise NotReadError(f"`{name}` with options that are computed")
    if any(_CHANGES.match(word) for word in plain if "/" not in word and "." not in word) and not checks:
        raise NotReadError(f"`{name} {' '.join(words)[:40].replace(UNKNOWN, '…')}`")
    if name in ("npm", "pnpm", "yarn", "bun", "make", "just", "task", "mise", "npx", "bunx", "turbo", "uv", "poetry"):
        ordered = [word for word in plain if word and word not in ("run", "exec", "s", "silent", "x")]
        if ordered and not any(_TASKS.match(word) or word in _RUNS for word in ordered):
            raise NotReadError(f"`{name} {' '.join(words)[:40]}`")
        if not ordered and name not in ("make", "just"):
            raise NotReadError(f"`{name}`")
    # From here on no file may change: this program could have changed it first.
    shell.ran = shell.ran or name
    return Done(None, UNKNOWN)


def _cd(shell: Shell, words: list[str], _: str) -> Done:
    words = words[1:] if words[:1] == ["--"] else words
    if len(words) != 1 or words[0].startswith("-"):
        raise NotReadError("`cd` without a folder" if not words else f"`cd {words[0]}`")
    if "CDPATH" in shell.values:
        raise NotReadError("CDPATH")
    key = shell.key(words[0])
    # Where that folder leads is known only if the command made it.
    if key.startswith("/") and key not in shell.files.folders:
        raise NotReadError(f"the folder `{words[0]}`")
    if not shell.files.is_folder(key):
        if shell.files.is_file(key):
            return Done(1)
        raise NotReadError(f"the folder `{words[0]}`, of which nothing is known,")
    shell.folder = key
    return Done(0)


def _set(shell: Shell, words: list[str], _: str) -> Done:
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("-o", "+o"):
            at += 1
            if words[at : at + 1] not in (["pipefail"], ["errexit"], ["nounset"], ["xtrace"]):
                raise NotReadError("`set`")
            if words[at] == "pipefail":
                shell.piped = word == "-o"
            elif words[at] == "errexit":
                shell.stops = word == "-o"
        elif re.fullmatch(r"[-+][eux]+o?", word):
            shell.stops = word[0] == "-" if "e" in word else shell.stops
            # `set -euo pipefail`: the `o` is read again as an option of its own, with the word behind it.
            if word.endswith("o"):
                words[at] = word[0] + "o"
                continue
        else:
            raise NotReadError(f"`set {word[:20]}`")
        at += 1
    return Done(0)


def _export(shell: Shell, words: list[str], _: str) -> Done:
    for word in words:
        name, sign, value = word.partition("=")
        if word.startswith("-") or UNKNOWN in name or name in ("IFS", "PATH"):
            raise NotReadError("`export`")
        if sign:
            shell.values[name] = value
    return Done(0)


def _exit(shell: Shell, words: list[str], _: str) -> Done:
    if words and not words[0].isdecimal():
        raise LeftError(None)
    # Without a number: the code of the command before.
    raise LeftError(int(words[0]) if words else shell.code)


def _echo(_: Shell, words: list[str], __: str) -> Done:
    newline, escapes = "\n", False
    while words and re.fullmatch("-[neE]+", words[0]):
        newline = "" if "n" in words[0] else newline
        escapes = "e" in words[0] if set(words[0]) & {"e", "E"} else escapes
        words = words[1:]
    text = " ".join(words)
    if escapes and "\\" in text:
        text = _unescaped(text)
        if text.endswith(UNKNOWN + "c"):
            raise NotReadError("`\\c`")
    return Done(0, text + newline)


_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "'": "'"}


def _unescaped(text: str, *, format_of_printf: bool = False) -> str:
    def sign(found: re.Match[str]) -> str:
        # `echo -e` keeps `\"`, the format of `printf` does not.
        made = _ESCAPES.get(found[1]) if found[1] not in "\"'" or format_of_printf else found[0]
        if made is None:
            if found[1].isalnum():
                raise NotReadError(f"`{found[0]}`")
            return found[0]
        return made

    return re.sub(r"\\([\s\S])", sign, text)


def _printf(_: Shell, words: list[str], __: str) -> Done:
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0].startswith("-") or UNKNOWN in words[0]:
        raise NotReadError("`printf`")
    parts = re.findall(r"%%|%.|\\[\s\S]|[^%\\]+|[%\\]", words[0])
    values, out = words[1:], []
    while True:
        taken = 0
        for part in parts:
            if part == "%%":
                out.append("%")
            elif part[0] == "%":
                value = values.pop(0) if values else ""
                taken += 1
                if (
                    part == "%s"
                    or (part == "%b" and "\\" not in value)
                    or (part in ("%d", "%i") and re.fullmatch(r"0|[1-9]\d{0,15}", value))
                ):
                    out.append(value)
                else:
                    raise NotReadError(f"`printf {part}`")
            else:
                out.append(_unescaped(part, format_of_printf=True) if part[0] == "\\" else part)
        # The format is used again as long as values are left: `printf '%s\n' a b` prints two lines.
        if not values or not taken:
            break
    return Done(0, "".join(out))


def _test(shell: Shell, words: list[str], _: str) -> Done:
    negated = words[:1] == ["!"]
    words = words[1:] if negated else words
    result: bool | None = None
    if any(UNKNOWN in word for word in words):
        return Done(None)
    if len(words) == 2 and words[0] in ("-f", "-e", "-d", "-s", "-r"):
        try:
            key = shell.key(words[1])
            is_file = shell.files.is_file(key)
            is_folder = not is_file and shell.files.is_folder(key)
        except NotReadError:
            return Done(None)
        # A tree lists files: an empty folder may be there without being known.
        if words[0] == "-d" and not is_folder and not is_file:
            return Done(None)
        if words[0] == "-s" and is_file:
            result = bool(shell.files.read(key))
        else:
            result = is_folder if words[0] == "-d" else is_file if words[0] == "-f" else is_file or is_folder
        if not result and words[0] == "-e":
            return Done(None)
    elif len(words) == 2 and words[0] in ("-n", "-z"):
        result = bool(words[1]) == (words[0] == "-n")
    elif len(words) == 1 and not words[0].startswith("-"):
        result = bool(words[0])
    elif len(words) == 3 and words[1] in ("=", "==", "!="):
        result = (words[0] == words[2]) == (words[1] != "!=")
    return Done(None if result is None else int(result == negated))


def _bracket(shell: Shell, words: list[str], given: str) -> Done:
    if words[-1:] != ["]"]:
        raise NotReadError("`[`")
    return _test(shell, words[:-1], given)


def _texts(shell: Shell, words: list[str], given: str) -> str | None:
    """The texts of files, ``-`` being what the program reads; None where one is missing."""
    out = []
    for word in words or ["-"]:
        if word == "-":
            out.append(given)
            continue
        key = shell.key(word)
        if not shell.files.is_file(key):
            return None
        # `sort a > a` reads an empty file; behind another file it could read what it just printed.
        if key in shell.files.opened and len(words) > 1:
            raise NotReadError(f"`{key}`, which is read and written at once,")
        out.append(shell.files.read(key) if key in shell.files.texts else UNKNOWN)
        shell.files.readings.append(key)
        if sum(map(len, out)) > _MOST_TEXT:
            raise NotReadError("a long text")
    return "".join(out)


def _cat(shell: Shell, words: list[str], given: str) -> Done:
    try:
        _, paths, _ = _options(words, "u")
    except NotReadError:
        return Done(None, UNKNOWN)
    text = _texts(shell, paths, given)
    return Done(1, UNKNOWN) if text is None else Done(0, text)


def _head(shell: Shell, words: list[str], given: str, *, last: bool = False) -> Done:
    # `head -5 a`, but not the number of `head -n -5 a`.
    words = [re.sub(r"^-(?=\d+$)", "-n", word) for word in words[:1]] + words[1:]
    try:
        _, paths, values = _options(words, "q", "n")
        text = _texts(shell, paths, given)
    except NotReadError:
        return Done(None, UNKNOWN)
    count = values.get("n", ["10"])[-1]
    if text is None:
        return Done(1, UNKNOWN)
    if len(paths) > 1 or not re.fullmatch(r"\+?\d+" if last else r"-?\d+", count) or UNKNOWN in text:
        return Done(0, UNKNOWN)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    # `-n 3` and `-n +3` of `tail`: the last three lines, or all from the third on. `tail -n +0` and `head -n -0`: all.
    n = int(count)
    if last:
        lines = lines[max(n - 1, 0) :] if count[0] == "+" else lines[-n:] if n else []
    else:
        lines = lines if count == "-0" else lines[:n]
    return Done(0, "".join(lines))


def _grep(shell: Shell, words: list[str], given: str) -> Done:
    try:
        options, others, values = _options(words, "qniEFcvlwhsHxr", "eABCm")
        # Nothing here refuses the command: a search changes no file, so at worst its output is not known.
        patterns = values.get("e") or others[:1]
        paths = others if "e" in values else others[1:]
        if "r" in options or len(patterns) != 1 or "\n" in patterns[0] or UNKNOWN in patterns[0]:
            return Done(None, UNKNOWN)
        text = _texts(shell, paths, given)
        if text is None or UNKNOWN in text:
            return Done(None, UNKNOWN)
        posix = re.escape(patterns[0]) if "F" in options else from_posix(patterns[0], extended="E" in options)
        # `-x` is the whole line, by `match` below and `\Z` here.
        posix = rf"\b(?:{posix})\b" if "w" in options else rf"(?:{posix})\Z" if "x" in options else posix
        lines = text.removesuffix("\n").split("\n") if text else []
        pattern = compiled(posix, re.IGNORECASE if "i" in options else 0, max(map(len, lines), default=0))
    except NotReadError:
        return Done(None, UNKNOWN)
    find = pattern.match if "x" in options else pattern.search
    found = [line for line in lines if (find(line) is not None) != ("v" in options)]
    # Only these print the lines as they are; with the others (`-n`, `-c`, `-o`) the output counts as unknown.
    plain = not set(options) - {"i", "E", "F", "v", "x", "h"} and len(paths) < 2 and not set(values) - {"e"}
    out = "".join(f"{line}\n" for line in found) if plain else "" if "q" in options else UNKNOWN
    return Done(int(not found), out)


def _tee(shell: Shell, words: list[str], given: str) -> Done:
    options, paths, _ = _options(words, "a")
    for path in paths:
        if not path.startswith("/dev/"):
            shell.write(path, given, adds="a" in options)
    return Done(0, given)


def _rm(shell: Shell, words: list[str], __: str) -> Done:
    options, paths, _ = _options(words, "rfRv")
    deep, forced, failed = bool({"r", "R"} & set(options)), "f" in options, False
    for path in paths:
        key = shell.key(path.rstrip("/") or path)
        # The root, the folder that the shell stands in, or one above it.
        if not key or key == shell.folder or (shell.folder or "").startswith(f"{key}/"):
            raise NotReadError(f"`rm {path}`")
        files = shell.files
        if key in files.paths and not path.endswith("/"):
            shell.change(key)
            files.remove(key)
        elif files.is_folder(key):
            if not deep:
                failed = True
                continue
            for file in files.below(key):
                shell.change(file)
                files.remove(file)
            files.remove_folder(key)
        elif not forced:
            failed = True
    return Done(None if failed and _may_be_there(shell, paths) else int(failed))


def _may_be_there(shell: Shell, paths: list[str]) -> bool:
    """Return whether a path may be there unseen: outside of the root only what the command made is known."""
    return any(shell.key(path).startswith("/") for path in paths)


def _rmdir(shell: Shell, words: list[str], __: str) -> Done:
    _, paths, _ = _options(words, "pv")
    if any(shell.files.below(shell.key(path)) for path in paths):
        return Done(1)
    for path in paths:
        shell.files.remove_folder(shell.key(path))
    return Done(0)


def _mkdir(shell: Shell, words: list[str], __: str) -> Done:
    options, paths, _ = _options(words, "pv")
    code: int | None = 0
    for path in paths:
        key = shell.key(path)
        # `mkdir` without `-p` fails at a folder that is there, or whose parent is not; of an empty parent nothing is
        # known.
        if key in shell.files.paths or ("p" not in options and shell.files.is_folder(key)):
            code = 1
        elif "p" not in options and (key.startswith("/") or not shell.files.is_folder(posixpath.dirname(key))):
            code = None
        if code == 0:
            if shell.unsure:
                raise NotReadError(f"the exit code that decides about `{key}`")
            shell.files.make_folder(key)
    return Done(code)


def _touch(shell: Shell, words: list[str], __: str) -> Done:
    _, paths, _ = _options(words, "")
    for path in paths:
        key = shell.key(path)
        if not shell.files.is_file(key) and not shell.files.is_folder(key):
            shell.change(key)
            shell.files.write(key, "")
    return Done(0)


def _transfer(shell: Shell, words: list[str], *, copies: bool, tracked: bool = False) -> Done:
    """`mv` and `cp`: files or folders to another name, or into a folder."""
    options, paths, _ = _options(words, "frRavp" if copies else "fv")
    files = shell.files
    if len(paths) < 2:
        raise NotReadError("`cp` or `mv` without a target")
    *sources, last = paths
    target = shell.key(last)
    into = files.is_folder(target) and target not in files.paths
    # The target must be a folder, and none is known: an empty one would take the file in, a missing one fail.
    if (len(sources) > 1 or last.endswith("/")) and not into:
        if (not tracked and target in files.paths) or target.startswith("/"):
            return Done(1)
        raise NotReadError(f"the folder `{last}`, of which nothing is known,")
    code = 0
    for source in sources:
        if posixpath.basename(source.rstrip("/")) in (".", ".."):
            raise NotReadError(f"`{source}`, whose files go without its name,")
        key = shell.key(source)
        to = posixpath.join(target, posixpath.basename(key)) if into else target
        if files.is_file(key):
            # `git mv` does not overwrite without `-f`; `mv` does.
            if key == to or (tracked and to in files.paths and "f" not in options) or files.is_folder(to):
                code = 1
                continue
            shell.change(to)
            if copies:
                files.write(to, files.read(key))
            else:
                files.move(key, to)
        elif files.is_folder(key) and (not copies or {"r", "R", "a"} & set(options)):
            # A folder into itself, over another, or into one that is there: `mv` and `cp` differ by system.
            if to == key or to.startswith(f"{key}/") or files.is_folder(to) or to in files.paths or not key:
                raise NotReadError(f"`{source}`, a folder that goes to another")
            for file in files.below(key):
                shell.change(file)
                name = f"{to}{file[len(key) :]}"
                if copies:
                    files.write(name, files.read(file))
                else:
                    files.move(file, name)
            files.make_folder(to)
            if not copies:
                files.remove_folder(key)
        else:
            code = 1
    return Done(code)


_LONG = {
    "--in-place": "-i", "--expression": "-e", "--quiet": "-n", "--silent": "-n", "--regexp-extended": "-E",
    "--force": "-f", "--recursive": "-r", "--parents": "-p",
}  # fmt: skip
"""Long options of `sed`, `rm` and `mkdir`, by the short ones."""


def _sed(shell: Shell, words: list[str], given: str) -> Done:
    bsd = False
    for n, word in enumerate(words[:-1]):
        # `sed -i '' …` is the BSDs': their `-i` wants a suffix as a word of its own, here an empty one.
        if re.fullmatch(r"-[Erns]*i", word) and words[n + 1] == "":
            words, bsd = words[: n + 1] + words[n + 2 :], True
            break
    options, paths, values = _options(words, "Erns", "e", "i")
    scripts = values.get("e") or [paths.pop(0)] if paths or "e" in values else []
    if not scripts:
        raise NotReadError("`sed` without a script")
    script, silent, extended = "\n".join(scripts), "n" in options, bool({"E", "r"} & set(options))
    if "i" in values:
        edit = partial(run_sed, script, extended=extended, silent=silent, bsd=bsd)
        return Done(_in_place(shell, paths, values["i"][-1], edit))
    text = _texts(shell, paths, given)
    if text is None:
        return Done(2, UNKNOWN)
    # `w out.txt` writes a file, `e` runs a command. Looked for behind the substitutions, whose texts may hold such
    # letters. Below, a script that is not read is no reason to refuse, so those that write are refused here.
    if re.search(r"(?:^|[;\n}/gpI0-9 ])[wWer]\b|e\s*$", re.sub(r"s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1", "", script)):
        raise NotReadError("`sed` with a file in its script")
    try:
        return Done(0, run_sed(script, text, extended=extended, silent=silent) if UNKNOWN not in text else UNKNOWN)
    except NotReadError:
        return Done(None, UNKNOWN)


def _perl(shell: Shell, words: list[str], __: str) -> Done:
    # `-0777` reads the whole file at once; `-p0777i` has it among other options.
    words = [re.sub(r"^-(\w*?)0777", r"-\g<1>0", word) for word in words]
    options, paths, values = _options(words, "p0", "e", "i")
    if "p" not in options or not {"e", "i"} <= values.keys() or re.match(r"[pe0]", values["i"][-1]):
        raise NotReadError("`perl`")  # a suffix of letters is hardly meant so
    # Several `-e` are lines of one script.
    edit = partial(run_perl, ";".join(values["e"]), whole="0" in options)
    return Done(None if _in_place(shell, paths, values["i"][-1], edit) else 0)


def _in_place(shell: Shell, paths: list[str], suffix: str, edit: Callable[[str], str]) -> int:
    """Edit files in place, with a copy of each as it was where there is a suffix; returns the exit code."""
    if re.search(r"[/*]", suffix):
        raise NotReadError(f"the suffix `{suffix}`")
    edit("")  # a script that is wrong fails whatever the files hold
    code = 0
    for path in paths:
        key = shell.key(path)
        if not shell.files.is_file(key):
            code = 2
            continue
        shell.change(key)
        text = shell.files.read(key)
        made = edit(text)
        if suffix:
            shell.files.write(key + suffix, text)
        shell.files.write(key, made)
    return code


def _python(shell: Shell, words: list[str], given: str) -> Done:
    """A script of Python's on standard input, behind `-c`, or in a file whose text is known."""
    words = [word for word in words if word not in ("-u", "-B", "-I", "-q")]
    if words[:1] == ["-m"]:
        if words[1:2] in (["pytest"], ["unittest"], ["mypy"], ["py_compile"], ["compileall"], ["ruff"], ["flake8"]):
            return _run(shell, "python -m", words[1:])
        if words[1:2] == ["json.tool"] and len(words) < 4:
            return Done(None, UNKNOWN)
        raise NotReadError(f"`python {' '.join(words[:2])}`")
    if words[:1] in (["--version"], ["-V"]):
        return Done(0, UNKNOWN)
    if words[:1] == ["-c"] and len(words) > 1:
        return run_python(shell, words[1], ["-c", *words[2:]])
    if words[:1] in (["-"], []):
        return run_python(shell, given, ["-", *words[1:]])
    if not words[0].startswith("-"):
        key = shell.key(words[0])
        if not shell.files.is_file(key):
            raise NotReadError(f"`python {words[0]}`")
        return run_python(shell, shell.files.read(key), words)
    raise NotReadError(f"`python {words[0][:30]}`")


def _xargs(_: Shell, words: list[str], __: str) -> Done:
    # What it runs gets words from its input, so that only programs which cannot write may follow.
    names = [word for word in words if not word.startswith("-") and not word.isdecimal() and word != "{}"]
    if not names or (names[0] not in LOOKS and names[0] not in ("cat", "grep", "head", "tail", "echo")):
        raise NotReadError("`xargs`")
    return Done(None, UNKNOWN)


def _sort(shell: Shell, words: list[str], given: str) -> Done:
    """`sort` prints nothing for an empty input, as for a file that `>` just emptied; any other output is unknown."""
    done = _look_unless("sort", words, r"^(?:-\w*[oT]|--output)")
    text = _texts(shell, [word for word in words if not word.startswith("-")], given)
    return Done(2, UNKNOWN) if text is None else Done(0, "") if not text else done


def _before(shell: Shell, words: list[str], given: str, *, sure: bool = False) -> Done:
    """`timeout`, `nice`, `env` and `command` run the program behind them. `sure` (`command`): it runs to its end;
    without it, that program may change no file."""
    if sure and words[:1] in (["-v"], ["-V"]):
        return Done(None, UNKNOWN)
    # `timeout -k 5 30s make test`, `env CI=1 npm test`: options, times and assignments before the program.
    while words and (words[0].startswith("-") or re.fullmatch(r"[\d.]+[smh]?|\w+=.*", words[0])):
        words = words[1:]
    inner = program(words[0]) if words and UNKNOWN not in words[0] else None
    if inner is None:
        raise NotReadError(f"`{' '.join(words)[:40].replace(UNKNOWN, '…')}`")
    if sure:
        return inner(shell, words[1:], given)
    # `timeout` may end the program at any point.
    with shell.doubt():
        done = inner(shell, words[1:], given)
    return Done(None, done.out)


def _git(shell: Shell, words: list[str], given: str) -> Done:
    folder = shell.folder
    pager = True
    while pager:
        pager = words[:1] == ["--no-pager"] or words[:1] == ["-c"]
        words = words[2:] if words[:1] == ["-c"] else words[1:] if pager else words
    if words[:1] == ["-C"] and len(words) > 2:
        try:
            moved = _cd(shell, [words[1]], "")
        except NotReadError:
            # Looking at another folder, even one outside, changes nothing.
            if words[2] in _GIT_LOOKS:
                return Done(None, UNKNOWN)
            raise
        if moved.code:
            raise NotReadError("`git -C`")
        try:
            return _git(shell, words[2:], given)
        finally:
            shell.folder = folder
    name, rest = (words[0], words[1:]) if words else ("", [])
    match name:
        case "mv":
            return _transfer(shell, [word for word in rest if word != "-k"], copies=False, tracked=True)
        case "rm":
            if "--cached" in rest:
                return Done(None, UNKNOWN)
            forced = [word for word in rest if word not in ("-q", "--quiet", "--ignore-unmatch", "-rf", "-fr", "-f")]
            deep = ["-r"] if {"-rf", "-fr"} & set(rest) else []
            return _rm(shell, [*deep, *forced], given)
        case "apply":
            return _patch(shell, rest, given, "git apply")
        case "branch" if all(
            re.fullmatch(r"--(?:show-current|list|all|remotes|contains)|-[avr]+", word) for word in rest
        ):
            return Done(None, UNKNOWN)
        case "stash" | "worktree" if rest[:1] == ["list"]:
            return Done(None, UNKNOWN)
        case _ if name in _GIT_LOOKS and not any(word.startswith("--output") for word in rest):
            return Done(None, UNKNOWN)
        # `commit` may run hooks, which may change files; `--amend` and `-d` take something away.
        case _ if name in _GIT_RUNS and not any(word in ("--amend", "-d", "--delete") for word in rest):
            shell.ran = shell.ran or f"git {name}"
            return Done(None, UNKNOWN)
    raise NotReadError(f"`git {name[:30]}`")


def _patch(shell: Shell, words: list[str], given: str, name: str = "patch") -> Done:
    from dovetail.shell.patch import run_patch

    return run_patch(shell, words, given, name)


def _apply_patch(*_: object) -> Done:
    raise NotReadError("`apply_patch` beside other commands")


_TABLE: dict[str, Program] = {
    "cd": _cd, "set": _set, "export": _export, "exit": _exit, "echo": _echo, "printf": _printf, "test": _test,
    "[": _bracket, "cat": _cat, "head": _head, "tee": _tee, "rm": _rm, "rmdir": _rmdir, "mkdir": _mkdir,
    "tail": lambda shell, words, given: _head(shell, words, given, last=True),
    "touch": _touch, "sed": _sed, "gsed": _sed, "perl": _perl, "python": _python, "python3": _python,
    "xargs": _xargs, "git": _git, "patch": _patch, "apply_patch": _apply_patch,
    "grep": _grep, "egrep": lambda shell, words, given: _grep(shell, ["-E", *words], given),
    "mv": lambda shell, words, _: _transfer(shell, words, copies=False),
    "cp": lambda shell, words, _: _transfer(shell, words, copies=True),
    "true": lambda *_: Done(0), ":": lambda *_: Done(0), "false": lambda *_: Done(1),
    "pwd": lambda *_: Done(0, UNKNOWN), **dict.fromkeys(("timeout", "nice", "env"), _before),
    "sort": _sort, "command": partial(_before, sure=True),
}  # fmt: skip
"""Programs by their names."""
