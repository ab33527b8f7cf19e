"""Decides if a shell command may change files of the project: yes, unless all its programs are known not to.

Tests, linters and builds are taken to leave them alone, as long as they are not told to mend what they find. A program
that is not known may do anything.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile, takewhile


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READERS = _words(
    """[ [[ : ag base64 basename bat cal cat cd clear cmp column comm cut date df diff dirname du echo
    egrep exit export eza false fd fgrep file fold free grep groups head help hexdump history
    host hostname htop id jq less ll locale ls lsof md5sum mkdir more nl nproc od paste pgrep pidof ping popd
    printenv printf ps pstree pushd pwd readlink realpath return rev rg seq set sha1sum sha256sum shasum
    sleep stat strings tac tail test time top tr tree true type tty uname uniq unset uptime wait
    watch wc whereis which who whoami xxd zcat"""
)
_MENDERS = _words(
    """find prettier actionlint bandit clippy-driver ctest eslint flake8 golangci-lint hadolint jest mocha mypy
    nox phpstan phpunit oxlint playwright pylint pyright pytest rspec ruff shellcheck staticcheck tox tsc ty
    vitest vue-tsc yamllint"""
)
_PARTS = {
    "git": _words(
        """blame branch cat-file check-ignore config describe diff fetch for-each-ref grep help log ls-files
        ls-remote ls-tree merge-base name-rev reflog remote rev-list rev-parse shortlog show show-ref
        status tag version whatchanged add commit push"""
    ),
    "go": _words("""build doc env list test version vet"""),
    "cargo": _words("""bench build check clippy doc metadata nextest run search test tree version"""),
    "npm": _words("""audit ls list outdated run-script run t test view why"""),
    "dotnet": _words("""build test"""),
    "docker": _words("""images inspect logs ps version"""),
    "make": _words("""build check lint test tests typecheck"""),
    "pip": _words("""check freeze list show"""),
    "mise": _words("""doctor help ls run tasks trust version which"""),
    "just": _words("""run"""),
}
_PARTS |= dict.fromkeys(("pnpm", "yarn", "bun"), _PARTS["npm"]) | {"pip3": _PARTS["pip"]}
# test, lint:ci, build --prod; but not lint --fix, check:write, tests
_SCRIPTS = re.compile(r"(?:test|lint|check|typecheck|type-check|tsc|build)\b(?!.*(?:fix|write))")
_MENDS = re.compile(
    r"--(?:fix|write)(?:=(?!false).*)?|--fix-only|--unsafe-fixes|-w|format|-(?:delete|(?:exec|ok)(?:dir)?|f(?:print.*|ls))"
)
_BEFORE = _words("""sudo env command builtin nohup then do else elif if while until ! { } ( time""")
_RUNNERS = _words("npx bunx pnpx uvx uv poetry timeout xargs")
_KEYWORDS = _words("for done fi esac case function")
_ASSIGNS = re.compile(r"\w+=")
# sed -i, perl -pi, sed -ni
_IN_PLACE = re.compile(r"-\w*i|--in-place")
_WRITING = {  # what makes a reader write; where it names the output next, not if that is "-" or a device
    "sed": _IN_PLACE,
    "yq": re.compile(r"-\w*i|--in-?place"),
    "sort": re.compile(r"-\w*o|--output"),
    "curl": re.compile(r"-[fgGiIjJkLlNnpqRsSvZ\d#]*[oOcD]|--output|--remote-|--cookie-jar|--dump-header"),
    "awk": re.compile(r"-i|--include|.*(?:>\s*\"(?!/dev/)|system\()", re.DOTALL),
    "gh": re.compile(r"(?:checkout|co|clone|develop|download|fork|merge|sync|--clone)$"),
}
_INTERPRETERS = re.compile(r"python[\d.]*|node|ruby|perl|deno")
_INLINE = frozenset(("-c", "-e", "-p", "--eval", "-"))
# In a script: `open(p, "w")`, `Path(p).write_text(`, `shutil.copy(`, `> out`; but not `open(p)`, `print(1)`. It finds
# too much rather than too little: a command that is called writing only leaves files in doubt.
_WRITES = re.compile(
    r"write|unlink|remove|rename|mkdir|rmtree|shutil|subprocess|system\(|exec|dump\(|savefig|save\(|to_(?:csv|json)"
    r"|open\([^()\n]*,[ \t]*(?:mode=)?['\"][wax+]|copy|move|touch|chmod|>"
)
# A here-document: `<<'EOF' > a.txt`, its body, `EOF` on a line. Group 3 is the rest of the first line, which is kept
# as part of the command: it may write a file.
_HERE = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n(?:.*?\n)?[ \t]*\2(?=\n|$)", re.DOTALL)
_INNER = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_ENDS = frozenset(("&&", "||", ";", "|", "&", "|&", ";;", "\n", "(", ")"))


def may_change_files(command: str) -> bool:
    """Return whether a command may change files."""
    if any(may_change_files(one or other) for one, other in _INNER.findall(command) if one or other):
        return True
    bodies = [match[0] for match in _HERE.finditer(command)]
    # `$(…)` was judged by itself and stands as a word; `\(`, `\)` and `\;` of `find` are arguments and end no command.
    plain = re.sub(r"\\[();]", "x", _HERE.sub(r"\3", _INNER.sub("x", command)))
    lexer = shlex.shlex(plain.replace("\n", " ; "), posix=True, punctuation_chars=True)
    try:
        words = list(lexer)
    except ValueError:  # a quote that does not end
        return True
    return any(_changes(words, bodies) for words in _commands(words))


def _commands(words: list[str]) -> Iterator[list[str]]:
    at = 0
    while at < len(words):
        one = list(takewhile(lambda word: word not in _ENDS, words[at:]))
        at += len(one) + 1
        if one:
            yield one


def _changes(words: list[str], bodies: list[str]) -> bool:
    """Return whether one command, without operators, may change a file; `bodies` are the here-documents of them all."""
    if _writes_output(words):
        return True
    redirects = [word.startswith((">", "<", "&>")) for word in words]
    rest = [
        word for word, here, before in zip(words, redirects, [False, *redirects], strict=False) if not here | before
    ]
    # `CI=1 sudo env A=b pytest` is judged as `pytest`.
    while rest and (rest[0] in _BEFORE or _ASSIGNS.match(rest[0])):
        rest.pop(0)
    if not rest or rest[0] in _KEYWORDS or rest[-1] in ("--help", "--version", "-V"):
        return False
    name, arguments = rest[0].rpartition("/")[2], rest[1:]
    if name in _RUNNERS:
        # `timeout -k 5 60 npx tsc` and `uv run pytest`: options, numbers and `run` are the runner's own.
        own = dropwhile(lambda word: word.startswith("-") or word[:1].isdecimal() or word == "run", arguments)
        inner = list(own)
        return not inner or _changes(inner, bodies)
    if _INTERPRETERS.fullmatch(name):
        return _runs_code(arguments, bodies)
    if name in _PARTS:
        parts = [word for word in arguments if not word.startswith("-")]
        if parts[:1] in (["run"], ["run-script"]) and name != "cargo":
            return not _SCRIPTS.match(" ".join(parts[1:]))
        return not parts or parts[0] not in _PARTS[name]
    if name in _WRITING:
        named = zip(arguments, [*arguments[1:], ""], strict=False)
        return any(_WRITING[name].match(word) and target != "-" and target[:5] != "/dev/" for word, target in named)
    if name in _MENDERS:
        return any(map(_MENDS.fullmatch, arguments))
    return name not in _READERS


def _writes_output(words: list[str]) -> bool:
    """Return whether the output of a command goes to a file."""
    for at, word in enumerate(words):
        target = words[at + 1] if at + 1 < len(words) else ""
        to_another = word.endswith("&") and (target.isdecimal() or target == "-")  # or closed
        if word.startswith((">", "&>")) and not target.startswith("/dev/") and not to_another:
            return True
    return False


def _runs_code(arguments: list[str], bodies: list[str]) -> bool:
    """Return whether an interpreter may change a file, by its arguments."""
    if arguments[:1] == ["-m"]:
        return _changes(arguments[1:] or ["unknown"], bodies)
    # Code that is at hand (`-c "…"`, a here-document) is searched; a script in a file may do anything.
    inline = bool(bodies) if not arguments else not _INLINE.isdisjoint(arguments[:2])
    if not inline or any(_IN_PLACE.match(word) for word in arguments[:2]):
        return True
    return _WRITES.search("\n".join((*arguments, *bodies))) is not None
