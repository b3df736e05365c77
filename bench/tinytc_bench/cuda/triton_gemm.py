# SPDX-License-Identifier: BSD-3-Clause
"""Products of small matrices, batched, in Triton: one program a product."""

import triton
import triton.language as tl

from .last_product import check_last_product


@triton.jit
def _gemm(
    a,
    b,
    c,
    m,
    n,
    k,
    rows: tl.constexpr,
    columns: tl.constexpr,
    inner: tl.constexpr,
    uses_dot: tl.constexpr,
):
    group = tl.program_id(0).to(tl.int64)
    i, j, p = tl.arange(0, rows), tl.arange(0, columns), tl.arange(0, inner)
    # Column-major: element (i, j) of an m x n matrix is at i + j m.
    a_mask = (i[:, None] < m) & (p[None, :] < k)
    b_mask = (p[:, None] < k) & (j[None, :] < n)
    left = tl.load(a + group * m * k + i[:, None] + p[None, :] * m, mask=a_mask, other=0.0)
    right = tl.load(b + group * k * n + p[:, None] + j[None, :] * k, mask=b_mask, other=0.0)
    if uses_dot:
        result = tl.dot(left, right, input_precision="ieee")
    else:
        result = tl.sum(left[:, :, None] * right[None, :, :], axis=1)
    c_mask = (i[:, None] < m) & (j[None, :] < n)
    tl.store(c + group * m * n + i[:, None] + j[None, :] * m, result, mask=c_mask)


_LEAST = 16  # sizes that `tl.dot` takes
_MOST = 32768  # elements of the outer product without it


def launcher(torch, types, shape, groups):
    """Return what starts the products, None if Triton cannot do them in one program.

    Args:
        torch: PyTorch.
        types: type of the factors, and of the result.
        shape: M, N and K.
        groups: number of products.
    """
    m, n, k = shape
    dtype, wide = types
    rows, columns, inner = (max(triton.next_power_of_2(size), _LEAST) for size in (m, n, k))
    uses_dot = dtype != torch.float64
    if not uses_dot and rows * columns * inner > _MOST:
        return None
    a, b = (
        torch.randn(groups * size, device="cuda", dtype=torch.float32).to(dtype)
        for size in (m * k, k * n)
    )
    c = torch.empty(groups * m * n, device="cuda", dtype=wide)
    warps = 4 if rows * columns >= 2048 else 1
    sizes = (rows, columns, inner)

    def launch():
        _gemm[(groups,)](a, b, c, m, n, k, *sizes, uses_dot, num_warps=warps)

    launch()
    check_last_product(torch, a.view(groups, k, m), b.view(groups, n, k), c.view(groups, n, m))
    return launch
