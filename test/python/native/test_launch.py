"""Launches of native kernels: results, arguments, memory, files."""

import pickle

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_units, whole_numbers

GEMM = """
func @gemm(%alpha: f32, %A: memref<f32x20x9x?>, %B: memref<f32x9x9>, %C: memref<f32x20x9x?>) {
  %zero = constant 0.0 : f32
  %group = builtin.group_id : index
  %a = subview %A[:,:,%group] : memref<f32x20x9>
  %c = subview %C[:,:,%group] : memref<f32x20x9>
  gemm.n.n %alpha, %a, %B, %zero, %c
}
"""
SCALE = """
func @scale(%alpha: {type}, %A: memref<{type}x37>) {{
  %i0 = constant 0 : index
  foreach (%i)=(0),(37) {{
    %a = load %A[%i] : {type}
    %b = arith.mul %alpha, %a : {type}
    store %b, %A[%i]
  }}
}}
"""
LARGE = """
func @large(%A: memref<f32x128x128>, %B: memref<f32x128x128>) {
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  %L = alloca : memref<f32x128x128,local>
  axpby.n %one, %A, %zero, %L
  axpby.t %one, %L, %zero, %B
}
"""


def compiled(text):
    return tt.Context().parse(text).compile("native")


def test_groups_of_a_batch():
    kernel = compiled(GEMM)["gemm"]
    rng = np.random.default_rng(1)
    a = np.asfortranarray(whole_numbers(rng, (20, 9, 100)), np.float32)
    b = np.asfortranarray(whole_numbers(rng, (9, 9)), np.float32)
    c = np.full_like(a, np.nan, order="F")
    kernel(2.0, a, b, c, groups=100)
    np.testing.assert_array_equal(c, 2 * np.einsum("mkg,kn->mng", a, b))


@pytest.mark.parametrize("type_", ["f32", "f64", "c32", "c64", "i8", "i32", "i64", "f16"])
def test_scalars(type_):
    dtypes = {"f32": "f4", "f64": "f8", "c32": "c8", "c64": "c16", "f16": "f2"}
    dtype = np.dtype(dtypes.get(type_, type_.replace("i", "int")))
    factor = 2 + 3j if dtype.kind == "c" else 3
    a = np.arange(37).astype(dtype)
    compiled(SCALE.format(type=type_))["scale"](dtype.type(factor), a)
    np.testing.assert_array_equal(a, np.arange(37) * factor)


def test_local_memory_beyond_the_stack():
    a = np.asfortranarray(np.random.default_rng(1).standard_normal((128, 128)), np.float32)
    b = np.zeros_like(a, order="F")
    program = compiled(LARGE)
    assert program["large"].info.local_memory_bytes > 32 * 1024
    program["large"](a, b)
    np.testing.assert_array_equal(b, a.T)


def test_memory_in_place_and_events():
    kernel = compiled(SCALE.format(type="f32"))["scale"]
    a = tt.zeros((37,), np.float32, queue="native")
    a[...] = 1
    first = kernel.submit(2.0, a, queue="native")
    second = kernel.submit(4.0, a, queue="native", depends=[first])
    second.wait()
    np.testing.assert_array_equal(a, 8)


def test_wrong_arguments_are_refused():
    kernel = compiled(SCALE.format(type="f32"))["scale"]
    with pytest.raises(tt.ArgumentError, match="A"):
        kernel(2.0, np.zeros(36, np.float32))


def test_save_load_and_pickle(tmp_path):
    program = compiled(SCALE.format(type="f32"))
    program.save(tmp_path / "scale.tinytc")
    for kernel in (
        tt.load(tmp_path / "scale.tinytc")["scale"],
        pickle.loads(pickle.dumps(program))["scale"],
    ):
        a = np.ones(37, np.float32)
        kernel(3.0, a)
        np.testing.assert_array_equal(a, 3)


def test_debug_builds_report():
    text = SCALE.format(type="f32").replace("(0),(37)", "(0),(38)")
    kernel = tt.Context().parse(text).compile("native", debug=True)["scale"]
    with pytest.raises(tt.CheckError, match="less than 37, got 37"):
        kernel(3.0, np.ones(37, np.float32))


def test_the_switch_chooses_the_target(monkeypatch):
    monkeypatch.setenv("TINYTC_TARGET", "native")
    program = tt.Context().parse(SCALE.format(type="f32")).compile()
    assert program.target == "native"
    a = np.ones(37, np.float32)
    program["scale"](3.0, a)
    np.testing.assert_array_equal(a, 3)


def test_unknown_targets_of_the_switch(monkeypatch):
    monkeypatch.setenv("TINYTC_TARGET", "pdp11")
    with pytest.raises(tt.LoweringError, match="expected the target to be one of .*, got 'pdp11'"):
        tt.Context().parse(SCALE.format(type="f32")).compile()


def test_stages_print_and_continue():
    module = tt.Context().parse(GEMM)
    code = module.compile("native").code
    for stage in ("gpu", "vector", "llvm", "object"):
        text = str(module.lower(stage, target="native"))
        again = tt.Context().parse_mlir(text)
        assert again.stage == stage
        assert again.compile("native").code == code


def test_results_of_functions():
    text = """
func @f(%A: memref<f32x64>, %Z: memref<c32x64>) {
  foreach (%i)=(0),(64) {
    %a = load %A[%i] : f32
    %b = math.exp %a : f32
    store %b, %A[%i]
    %z = load %Z[%i] : c32
    %w = math.exp %z : c32
    store %w, %Z[%i]
  }
}
"""
    x = np.linspace(-80, 80, 64, dtype=np.float32)
    a, z = x.copy(), (0.1 * x + 1j * x).astype(np.complex64)
    expected = np.exp(z.astype(np.complex128))
    compiled(text)["f"](a, z)
    assert_units(a, np.exp(x.astype(np.float64)), 3)
    assert_units(z, expected, 9)


@pytest.mark.parametrize("ours, theirs", [("native", "cpu"), ("cpu", "native")])
def test_arrays_of_another_device(ours, theirs):
    text = "func @f(%A: memref<f32x8>) { %a = load %A[3] : f32\n store %a, %A[0] }"
    kernel = tt.Context().parse(text).compile(ours)["f"]
    message = f"f: expected a program for {theirs}, where the queue or .*, got one for {ours}"
    with pytest.raises(tt.DeviceError, match=message):
        kernel(tt.ones(8, np.float32, queue=theirs))
    with pytest.raises(tt.DeviceError, match=message):
        kernel(np.ones(8, np.float32), queue=theirs)
    kernel(tt.ones(8, np.float32, queue=ours))
