# SPDX-License-Identifier: BSD-3-Clause
"""Products of small matrices, batched, in cuTile: one block a product."""

import cuda.tile as ct

from .last_product import check_last_product


@ct.kernel
def _gemm(a, b, c, rows: ct.Constant[int], columns: ct.Constant[int], inner: ct.Constant[int]):
    group = ct.bid(0)
    # Row-major C' = B' A'.
    zeros = ct.PaddingMode.ZERO
    left = ct.load(b, (group, 0, 0), (1, columns, inner), padding_mode=zeros)
    right = ct.load(a, (group, 0, 0), (1, inner, rows), padding_mode=zeros)
    result = ct.mma(left, right, ct.full((1, columns, rows), 0.0, dtype=ct.float32))
    ct.store(c, (group, 0, 0), ct.astype(result, c.dtype))


def _power(size):
    return 1 << (size - 1).bit_length()


def launcher(torch, types, shape, groups):
    """Return what starts the products, None for types that cuTile multiplies in another one.

    Args:
        torch: PyTorch.
        types: type of the factors, and of the result.
        shape: M, N and K.
        groups: number of products.
    """
    dtype, wide = types
    if dtype not in (torch.float16, torch.bfloat16, torch.float32):
        return None
    m, n, k = shape
    a, b, c = (
        torch.randn((groups, *size), device="cuda", dtype=torch.float32).to(type_)
        for size, type_ in (((k, m), dtype), ((n, k), dtype), ((n, m), wide))
    )
    stream = torch.cuda.current_stream()
    sizes = tuple(map(_power, (m, n, k)))

    def launch():
        ct.launch(stream, (groups, 1, 1), _gemm, (a, b, c, *sizes))

    launch()
    check_last_product(torch, a, b, c)
    return launch
