"""Who else computes the cases: NumPy, MKL's batched GEMM, libxsmm.

A peer returns a function that computes a case once, or the reason why it cannot.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from . import PEERS, chain_peers
from .case import Arrays, Case, Gemm
from .mkl import batched_gemm, plain_gemm
from .native import NativeError, library

# A function that computes a case once, or why there is none.
Answer: TypeAlias = Callable[[], Any] | str
_POINTER = ctypes.c_void_p


def numpy_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation in NumPy."""
    if case.chain is not None:
        return chain_peers.numpy_chain(case.chain, arrays, groups)
    if case.gemm is not None:
        return _numpy_gemm(case.gemm, arrays)
    compute = _NUMPY.get(case.name.partition(".")[0])
    return "not written for it" if compute is None else functools.partial(compute, arrays)


def _numpy_gemm(gemm: Gemm, arrays: Arrays) -> Answer:
    if gemm.type in ("bf16", "f16"):
        return f"{gemm.type} with a result in f32 is not in NumPy"
    # A column-major batch is, read backwards, a row-major one: C^T := op(B)^T op(A)^T.
    b, a, c = (arrays[name].T for name in "BAC")
    a = a if gemm.transposes[0] == "n" else a.swapaxes(1, 2)
    b = b if gemm.transposes[1] == "n" else b.swapaxes(1, 2)
    return functools.partial(np.matmul, b, a, out=c)


def _numpy_gemv(arrays: Arrays) -> None:
    a, x, y = arrays["A"].T, arrays["X"].T, arrays["Y"].T
    np.matmul(x[:, None, :], a, out=y[:, None, :])


def _numpy_ger(arrays: Arrays) -> None:
    a = arrays["A"].T
    a *= 0.5
    a += (0.5 * arrays["Y"].T)[:, :, None] * arrays["X"].T[:, None, :]


def _numpy_axpby(arrays: Arrays) -> None:
    y = arrays["Y"].T
    y *= 0.5
    y += 0.5 * arrays["X"].T


def _numpy_hadamard_product(arrays: Arrays) -> None:
    np.multiply(arrays["X"].T, arrays["Y"].T, out=arrays["Z"].T)


def _numpy_sum(arrays: Arrays) -> None:
    np.sum(arrays["X"].T, axis=1, out=arrays["Y"].T)


def _numpy_cumsum(arrays: Arrays) -> None:
    np.cumsum(arrays["X"].T, axis=-1, out=arrays["Y"].T)


def _numpy_chain(arrays: Arrays) -> None:
    first, second, third = (arrays[f"operand{number}"].T for number in range(3))
    np.matmul(np.matmul(third, second), first, out=arrays["result"].T)


_NUMPY: dict[str, Callable[[Arrays], None]] = {
    "gemv": _numpy_gemv,
    "ger": _numpy_ger,
    "axpby": _numpy_axpby,
    "hadamard_product": _numpy_hadamard_product,
    "sum": _numpy_sum,
    "cumsum": _numpy_cumsum,
    "recipe": _numpy_chain,
}


def mkl_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation with `cblas_?gemm_batch_strided` of MKL."""
    if case.chain is not None:
        return chain_peers.mkl_chain(case.chain, case.type, arrays, groups)
    gemm = case.gemm
    if gemm is None:
        return "no batched GEMM of that kind"
    if gemm.is_tall:
        sizes = (arrays["A"].shape[0], *gemm.shape[1:])
        a, b, c = ((_address(arrays[name]), arrays[name].shape[0], 0) for name in "ABC")
        return plain_gemm(gemm.type, sizes, (a, b, c))
    a, b, c = (
        (_address(arrays[name]), leading, arrays[name].strides[-1] // arrays[name].itemsize)
        for name, leading in zip("ABC", gemm.leading, strict=True)
    )
    return batched_gemm(gemm.type, gemm.transposes, gemm.shape, (a, b, c), groups)


def libxsmm_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation with a libxsmm kernel, with OpenMP over the batch."""
    if case.chain is not None:
        return chain_peers.libxsmm_chain(case.chain, case.type, arrays, groups)
    gemm = case.gemm
    if gemm is None or gemm.type not in ("f32", "f64"):
        return "no GEMM of that kind"
    try:
        native = library("libxsmm_batch")
    except NativeError as error:
        return f"missing: {error}; Debian package libxsmm-dev"
    find = getattr(native, f"find_{gemm.type}")
    find.restype = _POINTER
    is_transposed = [letter == "t" for letter in gemm.transposes]
    leading, strides = _places(gemm, arrays)
    kernel = find(*map(ctypes.c_int, (*gemm.shape, *leading, *is_transposed)))
    if not kernel:
        return "no kernel for these transposes"
    run = getattr(native, f"gemm_{gemm.type}")
    run.restype = None
    addresses = [_address(arrays[name]) for name in "ABC"]
    counts = map(ctypes.c_long, (*strides, groups))
    return functools.partial(run, _POINTER(kernel), *addresses, *counts)


def _places(gemm: Gemm, arrays: Arrays) -> tuple[Sequence[int], Sequence[int]]:
    """Return the leading dimensions of A, B and C, and the elements between groups."""
    if gemm.is_tall:
        return [arrays[name].shape[0] for name in "ABC"], [gemm.shape[0], 0, gemm.shape[0]]
    return gemm.leading, [arrays[name].strides[-1] // arrays[name].itemsize for name in "ABC"]


def libxsmm_prefetch_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return a chain of libxsmm kernels that fetch the next group's matrices on the way."""
    if case.chain is None:
        return "only for chains"
    return chain_peers.libxsmm_chain(case.chain, case.type, arrays, groups, prefetches=True)


def _address(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return _POINTER(array.ctypes.data)


Peer: TypeAlias = Callable[[Case, Arrays, int], Answer]
_FUNCTIONS: tuple[Peer, ...] = (numpy_peer, mkl_peer, libxsmm_peer, libxsmm_prefetch_peer)
PEER_FUNCTIONS = dict(zip(PEERS, _FUNCTIONS, strict=True))
