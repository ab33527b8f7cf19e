"""Follows a command's text through a tree of files, without running anything: all of it, or `NotReadError`.

Exit codes are followed as far as they are known. A command that an unknown code decides about must change no file, nor
must one after a program that could have changed the files itself.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dovetail.shell.files import UNKNOWN, ShellFiles, is_sink
from dovetail.shell.syntax import (
    Chain,
    Command,
    For,
    Group,
    If,
    Made,
    NotReadError,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Word,
    WordPart,
    has_pattern,
    is_pattern,
)

_MOST_COMMANDS = 2000
_MOST_TEXT = 4 << 20
_NUMBERED = frozenset((">&", "<&"))


@dataclass(frozen=True, slots=True)
class Done:
    """A program's exit code, None if unknown, and its output, which contains `UNKNOWN` where that is unknown."""

    code: int | None = 0
    out: str = ""


class LeftError(Exception):
    """`exit` ends the shell, with this code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


Program = Callable[["Shell", list[str], str], Done]
"""A program: takes the shell, its arguments and its standard input, and returns its result."""


@dataclass
class Shell:
    """The state of one shell, which its commands read and change.

    folder: the working folder, as a key of the files; None if it is not known.
    values: of variables. ran: a program that may change files itself, so that no change after it is followed; "" for
    none.
    stops, piped: `set -e` and `set -o pipefail` are on. unsure: how many unknown exit codes decide whether the current
    command runs. programs: returns a program by its name. commands: how many have run.
    """

    files: ShellFiles
    programs: Callable[[str], Program | None]
    folder: str | None = ""
    values: dict[str, str] = field(default_factory=dict)
    stops: bool = False
    piped: bool = False
    unsure: int = 0
    ran: str = ""
    code: int | None = 0
    # A list, so that subshells, which are copies of the shell, share the count. They share `files`, too.
    commands: list[int] = field(default_factory=lambda: [0])

    # paths and files

    def key(self, path: str) -> str:
        """Return the key of a path that a command names. Raises `NotReadError`."""
        if self.folder is None:
            raise NotReadError("a folder that is not known")
        return self.files.key(path, self.folder)

    def change(self, key: str) -> None:
        """Check that a file may change now. Raises `NotReadError` if it is not certain that the change happens."""
        if self.ran:
            raise NotReadError(f"`{self.ran}`, which runs before a file changes,")
        if self.unsure:
            raise NotReadError(f"the exit code that decides about `{key}`")

    def write(self, path: str, text: str, *, adds: bool = False) -> None:
        """Write a file, or append to it if `adds`. Raises `NotReadError`."""
        key = self.key(path)
        self.change(key)
        if adds:
            self.files.append(key, text)
        else:
            self.files.write(key, text)

    # scripts

    def run(self, script: Script, given: str = "") -> str:
        """Follow a script and return its output."""
        return "".join(self._chain(chain, given) for chain in script.chains)

    def _chain(self, chain: Chain, given: str) -> str:
        out = self._pipeline(chain.first, given, decides=bool(chain.others))
        code, unsure, last = self.code, 0, chain.first
        for operator, pipeline in chain.others:
            # `a && b || c`: skipped, and the code stays that of the last command that ran.
            if code is not None and not unsure and (code == 0) != (operator == "&&"):
                continue
            last = pipeline
            # This may run or not. So may all that follows in the chain, whatever its code.
            if code is None or unsure:
                unsure = 1
                with self.doubt():
                    out += self._pipeline(pipeline, given, decides=True)
                code = None
            else:
                out += self._pipeline(pipeline, given, decides=pipeline is not chain.others[-1][1])
                code = self.code
        self.code = code
        # As in bash: under `set -e` only the last command of a list ends the shell. `false && x` does not, `true &&
        # false` does.
        if self.stops and chain.others and last is chain.others[-1][1] and not last.negated:
            self._stop(code)
        return out

    def _stop(self, code: int | None) -> None:
        """End the shell, as under `set -e`, for a code other than 0. After an unknown one nothing is certain to run."""
        if code is None:
            self.unsure += 1
        elif code:
            raise LeftError(code)

    @contextmanager
    def doubt(self) -> Iterator[None]:
        """For commands that may or may not run: they may change no file, and variables that they set become unknown."""
        folder, values = self.folder, dict(self.values)
        self.unsure += 1
        try:
            yield
        except LeftError:
            self.unsure += 1  # for good: what follows may not run
        self.unsure -= 1
        # The body ran or not, so what it changed has either value: it is unknown now.
        self.folder = folder if self.folder == folder else None
        for name in {*values, *self.values}:
            if values.get(name) != self.values.get(name):
                self.values[name] = UNKNOWN

    def _pipeline(self, pipeline: Pipeline, given: str, *, decides: bool) -> str:
        codes: list[int | None] = []
        text = given
        # `head -1 a.py | tee a.py`: the commands of a pipeline run at once, and who is first decides what is read.
        guarded, first = self.files.guarded, len(self.files.readings)
        stops = self.stops
        for command in pipeline.commands:
            alone = len(pipeline.commands) == 1
            # As in bash: nothing ends the shell inside a list whose code decides, `set -e; { false; x; } || y` runs x.
            if (decides or pipeline.negated) and not isinstance(command, Simple):
                self.stops = False
            text = self.command(command, text) if alone else self._child(command, text)
            codes.append(self.code)
            if not isinstance(command, Simple):
                self.stops = self.stops or stops
            self.files.guarded |= frozenset(self.files.readings[first:] if not alone else ())
        self.files.guarded = guarded
        self.code = codes[-1]
        # `set -o pipefail`: the code of the last command that failed; a code that is not known may be a failure.
        if self.piped and len(codes) > 1:
            failed = [code for code in codes if code != 0]
            self.code = failed[-1] if failed and None not in failed else None if failed else 0
        if pipeline.negated:
            self.code = None if self.code is None else int(self.code == 0)
        # `set -e` passes over what is negated, and over conditions.
        elif self.stops and not decides:
            self._stop(self.code)
        return text

    def _child(self, command: Command | Script, given: str) -> str:
        """Follow a command in a subshell, whose folder and variables end with it."""
        child = replace(self, values=dict(self.values))
        try:
            out = child.run(command, given) if isinstance(command, Script) else child.command(command, given)
            self.code = child.code
        except LeftError as left:
            out, self.code = UNKNOWN, left.code
        self.ran = child.ran
        # The subshell ended early or not, which its code would tell.
        if child.unsure > self.unsure:
            self.code = None
        return out

    def command(self, command: Command, given: str) -> str:
        """Follow one command and return its standard output."""
        self.commands[0] += 1
        if self.commands[0] > _MOST_COMMANDS:
            raise NotReadError("a loop with many commands")
        match command:
            case Simple():
                return self._simple(command, given)
            case Group(script, own, redirects):
                stdin, finish = self._opened(redirects, given, several=True)
                try:
                    return finish(self._child(script, stdin) if own else self.run(script, stdin))
                except LeftError:
                    if self.files.opened:
                        raise NotReadError("what a group prints before `exit`") from None
                    raise
            case For(name, words, body):
                # All words are expanded before the first turn: the body may make files that a pattern would name.
                fields = [text for word in words for text in self.expanded(word)]
                if any(UNKNOWN in text for text in fields):
                    raise NotReadError(f"the words of `for {name}`")
                out = ""
                self.code = 0
                for text in fields:
                    self.values[name] = text
                    out += self.run(body, given)
                    if len(out) > _MOST_TEXT:
                        raise NotReadError("a long text")
                return out
            case If(branches, otherwise):
                return self._if(branches, otherwise, given)

    def _if(self, branches: tuple[tuple[Script, Script], ...], otherwise: Script | None, given: str) -> str:
        out, stops = "", self.stops
        for condition, script in branches:
            self.stops = False
            # A condition may fail under `set -e`, with all commands in it.
            out += self.run(condition, given)
            self.stops = stops
            if self.code is None:
                # Any of the bodies may run: none may change a file, and what they print is not known.
                bodies = [body for _, body in branches] + ([otherwise] if otherwise is not None else [])
                for body in bodies:
                    with self.doubt():
                        self.run(body, given)
                self.code = None
                return UNKNOWN
            if self.code == 0:
                return out + self.run(script, given)
        self.code = 0
        return out + (self.run(otherwise, given) if otherwise is not None else "")

    def _simple(self, simple: Simple, given: str) -> str:
        words = [text for word in simple.words for text in self.expanded(word)]
        self.code = 0
        # Without a program the code is that of the last `$(…)` in the values: `x=$(false) || …`.
        assigned = {name: "".join(self.expanded(word, splits=False)) for name, word in simple.assigned}
        if not words:
            self.values.update(assigned)
            code = self.code
            _, finish = self._opened(simple.redirects, given)
            self.code = code
            return finish("")
        if any(word in ("IFS", "PATH") for word in assigned):
            raise NotReadError("an assignment to IFS or PATH")
        # `X=1 cmd` sets X for `cmd` alone, of which no program here asks; so it is left out of `values`.
        program = self.programs(words[0]) if UNKNOWN not in words[0] else None
        if program is None:
            raise NotReadError(f"`{words[0].replace(UNKNOWN, '…')[:60]}`")
        stdin, finish = self._opened(simple.redirects, given)
        done = program(self, words[1:], stdin)
        self.code = done.code
        return finish(done.out)

    # redirections

    def _opened(
        self, redirects: tuple[Redirect, ...], given: str, *, several: bool = False
    ) -> tuple[str, Callable[[str], str]]:
        """Return a command's standard input, and a function that takes its output: it writes that to its file, or
        returns it for the pipe. Files after `>` are emptied at once. `several`: of several commands, one may print
        before another reads."""
        stdin, target, adds, merged = given, None, False, False
        opened: list[str] = []
        reads = ""
        for redirect in redirects:
            if redirect.here is not None:
                stdin = "".join(self.text_of(part) for part in redirect.here.word)
                continue
            text = "".join(self.expanded(redirect.word, splits=False))
            if redirect.operator == "<<<":
                stdin = text + "\n"
            elif redirect.operator in _NUMBERED:
                if (redirect.descriptor, text) == (2, "1") or (redirect.descriptor in (None, 1) and text == "2"):
                    # `2>&1` mixes in errors, whose text is unknown; `>&2` sends the output where nothing reads it.
                    merged = merged or redirect.descriptor == 2
                    target = "/dev/null" if redirect.descriptor != 2 else target
                    continue
                raise NotReadError(f"`{redirect.operator}{text}`")
            elif redirect.operator == "<":
                reads = "" if is_sink(text) else self.key(text)
                stdin = self.files.read(reads) if reads else UNKNOWN
            else:
                errors = redirect.descriptor == 2
                if redirect.descriptor not in (None, 1, 2):
                    raise NotReadError("a file descriptor")
                if not is_sink(text):
                    if errors or redirect.operator.startswith("&"):
                        raise NotReadError("a file for errors")
                    # `>` empties the file before the program reads: `sort a > a` leaves nothing.
                    appends = redirect.operator == ">>"
                    self.write(text, "", adds=appends)
                    opened.append(self.key(text))
                    self.files.opened[opened[-1]] = several or appends
                if not errors:
                    target, adds = text, True
        if reads in opened:
            raise NotReadError(f"`{reads}`, which is read and written at once,")
        out_target = target

        def finish(out: str) -> str:
            for key in opened:
                del self.files.opened[key]
            if out_target is None:
                return out if not merged else UNKNOWN if out else out
            if not is_sink(out_target) and (out or merged):
                # Errors would be in the file. With the code 0 there are taken to be none.
                if merged and self.code != 0:
                    raise NotReadError("errors in a file")
                self.write(out_target, out, adds=adds)
            return ""

        return stdin, finish

    # words

    def text_of(self, part: WordPart) -> str:
        """Return the text of a part of a word; `UNKNOWN` in it where it is not known."""
        match part.made:
            case Made.TEXT:
                return part.text
            case Made.NAME:
                return self._value(part.text)
            case Made.OUTPUT if part.script is not None:
                stops, self.stops = self.stops, False  # bash does not hand `set -e` on to `$(…)`
                out = self._child(part.script, "")
                self.stops = stops
                return UNKNOWN if UNKNOWN in out else out.rstrip("\n")
        return UNKNOWN

    def _value(self, name: str) -> str:
        if name == "PWD" and name not in self.values and self.folder is not None and self.files.root:
            return self.files.absolute(self.folder).rstrip("/")
        return self.values.get(name, UNKNOWN)

    def expanded(self, word: Word, *, splits: bool = True) -> list[str]:
        """Return the words that one word of the script expands to: variables split at blanks, patterns replaced by
        names.

        splits: False where bash does neither, as in assignments and redirections.
        """
        fields: list[str] = []
        now: str | None = None
        pattern: list[str] = []
        for part in word:
            text = self.text_of(part)
            if part.made is Made.TEXT or part.quoted or not splits:
                now = (now or "") + text
                # What is quoted means itself in a pattern: `"*".py` becomes `[*].py`.
                plain = part.quoted or part.made is not Made.TEXT
                pattern.append(re.sub(r"([*?\[])", r"[\1]", text) if plain else text)
                continue
            # Bash expands patterns after splitting, so it would expand this one; rare, and not followed.
            if is_pattern(text):
                raise NotReadError("a variable that holds a pattern")
            # An unquoted `$x` splits: `a$x` with `x="1 2"` is `a1` and `2`; a blank at its edge ends a word, and makes
            # no empty one.
            pieces = re.split(r"[ \t\n]+", text)
            for n, piece in enumerate(pieces):
                if n and now is not None:
                    fields.append(now)
                    now = None
                if piece or (now is not None and not n):
                    now = (now or "") + piece
            pattern.append(text)
        if now is not None:
            fields.append(now)
        if sum(map(len, fields)) > _MOST_TEXT:
            raise NotReadError("a long text")
        if splits and has_pattern(word):
            if len(fields) != 1:
                raise NotReadError("a pattern for names")
            return self._names("".join(pattern))
        return fields

    def _names(self, pattern: str) -> list[str]:
        """Return the files and folders of the tree that a pattern matches. Raises `NotReadError` if none does."""
        if UNKNOWN in pattern or self.folder is None or "\\" in pattern or self.folder.startswith("/"):
            raise NotReadError(f"the pattern `{pattern.replace(UNKNOWN, '…')[:60]}`")
        base = "" if not pattern.startswith("/") else f"{self.files.root}/"
        if base and not pattern.startswith(base):
            raise NotReadError(f"the pattern `{pattern[:60]}`")
        parts = pattern[len(base) :].strip("/").split("/")
        folder = "" if base else self.folder
        found = self._matching(folder, parts)
        if not found:
            raise NotReadError(f"the pattern `{pattern[:60]}`, which names no file,")
        return [base + name + ("/" if pattern.endswith("/") else "") for name in found]

    def _matching(self, folder: str, parts: list[str]) -> list[str]:
        # Sorted by code points, as bash does in the C locale. Hidden names only where the pattern begins with a dot.
        names = sorted({path[len(folder) + bool(folder) :].split("/")[0] for path in self.files.below(folder)})
        part, rest = parts[0], parts[1:]
        if part in (".", ".."):
            raise NotReadError("a pattern for names")
        if not is_pattern(part):
            matched = [part] if not rest or self.files.is_folder(posixpath.join(folder, part)) else []
            matched = matched if rest else [name for name in names if name == part]
        else:
            matched = [name for name in names if fnmatch.fnmatchcase(name, part) and (name[0] != "." or part[0] == ".")]
        if not rest:
            return matched
        return [f"{name}/{tail}" for name in matched for tail in self._matching(posixpath.join(folder, name), rest)]
