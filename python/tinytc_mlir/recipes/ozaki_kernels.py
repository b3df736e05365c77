# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of products of floating-point numbers from slices of integers.

Exponents and slices are cut by `bitcast`, shifts and masks, so subnormals need no case. Slices are
magnitudes with a sign: in two's complement, what is left out of a small number is not small. The
lowest slice is first, so that small products are added before large ones. Powers of two are two
factors, as 2^(e + f) may be out of range although the result is not.
"""

# Loops yield more than is used, and change components.
# ruff: noqa: B007, C901, PLR0915, PLW2901

import re

import tinytc_mlir as tt

from ..scalars import SCALAR_TYPES
from .ozaki_problem import PART, SLICE_BITS, TILE, Factor, Problem, float_values


def text_of(problem: Problem) -> str:
    """Return the program with all kernels; `gemm_beta0` does not read C."""
    products = (_product_kernel(problem, has_beta=has_beta) for has_beta in (True, False))
    texts = [
        kernel.text.replace("@gemm(", f"@{name}(")
        for kernel, name in zip(products, ("gemm", "gemm_beta0"), strict=True)
    ]
    for factor in (problem.a, problem.b):
        for kernel in _factor_kernels(factor, problem):
            name = f"{kernel.name}_{factor.name.lower()}"
            text = kernel.text.replace(f"@{kernel.name}(", f"@{name}(")
            texts.append(re.sub(r"%M\b", f"%{factor.name}", text))
    return f"; {_formula(problem)}\n" + "\n".join(texts)


def _formula(problem: Problem) -> str:
    a, b = (
        factor.name + ("_i" if factor.is_batched else "") + ("^T" if is_transposed else "")
        for factor, is_transposed in (
            (problem.a, problem.a.transpose == ".t"),
            (problem.b, problem.b.transpose == ".n"),
        )
    )
    sizes = f"{problem.a.lines} x {problem.b.lines} x {problem.a.depth}"
    return f"C_i := alpha {a} {b} + beta C_i, {sizes}, {problem.splits} slices"


def _matrix(type_):
    """Return the type of a block of a matrix."""
    return tt.coopmatrix[type_, 32, 4, "matrix_acc"]


def _factor_kernels(factor: Factor, problem: Problem):
    """Return the kernels that find the largest exponents of lines, and cut lines into slices."""
    scalar = SCALAR_TYPES[problem.type_]
    t, integer = getattr(tt, scalar.name), getattr(tt, f"i{scalar.bits}")
    is_batched, is_a, is_plain = factor.is_batched, factor.name == "A", factor.transpose == ".n"
    batch = (None,) if is_batched else ()
    matrices = t[(*factor.shape, *batch)].strided(*factor.strides[: 2 + len(batch)])
    lines, splits, depth = factor.lines_padded, problem.splits, problem.depth_padded
    bits = float_values(problem.type_)
    fraction_bits, fraction_mask = bits["fraction_bits"], bits["fraction_mask"]
    field_mask, sign_bit, precision = bits["field_mask"], bits["sign_bit"], bits["precision"]
    of_word = (scalar.bits - 1) // SLICE_BITS
    words = -(-splits // of_word)
    word_bits, word_mask = of_word * SLICE_BITS, (1 << of_word * SLICE_BITS) - 1
    numbers, integers = _matrix(t), _matrix(integer)
    counts, bytes_ = _matrix(tt.i32), _matrix(tt.i8)
    slices = tt.i8[(*factor.slices, None)]

    @tt.inline
    def member(M, first, gz):
        return M[:, :, first + gz] if is_batched else tt.subview(M[:, :])

    @tt.inline
    def block(x, i, p):
        if is_plain:
            v = tt.cooperative_matrix_load.n.both_checked(x, i, p, type=numbers)
        else:
            v = tt.cooperative_matrix_load.t.both_checked(x, p, i, type=numbers)
        return v

    @tt.kernel  # what the search for exponents begins with
    def clear(E: tt.i32[lines, 1, None]):
        gz = tt.group_id.z
        for i in tt.foreach(lines):
            E[i, 0, gz] = 0

    @tt.kernel  # the largest exponent of each line, as it is in memory
    def exponents(first: tt.index, M: matrices, E: tt.i32[lines, 1, None]):
        gx, gy, gz = tt.group_id.x, tt.group_id.y, tt.group_id.z
        i0 = gx * PART
        i1 = i0 + PART
        p0 = gy * PART
        p1 = p0 + PART
        x = member(M, first, gz)
        e = E[:, :, gz]
        for i, rows in tt.foreach_tile((i0,), (i1,), 32):
            shift, mask = tt.constant(fraction_bits, integers), tt.constant(field_mask, integers)
            high = tt.constant(0, counts)
            for p in range(p0, p1, 4):
                head = tt.bitcast(block(x, i, p), integers) >> shift
                high = max(high, tt.cast(head & mask, counts))
            highest = tt.cooperative_matrix_reduce_max.row(high)
            tt.cooperative_matrix_atomic_max.device(highest, e, i, 0)

    @tt.kernel  # 7 bits each of a line scaled to less than 1; the lowest come first
    def split(first: tt.index, M: matrices, E: tt.i32[lines, 1, None], S: slices):
        gx, gy, gz = tt.group_id.x, tt.group_id.y, tt.group_id.z
        i0 = gx * PART
        i1 = i0 + PART
        p0 = gy * PART
        p1 = p0 + PART
        m = member(M, first, gz)
        e, s = E[:, :, gz], S[:, :, gz]
        for i, p, rows, columns in tt.foreach_tile((i0, p0), (i1, p1), (32, 4)):
            number = tt.bitcast(block(m, i, p), integers)
            sign = number
            for r, c, x in tt.cooperative_matrix_apply(sign, type=bytes_):
                x = tt.i8(x >> sign_bit | 1)
            below = number
            # With the leading bit, which numbers in memory lack unless they are subnormal.
            for r, c, x in tt.cooperative_matrix_apply(number):
                is_normal = min(x >> fraction_bits & field_mask, 1)
                x = is_normal << fraction_bits | x & fraction_mask
            # How many bits of it are below the point.
            for r, c, x in tt.cooperative_matrix_apply(below, type=counts):
                own = max(tt.i32(x >> fraction_bits & field_mask), 1)
                place = i + tt.index(r)
                highest = max(e[place, 0], 1)
                x = highest - own + precision
            # The bits of several slices at a time, in an integer.
            for word in range(words):
                done = word * of_word
                above = tt.i32(word * word_bits + word_bits)
                some = number
                for r, c, x, count in tt.cooperative_matrix_apply(some, below):
                    lower = count - above
                    right = max(lower, 0)
                    right_bits = integer(min(right, sign_bit))
                    left = integer(min(right - lower, sign_bit))
                    x = x >> right_bits << left & word_mask
                rest = splits - done
                for digit in range(min(rest, of_word)):
                    shift = integer((of_word - 1 - digit) * SLICE_BITS)
                    digits = sign
                    for r, c, g, x in tt.cooperative_matrix_apply(digits, some):
                        g = g * tt.i8(x >> shift & (1 << SLICE_BITS) - 1)
                    q = (splits - 1 - (done + digit)) * depth + p
                    if is_a:
                        tt.cooperative_matrix_store.n(digits, s, i, q)
                    else:
                        tt.cooperative_matrix_store.t(digits, s, q, i)

    return clear, exponents, split


def _product_kernel(problem: Problem, *, has_beta: bool):
    """Return the kernel that multiplies slices and adds up the products."""
    rows, columns = TILE
    a, b, panel, depth, splits = (
        problem.a,
        problem.b,
        problem.panel,
        problem.depth_padded,
        problem.splits,
    )
    t, sums = getattr(tt, problem.type_), getattr(tt, problem.sums)
    is_wider = t != sums
    scalar, bits = SCALAR_TYPES[problem.sums], float_values(problem.sums)
    integer = getattr(tt, f"i{scalar.bits}")
    fraction_bits, most = bits["fraction_bits"], bits["most"]
    nan = (2 * bits["field_mask"] + 1) << (fraction_bits - 1)
    field_mask = float_values(problem.type_)["field_mask"]
    bias = 2 * (float_values(problem.type_)["most"] - 1) + 2 * SLICE_BITS
    lowest, step = 2.0 ** (-SLICE_BITS * (splits - 1)), 2.0**SLICE_BITS
    a_slices, b_slices = tt.i8[(*a.slices, None)], tt.i8[(*b.slices, None)]
    a_lines, b_lines = a.lines_padded, b.lines_padded
    has_a_batch, has_b_batch = a.is_batched, b.is_batched
    matrices = t[a.lines, b.lines, None].strided(*problem.c_strides)

    integers, wide, narrow = _matrix(tt.i32), _matrix(sums), _matrix(t)

    @tt.inline
    def power(h):  # 2^h, or the next to it that numbers can be: there the result is 0 or infinity
        least = max(h, 1 - most)
        field = min(least, most) + most
        return tt.bitcast(integer(field) << fraction_bits, sums)

    @tt.inline
    def element(v, i, j, r, q, e, f, alpha):
        r1, q1 = tt.index(r), tt.index(q)
        ei, fj = i + r1, j + q1
        e1, f1 = e[ei, 0], f[fj, 0]
        exponent = max(e1, 1) + max(f1, 1) - bias
        # Two factors, since a number may not hold 2^(e + f) although it holds the product.
        low = exponent >> 1
        high = exponent - low
        low_factor = power(low)
        high_factor = power(high)
        # Not for a line with infinity or NaN.
        is_finite = max(e1, f1) < field_mask
        factor = high_factor if is_finite else tt.bitcast(tt.constant(nan, integer), sums)
        product = v * low_factor * factor
        return (sums(alpha) if is_wider else alpha) * product

    @tt.kernel
    def gemm(
        first: tt.index, alpha: t, S: a_slices, E: tt.i32[a_lines, 1, None], T: b_slices,
        F: tt.i32[b_lines, 1, None], beta: t, C: matrices,
    ):  # fmt: skip
        gx, gy, gz = tt.group_id.x, tt.group_id.y, tt.group_id.z
        i0, j0 = gx * rows, gy * columns
        c = C[:, :, first + gz]
        a_member, b_member = (gz if has_a_batch else 0), (gz if has_b_batch else 0)
        e = E[i0 : i0 + rows, :, a_member]
        f = F[j0 : j0 + columns, :, b_member]
        P, R = tt.local(tt.i32, (rows, columns)), tt.local(sums, (rows, columns))
        for i, j, m, n in tt.foreach_tile(rows, columns, (32, 4)):
            tt.cooperative_matrix_store(tt.constant(0.0, wide), R, i, j)
        # Products of slices that are less than the last bits of the others are left out.
        for s in range(splits):
            weight = sums(lowest)
            for u in range(splits - 1 - s, splits):
                s0, t0 = s * depth, u * depth
                for p in range(0, depth, panel):
                    ap, bp = s0 + p, t0 + p
                    x = S[i0 : i0 + rows, ap : ap + panel, a_member]
                    y = T[bp : bp + panel, j0 : j0 + columns, b_member]
                    tt.gemm.n.n(tt.i8(1), x, y, tt.i32(0), P)
                    for i, j, m, n in tt.foreach_tile(rows, columns, (32, 4)):
                        total = tt.cooperative_matrix_load(P, i, j, type=integers)
                        old = tt.cooperative_matrix_load(R, i, j, type=wide)
                        for r, q, k, v in tt.cooperative_matrix_apply(total, old, type=wide):
                            k = v + weight * sums(k)
                        tt.cooperative_matrix_store(total, R, i, j)
                weight = weight * step
        for i, j, m, n in tt.foreach_tile(rows, columns, (32, 4)):
            ci, cj = i0 + i, j0 + j
            new = tt.cooperative_matrix_load(R, i, j, type=wide)
            if has_beta:
                old = tt.cooperative_matrix_load.both_checked(c, ci, cj, type=narrow)
                for r, q, v, before in tt.cooperative_matrix_apply(new, old, type=narrow):
                    total = element(v, i, j, r, q, e, f, alpha)
                    kept = (sums(beta) if is_wider else beta) * (
                        sums(before) if is_wider else before
                    )
                    v = t(total + kept) if is_wider else total + kept
            else:
                for r, q, v in tt.cooperative_matrix_apply(new, type=narrow):
                    total = element(v, i, j, r, q, e, f, alpha)
                    v = t(total) if is_wider else total
            tt.cooperative_matrix_store.both_checked(new, c, ci, cj)

    return gemm
