"""Debug builds report divisions, conversions and loops that the language leaves undefined."""

import numpy as np
import pytest

from cases.violations import expect, expect_nothing, launch
from interpreting import DTYPES, HEAD, INTEGERS, array
from program_types import FLOATS
from tinytc_mlir.reference.checks import cast_check, division_check
from tinytc_mlir.scalars import SCALAR_TYPES, bfloat16_bits, bfloat16_values


@pytest.mark.similar
@pytest.mark.parametrize("word", ["div", "rem"])
@pytest.mark.parametrize("type_", INTEGERS)
def test_division(word, type_):
    text = f"""
    func @f(%a: {type_}, %b: {type_}, %R: memref<{type_}>) {{
        %c = @@ arith.{word} %a, %b : {type_}
        store %c, %R[]
    }}"""
    smallest = int(np.iinfo(DTYPES[type_]).min)
    rule = "expected a divisor that is not 0 and a quotient within the type's range, got "
    for a, b in (7, 0), (smallest, -1):
        (r,) = expect(text, f"{rule}{a} divided by {b} (group 0)", a, b, array(5, type_))
        assert r.array == 0
    (r,) = expect_nothing(text.replace("@@ ", ""), smallest + 1, -1, array(5, type_))
    assert r == (0 if word == "rem" else -(smallest + 1))


@pytest.mark.parametrize("divisor", [0, -1])
def test_division_by_a_constant(divisor):
    text = f"""
    func @f(%a: i16, %R: memref<i16>) {{
        %b = constant {divisor} : i16
        %c = @@ arith.div %a, %b : i16
        store %c, %R[]
    }}"""
    expect(text, f"got -32768 divided by {divisor}", -32768, array(5, "i16"))


@pytest.mark.similar
@pytest.mark.parametrize("word", ["div", "rem"])
@pytest.mark.parametrize("type_", INTEGERS)
def test_divisions_in_lanes(word, type_):
    text = f"""
    func @f(%A: memref<{type_}x?>, %B: memref<{type_}x?>, %R: memref<{type_}x?>) {HEAD} {{
        %0 = constant 0 : index
        %n = size %A[0] : index
        foreach (%i)=(%0),(%n) {{
            %a = load %A[%i] : {type_}
            %b = load %B[%i] : {type_}
            %c = arith.{word} %a, %b : {type_}
            store %c, %R[%i]
        }}
    }}"""
    limits = np.iinfo(DTYPES[type_])
    some = [limits.min, limits.min + 1, -7, -1, 0, 1, 3, limits.max]
    a, b = (x.astype(DTYPES[type_]).reshape(-1) for x in np.meshgrid(some, some))
    violations = division_check(word, SCALAR_TYPES[type_])(a, b)
    undefined = violations[0].found | violations[1].found
    error, (_, _, r) = launch(text, a, b, np.zeros_like(a))
    assert f"; {undefined.sum() - 1} more violations)" in str(error)
    divisor = np.where(undefined, 1, b)
    function = np.fmod if word == "rem" else lambda x, y: (x - np.fmod(x, y)) // y
    assert (r.array == np.where(undefined, 0, function(a, divisor))).all()


@pytest.mark.similar
@pytest.mark.parametrize("result", INTEGERS)
@pytest.mark.parametrize("source", FLOATS)
def test_casts_at_the_limits(source, result):
    text = f"""
    func @f(%A: memref<{source}x?>, %R: memref<{result}x?>) {{
        %0 = constant 0 : index
        %n = size %A[0] : index
        foreach (%i)=(%0),(%n) {{
            %a = load %A[%i] : {source}
            %b = cast %a : {result}
            store %b, %R[%i]
        }}
    }}"""
    limit = 2.0 ** (SCALAR_TYPES[result].bits - 1)
    dtype = np.float32 if source == "bf16" else DTYPES[source].type
    with np.errstate(over="ignore"):
        near = np.array([limit, limit + 1, limit + 2, limit - 1, limit - 0.5, limit + 0.5], dtype)
        near = np.concatenate(
            [near, np.nextafter(near, dtype(0)), np.nextafter(near, dtype("inf"))]
        )
        some = np.concatenate([near, -near, [0, -0.0, 0.75, -3.5, np.nan, np.inf, -np.inf]])
        some = some.astype(dtype)
        if source == "bf16":
            some = bfloat16_values(bfloat16_bits(some))
    undefined = cast_check(SCALAR_TYPES[source], SCALAR_TYPES[result])(some).found
    argument = bfloat16_bits(some) if source == "bf16" else some
    error, (_, r) = launch(text, argument, np.ones(some.size, DTYPES[result]))
    assert f"expected a number that {result} can hold" in str(error)
    assert f"; {undefined.sum() - 1} more violations)" in str(error)
    expected = np.trunc(np.where(undefined, 0, some).astype(np.float64))
    assert (r.array == expected.astype(DTYPES[result])).all()


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_cast_shows_the_number(source, value):
    text = f"""
    func @f(%a: {source}, %R: memref<i32>) {{
        %b = @@ cast %a : i32
        store %b, %R[]
    }}"""
    expect(
        text, f"expected a number that i32 can hold, got {value} (group 0)", value, array(5, "i32")
    )


def test_cast_shows_the_number_in_full():
    text = """
    func @f(%a: f64) {
        %b = @@ cast %a : i8
    }"""
    expect(text, "got -129.0 (group 0)", -129.0)
    expect_nothing(text.replace("@@ ", ""), -128.75)


@pytest.mark.parametrize("step", [0, -1, -128])
def test_step_that_is_not_positive(step):
    text = """
    func @f(%step: i8, %R: memref<i32>) {
        %0 = constant 0 : i8
        %5 = constant 5 : i8
        %x = constant 1 : i32
        @@ for %i:i8=%0,%5,%step {
            store.atomic_add %x, %R[]
        }
    }"""
    (r,) = expect(text, f"expected a positive step, got {step}", step, array(3, "i32"))
    assert r.is_untouched
    expect_nothing(text.replace("@@ ", ""), 1, array(3, "i32"))


@pytest.mark.parametrize("components", [(7, 0), (-(2**31), -1)])
def test_division_of_cooperative_matrices(components):
    text = f"""
    func @f(%A: memref<i32x8x2>, %B: memref<i32x8x2>, %R: memref<i32x8x2>) {HEAD} {{
        parallel {{
            %0 = constant 0 : index
            %a = cooperative_matrix_load.n %A[%0,%0] : coopmatrix<i32x8x2,matrix_acc>
            %b = cooperative_matrix_load.n %B[%0,%0] : coopmatrix<i32x8x2,matrix_acc>
            %c = @@ arith.div %a, %b : coopmatrix<i32x8x2,matrix_acc>
            cooperative_matrix_store %c, %R[%0,%0]
        }}
    }}"""
    a, b = (np.ones((8, 2), np.int32, order="F") for _ in "ab")
    r = np.zeros((8, 2), np.int32, order="F")
    expect_nothing(text.replace("@@ ", ""), a, b, r)
    a[6, 1], b[6, 1] = components
    _, _, r = expect(text, "expected divisors that are not 0", a, b, r)
    assert r.array[6, 1] == 0
    assert r.array[5, 1] == 1


@pytest.mark.parametrize(
    "instruction",
    [
        "cast %c : coopmatrix<i8x8x2,matrix_acc>",
        "cooperative_matrix_mul_add %a, %b, %c : coopmatrix<i8x8x2,matrix_acc>",
    ],
)
def test_conversion_of_cooperative_matrices(instruction):
    text = f"""
    func @f(%C: memref<f32x8x2>, %R: memref<i8x8x2>) {HEAD} {{
        parallel {{
            %0 = constant 0 : index
            %a = constant 0.0 : coopmatrix<f32x8x4,matrix_a>
            %b = constant 0.0 : coopmatrix<f32x4x2,matrix_b>
            %c = cooperative_matrix_load.n %C[%0,%0] : coopmatrix<f32x8x2,matrix_acc>
            %r = @@ {instruction}
            cooperative_matrix_store %r, %R[%0,%0]
        }}
    }}"""
    c = np.full((8, 2), 100.5, np.float32, order="F")
    r = np.zeros((8, 2), np.int8, order="F")
    assert (expect_nothing(text.replace("@@ ", ""), c, r)[1] == 100).all()
    c[3, 0] = 128
    _, r = expect(text, "expected numbers that i8 can hold", c, r)
    assert r.array[4, 1] == 100


@pytest.mark.similar
@pytest.mark.parametrize("word", ["div", "rem"])
@pytest.mark.parametrize("shape", [(3, 2), (1, 5), (2, 3)])
def test_division_of_padding(word, shape):
    """Work-items that hold padding divide nothing."""
    kind = f"coopmatrix<i16x{shape[0]}x{shape[1]},matrix_acc>"
    memref = f"memref<i16x{shape[0]}x{shape[1]}>"
    text = f"""
    func @f(%A: {memref}, %B: {memref}, %R: {memref}) {HEAD} {{
        parallel {{
            %0 = constant 0 : index
            %a = cooperative_matrix_load.n %A[%0,%0] : {kind}
            %b = cooperative_matrix_load.n %B[%0,%0] : {kind}
            %c = @@ arith.{word} %a, %b : {kind}
            cooperative_matrix_store %c, %R[%0,%0]
        }}
    }}"""
    a, b, r = (np.full(shape, value, np.int16, order="F") for value in (7, 2, 0))
    got = expect_nothing(text.replace("@@ ", ""), a, b, r)[2]
    assert (got == (3 if word == "div" else 1)).all()
    b[-1, -1] = 0
    expect(text, "expected divisors that are not 0", a, b, r)


@pytest.mark.parametrize("shape", [(3, 2), (1, 5)])
def test_conversion_of_padding(shape):
    """What padding holds need not be convertible."""
    kind = f"coopmatrix<f32x{shape[0]}x{shape[1]},matrix_acc>"
    text = f"""
    func @f(%A: memref<f32x{shape[0]}x{shape[1]}>, %R: memref<i8x{shape[0]}x{shape[1]}>) {HEAD} {{
        parallel {{
            %0 = constant 0 : index
            %a = cooperative_matrix_load.n %A[%0,%0] : {kind}
            %b = arith.div %a, %a : {kind}
            %c = cast %b : {kind.replace("f32", "i8")}
            cooperative_matrix_store %c, %R[%0,%0]
        }}
    }}"""
    a, r = np.full(shape, 2, np.float32, order="F"), np.zeros(shape, np.int8, order="F")
    assert (expect_nothing(text, a, r)[1] == 1).all()
