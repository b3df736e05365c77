"""Kernels of recipes as functions of Python; functions make them for sizes and types."""

import tinytc_mlir as tt


def small_gemm_batched(t, a, b, c, *, transpose_a=False, transpose_b=False):
    """Return the kernels for any beta and for zero; A and B of order 2 are the same for all."""
    has_one_a, has_one_b = len(a.shape) == 2, len(b.shape) == 2

    @tt.kernel
    def gemm(alpha: t, A: a, B: b, beta: t, C: c):
        i = tt.group_id.x
        x = A if has_one_a else A[:, :, i]
        y = B if has_one_b else B[:, :, i]
        z = C[:, :, i]
        z[:] = alpha * (x.T if transpose_a else x) @ (y.T if transpose_b else y) + beta * z

    @tt.kernel
    def gemm_beta0(alpha: t, A: a, B: b, beta: t, C: c):
        i = tt.group_id.x
        x = A if has_one_a else A[:, :, i]
        y = B if has_one_b else B[:, :, i]
        z = C[:, :, i]
        z[:] = alpha * (x.T if transpose_a else x) @ (y.T if transpose_b else y)

    return gemm, gemm_beta0


def tall_and_skinny(t, a, b, c, *, block, width):
    """Return the kernels for any beta and for zero; the last block computes `width` columns."""
    m, n = a.shape[0], b.shape[1]
    is_known = m is not None
    rows_of_last = m % block if is_known else 0

    @tt.inline
    def product(alpha, a, b, beta, c, BETA):
        if BETA:
            c[:] = alpha * a @ b + beta * c
        else:
            c[:] = alpha * a @ b

    @tt.inline
    def last_rows(alpha, A, B, beta, C, first, rows, BETA):
        a = A[first : first + rows, :]
        if width == n:
            product(alpha, a, B, beta, C[first : first + rows, :], BETA)
        else:
            for j in range(0, n, width):
                b = B[:, j : j + width]
                product(alpha, a, b, beta, C[first : first + rows, j : j + width], BETA)

    @tt.inline
    def rows_of_group(alpha, A, B, beta, C, BETA):
        first = tt.group_id.x * block
        if is_known and (m < block or rows_of_last == 0):
            size = min(m, block)
            a = A[first : first + size, :]
            product(alpha, a, B, beta, C[first : first + size, :], BETA)
        else:
            rest = tt.index(C.shape[0]) - first if is_known else C.shape[0] - first
            if rest >= block:
                a = A[first : first + block, :]
                product(alpha, a, B, beta, C[first : first + block, :], BETA)
            else:
                rows = rows_of_last if is_known else rest
                last_rows(alpha, A, B, beta, C, first, rows, BETA)

    @tt.kernel
    def gemm(alpha: t, A: a, B: b, beta: t, C: c):
        rows_of_group(alpha, A, B, beta, C, True)

    @tt.kernel
    def gemm_beta0(alpha: t, A: a, B: b, beta: t, C: c):
        rows_of_group(alpha, A, B, beta, C, False)

    return gemm, gemm_beta0
