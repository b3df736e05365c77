# SPDX-License-Identifier: BSD-3-Clause
"""Who else computes the cases: loops in C, NumPy, MKL's batched GEMM, libxsmm.

A peer returns a function that computes a case once, or the reason why it cannot.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tinytc_mlir.scalars import SCALAR_TYPES

from . import chain_peers
from .case import Arrays, Case, Gemm, Instruction
from .mkl import batched_gemm, plain_gemm
from .native import NativeError, library

# A function that computes a case once, or why there is none.
Answer: TypeAlias = Callable[[], Any] | str
_POINTER = ctypes.c_void_p
_CACHE_LINE_BYTES = 64


def numpy_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation in NumPy."""
    if case.chain is not None:
        return chain_peers.numpy_chain(case.chain, arrays, groups)
    if case.gemm is not None:
        return _numpy_gemm(case.gemm, arrays)
    if case.instruction is not None:
        compute = _NUMPY[case.instruction.word]
        operands = [arrays[name].T for name in case.instruction.operands]
        return functools.partial(compute, case.instruction, *operands)
    if case.family == "recipe":
        return functools.partial(_numpy_chain, arrays)
    return "not written for it"


def _numpy_gemm(gemm: Gemm, arrays: Arrays) -> Answer:
    if SCALAR_TYPES[gemm.type].compute != gemm.type:
        return f"{gemm.type} with a result in f32 is not in NumPy"
    # A column-major batch is, read backwards, a row-major one: C^T := op(B)^T op(A)^T.
    b, a, c = (arrays[name].T for name in "BAC")
    a = a if gemm.transposes[0] == "n" else a.swapaxes(1, 2)
    b = b if gemm.transposes[1] == "n" else b.swapaxes(1, 2)
    return functools.partial(np.matmul, b, a, out=c)


# Operands of instructions are read backwards: the group first, then the last mode.
_Operand: TypeAlias = "np.ndarray[Any, Any]"


def _numpy_gemv(_: Instruction, a: _Operand, x: _Operand, y: _Operand) -> None:
    np.matmul(x[:, None, :], a, out=y[:, None, :])


def _numpy_ger(instruction: Instruction, x: _Operand, y: _Operand, a: _Operand) -> None:
    alpha, beta = instruction.factors
    a *= beta
    a += (alpha * y)[:, :, None] * x[:, None, :]


def _numpy_axpby(instruction: Instruction, x: _Operand, y: _Operand) -> None:
    alpha, beta = instruction.factors
    y *= beta
    y += alpha * x


def _numpy_hadamard_product(_: Instruction, x: _Operand, y: _Operand, z: _Operand) -> None:
    np.multiply(x, y, out=z)


def _numpy_sum(_: Instruction, x: _Operand, y: _Operand) -> None:
    np.sum(x, axis=1, out=y)


def _numpy_cumsum(instruction: Instruction, x: _Operand, y: _Operand) -> None:
    np.cumsum(x, axis=x.ndim - 1 - instruction.mode, out=y)


def _numpy_chain(arrays: Arrays) -> None:
    first, second, third = (arrays[f"operand{number}"].T for number in range(3))
    np.matmul(np.matmul(third, second), first, out=arrays["result"].T)


_NUMPY: dict[str, Callable[..., None]] = {
    "gemv": _numpy_gemv,
    "ger": _numpy_ger,
    "axpby": _numpy_axpby,
    "hadamard_product": _numpy_hadamard_product,
    "sum": _numpy_sum,
    "cumsum": _numpy_cumsum,
}


def c_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the instruction as loops in C for its sizes, with OpenMP over the batch."""
    instruction = case.instruction
    if instruction is None:
        return "only for single instructions"
    shape, mode = instruction.shape, instruction.mode
    sizes = (math.prod(shape[:mode]), shape[mode], math.prod(shape[mode + 1 :]))
    values = {
        "INSTRUCTION": instruction.word,
        "TYPE": _C_TYPES[case.type],
        **dict(zip(("BEFORE", "LENGTH", "AFTER"), sizes, strict=True)),
        **{
            name: f"({_C_TYPES[case.type]}){factor}"
            for name, factor in zip(("ALPHA", "BETA"), instruction.factors, strict=True)
        },
    }
    definitions = tuple(f"{name}={value}" for name, value in values.items())
    try:
        native = library("loops", definitions)
    except NativeError as error:
        return f"missing: {error}"
    names = instruction.operands
    # Instructions with one input have none in the second place.
    operands = [arrays[name] for name in (names[0], names[-2], names[-1])]
    addresses = [_address(array) for array in operands]
    steps = [ctypes.c_long(array.strides[-1] // array.itemsize) for array in operands]
    native.run.restype = None
    return functools.partial(native.run, *addresses, *steps, ctypes.c_long(groups))


_C_TYPES = {"f32": "float", "f64": "double"}


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


def libxsmm_peer(
    case: Case, arrays: Arrays, groups: int, *, prefetches: bool = False, streams: bool = False
) -> Answer:
    """Return the computation with libxsmm kernels, with OpenMP over the batch.

    Args:
        case: the case.
        arrays: its arrays.
        groups: number of groups.
        prefetches: whether a kernel fetches the matrices of the next group.
        streams: whether it writes around the caches.
    """
    if case.chain is not None and streams:
        return "not for chains, which read what they have written"
    if case.chain is not None:
        return chain_peers.libxsmm_chain(
            case.chain, case.type, arrays, groups, prefetches=prefetches
        )
    if case.gemm is None or case.gemm.type not in ("f32", "f64"):
        return "no GEMM of that kind"
    ways = (prefetches, streams)
    return _libxsmm_gemm(case.gemm, arrays, groups, ways)


def _libxsmm_gemm(gemm: Gemm, arrays: Arrays, groups: int, ways: tuple[bool, bool]) -> Answer:
    """Return a batch of libxsmm's products; ways are whether it prefetches, whether it streams."""
    if ways[1] and not _has_whole_lines(gemm, arrays):
        return "only where columns of C are whole cache lines"
    try:
        native = library("libxsmm_batch")
    except NativeError as error:
        return f"missing: {error}; Debian package libxsmm-dev"
    leading, strides = _places(gemm, arrays)
    find = getattr(native, f"find_{gemm.type}")
    find.restype = _POINTER
    is_transposed = [letter == "t" for letter in gemm.transposes]
    kernel = find(*map(ctypes.c_int, (*gemm.shape, *leading, *is_transposed, *ways)))
    if not kernel:
        return "no kernel for these transposes"
    run = getattr(native, f"gemm_{gemm.type}")
    run.restype = None
    addresses = [_address(arrays[name]) for name in "ABC"]
    counts = map(ctypes.c_long, (*strides, groups))
    return functools.partial(run, _POINTER(kernel), *addresses, *counts)


def _has_whole_lines(gemm: Gemm, arrays: Arrays) -> bool:
    """Return whether every column of C begins and ends with a cache line."""
    leading, strides = _places(gemm, arrays)
    c = arrays["C"]
    sizes_bytes = [size * c.itemsize for size in (gemm.shape[0], leading[2], strides[2])]
    return not any(size % _CACHE_LINE_BYTES for size in (*sizes_bytes, c.ctypes.data))


def _places(gemm: Gemm, arrays: Arrays) -> tuple[Sequence[int], Sequence[int]]:
    """Return the leading dimensions of A, B and C, and the elements between groups."""
    if gemm.is_tall:
        return [arrays[name].shape[0] for name in "ABC"], [gemm.shape[0], 0, gemm.shape[0]]
    return gemm.leading, [arrays[name].strides[-1] // arrays[name].itemsize for name in "ABC"]


def _address(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return _POINTER(array.ctypes.data)


Peer: TypeAlias = Callable[[Case, Arrays, int], Answer]
PEER_FUNCTIONS: dict[str, Peer] = {
    "c": c_peer,
    "numpy": numpy_peer,
    "mkl": mkl_peer,
    "libxsmm": libxsmm_peer,
    "libxsmm_prefetch": functools.partial(libxsmm_peer, prefetches=True),
    "libxsmm_streaming": functools.partial(libxsmm_peer, streams=True),
}
"""All peers by name, and all ways to call them."""
