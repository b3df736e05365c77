"""Programs as version 0.5 of the language is for: against NumPy, on the device and interpreted."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.gpu_stage import GpuStage

TARGETS = ("intel-gpu:pvc", "intel-gpu:dg2", "cuda:sm_90")
rng = np.random.default_rng(5)


def fortran(*shape, dtype=np.float32):
    return np.asfortranarray(rng.uniform(-2, 2, shape).astype(dtype))


# The largest exponents of rows, and of columns, of a matrix of any size.
EXPONENTS = """
$ty = f32 $bits = i32 $bm = 16 $bn = 8
$mask = !calc(1 8 shl 1 -)
func @exponents(%A: memref<$ty x ? x ?>, %R: memref<i32x?>, %C: memref<i32x?>)
    attributes {subgroup_size=16, work_group_size=[32,2]} {
  %zero = constant 0 : index
  %m = size %A[0] : index
  %n = size %A[1] : index
  %R1 = expand %R[0 -> %m x 1] : memref<i32x?x1>
  %C1 = expand %C[0 -> 1 x %n] : memref<i32x1x?>
  foreach_tile (%i,%j) = (%zero,%zero), (%m,%n) as (%p,%q) <= ($bm,$bn) {
    $acc_t = coopmatrix<$ty x $bm x $bn,matrix_acc>
    $int_t = coopmatrix<$bits x $bm x $bn,matrix_acc>
    %a = cooperative_matrix_load.both_checked %A[%i,%j] : $acc_t
    %b = bitcast %a : $int_t
    %e = cooperative_matrix_apply (%x,%y,%v)=%b -> $int_t {
      %c23 = constant 23 : $bits
      %mask = constant $mask : $bits
      %s = shr %v, %c23 : $bits
      %r = and %s, %mask : $bits
      yield (%r)
    }
    $row_t = coopmatrix<i32x$bm x 1,matrix_acc>
    $column_t = coopmatrix<i32x1x$bn,matrix_acc>
    %row = cooperative_matrix_reduce_max.row %e : $row_t
    %column = cooperative_matrix_reduce_max.column %e : $column_t
    %r0 = cooperative_matrix_atomic_max.both_checked.device %row, %R1[%i,%zero] : $row_t
    %c0 = cooperative_matrix_atomic_max.both_checked.device %column, %C1[%zero,%j] : $column_t
  }
}
"""

# Digits of 7 bits of f64 numbers, from exponents by rows (i32) and weights (f32).
SPLITTER = """
$bm = 16 $bn = 8
func @split(%A: memref<f64x16x8>, %S: memref<i32x16x1>, %W: memref<f32x16x8>, %D: memref<i8x16x8>,
    %R: memref<f64x16x8>) attributes {subgroup_size=16, work_group_size=[16,1]} {
  parallel {
    %zero = constant 0 : index
    %a = cooperative_matrix_load %A[%zero,%zero] : coopmatrix<f64x$bm x $bn,matrix_acc>
    %w = cooperative_matrix_load %W[%zero,%zero] : coopmatrix<f32x$bm x $bn,matrix_acc>
    %ones = constant 1 : coopmatrix<i32x$bm x $bn,matrix_acc>
    %s = cooperative_matrix_apply (%i,%j,%o)=%ones -> coopmatrix<i32x$bm x $bn,matrix_acc> {
      %row = cast %i : index
      %e = load %S[%row,%zero] : i32
      yield (%e)
    }
    %d = cooperative_matrix_apply (%i,%j,%x,%e,%f)=%a,%s,%w -> coopmatrix<i8x$bm x $bn,matrix_a> {
      %seven = constant 7 : i32
      %power = sub %seven, %e : i32
      %pf = cast %power : f64
      %scale = native_exp2 %pf : f64
      %y = mul %x, %scale : f64
      %ff = cast %f : f64
      %z = mul %y, %ff : f64
      %digit = cast %z : i8
      yield (%digit)
    }
    %short = cast %a : coopmatrix<f32x$bm x $bn,matrix_acc>
    %dd = cast %short : coopmatrix<f64x$bm x $bn,matrix_acc>
    cooperative_matrix_store %d, %D[%zero,%zero]
    cooperative_matrix_store %dd, %R[%zero,%zero]
  }
}
"""

# Two passes over tiles with a barrier in between: C := scale of rows of (A B).
FUSED = """
$bm = 16 $bn = 8 $bk = 4
func @fused(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %x: memref<f32x?>, %C: memref<f32x?x?>,
    %t: bool)
    attributes {subgroup_size=16, work_group_size=[16,2]} {
  %zero = constant 0 : index
  %one = constant 1 : index
  %m = size %C[0] : index
  %n = size %C[1] : index
  %k = size %A[1] : index
  %T = alloca : memref<f32x32x32,local>
  foreach_tile (%i,%j) = (%zero,%zero), (%m,%n) as (%p,%q) <= ($bm,$bn) {
    $acc = coopmatrix<f32x$bm x $bn,matrix_acc>
    %step = constant $bk : index
    %zeros = constant 0.0 : $acc
    %c = for %l = %zero, %k, %step init (%d=%zeros) -> ($acc) {
      $mat_a = coopmatrix<f32x$bm x $bk,matrix_a>
      $mat_b = coopmatrix<f32x$bk x $bn,matrix_b>
      cooperative_matrix_prefetch 0, %A[%i,%l], $bm, $bk
      %a0 = cooperative_matrix_load.both_checked %A[%i,%l] : $mat_a
      %two = constant 2.0 : f32
      %a = cooperative_matrix_scale %two, %a0 : $mat_a
      %b = cooperative_matrix_load.t.both_checked %B[%j,%l] : $mat_b
      %e = cooperative_matrix_mul_add %a, %b, %d : $acc
      yield (%e)
    }
    %r = if %t -> ($acc) {
      %neg = neg %c : $acc
      yield (%neg)
    } else {
      yield (%c)
    }
    cooperative_matrix_store %r, %T[%i,%j]
  }
  barrier.local
  foreach_tile (%i,%j) = (%zero,%zero), (%m,%n) as (%p,%q) <= ($bm,$bn) {
    %v = cooperative_matrix_load %T[%i,%j] : $acc
    %X = expand %x[0 -> %m x 1] : memref<f32x?x1>
    %w = cooperative_matrix_load.both_checked %X[%i,%zero] : coopmatrix<f32x$bm x 1,matrix_acc>
    %ones = constant 1.0 : coopmatrix<f32x1x$bn,matrix_b>
    %wa = cast %w : coopmatrix<f32x$bm x 1,matrix_a>
    %zeros = constant 0.0 : $acc
    %s = cooperative_matrix_mul_add %wa, %ones, %zeros : $acc
    %u = cooperative_matrix_apply (%g,%h,%y,%z)=%v,%s -> $acc {
      %yz = mul %y, %z : f32
      yield (%yz)
    }
    cooperative_matrix_store.both_checked %u, %C[%i,%j]
  }
}
"""


def exponents_case():
    scale = 2.0 ** rng.integers(-60, 60, (37, 21))
    a = np.asfortranarray((fortran(37, 21) * scale).astype(np.float32))
    exponents = (a.view(np.int32) >> 23) & 255
    values = [a, np.zeros(37, np.int32), np.zeros(21, np.int32)]
    return values, {1: exponents.max(axis=1), 2: exponents.max(axis=0)}


def split_case():
    a, weights = fortran(16, 8, dtype=np.float64), np.full((16, 8), 0.5, np.float32, order="F")
    exponents = np.full((16, 1), 2, np.int32, order="F")
    digits, rounded = np.zeros((16, 8), np.int8, order="F"), np.zeros((16, 8), order="F")
    expected = np.trunc(a * 2.0**5 * 0.5).astype(np.int8)
    return [a, exponents, weights, digits, rounded], {
        3: expected,
        4: a.astype(np.float32),
    }


def fused_case():
    a, b, x = fortran(27, 10), fortran(19, 10), fortran(27)
    result = np.zeros((27, 19), np.float32, order="F")
    return [a, b, x, result, np.bool_(True)], {3: -2 * (a @ b.T) * x[:, None]}


CASES = {"exponents": (EXPONENTS, exponents_case), "split": (SPLITTER, split_case)}
CASES["fused"] = (FUSED, fused_case)


def check(values, expected):
    for position, array in expected.items():
        assert_near(values[position], array)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target, debug", [("cpu", False), ("cpu", True), ("native", False)])
def test_on_the_device(name, target, debug):
    text, make = CASES[name]
    values, expected = make()
    tt.Context().parse(text).compile(target, debug=debug)[name](*values, groups=1)
    check(values, expected)


@pytest.mark.parametrize("name", CASES)
def test_in_the_reference_interpreter(name):
    text, make = CASES[name]
    values, expected = make()
    tt.interpret(tt.Context().parse(text), name, values, groups=1)
    check(values, expected)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (name, target)
        for name, (text, _) in CASES.items()
        for target in ("cpu", *TARGETS)
        if not ("dg2" in target and "f64" in text)  # which it does not have
    ],
)
def test_in_the_interpreter_of_the_gpu_stage(name, target):
    text, make = CASES[name]
    values, expected = make()
    stage = GpuStage(tt.Context().parse(text), target=target)
    assert stage.check(name, values, 1) == []
    check(values, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_for_gpus(name, target):
    text, _ = CASES[name]
    if "dg2" in target:  # which has no f64
        text = text.replace("f64", "f32")
    program = tt.Context().parse(text).compile(target)
    assert list(program) == [name]
