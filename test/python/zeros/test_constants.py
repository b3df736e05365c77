"""Constant memrefs have the same numbers on all targets, whoever writes them."""

import re
import time

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import machine
from nearness import whole_numbers
from tinytc_mlir.dialects import tinytc
from tinytc_mlir.emulators.findings import FINDINGS
from tinytc_mlir.frontend.translation import translate
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference import interpret
from tinytc_mlir.scalars import SCALAR_TYPES

PRODUCT = """
func @f(%A: memref<{t}x{m}x{k}>, %B: memref<{t}x{k}x9x?>, %C: memref<{t}x{m}x9x?>) {{
  %g = group_id.x : index
  %b = subview %B[:,:,%g] : memref<{t}x{k}x9>
  %c = subview %C[:,:,%g] : memref<{t}x{m}x9>
  %one = constant {one} : {t}
  %zero = constant {zero} : {t}
  gemm.n.n %one, %A, %b, %zero, %c
}}"""
SIZES = [(40, 33), (7, 5), (1, 9), (33, 1)]
GROUPS = 3


def cases():
    """Yield products by constants: types, sizes, shares of zeros."""
    for number, (t, share) in enumerate(
        [("f64", 0.0), ("f32", 0.6), ("f64", 0.95), ("c64", 0.5), ("bf16", 0.3), ("f64", 1.0)]
    ):
        rng = np.random.default_rng(number)
        m, k = SIZES[number % len(SIZES)]
        is_complex = t == "c64"
        ends = {"one": "[1.0, 0.0]" if is_complex else "1.0", "zero": "[0.0, 0.0]"}
        ends["zero"] = ends["zero"] if is_complex else "0.0"
        module = tt.Context().parse(PRODUCT.format(t=t, m=m, k=k, **ends))
        dtype = SCALAR_TYPES[t].array_dtype
        real = SCALAR_TYPES[t].array_dtype if not is_complex else np.complex128
        a = rng.uniform(-1, 1, (m, k)).astype(real)
        if is_complex:
            a = a + 1j * rng.uniform(-1, 1, (m, k))
        a[rng.random((m, k)) < share] = 0
        b = np.asfortranarray(rng.uniform(-1, 1, (k, 9, GROUPS)).astype(dtype))
        c = np.full((m, 9, GROUPS), np.nan).astype(dtype, order="F")
        wide = np.complex128 if is_complex else np.float64
        expected = np.einsum("ik,kjg->ijg", a.astype(wide), b.astype(wide))
        # Each sum has k roundings; bf16 is rounded once more at the end.
        limit = (2 * k + 2) * max(SCALAR_TYPES[t].epsilon, 2**-53) * max(1, np.sqrt(k))
        yield module.with_constants({"A": a}), b, c, expected, limit


def assert_close(found, expected, limit):
    difference = np.abs(found.astype(expected.dtype) - expected)
    assert (difference <= limit).all()


def test_native_and_interpreted():
    for module, b, c, expected, limit in cases():
        module.compile("native")["f"](b, c, groups=GROUPS)
        assert_close(c, expected, limit)
        c[...] = np.nan
        interpret(module, "f", [b, c], GROUPS)
        assert_close(c, expected, limit)


@pytest.mark.parametrize("target", ["native", "cpu", "cuda:sm_90"])
def test_gpu_stage(target):
    for module, b, c, expected, limit in list(cases())[:: 1 if profiles.IS_NIGHTLY else 2]:
        assert not GpuStage(module, target=target).check("f", [b, c], groups=GROUPS)
        assert_close(c, expected, limit)


@pytest.mark.parametrize(
    "target", profiles.in_turns(("cuda:sm_90", "intel-gpu:pvc"), "emulated constants")
)
def test_emulated(target):
    for module, b, c, expected, limit in list(cases())[:: 1 if profiles.IS_NIGHTLY else 3]:
        with machine(target).installed():
            FINDINGS.start()
            module.compile(target)["f"](b, c, groups=GROUPS)
            assert not FINDINGS.serious()
        assert_close(c, expected, limit)


def test_opencl():
    for module, b, c, expected, limit in list(cases())[:3]:
        module.compile("cpu")["f"](b, c, groups=GROUPS)
        assert_close(c, expected, limit)


def test_zeros_are_skipped_and_equal_constants_shared():
    text = """
func @f(%x: memref<f64x32x9>, %y: memref<f64x32x9>) {
  %a = constant dense<[ROWS]> : memref<f64x32x32>
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  gemm.n.n %one, %a, %x, %zero, %y
}"""
    rows = [", ".join("1.5" if i < 8 and j >= 24 else "0.0" for j in range(32)) for i in range(32)]
    text = text.replace("ROWS", ", ".join(f"[{row}]" for row in rows))
    module = tt.Context().parse(text + text.replace("@f", "@g"))
    prepared = str(module.lower("prepared", target="native"))
    assert re.search(r"subview %\w+\[0:8, 24:8\] : !tinytc.memref<32x32xf64>", prepared)
    assert str(module.lower("gpu", target="native")).count("memref.global") == 1


def test_arrays_from_outside_of_kernels():
    rng = np.random.default_rng(0)
    matrix = whole_numbers(rng, (5, 4))

    @tt.kernel
    def f(x: tt.f64[4, None], y: tt.f64[5, None], z: tt.f64[4, None]):
        i = tt.group_id
        y[:, i] = matrix @ x[:, i]
        z[:, i] = matrix.T @ y[:, i]
        z[0, i] += matrix[1, 2] * matrix.shape[0]

    x = np.asfortranarray(whole_numbers(rng, (4, 6)))
    y, z = np.empty((5, 6), order="F"), np.empty((4, 6), order="F")
    f(x, y, z, groups=6)
    np.testing.assert_array_equal(y, matrix @ x)
    expected = matrix.T @ y
    expected[0] += 5 * matrix[1, 2]
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("size", [3, 20])
def test_arrays_from_outside_of_batched_functions(size):
    rng = np.random.default_rng(0)
    matrix = np.triu(whole_numbers(rng, (size, size)))

    @tt.batched
    def f(x: tt.f64[size, size]):
        return matrix @ x + matrix[0]

    x = whole_numbers(rng, (4, size, size))
    np.testing.assert_array_equal(f(x), matrix @ x + matrix[0])


def test_promises_of_small_batched_functions():
    @tt.batched
    def f(a: tt.f64[3, 3].nonzero(np.tri(3, dtype=bool)), x: tt.f64[3]):
        return a @ x

    a, x = np.tri(3) * np.random.default_rng(0).random((5, 3, 3)), np.ones((5, 3))
    np.testing.assert_allclose(f(a, x), a.sum(-1))


def test_builders():
    from mlir import ir

    context = tt.Context()
    with context.mlir_context, ir.Location.unknown():
        memref = tinytc.MemrefType.get([2, 2], ir.F64Type.get())
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            func = tinytc.FuncOp("f", [memref])
            with ir.InsertionPoint(func.add_entry_block()):
                one = tinytc.constant(ir.F64Type.get(), 1.0)
                a = tinytc.constant(memref, np.array([[1.0, 2.0], [3.0, 4.0]]))
                tinytc.axpby("n", one, a, one, func.arguments[0])
                tinytc.YieldOp([])
    x = np.ones((2, 2), order="F")
    context.adopt(module).compile("native")["f"](x)
    assert x.tolist() == [[2, 3], [4, 5]]


def test_derivatives():
    text = """
func @f(%x: memref<f64x2>, %y: memref<f64x2>) {
  %a = constant dense<[[1.0, 2.0], [0.0, 3.0]]> : memref<f64x2x2>
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  gemv.n %one, %a, %x, %zero, %y
}"""
    reverse = tt.Context().parse(text).vjp(wrt=["x"])
    partial, adjoint = np.zeros((2, 1)), np.array([1.0, 10.0])
    reverse.module.compile("native")["f_vjp"](np.ones(2), np.zeros(2), partial, adjoint)
    assert partial.tolist() == [[1], [32]]


def test_parameters_that_cannot_be_constants():
    text = PRODUCT.format(t="f64", m=2, k=2, one="1.0", zero="0.0")
    module = tt.Context().parse(text, "f.ir")
    for constants, message in (
        ({"D": 1}, "expected the name of a parameter, got 'D'"),
        ({"A": np.ones((2, 3))}, r"argument 'A': expected an array of shape \(2, 2\), got \(2, 3"),
        ({"A": np.ones((2, 2), complex)}, "expected an array of f64, got one of complex128"),
        ({"B": np.ones((2, 9, 1))}, "expected 'B' to have a static shape and the packed layout"),
    ):
        with pytest.raises(tt.ArgumentError, match=message):
            module.with_constants(constants)
    text = text.replace("x9x?", "x9").replace("%b = subview %B[:,:,%g]", "%b = subview %B[:,:]")
    text = text.replace("%c = subview %C[:,:,%g]", "%c = subview %C[:,:]")
    with pytest.raises(tt.VerificationError) as error:
        tt.Context().parse(text, "f.ir").with_constants({"C": np.ones((2, 9))})
    found = error.value.diagnostics[0]
    assert "expected memory that may be written, got a constant" in found.message
    assert found.line == 8


def test_languages():
    text = "func @f() {\n  %a = constant dense<1.0> : memref<f64x2>\n}"
    for language in ("0.3", "0.4", "0.5"):
        with pytest.raises(tt.ParseError, match="constant memrefs"):
            translate(text, "f.ir", language)


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [("group<memref<f64x2>x?>", [1.0, 2.0], "'a' to be a memref or a number, got a group"),
     ("f64", [1.0, 2.0], r"expected a number for 'a', got an array of shape \(2,\)"),
     ("f64", 1j, "expected a real number for a constant of f64, got 1j"),
     ("i32", 1.5, "expected an integer for a constant of i32, got 1.5"),
     ("memref<i8x2>", [300, 1], "expected integers from -128 to 127, got 300"),
     ("memref<i64x1>", np.array([2**63 + 5], np.uint64), "expected integers from -9223372"),
     ("memref<i64x2>", [0, -(2**63)], "expected integers from -9223372036854775807 to"),
     ("memref<i8x1>", [-129], "expected integers from -128 to 127, got -129"),
     ("i64", -(2**63), "expected an integer from -9223372036854775807 to 9223372036854775807"),
     ("memref<f32x1>", [1e300], "expected numbers of float32, got 1e[+]300"),
     ("i8", 300, "expected an integer from -128 to 127, got 300"),
     ("i64", 2**70, "expected an integer from -9223372036854775807 to 9223372036854775807")],
)  # fmt: skip
def test_values_that_a_type_does_not_have(type_, value, message):
    module = tt.Context().parse(f"func @f(%a: {type_}, %b: memref<f32>) {{ }}")
    with pytest.raises(tt.ArgumentError, match=message):
        module.with_constants({"a": value})


LARGE = np.arange(300.0)


@tt.batched
def with_large(x: tt.f64[2]):
    return x, LARGE


def test_a_function_may_return_a_large_constant():
    _, found = with_large(np.ones((3, 2)))
    np.testing.assert_array_equal(found, np.broadcast_to(LARGE, (3, 300)))


def test_constants_of_nan_are_verified():
    text = """
    func @f(%A: memref<f64x4>, %B: memref<f64x4>) {
      %one = constant 1.0 : f64
      axpby.n %one, %A, %one, %B
    }
    """
    module = tt.Context().parse(text).with_constants({"A": [1, np.nan, 3, -0.0]})
    assert module.verify(target="native").claims


@pytest.mark.parametrize("target", ["intel-gpu:pvc", "cpu"])
def test_sizes_at_the_limits_of_spirv(target):
    def module_of(size):
        return tt.Context().parse(f"""
            func @f(%A: memref<f64x2x{size}>, %x: memref<f64x{size}>, %y: memref<f64x2>) {{
              %one = constant 1.0 : f64
              gemv.n %one, %A, %x, %one, %y
            }}
        """)

    # Distinct elements cost time that grows with their number.
    square = np.arange(62500.0).reshape(2, 31250)
    start = time.perf_counter()
    assert module_of(31250).with_constants({"A": square}).compile(target).code
    assert time.perf_counter() - start < 20
    assert module_of(0).with_constants({"A": np.zeros((2, 0))}).compile(target).code
    module = module_of(40000).with_constants({"A": np.ones((2, 40000))})
    with pytest.raises(tt.LoweringError, match="expected at most 65532 elements"):
        module.compile(target)


def test_constants_without_elements_are_read_again():
    module = tt.Context().parse("func @f(%a: memref<i32x0>, %b: memref<f32>) { }")
    text = module.with_constants({"a": np.zeros(0, np.int32)}).to_text()
    assert tt.Context().parse(text).to_text() == text
