# SPDX-License-Identifier: BSD-3-Clause
"""Libraries that our kernels are compared with on a GPU, each where it is installed.

All work on arrays of their own of the same sizes as ours. Column-major matrices are row-major ones
transposed: C = A B is C' = B' A'.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

from .programs import ProgramCase

_TORCH_TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}

Launch = Callable[[], object]


def peers(case: ProgramCase, groups: int) -> Iterator[tuple[str, Callable[[], Launch | None]]]:
    """Yield the names of peers and what makes what starts their computation of a case.

    Making it may fail as their libraries do: of memory, of sizes that they do not take. It returns
    None for cases that are not for this peer.

    Args:
        case: a product or a chain of products of matrices; there are no peers for others.
        groups: number of groups.
    """
    if case.gemm is not None and not case.gemm["is_tall"]:
        for name, make in (
            ("cublas", _cublas),
            ("cupy", _cupy),
            ("triton", _triton),
            ("cutile", _cutile),
        ):
            yield name, functools.partial(make, case, groups)
    elif case.products:
        yield "cublas", functools.partial(_cublas_chain, case, groups)


def module_of(name: str) -> Any:
    """Return a module, None if it is not installed or does not work here."""
    if importlib.util.find_spec(name.split(".", maxsplit=1)[0]) is None:
        return None
    try:
        return importlib.import_module(name)
    except Exception:  # whatever a library raises without what it needs
        return None


def _torch(type_: str) -> tuple[Any, Any]:
    """Return PyTorch and its dtype of a scalar type; None if there is none."""
    torch = module_of("torch")
    if torch is None or type_ not in _TORCH_TYPES or not torch.cuda.is_available():
        return None, None
    torch.backends.cuda.matmul.allow_tf32 = False  # products in the type that is asked for
    return torch, getattr(torch, _TORCH_TYPES[type_])


def _transposed_operands(
    case: ProgramCase, groups: int, random: Callable[..., Any]
) -> tuple[Any, Any]:
    """Return A' and B' as arrays of matrices in row-major order, as they are multiplied."""
    assert case.gemm is not None
    m, n, k = case.gemm["shape"]
    ta, tb = case.gemm["transposes"]
    lda, ldb, _ = case.gemm["leading"]
    a_columns, b_columns = (k if ta == "n" else m), (n if tb == "n" else k)
    a = random(groups, a_columns, lda)[:, :, : m if ta == "n" else k]
    b = random(groups, b_columns, ldb)[:, :, : k if tb == "n" else n]
    return (a if ta == "n" else a.swapaxes(1, 2)), (b if tb == "n" else b.swapaxes(1, 2))


def _cublas(case: ProgramCase, groups: int) -> Launch | None:
    assert case.gemm is not None
    torch, dtype = _torch(case.gemm["type"])
    if torch is None:
        return None

    def random(*shape: int) -> Any:
        return torch.randn(shape, dtype=dtype, device="cuda")

    a, b = _transposed_operands(case, groups, random)
    m, n, _ = case.gemm["shape"]
    wide = getattr(torch, _TORCH_TYPES[case.type])
    c = torch.empty((groups, n, m), dtype=wide, device="cuda")
    if wide == dtype:
        return lambda: torch.bmm(b, a, out=c)
    return lambda: torch.bmm(b, a, wide, out=c)  # the sums, as we write them; PyTorch from 2.8 on


def _cupy(case: ProgramCase, groups: int) -> Launch | None:
    assert case.gemm is not None
    cupy, type_ = module_of("cupy"), case.gemm["type"]
    if cupy is None or type_ not in ("f32", "f64", "c32", "c64"):
        return None
    dtype = {"f32": "f4", "f64": "f8", "c32": "c8", "c64": "c16"}[type_]

    def random(*shape: int) -> Any:
        return cupy.random.standard_normal(shape).astype(dtype)

    a, b = _transposed_operands(case, groups, random)
    m, n, _ = case.gemm["shape"]
    c = cupy.empty((groups, n, m), dtype)
    return lambda: cupy.matmul(b, a, out=c)


def _triton(case: ProgramCase, groups: int) -> Launch | None:
    if module_of("triton") is None:
        return None
    assert case.gemm is not None
    torch, dtype = _torch(case.gemm["type"])
    if torch is None:
        return None
    launcher = _kernels("triton_gemm").launcher
    m, n, k = case.gemm["shape"]
    if case.gemm["transposes"] != "nn" or tuple(case.gemm["leading"]) != (m, k, m):
        return None
    wide = getattr(torch, _TORCH_TYPES[case.type])
    return launcher(torch, (dtype, wide), (m, n, k), groups)  # type: ignore[no-any-return]


def _cutile(case: ProgramCase, groups: int) -> Launch | None:
    if module_of("cuda.tile") is None:
        return None
    assert case.gemm is not None
    torch, dtype = _torch(case.gemm["type"])
    m, n, k = case.gemm["shape"]
    is_plain = case.gemm["transposes"] == "nn" and tuple(case.gemm["leading"]) == (m, k, m)
    if torch is None or not is_plain:
        return None
    types = dtype, getattr(torch, _TORCH_TYPES[case.type])
    return _kernels("cutile_gemm").launcher(torch, types, (m, n, k), groups)  # type: ignore[no-any-return]


def _kernels(name: str) -> Any:
    """Return a module of kernels of another language; its package is installed."""
    spec = importlib.util.spec_from_file_location(
        f"{__package__}.{name}", pathlib.Path(__file__).with_name(f"{name}.py")
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cublas_chain(case: ProgramCase, groups: int) -> Launch | None:
    torch, dtype = _torch(case.type)
    if torch is None:
        return None
    matrices = {
        name: torch.randn(
            (1 if each["role"] == "constant" else groups, each["columns"], each["rows"]),
            dtype=dtype,
            device="cuda",
        )
        for name, each in case.matrices.items()
    }
    steps = []
    for product in case.products:
        rows, columns, inner = product["sizes"]
        first = product["first"]
        a = matrices[product["a"]][:, :inner, :rows]
        b = matrices[product["b"]]
        if product["is_b_transposed"]:
            b = b[:, first : first + inner, :columns].swapaxes(1, 2)
        else:
            b = b[:, :columns, first : first + inner]
        c = matrices[product["c"]][:, :columns, :rows]
        a, b = (each.expand(groups, -1, -1) for each in (a, b))
        steps.append((c, b, a, 1.0 if product["adds"] else 0.0))

    def launch() -> None:
        for c, b, a, beta in steps:
            torch.baddbmm(c, b, a, beta=beta, out=c)

    return launch
