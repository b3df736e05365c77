"""What compile() and lower() say: places of the source, and words of its language."""

import pytest

import tinytc_mlir as tt

NO_F64 = "expected no f64 on target 'intel-gpu:dg2', which has no such type, got "
PARAMETER = "func @f(%A: memref<f64x4x8>) {\n}\n"
LOCAL = "func @f() {\n  %a = alloca : memref<f64x16x?,strided<1,16>,local>\n}\n"


@pytest.fixture(scope="module")
def context():
    return tt.Context()


def refused(call, *arguments, **named):
    with pytest.raises(tt.LoweringError) as caught:
        call(*arguments, **named)
    assert "current operation" not in str(caught.value)
    return caught.value


def test_types_are_spelled_as_in_the_text(context):
    module = context.parse(PARAMETER, "f.ir")
    for error in (
        refused(module.compile, "intel-gpu:dg2"),
        refused(module.lower, "gpu", target="intel-gpu:dg2"),
    ):
        (diagnostic,) = error.diagnostics
        assert diagnostic.message == NO_F64 + "memref<f64x4x8>"
        assert (diagnostic.filename, diagnostic.line) == ("f.ir", 1)
        assert diagnostic.excerpt == "func @f(%A: memref<f64x4x8>) {"


def test_types_of_mlir_are_spelled_as_mlir_does(context):
    module = context.parse_mlir("tinytc.func @f(%A: !tinytc.memref<4x8xf64>) {\n}")
    (diagnostic,) = refused(module.compile, "intel-gpu:dg2").diagnostics
    assert diagnostic.message == NO_F64 + "'!tinytc.memref<4x8xf64>'"


EMPTY = ["", "; a comment\n", "$A = 3\n"]


@pytest.mark.parametrize("text", EMPTY)
def test_empty_program(context, text):
    error = refused(context.parse(text).compile, "cpu")
    assert str(error) == "error: expected a program with a function, got an empty one"


def test_module_that_is_no_program(context):
    module = context.parse_mlir("module {\n  module @inner {\n  }\n}")
    (diagnostic,) = refused(module.compile, "cpu").diagnostics
    assert diagnostic.message == (
        "expected a prepared module and one spirv.module made of it, got 0 of the latter"
    )
    assert diagnostic.line == 1
    assert diagnostic.excerpt == "module {"
