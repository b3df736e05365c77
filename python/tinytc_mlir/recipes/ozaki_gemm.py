# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for products of floating-point matrices from products of 8-bit integers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiler import target_name
from ..errors import describe
from ..scalars import SCALAR_TYPES
from .ozaki_launches import CHECK, OzakiGemm, error_bound
from .ozaki_problem import MAX_TERMS, PART, TILE, Factor, Problem

# The weight of the lowest slices is a normal number of f64, or of f32.
_MAX_SPLITS = {"f64": 64, "f32": 16}


def ozaki_gemm(  # noqa: PLR0913  the parameters of the other recipes of products, and its own
    m: int,
    n: int,
    k: int,
    dtype: npt.DTypeLike = "f64",
    *,
    splits: int | None = None,
    rtol: float | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    lda: int | None = None,
    stride_a: int | None = None,
    ldb: int | None = None,
    stride_b: int | None = None,
    ldc: int | None = None,
    stride_c: int | None = None,
    target: object = None,
) -> OzakiGemm:
    """Return kernels for `C_i := alpha op(A_i) op(B_i) + beta C_i` from products of integers.

    Rows of op(A) and columns of op(B) are scaled by powers of two and split into slices of 7 bits,
    which are multiplied as 8-bit integers, with exact sums in 32 bits, on the matrix unit where the
    target has one. The products of slices are added up in f64, or in f32 if matrices are f32 and
    the target has no f64. C is NaN where the row of op(A) or the column of op(B) has infinity or
    NaN.

    Args:
        m: rows of op(A) and C.
        n: columns of op(B) and C.
        k: columns of op(A) and rows of op(B); any, since sums are split before they overflow.
        dtype: element type of all matrices and factors: "f64", "f32" or its NumPy dtype.
        splits: slices of each factor: at most 64 for f64, 16 for f32; the work grows with the
            square. None for as many as `rtol` needs.
        rtol: bound of what is left out, relative to k times the largest number of the row of op(A)
            and of the column of op(B), None for the type's epsilon; only without `splits`.
        transpose_a: whether op(A) is the transpose of A, which then is K x M.
        transpose_b: whether op(B) is the transpose of B, which then is N x K.
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
        LoweringError: there is no target of that name, and the type is f32.
        DeviceError: the target is an object that is no device or queue, and the type is f32.

    Source: Ootomo, Ozaki, Yokota, DGEMM on integer matrix multiplication unit, arXiv 2306.11975.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> gemm = tt.recipes.ozaki_gemm(2, 2, 3, transpose_b=True, target="cpu")
    >>> gemm.splits
    9
    >>> a = np.full((2, 3, 5), 0.1, order="F")
    >>> b = np.full((2, 3, 5), 10.0, order="F")
    >>> c = np.full((2, 2, 5), np.nan, order="F")
    >>> gemm(0.5, a, b, 0.0, c)
    >>> c[:, :, 4]
    array([[1.5, 1.5],
           [1.5, 1.5]])
    """
    type_ = CHECK.type_name(dtype)
    if type_ not in _MAX_SPLITS:
        raise CHECK.error("dtype", f"expected f64 or f32, got {type_}")
    m, n, k = (CHECK.size(name, size, 1) for name, size in (("m", m), ("n", n), ("k", k)))
    count = _splits(type_, splits, rtol)
    panel, depth_padded = _panels(k)
    factors = []
    for name, lines, tile, is_transposed, leading, stride in (
        ("A", m, TILE[0], CHECK.flag("transpose_a", transpose_a), lda, stride_a),
        ("B", n, TILE[1], not CHECK.flag("transpose_b", transpose_b), ldb, stride_b),
    ):
        shape = (k, lines) if is_transposed else (lines, k)
        padded = -(-lines // max(tile, PART)) * max(tile, PART)
        slices = (padded, count * depth_padded)
        factors.append(
            Factor(
                name,
                lines,
                k,
                shape,
                CHECK.layout(name, shape, leading, stride),
                ".t" if is_transposed else ".n",
                slices if name == "A" else slices[::-1],
                padded,
            )
        )
    strides = CHECK.layout("C", (m, n), ldc, stride_c)
    for factor in factors:
        CHECK.memory("k", "i8", factor.slices, (1, factor.slices[0]))
        CHECK.memory(f"ld{factor.name.lower()}", type_, factor.shape, factor.strides[:2])
    CHECK.memory("ldc", type_, (m, n), strides[:2])
    sums = "f64" if type_ == "f64" or _has_f64(target) else "f32"
    a, b = factors
    problem = Problem(type_, sums, count, a, b, strides, panel, depth_padded)
    return OzakiGemm(problem, target)


def _splits(type_: str, splits: object, rtol: object) -> int:
    """Return the number of slices that the caller names, or that an error bound needs."""
    most = _MAX_SPLITS[type_]
    if splits is not None:
        if rtol is not None:
            raise CHECK.error("rtol", f"expected None beside 'splits', got {describe(rtol)}")
        count = CHECK.size("splits", splits, 1)
        if count > most:
            raise CHECK.error("splits", f"expected from 1 to {most} for {type_}, got {count}")
        return count
    bound = SCALAR_TYPES[type_].epsilon if rtol is None else rtol
    if isinstance(bound, bool) or not isinstance(bound, (int, float, np.floating)):
        raise CHECK.error("rtol", f"expected a number, got {describe(bound)}")
    for count in range(1, most + 1):
        if error_bound(count) <= bound:
            return count
    least = error_bound(most)
    raise CHECK.error(
        "rtol", f"expected at least {least:.3g}, the bound for {most} slices, got {bound}"
    )


def _panels(k: int) -> tuple[int, int]:
    """Return how many terms are added up as integers, and K with zeros up to whole panels.

    Blocks of 64 bytes of a column are what matrix units read at once.
    """
    panels = -(-k // (MAX_TERMS // PART * PART))
    panel = -(-k // (panels * PART)) * PART
    return panel, panels * panel


def _has_f64(target: object) -> bool:
    """Whether a target has f64."""
    from .._tinytc import targets

    return {each.name: each.has_f64 for each in targets()}[target_name(target)]
