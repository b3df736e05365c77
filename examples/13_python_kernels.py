"""The kernels of the other examples as functions of Python, which make the same modules.

    python examples/13_python_kernels.py

runs those without code for subgroups on the device and on NumPy, and compares.
"""

import copy

import numpy as np

import tinytc_mlir as tt

# Constants of 01_batched_gemm.ir and 04_atomic_reduction.ir.
T, M, N, K = tt.f64, 13, 7, 11
BINS = 32


@tt.kernel
def ader_step(
    dt: tt.f32, K: tt.f32[20, 20, 3], A: tt.f32[9, 9, 3, None], Q: tt.f32[20, 9, None],
    I: tt.f32[20, 9, None],
):  # fmt: skip
    """The time integral of 02_ader_step.ir."""
    element = tt.group_id.x
    kx, ky, kz = K[:, :, 0], K[:, :, 1], K[:, :, 2]
    ax, ay, az = A[:, :, 0, element], A[:, :, 1, element], A[:, :, 2, element]
    q, i = Q[:, :, element], I[:, :, element]
    derivative = tt.local(tt.f32, (20, 9))
    following = tt.local(tt.f32, (20, 9))
    product = tt.local(tt.f32, (20, 9))
    derivative[:] = q
    i[:] = dt * q
    factor = dt
    for k in range(1, 4):
        product[:] = kx @ derivative
        following[:] = product @ ax
        product[:] = ky @ derivative
        following += product @ ay
        product[:] = kz @ derivative
        following += product @ az
        divisor = tt.f32(k + 1)
        factor = factor * dt / divisor
        i += factor * following
        derivative[:] = following


@tt.kernel
def gram(A: tt.c64[12, 6, None], G: tt.c64[6, 6, None]):
    """The Gram matrices of 05_complex.ir."""
    i = tt.group_id.x
    a, g = A[:, :, i], G[:, :, i]
    conjugate = tt.local(tt.c64, (12, 6))
    for m, n in tt.foreach((0, 0), (12, 6)):
        conjugate[m, n] = tt.conj(a[m, n])
    g[:] = conjugate.T @ a


@tt.kernel
def products(A: tt.group[tt.f32[None, None]], x: tt.group[tt.f32[None]], y: tt.group[tt.f32[None]]):
    """The products of different sizes of 06_group_sizes.ir."""
    i = tt.group_id.x
    a, b, c = A[i], x[i], y[i]
    c[:] = a @ b


@tt.kernel
def fused_kernel(
    alpha: tt.f32, A: tt.group[tt.f32[16, 8]], B: tt.f32[8, 8], C: tt.f32[8, 16],
    D: tt.f32[16, 16, None],
):  # fmt: skip
    """The two products of fused_kernel.ir."""
    i = tt.group_id
    a, d = A[i], D[:, :, i]
    t = tt.local(tt.f32, (16, 8))
    t[:] = a @ B.T
    d += alpha * (t @ C)


@tt.kernel(subgroup_size=16, work_group_size=(16, 2))
def attention(
    scale: tt.f32, Q: tt.f32[16, 32, None], K: tt.f32[64, 32, None], V: tt.f32[64, 32, None],
    O: tt.f32[16, 32, None],
):  # fmt: skip
    """softmax(scale Q K^T) V of 03_attention.ir; a column holds the scores of one query."""
    head = tt.group_id.x
    q, k, v, o = Q[:, :, head], K[:, :, head], V[:, :, head], O[:, :, head]
    scores = tt.local(tt.f32, (64, 16))
    scores[:] = scale * k @ q.T
    with tt.parallel():
        lane = tt.index(tt.subgroup_local_id)
        first = tt.index(tt.subgroup_linear_id)
        step = tt.index(tt.num_subgroups.y)
        for query in range(first, 16, step):
            high = tt.f32(float("-inf"))
            for j in range(0, 64, 16):
                high = max(high, scores[lane + j, query])
            high = tt.subgroup_reduce_max(high)
            total = tt.f32(0)
            for j in range(0, 64, 16):
                i = lane + j
                e = tt.exp(scores[i, query] - high)
                scores[i, query] = e
                total = total + e
            total = tt.subgroup_reduce_add(total)
            for j in range(0, 64, 16):
                scores[lane + j, query] = scores[lane + j, query] / total
    o[:] = scores.T @ v


@tt.kernel
def statistics(x: tt.f32[256, None], total: tt.f64[()], high: tt.f32[()], histogram: tt.i32[BINS]):
    """Sum, maximum and histogram of 04_atomic_reduction.ir."""
    group = tt.group_id.x
    for i in tt.foreach(256):
        v = x[i, group]
        tt.atomic_add.device(tt.f64(v), total)
        tt.atomic_max.device(v, high)
        number = tt.index(v * tt.f32(tt.i32(BINS)))
        place = min(max(number, 0), BINS - 1)  # elements outside of [0, 1) count there
        tt.atomic_add.device(1, histogram, place)


@tt.kernel
def gemm_nn(alpha: T, A: T[M, K, None], B: T[K, N, None], beta: T, C: T[M, N, None]):
    """C := alpha A B + beta C of 01_batched_gemm.ir."""
    g = tt.group_id
    a, b, c = A[:, :, g], B[:, :, g], C[:, :, g]
    c[:] = alpha * a @ b + beta * c


@tt.kernel
def gemm_nt(alpha: T, A: T[M, K, None], B: T[N, K, None], beta: T, C: T[M, N, None]):
    """The same of A B^T."""
    g = tt.group_id
    a, b, c = A[:, :, g], B[:, :, g], C[:, :, g]
    c[:] = alpha * a @ b.T + beta * c


@tt.kernel
def gemm_tn(alpha: T, A: T[K, M, None], B: T[K, N, None], beta: T, C: T[M, N, None]):
    """The same of A^T B."""
    g = tt.group_id
    a, b, c = A[:, :, g], B[:, :, g], C[:, :, g]
    c[:] = alpha * a.T @ b + beta * c


@tt.kernel
def gemm_tt(alpha: T, A: T[K, M, None], B: T[N, K, None], beta: T, C: T[M, N, None]):
    """The same of A^T B^T."""
    g = tt.group_id
    a, b, c = A[:, :, g], B[:, :, g], C[:, :, g]
    c[:] = alpha * a.T @ b.T + beta * c


KERNELS = {
    "01_batched_gemm.ir": (gemm_nn, gemm_nt, gemm_tn, gemm_tt),
    "02_ader_step.ir": (ader_step,),
    "03_attention.ir": (attention,),
    "04_atomic_reduction.ir": (statistics,),
    "05_complex.ir": (gram,),
    "06_group_sizes.ir": (products,),
    "fused_kernel.ir": (fused_kernel,),
}
"""The kernels of each file, in its order."""


def compare(kernel, *arguments):
    """Run a kernel on the device and on NumPy; return the largest difference of the results."""
    on_numpy = copy.deepcopy(arguments)
    kernel(*arguments)
    kernel.python(*on_numpy)
    differences = [
        np.abs(one - other).max()
        for device, expected in zip(arguments, on_numpy, strict=True)
        if not isinstance(device, float)
        for one, other in zip(device, expected, strict=True)
    ]
    return float(max(differences))


def main():
    """Compare all kernels."""
    random = np.random.default_rng(0)

    def array(*shape, dtype=np.float32):
        return random.uniform(0.1, 0.2, shape).astype(dtype)

    sizes = range(1, 20)
    arguments = {
        ader_step: (0.1, array(20, 20, 3), array(9, 9, 3, 50), array(20, 9, 50), array(20, 9, 50)),
        gram: (array(12, 6, 50, dtype=np.complex128), array(6, 6, 50, dtype=np.complex128)),
        products: (
            [array(n + 3, n) for n in sizes],
            [array(n) for n in sizes],
            [array(n + 3) for n in sizes],
        ),
        gemm_tn: (
            0.5, array(K, M, 50, dtype=float), array(K, N, 50, dtype=float), 2.0,
            array(M, N, 50, dtype=float),
        ),
        fused_kernel: (
            2.0, [array(16, 8) for _ in range(50)], array(8, 8), array(8, 16), array(16, 16, 50),
        ),
    }  # fmt: skip
    for kernel, given in arguments.items():
        difference = compare(kernel, *given)
        print(f"{kernel.name:12}  largest difference from NumPy {difference:.1e}")
        if difference > 1e-4:
            raise SystemExit("expected a difference of at most 1e-4")


if __name__ == "__main__":
    main()
