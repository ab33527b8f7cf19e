"""Decides what a shell command does to files of the project: nothing, a change, or unknown.

Tests, linters and builds are taken to change nothing unless they are told to fix what they find. The effect of a
program that is not listed is unknown. `follow` says what a command changes; this is for commands that cannot be
followed, or need not be.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from enum import IntEnum
from itertools import dropwhile, groupby

from dovetail.text.listed import listed
from dovetail.text.pattern import pattern

_MOST_TEXT = 60_000
"""Characters of a command without its here-documents; a longer one counts as a change."""
LOOKS = listed(
    """ag basename bat base64 cal clear cmp column comm cut date df diff dirname du eza fd file fold free groups hash
    hexdump history host hostname htop id join jq less ll locale ls lsof md5sum more nl nproc od paste pgrep pidof ping
    printenv ps pstree readlink realpath rev rg seq sha1sum sha256sum shasum sleep stat strings tac top tput tr tree tty
    type umask uname uptime wait watch wc whereis which who whoami zcat"""
)
"""Programs that only look, whatever their arguments."""
_READERS = LOOKS | listed(
    """[ [[ : cat cd echo egrep exit export false fgrep grep head help mkdir popd printf pushd pwd return set tail test
    true unset"""
)
_WRITERS = listed(
    """rm mv cp tee patch apply_patch applypatch ed ex install truncate dd touch ln rsync unzip tar rmdir gofmt black"""
)
_MENDERS = listed(
    """find prettier actionlint bandit clippy-driver ctest eslint flake8 golangci-lint hadolint jest mocha mypy
    nox phpstan phpunit oxlint playwright pylint pyright pytest rspec ruff shellcheck staticcheck tox tsc ty
    vitest vue-tsc yamllint"""
)
_PARTS = {
    "git": listed(
        """blame branch cat-file check-ignore config describe diff fetch for-each-ref grep help log ls-files
        ls-remote ls-tree merge-base name-rev reflog remote rev-list rev-parse shortlog show show-ref
        status tag version whatchanged add commit push"""
    ),
    "terraform": listed("""init output plan providers show validate version"""),
    "go": listed("""build doc env list test version vet"""),
    "cargo": listed("""bench build check clippy doc metadata nextest run search test tree version"""),
    "npm": listed("""audit ls list outdated run-script run t test view why"""),
    "dotnet": listed("""build test"""),
    "docker": listed("""images inspect logs ps version"""),
    "make": listed("""build check lint test tests typecheck"""),
    "pip": listed("""check freeze list show"""),
    "mise": listed("""doctor help ls run tasks trust version which"""),
    "just": listed("""run"""),
}
# Subcommands that change files. One that is in neither table has an unknown effect.
_WRITING_PARTS = {
    "git": listed(
        """am apply checkout cherry-pick clean merge mv pull read-tree rebase reset restore revert rm stash switch
        filter-branch"""
    )
} | dict.fromkeys(("cargo", "go", "dotnet", "terraform"), listed("fmt format"))
_PARTS |= dict.fromkeys(("pnpm", "yarn", "bun"), _PARTS["npm"]) | {"pip3": _PARTS["pip"]}
# test, lint:ci, build --prod; but not lint --fix, check:write, tests
_SCRIPTS = pattern(r"(?:test|lint|check|typecheck|type-check|tsc|build)\b(?!.*(?:fix|write))")
_MENDS = pattern(
    r"--(?:fix|write)(?:=(?!false).*)?|--fix-only|--unsafe-fixes|-w|format|-(?:delete|(?:exec|ok)(?:dir)?|f(?:print.*|ls))"
)
_TEMPORARY = pattern(r"/(?:var/)?tmp/")
_BEFORE = listed("""sudo env command builtin nohup then do else elif if while until ! { } ( time""")
_RUNNERS = listed("npx bunx pnpx uvx uv poetry timeout xargs")
_KEYWORDS = listed("for done fi esac case function")
_ASSIGNS = pattern(r"\w+=")
# sed -i, perl -pi, sed -ni
_IN_PLACE = pattern(r"-\w*i|--in-place")
_FETCHERS = listed("curl gh")  # what they write is not known
_WRITING = {  # arguments with which a reader writes, unless the next argument is "-" or a device
    "sed": _IN_PLACE,
    "yq": pattern(r"-\w*i|--in-?place"),
    "sort": pattern(r"-\w*o|--output"),
    "curl": pattern(r"-[fgGiIjJkLlNnpqRsSvZ\d#]*[oOcD]|--output|--remote-|--cookie-jar|--dump-header"),
    "awk": pattern(r"-i|--include|.*(?:>\s*\"(?!/dev/)|system\()", re.DOTALL),
    "gh": pattern(r"(?:checkout|co|clone|develop|download|fork|merge|sync|--clone)$"),
}
_INTERPRETERS = pattern(r"python[\d.]*|node|ruby|perl|deno")
_SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_INLINE = frozenset(("-c", "-e", "-p", "--eval", "-"))
# In a script: `Path(p).write_text(`, `open(p, "w")`, `os.remove(`, `system("rm a")`.
_CODE_WRITES = pattern(
    r"\.write(?:_text|lines|File|FileSync|)\(|\bopen\([^()\n]*,[ \t]*(?:mode=)?['\"][wax]"
    r"|\.(?:remove|unlink|rename|rmtree)\(|\bshutil\.(?:copy|move)|\binplace=True"
    rf"|\b(?:system|popen|Popen|run|call|check_call|check_output)\(\[?['\"](?:{'|'.join(_WRITERS)})\b"
)
# What may write: `subprocess`, `save(`, `> out`; not `open(p)`, `print(1)`. It finds too much rather than too little.
_CODE_MAY_WRITE = pattern(
    r"write|unlink|remove|rename|mkdir|rmtree|shutil|subprocess|system\(|exec|dump\(|savefig|save\(|to_(?:csv|json)"
    r"|open\([^()\n]*,[ \t]*(?:mode=)?['\"][wax+]|copy|move|touch|chmod|>"
)
# `<<'EOF'`, `<<-EOF`; not `<<<`.
_HERE = pattern(r"(?<!<)<<-?[ \t]*(?:'(\w+)'|\"(\w+)\"|\\?(\w+))")
# A comment, or what may hold a `#` that begins none: quotes, `\#`, `a#b`.
_COMMENT = pattern(r"('[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s;&|()'\"\\#][^\s;&|()'\"\\]*)|#[^\n]*", re.DOTALL)
_INNER = pattern(r"\$\(([^()]*)\)|`([^`]*)`")
_ENDS = frozenset("();|&\n")  # signs of which `&&`, `||`, `;;` and the `()` of a function are made


class _Effect(IntEnum):
    """What a command does to files; of several effects the greatest counts."""

    NONE = 0
    UNKNOWN = 1
    CHANGE = 2


def may_change(command: str) -> bool:
    """Return whether a command may change files: True unless it is known to change none.

    For callers that ask what a command that was run has left.
    """
    return _effect(command) is not _Effect.NONE


def changes_files(command: str) -> bool:
    """Return whether a command is known to change files.

    For callers that ask what a reply wants changed: a command that runs an unknown program is no edit.
    """
    return _effect(command) is _Effect.CHANGE


def _effect(command: str) -> _Effect:
    text, bodies = _without_here_documents(command)
    if len(text) > _MOST_TEXT:
        return _Effect.CHANGE
    inner = [_effect(one or other) for one, other in _INNER.findall(text) if one or other]
    # `$(…)` was judged by itself and stands as a word
    words = _words(_INNER.sub("x", text))
    if words is None:  # a quote that does not end
        return _Effect.CHANGE
    found = max([*inner, *(_effect_of(one, bodies) for one in _commands(words))], default=_Effect.NONE)
    # A back-tick in quotes begins no command, and the next one is not its end: what stands between counts, too.
    if inner and found is not _Effect.CHANGE:
        found = max([found, *(_effect_of(one, bodies) for one in _commands(_words(text) or []))])
    return found


def _words(text: str) -> list[str] | None:
    """Return the words and operators of a command without its comments, or None if a quote does not end."""
    plain = _COMMENT.sub(lambda found: found[1] or "", text)
    # `\(`, `\)` and `\;` of `find` are arguments and end no command
    lexer = shlex.shlex(re.sub(r"\\[();]", "x", plain).replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return None


def _without_here_documents(command: str) -> tuple[str, list[str]]:
    """Return a command without its here-documents, and their texts.

    A ``<<`` whose end mark does not follow begins none, such as `1 << n`.
    """
    lines = command.split("\n")
    last = {line.strip(" \t"): at for at, line in enumerate(lines)}
    kept: list[str] = []
    bodies: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        for found in _HERE.finditer(line):
            mark = found[1] or found[2] or found[3]
            if last.get(mark, -1) >= at:
                end = next(n for n in range(at, len(lines)) if lines[n].strip(" \t") == mark)
                bodies.append("\n".join(lines[at:end]))
                line = line.replace(found[0], " ", 1)
                at = end + 1
        kept.append(line)
    return "\n".join(kept), bodies


def _commands(words: list[str]) -> Iterator[list[str]]:
    for ends, run in groupby(words, key=lambda word: word != "" and _ENDS.issuperset(word)):
        if not ends:
            yield list(run)


def _effect_of(words: list[str], bodies: list[str]) -> _Effect:
    """Return the effect of one simple command; `bodies` are the here-documents of all commands."""
    written = _output(words)
    redirects = [word.startswith((">", "<", "&>")) for word in words]
    rest = [
        word for word, here, before in zip(words, redirects, [False, *redirects], strict=False) if not here | before
    ]
    # `CI=1 sudo env A=b pytest` is judged as `pytest`.
    while rest and (rest[0] in _BEFORE or _ASSIGNS.match(rest[0])):
        rest.pop(0)
    if not rest or rest[0] in _KEYWORDS or rest[-1] in ("--help", "--version", "-V"):
        return written
    return max(written, _effect_of_program(rest[0].rpartition("/")[2], rest[1:], bodies))


def _effect_of_program(name: str, arguments: list[str], bodies: list[str]) -> _Effect:
    if name in _WRITERS:
        return _Effect.CHANGE
    if name in _READERS:
        return _Effect.NONE
    if name in _RUNNERS:
        # `timeout -k 5 60 npx tsc` and `uv run pytest`: options, numbers and `run` are the runner's own.
        own = dropwhile(lambda word: word.startswith("-") or word[:1].isdecimal() or word == "run", arguments)
        inner = list(own)
        return _effect_of(inner, bodies) if inner else _Effect.UNKNOWN
    if name in ("eval", "trap"):
        return _effect(" ".join(arguments[:1]))
    if name in _SHELLS and len(arguments) > 1 and arguments[0].startswith("-") and arguments[0].endswith("c"):
        return _effect(arguments[1])
    if name in _SHELLS and bodies:
        return max(_Effect.UNKNOWN, *map(_effect, bodies))
    if _INTERPRETERS.fullmatch(name):
        return _effect_of_code(arguments, bodies)
    if name in _PARTS:
        while arguments[:1] in (["-C"], ["-c"]):  # git's, each with a value
            arguments = arguments[2:]
        parts = [word for word in arguments if not word.startswith("-")]
        if parts and parts[0] in _WRITING_PARTS.get(name, ()):
            return _Effect.CHANGE
        if parts[:1] in (["run"], ["run-script"]) and name != "cargo":
            return _Effect.NONE if _SCRIPTS.match(" ".join(parts[1:])) else _Effect.UNKNOWN
        return _Effect.NONE if parts and parts[0] in _PARTS[name] else _Effect.UNKNOWN
    if name in _WRITING:
        named = zip(arguments, [*arguments[1:], ""], strict=False)
        if any(_WRITING[name].match(word) and target != "-" and target[:5] != "/dev/" for word, target in named):
            return _Effect.UNKNOWN if name in _FETCHERS else _Effect.CHANGE
        return _Effect.NONE
    if name in ("uniq", "xxd"):  # the second file is written
        return _Effect.CHANGE if sum(not word.startswith("-") for word in arguments) > 1 else _Effect.NONE
    mends = any(map(_MENDS.fullmatch, arguments))
    if name in _MENDERS:
        return _Effect.CHANGE if mends else _Effect.NONE
    return _Effect.CHANGE if mends and not {"--fix", "--write"}.isdisjoint(arguments) else _Effect.UNKNOWN


def _output(words: list[str]) -> _Effect:
    """Return the effect of redirections: CHANGE for a file, UNKNOWN for one in a temporary folder, else NONE."""
    found = _Effect.NONE
    for at, word in enumerate(words):
        target = words[at + 1] if at + 1 < len(words) else ""
        to_another = word.endswith("&") and (target.isdecimal() or target == "-")  # or closed
        if word.startswith((">", "&>")) and not target.startswith("/dev/") and not to_another:
            found = max(found, _Effect.UNKNOWN if _TEMPORARY.match(target) else _Effect.CHANGE)
    return found


def _effect_of_code(arguments: list[str], bodies: list[str]) -> _Effect:
    """Return the effect of an interpreter, by its arguments and here-documents."""
    if arguments[:1] == ["-m"]:
        return _effect_of(arguments[1:] or ["unknown"], bodies)
    if any(_IN_PLACE.match(word) for word in arguments[:2]):
        return _Effect.CHANGE
    # Code that is at hand (`-c "…"`, a here-document) is searched; a script in a file may do anything.
    code = "\n".join((*arguments, *bodies))
    if _CODE_WRITES.search(code):
        return _Effect.CHANGE
    inline = bool(bodies) if not arguments else not _INLINE.isdisjoint(arguments[:2])
    return _Effect.UNKNOWN if not inline or _CODE_MAY_WRITE.search(code) else _Effect.NONE
