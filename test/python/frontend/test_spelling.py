"""Messages spell types as the text does, whatever the type."""

import itertools

import pytest
from mlir import ir

from tinytc_mlir import frontend
from tinytc_mlir.dialects.tinytc import CoopMatrixType, GroupType, MemrefType, register_dialect
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.names import written_names
from tinytc_mlir.frontend.spelling import rewrite_message, rewrite_types, type_text

COMPONENTS = ["i8", "i32", "bf16", "f16", "f32", "f64", "complex<f32>"]
ELEMENTS = [*COMPONENTS, "i16", "i64", "index", "complex<f64>"]
SHAPES = [([], []), ([4], [1]), ([4, 8], None), ([4, None], [1, 4]), ([None, None], [None, None])]
SHAPES += [([4, 8], [1, 16]), ([4, 8], [2, None]), ([None, 4, 2], None), ([4, 0], None)]


def all_types():
    yield ir.Type.parse("i1")
    yield from map(ir.Type.parse, ELEMENTS)
    for element in map(ir.Type.parse, ELEMENTS):
        for (shape, stride), space in itertools.product(SHAPES, ("global", "local")):
            yield MemrefType.get(shape, element, stride, space)
        for (shape, stride), size, offset in itertools.product(SHAPES, (3, None), (0, 4, None)):
            yield GroupType.get(MemrefType.get(shape, element, stride), size, offset)
    for component, use in itertools.product(COMPONENTS, ("matrix_a", "matrix_b", "matrix_acc")):
        yield CoopMatrixType.get(8, 16, ir.Type.parse(component), use)


@pytest.mark.parametrize(
    "pattern", ["{0}", "'{0}'", "expected '{0}' and {0}, got '{0}'", "('{0}')"]
)
def test_types(pattern):
    context = ir.Context()
    register_dialect(context)
    with context, ir.Location.unknown():
        for type_ in all_types():
            expected = pattern.replace("'", "").format(type_text(type_))
            # MLIR quotes types of dialects and builtin ones; the text needs no quotes.
            assert rewrite_types(pattern.format(type_)).replace("'", "") == expected
            assert "!tinytc" not in expected
            assert "complex" not in expected


MESSAGES = [
    ("'tinytc.gemm' op expected 'c' to be f32", "expected 'c' to be f32"),
    ("'tinytc.gemm' op error: expected 'c' to be f32", "expected 'c' to be f32"),
    ("'tinytc.gemm' op is not there", "'gemm' is not there"),
    ("failed to legalize operation 'tinytc.arith.add'", "failed to legalize operation 'arith.add'"),
]


@pytest.mark.parametrize(("message", "expected"), MESSAGES)
def test_instructions(message, expected):
    assert rewrite_message(message) == expected


LATER = "%c = less_than %x, %x : bool ; arith.mul"


@pytest.mark.parametrize(
    ("text", "op", "expected"),
    [
        (LATER, "cmp.lt", "less_than"),
        (LATER, "arith.mul", "mul"),
        (LATER, "builtin.subgroup_id", "subgroup_linear_id"),
        (LATER, "gemm", "gemm"),
        ("%c = cmp.lt %x, %x : bool", "cmp.lt", "cmp.lt"),
        ("%c = cmp.lt %x, %x : bool ; less_than", "arith.mul", "arith.mul"),
        ('$s = "less_than"', "cmp.lt", "cmp.lt"),
        ("%less_than = arith.mul %x, %x : f32", "cmp.lt", "cmp.lt"),
        ("hadamard %a, %x, %y, %b, %z", "hadamard_product", "hadamard"),
        ("%g = group_id.x : index", "builtin.group_id", "group_id.x"),
        ("%m = subgroup_reduce_max %x : f32", "subgroup_max", "subgroup_reduce_max"),
    ],
)
def test_messages_name_what_the_text_has(text, op, expected):
    names = written_names(text)
    assert rewrite_message(f"failed on 'tinytc.{op}'", names) == f"failed on '{expected}'"


def test_the_spelling_at_the_place_comes_first():
    text = "%a = arith.add %x, %x : f32\n%b = add %x, %x : f32"
    assert written_names(text)["arith.add"] == "arith.add"
    assert written_names(text, text.index("add %x, %x : f32", 20))["arith.add"] == "add"


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("%c = less_than %x : bool", "expected ',' and operand 2 of 2 of 'less_than', got ':'"),
        ("%c = cmp.lt %x : bool", "expected ',' and operand 2 of 2 of 'cmp.lt', got ':'"),
        ("subgroup_reduce_add %x : f32", "expected 1 result of 'subgroup_reduce_add', got 0"),
        ("%y = hadamard %x", "expected no result before '=', got 1: 'hadamard' has none"),
    ],
)
def test_messages_of_the_parser(instruction, message):
    with pytest.raises(ParseError) as caught:
        frontend.parse(f"func @f(%x: f32) {{ {instruction} }}")
    assert caught.value.diagnostics[0].message == message
