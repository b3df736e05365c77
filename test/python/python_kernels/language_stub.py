"""The stub of what kernels find in `tt`, made of ODS.

Run as a program, it writes python/tinytc_mlir/kernels/language.pyi.
"""

import keyword
import subprocess
import textwrap

import ods
import tinytc_mlir as tt
from tinytc_mlir.frontend.instructions import INSTRUCTIONS, SPELLINGS, Syntax, Typing
from tinytc_mlir.kernels.names import documentation, parameters
from tinytc_mlir.kernels.namespace import names
from tinytc_mlir.kernels.types import SCALARS

PATH = ods.ROOT / "python" / "tinytc_mlir" / "kernels" / "language.pyi"
_HEAD = '''\
# SPDX-License-Identifier: BSD-3-Clause
"""Types and instructions that kernels name after `tt`, for type checkers and editors.

test/python/python_kernels/language_stub.py writes this file from the dialect's ODS.
"""

import builtins
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from . import values_of_kernels as _values
from .values_of_kernels import Matrix as _Matrix
from .values_of_kernels import Members as _Members
from .values_of_kernels import Number as _Number
from .values_of_kernels import Operand as _Operand
from .values_of_kernels import Typed as _Typed
from .values_of_kernels import View as _View

'''
# mypy takes no numbers in types: there, types are those of mypy_plugin.py, or anything.
_TYPES = {**dict.fromkeys(sorted(SCALARS), "_Typed"), "group": "_Members"}
_OTHERS = "coopmatrix: Any\nconst: TypeAlias = Any\n"
# What Python has a form of its own for.
_OWN = {
    "cooperative_matrix_apply": (
        "*matrices: _Matrix, type: Any = None) -> Iterator[tuple[Any, ...]]",
        "Yields row, column and components; the last name that the body changes is the result.",
    ),
    "expand": (
        "source: _View, mode: builtins.int, sizes: Any, *, type: Any = None) -> _View",
        "Returns a view with one mode split into several.",
    ),
    "foreach": (
        "*ranges: Any) -> Iterator[Any]",
        "Yields the indices of a grid, which work-items share.",
    ),
    "foreach_tile": (
        "*ranges: Any) -> Iterator[tuple[_Number, ...]]",
        "Yields where tiles begin, and their extents; the last operand is the size of a tile.",
    ),
    "local": (
        "type: Any, shape: Any = None, **options: Any) -> _View",
        "Returns local memory of the group.",
    ),
    "outer": ("x: _View, y: _View) -> _View", "Returns the outer product, in an assignment."),
    "parallel": (") -> AbstractContextManager[None]", "Begins a region that each work-item runs."),
    "subview": ("part: _View, *, type: Any = None) -> _View", "Returns a part of an array."),
}


def _kind(constraint):
    """Return the type of operands or results that satisfy a constraint."""
    summary = constraint.get("summary", "")
    if "matrix distributed" in summary or summary.startswith("coopmatrix"):
        return "_Matrix"
    if "memref" in summary or "reference to a tensor" in summary:
        return "_View"
    return "_Number | _Matrix" if "coopmatrix" in summary else "_Number"


def _constraints(op):
    """Return the kind of each operand of an op."""
    records = ods.records()
    found = {}
    for reference, name in op["arguments"]["args"]:
        record = records[reference["def"]]
        while "OpVariable" in record["!superclasses"]:
            record = records[record["constraint"]["def"]]
        found[name] = _kind(record)
    return found


def _result(spec, op):
    if spec.typing is Typing.NONE:
        return "None"
    if spec.name == "load":
        return "Any"
    records = ods.records()
    record = records[op["results"]["args"][0][0]["def"]]
    while "OpVariable" in record["!superclasses"]:
        record = records[record["constraint"]["def"]]
    found = _kind(record)
    return "Any" if "|" in found else found


def _parameters(spec, op):
    if spec.syntax is Syntax.CONSTANT:
        return "value: Any, type: Any = None"
    kinds = _constraints(op)
    marks = [*spec.operands, *spec.indices, *spec.trailing]
    found = []
    for mark, name in zip(marks, parameters(spec), strict=True):
        plain = name.lstrip("*")
        kind = kinds.get(plain, "_Number")
        if mark[0] == "#":
            kind = "builtins.int"
        elif mark[0] == '"':
            kind = "builtins.str"
        elif kind == "_Number":
            kind = "_Operand"
        elif "|" in kind:
            kind = "_Operand | _Matrix"
        star = "*" if name[0] == "*" else ""
        found.append(f"{star}{plain}{'_' * keyword.iskeyword(plain)}: {kind}")
    if spec.typing is not Typing.NONE:
        found.append("type: Any = None")
    return ", ".join(found)


def _documented(head, text, indent=""):
    first, _, rest = text.partition("\n")
    lines = ["", *textwrap.wrap(rest, 88 - len(indent)), '"""'] if rest else []
    shown = [f'"""{first}', *lines] if rest else [f'"""{first}"""']
    body = "\n".join(f"{indent}    {line}".rstrip() for line in shown)
    return f"{indent}{head}\n{body}\n"


def _summary(spec):
    summary, _, description = documentation(spec).partition("\n\n")
    first = " ".join(description.split("\n\n")[0].split())
    return f"{summary[0].upper()}{summary[1:]}.\n{first}".replace("\\", "").replace('"', "'")


def _modifiers(spec):
    """Return the words that may follow a name."""
    words = [word for modifier in spec.modifiers for word in modifier.choices]
    return [f"{w}_" if keyword.iskeyword(w) else w for w in dict.fromkeys(words)]


def _instruction(name):
    later = SPELLINGS[name.removesuffix("_") if name not in SPELLINGS else name]
    spec = INSTRUCTIONS[later.instruction]
    op = ods.ops()[spec.name]
    words, text = _modifiers(spec), _summary(spec)
    given, result = _parameters(spec, op), _result(spec, op)
    is_value = not given.replace("type: Any = None", "") and result != "None"
    if is_value:
        if not words:
            return f"{name}: {result}\n"
        lines = [f"class _{name}(_Number):", f'    """{text.splitlines()[0]}"""', ""]
        lines += [f"    {word}: _Number" for word in ("x", *words) if not hasattr(int, word)]
        return "\n".join([*dict.fromkeys(lines), "", f"{name}: _{name}", ""])
    if not words or later.modifiers:
        return _documented(f"def {name}({given}) -> {result}:", text)
    lines = [f"class _{name}:", f'    """{text.splitlines()[0]}"""', ""]
    lines += [f"    {word}: _{name}" for word in words]
    lines.append(_documented(f"def __call__(self, {given}) -> {result}:", text, "    "))
    return "\n".join([*lines, f"{name}: _{name}", ""])


def stub():
    """Return the text of the stub."""
    parts = [_HEAD, "if _values.MYPY:\n", *(f"    {name}: Any\n" for name in _TYPES), "else:\n"]
    parts += [f"    class {name}({base}): ...\n" for name, base in _TYPES.items()]
    parts.append(_OTHERS)
    for name in names():
        if name in (*_TYPES, "coopmatrix", "const", *tt.__all__):
            continue
        if name in _OWN:
            rest, text = _OWN[name]
            parts.append(_documented(f"def {name}({rest}:", text))
        else:
            parts.append(_instruction(name))
    return "\n".join(parts)


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
    subprocess.run(["ruff", "format", "-q", PATH], check=True)
