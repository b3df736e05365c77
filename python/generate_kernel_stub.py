# SPDX-License-Identifier: BSD-3-Clause
"""Writes the stub of what kernels in Python find in `tt`, for type checkers and editors.

usage: generate_kernel_stub.py TinyTC.json PACKAGE OUTPUT

The package is the folder with the modules that generate_instructions.py has written; the others are
those of the sources, of which this needs none that has dependencies.
"""

from __future__ import annotations

import importlib
import json
import keyword
import pathlib
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent))
for _name, _folder in (("tinytc_mlir", "."), ("tinytc_mlir.frontend", "frontend")):
    importlib.import_module(_name).__path__.append(str(pathlib.Path(sys.argv[2], _folder)))

import tinytc_mlir as tt
from tinytc_mlir.frontend.instructions import INSTRUCTIONS, SPELLINGS, Instruction, Syntax, Typing
from tinytc_mlir.kernels.names import documentation, parameters
from tinytc_mlir.kernels.namespace import names
from tinytc_mlir.kernels.types import SCALARS

_RECORDS = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
_OPS = {_RECORDS[name]["opName"]: _RECORDS[name] for name in _RECORDS["!instanceof"]["TinyTC_Op"]}
_HEAD = '''\
# SPDX-License-Identifier: BSD-3-Clause
"""Types and instructions that kernels name after `tt`, for type checkers and editors."""

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
# Instructions that Python has a form of its own for.
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
    "outer": ("x: Any, y: Any) -> Any", "Returns the outer product, in an assignment."),
    "parallel": (") -> AbstractContextManager[None]", "Begins a region that each work-item runs."),
    "subview": ("part: _View, *, type: Any = None) -> _View", "Returns a part of an array."),
}
# Instructions that functions of elements have with the arguments of NumPy.
_OF_ELEMENTS = frozenset((
    *("abs", "add", "cast", "ceil", "cholesky", "conj", "cos", "cumsum", "eigh", "exp"),
    *("exp2", "expm1", "floor", "hypot", "im", "log", "log1p", "log2", "max", "maximum"),
    *("min", "minimum", "native_cos", "native_exp", "native_exp2", "native_log"),
    *("native_log2", "native_sin", "pow", "qr", "re", "rsqrt", "sin", "sqrt", "sum", "tanh"),
))  # fmt: skip


_Record = Mapping[str, Any]


def _kind(constraint: _Record) -> str:
    """Return the type of operands or results that satisfy a constraint."""
    summary = constraint.get("summary", "")
    if "matrix distributed" in summary or summary.startswith("coopmatrix"):
        return "_Matrix"
    if "memref" in summary or "reference to a tensor" in summary:
        return "_View"
    return "_Number | _Matrix" if "coopmatrix" in summary else "_Number"


def _kind_of(reference: _Record) -> str:
    record = _RECORDS[reference["def"]]
    while "OpVariable" in record["!superclasses"]:
        record = _RECORDS[record["constraint"]["def"]]
    return _kind(record)


def _result(spec: Instruction, op: _Record) -> str:
    if spec.typing is Typing.NONE:
        return "None"
    if spec.name == "load":
        return "Any"
    found = _kind_of(op["results"]["args"][0][0])
    return "Any" if "|" in found else found


def _parameters(spec: Instruction, op: _Record) -> str:
    if spec.syntax is Syntax.CONSTANT:
        return "value: Any, type: Any = None"
    kinds = {name: _kind_of(reference) for reference, name in op["arguments"]["args"]}
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


def _documented(head: str, text: str, indent: str = "") -> str:
    first, _, rest = text.partition("\n")
    lines = ["", *textwrap.wrap(rest, 88 - len(indent)), '"""'] if rest else []
    shown = [f'"""{first}', *lines] if rest else [f'"""{first}"""']
    body = "\n".join(f"{indent}    {line}".rstrip() for line in shown)
    return f"{indent}{head}\n{body}\n"


def _summary(spec: Instruction) -> str:
    summary, _, description = documentation(spec).partition("\n\n")
    first = " ".join(description.split("\n\n")[0].split())
    return f"{summary[0].upper()}{summary[1:]}.\n{first}".replace("\\", "").replace('"', "'")


def _modifiers(spec: Instruction) -> list[str]:
    """Return the words that may follow a name."""
    words = [word for modifier in spec.modifiers for word in modifier.choices]
    return [f"{w}_" if keyword.iskeyword(w) else w for w in dict.fromkeys(words)]


def _instruction(name: str) -> str:
    later = SPELLINGS[name.removesuffix("_") if name not in SPELLINGS else name]
    spec = INSTRUCTIONS[later.instruction]
    op = _OPS[spec.name]
    words, text = _modifiers(spec), _summary(spec)
    given, result = _parameters(spec, op), _result(spec, op)
    if name in _OF_ELEMENTS:
        given, result = "*given: Any, **named: Any", "Any"
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


def stub() -> str:
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
    path = pathlib.Path(sys.argv[3])
    path.unlink(missing_ok=True)  # it may be a link to a file of the sources
    path.write_text(stub(), encoding="utf-8")
