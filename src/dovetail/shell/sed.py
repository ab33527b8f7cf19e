r"""Carries out scripts of `sed` on texts.

Grammar::

    script  = (command (";" | newline))*
    command = [address ["," address] ["!"]] ("{" script "}" | "s" d pattern d new d flag* | "y" d from d to d
            | "d" | "p" | "q" | "=" | ("a" | "i" | "c") text)
    address = number | "$" | "/" pattern "/" ["I"] | "\" d pattern d | "+" number (as the second) | first "~" step
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dovetail.shell.files import UNKNOWN
from dovetail.shell.patterns import compiled, from_posix, matches, splits_signs
from dovetail.shell.syntax import NotReadError

_NUMBER = re.compile(r"\d+")
_TEXT_END = re.compile(r"(?:[^\\\n]|\\[\s\S])*")


@dataclass(frozen=True, slots=True)
class _SedAddress:
    """Selects lines by number (-1: the last), by step, or by pattern; `plus`: so many lines after the first address."""

    number: int | None = None
    pattern: re.Pattern[str] | None = None
    step: int = 0
    plus: bool = False


@dataclass(slots=True)
class _SedCommand:
    """A command with its addresses. `open`: its range has begun and not ended; `until`: the number of its last line."""

    name: str
    first: _SedAddress | None
    last: _SedAddress | None
    negated: bool
    pattern: re.Pattern[str] | None = None
    new: tuple[str | int, ...] = ()
    text: str = ""
    to: str = ""
    which: int = 1
    everywhere: bool = False
    prints: bool = False
    inner: list[_SedCommand] = field(default_factory=list)
    open: bool = False
    until: int = 0


def run_sed(script: str, text: str, *, extended: bool, silent: bool, bsd: bool = False) -> str:
    """Return what `sed` prints for a text. Raises `NotReadError`.

    extended: with -E. silent: with -n. bsd: for BSD's `sed`, so that GNU's extensions are not understood.
    """
    if UNKNOWN in script:
        raise NotReadError("a script of `sed` that is computed")
    lines = text.split("\n")
    # A last line without an end keeps that: GNU's `sed` adds none.
    ends = lines[-1] == ""
    if ends:
        lines.pop()
    reader = _SedScript(script, extended, bsd, max(map(len, lines), default=0))
    commands = reader.commands()
    out: list[str] = []
    for number, line in enumerate(lines, start=1):
        cycle = _Cycle(line, number, number == len(lines), out)
        state = cycle.run(commands)
        if state != "deleted" and not silent:
            cycle.print_line()
        out.extend(cycle.behind)
        if state == "quit" or cycle.last:  # the output lacks its last line end only if it ends with such a line
            ends = ends or not (cycle.last and cycle.printed_last) or bool(cycle.behind)
            break
    return "\n".join(out) + ("\n" if out and ends else "")


@dataclass(slots=True)
class _Cycle:
    """The state of one line while the commands run on it. `behind`: texts to print after it."""

    line: str
    number: int
    last: bool
    out: list[str]
    behind: list[str] = field(default_factory=list)
    printed_last: bool = False

    def print_line(self) -> None:
        """Print the line as it is now."""
        self.out.append(self.line)
        self.printed_last = True

    def print_text(self, text: str) -> None:
        """Print another text."""
        self.out.append(text)
        self.printed_last = False

    def run(self, commands: list[_SedCommand]) -> str:
        for command in commands:
            # `_selects` also updates the command's range, so it must be called whether `!` stands there or not.
            if self._selects(command) == command.negated:
                continue
            match command.name:
                case "{":
                    if state := self.run(command.inner):
                        return state
                case "s":
                    self._substitute(command)
                case "y":
                    self.line = self.line.translate(str.maketrans(command.text, command.to))
                case "d":
                    return "deleted"
                case "p":
                    self.print_line()
                case "=":
                    self.print_text(str(self.number))
                case "q":
                    return "quit"
                case "i":
                    self.print_text(command.text)
                case "a":
                    self.behind.append(command.text)
                case "c":
                    # For a range `c` prints its text once, at the last line; the lines before go without one.
                    if command.last is None or command.negated or not command.open:
                        self.print_text(command.text)
                    return "deleted"
        return ""

    def _is_at(self, address: _SedAddress) -> bool:
        if address.pattern is not None:
            return address.pattern.search(self.line) is not None
        if address.step:
            return self.number >= (address.number or 0) and (self.number - (address.number or 0)) % address.step == 0
        return self.last if address.number == -1 else self.number == address.number

    def _selects(self, command: _SedCommand) -> bool:
        first, last = command.first, command.last
        if first is None or last is None:
            return first is None or self._is_at(first)
        if command.open:
            if last.pattern is not None:
                command.open = not self._is_at(last)
                return True
            command.open = self.number < command.until
            if self.number <= command.until:
                return True
            # the range ended before this line: it may begin a new one
        # `0,/x/` may end on line 1, `1,/x/` on line 2 at the earliest: its end is looked for after the first line.
        zero = first.number == 0 and self.number == 1 and last.pattern is not None
        if not (zero or self._is_at(first)):
            return False
        if zero:
            command.open = not self._is_at(last)
            return True
        if last.pattern is not None:
            command.open = True  # a range that meets its end on no line never ends, and its `c` prints nothing
            return True
        # `/x/,+2` counts from this line. `5,3` is line 5 alone.
        command.until = (1 << 60) if last.number == -1 else (last.number or 0) + (self.number if last.plus else 0)
        command.open = self.number < command.until
        return True

    def _substitute(self, command: _SedCommand) -> None:
        assert command.pattern is not None  # noqa: S101 - a substitution has one
        made, at, done = [], 0, False
        if splits_signs(command.pattern, self.line):
            raise NotReadError("a pattern of `sed` that matches nothing inside of a sign of several bytes")
        for n, found in enumerate(matches(command.pattern, self.line), start=1):
            # `s/a/b/2g`: the second match and all behind it.
            if n < command.which:
                continue
            made.append(self.line[at : found.start()])
            made.extend(part if isinstance(part, str) else found[part] or "" for part in command.new)
            at, done = found.end(), True
            if not command.everywhere:
                break
        if done:
            self.line = "".join(made) + self.line[at:]
            if command.prints:
                self.print_line()


class _SedScript:
    """Parses a script. `longest` is the length of the longest line that it will be run on."""

    def __init__(self, text: str, extended: bool, bsd: bool, longest: int) -> None:
        self.text = text
        self.at = 0
        self.extended = extended
        self.bsd = bsd
        self.longest = longest

    def commands(self, *, inner: bool = False) -> list[_SedCommand]:
        found: list[_SedCommand] = []
        while True:
            while self._sign() and self._sign() in " \t\n;":
                self.at += 1
            if self._sign() == "}" and inner:
                self.at += 1
                return found
            if not self._sign():
                if inner:
                    raise NotReadError("`{` of `sed` without its end")
                return found
            found.append(self._command())

    def _sign(self) -> str:
        return self.text[self.at : self.at + 1]

    def _command(self) -> _SedCommand:
        first = self._address(second=False)
        last = None
        if first is not None and self._sign() == ",":
            self.at += 1
            last = self._address(second=True)
            if last is None:
                raise self._not_read()
        # Line 0 exists only before a pattern, or as `0~3`.
        if first is not None and first.number == 0 and not first.step and (last is None or last.pattern is None):
            raise self._not_read()
        self._blanks()
        negated = self._sign() == "!"
        self.at += negated
        self._blanks()
        name = self._sign()
        self.at += 1
        command = _SedCommand(name, first, last, negated)
        if name == "{":
            command.inner = self.commands(inner=True)
            return command
        if name == "s":
            self._read_substitution(command)
        elif name == "y":
            sign = self._sign()
            command.text, command.to = (self._plain(self._delimited(sign)) for _ in range(2))
            self.at += 1
            if len(command.text) != len(command.to):
                raise self._not_read()
        elif name in ("a", "i", "c"):
            command.text = self._text()
            return command
        elif not name or name not in "dpq=":
            raise self._not_read()
        self._blanks()
        if self._sign() not in ("", ";", "\n", "}"):
            raise self._not_read()
        return command

    def _address(self, *, second: bool) -> _SedAddress | None:
        self._blanks()
        # Only the second address may be `+3`; only the first `1~2`.
        plus = second and self._sign() == "+"
        self.at += plus
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            step = re.compile(r"~(\d+)").match(self.text, self.at) if not second else None
            if step is not None:
                self.at = step.end()
            if self.bsd and (step or plus or int(number[0]) == 0):
                raise self._not_read()
            return _SedAddress(int(number[0]), plus=plus, step=int(step[1]) if step else 0)
        if plus:
            raise self._not_read()
        if self._sign() == "$":
            self.at += 1
            return _SedAddress(-1)
        if self._sign() not in ("/", "\\"):
            return None
        self.at += self._sign() == "\\"
        pattern = self._delimited(self._sign())
        self.at += 1
        ignores = self._sign() == "I"
        self.at += ignores
        return _SedAddress(pattern=self._compiled(pattern, ignore_case=ignores))

    def _delimited(self, sign: str) -> str:
        """Take the text between two delimiters; the reader stands at the first, and stops at the second."""
        self.at += 1
        if not sign or sign in "\\\n":
            raise self._not_read()
        made: list[str] = []
        while self._sign() and self._sign() != sign:
            if self._sign() == "\\" and self.text[self.at + 1 : self.at + 2]:
                behind = self.text[self.at + 1]
                if behind == sign:
                    # `s|a\|b|c|`: the delimiter or an alternative; one `sed` takes it for this, another for that.
                    if sign in "()|{}+?*.[]^$&1234567890n":
                        raise self._not_read()
                    made.append(sign)
                else:
                    made.append("\\" + behind)
                self.at += 2
                continue
            made.append(self._sign())
            self.at += 1
        if not self._sign():
            raise self._not_read()
        return "".join(made)

    def _read_substitution(self, command: _SedCommand) -> None:
        sign = self._sign()
        pattern, new = self._delimited(sign), self._delimited(sign)
        if sign == "[" or ("[" in pattern and sign in pattern):
            raise self._not_read()  # a delimiter inside of a set is a character to one `sed`, and an end to another
        self.at += 1
        flags = re.compile(r"[gpiI0-9]*").match(self.text, self.at)
        assert flags is not None  # noqa: S101 - it may be empty
        self.at = flags.end()
        # `s/a/b/g2p`: a number anywhere among the flags says which match; 0 is an error.
        numbers = re.sub(r"\D", "", flags[0])
        if numbers.startswith("0") or (self.bsd and re.search("[iI]", flags[0])):
            raise self._not_read()
        command.which = int(numbers or 1)
        command.everywhere, command.prints = "g" in flags[0], "p" in flags[0]
        ignore_case = bool(re.search("[iI]", flags[0]))
        command.pattern = self._compiled(pattern, ignore_case=ignore_case)
        command.new = self._replacement(new, command.pattern.groups)

    def _compiled(self, pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
        if not pattern:
            raise NotReadError("an empty pattern of `sed`")
        made = from_posix(pattern, extended=self.extended, only_posix=self.bsd)
        return compiled(made, re.IGNORECASE if ignore_case else 0, self.longest)

    def _replacement(self, text: str, groups: int) -> tuple[str | int, ...]:
        parts: list[str | int] = []
        at = 0
        while at < len(text):
            sign = text[at]
            if sign == "&":
                parts.append(0)
            elif sign == "\\":
                at += 1
                behind = text[at]
                if behind.isdecimal():
                    # `\1` without a group is an error to `sed`, and so the whole command is.
                    if int(behind) > groups:
                        raise self._not_read()
                    parts.append(int(behind))
                elif behind in "nt" and not self.bsd:
                    parts.append({"n": "\n", "t": "\t"}[behind])
                elif behind.isalnum():
                    raise self._not_read()
                else:
                    parts.append(behind)
            # A line end without its backslash ends the script's line: the command is broken.
            elif sign == "\n":
                raise self._not_read()
            else:
                parts.append(sign)
            at += 1
        return tuple(parts)

    def _plain(self, text: str) -> str:
        # `y` knows `\\`, `\n` and the escaped delimiter alone.
        if re.search(r"\\[^\\n]", text):
            raise self._not_read()
        return text.replace("\\n", "\n").replace("\\\\", "\\")

    def _text(self) -> str:
        """Take the text of `a`, `i` or `c`: after a backslash and a line end, or (GNU) on the same line."""
        self._blanks()
        # `a\` and the text on the next line is POSIX; `a text` on one line GNU's; `a\  text` keeps its blanks.
        if self.text.startswith("\\\n", self.at):
            self.at += 2
        elif self.bsd:
            raise self._not_read()
        elif self._sign() == "\\":
            self.at += 1
            if self._sign().isalnum():
                raise self._not_read()
        end = _TEXT_END.match(self.text, self.at)
        assert end is not None  # noqa: S101 - it may be empty
        self.at = end.end()
        # A backslash before anything else: `\t` is a tab to one `sed` and a `t` to another.
        if not end[0] or re.search(r"\\[^\\\n]", end[0]):
            raise self._not_read()
        return re.sub(r"\\([\s\S])", r"\1", end[0])

    def _blanks(self) -> None:
        while self._sign() and self._sign() in " \t":
            self.at += 1

    def _not_read(self) -> NotReadError:
        return NotReadError(f"the script of `sed` from `{self.text[max(0, self.at - 1) : self.at + 20]}`")
