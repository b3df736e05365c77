"""Messages spell types as the text does, whatever the type."""

import itertools

import pytest
from mlir import ir

from tinytc_mlir.dialects.tinytc import CoopMatrixType, GroupType, MemrefType, register_dialect
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
