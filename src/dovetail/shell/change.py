"""Decides if a shell command may change files of the project: yes, unless all its programs are known not to.

Tests, linters and builds are taken to leave them alone, as long as they are not told to mend what they find. A program
that is not known may do anything. `follow` says what a command does change; this is for the commands that nobody can
follow, and for those that are not worth it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile, groupby

from dovetail.text.listed import listed
from dovetail.text.pattern import pattern

_MOST_TEXT = 60_000
"""Characters of a command that are judged, here-documents aside; a longer one may change files."""
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
_PARTS |= dict.fromkeys(("pnpm", "yarn", "bun"), _PARTS["npm"]) | {"pip3": _PARTS["pip"]}
# test, lint:ci, build --prod; but not lint --fix, check:write, tests
_SCRIPTS = pattern(r"(?:test|lint|check|typecheck|type-check|tsc|build)\b(?!.*(?:fix|write))")
_MENDS = pattern(
    r"--(?:fix|write)(?:=(?!false).*)?|--fix-only|--unsafe-fixes|-w|format|-(?:delete|(?:exec|ok)(?:dir)?|f(?:print.*|ls))"
)
_BEFORE = listed("""sudo env command builtin nohup then do else elif if while until ! { } ( time""")
_RUNNERS = listed("npx bunx pnpx uvx uv poetry timeout xargs")
_KEYWORDS = listed("for done fi esac case function")
_ASSIGNS = pattern(r"\w+=")
# sed -i, perl -pi, sed -ni
_IN_PLACE = pattern(r"-\w*i|--in-place")
_WRITING = {  # what makes a reader write; where it names the output next, not if that is "-" or a device
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
# In a script: `open(p, "w")`, `Path(p).write_text(`, `shutil.copy(`, `> out`; but not `open(p)`, `print(1)`. It finds
# too much rather than too little: a command that is called writing only leaves files in doubt.
_WRITES = pattern(
    r"write|unlink|remove|rename|mkdir|rmtree|shutil|subprocess|system\(|exec|dump\(|savefig|save\(|to_(?:csv|json)"
    r"|open\([^()\n]*,[ \t]*(?:mode=)?['\"][wax+]|copy|move|touch|chmod|>"
)
# `<<'EOF'`, `<<-EOF`; not `<<<`.
_HERE = pattern(r"(?<!<)<<-?[ \t]*(?:'(\w+)'|\"(\w+)\"|\\?(\w+))")
# A comment, or what may hold a `#` that begins none: quotes, `\#`, `a#b`.
_COMMENT = pattern(r"('[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s;&|()'\"\\#][^\s;&|()'\"\\]*)|#[^\n]*", re.DOTALL)
_INNER = pattern(r"\$\(([^()]*)\)|`([^`]*)`")
_ENDS = frozenset(("&&", "||", ";", "|", "&", "|&", ";;", "\n", "(", ")"))


def may_change(command: str) -> bool:
    """Return whether a command may change files."""
    text, bodies = _without_here_documents(command)
    if len(text) > _MOST_TEXT:
        return True
    if any(may_change(one or other) for one, other in _INNER.findall(text) if one or other):
        return True
    # `$(…)` was judged by itself and stands as a word; `\(`, `\)` and `\;` of `find` are arguments and end no command.
    plain = _COMMENT.sub(lambda found: found[1] or "", _INNER.sub("x", text))
    lexer = shlex.shlex(re.sub(r"\\[();]", "x", plain).replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that does not end
        return True
    return any(_changes(words, bodies) for words in _commands(words))


def _without_here_documents(command: str) -> tuple[str, list[str]]:
    """A command without its here-documents, and their texts.

    What begins one and has no end is none, such as `1 << n`: what follows it belongs to the command.
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
    for ends, run in groupby(words, key=_ENDS.__contains__):
        if not ends:
            yield list(run)


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
    if name in _SHELLS and len(arguments) > 1 and arguments[0].startswith("-") and arguments[0].endswith("c"):
        return may_change(arguments[1])
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
    if name in ("uniq", "xxd"):  # the second file is written
        return sum(not word.startswith("-") for word in arguments) > 1
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
