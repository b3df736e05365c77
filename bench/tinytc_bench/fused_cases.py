# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of several instructions, compared with one kernel for each of the instructions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from .case import Array, Arrays, Case, Source

_ALPHA = 0.5

# The sample kernel of the language reference.
SAMPLE = """\
func @fused(%alpha: f32, %A: group<memref<f32x16x8>x?>, %B: memref<f32x8x8>,
            %C: memref<f32x8x16>, %D: memref<f32x16x16x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f32x16x8>
  %d = subview %D[:, :, %g] : memref<f32x16x16>
  %t = alloca : memref<f32x16x8>
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  gemm.n.t %one, %a, %B, %zero, %t
  gemm.n.n %alpha, %t, %C, %one, %d
}
"""
_SAMPLE_SEPARATE = """\
func @first(%A: memref<f32x16x8x?>, %B: memref<f32x8x8>, %T: memref<f32x16x8x?>) {
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : memref<f32x16x8>
  %t = subview %T[:, :, %g] : memref<f32x16x8>
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  gemm.n.t %one, %a, %B, %zero, %t
}

func @second(%alpha: f32, %T: memref<f32x16x8x?>, %C: memref<f32x8x16>,
             %D: memref<f32x16x16x?>) {
  %g = builtin.group_id : index
  %t = subview %T[:, :, %g] : memref<f32x16x8>
  %d = subview %D[:, :, %g] : memref<f32x16x16>
  %one = constant 1.0 : f32
  gemm.n.n %alpha, %t, %C, %one, %d
}
"""

# Part of a volume kernel: D := K0 Q S0 + K1 Q S1, Q of M x 9, with one temporary per product.
_QUANTITIES = 9
_CHAIN = """\
func @fused(%K0: memref<{t}x{m}x{m}>, %K1: memref<{t}x{m}x{m}>, %Q: memref<{t}x{m}x9x?>,
            %S0: memref<{t}x9x9x?>, %S1: memref<{t}x9x9x?>, %D: memref<{t}x{m}x9x?>) {{
  %g = builtin.group_id : index
  %q = subview %Q[:, :, %g] : memref<{t}x{m}x9>
  %s0 = subview %S0[:, :, %g] : memref<{t}x9x9>
  %s1 = subview %S1[:, :, %g] : memref<{t}x9x9>
  %d = subview %D[:, :, %g] : memref<{t}x{m}x9>
  %t0 = alloca : memref<{t}x{m}x9>
  %t1 = alloca : memref<{t}x{m}x9>
  %zero = constant 0.0 : {t}
  %one = constant 1.0 : {t}
  gemm.n.n %one, %K0, %q, %zero, %t0
  gemm.n.n %one, %t0, %s0, %zero, %d
  gemm.n.n %one, %K1, %q, %zero, %t1
  gemm.n.n %one, %t1, %s1, %one, %d
}}
"""


def fused_cases() -> Iterator[Case]:
    """Yield the sample of the language reference and chains of four GEMMs."""
    sample = Case(
        name="fused.f32.sample",
        family="fused",
        type="f32",
        arrays=(
            Array("A", "f32", (16, 8)),
            Array("B", "f32", (8, 8), is_shared=True),
            Array("C", "f32", (8, 16), is_shared=True),
            Array("T", "f32", (16, 8), "scratch"),
            Array("D", "f32", (16, 16), "inout"),
        ),
        ours=Source(SAMPLE, ("fused",)),
        flops=2 * 16 * 8 * 8 + 2 * 16 * 16 * 8,
        expected=_sample,
        terms=64,
        scalars={"alpha": _ALPHA},
    )
    yield _beside(sample, Source(_SAMPLE_SEPARATE, ("first", "second")))
    for type_ in ("f32", "f64"):
        for m in (20, 35, 56):
            yield _chain(type_, m)


def _chain(type_: str, m: int) -> Case:
    n = _QUANTITIES
    steps = tuple(f"step{number}" for number in range(4))
    chain = Case(
        name=f"fused.{type_}.chain{m}",
        family="fused",
        type=type_,
        arrays=(
            Array("K0", type_, (m, m), is_shared=True),
            Array("K1", type_, (m, m), is_shared=True),
            Array("Q", type_, (m, n)),
            Array("S0", type_, (n, n)),
            Array("S1", type_, (n, n)),
            Array("T0", type_, (m, n), "scratch"),
            Array("T1", type_, (m, n), "scratch"),
            Array("D", type_, (m, n), "out"),
        ),
        ours=Source(_CHAIN.format(t=type_, m=m), ("fused",)),
        flops=2 * (2 * m * n * m + 2 * m * n * n),
        expected=_chain_result,
        terms=m * n,
    )
    return _beside(chain, Source(_separate_chain(type_, m), steps))


def _beside(case: Case, separate: Source) -> Case:
    """Return the case with separate kernels as baseline; only they need scratch arrays."""
    arrays = tuple(array for array in case.arrays if array.role != "scratch")
    baseline = dataclasses.replace(case, ours=separate)
    return dataclasses.replace(case, arrays=arrays, baseline=("separate", baseline))


def _separate_chain(type_: str, m: int) -> str:
    """Return a program with one kernel for each product of the chain."""
    return "\n".join(
        _product_kernel(f"step{number}", type_, m, operands, beta)
        for number, (operands, beta) in enumerate(
            [("K0 Q T0", 0.0), ("T0 S0 D", 0.0), ("K1 Q T1", 0.0), ("T1 S1 D", 1.0)]
        )
    )


def _product_kernel(name: str, type_: str, m: int, operands: str, beta: float) -> str:
    names = operands.split()
    shapes = {"K": f"{m}x{m}", "S": "9x9"}
    types = [f"{type_}x{shapes.get(operand[0], f'{m}x9')}" for operand in names]
    parameters, views, used = [], [], []
    for operand, memref in zip(names, types, strict=True):
        is_shared = operand[0] == "K"
        parameters.append(f"%{operand}: memref<{memref}{'' if is_shared else 'x?'}>")
        used.append(f"%{operand}" if is_shared else f"%{operand.lower()}")
        if not is_shared:
            views.append(f"  {used[-1]} = subview %{operand}[:, :, %g] : memref<{memref}>\n")
    a, b, c = used
    return (
        f"func @{name}({', '.join(parameters)}) {{\n"
        "  %g = builtin.group_id : index\n" + "".join(views) + f"  %one = constant 1.0 : {type_}\n"
        f"  %beta = constant {beta} : {type_}\n"
        f"  gemm.n.n %one, {a}, {b}, %beta, {c}\n}}\n"
    )


def _sample(arrays: Arrays) -> dict[str, Any]:
    product = np.einsum(
        "ikg,jk,jn->ing", arrays["A"], arrays["B"], arrays["C"], dtype=np.float64, optimize=True
    )
    return {"D": arrays["D"] + _ALPHA * product}


def _chain_result(arrays: Arrays) -> dict[str, Any]:
    q = np.moveaxis(arrays["Q"], -1, 0)
    products = [arrays[f"K{d}"] @ q @ np.moveaxis(arrays[f"S{d}"], -1, 0) for d in range(2)]
    return {"D": np.moveaxis(products[0] + products[1], 0, -1)}
