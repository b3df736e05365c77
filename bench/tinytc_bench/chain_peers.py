# SPDX-License-Identifier: BSD-3-Clause
"""Chains of products with NumPy, MKL and libxsmm."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from .case import Arrays
from .chains import Chain, Matrix, Product
from .mkl import batched_gemm
from .native import NativeError, library

Answer: TypeAlias = Callable[[], Any] | str
_Array: TypeAlias = "np.ndarray[Any, Any]"
_POINTER = ctypes.c_void_p
_CACHE_LINE_BYTES = 64
# Of libxsmm: what a kernel fetches while it computes.
_FETCH_A, _FETCH_B_WITH_C = 2, 4


def numpy_chain(chain: Chain, arrays: Arrays, groups: int) -> Answer:
    """Return the chain as batched products, whose temporaries are arrays for all groups."""
    every = _with_temporaries(chain, arrays, groups)
    steps = [_numpy_product(chain, product, every) for product in chain.products]

    return functools.partial(_run, steps, every)


def _run(steps: Sequence[Callable[[], Any]], arrays: object) -> None:
    """Run the steps of a chain, which may know no more than the addresses of the arrays."""
    for step in steps:
        step()


def _with_temporaries(chain: Chain, arrays: Arrays, groups: int) -> dict[str, _Array]:
    """Return all arrays, those of the temporaries for all groups among them."""
    dtype = next(iter(arrays.values())).dtype
    every = {name: array for name, array in arrays.items() if name in chain.matrices}
    for name, matrix in chain.matrices.items():
        if matrix.role == "temporary":
            every[name] = np.zeros((matrix.rows, matrix.columns, groups), dtype, order="F")
    return every


def _numpy_product(
    chain: Chain, product: Product, arrays: Mapping[str, _Array]
) -> Callable[[], Any]:
    # A column-major batch is, read backwards, a row-major one: C^T := op(B)^T A^T.
    a, b, c = (
        arrays[getattr(product, operand)].T[..., column : column + columns, row : row + rows]
        for operand, (row, rows, column, columns) in product.slices().items()
    )
    if product.is_b_transposed:
        b = b.swapaxes(-1, -2)
    if not product.adds:
        return functools.partial(np.matmul, b, a, out=c)
    result = np.empty_like(c)

    def add() -> None:
        np.matmul(b, a, out=result)
        np.add(c, result, out=c)

    return add


def mkl_chain(chain: Chain, type_: str, arrays: Arrays, groups: int) -> Answer:
    """Return the chain as batched products of MKL, whose temporaries are arrays for all groups."""
    every = _with_temporaries(chain, arrays, groups)
    steps: list[Callable[[], Any]] = []
    for product in chain.products:
        a, b, c = (
            (
                _POINTER(every[name].ctypes.data + offset * every[name].itemsize),
                matrix.rows,
                0 if matrix.role == "constant" else matrix.rows * matrix.columns,
            )
            for name, matrix, offset in _operands(chain, product)
        )
        transposes = "nt" if product.is_b_transposed else "nn"
        operands = (a, b, c)
        step = batched_gemm(type_, transposes, product.sizes, operands, groups, adds=product.adds)
        if isinstance(step, str):
            return step
        steps.append(step)

    return functools.partial(_run, steps, every)


def _operands(chain: Chain, product: Product) -> list[tuple[str, Matrix, int]]:
    """Return A, B and C: name, matrix and where in it the product begins, in elements."""
    found = []
    for operand, (row, _, column, _) in product.slices().items():
        name = getattr(product, operand)
        matrix = chain.matrices[name]
        found.append((name, matrix, row + column * matrix.rows))
    return found


class _Matrix(ctypes.Structure):
    """`struct matrix` of `libxsmm_chain.c`."""

    _fields_ = (("first", _POINTER), ("step", ctypes.c_long))


class _Product(ctypes.Structure):
    """`struct product` of `libxsmm_chain.c`."""

    _fields_ = (
        ("kernel", _POINTER),
        *((name, _Matrix) for name in ("a", "b", "c", "next_a", "next_b")),
    )


def libxsmm_chain(
    chain: Chain, type_: str, arrays: Arrays, groups: int, *, prefetches: bool = False
) -> Answer:
    """Return the chain with libxsmm kernels for each group, with OpenMP over the groups.

    Args:
        chain: the chain.
        type_: scalar type.
        arrays: arrays of the parameters.
        groups: number of groups.
        prefetches: whether kernels fetch the matrices of the next group. A kernel can do that for
            two: for A, and for one as large as C, while it writes C.
    """
    try:
        native = library("libxsmm_chain")
    except NativeError as error:
        return f"missing: {error}; Debian package libxsmm-dev"
    find = getattr(native, f"find_{type_}")
    find.restype = _POINTER
    size_bytes = next(iter(arrays.values())).itemsize
    places, between_bytes = _places(chain, size_bytes)
    products = (_Product * len(chain.products))()
    for product, entry in zip(chain.products, products, strict=True):
        matrices = []
        for name, matrix, offset in _operands(chain, product):
            if matrix.role == "temporary":
                matrices.append(_Matrix(None, places[name] + offset * size_bytes))
                continue
            step = matrix.rows * matrix.columns * size_bytes if matrix.is_batch else 0
            matrices.append(_Matrix(arrays[name].ctypes.data + offset * size_bytes, step))
        next_a, next_b, flags = matrices[0], matrices[1], 0
        if prefetches:
            a, b, c = (chain.matrices[name] for name in (product.a, product.b, product.c))
            flags = _FETCH_A if a.is_batch else 0
            if b.is_batch or c.is_batch:
                flags |= _FETCH_B_WITH_C
                next_b = matrices[2] if c.is_batch else matrices[1]
        kernel = _libxsmm_kernel(find, chain, product, flags)
        if not kernel:
            return "no kernel for these transposes"
        entry.kernel = kernel
        entry.a, entry.b, entry.c = matrices
        entry.next_a, entry.next_b = next_a, next_b
    run = native.run_chain
    run.restype = None
    counts = (len(products), between_bytes, groups)
    return functools.partial(run, products, *map(ctypes.c_long, counts))


def _libxsmm_kernel(find: Any, chain: Chain, product: Product, prefetch: int) -> int | None:
    """Return the address of a kernel, None if there is none."""
    leading = [matrix.rows for _, matrix, _ in _operands(chain, product)]
    is_transposed = product.is_b_transposed
    if is_transposed and leading[1] == 1:  # a row, which lies in memory as a column does
        leading[1], is_transposed = product.sizes[2], False
    numbers = (*product.sizes, *leading, is_transposed, product.adds, prefetch)
    address: int | None = find(*map(ctypes.c_int, numbers))
    return address


def _places(chain: Chain, size_bytes: int) -> tuple[dict[str, int], int]:
    """Return where each temporary begins in the memory of a thread, and how much they take."""
    places, end = {}, 0
    for name, matrix in chain.matrices.items():
        if matrix.role == "temporary":
            places[name] = end
            lines = -(-matrix.rows * matrix.columns * size_bytes // _CACHE_LINE_BYTES)
            end += lines * _CACHE_LINE_BYTES
    return places, max(end, _CACHE_LINE_BYTES)
