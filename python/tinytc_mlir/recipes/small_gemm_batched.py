# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for products of many small matrices of one size."""

from __future__ import annotations

import string
from collections.abc import Iterator

import numpy.typing as npt

from ..frontend.spelling import memref_text
from .gemm_recipe import GemmRecipe, KernelLaunch, Product
from .recipe import Checker, constant_text

_KERNEL = string.Template(
    """\
; C_i := alpha $formula, $m x $n x $k
func @$name(%alpha: $type, %A: $A, %B: $B, %beta: $type, %C: $C) {
  %i = group_id.x : index
$subviews
  gemm.$forms %alpha, $a, $b, $beta, %c
}
"""
)


_SPELLINGS = {"n": "{}", "t": "{}^T", "r": "conj({})", "c": "{}^H"}


class SmallGemmBatched(GemmRecipe):
    """Products of many small matrices; made by `small_gemm_batched`."""

    _recipe = "small_gemm_batched"

    def _launches(self, product: Product) -> Iterator[KernelLaunch]:
        shape = getattr(product.c, "shape", ())
        # Nothing is accessed that would say how many there are.
        is_empty = product.howmany is None and len(shape) == 3 and 0 in shape[:2]
        howmany = 0 if is_empty else product.howmany
        yield KernelLaunch(self.kernel(product.beta), product[:5], howmany)


def small_gemm_batched(  # noqa: PLR0913  the parameters of the library's recipe
    dtype: npt.DTypeLike,
    m: int,
    n: int,
    k: int,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    conjugate_a: bool = False,
    conjugate_b: bool = False,
    lda: int | None = None,
    stride_a: int | None = None,
    ldb: int | None = None,
    stride_b: int | None = None,
    ldc: int | None = None,
    stride_c: int | None = None,
    target: object = None,
) -> SmallGemmBatched:
    """Return kernels for `C_i := alpha op(A_i) op(B_i) + beta C_i` with small matrices.

    Args:
        dtype: element type of all matrices and factors: a name of the language, such as "c32", or
            a NumPy dtype; integers, floating and complex numbers.
        m: rows of op(A) and C.
        n: columns of op(B) and C.
        k: columns of op(A) and rows of op(B).
        transpose_a: whether op(A) is the transpose of A, which then is K x M.
        transpose_b: whether op(B) is the transpose of B, which then is N x K.
        conjugate_a: whether op(A) is the conjugate of A, or of its transpose.
        conjugate_b: likewise for B.
        lda: elements from one column of A to the next; None for its rows.
        stride_a: elements from one matrix A to the next; None for lda times the columns of A, 0 if
            all products have the same A.
        ldb: likewise for B.
        stride_b: likewise for B.
        ldc: likewise for C.
        stride_c: likewise for C; it cannot be 0.
        target: name of a target, a dpctl device or queue, or None for the default device.

    Returns:
        The recipe: call it with alpha, A, B, beta and C.

    Raises:
        ArgumentError: a parameter is not valid.

    Source: Tiny Tensor Compiler 0.4, recipe `small_gemm_batched`.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> gemm = tt.recipes.small_gemm_batched("f64", 2, 2, 3, transpose_b=True, target="cpu")
    >>> a = np.ones((2, 3, 5), order="F")
    >>> b = np.full((2, 3, 5), 2.0, order="F")
    >>> c = np.full((2, 2, 5), np.nan, order="F")
    >>> gemm(0.5, a, b, 0.0, c)
    >>> c[:, :, 4]
    array([[3., 3.],
           [3., 3.]])
    """
    check = Checker("small_gemm_batched")
    type_ = check.type_name(dtype)
    sizes = [check.size(name, size) for name, size in (("m", m), ("n", n), ("k", k))]
    m, n, k = sizes
    is_a_transposed = check.flag("transpose_a", transpose_a)
    is_b_transposed = check.flag("transpose_b", transpose_b)
    form_a = "ntrc"[is_a_transposed + 2 * check.flag("conjugate_a", conjugate_a)]
    form_b = "ntrc"[is_b_transposed + 2 * check.flag("conjugate_b", conjugate_b)]
    matrices = (
        ("A", (k, m) if is_a_transposed else (m, k), lda, stride_a),
        ("B", (n, k) if is_b_transposed else (k, n), ldb, stride_b),
        ("C", (m, n), ldc, stride_c),
    )
    values: dict[str, object] = {
        "type": type_,
        "m": m,
        "n": n,
        "k": k,
        "forms": f"{form_a}.{form_b}",
    }
    lines = []
    for name, shape, leading, stride in matrices:
        layout = check.layout(name, shape, leading, stride)
        check.memory(f"ld{name.lower()}", type_, shape, layout[:2])
        letter = name.lower()
        if layout[-1] == 0:
            values |= {name: memref_text(type_, shape, layout[:2]), letter: f"%{name}"}
            continue
        values |= {name: memref_text(type_, (*shape, None), layout), letter: f"%{letter}"}
        matrix = memref_text(type_, shape, layout[:2])
        slices = f"0:{shape[0]}, 0:{shape[1]}, %i"
        lines.append(f"  %{letter} = subview %{name}[{slices}] : {matrix}")
    factors = (
        ("A" if values["a"] == "%A" else "A_i", form_a),
        ("B" if values["b"] == "%B" else "B_i", form_b),
    )
    product = " ".join(_SPELLINGS[form].format(name) for name, form in factors)
    zero = f"  %zero = constant {constant_text(0, type_)} : {type_}"
    any_beta = {"name": "gemm", "beta": "%beta", "formula": f"{product} + beta C_i"}
    no_beta = {"name": "gemm_beta0", "beta": "%zero", "formula": product}
    texts = (
        _KERNEL.substitute(values, subviews="\n".join(lines), **any_beta),
        _KERNEL.substitute(values, subviews="\n".join([*lines, zero]), **no_beta),
    )
    return SmallGemmBatched("\n".join(texts), "gemm", target)
