"""Scripts of Python's that read, change and write texts: followed over their syntax tree, never run.

What is not listed here is not understood: a name that is no builtin of the table, a method that is in no table, a
module but `re`, `json`, `os.path`, `pathlib` and `sys`. A file is what the shell's tree holds.
"""

from __future__ import annotations

import ast
import json
import operator
import posixpath
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from dovetail.shell.files import UNKNOWN
from dovetail.shell.patterns import compiled
from dovetail.shell.syntax import NotReadError
from dovetail.text.listed import listed

if TYPE_CHECKING:
    from dovetail.shell.run import Done, Shell

_Value: TypeAlias = Any
"""What an expression of the script gives; only the kinds that are listed here reach an operation."""
_MOST_STEPS = 300_000
_MOST_TEXT = 16 << 20
_MOST_VALUES = 200_000
_DEEPEST = 60
# Words without which a script can change no file: what is not understood of such a script only looks. A word too many
# here refuses a command, one too few would let a change pass unseen.
_READS_ONLY = re.compile(
    r"\b(?:write|write_\w+|writelines|dump|unlink|remove|rename|replace_file|rmtree|mkdir|makedirs|touch|system|popen"
    r"|Popen|subprocess|exec|eval|__import__|shutil|socket|urllib|requests|importlib|runpy|ctypes|move|copy\w*"
    r"|symlink\w*)\b"
    r"|open\([^()\n]*,\s*(?:mode\s*=\s*)?[\"'][^\"']*[wax+]"
)
_LOOKING_MODULES = listed(
    """ast base64 collections csv datetime functools glob hashlib io itertools json math os pathlib platform pprint
    re statistics string struct sys textwrap time tomllib tokenize typing unicodedata xml yaml zipfile difflib"""
)


class _RaisedError(Exception):
    """The script ends with an exception, or by `sys.exit`."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class _TooLongError(NotReadError):
    """The script may never end: so it is not understood, whatever it does."""


class _BreakError(Exception):
    pass


class _ContinueError(Exception):
    pass


class _ReturnError(Exception):
    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


@dataclass(frozen=True, slots=True)
class _Path:
    """A `pathlib.Path`."""

    text: str


@dataclass(slots=True)
class _File:
    """An open file. raw: its line ends are read as they are. pending: something was written that may not have reached
    the file."""

    path: str
    mode: str
    raw: bool = False
    at: int = 0
    pending: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class _Module:
    name: str


@dataclass(frozen=True, slots=True)
class _Method:
    of: _Value
    name: str


@dataclass(frozen=True, slots=True)
class _Function:
    names: tuple[str, ...]
    defaults: tuple[_Value, ...]
    body: list[ast.stmt] | ast.expr
    around: dict[str, _Value]
    own: frozenset[str]


_MODULES = frozenset(("re", "json", "os", "os.path", "pathlib", "sys", "io", "shutil"))
_ATTRIBUTES: Mapping[tuple[str, str], _Value] = {
    ("re", "MULTILINE"): re.MULTILINE, ("re", "M"): re.MULTILINE, ("re", "DOTALL"): re.DOTALL, ("re", "S"): re.DOTALL,
    ("re", "IGNORECASE"): re.IGNORECASE,
    ("re", "I"): re.IGNORECASE, ("re", "VERBOSE"): re.VERBOSE, ("re", "X"): re.VERBOSE,
    ("os", "path"): _Module("os.path"), ("os", "linesep"): "\n", ("os", "sep"): "/",
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
_BUILTINS: Mapping[str, Callable[..., _Value]] = {
    "len": len, "range": range, "enumerate": enumerate, "zip": zip, "sorted": sorted, "reversed": reversed,
    "list": list, "tuple": tuple, "dict": dict, "str": str, "int": int, "min": min, "max": max,
    "any": any, "all": all, "sum": sum, "bool": bool, "abs": abs, "next": next, "iter": iter, "repr": repr, "chr": chr,
    "ord": ord,
}  # fmt: skip
_BINARY: Mapping[type[ast.AST], Callable[[_Value, _Value], _Value]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.Div: operator.truediv,
}  # fmt: skip
_COMPARE: Mapping[type[ast.AST], Callable[[_Value, _Value], _Value]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
}  # fmt: skip
# What a script's own mistake raises: it ends the script with the code 1, as nothing here is caught. A TypeError may as
# well come from a value that stands for another here, so that is not understood.
_FAILS = (ValueError, LookupError, ZeroDivisionError, OverflowError, StopIteration, re.error)


def run_python(shell: Shell, text: str, arguments: list[str]) -> Done:
    """Follow a script. One that cannot be followed, and has no word that changes a file, only looks."""
    from dovetail.shell.run import Done

    if UNKNOWN in text:
        raise NotReadError("a script of Python that is computed")
    # Compared below: a script that changed a file and then was not understood did not only look.
    before = (dict(shell.files.texts), set(shell.files.paths), dict(shell.files.origins))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            compile(tree, "", "exec")  # it sees more errors, such as `return` outside of a function
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotReadError("a script of Python with an error") from None
    script = _Script(shell, arguments)
    try:
        script.body(tree.body, script.names)
    # Files that it wrote before stay written, as with a real script.
    except _RaisedError as ended:
        return Done(ended.code, UNKNOWN)
    except _TooLongError:
        raise
    except (NotReadError, RuntimeError, TypeError) as reason:
        unchanged = before == (shell.files.texts, shell.files.paths, shell.files.origins)
        if unchanged and not _READS_ONLY.search(text) and _only_looks(tree):
            return Done(None, UNKNOWN)
        raise NotReadError(str(reason) or "a script of Python") from None
    return Done(0, UNKNOWN if script.printed else "")


def _only_looks(tree: ast.Module) -> bool:
    """Return whether a script imports only modules that change no file without one of the words in `_READS_ONLY`."""
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.split(".")[0] not in _LOOKING_MODULES for name in names):
            return False
    return True


@dataclass
class _Script:
    """One script on its way. files: those that are open for writing."""

    shell: Shell
    arguments: list[str]
    names: dict[str, _Value] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: bool = False
    steps: int = 0
    depth: int = 0
    open_files: list[_File] = field(default_factory=list)

    # statements

    def body(self, statements: Iterable[ast.stmt], names: dict[str, _Value]) -> None:
        for statement in statements:
            self.step()
            self.statement(statement, names)

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _TooLongError("a script of Python with many steps")

    def statement(self, node: ast.stmt, names: dict[str, _Value]) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node, names)
            case ast.Expr(value):
                self.value(value, names)
            case ast.Assign(targets, value):
                made = self.value(value, names)
                for target in targets:
                    self._assign(target, made, names)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._assign(target, self.value(value, names), names)
            case ast.AugAssign(target, sign, value):
                self._augment(target, sign, value, names)
            case ast.If(test, then, otherwise):
                self.body(then if self._truth(self.value(test, names)) else otherwise, names)
            case ast.For(target, items, inside, otherwise):
                self._for(target, self._each(self.value(items, names)), inside, otherwise, names)
            # Not only unread but too long: a loop without an end must not count as looking.
            case ast.While():
                raise _TooLongError("`while` in Python")
            case ast.With(items, inside):
                files = []
                for item in items:
                    file = self.value(item.context_expr, names)
                    if not isinstance(file, _File):
                        raise NotReadError("`with` of no file")
                    files.append(file)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, file, names)
                try:
                    self.body(inside, names)
                finally:
                    for file in files:
                        self._close(file)
            case ast.Assert(test, _):
                if not self._truth(self.value(test, names)):
                    raise _RaisedError(1)
            case ast.FunctionDef(name, arguments, inside, decorators) if not decorators:
                names[name] = self._function(arguments, inside, names)
            case ast.Return(value):
                raise _ReturnError(self.value(value, names) if value is not None else None)
            case ast.Raise():
                raise _RaisedError(1)
            case ast.Pass():
                pass
            case ast.Break():
                raise _BreakError
            case ast.Continue():
                raise _ContinueError
            case _:
                raise NotReadError(f"`{ast.unparse(node).splitlines()[0][:60]}` in Python")

    def _import(self, node: ast.Import | ast.ImportFrom, names: dict[str, _Value]) -> None:
        for one in node.names:
            if isinstance(node, ast.Import):
                if one.name not in _MODULES:
                    raise NotReadError(f"the module `{one.name}`")
                # `import os.path` names `os`, `import os.path as p` names the module `os.path`.
                names[one.asname or one.name.split(".")[0]] = _Module(
                    one.name if one.asname else one.name.split(".")[0]
                )
            else:
                names[one.asname or one.name] = self._attribute(_Module(node.module or ""), one.name)

    def _for(
        self,
        target: ast.expr,
        items: Iterator[_Value],
        inside: list[ast.stmt],
        otherwise: list[ast.stmt],
        names: dict[str, _Value],
    ) -> None:
        for item in items:
            self.step()
            self._assign(target, item, names)
            try:
                self.body(inside, names)
            except _BreakError:
                return
            except _ContinueError:
                continue
        self.body(otherwise, names)

    def _each(self, value: _Value) -> Iterator[_Value]:
        if isinstance(value, _File):
            return iter(re.findall(r"[^\n]*\n|[^\n]+", self._read(value)))
        if isinstance(value, str | list | tuple | dict | range) or hasattr(value, "__next__"):
            return iter(value)
        if value.__class__.__name__ in ("dict_items", "dict_keys", "dict_values"):
            return iter(list(value))
        raise NotReadError("a loop over what is not known")

    def _assign(self, target: ast.expr, value: _Value, names: dict[str, _Value]) -> None:
        match target:
            case ast.Name(name):
                names[name] = value
            case ast.Tuple(parts) | ast.List(parts):
                values = list(self._each(value))
                if any(isinstance(part, ast.Starred) for part in parts):
                    raise NotReadError("`*` in an assignment")
                if len(values) != len(parts):
                    raise _RaisedError(1)
                for part, one in zip(parts, values, strict=True):
                    self._assign(part, one, names)
            case ast.Subscript(of, index):
                holder = self.value(of, names)
                if not isinstance(holder, list | dict):
                    raise NotReadError("an assignment to a part")
                try:
                    holder[self._index(index, names)] = value
                except _FAILS:
                    raise _RaisedError(1) from None
            case _:
                raise NotReadError("an assignment to an attribute")

    def _augment(self, target: ast.expr, sign: ast.operator, value: ast.expr, names: dict[str, _Value]) -> None:
        """`target += value`: where the target stands is worked out once, so that `d[f()] += 1` calls f once."""
        holder, at = names, None
        match target:
            case ast.Name(name):
                held, at = self.value(ast.Name(name, ast.Load()), names), name
            case ast.Subscript(of, index):
                holder, at = self.value(of, names), self._index(index, names)
                if not isinstance(holder, list | dict):
                    raise NotReadError("an assignment to a part")
                try:
                    held = holder[at]
                except _FAILS:
                    raise _RaisedError(1) from None
            case _:
                raise NotReadError("an assignment to an attribute")
        more = self.value(value, names)
        if isinstance(held, list) and isinstance(sign, ast.Add):
            held.extend(list(self._each(more)))  # the same list, whatever else names it
        else:
            held = self._binary(sign, held, more)
        holder[at] = held

    def _function(
        self, arguments: ast.arguments, body: list[ast.stmt] | ast.expr, names: dict[str, _Value]
    ) -> _Function:
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise NotReadError("a function with `*`")
        # A name that a function sets outside of itself, or a body that runs later, would need real scopes.
        if isinstance(body, list) and any(
            isinstance(n, ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom) for one in body for n in ast.walk(one)
        ):
            raise NotReadError("a function with `global` or `yield`")
        taken = tuple(one.arg for one in (*arguments.posonlyargs, *arguments.args))
        own = frozenset(
            n.id
            for one in (body if isinstance(body, list) else ())
            for n in ast.walk(one)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )
        return _Function(taken, tuple(self.value(one, names) for one in arguments.defaults), body, names, own)

    # expressions

    def value(self, node: ast.expr, names: dict[str, _Value]) -> _Value:
        self.step()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotReadError("a script of Python that is too deep")
        try:
            made = self._value(node, names)
        except _FAILS:
            raise _RaisedError(1) from None
        except (TypeError, AttributeError):  # an error of the script, or a kind of value that is not followed
            raise NotReadError(f"`{ast.unparse(node)[:60]}` in Python") from None
        finally:
            self.depth -= 1
        # Each value is bounded where it arises: `s = s + s` in a loop doubles.
        if isinstance(made, str) and (len(made) > _MOST_TEXT or UNKNOWN in made):
            raise NotReadError("a text that is too long, or not known")
        if isinstance(made, int) and abs(made) >= 1 << 63:
            raise NotReadError("a large number")
        return made

    def _value(self, node: ast.expr, names: dict[str, _Value]) -> _Value:
        match node:
            case ast.Constant(value) if isinstance(value, str | int | float | None):
                return value
            case ast.Name(name):
                if name in names:
                    return names[name]
                if name in _BUILTINS or name in ("open", "print", "exit", "quit", "isinstance", "map", "filter"):
                    return _Method(None, name)
                if name in ("True", "False", "None"):
                    return {"True": True, "False": False}.get(name)
                raise NotReadError(f"the name `{name}` in Python")
            case ast.JoinedStr(parts):
                return "".join(self._formatted(part, names) for part in parts)
            case ast.List(parts):
                return self._several(parts, names)
            case ast.Tuple(parts):
                return tuple(self._several(parts, names))
            case ast.Dict(keys, values) if None not in keys:
                return {
                    self.value(k, names): self.value(v, names)
                    for k, v in zip(keys, values, strict=True)
                    if k is not None
                }
            case ast.BinOp(left, sign, right):
                return self._binary(sign, self.value(left, names), self.value(right, names))
            case ast.BoolOp(sign, parts):
                made: _Value = None
                for part in parts:
                    made = self.value(part, names)
                    if self._truth(made) == isinstance(sign, ast.Or):
                        break
                return made
            case ast.UnaryOp(ast.Not(), of):
                return not self._truth(self.value(of, names))
            case ast.UnaryOp(ast.USub(), of):
                return -self.value(of, names)
            case ast.Compare(left, signs, others):
                return self._compared(left, signs, others, names)
            case ast.IfExp(test, then, otherwise):
                return self.value(then if self._truth(self.value(test, names)) else otherwise, names)
            case ast.NamedExpr(ast.Name(name), value):
                names[name] = self.value(value, names)
                return names[name]
            case ast.Subscript(of, index):
                holder = self.value(of, names)
                if isinstance(holder, re.Match):
                    return holder[self.value(index, names)]
                if not isinstance(holder, str | list | tuple | dict):
                    raise NotReadError("a part of what is not known")
                return holder[self._index(index, names)]
            case ast.Attribute(of, name):
                return self._attribute(self.value(of, names), name)
            case ast.Lambda(arguments, body):
                return self._function(arguments, body, names)
            case ast.ListComp(part, loops):
                return list(self._comprehended(part, loops, names))
            case ast.GeneratorExp(part, loops):
                return self._comprehended(part, loops, names)
            case ast.DictComp(key, value, loops):
                pair = ast.Tuple([key, value], ast.Load())
                return dict(self._comprehended(pair, loops, names))
            case ast.Call():
                return self._call(node, names)
        raise NotReadError(f"`{ast.unparse(node)[:60]}` in Python")

    def _several(self, parts: list[ast.expr], names: dict[str, _Value]) -> list[_Value]:
        made: list[_Value] = []
        for part in parts:
            if isinstance(part, ast.Starred):
                made.extend(self._each(self.value(part.value, names)))
            else:
                made.append(self.value(part, names))
        return made

    def _formatted(self, part: ast.expr, names: dict[str, _Value]) -> str:
        if isinstance(part, ast.Constant):
            return str(part.value)
        if isinstance(part, ast.FormattedValue) and part.format_spec is None:
            made = self.value(part.value, names)
            if isinstance(made, str | int) and part.conversion in (-1, 114):
                return repr(made) if part.conversion == 114 else str(made)
            if isinstance(made, _Path) and part.conversion == -1:
                return made.text
        raise NotReadError("a text that is formatted")

    def _truth(self, value: _Value) -> bool:
        if isinstance(value, _Path | _File | _Module | _Method | _Function | re.Match | re.Pattern):
            return True
        return bool(value)

    def _binary(self, sign: ast.operator, left: _Value, right: _Value) -> _Value:
        if isinstance(left, _Path) and isinstance(sign, ast.Div) and isinstance(right, str | _Path):
            return _Path(posixpath.normpath(posixpath.join(left.text, right if isinstance(right, str) else right.text)))
        do = _BINARY.get(type(sign))
        plain = (str, int, float, list, tuple, re.RegexFlag)
        if do is None or not (isinstance(left, plain) and isinstance(right, plain)):
            raise NotReadError("an operator in Python")
        # `"%s" % x` formats.
        if isinstance(sign, ast.Mod) and isinstance(left, str):
            raise NotReadError("a text that is formatted")
        if isinstance(sign, ast.Mult):
            sizes = [len(one) for one in (left, right) if isinstance(one, str | list | tuple)]
            counts = [one for one in (left, right) if isinstance(one, int)]
            # `"x" * 10**9` must be refused before it is made.
            if sizes and counts and sizes[0] * counts[0] > _MOST_VALUES:
                raise NotReadError("a long text")
        if isinstance(left, list) and len(left) > _MOST_VALUES:
            raise NotReadError("a long list")
        return do(left, right)

    def _compared(
        self, left: ast.expr, signs: list[ast.cmpop], others: list[ast.expr], names: dict[str, _Value]
    ) -> bool:
        one = self.value(left, names)
        for sign, node in zip(signs, others, strict=True):
            other = self.value(node, names)
            if isinstance(one, _File | _Module | _Function) or isinstance(other, _File | _Module | _Function):
                raise NotReadError("a comparison in Python")
            if not _COMPARE[type(sign)](one, other):
                return False
            one = other
        return True

    def _index(self, node: ast.expr, names: dict[str, _Value]) -> _Value:
        if isinstance(node, ast.Slice):
            bounds = (node.lower, node.upper, node.step)
            return slice(*(self.value(bound, names) if bound is not None else None for bound in bounds))
        return self.value(node, names)

    def _comprehended(
        self, part: ast.expr, loops: list[ast.comprehension], names: dict[str, _Value]
    ) -> Iterator[_Value]:
        if any(isinstance(n, ast.NamedExpr) for one in (part, *loops) for n in ast.walk(one)):
            raise NotReadError("`:=` in a comprehension")
        inner = _Scope(names)
        # As in Python, the first list is worked out at once, and all else of a generator when it is asked for.
        first = self._each(self.value(loops[0].iter, names))

        def go(at: int) -> Iterator[_Value]:
            if at == len(loops):
                yield self.value(part, inner)
                return
            for item in self._each(self.value(loops[at].iter, inner)) if at else first:
                self.step()
                self._assign(loops[at].target, item, inner)
                if all(self._truth(self.value(test, inner)) for test in loops[at].ifs):
                    yield from go(at + 1)

        return go(0)

    def _attribute(self, of: _Value, name: str) -> _Value:
        if isinstance(of, _Module):
            if (of.name, name) in _ATTRIBUTES:
                return _ATTRIBUTES[of.name, name]
            if of.name == "sys" and name == "argv":
                return list(self.arguments)
            if of.name == "sys" and name in ("stdout", "stderr"):
                return _Module(f"sys.{name}")
            return _Method(of, name)
        if isinstance(of, _Path):
            text = of.text
            base = posixpath.basename(text)
            stem, end = posixpath.splitext(base)
            parts = {"name": base, "stem": stem, "suffix": end, "parent": _Path(posixpath.dirname(text) or ".")}
            if name in parts:
                return parts[name]
        # No way to Python's own objects: `x.__class__` and `f.__globals__` end here.
        if name.startswith("_") or isinstance(of, _Method | _Function):
            raise NotReadError(f"`{name}` in Python")
        return _Method(of, name)

    # calls

    def _call(self, node: ast.Call, names: dict[str, _Value]) -> _Value:
        called = self.value(node.func, names)
        arguments = self._several(node.args, names)
        if any(one.arg is None for one in node.keywords):
            raise NotReadError("`**` in a call")
        named = {one.arg: self.value(one.value, names) for one in node.keywords if one.arg is not None}
        made = self.called(called, arguments, named)
        # `open(p, "w").write(s)`: Python closes a file that no name holds.
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
            holder = called.of if isinstance(called, _Method) else None
            if isinstance(holder, _File):
                self._close(holder)  # nothing holds it any more
        return made

    def called(self, called: _Value, arguments: list[_Value], named: dict[str, _Value]) -> _Value:
        """What a call of a value gives."""
        if isinstance(called, _Function):
            return self._own(called, arguments, named)
        if not isinstance(called, _Method):
            raise NotReadError("a call in Python")
        of, name = called.of, called.name
        match of:
            case None:
                return self._builtin(name, arguments, named)
            case _Module(module):
                return self._of_module(module, name, arguments, named)
            case _Path():
                return self._of_path(of, name, arguments, named)
            case _File():
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
                    named["key"] = lambda one: self.called(key, [one], {})
                # `list.extend` would read a file that is open here, or a generator, by itself.
                if name == "extend":
                    arguments = [list(self._each(arguments[0]))]
                if len(of) > _MOST_VALUES:
                    raise NotReadError("a long list")
                return getattr(of, name)(*arguments, **named)
            case dict() if name in _OF_DICT:
                return getattr(of, name)(*arguments, **named)
        raise NotReadError(f"`{name}` in Python")

    def _own(self, function: _Function, arguments: list[_Value], named: dict[str, _Value]) -> _Value:
        names = _Scope(function.around, function.own)
        count = len(function.names)
        # Defaults belong to the last names. They were worked out when the function was defined, and all calls share
        # them.
        values = dict(zip(function.names[count - len(function.defaults) :], function.defaults, strict=True))
        # Fewer arguments than names are checked by the set below; an unknown keyword is, too.
        values |= dict(zip(function.names, arguments, strict=False)) | named
        if len(arguments) > count or set(values) != set(function.names):
            raise _RaisedError(1)
        dict.update(names, values)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotReadError("a script of Python that is too deep")
        try:
            if isinstance(function.body, ast.expr):
                return self.value(function.body, names)
            self.body(function.body, names)
        except _ReturnError as returned:
            return returned.value
        finally:
            self.depth -= 1
        return None

    def _builtin(self, name: str, arguments: list[_Value], named: dict[str, _Value]) -> _Value:
        if name == "open":
            return self._open(arguments, named)
        if name == "print":
            if named.get("file") is not None and not isinstance(named["file"], _Module):
                raise NotReadError("`print` to a file")
            self.printed = True
            return None
        if name in ("exit", "quit"):
            raise self._exit(arguments)
        if (
            name in ("isinstance", "map", "filter")
            or "key" in named
            or any(isinstance(one, _File) for one in arguments)
        ):
            if name in ("sorted", "min", "max") and "key" in named:
                key = named.pop("key")
                named["key"] = lambda one: self.called(key, [one], {})
            elif name in ("list", "enumerate") and isinstance(arguments[0], _File):
                arguments = [self._each(arguments[0]), *arguments[1:]]
            else:
                raise NotReadError(f"`{name}` in Python")
        if name == "str" and arguments and isinstance(arguments[0], _Path):
            return arguments[0].text
        if any(isinstance(one, range) and len(one) > _MOST_VALUES for one in arguments):
            raise NotReadError("a long list")
        if any(isinstance(one, _Path | _File | _Module | _Method | _Function) for one in arguments):
            raise NotReadError(f"`{name}` in Python")
        return _BUILTINS[name](*arguments, **named)

    def _exit(self, arguments: list[_Value]) -> _RaisedError:
        code = arguments[0] if arguments else 0
        return _RaisedError(code if isinstance(code, int) else 0 if code is None else 1)

    def _of_text(self, of: str, name: str, arguments: list[_Value], named: dict[str, _Value]) -> _Value:
        if name == "replace":
            old, new = arguments[:2]
            # Bounded before it is made.
            if of.count(old) * len(new) > _MOST_TEXT:
                raise NotReadError("a long text")
            return of.replace(*arguments, **named)
        if name == "join":
            parts = list(self._each(arguments[0]))
            if sum(map(len, parts)) + len(of) * len(parts) > _MOST_TEXT:
                raise NotReadError("a long text")
            return of.join(parts)
        if name == "encode" and arguments in ([], ["utf-8"], ["utf8"]) and not named:
            raise NotReadError("bytes")
        if name not in _OF_TEXT:
            raise NotReadError(f"`{name}` in Python")
        return getattr(of, name)(*arguments, **named)

    def _of_module(self, module: str, name: str, arguments: list[_Value], named: dict[str, _Value]) -> _Value:
        paths = [one.text if isinstance(one, _Path) else one for one in arguments]
        match module, name:
            case ("pathlib", "Path" | "PurePath" | "PosixPath"):
                if not all(isinstance(one, str) for one in paths):
                    raise NotReadError("a path")
                return _Path(posixpath.normpath(posixpath.join(*(paths or ["."]))))
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

    def _pattern(self, pattern: _Value, flags: _Value = 0, text: _Value = "x" * 1000) -> re.Pattern[str]:
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
        self, pattern: re.Pattern[str], name: str, arguments: list[_Value], named: dict[str, _Value]
    ) -> _Value:
        if name in ("sub", "subn") and len(arguments) > 1:
            new, text = arguments[0], arguments[1]
            count = named.get("count", arguments[2] if len(arguments) > 2 else 0)
            size = 0

            def made(found: re.Match[str]) -> str:
                nonlocal size
                self.step()
                text = found.expand(new) if isinstance(new, str) else self.called(new, [found], {})
                if not isinstance(text, str):
                    raise _RaisedError(1)
                size += len(text)
                if size > _MOST_TEXT:
                    raise NotReadError("a long text")
                return text

            return getattr(pattern, name)(made, text, count=count)
        if name in ("search", "match", "fullmatch", "findall", "split") and arguments and isinstance(arguments[0], str):
            return getattr(pattern, name)(*arguments, **named)
        raise NotReadError(f"`{name}` of a pattern")

    # files

    def _open(self, arguments: list[_Value], named: dict[str, _Value]) -> _File:
        path, mode = arguments[0], named.pop("mode", arguments[1] if len(arguments) > 1 else "r")
        encoding = str(named.pop("encoding", None) or "utf-8").lower()
        newline = named.pop("newline", None)
        path = path.text if isinstance(path, _Path) else path
        if named or len(arguments) > 2 or encoding not in ("utf-8", "utf8") or newline not in (None, "", "\n"):
            raise NotReadError("`open` with other arguments")
        if not isinstance(path, str) or mode.replace("t", "") not in ("r", "w", "a", "x"):
            raise NotReadError(f"`open` with the mode `{mode}`")
        mode = mode.replace("t", "")
        file = _File(path, mode, newline is not None)
        key = self.shell.key(path)
        if mode == "r":
            self._check(path)
        elif mode == "x" and self.shell.files.is_file(key):
            raise _RaisedError(1)
        else:
            # `w` and `x` empty the file at once, whether anything is written to it or not.
            self.shell.write(path, "", adds=mode == "a")
            self.open_files.append(file)
        return file

    def _check(self, path: str) -> None:
        """Raise what reading a file raises: it is missing, or something waits to be written to it."""
        key = self.shell.key(path)
        # Python writes when its buffer is full or the file is closed: what is read before that, nobody knows.
        if any(file.pending and self.shell.key(file.path) == key for file in self.open_files):
            raise NotReadError(f"`{path}`, which is read before it is closed,")
        if not self.shell.files.is_file(key):
            raise _RaisedError(1)

    def _read(self, file: _Value) -> str:
        if not isinstance(file, _File) or file.mode != "r" or file.closed:
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

    def _close(self, file: _File) -> None:
        file.closed, file.pending = True, False
        if file in self.open_files:
            self.open_files.remove(file)

    def _of_file(self, of: _Value, name: str, arguments: list[_Value]) -> _Value:
        if not isinstance(of, _File) or of.closed:
            raise NotReadError("a file that is closed")
        match name:
            case "read" if not arguments:
                return self._read(of)
            case "readlines" if not arguments:
                return list(self._each(of))
            case "write" | "writelines" if of.mode != "r":
                text = arguments[0] if name == "write" else "".join(self._each(arguments[0]))
                if not isinstance(text, str):
                    raise NotReadError("a value that is written")
                self.shell.write(of.path, text, adds=True)
                of.pending = True
                return len(text)
            case "close" | "flush":
                if name == "close":
                    self._close(of)
                of.pending = False
                return None
        raise NotReadError(f"`{name}` of a file")

    def _of_path(self, of: _Path, name: str, arguments: list[_Value], named: dict[str, _Value]) -> _Value:
        match name:
            case "read_text":
                self._open([of.text], {**named, **({"encoding": arguments[0]} if arguments else {})})
                return self._text(of.text)
            case "write_text":
                file = self._open(
                    [of.text, "w"], {**named, **({"encoding": arguments[1]} if len(arguments) > 1 else {})}
                )
                made = self._of_file(file, "write", [arguments[0]])
                self._close(file)
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
                to = arguments[0].text if isinstance(arguments[0], _Path) else arguments[0]
                self._rename(of.text, to)
                return _Path(to)
            case "mkdir":
                return self._make_folder(of.text, named)
        raise NotReadError(f"`{name}` of a path")

    def _exists(self, path: str, *, folders: bool) -> bool:
        key = self.shell.key(path)
        # A tree lists files, so that "no" is known of a file, and of a folder only "yes".
        if self.shell.files.is_file(key) or (folders and self.shell.files.is_folder(key)):
            return True
        if folders:
            raise NotReadError(f"`{path}`, of which nothing is known,")
        return False

    def _make_folder(self, path: str, named: dict[str, _Value]) -> None:
        key = self.shell.key(path)
        if key in self.shell.files.paths or (self.shell.files.is_folder(key) and not named.get("exist_ok")):
            raise _RaisedError(1)
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


class _Scope(dict[str, _Value]):
    """A function's or comprehension's names over those around it: it reads both, and sets its own. One of `own` is
    never read from around."""

    def __init__(self, around: dict[str, _Value], own: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.around, self.own = around, own

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.own or name in self.around

    def __missing__(self, name: str) -> _Value:
        if name in self.own:
            raise NotReadError(f"`{name}`, which a function reads before it sets it,")
        return self.around[name]
