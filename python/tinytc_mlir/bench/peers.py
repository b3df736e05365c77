"""Who else computes the cases: NumPy, MKL's batched GEMM, libxsmm.

A peer returns a function that computes a case once, or the reason why it cannot.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from . import PEERS
from .case import Arrays, Case, Gemm
from .native import NativeError, library

# A function that computes a case once, or why there is none.
Answer: TypeAlias = Callable[[], Any] | str
_POINTER = ctypes.c_void_p


def numpy_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation in NumPy."""
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


@functools.cache
def _mkl() -> ctypes.CDLL:
    """Return MKL from the PyPI package, or else from the system."""
    folders = []
    for package, name in (("intel-openmp", "libiomp5.so"), ("mkl", "libmkl_rt.so")):
        try:
            files = importlib.metadata.files(package) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        folders += [str(f.locate()) for f in files if pathlib.Path(str(f)).name.startswith(name)]
    for path in folders[:-1]:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(folders[-1] if folders else "libmkl_rt.so", mode=ctypes.RTLD_GLOBAL)


_CBLAS_COLUMN_MAJOR, _CBLAS_NO_TRANSPOSE, _CBLAS_TRANSPOSE = 102, 111, 112
_MKL_LETTERS = {"f32": "s", "f64": "d", "c32": "c", "c64": "z"}


def mkl_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation with `cblas_?gemm_batch_strided` of MKL."""
    gemm = case.gemm
    if gemm is None or gemm.type not in _MKL_LETTERS:
        return "no batched GEMM of that kind"
    try:
        function = getattr(_mkl(), f"cblas_{_MKL_LETTERS[gemm.type]}gemm_batch_strided")
    except (OSError, AttributeError) as error:
        return f"missing: {error}; `pip install mkl`"
    m, n, k = map(ctypes.c_int, gemm.shape)
    if gemm.is_tall:
        return _mkl_tall(gemm, arrays)
    operands = {}
    for name, leading in zip("ABC", gemm.leading, strict=True):
        array = arrays[name]
        stride = array.strides[-1] // array.itemsize
        operands[name] = (_address(array), ctypes.c_int(leading), ctypes.c_int(stride))
    alpha, beta = _mkl_scalars(gemm.type)
    transposes = [
        ctypes.c_int(_CBLAS_NO_TRANSPOSE if letter == "n" else _CBLAS_TRANSPOSE)
        for letter in gemm.transposes
    ]
    order, batch = ctypes.c_int(_CBLAS_COLUMN_MAJOR), ctypes.c_int(groups)
    sizes = (order, *transposes, m, n, k)
    return functools.partial(
        function, *sizes, alpha, *operands["A"], *operands["B"], beta, *operands["C"], batch
    )


def _mkl_tall(gemm: Gemm, arrays: Arrays) -> Answer:
    """Return one product of all rows."""
    function = getattr(_mkl(), f"cblas_{_MKL_LETTERS[gemm.type]}gemm")
    words = (_CBLAS_COLUMN_MAJOR, _CBLAS_NO_TRANSPOSE, _CBLAS_NO_TRANSPOSE)
    sizes = map(ctypes.c_int, (*words, arrays["A"].shape[0], *gemm.shape[1:]))
    a, b, c = ((_address(arrays[name]), ctypes.c_int(arrays[name].shape[0])) for name in "ABC")
    alpha, beta = _mkl_scalars(gemm.type)
    return functools.partial(function, *sizes, alpha, *a, *b, beta, *c)


def _mkl_scalars(type_: str) -> tuple[Any, Any]:
    """Return 1 and 0: by value if real, by address if complex."""
    scalar = ctypes.c_float if type_ in ("f32", "c32") else ctypes.c_double
    if type_[0] == "f":
        return scalar(1), scalar(0)
    return (scalar * 2)(1, 0), (scalar * 2)(0, 0)


def libxsmm_peer(case: Case, arrays: Arrays, groups: int) -> Answer:
    """Return the computation with a libxsmm kernel, with OpenMP over the batch."""
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


def _address(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return _POINTER(array.ctypes.data)


Peer: TypeAlias = Callable[[Case, Arrays, int], Answer]
_FUNCTIONS: tuple[Peer, ...] = (numpy_peer, mkl_peer, libxsmm_peer)
PEER_FUNCTIONS = dict(zip(PEERS, _FUNCTIONS, strict=True))
