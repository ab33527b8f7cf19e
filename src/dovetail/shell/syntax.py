r"""Parses shell text into commands, for the part of bash that can be followed without running it.

Grammar (`NotReadError` for all else: functions, `case`, `while`, `[[`, process substitution, jobs)::

    script   = [list] end
    list     = and_or ((";" | newline) and_or)* [";"]
    and_or   = pipeline (("&&" | "||") newline* pipeline)*
    pipeline = ["!"] command ("|" newline* command)*
    command  = simple | "(" list ")" redirect* | "{" list "}" redirect* | if | for
    if       = "if" list "then" list ("elif" list "then" list)* ["else" list] "fi"
    for      = "for" name "in" word* (";" | newline) "do" list "done"
    simple   = (name "=" word)* (word | redirect)*
    redirect = [number] (">" | ">>" | ">|" | "<" | ">&" | "<&" | "&>" | "&>>" | "<<<") word | here-document

A word is a sequence of parts, each quoted or not. A text that would have to be computed is a part of its own, and
matters only where the text is needed: `echo "exit $?"` changes no file. The parser is hand-written because tree-sitter
returns a tree for any text, with guesses where bash would refuse, and packages that read replies import no grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from dovetail.text.pattern import pattern

MOST_TEXT = 200_000
"""The most characters of a command that are read."""
DEEPEST = 12
"""The deepest nesting of commands and substitutions that is read."""

_NAME = pattern(r"[A-Za-z_]\w*")
_ASSIGNS = pattern(r"([A-Za-z_]\w*)=")
# Longest first, as `>>` begins with `>`. The parts that are not read (`<(`, `;;`) are listed so that they are not taken
# for shorter ones.
_OPERATOR = pattern(r"&>>|&>|&&|\|\||\|&|;;&|;;|;&|<<<|<<-|<<|<>|<&|<\(|>>|>&|>\||>\(|[;&|()<>\n]")
_REDIRECTS = frozenset(("<", ">", ">>", ">|", ">&", "<&", "&>", "&>>", "<<<", "<<", "<<-"))
# Everything that means itself wherever it stands in a word.
_PLAIN = pattern(r"[^\s;&|()<>'\"\\$`{}~*?\[\]#]+")
_RESERVED = frozenset(
    ("if", "then", "elif", "else", "fi", "for", "do", "done", "in", "{", "}", "!", "[[", "]]", "time", "while")
)
_NOT_READ = frozenset(("until", "case", "esac", "function", "select", "coproc"))
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
# In `$'…'`: `\x41`, `\u00e4`, `\101`, `\n`
_ANSI_ESCAPE = pattern(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_EXPANSION = pattern(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
# `{a,b}`, `{1..3}` become several words; `{}` and `{x}` are plain text.
_BRACED = pattern(r"\{[^\s{}'\"\\$`]*(?:,|\.\.)[^\s{}'\"\\$`]*\}")


class NotReadError(Exception):
    """A part of a command is not understood; its text names the part."""


class Made(StrEnum):
    """Where the text of a part comes from."""

    TEXT = "text"
    NAME = "name"  # of a variable
    OUTPUT = "output"  # of a command
    UNKNOWN = "unknown"  # computed in a way that is not followed


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part of a word: `text` is literal, a variable's name, or source text that is computed (`script`'s output).

    quoted: it is not split, and no sign in it is a pattern's.
    """

    made: Made
    text: str
    quoted: bool = False
    script: Script | None = None


Word = tuple[WordPart, ...]


@dataclass(slots=True)
class HereDocument:
    """A here-document. Its text begins after the next line end, where `word` is set.

    mark: the line that ends it. expands: variables are expanded, as its mark is unquoted. tabs: leading tabs are
    removed.
    """

    mark: str
    expands: bool
    tabs: bool
    word: Word = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """One redirection: its descriptor, None if not written, its operator, and its target."""

    descriptor: int | None
    operator: str
    word: Word = ()
    here: HereDocument | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A program with its arguments, and the assignments before it; `words` is empty for assignments alone."""

    assigned: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A list in parentheses (`own`: a subshell, with a folder and variables of its own) or in braces."""

    script: Script
    own: bool
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with their bodies, and the body of `else` or None."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None


@dataclass(frozen=True, slots=True)
class For:
    """A body that runs once for each word."""

    name: str
    words: tuple[Word, ...]
    body: Script


Command = Simple | Group | If | For


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands, each of which reads what the one before prints."""

    commands: tuple[Command, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """Pipelines; each but the first with the operator that decides whether it runs, ``&&`` or ``||``."""

    first: Pipeline
    others: tuple[tuple[str, Pipeline], ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """Chains in their order."""

    chains: tuple[Chain, ...]


def read(text: str) -> Script:
    """Parse a shell's text. Raises `NotReadError` if a part is not understood."""
    if len(text) > MOST_TEXT or "\r" in text or "\0" in text:
        raise NotReadError("a text that is too long, or holds carriage returns")
    reader = _CommandReader(text)
    script = reader.script(0, ())
    if reader.at < len(text):
        raise NotReadError(f"`{text[reader.at : reader.at + 20]}`")
    return script


def literal(word: Word) -> str | None:
    """Return the text of a word that needs no expansion, or None."""
    if any(part.made is not Made.TEXT for part in word) or has_pattern(word):
        return None
    return "".join(part.text for part in word)


def has_pattern(word: Word) -> bool:
    """Return whether a word is a pattern for names of files, whose signs may stand in several of its parts."""
    # What is quoted, or becomes known later, is no sign: `[$x].py` is a pattern, `"*"` none.
    return is_pattern("".join(part.text if part.made is Made.TEXT and not part.quoted else "x" for part in word))


def is_pattern(text: str) -> bool:
    """Return whether unquoted text is a pattern for names of files."""
    return "*" in text or "?" in text or "]" in text.partition("[")[2]


class _CommandReader:
    """Parses one text from the offset `at` on. `pending`: here-documents whose text begins after the current line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.pending: list[HereDocument] = []

    def script(self, depth: int, ends: tuple[str, ...]) -> Script:
        """Read chains up to the end of the text, or up to one of the words or signs in `ends`, which is not taken."""
        if depth > DEEPEST:
            raise NotReadError("commands too deep inside each other")
        chains: list[Chain] = []
        while True:
            self._blanks(lines=True)
            if self.at >= len(self.text) or self._next_word() in ends or (")" in ends and self._sees(")")):
                if self.pending:
                    raise NotReadError("a here-document without its end")
                return Script(tuple(chains))
            chains.append(self._chain(depth))
            self._blanks()
            if self._take(";") or self._take("\n"):
                continue
            if self.at < len(self.text) and not (")" in ends and self._sees(")")):
                sign = _OPERATOR.match(self.text, self.at)
                raise NotReadError("a command in the background" if sign and sign[0] == "&" else self._here())

    def _chain(self, depth: int) -> Chain:
        first, others = self._pipeline(depth), []
        while operator := self._take("&&") or self._take("||"):
            self._blanks(lines=True)
            others.append((operator, self._pipeline(depth)))
            self._blanks()
        return Chain(first, tuple(others))

    def _pipeline(self, depth: int) -> Pipeline:
        # `!` is a word of its own: `!x` is a name.
        negated = self._next_word() == "!"
        if negated:
            self.at += 1
            self._blanks()
        commands = [self._command(depth)]
        while self._take("|"):
            self._blanks(lines=True)
            commands.append(self._command(depth))
        return Pipeline(tuple(commands), negated)

    def _command(self, depth: int) -> Command:
        word = self._next_word()
        if self._take("("):
            if self._sees("("):
                raise NotReadError("arithmetic")
            script = self.script(depth + 1, (")",))
            self._need(")")
            return Group(script, True, self._redirects(depth))
        if word == "{":
            self._skip_word("{")
            script = self.script(depth + 1, ("}",))
            self._skip_word("}")
            return Group(script, False, self._redirects(depth))
        if word == "if":
            return self._if(depth)
        if word == "for":
            return self._for(depth)
        if word in _RESERVED | _NOT_READ:
            raise NotReadError(f"`{word}`")
        return self._simple(depth)

    def _if(self, depth: int) -> If:
        branches: list[tuple[Script, Script]] = []
        word = "if"
        while word in ("if", "elif"):
            self._skip_word(word)
            condition = self.script(depth + 1, ("then",))
            self._skip_word("then")
            branches.append((condition, self.script(depth + 1, ("elif", "else", "fi"))))
            word = self._next_word()
        otherwise = None
        if word == "else":
            self._skip_word("else")
            otherwise = self.script(depth + 1, ("fi",))
        self._skip_word("fi")
        if self._redirects(depth):
            raise NotReadError("a redirection of `if`")
        return If(tuple(branches), otherwise)

    def _for(self, depth: int) -> For:
        self._skip_word("for")
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise NotReadError(self._here())
        self.at = name.end()
        self._blanks(lines=True)
        self._skip_word("in")
        words: list[Word] = []
        while not (self._take(";") or self._take("\n")):
            words.append(self._word(depth))
            self._blanks()
        self._blanks(lines=True)
        self._skip_word("do")
        body = self.script(depth + 1, ("done",))
        self._skip_word("done")
        if self._redirects(depth):
            raise NotReadError("a redirection of `for`")
        return For(name[0], tuple(words), body)

    def _simple(self, depth: int) -> Simple:
        start = self.at
        assigned: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self._blanks()
            if self._redirect(redirects, depth):
                continue
            if self.at >= len(self.text) or _OPERATOR.match(self.text, self.at):
                break
            named = _ASSIGNS.match(self.text, self.at) if not words else None
            if named is not None:
                self.at = named.end()
                # `x= cmd` and `x=` assign an empty text: the next word is not the value.
                ends = self.at >= len(self.text) or self.text[self.at].isspace() or self.text[self.at] in ";&|)<>"
                assigned.append((named[1], () if ends else self._word(depth)))
                continue
            words.append(self._word(depth))
        # `name() { … }` defines a function.
        if self._sees("(") or not (words or assigned or redirects):
            raise NotReadError("a function" if words else self._here())
        return Simple(tuple(assigned), tuple(words), tuple(redirects), self.text[start : self.at].strip())

    def _redirects(self, depth: int) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        self._blanks()
        while self._redirect(found, depth):
            self._blanks()
        return tuple(found)

    def _redirect(self, found: list[Redirect], depth: int) -> bool:
        """Take a redirection if one stands here; a here-document's text is filled in at the line's end."""
        text, at = self.text, self.at
        # `2>` with nothing between is a descriptor; in `a2>b` the reader stands at the `a`, and the 2 belongs to the
        # word.
        while at < len(text) and text[at].isdecimal():
            at += 1
        sign = _OPERATOR.match(text, at)
        if sign is None or sign[0] not in _REDIRECTS | {"<>", "<(", ">("}:
            return False
        if sign[0] not in _REDIRECTS or at - self.at > 1:
            raise NotReadError(self._here())
        descriptor = int(text[self.at : at]) if at > self.at else None
        self.at = sign.end()
        self._blanks()
        if not sign[0].startswith("<<") or sign[0] == "<<<":
            found.append(Redirect(descriptor, sign[0], self._word(depth)))
            return True
        start = self.at
        word = self._word(depth)
        if any(part.made is not Made.TEXT for part in word):
            raise NotReadError("a here-document's mark that is computed")
        # `<<'EOF'`, `<<"EOF"`, `<<\EOF`: any quoting of the mark leaves the text as it is.
        quoted = any(sign in text[start : self.at] for sign in "'\"\\")
        here = HereDocument("".join(part.text for part in word), not quoted, sign[0] == "<<-")
        self.pending.append(here)
        found.append(Redirect(descriptor, sign[0], here=here))
        return True

    def _word(self, depth: int) -> Word:
        """Read one word, at whose first character the reader stands."""
        parts: list[WordPart] = []
        text, start = self.text, self.at
        while self.at < len(text):
            sign = text[self.at]
            if plain := _PLAIN.match(text, self.at):
                parts.append(WordPart(Made.TEXT, plain[0]))
                self.at = plain.end()
            elif sign.isspace() or sign in ";&|()<>":
                break
            elif sign == "'":
                parts.append(WordPart(Made.TEXT, self._until("'"), quoted=True))
            elif sign == '"':
                self.at += 1
                parts.extend(self._expanded('"', depth))
            elif sign == "\\":
                behind = text[self.at + 1 : self.at + 2]
                self.at += 2
                if behind != "\n":
                    parts.append(WordPart(Made.TEXT, behind or "\\", quoted=True))
            elif sign == "$":
                parts.append(self._dollar(depth, quoted=False))
            elif sign == "`":
                parts.append(WordPart(Made.UNKNOWN, self._until("`")))
            else:
                braced = _BRACED.match(text, self.at)
                # `~` means the home only at the start of a word, which nobody knows here.
                computed = braced is not None or (sign == "~" and self.at == start)
                run = braced[0] if braced is not None else sign
                parts.append(WordPart(Made.UNKNOWN if computed else Made.TEXT, run))
                self.at += len(run)
        if self.at == start:
            raise NotReadError(self._here())
        return tuple(parts) or (WordPart(Made.TEXT, "", quoted=True),)

    def _until(self, sign: str) -> str:
        """Take the text between two of a sign; the reader stands at the first."""
        end = self.text.find(sign, self.at + 1)
        if end < 0:
            raise NotReadError("a quotation without its end")
        found, self.at = self.text[self.at + 1 : end], end + 1
        return found

    def _expanded(self, end: str, depth: int) -> list[WordPart]:
        """Take the parts of a text in double quotes up to `end`, or of a here-document, for which `end` is empty."""
        parts: list[WordPart] = []
        run: list[str] = []
        text = self.text

        def close() -> None:
            if run:
                parts.append(WordPart(Made.TEXT, "".join(run), quoted=True))
                run.clear()

        while self.at < len(text) and text[self.at] != end:
            sign = text[self.at]
            # In double quotes a backslash escapes only these, and stays before any other sign; in a here-document (no
            # `end`) not the quote.
            if sign == "\\" and (behind := text[self.at + 1 : self.at + 2]) and behind in f"$`\\\n{end}":
                run.append("" if behind == "\n" else behind)
                self.at += 2
            elif sign == "$":
                close()
                parts.append(self._dollar(depth, quoted=True))
            elif sign == "`":
                close()
                parts.append(WordPart(Made.UNKNOWN, self._until("`"), quoted=True))
            else:
                run.append(sign)
                self.at += 1
        if end and self.at >= len(text):
            raise NotReadError("a quotation without its end")
        self.at += len(end)
        close()
        return parts or [WordPart(Made.TEXT, "", quoted=True)]

    def _dollar(self, depth: int, *, quoted: bool) -> WordPart:
        """Take an expansion, at whose ``$`` the reader stands."""
        text = self.text
        if name := _EXPANSION.match(text, self.at):
            self.at = name.end()
            return WordPart(Made.NAME, name[1] or name[2], quoted)
        behind = text[self.at + 1 : self.at + 2]
        if behind == "'" and not quoted:
            return self._ansi()
        if behind == "(" and text[self.at + 2 : self.at + 3] != "(":
            # `$(…)` has here-documents of its own, which end inside of it.
            start, pending = self.at, self.pending
            self.at, self.pending = self.at + 2, []
            script = self.script(depth + 1, (")",))
            self._need(")")
            self.pending = pending
            return WordPart(Made.OUTPUT, text[start : self.at], quoted, script)
        if behind in ("(", "{"):
            return self._computed(behind, quoted=quoted)
        if behind and (behind.isdecimal() or behind in "?!#@*$-_"):
            self.at += 2
            return WordPart(Made.UNKNOWN, f"${behind}", quoted)
        self.at += 1
        return WordPart(Made.TEXT, "$", quoted)

    def _computed(self, opening: str, *, quoted: bool) -> WordPart:
        """Take ``${…}`` or ``$((…))``, whose text is unknown. Raises `NotReadError` if it contains quotes."""
        closing, depth, start = {"(": ")", "{": "}"}[opening], 0, self.at
        # Signs are counted to the closing one; `${x:-"}"}` would need more.
        for at in range(start + 1, len(self.text)):
            sign = self.text[at]
            if sign in "'\"`\\\n":
                break
            depth += (sign == opening) - (sign == closing)
            if not depth:
                self.at = at + 1
                return WordPart(Made.UNKNOWN, self.text[start : self.at], quoted)
        raise NotReadError(self._here())

    def _ansi(self) -> WordPart:
        """Take ``$'…'``."""
        end = re.compile(r"(?:[^'\\]|\\.)*'", re.DOTALL).match(self.text, self.at + 2)
        if end is None:
            raise NotReadError("a quotation without its end")
        self.at = end.end()

        def character(match: re.Match[str]) -> str:
            number = next(((int(match[n], base)) for n, base in ((1, 16), (2, 16), (3, 8)) if match[n]), None)
            if number is not None and 0 < number < 128:
                return chr(number)
            if number is not None and match[2]:
                return chr(number)
            if number is not None or match[4] in "cxuU":
                raise NotReadError("bytes in a quotation")
            return _ANSI.get(match[4], match[4] if match[4] in "'\"?\\" else match[0])

        return WordPart(Made.TEXT, _ANSI_ESCAPE.sub(character, end[0][:-1]), quoted=True)

    def _blanks(self, *, lines: bool = False) -> None:
        """Pass over blanks and comments; with `lines` over line ends, too."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in " \t":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            # `a#b` is a word; a comment begins where a word could.
            elif text[self.at] == "#" and (not self.at or text[self.at - 1] in " \t\n;&|()"):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif lines and text[self.at] == "\n":
                self._take("\n")
            else:
                return

    def _take(self, operator: str) -> str:
        """Take an operator if it stands here, and return it, else ``""``. A line end also takes the here-documents."""
        sign = _OPERATOR.match(self.text, self.at)
        if sign is None or sign[0] != operator:
            return ""
        self.at = sign.end()
        # The texts of all here-documents of a line follow it, in the order of their marks.
        if operator == "\n" and self.pending:
            for here in self.pending:
                self._here_document(here)
            self.pending = []
        return operator

    def _here_document(self, here: HereDocument) -> None:
        lines: list[str] = []
        while True:
            if self.at >= len(self.text):
                raise NotReadError("a here-document without its end")
            end = self.text.find("\n", self.at)
            line = self.text[self.at :] if end < 0 else self.text[self.at : end + 1]
            self.at += len(line)
            line = line.lstrip("\t") if here.tabs else line
            if line.removesuffix("\n") == here.mark:
                break
            # The joined line could be the mark, or hide it.
            if here.expands and line.endswith("\\\n"):
                raise NotReadError("lines of a here-document that are joined")
            lines.append(line)
        text = "".join(lines)
        here.word = (WordPart(Made.TEXT, text, quoted=True),)
        if here.expands:
            here.word = tuple(_CommandReader(text)._expanded("", 1))

    def _sees(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def _need(self, operator: str) -> None:
        if not self._take(operator):
            raise NotReadError(self._here())

    def _next_word(self) -> str:
        """Return the characters of the word here up to a quote or expansion, to compare with reserved words."""
        end = self.at
        # `"if"` and `i\f` are no reserved words.
        while end < len(self.text) and not self.text[end].isspace() and self.text[end] not in ";&|()<>'\"\\$`":
            end += 1
        return self.text[self.at : end]

    def _skip_word(self, word: str) -> None:
        if self._next_word() != word:
            raise NotReadError(self._here())
        self.at += len(word)
        self._blanks()

    def _here(self) -> str:
        return f"`{self.text[self.at : self.at + 20].strip() or 'its end'}`"
