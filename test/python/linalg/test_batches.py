"""Functions of several ops over batches: right for all sizes, with some number of groups."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from profiles import some_of

#: Sizes of the batches of two products in their types, and whether the second one has an operand
#: of the first.
FUNCTIONS = [
    (first, second, joined)
    for first, second in itertools.product(("?", 6, 4), repeat=2)
    for joined in (False, True)
    if not joined or "?" in (first, second) or first == second
]


def text(first, second, joined):
    one, two = (f"memref<{size}x3x3xf64>" for size in (first, second))
    left, left_type = ("%A", one) if joined else ("%D", two)
    return f"""func.func @f(%A: {one}, %B: {one}, %C: {one}, %D: {two}, %E: {two}, %F: {two}) {{
      linalg.batch_matmul ins(%A, %B : {one}, {one}) outs(%C : {one})
      linalg.batch_matmul ins({left}, %E : {left_type}, {two}) outs(%F : {two})
      return
    }}"""


@pytest.mark.parametrize("target", ["native", "cpu"])
@pytest.mark.parametrize(("first", "second", "joined"), some_of(FUNCTIONS, "batches"), ids=str)
def test_two_products(first, second, joined, target):
    kernel = tt.Context().parse_mlir(text(first, second, joined)).compile(target)["f"]
    for sizes in itertools.product((1, 4, 6, 7), repeat=2):
        if joined and sizes[0] != sizes[1]:
            continue
        if any(
            known not in ("?", size) for known, size in zip((first, second), sizes, strict=True)
        ):
            continue
        rng = np.random.default_rng(sum(sizes))
        arrays = [rng.integers(-3, 4, (size, 3, 3)).astype(float) for size in np.repeat(sizes, 3)]
        given = [array.copy() for array in arrays]
        try:
            kernel(*arrays)
        except tt.ArgumentError:  # not a batch: the work of one group
            kernel(*arrays, groups=1)
        np.testing.assert_array_equal(arrays[2], given[2] + given[0] @ given[1])
        left = given[0 if joined else 3]
        np.testing.assert_array_equal(arrays[5], given[5] + left @ given[4])


BUFFERIZED = """func.func @f(%A: tensor<4x8xf32>, %B: tensor<8x5xf32>, %C: tensor<4x5xf32>)
    -> tensor<4x5xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<4x8xf32>, tensor<8x5xf32>)
    outs(%C : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}"""
RETURNED = """func.func @f(%A: memref<4x8xf32, LAYOUT>, %B: memref<8x5xf32, LAYOUT>,
    %C: memref<4x5xf32, LAYOUT>) -> memref<4x5xf32, LAYOUT> {
  linalg.matmul ins(%A, %B : memref<4x8xf32, LAYOUT>, memref<8x5xf32, LAYOUT>)
    outs(%C : memref<4x5xf32, LAYOUT>)
  return %C : memref<4x5xf32, LAYOUT>
}""".replace("LAYOUT", "strided<[?, ?], offset: ?>")


def test_what_bufferization_makes():
    with pytest.raises(tt.LoweringError, match="--one-shot-bufferize="):
        tt.Context().parse_mlir(BUFFERIZED).compile("native")
    kernel = tt.Context().parse_mlir(RETURNED).compile("native")["f"]
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-3, 4, s).astype(np.float32) for s in ((8, 8), (8, 5), (4, 5)))
    expected = c + a[2:6] @ b
    kernel(a[2:6], b, c, groups=1)
    np.testing.assert_array_equal(c, expected)
