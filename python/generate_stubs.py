# SPDX-License-Identifier: BSD-3-Clause
"""Writes type stubs for the dialect's Python classes, which mlir-tblgen leaves without types.

usage: generate_stubs.py OPS.py ENUMS.py FOLDER

What a parameter takes is read from the code of the generated constructors: an operand is appended
to a list, an attribute goes through a builder whose name says what it converts.
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

_HEAD = '''# mypy: disable-error-code="misc"
"""{summary}"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Optional, TypeAlias, Union

from mlir import ir

'''
# Values that the builders of attributes convert; they also take attributes.
_CONVERTED = {
    "I32Attr": "int",
    "I64Attr": "int",
    "StrAttr": "str",
    "SymbolNameAttr": "str",
    "DenseI32ArrayAttr": "Sequence[int]",
    "DenseI64ArrayAttr": "Sequence[int]",
    "DictArrayAttr": "Sequence[ir.Attribute]",
    "TypeAttr": "ir.Type",
}
_COMMON = {
    "loc": "ir.Location | None",
    "ip": "ir.InsertionPoint | None",
    "results": "Sequence[ir.Type] | None",
}
_VALUES = "Sequence[Value]"


def operations(source: str, enums: set[str]) -> Iterator[str]:
    """Yield the stubs of a generated module of operations.

    Args:
        source: its text.
        enums: names of the dialect's enums.
    """
    types: dict[str, dict[str, str]] = {}  # of the parameters, by class
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name != "_Dialect":
            yield f"class {node.name}(ir.OpView):"
            yield f"    {_summary(node)}\n"
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                    types[node.name] = _parameter_types(each, enums)
                    head = _signature(each, types[node.name], "None")
                    yield f"    {head}"
                elif isinstance(each, ast.FunctionDef):
                    yield from _property(each)
            yield ""
        elif isinstance(node, ast.FunctionDef):
            called = re.search(r"\b(\w+Op)\(", ast.unparse(node))
            assert called is not None, node.name
            assert node.returns is not None, node.name
            yield _signature(node, types[called[1]], _type_text(node.returns)) + "\n"


def enumerations(source: str) -> Iterator[str]:
    """Yield the stubs of a generated module of enums."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            yield f"class {node.name}(IntEnum):"
            yield f"    {_summary(node)}\n"
            for each in node.body:
                if isinstance(each, ast.Assign):
                    yield f"    {ast.unparse(each)}"
            yield ""


def _summary(node: ast.ClassDef) -> str:
    """Return the first paragraph of a docstring, on one line."""
    text = " ".join((ast.get_docstring(node) or node.name).partition("\n\n")[0].split())
    return f'"""{text}"""' if "\\" not in text else f'r"""{text}"""'


def _parameter_types(init: ast.FunctionDef, enums: set[str]) -> dict[str, str]:
    """Return the type of every parameter of a constructor."""
    body = ast.unparse(init)
    found = dict(_COMMON)
    defaults = dict(zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True))
    for argument in (*init.args.args[1:], *init.args.kwonlyargs):
        name = argument.arg
        if name in found:
            continue
        type_ = _parameter_type(name, body, enums)
        is_optional = defaults.get(argument) is not None and type_ != "bool"
        found[name] = f"{type_} | None" if is_optional else type_
    return found


def _parameter_type(name: str, body: str, enums: set[str]) -> str:
    builder = re.search(rf"AttrBuilder\.get\('(\w+)'\)\({name},", body)
    if builder is not None:
        converted = _CONVERTED.get(builder[1])
        enum = builder[1].removeprefix("TinyTC_").removesuffix("Attr")
        converted = enum if converted is None and enum in enums else converted
        return f"{converted} | ir.Attribute" if converted else "ir.Attribute"
    if f"bool({name})" in body:
        return "bool"
    if f"_get_op_results_or_values({name})" in body:
        return _VALUES
    if f"operands.append({name})" in body:
        return "Value"
    if f"results.append({name})" in body:
        return "ir.Type"
    if f"results.extend({name})" in body:
        return "Sequence[ir.Type]"
    raise SystemExit(f"expected to know what the parameter {name!r} is for, got\n{body}")


def _signature(function: ast.FunctionDef, types: dict[str, str], result: str) -> str:
    """Return the head of a function with types."""
    words = []
    for argument in function.args.args:
        type_ = types.get(argument.arg)
        words.append(f"{argument.arg}: {type_}" if type_ else argument.arg)
    if function.args.kwonlyargs:
        words.append("*")
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        is_flag = types[argument.arg] == "bool"
        end = "" if default is None else " = False" if is_flag else f" = {ast.unparse(default)}"
        words.append(f"{argument.arg}: {types[argument.arg]}{end}")
    return f"def {function.name}({', '.join(words)}) -> {result}: ..."


def _property(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the stub of a property, its setter or its deleter."""
    kind = ast.unparse(function.decorator_list[0])
    name = function.name
    if kind == "builtins.property":
        assert function.returns is not None, name
        yield "    @property"
        yield f"    def {name}(self) -> {_type_text(function.returns)}: ..."
    elif kind.endswith(".setter"):
        annotation = function.args.args[1].annotation
        value = _type_text(annotation) if annotation is not None else "bool"
        yield f"    @{kind}"
        yield f"    def {name}(self, value: {value}) -> None: ..."
    else:
        yield f"    @{kind}"
        yield f"    def {name}(self) -> None: ..."


def _type_text(node: ast.expr) -> str:
    """Return a type as stubs spell it; MLIR's classes are generic for type checkers only."""
    text = re.sub(r"\b_ods_ir\.", "ir.", ast.unparse(node))
    text = re.sub(r"\b(ir\.(?:Value|OpResult))\[ir\.\w+\]", r"\1", text)
    return re.sub(r"\b_(Optional|Union)\b", r"\1", text)


def main(ops: str, enums: str, folder: str) -> None:
    """Write the stubs of two generated modules to a folder."""
    enum_text = pathlib.Path(enums).read_text()
    enum_lines = list(enumerations(enum_text))
    names = {line[6:].partition("(")[0] for line in enum_lines if line.startswith("class ")}
    out = pathlib.Path(folder)
    head = _HEAD.format(summary="Enums of the dialect, generated from ODS.")
    (out / f"{pathlib.Path(enums).stem}.pyi").write_text(head + "\n".join(enum_lines))
    head = _HEAD.format(summary="Operations of the dialect, generated from ODS.")
    head += f"from .{pathlib.Path(enums).stem} import {', '.join(sorted(names))}\n\n"
    head += "Value: TypeAlias = ir.Value | ir.Operation | ir.OpView\n\n"
    lines = operations(pathlib.Path(ops).read_text(), names)
    (out / f"{pathlib.Path(ops).stem}.pyi").write_text(head + "\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
