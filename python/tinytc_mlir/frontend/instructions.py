"""THE table of the language's instructions: names, modifiers, operands, syntax.

Parser, emitter, printer, formatter and highlighters read it; a new instruction of an
existing syntax is one line here.
"""

from __future__ import annotations

import dataclasses
import enum


class Syntax(enum.Enum):
    """Which rule of the grammar an instruction follows after its name and modifiers."""

    OPERANDS = enum.auto()
    INDEXED = enum.auto()
    ALLOCA = enum.auto()
    CONSTANT = enum.auto()
    EXPAND = enum.auto()
    SUBVIEW = enum.auto()
    YIELD = enum.auto()
    FOR = enum.auto()
    FOREACH = enum.auto()
    IF = enum.auto()
    PARALLEL = enum.auto()


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
    """

    attribute: str
    choices: tuple[str, ...]
    required: bool = False
    enum: str | None = None


@dataclasses.dataclass(frozen=True)
class Instruction:
    """Syntax of one instruction.

    Args:
        name: canonical spelling without modifiers.
        syntax: rule of the grammar that reads the rest.
        operands: names of the operands; `#` marks an integer constant.
        indices: names of what is in square brackets; `*` marks a list of any length.
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

    @property
    def op_name(self) -> str:
        """Full name of the dialect's op."""
        return "tinytc." + self.name


SCALAR = ("integer", "floating", "complex")
VALUE = ("bool", *SCALAR, "coopmatrix")

_ATOMIC = Modifier("atomic", ("atomic",))
_TRANSPOSE, _TRANSPOSE_A, _TRANSPOSE_B = (
    Modifier(attribute, ("n", "t"), True, "transpose")
    for attribute in ("transpose", "transpose_a", "transpose_b")
)
_STORE_FLAG = Modifier("flag", ("atomic", "atomic_add"), enum="store_flag")
_CHECKED = Modifier("checked", ("rows_checked", "cols_checked", "both_checked"), enum="checked")
_GROUP_OPERATION = Modifier(
    "mode", ("exclusive_scan", "inclusive_scan", "reduce"), True, "group_operation"
)
_FENCES = (Modifier("fence_global", ("global",)), Modifier("fence_local", ("local",)))

BUILTINS = (
    "group_id",
    "group_size",
    "num_subgroups",
    "subgroup_size",
    "subgroup_id",
    "subgroup_local_id",
)


def _typed(
    name: str,
    syntax: Syntax,
    operands: tuple[str, ...],
    annotation: tuple[str, ...],
    typing: Typing = Typing.RESULT,
    *,
    indices: tuple[str, ...] = (),
    modifiers: tuple[Modifier, ...] = (),
) -> Instruction:
    return Instruction(name, syntax, operands, indices, modifiers, typing, annotation)


def _blas(name: str, operands: str, *modifiers: Modifier) -> Instruction:
    return Instruction(name, operands=tuple(operands.split()), modifiers=(*modifiers, _ATOMIC))


def _family(
    prefix: str, words: str, operands: str, annotation: tuple[str, ...], typing: Typing
) -> list[Instruction]:
    return [
        _typed(prefix + word, Syntax.OPERANDS, tuple(operands.split()), annotation, typing)
        for word in words.split()
    ]


_COLLECTIVE = [
    _typed("alloca", Syntax.ALLOCA, (), ("memref",)),
    _blas("axpby", "alpha a beta b", _TRANSPOSE),
    _blas("cumsum", "alpha a #mode beta b"),
    Instruction("foreach", Syntax.FOREACH),
    _blas("gemm", "alpha a b beta c", _TRANSPOSE_A, _TRANSPOSE_B),
    _blas("gemv", "alpha a b beta c", _TRANSPOSE_A),
    _blas("ger", "alpha a b beta c"),
    _blas("hadamard_product", "alpha a b beta c"),
    Instruction("parallel", Syntax.PARALLEL),
    _blas("sum", "alpha a beta b", _TRANSPOSE),
]

_MIXED = [
    *_family("arith.", "add sub mul div rem min max shl shr and or xor", "a b", VALUE, Typing.SAME),
    *_family("arith.", "neg not conj", "a", VALUE, Typing.SAME),
    *_family("arith.", "abs im re", "a", VALUE, Typing.RESULT),
    Instruction("barrier", modifiers=_FENCES),
    *_family("builtin.", " ".join(BUILTINS), "", ("integer",), Typing.RESULT),
    _typed("cast", Syntax.OPERANDS, ("a",), (*SCALAR, "coopmatrix")),
    *_family("cmp.", "eq ne gt ge lt le", "a b", ("bool", *SCALAR), Typing.COMPARE),
    _typed("constant", Syntax.CONSTANT, (), VALUE),
    _typed("expand", Syntax.EXPAND, ("source",), ("memref",)),
    Instruction("for", Syntax.FOR),
    _typed("fuse", Syntax.INDEXED, ("source",), ("memref",), indices=("#from", "#to")),
    Instruction("if", Syntax.IF),
    Instruction("lifetime_stop", operands=("memref",)),
    _typed("load", Syntax.INDEXED, ("source",), (*SCALAR, "memref"), indices=("*indices",)),
    *_family("math.", "exp native_exp", "a", SCALAR, Typing.SAME),
    _typed("size", Syntax.INDEXED, ("source",), ("index",), indices=("#mode",)),
    Instruction(
        "store", Syntax.INDEXED, ("value", "dest"), ("*indices",), modifiers=(_STORE_FLAG,)
    ),
    _typed("subview", Syntax.SUBVIEW, ("source",), ("memref",)),
    Instruction("yield", Syntax.YIELD),
]

_COOPMATRIX = ("coopmatrix",)
_SPMD = [
    _typed(
        "cooperative_matrix_load",
        Syntax.INDEXED,
        ("source",),
        _COOPMATRIX,
        indices=("x", "y"),
        modifiers=(_TRANSPOSE, _CHECKED),
    ),
    _typed("cooperative_matrix_mul_add", Syntax.OPERANDS, ("a", "b", "c"), _COOPMATRIX),
    _typed("cooperative_matrix_scale", Syntax.OPERANDS, ("scalar", "matrix"), _COOPMATRIX),
    Instruction(
        "cooperative_matrix_store",
        Syntax.INDEXED,
        ("matrix", "dest"),
        ("x", "y"),
        (_CHECKED, _STORE_FLAG),
    ),
    _typed("subgroup_broadcast", Syntax.OPERANDS, ("a", "lane"), SCALAR, Typing.FIRST),
    *(
        _typed(
            f"subgroup_{word}",
            Syntax.OPERANDS,
            ("a",),
            SCALAR,
            Typing.SAME,
            modifiers=(_GROUP_OPERATION,),
        )
        for word in ("add", "max", "min")
    ),
]

INSTRUCTIONS = {i.name: i for i in (*_COLLECTIVE, *_MIXED, *_SPMD)}
"""Every instruction by its canonical name."""

ALIASES = {"hadamard": "hadamard_product", **{word: f"builtin.{word}" for word in BUILTINS}}
"""Other accepted spellings, and the canonical one."""

FAMILIES = {name.split(".")[0] for name in INSTRUCTIONS if "." in name}
"""Names whose first modifier is part of the instruction's name."""

LATER_SPELLINGS = {
    "equal": "cmp.eq",
    "not_equal": "cmp.ne",
    "greater_than": "cmp.gt",
    "greater_than_equal": "cmp.ge",
    "less_than": "cmp.lt",
    "less_than_equal": "cmp.le",
    "num_groups": "builtin.group_size",
    "atomic_store": "store.atomic",
    "atomic_add": "store.atomic_add",
    "foreach_tile": "foreach",
    "exp": "math.exp",
    "native_exp": "math.native_exp",
    **{name.split(".")[1]: name for name in INSTRUCTIONS if name.startswith("arith.")},
}
"""Spellings of version 0.4 of the language, and what this version writes instead."""

LATER_INSTRUCTIONS = {
    "atomic_load",
    "atomic_min",
    "atomic_max",
    "associated",
    "cooperative_matrix_apply",
    "cooperative_matrix_atomic_load",
    "cooperative_matrix_atomic_store",
    "cooperative_matrix_construct",
    "cooperative_matrix_extract",
    "cooperative_matrix_insert",
    "cooperative_matrix_prefetch",
    "cooperative_matrix_reduce_add",
    "cooperative_matrix_reduce_max",
    "cooperative_matrix_reduce_min",
}
"""Instructions of version 0.4 that this version lacks."""
