"""Functions with loops, local memory, views and scalars, and what is refused of them."""

import numpy as np
import pytest
from kernels import Operand, function, launch

import tinytc_mlir as tt

M, N = 11, 6


def operands(*shapes, type_="f32", order="C"):
    rng = np.random.default_rng(7)
    return [Operand(rng, type_, shape, order) for shape in shapes]


BARRIERS = """
  %t = memref.alloca() : memref<11x6xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%t : memref<11x6xf32>)
  linalg.matmul ins(%a, %b : T0, T1) outs(%t : memref<11x6xf32>)
  linalg.transpose ins(%t : memref<11x6xf32>) outs(%c : T2) permutation = [1, 0]
  linalg.add ins(%c, %c : T2, T2) outs(%c : T2)
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_local_memory_between_ops(order):
    a, b, c = arrays = operands((M, 4), (4, N), (N, M), order=order)
    launch(function(BARRIERS, arrays), arrays)
    c.check(2 * (a.values @ b.values).T, "f32", terms=4)


def test_code_of_single_elements_is_run_once():
    body = """
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c11 = arith.constant 11 : index
      linalg.add ins(%a, %a : T0, T0) outs(%a : T0)
      scf.for %i = %c1 to %c11 step %c1 {
        %j = arith.subi %i, %c1 : index
        %x = memref.load %a[%j] : T0
        %y = memref.load %a[%i] : T0
        %z = arith.addf %x, %y : f32
        memref.store %z, %a[%i] : T0
      }
      %last = memref.load %a[%c1] : T0
      linalg.fill ins(%last : f32) outs(%b : T1)"""
    a, b = arrays = operands((M,), (M, N))
    launch(function(body, arrays), arrays)
    sums = np.cumsum(2 * a.values)
    a.check(sums, "f32", terms=M)
    b.check(np.full((M, N), sums[1]), "f32")


def test_parallel_loops_conditions_and_while():
    body = """
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %m = memref.dim %a, %c0 : T0
      %n = memref.dim %a, %c1 : T0
      scf.parallel (%i, %j) = (%c1, %c0) to (%m, %n) step (%c2, %c1) {
        %x = memref.load %a[%i, %j] : T0
        %even = arith.remsi %x, %two : i32
        %is = arith.cmpi eq, %even, %none : i32
        scf.if %is {
          %halved = scf.while (%v = %x) : (i32) -> i32 {
            %r = arith.remsi %v, %two : i32
            %e = arith.cmpi eq, %r, %none : i32
            %p = arith.cmpi ne, %v, %none : i32
            %both = arith.andi %e, %p : i1
            scf.condition(%both) %v : i32
          } do {
          ^bb0(%v: i32):
            %h = arith.divsi %v, %two : i32
            scf.yield %h : i32
          }
          memref.store %halved, %a[%i, %j] : T0
        }
      }"""
    (a,) = arrays = operands((M, N), type_="i32")
    launch(function(body, arrays, "%two: i32, %none: i32"), arrays, 2, 0)
    expected = a.values.copy()
    for i in range(1, M, 2):
        for j in range(N):
            while expected[i, j] and expected[i, j] % 2 == 0:
                expected[i, j] //= 2
    a.check(expected, "i32")


VIEWS = """
func.func @f(%a: memref<11x6xf32>, %b: memref<3x4xf32>, %c: memref<2x3xf32>) {
  %s = memref.subview %a[2, 1] [4, 3] [1, 1]
    : memref<11x6xf32> to memref<4x3xf32, strided<[6, 1], offset: 13>>
  %cast = memref.cast %s : memref<4x3xf32, strided<[6, 1], offset: 13>>
    to memref<4x3xf32, strided<[?, ?], offset: ?>>
  linalg.transpose ins(%cast : memref<4x3xf32, strided<[?, ?], offset: ?>>)
    outs(%b : memref<3x4xf32>) permutation = [1, 0]
  %row = memref.subview %a[1, 0] [1, 6] [1, 1]
    : memref<11x6xf32> to memref<6xf32, strided<[1], offset: 6>>
  %e = memref.expand_shape %row [[0, 1]] output_shape [2, 3]
    : memref<6xf32, strided<[1], offset: 6>> into memref<2x3xf32, strided<[3, 1], offset: 6>>
  memref.copy %e, %c : memref<2x3xf32, strided<[3, 1], offset: 6>> to memref<2x3xf32>
  return
}
"""


def test_views():
    a = np.arange(66, dtype=np.float32).reshape(M, N)
    b, c = np.zeros((3, 4), np.float32), np.zeros((2, 3), np.float32)
    tt.Context().parse_mlir(VIEWS).compile("cpu")["f"](a, b, c, groups=1)
    assert (b == a[2:6, 1:4].T).all()
    assert (c == a[1].reshape(2, 3)).all()


GROUPS = """
func.func @f(%a: memref<?x11x6xf32> {tinytc.name = "A"}, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x11x6xf32>
  scf.forall (%g) in (%n) {
    %m = memref.subview %a[%g, 0, 0] [1, 11, 6] [1, 1, 1]
      : memref<?x11x6xf32> to memref<11x6xf32, strided<[6, 1], offset: ?>>
    linalg.fill ins(%x : f32) outs(%m : memref<11x6xf32, strided<[6, 1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return
}
"""


def test_groups_and_their_bounds():
    kernel = tt.Context().parse_mlir(GROUPS).compile("cpu")["f"]
    array = np.zeros((5, M, N), np.float32)
    kernel(array, 2.0)
    assert (array == 2).all()
    kernel(A=array, arg1=3.0, groups=2)
    assert (array[:2] == 3).all()
    assert (array[2:] == 2).all()
    with pytest.raises(tt.ArgumentError, match="expected at most 5 groups .* got 6"):
        kernel(array, 2.0, groups=6)
    with pytest.raises(tt.ArgumentError, match=r"expected shape \(\?, 11, 6\), got \(5, 6, 11\)"):
        kernel(np.zeros((5, N, M), np.float32), 2.0)
    with pytest.raises(tt.ArgumentError, match="ascontiguousarray"):
        kernel(tt.asarray(np.zeros((5, M, N), np.float32), order="F"), 2.0)


@pytest.mark.parametrize("target", ["cpu", "intel-gpu:pvc", "intel-gpu:dg2", "intel-gpu:bmg"])
def test_stages_can_be_read_again(target):
    module = tt.Context().parse_mlir(GROUPS)
    expected = module.lower("spirv", target=target).compile()
    for stage in ("prepared", "linalg", "gpu"):
        again = tt.Context().parse_mlir(str(module.lower(stage, target=target))).compile()
        assert (again.spirv, again.manifest) == (expected.spirv, expected.manifest)


def test_the_command_line(tinytc, tmp_path):
    file = tmp_path / "groups.mlir"
    file.write_text(GROUPS)
    assert tinytc("compile", file, "-o", tmp_path / "f.tinytc") == (0, "", "")
    assert tt.load(tmp_path / "f.tinytc").kernels["f"].arguments[0].modes == (2, 1, 0)
    assert tinytc("run", file, "--groups", "3")[0] == 0


def test_errors_have_a_place():
    text = "func.func @f(%n: index) {\n  %t = memref.alloca(%n) : memref<?xf32>\n  return\n}"
    with pytest.raises(tt.LoweringError) as caught:
        tt.Context().parse_mlir(text, "f.mlir").compile("cpu")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.line, diagnostic.excerpt) == (2, text.splitlines()[1])
    assert diagnostic.message == "expected local memory of static size, got 'memref<?xf32>'"
