# SPDX-License-Identifier: BSD-3-Clause
"""How the language spells attributes of ops; those that it cannot spell are errors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from mlir import ir

from tinytc_mlir._tinytc import schedule_entries
from tinytc_mlir.dialects.dense import constant_array
from tinytc_mlir.errors import CompileError, Diagnostic
from tinytc_mlir.frontend import spelling
from tinytc_mlir.frontend.attributes import USER_PREFIX
from tinytc_mlir.frontend.instructions import SEGMENTS, Instruction, Syntax
from tinytc_mlir.frontend.tokens import ATTRIBUTE_NAMES, ATTRIBUTES
from tinytc_mlir.scalars import ScalarType, scalar_type_named
from tinytc_mlir.shapes import DYNAMIC

_STRING = re.compile(r"[ !#-~]*")
# Attributes of functions, allocas and loops that are written outside of their dictionaries.
_IN_SYNTAX = ("sym_name", "function_type", "arg_attrs", SEGMENTS)
_SYNTAX_ATTRIBUTES: dict[Syntax, set[str]] = {
    Syntax.CONSTANT: {"value"},
    Syntax.EXPAND: {"mode", "static_shape"},
    Syntax.FOREACH_TILE: {"sizes"},
    Syntax.SUBVIEW: {"static_offsets", "static_sizes", SEGMENTS},
}


def dictionary_text(
    op: ir.Operation, attributes: Iterable[tuple[str, ir.Attribute]], prefix: str = ""
) -> str:
    """Return attributes of the language and of the user as a dictionary after a space.

    Raises:
        CompileError: there are others, which a text would lose.
    """
    known = ATTRIBUTES["parameter" if prefix else op.name.removeprefix("tinytc.")]
    entries = []
    for name, attribute in attributes:
        if name.startswith(USER_PREFIX):
            _check_user_attribute(op, name, attribute)
            key = f'"{name.removeprefix(USER_PREFIX)}"'
        elif name.startswith(prefix) and name.removeprefix(prefix) in known:
            key = name.removeprefix(prefix)
        elif not prefix and name in _IN_SYNTAX:
            continue
        else:
            raise _foreign(op, name)
        is_schedule = not prefix and key == "schedule"
        text = schedule_text(attribute) if is_schedule else attribute_text(op, attribute)
        entries.append(f"{key}={text}")
    return " {" + ", ".join(sorted(entries)) + "}" if entries else ""


def schedule_text(attribute: ir.Attribute) -> str:
    """Return a schedule in the language's spelling, without the entries left to the compiler."""
    entries = schedule_entries(attribute)
    given = (f"{name}={entries[name]}" for name in ATTRIBUTES["schedule"] if entries[name])
    return "{" + ", ".join(given) + "}"


def attributes_in_syntax(spec: Instruction) -> set[str]:
    """Return the attributes of an op that its instruction spells without a dictionary."""
    names = {modifier.attribute for modifier in spec.modifiers}
    words = (*spec.operands, *spec.indices, *spec.trailing)
    names |= {name[1:] for name in words if name[0] in '#"'}
    names |= {SEGMENTS} if spec.optional > 1 else set()
    return names | _SYNTAX_ATTRIBUTES.get(spec.syntax, set())


def refuse_attributes(op: ir.Operation, known: Collection[str] = ()) -> None:
    """Refuse attributes that a text would lose."""
    for name in op.attributes.keys():  # noqa: SIM118, no mapping of Python's
        if name not in known:
            raise _foreign(op, name)


def _check_user_attribute(op: ir.Operation, name: str, attribute: ir.Attribute) -> None:
    """Check that an attribute of the user is of a kind that a text gives back."""
    if isinstance(attribute, ir.ArrayAttr):
        for item in attribute:
            _check_user_attribute(op, name, item)
    elif isinstance(attribute, ir.DictAttr):
        for entry in attribute:
            _check_user_attribute(op, name, entry.attr)
    elif isinstance(attribute, ir.IntegerAttr) and not isinstance(attribute, ir.BoolAttr):
        if str(attribute.type) != "i64":
            raise error(op, f"expected an i64 in attribute '{name}', got {attribute}")
    elif not isinstance(attribute, (ir.BoolAttr, ir.StringAttr)):
        raise error(op, f"expected an attribute of the language as '{name}', got {attribute}")


def _foreign(op: ir.Operation, name: str) -> CompileError:
    where = op.name.removeprefix("tinytc.")
    return error(op, f"expected attributes of '{where}' that the text can spell, got '{name}'")


def attribute_text(op: ir.Operation, attribute: ir.Attribute) -> str:
    """Return an attribute in the language's spelling."""
    if isinstance(attribute, ir.BoolAttr):
        return str(attribute.value).lower()
    if isinstance(attribute, ir.IntegerAttr):
        return str(attribute.value)
    if isinstance(attribute, ir.StringAttr) and _STRING.fullmatch(attribute.value):
        return f'"{attribute.value}"'
    if isinstance(attribute, (ir.DenseI32ArrayAttr, ir.DenseI64ArrayAttr)):
        return f"[{', '.join(map(str, attribute))}]"
    if isinstance(attribute, ir.ArrayAttr):
        return f"[{', '.join(attribute_text(op, item) for item in attribute)}]"
    if isinstance(attribute, ir.DictAttr):
        entries = [f"{_key(entry.name)}={attribute_text(op, entry.attr)}" for entry in attribute]
        return "{" + ", ".join(entries) + "}"
    raise error(op, f"expected an attribute of the language, got {attribute}")


def _key(name: str) -> str:
    return name if name in ATTRIBUTE_NAMES else f'"{name}"'


def constant_text(op: ir.Operation, attribute: ir.Attribute) -> str:
    """Return the value of a constant in the language's spelling."""
    if isinstance(attribute, ir.BoolAttr):
        return str(attribute.value).lower()
    if isinstance(attribute, ir.IntegerAttr) and attribute.value != DYNAMIC:
        return str(attribute.value)
    if isinstance(attribute, ir.FloatAttr):
        return spelling.floating_text(attribute.value, spelling.type_text(attribute.type))
    if isinstance(attribute, ir.ArrayAttr):
        return f"[{', '.join(constant_text(op, part) for part in attribute)}]"
    raise error(op, f"expected a constant of the language, got {attribute}")


def elements_text(op: ir.Operation) -> str:
    """Return the value of a constant memref in the language's spelling."""
    scalar_type = scalar_type_named(str(op.results[0].type.element_type))
    array = scalar_type.from_memory(constant_array(op))
    if array.size > 1 and _is_splat(array):
        array = array.reshape(-1)[0]
    return f"dense<{_elements_text(array, scalar_type)}>"


def _is_splat(array: npt.NDArray[Any]) -> bool:
    """Return whether all elements have the same bits."""
    flat = np.ascontiguousarray(array).reshape(-1, 1).view(np.uint8)
    return bool((flat == flat[0]).all())


def _elements_text(array: npt.NDArray[Any], scalar_type: ScalarType) -> str:
    if np.ndim(array):
        return f"[{', '.join(_elements_text(each, scalar_type) for each in array)}]"
    if scalar_type.kind == "integer":
        return str(int(array))
    real = scalar_type.real.name
    if scalar_type.kind != "complex":
        return spelling.floating_text(float(array), real)
    parts = (spelling.floating_text(float(part), real) for part in (array.real, array.imag))
    return f"[{', '.join(parts)}]"


def error(op: ir.Operation, message: str) -> CompileError:
    """Return an error at the place of an op."""
    location = op.location
    while location.is_a_name():
        location = location.child_loc
    if not location.is_a_file():
        return CompileError([Diagnostic("error", message)])
    place = (location.filename, location.start_line, location.start_col)
    return CompileError([Diagnostic("error", message, *place)])
