"""The programs that are followed, each a function of the shell, its arguments and its standard input.

`_TABLE` names them; programs that print texts, and those for whole files, have modules of their own. Programs that only
look may run anywhere; those that may change files themselves (tests, builds, commits) only after the last change that
is followed. A program in no table is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from dovetail.shell.change import LOOKS
from dovetail.shell.file_programs import FILE_PROGRAMS, remove, transfer
from dovetail.shell.files import UNKNOWN
from dovetail.shell.options import split_options
from dovetail.shell.perl import run_perl
from dovetail.shell.python import run_python
from dovetail.shell.run import Done, LeftError, Program, Shell
from dovetail.shell.sed import run_sed
from dovetail.shell.syntax import NotReadError
from dovetail.shell.text_programs import TEXT_PROGRAMS, texts_of
from dovetail.text.listed import listed

_SUCCEED = listed("ls wc stat file du nl od md5sum sha1sum sha256sum shasum realpath tac rev strings less more bat")
"""Programs of `LOOKS` whose exit code is 0 if the files that they name exist."""
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
"""Programs that only look, unless one of their arguments matches the pattern."""
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
    """Return the function of a program, or None for a program that is not followed."""
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


def _look(shell: Shell, words: list[str], _: str) -> Done:
    """A program that only looks. Its exit code is 0 if all files that it names exist, else unknown."""
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

    Raises `NotReadError` if a word tells it to write. After it no change is followed.
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


def _sed(shell: Shell, words: list[str], given: str) -> Done:
    bsd = False
    for n, word in enumerate(words[:-1]):
        # `sed -i '' …` is the BSDs': their `-i` wants a suffix as a word of its own, here an empty one.
        if re.fullmatch(r"-[Erns]*i", word) and words[n + 1] == "":
            words, bsd = words[: n + 1] + words[n + 2 :], True
            break
    options, paths, values = split_options(words, "Erns", "e", "i")
    scripts = values.get("e") or [paths.pop(0)] if paths or "e" in values else []
    if not scripts:
        raise NotReadError("`sed` without a script")
    script, silent, extended = "\n".join(scripts), "n" in options, bool({"E", "r"} & set(options))
    if "i" in values:
        edit = partial(run_sed, script, extended=extended, silent=silent, bsd=bsd)
        return Done(_in_place(shell, paths, values["i"][-1], edit))
    text = texts_of(shell, paths, given)
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
    options, paths, values = split_options(words, "p0", "e", "i")
    if "p" not in options or not {"e", "i"} <= values.keys() or re.match(r"[pe0]", values["i"][-1]):
        raise NotReadError("`perl`")  # a suffix of letters is hardly meant so
    # Several `-e` are lines of one script.
    edit = partial(run_perl, ";".join(values["e"]), whole="0" in options)
    return Done(None if _in_place(shell, paths, values["i"][-1], edit) else 0)


def _in_place(shell: Shell, paths: list[str], suffix: str, edit: Callable[[str], str]) -> int:
    """Edit files in place and return the exit code; with a suffix, keep a copy of each file as it was."""
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
    """A Python script on standard input, after `-c`, or in a file whose text is known."""
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


def _before(shell: Shell, words: list[str], given: str, *, sure: bool = False) -> Done:
    """`timeout`, `nice`, `env` and `command`, which run another program. `sure` (`command`): that runs to its end;
    if not, it may change no file."""
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
            return transfer(shell, [word for word in rest if word != "-k"], copies=False, tracked=True)
        case "rm":
            if "--cached" in rest:
                return Done(None, UNKNOWN)
            forced = [word for word in rest if word not in ("-q", "--quiet", "--ignore-unmatch", "-rf", "-fr", "-f")]
            deep = ["-r"] if {"-rf", "-fr"} & set(rest) else []
            return remove(shell, [*deep, *forced], given)
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
    **TEXT_PROGRAMS, **FILE_PROGRAMS,
    "cd": _cd, "set": _set, "export": _export, "exit": _exit, "test": _test, "[": _bracket,
    "sed": _sed, "gsed": _sed, "perl": _perl, "python": _python, "python3": _python,
    "xargs": _xargs, "git": _git, "patch": _patch, "apply_patch": _apply_patch,
    "true": lambda *_: Done(0), ":": lambda *_: Done(0), "false": lambda *_: Done(1),
    "pwd": lambda *_: Done(0, UNKNOWN), "command": partial(_before, sure=True),
    **dict.fromkeys(("timeout", "nice", "env"), _before),
}  # fmt: skip
"""Programs by their names."""
