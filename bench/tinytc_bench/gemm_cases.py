# SPDX-License-Identifier: BSD-3-Clause
"""GEMM cases: cubes, wave-solver shapes, transposes, leading dimensions, dynamic sizes, types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytc_mlir.scalars import SCALAR_TYPES

from .case import Array, Arrays, Case, Gemm, Source

CUBES = (4, 8, 16, 32, 64, 128)
# M x N x K of the kernels of a wave solver: 9 quantities, polynomials of degree 2 to 7.
WAVE_SHAPES = (
    *((m, 9, 9) for m in (10, 20, 35, 56)),
    *((m, 9, m) for m in (10, 20, 35, 56, 120)),
)
_VARIANT_SIZES = (32, 35)

_STATIC = """\
func @gemm(%A: memref<{type}x{a}x?{la}>, %B: memref<{type}x{b}x?{lb}>,
           %C: memref<{wide}x{c}x?{lc}>) {{
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : memref<{type}x{a}{sa}>
  %b = subview %B[:, :, %g] : memref<{type}x{b}{sb}>
  %c = subview %C[:, :, %g] : memref<{wide}x{c}{sc}>
  %alpha = constant {alpha} : {type}
  %beta = constant {beta} : {wide}
  gemm.{ta}.{tb} %alpha, %a, %b, %beta, %c
}}
"""


def gemm_cases() -> Iterator[Case]:
    """Yield all GEMM cases."""
    for type_ in ("f32", "f64"):
        for size in CUBES:
            yield _case(f"gemm.{type_}.{size}", "gemm", type_, (size,) * 3)
        for shape in WAVE_SHAPES:
            name = "x".join(map(str, shape))
            yield _case(f"gemm.{type_}.{name}", "gemm", type_, shape)
    for type_ in ("f32", "f64"):
        for size in _VARIANT_SIZES:
            yield from _variants(type_, size)
    for type_ in ("bf16", "f16", "c32", "c64"):
        for size in _VARIANT_SIZES:
            yield _case(f"gemm.{type_}.{size}", "variant", type_, (size,) * 3)


def _variants(type_: str, size: int) -> Iterator[Case]:
    """Yield the cases that are compared with the plain GEMM of the same size."""
    cube, name = (size,) * 3, f"gemm.{type_}.{size}"
    plain = ("plain", _case(name, "gemm", type_, cube))
    if size not in CUBES:
        yield _case(name, "variant", type_, cube)
    for transposes in ("tn", "nt", "tt"):
        yield _case(f"{name}.{transposes}", "variant", type_, cube, transposes, baseline=plain)
    padded = (size + 8, size + 5, size + 16)
    yield _case(f"{name}.padded", "variant", type_, cube, leading=padded, baseline=plain)
    text = _dynamic_text(type_)
    yield _case(f"{name}.dynamic", "variant", type_, cube, text=text, baseline=plain)


def _case(
    name: str,
    family: str,
    type_: str,
    shape: tuple[int, int, int],
    transposes: str = "nn",
    **options: Any,
) -> Case:
    """Return a case; options are leading, text and baseline."""
    wide = SCALAR_TYPES[type_].compute
    shapes = _shapes(shape, transposes)
    leading = options.get("leading") or tuple(rows for rows, _ in shapes)
    text = options.get("text") or _text(type_, shape, transposes, leading)
    arrays = tuple(
        Array(name, element_type, size, role, leading=rows)
        for name, element_type, size, role, rows in zip(
            "ABC", (type_, type_, wide), shapes, ("in", "in", "out"), leading, strict=True
        )
    )
    m, n, k = shape
    return Case(
        name=name,
        family=family,
        type=wide,
        arrays=arrays,
        ours=Source(text, ("gemm",)),
        flops=2 * m * n * k * (4 if type_[0] == "c" else 1),
        expected=_Product(type_, transposes),
        terms=k,
        baseline=options.get("baseline"),
        gemm=Gemm(type_, shape, transposes, leading),
    )


def _shapes(shape: tuple[int, int, int], transposes: str) -> tuple[tuple[int, int], ...]:
    m, n, k = shape
    a = (m, k) if transposes[0] == "n" else (k, m)
    b = (k, n) if transposes[1] == "n" else (n, k)
    return a, b, (m, n)


def _text(
    type_: str,
    shape: tuple[int, int, int],
    transposes: str = "nn",
    leading: tuple[int, ...] | None = None,
) -> str:
    values: dict[str, str] = {}
    shapes = _shapes(shape, transposes)
    for name, (rows, columns), distance in zip(
        "abc", shapes, leading or tuple(rows for rows, _ in shapes), strict=True
    ):
        is_padded = distance != rows
        values[name] = f"{rows}x{columns}"
        values["l" + name] = f",strided<1,{distance},{distance * columns}>" if is_padded else ""
        values["s" + name] = f",strided<1,{distance}>" if is_padded else ""
    return _STATIC.format(**values, **_words(type_, transposes))


def _dynamic_text(type_: str) -> str:
    values = dict.fromkeys("abc", "?x?")
    values |= {prefix + name: "" for prefix in "ls" for name in "abc"}
    return _STATIC.format(**values, **_words(type_, "nn"))


def _words(type_: str, transposes: str) -> dict[str, str]:
    wide = SCALAR_TYPES[type_].compute
    is_complex = type_[0] == "c"
    return {
        "type": type_,
        "wide": wide,
        "alpha": "[1.0, 0.0]" if is_complex else "1.0",
        "beta": "[0.0, 0.0]" if is_complex else "0.0",
        "ta": transposes[0],
        "tb": transposes[1],
    }


class _Product:
    """Computes the expected C."""

    def __init__(self, type_: str, transposes: str) -> None:
        self._type = type_
        self._transposes = transposes

    def __call__(self, arrays: Arrays) -> dict[str, Any]:
        a, b = (
            self._values(arrays[name], transpose)
            for name, transpose in zip("AB", self._transposes, strict=True)
        )
        # Batches come last in memory, but first in NumPy's matmul.
        return {"C": np.moveaxis(np.matmul(a, b), 0, -1)}

    def _values(self, array: Any, transpose: str) -> Any:
        scalar_type = SCALAR_TYPES[self._type]
        dtype = SCALAR_TYPES[scalar_type.compute].dtype
        array = scalar_type.from_memory(array).astype(dtype, copy=False)
        batched = np.moveaxis(array, -1, 0)
        return batched if transpose == "n" else batched.swapaxes(1, 2)
