"""What a followed Python script may call: builtins, methods, functions of modules, and files of the shell's tree.

What is not listed here is not understood: another builtin or method, or a module other than `re`, `json`, `os`,
`pathlib`, `shutil`, `io` and `sys`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from dovetail.shell.patterns import compiled
from dovetail.shell.syntax import NotReadError
from dovetail.text.listed import listed

if TYPE_CHECKING:
    import ast

    from dovetail.shell.run import Shell

Value: TypeAlias = Any
"""A value of an expression of the script; only the kinds that are listed here reach an operation."""
MOST_TEXT = 16 << 20
MOST_VALUES = 200_000


class RaisedError(Exception):
    """The script ends with an exception, or by `sys.exit`."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class TooLongError(NotReadError):
    """The script may never end, so it is not understood even if it changes no file."""


@dataclass(frozen=True, slots=True)
class PathValue:
    """A `pathlib.Path`."""

    text: str


def path_of(*parts: str) -> PathValue:
    """Return the path that `Path(*parts)` is: without ``.`` and doubled slashes, but with each ``..``."""
    joined = posixpath.join(*parts) if parts else ""
    names = [name for name in joined.split("/") if name not in ("", ".")]
    return PathValue(("/" if joined.startswith("/") else "") + "/".join(names) or ".")


@dataclass(slots=True)
class FileValue:
    """An open file. raw: line ends are read as they are. pending: text was written that may not be in the file yet."""

    path: str
    mode: str
    raw: bool = False
    at: int = 0
    pending: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class ModuleValue:
    name: str


@dataclass(frozen=True, slots=True)
class MethodValue:
    of: Value
    name: str


@dataclass(frozen=True, slots=True)
class FunctionValue:
    names: tuple[str, ...]
    defaults: tuple[Value, ...]
    body: list[ast.stmt] | ast.expr
    around: dict[str, Value]
    own: frozenset[str]


MODULES = frozenset(("re", "json", "os", "os.path", "pathlib", "sys", "io", "shutil"))
_ATTRIBUTES: Mapping[tuple[str, str], Value] = {
    ("re", "MULTILINE"): re.MULTILINE, ("re", "M"): re.MULTILINE, ("re", "DOTALL"): re.DOTALL, ("re", "S"): re.DOTALL,
    ("re", "IGNORECASE"): re.IGNORECASE,
    ("re", "I"): re.IGNORECASE, ("re", "VERBOSE"): re.VERBOSE, ("re", "X"): re.VERBOSE,
    ("os", "path"): ModuleValue("os.path"), ("os", "linesep"): "\n", ("os", "sep"): "/",
}  # fmt: skip
# No `format`, which looks up attributes; no `center`, `ljust`, `zfill`, whose number could be any length. `replace` and
# `join` have bounds of their own in `_of_text`.
_OF_TEXT = listed(
    """split splitlines join strip lstrip rstrip startswith endswith find rfind index rindex count upper lower
    partition rpartition removeprefix removesuffix isspace isdigit isupper islower isalpha isalnum title
    capitalize swapcase rsplit isidentifier casefold"""
)
_OF_LIST = listed("append extend insert pop index remove reverse sort count copy clear")
_OF_DICT = listed("items keys values get update setdefault pop copy")
_OF_MATCH = listed("group groups start end span groupdict")
# No `open`, `print`, `exit`, `map`, `isinstance`: they have a case of their own in `_builtin`, or none.
BUILTINS: Mapping[str, Callable[..., Value]] = {
    "len": len, "range": range, "enumerate": enumerate, "zip": zip, "sorted": sorted, "reversed": reversed,
    "list": list, "tuple": tuple, "dict": dict, "str": str, "int": int, "min": min, "max": max,
    "any": any, "all": all, "sum": sum, "bool": bool, "abs": abs, "next": next, "iter": iter, "repr": repr, "chr": chr,
    "ord": ord,
}  # fmt: skip
# Errors that the script itself makes: they end it with the code 1, as a followed script catches nothing. A TypeError is
# not among them: it may come from the values that stand for the script's own here.
FAILS = (ValueError, LookupError, ZeroDivisionError, OverflowError, StopIteration, re.error)


@dataclass
class Library:
    """The functions that one script may call, and the files that it has open.

    call: calls a function of the script. step: counts a step, or raises.
    printed: something was printed. open_files: the files that are open for writing.
    """

    shell: Shell
    arguments: list[str]
    call: Callable[[Value, list[Value], dict[str, Value]], Value]
    step: Callable[[], None]
    printed: bool = False
    open_files: list[FileValue] = field(default_factory=list)

    def called(self, called: MethodValue, arguments: list[Value], named: dict[str, Value]) -> Value:
        """Return the result of calling a builtin, a method, or a module's function."""
        of, name = called.of, called.name
        match of:
            case None:
                return self._builtin(name, arguments, named)
            case ModuleValue(module):
                return self._of_module(module, name, arguments, named)
            case PathValue():
                return self._of_path(of, name, arguments, named)
            case FileValue():
                return self._of_file(of, name, arguments)
            case re.Pattern():
                return self._of_pattern(of, name, arguments, named)
            case re.Match() if name in _OF_MATCH:
                return getattr(of, name)(*arguments)
            case str():
                return self._of_text(of, name, arguments, named)
            case list() if name in _OF_LIST:
                if name == "sort" and "key" in named:
                    key = named.pop("key")
                    named["key"] = lambda one: self.call(key, [one], {})
                # `list.extend` would read a file that is open here, or a generator, by itself.
                if name == "extend":
                    arguments = [list(self.each(arguments[0]))]
                if len(of) > MOST_VALUES:
                    raise NotReadError("a long list")
                return getattr(of, name)(*arguments, **named)
            case dict() if name in _OF_DICT:
                return getattr(of, name)(*arguments, **named)
        raise NotReadError(f"`{name}` in Python")

    def each(self, value: Value) -> Iterator[Value]:
        """Return an iterator over a value, as a loop takes it."""
        if isinstance(value, FileValue):
            return iter(re.findall(r"[^\n]*\n|[^\n]+", self._read(value)))
        if isinstance(value, str | list | tuple | dict | range) or hasattr(value, "__next__"):
            return iter(value)
        if value.__class__.__name__ in ("dict_items", "dict_keys", "dict_values"):
            return iter(list(value))
        raise NotReadError("a loop over what is not known")

    def attribute(self, of: Value, name: str) -> Value:
        """Return `of.name`. Any other name counts as a method, which is checked when it is called."""
        if isinstance(of, ModuleValue):
            if (of.name, name) in _ATTRIBUTES:
                return _ATTRIBUTES[of.name, name]
            if of.name == "sys" and name == "argv":
                return list(self.arguments)
            if of.name == "sys" and name in ("stdout", "stderr"):
                return ModuleValue(f"sys.{name}")
            return MethodValue(of, name)
        if isinstance(of, PathValue):
            text = of.text
            base = posixpath.basename(text)
            stem, end = posixpath.splitext(base)
            parts = {"name": base, "stem": stem, "suffix": end, "parent": PathValue(posixpath.dirname(text) or ".")}
            if name in parts:
                return parts[name]
        # Blocks the way to the interpreter's own objects, such as `x.__class__` and `f.__globals__`.
        if name.startswith("_") or isinstance(of, MethodValue | FunctionValue):
            raise NotReadError(f"`{name}` in Python")
        return MethodValue(of, name)

    def _builtin(self, name: str, arguments: list[Value], named: dict[str, Value]) -> Value:
        if name == "open":
            return self._open(arguments, named)
        if name == "print":
            if named.get("file") is not None and not isinstance(named["file"], ModuleValue):
                raise NotReadError("`print` to a file")
            self.printed = True
            return None
        if name in ("exit", "quit"):
            raise self._exit(arguments)
        if (
            name in ("isinstance", "map", "filter")
            or "key" in named
            or any(isinstance(one, FileValue) for one in arguments)
        ):
            if name in ("sorted", "min", "max") and "key" in named:
                key = named.pop("key")
                named["key"] = lambda one: self.call(key, [one], {})
            elif name in ("list", "enumerate") and isinstance(arguments[0], FileValue):
                arguments = [self.each(arguments[0]), *arguments[1:]]
            else:
                raise NotReadError(f"`{name}` in Python")
        if name == "str" and arguments and isinstance(arguments[0], PathValue):
            return arguments[0].text
        if any(isinstance(one, range) and len(one) > MOST_VALUES for one in arguments):
            raise NotReadError("a long list")
        if any(isinstance(one, PathValue | FileValue | ModuleValue | MethodValue | FunctionValue) for one in arguments):
            raise NotReadError(f"`{name}` in Python")
        return BUILTINS[name](*arguments, **named)

    def _exit(self, arguments: list[Value]) -> RaisedError:
        code = arguments[0] if arguments else 0
        return RaisedError(code if isinstance(code, int) else 0 if code is None else 1)

    def _of_text(self, of: str, name: str, arguments: list[Value], named: dict[str, Value]) -> Value:
        if name == "replace":
            old, new = arguments[:2]
            # Bounded before it is made.
            if of.count(old) * len(new) > MOST_TEXT:
                raise NotReadError("a long text")
            return of.replace(*arguments, **named)
        if name == "join":
            parts = list(self.each(arguments[0]))
            if sum(map(len, parts)) + len(of) * len(parts) > MOST_TEXT:
                raise NotReadError("a long text")
            return of.join(parts)
        if name == "encode" and arguments in ([], ["utf-8"], ["utf8"]) and not named:
            raise NotReadError("bytes")
        if name not in _OF_TEXT:
            raise NotReadError(f"`{name}` in Python")
        return getattr(of, name)(*arguments, **named)

    def _of_module(self, module: str, name: str, arguments: list[Value], named: dict[str, Value]) -> Value:
        paths = [one.text if isinstance(one, PathValue) else one for one in arguments]
        match module, name:
            case ("pathlib", "Path" | "PurePath" | "PosixPath"):
                if not all(isinstance(one, str) for one in paths):
                    raise NotReadError("a path")
                return path_of(*paths)
            case ("re", "compile"):
                return self._pattern(*arguments, **named)
            case ("re", "escape"):
                return re.escape(arguments[0])
            case ("re", "sub" | "subn" | "search" | "match" | "fullmatch" | "findall" | "split"):
                flags = named.pop("flags", 0)
                most = {"sub": 4, "subn": 4, "split": 3}.get(name, 2)
                # `re.search(p, s, re.M)`: flags may stand last, without a name.
                if len(arguments) > most:
                    flags, arguments = arguments[most], arguments[:most]
                at = 2 if name in ("sub", "subn") else 1
                pattern = self._pattern(arguments[0], flags, *arguments[at : at + 1])
                return self._of_pattern(pattern, name, arguments[1:], named)
            case ("json", "loads" | "load"):
                text = self._read(arguments[0]) if name == "load" else arguments[0]
                if named or not isinstance(text, str):
                    raise NotReadError("`json`")
                return json.loads(text)
            case ("json", "dumps" | "dump"):
                if not named.keys() <= {"indent", "ensure_ascii", "sort_keys", "separators"}:
                    raise NotReadError("`json`")
                text = json.dumps(arguments[0], **named)
                return text if name == "dumps" else self._of_file(arguments[1], "write", [text])
            case ("sys", "exit"):
                raise self._exit(arguments)
            case ("sys.stdout" | "sys.stderr", "write" | "flush"):
                self.printed = True
                return None
            case ("io" | "codecs", "open"):
                return self._open(arguments, named)
            case ("os.path", "join") if all(isinstance(one, str) for one in paths):
                return posixpath.join(*paths)
            case ("os.path", "basename" | "dirname" | "splitext" | "normpath") if isinstance(paths[0], str):
                return getattr(posixpath, name)(paths[0])
            case ("os.path", "exists" | "isfile"):
                return self._exists(paths[0], folders=name == "exists")
            case ("os", "remove" | "unlink"):
                return self._remove(paths[0])
            case ("os", "rename" | "replace") | ("shutil", "move"):
                return self._rename(paths[0], paths[1])
            case ("os", "makedirs" | "mkdir"):
                return self._make_folder(paths[0], named)
        raise NotReadError(f"`{module}.{name}`")

    def _pattern(self, pattern: Value, flags: Value = 0, text: Value = "x" * 1000) -> re.Pattern[str]:
        if isinstance(pattern, re.Pattern):
            return pattern
        if not isinstance(pattern, str) or not isinstance(flags, int):
            raise NotReadError("a pattern that is computed")
        if not isinstance(text, str):
            raise NotReadError("a pattern for what is no text")
        # `[^x]`, `\s` and their like match line ends; all else ends with its line, and so takes only as long as that.
        crosses_lines = re.search(r"\[\^|\\[sSWD]|\[\\", pattern) is not None or flags & re.DOTALL
        runs = [text] if crosses_lines else text.split("\n")
        return compiled(pattern, int(flags), max(map(len, runs)), text)

    def _of_pattern(
        self, pattern: re.Pattern[str], name: str, arguments: list[Value], named: dict[str, Value]
    ) -> Value:
        if name in ("sub", "subn") and len(arguments) > 1:
            new, text = arguments[0], arguments[1]
            count = named.get("count", arguments[2] if len(arguments) > 2 else 0)
            size = 0

            def made(found: re.Match[str]) -> str:
                nonlocal size
                self.step()
                text = found.expand(new) if isinstance(new, str) else self.call(new, [found], {})
                if not isinstance(text, str):
                    raise RaisedError(1)
                size += len(text)
                if size > MOST_TEXT:
                    raise NotReadError("a long text")
                return text

            return getattr(pattern, name)(made, text, count=count)
        if name in ("search", "match", "fullmatch", "findall", "split") and arguments and isinstance(arguments[0], str):
            return getattr(pattern, name)(*arguments, **named)
        raise NotReadError(f"`{name}` of a pattern")

    def _open(self, arguments: list[Value], named: dict[str, Value]) -> FileValue:
        path, mode = arguments[0], named.pop("mode", arguments[1] if len(arguments) > 1 else "r")
        encoding = str(named.pop("encoding", None) or "utf-8").lower()
        newline = named.pop("newline", None)
        path = path.text if isinstance(path, PathValue) else path
        if named or len(arguments) > 2 or encoding not in ("utf-8", "utf8") or newline not in (None, "", "\n"):
            raise NotReadError("`open` with other arguments")
        if not isinstance(path, str) or mode.replace("t", "") not in ("r", "w", "a", "x"):
            raise NotReadError(f"`open` with the mode `{mode}`")
        mode = mode.replace("t", "")
        file = FileValue(path, mode, newline is not None)
        key = self.shell.key(path)
        if mode == "r":
            self._check(path)
        elif mode == "x" and self.shell.files.is_file(key):
            raise RaisedError(1)
        else:
            # `w` and `x` empty the file at once, whether anything is written to it or not.
            self.shell.write(path, "", adds=mode == "a")
            self.open_files.append(file)
        return file

    def _check(self, path: str) -> None:
        """Raise `RaisedError` if a file to be read is missing, `NotReadError` if text waits to be written to it."""
        key = self.shell.key(path)
        # Python writes when its buffer is full or the file is closed: what is read before that is unknown.
        if any(file.pending and self.shell.key(file.path) == key for file in self.open_files):
            raise NotReadError(f"`{path}`, which is read before it is closed,")
        if not self.shell.files.is_file(key):
            raise RaisedError(1)

    def _read(self, file: Value) -> str:
        if not isinstance(file, FileValue) or file.mode != "r" or file.closed:
            raise NotReadError("a file that is read")
        text = self._text(file.path, raw=file.raw)
        # A second `read` gives what is left, which is nothing.
        found, file.at = text[file.at :], len(text)
        return found

    def _text(self, path: str, *, raw: bool = False) -> str:
        self._check(path)
        text = self.shell.files.read(self.shell.key(path))
        text = text if raw else text.replace("\r\n", "\n")  # as Python reads a file of text
        if ("\r" in text and not raw) or text.startswith("\ufeff"):
            raise NotReadError("a file with carriage returns or a byte order mark")
        return text

    def close(self, file: FileValue) -> None:
        """Close a file: what was written has reached it."""
        file.closed, file.pending = True, False
        if file in self.open_files:
            self.open_files.remove(file)

    def _of_file(self, of: Value, name: str, arguments: list[Value]) -> Value:
        if not isinstance(of, FileValue) or of.closed:
            raise NotReadError("a file that is closed")
        match name:
            case "read" if not arguments:
                return self._read(of)
            case "readlines" if not arguments:
                return list(self.each(of))
            case "write" | "writelines" if of.mode != "r":
                text = arguments[0] if name == "write" else "".join(self.each(arguments[0]))
                if not isinstance(text, str):
                    raise NotReadError("a value that is written")
                self.shell.write(of.path, text, adds=True)
                of.pending = True
                return len(text)
            case "close" | "flush":
                if name == "close":
                    self.close(of)
                of.pending = False
                return None
        raise NotReadError(f"`{name}` of a file")

    def _of_path(self, of: PathValue, name: str, arguments: list[Value], named: dict[str, Value]) -> Value:
        match name:
            case "read_text":
                self._open([of.text], {**named, **({"encoding": arguments[0]} if arguments else {})})
                return self._text(of.text)
            case "write_text":
                file = self._open(
                    [of.text, "w"], {**named, **({"encoding": arguments[1]} if len(arguments) > 1 else {})}
                )
                made = self._of_file(file, "write", [arguments[0]])
                self.close(file)
                return made
            case "open":
                return self._open([of.text, *arguments], named)
            case "exists" | "is_file":
                return self._exists(of.text, folders=name == "exists")
            case "unlink":
                if named.get("missing_ok") and not self._exists(of.text, folders=False):
                    return None
                return self._remove(of.text)
            case "rename" | "replace":
                to = arguments[0].text if isinstance(arguments[0], PathValue) else arguments[0]
                self._rename(of.text, to)
                return PathValue(to)
            case "mkdir":
                return self._make_folder(of.text, named)
        raise NotReadError(f"`{name}` of a path")

    def _exists(self, path: str, *, folders: bool) -> bool:
        key = self.shell.key(path)
        # The tree lists files only: a file that is not listed does not exist, but an empty folder may.
        if self.shell.files.is_file(key) or (folders and self.shell.files.is_folder(key)):
            return True
        if folders:
            raise NotReadError(f"`{path}`, of which nothing is known,")
        return False

    def _make_folder(self, path: str, named: dict[str, Value]) -> None:
        key = self.shell.key(path)
        if key in self.shell.files.paths or (self.shell.files.is_folder(key) and not named.get("exist_ok")):
            raise RaisedError(1)
        self.shell.files.make_folder(key)

    def _remove(self, path: str) -> None:
        self._check(path)
        key = self.shell.key(path)
        self.shell.change(key)
        self.shell.files.remove(key)

    def _rename(self, path: str, to: str) -> None:
        key, target = self.shell.key(path), self.shell.key(to)
        for one in (key, target):
            if self.shell.files.is_folder(one):
                raise NotReadError(f"the folder `{one}`")
        self._check(path)
        self.shell.change(key)
        if key != target:
            self.shell.files.move(key, target)
