"""The front-end's tables agree with the dialect and with each other."""

import pytest

from tinytc_mlir.dialects import tinytc
from tinytc_mlir.frontend.instructions import (
    ALIASES,
    INSTRUCTIONS,
    LATER_SPELLINGS,
    WITH_DIMENSION,
)
from tinytc_mlir.frontend.lexer import tokenize
from tinytc_mlir.frontend.source import Reporter, Source
from tinytc_mlir.frontend.tokens import SIMPLE_TYPES

OPS = {
    op.OPERATION_NAME: op
    for op in vars(tinytc).values()
    if isinstance(op, type) and hasattr(op, "OPERATION_NAME")
}

# dialect/LoweringOps.td and dialect/CheckOps.td: the text has no word for these.
MADE_BY_LOWERING = (
    "tinytc.atomic",
    "tinytc.opaque_index",
    "tinytc.complex_parts",
    "tinytc.is_convertible",
    "tinytc.is_divisible",
    "tinytc.packed_mul_add",
    "tinytc.report",
    "tinytc.stride",
    "tinytc.subgroup_block_load",
    "tinytc.subgroup_matrix_mul_add",
    "tinytc.tile_product",
    "tinytc.warp_matrix_mul_add",
)


def test_each_op_is_an_instruction() -> None:
    names = {spec.op_name for spec in INSTRUCTIONS.values()}
    assert names | {"tinytc.func", *MADE_BY_LOWERING} == set(OPS)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_operands_and_modifiers_are_those_of_the_op(name: str) -> None:
    spec = INSTRUCTIONS[name]
    op = OPS[spec.op_name]
    names = [*spec.operands, *spec.indices, *(m.attribute for m in spec.modifiers)]
    for attribute in (n.lstrip('#"*') for n in names):
        # The generated classes append an underscore to Python keywords.
        assert hasattr(op, attribute) or hasattr(op, attribute + "_"), attribute


def test_other_spellings_lead_to_instructions() -> None:
    assert set(ALIASES.values()) <= set(INSTRUCTIONS)
    for later in LATER_SPELLINGS.values():
        choices = [m.choices for m in INSTRUCTIONS[later.instruction].modifiers]
        assert len(later.modifiers) <= len(choices)
        assert all(word in words for word, words in zip(later.modifiers, choices, strict=False))
    assert set(WITH_DIMENSION.values()) <= {*ALIASES, *LATER_SPELLINGS}
    kinds = {name: [m.enum for m in spec.modifiers] for name, spec in INSTRUCTIONS.items()}
    assert [name for name in kinds if kinds[name] == ["dimension"]] == list(WITH_DIMENSION)
    assert not set(ALIASES) & set(INSTRUCTIONS)
    assert not set(LATER_SPELLINGS) & (set(INSTRUCTIONS) | set(ALIASES))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("f32x16x8", ["scalar type", "x", "integer constant", "x", "integer constant"]),
        ("indexx4", ["scalar type", "x", "integer constant"]),
        ("i8x?", ["scalar type", "x", "?"]),
        ("i80", ["word"]),
        ("f32y", ["word"]),
        ("%1x2", ["local identifier", "x", "integer constant"]),
        ("%ax2", ["local identifier"]),
        ("$T x$N", ["compile-time variable", "x", "compile-time variable"]),
        ("0x8", ["integer constant", "x", "integer constant"]),
        ("0x8.", ["floating constant"]),
        ("1->2", ["integer constant", "->", "integer constant"]),
        ("1-2", ["integer constant", "integer constant"]),
        ("7 % 2", ["integer constant", "%", "integer constant"]),
        ("-inf infx", ["floating constant", "word"]),
        (".5.n", ["floating constant", "modifier"]),
        ('"; no comment" ; one', ["string"]),
        ("a;b\nc", ["word", "word"]),
        ("!calc", ["calculator"]),
        ("@0 @f_1", ["global identifier", "global identifier"]),
    ],
)
def test_tokens(text: str, kinds: list[str]) -> None:
    reporter = Reporter(Source(text, "t.ir"))
    assert [token.kind for token in tokenize(reporter)[:-1]] == kinds
    assert not reporter


@pytest.mark.parametrize("name", SIMPLE_TYPES)
def test_simple_types_are_one_token(name: str) -> None:
    (token, _) = tokenize(Reporter(Source(name, "t.ir")))
    assert token.text == name
