# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that multiply slices and add up the products."""

from __future__ import annotations

import string

from ..frontend.spelling import memref_text
from ..scalars import SCALAR_TYPES
from .ozaki_problem import SLICE_BITS, TILE, Problem, float_values

_GEMM = string.Template(
    """\
; $formula
func @$kernel(%first: index, %alpha: $type, %S: $a_slices, %E: memref<i32x${a_lines}x1x?>,
           %T: $b_slices, %F: memref<i32x${b_lines}x1x?>, %beta: $type, %C: $matrices) {
  %gx = group_id.x : index
  %gy = group_id.y : index
  %gz = group_id.z : index
  %i0 = mul %gx, $tile_rows : index
  %j0 = mul %gy, $tile_columns : index
  %member = add %first, %gz : index
  %c = subview %C[0:$m, 0:$n, %member] : $matrix
  %e = subview %E[%i0:$tile_rows, 0:1, $a_batch]
    : memref<i32x${tile_rows}x1,strided<1,$a_lines>>
  %f = subview %F[%j0:$tile_columns, 0:1, $b_batch]
    : memref<i32x${tile_columns}x1,strided<1,$b_lines>>
  %one = constant 1 : i8
  %none = constant 0 : i32
  %lowest = constant $lowest : $sums
  %step = constant $step : $sums
  %P = alloca : memref<i32x${tile_rows}x$tile_columns,local>
  %R = alloca : memref<${sums}x${tile_rows}x$tile_columns,local>
  foreach_tile (%i, %j) = (0, 0), ($tile_rows, $tile_columns) as (%rows, %columns) <= (32, 4) {
    %zero = constant 0.0 : coopmatrix<${sums}x32x4,matrix_acc>
    cooperative_matrix_store %zero, %R[%i, %j]
  }
  ; products of slices that are less than the last bits of the others are left out
  for %s = 0, $splits {
    %last = sub $last, %s : index
    %weights = for %t = %last, $splits init(%weight = %lowest) -> ($sums) {
      %s0 = mul %s, $depth_padded : index
      %t0 = mul %t, $depth_padded : index
      for %p = 0, $depth_padded, $panel {
        %ap = add %s0, %p : index
        %bp = add %t0, %p : index
        %a = subview %S[%i0:$tile_rows, %ap:$panel, $a_batch] : $a_part
        %b = subview %T[%bp:$panel, %j0:$tile_columns, $b_batch] : $b_part
        gemm.n.n %one, %a, %b, %none, %P
        foreach_tile (%i, %j) = (0, 0), ($tile_rows, $tile_columns)
            as (%rows, %columns) <= (32, 4) {
          %product = cooperative_matrix_load %P[%i, %j] : coopmatrix<i32x32x4,matrix_acc>
          %sum = cooperative_matrix_load %R[%i, %j] : coopmatrix<${sums}x32x4,matrix_acc>
          %next = cooperative_matrix_apply (%r, %q, %u, %v)=%product, %sum
              -> coopmatrix<${sums}x32x4,matrix_acc> {
            %exact = cast %u : $sums
            %scaled = mul %weight, %exact : $sums
            %more = add %v, %scaled : $sums
            yield (%more)
          }
          cooperative_matrix_store %next, %R[%i, %j]
        }
      }
      %higher = mul %weight, %step : $sums
      yield (%higher)
    }
  }
  foreach_tile (%i, %j) = (0, 0), ($tile_rows, $tile_columns) as (%rows, %columns) <= (32, 4) {
    %ci = add %i0, %i : index
    %cj = add %j0, %j : index
    %sum = cooperative_matrix_load %R[%i, %j] : coopmatrix<${sums}x32x4,matrix_acc>
$load_old
    %new = cooperative_matrix_apply (%r, %q, $names)=$operands
        -> coopmatrix<${type}x32x4,matrix_acc> {
      %r1 = cast %r : index
      %q1 = cast %q : index
      %ei = add %i, %r1 : index
      %fj = add %j, %q1 : index
      %e1 = load %e[%ei, 0] : i32
      %f1 = load %f[%fj, 0] : i32
      %e2 = max %e1, 1 : i32
      %f2 = max %f1, 1 : i32
      ; 2^(e + f) as two factors, since a number may not hold it although it holds the product
      %ef = add %e2, %f2 : i32
      %exponent = sub %ef, $bias : i32
      %low = shr %exponent, 1 : i32
      %high = sub %exponent, %low : i32
$factors
      ; a line with infinity or NaN
      %highest = max %e1, %f1 : i32
      %is_finite = less_than %highest, $field_mask : bool
      %factor = if %is_finite -> ($sums) {
        yield (%high_factor)
      } else {
        %nan_bits = constant $nan : $sums_integer
        %nan = bitcast %nan_bits : $sums
        yield (%nan)
      }
      %v1 = mul %v, %low_factor : $sums
      %v2 = mul %v1, %factor : $sums
$result
    }
    cooperative_matrix_store.both_checked %new, %c[%ci, %cj]
  }
}
"""
)
# 2^h, or the next to it that numbers can be; there the result is 0 or infinity anyway.
_POWER = string.Template(
    """\
      %${h}_least = max %$h, $least : i32
      %${h}_most = min %${h}_least, $most : i32
      %${h}_field = add %${h}_most, $most : i32
      %${h}_wide = cast %${h}_field : $sums_integer
      %${h}_bits = shl %${h}_wide, $sums_fraction_bits : $sums_integer
      %${h}_factor = bitcast %${h}_bits : $sums"""
)


def product_kernel(problem: Problem, kernel: str) -> str:
    """Return the kernel that multiplies slices; `gemm_beta0` does not read C."""
    a, b = problem.a, problem.b
    sums, type_ = SCALAR_TYPES[problem.sums], problem.type_
    sums_values = float_values(sums.name)
    has_beta = kernel == "gemm"
    rows, columns = TILE
    offset = 2 * (float_values(type_)["most"] - 1) + 2 * SLICE_BITS
    values: dict[str, object] = {
        "kernel": kernel,
        "formula": _formula(problem, has_beta=has_beta),
        "type": type_,
        "sums": sums.name,
        "sums_integer": f"i{sums.bits}",
        "sums_fraction_bits": sums_values["fraction_bits"],
        "nan": (2 * sums_values["field_mask"] + 1) << (sums_values["fraction_bits"] - 1),
        "most": sums_values["most"],
        "least": 1 - sums_values["most"],
        "field_mask": float_values(type_)["field_mask"],
        "bias": offset,
        "m": a.lines,
        "n": b.lines,
        "splits": problem.splits,
        "last": problem.splits - 1,
        "lowest": repr(2.0 ** (-SLICE_BITS * (problem.splits - 1))),
        "step": repr(2.0**SLICE_BITS),
        "panel": problem.panel,
        "depth_padded": problem.depth_padded,
        "tile_rows": rows,
        "tile_columns": columns,
        "a_lines": a.lines_padded,
        "b_lines": b.lines_padded,
        "a_batch": "%gz" if a.is_batched else "0",
        "b_batch": "%gz" if b.is_batched else "0",
        "a_slices": memref_text("i8", (*a.slices, None)),
        "b_slices": memref_text("i8", (*b.slices, None)),
        "a_part": memref_text("i8", (rows, problem.panel), (1, a.slices[0])),
        "b_part": memref_text("i8", (problem.panel, columns), (1, b.slices[0])),
        "matrices": memref_text(type_, (a.lines, b.lines, None), problem.c_strides),
        "matrix": memref_text(type_, (a.lines, b.lines), problem.c_strides[:2]),
        "names": "%v, %old" if has_beta else "%v",
        "operands": "%sum, %before" if has_beta else "%sum",
    }
    values["factors"] = "\n".join(_POWER.substitute(values, h=h) for h in ("low", "high"))
    values["load_old"] = (
        "    %before = cooperative_matrix_load.both_checked %c[%ci, %cj]\n"
        f"      : coopmatrix<{type_}x32x4,matrix_acc>"
        if has_beta
        else ""
    )
    values["result"] = _result(problem, has_beta=has_beta)
    return _GEMM.substitute(values)


def _result(problem: Problem, *, has_beta: bool) -> str:
    """Return the last instructions for an element of C."""
    sums, type_ = problem.sums, problem.type_
    is_wider = sums != type_

    def wide(name: str) -> list[str]:
        return [f"%{name}_wide = cast %{name} : {sums}"] if is_wider else []

    def named(name: str) -> str:
        return f"%{name}_wide" if is_wider else f"%{name}"

    lines = [*wide("alpha"), f"%total = mul {named('alpha')}, %v2 : {sums}"]
    total = "%total"
    if has_beta:
        lines += [
            *wide("beta"),
            *wide("old"),
            f"%kept = mul {named('beta')}, {named('old')} : {sums}",
            f"%both = add %total, %kept : {sums}",
        ]
        total = "%both"
    if is_wider:
        lines.append(f"%rounded = cast {total} : {type_}")
        total = "%rounded"
    lines.append(f"yield ({total})")
    return "\n".join(f"      {line}" for line in lines)


def _formula(problem: Problem, *, has_beta: bool) -> str:
    factors = [
        factor.name + ("_i" if factor.is_batched else "") + ("^T" if is_transposed else "")
        for factor, is_transposed in (
            (problem.a, problem.a.transpose == ".t"),
            (problem.b, problem.b.transpose == ".n"),
        )
    ]
    sizes = f"{problem.a.lines} x {problem.b.lines} x {problem.a.depth}"
    old = " + beta C_i" if has_beta else ""
    return f"C_i := alpha {' '.join(factors)}{old}, {sizes}, {problem.splits} slices"
