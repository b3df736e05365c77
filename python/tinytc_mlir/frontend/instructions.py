# SPDX-License-Identifier: BSD-3-Clause
"""THE table of the language's instructions: names, modifiers, operands, syntax.

Parser, emitter, printer, formatter and highlighters read it. Names, operands and modifiers come
from ODS, by the module that the build generates; here are syntax and typing, which ODS does not
say. A new instruction of an existing syntax is one line here.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import NamedTuple

from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend._instructions_gen import INSTRUCTIONS as _FROM_ODS

SEGMENTS = "operandSegmentSizes"
"""The attribute that says which of several optional operands an op has."""


class Syntax(enum.Enum):
    """Which rule of the grammar an instruction follows after its name and modifiers."""

    __hash__ = object.__hash__  # tables have it as key; that of an enum is slow

    OPERANDS = enum.auto()
    INDEXED = enum.auto()
    ALLOCA = enum.auto()
    CONSTANT = enum.auto()
    EXPAND = enum.auto()
    SUBVIEW = enum.auto()
    YIELD = enum.auto()
    FOR = enum.auto()
    FOREACH = enum.auto()
    FOREACH_TILE = enum.auto()
    IF = enum.auto()
    PARALLEL = enum.auto()
    APPLY = enum.auto()
    PRINT = enum.auto()
    EXPRESSION = enum.auto()


class Typing(enum.Enum):
    """How the type after the colon determines the types of operands and result."""

    NONE = enum.auto()
    """No type is written."""
    RESULT = enum.auto()
    """It is the type of the result and says nothing about the operands."""
    SAME = enum.auto()
    """It is the type of the result and of every operand."""
    FIRST = enum.auto()
    """It is the type of the result and of the first operand."""
    CHOICE = enum.auto()
    """It is the type of the result and of every operand but the first, which is a bool."""
    UPDATE = enum.auto()
    """It is the type of the result and of the first operand, and says nothing about the second."""
    COMPARE = enum.auto()
    """It is `bool`, or, in the older form, the type of the operands."""


@dataclasses.dataclass(frozen=True)
class Modifier:
    """A word after a dot that follows the instruction's name.

    Args:
        attribute: attribute of the op that holds the choice.
        choices: words that are allowed here, without the dot.
        required: whether one of them must be given.
        enum: mnemonic of the enum attribute, None for a unit attribute.
        default: value of the enum attribute if there is no modifier.
        prints_default: whether canonical text has a modifier for the default.
    """

    attribute: str
    choices: tuple[str, ...]
    required: bool = False
    enum: str | None = None
    default: str | None = None
    prints_default: bool = True


@dataclasses.dataclass(frozen=True)
class Instruction:
    """Syntax of one instruction.

    Args:
        name: canonical spelling without modifiers.
        syntax: rule of the grammar that reads the rest.
        operands: names of the operands; `#` marks an integer constant, `"` a string.
        optional: how many of the last operands may be absent.
        indices: names of what is in square brackets; `*` marks a list of any length.
        trailing: names of what follows the square brackets.
        modifiers: what may follow the name, in this order.
        typing: meaning of the type after the colon.
        annotation: kinds of types, or single types, that are allowed after the colon.
    """

    name: str
    syntax: Syntax = Syntax.OPERANDS
    operands: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    typing: Typing = Typing.NONE
    annotation: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    optional: int = 0

    @functools.cached_property
    def op_name(self) -> str:
        """Full name of the dialect's op."""
        return "tinytc." + self.name


MATH = tuple(name for name, generated in _FROM_ODS.items() if generated["is_function"])
"""The functions of floating-point numbers, as they are called here."""

REAL = ("integer", "floating")
SCALAR = (*REAL, "complex")
VALUE = ("bool", *SCALAR, "coopmatrix")

# Syntax, typing and the types after the colon; an instruction that is not listed has operands and
# no type.
_Row = tuple[Syntax, Typing, tuple[str, ...]]
_PLAIN: _Row = (Syntax.OPERANDS, Typing.NONE, ())
_ROWS: dict[str, _Row] = {
    "associated": (Syntax.OPERANDS, Typing.RESULT, ("bool",)),
    "atomic_load": (Syntax.INDEXED, Typing.RESULT, SCALAR),
    "atomic_store": (Syntax.INDEXED, Typing.NONE, ()),
    "atomic_add": (Syntax.INDEXED, Typing.UPDATE, SCALAR),
    "atomic_min": (Syntax.INDEXED, Typing.UPDATE, REAL),
    "atomic_max": (Syntax.INDEXED, Typing.UPDATE, REAL),
    "alloca": (Syntax.ALLOCA, Typing.RESULT, ("memref",)),
    "bitcast": (Syntax.OPERANDS, Typing.RESULT, (*SCALAR, "coopmatrix")),
    "cast": (Syntax.OPERANDS, Typing.RESULT, (*SCALAR, "coopmatrix")),
    "constant": (Syntax.CONSTANT, Typing.RESULT, (*VALUE, "memref")),
    "cooperative_matrix_atomic_load": (Syntax.INDEXED, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_atomic_store": (Syntax.INDEXED, Typing.NONE, ()),
    **dict.fromkeys(
        tuple(f"cooperative_matrix_atomic_{word}" for word in ("add", "min", "max")),
        (Syntax.INDEXED, Typing.UPDATE, ("coopmatrix",)),
    ),
    "cooperative_matrix_apply": (Syntax.APPLY, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_construct": (Syntax.OPERANDS, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_extract": (Syntax.INDEXED, Typing.RESULT, SCALAR),
    "cooperative_matrix_insert": (Syntax.INDEXED, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_load": (Syntax.INDEXED, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_mul_add": (Syntax.OPERANDS, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_prefetch": (Syntax.INDEXED, Typing.NONE, ()),
    "cooperative_matrix_reduce_add": (Syntax.OPERANDS, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_reduce_max": (Syntax.OPERANDS, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_reduce_min": (Syntax.OPERANDS, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_scale": (Syntax.OPERANDS, Typing.RESULT, ("coopmatrix",)),
    "cooperative_matrix_store": (Syntax.INDEXED, Typing.NONE, ()),
    "expand": (Syntax.EXPAND, Typing.RESULT, ("memref",)),
    "expandc2r": (Syntax.OPERANDS, Typing.RESULT, ("memref",)),
    "for": (Syntax.FOR, Typing.NONE, ()),
    "foreach": (Syntax.FOREACH, Typing.NONE, ()),
    "foreach_tile": (Syntax.FOREACH_TILE, Typing.NONE, ()),
    "fuse": (Syntax.INDEXED, Typing.RESULT, ("memref",)),
    "if": (Syntax.IF, Typing.NONE, ()),
    "load": (Syntax.INDEXED, Typing.RESULT, (*SCALAR, "memref")),
    "parallel": (Syntax.PARALLEL, Typing.NONE, ()),
    "print": (Syntax.PRINT, Typing.NONE, ()),
    "select": (Syntax.OPERANDS, Typing.CHOICE, ("bool", *SCALAR)),
    "size": (Syntax.INDEXED, Typing.RESULT, ("index",)),
    "store": (Syntax.INDEXED, Typing.NONE, ()),
    "subgroup_broadcast": (Syntax.OPERANDS, Typing.FIRST, SCALAR),
    "subview": (Syntax.SUBVIEW, Typing.RESULT, ("memref",)),
    "yield": (Syntax.YIELD, Typing.NONE, ()),
    **dict.fromkeys(MATH, (Syntax.OPERANDS, Typing.SAME, SCALAR)),
    **dict.fromkeys(("arith.abs", "arith.im", "arith.re"), (Syntax.OPERANDS, Typing.RESULT, VALUE)),
}
_FAMILY_ROWS: dict[str, _Row] = {
    "arith.": (Syntax.OPERANDS, Typing.SAME, VALUE),
    "builtin.": (Syntax.OPERANDS, Typing.RESULT, ("integer",)),
    "cmp.": (Syntax.OPERANDS, Typing.COMPARE, ("bool", *SCALAR)),
    "subgroup_": (Syntax.OPERANDS, Typing.SAME, SCALAR),
}
"""The common part of all instructions whose name begins so."""


def _row(name: str) -> _Row:
    family = next((row for prefix, row in _FAMILY_ROWS.items() if name.startswith(prefix)), _PLAIN)
    return _ROWS.get(name, family)


def _with_default(modifier: Modifier) -> Modifier:
    """Return the modifier with the default of version 0.4, which may also be written."""
    if modifier.enum in ("memory_scope", "memory_semantics"):
        words = ENUMS[modifier.enum]
        return dataclasses.replace(modifier, choices=words, prints_default=False)
    if modifier.enum not in ("transpose", "tensor_form"):
        return modifier
    if modifier.default is not None:
        return dataclasses.replace(modifier, choices=ENUMS["transpose"], prints_default=False)
    return dataclasses.replace(modifier, required=False, default="n")


def _instruction(name: str) -> Instruction:
    """Return what ODS and the rows above say of an instruction."""
    generated = _FROM_ODS[name]
    syntax, typing, annotation = _row(name)
    return Instruction(
        name,
        syntax,
        generated["operands"],
        generated["indices"],
        tuple(_with_default(Modifier(**modifier)) for modifier in generated["modifiers"]),
        typing,
        annotation,
        generated["trailing"],
        generated["optional"],
    )


INSTRUCTIONS = {name: _instruction(name) for name in _FROM_ODS}
"""Every instruction by its canonical name."""

ALIASES = {
    "hadamard": "hadamard_product",
    **{name.removeprefix("builtin."): name for name in INSTRUCTIONS if name.startswith("builtin.")},
}
"""Other accepted spellings, and the canonical one."""

EARLIER = {
    *(name for name in INSTRUCTIONS if name.startswith(("arith.", "builtin.", "cmp."))),
    *("alloca", "axpby", "barrier", "cast", "constant", "cumsum", "expand", "for", "foreach"),
    *("fuse", "gemm", "gemv", "ger", "hadamard_product", "if", "lifetime_stop", "load"),
    *("math.exp", "math.native_exp", "parallel", "size", "store", "subview", "sum", "yield"),
    *(f"cooperative_matrix_{word}" for word in ("load", "mul_add", "scale", "store")),
    *(f"subgroup_{word}" for word in ("add", "broadcast", "max", "min")),
}
"""The instructions that version 0.3 of the language has too."""

NEWEST = ("bitcast", "expandc2r")
"""The instructions that only version 0.5 of the language has."""

EXTENSIONS = tuple(name for name, generated in _FROM_ODS.items() if generated["is_extension"])
"""The instructions that no version of the language has, only this compiler."""

EXTENSION_MODIFIERS = ("reverse", "r", "c")
"""The modifiers that no version of the language has."""

CALCULATOR_SINCE_0_5 = ("shl", "shr", "and", "or", "xor", "not")
"""The operators of `!calc` that only version 0.5 of the language has."""

FAMILIES = {name.split(".")[0] for name in INSTRUCTIONS if "." in name}
"""Names whose first modifier is part of the instruction's name."""


class LaterSpelling(NamedTuple):
    """The meaning of a name of version 0.4 of the language.

    Args:
        instruction: canonical name.
        modifiers: the modifiers that are part of the later name.
    """

    instruction: str
    modifiers: tuple[str, ...] = ()


LATER_SPELLINGS = {
    "equal": LaterSpelling("cmp.eq"),
    "not_equal": LaterSpelling("cmp.ne"),
    "greater_than": LaterSpelling("cmp.gt"),
    "greater_than_equal": LaterSpelling("cmp.ge"),
    "less_than": LaterSpelling("cmp.lt"),
    "less_than_equal": LaterSpelling("cmp.le"),
    "num_groups": LaterSpelling("builtin.group_size"),
    "subgroup_linear_id": LaterSpelling("builtin.subgroup_id"),
    **{
        f"subgroup_{operation}_{word}": LaterSpelling(f"subgroup_{word}", (operation,))
        for word in ("add", "max", "min")
        for operation in ENUMS["group_operation"]
    },
    **{
        name.split(".")[1]: LaterSpelling(name)
        for name in INSTRUCTIONS
        if name.startswith(("arith.", "math."))
    },
}
"""Spellings of version 0.4 of the language, which mean the same as one of this version."""

SPELLINGS = {
    **{name: LaterSpelling(name) for name in INSTRUCTIONS},
    **{alias: LaterSpelling(name) for alias, name in ALIASES.items()},
    **LATER_SPELLINGS,
}
"""All names of instructions, and what they stand for."""

EXPRESSION = Instruction("expression", Syntax.EXPRESSION, typing=Typing.RESULT, annotation=VALUE)
"""Expressions that may be in place of an instruction."""

EXPRESSION_FUNCTIONS = {
    name: INSTRUCTIONS[spelling.instruction]
    for name, spelling in SPELLINGS.items()
    if spelling.instruction.startswith(("arith.", "cmp."))
    or spelling.instruction in (*MATH, "bitcast", "cast", "select")
}
"""The instructions that an expression can call, by all of their names."""

WITH_DIMENSION = {
    "builtin.group_id": "group_id",
    "builtin.group_size": "num_groups",
    "builtin.num_subgroups": "num_subgroups",
    "builtin.subgroup_id": "subgroup_id",
}
"""Names of version 0.4 that a dimension of a grid follows, by the instruction."""
