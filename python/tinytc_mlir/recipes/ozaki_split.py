# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that find the largest exponents of lines, and cut lines into slices."""

from __future__ import annotations

import string

from ..frontend.spelling import memref_text
from ..scalars import SCALAR_TYPES
from .ozaki_problem import PART, SLICE_BITS, Factor, Problem, float_values

_SCAN = string.Template(
    """\
; what the search for exponents begins with
func @clear_$letter(%E: memref<i32x${lines}x1x?>) {
  %gz = group_id.z : index
  %none = constant 0 : i32
  foreach (%i) = (0), ($lines) {
    store %none, %E[%i, 0, %gz]
  }
}

; the largest exponent of each $line of op($name), as it is in memory
func @exponents_$letter(%first: index, %$name: $matrices, %E: memref<i32x${lines}x1x?>) {
$places
  foreach_tile (%i) = (%i0), (%i1) as (%rows) <= (32) {
    %shift = constant $fraction_bits : coopmatrix<${integer}x32x4,matrix_acc>
    %mask = constant $field_mask : coopmatrix<${integer}x32x4,matrix_acc>
    %lowest = constant 0 : coopmatrix<i32x32x4,matrix_acc>
    %all = for %p = %p0, %p1, 4 init(%high = %lowest) -> (coopmatrix<i32x32x4,matrix_acc>) {
      %v = cooperative_matrix_load$transpose.both_checked %matrix[$at]
        : coopmatrix<${type}x32x4,matrix_acc>
      %bits = bitcast %v : coopmatrix<${integer}x32x4,matrix_acc>
      %head = shr %bits, %shift : coopmatrix<${integer}x32x4,matrix_acc>
      %field = and %head, %mask : coopmatrix<${integer}x32x4,matrix_acc>
      %exponents = cast %field : coopmatrix<i32x32x4,matrix_acc>
      %higher = max %high, %exponents : coopmatrix<i32x32x4,matrix_acc>
      yield (%higher)
    }
    %line = cooperative_matrix_reduce_max.row %all : coopmatrix<i32x32x1,matrix_acc>
    %old = cooperative_matrix_atomic_max.device %line, %e[%i, 0] : coopmatrix<i32x32x1,matrix_acc>
  }
}
"""
)
_SPLIT = string.Template(
    """\
; the slices of op($name), each $bits bits of a $line scaled to less than 1; the lowest come first
func @split_$letter(%first: index, %$name: $matrices, %E: memref<i32x${lines}x1x?>,
                    %S: $slices) {
$places
  %s = subview %S[0:$slice_rows, 0:$slice_columns, %gz] : $slice_matrix
  foreach_tile (%i, %p) = (%i0, %p0), (%i1, %p1) as (%rows, %columns) <= (32, 4) {
    %v = cooperative_matrix_load$transpose.both_checked %matrix[$at]
      : coopmatrix<${type}x32x4,matrix_acc>
    %bits = bitcast %v : coopmatrix<${integer}x32x4,matrix_acc>
    %sign = cooperative_matrix_apply (%r, %c, %x)=%bits -> coopmatrix<i8x32x4,matrix_acc> {
      %all = shr %x, $sign_bit : $integer
      %odd = or %all, 1 : $integer
      %one = cast %odd : i8
      yield (%one)
    }
    ; with the leading bit, which numbers in memory lack unless they are subnormal
    %number = cooperative_matrix_apply (%r, %c, %x)=%bits
        -> coopmatrix<${integer}x32x4,matrix_acc> {
      %head = shr %x, $fraction_bits : $integer
      %field = and %head, $field_mask : $integer
      %is_normal = min %field, 1 : $integer
      %leading = shl %is_normal, $fraction_bits : $integer
      %fraction = and %x, $fraction_mask : $integer
      %all = or %leading, %fraction : $integer
      yield (%all)
    }
    ; how many bits of it are below the point
    %below = cooperative_matrix_apply (%r, %c, %x)=%bits -> coopmatrix<i32x32x4,matrix_acc> {
      %head = shr %x, $fraction_bits : $integer
      %field = and %head, $field_mask : $integer
      %own = cast %field : i32
      %own1 = max %own, 1 : i32
      %offset = cast %r : index
      %place = add %i, %offset : index
      %highest = load %e[%place, 0] : i32
      %highest1 = max %highest, 1 : i32
      %distance = sub %highest1, %own1 : i32
      %count = add %distance, $precision : i32
      yield (%count)
    }
    ; the bits of several slices at a time, in an integer
    for %word = 0, $words {
      %done = mul %word, $word_slices : index
      %above0 = mul %word, $word_bits : index
      %above1 = add %above0, $word_bits : index
      %above = cast %above1 : i32
      %some = cooperative_matrix_apply (%r, %c, %x, %count)=%number, %below
          -> coopmatrix<${integer}x32x4,matrix_acc> {
        %lower = sub %count, %above : i32
        %right = max %lower, 0 : i32
        %right1 = min %right, $sign_bit : i32
        %right2 = cast %right1 : $integer
        %higher = sub %right, %lower : i32
        %left = min %higher, $sign_bit : i32
        %left1 = cast %left : $integer
        %down = shr %x, %right2 : $integer
        %up = shl %down, %left1 : $integer
        %part = and %up, $word_mask : $integer
        yield (%part)
      }
      %rest = sub $splits, %done : index
      %most = min %rest, $word_slices : index
      for %slice = 0, %most {
        %lower = sub $last_of_word, %slice : index
        %place = mul %lower, $bits : index
        %shift = cast %place : $integer
        %digits = cooperative_matrix_apply (%r, %c, %g, %x)=%sign, %some
            -> coopmatrix<i8x32x4,matrix_acc> {
          %down = shr %x, %shift : $integer
          %digit = and %down, $slice_mask : $integer
          %digit8 = cast %digit : i8
          %signed = mul %g, %digit8 : i8
          yield (%signed)
        }
        %higher = add %done, %slice : index
        %rank = sub $last, %higher : index
        %q0 = mul %rank, $depth_padded : index
        %q = add %q0, %p : index
        cooperative_matrix_store$slice_transpose %digits, %s[$slice_at]
      }
    }
  }
}
"""
)
_PLACES = string.Template(
    """\
  %gx = group_id.x : index
  %gy = group_id.y : index
  %gz = group_id.z : index
  %i0 = mul %gx, $part : index
  %i1 = add %i0, $part : index
  %p0 = mul %gy, $part : index
  %p1 = add %p0, $part : index
$matrix
  %e = subview %E[0:$lines, 0:1, %gz] : memref<i32x${lines}x1>"""
)


def factor_kernels(factor: Factor, problem: Problem) -> list[str]:
    """Return the kernels that find the exponents of a factor and split it."""
    scalar = SCALAR_TYPES[problem.type_]
    name, is_a = factor.name, factor.name == "A"
    batch = (None,) if factor.is_batched else ()
    matrices = memref_text(scalar.name, (*factor.shape, *batch), factor.strides[: 2 + len(batch)])
    if factor.is_batched:
        matrix = memref_text(scalar.name, factor.shape, factor.strides[:2])
        view = f"0:{factor.shape[0]}, 0:{factor.shape[1]}"
        lines = (
            "  %member = add %first, %gz : index\n"
            f"  %matrix = subview %{name}[{view}, %member] : {matrix}"
        )
    else:
        rows, columns = factor.shape
        lines = f"  %matrix = subview %{name}[0:{rows}, 0:{columns}] : {matrices}"
    word_slices = (scalar.bits - 1) // SLICE_BITS
    values: dict[str, object] = {
        **float_values(problem.type_),
        "name": name,
        "letter": name.lower(),
        "line": "row" if is_a else "column",
        "type": scalar.name,
        "integer": f"i{scalar.bits}",
        "matrices": matrices,
        "transpose": factor.transpose,
        "at": "%i, %p" if factor.transpose == ".n" else "%p, %i",
        "lines": factor.lines_padded,
        "part": PART,
        "matrix": lines,
        "words": -(-problem.splits // word_slices),
        "word_slices": word_slices,
        "word_bits": word_slices * SLICE_BITS,
        "word_mask": (1 << word_slices * SLICE_BITS) - 1,
        "last_of_word": word_slices - 1,
        "last": problem.splits - 1,
        "bits": SLICE_BITS,
        "slice_mask": (1 << SLICE_BITS) - 1,
        "splits": problem.splits,
        "depth_padded": problem.depth_padded,
        "slices": memref_text("i8", (*factor.slices, None)),
        "slice_matrix": memref_text("i8", factor.slices),
        "slice_rows": factor.slices[0],
        "slice_columns": factor.slices[1],
        "slice_transpose": ".n" if is_a else ".t",
        "slice_at": "%i, %q" if is_a else "%q, %i",
    }
    values["places"] = _PLACES.substitute(values)
    return [_SCAN.substitute(values), _SPLIT.substitute(values)]
