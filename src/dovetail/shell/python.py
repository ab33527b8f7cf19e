"""Follows Python scripts that read, change and write texts, over their syntax tree; they are never run.

Owns statements and expressions; `python_library.py` has the functions that they call. What neither lists is not
understood.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dovetail.shell.files import UNKNOWN
from dovetail.shell.python_library import (
    BUILTINS,
    FAILS,
    MODULES,
    MOST_TEXT,
    MOST_VALUES,
    FileValue,
    FunctionValue,
    Library,
    MethodValue,
    ModuleValue,
    PathValue,
    RaisedError,
    TooLongError,
    Value,
    path_of,
)
from dovetail.shell.syntax import NotReadError
from dovetail.text.listed import listed

if TYPE_CHECKING:
    from dovetail.shell.run import Done, Shell

_MOST_STEPS = 300_000
_DEEPEST = 60
# A script without these words changes no file, so it may contain what is not understood. A word too many here refuses a
# command, one too few would let a change pass unseen.
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


class _BreakError(Exception):
    pass


class _ContinueError(Exception):
    pass


class _ReturnError(Exception):
    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


_BINARY: Mapping[type[ast.AST], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.Div: operator.truediv,
}  # fmt: skip
_COMPARE: Mapping[type[ast.AST], Callable[[Value, Value], Value]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
}  # fmt: skip


def run_python(shell: Shell, text: str, arguments: list[str]) -> Done:
    """Follow a script. One that is not understood raises `NotReadError`, unless it has no word that changes a file."""
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
    script = _PythonScript(shell, arguments)
    try:
        script.body(tree.body, script.names)
    # Files that it wrote before stay written, as with a real script.
    except RaisedError as ended:
        return Done(ended.code, UNKNOWN)
    except TooLongError:
        raise
    except (NotReadError, RuntimeError, TypeError) as reason:
        unchanged = before == (shell.files.texts, shell.files.paths, shell.files.origins)
        if unchanged and not _READS_ONLY.search(text) and _only_looks(tree):
            return Done(None, UNKNOWN)
        raise NotReadError(str(reason) or "a script of Python") from None
    return Done(0, UNKNOWN if script.library.printed else "")


def _only_looks(tree: ast.Module) -> bool:
    """Return whether a script imports only modules that change no file without one of the words in `_READS_ONLY`."""
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.split(".")[0] not in _LOOKING_MODULES for name in names):
            return False
    return True


class _PythonScript:
    """The state of one script that is followed: its names, and the steps and depth so far."""

    def __init__(self, shell: Shell, arguments: list[str]) -> None:
        self.library = Library(shell, arguments, self.called, self.step)
        self.names: dict[str, Value] = {"__name__": "__main__"}
        self.steps = self.depth = 0

    # statements

    def body(self, statements: Iterable[ast.stmt], names: dict[str, Value]) -> None:
        for statement in statements:
            self.step()
            self.statement(statement, names)

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise TooLongError("a script of Python with many steps")

    def statement(self, node: ast.stmt, names: dict[str, Value]) -> None:
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
                self._for(target, self.library.each(self.value(items, names)), inside, otherwise, names)
            # Not only unread but too long: a loop without an end must not count as looking.
            case ast.While():
                raise TooLongError("`while` in Python")
            case ast.With(items, inside):
                files = []
                for item in items:
                    file = self.value(item.context_expr, names)
                    if not isinstance(file, FileValue):
                        raise NotReadError("`with` of no file")
                    files.append(file)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, file, names)
                try:
                    self.body(inside, names)
                finally:
                    for file in files:
                        self.library.close(file)
            case ast.Assert(test, _):
                if not self._truth(self.value(test, names)):
                    raise RaisedError(1)
            case ast.FunctionDef(name, arguments, inside, decorators) if not decorators:
                names[name] = self._function(arguments, inside, names)
            case ast.Return(value):
                raise _ReturnError(self.value(value, names) if value is not None else None)
            case ast.Raise():
                raise RaisedError(1)
            case ast.Pass():
                pass
            case ast.Break():
                raise _BreakError
            case ast.Continue():
                raise _ContinueError
            case _:
                raise NotReadError(f"`{ast.unparse(node).splitlines()[0][:60]}` in Python")

    def _import(self, node: ast.Import | ast.ImportFrom, names: dict[str, Value]) -> None:
        for one in node.names:
            if isinstance(node, ast.Import):
                if one.name not in MODULES:
                    raise NotReadError(f"the module `{one.name}`")
                # `import os.path` names `os`, `import os.path as p` names the module `os.path`.
                names[one.asname or one.name.split(".")[0]] = ModuleValue(
                    one.name if one.asname else one.name.split(".")[0]
                )
            else:
                names[one.asname or one.name] = self.library.attribute(ModuleValue(node.module or ""), one.name)

    def _for(
        self,
        target: ast.expr,
        items: Iterator[Value],
        inside: list[ast.stmt],
        otherwise: list[ast.stmt],
        names: dict[str, Value],
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

    def _assign(self, target: ast.expr, value: Value, names: dict[str, Value]) -> None:
        match target:
            case ast.Name(name):
                names[name] = value
            case ast.Tuple(parts) | ast.List(parts):
                values = list(self.library.each(value))
                if any(isinstance(part, ast.Starred) for part in parts):
                    raise NotReadError("`*` in an assignment")
                if len(values) != len(parts):
                    raise RaisedError(1)
                for part, one in zip(parts, values, strict=True):
                    self._assign(part, one, names)
            case ast.Subscript(of, index):
                holder = self.value(of, names)
                if not isinstance(holder, list | dict):
                    raise NotReadError("an assignment to a part")
                try:
                    holder[self._index(index, names)] = value
                except FAILS:
                    raise RaisedError(1) from None
            case _:
                raise NotReadError("an assignment to an attribute")

    def _augment(self, target: ast.expr, sign: ast.operator, value: ast.expr, names: dict[str, Value]) -> None:
        """Follow `target += value`: the target is evaluated once, so that `d[f()] += 1` calls f once."""
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
                except FAILS:
                    raise RaisedError(1) from None
            case _:
                raise NotReadError("an assignment to an attribute")
        more = self.value(value, names)
        if isinstance(held, list) and isinstance(sign, ast.Add):
            held.extend(list(self.library.each(more)))  # in place, as other names may hold this list
        else:
            held = self._binary(sign, held, more)
        holder[at] = held

    def _function(
        self, arguments: ast.arguments, body: list[ast.stmt] | ast.expr, names: dict[str, Value]
    ) -> FunctionValue:
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
        return FunctionValue(taken, tuple(self.value(one, names) for one in arguments.defaults), body, names, own)

    # expressions

    def value(self, node: ast.expr, names: dict[str, Value]) -> Value:
        self.step()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotReadError("a script of Python that is too deep")
        try:
            made = self._value(node, names)
        except FAILS:
            raise RaisedError(1) from None
        except (TypeError, AttributeError):  # an error of the script, or a kind of value that is not followed
            raise NotReadError(f"`{ast.unparse(node)[:60]}` in Python") from None
        finally:
            self.depth -= 1
        # Each value is bounded where it arises: `s = s + s` in a loop doubles.
        if isinstance(made, str) and (len(made) > MOST_TEXT or UNKNOWN in made):
            raise NotReadError("a text that is too long, or not known")
        if isinstance(made, int) and abs(made) >= 1 << 63:
            raise NotReadError("a large number")
        return made

    def _value(self, node: ast.expr, names: dict[str, Value]) -> Value:
        match node:
            case ast.Constant(value) if isinstance(value, str | int | float | None):
                return value
            case ast.Name(name):
                if name in names:
                    return names[name]
                if name in BUILTINS or name in ("open", "print", "exit", "quit", "isinstance", "map", "filter"):
                    return MethodValue(None, name)
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
                made: Value = None
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
                return self.library.attribute(self.value(of, names), name)
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

    def _several(self, parts: list[ast.expr], names: dict[str, Value]) -> list[Value]:
        made: list[Value] = []
        for part in parts:
            if isinstance(part, ast.Starred):
                made.extend(self.library.each(self.value(part.value, names)))
            else:
                made.append(self.value(part, names))
        return made

    def _formatted(self, part: ast.expr, names: dict[str, Value]) -> str:
        if isinstance(part, ast.Constant):
            return str(part.value)
        if isinstance(part, ast.FormattedValue) and part.format_spec is None:
            made = self.value(part.value, names)
            if isinstance(made, str | int) and part.conversion in (-1, 114):
                return repr(made) if part.conversion == 114 else str(made)
            if isinstance(made, PathValue) and part.conversion == -1:
                return made.text
        raise NotReadError("a text that is formatted")

    def _truth(self, value: Value) -> bool:
        if isinstance(value, PathValue | FileValue | ModuleValue | MethodValue | FunctionValue | re.Match | re.Pattern):
            return True
        return bool(value)

    def _binary(self, sign: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, PathValue) and isinstance(sign, ast.Div) and isinstance(right, str | PathValue):
            return path_of(left.text, right if isinstance(right, str) else right.text)
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
            if sizes and counts and sizes[0] * counts[0] > MOST_VALUES:
                raise NotReadError("a long text")
        if isinstance(left, list) and len(left) > MOST_VALUES:
            raise NotReadError("a long list")
        return do(left, right)

    def _compared(
        self, left: ast.expr, signs: list[ast.cmpop], others: list[ast.expr], names: dict[str, Value]
    ) -> bool:
        one = self.value(left, names)
        for sign, node in zip(signs, others, strict=True):
            other = self.value(node, names)
            if isinstance(one, FileValue | ModuleValue | FunctionValue) or isinstance(
                other, FileValue | ModuleValue | FunctionValue
            ):
                raise NotReadError("a comparison in Python")
            if not _COMPARE[type(sign)](one, other):
                return False
            one = other
        return True

    def _index(self, node: ast.expr, names: dict[str, Value]) -> Value:
        if isinstance(node, ast.Slice):
            bounds = (node.lower, node.upper, node.step)
            return slice(*(self.value(bound, names) if bound is not None else None for bound in bounds))
        return self.value(node, names)

    def _comprehended(self, part: ast.expr, loops: list[ast.comprehension], names: dict[str, Value]) -> Iterator[Value]:
        if any(isinstance(n, ast.NamedExpr) for one in (part, *loops) for n in ast.walk(one)):
            raise NotReadError("`:=` in a comprehension")
        inner = _ScopedNames(names)
        # As in Python, a generator's first iterable is evaluated at once, and everything else on demand.
        first = self.library.each(self.value(loops[0].iter, names))

        def go(at: int) -> Iterator[Value]:
            if at == len(loops):
                yield self.value(part, inner)
                return
            for item in self.library.each(self.value(loops[at].iter, inner)) if at else first:
                self.step()
                self._assign(loops[at].target, item, inner)
                if all(self._truth(self.value(test, inner)) for test in loops[at].ifs):
                    yield from go(at + 1)

        return go(0)

    # calls

    def _call(self, node: ast.Call, names: dict[str, Value]) -> Value:
        called = self.value(node.func, names)
        arguments = self._several(node.args, names)
        if any(one.arg is None for one in node.keywords):
            raise NotReadError("`**` in a call")
        named = {one.arg: self.value(one.value, names) for one in node.keywords if one.arg is not None}
        made = self.called(called, arguments, named)
        # `open(p, "w").write(s)`: Python closes a file that no name holds.
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
            holder = called.of if isinstance(called, MethodValue) else None
            if isinstance(holder, FileValue):
                self.library.close(holder)  # nothing holds it any more
        return made

    def called(self, called: Value, arguments: list[Value], named: dict[str, Value]) -> Value:
        """Return the result of calling a value."""
        if isinstance(called, FunctionValue):
            return self._own(called, arguments, named)
        if not isinstance(called, MethodValue):
            raise NotReadError("a call in Python")
        return self.library.called(called, arguments, named)

    def _own(self, function: FunctionValue, arguments: list[Value], named: dict[str, Value]) -> Value:
        names = _ScopedNames(function.around, function.own)
        count = len(function.names)
        # Defaults belong to the last names. They were evaluated when the function was defined, and all calls share
        # them.
        values = dict(zip(function.names[count - len(function.defaults) :], function.defaults, strict=True))
        # Fewer arguments than names are checked by the set below; an unknown keyword is, too.
        values |= dict(zip(function.names, arguments, strict=False)) | named
        if len(arguments) > count or set(values) != set(function.names):
            raise RaisedError(1)
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


class _ScopedNames(dict[str, Value]):
    """The names of a function or comprehension: it also reads the names `around` it, except those in `own`, which
    it sets itself."""

    def __init__(self, around: dict[str, Value], own: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.around, self.own = around, own

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.own or name in self.around

    def __missing__(self, name: str) -> Value:
        if name in self.own:
            raise NotReadError(f"`{name}`, which a function reads before it sets it,")
        return self.around[name]
