# SPDX-License-Identifier: BSD-3-Clause
"""The source of a function: its syntax tree, and the names that it takes from outside."""

from __future__ import annotations
import __future__

import ast
import dataclasses
import functools
import hashlib
import importlib
import inspect
import linecache
import operator
import sys
import threading
import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Diagnostic, ParseError
from .outside import PACKAGE, OutsideValues, VisibleNames, inlined_source_of, is_known, text_of
from .types import TYPES, Const

if TYPE_CHECKING:
    from ..frontend.source import Source, Span

MAX_DEPTH = 100
"""How deeply expressions and statements may be nested; terms of a sum count half."""

_FUTURE = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


class ModuleName:
    """A module, in a pickle."""

    def __init__(self, name: str) -> None:
        self.name = name


class NoSourceError(ParseError):
    """The source of a function cannot be read, or is not that of the function."""


class FunctionSource:
    """A function as it is written.

    Args:
        tree: its definition; lines are those of the file.
        text: text of the file.
        filename: its name.
        names: values that are visible from its module and the functions around it.
        annotations: annotations that Python has evaluated.
    """

    def __init__(
        self,
        tree: ast.FunctionDef,
        text: str,
        filename: str,
        names: Mapping[str, object],
        annotations: Mapping[str, object],
    ) -> None:
        self.tree, self.text, self.filename = tree, text, filename
        self.names, self.annotations = names, annotations
        self.lock = threading.RLock()  # held by the thread that compiles it for a call

    @functools.cached_property
    def source(self) -> Source:
        """The file with its lines, which only errors and compilations need."""
        return _file(self.text, self.filename)

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.tree.name

    def span(self, node: ast.AST) -> Span:
        """Return the range of a node in the text of the file."""
        from ..frontend.source import Span

        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        start = self._offset(line, getattr(node, "col_offset", 0))
        return Span(start, self._offset(end_line, getattr(node, "end_col_offset", 1)))

    def _offset(self, line: int, column_bytes: int) -> int:
        start = self.source.offset(line, 1)
        text = self.source.text[start : start + column_bytes]
        if not text.isascii():
            text = text.encode()[:column_bytes].decode(errors="ignore")
        return start + len(text)

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of the function without comments, blank lines and decorators."""
        bare = ast.FunctionDef(
            **{**dict(ast.iter_fields(self.tree)), "decorator_list": [], "body": _code(self.tree)}
        )
        return hashlib.sha256(ast.dump(bare).encode()).hexdigest()

    @functools.cached_property
    def assigned(self) -> set[str]:
        """The names that the function assigns, which are never those from outside."""
        found = (node for node in ast.walk(self.tree) if isinstance(node, ast.Name))
        return {node.id for node in found if isinstance(node.ctx, ast.Store)}

    @functools.cached_property
    def _read(self) -> OutsideValues:
        """Values read from outside."""
        return OutsideValues(self.names, self._paths())

    def _paths(self) -> set[str]:
        """Return names and paths to attributes that Python reads when the function runs.

        Annotations that Python has evaluated, and decorators, were read when it was defined.
        """
        parts: list[ast.AST] = [*self.tree.body]
        for argument in self.tree.args.args:
            if argument.annotation is not None and argument.arg not in self.annotations:
                parts.append(argument.annotation)
        nodes = [node for part in parts for node in ast.walk(part)]
        holders = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        found = (_path(node) for node in nodes if id(node) not in holders)
        return {path for path in found if path is not None}

    def value_of(self, name: str, holder: object = None) -> object:
        """Return the value of a name from outside, as `OutsideValues.value_of` does."""
        return self._read.value_of(name, holder)

    def check_outside(self) -> None:
        """Check that all that the function and those it calls took from outside is still the same.

        Raises:
            LaunchError: a name has another value by now, or an array other elements.
        """
        self._read.check(self.name)
        sources = list(self._read.functions)
        for source in sources:  # also those that are appended
            source._read.check(self.name)
            sources += [each for each in source._read.functions if each not in (self, *sources)]

    @property
    def outside(self) -> dict[str, object]:
        """Values that the function takes from outside, by the name as written; attributes too."""
        found: dict[str, object] = {}
        own = self.assigned | {argument.arg for argument in self.tree.args.args}
        inside = {id(node) for statement in self.tree.body for node in ast.walk(statement)}
        for node in ast.walk(self.tree):
            name, *path = (_path(node) or "").split(".")
            if name not in self.names or (name in own and id(node) in inside):
                continue
            value = self.value_of(name)
            if isinstance(value, types.ModuleType) and value.__name__ == PACKAGE:
                path = []  # instructions and types of the language are the same for all
            for attribute in path:
                name = f"{name}.{attribute}"
                value = self.value_of(name, value) if hasattr(value, attribute) else None
            found[name] = value
        return found

    def state(self) -> tuple[str, str, str, int, dict[str, object], dict[str, object]]:
        """Return what is pickled: the text, the place, and what the function takes from outside."""
        kept: dict[str, object] = {}
        for head in {name.split(".")[0] for name in self.outside}:
            value = self.value_of(head)
            if isinstance(value, types.ModuleType):
                kept[head] = ModuleName(value.__name__)
            elif (
                is_known(value)
                or hasattr(value, "inlined_source")
                or isinstance(value, (np.ndarray, np.ufunc))
            ):
                kept[head] = value
        line = _first_line(self.tree)
        return self.text, self.filename, self.name, line, kept, dict(self.annotations)

    def key(self) -> str:
        """Return what the meaning of the function depends on, as text."""
        known = []
        numbers = {self: 0}  # of this function, and of all that are inlined in it
        for source in (pending := [self]):  # also those that are appended
            known += [source.digest, repr(sorted(map(repr, source.annotations.items())))]
            for name, value in sorted(source.outside.items()):
                if (inlined := inlined_source_of(value)) is not None:
                    if inlined not in numbers:
                        numbers[inlined] = len(pending)
                        pending.append(inlined)
                    known.append(f"{name}=function {numbers[inlined]}")
                elif text := text_of(value):
                    known.append(f"{name}={text}")
        return "\n".join(known)


def _path(node: ast.AST) -> str | None:
    """Return a name or a path to an attribute as written, None for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    holder = _path(node.value) if isinstance(node, ast.Attribute) else None
    return None if holder is None else f"{holder}.{node.attr}"  # type: ignore[attr-defined]


def source_of(function: object) -> FunctionSource:
    """Return the source of a function.

    Raises:
        NoSourceError: it is no plain function, or its source cannot be read or has changed.
    """
    if isinstance(function, (staticmethod, classmethod)):
        word = type(function).__name__
        message = f"expected a function, got what @{word} made of it; write @{word} above"
        raise _error(message, getattr(function.__func__, "__code__", None))
    if not isinstance(function, types.FunctionType):
        raise _error(f"expected a function, got an object of type {type(function).__name__}")
    code, name = function.__code__, function.__name__
    filename = code.co_filename
    if name == "<lambda>":
        raise _error("expected a function with a name, got a lambda", code)
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise _error(f"expected a plain function, got the generator or coroutine {name!r}", code)
    if code.co_name != name:
        raise _error(
            f"expected the function {name!r} itself, got what another decorator has made of it; "
            "write that decorator above this one",
            code,
        )
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        hint = "save it in a file, or use IPython" if filename.startswith("<") else "is it there?"
        raise _error(f"expected the source of {name!r}, which is not kept; {hint}", code)
    text = _joined(filename, lines)
    tree = _definition(text, name, code.co_firstlineno, code)
    if tree is None:
        raise _error(
            f"expected the source of {name!r} as it was imported, got a file that was edited "
            "since; import it again",
            code,
        )
    found = FunctionSource(tree, text, filename, VisibleNames(function), _annotations(function))
    _check_parameters(found)
    _check_depth(found)
    return found


_texts: dict[str, tuple[list[str], str]] = {}


def _joined(filename: str, lines: list[str]) -> str:
    """Return the text of a file, which all of its functions share."""
    if filename not in _texts or _texts[filename][0] is not lines:
        _texts[filename] = lines, "".join(lines)
    return _texts[filename][1]


@functools.lru_cache(maxsize=32)
def _file(text: str, filename: str) -> Source:
    from ..frontend.source import Source

    return Source(text, filename)


def is_const(node: ast.expr | None) -> bool:
    """Return whether an annotation is `tt.const`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError):  # reported where the type is read
            return False
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "const" and isinstance(node, (ast.Attribute, ast.Name))


def _check_parameters(found: FunctionSource) -> None:
    """Check that parameters are plain ones.

    Raises:
        NoSourceError: there are others, or it is a method.
    """
    given = found.tree.args
    starred = [each for each in (given.vararg, given.kwarg) if each is not None]
    others = [*starred, *given.posonlyargs, *given.kwonlyargs]
    first = [each for each in given.args[:1] if each.arg in ("self", "cls") and not each.annotation]
    checks: tuple[tuple[Sequence[ast.AST], str, str], ...] = (
        (others, "parameters without '*' and '/', got others", "name each parameter"),
        (given.defaults, "no default of a parameter, got one", "pass it in each call"),
        (first, "a function, got a method", "use @staticmethod above, and pass what it needs"),
    )
    for wrong, message, hint in checks:
        if wrong:
            note = Diagnostic("note", hint)
            error = found.source.diagnostic(f"expected {message}", found.span(wrong[0]))
            raise NoSourceError([dataclasses.replace(error, notes=(note,))])


def _check_depth(found: FunctionSource) -> None:
    """Check that Python's limit of recursion lets the function be read, and copied.

    Raises:
        NoSourceError: it does not.
    """
    pending: list[tuple[ast.AST, float]] = [(found.tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH and hasattr(node, "lineno"):
            message = f"expected at most {MAX_DEPTH} expressions and branches in each other"
            note = Diagnostic("note", "bind a part of the expression to a name; 'elif' nests, too")
            error = found.source.diagnostic(f"{message}, got more", found.span(node))
            raise NoSourceError([dataclasses.replace(error, notes=(note,))])
        is_flat = isinstance(node, (ast.BoolOp, ast.Compare))
        for n, child in enumerate(ast.iter_child_nodes(node)):
            step = 0.5 if isinstance(node, ast.BinOp) and child is node.left else 1
            pending.append((child, depth + step + n * is_flat))


def _annotations(function: types.FunctionType) -> dict[str, object]:
    """Return the annotations that are types; texts are read when constants are known."""
    try:
        found = function.__annotations__
    except NameError:  # evaluated only now, and they use constants
        return {}
    return {name: type_ for name, type_ in found.items() if isinstance(type_, (*TYPES, Const))}


def restored_source(
    text: str,
    filename: str,
    name: str,
    line: int,
    names: Mapping[str, object],
    annotations: Mapping[str, object],
) -> FunctionSource:
    """Return a function that was pickled with its source."""
    tree = _definition(text, name, line)
    assert tree is not None
    found = {
        name: importlib.import_module(value.name) if isinstance(value, ModuleName) else value
        for name, value in names.items()
    }
    return FunctionSource(tree, text, filename, found, annotations)


def global_name(value: object) -> str | None:
    """Return the name by which a value is pickled as functions are, None if it must be copied."""
    module = sys.modules.get(getattr(value, "__module__", ""))
    path = getattr(value, "__qualname__", "<")
    if module is None or module.__name__ == "__main__" or "<" in path:
        return None
    try:
        return path if operator.attrgetter(path)(module) is value else None
    except AttributeError:
        return None


def _definition(
    text: str, name: str, line: int, code: types.CodeType | None = None
) -> ast.FunctionDef | None:
    """Return a definition in a file, None if there is none or it is not that of some code.

    pytest rewrites `assert`, which changes the code: its rewriting of the file is compared, too.
    So is each statement alone, as IPython compiles those of a cell: `tt.exp(x)` is other code after
    an import of `tt` that is compiled with it.
    """
    flags = 0 if code is None else code.co_flags & _FUTURE
    tree, compiled = _definitions(text, flags).get((name, line), (None, None))
    if tree is None or code is None or compiled == code:
        return tree
    others = _codes_of_pytest(text, code.co_filename, flags), _codes_of_cell(text, flags)
    return tree if code in [each.get((name, line)) for each in others] else None


@functools.lru_cache(maxsize=32)
def _definitions(
    text: str, flags: int
) -> dict[tuple[str, int], tuple[ast.FunctionDef, types.CodeType | None]]:
    """Return all definitions of a file and their code, by name and first line."""
    try:
        module = ast.parse(text)
        codes = _codes(module, flags)
    except (SyntaxError, ValueError):
        return {}
    trees = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    keys = [(tree.name, _first_line(tree)) for tree in trees]
    return {key: (tree, codes.get(key)) for key, tree in zip(keys, trees, strict=True)}


def _codes(module: ast.Module, flags: int) -> dict[tuple[str, int], types.CodeType]:
    """Return the code of all functions of a file, by name and first line."""
    pending: list[types.CodeType] = [compile(module, "", "exec", flags, dont_inherit=True)]
    codes = {}
    for code in pending:  # also of those that are appended
        codes[code.co_name, code.co_firstlineno] = code
        pending += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return codes


@functools.lru_cache(maxsize=32)
def _codes_of_pytest(text: str, filename: str, flags: int) -> dict[tuple[str, int], types.CodeType]:
    """Return the code of all functions of a file as pytest compiles it, if it is running."""
    rewriting = sys.modules.get("_pytest.assertion.rewrite")
    if rewriting is None:
        return {}
    hooks = [each for each in sys.meta_path if isinstance(each, rewriting.AssertionRewritingHook)]
    module = ast.parse(text)
    config = hooks[0].config if hooks else None
    rewriting.rewrite_asserts(module, text.encode(), filename, config)
    return _codes(module, flags)


@functools.lru_cache(maxsize=32)
def _codes_of_cell(text: str, flags: int) -> dict[tuple[str, int], types.CodeType]:
    """Return the code of all functions of a file whose statements are compiled one by one."""
    statements = (ast.Module([each], []) for each in ast.parse(text).body)
    return {key: code for each in statements for key, code in _codes(each, flags).items()}


def _first_line(tree: ast.FunctionDef) -> int:
    return min([tree.lineno, *(node.lineno for node in tree.decorator_list)])


def _code(tree: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements without the docstring."""
    return tree.body[1:] if ast.get_docstring(tree) is not None else tree.body


def _error(message: str, code: types.CodeType | None = None) -> NoSourceError:
    """Return an error, at the first line of a function if it has code."""
    if code is None:
        return NoSourceError([Diagnostic("error", message)])
    line = code.co_firstlineno
    excerpt = linecache.getline(code.co_filename, line).rstrip() or None
    column = 1 if excerpt is None else len(excerpt) - len(excerpt.lstrip()) + 1
    return NoSourceError(
        [Diagnostic("error", message, code.co_filename, line, column, excerpt=excerpt)]
    )
